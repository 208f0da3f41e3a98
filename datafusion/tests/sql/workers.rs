//! Processes on this machine: a coordinator, two workers, and a store that speaks S3.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use unspool_tests::{Random, read, vector_folders};

use crate::common::{Column, DECIMAL, INTEGER, TEXT, Zones, table};

/// A process that prints its URL, and ends with its test.
struct Process {
    url: String,
    child: Child,
}

impl Process {
    fn start(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let mut url = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
        let process = Self { url: url.trim().to_owned(), child };
        assert!(process.url.starts_with("http://127.0.0.1:"), "{command:?} prints {url:?}");
        process
    }

    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    fn signal(&self, name: &str) {
        assert!(Command::new("kill").args([name, &self.child.id().to_string()]).status().unwrap().success());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A store over a folder, whose subfolders are buckets.
struct Store(Process);

impl Store {
    fn start(folder: &Path) -> Self {
        // `cargo test` builds the examples, too.
        let program = Path::new(env!("CARGO_BIN_EXE_unspool-sql")).with_file_name("examples/s3-store");
        assert!(program.exists(), "first type: cargo build --example s3-store");
        Self(Process::start(Command::new(program).arg(folder)))
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_unspool-sql"));
        command.args(arguments).envs([
            ("AWS_ENDPOINT_URL", self.0.url.as_str()),
            ("AWS_ACCESS_KEY_ID", "key"),
            ("AWS_SECRET_ACCESS_KEY", "secret"),
            ("AWS_REGION", "us-east-1"),
            ("AWS_ALLOW_HTTP", "true"),
        ]);
        command
    }

    fn worker(&self) -> Process {
        Process::start(&mut self.command(&["--serve", "127.0.0.1:0", "--threads", "2"]))
    }
}

/// Makes a plan distribute files that are too small to pay for it.
const SMALL: &str = "SET distributed.file_scan_config_bytes_per_partition = 1000; ";

/// Runs statements on workers, or here if there are none. Waits for at most a minute.
fn run(store: &Store, workers: &[&Process], options: &[&str], sql: &str) -> Output {
    let urls: Vec<_> = workers.iter().map(|worker| worker.url.as_str()).collect();
    let (urls, sql) = (urls.join(","), if urls.is_empty() { sql.to_owned() } else { format!("{SMALL}{sql}") });
    let mut arguments = vec!["--threads", "2", "-f", "csv"];
    arguments.extend(options);
    if !urls.is_empty() {
        arguments.extend(["--workers", &urls]);
    }
    let mut command = store.command(&arguments);
    let mut child = command.arg(&sql).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    // Answers are short, so they fit into the pipes.
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("{sql} takes more than a minute");
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let (mut stdout, mut stderr) = (vec![], vec![]);
    child.stdout.unwrap().read_to_end(&mut stdout).unwrap();
    child.stderr.unwrap().read_to_end(&mut stderr).unwrap();
    Output { status, stdout, stderr }
}

/// Returns the lines of an answer in ascending order.
fn lines(output: &Output) -> Vec<String> {
    assert!(output.status.success(), "{}", error_of(output));
    let mut lines: Vec<_> = String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

fn error_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Asserts that a query ended with an error of the command, and that it printed nothing but lines
/// of the right answer.
fn assert_fails(output: &Output, answer: &[String]) {
    let error = error_of(output);
    assert!(!output.status.success() && error.starts_with("unspool-sql: ") && !error.contains("panic"), "{error}");
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        assert!(answer.iter().any(|right| right == line), "{line:?} is not in the answer: {error}");
    }
}

fn trades(rows: usize, seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    let ts = (0..rows).map(|row| (seed as usize * 1_000_000 + row).to_string()).collect();
    let price = (0..rows).map(|_| format!("{}.{:03}", random.below(90_000), random.below(1000))).collect();
    let side = (0..rows).map(|_| ["buy", "sell", "hold"][random.below(3)].to_owned()).collect();
    let columns = [
        Column { name: "ts", kind: INTEGER, values: ts },
        Column { name: "price", kind: DECIMAL, values: price },
        Column { name: "side", kind: TEXT, values: side },
    ];
    table(&columns, 1000, Zones::Honest)
}

/// Makes a bucket `files` with tables of AT-1, and a file of each other format.
fn bucket(folder: &Path) {
    let files = folder.join("files");
    for year in [2024, 2025] {
        let part = files.join(format!("trades/year={year}"));
        std::fs::create_dir_all(&part).unwrap();
        for number in 0..4 {
            std::fs::write(part.join(format!("{number}.at1")), trades(4_000, year - 2020 + 10 * number)).unwrap();
        }
    }
    let vectors = &vector_folders("")[0];
    for name in ["cvc/v1_fp16.cvc", "pco/k_u32_arange.pco", "onpair/cpp/urls_b12.onp"] {
        let name = Path::new(name);
        std::fs::write(files.join(name.file_name().unwrap()), read(&vectors.join(name))).unwrap();
    }
}

const TABLES: [(&str, &str); 4] = [
    ("trades", "STORED AS AT1 PARTITIONED BY (year) LOCATION 's3://files/trades/'"),
    ("vectors", "STORED AS CVC LOCATION 's3://files/v1_fp16.cvc'"),
    ("numbers", "STORED AS PCO LOCATION 's3://files/k_u32_arange.pco'"),
    ("urls", "STORED AS ONPAIR LOCATION 's3://files/urls_b12.onp'"),
];

/// Returns a query after the statements that create its tables.
fn with_tables(query: &str) -> String {
    let needed = TABLES.iter().filter(|(name, _)| query.contains(name));
    let create = needed.map(|(name, clauses)| format!("CREATE EXTERNAL TABLE {name} {clauses}; "));
    create.chain([query.to_owned()]).collect()
}

const QUERIES: [&str; 12] = [
    "SELECT side, year, count(*), sum(price), min(ts), max(ts) FROM trades GROUP BY side, year",
    "SELECT * FROM trades WHERE price BETWEEN 1000 AND 1100",
    "SELECT * FROM trades WHERE ts BETWEEN 4003000 AND 4999999 AND side <> 'buy' AND year = '2024'",
    "SELECT ts, price FROM trades ORDER BY price DESC, ts LIMIT 7",
    "SELECT count(*) FROM (SELECT * FROM trades WHERE side = 'sell' LIMIT 1000)",
    "SELECT count(DISTINCT price), avg(price) FROM trades",
    "SELECT count(*), sum(a.ts), sum(b.ts) FROM trades a JOIN trades b ON a.price = b.price AND a.ts < b.ts",
    "SELECT count(*), sum(value), min(value), max(value) FROM numbers",
    "SELECT count(*) FROM numbers JOIN trades ON numbers.value = trades.ts % 1000",
    "SELECT count(*), min(value), max(value) FROM urls WHERE value LIKE 'https://%'",
    "SELECT cosine_distance(vector, vector) AS d FROM vectors ORDER BY d LIMIT 3",
    "SELECT count(*) FROM vectors, numbers",
];

#[test]
fn workers_answer_as_one_process_does() {
    let folder = tempfile::tempdir().unwrap();
    bucket(folder.path());
    let store = Store::start(folder.path());
    let (one, two) = (store.worker(), store.worker());
    for query in QUERIES {
        let sql = with_tables(query);
        let alone = lines(&run(&store, &[], &[], &sql));
        assert!(alone.len() > 1, "{query}");
        assert_eq!(lines(&run(&store, &[&one, &two], &[], &sql)), alone, "{query}");
    }
    // The scan is a stage of two tasks, and each of them reads.
    let plan = lines(&run(&store, &[&one, &two], &["--analyze"], &with_tables(QUERIES[0]))).join("\n");
    assert!(plan.contains("DistributedExec") && plan.contains("tasks=2"), "{plan}");
}

/// A broken file ends the query of the coordinator with the file and the place.
#[test]
fn a_broken_file_is_named_across_processes() {
    let folder = tempfile::tempdir().unwrap();
    bucket(folder.path());
    let broken = folder.path().join("files/trades/year=2025/2.at1");
    let mut bytes = std::fs::read(&broken).unwrap();
    let len = bytes.len();
    bytes[len - 2000..].fill(0);
    std::fs::write(&broken, bytes).unwrap();
    let store = Store::start(folder.path());
    let (one, two) = (store.worker(), store.worker());
    let sql = with_tables("SELECT max(price) FROM trades");
    for workers in [&[][..], &[&one, &two]] {
        let output = run(&store, workers, &[], &sql);
        assert_fails(&output, &["max(trades.price)".to_owned()]);
        let error = error_of(&output);
        assert!(error.contains("trades/year=2025/2.at1: ") && error.contains(" at byte "), "{error}");
    }
}

#[test]
fn a_worker_that_is_killed_ends_its_query_or_leaves_it_right() {
    let folder = tempfile::tempdir().unwrap();
    bucket(folder.path());
    let store = Store::start(folder.path());
    let stays = store.worker();
    let sql = with_tables(QUERIES[6]);
    let alone = lines(&run(&store, &[], &[], &sql));
    let start = Instant::now();
    assert_eq!(lines(&run(&store, &[&stays, &store.worker()], &[], &sql)), alone);
    let whole = start.elapsed();
    let (mut failed, rounds) = (0, 12);
    for round in 0..rounds {
        let killed = store.worker();
        let after = whole * round / rounds;
        let output = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(after);
                killed.signal("-KILL");
            });
            run(&store, &[&stays, &killed], &[], &sql)
        });
        if output.status.success() {
            assert_eq!(lines(&output), alone, "killed after {after:?}");
            continue;
        }
        failed += 1;
        // The row can come before the connection breaks.
        assert_fails(&output, &alone);
    }
    assert!(failed > 0, "no query was running when its worker was killed");
    // The next query does without the worker, or says that none is left.
    let mut gone = store.worker();
    gone.kill();
    let output = run(&store, &[&gone, &stays], &[], &sql);
    assert!(error_of(&output).contains(&gone.url), "{}", error_of(&output));
    assert_eq!(lines(&output), alone);
    let output = run(&store, &[&gone], &[], &sql);
    assert!(!output.status.success() && error_of(&output).contains("no worker answers"));
}

/// A worker that is stopped keeps its connections open, as a machine without a network does.
#[test]
fn a_worker_that_hangs_ends_its_query() {
    let folder = tempfile::tempdir().unwrap();
    bucket(folder.path());
    let store = Store::start(folder.path());
    let (one, two) = (store.worker(), store.worker());
    two.signal("-STOP");
    let sql = with_tables(QUERIES[0]);
    // The system accepts connections for it.
    let output = run(&store, &[&one, &two], &[], &sql);
    two.signal("-CONT");
    assert_fails(&output, &lines(&run(&store, &[], &[], &sql)));
}

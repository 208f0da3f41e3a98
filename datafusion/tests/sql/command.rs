//! The command, as pages show it.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use unspool_tests::pages::{blocks, commands, matches, root};

fn run(arguments: &[&str]) -> Output {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    Command::new(env!("CARGO_BIN_EXE_unspool-sql")).args(arguments).current_dir(root).output().unwrap()
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn the_query_of_the_readmes_runs() {
    for page in ["README.md", "datafusion/README.md"] {
        let readme = std::fs::read_to_string(root().join(page)).unwrap();
        let mut lines = readme.lines().skip_while(|line| !line.starts_with("$ cargo run --quiet --manifest-path"));
        let shown = lines.nth(1).unwrap().trim().trim_matches('"');
        let answer = text(&run(&[shown]));
        assert_eq!(answer.lines().filter(|line| line.starts_with("| \"")).count(), 3, "{page}: {answer}");
    }
}

#[test]
fn queries_of_the_page_print_what_it_shows() {
    let mut ran = 0;
    let binaries = Path::new(env!("CARGO_BIN_EXE_unspool-sql")).parent().unwrap();
    let path = format!("{}:{}", binaries.display(), std::env::var("PATH").unwrap_or_default());
    for block in blocks("docs/sql.md").iter().filter(|block| block.language == "console") {
        for shown in commands(&block.text) {
            let mut shell = Command::new("sh");
            let output = shell.args(["-c", &shown.command]).env("PATH", &path).current_dir(root()).output().unwrap();
            let found = text(&output);
            let lines: Vec<_> = found.lines().filter(|line| !line.is_empty()).collect();
            assert!(matches(&shown.output, &lines), "docs/sql.md:{}: {} prints\n{found}", block.line, shown.command);
            ran += 1;
        }
    }
    assert_eq!(ran, 2, "commands of the page");
}

#[test]
fn answers_have_four_formats() {
    let sql = "SELECT ts, val FROM 'tests/vectors/at1/c8_events.at1' WHERE ts <= 1700000005 ORDER BY ts";
    assert_eq!(text(&run(&["-f", "csv", sql])), "ts,val\n1700000000,5.183000000\n1700000005,3.402000000\n");
    let json = "{\"ts\":1700000000,\"val\":5.183000000}\n{\"ts\":1700000005,\"val\":3.402000000}\n";
    assert_eq!(text(&run(&["-f", "json", sql])), json);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let path = path.to_str().unwrap();
    assert_eq!(text(&run(&["-f", "parquet", "-o", path, sql])), "");
    let back = format!("SELECT sum(val) AS total FROM '{path}'");
    assert_eq!(text(&run(&["-f", "csv", &back])), "total\n8.585000000\n");
    let vectors = text(&run(&["-f", "csv", "SELECT * FROM 'tests/vectors/cvc/v1_fp16.cvc' LIMIT 1"]));
    assert!(vectors.starts_with("vector\n\"[0."), "{vectors}");
}

/// The reader of a pipe has seen enough: no error.
#[test]
fn a_closed_pipe_ends_the_command_quietly() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_unspool-sql"))
        .args(["-f", "csv", "SELECT * FROM 'tests/vectors/at1/c8_events.at1'"])
        .current_dir(root())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn literals_beside_floats_have_any_size() {
    let from = "FROM 'tests/vectors/pco/m_f32_dict_conv4.pco'";
    let count = |condition: &str| text(&run(&["-f", "csv", &format!("SELECT count(*) AS n {from} {condition}")]));
    let all = count("");
    for condition in ["WHERE value < 1e300", "WHERE value > -1E300", "WHERE abs(value) + 1e-300 < 1e39"] {
        assert_eq!(count(condition), all, "{condition}");
    }
    assert_eq!(text(&run(&["-f", "csv", "SELECT 1e20 + 0.5 AS n"])), "n\n100000000000000000000.5\n");
}

#[test]
fn plans_show_what_they_skip() {
    let sql = "SELECT val FROM 'tests/vectors/at1/c8_events.at1' WHERE ts BETWEEN 1700000100 AND 1700000120";
    assert!(text(&run(&["--explain", sql])).contains("predicate=ts"));
    let analyzed = text(&run(&["--analyze", sql]));
    assert!(analyzed.contains("groups_pruned=24") && analyzed.contains("groups_read=1"), "{analyzed}");
}

#[test]
fn a_refused_file_is_named_with_kind_and_place() {
    let output = run(&["SELECT * FROM 'tests/vectors/at1/c0_ssh.at1'"]);
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && message.contains("c0_ssh.at1: unsupported at byte 4"), "{message}");
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    names.into_iter().map(|name| name.into_string().unwrap()).collect()
}

#[test]
fn an_answer_replaces_the_file_that_it_was_read_from() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    let lines: String = (0..10_000).map(|row| format!("{row}\n")).collect();
    std::fs::write(&path, format!("x\n{lines}")).unwrap();
    let path = path.to_str().unwrap();
    let sql = format!("SELECT x FROM '{path}' WHERE x >= 10 ORDER BY x");
    assert_eq!(text(&run(&["-f", "csv", "-o", path, &sql])), "");
    let kept: String = (10..10_000).map(|row| format!("{row}\n")).collect();
    assert!(std::fs::read_to_string(path).unwrap() == format!("x\n{kept}"));
    assert_eq!(names(folder.path()), ["a.csv"]);
}

#[test]
fn an_output_takes_one_answer() {
    let folder = tempfile::tempdir().unwrap();
    let (path, unwritten) = (folder.path().join("a.csv"), folder.path().join("b.csv"));
    let path = path.to_str().unwrap();
    // Statements without an answer are no second one.
    let sql = "SET datafusion.execution.batch_size = 100; SELECT 1 AS n; SET datafusion.execution.batch_size = 200";
    assert_eq!(text(&run(&["-f", "csv", "-o", path, sql])), "");
    assert_eq!(std::fs::read_to_string(path).unwrap(), "n\n1\n");
    let sql = format!("SELECT 2 AS n; COPY (SELECT 3 AS n) TO '{}'", unwritten.display());
    let output = run(&["-f", "csv", "-o", path, &sql]);
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && message.contains("--output takes one answer"), "{message}");
    assert_eq!(std::fs::read_to_string(path).unwrap(), "n\n2\n");
    assert_eq!(names(folder.path()), ["a.csv"]);
}

#[test]
fn a_failing_query_leaves_an_older_file_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let (path, new) = (folder.path().join("old.csv"), folder.path().join("new.csv"));
    std::fs::write(&path, "old").unwrap();
    // The answer begins before the division.
    let sql = "SELECT 1 / (value - 9999) AS n FROM range(0, 10000)";
    for path in [&path, &new] {
        let output = run(&["-f", "csv", "-o", path.to_str().unwrap(), sql]);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && message.contains("ivide by zero"), "{message}");
    }
    assert!(std::fs::read(&path).unwrap() == b"old");
    assert_eq!(names(folder.path()), ["old.csv"]);
}

/// Ctrl-C and its like leave neither a file nor a part of one.
#[cfg(unix)]
#[test]
fn an_interrupted_query_leaves_no_file() {
    use std::os::unix::process::ExitStatusExt;

    for (signal, number) in [("INT", 2), ("TERM", 15)] {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_unspool-sql"));
        let endless = "SELECT value FROM range(0, 1000000000000)";
        command.args(["-q", "-f", "csv", "-o", folder.path().join("a.csv").to_str().unwrap(), endless]);
        let mut child = command.spawn().unwrap();
        while names(folder.path()).is_empty() {
            assert!(child.try_wait().unwrap().is_none(), "the query ended");
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        assert_eq!(names(folder.path()), [format!(".{}.partial", child.id())]);
        assert!(Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().unwrap().success());
        assert_eq!(child.wait().unwrap().signal(), Some(number));
        assert!(names(folder.path()).is_empty());
    }
}

/// Pipes, links and files that are open already are not replaced.
#[cfg(unix)]
#[test]
fn an_output_that_is_open_is_written_directly() {
    use std::os::unix::fs::symlink;

    let folder = tempfile::tempdir().unwrap();
    assert_eq!(text(&run(&["-f", "csv", "-o", "/dev/stdout", "SELECT 1 AS n"])), "n\n1\n");
    assert_eq!(text(&run(&["-f", "csv", "-o", "/dev/null", "SELECT 1 AS n"])), "");
    // The shell appends.
    let log = folder.path().join("log");
    std::fs::write(&log, "old\n").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_unspool-sql"));
    command.args(["-f", "csv", "-o", "/dev/stdout", "SELECT 1 AS n"]);
    let output = command.stdout(std::fs::File::options().append(true).open(&log).unwrap()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(std::fs::read_to_string(&log).unwrap(), "old\nn\n1\n");
    // A link stays a link, also one to a file that does not exist yet.
    let link = folder.path().join("link");
    symlink("new", &link).unwrap();
    for n in 1..3 {
        let sql = format!("SELECT {n} AS n");
        assert_eq!(text(&run(&["-f", "csv", "-o", link.to_str().unwrap(), &sql])), "");
        assert!(link.is_symlink());
        assert_eq!(std::fs::read_to_string(folder.path().join("new")).unwrap(), format!("n\n{n}\n"));
    }
    assert_eq!(names(folder.path()), ["link", "log", "new"]);
}

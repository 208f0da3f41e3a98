//! Measures scans: `cargo run --release --features distributed --example speed -- [MEGABYTES]
//! [PART …] [FILE.pco …]`.
//!
//! Makes its files in a temporary folder, which takes about three times as much as the size: tables
//! of AT-1 with MEGABYTES of CSV text (1000 unless given), the same rows as CSV and as Parquet, and
//! files of CVC. The parts are `tables`, `vectors` and `workers`; all of them unless some are
//! named. Contestants take turns. Figures are medians. `docs/sql.md` explains them.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "figures, and rows that are made up"
)]

mod alone;
mod files;
mod race;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use datafusion::arrow::array::{AsArray, RecordBatch};
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type};
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::execution::SessionStateBuilder;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::physical_plan::execute_stream;
use datafusion::prelude::{SessionConfig, SessionContext};
use futures::StreamExt;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use unspool_datafusion::{coordinate, register, worker};
use url::Url;

use crate::files::{Trades, Vectors};
use crate::race::{Contestant, race};

/// The allocator of the command.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A result with any error.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

fn main() -> Result<()> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == WORKER) {
        return runtime(1)?.block_on(serve());
    }
    let mut megabytes = 1000;
    if let Some(size) = arguments.first().and_then(|first| first.parse().ok()) {
        megabytes = size;
        arguments.remove(0);
    }
    let (numbers, arguments): (Vec<_>, Vec<_>) = arguments.into_iter().partition(|argument| argument.ends_with(".pco"));
    if let Some(part) = arguments.iter().find(|part| !["tables", "vectors", "workers"].contains(&part.as_str())) {
        return Err(format!("expected tables, vectors, workers or a Pco file; found {part}").into());
    }
    let all = arguments.is_empty() && numbers.is_empty();
    let wants = |part: &str| all || arguments.iter().any(|wanted| wanted == part);
    let (folder, size) = (tempfile::tempdir()?, megabytes * 1_000_000);
    if wants("tables") {
        tables(folder.path(), size)?;
    }
    if wants("vectors") {
        vectors(folder.path(), size / 2)?;
    }
    for path in &numbers {
        column(Path::new(path))?;
    }
    if wants("workers") {
        workers(folder.path(), size)?;
    }
    Ok(())
}

/// Returns an executor with this many threads. Reads of files run on threads beside them.
fn runtime(threads: usize) -> Result<Runtime> {
    Ok(match threads {
        1 => Builder::new_current_thread().enable_all().build()?,
        _ => Builder::new_multi_thread().worker_threads(threads).enable_all().build()?,
    })
}

/// A session, and the threads that run its queries.
struct Engine {
    runtime: Runtime,
    context: SessionContext,
}

impl Engine {
    /// Makes a session with as many parts of a scan as threads, for these workers, if any.
    fn new(threads: usize, workers: Vec<Url>) -> Result<Self> {
        let config = SessionConfig::new().with_target_partitions(threads);
        let mut builder = SessionStateBuilder::new().with_config(config).with_default_features();
        if !workers.is_empty() {
            builder = coordinate(builder, workers);
        }
        let context = SessionContext::new_with_state(builder.build());
        register(&context)?;
        Ok(Self { runtime: runtime(threads)?, context })
    }

    /// Runs a statement, and returns its answer.
    fn run(&self, sql: &str) -> Result<Vec<RecordBatch>> {
        Ok(self.runtime.block_on(async { self.context.sql(sql).await?.collect().await })?)
    }

    /// Runs a query without keeping its answer. Returns the number of rows.
    fn drain(&self, sql: &str) -> Result<usize> {
        self.runtime.block_on(async {
            let frame = self.context.sql(sql).await?;
            let task = Arc::new(frame.task_ctx());
            let mut stream = execute_stream(frame.create_physical_plan().await?, task)?;
            let mut rows = 0;
            while let Some(batch) = stream.next().await {
                rows += batch?.num_rows();
            }
            Ok(rows)
        })
    }
}

/// An answer of one row. Sums of floats depend on the order of rows, so their last digits do not
/// count.
fn answer(batches: &[RecordBatch]) -> Result<String> {
    let batch = batches.iter().find(|batch| batch.num_rows() > 0).ok_or("expected an answer")?;
    let text = |column: &Arc<dyn datafusion::arrow::array::Array>| match column.data_type() {
        DataType::Float64 => Ok(format!("{:.9e}", column.as_primitive::<Float64Type>().value(0))),
        DataType::Int64 => Ok(column.as_primitive::<Int64Type>().value(0).to_string()),
        _ => Ok::<_, Box<dyn std::error::Error + Send + Sync>>(
            ArrayFormatter::try_new(column.as_ref(), &FormatOptions::default())?.value(0).to_string(),
        ),
    };
    Ok(batch.columns().iter().map(text).collect::<Result<Vec<_>>>()?.join(" "))
}

/// One value of every row and column goes into the answer. No format can answer it from its head.
const ALL: &str = "SELECT count(*), sum(id), sum(price), sum(amount), sum(time), max(symbol), max(note)";

/// Full and selective scans of AT-1, CSV and Parquet.
fn tables(folder: &Path, size: u64) -> Result<()> {
    let path = |name: &str| folder.join(name).display().to_string();
    let mut trades = Trades::new();
    let start = trades.time;
    let rows = files::table(&mut trades, size, Path::new(&path("t.at1")), Path::new(&path("t.csv")))?;
    // A thousandth of the rows, in the middle.
    let (middle, part) = ((start + trades.time) / 2, (trades.time - start) / 2000);
    let filter = format!("WHERE time BETWEEN {} AND {}", middle - part, middle + part);
    for (decimals, ty) in [("float", "DOUBLE"), ("exact", "DECIMAL(38, 9)")] {
        let parquet = path(&format!("{decimals}.parquet"));
        let columns = format!("id BIGINT, price {ty}, amount {ty}, time BIGINT, symbol VARCHAR, note VARCHAR");
        let create = |name: &str, clauses: &str| format!("CREATE EXTERNAL TABLE {name} {clauses}");
        let statements = [
            create("at1", &format!("STORED AS AT1 LOCATION '{}' OPTIONS (decimals '{decimals}')", path("t.at1"))),
            create(
                "csv",
                &format!("({columns}) STORED AS CSV LOCATION '{}' OPTIONS ('format.has_header' 'true')", path("t.csv")),
            ),
            create("parquet", &format!("STORED AS PARQUET LOCATION '{parquet}'")),
        ];
        let first = Engine::new(2, vec![])?;
        first.run(&statements[1])?;
        first.run(&format!("COPY csv TO '{parquet}' STORED AS PARQUET OPTIONS ('format.compression' 'zstd(3)')"))?;
        let len = |path: &str| Ok::<_, std::io::Error>(std::fs::metadata(path)?.len() / 1_000_000);
        let (own, csv, other) = (len(&path("t.at1"))?, len(&path("t.csv"))?, len(&parquet)?);
        println!("\n{rows} rows, {decimals} decimals: AT-1 {own} MB, CSV {csv} MB, Parquet {other} MB");
        for threads in [1, 2] {
            let engine = Engine::new(threads, vec![])?;
            for statement in &statements {
                engine.run(statement)?;
            }
            for (what, filter) in [("full", ""), ("selective", filter.as_str())] {
                let query = |name: &'static str| {
                    let sql = format!("{ALL} FROM {name} {filter}");
                    let engine = &engine;
                    Contestant::new(name, move || answer(&engine.run(&sql)?))
                };
                race(&format!("{what}, {threads} threads"), [query("at1"), query("csv"), query("parquet")])?;
            }
        }
    }
    Ok(())
}

/// Scans of CVC, and decoding alone.
fn vectors(folder: &Path, size: u64) -> Result<()> {
    for (name, kind) in [("fp16", Vectors::Fp16), ("int8", Vectors::Int8)] {
        let path = folder.join(format!("{name}.cvc"));
        let rows = files::vectors(kind, size, &path)?;
        println!("\n{rows} vectors of {name}, {} MB", size / 1_000_000);
        for threads in [1, 2] {
            let engine = Engine::new(threads, vec![])?;
            engine.run(&format!("CREATE EXTERNAL TABLE t STORED AS CVC LOCATION '{}'", path.display()))?;
            let scan = Contestant::new("scan", || Ok(engine.drain("SELECT vector FROM t")?.to_string()));
            let alone = Contestant::new("alone", || alone::vectors(&path, threads).map(|()| rows.to_string()));
            race(&format!("{name}, {threads} threads"), [scan, alone])?;
        }
        std::fs::remove_file(&path)?;
    }
    Ok(())
}

/// Scans of a Pco file, and decoding alone.
fn column(path: &Path) -> Result<()> {
    let engine = Engine::new(1, vec![])?;
    engine.run(&format!("CREATE EXTERNAL TABLE t STORED AS PCO LOCATION '{}'", path.display()))?;
    let rows = engine.drain("SELECT value FROM t")?;
    println!("\n{}: {rows} numbers, {} MB", path.display(), std::fs::metadata(path)?.len() / 1_000_000);
    let scan = Contestant::new("scan", || Ok(engine.drain("SELECT value FROM t")?.to_string()));
    let mut buffer = vec![];
    let alone = Contestant::new("alone", || Ok(alone::numbers(path, &mut buffer)?.to_string()));
    race("numbers, 1 thread", [scan, alone])
}

/// The argument that makes this program a worker.
const WORKER: &str = "--worker";

/// Runs parts of queries until the process is killed. Prints its URL.
async fn serve() -> Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}", listener.local_addr()?);
    std::io::stdout().flush()?;
    let service = worker(Arc::new(RuntimeEnv::default())).into_worker_server();
    Ok(Server::builder().add_service(service).serve_with_incoming(TcpIncoming::from(listener)).await?)
}

/// A worker with one thread, which ends with its value.
struct Worker(Child, Url);

impl Worker {
    fn start() -> Result<Self> {
        let mut child = Command::new(std::env::current_exe()?).arg(WORKER).stdout(Stdio::piped()).spawn()?;
        let mut url = String::new();
        BufReader::new(child.stdout.take().ok_or("expected a pipe")?).read_line(&mut url)?;
        Ok(Self(child, Url::parse(url.trim())?))
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Full scans of eight tables by two workers, and by one process with one thread. With one worker,
/// the coordinator would run the plan itself.
fn workers(folder: &Path, size: u64) -> Result<()> {
    let tables = folder.join("tables");
    std::fs::create_dir(&tables)?;
    let (mut trades, mut rows) = (Trades::new(), 0);
    let csv = folder.join("part.csv");
    for number in 0..8 {
        rows += files::table(&mut trades, size / 8, &tables.join(format!("{number}.at1")), &csv)?;
    }
    println!("\n{rows} rows in 8 files of AT-1");
    let (one, two) = (Worker::start()?, Worker::start()?);
    let engine = |urls: &[&Url]| {
        // A plan of one part has nothing to distribute. A worker has one thread, whatever it runs.
        let parts = if urls.is_empty() { 1 } else { 2 };
        let engine = Engine::new(parts, urls.iter().map(|&url| url.clone()).collect())?;
        let create = "CREATE EXTERNAL TABLE at1 STORED AS AT1";
        engine.run(&format!("{create} LOCATION '{}/' OPTIONS (decimals 'float')", tables.display()))?;
        Ok::<_, Box<dyn std::error::Error + Send + Sync>>(engine)
    };
    let (here, both) = (engine(&[])?, engine(&[&one.1, &two.1])?);
    let sql = format!("{ALL} FROM at1");
    race(
        "workers",
        [("two workers", &both), ("one process", &here)]
            .map(|(name, engine)| Contestant::new(name, || answer(&engine.run(&sql)?))),
    )
}

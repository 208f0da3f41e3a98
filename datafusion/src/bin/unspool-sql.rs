//! The command `unspool-sql`: runs SQL over files, and prints the answer.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::iter::successors;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::{Parser as _, ValueEnum};
use datafusion::arrow::array::{ArrayRef, RecordBatch, StringArray};
use datafusion::arrow::csv::WriterBuilder;
use datafusion::arrow::datatypes::{DECIMAL128_MAX_PRECISION, DataType, Field, Schema, SchemaRef};
use datafusion::arrow::json::LineDelimitedWriter;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::arrow::util::pretty::pretty_format_batches_with_schema;
use datafusion::common::plan_err;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::SessionStateBuilder;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::physical_plan::{ExecutionPlan, execute_stream};
use datafusion::prelude::{DataFrame, SessionConfig, SessionContext};
use datafusion::sql::parser::{DFParser, Statement};
use datafusion::sql::sqlparser::ast::{Expr as SqlExpr, Value, visit_expressions_mut};
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::parser::Parser;
use futures::StreamExt;

/// Keeps memory that was freed, for the next batch.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Runs SQL over AT-1, CVC, Pco and OnPair files, also over CSV, JSON and Parquet.
///
/// FROM takes a path, a glob, a folder or a URL in quotes: FROM 'trades/*.at1',
/// FROM 's3://bucket/trades/'. Several statements are separated by semicolons.
#[derive(clap::Parser)]
#[command(name = "unspool-sql", version)]
struct Args {
    /// Statements, such as "SELECT count(*) FROM 'trades/*.at1'".
    #[cfg_attr(feature = "distributed", arg(required_unless_present = "serve"))]
    #[cfg_attr(not(feature = "distributed"), arg(required = true))]
    sql: Option<String>,
    /// Format of the answer.
    #[arg(long, short, value_enum, default_value = "table")]
    format: Output,
    /// File of the one answer, instead of standard output.
    #[arg(long, short)]
    output: Option<PathBuf>,
    /// Print the plan instead of the answer.
    #[arg(long)]
    explain: bool,
    /// Run the query, and print the plan with its metrics instead of the answer.
    #[arg(long, conflicts_with = "explain")]
    analyze: bool,
    /// Threads, and parts that files are split into.
    #[arg(long, short)]
    threads: Option<usize>,
    /// Megabytes that sorts, joins and aggregates may take. They spill to disk beyond.
    #[arg(long)]
    memory: Option<usize>,
    /// Print no progress.
    #[arg(long, short)]
    quiet: bool,
    /// Run parts of the query on these workers: http://10.0.0.5:7000,http://10.0.0.6:7000.
    #[cfg(feature = "distributed")]
    #[arg(long, value_delimiter = ',', value_name = "URLS")]
    workers: Vec<url::Url>,
    /// Be a worker: listen on this address, such as 10.0.0.5:7000, until the process ends.
    #[cfg(feature = "distributed")]
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["sql", "workers"])]
    serve: Option<std::net::SocketAddr>,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Output {
    Table,
    Csv,
    /// A JSON object a line.
    Json,
    #[cfg(feature = "parquet")]
    Parquet,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let threads =
        args.threads.or_else(|| std::thread::available_parallelism().ok().map(Into::into)).unwrap_or(1).max(1);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build();
    let result = match runtime {
        Ok(runtime) => {
            let result = runtime.block_on(run(&args, threads));
            // The process ends now. Dropping the runtime would cancel tasks, which the engine for
            // workers reports as a panic.
            std::mem::forget(runtime);
            result
        }
        Err(error) => Err(error.into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        // The reader of a pipe has seen enough.
        Err(_) if READER_LEFT.load(Ordering::Relaxed) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("unspool-sql: {}", error.strip_backtrace());
            ExitCode::FAILURE
        }
    }
}

/// True once the reader of a pipe has closed it. Connections break with the same kind of error, so
/// the error alone does not say whether an answer is complete.
static READER_LEFT: AtomicBool = AtomicBool::new(false);

/// Standard output or another pipe, which notes that its reader has closed it.
struct Pipe<W>(W);

impl<W> Pipe<W> {
    fn note<T>(result: io::Result<T>) -> io::Result<T> {
        if result.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
            READER_LEFT.store(true, Ordering::Relaxed);
        }
        result
    }
}

impl<W: Write> Write for Pipe<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Self::note(self.0.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Self::note(self.0.flush())
    }
}

/// A file under another name in its folder, until it is complete. The query may read the file that
/// it replaces. Dropping it removes the file.
struct Partial {
    file: File,
    path: PathBuf,
    /// The final name.
    to: PathBuf,
}

impl Partial {
    /// Creates the file, with the permissions of the one that it replaces.
    fn create(to: &Path, older: Option<Metadata>) -> Result<Self> {
        let path = to.with_file_name(format!(".{}.partial", std::process::id()));
        #[cfg(unix)]
        remove_when_ended(path.clone());
        let file = File::create_new(&path).map_err(|error| failed("cannot create", &path, error))?;
        if let Some(older) = older {
            // If that is not allowed, the new file still belongs to the user.
            let _ = file.set_permissions(older.permissions());
        }
        Ok(Self { file, path, to: to.to_owned() })
    }

    /// Renames the file. Its content reaches the disk first, so that no crash leaves a file of this
    /// name without its content.
    fn complete(&self) -> Result<()> {
        let renamed = self.file.sync_all().and_then(|()| std::fs::rename(&self.path, &self.to));
        renamed.map_err(|error| failed("cannot write", &self.to, error))
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        // A complete file has another name.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Removes a file when a signal such as Ctrl-C ends the program, as `unspool` does. Only on Unix:
/// elsewhere, handling signals takes `unsafe`.
#[cfg(unix)]
fn remove_when_ended(path: PathBuf) {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

    // If signals cannot be handled, they keep their usual effect.
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM]) else { return };
    std::thread::spawn(move || {
        for signal in &mut signals {
            // A complete file has another name.
            let _ = std::fs::remove_file(&path);
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    });
}

fn failed(what: &str, path: &Path, error: io::Error) -> DataFusionError {
    io::Error::new(error.kind(), format!("{what} {}: {error}", path.display())).into()
}

/// Opens the output. Returns the file that needs its name after the answer, if it is one.
fn open(output: Option<&Path>) -> Result<(Box<dyn Write + Send>, Option<Partial>)> {
    let Some(path) = output else { return Ok((Box::new(Pipe(io::stdout())), None)) };
    let found = match path.metadata() {
        Ok(found) => Some(found),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(failed("cannot write", path, error)),
    };
    // Links stay links, also to a file that does not exist yet. No system follows longer chains.
    let target = |link: &PathBuf| Some(link.with_file_name("").join(link.read_link().ok()?));
    let links: Vec<_> = successors(Some(path.to_owned()), target).take(40).collect();
    // Linux has a link for each open file, such as that of `/dev/stdout`.
    let is_open = links.iter().any(|link| {
        let folder = link.parent().and_then(|folder| folder.canonicalize().ok());
        link.is_symlink() && folder.is_some_and(|folder| folder.starts_with("/proc"))
    });
    // A device, a pipe or an open file must not be replaced.
    if is_open || found.as_ref().is_some_and(|found| !found.is_file()) {
        let file = OpenOptions::new().append(true).open(path);
        return Ok((Box::new(Pipe(file.map_err(|error| failed("cannot write", path, error))?)), None));
    }
    let partial = Partial::create(links.last().map_or(path, PathBuf::as_path), found)?;
    Ok((Box::new(partial.file.try_clone()?), Some(partial)))
}

async fn run(args: &Args, threads: usize) -> Result<()> {
    let mut runtime = RuntimeEnvBuilder::new();
    #[cfg(feature = "s3")]
    {
        runtime = runtime.with_object_store_registry(Arc::new(unspool_datafusion::Stores::default()));
    }
    if let Some(megabytes) = args.memory {
        runtime = runtime.with_memory_limit(megabytes << 20, 1.0);
    }
    let runtime = runtime.build_arc()?;
    #[cfg(feature = "distributed")]
    if let Some(address) = args.serve {
        return cluster::serve(address, runtime).await;
    }
    let mut config = SessionConfig::new().with_target_partitions(threads).with_information_schema(true);
    // Columns of decimals are exact, so literals should be.
    config.options_mut().sql_parser.parse_float_as_decimal = true;
    let builder = SessionStateBuilder::new().with_config(config).with_runtime_env(runtime).with_default_features();
    #[cfg(feature = "distributed")]
    let builder = cluster::coordinate(builder, &args.workers).await?;
    let context = SessionContext::new_with_state(builder.build()).enable_url_table();
    unspool_datafusion::register(&context)?;
    let mut has_answer = false;
    for mut statement in DFParser::parse_sql(args.sql.as_deref().unwrap_or_default())? {
        widen(&mut statement)?;
        let plan = context.state().statement_to_plan(statement).await?;
        let frame = context.execute_logical_plan(plan).await?;
        // A statement such as CREATE EXTERNAL TABLE has no answer.
        let answers = !frame.schema().fields().is_empty();
        if answers && has_answer && args.output.is_some() {
            return plan_err!("--output takes one answer; this statement has another");
        }
        has_answer |= answers;
        answer(args, frame).await?;
    }
    Ok(())
}

/// Turns numbers with an exponent that decimals do not have, such as `1e300`, into a `DOUBLE`.
fn widen(statement: &mut Statement) -> Result<()> {
    let statement = match statement {
        Statement::Statement(statement) => statement,
        Statement::Explain(explain) => return widen(&mut explain.statement),
        _ => return Ok(()),
    };
    let outcome = visit_expressions_mut(statement, |expr| {
        let SqlExpr::Value(literal) = expr else { return ControlFlow::Continue(()) };
        let Value::Number(text, _) = &literal.value else { return ControlFlow::Continue(()) };
        let exponent = text.split_once(['e', 'E']).and_then(|(_, exponent)| exponent.parse::<i32>().ok());
        if exponent.is_some_and(|exponent| exponent.unsigned_abs() > u32::from(DECIMAL128_MAX_PRECISION)) {
            let cast = format!("CAST('{text}' AS DOUBLE)");
            match Parser::new(&GenericDialect {}).try_with_sql(&cast).and_then(|mut parser| parser.parse_expr()) {
                Ok(cast) => *expr = cast,
                Err(error) => return ControlFlow::Break(error),
            }
        }
        ControlFlow::Continue(())
    });
    match outcome {
        ControlFlow::Break(error) => Err(error.into()),
        ControlFlow::Continue(()) => Ok(()),
    }
}

/// Runs a statement and prints its answer.
async fn answer(args: &Args, frame: DataFrame) -> Result<()> {
    if args.explain || args.analyze {
        for batch in frame.explain(false, args.analyze)?.collect().await? {
            let Some(plans) = batch.columns().last() else { continue };
            let plans = ArrayFormatter::try_new(plans.as_ref(), &FormatOptions::default())?;
            for row in 0..batch.num_rows() {
                writeln!(Pipe(io::stdout()), "{}", plans.value(row))?;
            }
        }
        return Ok(());
    }
    let context = Arc::new(frame.task_ctx());
    let plan = frame.create_physical_plan().await?;
    let schema = plan.schema();
    if schema.fields().is_empty() {
        let mut stream = execute_stream(plan, context)?;
        while let Some(batch) = stream.next().await {
            batch?;
        }
        return Ok(());
    }
    let mut stream = execute_stream(Arc::clone(&plan), context)?;
    let (target, partial) = open(args.output.as_deref())?;
    let mut writer = Writer::new(args.format, BufWriter::new(target), &schema)?;
    let mut progress = Progress::new(args, plan);
    let mut tick = tokio::time::interval(Duration::from_millis(200));
    loop {
        tokio::select! {
            batch = stream.next() => match batch {
                Some(batch) => {
                    let batch = batch?;
                    progress.rows += batch.num_rows();
                    if writer.prints() {
                        progress.clear();
                    }
                    writer.write(batch)?;
                }
                None => break,
            },
            _ = tick.tick() => progress.draw(),
        }
    }
    progress.clear();
    writer.finish()?;
    // Some systems do not replace a file that is open.
    drop(stream);
    match partial {
        Some(partial) => partial.complete(),
        None => Ok(()),
    }
}

/// The command as a worker, and as the coordinator of workers.
#[cfg(feature = "distributed")]
mod cluster {
    use std::io::Write;
    use std::net::SocketAddr;
    use std::sync::Arc;
    use std::time::Duration;

    use datafusion::common::plan_err;
    use datafusion::error::{DataFusionError, Result};
    use datafusion::execution::SessionStateBuilder;
    use datafusion::execution::runtime_env::RuntimeEnv;
    use futures::future::join_all;
    use tokio::net::{TcpListener, TcpStream};
    use tonic::transport::Server;
    use tonic::transport::server::TcpIncoming;
    use url::Url;

    /// The longest time until a worker accepts a connection.
    const PATIENCE: Duration = Duration::from_secs(3);

    /// Runs parts of the queries of others. Prints the URL, because port 0 means any.
    pub(crate) async fn serve(address: SocketAddr, runtime: Arc<RuntimeEnv>) -> Result<()> {
        let listener = TcpListener::bind(address).await?;
        writeln!(std::io::stdout(), "http://{}", listener.local_addr()?)?;
        let worker = unspool_datafusion::worker(runtime).into_worker_server();
        let server = Server::builder().add_service(worker).serve_with_incoming(TcpIncoming::from(listener));
        server.await.map_err(|error| DataFusionError::External(Box::new(error)))
    }

    /// Plans for the workers that accept a connection, and names the others.
    pub(crate) async fn coordinate(builder: SessionStateBuilder, workers: &[Url]) -> Result<SessionStateBuilder> {
        if workers.is_empty() {
            return Ok(builder);
        }
        let mut present = vec![];
        for (worker, accepts) in workers.iter().zip(join_all(workers.iter().map(accepts)).await) {
            if accepts? {
                present.push(worker.clone());
            } else {
                writeln!(std::io::stderr(), "unspool-sql: continuing without {worker}, which does not answer")?;
            }
        }
        if present.is_empty() {
            return plan_err!("no worker answers");
        }
        Ok(unspool_datafusion::coordinate(builder, present))
    }

    async fn accepts(worker: &Url) -> Result<bool> {
        let (Some(host), Some(port)) = (worker.host_str(), worker.port_or_known_default()) else {
            return plan_err!("expected the URL of a worker, such as http://10.0.0.5:7000; found {worker}");
        };
        // A URL has brackets around an IPv6 address.
        let connect = TcpStream::connect((host.trim_matches(['[', ']']), port));
        Ok(matches!(tokio::time::timeout(PATIENCE, connect).await, Ok(Ok(_))))
    }
}

/// Rows and bytes so far, on a line of standard error if that is a terminal.
struct Progress {
    plan: Option<Arc<dyn ExecutionPlan>>,
    start: Instant,
    rows: usize,
    is_drawn: bool,
}

impl Progress {
    fn new(args: &Args, plan: Arc<dyn ExecutionPlan>) -> Self {
        let is_wanted = !args.quiet && io::stderr().is_terminal();
        Self { plan: is_wanted.then_some(plan), start: Instant::now(), rows: 0, is_drawn: false }
    }

    fn draw(&mut self) {
        let Some(plan) = &self.plan else { return };
        let megabytes = bytes_read(plan) / 1_000_000;
        let (seconds, rows) = (self.start.elapsed().as_secs(), self.rows);
        // If standard error is closed, there is nobody to tell.
        let _ = write!(io::stderr(), "\r\x1b[K{seconds} s, {megabytes} MB read, {rows} rows");
        self.is_drawn = true;
    }

    fn clear(&mut self) {
        if std::mem::take(&mut self.is_drawn) {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

/// Returns the bytes that the scans of a plan have read so far.
fn bytes_read(plan: &Arc<dyn ExecutionPlan>) -> usize {
    let metrics = plan.metrics();
    let of = |name| metrics.as_ref().and_then(|metrics| metrics.sum_by_name(name)).map_or(0, |value| value.as_usize());
    let own = of("bytes_read") + of("bytes_scanned");
    own + plan.children().into_iter().map(bytes_read).sum::<usize>()
}

type Target = BufWriter<Box<dyn Write + Send>>;

/// Writes batches in one of the formats.
enum Writer {
    Table(Target, SchemaRef, Vec<RecordBatch>),
    Csv(Box<datafusion::arrow::csv::Writer<Target>>),
    Json(LineDelimitedWriter<Target>),
    #[cfg(feature = "parquet")]
    Parquet(Box<datafusion::parquet::arrow::ArrowWriter<Target>>),
}

impl Writer {
    fn new(format: Output, target: Target, schema: &SchemaRef) -> Result<Self> {
        Ok(match format {
            Output::Table => Self::Table(target, Arc::clone(schema), vec![]),
            Output::Csv => {
                let mut writer = WriterBuilder::new().with_header(true).build(target);
                // The header, also of an answer without rows.
                writer.write(&flat(&RecordBatch::new_empty(Arc::clone(schema)))?)?;
                Self::Csv(Box::new(writer))
            }
            Output::Json => Self::Json(LineDelimitedWriter::new(target)),
            #[cfg(feature = "parquet")]
            Output::Parquet => {
                let writer = datafusion::parquet::arrow::ArrowWriter::try_new(target, Arc::clone(schema), None)?;
                Self::Parquet(Box::new(writer))
            }
        })
    }

    /// Returns whether a batch may be printed at once, over the progress.
    const fn prints(&self) -> bool {
        matches!(self, Self::Csv(_) | Self::Json(_))
    }

    fn write(&mut self, batch: RecordBatch) -> Result<()> {
        match self {
            Self::Table(_, _, batches) => batches.push(batch),
            Self::Csv(writer) => writer.write(&flat(&batch)?)?,
            Self::Json(writer) => writer.write(&batch)?,
            #[cfg(feature = "parquet")]
            Self::Parquet(writer) => writer.write(&batch)?,
        }
        Ok(())
    }

    fn finish(self) -> Result<()> {
        match self {
            Self::Table(mut target, schema, batches) => {
                writeln!(target, "{}", pretty_format_batches_with_schema(schema, &batches)?)?;
                target.flush()?;
            }
            Self::Csv(writer) => writer.into_inner().flush()?,
            Self::Json(mut writer) => {
                writer.finish()?;
                writer.into_inner().flush()?;
            }
            #[cfg(feature = "parquet")]
            Self::Parquet(writer) => writer.into_inner()?.flush()?,
        }
        Ok(())
    }
}

/// Returns a batch without nested columns, which CSV cannot hold: they become text.
fn flat(batch: &RecordBatch) -> Result<RecordBatch> {
    let schema = batch.schema();
    let (mut fields, mut columns) = (vec![], vec![]);
    for (field, column) in schema.fields().iter().zip(batch.columns()) {
        if !field.data_type().is_nested() && !matches!(field.data_type(), DataType::BinaryView) {
            fields.push(Arc::clone(field));
            columns.push(Arc::clone(column));
            continue;
        }
        let texts = ArrayFormatter::try_new(column.as_ref(), &FormatOptions::default())?;
        let texts: StringArray = (0..column.len()).map(|row| Some(texts.value(row).to_string())).collect();
        fields.push(Arc::new(Field::new(field.name(), DataType::Utf8, field.is_nullable())));
        columns.push(Arc::new(texts) as ArrayRef);
    }
    Ok(RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)?)
}

//! `unspool`: inspects, decodes, queries and checks files.
//!
//! Exit codes: 0 for success, also if a search finds nothing; 1 for a file that is refused or
//! cannot be read; 2 for wrong usage.

mod args;
mod formats;
mod inspect;
mod output;
mod query;
mod report;
mod stats;
mod text;
mod threaded;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use unspool::{Count, Format, Limits, PROBE_LEN, Probe, probe};

use args::{Arguments, Command, DecodeArgs, GrepArgs, TakeArgs};
use formats::Selection;
use output::Output;
use report::{Failure, Plain};

fn main() -> ExitCode {
    let failure = match Arguments::parse().command {
        Command::Inspect { file, take, json, stats, symbols, all } => {
            run_inspect(&file, &take, Shown { json, stats, symbols, all })
        }
        Command::Decode(args) => run_decode(&args),
        Command::Grep(args) => run_grep(&args),
        Command::Query(args) => query::run(&args),
        Command::Check { files, take } => return check(&files, &take),
    };
    match failure {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.print();
            failure.exit_code().into()
        }
    }
}

/// Reads a file, or standard input for `-`.
fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    read_if(path, |_| true)
}

/// Reads a whole file if its first bytes are `wanted`, else only those: other files may be endless.
fn read_if(path: &Path, wanted: impl Fn(&[u8]) -> bool) -> Result<Vec<u8>, Failure> {
    let mut bytes = vec![];
    let read = input(path).and_then(|mut input| {
        let first = u64::try_from(PROBE_LEN).unwrap_or(u64::MAX);
        input.by_ref().take(first).read_to_end(&mut bytes)?;
        if wanted(&bytes) { input.read_to_end(&mut bytes) } else { Ok(0) }
    });
    read.map_err(|error| Failure::io("cannot read", path, error))?;
    Ok(bytes)
}

fn input(path: &Path) -> io::Result<Box<dyn Read>> {
    Ok(if path == Path::new("-") { Box::new(io::stdin()) } else { Box::new(File::open(path)?) })
}

/// Reads a file and unwraps gzip. Returns the bytes, and the size of the gzip file if there was
/// one.
///
/// If a format is named, the file is not unwrapped.
fn open(path: &Path, named: Option<Format>, limits: &Limits) -> Result<(Vec<u8>, Option<usize>), Failure> {
    if named.is_some() {
        return Ok((read(path)?, None));
    }
    let bytes = read_if(path, |first| probe(first) != Probe::Unknown)?;
    Ok(match formats::gzip::unwrapped(&bytes, limits) {
        Some(inside) => (inside, Some(bytes.len())),
        None => (bytes, None),
    })
}

/// Reads a file for commands that need the content of gzip; fails if it cannot be unwrapped.
fn open_inside(path: &Path, limits: &Limits) -> Result<Vec<u8>, Failure> {
    let (bytes, _) = open(path, None, limits)?;
    if probe(&bytes) == Probe::Match(Format::Gzip) {
        formats::gzip::check(&bytes, limits, &mut Count::default())
            .map_err(|error| Failure::refused(path, &bytes, error))?;
    }
    Ok(bytes)
}

/// Returns the named format, or detects it from the first bytes.
fn format_of(bytes: &[u8], named: Option<Format>) -> Result<Format, unspool::Error> {
    let unknown = unspool::Error::new(unspool::ErrorKind::UnknownFormat, 0);
    match (named, probe(bytes)) {
        (Some(format), _) => Ok(format),
        // Two formats share each magic number; only the whole file can distinguish them.
        (None, Probe::Match(Format::Zstd | Format::ZstdV07 | Format::ZstdSkippable)) => {
            Ok(formats::zstd::format_of(bytes))
        }
        (None, Probe::Match(format)) => Ok(format),
        (None, Probe::NeedInput { min }) => {
            let at = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
            Err(unspool::Error::new(unspool::ErrorKind::Truncated, at).needing(u64::try_from(min).unwrap_or(0)))
        }
        (None, Probe::Unknown) => Err(unknown),
    }
}

/// The options of `inspect`.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own on the command line")]
struct Shown {
    json: bool,
    stats: bool,
    symbols: bool,
    all: bool,
}

fn run_inspect(path: &Path, take: &TakeArgs, shown: Shown) -> Result<(), Failure> {
    let Shown { json, stats, symbols, all } = shown;
    let limits = take.allow.limits();
    let (bytes, wrapped) = open(path, take.format, &limits)?;
    let dictionary = take.dict.as_deref().map(read).transpose()?;
    let format = format_of(&bytes, take.format).map_err(|error| Failure::refused(path, &bytes, error))?;
    let dictionary = dictionary.as_deref();
    let mut report = match format {
        Format::Zstd | Format::ZstdDraft | Format::ZstdV07 if symbols => {
            formats::zstd::inspect_symbols(format, &bytes, dictionary, &limits)
        }
        _ if symbols => return Err(Failure::Usage("--symbols is for zstd files".to_owned())),
        Format::Pco | Format::OnPair | Format::Cvc => formats::inspect(format, &bytes, dictionary, &limits),
        _ if stats => return Err(Failure::Usage("--stats is for pco, cvc and onpair files".to_owned())),
        _ => formats::inspect(format, &bytes, dictionary, &limits),
    };
    if let Some(size) = wrapped {
        report.fact("wrapped in", format!("gzip of {size} bytes"));
    }
    if stats {
        let ended = formats::stats(format, &bytes, &limits, &mut report.stats);
        report.error = report.error.or(ended.err());
    }
    let text = if json { report.to_json(path, &bytes) } else { report.to_text(path, &bytes, all) };
    output::print(&text)?;
    match report.error {
        None => Ok(()),
        Some(error) => Err(Failure::refused(path, &bytes, error)),
    }
}

fn run_decode(args: &DecodeArgs) -> Result<(), Failure> {
    let limits = args.take.allow.limits();
    let dictionary = args.take.dict.as_deref().map(read).transpose()?;
    let selection = Selection {
        column: args.column.as_deref(),
        rows: args.rows.clone(),
        range: args.range.clone(),
        section: args.section.as_ref().map(|(key, value)| (key.as_str(), value.as_str())),
        text: args.text,
        dictionary: dictionary.as_deref(),
    };
    if let Some(folder) = &args.parts {
        if args.take.format != Some(Format::OnPair) {
            return Err(Failure::Usage("--parts is for --format onpair".to_owned()));
        }
        let parts = formats::onpair::Parts::read(folder, args.bits)?;
        let mut output = Output::create(args.to())?;
        let decoded = parts.decode(&selection, &limits, &mut output);
        return output.finish(decoded.map_err(|error| error.into_failure(folder, &[])));
    }
    let path = args.file.as_deref().unwrap_or(Path::new("-"));
    let (bytes, _) = open(path, args.take.format, &limits)?;
    let format = format_of(&bytes, args.take.format).map_err(|error| Failure::refused(path, &bytes, error))?;
    formats::check_range(format, &selection)?;
    if let (Format::At1, true, Some(folder)) = (format, formats::at1::is_bundle(&bytes), args.to()) {
        return formats::at1::unbundle(path, &bytes, &selection, folder, &limits);
    }
    let mut output = Output::create(args.to())?;
    let decoded = formats::decode(format, &bytes, &selection, &limits, &mut output);
    output.finish(decoded.map_err(|error| error.into_failure(path, &bytes)))
}

fn run_grep(args: &GrepArgs) -> Result<(), Failure> {
    use formats::onpair::{Where, grep};
    let limits = args.allow.limits();
    let bytes = open_inside(&args.file, &limits)?;
    let place = match (args.prefix, args.exact) {
        (true, _) => Where::Start,
        (_, true) => Where::Whole,
        _ => Where::Inside,
    };
    match format_of(&bytes, None).map_err(|error| Failure::refused(&args.file, &bytes, error))? {
        Format::OnPair => {}
        other => return Err(Failure::Usage(format!("grep searches OnPair columns; this file is {}", other.name()))),
    }
    let mut output = Output::create(None)?;
    let searched = grep(&bytes, args.pattern.as_encoded_bytes(), place, args.number, &limits, &mut output);
    output.finish(searched.map_err(|error| error.into_failure(&args.file, &bytes)))
}

/// Decodes and verifies every file, also after a bad one, and keeps no output.
fn check(files: &[std::path::PathBuf], take: &TakeArgs) -> ExitCode {
    let mut code = 0;
    let limits = take.allow.limits();
    let dictionary = match take.dict.as_deref().map(read).transpose() {
        Ok(dictionary) => dictionary,
        Err(failure) => {
            failure.print();
            return failure.exit_code().into();
        }
    };
    for path in files {
        let checked = open(path, take.format, &limits).and_then(|(bytes, _)| {
            let mut count = Count::default();
            let format = format_of(&bytes, take.format).map_err(|error| Failure::refused(path, &bytes, error))?;
            let checksums = formats::check(format, &bytes, dictionary.as_deref(), &limits, &mut count)
                .map_err(|error| error.into_failure(path, &bytes))?;
            let line =
                format!("{}: ok, {}, {} bytes decoded, {checksums}\n", Plain(path.display()), format.name(), count.0);
            output::print(&line)
        });
        if let Err(failure) = checked {
            failure.print();
            // A refused file (1) outranks wrong usage (2), whichever comes last.
            code = if code == 0 { failure.exit_code() } else { code.min(failure.exit_code()) };
        }
    }
    code.into()
}

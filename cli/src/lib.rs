//! The command `unspool`, as a library for its program and for tests. It has no stable interface.
//!
//! Exit codes: 0 for success, also if a search finds nothing; 1 for a file that is refused or
//! cannot be read; 2 for wrong usage.
#![deny(unsafe_code)]

mod args;
mod folder;
mod formats;
mod inspect;
pub mod memory;
mod output;
mod query;
mod report;
#[cfg(any(test, feature = "fuzzing"))]
pub mod same;
mod source;
mod stats;
#[cfg(test)]
mod tests;
mod text;
mod threaded;

use std::convert::Infallible;
use std::fs::File;
use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use unspool::threads::in_order;
use unspool::{Count, Format, Limits};

use args::{Arguments, Command, DecodeArgs, GrepArgs, TakeArgs};
use formats::{Selection, Stop};
use output::Output;
#[cfg(unix)]
pub use output::look_at_stdout;
use report::{Failure, Plain};
use source::Source;

/// Runs the command with the arguments of the process.
#[must_use]
pub fn main() -> ExitCode {
    let Arguments { command, max_memory } = Arguments::parse();
    memory::set_limit(max_memory.unwrap_or(memory::DEFAULT));
    #[cfg(unix)]
    output::outlive_file_limit();
    let failure = match command {
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

/// Reads a file that is needed as a whole, besides the input: at most `most` bytes.
fn read(path: &Path, most: u64) -> Result<Vec<u8>, Failure> {
    let mut bytes = vec![];
    let read = File::open(path).and_then(|file| file.take(most.saturating_add(1)).read_to_end(&mut bytes));
    match read {
        Ok(len) if len as u64 > most => {
            Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("more than {most} bytes")))
        }
        read => read,
    }
    .map_err(|error| Failure::io("cannot read", path, error))?;
    Ok(bytes)
}

/// Reads the dictionary that the arguments name. It is a part of the window.
fn dictionary(take: &TakeArgs, limits: &Limits) -> Result<Option<Vec<u8>>, Failure> {
    take.dict.as_deref().map(|path| read(path, limits.max_window)).transpose()
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
    let mut source = Source::open(path, take.format, take.threads.count(), &limits)?;
    let dictionary = dictionary(take, &limits)?;
    let format = source.format(take.format)?;
    let dictionary = dictionary.as_deref();
    formats::check_dictionary(format, dictionary)?;
    let is_zstd = formats::is_zstd(format);
    if symbols && !is_zstd {
        return Err(Failure::Usage("--symbols is for zstd files".to_owned()));
    }
    if stats && !symbols && !matches!(format, Format::Pco | Format::OnPair | Format::Cvc) {
        return Err(Failure::Usage("--stats is for pco, cvc and onpair files".to_owned()));
    }
    let held = stats && !is_zstd;
    let report = match formats::inspect(format, &mut source, dictionary, symbols, held, &limits) {
        // A gzip file that is broken is shown itself.
        Err(Stop::Refused(_)) if source.wrapped().is_some() && path != Path::new("-") => {
            source = Source::open(path, Some(Format::Gzip), take.threads.count(), &limits)?;
            formats::inspect(Format::Gzip, &mut source, dictionary, symbols, false, &limits)
        }
        report => report,
    };
    let mut report = source.conclude(report)?;
    if let Some(size) = source.wrapped() {
        report.fact("wrapped in", format!("gzip of {size} bytes"));
    }
    if stats {
        let ended = formats::stats(format, source.head(), &limits, &mut report.stats);
        report.error = report.error.or(ended.err());
    }
    let size = source.len().unwrap_or(0);
    let text = if json { report.to_json(path, size) } else { report.to_text(path, size, all) };
    output::print(&text)?;
    match report.error {
        None => Ok(()),
        Some(error) => Err(source.refused(error)),
    }
}

fn run_decode(args: &DecodeArgs) -> Result<(), Failure> {
    let limits = args.take.allow.limits();
    let dictionary = dictionary(&args.take, &limits)?;
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
        formats::check_dictionary(Format::OnPair, selection.dictionary)?;
        let parts = formats::onpair::Parts::read(folder, args.bits, &limits)?;
        let mut output = Output::create(args.to())?;
        let decoded = parts.decode(&selection, &limits, &mut output);
        return output.finish(decoded.map_err(|error| error.into_failure(folder)));
    }
    let path = args.file.as_deref().unwrap_or(Path::new("-"));
    let mut source = Source::open(path, args.take.format, args.take.threads.count(), &limits)?;
    let format = source.format(args.take.format)?;
    formats::check_range(format, &selection)?;
    formats::check_dictionary(format, selection.dictionary)?;
    if let (Format::At1, true, Some(folder)) = (format, formats::at1::is_bundle(source.head()), args.to()) {
        return formats::at1::unbundle(&mut source, &selection, folder, &limits);
    }
    let mut output = Output::create(args.to())?;
    let decoded = formats::decode(format, &mut source, &selection, &limits, &mut output);
    output.finish(source.conclude(decoded))
}

fn run_grep(args: &GrepArgs) -> Result<(), Failure> {
    use formats::onpair::{Where, grep};
    let limits = args.allow.limits();
    let mut source = Source::open(&args.file, None, args.threads.count(), &limits)?;
    let place = match (args.prefix, args.exact) {
        (true, _) => Where::Start,
        (_, true) => Where::Whole,
        _ => Where::Inside,
    };
    match source.format(None)? {
        Format::OnPair => {}
        other => return Err(Failure::Usage(format!("grep searches OnPair columns; this file is {}", other.name()))),
    }
    let mut output = Output::create(None)?;
    let pattern = args.pattern.as_encoded_bytes();
    let searched = grep(&mut source, pattern, place, args.number, &limits, &mut output);
    output.finish(source.conclude(searched))
}

/// Decodes and verifies every file, also after a bad one, and keeps no output.
fn check(files: &[PathBuf], take: &TakeArgs) -> ExitCode {
    let mut code = 0;
    let limits = take.allow.limits();
    let dictionary = match dictionary(take, &limits) {
        Ok(dictionary) => dictionary,
        Err(failure) => {
            failure.print();
            return failure.exit_code().into();
        }
    };
    // Several files are decoded at the same time, each by one thread.
    let (one, all) = (NonZeroUsize::MIN, take.threads.count());
    let (across, within) = if files.len() > 1 { (all, one) } else { (one, all) };
    let check = |_: &mut (), path: &PathBuf| {
        Ok::<_, Infallible>(check_one(path, take.format, dictionary.as_deref(), within, &limits))
    };
    let checked = in_order(
        across,
        files.iter().map(Ok),
        || (),
        check,
        |checked| {
            if let Err(failure) = checked.and_then(|line| output::print(&line)) {
                failure.print();
                // A refused file (1) outranks wrong usage (2), whichever comes last.
                code = if code == 0 { failure.exit_code() } else { code.min(failure.exit_code()) };
            }
            Ok(())
        },
    );
    match checked {
        Ok(()) => code.into(),
    }
}

/// Decodes and verifies a file. Returns the line to print.
fn check_one(
    path: &Path,
    named: Option<Format>,
    dictionary: Option<&[u8]>,
    threads: NonZeroUsize,
    limits: &Limits,
) -> Result<String, Failure> {
    let mut source = Source::open(path, named, threads, limits)?;
    let format = source.format(named)?;
    formats::check_dictionary(format, dictionary)?;
    let mut count = Count::default();
    let checked = formats::check(format, &mut source, dictionary, limits, &mut count);
    let checksums = source.conclude(checked)?;
    Ok(format!("{}: ok, {}, {} bytes decoded, {checksums}\n", Plain(path.display()), format.name(), count.0))
}

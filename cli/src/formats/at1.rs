//! `inspect`, `decode` and `check` of AT-1, and the facts about a table for queries.

use std::path::Path;

use unspool::at1::qcolumnar::ColumnType;
use unspool::at1::{
    Bundle, Codec, Container, Header, Options, TableHead, Workspace, decode_to, decode_to_vec, decoded_len, grow,
    scratch_len, scratch_len_to,
};
use unspool::tree::Tree;
use unspool::{Class, Count, Error, ErrorKind, Format, Limits, Sink};

use super::{Checksums, Selection, Stop, in_pieces, zeros};
use crate::inspect::{MAX_NODES, Report};
use crate::output::Output;
use crate::report::Failure;
use crate::source::Source;

/// Returns options with these limits.
fn with(limits: &Limits) -> Options {
    Options { limits: *limits, ..Options::DEFAULT }
}

/// Runs `work`, growing the scratch until it is enough.
fn growing<T>(scratch: &mut Vec<u8>, mut work: impl FnMut(&mut [u8]) -> Result<T, Error>) -> Result<T, Error> {
    loop {
        match work(scratch) {
            Err(error) => grow(scratch, error)?,
            result => return result,
        }
    }
}

/// Returns enough scratch to decode a file to a sink, and the decoded length if the file is sound.
///
/// The scratch must be complete before decoding starts, because written output cannot be taken
/// back. For a broken file it is enough for the part before the error.
fn measure(bytes: &[u8], workspace: &mut Workspace, options: &Options) -> Result<(Vec<u8>, Option<u64>), Error> {
    let need = scratch_len(bytes, options);
    if let (Ok(slice), Ok(sink)) = (need, scratch_len_to(bytes, options)) {
        let mut scratch = zeros(slice)?;
        let len = growing(&mut scratch, |scratch| decoded_len(bytes, workspace, scratch, options));
        if let Ok(len) = len {
            let more = scratch.len() as u64 + (sink - slice);
            drop(scratch);
            return Ok((zeros(more)?, Some(len)));
        }
        refuse_work(len)?;
    }
    refuse_work(need)?;
    let mut scratch = vec![];
    let broken = growing(&mut scratch, |scratch| decode_to(bytes, &mut Count::default(), workspace, scratch, options));
    refuse_work(broken)?;
    Ok((scratch, None))
}

/// Returns errors about limits, and drops errors about the file.
fn refuse_work<T>(result: Result<T, Error>) -> Result<(), Error> {
    result.map_or_else(|error| if error.class() == Class::Limit { Err(error) } else { Ok(()) }, |_| Ok(()))
}

/// Refuses selections: an AT-1 file decodes as a whole.
fn whole_only(wanted: &Selection<'_>) -> Result<(), Stop> {
    if wanted.column.is_some() || wanted.rows.is_some() || wanted.section.is_some() || wanted.text {
        return Err(Stop::Usage("AT-1 files decode as a whole; use `unspool query` for rows and columns".to_owned()));
    }
    if wanted.dictionary.is_some() {
        return Err(Stop::Usage("AT-1 files have no dictionaries; --dict is for zstd".to_owned()));
    }
    Ok(())
}

/// Facts from the head of a table: its rows, its other lines, and its columns with their names.
pub struct TableFacts {
    pub lines: u64,
    pub rows: u64,
    /// The number of other lines that hold the names.
    names: u64,
    pub columns: Vec<(String, &'static str)>,
}

impl TableFacts {
    /// Reads the first bytes of a file, as many as a query needs.
    pub fn read(head: &[u8], limits: &Limits) -> Result<Self, Error> {
        let (mut scratch, mut workspace) = (vec![], Workspace::new());
        let options = with(limits);
        let table = growing(&mut scratch, |scratch| TableHead::read(head, &mut workspace, scratch, &options))?;
        let meta = table.meta(&scratch, limits)?;
        let kind = |column| match meta.column_type(column) {
            Some(ColumnType::Integer) => "integers",
            Some(ColumnType::Decimal) => "decimals",
            _ => "text",
        };
        let mut columns: Vec<_> = (0..meta.columns()).map(|column| (column.to_string(), kind(column))).collect();
        let mut named = columns.iter_mut();
        let mut names = 0;
        table.each_name(&scratch, &meta, |name| {
            names = u64::from(table.codec() == Codec::QColumnar);
            if let Some((column, _)) = named.next() {
                *column = String::from_utf8_lossy(name).into_owned();
            }
        })?;
        Ok(Self { lines: meta.lines, rows: meta.rows, names, columns })
    }

    /// Returns the number of lines that are in no answer: they are stored verbatim, because they do
    /// not fit the table.
    pub fn left_out(&self) -> u64 {
        self.lines.saturating_sub(self.rows).saturating_sub(self.names)
    }
}

/// Returns true for a bundle of several files.
pub fn is_bundle(bytes: &[u8]) -> bool {
    Header::read(bytes, &Limits::DEFAULT)
        .is_ok_and(|header| header.codec == Codec::Bundle && header.container == Container::Whole)
}

/// Calls `visit` with each file of a bundle: its name, its AT-1 bytes, and the remaining limits.
///
/// `visit` returns the decoded length, which is subtracted from the limits.
fn files(
    bytes: &[u8],
    limits: &Limits,
    mut visit: impl FnMut(String, &[u8], &Limits) -> Result<u64, Stop>,
) -> Result<(), Stop> {
    let (mut workspace, options) = (Workspace::new(), with(limits));
    let mut scratch = zeros(scratch_len(bytes, &options)?)?;
    let (mut left, mut inside) = (limits.max_output, *limits);
    for file in Bundle::open(bytes, &mut workspace, &mut scratch, &options)? {
        let file = file?;
        let size = file.entry.decoded_size(&Limits { max_output: left, ..*limits })?;
        left = left.saturating_sub(size);
        let mut inner = zeros(size)?;
        file.entry.decode(&mut inner, &mut workspace, limits)?;
        let decoded = visit(file.name.to_string(), &inner, &inside).map_err(|stop| match stop {
            // The advice to decode a bundle file by file does not apply inside a bundle.
            Stop::Refused(Error { kind: ErrorKind::At1BundleWhole, at, need }) => {
                Stop::Refused(file.locate(Error { kind: ErrorKind::At1BundleInside, at, need }))
            }
            Stop::Refused(error) => Stop::Refused(file.locate(error)),
            stop => stop,
        })?;
        inside.max_output = inside.max_output.saturating_sub(decoded);
    }
    Ok(())
}

pub fn inspect(bytes: &[u8], limits: &Limits) -> Report {
    let mut report = Report::new(Format::At1, Tree::new(MAX_NODES));
    let options = with(limits);
    let inspected = unspool::at1::inspect(bytes, &mut Workspace::new(), &options, &mut report.tree);
    let header = match inspected.and_then(|_| Header::read(bytes, limits)) {
        Ok(header) => header,
        Err(error) => {
            report.error = Some(error);
            return report;
        }
    };
    report.fact("codec", format!("{} {}", header.codec as u8, header.codec.name()));
    if header.container == Container::Frames {
        report.fact("layout", "frames of some lines each");
    }
    if let Ok(table) = TableFacts::read(bytes, limits) {
        report.fact("rows", table.rows);
        if table.left_out() > 0 {
            report.fact("other lines", table.left_out());
        }
        report.columns.extend(table.columns.into_iter().map(|(name, kind)| (name, kind.to_owned())));
    }
    // Only decoding shows the decoded length, and whether the hashes match.
    let mut count = Count::default();
    let decoded = all(bytes, limits, &mut count, |name, inner| {
        let codec = Header::read(inner, limits).map_or("not AT-1", |header| header.codec.name());
        report.columns.push((name, format!("{codec}, {} bytes", inner.len())));
    });
    match decoded {
        Ok(checksums) => {
            report.decoded = Some(count.0);
            report.checksums = Some(checksums);
            if let (false, Ok(need)) = (is_bundle(bytes), scratch_len(bytes, &options)) {
                report.fact("scratch", format!("{need} bytes for its streams"));
            }
        }
        Err(Stop::Refused(error)) => report.error = Some(error),
        Err(_) => {}
    }
    report
}

/// Decodes a file, or every file of a bundle, calling `visit` with each of those.
fn all(
    bytes: &[u8],
    limits: &Limits,
    to: &mut impl Sink,
    mut visit: impl FnMut(String, &[u8]),
) -> Result<Checksums, Stop> {
    if !is_bundle(bytes) {
        return Ok(whole(bytes, limits, to)?.0);
    }
    let mut sum = Checksums { name: "SHA-256", ..Checksums::default() };
    files(bytes, limits, |name, inner, limits| {
        visit(name, inner);
        let (checksums, len) = whole(inner, limits, to)?;
        sum.right += checksums.right;
        sum.absent += checksums.absent;
        Ok(len)
    })?;
    Ok(sum)
}

/// Decodes a file that is not a bundle.
fn whole(bytes: &[u8], limits: &Limits, to: &mut impl Sink) -> Result<(Checksums, u64), Error> {
    let (mut workspace, options) = (Workspace::new(), with(limits));
    let (mut scratch, _) = measure(bytes, &mut workspace, &options)?;
    let done = decode_to(bytes, to, &mut workspace, &mut scratch, &options)?;
    let checksums = Checksums { name: "SHA-256", right: done.checksums.matched, absent: done.checksums.unchecked };
    Ok((checksums, done.wrote as u64))
}

pub fn decode(bytes: &[u8], wanted: &Selection<'_>, limits: &Limits, to: &mut Output) -> Result<(), Stop> {
    whole_only(wanted)?;
    if is_bundle(bytes) {
        return Err(Stop::Usage("this is a bundle of several files; name a folder for them with --output".to_owned()));
    }
    let (mut workspace, options) = (Workspace::new(), with(limits));
    let (mut scratch, len) = measure(bytes, &mut workspace, &options)?;
    to.expect(len.unwrap_or(0));
    decode_to(bytes, to, &mut workspace, &mut scratch, &options)?;
    Ok(())
}

/// Decodes the files of a bundle into a folder. Never overwrites a file or leaves the folder.
pub fn unbundle(source: &mut Source, wanted: &Selection<'_>, folder: &Path, limits: &Limits) -> Result<(), Failure> {
    let (path, mut failed) = (source.path().to_owned(), None);
    let bytes = whole_only(wanted).and_then(|()| source.hold(limits));
    let done = bytes.and_then(|bytes| {
        files(bytes, limits, |name, inner, limits| {
            let out = decode_to_vec(inner, &with(limits))?;
            let to = folder.join(&name);
            let written = (|| {
                if let Some(parent) = to.parent() {
                    std::fs::create_dir_all(parent).map_err(|error| Failure::io("cannot create", parent, error))?;
                }
                if to.symlink_metadata().is_ok() {
                    return Err(Failure::io("cannot write", &to, std::io::ErrorKind::AlreadyExists.into()));
                }
                let mut output = Output::create(Some(&to))?;
                let written = in_pieces(&out, &mut output);
                output.finish(written.map_err(|error| Failure::refused(&path, &[], error)))
            })();
            written.map(|()| out.len() as u64).map_err(|failure| {
                failed = Some(failure);
                Stop::Usage(String::new())
            })
        })
    });
    match failed {
        Some(failure) => Err(failure),
        None => source.conclude(done),
    }
}

pub fn check(bytes: &[u8], limits: &Limits, to: &mut impl Sink) -> Result<Checksums, Stop> {
    all(bytes, limits, to, |_, _| ())
}

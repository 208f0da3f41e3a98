//! AT-1 on the command line.

use std::path::Path;

use unspool::at1::qcolumnar::ColumnType;
use unspool::at1::{
    Bundle, Codec, Container, Header, Options, TableHead, Workspace, decode_to, decode_to_vec, decoded_len, grow,
    scratch_len, scratch_len_to,
};
use unspool::tree::Tree;
use unspool::{Class, Count, Error, ErrorKind, Format, Limits, Sink};

use super::{Checksums, Selection, Stop, in_pieces, room};
use crate::inspect::{MAX_NODES, Report};
use crate::output::Output;
use crate::report::Failure;

/// The options of these limits.
fn with(limits: &Limits) -> Options {
    Options { limits: *limits, ..Options::DEFAULT }
}

/// Runs `work` with as much scratch as it asks for.
fn growing<T>(scratch: &mut Vec<u8>, mut work: impl FnMut(&mut [u8]) -> Result<T, Error>) -> Result<T, Error> {
    loop {
        match work(scratch) {
            Err(error) => grow(scratch, error)?,
            result => return result,
        }
    }
}

/// As much scratch as it takes to decode a file to a sink, or what is sound in front of the place where it breaks: nobody can take back
/// what was written when more was asked for. And how much it decodes to, if all of it is sound.
fn measure(bytes: &[u8], workspace: &mut Workspace, options: &Options) -> Result<(Vec<u8>, Option<u64>), Error> {
    let need = scratch_len(bytes, options);
    if let (Ok(slice), Ok(sink)) = (need, scratch_len_to(bytes, options)) {
        let mut scratch = room(slice)?;
        let len = growing(&mut scratch, |scratch| decoded_len(bytes, workspace, scratch, options));
        if let Ok(len) = len {
            let more = scratch.len() as u64 + (sink - slice);
            drop(scratch);
            return Ok((room(more)?, Some(len)));
        }
        refuse_work(len)?;
    }
    refuse_work(need)?;
    let mut scratch = vec![];
    let broken = growing(&mut scratch, |scratch| decode_to(bytes, &mut Count::default(), workspace, scratch, options));
    refuse_work(broken)?;
    Ok((scratch, None))
}

/// Passes on what is wrong with the limits, not with the file.
fn refuse_work<T>(result: Result<T, Error>) -> Result<(), Error> {
    result.map_or_else(|error| if error.class() == Class::Limit { Err(error) } else { Ok(()) }, |_| Ok(()))
}

/// What decodes to one file, and is not taken apart on the way.
fn whole_only(wanted: &Selection<'_>) -> Result<(), Stop> {
    if wanted.column.is_some() || wanted.rows.is_some() || wanted.section.is_some() || wanted.text {
        return Err(Stop::Usage("AT-1 files decode to the files that they were made of, as a whole".to_owned()));
    }
    if wanted.dictionary.is_some() {
        return Err(Stop::Usage("AT-1 files have no dictionaries; --dict is for zstd".to_owned()));
    }
    Ok(())
}

/// What the head of a table tells: lines that are rows and others, and the columns, with names where it has any.
pub struct TableFacts {
    pub lines: u64,
    pub rows: u64,
    /// How many of the other lines hold the names.
    names: u64,
    pub columns: Vec<(String, &'static str)>,
}

impl TableFacts {
    /// Reads the first bytes of a file, as far as a query needs them.
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

    /// Lines that no answer has: they were kept as they were, because they do not have all columns, or are written otherwise.
    pub fn left_out(&self) -> u64 {
        self.lines.saturating_sub(self.rows).saturating_sub(self.names)
    }
}

/// Whether a file is several files in one.
pub fn is_bundle(bytes: &[u8]) -> bool {
    Header::read(bytes, &Limits::DEFAULT)
        .is_ok_and(|header| header.codec == Codec::Bundle && header.container == Container::Whole)
}

/// Hands out the files of a bundle: their names, the AT-1 files that they are, and the limits that are left for what they decode to,
/// which `visit` says how much that was.
fn files(
    bytes: &[u8],
    limits: &Limits,
    mut visit: impl FnMut(String, &[u8], &Limits) -> Result<u64, Stop>,
) -> Result<(), Stop> {
    let (mut workspace, options) = (Workspace::new(), with(limits));
    let mut scratch = room(scratch_len(bytes, &options)?)?;
    let (mut left, mut inside) = (limits.max_output, *limits);
    for file in Bundle::open(bytes, &mut workspace, &mut scratch, &options)? {
        let file = file?;
        let size = file.entry.decoded_size(&Limits { max_output: left, ..*limits })?;
        left = left.saturating_sub(size);
        let mut inner = room(size)?;
        file.entry.decode(&mut inner, &mut workspace, limits)?;
        let decoded = visit(file.name.to_string(), &inner, &inside).map_err(|stop| match stop {
            // Nobody is asked to decode that one by one.
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
    // Only decoding tells how much it is, and whether the hashes are right.
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
        Err(Stop::Usage(_)) => {}
    }
    report
}

/// Decodes a file, or all that a bundle holds, each of which `visit` hears of.
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

/// Decodes a file that is no bundle.
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
        return Err(Stop::Usage(
            "this is a bundle of several files: say with --output which folder they go to".to_owned(),
        ));
    }
    let (mut workspace, options) = (Workspace::new(), with(limits));
    let (mut scratch, len) = measure(bytes, &mut workspace, &options)?;
    to.expect(len.unwrap_or(0));
    decode_to(bytes, to, &mut workspace, &mut scratch, &options)?;
    Ok(())
}

/// Decodes the files of a bundle into a folder. No file is written over; no name leads out of the folder.
pub fn unbundle(
    path: &Path,
    bytes: &[u8],
    wanted: &Selection<'_>,
    folder: &Path,
    limits: &Limits,
) -> Result<(), Failure> {
    whole_only(wanted).map_err(|stop| stop.into_failure(path, bytes))?;
    let mut failed = None;
    let done = files(bytes, limits, |name, inner, limits| {
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
            output.finish(written.map_err(|error| Failure::refused(path, bytes, error)))
        })();
        written.map(|()| out.len() as u64).map_err(|failure| {
            failed = Some(failure);
            Stop::Usage(String::new())
        })
    });
    match (failed, done) {
        (Some(failure), _) => Err(failure),
        (None, done) => done.map_err(|stop| stop.into_failure(path, bytes)),
    }
}

pub fn check(bytes: &[u8], limits: &Limits, to: &mut impl Sink) -> Result<Checksums, Stop> {
    all(bytes, limits, to, |_, _| ())
}

//! AT-1 on the command line.

use std::path::Path;

use unspool::at1::{
    Bundle, Codec, Container, Header, Workspace, decode_to, decode_to_vec, decoded_len, scratch_needed,
};
use unspool::tree::Tree;
use unspool::{Class, Error, ErrorKind, Format, Limits, Sink};

use super::{Checksums, Selection, Stop, in_pieces, room};
use crate::inspect::{MAX_NODES, Report};
use crate::output::Output;
use crate::report::Failure;

/// Runs `work` with as much scratch as it asks for.
fn with_scratch<T>(start: u64, mut work: impl FnMut(&mut [u8]) -> Result<T, Error>) -> Result<T, Error> {
    let mut scratch = room(start)?;
    loop {
        match work(&mut scratch) {
            Err(error) if matches!(error.class(), Class::WorkspaceTooSmall { need } if need > scratch.len() as u64) => {
                scratch = room(error.need)?;
            }
            result => return result,
        }
    }
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

/// Whether a file is several files in one.
pub fn is_bundle(bytes: &[u8]) -> bool {
    Header::read(bytes).is_ok_and(|header| header.codec == Codec::Bundle && header.container == Container::Whole)
}

/// Hands out the files of a bundle: their names, and the AT-1 files that they are.
fn files(bytes: &[u8], limits: &Limits, mut visit: impl FnMut(String, &[u8]) -> Result<(), Stop>) -> Result<(), Stop> {
    let mut ws = Workspace::new();
    let mut scratch = room(scratch_needed(bytes, limits)?.slice)?;
    let mut left = limits.max_output;
    for file in Bundle::open(bytes, &mut scratch, &mut ws, limits)? {
        let file = file?;
        let size = file.entry.decoded_size(bytes, &Limits { max_output: left, ..*limits })?;
        left = left.saturating_sub(size);
        let mut inner = room(size)?;
        file.entry.decode(bytes, &mut inner, &mut ws, limits)?;
        visit(file.name.to_string(), &inner).map_err(|stop| match stop {
            // Nobody is asked to decode that one by one.
            Stop::Refused(Error { kind: ErrorKind::At1BundleWhole, at, need }) => {
                Stop::Refused(file.locate(Error { kind: ErrorKind::At1BundleInside, at, need }))
            }
            Stop::Refused(error) => Stop::Refused(file.locate(error)),
            stop => stop,
        })?;
    }
    Ok(())
}

pub fn inspect(bytes: &[u8], limits: &Limits) -> Report {
    let mut report = Report::new(Format::At1, Tree::new(MAX_NODES));
    let mut ws = Workspace::new();
    let header = match unspool::at1::inspect(bytes, &mut ws, limits, &mut report.tree) {
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
    // Only decoding tells how much it is, and whether the hashes are right.
    let mut count = unspool::Count::default();
    let decoded = all(bytes, limits, &mut count, |name, inner| {
        let codec = Header::read(inner).map_or("not AT-1", |header| header.codec.name());
        report.columns.push((name, format!("{codec}, {} bytes", inner.len())));
    });
    match decoded {
        Ok(checksums) => {
            report.decoded = Some(count.0);
            report.checksums = Some(checksums);
            if let (false, Ok(need)) = (is_bundle(bytes), scratch_needed(bytes, limits)) {
                report.fact("scratch", format!("{} bytes for its streams", need.slice));
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
        return Ok(whole(bytes, limits, to)?);
    }
    let mut sum = Checksums { name: "SHA-256", ..Checksums::default() };
    files(bytes, limits, |name, inner| {
        visit(name, inner);
        let checksums = whole(inner, limits, to)?;
        sum.right += checksums.right;
        sum.absent += checksums.absent;
        Ok(())
    })?;
    Ok(sum)
}

/// Decodes a file that is no bundle.
fn whole(bytes: &[u8], limits: &Limits, to: &mut impl Sink) -> Result<Checksums, Error> {
    // Nothing is written before it is known that there is enough scratch for all of it.
    let need = scratch_needed(bytes, limits)?;
    let mut ws = Workspace::new();
    let hashed = with_scratch(need.sink.max(need.slice), |scratch| {
        decoded_len(bytes, scratch, &mut ws, limits)?;
        decode_to(bytes, to, scratch, &mut ws, limits).map(|done| done.hashed)
    })?;
    Ok(Checksums { name: "SHA-256", right: hashed.into(), absent: (!hashed).into() })
}

pub fn decode(bytes: &[u8], wanted: &Selection<'_>, limits: &Limits, to: &mut Output) -> Result<(), Stop> {
    whole_only(wanted)?;
    if is_bundle(bytes) {
        return Err(Stop::Usage(
            "this is a bundle of several files: say with --output which folder they go to".to_owned(),
        ));
    }
    let out = decode_to_vec(bytes, &mut Workspace::new(), limits)?;
    to.expect(u64::try_from(out.len()).unwrap_or(0));
    in_pieces(&out, to)?;
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
    let done = files(bytes, limits, |name, inner| {
        let out = decode_to_vec(inner, &mut Workspace::new(), limits)?;
        let to = folder.join(&name);
        let written = (|| {
            if let Some(parent) = to.parent() {
                std::fs::create_dir_all(parent).map_err(|error| Failure::io("cannot create", parent, error))?;
            }
            let create = std::fs::OpenOptions::new().write(true).create_new(true).open(&to);
            create
                .and_then(|mut file| std::io::Write::write_all(&mut file, &out))
                .map_err(|error| Failure::io("cannot write", &to, error))
        })();
        written.map_err(|failure| {
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

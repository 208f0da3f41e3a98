//! gzip: unwrapped if its content is of a known format, else a format of its own.

use std::io::{self, Read};

use unspool::gzip::{Decoder, Header, Options, WINDOW_SIZE, Workspace};
use unspool::tree::Tree;
use unspool::{Checksums as Sums, Count, End, Format, Limits, PROBE_LEN, Probe, Sink, probe};

use super::pour::{Buffered, Room, pour};
use super::{Checksums, Selection, Stop, zeros};
use crate::inspect::{MAX_NODES, Report};
use crate::output::Output;
use crate::source::Source;
use crate::threaded::ThreadedReader;

const fn options(limits: &Limits) -> Options {
    Options { limits: *limits, ..Options::DEFAULT }
}

/// Returns whether a file that starts with `head` is gzip around a known format.
pub fn holds_format(head: &[u8], limits: &Limits) -> bool {
    let Probe::Match(Format::Gzip) = probe(head) else { return false };
    let mut start = [0; PROBE_LEN];
    let (mut workspace, Ok(mut window), options) = (Workspace::new(), zeros(WINDOW_SIZE as u64), options(limits))
    else {
        return false;
    };
    let step = Decoder::new(&mut workspace, &mut window, &options).step(head, End::NotYet, &mut start);
    step.is_ok_and(|step| matches!(probe(start.get(..step.wrote).unwrap_or_default()), Probe::Match(_)))
}

/// Returns a reader of the content of a gzip file. Its errors are those of the gzip file.
pub fn unwrap(mut input: impl Read + Send + 'static, limits: &Limits) -> io::Result<ThreadedReader> {
    let limits = *limits;
    ThreadedReader::start(move |feed| Ok(through(&mut input, &limits, feed).map(drop)?))
}

/// Decodes everything through a window. Returns the outcome of the checksums.
fn through(input: &mut impl Read, limits: &Limits, to: &mut impl Room) -> Result<Sums, Stop> {
    let (mut workspace, mut window) = (Workspace::new(), zeros(WINDOW_SIZE as u64)?);
    let mut decoder = Decoder::new(&mut workspace, &mut window, &options(limits));
    pour(input, to, |src, end, dst| decoder.step(src, end, dst))?;
    Ok(decoder.done().checksums)
}

pub fn inspect(bytes: &[u8], limits: &Limits) -> Report {
    let mut report = Report::new(Format::Gzip, Tree::new(MAX_NODES));
    if let Some(name) = name(bytes, limits) {
        report.fact("name", name);
    }
    let (mut workspace, mut window) = (Workspace::new(), [0; WINDOW_SIZE]);
    match unspool::gzip::inspect(bytes, &mut workspace, &mut window, &options(limits), &mut report.tree) {
        Ok(done) => {
            report.decoded = Some(done.content);
            report.fact("members", done.parts);
            report.checksums = Some(checksums(done.checksums));
        }
        Err(error) => report.error = Some(error),
    }
    report
}

/// Describes a long file without its fields: only inflating finds where one ends.
pub fn outline(source: &mut Source, limits: &Limits) -> Result<Report, Stop> {
    let mut report = Report::new(Format::Gzip, Tree::new(0));
    if let Some(name) = name(source.head(), limits) {
        report.fact("name", name);
    }
    let mut count = Count::default();
    match through(source, limits, &mut Buffered::new(&mut count)) {
        Ok(sums) => {
            report.decoded = Some(count.0);
            report.fact("members", sums.matched + sums.unchecked);
            report.checksums = Some(checksums(sums));
        }
        Err(Stop::Refused(error)) => report.error = Some(error),
        Err(stop) => return Err(stop),
    }
    Ok(report)
}

/// Returns the name in the first header.
fn name(head: &[u8], limits: &Limits) -> Option<String> {
    let name = Header::read(head, limits).ok()?.name?;
    // The format says Latin-1, but valid UTF-8 was meant as UTF-8.
    let latin = || name.iter().map(|&byte| char::from(byte)).collect();
    Some(std::str::from_utf8(name).map_or_else(|_| latin(), str::to_owned))
}

fn checksums(sums: Sums) -> Checksums {
    Checksums { name: "CRC-32", right: sums.matched, absent: sums.unchecked }
}

pub fn decode(source: &mut Source, wanted: &Selection<'_>, limits: &Limits, to: &mut Output) -> Result<(), Stop> {
    if wanted.column.is_some() || wanted.rows.is_some() || wanted.section.is_some() || wanted.text {
        return Err(Stop::Usage(
            "this gzip file holds plain bytes; --column, --rows, --section and --text do not apply".to_owned(),
        ));
    }
    through(source, limits, to).map(drop)
}

pub fn check(source: &mut Source, limits: &Limits, to: &mut impl Sink) -> Result<Checksums, Stop> {
    through(source, limits, &mut Buffered::new(to)).map(checksums)
}

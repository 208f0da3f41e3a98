//! `inspect`, `decode` and `check` of `.lzma` files.

use std::io::Read;

use unspool::lzma::{Decoder, Header, Options, Workspace};
use unspool::tree::Tree;
use unspool::{Count, Done, Format, Limits, Sink};

use super::pour::{Buffered, Room, Windows, pour_through};
use super::{Checksums, Selection, Stop, zeros};
use crate::inspect::{MAX_NODES, Report};
use crate::output::Output;
use crate::source::Source;

const fn options(limits: &Limits) -> Options {
    Options { limits: *limits, ..Options::DEFAULT }
}

pub fn inspect(bytes: &[u8], limits: &Limits) -> Report {
    let mut report = begin(bytes, MAX_NODES);
    let window = Header::read(bytes, limits).ok().and_then(|header| header.window_within(limits));
    let inspected = zeros(window.unwrap_or(0)).and_then(|mut window| {
        unspool::lzma::inspect(bytes, &mut Workspace::new(), &mut window, &options(limits), &mut report.tree)
    });
    match inspected {
        Ok(done) => {
            report.decoded = Some(done.content);
            report.checksums = Some(NO_CHECKSUMS);
        }
        Err(error) => report.error = Some(error),
    }
    report
}

/// Describes a long file without its fields.
pub fn outline(source: &mut Source, limits: &Limits) -> Result<Report, Stop> {
    let mut report = begin(source.head(), 0);
    let mut count = Count::default();
    match through(source, limits, &mut Buffered::new(&mut count)) {
        Ok(_) => {
            report.decoded = Some(count.0);
            report.checksums = Some(NO_CHECKSUMS);
        }
        Err(Stop::Refused(error)) => report.error = Some(error),
        Err(stop) => return Err(stop),
    }
    Ok(report)
}

/// Reports the header.
fn begin(head: &[u8], nodes: usize) -> Report {
    let mut report = Report::new(Format::Lzma, Tree::new(nodes));
    if let Ok(header) = Header::read(head, &Limits::NONE) {
        report.fact("dictionary", header.dictionary);
        report.fact("window", header.window());
    }
    report
}

/// The format has none.
const NO_CHECKSUMS: Checksums = Checksums { name: "", right: 0, absent: 1 };

pub fn decode(source: &mut Source, wanted: &Selection<'_>, limits: &Limits, to: &mut Output) -> Result<(), Stop> {
    let selected = wanted.column.is_some() || wanted.rows.is_some() || wanted.section.is_some();
    if selected || wanted.text {
        return Err(Stop::Usage(
            "LZMA files hold plain bytes; --column, --rows, --section and --text do not apply".to_owned(),
        ));
    }
    if let Ok(Header { size: Some(size), .. }) = Header::read(source.head(), limits) {
        to.expect(size);
    }
    through(source, limits, to).map(drop)
}

pub fn check(source: &mut Source, limits: &Limits, to: &mut impl Sink) -> Result<Checksums, Stop> {
    through(source, limits, &mut Buffered::new(to))?;
    Ok(NO_CHECKSUMS)
}

/// Decodes everything through a window.
fn through(input: &mut impl Read, limits: &Limits, to: &mut impl Room) -> Result<Done, Stop> {
    let (mut workspace, mut windows) = (Workspace::new(), Windows::new());
    let mut decoder = Decoder::new(&mut workspace, &mut [], &options(limits));
    pour_through(input, to, &mut decoder, windows.lend(limits.max_window), Decoder::step, Decoder::lend)?;
    Ok(decoder.done())
}

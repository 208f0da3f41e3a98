//! gzip: unwrapped if its content is of a known format, else a format of its own.

use unspool::gzip::{Decoder, Header, Options, WINDOW_SIZE, Workspace, decode_to, decode_to_vec};
use unspool::tree::Tree;
use unspool::{Done, End, Error, Format, Limits, PROBE_LEN, Probe, Sink, probe};

use super::{Checksums, Selection, Stop};
use crate::inspect::{MAX_NODES, Report};
use crate::output::Output;

const fn options(limits: &Limits) -> Options {
    Options { limits: *limits, ..Options::DEFAULT }
}

/// Returns the content of a gzip file if it is of a known format.
///
/// `None` for a broken gzip file, which is then reported as gzip.
pub fn unwrapped(bytes: &[u8], limits: &Limits) -> Option<Vec<u8>> {
    let Probe::Match(Format::Gzip) = probe(bytes) else { return None };
    let mut start = [0; PROBE_LEN];
    let (mut workspace, mut window, options) = (Workspace::new(), [0; WINDOW_SIZE], options(limits));
    let step = Decoder::new(&mut workspace, &mut window, &options).step(bytes, End::Here, &mut start).ok()?;
    let Probe::Match(_) = probe(start.get(..step.wrote)?) else { return None };
    decode_to_vec(bytes, &options).ok()
}

pub fn inspect(bytes: &[u8], limits: &Limits) -> Report {
    let mut report = Report::new(Format::Gzip, Tree::new(MAX_NODES));
    if let Ok(Header { name: Some(name), .. }) = Header::read(bytes, limits) {
        // The format says Latin-1, but valid UTF-8 was meant as UTF-8.
        let latin = || name.iter().map(|&byte| char::from(byte)).collect();
        report.fact("name", std::str::from_utf8(name).map_or_else(|_| latin(), str::to_owned));
    }
    let (mut workspace, mut window) = (Workspace::new(), [0; WINDOW_SIZE]);
    match unspool::gzip::inspect(bytes, &mut workspace, &mut window, &options(limits), &mut report.tree) {
        Ok(done) => {
            report.decoded = Some(done.content);
            report.fact("members", done.parts);
            report.checksums = Some(checksums(&done));
        }
        Err(error) => report.error = Some(error),
    }
    report
}

fn checksums(done: &Done) -> Checksums {
    Checksums { name: "CRC-32", right: done.checksums.matched, absent: done.checksums.unchecked }
}

pub fn decode(bytes: &[u8], wanted: &Selection<'_>, limits: &Limits, to: &mut Output) -> Result<(), Stop> {
    if wanted.column.is_some()
        || wanted.rows.is_some()
        || wanted.section.is_some()
        || wanted.text
        || wanted.dictionary.is_some()
    {
        return Err(Stop::Usage(
            "this gzip file holds plain bytes; --column, --rows, --section, --text and --dict do not apply".to_owned(),
        ));
    }
    stream(bytes, limits, to)?;
    Ok(())
}

/// Decodes piece by piece.
fn stream(bytes: &[u8], limits: &Limits, to: &mut impl Sink) -> Result<Done, Error> {
    decode_to(bytes, to, &mut Workspace::new(), &mut [0; WINDOW_SIZE], &options(limits))
}

pub fn check(bytes: &[u8], limits: &Limits, to: &mut impl Sink) -> Result<Checksums, Error> {
    Ok(checksums(&stream(bytes, limits, to)?))
}

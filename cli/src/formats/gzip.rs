//! gzip on the command line: a wrapping that is taken off where something known is inside.

use unspool::gzip::{Decoder, Header, WINDOW_SIZE, Workspace, decode_to_vec};
use unspool::tree::Tree;
use unspool::{End, Error, Format, Limits, PROBE_LEN, Probe, Sink, probe};

use super::{Checksums, Selection, Stop, pour};
use crate::inspect::{MAX_NODES, Report};
use crate::output::Output;

/// What is inside of a gzip file, if that is of a format that this build knows. A file that is broken is shown as what it is.
pub fn unwrapped(bytes: &[u8], limits: &Limits) -> Option<Vec<u8>> {
    let Probe::Match(Format::Gzip) = probe(bytes) else { return None };
    let mut start = [0; PROBE_LEN];
    let (mut ws, mut window) = (Workspace::new(), [0; WINDOW_SIZE]);
    let step = Decoder::new(&mut ws, &mut window, limits).step(bytes, End::Here, &mut start).ok()?;
    let Probe::Match(_) = probe(start.get(..step.wrote)?) else { return None };
    decode_to_vec(bytes, &mut ws, limits, &mut ()).ok()
}

pub fn inspect(bytes: &[u8], limits: &Limits) -> Report {
    let mut report = Report::new(Format::Gzip, Tree::new(MAX_NODES));
    if let Ok(Header { name: Some(name), .. }) = Header::read(bytes, 0, limits) {
        // Latin-1 by the letter of the format; what is UTF-8 was meant as that.
        let latin = || name.iter().map(|&byte| char::from(byte)).collect();
        report.fact("name", std::str::from_utf8(name).map_or_else(|_| latin(), str::to_owned));
    }
    match decode_to_vec(bytes, &mut Workspace::new(), limits, &mut report.tree) {
        Ok(inside) => {
            report.decoded = u64::try_from(inside.len()).ok();
            let members = report.tree.nodes().iter().filter(|node| node.depth == 0 && node.part.is_none()).count();
            report.fact("members", members);
            report.checksums = Some(checksums(u64::try_from(members).unwrap_or(0)));
        }
        Err(error) => report.error = Some(error),
    }
    report
}

fn checksums(members: u64) -> Checksums {
    Checksums { name: "CRC-32", right: members, absent: 0 }
}

pub fn decode(bytes: &[u8], wanted: &Selection<'_>, limits: &Limits, to: &mut Output) -> Result<(), Stop> {
    if wanted.column.is_some()
        || wanted.rows.is_some()
        || wanted.section.is_some()
        || wanted.text
        || wanted.dictionary.is_some()
    {
        return Err(Stop::Usage(
            "this gzip file holds plain bytes: no columns, no rows, no text, no dictionary".to_owned(),
        ));
    }
    stream(bytes, limits, to)?;
    Ok(())
}

/// Decodes piece by piece; gives the number of members.
fn stream(bytes: &[u8], limits: &Limits, to: &mut impl Sink) -> Result<u64, Error> {
    let (mut ws, mut window) = (Workspace::new(), [0; WINDOW_SIZE]);
    let mut decoder = Decoder::new(&mut ws, &mut window, limits);
    pour(bytes, |rest, piece| decoder.step(rest, End::Here, piece), to)?;
    Ok(decoder.members())
}

pub fn check(bytes: &[u8], limits: &Limits, to: &mut impl Sink) -> Result<Checksums, Error> {
    Ok(checksums(stream(bytes, limits, to)?))
}

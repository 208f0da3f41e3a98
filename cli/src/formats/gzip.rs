//! gzip on the command line: a wrapping that is taken off where something known is inside.

use unspool::gzip::{Header, Workspace, decode_to_vec};
use unspool::tree::Tree;
use unspool::{Error, Format, Limits, Probe, Sink, probe};

use super::{Checksums, Selection, Stop, in_pieces};
use crate::inspect::{MAX_NODES, Report};
use crate::output::Output;

/// What is inside of a gzip file, if that is of a format that this build knows. A file that is broken is shown as what it is.
pub fn unwrapped(bytes: &[u8], limits: &Limits) -> Option<Vec<u8>> {
    let Probe::Match(Format::Gzip) = probe(bytes) else { return None };
    let inside = decode_to_vec(bytes, &mut Workspace::new(), limits, &mut ()).ok()?;
    matches!(probe(&inside), Probe::Match(_)).then_some(inside)
}

pub fn inspect(bytes: &[u8], limits: &Limits) -> Report {
    let mut report = Report::new(Format::Gzip, Tree::new(MAX_NODES));
    if let Ok(Header { name: Some(name), .. }) = Header::read(bytes, 0, limits) {
        report.fact("name", name.iter().map(|&byte| char::from(byte)).collect::<String>());
    }
    match decode_to_vec(bytes, &mut Workspace::new(), limits, &mut report.tree) {
        Ok(inside) => {
            report.decoded = u64::try_from(inside.len()).ok();
            let members = report.tree.nodes().iter().filter(|node| node.depth == 0 && node.part.is_none()).count();
            report.fact("members", members);
            report.checksums = Some(checksums(members));
        }
        Err(error) => report.error = Some(error),
    }
    report
}

fn checksums(members: usize) -> Checksums {
    Checksums { name: "CRC-32", right: u64::try_from(members).unwrap_or(0), absent: 0 }
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
    let out = decode_to_vec(bytes, &mut Workspace::new(), limits, &mut ())?;
    to.expect(u64::try_from(out.len()).unwrap_or(0));
    in_pieces(&out, to)?;
    Ok(())
}

pub fn check(bytes: &[u8], limits: &Limits, to: &mut impl Sink) -> Result<Checksums, Error> {
    let mut tree = Tree::new(MAX_NODES);
    to.write(&decode_to_vec(bytes, &mut Workspace::new(), limits, &mut tree)?)?;
    Ok(checksums(tree.nodes().iter().filter(|node| node.depth == 0 && node.part.is_none()).count()))
}

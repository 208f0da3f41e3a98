//! AT-1 as a device uses it: queries a table in flash row by row, and prints all of its lines.
#![no_std]
#![no_main]

use firmware::{Test, damage, entry, file};
use unspool::at1::{Ask, ColumnRef, Filter, Next, Options, Query, Request, Test as Must, Workspace, decode_to};
use unspool::{Class, Error, ErrorKind, Result};

// 129 lines of a number, a decimal and a word, in groups of 64; and a table that is read as a
// whole, with its lines.
file!(GROUPS, "../../../vectors/at1/c7_rgbound_129_of_64.at1");
file!(LINES, "../../../vectors/at1/c7_rgbound_129_of_64.orig");
file!(TABLE, "../../../vectors/at1/c4_all_quoted.at1");
file!(QUOTED, "../../../vectors/at1/c4_all_quoted.orig");

#[entry]
fn main() -> ! {
    static mut WORKSPACE: Workspace = Workspace::new();
    static mut SCRATCH: [u8; 16384] = [0; 16384];
    static mut COPY: [u8; 1042] = [0; 1042];

    let mut test = Test::new("at1");
    for (name, bytes, lines) in [("groups", GROUPS.get(), LINES.get()), ("table", TABLE.get(), QUOTED.get())] {
        test.case(name, || decodes(bytes, lines, WORKSPACE, SCRATCH).is_ok(), lines.len());
        test.case(name, || every_end(bytes, lines, WORKSPACE, SCRATCH), 1);
    }
    test.case("wrong bits", || wrong_bits(GROUPS.get(), COPY, WORKSPACE, SCRATCH) == damage::AT1, 1);
    test.case("rows", || rows(GROUPS.get(), LINES.get(), WORKSPACE, SCRATCH) == Ok((3, 1)), 3 * 14);
    test.finish()
}

/// Compares lines as they arrive.
fn decodes(bytes: &[u8], lines: &[u8], workspace: &mut Workspace, scratch: &mut [u8]) -> Result<()> {
    let mut rest = lines;
    let mut sink = |piece: &[u8]| {
        rest = rest.strip_prefix(piece).ok_or(Error::new(ErrorKind::SinkFull, 0))?;
        Ok(())
    };
    decode_to(bytes, &mut sink, workspace, scratch, &Options::DEFAULT)?;
    if rest.is_empty() { Ok(()) } else { Err(Error::new(ErrorKind::SinkFull, 0)) }
}

/// A file cut at any byte is an error, and the device goes on.
fn every_end(bytes: &[u8], lines: &[u8], workspace: &mut Workspace, scratch: &mut [u8]) -> bool {
    (0..bytes.len()).step_by(97).all(|end| {
        let bytes = bytes.get(..end).unwrap_or(&[]);
        decodes(bytes, lines, workspace, scratch).is_err_and(|error| error.class() != Class::Misuse)
    })
}

/// Returns the answers to a file with one wrong bit.
fn wrong_bits(file: &[u8], copy: &mut [u8], workspace: &mut Workspace, scratch: &mut [u8]) -> u32 {
    damage::answers(file, copy, |bytes, sink| decode_to(bytes, sink, workspace, scratch, &Options::DEFAULT).map(drop))
}

/// Counts the rows from number 100 on with the word `beta`, and the groups that the query skipped.
/// Each requested range is copied from flash, as from a remote file.
fn rows(file: &[u8], lines: &[u8], workspace: &mut Workspace, scratch: &mut [u8]) -> Result<(usize, u64)> {
    let from_100 = Filter { column: ColumnRef::Number(0), test: Must::Range { low: Some(b"100"), high: None } };
    let filters = [from_100, Filter { column: ColumnRef::Number(2), test: Must::Equal(b"beta") }];
    let request = Request { filters: &filters, ask: Ask::Rows, limit: u64::MAX };
    let head = file.get(..512).unwrap_or(file);
    let mut query = Query::new(request, &Options::DEFAULT);
    query.open(head, workspace, scratch)?;
    let (mut at, mut piece, mut count): (u64, &[u8], usize) = (0, &[], 0);
    loop {
        match query.step(at, piece, workspace, scratch)? {
            Next::Nothing => return Ok((count, query.stats().skipped)),
            Next::Bytes(range) => {
                at = range.start;
                let [start, end] = [range.start, range.end].map(|at| usize::try_from(at).unwrap_or(usize::MAX));
                piece = file.get(start..end).ok_or(Error::new(ErrorKind::Truncated, range.start))?;
            }
            Next::Row => {
                let Some(row) = query.row(scratch) else { continue };
                let number = usize::try_from(row.number()).unwrap_or(usize::MAX);
                let mut rest = lines.split(|&byte| byte == b'\n').nth(number).unwrap_or_default();
                row.write_line(&mut |part: &[u8]| {
                    rest = rest.strip_prefix(part).ok_or(Error::new(ErrorKind::SinkFull, 0))?;
                    Ok(())
                })?;
                count = count.saturating_add(usize::from(rest.is_empty()));
            }
        }
    }
}

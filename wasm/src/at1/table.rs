//! What the head of a table tells before any question: its columns, its row groups, and between which values each block lies.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use unspool::at1::qcolumnar::{ColumnType, Index, Meta, Zone};
use unspool::at1::qjson::Paths;
use unspool::at1::{Backend, Codec, Container, Entry, HEADER_LEN, Header, Lines, Set, Stream, Workspace};
use unspool::{Error, ErrorKind, Limits, Result};
use wasm_bindgen::prelude::*;

use crate::fault::Fault;
use crate::number;

/// What a table looks like from outside.
#[wasm_bindgen]
#[derive(Default)]
pub struct At1Table {
    codec: &'static str,
    numbers: [f64; 4],
    names: Vec<u8>,
    name_ends: Vec<u32>,
    types: Vec<u8>,
    ends: Vec<f64>,
    lows: Vec<f64>,
    highs: Vec<f64>,
}

/// Reads the head of a table. A head that is too short is refused with how long it must be.
#[wasm_bindgen]
pub fn at1_table(head: &[u8], limits: &[f64]) -> core::result::Result<At1Table, Fault> {
    Ok(table(head, &crate::limits(limits))?)
}

// What is long is given away once.
#[wasm_bindgen]
impl At1Table {
    /// The name of the codec.
    pub fn codec(&self) -> String {
        self.codec.to_owned()
    }

    /// Lines, rows, rows of a group; and the byte of the file at which the first block starts, or -1 where all blocks are compressed
    /// as one.
    pub fn numbers(&self) -> Vec<f64> {
        self.numbers.to_vec()
    }

    /// The names of the columns, one behind the other; none if the head does not tell.
    pub fn names(&mut self) -> Vec<u8> {
        core::mem::take(&mut self.names)
    }

    /// Where each name ends.
    pub fn name_ends(&mut self) -> Vec<u32> {
        core::mem::take(&mut self.name_ends)
    }

    /// What each column holds: 0 text, 1 integers, 2 decimals.
    pub fn types(&mut self) -> Vec<u8> {
        core::mem::take(&mut self.types)
    }

    /// Where each block ends, counted from the first: all columns of group 0, of group 1 and so on.
    pub fn ends(&mut self) -> Vec<f64> {
        core::mem::take(&mut self.ends)
    }

    /// The lowest value of each block; NaN where it has none.
    pub fn lows(&mut self) -> Vec<f64> {
        core::mem::take(&mut self.lows)
    }

    /// The highest value of each block.
    pub fn highs(&mut self) -> Vec<f64> {
        core::mem::take(&mut self.highs)
    }
}

fn table(head: &[u8], limits: &Limits) -> Result<At1Table> {
    let header = Header::read_start(head)?;
    if header.container == Container::Frames {
        return Err(Error::new(ErrorKind::At1QueryFrames, 3));
    }
    let delimited = match header.codec {
        Codec::QColumnar => true,
        Codec::QJson => false,
        _ => return Err(Error::new(ErrorKind::At1NotQueryable, 4)),
    };
    let entries = find(head, limits)?;
    let mut ws = Box::new(Workspace::new());
    let mut bytes = [const { vec![] }; 5];
    for (entry, bytes) in entries.iter().zip(&mut bytes) {
        if let Some(entry) = entry {
            *bytes = decoded(entry, head, &mut ws, limits)?;
        }
    }
    let [meta, index, paths, modes, verbatim] = core::array::from_fn(|i| stream(entries.get(i), bytes.get(i)));
    let meta = Meta::read(meta, delimited, limits)?;
    let (backend, start) = match entries {
        [.., Some(blocks)] => (blocks.backend, number::from_u64(blocks.start)),
        _ => (Backend::Stored, 0.0),
    };
    let start = if backend == Backend::Stored { start } else { -1.0 };
    let [lines, rows, group] = [meta.lines, meta.rows, meta.rows_per_group].map(number::from_u64);
    let mut found =
        At1Table { codec: header.codec.name(), numbers: [lines, rows, group, start], ..At1Table::default() };
    for column in 0..meta.columns() {
        found.types.push(match meta.column_type(column) {
            Some(ColumnType::Integer) => 1,
            Some(ColumnType::Decimal) => 2,
            _ => 0,
        });
    }
    if !delimited {
        Paths::open(paths)?.iter().take(meta.columns()).for_each(|path| found.name(path));
    } else if meta.lines > 0
        && modes.bytes.first() == Some(&0)
        && let Some(line) = Lines::new(verbatim).next()
    {
        found.line_of_names(line, &meta);
    }
    for block in Index::new(index, &meta) {
        let block = block?;
        let (low, high) = match block.zone {
            Zone::None => (f64::NAN, f64::NAN),
            Zone::Integer(low, high) => (number::from_i64(low), number::from_i64(high)),
            Zone::Decimal(low, high) => (low, high),
        };
        found.ends.push(number::from_u64(block.range.end));
        found.lows.push(low);
        found.highs.push(high);
    }
    Ok(found)
}

impl At1Table {
    fn name(&mut self, name: &[u8]) {
        self.names.extend_from_slice(name);
        self.name_ends.push(u32::try_from(self.names.len()).unwrap_or(u32::MAX));
    }

    /// The fields of a line are the names if there are as many as columns.
    fn line_of_names(&mut self, line: &[u8], meta: &Meta<'_>) {
        let mut rest = line;
        loop {
            let len = meta.delimiter.len();
            let cut = if len == 0 { None } else { rest.windows(len).position(|window| window == meta.delimiter) };
            let Some(cut) = cut else { break };
            self.name(rest.get(..cut).unwrap_or_default());
            rest = rest.get(cut.saturating_add(len)..).unwrap_or_default();
        }
        self.name(rest);
        if self.name_ends.len() != meta.columns() {
            self.names.clear();
            self.name_ends.clear();
        }
    }
}

/// The streams that describe the table, and last the blocks, which stand behind them.
fn find<'a>(head: &'a [u8], limits: &Limits) -> Result<[Option<Entry<'a>>; 6]> {
    const NAMES: [&[u8]; 6] = [b"meta", b"index", b"paths", b"row_modes", b"verbatim", b"blocks"];
    let mut found = [None; 6];
    for entry in Set::open(head, HEADER_LEN, u64::MAX, limits)?.entries() {
        let entry = entry?;
        let Some((_, place)) = NAMES.iter().zip(&mut found).find(|(name, _)| **name == entry.name) else { continue };
        if place.replace(entry).is_some() {
            return Err(Error::new(ErrorKind::At1StreamTwice, entry.at));
        }
        if entry.name == b"blocks" {
            break;
        }
        entry.payload(head)?;
    }
    Ok(found)
}

/// A stream that is all there, decoded: what it lacks, no longer head would have.
pub(super) fn decoded(entry: &Entry<'_>, head: &[u8], ws: &mut Workspace, limits: &Limits) -> Result<Vec<u8>> {
    let inside = |error: Error| match error.kind {
        ErrorKind::Truncated => Error { kind: ErrorKind::At1ContentSize, ..error },
        _ => error,
    };
    let size = number::index(entry.decoded_size(head, limits).map_err(inside)?);
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(size).map_err(|_| Error::new(ErrorKind::OutputLimit, entry.at))?;
    bytes.resize(size, 0);
    entry.decode(head, &mut bytes, ws, limits).map_err(inside)?;
    Ok(bytes)
}

fn stream<'a>(entry: Option<&Option<Entry<'_>>>, bytes: Option<&'a Vec<u8>>) -> Stream<'a> {
    let entry = entry.and_then(Option::as_ref);
    let stored = entry.is_some_and(|entry| entry.backend == Backend::Stored);
    Stream::new(bytes.map_or(&[], Vec::as_slice), entry.map_or(0, |entry| entry.start), stored)
}

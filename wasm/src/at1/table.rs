//! Reads the head of a table: columns, row groups, and the zone map of each block.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use unspool::at1::qcolumnar::{ColumnType, Zone};
use unspool::at1::{Backend, Options, TableHead, Workspace, grow};
use unspool::{Limits, Result};
use wasm_bindgen::prelude::*;

use crate::fault::Fault;
use crate::number;

/// The layout of a table.
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

/// Reads the head of a table. If the head is too short, the error holds the length it needs.
#[wasm_bindgen]
pub fn at1_table(head: &[u8], limits: &[f64]) -> core::result::Result<At1Table, Fault> {
    Ok(table(head, &crate::limits(limits))?)
}

// Long arrays can be taken once.
#[wasm_bindgen]
impl At1Table {
    /// Returns the name of the codec.
    pub fn codec(&self) -> String {
        self.codec.to_owned()
    }

    /// Returns lines, rows, rows per group, and the file offset of the first block, or -1 if all
    /// blocks are compressed as one.
    pub fn numbers(&self) -> Vec<f64> {
        self.numbers.to_vec()
    }

    /// Returns the column names, concatenated; empty if the head has none.
    pub fn names(&mut self) -> Vec<u8> {
        core::mem::take(&mut self.names)
    }

    /// Returns the end of each name.
    pub fn name_ends(&mut self) -> Vec<u32> {
        core::mem::take(&mut self.name_ends)
    }

    /// Returns the type of each column: 0 text, 1 integers, 2 decimals.
    pub fn types(&mut self) -> Vec<u8> {
        core::mem::take(&mut self.types)
    }

    /// Returns the end of each block relative to the first block: all columns of group 0, then of
    /// group 1, and so on.
    pub fn ends(&mut self) -> Vec<f64> {
        core::mem::take(&mut self.ends)
    }

    /// Returns the lowest value of each block; NaN if it has none.
    pub fn lows(&mut self) -> Vec<f64> {
        core::mem::take(&mut self.lows)
    }

    /// Returns the highest value of each block; NaN if it has none.
    pub fn highs(&mut self) -> Vec<f64> {
        core::mem::take(&mut self.highs)
    }
}

fn table(head: &[u8], limits: &Limits) -> Result<At1Table> {
    let (mut scratch, mut workspace) = (vec![], Box::new(Workspace::new()));
    let options = Options { limits: *limits, ..Options::DEFAULT };
    let known = loop {
        match TableHead::read(head, &mut workspace, &mut scratch, &options) {
            Ok(known) => break known,
            Err(error) => grow(&mut scratch, error)?,
        }
    };
    let meta = known.meta(&scratch, limits)?;
    let start = match known.blocks() {
        (Backend::Stored, blocks) => number::from_u64(blocks.start),
        _ => -1.0,
    };
    let [lines, rows, group] = [meta.lines, meta.rows, meta.rows_per_group].map(number::from_u64);
    let mut found =
        At1Table { codec: known.codec().name(), numbers: [lines, rows, group, start], ..At1Table::default() };
    for column in 0..meta.columns() {
        found.types.push(match meta.column_type(column) {
            Some(ColumnType::Integer) => 1,
            Some(ColumnType::Decimal) => 2,
            _ => 0,
        });
    }
    known.each_name(&scratch, &meta, |name| {
        found.names.extend_from_slice(name);
        found.name_ends.push(u32::try_from(found.names.len()).unwrap_or(u32::MAX));
    })?;
    for block in known.index(&scratch, &meta) {
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

//! CVC: describes the header, and decodes rows of a file that the caller reads in pieces.

mod columns;
mod fill;
mod reader;

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use unspool::cvc::{self, Dtype, File, Workspace};
use unspool::{Error, ErrorKind};
use wasm_bindgen::prelude::*;

pub use columns::cvc_columns;
pub use reader::Reader;

use crate::fault::Fault;
use crate::number;

/// Returns the number of bytes from which the length of the head can be read.
#[wasm_bindgen]
pub fn cvc_framing_len() -> f64 {
    number::from_len(cvc::Header::LEN)
}

/// Returns the length of the head.
#[wasm_bindgen]
pub fn cvc_head_len(prefix: &[u8], limits: &[f64]) -> Result<f64, Fault> {
    Ok(number::from_u64(cvc::Header::read(prefix, &crate::limits(limits))?.head_len()))
}

/// Returns the header as three JSON arrays in UTF-8: eight numbers that concern the file, then the
/// columns, then the sections. Each list starts with a 0, which is no item.
#[wasm_bindgen]
pub fn cvc_describe(head: &[u8], limits: &[f64]) -> Result<Vec<u8>, Fault> {
    let file = File::open(head, &crate::limits(limits))?;
    let mut json = b"[[0".to_vec();
    let flags = [file.is_columnar(), file.is_mmap_optimized(), file.has_checksums()].map(u64::from);
    push_numbers(&mut json, &[file.version().major, file.version().minor].map(u64::from));
    push_numbers(&mut json, &[file.num_vectors(), file.chunk_count(), file.head_len()]);
    push_numbers(&mut json, &flags);
    push(&mut json, &[b"],[0"]);
    each_column(&file, &mut |column| {
        let dtype = column.dtype().map_or("", Dtype::name).as_bytes();
        // Strings are passed with the escapes of the file.
        let [name, compression] = [column.name().as_bytes(), column.compression().as_bytes()];
        push(&mut json, &[b",[\"", name, b"\",\"", dtype, b"\",\"", compression, b"\""]);
        push_numbers(&mut json, &[column.dimension()]);
        push(&mut json, &[b"]"]);
        Ok(())
    })?;
    push(&mut json, &[b"],[0"]);
    for section in file.sections() {
        let section = section?;
        let metadata = section.metadata.raw();
        push(&mut json, &[b",[0"]);
        push_numbers(&mut json, &[section.rows.start, section.rows.end]);
        let comma: &[u8] = if metadata.is_empty() { b"" } else { b"," };
        push(&mut json, &[comma, metadata, b"]"]);
    }
    push(&mut json, &[b"]]"]);
    Ok(json)
}

fn push(json: &mut Vec<u8>, texts: &[&[u8]]) {
    for text in texts {
        json.extend_from_slice(text);
    }
}

fn push_numbers(json: &mut Vec<u8>, numbers: &[u64]) {
    for &number in numbers {
        push(json, &[b","]);
        number::each_digit(number, &mut |digit| push(json, &[&[digit]]));
    }
}

/// Returns the end row of each chunk.
#[wasm_bindgen]
pub fn cvc_chunk_ends(head: &[u8], limits: &[f64]) -> Result<Vec<f64>, Fault> {
    let file = File::open(head, &crate::limits(limits))?;
    let mut ends = vec![];
    for chunk in file.chunks() {
        ends.push(number::from_u64(chunk?.rows.end));
    }
    Ok(ends)
}

/// Returns the number of the type that a column decodes to; for column -1, those of all columns.
#[wasm_bindgen]
pub fn cvc_outputs(head: &[u8], column: f64, limits: &[f64]) -> Result<Vec<u8>, Fault> {
    let file = File::open(head, &crate::limits(limits))?;
    let types = if column < 0.0 { outputs(&file)? } else { vec![nth(&file, column)?.output()?] };
    Ok(types.iter().map(|dtype| *dtype as u8).collect())
}

/// Finds the types that all columns decode to, chunk by chunk: searching each chunk for each column
/// would take quadratic time.
fn outputs(file: &File<'_>) -> Result<Vec<Dtype>, Error> {
    let (mut types, mut table) = (vec![], table(file));
    file.each_output(&mut Workspace::with_table(&mut table), |position, _, output| {
        match types.get_mut(position) {
            None => types.push(output),
            Some(known) if *known != output => *known = Dtype::F32,
            Some(_) => {}
        }
        Ok(())
    })?;
    if file.chunk_count() == 0 {
        each_column(file, &mut |column| {
            types.push(column.output()?);
            Ok(())
        })?;
    }
    Ok(types)
}

/// Calls `visit` with each column. A module has one copy of the walk.
#[inline(never)]
fn each_column(file: &File<'_>, visit: &mut dyn FnMut(&cvc::Column<'_>) -> Result<(), Error>) -> Result<(), Error> {
    file.columns().try_for_each(|column| visit(&column?))
}

/// Allocates the workspace of a walk over all columns.
fn table(file: &File<'_>) -> Vec<u32> {
    vec![0; number::index(file.workspace_len())]
}

/// Returns a column by index: names may repeat, and a column may have no known type.
fn nth<'a>(file: &File<'a>, column: f64) -> Result<cvc::Column<'a>, Error> {
    let column = file.columns().nth(number::index(number::to_u64(column)));
    column.ok_or(Error::new(ErrorKind::CvcNoSuchColumn, 0))?
}

/// Returns the length of a range.
const fn len(range: &Range<u64>) -> u64 {
    range.end.saturating_sub(range.start)
}

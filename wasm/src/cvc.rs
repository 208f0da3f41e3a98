//! CVC: describes the header, and decodes rows of a file that the caller reads in pieces.

mod columns;
mod fill;
mod reader;

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use unspool::cvc::{self, Dtype, File, Workspace};
use unspool::tree::write_json_string;
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

/// Returns the header as JSON.
#[wasm_bindgen]
pub fn cvc_describe(head: &[u8], limits: &[f64]) -> Result<String, Fault> {
    let file = File::open(head, &crate::limits(limits))?;
    let mut json = String::new();
    json.push_str("{\"version\":[");
    number::push_decimal(&mut json, file.version().major.into());
    json.push(',');
    number::push_decimal(&mut json, file.version().minor.into());
    json.push(']');
    push_numbers(
        &mut json,
        &[
            (",\"rows\":", file.num_vectors()),
            (",\"chunkCount\":", file.chunk_count()),
            (",\"headLength\":", file.head_len()),
        ],
    );
    for (key, flag) in [
        (",\"columnar\":", file.is_columnar()),
        (",\"mmapOptimized\":", file.is_mmap_optimized()),
        (",\"checksums\":", file.has_checksums()),
    ] {
        json.push_str(key);
        json.push_str(if flag { "true" } else { "false" });
    }
    json.push_str(",\"columns\":[");
    for (index, column) in file.columns().enumerate() {
        let column = column?;
        json.push_str(if index > 0 { ",{\"name\":" } else { "{\"name\":" });
        push_text(&mut json, &column.name().chars().collect::<String>());
        push_numbers(&mut json, &[(",\"dimension\":", column.dimension())]);
        json.push_str(",\"dtype\":");
        match column.dtype() {
            Some(dtype) => push_text(&mut json, dtype.name()),
            None => json.push_str("null"),
        }
        json.push_str(",\"compression\":");
        push_text(&mut json, &column.compression().chars().collect::<String>());
        json.push('}');
    }
    json.push_str("],\"sections\":[");
    for (index, section) in file.sections().enumerate() {
        let section = section?;
        json.push_str(if index > 0 { ",{\"metadata\":" } else { "{\"metadata\":" });
        // Passed as a string: a file may contain NaN, which `JSON.parse` refuses.
        push_text(&mut json, core::str::from_utf8(section.metadata.raw()).unwrap_or(""));
        push_numbers(&mut json, &[(",\"start\":", section.rows.start), (",\"end\":", section.rows.end)]);
        json.push('}');
    }
    json.push_str("]}");
    Ok(json)
}

fn push_numbers(json: &mut String, members: &[(&str, u64)]) {
    for &(key, number) in members {
        json.push_str(key);
        number::push_decimal(json, number);
    }
}

fn push_text(json: &mut String, text: &str) {
    // Writing to a string cannot fail.
    let _ = write_json_string(json, text);
}

/// Returns the end row of each chunk.
#[wasm_bindgen]
pub fn cvc_chunk_ends(head: &[u8], limits: &[f64]) -> Result<Vec<f64>, Fault> {
    let file = File::open(head, &crate::limits(limits))?;
    let ends = file.chunks().map(|chunk| Ok(number::from_u64(chunk?.rows.end))).collect::<Result<_, Error>>()?;
    Ok(ends)
}

/// Returns the number of the type that a column decodes to; for column -1, those of all columns.
#[wasm_bindgen]
pub fn cvc_outputs(head: &[u8], column: f64, limits: &[f64]) -> Result<Vec<u8>, Fault> {
    let file = File::open(head, &crate::limits(limits))?;
    let types = if column < 0.0 { outputs(&file)? } else { vec![nth(&file, column)?.output()?] };
    Ok(types.into_iter().map(|dtype| dtype as u8).collect())
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
        types = file.columns().map(|column| column?.output()).collect::<Result<_, _>>()?;
    }
    Ok(types)
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

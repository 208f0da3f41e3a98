//! CVC: what the header says, and rows out of a file that the caller reads piece by piece.

mod reader;

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt::Write;
use core::ops::Range;

use unspool::cvc::{self, File};
use unspool::tree::write_json_string;
use unspool::{Error, ErrorKind};
use wasm_bindgen::prelude::*;

pub use reader::Reader;

use crate::fault::Fault;
use crate::into::Output;
use crate::js::Uint8Array;
use crate::number;

/// How many bytes of a file tell how long its head is.
#[wasm_bindgen]
pub fn cvc_framing_len() -> f64 {
    number::from_len(cvc::FRAMING_LEN)
}

/// The length of the head.
#[wasm_bindgen]
pub fn cvc_head_len(prefix: &[u8], limits: &[f64]) -> Result<f64, Fault> {
    Ok(number::from_u64(cvc::head_len(prefix, &crate::limits(limits))?))
}

/// What the header says, as JSON for the TypeScript side.
#[wasm_bindgen]
pub fn cvc_describe(head: &[u8], limits: &[f64]) -> Result<String, Fault> {
    let file = File::open(head, &crate::limits(limits))?;
    let mut json = String::new();
    match describe(&file, &mut json)? {
        Ok(()) => Ok(json),
        Err(core::fmt::Error) => Err(Error::new(ErrorKind::SinkFull, 0).into()),
    }
}

fn describe(file: &File<'_>, json: &mut String) -> Result<core::fmt::Result, Error> {
    let mut columns = vec![];
    for column in file.columns() {
        columns.push(column?);
    }
    let mut sections = vec![];
    for section in file.sections() {
        sections.push(section?);
    }
    let mut write = || {
        let version = file.version();
        write!(json, "{{\"version\":[{},{}],", version.major, version.minor)?;
        write!(json, "\"rows\":{},\"chunkCount\":{},", file.num_vectors(), file.chunk_count())?;
        write!(json, "\"columnar\":{},\"mmapOptimized\":{},", file.is_columnar(), file.is_mmap_optimized())?;
        write!(json, "\"checksums\":{},\"headLength\":{},", file.has_checksums(), file.head_len())?;
        json.push_str("\"columns\":[");
        for (index, column) in columns.iter().enumerate() {
            json.push_str(if index > 0 { ",{\"name\":" } else { "{\"name\":" });
            write_json_string(json, &column.name().to_string())?;
            write!(json, ",\"dimension\":{},\"dtype\":", column.dimension())?;
            match column.dtype() {
                Some(dtype) => write_json_string(json, dtype.name())?,
                None => json.push_str("null"),
            }
            json.push_str(",\"compression\":");
            write_json_string(json, &column.compression().to_string())?;
            json.push('}');
        }
        json.push_str("],\"sections\":[");
        for (index, section) in sections.iter().enumerate() {
            json.push_str(if index > 0 { ",{" } else { "{" });
            write!(json, "\"start\":{},\"end\":{},\"metadata\":", section.rows.start, section.rows.end)?;
            // As a string, because a file may say NaN, which JavaScript's JSON refuses.
            write_json_string(json, core::str::from_utf8(section.metadata.raw()).unwrap_or(""))?;
            json.push('}');
        }
        json.push_str("]}");
        Ok(())
    };
    Ok(write())
}

/// The row behind the last one of each chunk.
#[wasm_bindgen]
pub fn cvc_chunk_ends(head: &[u8], limits: &[f64]) -> Result<Vec<f64>, Fault> {
    let file = File::open(head, &crate::limits(limits))?;
    let ends = file.chunks().map(|chunk| Ok(number::from_u64(chunk?.rows.end))).collect::<Result<_, Error>>()?;
    Ok(ends)
}

/// The type that a column decodes to.
#[wasm_bindgen]
pub fn cvc_output(head: &[u8], column: f64, limits: &[f64]) -> Result<String, Fault> {
    let file = File::open(head, &crate::limits(limits))?;
    Ok(nth(&file, column)?.output()?.name().to_owned())
}

/// A column by its place in the schema: names may repeat, and some cannot be typed.
fn nth<'a>(file: &File<'a>, column: f64) -> Result<cvc::Column<'a>, Error> {
    let column = file.columns().nth(number::index(number::to_u64(column)));
    column.ok_or(Error::new(ErrorKind::CvcNoSuchColumn, 0))?
}

/// The length of a range of bytes.
const fn len(range: &Range<u64>) -> u64 {
    range.end.saturating_sub(range.start)
}

/// Decodes rows of a column to the start of `to`, as little-endian bytes of its own type or, if `as_f32`, of f32. Gives how many
/// bytes were written.
#[wasm_bindgen]
#[allow(clippy::too_many_arguments, reason = "one call across the border is cheaper than building an object for it")]
pub fn cvc_decode_into(
    bytes: &[u8],
    to: &Uint8Array,
    column: f64,
    first: f64,
    last: f64,
    as_f32: bool,
    verify: bool,
    limits: &[f64],
) -> Result<f64, Fault> {
    let file = File::open(bytes, &crate::limits(limits))?;
    let column = nth(&file, column)?;
    let rows = number::to_u64(first)..number::to_u64(last);
    let crc = if verify { cvc::Crc::Verify } else { cvc::Crc::Skip };
    let output = column.output()?;
    let plain = !as_f32 || output == cvc::Dtype::F32;
    let width = if plain { output.width() } else { 4 };
    let size = len(&rows).checked_mul(column.dimension()).and_then(|values| values.checked_mul(width));
    let size = size.ok_or(Error::new(ErrorKind::SizeOverflow, 0))?;
    let written = Output::fill(to, |output| {
        output.piece(size, 0, 0, |to, _| {
            if plain {
                return column.decode_bytes(bytes, rows, to, crc).map(drop);
            }
            let mut values = vec![0.0f32; to.len() / 4];
            column.decode_f32(bytes, rows, &mut values, crc)?;
            to.chunks_exact_mut(4).zip(values).for_each(|(to, value)| to.copy_from_slice(&value.to_le_bytes()));
            Ok(())
        })
    });
    Ok(written?)
}

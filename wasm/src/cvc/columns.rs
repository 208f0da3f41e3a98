//! Decodes all columns of a file in memory. Decoding each alone would search the chunks for it,
//! which takes quadratic time for many columns.

use alloc::vec;

use unspool::cvc::{Column, File, Piece, Workspace};
use unspool::{Checksums, Error, ErrorKind, Limits, Result, Verify};
use wasm_bindgen::prelude::*;

use super::fill::{Filler, size_of};
use super::{outputs, table};
use crate::fault::Fault;
use crate::js::{Uint8Array, Values};
use crate::number;

/// Decodes all columns of a file in memory, chunk by chunk. Returns pairs of a type number and
/// little-endian values, one pair for each column.
#[wasm_bindgen]
pub fn cvc_columns(bytes: &[u8], verify: bool, limits: &[f64]) -> core::result::Result<Values, Fault> {
    Ok(columns(bytes, if verify { Verify::Refuse } else { Verify::Skip }, &crate::limits(limits))?)
}

fn columns(bytes: &[u8], verify: Verify, limits: &Limits) -> Result<Values> {
    let file = File::open(bytes, limits)?;
    let mut table = table(&file);
    let mut workspace = Workspace::with_table(&mut table);
    let (mut fillers, mut sizes) = (vec![], vec![]);
    for (column, dtype) in file.columns().zip(outputs(&file)?) {
        sizes.push(size_of(&column?, file.num_vectors(), dtype, limits)?);
        fillers.push(Filler::new(dtype, None));
    }
    // Nothing is allocated until the file has proved to be long enough. If it is not, the second
    // walk returns the error, or an earlier one in the data.
    for decodes in [false, true] {
        let read = |position: usize, _: &Column<'_>, piece: &Piece| {
            if !decodes {
                let (end, len) = (piece.range().end, number::from_len(bytes.len()));
                return if number::from_u64(end) <= len { Ok(()) } else { Err(Error::new(ErrorKind::Truncated, 0)) };
            }
            // One checksum covers all columns of a chunk.
            let verify = if position == 0 { verify } else { Verify::Skip };
            let payload = piece.read_from(&file, bytes, verify, &mut Checksums::default())?;
            fillers.get_mut(position).map_or(Ok(()), |filler| filler.fill(&payload))
        };
        match file.each_piece(bytes, &mut workspace, read) {
            Err(error) if decodes => return Err(error),
            Ok(()) if !decodes => {
                for (filler, size) in fillers.iter_mut().zip(&sizes) {
                    filler.output = Some(Uint8Array::with_length(number::from_u64(*size)));
                }
            }
            _ => {}
        }
    }
    let found = Values::new();
    for Filler { output, dtype, .. } in &fillers {
        output.iter().for_each(|output| found.push_both(*dtype as u8, output));
    }
    Ok(found)
}

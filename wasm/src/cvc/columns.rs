//! Decodes all columns of a file in memory. Decoding each alone would search the chunks for it,
//! which takes quadratic time for many columns.

use alloc::vec;
use alloc::vec::Vec;

use unspool::cvc::{Dtype, File, Workspace};
use unspool::{Checksums, Limits, Result, Verify};
use wasm_bindgen::prelude::*;

use super::fill::{Filler, read_piece, size_of};
use super::{each_column, outputs, table};
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
    let (mut shapes, mut sum) = (vec![], 0u64);
    let mut types = outputs(&file)?.into_iter();
    each_column(&file, &mut |column| {
        let dtype = types.next().unwrap_or(Dtype::F32);
        let size = size_of(column, file.num_vectors(), dtype, limits)?;
        sum = sum.saturating_add(size);
        shapes.push((dtype, number::from_u64(size)));
        Ok(())
    })?;
    // Values take at most eight times their stored bytes, unless columns share bytes. If the file
    // looks too short for them, it is decoded for its errors before anything is allocated.
    let mut allocates = sum / 8 <= u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    let mut table = table(&file);
    let mut workspace = Workspace::with_table(&mut table);
    loop {
        let output = |size| allocates.then(|| Uint8Array::with_length(size));
        let mut fillers: Vec<_> = shapes.iter().map(|&(dtype, size)| Filler::new(dtype, output(size))).collect();
        file.each_piece(bytes, &mut workspace, |position, _, piece| {
            // One checksum covers all columns of a chunk.
            let verify = if position == 0 { verify } else { Verify::Skip };
            let payload = read_piece(&file, piece, 0, bytes, verify, &mut Checksums::default())?;
            fillers.get_mut(position).map_or(Ok(()), |filler| filler.fill(&payload))
        })?;
        if allocates {
            let found = Values::new();
            for Filler { output, dtype, .. } in &fillers {
                output.iter().for_each(|output| found.push_both(*dtype as u8, output));
            }
            return Ok(found);
        }
        allocates = true;
    }
}

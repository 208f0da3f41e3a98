//! Decodes whole xz files.

use alloc::vec::Vec;

use unspool::xz::{Workspace, decode, decode_to_vec};
use wasm_bindgen::prelude::*;

use crate::fault::Fault;
use crate::into::Output;
use crate::js::Uint8Array;

/// Decodes all streams of a file.
#[wasm_bindgen]
pub fn xz_decode(bytes: &[u8], limits: &[f64]) -> Result<Vec<u8>, Fault> {
    Ok(decode_to_vec(bytes, &super::options(limits))?)
}

/// Decodes a whole file to the start of `to`. Returns the number of bytes written.
#[wasm_bindgen]
pub fn xz_decode_into(bytes: &[u8], to: &Uint8Array, limits: &[f64]) -> Result<f64, Fault> {
    let options = super::options(limits);
    // LZMA2 expands a byte to at most about 7,000 bytes, and a chunk to 2 MiB.
    let most = bytes.len().saturating_mul(8192).saturating_add(2 << 20);
    let decode = |room: &mut [u8]| Ok(decode(bytes, room, &mut Workspace::new(), &options, &mut ())?.wrote);
    Ok(Output::fill(to, |output| output.some(most, decode))?)
}

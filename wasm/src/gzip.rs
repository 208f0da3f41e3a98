//! gzip: what is inside.

use alloc::vec::Vec;
use unspool::gzip::{Workspace, decode, decode_to_vec};
use wasm_bindgen::prelude::*;

use crate::fault::Fault;
use crate::into::Output;
use crate::js::Uint8Array;

/// Decodes a whole file.
#[wasm_bindgen]
pub fn gzip_decode(bytes: &[u8], limits: &[f64]) -> Result<Vec<u8>, Fault> {
    Ok(decode_to_vec(bytes, &mut Workspace::new(), &crate::limits(limits), &mut ())?)
}

/// Decodes a whole file to the start of `to`. Gives how many bytes were written.
#[wasm_bindgen]
pub fn gzip_decode_into(bytes: &[u8], to: &Uint8Array, limits: &[f64]) -> Result<f64, Fault> {
    let limits = crate::limits(limits);
    Ok(Output::fill(to, |output| output.some(|room| Ok(decode(bytes, room, &mut Workspace::new(), &limits)?.wrote)))?)
}

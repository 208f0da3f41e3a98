//! gzip: what is inside.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::convert::Infallible;

use unspool::gzip::{Decoder, WINDOW_SIZE, Workspace, decode, decode_to_vec};
use unspool::{End, Limits, Result as Outcome, Step};
use wasm_bindgen::prelude::*;

use crate::fault::Fault;
use crate::into::Output;
use crate::js::Uint8Array;
use crate::stream::{Decode, Desk, Stream, Windows, serve};

/// Decodes a whole file.
#[wasm_bindgen]
pub fn gzip_decode(bytes: &[u8], limits: &[f64]) -> Result<Vec<u8>, Fault> {
    Ok(decode_to_vec(bytes, &mut Workspace::new(), &crate::limits(limits), &mut ())?)
}

/// Decodes a whole file to the start of `to`. Gives how many bytes were written.
#[wasm_bindgen]
pub fn gzip_decode_into(bytes: &[u8], to: &Uint8Array, limits: &[f64]) -> Result<f64, Fault> {
    let limits = crate::limits(limits);
    // Two bits of it hold 258 bytes.
    let most = bytes.len().saturating_mul(1032);
    let decode = |room: &mut [u8]| Ok(decode(bytes, room, &mut Workspace::new(), &limits)?.wrote);
    Ok(Output::fill(to, |output| output.some(most, decode))?)
}

/// A stream that decodes a file.
#[wasm_bindgen]
pub fn gzip_stream(limits: &[f64]) -> Stream {
    let limits = crate::limits(limits);
    Stream::new(|desk| run(desk, limits))
}

async fn run(desk: Desk, limits: Limits) -> Outcome<Infallible> {
    let (mut ws, mut window) = (Box::new(Workspace::new()), Box::new([0; WINDOW_SIZE]));
    let mut decoder = Decoder::new(&mut ws, &mut window, &limits);
    serve(&mut decoder, &mut Windows::default(), &desk).await
}

impl Decode<'_> for Decoder<'_> {
    fn step(&mut self, src: &[u8], end: End, dst: &mut [u8]) -> Outcome<Step> {
        self.step(src, end, dst)
    }
}

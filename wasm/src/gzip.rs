//! gzip: decodes files and streams.

#[cfg(feature = "inspect")]
mod blocks;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::convert::Infallible;

use unspool::gzip::{Decoder, Options, WINDOW_SIZE, Workspace, decode, decode_to_vec};
use unspool::{End, Result as Outcome, Step};
use wasm_bindgen::prelude::*;

use crate::fault::Fault;
use crate::into::Output;
use crate::js::Uint8Array;
use crate::stream::{Decode, Desk, Stream, Windows, serve};

#[cfg(feature = "inspect")]
pub use blocks::{GzipBlocks, gzip_block, gzip_blocks};

fn options(limits: &[f64]) -> Options {
    Options { limits: crate::limits(limits), ..Options::DEFAULT }
}

/// Decodes a whole file.
#[wasm_bindgen]
pub fn gzip_decode(bytes: &[u8], limits: &[f64]) -> Result<Vec<u8>, Fault> {
    Ok(decode_to_vec(bytes, &options(limits))?)
}

/// Decodes a whole file to the start of `to`. Returns the number of bytes written.
#[wasm_bindgen]
pub fn gzip_decode_into(bytes: &[u8], to: &Uint8Array, limits: &[f64]) -> Result<f64, Fault> {
    let options = options(limits);
    // DEFLATE expands at most 258 bytes from two bits.
    let most = bytes.len().saturating_mul(1032);
    let decode = |room: &mut [u8]| Ok(decode(bytes, room, &mut Workspace::new(), &options, &mut ())?.wrote);
    Ok(Output::fill(to, |output| output.some(most, decode))?)
}

/// Opens a stream that decodes a file.
#[wasm_bindgen]
pub fn gzip_stream(limits: &[f64]) -> Stream {
    let options = options(limits);
    Stream::new(|desk| run(desk, options))
}

async fn run(desk: Desk, options: Options) -> Outcome<Infallible> {
    let (mut workspace, mut window) = (Box::new(Workspace::new()), Box::new([0; WINDOW_SIZE]));
    let mut decoder = Decoder::new(&mut workspace, &mut *window, &options);
    serve(&mut decoder, &mut Windows::default(), &desk).await
}

impl Decode<'_> for Decoder<'_> {
    fn step(&mut self, src: &[u8], end: End, dst: &mut [u8]) -> Outcome<Step> {
        self.step(src, end, dst)
    }
}

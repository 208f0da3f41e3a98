//! Decodes Zstandard streams.

use alloc::boxed::Box;
use core::convert::Infallible;

use unspool::zstd::{Decoder, Workspace};
use unspool::{End, Limits, Result, Step};
use wasm_bindgen::prelude::*;

use super::options;
use crate::stream::{Decode, Desk, Stream, Windows, serve};

/// Opens a stream that decodes a file. A draft file must be declared, as a stream cannot look
/// ahead.
#[wasm_bindgen]
pub fn zstd_stream(dictionary: Option<Box<[u8]>>, format: u8, limits: &[f64]) -> Stream {
    let limits = crate::limits(limits);
    Stream::new(|desk| run(desk, dictionary, format, limits))
}

async fn run(desk: Desk, dictionary: Option<Box<[u8]>>, format: u8, limits: Limits) -> Result<Infallible> {
    let (mut ws, mut windows) = (Box::new(Workspace::new()), Windows::default());
    let mut decoder = Decoder::new(&mut ws, &mut [], &options(dictionary.as_deref(), format, limits));
    serve(&mut decoder, &mut windows, &desk).await
}

impl<'a> Decode<'a> for Decoder<'a> {
    fn step(&mut self, src: &[u8], end: End, dst: &mut [u8]) -> Result<Step> {
        self.step(src, end, dst)
    }

    fn lend(&mut self, window: &'a mut [u8]) -> Result<()> {
        self.lend(window)
    }
}

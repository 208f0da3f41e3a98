//! Decodes xz streams.

use alloc::boxed::Box;
use core::convert::Infallible;

use unspool::xz::{Decoder, Options, Workspace};
use unspool::{End, Result, Step};
use wasm_bindgen::prelude::*;

use crate::stream::{Decode, Desk, Stream, Windows, serve};

/// Opens a stream that decodes a file.
#[wasm_bindgen]
pub fn xz_stream(limits: &[f64]) -> Stream {
    let options = super::options(limits);
    Stream::new(|desk| run(desk, options))
}

async fn run(desk: Desk, options: Options) -> Result<Infallible> {
    let (mut workspace, mut windows) = (Box::new(Workspace::new()), Windows::default());
    let mut decoder = Decoder::new(&mut workspace, &mut [], &options);
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

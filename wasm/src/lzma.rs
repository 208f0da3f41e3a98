//! LZMA by itself: decodes `.lzma` files and raw streams.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::convert::Infallible;

use unspool::lzma::{Architecture, Coder, Decoder, FilterKind, Header, Options, Raw, Workspace, decode, decode_to_vec};
use unspool::{End, Error, ErrorKind, Limits, Result as Outcome, Step};
use wasm_bindgen::prelude::*;

use crate::fault::Fault;
use crate::into::Output;
use crate::js::Uint8Array;
use crate::stream::{Decode, Desk, Stream, Windows, serve};

/// Decodes a `.lzma` file, or a raw stream if there is a chain.
#[wasm_bindgen]
pub fn lzma_decode(bytes: &[u8], chain: Option<Vec<u32>>, limits: &[f64]) -> Result<Vec<u8>, Fault> {
    Ok(decode_to_vec(bytes, &options(chain, crate::limits(limits))?)?)
}

/// Decodes a `.lzma` file, or a raw stream if there is a chain, to the start of `to`. Returns the
/// number of bytes written.
#[wasm_bindgen]
pub fn lzma_decode_into(bytes: &[u8], chain: Option<Vec<u32>>, to: &Uint8Array, limits: &[f64]) -> Result<f64, Fault> {
    let options = options(chain, crate::limits(limits))?;
    // A byte of LZMA decodes to at most about 7,000 bytes.
    let most = bytes.len().saturating_mul(8192).saturating_add(2 << 20);
    let decode = |room: &mut [u8]| Ok(decode(bytes, room, &mut Workspace::new(), &options, &mut ())?.wrote);
    Ok(Output::fill(to, |output| output.some(most, decode))?)
}

/// Opens a stream that decodes a `.lzma` file.
#[wasm_bindgen]
pub fn lzma_stream(limits: &[f64]) -> Stream {
    let options = Options { limits: crate::limits(limits), ..Options::DEFAULT };
    Stream::new(|desk| run(desk, options))
}

async fn run(desk: Desk, options: Options) -> Outcome<Infallible> {
    let (mut workspace, mut windows) = (Box::new(Workspace::new()), Windows::default());
    let mut decoder = Decoder::new(&mut workspace, &mut [], &options);
    serve(&mut decoder, &mut windows, &desk).await
}

impl<'a> Decode<'a> for Decoder<'a> {
    fn step(&mut self, src: &[u8], end: End, dst: &mut [u8]) -> Outcome<Step> {
        self.step(src, end, dst)
    }

    fn lend(&mut self, window: &'a mut [u8]) -> Outcome<()> {
        self.lend(window)
    }
}

/// Builds the options of a chain: lc, lp, pb and the dictionary of LZMA, or only the dictionary of
/// LZMA2; then the number and the property of each filter before it.
fn options(chain: Option<Vec<u32>>, limits: Limits) -> Outcome<Options> {
    let Some(chain) = chain else { return Ok(Options { limits, ..Options::DEFAULT }) };
    let misuse = Error::new(ErrorKind::BadArgument, 0);
    let byte = |number: u32| u8::try_from(number).unwrap_or(u8::MAX);
    let [kind, lc, lp, pb, dictionary, filters @ ..] = &*chain else { return Err(misuse) };
    let coder = match kind {
        1 => Coder::Lzma(Header { lc: byte(*lc), lp: byte(*lp), pb: byte(*pb), dictionary: *dictionary, size: None }),
        _ => Coder::Lzma2 { dictionary: *dictionary },
    };
    let mut raw = Raw { coder, ..Raw::DEFAULT };
    let (filters, rest) = filters.as_chunks::<2>();
    if filters.len() > raw.filters.len() || !rest.is_empty() {
        return Err(misuse);
    }
    for (place, &[id, property]) in raw.filters.iter_mut().zip(filters) {
        let machine = match id {
            3 => {
                *place = Some(FilterKind::Delta(u16::try_from(property).unwrap_or(u16::MAX)));
                continue;
            }
            4 => Architecture::X86,
            5 => Architecture::PowerPc,
            6 => Architecture::Ia64,
            7 => Architecture::Arm,
            8 => Architecture::ArmThumb,
            9 => Architecture::Sparc,
            10 => Architecture::Arm64,
            11 => Architecture::RiscV,
            _ => return Err(Error::new(ErrorKind::XzFilter, 0)),
        };
        *place = Some(FilterKind::Branch(machine, property));
    }
    Ok(Options { limits, raw: Some(raw) })
}

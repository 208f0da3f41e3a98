//! Decodes whole Zstandard files.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use unspool::zstd::{Flavour, Header, decode_to_vec, detect};
use unspool::{Error, ErrorKind, Limits};
use wasm_bindgen::prelude::*;

use super::options;
use crate::fault::Fault;
use crate::js::Uint8Array;
use crate::number;

/// Decodes all frames of a file.
#[wasm_bindgen]
pub fn zstd_decode(bytes: &[u8], dictionary: Option<Box<[u8]>>, format: u8, limits: &[f64]) -> Result<Vec<u8>, Fault> {
    Ok(decode(bytes, dictionary, format, &crate::limits(limits))?)
}

fn decode(bytes: &[u8], dictionary: Option<Box<[u8]>>, format: u8, limits: &Limits) -> Result<Vec<u8>, Error> {
    decode_to_vec(bytes, &options(dictionary.as_deref(), format, *limits))
}

/// Decodes a whole file to the start of `to`. Returns the number of bytes written.
#[wasm_bindgen]
pub fn zstd_decode_into(
    bytes: &[u8],
    to: &Uint8Array,
    dictionary: Option<Box<[u8]>>,
    format: u8,
    limits: &[f64],
) -> Result<f64, Fault> {
    let (mut limits, room) = (crate::limits(limits), to.length().into());
    let short = room < limits.max_output;
    limits.max_output = limits.max_output.min(room);
    match decode(bytes, dictionary, format, &limits) {
        Ok(content) => {
            to.set(&content, 0);
            Ok(number::from_len(content.len()))
        }
        Err(Error { kind: ErrorKind::OutputLimit, at, need }) if short => {
            Err(Error::new(ErrorKind::OutputTooSmall, at).needing(need).into())
        }
        Err(error) => Err(error.into()),
    }
}

/// Returns the flavour of a whole file: 1 RFC 8878, 2 v0.7, 3 the draft, 0 none.
#[wasm_bindgen]
pub fn zstd_format(bytes: &[u8]) -> u8 {
    match detect(bytes) {
        None => 0,
        Some(Flavour::Rfc8878) => 1,
        Some(Flavour::V07) => 2,
        Some(Flavour::Draft) => 3,
    }
}

/// Reads the header at the start of a file. For a frame: length, window, content size or -1,
/// dictionary and checksum flag. For a skippable frame: length, variant and size.
#[wasm_bindgen]
#[expect(clippy::cast_precision_loss, reason = "JavaScript has no other numbers, and no such files")]
pub fn zstd_frame(bytes: &[u8], format: u8) -> Result<Vec<f64>, Fault> {
    let by_magic = if bytes.first() == Some(&0x27) { Flavour::V07 } else { Flavour::Rfc8878 };
    let flavour = options(None, format, Limits::NONE).flavour.unwrap_or(by_magic);
    Ok(match Header::read(bytes, &Limits::NONE, flavour)? {
        Header::Skippable { variant, size } => vec![8.0, variant.into(), size.into()],
        Header::Frame(frame) => vec![
            frame.len as f64,
            frame.window as f64,
            frame.content_size.map_or(-1.0, |size| size as f64),
            frame.dictionary_id.into(),
            u8::from(frame.checksum).into(),
        ],
    })
}

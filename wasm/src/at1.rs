//! AT-1: decodes whole files, and answers queries on tables.

mod query;
mod stream;
mod table;
mod text;

use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use unspool::at1::{
    Bundle, Codec, Container, Header, Options, Workspace, decode, decode_to_vec, decoded_len, scratch_len,
};
use unspool::{Error, ErrorKind, Limits, Result};
use wasm_bindgen::prelude::*;

use crate::fault::Fault;
use crate::into::Output;
use crate::js::Uint8Array;
use crate::number;

/// Builds decoder options from limits.
const fn with(limits: &Limits) -> Options {
    Options { limits: *limits, ..Options::DEFAULT }
}

/// Decodes a file that is not a bundle.
#[wasm_bindgen]
pub fn at1_decode(bytes: &[u8], limits: &[f64]) -> core::result::Result<Vec<u8>, Fault> {
    Ok(decode_to_vec(bytes, &with(&crate::limits(limits)))?)
}

/// Decodes a file that is not a bundle to the start of `to`. Returns the number of bytes written.
#[wasm_bindgen]
pub fn at1_decode_into(bytes: &[u8], to: &Uint8Array, limits: &[f64]) -> core::result::Result<f64, Fault> {
    let limits = crate::limits(limits);
    let most = bytes.len().saturating_mul(16).saturating_add(1 << 16);
    Ok(Output::fill(to, |output| output.some(most, |room| decode_into(bytes, room, &limits)))?)
}

fn decode_into(bytes: &[u8], room: &mut [u8], limits: &Limits) -> Result<usize> {
    let (mut workspace, options) = (Workspace::new(), with(limits));
    let mut scratch = vec![0; number::index(scratch_len(bytes, &options)?)];
    let mut too_small = None;
    loop {
        let done = match too_small {
            None => decode(bytes, room, &mut workspace, &mut scratch, &options, &mut ()).map(|done| done.wrote),
            // The error knows only how much was missing; the caller wants the decoded length.
            Some(lacked) => match decoded_len(bytes, &mut workspace, &mut scratch, &options) {
                Ok(len) => return Err(Error::needing(lacked, len)),
                Err(error) => Err(error),
            },
        };
        match done {
            Ok(wrote) => return Ok(wrote),
            Err(error) if error.kind == ErrorKind::OutputTooSmall => too_small = Some(error),
            Err(error) => unspool::at1::grow(&mut scratch, error)?,
        }
    }
}

/// Decodes all files of a bundle. Any other file is one file with an empty name.
#[wasm_bindgen]
pub fn at1_files(bytes: &[u8], limits: &[f64]) -> core::result::Result<At1Files, Fault> {
    Ok(files(bytes, &crate::limits(limits))?)
}

/// The decoded files of a bundle.
#[wasm_bindgen]
#[derive(Default)]
pub struct At1Files {
    files: Vec<(String, Vec<u8>)>,
}

#[wasm_bindgen]
impl At1Files {
    /// Returns the name of one file; nothing after the last. Can be taken once.
    pub fn name(&mut self, number: usize) -> Option<String> {
        self.files.get_mut(number).map(|(name, _)| core::mem::take(name))
    }

    /// Returns the content of one file. Can be taken once.
    pub fn content(&mut self, number: usize) -> Vec<u8> {
        self.files.get_mut(number).map(|(_, content)| core::mem::take(content)).unwrap_or_default()
    }
}

/// Decodes all files of a bundle, or the single file. `max_output` bounds their total size.
pub(crate) fn files(bytes: &[u8], limits: &Limits) -> Result<At1Files> {
    let options = with(limits);
    let mut found = At1Files::default();
    let header = Header::read(bytes, limits)?;
    if header.codec != Codec::Bundle || header.container != Container::Whole {
        found.files.push((String::new(), decode_to_vec(bytes, &options)?));
        return Ok(found);
    }
    let mut left = options;
    let mut workspace = Workspace::new();
    let mut scratch = vec![0; number::index(scratch_len(bytes, &options)?)];
    for file in Bundle::open(bytes, &mut workspace, &mut scratch, &options)? {
        let file = file?;
        let mut inner = vec![0; number::index(file.entry.decoded_size(&left.limits)?)];
        file.entry.decode(&mut inner, &mut workspace, &left.limits)?;
        let content = decode_to_vec(&inner, &left).map_err(|error| file.locate(error))?;
        left.limits.max_output =
            left.limits.max_output.saturating_sub(u64::try_from(content.len()).unwrap_or(u64::MAX));
        found.files.push((file.name.to_string(), content));
    }
    Ok(found)
}

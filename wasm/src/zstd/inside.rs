//! Decodes the tables and the sequences of a Zstandard block, for display.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use unspool::zstd::{Flavour, FrameHeader, Header, Workspace, code_lengths, detect, inspect, state_counts};
use unspool::{Error, ErrorKind, Limits, Name, Part, Shifted, Trace, Value};
use wasm_bindgen::prelude::*;

use super::options;
use crate::fault::Fault;
use crate::number;

/// Returns the code length of each literal.
#[wasm_bindgen]
pub fn zstd_code_lengths(description: &[u8], format: u8) -> Result<Vec<u8>, Fault> {
    let flavour = options(None, format, Limits::NONE).flavour.unwrap_or(Flavour::Rfc8878);
    Ok(code_lengths(description, flavour)?.to_vec())
}

/// Returns the number of states of each code in a table.
#[wasm_bindgen]
pub fn zstd_state_counts(description: &[u8]) -> Result<Vec<i16>, Fault> {
    Ok(state_counts(description)?.1.to_vec())
}

/// Returns offset, match length and literal length of each sequence of a block, concatenated.
/// `bytes` start with the frame and may end after the block. Blocks are counted from 0.
#[wasm_bindgen]
pub fn zstd_sequences(
    bytes: &[u8],
    block: f64,
    dictionary: Option<alloc::boxed::Box<[u8]>>,
    format: u8,
    limits: &[f64],
) -> Result<Vec<u32>, Fault> {
    let mut heard = Sequences { wanted: number::to_u64(block), blocks: 0, found: vec![] };
    let mut options = options(dictionary.as_deref(), format, crate::limits(limits));
    let flavour = *options.flavour.get_or_insert_with(|| detect(bytes).unwrap_or(Flavour::Rfc8878));
    // The structure needs no dictionary, but the first sequences may use its tables and offsets.
    if dictionary.is_none()
        && let Header::Frame(FrameHeader { dictionary_id: wanted @ 1.., .. }) =
            Header::read(bytes, &Limits::NONE, flavour)?
    {
        return Err(Error::new(ErrorKind::ZstdDictionaryWanted, 0).needing(wanted.into()).into());
    }
    let done = inspect(bytes, &mut Workspace::new(), &options, &mut Shifted::with_symbols(&mut heard, 0));
    match done {
        Err(error) if heard.blocks <= heard.wanted => Err(error.into()),
        _ => Ok(heard.found),
    }
}

/// Collects the sequences of one block.
struct Sequences {
    wanted: u64,
    /// Number of blocks entered so far.
    blocks: u64,
    found: Vec<u32>,
}

impl Trace for Sequences {
    fn enter(&mut self, name: Name, _: Value<'_>) {
        self.blocks += u64::from(name == Name::Block);
    }

    fn leaf(&mut self, part: Part, _: Name, _: Range<u64>, value: Value<'_>) {
        if part != Part::Offsets || self.blocks != self.wanted + 1 {
            return;
        }
        let Value::U64(value) = value else { return };
        self.found.push(u32::try_from(value).unwrap_or(u32::MAX));
    }

    fn leave(&mut self) {}
}

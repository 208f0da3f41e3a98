//! What the codec works with: its tables, and the sequences of a block.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use unspool::zstd::{Flavour, FrameHeader, Header, Workspace, code_lengths, detect, inspect, state_counts};
use unspool::{Error, ErrorKind, Limits, Name, Part, Shifted, Trace, Value};
use wasm_bindgen::prelude::*;

use super::options;
use crate::fault::Fault;
use crate::number;

/// How many bits the code of each literal has.
#[wasm_bindgen]
pub fn zstd_code_lengths(description: &[u8], format: u8) -> Result<Vec<u8>, Fault> {
    let flavour = options(None, format, Limits::NONE).flavour.unwrap_or(Flavour::Rfc8878);
    Ok(code_lengths(description, flavour)?.to_vec())
}

/// How many states of a table each code has.
#[wasm_bindgen]
pub fn zstd_state_counts(description: &[u8]) -> Result<Vec<i16>, Fault> {
    Ok(state_counts(description)?.1.to_vec())
}

/// The sequences of a block, counted from the start of its frame, with which `bytes` start: offset, match length and literal length of
/// each, one behind the other. The frame may break off behind the block.
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
    // The structure can be told without the dictionary, but the first sequences may be made with its tables and its offsets.
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

/// Remembers the sequences of one block.
struct Sequences {
    wanted: u64,
    /// Blocks that have begun.
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

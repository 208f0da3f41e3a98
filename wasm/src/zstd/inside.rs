//! Decodes the tables and the sequences of a Zstandard block, for display.

use alloc::boxed::Box;
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

/// Returns the sequences of a block, each as five numbers: offset, match length, literal length,
/// start and end of its bits, which include the states that lead to the next one. `bytes` start
/// with the frame and may end after the block. Blocks are counted from 0.
#[wasm_bindgen]
pub fn zstd_sequences(
    bytes: &[u8],
    block: f64,
    dictionary: Option<Box<[u8]>>,
    format: u8,
    limits: &[f64],
) -> Result<Vec<f64>, Fault> {
    symbols(bytes, Wanted::Sequences(number::to_u64(block)), dictionary, format, limits)
}

/// Returns start and end of the bits of each Huffman-coded literal of a block, in the order of the
/// content. Empty if its literals are not coded. Takes the arguments of [`zstd_sequences`].
#[wasm_bindgen]
pub fn zstd_literals(
    bytes: &[u8],
    block: f64,
    dictionary: Option<Box<[u8]>>,
    format: u8,
    limits: &[f64],
) -> Result<Vec<f64>, Fault> {
    symbols(bytes, Wanted::Literals(number::to_u64(block)), dictionary, format, limits)
}

/// Returns the content length of each compressed block of a file, in order.
#[wasm_bindgen]
pub fn zstd_block_lengths(
    bytes: &[u8],
    dictionary: Option<Box<[u8]>>,
    format: u8,
    limits: &[f64],
) -> Result<Vec<f64>, Fault> {
    symbols(bytes, Wanted::Lengths, dictionary, format, limits)
}

fn symbols(
    bytes: &[u8],
    wanted: Wanted,
    dictionary: Option<Box<[u8]>>,
    format: u8,
    limits: &[f64],
) -> Result<Vec<f64>, Fault> {
    let mut found = Symbols { wanted, blocks: 0, section: Name::Block, found: vec![] };
    let mut options = options(dictionary.as_deref(), format, crate::limits(limits));
    let flavour = *options.flavour.get_or_insert_with(|| detect(bytes).unwrap_or(Flavour::Rfc8878));
    // The structure needs no dictionary, but the first sequences may use its tables and offsets.
    if dictionary.is_none()
        && let Header::Frame(FrameHeader { dictionary_id: wanted @ 1.., .. }) =
            Header::read(bytes, &Limits::NONE, flavour)?
    {
        return Err(Error::new(ErrorKind::ZstdDictionaryWanted, 0).needing(wanted.into()).into());
    }
    let done = inspect(bytes, &mut Workspace::new(), &options, &mut Shifted::with_symbols(&mut found, 0));
    match (done, wanted) {
        (Err(error), Wanted::Sequences(block) | Wanted::Literals(block)) if found.blocks <= block => Err(error.into()),
        _ => Ok(found.found),
    }
}

/// The symbols to collect. Blocks are counted from 0.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Sequences(u64),
    Literals(u64),
    Lengths,
}

/// Collects symbols. Asks for those that it needs only: there may be millions of others.
struct Symbols {
    wanted: Wanted,
    /// Number of blocks entered so far.
    blocks: u64,
    /// The section that was entered last: literals or sequences.
    section: Name,
    found: Vec<f64>,
}

impl Trace for Symbols {
    fn symbols(&self) -> bool {
        match self.wanted {
            Wanted::Sequences(block) => self.section == Name::Sequences && self.blocks == block + 1,
            Wanted::Literals(block) => self.section == Name::Literals && self.blocks == block + 1,
            Wanted::Lengths => self.section == Name::Sequences,
        }
    }

    fn enter(&mut self, name: Name, value: Value<'_>) {
        match name {
            Name::Block => self.blocks += 1,
            Name::Literals | Name::Sequences => self.section = name,
            _ => {}
        }
        if let (Wanted::Lengths, Name::Literals, Value::U64(literals)) = (self.wanted, name, value) {
            self.found.push(number::from_u64(literals));
        }
    }

    fn leaf(&mut self, part: Part, name: Name, bits: Range<u64>, value: Value<'_>) {
        if !self.symbols() {
            return;
        }
        let value = match value {
            Value::U64(value) => number::from_u64(value),
            _ => 0.0,
        };
        let (start, end) = (number::from_u64(bits.start), number::from_u64(bits.end));
        match (self.wanted, part) {
            (Wanted::Lengths, Part::Offsets) if name == Name::MatchLength => {
                if let Some(length) = self.found.last_mut() {
                    *length += value;
                }
            }
            (Wanted::Literals(_), Part::Literals) if name == Name::Literal => self.found.extend([start, end]),
            // The bits of a sequence are read from its end. The states after its lengths end it.
            (Wanted::Sequences(_), Part::Offsets) if name == Name::MatchLength || name == Name::LiteralLength => {
                self.complete(Some(value), start);
            }
            (Wanted::Sequences(_), Part::Offsets) => self.found.extend([value, start, end]),
            (Wanted::Sequences(_), Part::Sequences) => self.complete(None, start),
            _ => {}
        }
    }

    fn leave(&mut self) {}
}

impl Symbols {
    /// Adds a length to the last sequence, before its bits, and bits that start here.
    fn complete(&mut self, length: Option<f64>, start: f64) {
        let Some(at) = self.found.len().checked_sub(2) else { return };
        if let Some(length) = length {
            self.found.insert(at, length);
        }
        if let Some(from) = self.found.iter_mut().rev().nth(1) {
            *from = start;
        }
    }
}

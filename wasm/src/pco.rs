//! Pco: all numbers of a standalone file, and pages that lie in another format.

#[cfg(feature = "inspect")]
mod bins;

use alloc::vec;
use alloc::vec::Vec;
use unspool::pco::{File, Meta, NumberType, Plan, Version};
use unspool::{Error, ErrorKind, Result, Trace};
use wasm_bindgen::prelude::*;

use crate::fault::Fault;
use crate::into::Output;
use crate::js::Uint8Array;
use crate::number;

/// Whom the parsers tell what they read, though nobody wants to know: the inspector's observer where that is in the module anyway,
/// so that there is one copy of them.
#[cfg(feature = "inspect")]
fn silent() -> impl Trace {
    crate::structure::Structure::silent()
}

/// Nobody, where the module has no inspector.
#[cfg(not(feature = "inspect"))]
fn silent() -> impl Trace {}

/// The numbers of a file: a run for each stretch of chunks of one type.
#[wasm_bindgen]
#[derive(Default)]
pub struct PcoNumbers {
    types: Vec<u8>,
    /// Little-endian numbers.
    runs: Vec<Vec<u8>>,
    len: u64,
}

#[wasm_bindgen]
impl PcoNumbers {
    /// The byte that stands for the type of each run.
    pub fn types(&self) -> Vec<u8> {
        self.types.clone()
    }

    /// The bytes of a run. Given away once.
    pub fn run(&mut self, index: usize) -> Vec<u8> {
        self.runs.get_mut(index).map(core::mem::take).unwrap_or_default()
    }

    /// How many bytes of the input the file takes.
    pub fn len(&self) -> f64 {
        number::from_u64(self.len)
    }
}

/// Decodes a whole file. One without numbers has one empty run if it says of which type, else none.
#[wasm_bindgen]
pub fn pco_decode(bytes: &[u8], limits: &[f64]) -> core::result::Result<PcoNumbers, Fault> {
    Ok(decode(bytes, limits)?)
}

fn decode(bytes: &[u8], limits: &[f64]) -> Result<PcoNumbers> {
    let limits = crate::limits(limits);
    let silent = &mut silent();
    let file = File::open_traced(bytes, &limits, silent)?;
    let mut numbers = PcoNumbers::default();
    let (mut at, mut left, mut words) = (file.first(), limits.max_output, vec![]);
    while let Some(chunk) = file.chunk_traced(at, silent)? {
        let ty = chunk.number_type();
        let size = chunk.len.saturating_mul(ty.size());
        let over = Error::new(ErrorKind::OutputLimit, at).needing(limits.max_output.saturating_add(1));
        left = u64::try_from(size).ok().and_then(|size| left.checked_sub(size)).ok_or(over)?;
        let need = number::index(chunk.workspace_len(Plan::Batches));
        if words.len() < need {
            words.resize(need, 0);
        }
        if numbers.types.last() != Some(&(ty as u8)) {
            numbers.types.push(ty as u8);
            numbers.runs.push(vec![]);
        }
        let Some(run) = numbers.runs.last_mut() else { break };
        let start = run.len();
        run.resize(start.saturating_add(size), 0);
        at = chunk.decode_bytes_traced(run.get_mut(start..).unwrap_or_default(), &mut words, silent)?;
    }
    if let (true, Some(ty)) = (numbers.types.is_empty(), file.header.uniform_type) {
        numbers.types.push(ty as u8);
        numbers.runs.push(vec![]);
    }
    numbers.len = at.saturating_add(1);
    Ok(numbers)
}

/// Decodes a whole file to the start of `to`, as little-endian bytes. `ty` is the type that the numbers must have, by its byte; 0
/// stands for any. Gives how many bytes were written.
#[wasm_bindgen]
pub fn pco_decode_into(bytes: &[u8], to: &Uint8Array, ty: u8, limits: &[f64]) -> core::result::Result<f64, Fault> {
    let limits = crate::limits(limits);
    let written = Output::fill(to, |output| {
        let silent = &mut silent();
        let file = File::open_traced(bytes, &limits, silent)?;
        let mut at = file.first();
        while let Some(chunk) = file.chunk_traced(at, silent)? {
            let is = chunk.number_type();
            if ty != 0 && ty != is as u8 {
                return Err(Error::new(ErrorKind::WrongType, at));
            }
            let len = u64::try_from(chunk.len.saturating_mul(is.size())).unwrap_or(u64::MAX);
            let words = chunk.workspace_len(Plan::Batches);
            output.piece(len, words, at, |bytes, words| {
                chunk.decode_bytes_traced(bytes, words, silent).map(|end| at = end)
            })?;
        }
        Ok(())
    });
    Ok(written?)
}

/// Decodes pages of a wrapped chunk to little-endian numbers, all behind each other: `header` and `meta` are what its file and its
/// chunk start with, `ends` where each of `pages` ends, `counts` how many numbers each has.
#[wasm_bindgen]
pub fn pco_decode_pages(
    header: &[u8],
    meta: &[u8],
    pages: &[u8],
    ends: &[f64],
    counts: &[f64],
    ty: u8,
    limits: &[f64],
) -> core::result::Result<Vec<u8>, Fault> {
    let limits = crate::limits(limits);
    let silent = &mut silent();
    let (version, _) = Version::parse_traced(header, silent)?;
    let ty = NumberType::from_byte(ty).ok_or(Error::new(ErrorKind::WrongType, 0))?;
    let (mut longest, mut size) = (0, 0u64);
    for count in counts.iter().copied().map(number::to_u64) {
        if count > limits.max_elements {
            return Err(Error::new(ErrorKind::ElementLimit, 0).needing(count).into());
        }
        size = size.saturating_add(count.saturating_mul(u64::from(ty.bits() / 8)));
        if size > limits.max_output {
            return Err(Error::new(ErrorKind::OutputLimit, 0).needing(size).into());
        }
        longest = count.max(longest);
    }
    let (meta, _) = Meta::parse_traced(meta, ty, version.major, 0, &limits, silent)?;
    let mut words = vec![0; number::index(meta.workspace_len(number::index(longest), Plan::Batches))];
    let mut numbers = vec![0; number::index(size)];
    let (mut start, mut rest) = (0, numbers.as_mut_slice());
    for (&end, &count) in ends.iter().zip(counts) {
        let (end, count) = (number::index(number::to_u64(end)), number::index(number::to_u64(count)));
        let page = pages.get(start..end).unwrap_or_default();
        meta.decode_page_bytes_traced(page, count, rest, &mut words, silent)?;
        rest = rest.get_mut(count.saturating_mul(ty.size())..).unwrap_or_default();
        start = end;
    }
    Ok(numbers)
}

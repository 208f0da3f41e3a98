//! Pco: decodes standalone files, and pages stored in another format.

#[cfg(feature = "inspect")]
mod latents;

use alloc::vec;
use alloc::vec::Vec;
use unspool::pco::{File, Meta, NumberType, Plan, Version};
use unspool::{Error, ErrorKind, Limits, Result, Trace};
use wasm_bindgen::prelude::*;

use crate::fault::Fault;
use crate::into::{Output, Room, with_room};
use crate::js::{Uint8Array, Values};
use crate::number;

/// Returns an observer that ignores everything. If the module has the inspector, this is its
/// observer, so that the parsers are compiled once.
#[cfg(feature = "inspect")]
fn silent() -> impl Trace {
    crate::structure::Structure::silent()
}

/// Returns an observer that ignores everything, for a module without the inspector.
#[cfg(not(feature = "inspect"))]
fn silent() -> impl Trace {}

/// Decodes a whole file. Appends pairs of a type byte and little-endian numbers to `found`, one
/// for each run of chunks of the same type. A file without numbers has one pair if its header names
/// a type, else none.
///
/// Returns the length of the file, which more bytes may follow. An error leaves the numbers before
/// it in `found`.
#[wasm_bindgen]
pub fn pco_decode(bytes: &[u8], limits: &[f64], found: &Values) -> core::result::Result<f64, Fault> {
    let limits = crate::limits(limits);
    let mut emit = |ty: NumberType, numbers: &[u8]| found.push_both(ty as u8, &Uint8Array::of(numbers));
    let end = with_room(|room| decode(bytes, &limits, room, &mut emit))?;
    Ok(number::from_u64(end))
}

/// Emits each run, before it returns an error found after it. Returns the length of the file.
fn decode(bytes: &[u8], limits: &Limits, room: &mut Room, emit: &mut dyn FnMut(NumberType, &[u8])) -> Result<u64> {
    let mut file = File::new();
    file.read(bytes, limits, &mut silent())?;
    // Type of the current run, and its length in bytes.
    let mut run = (file.header.uniform_type, 0usize);
    let ended = decode_runs(&file, limits, room, &mut run, emit);
    if let (Some(ty), end) = run {
        emit(ty, room.bytes.get(..end).unwrap_or_default());
    }
    ended
}

/// Decodes chunk after chunk. Leaves the last run in the buffer. Returns the length of the file.
fn decode_runs(
    file: &File<'_>,
    limits: &Limits,
    room: &mut Room,
    (run, end): &mut (Option<NumberType>, usize),
    emit: &mut dyn FnMut(NumberType, &[u8]),
) -> Result<u64> {
    let silent = &mut silent();
    let (mut at, mut left) = (file.first(), limits.max_output);
    while let Some(chunk) = file.chunk(at, silent)? {
        let ty = chunk.number_type();
        let size = chunk.len.saturating_mul(ty.size());
        let over = Error::new(ErrorKind::OutputLimit, at).needing(limits.max_output.saturating_add(1));
        left = u64::try_from(size).ok().and_then(|size| left.checked_sub(size)).ok_or(over)?;
        if let Some(before) = run.replace(ty).filter(|before| *before != ty) {
            emit(before, room.bytes.get(..*end).unwrap_or_default());
            *end = 0;
        }
        let start = *end;
        let stop = start.saturating_add(size);
        room.extend(stop, number::index(chunk.workspace_len(Plan::Batches)));
        let numbers = room.bytes.get_mut(start..stop).unwrap_or_default();
        let (count, ended) = chunk.salvage_bytes(numbers, &mut room.words, silent);
        *end = start.saturating_add(count.saturating_mul(ty.size()));
        at = ended?;
    }
    // One byte ends the file.
    Ok(at.saturating_add(1))
}

/// Reads the header of a file. Returns the type byte of its numbers or 0, the writer's count, and 1
/// if no chunk follows. `bytes` hold the header and one byte more.
#[wasm_bindgen]
pub fn pco_header(bytes: &[u8]) -> core::result::Result<Vec<f64>, Fault> {
    let mut file = File::new();
    file.read(bytes, &Limits::NONE, &mut silent())?;
    let first = bytes.get(file.header.len).copied();
    let ty = file.header.uniform_type.map_or(first.unwrap_or(0), |ty| ty as u8);
    Ok(vec![f64::from(ty), number::from_u64(file.header.n_hint), f64::from(u8::from(first == Some(0)))])
}

/// Decodes a whole file to the start of `to` as little-endian bytes. `ty` is the byte of the type
/// that the numbers must have; 0 accepts any. Returns the number of bytes written.
#[wasm_bindgen]
pub fn pco_decode_into(bytes: &[u8], to: &Uint8Array, ty: u8, limits: &[f64]) -> core::result::Result<f64, Fault> {
    let limits = crate::limits(limits);
    let written = Output::fill(to, |output| {
        let silent = &mut silent();
        let mut file = File::new();
        file.read(bytes, &limits, silent)?;
        let mut at = file.first();
        while let Some(chunk) = file.chunk(at, silent)? {
            let is = chunk.number_type();
            // Half floats may be written to 16-bit integers as bits.
            let bits = ty == NumberType::U16 as u8 && is == NumberType::F16;
            if ty != 0 && ty != is as u8 && !bits {
                return Err(Error::new(ErrorKind::WrongType, at));
            }
            let len = u64::try_from(chunk.len.saturating_mul(is.size())).unwrap_or(u64::MAX);
            let words = chunk.workspace_len(Plan::Batches);
            output
                .piece(len, words, at, |bytes, words| chunk.decode_bytes(bytes, words, silent).map(|end| at = end))?;
        }
        Ok(())
    });
    Ok(written?)
}

/// Decodes pages of a wrapped chunk to little-endian numbers, concatenated. `header` and `meta` are
/// the file header and the chunk metadata, `ends` the end of each page in `pages`, `counts` the
/// number of values in each.
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
    let (version, _) = Version::read(header, silent)?;
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
    let (src, mut meta) = (meta, Meta::new());
    meta.read(src, ty, version.major, 0, &limits, silent)?;
    let longest = number::index(longest);
    let mut words = vec![0; number::index(meta.workspace_len(longest, Plan::Batches))];
    let mut numbers = vec![0; number::index(size)];
    let mut start = 0;
    let all = ends.iter().zip(counts).map(|(&end, &count)| {
        let end = number::index(number::to_u64(end));
        let page = pages.get(core::mem::replace(&mut start, end)..end).unwrap_or_default();
        (page, number::index(number::to_u64(count)))
    });
    meta.decode_pages_bytes(all, longest, &mut numbers, &mut words, silent)?;
    Ok(numbers)
}

//! Pco: all numbers of a standalone file, and pages that lie in another format.

#[cfg(feature = "inspect")]
mod bins;

use alloc::vec;
use alloc::vec::Vec;
use unspool::pco::{File, Meta, NumberType, Plan, Version};
use unspool::{Error, ErrorKind, Limits, Result, Trace};
use wasm_bindgen::prelude::*;

use crate::fault::Fault;
use crate::into::{Output, Room, with_room};
use crate::js::{Uint8Array, Values};
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

/// Decodes a whole file. Gives the byte that stands for a type and little-endian numbers of it, again and again: for each stretch of
/// chunks of one type. A file without numbers has one stretch if it says of which type, else none.
///
/// To `salvage` a file is to give what there is in front of the place where it breaks, instead of an error.
#[wasm_bindgen]
pub fn pco_decode(bytes: &[u8], limits: &[f64], salvage: bool) -> core::result::Result<Values, Fault> {
    let limits = crate::limits(limits);
    let found = Values::new();
    let mut tell = |ty: NumberType, numbers: &[u8]| found.push_both(ty as u8, &Uint8Array::of(numbers));
    match with_room(|room| decode(bytes, &limits, room, &mut tell)) {
        Err(error) if !salvage => Err(error.into()),
        _ => Ok(found),
    }
}

/// Tells of each stretch, before an error of what is in front of it.
fn decode(bytes: &[u8], limits: &Limits, room: &mut Room, tell: &mut dyn FnMut(NumberType, &[u8])) -> Result<()> {
    let mut file = File::new();
    file.read(bytes, limits, &mut silent())?;
    // The stretch so far: of which type, and how many bytes of the room.
    let mut stretch = (file.header.uniform_type, 0usize);
    let ended = stretches(&file, limits, room, &mut stretch, tell);
    if let (Some(ty), end) = stretch {
        tell(ty, room.bytes.get(..end).unwrap_or_default());
    }
    ended
}

/// Decodes chunk after chunk. The last stretch is left in the room.
fn stretches(
    file: &File<'_>,
    limits: &Limits,
    room: &mut Room,
    (stretch, end): &mut (Option<NumberType>, usize),
    tell: &mut dyn FnMut(NumberType, &[u8]),
) -> Result<()> {
    let silent = &mut silent();
    let (mut at, mut left) = (file.first(), limits.max_output);
    while let Some(chunk) = file.chunk(at, silent)? {
        let ty = chunk.number_type();
        let size = chunk.len.saturating_mul(ty.size());
        let over = Error::new(ErrorKind::OutputLimit, at).needing(limits.max_output.saturating_add(1));
        left = u64::try_from(size).ok().and_then(|size| left.checked_sub(size)).ok_or(over)?;
        if let Some(before) = stretch.replace(ty).filter(|before| *before != ty) {
            tell(before, room.bytes.get(..*end).unwrap_or_default());
            *end = 0;
        }
        let start = *end;
        let behind = start.saturating_add(size);
        room.extend(behind, number::index(chunk.workspace_len(Plan::Batches)));
        let numbers = room.bytes.get_mut(start..behind).unwrap_or_default();
        let (count, ended) = chunk.salvage_bytes(numbers, &mut room.words, silent);
        *end = start.saturating_add(count.saturating_mul(ty.size()));
        at = ended?;
    }
    Ok(())
}

/// Decodes a whole file to the start of `to`, as little-endian bytes. `ty` is the type that the numbers must have, by its byte; 0
/// stands for any. Gives how many bytes were written.
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
            // Bits of half floats go where no others do.
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

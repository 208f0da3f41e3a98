//! Pco: decodes standalone files, and pages stored in another format.

#[cfg(feature = "inspect")]
mod latents;

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use unspool::pco::{File, Meta, NumberType, Plan, Version};
use unspool::{Error, ErrorKind, Limits, Result, Trace};
use wasm_bindgen::prelude::*;

use crate::fault::Fault;
use crate::into::{Room, with_room};
use crate::js::Runs;
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

/// Decodes a whole file. Pushes a type byte and little-endian numbers to `runs`, once for each run
/// of chunks of the same type. A file without numbers has one empty run if its header names a type,
/// else none.
///
/// If `room` is finite, the numbers must have the type byte `only`, unless that is 0, and fit in
/// `room` bytes. Each chunk is a run then, so that the module needs no memory for all of them.
///
/// Returns the length of the file, which more bytes may follow. Before an error, the numbers before
/// it are pushed. Without limits, they are the default ones.
#[wasm_bindgen]
pub fn pco_decode(
    bytes: &[u8],
    limits: Option<Box<[f64]>>,
    only: u8,
    room: f64,
    runs: &Runs,
) -> core::result::Result<f64, Fault> {
    let limits = crate::limits(limits.as_deref().unwrap_or_default());
    let end = with_room(|memory| decode(bytes, &limits, only, number::to_u64(room), memory, runs))?;
    Ok(number::from_u64(end))
}

/// Pushes each run, before it returns an error found after it. Returns the length of the file.
fn decode(bytes: &[u8], limits: &Limits, only: u8, room: u64, memory: &mut Room, runs: &Runs) -> Result<u64> {
    let mut file = File::new();
    file.read(bytes, limits, &mut silent())?;
    // Type of the current run, and its length in bytes.
    let mut run = (file.header.uniform_type, 0usize);
    let ended = decode_runs(&file, limits, only, room, memory, &mut run, runs);
    if let (Some(ty), end) = run {
        runs.push(ty as u8, memory.bytes.get(..end).unwrap_or_default());
    }
    ended
}

/// Decodes chunk after chunk. Leaves the last run in the buffer. Returns the length of the file.
fn decode_runs(
    file: &File<'_>,
    limits: &Limits,
    only: u8,
    room: u64,
    memory: &mut Room,
    (run, end): &mut (Option<NumberType>, usize),
    runs: &Runs,
) -> Result<u64> {
    let silent = &mut silent();
    let (mut at, mut sum) = (file.first(), 0u64);
    while let Some(chunk) = file.chunk(at, silent)? {
        let ty = chunk.number_type();
        // Half floats may be written to 16-bit integers as bits.
        let bits = only == NumberType::U16 as u8 && ty == NumberType::F16;
        if only != 0 && only != ty as u8 && !bits {
            return Err(Error::new(ErrorKind::WrongType, at));
        }
        let size = chunk.len.saturating_mul(ty.size());
        sum = sum.saturating_add(u64::try_from(size).unwrap_or(u64::MAX));
        if sum > room {
            return Err(Error::new(ErrorKind::OutputTooSmall, at).needing(sum));
        }
        if sum > limits.max_output {
            return Err(Error::new(ErrorKind::OutputLimit, at).needing(sum));
        }
        if let Some(before) = run.replace(ty).filter(|before| *before != ty || room < u64::MAX) {
            runs.push(before as u8, memory.bytes.get(..*end).unwrap_or_default());
            *end = 0;
        }
        let start = *end;
        let stop = start.saturating_add(size);
        memory.extend(stop, number::index(chunk.workspace_len(Plan::Batches)));
        let numbers = memory.bytes.get_mut(start..stop).unwrap_or_default();
        let (count, ended) = chunk.salvage_bytes(numbers, &mut memory.words, silent);
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
    let Some(&first) = bytes.get(file.header.len) else {
        let end = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        return Err(Error::new(ErrorKind::Truncated, end).needing(end.saturating_add(1)).into());
    };
    let ty = file.header.uniform_type.map_or(first, |ty| ty as u8);
    Ok(vec![f64::from(ty), number::from_u64(file.header.n_hint), f64::from(u8::from(first == 0))])
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

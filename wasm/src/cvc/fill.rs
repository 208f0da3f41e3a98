//! Fills outputs in JavaScript's memory with the values of columns.

use alloc::vec;
use alloc::vec::Vec;

use core::ops::Range;

use unspool::checksum::Crc32;
use unspool::cvc::{Column, Dtype, File, Payload, Piece};
use unspool::{Checksums, Error, ErrorKind, Limits, Result, Verify};

use crate::js::Uint8Array;
use crate::number;

/// Returns the length of an output. Checks it, as the core does before it decodes to a slice.
pub fn size_of(column: &Column<'_>, rows: u64, dtype: Dtype, limits: &Limits) -> Result<u64> {
    let values = rows.checked_mul(column.dimension());
    let size = values.and_then(|values| values.checked_mul(dtype.width()));
    let size = size.ok_or(Error::new(ErrorKind::SizeOverflow, 0))?;
    // `Uint8Array::set` takes a 32-bit offset.
    if size > limits.max_output.min(u32::MAX.into()) {
        return Err(Error::new(ErrorKind::OutputLimit, 0).needing(size));
    }
    Ok(size)
}

/// Reads a piece of a file, of which the bytes from `at` on are in memory. As in the core, a wrong
/// length of a chunk is an error even if the file ends in it.
pub fn read_piece<'b>(
    file: &File<'_>,
    piece: &Piece,
    at: u64,
    src: &'b [u8],
    verify: Verify,
    checksums: &mut Checksums,
) -> Result<Payload<'b>> {
    let Range { start, end } = piece.range();
    let part = |start: u64, end: u64| {
        let [from, to] = [start, end].map(|place| number::index(place.wrapping_sub(at)));
        let len = at.saturating_add(u64::try_from(src.len()).unwrap_or(u64::MAX));
        src.get(from..to).ok_or(Error::new(ErrorKind::Truncated, len).needing(end))
    };
    let payload = start.saturating_add(if file.has_checksums() { 8 } else { 4 });
    let length = part(start, start.saturating_add(4))?;
    if length != end.saturating_sub(payload).to_le_bytes().split_at(4).0 {
        return Err(Error::new(ErrorKind::CvcChunkLength, start));
    }
    piece.data_range()?;
    let values = piece.read(part(start, end)?, verify, checksums)?;
    // A version 0 header before chunks with a CRC-32 would decode to shifted values.
    let last = piece.chunk.saturating_add(1) == file.chunk_count();
    if last
        && !file.has_checksums()
        && payload < end
        && let Ok(shifted) = part(payload.saturating_add(4), end.saturating_add(4))
        && part(payload, payload.saturating_add(4))? == Crc32::of(shifted).to_le_bytes()
    {
        return Err(Error::new(ErrorKind::CvcHiddenCrc, payload));
    }
    Ok(values)
}

/// Fills the output of a column from its start.
pub struct Filler {
    pub dtype: Dtype,
    /// Without an output, values are decoded for their errors alone.
    pub output: Option<Uint8Array>,
    filled: u32,
    scratch: Vec<u8>,
}

impl Filler {
    pub const fn new(dtype: Dtype, output: Option<Uint8Array>) -> Self {
        Self { dtype, output, filled: 0, scratch: vec![] }
    }

    /// Writes bytes to the output, if there is one. Returns the new end.
    fn write(&self, bytes: &[u8]) -> u32 {
        if let Some(output) = &self.output {
            output.set(bytes, self.filled);
        }
        self.filled.saturating_add(u32::try_from(bytes.len()).unwrap_or(u32::MAX))
    }

    /// Appends the values of a piece.
    pub fn fill(&mut self, payload: &Payload<'_>) -> Result<()> {
        // Plain values need no decoding: one copy moves them to the output.
        if let Some((dtype, raw)) = payload.plain()
            && dtype == self.dtype
        {
            self.filled = self.write(raw);
            return Ok(());
        }
        self.scratch.resize(payload.len().saturating_mul(4), 0);
        payload.decode_f32_bytes(&mut self.scratch)?;
        self.filled = self.write(&self.scratch);
        Ok(())
    }
}

//! Fills outputs in JavaScript's memory with the values of columns.

use alloc::vec;
use alloc::vec::Vec;

use unspool::cvc::{Column, Dtype, Payload};
use unspool::{Error, ErrorKind, Limits, Result};

use crate::js::Uint8Array;

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

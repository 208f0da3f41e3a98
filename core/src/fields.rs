//! Reads headers field by field, and emits each field to a trace.
//!
//! A header of fixed layout lists its fields as constants: offset, purpose and name in one table.
//! The code below the table reads a field by its constant, so that the two cannot disagree. Fields
//! without a fixed place are read from a cursor.
//!
//! ```text
//! const MAGIC: Field<6> = Field::new(0, Part::Framing, Name::Magic);
//! const CHECK: Field<2> = Field::new(6, Part::Header, Name::Check);
//!
//! let mut fields = Fields::new(bytes, at, trace);
//! let magic = fields.get(&MAGIC)?;
//! fields.emit(&MAGIC, Value::Bytes(magic));
//! ```

use crate::fault::{Fault, Verdict};
use crate::num::u64_from;
use crate::{Error, ErrorKind, Name, Part, Trace, Value};

/// A field of `LEN` bytes at a fixed place in a header.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field<const LEN: usize> {
    at: usize,
    part: Part,
    name: Name,
}

impl<const LEN: usize> Field<LEN> {
    /// The field that starts `at` bytes into the header.
    pub(crate) const fn new(at: usize, part: Part, name: Name) -> Self {
        Self { at, part, name }
    }

    /// Returns the offset of the field, which is where its faults show.
    pub(crate) const fn at(&self) -> usize {
        self.at
    }

    /// Returns the offset of the byte after the field.
    pub(crate) const fn end(&self) -> usize {
        self.at.saturating_add(LEN)
    }
}

/// A header that is being read. Faults count from its first byte.
pub(crate) struct Fields<'b, 't, T: Trace> {
    bytes: &'b [u8],
    /// Offset of the header in the file, for the trace.
    base: u64,
    /// The cursor: offset in the header of the byte that is read next.
    at: usize,
    /// The least length of the header, once a read was refused.
    wanted: usize,
    trace: &'t mut T,
}

impl<'b, 't, T: Trace> Fields<'b, 't, T> {
    /// Starts at the first byte of a header, which is at `base` in the file.
    pub(crate) const fn new(bytes: &'b [u8], base: u64, trace: &'t mut T) -> Self {
        Self { bytes, base, at: 0, wanted: 0, trace }
    }

    /// Reads a field at its fixed place. The cursor does not move.
    #[inline(always)]
    pub(crate) fn get<const LEN: usize>(&mut self, field: &Field<LEN>) -> Verdict<&'b [u8; LEN]> {
        match self.bytes.get(field.at..).and_then(<[u8]>::first_chunk) {
            Some(bytes) => Ok(bytes),
            None => self.truncated(field.at.saturating_add(LEN)),
        }
    }

    /// Emits a field of fixed place, and moves the cursor after it.
    #[inline(always)]
    pub(crate) fn emit<const LEN: usize>(&mut self, field: &Field<LEN>, value: Value<'_>) {
        self.at = field.at.saturating_add(LEN);
        self.emit_from(field.at, field.part, field.name, value);
    }

    /// Returns the offset in the header of the byte that is read next.
    pub(crate) const fn at(&self) -> usize {
        self.at
    }

    /// Returns the bytes from the cursor on.
    pub(crate) fn rest(&self) -> &'b [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// Reads the next `len` bytes.
    pub(crate) fn take(&mut self, len: usize) -> Verdict<&'b [u8]> {
        let Some(bytes) = self.rest().get(..len) else { return self.truncated(self.at.saturating_add(len)) };
        self.at = self.at.wrapping_add(len);
        Ok(bytes)
    }

    /// Reads the next `N` bytes.
    pub(crate) fn array<const N: usize>(&mut self) -> Verdict<[u8; N]> {
        let Some(bytes) = self.rest().first_chunk() else { return self.truncated(self.at.saturating_add(N)) };
        self.at = self.at.wrapping_add(N);
        Ok(*bytes)
    }

    /// Emits a field that reaches from `start` to the cursor.
    #[inline(always)]
    pub(crate) fn emit_from(&mut self, start: usize, part: Part, name: Name, value: Value<'_>) {
        if T::LISTENS {
            self.trace.bytes(part, name, self.place(start)..self.place(self.at), value);
        }
    }

    /// Opens a group of fields.
    #[inline(always)]
    pub(crate) fn enter(&mut self, name: Name, value: Value<'_>) {
        self.trace.enter(name, value);
    }

    /// Closes the innermost group.
    #[inline(always)]
    pub(crate) fn leave(&mut self) {
        self.trace.leave();
    }

    /// Returns the offset in the file of an offset in the header.
    fn place(&self, at: usize) -> u64 {
        self.base.saturating_add(u64_from(at))
    }

    /// Refuses a truncated header. With `wanted` bytes, more could be read.
    #[cold]
    pub(crate) const fn truncated<R>(&mut self, wanted: usize) -> Verdict<R> {
        self.wanted = wanted;
        Err(Fault::new(ErrorKind::Truncated, self.bytes.len()))
    }

    /// Turns a fault into an error in the file. That of a truncated header says how long it must
    /// be.
    #[cold]
    pub(crate) fn error(&self, fault: Fault) -> Error {
        let error = match fault.kind {
            ErrorKind::Truncated => Error::truncated(u64_from(fault.at), u64_from(self.wanted)),
            _ => fault.into(),
        };
        error.offset_by(self.base)
    }
}

//! Reads bit fields and emits each to the trace.

use super::number::{Latent as _, NumberType};
use crate::bits::BitReader;
use crate::num::index;
use crate::{Error, ErrorKind, Name, Part, Result, Trace, Value};

/// A bit reader over a part of the input, which emits its fields.
///
/// The first error is kept, and later fields read as 0 without being emitted. The caller asks
/// [`check`](Self::check) before it acts on what it read. Checking after each field would take
/// several times the code.
///
/// Errors and spans count from the start of the input. So does `need` of a truncation: an input of
/// that length would have the field.
pub(crate) struct FieldReader<'a, T> {
    bits: BitReader<'a>,
    /// Offset of the first byte in the input.
    base: u64,
    pub trace: &'a mut T,
    /// The first error.
    error: Option<Error>,
}

impl<'a, T: Trace> FieldReader<'a, T> {
    pub fn new(bytes: &'a [u8], base: u64, trace: &'a mut T) -> Self {
        Self { bits: BitReader::new(bytes), base, trace, error: None }
    }

    /// Returns the next bit, counted from the start of the slice.
    pub fn position(&self) -> u64 {
        self.bits.position()
    }

    /// Returns the first error, if there was one.
    pub fn check(&self) -> Result<()> {
        self.error.map_or(Ok(()), Err)
    }

    /// Returns the first error, or that the input has no `n` more bits.
    pub fn require(&mut self, n: u64) -> Result<()> {
        self.need(n);
        self.check()
    }

    #[inline(never)]
    fn need(&mut self, n: u64) -> bool {
        let there = n <= self.bits.remaining();
        if !there {
            let end = self.bits.position().saturating_add(self.bits.remaining()).div_ceil(8);
            let need = self.bits.position().saturating_add(n).div_ceil(8);
            let error = Error::new(ErrorKind::Truncated, self.base.saturating_add(end));
            self.fail(error.needing(self.base.saturating_add(need)));
        }
        there && self.error.is_none()
    }

    /// Keeps the first error.
    fn fail(&mut self, error: Error) {
        if self.error.is_none() {
            self.error = Some(error);
        }
    }

    /// `true` after an error.
    pub fn failed(&self) -> bool {
        self.error.is_some()
    }

    /// Reads a field of `n` bits that holds a number.
    pub fn take(&mut self, part: Part, name: Name, n: u32) -> u64 {
        self.take_as(part, name, n, |value| Ok(Value::U64(value)))
    }

    /// Reads a field of at most 32 bits.
    pub fn small(&mut self, part: Part, name: Name, n: u32) -> u32 {
        u32::low(self.take(part, name, n.min(32)))
    }

    /// Reads a field whose value is shown in another way, or refused.
    pub fn take_as<'v>(
        &mut self,
        part: Part,
        name: Name,
        n: u32,
        show: impl FnOnce(u64) -> core::result::Result<Value<'v>, ErrorKind>,
    ) -> u64 {
        let start = self.position();
        let value = self.word(n);
        match show(value) {
            Ok(shown) => self.leaf(part, name, start, shown),
            Err(kind) => self.refuse(kind, start),
        }
        value
    }

    /// Reads a field of `n` bits that is the number of one of these words.
    pub fn choice(&mut self, name: Name, n: u32, words: &[&'static str], kind: ErrorKind) -> u64 {
        self.take_as(Part::Header, name, n, |code| words.get(index(code)).map(|word| Value::Word(word)).ok_or(kind))
    }

    /// Reads `n` bits. Out of line, because the caller is instantiated for each field.
    #[inline(never)]
    fn word(&mut self, n: u32) -> u64 {
        match self.need(u64::from(n)) {
            true => self.bits.take(n).unwrap_or(0),
            false => 0,
        }
    }

    /// Refuses the field that starts at this bit of the slice.
    pub fn refuse(&mut self, kind: ErrorKind, start: u64) {
        self.exceed(kind, start, 0);
    }

    /// The same for a limit that would have to be `need`.
    #[inline(never)]
    pub fn exceed(&mut self, kind: ErrorKind, start: u64, need: u64) {
        self.fail(Error::new(kind, self.base.saturating_add(start / 8)).needing(need));
    }

    /// Reads the byte of a number type. If `other` is given, 0 is allowed and shown as that.
    pub fn number_type(&mut self, name: Name, other: Option<&'static str>) -> Option<NumberType> {
        let byte = self.take_as(Part::Framing, name, 8, |byte| match (type_of(byte), other) {
            (Some(ty), _) => Ok(Value::Word(ty.name())),
            (None, Some(word)) if byte == 0 => Ok(Value::Word(word)),
            _ => Err(ErrorKind::PcoNumberType),
        });
        type_of(byte)
    }

    /// Reads the bits up to the next byte, which must be zero.
    pub fn pad(&mut self) {
        let start = self.position();
        match self.bits.align() {
            0 => self.leaf(Part::Padding, Name::Padding, start, Value::None),
            _ => self.refuse(ErrorKind::PcoPadding, start),
        }
    }

    /// Skips `n` bits, and emits them as one field.
    pub fn span(&mut self, part: Part, name: Name, n: u64, value: Value<'_>) {
        let start = self.position();
        self.skip(n);
        self.leaf(part, name, start, value);
    }

    /// Skips `n` bits without emitting them. `false` if the input ends before.
    #[inline(never)]
    pub fn skip(&mut self, n: u64) -> bool {
        self.need(n) && self.bits.skip(n).is_ok()
    }

    /// Emits the bits from `start` to here, unless there are none.
    fn leaf(&mut self, part: Part, name: Name, start: u64, value: Value<'_>) {
        if self.trace.listens() && start < self.position() && !self.failed() {
            let base = self.base.saturating_mul(8);
            self.trace.leaf(part, name, base.saturating_add(start)..base.saturating_add(self.position()), value);
        }
    }
}

fn type_of(byte: u64) -> Option<NumberType> {
    u8::try_from(byte).ok().and_then(NumberType::from_byte)
}

//! Reads bit fields and emits each to the trace.
//!
//! All headers of this format are read here, not with [`crate::fields`]. Most of their fields start
//! within a byte, and the place of a field depends on those before it. So there is no table of
//! offsets to write down, and a header would change its reader midway.

use super::number::{Latent as _, NumberType};
use crate::bits::BitReader;
use crate::fault::{Fault, Verdict};
use crate::num::index;
use crate::{Error, ErrorKind, Name, Part, Trace, Value};

/// A bit reader over a part of the input, which emits its fields.
///
/// The first fault is kept, and later fields read as 0 without being emitted. The caller asks
/// [`check`](Self::check) before it acts on what it read. Checking after each field would take
/// several times the code.
///
/// Faults count from the first byte of the slice. So does [`need`](Self::need) of a truncation: a
/// slice of that length would have the field.
pub(crate) struct FieldReader<'a, T> {
    bits: BitReader<'a>,
    /// Offset of the first byte in the input, for the trace.
    base: u64,
    pub trace: &'a mut T,
    /// The first fault.
    fault: Option<Fault>,
    need: u64,
}

impl<'a, T: Trace> FieldReader<'a, T> {
    pub fn new(bytes: &'a [u8], base: u64, trace: &'a mut T) -> Self {
        Self { bits: BitReader::new(bytes), base, trace, fault: None, need: 0 }
    }

    /// Returns the next bit, counted from the start of the slice.
    pub fn position(&self) -> u64 {
        self.bits.position()
    }

    /// Returns the first fault, if there was one.
    pub fn check(&self) -> Verdict<()> {
        self.fault.map_or(Ok(()), Err)
    }

    /// Returns the amount that would have been enough for the first fault; 0 if none would.
    pub fn need(&self) -> u64 {
        self.need
    }

    /// Turns a fault into an error: makes its offset absolute, and adds what would be enough.
    #[cold]
    pub fn error(&self, fault: Fault) -> Error {
        // A caller may know better than the first fault.
        let need = if self.fault == Some(fault) { self.need } else { 0 };
        fault.error(self.base, need)
    }

    /// Returns the first fault, or that the input has no `n` more bits.
    pub fn require(&mut self, n: u64) -> Verdict<()> {
        self.has(n);
        self.check()
    }

    /// `false` after a fault, such as that the input has no `n` more bits.
    #[inline(never)]
    fn has(&mut self, n: u64) -> bool {
        let there = n <= self.bits.remaining();
        if !there {
            let end = self.bits.position().saturating_add(self.bits.remaining()).div_ceil(8);
            let need = self.bits.position().saturating_add(n).div_ceil(8);
            self.fail(Fault::new(ErrorKind::Truncated, index(end)), need);
        }
        there && self.fault.is_none()
    }

    /// Keeps the first fault.
    fn fail(&mut self, fault: Fault, need: u64) {
        if self.fault.is_none() {
            (self.fault, self.need) = (Some(fault), need);
        }
    }

    /// `true` after a fault.
    pub fn failed(&self) -> bool {
        self.fault.is_some()
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
        show: impl FnOnce(u64) -> Result<Value<'v>, ErrorKind>,
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
        match self.has(u64::from(n)) {
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
        self.fail(Fault::new(kind, index(start / 8)), need);
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
        self.has(n) && self.bits.skip(n).is_ok()
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

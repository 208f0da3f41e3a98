//! Reads bit fields and tells the trace about each.

use super::number::NumberType;
use crate::bits::BitReader;
use crate::{Error, ErrorKind, Name, Part, Result, Trace, Value};

/// A bit reader over a part of the input that knows where that part lies.
///
/// What is wrong is remembered rather than given back: fields behind it read as 0, and nothing is told about them. Whoever acts on
/// what was read asks [`check`](Self::check) first. That takes a fraction of the code of asking behind each field.
///
/// Errors and spans count from the start of the input; so does `need` in a truncation: the input would have to be that
/// long for the next field to be there.
pub(crate) struct Fields<'a, 't, T> {
    bits: BitReader<'a>,
    /// Offset of the first byte in the input.
    base: u64,
    pub trace: &'t mut T,
    /// The first thing that is wrong.
    error: Option<Error>,
}

impl<'a, 't, T: Trace> Fields<'a, 't, T> {
    pub fn new(bytes: &'a [u8], base: u64, trace: &'t mut T) -> Self {
        Self { bits: BitReader::new(bytes), base, trace, error: None }
    }

    /// The next bit, counted from the start of the slice.
    pub fn position(&self) -> u64 {
        self.bits.position()
    }

    /// Whether all was well so far.
    pub fn check(&self) -> Result<()> {
        self.error.map_or(Ok(()), Err)
    }

    /// Whether all was well so far, and `n` more bits exist; if not, how long the input would have to be.
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

    /// What is wrong first counts.
    fn fail(&mut self, error: Error) {
        if self.error.is_none() {
            self.error = Some(error);
        }
    }

    /// Whether something was wrong.
    pub fn failed(&self) -> bool {
        self.error.is_some()
    }

    /// A field of `n` bits that holds a number.
    pub fn take(&mut self, part: Part, name: Name, n: u32) -> u64 {
        self.take_as(part, name, n, |value| Ok(Value::U64(value)))
    }

    /// A field of at most 32 bits.
    pub fn small(&mut self, part: Part, name: Name, n: u32) -> u32 {
        u32::try_from(self.take(part, name, n.min(32))).unwrap_or(0)
    }

    /// A field whose value the trace shows in another way, or which is refused.
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

    /// The next `n` bits. Out of line: with what shows it, it is needed in as many forms as there are fields.
    #[inline(never)]
    fn word(&mut self, n: u32) -> u64 {
        match self.need(u64::from(n)) {
            true => self.bits.take(n).unwrap_or(0),
            false => 0,
        }
    }

    /// What is wrong is the field that starts at this bit of the slice.
    pub fn refuse(&mut self, kind: ErrorKind, start: u64) {
        self.exceed(kind, start, 0);
    }

    /// The same, where `need` would have had to be allowed.
    #[inline(never)]
    pub fn exceed(&mut self, kind: ErrorKind, start: u64, need: u64) {
        self.fail(Error::new(kind, self.base.saturating_add(start / 8)).needing(need));
    }

    /// A byte that names a number type, or `other` as the trace shall call it.
    pub fn number_type(&mut self, name: Name, other: Option<&'static str>) -> Option<NumberType> {
        let byte = self.take_as(Part::Framing, name, 8, |byte| match (type_of(byte), other) {
            (Some(ty), _) => Ok(Value::Word(ty.name())),
            (None, Some(word)) if byte == 0 => Ok(Value::Word(word)),
            _ => Err(ErrorKind::PcoNumberType),
        });
        type_of(byte)
    }

    /// The bits up to the next byte, which must be zero.
    pub fn pad(&mut self) {
        let start = self.position();
        match self.bits.align() {
            0 => self.leaf(Part::Padding, Name::Padding, start, Value::None),
            _ => self.refuse(ErrorKind::PcoPadding, start),
        }
    }

    /// Moves on by `n` bits, as one field.
    pub fn span(&mut self, part: Part, name: Name, n: u64, value: Value<'_>) {
        let start = self.position();
        self.skip(n);
        self.leaf(part, name, start, value);
    }

    /// Moves on by bits that somebody else tells the trace about. Whether that is so.
    #[inline(never)]
    pub fn skip(&mut self, n: u64) -> bool {
        self.need(n) && self.bits.skip(n).is_ok()
    }

    /// Tells the trace about the bits from `start` to here, unless there are none.
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

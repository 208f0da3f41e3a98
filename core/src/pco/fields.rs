//! Reads bit fields and tells the trace about each.

use super::number::NumberType;
use crate::bits::BitReader;
use crate::{Error, ErrorKind, Part, Result, Trace, Value};

/// A bit reader over a part of the input that knows where that part lies.
///
/// Errors and spans count from the start of the input; so does `need` in a truncation: the input would have to be that
/// long for the next field to be there.
pub(crate) struct Fields<'a, 't, T> {
    bits: BitReader<'a>,
    /// Offset of the first byte in the input.
    base: u64,
    pub trace: &'t mut T,
}

impl<'a, 't, T: Trace> Fields<'a, 't, T> {
    pub fn new(bytes: &'a [u8], base: u64, trace: &'t mut T) -> Self {
        Self { bits: BitReader::new(bytes), base, trace }
    }

    /// The next bit, counted from the start of the slice.
    pub fn position(&self) -> u64 {
        self.bits.position()
    }

    /// Offset of the byte that the next bit lies in, counted from the start of the input.
    pub fn at(&self) -> u64 {
        self.base.saturating_add(self.bits.position() / 8)
    }

    /// Whether `n` more bits exist; if not, how long the input would have to be.
    pub fn require(&self, n: u64) -> Result<()> {
        if n <= self.bits.remaining() {
            return Ok(());
        }
        let end = self.bits.position().saturating_add(self.bits.remaining()).div_ceil(8);
        let need = self.bits.position().saturating_add(n).div_ceil(8);
        Err(Error::new(ErrorKind::Truncated, self.base.saturating_add(end)).needing(self.base.saturating_add(need)))
    }

    /// A field of `n` bits that holds a number.
    pub fn take(&mut self, part: Part, name: &'static str, n: u32) -> Result<u64> {
        self.take_as(part, name, n, |value| Ok(Value::U64(value)))
    }

    /// A field of at most 32 bits.
    pub fn small(&mut self, part: Part, name: &'static str, n: u32) -> Result<u32> {
        Ok(u32::try_from(self.take(part, name, n.min(32))?).unwrap_or(0))
    }

    /// A field whose value the trace shows in another way, or which is refused.
    pub fn take_as<'v>(
        &mut self,
        part: Part,
        name: &'static str,
        n: u32,
        show: impl FnOnce(u64) -> core::result::Result<Value<'v>, ErrorKind>,
    ) -> Result<u64> {
        let start = self.position();
        let value = self.word(n)?;
        let shown = show(value).map_err(|kind| self.refuse(kind, start))?;
        self.leaf(part, name, start, shown);
        Ok(value)
    }

    /// The next `n` bits. Out of line: with what shows it, it is needed in as many forms as there are fields.
    #[inline(never)]
    fn word(&mut self, n: u32) -> Result<u64> {
        self.require(u64::from(n))?;
        self.bits.take(n)
    }

    /// An error about the field that starts at this bit of the slice.
    #[cold]
    #[inline(never)]
    fn refuse(&self, kind: ErrorKind, start: u64) -> Error {
        Error::new(kind, self.base.saturating_add(start / 8))
    }

    /// A byte that names a number type, or `other` as the trace shall call it.
    pub fn number_type(&mut self, name: &'static str, other: Option<&'static str>) -> Result<Option<NumberType>> {
        let byte = self.take_as(Part::Framing, name, 8, |byte| match (type_of(byte), other) {
            (Some(ty), _) => Ok(Value::Word(ty.name())),
            (None, Some(word)) if byte == 0 => Ok(Value::Word(word)),
            _ => Err(ErrorKind::PcoNumberType),
        })?;
        Ok(type_of(byte))
    }

    /// The bits up to the next byte, which must be zero.
    pub fn pad(&mut self) -> Result<()> {
        let (at, start) = (self.at(), self.position());
        if self.bits.align() != 0 {
            return Err(Error::new(ErrorKind::PcoPadding, at));
        }
        self.leaf(Part::Padding, "padding", start, Value::None);
        Ok(())
    }

    /// Moves on by bits that were asked for with [`require`](Self::require), as one field.
    pub fn span(&mut self, part: Part, name: &'static str, n: u64, value: Value<'_>) -> Result<()> {
        self.require(n)?;
        let start = self.position();
        self.bits.skip(n)?;
        self.leaf(part, name, start, value);
        Ok(())
    }

    /// Moves on by bits that somebody else tells the trace about.
    pub fn skip(&mut self, n: u64) -> Result<()> {
        self.require(n)?;
        self.bits.skip(n)
    }

    /// Tells the trace about the bits from `start` to here, unless there are none.
    fn leaf(&mut self, part: Part, name: &'static str, start: u64, value: Value<'_>) {
        if self.trace.listens() && start < self.position() {
            let base = self.base.saturating_mul(8);
            self.trace.leaf(part, name, base.saturating_add(start)..base.saturating_add(self.position()), value);
        }
    }
}

fn type_of(byte: u64) -> Option<NumberType> {
    u8::try_from(byte).ok().and_then(NumberType::from_byte)
}

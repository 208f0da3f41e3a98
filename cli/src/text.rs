//! Decoded numbers as text for people and spreadsheets.

use std::fmt::Write;

use unspool::cvc::half_to_f32;
use unspool::{Error, Sink};

/// The type of a decoded value.
#[derive(Clone, Copy)]
pub enum Number {
    F32,
    F16,
    F64,
    U64,
    I64,
    U32,
    I32,
    U16,
    I16,
    I8,
    U8,
}

impl Number {
    pub fn width(self) -> usize {
        match self {
            Number::F32 | Number::U32 | Number::I32 => 4,
            Number::F16 | Number::U16 | Number::I16 => 2,
            Number::F64 | Number::U64 | Number::I64 => 8,
            Number::I8 | Number::U8 => 1,
        }
    }

    /// Writes the shortest text that parses to the same number; for half floats, to the same f32.
    fn write(self, value: &[u8], out: &mut String) -> std::fmt::Result {
        match self {
            Number::F32 => write!(out, "{}", f32::from_le_bytes(take(value))),
            Number::F16 => write!(out, "{}", half_to_f32(u16::from_le_bytes(take(value)))),
            Number::F64 => write!(out, "{}", f64::from_le_bytes(take(value))),
            Number::U64 => write!(out, "{}", u64::from_le_bytes(take(value))),
            Number::U32 => write!(out, "{}", u32::from_le_bytes(take(value))),
            Number::U16 => write!(out, "{}", u16::from_le_bytes(take(value))),
            Number::I16 => write!(out, "{}", i16::from_le_bytes(take(value))),
            Number::I64 => write!(out, "{}", i64::from_le_bytes(take(value))),
            Number::I32 => write!(out, "{}", i32::from_le_bytes(take(value))),
            Number::I8 => write!(out, "{}", i8::from_le_bytes(take(value))),
            Number::U8 => write!(out, "{}", u8::from_le_bytes(take(value))),
        }
    }

    /// Converts to f64; integers beyond 2^53 are rounded.
    #[expect(clippy::cast_precision_loss, reason = "statistics are rounded anyway")]
    pub fn value(self, value: &[u8]) -> f64 {
        match self {
            Number::F32 => f32::from_le_bytes(take(value)).into(),
            Number::F16 => half_to_f32(u16::from_le_bytes(take(value))).into(),
            Number::F64 => f64::from_le_bytes(take(value)),
            Number::U64 => u64::from_le_bytes(take(value)) as f64,
            Number::U32 => u32::from_le_bytes(take(value)).into(),
            Number::U16 => u16::from_le_bytes(take(value)).into(),
            Number::I16 => i16::from_le_bytes(take(value)).into(),
            Number::I64 => i64::from_le_bytes(take(value)) as f64,
            Number::I32 => i32::from_le_bytes(take(value)).into(),
            Number::I8 => i8::from_le_bytes(take(value)).into(),
            Number::U8 => u8::from_le_bytes(take(value)).into(),
        }
    }
}

/// Returns the bytes of a number; the caller guarantees that they exist.
fn take<const N: usize>(value: &[u8]) -> [u8; N] {
    value.first_chunk().copied().unwrap_or([0; N])
}

/// A sink that writes the bytes of numbers as lines of `per_line` numbers, separated by tabs.
pub struct Lines<'s, S> {
    number: Number,
    per_line: u64,
    in_line: u64,
    /// The start of a number that was split between two writes.
    cut: Vec<u8>,
    sink: &'s mut S,
}

impl<'s, S: Sink> Lines<'s, S> {
    pub fn new(number: Number, per_line: u64, sink: &'s mut S) -> Self {
        Self { number, per_line, in_line: 0, cut: vec![], sink }
    }
}

impl<S: Sink> Sink for Lines<'_, S> {
    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.cut.extend(bytes);
        let values = self.cut.chunks_exact(self.number.width());
        let rest = values.remainder().to_vec();
        let mut text = String::new();
        for value in values {
            // Writing to a string cannot fail.
            let _ = self.number.write(value, &mut text);
            self.in_line += 1;
            text.push(if self.in_line == self.per_line { '\n' } else { '\t' });
            self.in_line %= self.per_line;
        }
        self.cut = rest;
        self.sink.write(text.as_bytes())
    }
}

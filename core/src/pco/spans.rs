//! The progress within a page, and the spans of its batches.

use super::meta::Role;
use crate::num::u64_from;
use crate::{Error, ErrorKind, Name, Part, Result, Status, Step, Trace, Value};

/// The progress of a call that has done nothing yet. After an error it tells what was done before.
pub(crate) const BEGIN: Step = Step { read: 0, wrote: 0, status: Status::NeedOutput };

/// The progress within a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Progress {
    /// Numbers of the page.
    pub n: usize,
    /// Numbers that are still to come.
    pub left: usize,
    /// Its metadata was read.
    pub started: bool,
    /// Bits of the next byte that were read already.
    pub bit: usize,
    /// Offset of the next byte in the caller's input.
    pub at: u64,
}

impl Default for Progress {
    /// No page was started.
    fn default() -> Self {
        Self { n: 0, left: 0, started: true, bit: 0, at: 0 }
    }
}

impl Progress {
    /// The next input is the start of a page.
    pub fn start(&mut self, n: usize, at: u64) {
        *self = Self { n, left: n, started: false, bit: 0, at };
    }

    /// Counts `count` numbers, which end at this bit of the input that was not read before.
    #[inline(never)]
    pub fn pass(&mut self, step: &mut Step, bit: usize, count: usize) {
        self.read(step, bit / 8);
        step.wrote = step.wrote.saturating_add(count);
        self.bit = bit % 8;
        self.left = self.left.saturating_sub(count);
    }

    /// Counts bytes that were read.
    pub fn read(&mut self, step: &mut Step, bytes: usize) {
        step.read = step.read.saturating_add(bytes);
        self.at = self.at.saturating_add(u64_from(bytes));
    }

    /// Goes back to the start of the page, for a call that must do all of it or nothing.
    #[cold]
    #[inline(never)]
    pub fn restart(&mut self, step: &mut Step) {
        self.start(self.n, self.at.saturating_sub(u64_from(step.read)));
        *step = BEGIN;
    }

    /// After the last number: checks that the rest of the last byte is zero, and reads it.
    #[inline(never)]
    pub fn end(&mut self, src: &[u8], step: &mut Step, trace: &mut impl Trace) -> Result<()> {
        if self.left > 0 || self.bit == 0 {
            return Ok(());
        }
        if src.get(step.read).is_some_and(|byte| byte >> self.bit != 0) {
            return Err(Error::new(ErrorKind::PcoPadding, self.at));
        }
        let bits = self.at.saturating_mul(8);
        let padding = bits.saturating_add(u64_from(self.bit))..bits.saturating_add(8);
        trace.leaf(Part::Padding, Name::Padding, padding, Value::None);
        self.bit = 0;
        self.read(step, 1);
        Ok(())
    }
}

/// Emits the spans of a batch, and finds out whether the input has all of them.
pub(crate) struct Spans<'t, T> {
    pub trace: &'t mut T,
    /// Offset of the first byte in the input.
    at: u64,
    /// The bit after the last span.
    bit: usize,
    /// Bytes of the input.
    have: usize,
    /// Bytes that the input would have to have; 0 while it suffices.
    need: usize,
}

impl<'t, T: Trace> Spans<'t, T> {
    /// From bit `bit` of the `have` bytes that lie at `at`.
    pub fn new(trace: &'t mut T, at: u64, bit: usize, have: usize) -> Self {
        Self { trace, at, bit, have, need: 0 }
    }

    /// The symbols of a variable end here.
    pub fn symbols(&mut self, role: Role, end: usize) {
        // Symbols made of missing bits say nothing about how many bits there would be.
        self.need(end, self.have.saturating_add(1));
        let name = match role {
            Role::Lookback => Name::LookbackSymbols,
            Role::Primary => Name::PrimarySymbols,
            Role::Secondary => Name::SecondarySymbols,
        };
        self.leaf(Part::Symbols, name, end);
    }

    /// Its offsets end here.
    pub fn offsets(&mut self, role: Role, end: usize) {
        self.need(end, end.div_ceil(8));
        let name = match role {
            Role::Lookback => Name::LookbackOffsets,
            Role::Primary => Name::PrimaryOffsets,
            Role::Secondary => Name::SecondaryOffsets,
        };
        self.leaf(Part::Offsets, name, end);
    }

    fn need(&mut self, end: usize, need: usize) {
        if self.need == 0 && end.div_ceil(8) > self.have {
            self.need = need;
        }
    }

    fn leaf(&mut self, part: Part, name: Name, end: usize) {
        if self.trace.listens() && end > self.bit {
            let base = self.at.saturating_mul(8);
            let bits = base.saturating_add(u64_from(self.bit))..base.saturating_add(u64_from(end));
            self.trace.leaf(part, name, bits, Value::None);
            self.bit = end;
        }
    }

    /// Ends the batch. An error if the input is too short for it.
    pub fn end(self) -> Result<()> {
        if self.need > 0 {
            return Err(truncated(self.at, self.have, self.need));
        }
        self.trace.leave();
        Ok(())
    }
}

/// The error of an input of `have` bytes that should have `need`.
fn truncated(at: u64, have: usize, need: usize) -> Error {
    Error::new(ErrorKind::Truncated, at.saturating_add(u64_from(have))).needing(at.saturating_add(u64_from(need)))
}

//! The progress within a page.

use super::meta::{Meta, Role};
use super::plan::Plan;
use crate::fault::{Fault, Verdict};
use crate::num::u64_from;
use crate::{Error, ErrorKind, Name, Part, Status, Step, Trace, Value};

/// The progress of a call that has done nothing yet. After an error it holds what was done before.
pub(crate) const BEGIN: Step = Step { read: 0, wrote: 0, status: Status::NeedOutput };

/// A page that is being read, and what all pages of a chunk share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Page<'m> {
    pub meta: &'m Meta<'m>,
    pub plan: Plan,
    /// Numbers of the longest page that the workspace suffices for.
    pub longest: usize,
    /// Numbers of the page.
    pub n: usize,
    /// Numbers still to come.
    pub left: usize,
    /// The metadata of the page was read.
    pub started: bool,
    /// Bits of the next byte that were read already.
    pub bit: usize,
    /// Offset of the next byte in the caller's input.
    pub at: u64,
    /// The amount that would have been enough for the last fault; 0 if none would.
    pub need: u64,
}

impl<'m> Page<'m> {
    /// No page yet, of a chunk whose pages have at most `longest` numbers.
    pub fn new(meta: &'m Meta<'m>, longest: usize, plan: Plan) -> Self {
        Self { meta, plan, longest, n: 0, left: 0, started: true, bit: 0, at: 0, need: 0 }
    }

    /// Starts a page of `n` numbers at this offset in the caller's input.
    pub fn start(&mut self, n: usize, at: u64) {
        *self = Self { n, left: n, started: false, bit: 0, at, ..*self };
    }

    /// Returns a fault that this amount would have avoided. It counts from the next byte, as all
    /// faults of a page do.
    #[cold]
    pub fn lacking(&mut self, kind: ErrorKind, at: usize, need: usize) -> Fault {
        self.need = u64_from(need);
        Fault::new(kind, at)
    }

    /// Turns a fault into an error: makes its offset absolute, and adds what would be enough.
    #[cold]
    pub fn error(&mut self, fault: Fault) -> Error {
        let need = core::mem::take(&mut self.need);
        fault.error(self.at, need)
    }

    /// Counts `count` numbers, which end at this bit of the unread input.
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

    /// Goes back to the start of the page, for a call that must do all of it or nothing. Returns
    /// its fault, which counts from there.
    #[cold]
    #[inline(never)]
    pub fn restart(&mut self, step: &mut Step, fault: Fault) -> Fault {
        let read = core::mem::replace(step, BEGIN).read;
        self.start(self.n, self.at.saturating_sub(u64_from(read)));
        if self.need > 0 {
            // Only a truncated input needs anything here.
            self.need = self.need.saturating_add(u64_from(read));
        }
        fault.offset_by(read)
    }

    /// After the last number: checks that the rest of the last byte is zero, and reads it.
    #[inline(never)]
    pub fn end(&mut self, src: &[u8], step: &mut Step, trace: &mut impl Trace) -> Verdict<()> {
        if self.left > 0 || self.bit == 0 {
            return Ok(());
        }
        if src.get(step.read).is_some_and(|byte| byte >> self.bit != 0) {
            return Err(Fault::new(ErrorKind::PcoPadding, 0));
        }
        self.leaf(trace, Part::Padding, Name::Padding, self.bit, 8);
        self.bit = 0;
        self.read(step, 1);
        Ok(())
    }

    /// Emits the symbols and the offsets of a variable: the bits from `start` on that end at these
    /// two.
    pub fn emit(&self, trace: &mut impl Trace, role: Role, start: usize, (symbols_end, end): (usize, usize)) {
        let (symbols, offsets) = match role {
            Role::Lookback => (Name::LookbackSymbols, Name::LookbackOffsets),
            Role::Primary => (Name::PrimarySymbols, Name::PrimaryOffsets),
            Role::Secondary => (Name::SecondarySymbols, Name::SecondaryOffsets),
        };
        self.leaf(trace, Part::Symbols, symbols, start, symbols_end);
        self.leaf(trace, Part::Offsets, offsets, symbols_end, end);
    }

    /// Emits these bits of the unread input, unless there are none.
    fn leaf(&self, trace: &mut impl Trace, part: Part, name: Name, start: usize, end: usize) {
        if trace.listens() && start < end {
            let base = self.at.saturating_mul(8);
            let bits = base.saturating_add(u64_from(start))..base.saturating_add(u64_from(end));
            trace.leaf(part, name, bits, Value::None);
        }
    }
}

//! Filters that stand before LZMA2: deltas of bytes, and the addresses in machine code of eight kinds.
//!
//! An encoder turns the relative address of a call into an absolute one, so that calls of one function look the same
//! wherever they stand. Decoding turns it back, in place: what looks like a call in the decoded bytes is one.

use super::branch;
use crate::copy::to_front;

/// A filter, with its properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FilterKind {
    /// Each byte is a difference to the one so far back: 1 to 256.
    Delta(u16),
    /// Addresses in machine code; positions count from this one.
    Branch(Machine, u32),
}

/// Whose machine code a branch filter knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Machine {
    /// 32- and 64-bit x86.
    X86,
    /// PowerPC, big-endian.
    PowerPc,
    /// Itanium.
    Ia64,
    /// ARM, 32-bit.
    Arm,
    /// ARM-Thumb.
    ArmThumb,
    /// SPARC.
    Sparc,
    /// ARM, 64-bit.
    Arm64,
    /// RISC-V.
    RiscV,
}

impl Machine {
    const fn from_id(id: u64) -> Option<Self> {
        Some(match id {
            4 => Machine::X86,
            5 => Machine::PowerPc,
            6 => Machine::Ia64,
            7 => Machine::Arm,
            8 => Machine::ArmThumb,
            9 => Machine::Sparc,
            10 => Machine::Arm64,
            11 => Machine::RiscV,
            _ => return None,
        })
    }

    /// Instructions start at multiples of this.
    const fn alignment(self) -> u32 {
        match self {
            Machine::X86 => 1,
            Machine::ArmThumb | Machine::RiscV => 2,
            Machine::PowerPc | Machine::Arm | Machine::Sparc | Machine::Arm64 => 4,
            Machine::Ia64 => 16,
        }
    }
}

impl FilterKind {
    /// The filter with this number. Nothing if its properties break the rules.
    pub(super) fn read(id: u64, properties: &[u8]) -> Option<Self> {
        let Some(machine) = Machine::from_id(id) else {
            let &[less_one] = properties else { return None };
            return Some(FilterKind::Delta(u16::from(less_one) + 1));
        };
        let start = match *properties {
            [] => 0,
            [a, b, c, d] => u32::from_le_bytes([a, b, c, d]),
            _ => return None,
        };
        start.is_multiple_of(machine.alignment()).then_some(FilterKind::Branch(machine, start))
    }
}

/// What a stage does. Numbered, so that nothing to do is all zeros, and so is a workspace.
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
enum Work {
    Nothing,
    Delta(u16),
    Branch(Machine),
}

/// A filter at work.
#[derive(Clone, Debug)]
struct Stage {
    work: Work,
    /// The position of the next byte: of an instruction, or in `history`.
    at: u32,
    /// For deltas, the last 256 bytes.
    history: [u8; 256],
    x86: branch::X86,
}

impl Stage {
    const fn new() -> Self {
        Self { work: Work::Nothing, at: 0, history: [0; 256], x86: branch::X86::new() }
    }

    fn start(&mut self, kind: Option<FilterKind>) {
        (self.work, self.at) = match kind {
            None => (Work::Nothing, 0),
            Some(FilterKind::Delta(distance)) => (Work::Delta(distance), 0),
            Some(FilterKind::Branch(machine, start)) => (Work::Branch(machine), start),
        };
        self.history.fill(0);
        self.x86.start();
    }

    /// Filters in place, from the start of `bytes` on as far as it can be told without seeing more. Says how far.
    fn run(&mut self, bytes: &mut [u8]) -> usize {
        let at = self.at;
        let done = match self.work {
            Work::Nothing => bytes.len(),
            Work::Delta(distance) => {
                for byte in &mut *bytes {
                    let place = usize::from(self.at.to_le_bytes()[0]);
                    let back = place.wrapping_sub(usize::from(distance)) & 0xFF;
                    *byte = byte.wrapping_add(self.history[back]);
                    self.history[place & 0xFF] = *byte;
                    self.at = self.at.wrapping_add(1);
                }
                return bytes.len();
            }
            Work::Branch(machine) => match machine {
                Machine::X86 => self.x86.run(bytes, at),
                Machine::PowerPc => branch::each(bytes, at, branch::power_pc),
                Machine::Ia64 => branch::each(bytes, at, branch::ia64),
                Machine::Arm => branch::each(bytes, at, branch::arm),
                Machine::ArmThumb => branch::arm_thumb(bytes, at),
                Machine::Sparc => branch::each(bytes, at, branch::sparc),
                Machine::Arm64 => branch::each(bytes, at, branch::arm64),
                Machine::RiscV => branch::risc_v(bytes, at),
            },
        };
        self.at = at.wrapping_add(u32::from_le_bytes(low(done)));
        done
    }
}

/// Positions of instructions have 32 bits, and wrap.
fn low(n: usize) -> [u8; 4] {
    let [a, b, c, d, ..] = crate::num::u64_from(n).to_le_bytes();
    [a, b, c, d]
}

/// Bytes on their way through the filters of a stream.
const PIPELINE: usize = 1024;

/// Up to three filters in a row, in the order in which they decode, and a buffer for what a stream has in them.
#[derive(Clone, Debug)]
pub(super) struct Pipeline {
    stages: [Stage; 3],
    buf: [u8; PIPELINE],
    /// How far the bytes in `buf` have come: in it, and behind each stage.
    done: [usize; 4],
    /// How many bytes have left.
    left: usize,
}

impl Pipeline {
    pub(super) const fn new() -> Self {
        Self { stages: [const { Stage::new() }; 3], buf: [0; PIPELINE], done: [0; 4], left: 0 }
    }

    /// Starts a block with these filters, in the order of its header.
    pub(super) fn start(&mut self, filters: &[Option<FilterKind>; 3]) {
        for (stage, &filter) in self.stages.iter_mut().zip(filters.iter().rev()) {
            stage.start(filter);
        }
        (self.done, self.left) = ([0; 4], 0);
    }

    /// Filters a whole block in place.
    pub(super) fn whole(&mut self, bytes: &mut [u8]) {
        for stage in &mut self.stages {
            stage.run(bytes);
        }
    }

    /// Filters the start of a block in place, and returns how far the filters got without seeing more.
    pub(super) fn start_of(&mut self, bytes: &mut [u8]) -> usize {
        self.stages.iter_mut().fold(bytes.len(), |len, stage| stage.run(bytes.get_mut(..len).unwrap_or_default()))
    }

    /// Takes bytes from the front of `from` and puts filtered ones to the front of `to`; `end` says that no more will come.
    /// Says how many were taken and put.
    pub(super) fn pump(&mut self, from: &[u8], end: bool, to: &mut [u8]) -> (usize, usize) {
        let (mut taken, mut put) = (0, 0);
        loop {
            let ready = self.buf.get(self.left..self.done[3]).unwrap_or_default();
            let room = to.get_mut(put..).unwrap_or_default();
            let len = ready.len().min(room.len());
            crate::num::copy(ready, room);
            put += len;
            self.left += len;
            if self.left < self.done[3] {
                return (taken, put);
            }
            // All that was ready has left: what is not ready moves to the front, and the rest is filled up.
            to_front(&mut self.buf, self.left..self.done[0]);
            self.done.iter_mut().for_each(|done| *done = done.saturating_sub(self.left));
            self.left = 0;
            let room = self.buf.get_mut(self.done[0]..).unwrap_or_default();
            let more = from.get(taken..).unwrap_or_default();
            let len = room.len().min(more.len());
            crate::num::copy(more, room);
            taken += len;
            self.done[0] += len;
            let end = end && taken == from.len();
            if !self.advance(end) {
                return (taken, put);
            }
        }
    }

    /// Whether some bytes are ready for the output; at the `end` of a block, all are.
    pub(super) const fn waits(&self, end: bool) -> bool {
        self.left < if end { self.done[0] } else { self.done[3] }
    }

    /// Runs each stage over what the one before it has done. False if nothing came out.
    fn advance(&mut self, end: bool) -> bool {
        let [first, rest @ ..] = &mut self.done;
        let mut before = *first;
        for (stage, done) in self.stages.iter_mut().zip(rest) {
            let bytes = self.buf.get_mut(*done..before).unwrap_or_default();
            let len = stage.run(bytes);
            *done = if end { before } else { *done + len };
            before = *done;
        }
        self.done[3] > 0
    }
}

//! Filters before LZMA2: deltas of bytes, and the addresses in eight kinds of machine code.
//!
//! An encoder turns the relative address of a call into an absolute one, so that calls of one
//! function look the same everywhere. Decoding turns it back in place: every pattern of a call in
//! the decoded bytes is converted.

use super::branch;
use crate::copy::to_front;
use crate::num::{Size, index_of};
use crate::step::flush_window;

/// A filter, with its properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[non_exhaustive]
pub enum FilterKind {
    /// Each byte is the difference from the byte at this distance, 1 to 256.
    Delta(u16),
    /// Addresses in machine code; positions count from this number.
    Branch(Architecture, u32),
}

/// A machine whose code a branch filter converts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Architecture {
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

/// Every machine, by the number of its filter from 4 on.
const MACHINES: [Architecture; 8] = [
    Architecture::X86,
    Architecture::PowerPc,
    Architecture::Ia64,
    Architecture::Arm,
    Architecture::ArmThumb,
    Architecture::Sparc,
    Architecture::Arm64,
    Architecture::RiscV,
];

/// Instructions of each machine start at multiples of this.
const ALIGNMENTS: [u32; 8] = [1, 4, 16, 4, 2, 4, 4, 2];

impl FilterKind {
    /// The filter with this number; `None` if its properties break the rules.
    pub(super) fn read(id: Size, properties: &[u8]) -> Option<Self> {
        let Some(&machine) = MACHINES.get(index_of(id.wrapping_sub(4))) else {
            let &[less_one] = properties else { return None };
            return Some(FilterKind::Delta(u16::from(less_one) + 1));
        };
        let start = match *properties {
            [] => 0,
            [a, b, c, d] => u32::from_le_bytes([a, b, c, d]),
            _ => return None,
        };
        start.is_multiple_of(ALIGNMENTS[machine as usize & 7]).then_some(FilterKind::Branch(machine, start))
    }
}

#[cfg(feature = "lzma")]
impl FilterKind {
    /// Returns true if the properties keep the rules. Those in a file are checked by `read`.
    pub(super) fn is_valid(self) -> bool {
        match self {
            FilterKind::Delta(distance) => matches!(distance, 1..=256),
            FilterKind::Branch(machine, start) => start.is_multiple_of(ALIGNMENTS[machine as usize & 7]),
        }
    }
}

/// A filter at work.
#[derive(Clone, Debug)]
struct Stage {
    /// A distance of 0 does nothing, and is all zeros, as a workspace must be.
    kind: FilterKind,
    /// The position of the next byte: of an instruction, or in `history`.
    at: u32,
    /// For deltas, the last 256 bytes.
    history: [u8; 256],
    x86: branch::X86,
}

impl Stage {
    const fn new() -> Self {
        Self { kind: FilterKind::Delta(0), at: 0, history: [0; 256], x86: branch::X86::new() }
    }

    fn start(&mut self, kind: Option<FilterKind>) {
        self.kind = kind.unwrap_or(FilterKind::Delta(0));
        self.at = if let FilterKind::Branch(_, start) = self.kind { start } else { 0 };
        self.history.fill(0);
        self.x86.start();
    }

    /// Filters `bytes` in place, as far as possible without the bytes that follow. Returns how far.
    ///
    /// The loop over deltas is the hot one: one load, one add and two stores per byte. Its indexes
    /// are masked to the 256 bytes of history, so it has no bounds check. It must not depend on how
    /// the block is split, so its position is kept in `at`.
    fn run(&mut self, bytes: &mut [u8]) -> usize {
        let at = self.at;
        let done = match self.kind {
            FilterKind::Delta(0) => return bytes.len(),
            FilterKind::Delta(distance) => {
                for byte in &mut *bytes {
                    let place = usize::from(self.at.to_le_bytes()[0]);
                    let back = place.wrapping_sub(usize::from(distance)) & 0xFF;
                    *byte = byte.wrapping_add(self.history[back]);
                    self.history[place & 0xFF] = *byte;
                    self.at = self.at.wrapping_add(1);
                }
                return bytes.len();
            }
            FilterKind::Branch(machine, _) => match machine {
                Architecture::X86 => self.x86.run(bytes, at),
                Architecture::PowerPc => branch::each(bytes, at, branch::power_pc),
                Architecture::Ia64 => branch::each(bytes, at, branch::ia64),
                Architecture::Arm => branch::each(bytes, at, branch::arm),
                Architecture::ArmThumb => branch::arm_thumb(bytes, at),
                Architecture::Sparc => branch::each(bytes, at, branch::sparc),
                Architecture::Arm64 => branch::each(bytes, at, branch::arm64),
                Architecture::RiscV => branch::risc_v(bytes, at),
            },
        };
        self.at = branch::position(at, done);
        done
    }
}

/// Up to three filters in a row, in the order in which they decode.
#[derive(Clone, Debug)]
pub(super) struct Filters {
    stages: [Stage; 3],
}

impl Filters {
    pub(super) const fn new() -> Self {
        Self { stages: [const { Stage::new() }; 3] }
    }

    /// Starts a block with these filters, in the order of its header. Returns whether there are
    /// any.
    pub(super) fn start(&mut self, filters: &[Option<FilterKind>; 3]) -> bool {
        for (stage, &filter) in self.stages.iter_mut().zip(filters.iter().rev()) {
            stage.start(filter);
        }
        filters.iter().any(Option::is_some)
    }

    /// Filters a whole block in place.
    pub(super) fn whole(&mut self, bytes: &mut [u8]) {
        for stage in &mut self.stages {
            stage.run(bytes);
        }
    }

    /// Filters the start of a block in place, and returns how far the filters got without seeing
    /// more.
    pub(super) fn start_of(&mut self, bytes: &mut [u8]) -> usize {
        self.stages.iter_mut().fold(bytes.len(), |len, stage| stage.run(bytes.get_mut(..len).unwrap_or_default()))
    }
}

/// The length of the buffer for bytes between two filters of a stream.
const PIPELINE: usize = 1024;

/// The bytes of a stream that are between filters.
#[derive(Clone, Debug)]
pub(super) struct Pipeline {
    buf: [u8; PIPELINE],
    /// Bytes of `buf` that are present, and those that have passed each stage.
    done: [usize; 4],
    /// Bytes of `buf` that have left.
    left: usize,
}

impl Pipeline {
    pub(super) const fn new() -> Self {
        Self { buf: [0; PIPELINE], done: [0; 4], left: 0 }
    }

    /// Empties the buffer before a block.
    pub(super) fn clear(&mut self) {
        (self.done, self.left) = ([0; 4], 0);
    }

    /// Moves the bytes of a ring from `flushed` to `at` through the filters to `dst`, after what
    /// was written; `end` says that the block has no more. Returns whether all of them fitted.
    pub(super) fn pump(
        &mut self,
        filters: &mut Filters,
        (ring, flushed, at): (&[u8], &mut usize, usize),
        end: bool,
        dst: &mut [u8],
        wrote: &mut usize,
    ) -> bool {
        loop {
            if !flush_window(&self.buf, &mut self.left, self.done[3], dst, wrote) {
                return false;
            }
            // Filtered bytes have left: the others move to the front, and the buffer is filled up.
            to_front(&mut self.buf, self.left..self.done[0]);
            self.done.iter_mut().for_each(|done| *done = done.saturating_sub(self.left));
            self.left = 0;
            let all = flush_window(ring, flushed, at, &mut self.buf, &mut self.done[0]);
            if !self.advance(filters, end && all) {
                return all;
            }
        }
    }

    /// Runs each stage over the bytes that passed the one before. Returns false if no byte passed
    /// all.
    fn advance(&mut self, filters: &mut Filters, end: bool) -> bool {
        let [first, rest @ ..] = &mut self.done;
        let mut before = *first;
        for (stage, done) in filters.stages.iter_mut().zip(rest) {
            let bytes = self.buf.get_mut(*done..before).unwrap_or_default();
            let len = stage.run(bytes);
            *done = if end { before } else { *done + len };
            before = *done;
        }
        self.done[3] > 0
    }
}

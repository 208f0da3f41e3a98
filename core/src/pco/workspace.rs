//! The memory that decoding needs, and how it is cut out of the caller's words.

use super::batch::{BATCH, Node};
use super::meta::{Delta, MAX_ORDER, Meta, Mode, Role};
use super::pipeline::PIPELINED;
use crate::num::{index, u64_from};
use bytemuck::Pod;

/// How pages will be read, which decides where the history of lookbacks lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// Each page in one call, from one slice into one slice: the output is the history wherever the mode allows it.
    Whole,
    /// In as many calls as the caller likes: the workspace holds the history.
    Batches,
}

/// How many entries a tANS table of this size is given. Loops that know the size by its type want a few sizes only.
pub(crate) fn room(table_log: u32) -> usize {
    match table_log {
        0 => 1,
        log if !PIPELINED => 1 << (log & 15),
        1..=8 => 1 << 8,
        9..=10 => 1 << 10,
        11..=12 => 1 << 12,
        _ => 1 << 14,
    }
}

/// How many buffers it takes to read a batch while the next one is begun.
const BUFFERS: usize = if PIPELINED { 2 } else { 1 };

/// What a chunk needs besides its tables, in entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scratch {
    pub widths: usize,
    pub lookbacks: usize,
    pub indexes: usize,
    pub second: usize,
    pub convolution: usize,
    pub primary_ring: usize,
    pub secondary_ring: usize,
    /// While tables are built, before anything else is needed.
    pub counters: usize,
}

impl Meta<'_> {
    /// How many words of workspace it takes to decode pages of at most `n` numbers.
    ///
    /// It is the exact number, and may be compared with what the caller is willing to give before anything is decoded.
    pub fn workspace_len(&self, n: usize, plan: Plan) -> u64 {
        let number = u64::from(self.number_type.bits() / 8);
        let primary = if matches!(self.mode, Mode::Dict { .. }) { 4 } else { number };
        let scratch = self.scratch(n, plan);
        let tables: u64 = self
            .variables
            .iter()
            .flatten()
            .map(|variable| {
                let entries = u64_from(room(variable.table_log));
                words(entries, u64_from(size_of::<Node>())) + words(entries, u64::from(variable.width / 8))
            })
            .sum();
        let rest = words(u64_from(scratch.widths), 1)
            + words(u64_from(scratch.lookbacks), 4)
            + words(u64_from(scratch.indexes), 4)
            + words(u64_from(scratch.second), number)
            + words(u64_from(scratch.convolution), primary)
            + words(u64_from(scratch.primary_ring), primary)
            + words(u64_from(scratch.secondary_ring), number);
        tables + rest.max(words(u64_from(scratch.counters), 2))
    }

    /// Whether the lookback history of whole pages is their output.
    pub(crate) fn history_is_output(&self) -> bool {
        self.mode == Mode::Classic && matches!(self.delta, Delta::Lookback { .. })
    }

    pub(crate) fn scratch(&self, n: usize, plan: Plan) -> Scratch {
        let has = |role| usize::from(self.variable(role).is_some());
        let (lookback, secondary) = (has(Role::Lookback), has(Role::Secondary));
        let window = index(u64::from(self.delta.window()));
        // No lookback reaches further than to the start of the page.
        let ring = window.min(n.checked_next_power_of_two().unwrap_or(usize::MAX));
        Scratch {
            widths: BATCH,
            lookbacks: BATCH * BUFFERS * lookback,
            indexes: if matches!(self.mode, Mode::Dict { .. }) { BATCH * BUFFERS } else { 0 },
            second: BATCH * secondary,
            convolution: if matches!(self.delta, Delta::Conv1(_)) { MAX_ORDER + BATCH } else { 0 },
            primary_ring: if plan == Plan::Whole && self.history_is_output() { 0 } else { ring },
            secondary_ring: if self.delta.covers_secondary() { ring * secondary } else { 0 },
            counters: self.variables.iter().flatten().map(|v| index(u64::from(v.bins))).max().unwrap_or(0),
        }
    }
}

/// Words that hold this many entries of this many bytes.
const fn words(entries: u64, size: u64) -> u64 {
    (entries * size).div_ceil(8)
}

/// The next `count` entries of `words`, which is left with what follows. Their values are whatever the caller left there.
pub(crate) fn carve<'w, T: Pod>(rest: &mut &'w mut [u64], count: usize) -> Option<&'w mut [T]> {
    let size = count.checked_mul(size_of::<T>())?.div_ceil(8);
    let (taken, left) = core::mem::take(rest).split_at_mut_checked(size)?;
    *rest = left;
    bytemuck::try_cast_slice_mut(taken).ok()?.get_mut(..count)
}

/// The first `count` entries of a workspace that will be used for something else afterwards.
pub(crate) fn borrow<T: Pod>(words: &mut [u64], count: usize) -> Option<&mut [T]> {
    bytemuck::try_cast_slice_mut(words).ok()?.get_mut(..count)
}

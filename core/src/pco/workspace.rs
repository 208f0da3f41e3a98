//! The memory that decoding needs, and how it is cut out of the caller's words.

#[cfg(not(feature = "small"))]
use super::batch::Node;
#[cfg(not(feature = "small"))]
use super::delta::CONVOLVED;
use super::meta::{Delta, MAX_ORDER, Meta, Mode, Role};
#[cfg(not(feature = "small"))]
use super::spans::BATCH;
use crate::num::{index, u64_from};
#[cfg(not(feature = "small"))]
use crate::tuning::PIPELINED;
#[cfg(not(feature = "small"))]
use crate::tuning::WIDENED;
use bytemuck::Pod;

/// How pages will be read, which decides where the history of lookbacks lies and what the tables look like.
///
/// With the feature `small` all tables are compact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// Each page in one call, from one slice into one slice: the output is the history wherever the mode allows it.
    Whole,
    /// In as many calls as the caller likes: the workspace holds the history.
    Batches,
    /// As [`Whole`](Self::Whole), with the smallest tables. It takes three to five times as long.
    CompactWhole,
    /// As [`Batches`](Self::Batches), with the smallest tables. It takes three to five times as long.
    CompactBatches,
}

impl Plan {
    /// Whether each page is read in one call.
    const fn is_whole(self) -> bool {
        matches!(self, Plan::Whole | Plan::CompactWhole)
    }

    /// Whether the tables are compact.
    #[cfg(not(feature = "small"))]
    pub(crate) const fn is_compact(self) -> bool {
        matches!(self, Plan::CompactWhole | Plan::CompactBatches)
    }
}

/// How many entries a tANS table of this size is given. Loops that know the size by its type want a few sizes only.
#[cfg(not(feature = "small"))]
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
#[cfg(not(feature = "small"))]
const BUFFERS: usize = if PIPELINED { 2 } else { 1 };

/// What a chunk needs besides its tables, in entries.
#[cfg(not(feature = "small"))]
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
        #[cfg(not(feature = "small"))]
        if !plan.is_compact() {
            return self.fast_len(n, plan);
        }
        self.compact_len(n, plan)
    }

    /// The same for compact tables, whose latents are words of 32 or 64 bits.
    fn compact_len(&self, n: usize, plan: Plan) -> u64 {
        let word = if self.number_type.bits() > 32 { 8 } else { 4 };
        let weights = if let Delta::Conv1(convolution) = &self.delta { convolution.order() } else { 0 };
        self.variables.iter().flatten().fold(words(u64_from(weights), 4), |len, variable| {
            let bins = u64::from(variable.bins.max(1));
            let history = u64_from(self.history(variable.role, n, plan));
            len + words(1 << (variable.table_log & 15), 4) + words(bins, word) + words(bins, 1) + words(history, word)
        })
    }

    /// How many latents of a variable the compact decoder remembers.
    pub(crate) fn history(&self, role: Role, n: usize, plan: Plan) -> usize {
        if role == Role::Lookback || role == Role::Secondary && !self.delta.covers_secondary() {
            return 0;
        }
        match &self.delta {
            Delta::None => 0,
            Delta::Consecutive { order, .. } => index(u64::from(*order)),
            Delta::Lookback { .. } if plan.is_whole() && role == Role::Primary && self.history_is_output() => 0,
            Delta::Lookback { .. } => self.ring(n),
            Delta::Conv1(_) => MAX_ORDER,
        }
    }

    /// The farthest lookback, as far as a page goes: none reaches further than to its start.
    fn ring(&self, n: usize) -> usize {
        index(u64::from(self.delta.window())).min(n.checked_next_power_of_two().unwrap_or(usize::MAX))
    }

    /// The same for tables made for speed.
    #[cfg(not(feature = "small"))]
    fn fast_len(&self, n: usize, plan: Plan) -> u64 {
        let number = widened(self.number_type.bits());
        let primary = if matches!(self.mode, Mode::Dict { .. }) { 4 } else { number };
        let scratch = self.scratch(n, plan);
        let tables: u64 = self
            .variables
            .iter()
            .flatten()
            .map(|variable| {
                let entries = u64_from(room(variable.table_log));
                words(entries, u64_from(size_of::<Node>())) + words(entries, widened(variable.width))
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

    /// The same for the fast decoder, whose output is none of latents if those are wider.
    #[cfg(not(feature = "small"))]
    pub(crate) fn looks_back_in_output(&self, plan: Plan) -> bool {
        let bits = self.number_type.bits();
        plan.is_whole() && self.history_is_output() && widened(bits) == u64::from(bits / 8)
    }

    #[cfg(not(feature = "small"))]
    pub(crate) fn scratch(&self, n: usize, plan: Plan) -> Scratch {
        let has = |role| usize::from(self.variable(role).is_some());
        let (lookback, secondary) = (has(Role::Lookback), has(Role::Secondary));
        let ring = self.ring(n);
        Scratch {
            widths: BATCH,
            lookbacks: BATCH * BUFFERS * lookback,
            indexes: if matches!(self.mode, Mode::Dict { .. }) { BATCH * BUFFERS } else { 0 },
            second: BATCH * secondary,
            convolution: if matches!(self.delta, Delta::Conv1(_)) { CONVOLVED } else { 0 },
            primary_ring: if self.looks_back_in_output(plan) { 0 } else { ring },
            secondary_ring: if self.delta.covers_secondary() { ring * secondary } else { 0 },
            counters: self.variables.iter().flatten().map(|v| index(u64::from(v.bins))).max().unwrap_or(0),
        }
    }
}

/// The bytes of what the fast decoder makes of so many bits.
#[cfg(not(feature = "small"))]
fn widened(bits: u32) -> u64 {
    u64::from(if WIDENED { bits.max(32) } else { bits } / 8)
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
#[cfg(not(feature = "small"))]
pub(crate) fn borrow<T: Pod>(words: &mut [u64], count: usize) -> Option<&mut [T]> {
    bytemuck::try_cast_slice_mut(words).ok()?.get_mut(..count)
}

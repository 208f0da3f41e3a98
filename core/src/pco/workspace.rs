//! The workspace: how much of it a chunk needs, and how it is carved up.

use super::meta::{BATCH, Delta, MAX_ORDER, Meta, Mode, Role};
use super::plan::Plan;
use crate::num::{index, u64_from};
use crate::tuning;
use bytemuck::Pod;

/// Returns how many entries the fast decoder gives to a tANS table. Loops that know the size by its type want few sizes.
pub(crate) fn table_room(table_log: u32) -> usize {
    match table_log {
        0 => 1,
        log if !tuning::PIPELINED => 1 << (log & 15),
        1..=8 => 1 << 8,
        9..=10 => 1 << 10,
        11..=12 => 1 << 12,
        _ => 1 << 14,
    }
}

/// Buffers for a lane whose next batch is begun before the current one is joined.
const BUFFERS: usize = if tuning::PIPELINED { 2 } else { 1 };

/// Bytes of an entry of a fast tANS table.
const ENTRY_SIZE: u64 = 4;

/// What the fast decoder needs besides its tables, in entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Buffers {
    pub widths: usize,
    /// By role.
    pub lanes: [LaneBuffers; 3],
    /// While tables are built, before anything else is needed.
    counters: usize,
}

/// What a lane needs besides its table, in latents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LaneBuffers {
    pub values: usize,
    pub history: usize,
}

impl Meta<'_> {
    /// Returns the words of workspace that decoding pages of at most `n` numbers takes.
    ///
    /// The number is exact, so that a caller can compare it with what it is willing to give before anything is decoded.
    pub fn workspace_len(&self, n: usize, plan: Plan) -> u64 {
        if plan.is_compact() { self.compact_len(n, plan) } else { self.fast_len(n, plan) }
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

    /// Returns how many latents of a variable the compact decoder remembers.
    pub(crate) fn history(&self, role: Role, n: usize, plan: Plan) -> usize {
        if role == Role::Lookback || role == Role::Secondary && !self.delta.covers_secondary() {
            return 0;
        }
        match &self.delta {
            Delta::None => 0,
            Delta::Consecutive { order, .. } => index(u64::from(*order)),
            Delta::Lookback { .. } if plan.is_whole() && role == Role::Primary && self.mode == Mode::Classic => 0,
            Delta::Lookback { .. } => self.ring(n),
            Delta::Conv1(_) => MAX_ORDER,
        }
    }

    /// The farthest lookback within a page: none reaches past its start.
    fn ring(&self, n: usize) -> usize {
        index(u64::from(self.delta.window())).min(n.checked_next_power_of_two().unwrap_or(usize::MAX))
    }

    /// The same for tables made for speed.
    fn fast_len(&self, n: usize, plan: Plan) -> u64 {
        let buffers = self.buffers(n, plan);
        let sizes = [Role::Lookback, Role::Primary, Role::Secondary]
            .map(|role| self.variable(role).map_or(0, |v| widened(v.width)));
        let tables: u64 = self
            .variables
            .iter()
            .flatten()
            .map(|variable| {
                let entries = u64_from(table_room(variable.table_log));
                words(entries, ENTRY_SIZE) + words(entries, widened(variable.width))
            })
            .sum();
        let lanes = buffers.lanes.iter().zip(sizes);
        let rest = lanes.fold(words(u64_from(buffers.widths), 1), |sum, (lane, size)| {
            sum + words(u64_from(lane.values), size) + words(u64_from(lane.history), size)
        });
        tables + rest.max(words(u64_from(buffers.counters), 2))
    }

    /// `true` if the output of the fast decoder is the history of lookbacks. It holds no latents if those are wider than numbers.
    pub(crate) fn looks_back_in_output(&self, plan: Plan) -> bool {
        let bits = self.number_type.bits();
        let looks_back = self.mode == Mode::Classic && matches!(self.delta, Delta::Lookback { .. });
        plan.is_whole() && looks_back && widened(bits) == u64::from(bits / 8)
    }

    /// Returns what the fast decoder needs besides its tables.
    pub(crate) fn buffers(&self, n: usize, plan: Plan) -> Buffers {
        let has = |role| usize::from(self.variable(role).is_some());
        let (lookback, secondary) = (has(Role::Lookback), has(Role::Secondary));
        let ring = self.ring(n);
        let primary_history = match &self.delta {
            Delta::Conv1(_) => BATCH + MAX_ORDER,
            _ if self.looks_back_in_output(plan) => 0,
            _ => ring,
        };
        let dict = usize::from(self.has_dict());
        let covered = usize::from(self.delta.covers_secondary());
        Buffers {
            widths: BATCH,
            lanes: [
                LaneBuffers { values: BATCH * BUFFERS * lookback, history: 0 },
                LaneBuffers { values: BATCH * BUFFERS * dict, history: primary_history },
                LaneBuffers { values: BATCH * secondary, history: ring * secondary * covered },
            ],
            counters: self.variables.iter().flatten().map(|v| index(u64::from(v.bins))).max().unwrap_or(0),
        }
    }
}

/// Returns the bytes of the word that the fast decoder uses for so many bits.
fn widened(bits: u32) -> u64 {
    u64::from(if tuning::WIDENED { bits.max(32) } else { bits } / 8)
}

/// Returns the words that hold `entries` entries of `size` bytes.
const fn words(entries: u64, size: u64) -> u64 {
    (entries * size).div_ceil(8)
}

/// Takes the next `count` entries of `words`, which keeps the rest. The values are whatever the caller left there.
pub(crate) fn carve<'w, T: Pod>(rest: &mut &'w mut [u64], count: usize) -> Option<&'w mut [T]> {
    let size = count.checked_mul(size_of::<T>())?.div_ceil(8);
    let (taken, left) = core::mem::take(rest).split_at_mut_checked(size)?;
    *rest = left;
    bytemuck::try_cast_slice_mut(taken).ok()?.get_mut(..count)
}

//! The workspace: how much of it a chunk needs, and how it is carved up.

use super::meta::{BATCH, Delta, MAX_ORDER, Meta, Mode, Role};
use super::number::Latent as _;
use super::plan::Plan;
use crate::bits::width;
use crate::num::{index, u64_from};
use crate::tuning;
use bytemuck::Pod;

/// Returns the entries that the fast decoder reserves for a tANS table. Loops that know the size by
/// its type want few sizes.
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

impl Meta<'_> {
    /// Returns the words of workspace that decoding pages of at most `n` numbers takes.
    ///
    /// The number is exact, so that a caller can compare it with its budget before anything is
    /// decoded.
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

    /// The same for tables made for speed.
    fn fast_len(&self, n: usize, plan: Plan) -> u64 {
        let (mut tables, mut buffers, mut counters) = (0, words(u64_from(BATCH), 1), 0);
        for variable in self.variables.iter().flatten() {
            let (entries, size) = (u64_from(table_room(variable.table_log)), widened(variable.width));
            let history = self.history(variable.role, n, plan);
            tables += words(entries, 4) + words(entries, size);
            buffers += words(u64_from(self.values_len(variable.role)), size) + words(u64_from(history), size);
            counters = words(u64::from(variable.bins), 2).max(counters);
        }
        // Counters are used only while tables are built, before any buffer.
        tables + buffers.max(counters)
    }

    /// Returns how many latents of a variable a decoder remembers.
    pub(crate) fn history(&self, role: Role, n: usize, plan: Plan) -> usize {
        if role == Role::Lookback || role == Role::Secondary && !self.delta.covers_secondary() {
            return 0;
        }
        match &self.delta {
            Delta::Consecutive { order, .. } if plan.is_compact() => index(u64::from(*order)),
            Delta::None | Delta::Consecutive { .. } => 0,
            Delta::Lookback { .. } if role == Role::Primary && self.looks_back_in_output(plan) => 0,
            // No lookback reaches past the start of a page. The window is a power of two, and so is
            // the ring.
            Delta::Lookback { .. } => {
                let most = u32::low(u64_from(n).min(self.delta.window().into()));
                1 << width(most.saturating_sub(1))
            }
            Delta::Conv1(_) if plan.is_compact() => MAX_ORDER,
            Delta::Conv1(_) => MAX_ORDER + BATCH,
        }
    }

    /// `true` if the output is the history of lookbacks. It holds no latents of the fast decoder if
    /// those are wider than numbers, or in another order of bytes.
    pub(crate) fn looks_back_in_output(&self, plan: Plan) -> bool {
        let bits = self.number_type.bits();
        let looks_back = self.mode == Mode::Classic && matches!(self.delta, Delta::Lookback { .. });
        plan.is_whole()
            && looks_back
            && (plan.is_compact() || cfg!(target_endian = "little") && widened(bits) == u64::from(bits / 8))
    }

    /// Returns the plan for pages that are decoded to these bytes: the fast decoder looks back on
    /// latents in them only if words may be where they are.
    pub(crate) fn plan_for(&self, bytes: &[u8], plan: Plan) -> Plan {
        let aligned = bytes.as_ptr().addr().is_multiple_of(self.number_type.size());
        if plan.is_compact() || aligned { plan } else { plan.in_batches() }
    }

    /// Returns how many values of a variable the fast decoder buffers: batches that do not go to
    /// the output at once.
    pub(crate) fn values_len(&self, role: Role) -> usize {
        match role {
            Role::Primary if !self.has_dict() => 0,
            Role::Secondary => BATCH,
            _ => BATCH * BUFFERS,
        }
    }
}

/// Returns the bytes of the word that the fast decoder uses for `bits` bits.
fn widened(bits: u32) -> u64 {
    u64::from(if tuning::WIDENED { bits.max(32) } else { bits } / 8)
}

/// Returns the words that hold `entries` entries of `size` bytes.
const fn words(entries: u64, size: u64) -> u64 {
    (entries * size).div_ceil(8)
}

/// Takes the next `count` entries of `words`, which keeps the rest. The values are whatever the
/// caller left there.
pub(crate) fn carve<'w, T: Pod>(rest: &mut &'w mut [u64], count: usize) -> Option<&'w mut [T]> {
    let size = count.checked_mul(size_of::<T>())?.div_ceil(8);
    let (taken, left) = core::mem::take(rest).split_at_mut_checked(size)?;
    *rest = left;
    bytemuck::try_cast_slice_mut(taken).ok()?.get_mut(..count)
}

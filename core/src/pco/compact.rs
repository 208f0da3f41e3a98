//! Pages with the smallest tables and the least code: number by number.
//!
//! A batch is read twice. The first walk over its symbols finds where its offsets start, and
//! whether the input has all of it. The second takes a symbol and an offset of each variable for
//! each number. So no part of a batch is stored, nothing has to be taken back where the input ends,
//! and one copy of the code serves all types of up to 32 bits, another those of 64.
//!
//! The functions that run for each number return `None` for one that cannot be made.
//! [`Compact::numbers`] knows the reason and makes the fault: a result of two words took more
//! instructions at each number.

use core::ops::Range;

use super::fields::FieldReader;
use super::meta::{Bin, Convolution, Delta, MAX_ORDER, Meta, Mode, Role, Variable};
use super::number::{Latent, NumberType, Order, top};
use super::page::Page;
use super::reader::{PageReader, read_states};
use super::soft;
use super::spread::{spread, transition};
use super::workspace::carve;
use crate::bits::u32_at;
use crate::fault::{Fault, Verdict};
use crate::num::index;
use crate::{ErrorKind, Step, Trace};

/// An entry of a table: the index of a bin, the next state less the bits that are read for it, and
/// how many bits those are. From the highest bit down they take 14, 14 and 4 bits.
type PackedEntry = u32;

/// Latents that a convolution looks back on, in a ring.
const CONVOLVED: usize = MAX_ORDER;

/// Decodes the pages of one chunk, in words of `W`.
#[derive(Debug)]
pub(crate) struct Compact<'m, 'w, W> {
    page: Page<'m>,
    /// By role.
    lanes: [CompactLane<'w, W>; 3],
    weights: &'w [u32],
    join: CompactJoin<W>,
}

/// Constants to join latents into numbers.
#[derive(Clone, Copy, Debug)]
struct CompactJoin<W> {
    ty: NumberType,
    /// [`soft::product`], if there may be floats. A pointer, so that a program for integers does
    /// not link it.
    product: fn(u64, u64, NumberType) -> u64,
    order: Order,
    /// The highest bit of a number.
    middle: W,
    /// The bits of a number.
    mask: W,
}

/// One latent variable while a page is read. Empty for one that the chunk does not have: all of its
/// values are zero.
#[derive(Debug, Default)]
struct CompactLane<'w, W> {
    entries: &'w [PackedEntry],
    /// The least latent of each bin.
    lowers: &'w [W],
    /// The offset bits of each bin.
    widths: &'w [u8],
    /// The bits of a latent.
    mask: W,
    source: DeltaSource,
    /// The first of each order of differences, or the ring of latents to look back on.
    history: &'w mut [W],
    /// Latents that have left the ring.
    left: usize,
    /// Latents that were pushed to the ring.
    pushed: usize,
    states: States,
    /// The next bit of a symbol.
    symbols: usize,
    /// The next bit of an offset.
    offsets: usize,
}

type States = [u16; 4];

/// The source of the latents of a lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum DeltaSource {
    /// Nothing: values are latents.
    #[default]
    None,
    /// Sums, one for each moment.
    Sums,
    /// Earlier latents, in the ring.
    Ring,
    /// Earlier latents, in the output.
    Output,
}

/// Inputs of all lanes to make latents of deltas.
struct Context<'c, 'o> {
    bytes: &'c [u8],
    convolution: Option<(&'c Convolution<'c>, &'c [u32])>,
    window: u32,
    out: &'c mut Numbers<'o>,
}

impl<'m, 'w, W: Latent> PageReader<'m, 'w> for Compact<'m, 'w, W> {
    type Unit = u8;

    fn new<N: Latent, const FLOATS: bool>(page: Page<'m>) -> Self {
        let (ty, bits) = (page.meta.number_type, page.meta.number_type.bits());
        Self {
            page,
            lanes: Default::default(),
            weights: &[],
            join: CompactJoin {
                ty,
                product: if FLOATS { soft::product } else { |_, _, _| 0 },
                order: ty.order(),
                middle: top(bits),
                mask: W::low(crate::bits::mask(bits)),
            },
        }
    }

    #[inline(never)]
    fn build(&mut self, mut workspace: &'w mut [u64]) -> Verdict<()> {
        let Page { meta, longest, plan, .. } = self.page;
        // All of it was counted, so that nothing carved below is missing.
        for variable in meta.variables.iter().flatten() {
            let lane = variable.role.of(&mut self.lanes);
            lane.build(variable, &mut workspace, meta)?;
            lane.history = carve(&mut workspace, meta.history(variable.role, longest, plan)).unwrap_or(&mut []);
            if lane.source == DeltaSource::Ring && lane.history.is_empty() {
                lane.source = DeltaSource::Output;
            }
        }
        if let Delta::Conv1(convolution) = &meta.delta {
            let weights: &mut [u32] = carve(&mut workspace, convolution.order()).unwrap_or(&mut []);
            weights.iter_mut().zip(convolution.weights()).for_each(|(to, weight)| *to = weight.cast_unsigned());
            self.weights = weights;
        }
        Ok(())
    }

    fn page(&mut self) -> &mut Page<'m> {
        &mut self.page
    }

    fn units_log(&self) -> u32 {
        self.page.meta.number_type.size_log()
    }

    fn output_is_history(&self) -> bool {
        let [_, primary, _] = &self.lanes;
        primary.source == DeltaSource::Output
    }

    fn read_state(
        &mut self,
        fields: &mut FieldReader<'_, impl Trace>,
        of: &Variable<'_>,
        dst: &mut [u8],
    ) -> Verdict<()> {
        let (size, lane) = (self.page.meta.number_type.size(), of.role.of(&mut self.lanes));
        let count = if lane.source == DeltaSource::None { 0 } else { self.page.meta.delta.state_len() };
        let states = read_states(fields, of, count, |i, latent| match lane.history.get_mut(i) {
            Some(entry) => *entry = W::low(latent),
            None => Numbers { bytes: dst, size }.put(i, W::low(latent)),
        })?;
        (lane.left, lane.pushed, lane.states) = (0, count, states.map(u16::low));
        Ok(())
    }

    #[inline(never)]
    fn batch(&mut self, bytes: &[u8], dst: &mut [u8], to: Range<usize>, trace: &mut impl Trace) -> Verdict<usize> {
        let Page { meta, left, .. } = self.page;
        let end = self.each_variable(bytes, trace, |this, role, bit| {
            let lane = role.of(&mut this.lanes);
            let ends = lane.walk(&mut lane.states.clone(), bytes, bit, meta.values(role, left));
            (lane.symbols, lane.offsets) = (bit, ends.0);
            ends
        })?;
        self.numbers(bytes, dst, to)?;
        Ok(end)
    }

    fn join_page(&mut self, dst: &mut [u8]) -> Verdict<()> {
        let mut out = Numbers { bytes: dst, size: self.page.meta.number_type.size() };
        for i in 0..self.page.n {
            let latent = out.get(i);
            out.put(i, self.join.finish(latent));
        }
        Ok(())
    }

    fn walk(&mut self, role: Role, bytes: &[u8], bit: usize) -> (usize, usize) {
        let count = self.page.meta.values(role, self.page.left);
        let lane = role.of(&mut self.lanes);
        let mut states = lane.states;
        let ends = lane.walk(&mut states, bytes, bit, count);
        lane.states = states;
        ends
    }

    #[inline(never)]
    fn step_bytes(&mut self, src: &[u8], dst: &mut [u8], step: &mut Step, trace: &mut impl Trace) -> Verdict<()> {
        self.step_units(src, dst, step, trace)
    }
}

impl<W: Latent> Compact<'_, '_, W> {
    /// Does what [`walk`](PageReader::walk) does, and calls `each` with the bin of every latent,
    /// the bits of its symbol and those of its offset. Calls it only if the input holds all of
    /// them.
    pub(super) fn latents(
        &mut self,
        role: Role,
        bytes: &[u8],
        bit: usize,
        mut each: impl FnMut(usize, Range<usize>, Range<usize>),
    ) -> (usize, usize) {
        let (count, mut states) = (self.page.meta.values(role, self.page.left), role.of(&mut self.lanes).states);
        let ends = self.walk(role, bytes, bit);
        if ends.1.div_ceil(8) > bytes.len() {
            return ends;
        }
        let lane = role.of(&mut self.lanes);
        let (mut at, mut offset) = (bit, ends.0);
        for i in 0..count {
            let (start, before) = (at, offset);
            let bin = lane.symbol(&mut states[i & 3], bytes, &mut at);
            offset = offset.wrapping_add(lane.widths.get(bin).copied().map_or(0, usize::from));
            each(bin, start..at, before..offset);
        }
        ends
    }

    /// Makes the numbers of the batch at the start of `bytes`.
    #[inline(never)]
    fn numbers(&mut self, bytes: &[u8], dst: &mut [u8], to: Range<usize>) -> Verdict<()> {
        let Page { meta, left, .. } = self.page;
        // The last numbers of a page have no delta: they come from its state.
        let deltas = left.saturating_sub(meta.delta.state_len());
        let convolution = match &meta.delta {
            Delta::Conv1(convolution) => Some((convolution, self.weights)),
            _ => None,
        };
        let out = &mut Numbers { bytes: dst, size: meta.number_type.size() };
        let mut context = Context { bytes, convolution, window: meta.delta.window(), out };
        let [lookback_lane, primary_lane, secondary_lane] = &mut self.lanes;
        let (looks, two) = (!lookback_lane.entries.is_empty(), !secondary_lane.entries.is_empty());
        let outside = |kind| move || Fault::new(kind, 0);
        for (i, number) in to.enumerate() {
            let more = i < deltas;
            let lookback = if looks && more { lookback_lane.latent(bytes, i) } else { W::ZERO };
            let primary = primary_lane.next(&mut context, i, more, lookback);
            let primary = primary.ok_or_else(outside(ErrorKind::PcoLookback))?;
            if primary_lane.source == DeltaSource::Output {
                continue;
            }
            let secondary = if two { secondary_lane.next(&mut context, i, more, lookback) } else { Some(W::ZERO) };
            let secondary = secondary.ok_or_else(outside(ErrorKind::PcoLookback))?;
            let joined = self.join.number(&meta.mode, primary, secondary);
            context.out.put(number, joined.ok_or_else(outside(ErrorKind::PcoDictIndex))?);
        }
        Ok(())
    }
}

impl<W: Latent> CompactJoin<W> {
    /// Joins two latents. `None` if a dictionary has no such entry.
    fn number(&self, mode: &Mode<'_>, primary: W, secondary: W) -> Option<W> {
        let Self { ty, product, middle, mask, .. } = *self;
        let latent = match *mode {
            Mode::Classic => primary,
            Mode::IntMult { base } => primary.times(W::low(base)).plus(secondary) & mask,
            Mode::FloatMult { base } => {
                let product: W = latent_of(W::low(product(primary.wide(), base, ty)), middle, mask);
                product.plus(secondary).plus(middle) & mask
            }
            Mode::FloatQuant { bits } => {
                // Positive floats lose their sign bit, of others all bits above the quantum are
                // inverted.
                let positive = primary.wide() >= middle.wide() >> (bits & 63);
                let invert = if positive { middle } else { W::low(u64::MAX << (bits & 63)) };
                return Some((W::low(primary.wide() << (bits & 63)) ^ secondary ^ invert) & mask);
            }
            Mode::Dict { entries } => {
                let size = ty.size();
                let start = index(primary.wide()).checked_mul(size)?;
                W::get(entries.get(start..)?.get(..size)?)
            }
        };
        Some(self.finish(latent))
    }

    /// Returns the number of an ordered latent.
    fn finish(&self, latent: W) -> W {
        match self.order {
            Order::Unsigned => latent,
            // Negative floats are inverted. The bits above a narrow number are not stored.
            Order::Float if latent & self.middle == W::ZERO => !latent,
            _ => latent ^ self.middle,
        }
    }
}

impl<'w, W: Latent> CompactLane<'w, W> {
    /// Reads the bins of `variable`, checks them, and spreads them over a table.
    #[inline(never)]
    fn build(&mut self, variable: &Variable<'_>, words: &mut &'w mut [u64], meta: &Meta<'_>) -> Verdict<()> {
        let log = variable.table_log & 15;
        let bins = index(u64::from(variable.bins.max(1)));
        let entries: &mut [PackedEntry] = carve(words, 1 << log).unwrap_or(&mut []);
        let lowers: &mut [W] = carve(words, bins).unwrap_or(&mut []);
        let widths: &mut [u8] = carve(words, bins).unwrap_or(&mut []);
        let source = match (&meta.delta, variable.role) {
            (Delta::None, _) | (_, Role::Lookback) => DeltaSource::None,
            (delta, Role::Secondary) if !delta.covers_secondary() => DeltaSource::None,
            (Delta::Consecutive { .. }, _) => DeltaSource::Sums,
            _ => DeltaSource::Ring,
        };
        // Deltas are stored around the middle of their range.
        let middle = if source == DeltaSource::None { W::ZERO } else { top(variable.width) };

        // Without bins there is one entry, for a bin of zeros.
        entries.iter_mut().take(1).for_each(|entry| *entry = 0);
        widths.iter_mut().take(1).for_each(|width| *width = 0);
        let each = |i: u32, bin: &Bin| {
            if let (Some(lower), Some(width)) = (lowers.get_mut(index(i.into())), widths.get_mut(index(i.into()))) {
                // A counter, until the table is filled.
                (*lower, *width) = (W::low(u64::from(bin.weight)), u8::low(u64::from(bin.offset_bits)));
            }
        };
        let fill = |i, _: &Bin, slot| entries.get_mut(slot).into_iter().for_each(|entry| *entry = i);
        spread(variable, meta.delta.window(), each, fill)?;
        if variable.bins > 0 {
            // The entries of a bin, in the order of the table, represent the numbers from its
            // weight to twice that.
            for entry in entries.iter_mut() {
                let Some(counter) = lowers.get_mut(index(u64::from(*entry))) else { continue };
                let (read, base) = transition(u32::low(counter.wide()), log);
                *counter = counter.plus(W::low(1));
                *entry = *entry << 18 | (base & 0x3FFF) << 4 | read & 15;
            }
        }
        lowers.iter_mut().take(1).for_each(|lower| *lower = middle);
        lowers.iter_mut().zip(variable.iter()).for_each(|(lower, bin)| *lower = W::low(bin.lower).plus(middle));
        self.mask = W::low(crate::bits::mask(variable.width));
        (self.entries, self.lowers, self.widths, self.source) = (entries, lowers, widths, source);
        Ok(())
    }

    /// Moves `state` and `at` past one symbol. Returns its bin.
    fn symbol(&self, state: &mut u16, bytes: &[u8], at: &mut usize) -> usize {
        let entry = self.entries.get(usize::from(*state)).copied().unwrap_or(0);
        let read = entry & 15;
        *state = u16::low(u64::from((entry >> 4 & 0x3FFF).wrapping_add(few(bytes, *at, read))));
        *at = at.wrapping_add(index(u64::from(read)));
        index(u64::from(entry >> 18))
    }

    /// Walks over `count` symbols. Returns the bits where their offsets start and end.
    #[inline(never)]
    fn walk(&self, states: &mut States, bytes: &[u8], at: usize, count: usize) -> (usize, usize) {
        let (mut at, mut offsets) = (at, 0usize);
        for i in 0..count {
            let bin = self.symbol(&mut states[i & 3], bytes, &mut at);
            offsets = offsets.wrapping_add(self.widths.get(bin).copied().map_or(0, usize::from));
        }
        (at, at.wrapping_add(offsets))
    }

    /// Returns value `i` of the batch, which is the next one.
    #[inline(never)]
    fn latent(&mut self, bytes: &[u8], i: usize) -> W {
        let (mut state, mut at) = (self.states[i & 3], self.symbols);
        let bin = self.symbol(&mut state, bytes, &mut at);
        (self.states[i & 3], self.symbols) = (state, at);
        let (Some(&lower), Some(&width)) = (self.lowers.get(bin), self.widths.get(bin)) else { return W::ZERO };
        let offset: W = field(bytes, self.offsets, u32::from(width));
        self.offsets = self.offsets.wrapping_add(usize::from(width));
        lower.plus(offset) & self.mask
    }

    /// Returns the next latent, for which a value is read if there are `more`. `None` if it looks
    /// back on nothing.
    #[inline(never)]
    fn next(&mut self, context: &mut Context<'_, '_>, i: usize, more: bool, lookback: W) -> Option<W> {
        let plain = self.source == DeltaSource::None;
        let value = if plain || more { self.latent(context.bytes, i) } else { W::ZERO };
        if plain {
            return Some(value);
        }
        if self.source == DeltaSource::Sums {
            let sums = self.history.iter_mut().rev();
            let last = sums.fold(value, |delta, moment| {
                let before = *moment;
                *moment = before.plus(delta);
                before
            });
            return Some(last & self.mask);
        }
        // Read before something is pushed to its place.
        let leaves = self.get(context, self.left);
        if more {
            let before = match context.convolution {
                Some((convolution, weights)) => self.predict(convolution, weights),
                None if u32::low(lookback.wide()).wrapping_sub(1) >= context.window => return None,
                // Before a page everything is 0.
                None => match self.pushed.checked_sub(index(lookback.wide())) {
                    Some(source) => self.get(context, source),
                    None => W::ZERO,
                },
            };
            let latent = value.plus(before) & self.mask;
            let last = self.history.len().wrapping_sub(1);
            match self.history.get_mut(self.pushed & last) {
                Some(entry) => *entry = latent,
                None => context.out.put(self.pushed, latent),
            }
            self.pushed = self.pushed.wrapping_add(1);
        }
        self.left = self.left.wrapping_add(1);
        Some(leaves)
    }

    /// Returns a latent of the ring, or of the output in its place.
    fn get(&self, context: &Context<'_, '_>, i: usize) -> W {
        match self.history.get(i & self.history.len().wrapping_sub(1)) {
            Some(&latent) => latent,
            None => context.out.get(i),
        }
    }

    /// Returns what the convolution predicts from the latents before.
    fn predict(&self, convolution: &Convolution<'_>, weights: &[u32]) -> W {
        // Checked by the metadata: no sum leaves 64 bits.
        let first = self.pushed.wrapping_sub(weights.len());
        let sum = (first..).zip(weights).fold(convolution.bias, |sum, (i, weight)| {
            let latent = self.history.get(i & (CONVOLVED - 1)).copied().unwrap_or(W::ZERO);
            sum.wrapping_add(i64::from(weight.cast_signed()).wrapping_mul(latent.wide().cast_signed()))
        });
        W::low(sum.max(0).cast_unsigned() >> (convolution.shift & 63))
    }
}

/// Little-endian numbers of `size` bytes each.
struct Numbers<'o> {
    bytes: &'o mut [u8],
    size: usize,
}

impl Numbers<'_> {
    fn put<W: Latent>(&mut self, i: usize, number: W) {
        let Some(rest) = self.bytes.get_mut(i.wrapping_mul(self.size)..) else { return };
        match size_of::<W>() == self.size {
            true => W::put_all(&[number], rest),
            false => number.put(rest.get_mut(..self.size).unwrap_or(&mut [])),
        }
    }

    fn get<W: Latent>(&self, i: usize) -> W {
        let bytes = self.bytes.get(i.wrapping_mul(self.size)..).and_then(|rest| rest.get(..self.size));
        bytes.map_or(W::ZERO, W::get)
    }
}

/// Returns the ordered latent of a float.
fn latent_of<W: Latent>(float: W, middle: W, mask: W) -> W {
    if float & middle == W::ZERO { float ^ middle } else { !float & mask }
}

/// Returns up to 25 bits from bit `at` on. Bits after the end are zero.
fn few(bytes: &[u8], at: usize, n: u32) -> u32 {
    u32_at(bytes, at / 8) >> (at % 8) & (1u32 << (n & 31)).wrapping_sub(1)
}

/// Returns `width` bits from bit `at` on, in pieces from four bytes each.
fn field<W: Latent>(bytes: &[u8], at: usize, width: u32) -> W {
    let (mut value, mut have) = (W::ZERO, 0);
    while have < width {
        let n = (width - have).min(24);
        let piece = few(bytes, at.wrapping_add(index(u64::from(have))), n);
        value = value | W::low(u64::from(piece)).up(have);
        have += n;
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::pco::model;

    #[test]
    fn every_list_of_weights_builds_the_compact_table_of_the_format() {
        let mut words = vec![0; 1 << 15];
        model::each_table(&mut |log, weights| {
            let (bytes, mut meta) = (model::metadata(log, weights), Meta::new());
            meta.read(&bytes, NumberType::U32, 4, 0, &Limits::NONE, &mut ()).unwrap();
            let mut lane = CompactLane::<u32>::default();
            lane.build(meta.variable(Role::Primary).unwrap(), &mut &mut words[..], &meta).unwrap();
            assert_eq!((lane.entries.len(), lane.lowers.len()), (1 << log, weights.len()));
            model::check(log, weights, |state| {
                let bin = lane.entries[state] >> 18;
                assert_eq!((lane.lowers[bin as usize], lane.widths[bin as usize]), (bin, (bin % 33) as u8));
                // The first and the last of the next states.
                let ends = [[0; 4], [0xFF; 4]].map(|bytes| {
                    let (mut next, mut at) = (state as u16, 0);
                    assert_eq!(lane.symbol(&mut next, &bytes, &mut at), bin as usize);
                    (u32::from(next), at as u32)
                });
                let [(base, read), (last, _)] = ends;
                assert_eq!(last, base + (1 << read) - 1);
                (bin as usize, read, base)
            });
        });
    }
}

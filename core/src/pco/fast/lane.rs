//! One latent variable while a page is read: its table, its states, and what it remembers of
//! earlier latents.

use super::batch::{offsets, packed, symbols};
use super::delta::{Ring, convolve, look_back, sum};
use super::tans::{Entry, States, SymbolTable};
use crate::fault::{Fault, Verdict};
use crate::num::index;
use crate::pco::fields::FieldReader;
use crate::pco::meta::{BATCH, Convolution, MAX_ORDER, Variable};
use crate::pco::number::{Latent, top};
use crate::pco::reader::read_states;
use crate::pco::workspace::{carve, table_room};
use crate::{ErrorKind, Trace};

/// The source of the latents of a lane.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DeltaState<'m> {
    /// Nothing: values are latents.
    None,
    /// As many sums as the order says.
    Sums(usize),
    /// Earlier latents, in the ring.
    Ring,
    /// Earlier latents, in the output.
    Output,
    /// A weighted sum of the latents before.
    Predict(&'m Convolution<'m>),
}

/// One latent variable while a page is read. It stays without a table if the chunk does not have
/// the variable.
#[derive(Debug)]
pub(crate) struct Lane<'m, 'w, D> {
    pub table: SymbolTable<'w, D>,
    pub states: States,
    pub delta: DeltaState<'m>,
    /// One batch, or two that take turns, for values that do not go to the output.
    pub values: &'w mut [D],
    /// The bits of a latent.
    width: u32,
    /// The first of each order of differences, for [`DeltaState::Sums`].
    pub moments: [D; 7],
    /// The latents of the window, for [`DeltaState::Ring`]; those before the next number and a
    /// batch, for [`DeltaState::Predict`].
    pub history: &'w mut [D],
    /// The latents that were pushed to the ring, and those that left it.
    ring_in: usize,
    ring_out: usize,
    /// Added to the first moment, instead of to each number.
    pub shift: D,
}

/// The values of a lane that a call reads or writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutputRange {
    /// The index of the batch, which picks the buffer.
    pub batch: usize,
    /// The first value in the output.
    pub first: usize,
    /// Values that are wanted.
    pub count: usize,
    /// Values that were read. Fewer at the end of a page, where the state supplies the rest.
    pub stored: usize,
}

impl<'m, 'w, D: Latent> Lane<'m, 'w, D> {
    /// A lane without a table.
    pub fn new(delta: DeltaState<'m>) -> Self {
        // Field by field: a default lane would be built elsewhere and copied on a small stack.
        Self {
            table: SymbolTable::default(),
            states: [0; 4],
            delta,
            values: &mut [],
            width: 0,
            moments: [D::ZERO; 7],
            history: &mut [],
            ring_in: 0,
            ring_out: 0,
            shift: D::ZERO,
        }
    }

    /// Carves the table of `variable` out of the workspace, which has room for it, and fills it.
    /// `flip` is added to each latent.
    #[inline(never)]
    pub fn build(&mut self, variable: &Variable<'_>, words: &mut &'w mut [u64], flip: D, window: u32) -> Verdict<()> {
        let room = table_room(variable.table_log);
        let entries: &mut [Entry] = carve(words, room).unwrap_or(&mut []);
        let lowers = carve(words, room).unwrap_or(&mut []);
        // Lent while the table is built: what is carved later uses the same words.
        let counters = bytemuck::try_cast_slice_mut(words).unwrap_or(&mut []);
        let counters = counters.get_mut(..index(u64::from(variable.bins))).unwrap_or(&mut []);
        self.width = variable.width;
        // Deltas are stored around the middle of their range. Sums carry what is added to their
        // first moment to each latent.
        let (add, shift) = match self.delta {
            DeltaState::None => (flip, D::ZERO),
            _ => (top(self.width), flip),
        };
        self.shift = shift;
        self.table = SymbolTable::build(variable, entries, lowers, counters, add, window)?;
        Ok(())
    }

    /// Reads what page metadata holds of this variable. State latents that belong in the output go
    /// to `output`.
    #[inline(never)]
    pub fn read_state(
        &mut self,
        fields: &mut FieldReader<'_, impl Trace>,
        variable: &Variable<'_>,
        latents: usize,
        output: &mut [D],
    ) -> Verdict<()> {
        let Self { delta, moments, history, shift, .. } = self;
        let latents = if matches!(delta, DeltaState::None) { 0 } else { latents };
        *moments = [D::ZERO; 7];
        let states = read_states(fields, variable, latents, |i, latent| {
            let (to, i, shift): (&mut [D], _, _) = match delta {
                DeltaState::Sums(_) => (moments, i, if i == 0 { *shift } else { D::ZERO }),
                DeltaState::Output => (output, i, *shift),
                DeltaState::Ring | DeltaState::None => (history, i, D::ZERO),
                DeltaState::Predict(_) => (history, MAX_ORDER - latents.min(MAX_ORDER) + i, D::ZERO),
            };
            if let Some(to) = to.get_mut(i) {
                *to = D::low(latent).plus(shift);
            }
        })?;
        (self.ring_in, self.ring_out, self.states) = (latents, 0, states.map(index));
        Ok(())
    }

    /// The sum that is taken while offsets are read; 0 if none is.
    pub fn moment(&self) -> D {
        match self.delta {
            DeltaState::Sums(order) => self.moments.get(order.wrapping_sub(1)).copied().unwrap_or(D::ZERO),
            _ => D::ZERO,
        }
    }

    /// Takes back what reading a batch has changed.
    pub fn restore(&mut self, states: States, moment: D) {
        self.states = states;
        if let Some(last) = last_moment(self.delta, &mut self.moments) {
            *last = moment;
        }
    }

    /// The values of a batch.
    pub fn values_at<'v>(&'v mut self, out: &'v mut [D], place: OutputRange) -> &'v mut [D] {
        values_from(self.values, out, place).get_mut(..place.count).unwrap_or(&mut [])
    }

    /// Reads one latent, or one delta, for each stored value. Takes the last of the sums on the
    /// way. Returns the bits after the symbols and after the offsets.
    #[inline(never)]
    pub fn read(
        &mut self,
        bytes: &[u8],
        at: usize,
        widths: &mut [u8],
        out: &mut [D],
        place: OutputRange,
    ) -> (usize, usize) {
        let Self { table, states, delta, moments, values, .. } = self;
        let values = values_from(values, out, place).get_mut(..place.stored).unwrap_or(&mut []);
        if table.log == 0 && !matches!(delta, DeltaState::Sums(_)) {
            packed(bytes, at, table.widest, table.lowers.first().copied().unwrap_or(D::ZERO), values);
            return (at, at.wrapping_add(values.len().wrapping_mul(index(u64::from(table.widest)))));
        }
        let at = symbols(bytes, at, table, states, widths, values);
        (at, offsets(bytes, at, widths, values, last_moment(*delta, moments)))
    }

    /// Makes latents of the deltas of a batch. Fails if one looks back on nothing.
    #[inline(never)]
    pub fn finish(&mut self, out: &mut [D], place: OutputRange, lookbacks: &[u32], window: u32) -> Verdict<()> {
        let outside = Fault::new(ErrorKind::PcoLookback, 0);
        match self.delta {
            DeltaState::None => {}
            DeltaState::Output => look_back(out, place.first, lookbacks, window, self.shift).ok_or(outside)?,
            DeltaState::Sums(order) => {
                let mut moments = self.moments;
                let values = self.values_at(out, place);
                // After the last delta the moments go on by themselves. The last one was taken
                // already.
                if let (Some(rest), Some(moment)) = (values.get_mut(place.stored..), moments.get(order.wrapping_sub(1)))
                {
                    rest.fill(*moment);
                }
                let lower = moments.get_mut(..order.saturating_sub(1)).unwrap_or(&mut []);
                lower.iter_mut().rev().for_each(|moment| sum(moment, values));
                self.moments = moments;
            }
            DeltaState::Ring => {
                let history = core::mem::take(&mut self.history);
                let ring = Ring { latents: history, window, read: self.ring_out, written: self.ring_in };
                let ends = ring.run(self.values_at(out, place), place.stored, lookbacks);
                self.history = history;
                (self.ring_out, self.ring_in) = ends.ok_or(outside)?;
            }
            DeltaState::Predict(convolution) => {
                let (history, width) = (core::mem::take(&mut self.history), self.width);
                convolve(convolution, width, history, self.values_at(out, place), place.stored);
                self.history = history;
            }
        }
        Ok(())
    }

    /// A batch whose symbols were decoded.
    pub fn current<'l>(&'l mut self, out: &'l mut [D], place: OutputRange) -> Option<Current<'l, D>> {
        let values = values_from(self.values, out, place).first_chunk_mut()?;
        Some(Current { values, moment: last_moment(self.delta, &mut self.moments) })
    }

    /// A batch that is begun.
    pub fn next<'l>(&'l mut self, out: &'l mut [D], place: OutputRange) -> Option<NextBatch<'l, D>> {
        let values = values_from(self.values, out, place).first_chunk_mut()?;
        Some(NextBatch { table: &self.table, states: &mut self.states, values })
    }

    /// Two batches in a row: one whose symbols were decoded, one that is begun.
    pub fn current_and_next<'l>(
        &'l mut self,
        out: &'l mut [D],
        here: OutputRange,
        then: OutputRange,
    ) -> Option<(Current<'l, D>, NextBatch<'l, D>)> {
        let Self { table, states, delta, moments, values, .. } = self;
        let (now, then) = if values.is_empty() {
            let (now, then) = out.split_at_mut_checked(then.first)?;
            (now.get_mut(here.first..)?, then)
        } else {
            let (even, odd) = values.split_at_mut_checked(BATCH)?;
            if here.batch.is_multiple_of(2) { (even, odd) } else { (odd, even) }
        };
        let current = Current { values: now.first_chunk_mut()?, moment: last_moment(*delta, moments) };
        Some((current, NextBatch { table, states, values: then.first_chunk_mut()? }))
    }
}

/// A batch whose symbols were decoded: its values lack their offsets.
pub(crate) struct Current<'l, D> {
    pub values: &'l mut [D; BATCH],
    /// The sum that is taken on the way, for consecutive deltas.
    pub moment: Option<&'l mut D>,
}

/// A batch whose symbols are decoded next.
pub(crate) struct NextBatch<'l, D> {
    pub table: &'l SymbolTable<'l, D>,
    pub states: &'l mut States,
    pub values: &'l mut [D; BATCH],
}

/// The values from a batch on: in the lane's own buffers if it has any, else in the output.
fn values_from<'v, D>(own: &'v mut [D], out: &'v mut [D], place: OutputRange) -> &'v mut [D] {
    let (values, from) = match own.len() {
        0 => (out, place.first),
        len => (own, (place.batch * BATCH) & (len - 1)),
    };
    values.get_mut(from..).unwrap_or(&mut [])
}

/// The sum that is taken while offsets are read.
fn last_moment<'l, D>(delta: DeltaState<'_>, moments: &'l mut [D; 7]) -> Option<&'l mut D> {
    match delta {
        DeltaState::Sums(order) => moments.get_mut(order.checked_sub(1)?),
        _ => None,
    }
}

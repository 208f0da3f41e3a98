//! One latent variable while a page is read: its table, its states, and what it remembers of earlier latents.

use core::convert::identity;

use super::batch::{offsets, packed, symbols};
use super::delta::{Ring, convolve, look_back, sum};
use super::fields::FieldReader;
use super::meta::{BATCH, Convolution, Delta, MAX_ORDER, Role, Variable};
use super::number::{Latent, top};
use super::tans::{Entry, States, SymbolTable};
use super::workspace::{carve, table_room};
use crate::num::{index, u64_from};
use crate::{Name, Part, Result, Trace, Value};

/// What the latents of a lane are told from.
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

/// One latent variable while a page is read.
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
    moments: [D; 7],
    /// The latents of the window, for [`DeltaState::Ring`]; those before the next number and a batch, for [`DeltaState::Predict`].
    pub history: &'w mut [D],
    /// The latents that were pushed to the ring, and those that left it.
    ring_in: usize,
    ring_out: usize,
    /// Added to the first moment, instead of to each number.
    pub shift: D,
}

/// Which values of a lane a call is about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The index of the batch, which picks the buffer.
    pub batch: usize,
    /// The first value in the output.
    pub first: usize,
    /// Values that are wanted.
    pub count: usize,
    /// Values that were read. Fewer at the end of a page, whose state stands for the rest.
    pub stored: usize,
}

impl<'m, 'w, D: Latent> Lane<'m, 'w, D> {
    /// A lane without a table, as it stays for a variable that the chunk does not have.
    pub fn new(delta: DeltaState<'m>) -> Self {
        Self {
            table: SymbolTable::NONE,
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

    /// Carves the table of `variable` out of the workspace, which has room for it, and fills it. `flip` is added to each latent.
    #[inline(never)]
    pub fn build(&mut self, variable: &Variable<'_>, words: &mut &'w mut [u64], flip: D, window: u32) -> Result<()> {
        let room = table_room(variable.table_log);
        let entries: &mut [Entry] = carve(words, room).unwrap_or(&mut []);
        let lowers = carve(words, room).unwrap_or(&mut []);
        // Lent while the table is built: what is carved later uses the same words.
        let counters = bytemuck::try_cast_slice_mut(words).unwrap_or(&mut []);
        let counters = counters.get_mut(..index(u64::from(variable.bins))).unwrap_or(&mut []);
        self.width = variable.width;
        // Deltas are stored around the middle of their range. Sums carry what is added to their first moment to each latent.
        let (add, shift) = match self.delta {
            DeltaState::None => (flip, D::ZERO),
            _ => (top(self.width), flip),
        };
        self.shift = shift;
        self.table = SymbolTable::build(variable, entries, lowers, counters, add, window)?;
        Ok(())
    }

    /// Reads what page metadata holds of this variable. State latents that belong in the output go to `output`.
    #[inline(never)]
    pub fn open(
        &mut self,
        fields: &mut FieldReader<'_, '_, impl Trace>,
        role: Role,
        delta: &Delta<'_>,
        output: &mut [D],
    ) -> Result<()> {
        fields.trace.enter(Name::Variable, Value::Word(role.name()));
        (self.ring_in, self.ring_out) = (0, 0);
        self.moments = [D::ZERO; 7];
        if !matches!(self.delta, DeltaState::None) {
            let count = delta.state_len();
            // Nothing is stored before all of it is known to be in the input.
            fields.require(u64::from(self.width) * u64_from(count))?;
            for i in 0..count {
                let latent = D::low(fields.take(Part::Data, Name::State, self.width));
                match self.delta {
                    DeltaState::Sums(_) => {
                        set(&mut self.moments, i, if i == 0 { latent.plus(self.shift) } else { latent });
                    }
                    DeltaState::Output => set(output, i, latent.plus(self.shift)),
                    DeltaState::Ring => set(self.history, i, latent),
                    DeltaState::Predict(..) => set(self.history, MAX_ORDER - count.min(MAX_ORDER) + i, latent),
                    DeltaState::None => {}
                }
            }
            self.ring_in = count;
        }
        for state in &mut self.states {
            *state = index(fields.take(Part::Symbols, Name::TansState, self.table.log));
        }
        fields.check()?;
        fields.trace.leave();
        Ok(())
    }

    /// The moments, which reading a batch changes.
    pub fn moments(&self) -> [u64; 7] {
        self.moments.map(D::wide)
    }

    /// Takes back what reading a batch has changed.
    pub fn restore(&mut self, states: States, moments: [u64; 7]) {
        (self.states, self.moments) = (states, moments.map(D::low));
    }

    /// The values of a batch: in the lane's own buffer if it has one, else in the output.
    pub fn values_at<'v>(&'v mut self, out: &'v mut [D], place: Place) -> &'v mut [D] {
        let (values, from) = match self.values.len() {
            0 => (out, place.first),
            len => (&mut *self.values, (place.batch * BATCH) & (len - 1)),
        };
        values.get_mut(from..).and_then(|values| values.get_mut(..place.count)).unwrap_or(&mut [])
    }

    /// Reads one latent, or one delta, for each stored value. Takes the last of the sums on the way. Returns the bits after the
    /// symbols and after the offsets.
    #[inline(never)]
    pub fn read(&mut self, bytes: &[u8], at: usize, widths: &mut [u8], out: &mut [D], place: Place) -> (usize, usize) {
        let Self { table, states, delta, moments, values: own, .. } = self;
        let (values, from) = match own.len() {
            0 => (out, place.first),
            len => (&mut **own, (place.batch * BATCH) & (len - 1)),
        };
        let values = values.get_mut(from..).and_then(|values| values.get_mut(..place.stored)).unwrap_or(&mut []);
        if table.log == 0 && !matches!(delta, DeltaState::Sums(_)) {
            packed(bytes, at, table.widest, table.lowers.first().copied().unwrap_or(D::ZERO), values);
            return (at, at.wrapping_add(values.len().wrapping_mul(index(u64::from(table.widest)))));
        }
        let at = symbols(bytes, at, table, states, widths, values);
        let end = match last_moment(*delta, moments) {
            Some(moment) => {
                // In a register while the loop runs.
                let mut sum = *moment;
                let end = offsets(bytes, at, widths, values, |delta| add(&mut sum, delta));
                *moment = sum;
                end
            }
            None => offsets(bytes, at, widths, values, identity),
        };
        (at, end)
    }

    /// Makes latents of the deltas of a batch. `None` if one looks back on nothing.
    #[inline(never)]
    pub fn finish(&mut self, out: &mut [D], place: Place, lookbacks: &[u32], window: u32) -> Option<()> {
        match self.delta {
            DeltaState::None => Some(()),
            DeltaState::Output => look_back(out, place.first, lookbacks, window, self.shift),
            DeltaState::Sums(order) => {
                let mut moments = self.moments;
                let values = self.values_at(out, place);
                // After the last delta the moments go on by themselves. The last one was taken already.
                if let (Some(rest), Some(moment)) = (values.get_mut(place.stored..), moments.get(order.wrapping_sub(1)))
                {
                    rest.fill(*moment);
                }
                let lower = moments.get_mut(..order.saturating_sub(1)).unwrap_or(&mut []);
                lower.iter_mut().rev().for_each(|moment| sum(moment, values));
                self.moments = moments;
                Some(())
            }
            DeltaState::Ring => {
                let history = core::mem::take(&mut self.history);
                let ring = Ring { latents: history, window, read: self.ring_out, written: self.ring_in };
                let ends = ring.run(self.values_at(out, place), place.stored, lookbacks);
                self.history = history;
                (self.ring_out, self.ring_in) = ends?;
                Some(())
            }
            DeltaState::Predict(convolution) => {
                let (history, width) = (core::mem::take(&mut self.history), self.width);
                convolve(convolution, width, history, self.values_at(out, place), place.stored);
                self.history = history;
                Some(())
            }
        }
    }

    /// The parts that the pipeline works on.
    pub fn split(&mut self) -> Parts<'_, 'w, D> {
        Parts {
            table: &self.table,
            states: &mut self.states,
            moment: last_moment(self.delta, &mut self.moments),
            values: self.values,
        }
    }
}

/// The parts of a lane that reading a batch changes, apart.
pub(crate) struct Parts<'l, 'w, D> {
    pub table: &'l SymbolTable<'w, D>,
    pub states: &'l mut States,
    pub moment: Option<&'l mut D>,
    pub values: &'l mut [D],
}

/// The sum that is taken while offsets are read.
fn last_moment<'l, D>(delta: DeltaState<'_>, moments: &'l mut [D; 7]) -> Option<&'l mut D> {
    match delta {
        DeltaState::Sums(order) => moments.get_mut(order.checked_sub(1)?),
        _ => None,
    }
}

/// Returns the sum so far, and adds to it.
#[inline(always)]
pub(crate) fn add<D: Latent>(sum: &mut D, delta: D) -> D {
    let before = *sum;
    *sum = before.plus(delta);
    before
}

fn set<D>(slice: &mut [D], i: usize, value: D) {
    if let Some(entry) = slice.get_mut(i) {
        *entry = value;
    }
}

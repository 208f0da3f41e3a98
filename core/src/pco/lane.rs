//! One latent variable while a page is read: its table, its states, and what it remembers of the latents before.

use core::convert::identity;

use super::batch::{States, offsets, symbols};
use super::delta;
use super::fields::Fields;
use super::meta::{Convolution, Delta, MAX_ORDER, Role, Variable};
use super::number::{Latent, top};
use super::tans::Table;
use super::workspace::{borrow, carve, room};
use crate::num::index;
use crate::{ErrorKind, Name, Part, Result, Trace, Value};

/// How the latents of a lane are told from those before.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Undo<'m> {
    Nothing,
    /// As many sums as the order says.
    Sums(usize),
    /// Look back in the ring.
    Ring,
    /// Look back in the output, which is somebody else's work.
    Output,
    Predict(&'m Convolution<'m>),
}

/// One latent variable while a page is read.
#[derive(Debug)]
pub(crate) struct Lane<'m, 'w, D> {
    pub table: Table<'w, D>,
    /// The bits of a latent.
    width: u32,
    pub states: States,
    pub undo: Undo<'m>,
    /// The first of each order of differences, for [`Undo::Sums`].
    pub moments: [D; 7],
    /// The latents of the window, for [`Undo::Ring`]; those before the next number and some room, for [`Undo::Predict`].
    pub history: &'w mut [D],
    /// The latents that were put in the ring, and those that left it.
    ring_in: usize,
    ring_out: usize,
    /// What is added to the first moment, because it would have to be added to every number otherwise.
    pub shift: D,
}

/// What a batch changes before it is known that all of its bits are there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Saved<D>(States, [D; 7]);

impl<'m, 'w, D: Latent> Lane<'m, 'w, D> {
    /// A lane without a table, as one stays that the chunk does not have.
    pub fn new(undo: Undo<'m>) -> Self {
        Self {
            table: Table::NONE,
            width: 0,
            states: [0; 4],
            undo,
            moments: [D::ZERO; 7],
            history: &mut [],
            ring_in: 0,
            ring_out: 0,
            shift: D::ZERO,
        }
    }

    /// Cuts the table of `variable` out of the workspace, which has room for it, and fills it.
    pub fn build(&mut self, variable: &Variable<'_>, words: &mut &'w mut [u64], flip: D, window: u32) -> Result<()> {
        let entries = room(variable.table_log);
        let nodes = carve(words, entries).unwrap_or(&mut []);
        let lowers = carve(words, entries).unwrap_or(&mut []);
        let counters = borrow(words, index(u64::from(variable.bins))).unwrap_or(&mut []);
        self.width = variable.width;
        // Deltas are stored around the middle of their range. Sums pass on what is added to the first of them, and nothing else
        // does but to leave latents as they are.
        let (add, shift) = match self.undo {
            Undo::Nothing => (flip, D::ZERO),
            _ => (top(self.width), flip),
        };
        self.shift = shift;
        self.table = Table::build(variable, nodes, lowers, counters, add, window)?;
        Ok(())
    }

    /// Reads what a page says about this variable before the first batch.
    ///
    /// Latents that open the page and that the output shall hold go to `output`.
    pub fn open(
        &mut self,
        fields: &mut Fields<'_, '_, impl Trace>,
        role: Role,
        delta: &Delta<'_>,
        output: &mut [D],
    ) -> Result<()> {
        fields.trace.enter(Name::Variable, Value::Word(role.name()));
        (self.ring_in, self.ring_out) = (0, 0);
        self.moments = [D::ZERO; 7];
        if !matches!(self.undo, Undo::Nothing) {
            let count = delta.state_len();
            // Nothing is stored before it is known that all of it is there.
            fields.require(u64::from(self.width) * crate::num::u64_from(count))?;
            for i in 0..count {
                let latent = D::low(fields.take(Part::Data, Name::State, self.width));
                match self.undo {
                    Undo::Sums(_) => set(&mut self.moments, i, if i == 0 { latent.plus(self.shift) } else { latent }),
                    Undo::Output => set(output, i, latent.plus(self.shift)),
                    Undo::Ring => set(self.history, i, latent),
                    Undo::Predict(..) => set(self.history, MAX_ORDER - count.min(MAX_ORDER) + i, latent),
                    Undo::Nothing => {}
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

    pub fn save(&self) -> Saved<D> {
        Saved(self.states, self.moments)
    }

    pub fn restore(&mut self, saved: Saved<D>) {
        (self.states, self.moments) = (saved.0, saved.1);
    }

    /// Reads one latent, or one delta, for each value of `target`. The last of the sums is taken on the way.
    pub fn read(
        &mut self,
        bytes: &[u8],
        at: usize,
        widths: &mut [u8],
        target: &mut [D],
        mut heard: impl FnMut(usize),
    ) -> usize {
        let at = symbols(bytes, at, &self.table, &mut self.states, widths, target);
        heard(at);
        self.add_offsets(bytes, at, widths, target)
    }

    /// The second half of [`read`](Self::read).
    pub fn add_offsets(&mut self, bytes: &[u8], at: usize, widths: &[u8], target: &mut [D]) -> usize {
        match self.top_moment() {
            Some(moment) => {
                let mut sum = *moment;
                let end = offsets(bytes, at, widths, target, |delta| {
                    let latent = sum;
                    sum = sum.plus(delta);
                    latent
                });
                *moment = sum;
                end
            }
            None => offsets(bytes, at, widths, target, identity),
        }
    }

    /// The sum that is taken while offsets are read.
    pub fn top_moment(&mut self) -> Option<&mut D> {
        match self.undo {
            Undo::Sums(order) => self.moments.get_mut(order.checked_sub(1)?),
            _ => None,
        }
    }

    /// Makes latents of the deltas of a batch: the first `deltas` of `values` were read, and all of them are wanted.
    pub fn finish(
        &mut self,
        values: &mut [D],
        deltas: usize,
        lookbacks: &[u32],
        window: u32,
    ) -> core::result::Result<(), ErrorKind> {
        match self.undo {
            Undo::Nothing | Undo::Output => Ok(()),
            Undo::Sums(order) => {
                // Behind the last delta the moments go on by themselves, of which the last was taken already.
                if let (Some(rest), Some(moment)) = (values.get_mut(deltas..), self.moments.get(order.wrapping_sub(1)))
                {
                    rest.fill(*moment);
                }
                let lower = self.moments.get_mut(..order.saturating_sub(1)).unwrap_or(&mut []);
                lower.iter_mut().rev().for_each(|moment| delta::sum(moment, values));
                Ok(())
            }
            Undo::Ring => {
                let ring = delta::Ring { latents: self.history, window, read: self.ring_out, written: self.ring_in };
                (self.ring_out, self.ring_in) = ring.run(values, deltas, lookbacks)?;
                Ok(())
            }
            Undo::Predict(convolution) => {
                delta::convolve(convolution, self.width, self.history, values, deltas);
                Ok(())
            }
        }
    }
}

fn set<D>(slice: &mut [D], i: usize, value: D) {
    if let Some(entry) = slice.get_mut(i) {
        *entry = value;
    }
}

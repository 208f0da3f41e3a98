//! Pages from the smallest tables and with the least code: number by number.
//!
//! The symbols of a batch are walked through first, to find where its offsets lie and whether all of it is there. Then each
//! number is made of all of its parts at once. So no part of a batch is kept anywhere, nothing has to be taken back where the input
//! ends, and one piece of code serves all types of up to 32 bits, another one those of 64.

use super::fields::Fields;
use super::meta::{Convolution, Delta, MAX_ORDER, Meta, Mode, Role, Variable};
use super::number::{Latent, Order, top};
use super::soft;
use super::spans::{BATCH, BEGIN, Page, Spans, truncated};
use super::spread::{stride, transition};
use super::workspace::{Plan, carve};
use crate::bits::u32_at;
use crate::num::{index, u64_from};
use crate::{Error, ErrorKind, Name, Part, Result, Status, Step, Trace, Value};

/// The table of a bin and of what follows it: the bin's index, the next state less what is read, and how many bits that is.
/// From the highest bits down 14, 14 and 4 of them.
type Node = u32;

/// Latents that a page looks back on lie in a ring, and this many if they are what a convolution looks back on.
pub(crate) const CONVOLVED: usize = MAX_ORDER;

/// The latent variables, in the order of the format, as words of `W`.
#[derive(Debug)]
pub(crate) struct Compact<'m, 'w, W> {
    pub(super) meta: &'m Meta<'m>,
    plan: Plan,
    /// The longest page that the workspace is for.
    longest: usize,
    pub(super) page: Page,
    lookback: Lane<'w, W>,
    primary: Lane<'w, W>,
    secondary: Lane<'w, W>,
    weights: &'w [u32],
    /// The highest bit of a number, and how the type orders its bits: asked for each number.
    middle: W,
    order: Order,
}

/// One latent variable while a page is read.
#[derive(Debug)]
struct Lane<'w, W> {
    nodes: &'w [Node],
    /// Of each bin, the least latent and how many bits are added to it.
    lowers: &'w [W],
    widths: &'w [u8],
    /// The bits that a latent has.
    mask: W,
    past: Past,
    /// The first of each order of differences, or the ring of latents to look back on.
    history: &'w mut [W],
    /// How many latents have left the ring, and how many were put in.
    left: usize,
    put: usize,
    states: States,
    /// The next bits in the batch.
    symbols: usize,
    offsets: usize,
}

type States = [u16; 4];

/// What the latents of a lane are told from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Past {
    /// Themselves.
    Nothing,
    /// As many sums as there are moments.
    Sums,
    /// The ring.
    Ring,
    /// The output.
    Output,
}

/// What all lanes need to know to make latents of deltas.
struct Context<'c, 'o> {
    bytes: &'c [u8],
    convolution: Option<(&'c Convolution<'c>, &'c [u32])>,
    window: u32,
    out: &'c mut Numbers<'o>,
}

impl<'m, 'w, W: Latent> Compact<'m, 'w, W> {
    /// A decoder for a chunk whose pages have at most `n` numbers, without tables.
    pub fn new(meta: &'m Meta<'m>, n: usize, plan: Plan) -> Self {
        Self {
            meta,
            plan,
            longest: n,
            page: Page::default(),
            lookback: Lane::none(),
            primary: Lane::none(),
            secondary: Lane::none(),
            weights: &[],
            middle: top(meta.number_type.bits()),
            order: meta.number_type.order(),
        }
    }

    /// Builds its tables. What is as large as this should not be moved around, so that it is not done before it has its place.
    #[inline(never)]
    pub fn build(&mut self, mut words: &'w mut [u64]) -> Result<()> {
        let (meta, n, plan) = (self.meta, self.longest, self.plan);
        let need = meta.workspace_len(n, plan);
        if u64_from(words.len()) < need {
            return Err(Error::new(ErrorKind::WorkspaceTooSmall, 0).needing(need));
        }
        // Whatever is cut out from here on is there, because all of it was counted.
        for variable in meta.variables.iter().flatten() {
            let lane = self.lane(variable.role);
            lane.build(variable, &mut words, meta)?;
            lane.history = carve(&mut words, meta.history(variable.role, n, plan)).unwrap_or(&mut []);
            if lane.past == Past::Ring && lane.history.is_empty() {
                lane.past = Past::Output;
            }
        }
        if let Delta::Conv1(convolution) = &meta.delta {
            let weights: &mut [u32] = carve(&mut words, convolution.order()).unwrap_or(&mut []);
            weights.iter_mut().zip(convolution.weights()).for_each(|(to, weight)| *to = weight.cast_unsigned());
            self.weights = weights;
        }
        Ok(())
    }

    /// The logarithm of the bytes of a number.
    #[cfg(feature = "small")]
    pub const fn size_log(&self) -> u32 {
        self.meta.number_type.size().trailing_zeros()
    }

    pub fn start(&mut self, n: usize, at: u64) -> Result<()> {
        if n > self.longest {
            return Err(Error::new(ErrorKind::WorkspaceTooSmall, at).needing(self.meta.workspace_len(n, self.plan)));
        }
        self.page.start(n, at);
        Ok(())
    }

    /// Goes on with the page, to little-endian numbers, and tells in `step` how far it came, in front of an error as well. Where the input
    /// ends too soon, nothing has happened to what is not there: it can be tried again with more.
    #[inline(never)]
    pub fn step(&mut self, src: &[u8], dst: &mut [u8], step: &mut Step, trace: &mut impl Trace) -> Result<()> {
        let size = self.meta.number_type.size();
        let mut out = Numbers { bytes: dst, size };
        let room = out.bytes.len() / size.max(1);
        let whole = self.primary.past == Past::Output;
        if !self.page.started {
            if whole && room != self.page.n {
                return Err(Error::new(ErrorKind::OutputTooSmall, self.page.at).needing(u64_from(self.page.n)));
            }
            let len = self.open(src, &mut out, trace)?;
            self.page.read(step, len);
            self.page.started = true;
        }
        let ended = self.batches(src, &mut out, room, step, trace);
        if whole && ended.is_err() {
            self.page.restart(step);
        }
        ended?;
        if whole {
            // Nobody looks back on latents any more.
            for i in 0..step.wrote {
                let latent = out.get(i);
                out.put(i, self.finish(latent));
            }
        }
        self.page.end(src, step, trace)
    }

    /// Batch after batch, as far as input and output reach.
    fn batches(
        &mut self,
        src: &[u8],
        out: &mut Numbers<'_>,
        room: usize,
        step: &mut Step,
        trace: &mut impl Trace,
    ) -> Result<()> {
        while self.page.left > 0 {
            let count = self.page.left.min(BATCH);
            if room.saturating_sub(step.wrote) < count {
                return Ok(());
            }
            let rest = src.get(step.read..).unwrap_or(&[]);
            let bit = self.batch(rest, self.page.at, out, step.wrote, count, trace)?;
            self.page.pass(step, bit, count);
        }
        step.status = Status::Done;
        Ok(())
    }

    /// Reads the metadata of the page.
    #[inline(never)]
    fn open(&mut self, src: &[u8], out: &mut Numbers<'_>, trace: &mut impl Trace) -> Result<usize> {
        self.meta.check_bins(self.page.n, self.page.at)?;
        trace.enter(Name::PageMetadata, Value::None);
        let mut fields = Fields::new(src, self.page.at, trace);
        let meta = self.meta;
        for variable in meta.variables.iter().flatten() {
            fields.trace.enter(Name::Variable, Value::Word(variable.role.name()));
            let lane = self.lane(variable.role);
            (lane.left, lane.put) = (0, 0);
            if lane.past != Past::Nothing {
                let count = meta.delta.state_len();
                // Nothing is stored before it is known that all of it is there.
                fields.require(u64::from(variable.width) * u64_from(count))?;
                for i in 0..count {
                    let latent = W::low(fields.take(Part::Data, Name::State, variable.width));
                    match lane.history.get_mut(i) {
                        Some(entry) => *entry = latent,
                        None => out.put(i, latent),
                    }
                }
                lane.put = count;
            }
            for state in &mut lane.states {
                *state = u16::low(fields.take(Part::Symbols, Name::TansState, variable.table_log));
            }
            fields.check()?;
            fields.trace.leave();
        }
        fields.pad();
        fields.check()?;
        let len = index(fields.position() / 8);
        trace.leave();
        Ok(len)
    }

    fn lane(&mut self, role: Role) -> &mut Lane<'w, W> {
        match role {
            Role::Lookback => &mut self.lookback,
            Role::Primary => &mut self.primary,
            Role::Secondary => &mut self.secondary,
        }
    }

    /// One batch from the start of `bytes`. Gives the bit behind it; if that is not there, nothing has changed.
    #[inline(never)]
    fn batch(
        &mut self,
        bytes: &[u8],
        at: u64,
        out: &mut Numbers<'_>,
        first: usize,
        count: usize,
        trace: &mut impl Trace,
    ) -> Result<usize> {
        let mut bit = self.page.bit;
        let mut spans = Spans::new(trace, at, bit, bytes.len());
        spans.trace.enter(Name::Batch, Value::U64(u64_from((self.page.n - self.page.left) / BATCH)));
        let meta = self.meta;
        for variable in meta.variables.iter().flatten() {
            let values = meta.values(variable.role, self.page.left);
            let lane = self.lane(variable.role);
            lane.symbols = bit;
            (lane.offsets, bit) = lane.walk(&mut lane.states.clone(), bytes, bit, values, |_| ());
            spans.symbols(variable.role, lane.offsets);
            spans.offsets(variable.role, bit);
        }
        spans.end()?;
        let deltas = self.page.left.saturating_sub(meta.delta.state_len());
        self.numbers(bytes, out, first, count, deltas).map_err(|kind| Error::new(kind, at))?;
        Ok(bit)
    }

    /// The numbers of a batch, the first `deltas` of which have one.
    #[inline(never)]
    fn numbers(
        &mut self,
        bytes: &[u8],
        out: &mut Numbers<'_>,
        first: usize,
        count: usize,
        deltas: usize,
    ) -> core::result::Result<(), ErrorKind> {
        let convolution = match &self.meta.delta {
            Delta::Conv1(convolution) => Some((convolution, self.weights)),
            _ => None,
        };
        let mut context = Context { bytes, convolution, window: self.meta.delta.window(), out };
        let (looks, two) = (!self.lookback.nodes.is_empty(), !self.secondary.nodes.is_empty());
        for i in 0..count {
            let more = i < deltas;
            let lookback = if looks && more { self.lookback.latent(bytes, i) } else { W::ZERO };
            let primary = self.primary.next(&mut context, i, more, lookback)?;
            if self.primary.past == Past::Output {
                continue;
            }
            let secondary = if two { self.secondary.next(&mut context, i, more, lookback)? } else { W::ZERO };
            let number = self.join(primary, secondary)?;
            context.out.put(first.wrapping_add(i), number);
        }
        Ok(())
    }

    /// The number that two latents stand for.
    fn join(&self, primary: W, secondary: W) -> core::result::Result<W, ErrorKind> {
        let (ty, mask, middle) = (self.meta.number_type, self.primary.mask, self.middle);
        let latent = match self.meta.mode {
            Mode::Classic => primary,
            Mode::IntMult { base } => primary.times(W::low(base)).plus(secondary) & mask,
            Mode::FloatMult { base } => {
                let product: W = latent_of(W::low(soft::product(primary.wide(), base, ty)), middle, mask);
                product.plus(secondary).plus(middle) & mask
            }
            Mode::FloatQuant { bits } => {
                // Positive floats lose their sign bit, of others all bits above the quantum are inverted.
                let positive = primary.wide() >= middle.wide() >> (bits & 63);
                let invert = if positive { middle } else { W::low(u64::MAX << (bits & 63)) };
                return Ok((W::low(primary.wide() << (bits & 63)) ^ secondary ^ invert) & mask);
            }
            Mode::Dict { entries } => {
                let (size, i) = (ty.size(), index(primary.wide()));
                let start = i.checked_mul(size).ok_or(ErrorKind::PcoDictIndex)?;
                let bytes = entries.get(start..).and_then(|rest| rest.get(..size)).ok_or(ErrorKind::PcoDictIndex)?;
                W::get(bytes)
            }
        };
        Ok(self.finish(latent))
    }

    /// The number that an ordered latent stands for.
    fn finish(&self, latent: W) -> W {
        match self.order {
            Order::Unsigned => latent,
            // Negative floats are inverted. What lies above a narrow number is not stored.
            Order::Float if latent & self.middle == W::ZERO => !latent,
            _ => latent ^ self.middle,
        }
    }

    /// Finds the end of a page of `n` numbers from its symbols alone. Gives the bytes that it takes.
    pub fn skip(&mut self, bytes: &[u8], n: usize, at: u64) -> Result<usize> {
        self.skip_heard(bytes, n, at, |_, _| ())
    }

    /// [`skip`](Self::skip), which tells the variable and the bin of each symbol.
    #[inline]
    pub fn skip_heard(&mut self, bytes: &[u8], n: usize, at: u64, mut heard: impl FnMut(Role, usize)) -> Result<usize> {
        self.start(n, at)?;
        let size = self.meta.number_type.size();
        let mut step = BEGIN;
        let len = self.open(bytes, &mut Numbers { bytes: &mut [], size }, &mut ())?;
        self.page.read(&mut step, len);
        let meta = self.meta;
        while self.page.left > 0 {
            let rest = bytes.get(step.read..).unwrap_or(&[]);
            let mut bit = self.page.bit;
            for variable in meta.variables.iter().flatten() {
                let values = meta.values(variable.role, self.page.left);
                let lane = self.lane(variable.role);
                let mut states = lane.states;
                bit = lane.walk(&mut states, rest, bit, values, |bin| heard(variable.role, bin)).1;
                lane.states = states;
            }
            if bit.div_ceil(8) > rest.len() {
                return Err(truncated(at, bytes.len(), bytes.len().saturating_add(1)));
            }
            self.page.pass(&mut step, bit, BATCH);
        }
        self.page.end(bytes, &mut step, &mut ())?;
        Ok(step.read)
    }
}

impl<'w, W: Latent> Lane<'w, W> {
    /// A lane that the chunk does not have, which knows nothing but zeros.
    fn none() -> Self {
        Self {
            nodes: &[],
            lowers: &[],
            widths: &[],
            mask: W::ZERO,
            past: Past::Nothing,
            history: &mut [],
            left: 0,
            put: 0,
            states: [0; 4],
            symbols: 0,
            offsets: 0,
        }
    }

    /// Reads the bins of `variable`, checks them, and spreads them over a table.
    #[inline(never)]
    fn build(&mut self, variable: &Variable<'_>, words: &mut &'w mut [u64], meta: &Meta<'_>) -> Result<()> {
        let log = variable.table_log & 15;
        let (size, bins) = (1u32 << log, index(u64::from(variable.bins.max(1))));
        let nodes: &mut [Node] = carve(words, index(u64::from(size))).unwrap_or(&mut []);
        let lowers: &mut [W] = carve(words, bins).unwrap_or(&mut []);
        let widths: &mut [u8] = carve(words, bins).unwrap_or(&mut []);
        let past = match (&meta.delta, variable.role) {
            (Delta::None, _) | (_, Role::Lookback) => Past::Nothing,
            (delta, Role::Secondary) if !delta.covers_secondary() => Past::Nothing,
            (Delta::Consecutive { .. }, _) => Past::Sums,
            _ => Past::Ring,
        };
        // Deltas are stored around the middle of their range.
        let middle = if past == Past::Nothing { W::ZERO } else { top(variable.width) };

        let (mut slot, mut total) = (0, 0);
        // Without bins there is one entry, for a bin of which everything is 0.
        nodes.iter_mut().take(1).for_each(|node| *node = 0);
        widths.iter_mut().take(1).for_each(|width| *width = 0);
        for ((i, bin), (lower, width)) in (0u32..).zip(variable.iter()).zip(lowers.iter_mut().zip(&mut *widths)) {
            total += bin.weight;
            variable.check(i, &bin, total, meta.delta.window())?;
            *width = u8::low(u64::from(bin.offset_bits));
            // A counter, until the table is filled.
            *lower = W::low(u64::from(bin.weight));
            for _ in 0..bin.weight {
                if let Some(node) = nodes.get_mut(index(u64::from(slot))) {
                    *node = i;
                }
                slot = (slot + stride(size)) & (size - 1);
            }
        }
        variable.check_total(total)?;
        if variable.bins > 0 {
            // The entries of a bin, in the order of the table, stand for the numbers from its weight to twice that.
            for node in nodes.iter_mut() {
                let Some(counter) = lowers.get_mut(index(u64::from(*node))) else { continue };
                let (read, base) = transition(u32::low(counter.wide()), log);
                *counter = counter.plus(W::low(1));
                *node = *node << 18 | (base & 0x3FFF) << 4 | read & 15;
            }
        }
        lowers.iter_mut().take(1).for_each(|lower| *lower = middle);
        lowers.iter_mut().zip(variable.iter()).for_each(|(lower, bin)| *lower = W::low(bin.lower).plus(middle));
        self.mask = W::low(crate::bits::mask(variable.width));
        (self.nodes, self.lowers, self.widths, self.past) = (nodes, lowers, widths, past);
        Ok(())
    }

    /// Moves `state` and `at` behind one symbol, and gives its bin.
    fn symbol(&self, state: &mut u16, bytes: &[u8], at: &mut usize) -> usize {
        let node = self.nodes.get(usize::from(*state)).copied().unwrap_or(0);
        let read = node & 15;
        *state = u16::low(u64::from((node >> 4 & 0x3FFF).wrapping_add(few(bytes, *at, read))));
        *at = at.wrapping_add(index(u64::from(read)));
        index(u64::from(node >> 18))
    }

    /// Walks over `count` symbols and tells their bins. Gives the bits where their offsets start and end.
    #[inline(never)]
    fn walk(
        &self,
        states: &mut States,
        bytes: &[u8],
        at: usize,
        count: usize,
        mut heard: impl FnMut(usize),
    ) -> (usize, usize) {
        let (mut at, mut offsets) = (at, 0usize);
        for i in 0..count {
            let bin = self.symbol(&mut states[i & 3], bytes, &mut at);
            offsets = offsets.wrapping_add(self.widths.get(bin).copied().map_or(0, usize::from));
            heard(bin);
        }
        (at, at.wrapping_add(offsets))
    }

    /// The next value of the batch, which is its `i`-th.
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

    /// The next latent, which is a value of the batch or comes of one. If there is no `more` of those the past suffices.
    #[inline(never)]
    fn next(
        &mut self,
        context: &mut Context<'_, '_>,
        i: usize,
        more: bool,
        lookback: W,
    ) -> core::result::Result<W, ErrorKind> {
        let plain = self.past == Past::Nothing;
        let value = if plain || more { self.latent(context.bytes, i) } else { W::ZERO };
        if plain {
            return Ok(value);
        }
        if self.past == Past::Sums {
            let sums = self.history.iter_mut().rev();
            let last = sums.fold(value, |delta, moment| {
                let before = *moment;
                *moment = before.plus(delta);
                before
            });
            return Ok(last & self.mask);
        }
        // Read before anything is put where it lies.
        let leaves = self.get(context, self.left);
        if more {
            let before = match context.convolution {
                Some((convolution, weights)) => self.predict(convolution, weights),
                None if u32::low(lookback.wide()).wrapping_sub(1) >= context.window => {
                    return Err(ErrorKind::PcoLookback);
                }
                // Before a page everything is 0.
                None => match self.put.checked_sub(index(lookback.wide())) {
                    Some(source) => self.get(context, source),
                    None => W::ZERO,
                },
            };
            let latent = value.plus(before) & self.mask;
            let last = self.history.len().wrapping_sub(1);
            match self.history.get_mut(self.put & last) {
                Some(entry) => *entry = latent,
                None => context.out.put(self.put, latent),
            }
            self.put = self.put.wrapping_add(1);
        }
        self.left = self.left.wrapping_add(1);
        Ok(leaves)
    }

    /// A latent of the ring, or of the output that stands for it.
    fn get(&self, context: &Context<'_, '_>, i: usize) -> W {
        match self.history.get(i & self.history.len().wrapping_sub(1)) {
            Some(&latent) => latent,
            None => context.out.get(i),
        }
    }

    /// What a convolution makes of the latents before.
    fn predict(&self, convolution: &Convolution<'_>, weights: &[u32]) -> W {
        // Checked by the metadata: no sum leaves 64 bits.
        let first = self.put.wrapping_sub(weights.len());
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

/// The ordered latent of a float.
fn latent_of<W: Latent>(float: W, middle: W, mask: W) -> W {
    if float & middle == W::ZERO { float ^ middle } else { !float & mask }
}

/// Up to 25 bits from bit `at` on; zeros stand for those behind the end.
fn few(bytes: &[u8], at: usize, n: u32) -> u32 {
    u32_at(bytes, at / 8) >> (at % 8) & (1u32 << (n & 31)).wrapping_sub(1)
}

/// `width` bits from bit `at` on, in pieces that lie in four bytes.
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

//! LZMA: decodes literals and matches from a range coder.

use core::hint::black_box;

use super::probability::{Contexts, Literals, Probabilities};
use super::range::{Range, TOP};
use crate::copy::{SLACK, repeat};
use crate::tuning;

/// The most bytes that a symbol takes, however unlikely its bits are.
pub(super) const MOST_INPUT: usize = 24;

/// The kind of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LzmaKind {
    /// A byte.
    Literal,
    /// A match with a distance of its own.
    Match,
    /// A match at the last distance.
    Rep0,
    /// A match at the second-last distance.
    Rep1,
    /// A match at the third-last distance.
    Rep2,
    /// A match at the fourth-last distance.
    Rep3,
    /// A single byte at the last distance.
    ShortRep,
    /// The marker that ends a stream.
    EndMarker,
}

/// States from here on follow a match: the next literal differs from the byte that would continue
/// it.
const AFTER_MATCH: usize = 7;

/// The output of decoded bytes. Matches refer to all of `buf` before `at`, and, once a ring has
/// wrapped, to all after `at` as well. A store takes bytes itself, and leaves `buf` empty.
pub(super) struct Area<'a> {
    pub(super) buf: &'a mut [u8],
    pub(super) at: usize,
    /// Bytes from this index on are not written.
    pub(super) limit: usize,
    /// The dictionary size: no match reaches further back.
    pub(super) dictionary: usize,
}

/// Where decoded bytes go, and matches come from.
///
/// A parameter of the loop, and not in [`Area`]: if a program has one kind, the compiler sees no
/// other.
pub(super) trait History {
    /// Returns whether the loop may have left off inside a match.
    fn resumes(&self) -> bool {
        false
    }

    /// Returns whether bytes after the position are older ones.
    fn has_lapped(&self) -> bool {
        false
    }

    /// Returns the byte at this distance. 0 if there is none.
    fn byte(&mut self, buf: &[u8], at: usize, distance: usize) -> u8;

    /// Returns the last byte of a match.
    fn last(&self, buf: &[u8], at: usize) -> u8;

    /// Adds a byte.
    fn push(&mut self, buf: &mut [u8], at: usize, byte: u8);

    /// Copies the bytes of a match that fit before the limit. Returns their number.
    fn copy(&mut self, buf: &mut [u8], at: usize, distance: usize, len: usize, limit: usize) -> usize;
}

/// A slice, or a ring, which may have been filled once.
impl History for Option<bool> {
    #[inline(always)]
    fn resumes(&self) -> bool {
        self.is_some()
    }

    #[inline(always)]
    fn has_lapped(&self) -> bool {
        *self == Some(true)
    }

    #[inline(always)]
    fn byte(&mut self, buf: &[u8], at: usize, distance: usize) -> u8 {
        match (buf.get(at.wrapping_sub(distance)), self) {
            (Some(&byte), _) => byte,
            (None, Some(true)) => buf.get(at.wrapping_add(buf.len()).wrapping_sub(distance)).copied().unwrap_or(0),
            _ => 0,
        }
    }

    #[inline(always)]
    fn last(&self, buf: &[u8], at: usize) -> u8 {
        buf.get(at.wrapping_sub(1)).copied().unwrap_or(0)
    }

    #[inline(always)]
    fn push(&mut self, buf: &mut [u8], at: usize, byte: u8) {
        if let Some(place) = buf.get_mut(at) {
            *place = byte;
        }
    }

    #[inline(always)]
    fn copy(&mut self, buf: &mut [u8], at: usize, distance: usize, len: usize, limit: usize) -> usize {
        if !tuning::SMALL && distance <= at && at.wrapping_add(len).wrapping_add(SLACK) <= limit {
            let _ = repeat(buf, at, distance, len);
            return len;
        }
        let fits = len.min(limit.saturating_sub(at));
        carefully(buf, at, distance, fits, limit, *self);
        fits
    }
}

/// Returns lc, lp and pb from their byte, which may be out of range.
#[inline(always)]
pub(super) fn properties(byte: u8) -> (u8, u8, u8) {
    // Divides by 9 and by 5 without a division, which a Cortex-M0 lacks.
    let quotient = |n: u8, scale: u16, shift: u32| ((u16::from(n) * scale) >> shift).to_le_bytes()[0];
    let high = quotient(byte, 57, 9);
    let pb = quotient(high, 52, 8);
    (byte.wrapping_sub(high.wrapping_mul(9)), high.wrapping_sub(pb.wrapping_mul(5)), pb)
}

/// The state between two symbols.
#[derive(Clone, Debug)]
pub(super) struct Lzma {
    probabilities: Probabilities,
    /// The last four distances, less 1.
    reps: [u32; 4],
    /// The kinds of the last symbols: one of 12 cases.
    state: u8,
    lc: u8,
    lp: u8,
    pb: u8,
    range: u32,
    code: u32,
    /// Bytes of a match that are not copied yet.
    pending: usize,
}

impl Lzma {
    pub(super) const fn new() -> Self {
        Self {
            probabilities: Probabilities::new(),
            reps: [0; 4],
            state: 0,
            lc: 0,
            lp: 0,
            pb: 0,
            range: 0,
            code: 0,
            pending: 0,
        }
    }

    /// Sets lc, lp and pb from their byte. Returns false if they break the rules of LZMA2.
    #[cfg_attr(feature = "small", inline(always))]
    pub(super) fn set_properties(&mut self, byte: u8) -> bool {
        (self.lc, self.lp, self.pb) = properties(byte);
        self.pb <= 4 && self.lc + self.lp <= 4
    }

    /// Returns how many contexts of literals the properties ask for.
    pub(super) const fn contexts(&self) -> usize {
        1 << ((self.lc + self.lp) & 7)
    }

    /// Resets everything but the properties.
    pub(super) fn reset(&mut self, literals: &mut [Literals]) {
        self.probabilities.reset(literals.iter_mut().take(self.contexts()));
        (self.reps, self.state) = ([0; 4], 0);
    }

    /// Starts the range coder of a chunk with its first bytes. Returns false if they are not valid.
    pub(super) fn start(&mut self, bytes: [u8; 5]) -> bool {
        let [first, code @ ..] = bytes;
        (self.range, self.code, self.pending) = (u32::MAX, u32::from_be_bytes(code), 0);
        first == 0
    }

    /// Returns true if the range coder needs another byte at the end of its chunk.
    pub(super) const fn wants_byte(&self) -> bool {
        self.range < TOP
    }

    /// Returns true if the range coder ends in a valid state; `byte` is the one that it needed.
    pub(super) fn ends(&self, byte: Option<u8>) -> bool {
        let code = byte.map_or(self.code, |byte| self.code << 8 | u32::from(byte));
        self.pending == 0 && code == 0
    }

    /// Bytes of a match that are not copied yet.
    pub(super) const fn pending(&self) -> usize {
        self.pending
    }

    /// The range of the coder, between two symbols.
    pub(super) const fn range(&self) -> u32 {
        self.range
    }

    /// The distance of the last match.
    pub(super) fn distance(&self) -> u64 {
        u64::from(self.reps[0]) + 1
    }

    /// Returns the kind of the symbol at the start of these bytes, without decoding it: the bits
    /// that [`run`](Self::run) branches on. The marker counts as a match.
    pub(super) fn next_kind(&mut self, src: &[u8], position: usize) -> LzmaKind {
        let mut rc = Range { range: self.range, code: self.code, rest: src.iter(), least: 0 };
        let Some(p) = self.probabilities.contexts() else { return LzmaKind::Literal };
        let state = usize::from(self.state & 15);
        let pos_state = position & ((1 << (self.pb & 7)) - 1) & 15;
        let mut bit = |probability: u16| rc.bit(&mut { probability });
        if !bit(p.is_match[state][pos_state]) {
            LzmaKind::Literal
        } else if !bit(p.is_rep[state]) {
            LzmaKind::Match
        } else if !bit(p.is_older[0][state]) {
            if bit(p.is_rep0_long[state][pos_state]) { LzmaKind::Rep0 } else { LzmaKind::ShortRep }
        } else if !bit(p.is_older[1][state]) {
            LzmaKind::Rep1
        } else if !bit(p.is_older[2][state]) {
            LzmaKind::Rep2
        } else {
            LzmaKind::Rep3
        }
    }

    /// Moves on to this byte, which the range coder [wants](Self::wants_byte).
    #[cfg(feature = "lzma")]
    pub(super) const fn feed(&mut self, byte: u8) {
        (self.range, self.code) = (self.range << 8, self.code << 8 | byte as u32);
    }

    /// Returns true if the last symbol was the marker that ends a stream. Its distance reaches
    /// beyond any dictionary, so that [`run`](Self::run) stops there with a fault.
    #[cfg(feature = "lzma")]
    pub(super) const fn is_marker(&self) -> bool {
        self.reps[0] == u32::MAX
    }

    /// Decodes symbols until the area is full, until fewer than `least` bytes of `src` remain, or
    /// until a distance reaches beyond the history. Returns the number of bytes used, one more than
    /// the length of `src` if it ends inside a symbol; and whether the distances were valid.
    ///
    /// This is the hot loop of the format. Its contract:
    ///
    /// - `area.at <= area.limit`, and, but for a store, `area.limit <= area.buf.len()`. Bytes
    ///   before `at` are history; those from `limit` on are not written.
    /// - There are as many `literals` as the properties ask for.
    /// - All of its state is in locals, so that it stays in registers. `self` is read before the
    ///   first symbol and written after the last.
    /// - Only `break` leaves it early, or the state is lost. It has no trace and no checksum.
    /// - Copies in pieces may write [`SLACK`] bytes beyond a match, but never beyond `limit`.
    /// - Every index is masked or goes through `get`, so that no bounds check remains.
    ///
    /// Measurements: `docs/tried/xz.md`.
    #[inline(never)]
    pub(super) fn run<P: History>(
        &mut self,
        literals: &mut [Literals],
        src: &[u8],
        least: usize,
        mut history: P,
        area: &mut Area<'_>,
    ) -> (usize, bool) {
        let dictionary = area.dictionary;
        let buf = &mut *area.buf;
        let limit = area.limit;
        let mut at = area.at;
        let mut rc = Range { range: self.range, code: self.code, rest: src.iter(), least };
        // With `small`, registers are so few that these stay in memory.
        let mut copies = self.reps;
        let reps = if tuning::SMALL { &mut self.reps } else { &mut copies };
        let mut state = usize::from(self.state);
        let (lc, high) = (u32::from(self.lc & 7), 8 - u32::from(self.lc & 7));
        let lp_mask = (1usize << (self.lp & 7)) - 1;
        let pb_mask = (1usize << (self.pb & 7)) - 1;
        let mut pending = self.pending;
        let mut reachable = true;
        if history.resumes() && pending > 0 {
            let copied = history.copy(buf, at, reps[0] as usize + 1, pending, limit);
            (at, pending) = (at.wrapping_add(copied), pending - copied);
        }
        // Before the first byte there is a zero.
        let mut previous = if at == 0 && !history.has_lapped() { 0 } else { usize::from(history.byte(buf, at, 1)) };
        while at < limit && rc.rest.len() >= rc.least {
            let Some(mut p) = self.probabilities.contexts() else { break };
            let pos_state = at & pb_mask;
            if !rc.bit(&mut p.is_match[state & 15][pos_state & 15]) {
                let context = ((at & lp_mask) << lc).wrapping_add(previous >> high);
                let Some(Literals(row)) = literals.get_mut(context) else { break };
                let symbol = if state < AFTER_MATCH {
                    state = state.saturating_sub(3);
                    rc.tree::<8, 0x300>(row)
                } else {
                    state -= if state < 10 { 3 } else { 6 };
                    rc.matched(row, history.byte(buf, at, reps[0] as usize + 1))
                };
                previous = symbol & 0xFF;
                history.push(buf, at, symbol.to_le_bytes()[0]);
                at = at.wrapping_add(1);
                continue;
            }
            let len;
            if !rc.bit(&mut p.is_rep[state & 15]) {
                *reps = [0, reps[0], reps[1], reps[2]];
                len = rc.length(p.match_length, pos_state).wrapping_add(2);
                let slot = rc.tree::<6, 64>(&mut p.slots[(len - 2).min(3)]) - 64;
                reps[0] = distance(&mut rc, &mut p, slot, |about| fetch(buf, at, about as usize));
                state = if state < AFTER_MATCH { 7 } else { 10 };
            } else {
                let older = recall(&mut rc, p.is_older, state, reps);
                let short = !older && !rc.bit(&mut p.is_rep0_long[state & 15][pos_state & 15]);
                if short {
                    len = 1;
                    state = if state < AFTER_MATCH { 9 } else { 11 };
                } else {
                    len = rc.length(p.rep_length, pos_state).wrapping_add(2);
                    state = if state < AFTER_MATCH { 8 } else { 11 };
                }
            }
            let back = reps[0] as usize;
            if back >= dictionary || back >= at && !history.has_lapped() {
                reachable = false;
                break;
            }
            let copied = history.copy(buf, at, back + 1, len, limit);
            (at, pending) = (at.wrapping_add(copied), len - copied);
            // The last byte of the match.
            previous = history.last(buf, at).into();
        }
        area.at = at;
        self.reps = *reps;
        self.state = state.to_le_bytes()[0];
        (self.range, self.code, self.pending) = (rc.range, rc.code, pending);
        let overrun = rc.least > least;
        let used = src.len() - rc.rest.len() + usize::from(overrun);
        (used, reachable)
    }
}

/// Decodes the distance after its slot, less 1: up to 5 bits with probabilities of their own, or
/// direct bits and 4 such. Calls `about` with a far distance before its last 4 bits are known.
#[inline(always)]
fn distance(rc: &mut Range<'_>, p: &mut Contexts<'_>, slot: usize, about: impl Fn(u32)) -> u32 {
    // Slots have six bits.
    let slot = u32::from(slot.to_le_bytes()[0] & 63);
    if slot < 4 {
        return slot;
    }
    let bits = (slot >> 1) - 1;
    let high = 2 | slot & 1;
    if slot < 14 {
        let base = high << bits;
        base.wrapping_add(rc.reverse(p.special, (base - slot) as usize, bits))
    } else {
        let high = rc.direct(high, bits - 4);
        about(high << 4);
        (high << 4).wrapping_add(rc.reverse(p.align, 0, 4))
    }
}

/// Moves the distance that is used again to the front. Returns whether it is older than the last.
#[inline(always)]
fn recall(rc: &mut Range<'_>, is_older: &mut [[u16; 16]; 3], state: usize, reps: &mut [u32; 4]) -> bool {
    if tuning::SMALL {
        let mut nth = 0;
        while nth < 3 && rc.bit(&mut is_older[nth][state & 15]) {
            nth += 1;
            reps.swap(0, nth);
        }
        return nth > 0;
    }
    let [first, second, third, fourth] = *reps;
    if !rc.bit(&mut is_older[0][state & 15]) {
        return false;
    } else if !rc.bit(&mut is_older[1][state & 15]) {
        *reps = [second, first, third, fourth];
    } else if !rc.bit(&mut is_older[2][state & 15]) {
        *reps = [third, first, second, fourth];
    } else {
        *reps = [fourth, first, second, third];
    }
    true
}

/// Prefetches the bytes of a match while the last bits of its distance are decoded.
#[inline(always)]
fn fetch(buf: &[u8], at: usize, about: usize) {
    if !tuning::SMALL {
        black_box(buf.get(at.wrapping_sub(about)));
    }
}

/// Copies a match near the end of the output, or around the end of the ring.
#[cold]
#[inline(never)]
fn carefully(buf: &mut [u8], at: usize, distance: usize, len: usize, limit: usize, mut ring: Option<bool>) {
    // A match from the previous lap of the ring is most often in one piece.
    let from = at.wrapping_add(buf.len()).wrapping_sub(distance);
    let has_room = |at: usize, end: usize| at.saturating_add(len).saturating_add(SLACK) <= end;
    if !tuning::SMALL && distance > at && has_room(at, limit) && has_room(from, buf.len()) {
        let _ = repeat(buf, at, at.wrapping_sub(from), len);
        return;
    }
    for at in at..at.saturating_add(len) {
        let byte = ring.byte(buf, at, distance);
        ring.push(buf, at, byte);
    }
}

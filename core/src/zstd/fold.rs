//! The loop over the sequences of a block.
//!
//! # Contract of the hot loop, [`Reader::run`]
//!
//! * It is bound by its number of instructions: 125 a sequence. It lives in registers, about 20 values on 15 of them. One more value that
//!   stays alive, one call, or one branch that is not needed costs 3 to 10 % on all data.
//! * Input: the stream in `rest`, with seven readable bytes before its start where there are some, so that one load of eight bytes is
//!   always enough; three tables of which every cell leads to a cell.
//! * It never reads past the start of the stream unnoticed: [`Reader::bits`] is compared once after each run, not in it.
//! * What is not simple is not done here: [`Act::quick`] refuses it, and the slow step after the loop does it. Do not add calls.
//! * Everything that was tried, kept and not kept, with its price, is in
//!   [docs/tried/zstd.md](https://github.com/unspool/unspool/blob/main/docs/tried/zstd.md#the-loop-over-sequences).

use super::flavour::Flavour;
use super::sequence::{Act, NEAREST, Sequence};
use super::sequences::Sequences;
use super::tables::Cell;
use super::workspace::{Lent, Workspace};
use crate::ErrorKind;
use crate::bits::bits_before;
use crate::entropy::low32;
use crate::fault::{Fault, Verdict};
use crate::num::split_last;
use crate::tuning::{LEAN, REPEAT_LOOP};

/// The lowest `n` bits set, for less than 32 of them.
#[inline(always)]
fn mask(n: u8) -> u32 {
    // As many as a byte has values, so that no index needs a check.
    static MASKS: [u32; 256] = {
        let mut masks = [u32::MAX; 256];
        let mut n = 0;
        while n < 32 {
            masks[n] = (1 << n) - 1;
            n += 1;
        }
        masks
    };
    if LEAN { !u32::MAX.wrapping_shl(n.into()) } else { MASKS[usize::from(n)] }
}

/// Reads sequences, from the end of their bits on.
struct Reader<'a> {
    /// What is left of the stream and, where something comes before it, seven bytes of that: then eight bytes can be read at
    /// once wherever the next bit is.
    rest: &'a [u8],
    /// Bits of its last byte that are used.
    used: u32,
    /// Bytes before the stream.
    before: usize,
    /// Sequences that are not read yet.
    left: u32,
    literals: Cell,
    offsets: Cell,
    matches: Cell,
    /// The last three offsets.
    history: [u32; 3],
}

/// Bytes before a stream that are read with its first.
const BEFORE: usize = 7;

/// The next `n` bits of a word, of which `used` are used. No field waits for the one before, only for its width.
#[inline(always)]
fn take(word: u64, used: &mut u32, n: u8) -> u32 {
    *used += u32::from(n);
    low32(word.rotate_left(*used)) & mask(n)
}

impl<'a> Reader<'a> {
    fn new(src: &'a [u8], sequences: &Sequences, workspace: &Workspace, history: [u32; 3]) -> Option<Self> {
        let stream = &sequences.bits;
        let before = stream.start.min(BEFORE);
        let rest = src.get(stream.start - before..stream.end)?;
        let last = *rest.last().filter(|&&last| last != 0 && !stream.is_empty())?;
        let mut reader = Self {
            rest,
            used: last.leading_zeros() + 1,
            before,
            left: sequences.count,
            literals: Cell::ZERO,
            offsets: Cell::ZERO,
            matches: Cell::ZERO,
            history,
        };
        reader.literals = workspace.literals.cells[reader.read(workspace.literals.log) as usize & 511];
        reader.offsets = workspace.offsets.cells[reader.read(workspace.offsets.log) as usize & 255];
        reader.matches = workspace.matches.cells[reader.read(workspace.matches.log) as usize & 511];
        Some(reader)
    }

    /// Bits that are not read yet. `None` if more were read than there are.
    #[inline(always)]
    fn bits(&self) -> Option<usize> {
        (self.rest.len().checked_sub(self.before)? * 8).checked_sub(self.used as usize)
    }

    /// The next `n` bits, wherever they are. Something if there are fewer, which [`bits`](Self::bits) tells behind them.
    #[cold]
    #[inline(never)]
    fn read(&mut self, n: u8) -> u32 {
        let left = (self.rest.len() * 8).saturating_sub(self.used as usize);
        let word = bits_before(self.rest, left).unwrap_or(0);
        self.used += u32::from(n);
        if let Some(rest) = self.rest.len().checked_sub(self.used as usize / 8).and_then(|len| self.rest.get(..len)) {
            self.rest = rest;
            self.used %= 8;
        }
        take(word, &mut 0, n)
    }

    /// Reads sequences and hands them over as long as all is simple. If `hand` finds that one is not, it is returned.
    ///
    /// What is not simple is not done here, so that there is no call in the loop and all of it lives in registers. Or all of
    /// it is done here, if that is `LAST` and few are left, which are most often near the end of the room.
    #[inline(never)]
    fn run<A: Act, const LAST: bool, const NEAR: bool>(
        &mut self,
        flavour: Flavour,
        workspace: &Workspace,
        mut so_far: A::SoFar,
        hand: &mut A,
    ) -> Verdict<(A::SoFar, Option<Sequence>)> {
        let Self { mut rest, mut used, before, mut left, mut literals, mut offsets, mut matches, history } = *self;
        // The two older offsets in one register: there are few, and most sequences just move them on.
        let [mut last, one, two] = history;
        let mut older = u64::from(two) << 32 | u64::from(one);
        let mut refused = None;
        // Behind the last one no states follow.
        while left != 1 {
            let Some((_, word)) = split_last(rest) else { break };
            let word = u64::from_le_bytes(*word);
            let begun = used;
            let refined = offsets.base().wrapping_add(take(word, &mut used, offsets.extra()));
            // Short lengths need no bits, and most are short.
            let (mut length, mut run) = (matches.base(), literals.base());
            let extra = Cell::extras(matches, literals);
            if extra > 0 {
                if extra + u32::from(offsets.extra()) > MOST_EXTRA {
                    used = begun;
                    break;
                }
                length = length.wrapping_add(take(word, &mut used, matches.extra()));
                run = run.wrapping_add(take(word, &mut used, literals.extra()));
            }
            if offsets.extra() > 1 {
                older = older << 32 | u64::from(last);
                last = refined;
            } else {
                let mut history = [last, low32(older), low32(older >> 32)];
                flavour.repeat(refined, run == 0, &mut history);
                let [one, two, three] = history;
                (last, older) = (one, u64::from(three) << 32 | u64::from(two));
            }
            // The next cells are loaded before this sequence is carried out, so that a branch that is guessed wrong there
            // does not delay them.
            let next = literals.next() + take(word, &mut used, literals.bits());
            literals = workspace.literals.cells[next as usize & 511];
            let next = matches.next() + take(word, &mut used, matches.bits());
            matches = workspace.matches.cells[next as usize & 511];
            let next = offsets.next() + take(word, &mut used, offsets.bits());
            offsets = workspace.offsets.cells[next as usize & 255];
            // A word has no more than that.
            let Some(less) = rest.get(..rest.len().wrapping_sub(used as usize / 8)) else { break };
            rest = less;
            used %= 8;
            left -= 1;
            let sequence = Sequence { literals: run, length, offset: last };
            let next = match LAST {
                false => hand.quick::<NEAR>(so_far, sequence),
                // What lies before the stream are no sequences that could be wrong.
                true if rest.len() * 8 < before * 8 + used as usize => None,
                true => Some(hand.act(so_far, sequence)?),
            };
            let Some(next) = next else {
                refused = Some(sequence);
                break;
            };
            so_far = next;
        }
        let history = [last, low32(older), low32(older >> 32)];
        *self = Self { rest, used, before, left, literals, offsets, matches, history };
        Ok((so_far, refused))
    }

    /// Reads one sequence, field by field: the last, one with more bits than are read at once, and those at the start of a
    /// stream that has nothing before it.
    #[cold]
    #[inline(never)]
    fn one(&mut self, flavour: Flavour, workspace: &Workspace) -> Sequence {
        let Self { literals, offsets, matches, .. } = *self;
        let refined = offsets.base().wrapping_add(self.read(offsets.extra()));
        let length = matches.base().wrapping_add(self.read(matches.extra()));
        let run = literals.base().wrapping_add(self.read(literals.extra()));
        let offset = if offsets.extra() > 1 {
            self.history = [refined, self.history[0], self.history[1]];
            refined
        } else {
            flavour.repeat(refined, run == 0, &mut self.history)
        };
        self.left -= 1;
        if self.left > 0 {
            let next = literals.next() + self.read(literals.bits());
            self.literals = workspace.literals.cells[next as usize & 511];
            let next = matches.next() + self.read(matches.bits());
            self.matches = workspace.matches.cells[next as usize & 511];
            let next = offsets.next() + self.read(offsets.bits());
            self.offsets = workspace.offsets.cells[next as usize & 255];
        }
        Sequence { literals: run, length, offset }
    }
}

/// With so many bits that refine symbols, those of the next states are in the same 57.
const MOST_EXTRA: u32 = 57 - 9 - 8 - 9;

/// Behind a sequence that is not simple, fewer than so many are not expected to be simple either. In a browser none are so few: the
/// loop for them is worth a hundredth of small frames there, and would be 450 to 750 bytes more to load.
const FEW: u32 = if LEAN { 1 } else { 24 };

/// Matches that repeat less than eight bytes come often if one sequence in so many is of that kind, with four times as many before the
/// first that are not.
const OFTEN: u32 = 32;

impl Sequences {
    /// Hands every sequence to `hand`, in order.
    #[inline(always)]
    pub(super) fn fold<A: Act>(
        &self,
        flavour: Flavour,
        src: &[u8],
        workspace: &mut Workspace,
        lent: Lent<'_>,
        mut so_far: A::SoFar,
        hand: &mut A,
    ) -> Verdict<A::SoFar> {
        if self.count == 0 {
            return Ok(so_far);
        }
        let fault = Fault::new(ErrorKind::ZstdSequenceBits, self.bits.start);
        let tables = lent.tables().unwrap_or(workspace);
        let mut reader = Reader::new(src, self, tables, workspace.history).ok_or(fault)?;
        let (mut begun, mut near, mut often) = (false, 0, false);
        while reader.left > 0 {
            let refused;
            (so_far, refused) = match reader.left {
                // Right behind one that was not simple.
                ..FEW if begun => reader.run::<A, true, false>(flavour, tables, so_far, hand)?,
                // In a loop of their own: in the one for all others they made that slower by 5 to 7 %.
                _ if often => reader.run::<A, false, true>(flavour, tables, so_far, hand)?,
                _ => reader.run::<A, false, false>(flavour, tables, so_far, hand)?,
            };
            near += u32::from(refused.is_some_and(|sequence| sequence.offset < NEAREST));
            often |= REPEAT_LOOP && near * OFTEN > self.count - reader.left + 4 * OFTEN;
            begun = true;
            let sequence = refused.unwrap_or_else(|| reader.one(flavour, tables));
            // Nobody looked until now: after too many bits there is none to go on with, and behind the last sequence is none.
            if reader.bits().is_none_or(|bits| bits > 0 && reader.left == 0) {
                return Err(fault);
            }
            so_far = hand.act(so_far, sequence)?;
        }
        workspace.history = reader.history;
        Ok(so_far)
    }
}

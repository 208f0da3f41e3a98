//! The loop over the sequences of a block.
//!
//! # Contract of the hot loop, [`Reader::run`]
//!
//! * It is bound by its number of instructions: 125 a sequence. It lives in registers, about 20 values on 15 of them. One more value that
//!   stays alive, one call, or one branch that is not needed costs 3 to 10 % on all data.
//! * Input: the stream in `rest`, with seven readable bytes before its start where there are some, so that one load of eight bytes is
//!   always enough; three tables of which every cell leads to a cell.
//! * It never reads past the start of the stream unnoticed: the bits left are compared with 0 once after each run, not in it.
//! * What is not simple is not done here: [`Act::quick`] refuses it, and the slow step after the loop does it. Do not add calls.
//! * Everything that was tried, kept and not kept, with its price, is in
//!   [docs/tried/zstd.md](https://github.com/unspool/unspool/blob/main/docs/tried/zstd.md#the-loop-over-sequences).

use core::ops::Range;

use super::flavour::Flavour;
use super::sequence::{Act, NEAREST, Sequence};
use super::sequences::Sequences;
use super::tables::{Cell, LITERALS, MATCHES, OFFSETS};
use super::workspace::{Lent, Workspace};
use crate::ErrorKind;
use crate::bits::BackwardFields;
use crate::entropy::low32;
use crate::fault::{Fault, Verdict};
use crate::num::{index, split_last, u64_from};
use crate::tuning::{LEAN, REPEAT_LOOP, SMALL};

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
    bits: BackwardFields<'a>,
    /// The stream and, where something comes before it, up to seven bytes of that: then eight bytes can be read at once wherever the
    /// next bit is.
    src: &'a [u8],
    /// What is left of `src` for a run, and the bits of its last byte that are used.
    rest: &'a [u8],
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

/// The next `n` bits of a word, of which `used` are used. No field waits for the one before, only for its width.
#[inline(always)]
fn take(word: u64, used: &mut u32, n: u8) -> u32 {
    *used += u32::from(n);
    low32(word.rotate_left(*used)) & mask(n)
}

impl<'a> Reader<'a> {
    fn new(src: &'a [u8], sequences: &Sequences, tables: &Workspace, history: [u32; 3]) -> Option<Self> {
        let Range { start, end } = sequences.bits;
        let before = start.min(7);
        let mut bits = BackwardFields::new(src.get(start..end)?).ok()?;
        Some(Self {
            src: src.get(start - before..end)?,
            rest: &[],
            used: 0,
            before,
            left: sequences.count,
            literals: tables.literals.cell(field(&mut bits, tables.literals.log)),
            offsets: tables.offsets.cell(field(&mut bits, tables.offsets.log)),
            matches: tables.matches.cell(field(&mut bits, tables.matches.log)),
            bits,
            history,
        })
    }

    /// Starts a run where the bits are.
    fn start_run(&mut self) {
        let end = u64::try_from(self.bits.remaining()).map_or(0, |bits| self.before * 8 + index(bits));
        self.rest = self.src.get(..end.div_ceil(8)).unwrap_or_default();
        self.used = low32(u64_from(self.rest.len() * 8 - end)) & 7;
    }

    /// Skips the bits of a run.
    fn end_run(&mut self) {
        let [end, start] = [self.rest.len() * 8, self.before * 8].map(|bits| u64_from(bits).cast_signed());
        self.bits.skip(low32((self.bits.remaining() - (end - start - i64::from(self.used))).cast_unsigned()));
    }

    /// Reads sequences and hands them over as long as all is simple. If `hand` finds that one is not, it is returned.
    ///
    /// What is not simple is not done here, so that there is no call in the loop and all of it lives in registers. Or all of
    /// it is done here, if that is `LAST` and few are left, which are most often near the end of the room.
    #[inline(never)]
    fn run<A: Act, const LAST: bool, const NEAR: bool>(
        &mut self,
        flavour: Flavour,
        tables: &Workspace,
        mut so_far: A::SoFar,
        hand: &mut A,
    ) -> Verdict<(A::SoFar, Option<Sequence>)> {
        let Self { mut rest, mut used, before, mut left, mut literals, mut offsets, mut matches, history, .. } = *self;
        // The two older offsets in one register: there are few, and most sequences just move them on.
        let [mut last, one, two] = history;
        let mut older = u64::from(two) << 32 | u64::from(one);
        let mut refused = None;
        // Behind the last one no states follow.
        while left != 1 {
            let Some((_, word)) = split_last(rest) else { break };
            let word = u64::from_le_bytes(*word);
            let begun = used;
            let refined = offsets.value(&OFFSETS).0.wrapping_add(take(word, &mut used, offsets.value(&OFFSETS).1));
            // Short lengths need no bits, and most are short.
            let (mut length, mut run) = (matches.value(&MATCHES).0, literals.value(&LITERALS).0);
            let extra = matches.value(&MATCHES).1.wrapping_add(literals.value(&LITERALS).1);
            if extra > 0 {
                if u32::from(extra) + u32::from(offsets.value(&OFFSETS).1) > MOST_EXTRA {
                    used = begun;
                    break;
                }
                length = length.wrapping_add(take(word, &mut used, matches.value(&MATCHES).1));
                run = run.wrapping_add(take(word, &mut used, literals.value(&LITERALS).1));
            }
            if offsets.value(&OFFSETS).1 > 1 {
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
            let (bits, next) = literals.successor(tables.literals.log);
            let next = next + take(word, &mut used, bits);
            literals = tables.literals.cell(next);
            let (bits, next) = matches.successor(tables.matches.log);
            let next = next + take(word, &mut used, bits);
            matches = tables.matches.cell(next);
            let (bits, next) = offsets.successor(tables.offsets.log);
            let next = next + take(word, &mut used, bits);
            offsets = tables.offsets.cell(next);
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
        *self = Self { rest, used, left, literals, offsets, matches, history, ..*self };
        Ok((so_far, refused))
    }

    /// Reads one sequence, field by field: the last, one with more bits than are read at once, and those at the start of a
    /// stream that has nothing before it.
    #[cold]
    #[inline(never)]
    fn one(&mut self, flavour: Flavour, tables: &Workspace) -> Sequence {
        let Self { bits, literals, offsets, matches, history, .. } = self;
        let mut value = |cell: Cell, alphabet| {
            let (base, extra) = cell.value(alphabet);
            base.wrapping_add(field(bits, extra))
        };
        let (refined, length, run) =
            (value(*offsets, &OFFSETS), value(*matches, &MATCHES), value(*literals, &LITERALS));
        let offset = if offsets.value(&OFFSETS).1 > 1 {
            *history = [refined, history[0], history[1]];
            refined
        } else {
            flavour.repeat(refined, run == 0, history)
        };
        self.left -= 1;
        if self.left > 0 {
            let mut next = |cell: Cell, log| {
                let (width, next) = cell.successor(log);
                next.wrapping_add(field(bits, width))
            };
            *literals = tables.literals.cell(next(*literals, tables.literals.log));
            *matches = tables.matches.cell(next(*matches, tables.matches.log));
            *offsets = tables.offsets.cell(next(*offsets, tables.offsets.log));
        }
        Sequence { literals: run, length, offset }
    }
}

/// The next `n` bits, wherever they are; zeros stand for those before the start of the stream.
#[inline(never)]
fn field(bits: &mut BackwardFields<'_>, n: u8) -> u32 {
    low32(bits.take(n.into()))
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
    #[cfg_attr(feature = "small", inline(never))]
    #[cfg_attr(not(feature = "small"), inline(always))]
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
            let mut refused = None;
            if !SMALL {
                reader.start_run();
                (so_far, refused) = match reader.left {
                    // Right behind one that was not simple.
                    ..FEW if begun => reader.run::<A, true, false>(flavour, tables, so_far, hand)?,
                    // In a loop of their own: in the one for all others they made that slower by 5 to 7 %.
                    _ if often => reader.run::<A, false, true>(flavour, tables, so_far, hand)?,
                    _ => reader.run::<A, false, false>(flavour, tables, so_far, hand)?,
                };
                reader.end_run();
                near += u32::from(refused.is_some_and(|sequence| sequence.offset < NEAREST));
                often |= REPEAT_LOOP && near * OFTEN > self.count - reader.left + 4 * OFTEN;
                begun = true;
            }
            let sequence = refused.unwrap_or_else(|| reader.one(flavour, tables));
            // Nobody looked until now: after too many bits there is none to go on with, and behind the last sequence is none.
            let left = reader.bits.remaining();
            if left < 0 || left > 0 && reader.left == 0 {
                return Err(fault);
            }
            so_far = hand.act(so_far, sequence)?;
        }
        workspace.history = reader.history;
        Ok(so_far)
    }
}

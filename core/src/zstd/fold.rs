//! The loop over the sequences of a block.
//!
//! Sequences are read from the end of their bits. [`SequenceReader::run`] reads them in a fast loop
//! as long as they are simple, [`SequenceReader::one`] reads one field by field. Small builds use
//! only the second. [`Act`] says what is done with each sequence: copied to the output, or counted.
//!
//! # Contract of the hot loop, [`SequenceReader::run`]
//!
//! * Its number of instructions bounds its speed: 125 for each sequence. About 20 values share 15
//!   registers. One more live value, one call, or one needless branch costs 3 to 10 % on all data.
//! * Input: the stream in `rest`, with seven readable bytes before its start if there are any, so
//!   that one load of eight bytes is always enough; three tables in which every cell leads to a
//!   cell.
//! * Do not check for the start of the stream in the loop. [`Sequences::fold`] compares the bits
//!   left with 0 after each run.
//! * Do not handle rare sequences in the loop. [`Act::quick`] refuses them, and the slow step after
//!   the loop does them.
//! * Do not name the parts of a cell before they are used: `value` and `successor` are called again
//!   for each part. Named once, they cost 5 %.
//! * Everything that was tried, kept and not kept, is in
//!   [docs/tried/zstd.md](https://github.com/unspool/unspool/blob/main/docs/tried/zstd.md#the-loop-over-sequences).

use core::ops::Range;

use super::flavour::Flavour;
use super::sequence::{Act, NEAREST, Sequence};
use super::sequences::Sequences;
use super::tables::{LITERALS, MATCHES, OFFSETS, TableEntry};
use super::workspace::Workspace;
use crate::ErrorKind;
use crate::bits::BackwardFields;
use crate::entropy::low32;
use crate::fault::{Fault, Verdict};
use crate::num::{index, split_last, u64_from};
use crate::tuning::{LEAN, REPEAT_LOOP, SHORT_FRAMES, SMALL};

/// Returns the lowest `n` bits set, for `n` below 32.
#[inline(always)]
fn mask(n: u8) -> u32 {
    // One entry for each value of a byte, so that no index needs a check.
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
struct SequenceReader<'a> {
    bits: BackwardFields<'a>,
    /// The stream and up to seven bytes before it: eight bytes can be read at once wherever the
    /// next bit is.
    src: &'a [u8],
    /// The unread part of `src` during a run, and the bits of its last byte that are used.
    rest: &'a [u8],
    used: u32,
    /// Bytes of `src` before the stream.
    before: usize,
    /// Sequences that are not read yet.
    left: u32,
    literals: TableEntry,
    offsets: TableEntry,
    matches: TableEntry,
    /// The last three offsets.
    history: [u32; 3],
}

/// Returns the next `n` bits of a word, of which `used` are used. A field waits only for the width
/// of the one before.
#[inline(always)]
fn take(word: u64, used: &mut u32, n: u8) -> u32 {
    *used += u32::from(n);
    low32(word.rotate_left(*used)) & mask(n)
}

impl<'a> SequenceReader<'a> {
    #[cfg_attr(feature = "small", inline(always))]
    fn new(src: &'a [u8], sequences: &Sequences, tables: &Workspace, history: [u32; 3]) -> Option<Self> {
        let Range { start, end } = sequences.bits;
        let before = if SMALL { 0 } else { start.min(7) };
        let mut reader = Self {
            bits: BackwardFields::open(src.get(start..end)?)?,
            src: if SMALL { &[] } else { src.get(start - before..end).unwrap_or_default() },
            rest: &[],
            used: 0,
            before,
            left: sequences.count,
            literals: tables.literals.cell(0),
            offsets: tables.offsets.cell(0),
            matches: tables.matches.cell(0),
            history,
        };
        let Self { bits, literals, offsets, matches, .. } = &mut reader;
        let [first, second, third] = [tables.literals.log, tables.offsets.log, tables.matches.log];
        if !SHORT_FRAMES {
            *literals = tables.literals.cell(field(bits, first));
            *offsets = tables.offsets.cell(field(bits, second));
            *matches = tables.matches.cell(field(bits, third));
        } else {
            // One word has all three.
            let all = bits.take([first, second, third].into_iter().map(u32::from).sum());
            *literals = tables.literals.cell(low32(all >> (second.wrapping_add(third) & 63)));
            *offsets = tables.offsets.cell(low32(all >> (third & 63)) & mask(second));
            *matches = tables.matches.cell(low32(all) & mask(third));
        }
        Some(reader)
    }

    /// Starts a run at the next bit.
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

    /// Reads sequences and passes them to `hand` as long as they are simple. Returns a sequence
    /// that `hand` refused.
    ///
    /// No call is in the loop, so that all values live in registers. Exception: with `LAST`, the
    /// loop does every sequence itself. It is for the last few, which are often near the end of the
    /// room.
    #[inline(never)]
    fn run<A: Act, const LAST: bool, const NEAR: bool>(
        &mut self,
        flavour: Flavour,
        tables: &Workspace,
        mut so_far: A::SoFar,
        hand: &mut A,
    ) -> Verdict<(A::SoFar, Option<Sequence>)> {
        let Self { mut rest, mut used, before, mut left, mut literals, mut offsets, mut matches, history, .. } = *self;
        // The two older offsets share a register: most sequences only move them on.
        let [mut last, one, two] = history;
        let mut older = u64::from(two) << 32 | u64::from(one);
        let mut refused = None;
        // No states follow the last sequence.
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
            // The next cells are loaded before this sequence is carried out. A mispredicted branch
            // there then does not delay them.
            let (bits, next) = literals.successor(tables.literals.log);
            let next = next + take(word, &mut used, bits);
            literals = tables.literals.cell(next);
            let (bits, next) = matches.successor(tables.matches.log);
            let next = next + take(word, &mut used, bits);
            matches = tables.matches.cell(next);
            let (bits, next) = offsets.successor(tables.offsets.log);
            let next = next + take(word, &mut used, bits);
            offsets = tables.offsets.cell(next);
            // A word has no more bits than that.
            let Some(less) = rest.get(..rest.len().wrapping_sub(used as usize / 8)) else { break };
            rest = less;
            used %= 8;
            left -= 1;
            let sequence = Sequence { literals: run, length, offset: last };
            let next = match LAST {
                false => hand.quick::<NEAR>(so_far, sequence),
                // Bits before the stream are no sequences, not even wrong ones.
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

    /// Reads one sequence, field by field: the last, one with more bits than one word, and those at
    /// the start of a stream that has nothing before it.
    #[cfg_attr(not(feature = "small"), cold, inline(never))]
    fn one(&mut self, flavour: Flavour, tables: &Workspace) -> Sequence {
        let Self { bits, literals, offsets, matches, history, .. } = self;
        let mut value = |cell: TableEntry, alphabet| {
            let (base, extra) = cell.value(alphabet);
            (base.wrapping_add(field(bits, extra)), extra)
        };
        let (refined, offset_bits) = value(*offsets, &OFFSETS);
        let ((length, _), (run, _)) = (value(*matches, &MATCHES), value(*literals, &LITERALS));
        let offset = if offset_bits > 1 {
            *history = [refined, history[0], history[1]];
            refined
        } else {
            flavour.repeat(refined, run == 0, history)
        };
        self.left -= 1;
        if self.left > 0 {
            let mut next = |cell: TableEntry, log| {
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

/// Reads `n` bits. Zeros stand for those before the start of the stream.
#[cfg_attr(feature = "small", inline(always))]
#[cfg_attr(not(feature = "small"), inline(never))]
fn field(bits: &mut BackwardFields<'_>, n: u8) -> u32 {
    low32(bits.take(n.into()))
}

/// The most bits of values for which one word of 57 bits also has those of the next states.
const MOST_EXTRA: u32 = 57 - 9 - 8 - 9;

/// After a slow-path sequence, stay on the slow path if fewer than this many remain. In a browser
/// none are so few: that loop would speed up small frames by 1 %, for 450 to 750 bytes more to
/// load.
const FEW: u32 = if LEAN { 1 } else { 24 };

/// Matches that repeat fewer than eight bytes get their own loop if one sequence in this many is of
/// that kind. The first of them may come after four times as many others.
const OFTEN: u32 = 32;

impl Sequences {
    /// Passes every sequence to `hand`, in order. Moves on the last three offsets.
    #[cfg_attr(feature = "small", inline(never))]
    #[cfg_attr(not(feature = "small"), inline(always))]
    pub(super) fn fold<A: Act>(
        &self,
        flavour: Flavour,
        src: &[u8],
        tables: &Workspace,
        history: &mut [u32; 3],
        mut so_far: A::SoFar,
        hand: &mut A,
    ) -> Verdict<A::SoFar> {
        if self.count == 0 {
            return Ok(so_far);
        }
        let fault = Fault::new(ErrorKind::ZstdSequenceBits, self.bits.start);
        let mut reader = SequenceReader::new(src, self, tables, *history).ok_or(fault)?;
        let (mut begun, mut near, mut often) = (false, 0, false);
        while reader.left > 0 {
            let mut refused = None;
            if !SMALL {
                reader.start_run();
                (so_far, refused) = match reader.left {
                    // Directly after a sequence that was not simple.
                    ..FEW if begun => reader.run::<A, true, false>(flavour, tables, so_far, hand)?,
                    // In the loop for all others, these matches made it slower by 5 to 7 %.
                    _ if often => reader.run::<A, false, true>(flavour, tables, so_far, hand)?,
                    _ => reader.run::<A, false, false>(flavour, tables, so_far, hand)?,
                };
                reader.end_run();
                near += u32::from(refused.is_some_and(|sequence| sequence.offset < NEAREST));
                often |= REPEAT_LOOP && near * OFTEN > self.count - reader.left + 4 * OFTEN;
                begun = true;
            }
            let sequence = refused.unwrap_or_else(|| reader.one(flavour, tables));
            // The one check for all bits read so far: none too many, and none left after the last
            // sequence.
            let left = reader.bits.remaining();
            if left < 0 || left > 0 && reader.left == 0 {
                return Err(fault);
            }
            so_far = hand.act(so_far, sequence)?;
        }
        *history = reader.history;
        Ok(so_far)
    }
}

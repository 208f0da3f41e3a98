//! Blocks of a frame: parsed first, then decoded into a slice or only counted.
//!
//! A compressed block takes three steps: [`Frame::parse`] reads its literals section and the tables
//! of its sequences, `Literals::fill` decodes the literals to the end of the output, and
//! [`carry_out`] runs the sequences over them.

use core::ops::Range;

use super::copy::{Area, Cursor, MatchWriter, PIECE};
use super::dictionary::Dictionary;
use super::flavour::{BlockHeader, BlockKind, Flavour};
use super::header::{MAX_BLOCK, cut, emit_field};
use super::literals::Literals;
use super::sequence::{NEAREST, Sums};
use super::sequences::Sequences;
use super::walk::Walk;
use super::workspace::{Lent, Workspace};
use crate::checksum::Xxh64;
use crate::fault::{Fault, Verdict};
use crate::num::{copy, index, u64_from};
use crate::{ErrorKind, Name, Part, Shifted, Trace, Value, tuning};

/// Returns the length of a parsed block: [`Frame::count`]. A pointer, so that a program that only
/// decodes does not link the function.
pub(super) type Count = fn(&Frame<'_>, &Parsed, &[u8], &mut Workspace) -> Verdict<usize>;

/// The target of the content of a frame.
pub(super) trait Output {
    /// Decodes a compressed block whose tables are in the workspace; returns its length.
    fn compressed(
        &mut self,
        frame: &mut Frame<'_>,
        parsed: &Parsed,
        src: &[u8],
        workspace: &mut Workspace,
    ) -> Verdict<usize>;

    /// Appends these bytes, or the first of them `run` times. They are at `start` of the input.
    fn plain(&mut self, frame: &mut Frame<'_>, bytes: &[u8], run: Option<usize>, start: usize) -> Verdict<()>;
}

/// A slice that holds the whole history, or no target.
pub(super) enum Direct<'a> {
    /// No target: this function adds up the lengths of sequences.
    Nowhere(Count),
    /// Writes to `out` from `at` on. `out` holds the content of the frame before `at`, as far back
    /// as matches may reach. The bytes before `out` are `before`, or the dictionary if that is
    /// `None`.
    Slice { before: Option<&'a [u8]>, out: &'a mut [u8], at: usize },
}

impl Output for Direct<'_> {
    fn compressed(
        &mut self,
        frame: &mut Frame<'_>,
        parsed: &Parsed,
        src: &[u8],
        workspace: &mut Workspace,
    ) -> Verdict<usize> {
        match self {
            Self::Nowhere(count) => count(frame, parsed, src, workspace),
            Self::Slice { before, out, at } => {
                let end = frame.decode(parsed, src, workspace, before.unwrap_or(frame.prefix), out, *at)?;
                frame.hash.update(out.get(*at..end).unwrap_or_default());
                Ok(end - *at)
            }
        }
    }

    fn plain(&mut self, frame: &mut Frame<'_>, bytes: &[u8], run: Option<usize>, start: usize) -> Verdict<()> {
        let Self::Slice { out, at, .. } = self else { return Ok(()) };
        let end = at.saturating_add(run.unwrap_or(bytes.len()));
        let room = out.get_mut(*at..end).ok_or(Fault::new(ErrorKind::OutputTooSmall, start))?;
        match run {
            Some(_) => room.fill(bytes.first().copied().unwrap_or(0)),
            None => copy(bytes, room),
        }
        frame.hash.update(room);
        Ok(())
    }
}

/// The hash of the content of a frame, if it will be compared with a checksum.
#[derive(Clone, Debug)]
pub(super) struct FrameHash {
    pub(super) value: Xxh64,
    pub(super) is_wanted: bool,
}

impl FrameHash {
    /// Starts anew.
    pub(super) fn start(&mut self, is_wanted: bool) {
        self.is_wanted = is_wanted;
        if is_wanted {
            self.value.start();
        }
    }

    /// Adds decoded bytes.
    pub(super) fn update(&mut self, bytes: &[u8]) {
        if tuning::XXH64 && self.is_wanted {
            self.value.update(bytes);
        }
    }
}

/// A frame that is being decoded, and the state of the walk in it.
#[derive(Clone, Debug)]
pub(super) struct Frame<'d> {
    pub(super) walk: Walk,
    /// Bytes decoded so far.
    pub(super) produced: u64,
    pub(super) hash: FrameHash,
    dictionary: Option<Dictionary<'d>>,
    /// The dictionary is not loaded yet. Loading waits for the first block that needs it, so that a
    /// million empty frames cost nothing.
    load: bool,
    /// The bytes before the frame that matches may refer to.
    pub(super) prefix: &'d [u8],
    pub(super) lent: Lent<'d>,
    /// The dictionary is missing: the structure of the blocks can be read, but not their content.
    blind: bool,
}

impl<'d> Frame<'d> {
    /// Returns the state at the start of a file.
    pub(super) fn new(flavour: Flavour, magicless: bool, dictionary: Option<Dictionary<'d>>) -> Self {
        Self {
            walk: Walk::new(flavour, magicless),
            produced: 0,
            hash: FrameHash { value: Xxh64::NONE, is_wanted: false },
            dictionary,
            load: false,
            prefix: &[],
            lent: Lent::default(),
            blind: false,
        }
    }

    /// Starts the frame whose header the walk has read. Returns whether the caller has its
    /// dictionary.
    pub(super) fn start(&mut self, workspace: &mut Workspace) -> bool {
        workspace.reset();
        (self.produced, self.load, self.blind) = (0, true, false);
        (self.prefix, self.lent) = (&[], Lent::default());
        // A frame that names no dictionary uses the caller's.
        let wanted = self.walk.header.dictionary_id;
        wanted == 0 || self.dictionary.is_some_and(|dictionary| dictionary.id() == wanted)
    }

    /// Goes on without the dictionary, for callers that want only the structure.
    pub(super) fn go_blind(&mut self, workspace: &mut Workspace) {
        workspace.pretend(self.walk.flavour);
        (self.load, self.blind) = (false, true);
    }

    /// Returns the most bytes that the next block may hold, and the error of one that holds more.
    pub(super) fn limit(&self) -> (usize, ErrorKind) {
        let max = self.walk.header.max_block();
        let left = self.walk.header.content_size.map_or(usize::MAX, |size| index(size.saturating_sub(self.produced)));
        let kind = if left < max { ErrorKind::ZstdContentSize } else { ErrorKind::ZstdBlockSize };
        (max.min(left), kind)
    }

    /// Returns the most bytes that this block may hold, if it is the next.
    pub(super) fn most(&self, block: BlockHeader) -> usize {
        if block.kind == BlockKind::Compressed { self.limit().0 } else { block.size as usize }
    }

    /// Compares the length of the frame with the content size in its header.
    pub(super) fn check_size(&self, at: usize) -> Verdict<()> {
        match self.walk.header.content_size {
            Some(size) if size != self.produced && !self.blind => Err(Fault::new(ErrorKind::ZstdContentSize, at)),
            _ => Ok(()),
        }
    }

    /// Decodes the block whose content is in this range to `output`; returns its length.
    pub(super) fn block<T: Trace>(
        &mut self,
        block: BlockHeader,
        src: &[u8],
        range: Range<usize>,
        workspace: &mut Workspace,
        output: &mut impl Output,
        trace: &mut T,
    ) -> Verdict<usize> {
        let start = range.start;
        let bytes = src.get(range.clone()).ok_or_else(|| cut(src))?;
        if block.kind == BlockKind::Compressed {
            let mut parsed = Parsed::NONE;
            self.parse(&mut parsed, src, range, workspace, trace)?;
            return output.compressed(self, &parsed, src, workspace);
        }
        let size = block.size as usize;
        let (limit, too_long) = self.limit();
        if size > limit {
            return Err(Fault::new(too_long, start));
        }
        let byte = bytes.first().copied().unwrap_or(0);
        let is_run = block.kind == BlockKind::Rle;
        if is_run {
            emit_field(trace, Part::Data, Name::Byte, range, Value::U64(byte.into()));
        } else {
            emit_field(trace, Part::Data, Name::RawBytes, range, Value::None);
        }
        output.plain(self, bytes, is_run.then_some(size), start)?;
        Ok(size)
    }

    /// Reads a compressed block up to its sequences. Leaves its code and its tables in the
    /// workspace.
    #[cfg_attr(feature = "small", inline(never))]
    fn parse<T: Trace>(
        &mut self,
        parsed: &mut Parsed,
        src: &[u8],
        block: Range<usize>,
        workspace: &mut Workspace,
        trace: &mut T,
    ) -> Verdict<()> {
        if core::mem::replace(&mut self.load, false)
            && let Some(dictionary) = self.dictionary
        {
            let wrong = Fault::new(ErrorKind::ZstdDictionary, block.start);
            (self.prefix, self.lent) = dictionary.load(self.walk.flavour, workspace).ok_or(wrong)?;
            if T::LISTENS || tuning::LEAN {
                // The observer of symbols uses the tables in the workspace.
                if let Some(tables) = core::mem::take(&mut self.lent).tables {
                    workspace.copy(tables);
                }
            }
        }
        if T::SYMBOLS && self.blind {
            // Without the dictionary, the tables of symbols are missing.
            return self.sections(parsed, src, block, workspace, &mut Shifted::new(trace, 0));
        }
        self.sections(parsed, src, block, workspace, trace)
    }

    fn sections<T: Trace>(
        &mut self,
        parsed: &mut Parsed,
        src: &[u8],
        block: Range<usize>,
        workspace: &mut Workspace,
        trace: &mut T,
    ) -> Verdict<()> {
        let lent = &mut self.lent;
        let Parsed { start, literals, sequences } = parsed;
        *start = block.start;
        literals.read(self.walk.flavour, src, block.clone(), workspace, lent, trace)?;
        sequences.read(self.walk.flavour, src, literals.end..block.end, workspace, lent, trace)
    }

    /// Decodes a block to `out` from `at` on; returns where it ends. `out` holds the history of the
    /// frame as far back as matches may reach, and `before` the bytes before that.
    #[cfg_attr(feature = "small", inline(never))]
    fn decode(
        &self,
        parsed: &Parsed,
        src: &[u8],
        workspace: &mut Workspace,
        before: &[u8],
        out: &mut [u8],
        at: usize,
    ) -> Verdict<usize> {
        let Parsed { start, literals, sequences } = parsed;
        let (limit, mut too_long) = self.limit();
        let room = out.len().saturating_sub(at);
        if room < limit {
            too_long = ErrorKind::OutputTooSmall;
        }
        let too_long = Fault::new(too_long, *start);
        let size = literals.size;
        // Literals end where the longest possible block would end. Every match brings the writes
        // closer to the literals that are left. If the block has its full length, they meet.
        let end = at + limit.min(room);
        let begin = end.checked_sub(size).filter(|&begin| begin >= at).ok_or(too_long)?;
        let begin = if sequences.count == 0 { at } else { begin };
        literals.fill(src, workspace, self.lent, out.get_mut(begin..begin + size).ok_or(too_long)?)?;
        if sequences.count == 0 {
            return Ok(at + size);
        }
        // Positions have 32 bits, and so does the reach of matches.
        let base = at.saturating_sub(HISTORY);
        let before = if base == 0 { before } else { &[] };
        let low = |n: usize| u32::try_from(n - base).unwrap_or(u32::MAX);
        // With 16 bytes after the last literal, all literals can be read in pieces.
        let after = out.len().min(begin + size + PIECE);
        let out = out.get_mut(base..after).unwrap_or_default();
        let window = u32::try_from(self.walk.header.window).unwrap_or(u32::MAX);
        // As long as the frame fits in its window, offsets may lead to any part of a dictionary.
        let allowed = if self.produced + u64_from(limit) <= self.walk.header.window { u32::MAX } else { window };
        let area = Area {
            before,
            start: low(at),
            literals_end: low(begin + size),
            window,
            near: allowed.saturating_sub(NEAREST - 1),
            produced: self.produced,
            place: sequences.bits.start,
            too_long,
        };
        let cursor = Cursor { at: low(at), literals: low(begin) };
        let mut history = workspace.history;
        let tables = self.lent.tables().unwrap_or(workspace);
        let end = carry_out(sequences, self.walk.flavour, src, tables, &mut history, area, out, cursor)?;
        workspace.history = history;
        Ok(base + end as usize)
    }

    /// Returns the length of a block, without decoding its literals.
    pub(super) fn count(&self, parsed: &Parsed, src: &[u8], workspace: &mut Workspace) -> Verdict<usize> {
        if self.blind {
            return Ok(0);
        }
        let (limit, too_long) = self.limit();
        let wrong = |kind| Fault::new(kind, parsed.sequences.bits.start);
        let size = u64_from(parsed.literals.size);
        let sequences = &parsed.sequences;
        let mut history = workspace.history;
        let tables = self.lent.tables().unwrap_or(workspace);
        let (literals, matches) = sequences.fold(self.walk.flavour, src, tables, &mut history, (0, 0), &mut Sums)?;
        workspace.history = history;
        if literals > size {
            return Err(wrong(ErrorKind::ZstdLiteralsUsedUp));
        }
        let all = index(size + matches);
        if all <= limit { Ok(all) } else { Err(Fault::new(too_long, parsed.start)) }
    }
}

/// Runs the hot loop. A function of its own, so that no other value takes a register of the loop.
#[inline(never)]
#[expect(clippy::too_many_arguments, reason = "it is the end of a longer function")]
fn carry_out(
    sequences: &Sequences,
    flavour: Flavour,
    src: &[u8],
    tables: &Workspace,
    history: &mut [u32; 3],
    area: Area<'_>,
    out: &mut [u8],
    cursor: Cursor,
) -> Verdict<u32> {
    // One loop is enough if flash is short, and in a browser, where the loop for dictionaries is as
    // fast for other frames.
    if tuning::SMALL || !tuning::LEAN && area.before.is_empty() {
        let mut writer = MatchWriter::<false> { area, out };
        let cursor = sequences.fold(flavour, src, tables, history, cursor, &mut writer)?;
        Ok(writer.finish(cursor))
    } else {
        let mut writer = MatchWriter::<true> { area, out };
        let cursor = sequences.fold(flavour, src, tables, history, cursor, &mut writer)?;
        Ok(writer.finish(cursor))
    }
}

/// The most history for which 32-bit positions have room: the bytes before a block, and then the
/// block with its last match. It includes the largest window of an encoder, 2 GiB, which is also
/// the largest that the reference decodes.
pub(super) const HISTORY: usize = u32::MAX as usize - 4 * MAX_BLOCK;

/// A compressed block whose tables are in the workspace.
#[derive(Clone, Debug)]
pub(super) struct Parsed {
    pub(super) start: usize,
    pub(super) literals: Literals,
    pub(super) sequences: Sequences,
}

impl Parsed {
    /// No block.
    const NONE: Self = Self { start: 0, literals: Literals::NONE, sequences: Sequences::NONE };
}

#[cfg(all(test, target_pointer_width = "64"))]
mod tests {
    use super::*;

    /// Untouched memory costs nothing, so that this test does not need three gigabytes.
    #[test]
    fn matches_reach_to_the_start_of_every_window_that_encoders_take() {
        for (window, at) in [(1u64 << 31, 1usize << 31), (1 << 31, (1 << 31) + 5000), (3 << 30, 3 << 30)] {
            let mut workspace = Workspace::new();
            let mut frame = Frame::new(Flavour::Rfc8878, false, None);
            frame.walk.header.window = window;
            assert!(frame.start(&mut workspace));
            frame.produced = at as u64;
            // Literals "xyz", then one sequence: all three literals, and ten bytes from the start
            // of the window. All tables have one code. The highest bit of the offset, which its
            // code implies, is also the mark at the end of the bits.
            let [a, b, c, d] = u32::try_from(window + 3).unwrap().to_le_bytes();
            let src = [0x18, b'x', b'y', b'z', 1, 0x54, 3, 31, 7, a, b, c, d];
            let mut parsed = Parsed::NONE;
            frame.parse(&mut parsed, &src, 0..src.len(), &mut workspace, &mut ()).unwrap();
            let mut out = vec![0; at + 13];
            let start = at - usize::try_from(window).unwrap();
            out[start + 3..start + 13].copy_from_slice(b"0123456789");
            assert_eq!(frame.decode(&parsed, &src, &mut workspace, &[], &mut out, at), Ok(at + 13));
            assert_eq!(&out[at..], b"xyz0123456789");
        }
    }
}

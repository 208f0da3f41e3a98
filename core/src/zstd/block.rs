//! One compressed block: parsed first, then decoded into a slice or only added up.

use core::ops::Range;

use super::copy::{Area, Cursor, PIECE, Writer};
use super::dictionary::Dictionary;
use super::flavour::Flavour;
use super::header::{Block, BlockKind, FrameHeader, MAX_BLOCK};
use super::literals::Literals;
use super::sequences::Sequences;
use super::workspace::{Lent, Workspace};
use crate::fault::{Fault, Verdict};
use crate::num::{copy, index, u64_from};
use crate::tuning::LEAN;
use crate::{Error, ErrorKind, Result, Shifted, Trace};

/// A frame that is being decoded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame<'d> {
    pub(super) flavour: Flavour,
    pub(super) header: FrameHeader,
    /// Bytes decoded so far.
    pub(super) produced: u64,
    dictionary: Option<Dictionary<'d>>,
    /// What matches may refer to before the first byte. The tables of a dictionary are loaded when the first block
    /// needs them, so that a million empty frames cost nothing.
    pub(super) prefix: &'d [u8],
    lent: Lent<'d>,
    /// The dictionary is not there: what the blocks are made of can be told, not what they hold.
    pub(super) blind: bool,
}

impl<'d> Frame<'d> {
    /// An empty one: what a decoder holds before its first.
    pub(super) const NONE: Self = Self {
        flavour: Flavour::Rfc8878,
        header: FrameHeader::NONE,
        produced: 0,
        dictionary: None,
        prefix: &[],
        lent: Lent { code: None, tables: None },
        blind: false,
    };

    /// Starts a frame whose header lies at `at`. In place: as something that is given back it would be copied from call to call.
    pub(super) fn start(
        &mut self,
        flavour: Flavour,
        header: &FrameHeader,
        dictionary: Option<Dictionary<'d>>,
        ws: &mut Workspace,
        at: usize,
    ) -> Result<()> {
        ws.reset();
        *self = Self { flavour, header: *header, dictionary, ..Self::NONE };
        // Whoever names no dictionary takes the one that is there.
        let wanted = header.dictionary_id;
        if wanted != 0 && dictionary.is_none_or(|dictionary| dictionary.id() != wanted) {
            return Err(Error::new(ErrorKind::ZstdDictionaryWanted, u64_from(at)).needing(wanted.into()));
        }
        Ok(())
    }

    /// Goes on where only the structure is wanted, since the dictionary is not at hand.
    pub(super) fn go_blind(&mut self, ws: &mut Workspace) {
        ws.pretend(self.flavour);
        self.dictionary = None;
        self.blind = true;
    }

    /// Bytes that the next block may hold, and what is wrong with one that holds more.
    pub(super) fn limit(&self) -> (usize, ErrorKind) {
        let max = self.header.max_block();
        let left = self.header.content_size.map_or(usize::MAX, |size| index(size.saturating_sub(self.produced)));
        let kind = if left < max { ErrorKind::ZstdContentSize } else { ErrorKind::ZstdBlockSize };
        (max.min(left), kind)
    }

    /// Compares what the frame held with what its header says.
    pub(super) fn check_size(&self, at: usize) -> Verdict<()> {
        match self.header.content_size {
            Some(size) if size != self.produced && !self.blind => Err(Fault::new(ErrorKind::ZstdContentSize, at)),
            _ => Ok(()),
        }
    }

    /// Reads a compressed block up to its sequences. Its tables and its code are then in the workspace.
    #[cfg_attr(feature = "small", inline(never))]
    pub(super) fn parse<T: Trace>(
        &mut self,
        src: &[u8],
        block: Range<usize>,
        ws: &mut Workspace,
        trace: &mut T,
    ) -> Verdict<Parsed> {
        if let Some(dictionary) = self.dictionary.take() {
            let wrong = Fault::new(ErrorKind::ZstdDictionary, block.start);
            (self.prefix, self.lent) = dictionary.load(self.flavour, ws).ok_or(wrong)?;
            if T::LISTENS || LEAN {
                // Symbols are read from what the workspace has.
                ws.copy(&self.lent);
                self.lent = Lent::default();
            }
        }
        if T::SYMBOLS && self.blind {
            // Symbols are read with tables that are not there.
            return self.sections(src, block, ws, &mut Shifted::new(trace, 0));
        }
        self.sections(src, block, ws, trace)
    }

    fn sections<T: Trace>(
        &mut self,
        src: &[u8],
        block: Range<usize>,
        ws: &mut Workspace,
        trace: &mut T,
    ) -> Verdict<Parsed> {
        let lent = &mut self.lent;
        let literals = Literals::read(self.flavour, src, block.clone(), ws, lent, trace)?;
        let sequences = Sequences::read(self.flavour, src, literals.end..block.end, ws, lent, trace)?;
        Ok(Parsed { start: block.start, literals, sequences })
    }

    /// Decodes a block to `out` from `at` on; says where it ends. `out` holds what the frame had before, as far back as
    /// matches may reach, and `before` what was before that.
    #[cfg_attr(feature = "small", inline(never))]
    pub(super) fn decode(
        &self,
        parsed: &Parsed,
        src: &[u8],
        ws: &mut Workspace,
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
        // Literals lie where the block would end if it were as long as it may be. Every match that is carried out brings
        // the writes closer to the literals that are left; they meet if the block is exactly that long.
        let end = at + limit.min(room);
        let begin = end.checked_sub(size).filter(|&begin| begin >= at).ok_or(too_long)?;
        let begin = if sequences.count == 0 { at } else { begin };
        literals.fill(src, ws, self.lent, out.get_mut(begin..begin + size).ok_or(too_long)?)?;
        if sequences.count == 0 {
            return Ok(at + size);
        }
        // Positions have 32 bits. Matches reach no further than that either.
        let base = at.saturating_sub(HISTORY);
        let before = if base == 0 { before } else { &[] };
        let low = |n: usize| u32::try_from(n - base).unwrap_or(u32::MAX);
        // With 16 bytes behind the last literal all can be read in pieces.
        let behind = out.len().min(begin + size + PIECE);
        let out = out.get_mut(base..behind).unwrap_or_default();
        let window = u32::try_from(self.header.window).unwrap_or(u32::MAX);
        // As long as the frame fits in its window, offsets may lead to any part of a dictionary.
        #[cfg(not(feature = "small"))]
        let allowed = if self.produced + u64_from(limit) <= self.header.window { u32::MAX } else { window };
        let area = Area {
            before,
            start: low(at),
            literals_end: low(begin + size),
            window,
            #[cfg(not(feature = "small"))]
            near: allowed.saturating_sub(super::copy::NEAREST - 1),
            produced: self.produced,
            place: sequences.bits.start,
            too_long,
        };
        let cursor = Cursor { at: low(at), literals: low(begin) };
        let end = carry_out(sequences, self.flavour, src, ws, self.lent, area, out, cursor)?;
        Ok(base + end as usize)
    }

    /// Decodes a block of any kind, all of whose bytes these are. `before` is what was before `out`, if not the dictionary.
    pub(super) fn block(
        &mut self,
        block: Block,
        bytes: &[u8],
        ws: &mut Workspace,
        before: Option<&[u8]>,
        out: &mut [u8],
        at: usize,
    ) -> Verdict<usize> {
        if block.kind == BlockKind::Compressed {
            let parsed = self.parse(bytes, 0..bytes.len(), ws, &mut ())?;
            return self.decode(&parsed, bytes, ws, before.unwrap_or(self.prefix), out, at);
        }
        let size = block.size as usize;
        let (limit, too_long) = self.limit();
        if size > limit {
            return Err(Fault::new(too_long, 0));
        }
        let out = out.get_mut(at..at.saturating_add(size)).ok_or(Fault::new(ErrorKind::OutputTooSmall, 0))?;
        match (block.kind, bytes.first()) {
            (BlockKind::Rle, Some(&byte)) => out.fill(byte),
            _ => copy(bytes, out),
        }
        Ok(at + size)
    }

    /// How many bytes a block holds, without decoding its literals.
    pub(super) fn count(&self, parsed: &Parsed, src: &[u8], ws: &mut Workspace) -> Verdict<u64> {
        if self.blind {
            return Ok(0);
        }
        let (limit, too_long) = self.limit();
        let wrong = |kind| Fault::new(kind, parsed.sequences.bits.start);
        let size = u64_from(parsed.literals.size);
        let (literals, matches) = parsed.sequences.sums(self.flavour, src, ws, self.lent)?;
        if literals > size {
            return Err(wrong(ErrorKind::ZstdLiteralsUsedUp));
        }
        Some(size + matches).filter(|&all| all <= u64_from(limit)).ok_or(Fault::new(too_long, parsed.start))
    }
}

/// The hot loop, in a function of its own so that nothing else takes its registers.
#[inline(never)]
#[expect(clippy::too_many_arguments, reason = "it is the end of a longer function")]
fn carry_out(
    sequences: &Sequences,
    flavour: Flavour,
    src: &[u8],
    ws: &mut Workspace,
    lent: Lent<'_>,
    area: Area<'_>,
    out: &mut [u8],
    cursor: Cursor,
) -> Verdict<u32> {
    // One loop is enough where flash is short, and in a browser, where the one for dictionaries is as fast without one.
    if cfg!(feature = "small") || !LEAN && area.before.is_empty() {
        let mut writer = Writer::<false> { area, out };
        let cursor = sequences.fold(flavour, src, ws, lent, cursor, &mut writer)?;
        Ok(writer.finish(cursor))
    } else {
        let mut writer = Writer::<true> { area, out };
        let cursor = sequences.fold(flavour, src, ws, lent, cursor, &mut writer)?;
        Ok(writer.finish(cursor))
    }
}

/// The most history that 32-bit positions leave room for: what is before a block, and then the block with its last match. The largest
/// window of an encoder, 2 GiB, is within it, and so is the largest that the reference decodes.
const HISTORY: usize = u32::MAX as usize - 4 * MAX_BLOCK;

/// A compressed block whose tables are in the workspace.
#[derive(Clone, Debug)]
pub(super) struct Parsed {
    start: usize,
    literals: Literals,
    sequences: Sequences,
}

#[cfg(all(test, target_pointer_width = "64", not(miri)))]
mod tests {
    use super::*;

    /// Memory that is not touched costs nothing, so that three gigabytes of it need not be there.
    #[test]
    fn matches_reach_to_the_start_of_every_window_that_encoders_take() {
        for (window, at) in [(1u64 << 31, 1usize << 31), (1 << 31, (1 << 31) + 5000), (3 << 30, 3 << 30)] {
            let mut ws = Workspace::new();
            let header = FrameHeader { window, ..FrameHeader::NONE };
            let mut frame = Frame::NONE;
            frame.start(Flavour::Rfc8878, &header, None, &mut ws, 0).unwrap();
            frame.produced = at as u64;
            // Literals "xyz", then one sequence: all three of them, and ten bytes from the start of the window. All codes repeat.
            // The highest bit of the offset, which its code stands for, is at the same time the mark at the end of the bits.
            let [a, b, c, d] = u32::try_from(window + 3).unwrap().to_le_bytes();
            let src = [0x18, b'x', b'y', b'z', 1, 0x54, 3, 31, 7, a, b, c, d];
            let parsed = frame.parse(&src, 0..src.len(), &mut ws, &mut ()).unwrap();
            let mut out = vec![0; at + 13];
            let start = at - usize::try_from(window).unwrap();
            out[start + 3..start + 13].copy_from_slice(b"0123456789");
            assert_eq!(frame.decode(&parsed, &src, &mut ws, &[], &mut out, at), Ok(at + 13));
            assert_eq!(&out[at..], b"xyz0123456789");
        }
    }
}

//! Reads the chunks of LZMA2 that come in pieces: copied bytes or LZMA symbols, each with the state
//! that it resets.

use super::control::sizes;
use super::lzma::{Area, MOST_INPUT};
use super::parser::{OpenChunk, Parser, STARVED, State};
use super::window::Window;
use super::workspace::Workspace;
use crate::ErrorKind;
use crate::copy::to_front;
use crate::fault::{Fault, Verdict};
use crate::num::{copy, index, u64_from};

impl Parser {
    /// Reads the first byte of a chunk.
    #[cfg_attr(feature = "small", inline(never))]
    pub(super) fn control(&mut self, control: u8, window: &mut Window<'_>) -> Verdict<()> {
        if control == 0 {
            return self.end_data();
        }
        if self.wants.accept(control)? {
            window.reset();
        }
        self.skip(1);
        self.state = State::ChunkHeader(control);
        Ok(())
    }

    /// Reads the sizes of a chunk, its properties, and the start of its range coder.
    #[cfg_attr(feature = "small", inline(never))]
    pub(super) fn chunk(&mut self, control: u8, header: [u8; 10], workspace: &mut Workspace) -> Verdict<()> {
        let (input, output, start) = sizes(control, &header).ok_or(STARVED)?;
        let [_, _, _, _, ref rest @ ..] = header;
        self.block.content += u64_from(output);
        if self.block.header.uncompressed.is_some_and(|size| self.block.content > size) {
            return Err(Fault::new(ErrorKind::XzBlockSize, 0));
        }
        self.announce(u64_from(output))?;
        self.chunk = OpenChunk { input, output };
        self.skip(start);
        let end = self.at + u64_from(input) + u64::from(control >= 0xC0);
        if self.block.header.compressed.is_some_and(|size| end - self.block.data > size) {
            return Err(Fault::new(ErrorKind::XzBlockSize, 0));
        }
        if control < 0x80 {
            self.state = State::Copy;
            return Ok(());
        }
        let tables = &mut workspace.tables;
        let [properties, after @ ..] = rest;
        let [coder @ .., _] = rest;
        let mut coder = *coder;
        if control >= 0xC0 {
            if !tables.lzma.set_properties(*properties) {
                return Err(Fault::new(ErrorKind::XzProperties, 0));
            }
            self.skip(1);
            coder = *after;
        }
        if control >= 0xA0 {
            tables.lzma.reset(&mut tables.literals);
        }
        if input < coder.len() || !tables.lzma.start(coder) {
            return Err(Fault::new(ErrorKind::XzChunkStart, 0));
        }
        self.skip(coder.len());
        self.chunk.input -= coder.len();
        self.state = State::Lzma;
        Ok(())
    }

    /// Reads the zero after the last chunk of a block.
    fn end_data(&mut self) -> Verdict<()> {
        let header = &self.block.header;
        let compressed = self.at + 1 - self.block.data;
        let fits = |declared: Option<u64>, real| declared.is_none_or(|declared| declared == real);
        if !fits(header.compressed, compressed) || !fits(header.uncompressed, self.block.content) {
            return Err(Fault::new(ErrorKind::XzBlockSize, 0));
        }
        self.skip(1);
        self.block.compressed = compressed;
        self.state = State::BlockPadding(index(compressed.wrapping_neg() & 3));
        Ok(())
    }

    /// Decodes as many symbols as the input at hand and the window allow.
    #[cfg_attr(feature = "small", inline(never))]
    pub(super) fn lzma(&mut self, src: &mut &[u8], window: &mut Window<'_>, workspace: &mut Workspace) -> Verdict<()> {
        let bytes = self.look_ahead(src, self.chunk.input, &mut workspace.head);
        let have = bytes.len();
        // A symbol that may reach beyond the end of the piece has to wait.
        let whole = have == self.chunk.input;
        let least = if whole { 0 } else { MOST_INPUT };
        let (mut area, lapped) = window.area(self.chunk.output);
        let (start, limit) = (area.at, area.limit);
        let tables = &mut workspace.tables;
        let (used, is_valid) = tables.lzma.run(&mut tables.literals, bytes, least, Some(lapped), &mut area);
        let Area { at, .. } = area;
        window.at += at - start;
        self.produced += u64_from(at - start);
        self.chunk.output -= at - start;
        self.skip(used.min(have));
        self.chunk.input -= used.min(have);
        if !is_valid {
            return Err(Fault::new(ErrorKind::XzDistance, 0));
        }
        if used > have {
            return Err(Fault::new(ErrorKind::XzChunkEnd, 0));
        }
        let starved = at < limit && !whole;
        let verdict = self.use_up(src, have, used, starved, &mut workspace.head);
        if self.chunk.output == 0 {
            self.state = State::LzmaEnd;
        }
        verdict
    }

    /// Returns the next bytes, at most `most`: the end of the last piece with enough of this one to
    /// decode beyond it, or this piece.
    pub(super) fn look_ahead<'w, 's: 'w>(&self, src: &'s [u8], most: usize, head: &'w mut [u8]) -> &'w [u8] {
        let old = self.gathered;
        if old == 0 {
            return src.get(..most).unwrap_or(src);
        }
        let free = head.get_mut(old..most.min(2 * MOST_INPUT)).unwrap_or_default();
        let more = free.len().min(src.len());
        copy(src, free);
        head.get(..old + more).unwrap_or_default()
    }

    /// Takes the first `used` of `have` bytes that [`look_ahead`](Self::look_ahead) returned out of
    /// the input. If they were too few, keeps the rest for the next piece.
    pub(super) fn use_up(
        &mut self,
        src: &mut &[u8],
        have: usize,
        used: usize,
        starved: bool,
        head: &mut [u8],
    ) -> Verdict<()> {
        let old = self.gathered;
        if used < old {
            // Not all of the old end was used: the rest stays, with what was added if more is
            // needed.
            let keep = if starved { have } else { old };
            to_front(head, used..keep);
            self.gathered = keep - used;
            *src = src.get(keep - old..).unwrap_or_default();
        } else {
            *src = src.get(used - old..).unwrap_or_default();
            self.gathered = 0;
            // If the old end is used, there may be more of this piece to decode.
            if starved && old == 0 {
                self.gather(src, head);
            }
        }
        if starved && src.is_empty() { Err(Fault { at: self.gathered, ..STARVED }) } else { Ok(()) }
    }
}

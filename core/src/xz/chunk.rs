//! Reads the chunks of LZMA2: copied bytes or LZMA symbols, each with the state that it resets.

use super::lzma::{History, MOST_INPUT};
use super::parser::{OpenChunk, Parser, STARVED, State};
use super::window::{Storage, Window};
use super::workspace::Workspace;
use crate::copy::to_front;
use crate::fault::{Fault, Verdict};
use crate::num::{copy, index, u64_from};
use crate::{ErrorKind, Name, Part, Trace, Value};

/// The most bytes that a chunk decodes to.
#[cfg(feature = "alloc")]
pub(super) const MAX_CHUNK: usize = 2 << 20;

/// The length of a chunk's header after its control byte: sizes, properties, and the start of the
/// range coder.
pub(super) const fn chunk_header_len(control: u8) -> usize {
    match control {
        0..0x80 => 2,
        0x80..0xC0 => 4 + 5,
        0xC0.. => 4 + 1 + 5,
    }
}

impl Parser {
    /// Reads the first byte of a chunk.
    #[cfg_attr(feature = "small", inline(never))]
    pub(super) fn control<T: Trace>(&mut self, control: u8, window: &mut Window<'_>, trace: &mut T) -> Verdict<()> {
        if control == 0 {
            return self.end_data(trace);
        }
        // A dictionary reset requires new properties, in this chunk or before the next that needs
        // them.
        if control >= 0xE0 || control == 1 {
            window.reset();
            (self.wants_dictionary, self.wants_properties) = (false, true);
        } else if self.wants_dictionary {
            return Err(Fault::new(ErrorKind::XzDictionaryReset, 0));
        }
        let name = match control {
            1 => "copy, dictionary reset",
            2 => "copy",
            0..0x80 => return Err(Fault::new(ErrorKind::XzControl, 0)),
            0x80..0xA0 => "LZMA",
            0xA0..0xC0 => "LZMA, state reset",
            0xC0..0xE0 => "LZMA, state reset, new properties",
            0xE0.. => "LZMA, all reset",
        };
        if control >= 0xC0 {
            self.wants_properties = false;
        } else if control >= 0x80 && self.wants_properties {
            return Err(Fault::new(ErrorKind::XzProperties, 0));
        }
        if T::LISTENS {
            trace.enter(Name::Chunk, Value::Word(name));
            self.emit(trace, Part::Framing, Name::Control, 1, Value::Hex(control.into()));
        }
        self.skip(1);
        self.state = State::ChunkHeader(control);
        Ok(())
    }

    /// Reads the sizes of a chunk, its properties, and the start of its range coder. `present`
    /// bytes of the input follow them: no field is emitted beyond the end of a truncated file.
    #[cfg_attr(feature = "small", inline(never))]
    pub(super) fn chunk<T: Trace>(
        &mut self,
        control: u8,
        header: [u8; 10],
        present: usize,
        window: &mut Window<'_>,
        workspace: &mut Workspace,
        trace: &mut T,
    ) -> Verdict<()> {
        let [a, b, c, d, ref rest @ ..] = header;
        let size = |high, low| usize::from(u16::from_be_bytes([high, low])) + 1;
        let (input, output, start) = if control < 0x80 {
            self.emit(trace, Part::Framing, Name::ChunkSize, 2, Value::U64(u64_from(size(a, b))));
            (size(a, b), size(a, b), 2)
        } else {
            let output = size(a, b) + (usize::from(control & 0x1F) << 16);
            self.emit(trace, Part::Framing, Name::ChunkSizes, 4, Value::U64(u64_from(output)));
            (size(c, d), output, 4)
        };
        self.block.content += u64_from(output);
        if self.block.header.uncompressed.is_some_and(|size| self.block.content > size) {
            return Err(Fault::new(ErrorKind::XzBlockSize, 0));
        }
        self.announce(u64_from(output), window)?;
        self.produced += u64_from(output);
        self.chunk = OpenChunk { input, output };
        self.skip(start);
        let end = self.at + u64_from(input) + u64::from(control >= 0xC0);
        if self.block.header.compressed.is_some_and(|size| end - self.block.data > size) {
            return Err(Fault::new(ErrorKind::XzBlockSize, 0));
        }
        if control < 0x80 {
            self.emit(trace, Part::Data, Name::CopiedBytes, input.min(present), Value::None);
            self.state = State::Copy;
            return Ok(());
        }
        let [properties, coder @ ..] = rest;
        let mut coder_start = [0; 5];
        if control >= 0xC0 {
            self.emit(trace, Part::Header, Name::LcLpPb, 1, Value::U64((*properties).into()));
            if !workspace.lzma.set_properties(*properties) {
                return Err(Fault::new(ErrorKind::XzProperties, 0));
            }
            self.skip(1);
            copy(coder, &mut coder_start);
        } else {
            copy(rest, &mut coder_start);
        }
        if control >= 0xA0 && window.storage != Storage::None {
            workspace.lzma.reset();
        }
        let present = present.saturating_add(coder_start.len());
        self.emit(trace, Part::Symbols, Name::LzmaSymbols, input.min(present), Value::None);
        if input < coder_start.len() || !workspace.lzma.start(coder_start) {
            return Err(Fault::new(ErrorKind::XzChunkStart, 0));
        }
        self.skip(coder_start.len());
        self.chunk.input -= coder_start.len();
        self.state = if window.storage == Storage::None { State::Copy } else { State::Lzma };
        Ok(())
    }

    /// Reads the zero after the last chunk of a block.
    fn end_data<T: Trace>(&mut self, trace: &mut T) -> Verdict<()> {
        self.emit(trace, Part::Framing, Name::EndOfData, 1, Value::U64(0));
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

    pub(super) fn end_chunk<T: Trace>(&mut self, trace: &mut T) {
        trace.leave();
        self.state = State::Control;
    }

    /// Decodes as many symbols as the input at hand and the window allow.
    #[cfg_attr(feature = "small", inline(never))]
    pub(super) fn lzma(&mut self, src: &mut &[u8], window: &mut Window<'_>, workspace: &mut Workspace) -> Verdict<()> {
        // The end of the last piece goes first, with enough of this one to decode beyond it.
        let old = self.gathered;
        let bytes = if old == 0 {
            src.get(..self.chunk.input).unwrap_or(src)
        } else {
            let end = self.chunk.input.min(2 * MOST_INPUT);
            let free = workspace.head.get_mut(old..end).unwrap_or_default();
            let more = free.len().min(src.len());
            copy(src, free);
            workspace.head.get(..old + more).unwrap_or_default()
        };
        let have = bytes.len();
        // A symbol that may reach beyond the end of the piece has to wait.
        let whole = have == self.chunk.input;
        let least = if whole { 0 } else { MOST_INPUT };
        let mut area = window.area(self.chunk.output);
        let (start, limit) = (area.at, area.limit);
        let run = workspace.lzma.run(bytes, least, &mut area);
        let (Ok(used) | Err(Fault { at: used, .. })) = run;
        let History { at, .. } = area;
        window.at += at - start;
        self.chunk.output -= at - start;
        self.skip(used.min(have));
        self.chunk.input -= used.min(have);
        if let Err(fault) = run {
            return Err(Fault::new(fault.kind, 0));
        }
        if used > have {
            return Err(Fault::new(ErrorKind::XzChunkEnd, 0));
        }
        let starved = at < limit && !whole;
        if used < old {
            // Not all of the old end was used: the rest stays, with what was added if more is
            // needed.
            let keep = if starved { have } else { old };
            to_front(&mut workspace.head, used..keep);
            self.gathered = keep - used;
            *src = src.get(keep - old..).unwrap_or_default();
        } else {
            *src = src.get(used - old..).unwrap_or_default();
            self.gathered = 0;
            // If the old end is used, there may be more of this piece to decode.
            if starved && old == 0 {
                self.gather(src, &mut workspace.head);
            }
        }
        if self.chunk.output == 0 {
            self.state = State::LzmaEnd;
        }
        if starved && src.is_empty() { Err(Fault { at: self.gathered, ..STARVED }) } else { Ok(()) }
    }
}

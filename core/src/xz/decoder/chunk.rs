//! The chunks of LZMA2: copied bytes or LZMA symbols, each with what it resets.

use super::super::lzma::{Area, MOST_INPUT};
use super::super::window::{Kind, Window};
use super::super::workspace::Workspace;
use super::{Advance, Machine, Result, State};
use crate::copy::to_front;
use crate::num::{copy, u64_from};
use crate::{ErrorKind, Name, Part, Trace, Value};

/// The chunk that is being read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Chunk {
    /// Bytes of its data that are not used up.
    pub(super) input: usize,
    /// Bytes that it still decodes to.
    pub(super) output: usize,
}

/// Bytes that a chunk holds at most.
#[cfg(feature = "alloc")]
pub(in super::super) const MAX_CHUNK: usize = 2 << 20;

/// How much of the header of a chunk lies behind its control byte: sizes, properties, and the start of the range coder.
pub(super) const fn chunk_header_len(control: u8) -> usize {
    match control {
        0..0x80 => 2,
        0x80..0xC0 => 4 + 5,
        0xC0.. => 4 + 1 + 5,
    }
}

impl Machine {
    /// The first byte of a chunk.
    #[cfg_attr(feature = "small", inline(never))]
    pub(super) fn control<T: Trace>(&mut self, control: u8, window: &mut Window<'_>, trace: &mut T) -> Result<()> {
        if control == 0 {
            return self.end_data(trace);
        }
        // A dictionary reset comes with new properties, in this chunk or before the next that needs some.
        if control >= 0xE0 || control == 1 {
            window.reset();
            (self.wants_dictionary, self.wants_properties) = (false, true);
        } else if self.wants_dictionary {
            return Err(ErrorKind::XzDictionaryReset);
        }
        let name = match control {
            1 => "copy, dictionary reset",
            2 => "copy",
            0..0x80 => return Err(ErrorKind::XzControl),
            0x80..0xA0 => "LZMA",
            0xA0..0xC0 => "LZMA, state reset",
            0xC0..0xE0 => "LZMA, state reset, new properties",
            0xE0.. => "LZMA, all reset",
        };
        if control >= 0xC0 {
            self.wants_properties = false;
        } else if control >= 0x80 && self.wants_properties {
            return Err(ErrorKind::XzProperties);
        }
        if T::LISTENS {
            trace.enter(Name::Chunk, Value::Word(name));
            self.tell(trace, Part::Framing, Name::Control, 1, Value::Hex(control.into()));
        }
        self.skip(1);
        self.state = State::ChunkHeader(control);
        Ok(())
    }

    /// The sizes of a chunk, its properties, and the start of its range coder.
    #[cfg_attr(feature = "small", inline(never))]
    pub(super) fn chunk<T: Trace>(
        &mut self,
        control: u8,
        header: [u8; 10],
        window: &mut Window<'_>,
        ws: &mut Workspace,
        trace: &mut T,
    ) -> Result<()> {
        let [a, b, c, d, ref rest @ ..] = header;
        let size = |high, low| usize::from(u16::from_be_bytes([high, low])) + 1;
        let (input, output, start) = if control < 0x80 {
            self.tell(trace, Part::Framing, Name::ChunkSize, 2, Value::U64(u64_from(size(a, b))));
            (size(a, b), size(a, b), 2)
        } else {
            let output = size(a, b) + (usize::from(control & 0x1F) << 16);
            self.tell(trace, Part::Framing, Name::ChunkSizes, 4, Value::U64(u64_from(output)));
            (size(c, d), output, 4)
        };
        self.block.content += u64_from(output);
        if self.block.header.uncompressed.is_some_and(|size| self.block.content > size) {
            return Err(ErrorKind::XzBlockSize);
        }
        self.spend(u64_from(output), window)?;
        self.produced += u64_from(output);
        self.chunk = Chunk { input, output };
        self.skip(start);
        let behind = self.at + u64_from(input) + u64::from(control >= 0xC0);
        if self.block.header.compressed.is_some_and(|size| behind - self.block.data > size) {
            return Err(ErrorKind::XzBlockSize);
        }
        if control < 0x80 {
            self.tell(trace, Part::Data, Name::CopiedBytes, input, Value::None);
            self.state = State::Copy;
            return Ok(());
        }
        let [properties, coder @ ..] = rest;
        let mut coder_start = [0; 5];
        if control >= 0xC0 {
            self.tell(trace, Part::Header, Name::LcLpPb, 1, Value::U64((*properties).into()));
            if !ws.lzma.set_properties(*properties) {
                return Err(ErrorKind::XzProperties);
            }
            self.skip(1);
            copy(coder, &mut coder_start);
        } else {
            copy(rest, &mut coder_start);
        }
        if control >= 0xA0 && window.kind != Kind::Nowhere {
            ws.lzma.reset();
        }
        self.tell(trace, Part::Symbols, Name::LzmaSymbols, input, Value::None);
        if input < coder_start.len() || !ws.lzma.start(coder_start) {
            return Err(ErrorKind::XzChunkStart);
        }
        self.skip(coder_start.len());
        self.chunk.input -= coder_start.len();
        self.state = if window.kind == Kind::Nowhere { State::Copy } else { State::Lzma };
        Ok(())
    }

    pub(super) fn end_chunk<T: Trace>(&mut self, trace: &mut T) {
        trace.leave();
        self.state = State::Control;
    }

    /// Symbols, as many as the input at hand and the window allow.
    #[cfg_attr(feature = "small", inline(never))]
    pub(super) fn lzma(&mut self, src: &mut &[u8], window: &mut Window<'_>, ws: &mut Workspace) -> Result<Advance> {
        // What is left of the last piece goes first, with as much of this one as it takes to decode beyond it.
        let old = self.gathered;
        let bytes = if old == 0 {
            src.get(..self.chunk.input).unwrap_or(src)
        } else {
            let end = ws.tail.len().min(self.chunk.input);
            let room = ws.tail.get_mut(old..end).unwrap_or_default();
            let more = room.len().min(src.len());
            copy(src, room);
            ws.tail.get(..old + more).unwrap_or_default()
        };
        let have = bytes.len();
        // A symbol that may lie across the end of the piece has to wait.
        let whole = have == self.chunk.input;
        let least = if whole { 0 } else { MOST_INPUT };
        let mut area = window.area(self.chunk.output);
        let (start, limit) = (area.at, area.limit);
        let (used, result) = ws.lzma.run(bytes, least, &mut area);
        let Area { at, .. } = area;
        window.wrote(at.saturating_sub(start));
        self.chunk.output -= at.saturating_sub(start);
        self.skip(used.min(have));
        self.chunk.input -= used.min(have);
        result?;
        if used > have {
            return Err(ErrorKind::XzChunkEnd);
        }
        let full = at >= limit;
        let starved = !full && !whole;
        if used < old {
            // The tail was not used up: it stays, with what was added to it if more than that is needed.
            let keep = if starved { have } else { old };
            to_front(&mut ws.tail, used..keep);
            self.gathered = keep - used;
            *src = src.get(keep - old..).unwrap_or_default();
        } else {
            *src = src.get(used - old..).unwrap_or_default();
            self.gathered = 0;
            // With the tail out of the way, there may be more of this piece to decode.
            if starved && old == 0 {
                copy(src, &mut ws.tail);
                self.gathered = src.len();
                *src = &[];
            }
        }
        if self.chunk.output == 0 {
            self.state = State::LzmaEnd;
        }
        Ok(if starved && src.is_empty() { Advance::Starved } else { Advance::On })
    }

    /// One byte of the chunk, out of the last piece or this one.
    pub(super) fn next_byte(&mut self, src: &mut &[u8], ws: &Workspace) -> Option<u8> {
        if self.gathered > 0 {
            self.gathered = 0;
            return ws.tail.first().copied();
        }
        let (&byte, rest) = src.split_first()?;
        *src = rest;
        Some(byte)
    }
}

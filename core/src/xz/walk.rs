//! Walks over a file, field by field. Whole inputs, streams, salvage and inspection are this one
//! walk: they differ in how much of the input is present, and in where the output goes.

use super::check::{Check, CheckKind, MAX_CHECK};
use super::chunk::chunk_header_len;
use super::header::{
    BlockHeader, FOOT_BACKWARD, FOOT_FLAGS, MAGIC, MAX_BLOCK_HEADER, STREAM_HEADER, block_header_len, stream_footer,
    stream_header,
};
use super::number::Number;
use super::options::Streams;
use super::parser::{OpenBlock, OpenIndex, Parser, STARVED, State};
use super::window::{Storage, Window};
use super::workspace::Workspace;
use crate::fault::{Fault, Verdict};
use crate::num::{copy, index, u64_from};
use crate::{Done, End, ErrorKind, Name, Part, Result, Status, Trace, Value, Verify};

impl Parser {
    /// Reads a whole input. The window must not be a ring, whose bytes would have nowhere to go.
    pub(super) fn run<T: Trace>(
        &mut self,
        src: &[u8],
        window: &mut Window<'_>,
        workspace: &mut Workspace,
        trace: &mut T,
    ) -> Result<Done> {
        let mut rest = src;
        self.go(&mut rest, End::Here, (&mut [], &mut 0), window, workspace, trace)?;
        Ok(self.done(src.len() - rest.len(), window))
    }

    /// Moves decoded bytes to the output. Returns whether all of them fitted.
    pub(super) fn flush(
        &mut self,
        window: &mut Window<'_>,
        workspace: &mut Workspace,
        dst: &mut [u8],
        wrote: &mut usize,
    ) -> bool {
        // Filters may hold back some bytes until the block is known to have no more.
        let over = matches!(self.state, State::BlockPadding(_) | State::Check);
        window.flush(over, workspace, dst, wrote)
    }

    /// Reads `src` and writes `dst`, until one of them or the file ends.
    pub(super) fn go<T: Trace>(
        &mut self,
        src: &mut &[u8],
        end: End,
        (dst, wrote): (&mut [u8], &mut usize),
        window: &mut Window<'_>,
        workspace: &mut Workspace,
        trace: &mut T,
    ) -> Result<Status> {
        loop {
            // Decoded bytes leave before more are decoded.
            if !self.flush(window, workspace, dst, wrote) {
                return Ok(Status::NeedOutput);
            }
            return match self.advance(src, window, workspace, trace) {
                Ok(None) => continue,
                Ok(Some(Status::NeedInput)) if end == End::Here => Ok(Status::Done),
                Ok(Some(status)) => Ok(status),
                Err(fault) if fault.kind == STARVED.kind && end == End::NotYet => Ok(Status::NeedInput),
                Err(fault) => Err(self.error(fault)),
            };
        }
    }

    /// Reads one field. Returns `Done` where the file ends, and `NeedInput` where it may end; a
    /// field that needs more input is a fault of the kind of [`STARVED`].
    #[cfg_attr(feature = "small", inline(never))]
    pub(super) fn advance<T: Trace>(
        &mut self,
        src: &mut &[u8],
        window: &mut Window<'_>,
        workspace: &mut Workspace,
        trace: &mut T,
    ) -> Verdict<Option<Status>> {
        match self.state {
            State::StreamHeader => {
                // A few bytes of something else are not the start of a stream.
                let magic = MAGIC.get(self.gathered..).unwrap_or_default();
                if src.iter().zip(magic).any(|(byte, magic)| byte != magic) {
                    return Err(Fault::new(ErrorKind::XzMagic, 0));
                }
                let bytes = self.take(src, STREAM_HEADER, &mut workspace.head)?;
                trace.enter(Name::Stream, Value::U64(self.streams));
                self.check = stream_header(bytes, self.at, trace)?;
                if self.verify == Verify::Refuse && !self.check.is_known() {
                    return Err(Fault::new(ErrorKind::XzCheckKind, 7));
                }
                self.skip(STREAM_HEADER);
                workspace.seen.clear();
                self.state = State::BlockStart;
            }
            State::BlockStart => {
                let &first = src.first().ok_or(STARVED)?;
                if first != 0 {
                    self.state = State::BlockHeader(block_header_len(first));
                    return Ok(None);
                }
                if self.lone.is_some() {
                    return Err(Fault::new(ErrorKind::XzIndex, 0));
                }
                *src = src.get(1..).unwrap_or_default();
                trace.enter(Name::Index, Value::None);
                self.emit(trace, Part::Framing, Name::IndexIndicator, 1, Value::U64(0));
                self.index = OpenIndex::new(self.at);
                workspace.listed.clear();
                self.index.crc.update(&[0]);
                self.skip(1);
                self.state = State::Index;
            }
            State::BlockHeader(len) => {
                let bytes = self.take(src, len, &mut workspace.head)?;
                trace.enter(Name::Block, Value::U64(self.blocks));
                let header = BlockHeader::read(bytes, self.at, trace)?;
                if let Some(content) = header.uncompressed {
                    self.announce(content, window)?;
                }
                self.window = self.window.max(header.window());
                self.block = OpenBlock::new(header);
                // The window must be large enough before the block starts.
                self.state = State::Window;
            }
            State::Window => {
                window.start(&self.block.header, self.max_window)?;
                #[cfg(feature = "xz-filters")]
                {
                    window.filtered = workspace.pipeline.start(&self.block.header.filters);
                }
                self.skip(self.block.header.len);
                self.block.data = self.at;
                let skip = self.verify == Verify::Skip;
                workspace.check = Check::new(if skip { CheckKind::None } else { self.check });
                (self.wants_dictionary, self.wants_properties) = (true, true);
                self.state = State::Control;
            }
            State::Control => {
                let (&control, rest) = src.split_first().ok_or(STARVED)?;
                *src = rest;
                self.control(control, window, trace)?;
            }
            State::ChunkHeader(control) => {
                let mut header = [0; 10];
                copy(self.take(src, chunk_header_len(control), &mut workspace.head)?, &mut header);
                self.chunk(control, header, src.len(), window, workspace, trace)?;
            }
            State::Copy => {
                let len = window.copy(src.get(..self.chunk.input).unwrap_or(src));
                *src = src.get(len..).unwrap_or_default();
                self.skip(len);
                self.chunk.input -= len;
                if self.chunk.input == 0 {
                    self.end_chunk(trace);
                } else if len == 0 {
                    return Err(STARVED);
                }
            }
            State::Lzma => self.lzma(src, window, workspace)?,
            State::LzmaEnd => {
                let wants = usize::from(workspace.lzma.wants_byte());
                if self.chunk.input != wants {
                    return Err(Fault::new(ErrorKind::XzChunkEnd, 0));
                }
                let byte = self.take(src, wants, &mut workspace.head)?.first().copied();
                if !workspace.lzma.ends(byte) {
                    return Err(Fault::new(ErrorKind::XzChunkEnd, 0));
                }
                self.skip(wants);
                self.end_chunk(trace);
            }
            State::BlockPadding(len) => {
                self.zeros(src, len, Name::BlockPadding, workspace, trace)?;
                self.state = State::Check;
            }
            State::Check => {
                const { assert!(MAX_CHECK <= MAX_BLOCK_HEADER) }
                let len = self.check.size();
                let bytes = self.take(src, len, &mut workspace.head)?;
                self.emit(trace, Part::Checksum, Name::Check, len, Value::Bytes(bytes));
                if len == 0 || self.verify == Verify::Skip || !self.check.is_known() {
                    self.checksums.unchecked += 1;
                } else {
                    let matches = window.storage == Storage::None || workspace.check.is(bytes);
                    self.checksums.count(matches, self.verify, ErrorKind::XzCheck, 0)?;
                }
                self.skip(len);
                let unpadded = u64_from(self.block.header.len.saturating_add(len));
                let added = workspace.seen.add(unpadded.saturating_add(self.block.compressed), self.block.content);
                added.ok_or(Fault::new(ErrorKind::XzBlockSize, 0))?;
                self.blocks += 1;
                self.state = if self.lone.is_some() { State::Between } else { State::BlockStart };
                trace.leave();
            }
            State::Index => self.index(src, workspace, trace)?,
            State::IndexPadding(len) => {
                self.zeros(src, len, Name::IndexPadding, workspace, trace)?;
                self.index.crc.update([0; 3].get(..len).unwrap_or_default());
                self.state = State::IndexCrc;
            }
            State::IndexCrc => {
                let bytes = self.take(src, 4, &mut workspace.head)?;
                let stored = u32::from_le_bytes(*bytes.first_chunk().ok_or(STARVED)?);
                self.emit(trace, Part::Checksum, Name::IndexCrc32, 4, Value::Hex(stored.into()));
                if self.index.crc.value() != stored {
                    return Err(Fault::new(ErrorKind::XzHeaderCrc, 0));
                }
                if !workspace.listed.same(&workspace.seen) {
                    return Err(self.since(ErrorKind::XzIndex, self.index.start));
                }
                self.skip(4);
                trace.leave();
                self.state = State::Footer;
            }
            State::Footer => {
                let bytes = self.take(src, STREAM_HEADER, &mut workspace.head)?;
                let (backward, check) = stream_footer(bytes, self.at, trace)?;
                if backward != self.at - self.index.start {
                    return Err(Fault::new(ErrorKind::XzFooter, FOOT_BACKWARD.at()));
                }
                if check != self.check {
                    return Err(Fault::new(ErrorKind::XzFooter, FOOT_FLAGS.at()));
                }
                self.skip(STREAM_HEADER);
                self.streams += 1;
                trace.leave();
                self.state = State::Between;
            }
            State::Between => return self.between(src, trace),
        }
        Ok(None)
    }

    /// A fault that shows at an offset which was passed.
    fn since(&self, kind: ErrorKind, at: u64) -> Fault {
        Fault::new(kind, index(self.at - at).wrapping_neg())
    }

    /// Reads padding up to a multiple of four bytes.
    fn zeros<T: Trace>(
        &mut self,
        src: &mut &[u8],
        len: usize,
        name: Name,
        workspace: &mut Workspace,
        trace: &mut T,
    ) -> Verdict<()> {
        let bytes = self.take(src, len, &mut workspace.head)?;
        self.emit(trace, Part::Padding, name, len, Value::None);
        if bytes.iter().any(|&byte| byte != 0) {
            return Err(Fault::new(ErrorKind::XzPadding, 0));
        }
        self.skip(len);
        Ok(())
    }

    /// Reads the number of records, and the records.
    #[cfg_attr(feature = "small", inline(never))]
    fn index<T: Trace>(&mut self, src: &mut &[u8], workspace: &mut Workspace, trace: &mut T) -> Verdict<()> {
        let (seen, listed) = (&workspace.seen.sums, &mut workspace.listed);
        while !self.index.counted || self.index.unpadded.is_some() || listed.sums.count != seen.count {
            let (&byte, rest) = src.split_first().ok_or(STARVED)?;
            // At the same byte, however the input is split.
            if self.at - self.index.start >= self.max_header {
                return Err(Fault::new(ErrorKind::HeaderLimit, 0));
            }
            let first = self.at - u64::from(self.index.number.len);
            let value = self.index.number.push(byte).map_err(|fault| Fault::new(fault.kind, 0))?;
            *src = rest;
            self.index.crc.update(&[byte]);
            if let Some(value) = value {
                let wrong = self.since(ErrorKind::XzIndex, first);
                let list = &mut self.index;
                list.number = Number::default();
                let name = match list.unpadded.take() {
                    // Refused at once, before a long list is read in vain.
                    _ if !list.counted && value != seen.count => return Err(wrong),
                    _ if !list.counted => {
                        list.counted = true;
                        Name::Records
                    }
                    None => {
                        list.unpadded = Some(value);
                        Name::UnpaddedSize
                    }
                    Some(unpadded) => {
                        listed.add(unpadded, value).ok_or(wrong)?;
                        Name::UncompressedSize
                    }
                };
                trace.bytes(Part::Table, name, first..self.at + 1, Value::U64(value));
            }
            self.skip(1);
        }
        self.state = State::IndexPadding(index((self.at - self.index.start).wrapping_neg() & 3));
        Ok(())
    }

    /// Reads what follows a stream: zeros in fours, another stream, or the end.
    #[cfg_attr(feature = "small", inline(never))]
    fn between<T: Trace>(&mut self, src: &mut &[u8], trace: &mut T) -> Verdict<Option<Status>> {
        if let Some(listed) = self.lone {
            let start = self.block.data - u64_from(self.block.header.len);
            let fits = src.is_empty() && self.produced == listed;
            return if fits { Ok(Some(Status::Done)) } else { Err(self.since(ErrorKind::XzIndex, start)) };
        }
        if self.wanted == Streams::First {
            return Ok(Some(Status::Done));
        }
        if self.wanted == Streams::One && !src.is_empty() {
            return Err(Fault::new(ErrorKind::XzTrailing, 0));
        }
        let zeros = src.iter().take_while(|&&byte| byte == 0).count();
        self.emit(trace, Part::Padding, Name::StreamPadding, zeros, Value::None);
        *src = src.get(zeros..).unwrap_or_default();
        self.skip(zeros);
        // Streams are multiples of four bytes, so the padding is one where the offset is.
        match (self.at.is_multiple_of(4), src.is_empty()) {
            (true, true) => return Ok(Some(Status::NeedInput)),
            (true, false) => self.state = State::StreamHeader,
            (false, true) => return Err(STARVED),
            (false, false) => return Err(Fault::new(ErrorKind::XzPadding, 0)),
        }
        Ok(None)
    }
}

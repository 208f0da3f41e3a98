//! Walks over a file, field by field. One shot, streams and inspection are this one walk: they differ in how much of the input is
//! there, and where the output goes.

use super::check::{Check, CheckKind, MAX_CHECK};
use super::chunk::chunk_header_len;
use super::header::{BlockHeader, MAGIC, STREAM_HEADER, block_header_len, stream_footer, stream_header};
use super::number::Number;
use super::options::Streams;
use super::parser::{Advance, Block, Index, NO_BLOCK, Parser, State};
use super::window::{Kind, Window};
use super::workspace::Workspace;
use crate::fault::{Fault, Verdict};
use crate::num::{copy, index, u64_from};
use crate::{End, ErrorKind, Name, Part, Status, Trace, Value, Verify};

impl Parser {
    /// Moves decoded bytes to the output. Returns whether all of them fitted.
    pub(super) fn flush(
        &mut self,
        window: &mut Window<'_>,
        workspace: &mut Workspace,
        dst: &mut [u8],
        wrote: &mut usize,
    ) -> bool {
        // Filters may hold back some bytes as long as it is not sure that the block has no more.
        let over = matches!(self.state, State::BlockPadding(_) | State::Check(_));
        window.flush(over, workspace, dst, wrote)
    }

    /// Reads `src` on, and writes `dst`, until one of them or the file ends.
    pub(super) fn go<T: Trace>(
        &mut self,
        src: &mut &[u8],
        end: End,
        (dst, wrote): (&mut [u8], &mut usize),
        window: &mut Window<'_>,
        workspace: &mut Workspace,
        trace: &mut T,
    ) -> crate::Result<Status> {
        loop {
            // What is decoded leaves before anything else is.
            if !self.flush(window, workspace, dst, wrote) {
                return Ok(Status::NeedOutput);
            }
            let fault = match self.advance(src, window, workspace, trace) {
                Ok(Advance::On) => continue,
                Ok(Advance::Done) => return Ok(Status::Done),
                Ok(Advance::MayEnd) if end == End::Here => return Ok(Status::Done),
                Ok(Advance::Starved) if end == End::Here => {
                    Fault::new(ErrorKind::Truncated, self.gathered.saturating_add(src.len()))
                }
                Ok(Advance::MayEnd | Advance::Starved) => return Ok(Status::NeedInput),
                Err(fault) => fault,
            };
            return Err(self.error(fault));
        }
    }

    /// Reads one field.
    #[cfg_attr(feature = "small", inline(never))]
    fn advance<T: Trace>(
        &mut self,
        src: &mut &[u8],
        window: &mut Window<'_>,
        workspace: &mut Workspace,
        trace: &mut T,
    ) -> Verdict<Advance> {
        match self.state {
            State::StreamHeader => {
                // A few bytes of something else are not the start of a stream.
                let gathered = workspace.head.get(..self.gathered).unwrap_or_default();
                if !gathered.iter().chain(*src).zip(&MAGIC).all(|(byte, magic)| byte == magic) {
                    return Err(Fault::new(ErrorKind::XzMagic, 0));
                }
                let Some(bytes) = self.take(src, STREAM_HEADER, &mut workspace.head) else {
                    return Ok(Advance::Starved);
                };
                let Some(bytes) = bytes.first_chunk() else { return Ok(Advance::Starved) };
                self.stream(bytes, trace)?;
                workspace.seen.clear();
            }
            State::BlockStart => {
                let Some(&first) = src.first() else { return Ok(Advance::Starved) };
                if first == 0 && self.lone {
                    return Err(Fault::new(ErrorKind::XzIndex, 0));
                }
                if first == 0 {
                    *src = src.get(1..).unwrap_or_default();
                    trace.enter(Name::Index, Value::None);
                    self.emit(trace, Part::Framing, Name::IndexIndicator, 1, Value::U64(0));
                    self.index = Index::new(self.at);
                    workspace.listed.clear();
                    self.index.crc.update(&[0]);
                    self.skip(1);
                    self.state = State::Index;
                } else {
                    self.state = State::BlockHeader(block_header_len(first));
                }
            }
            State::BlockHeader(len) => {
                let Some(bytes) = self.take(src, len, &mut workspace.head) else { return Ok(Advance::Starved) };
                trace.enter(Name::Block, Value::U64(self.blocks));
                let header = BlockHeader::read(bytes, self.at, trace)?;
                self.announce_block(header, window)?;
            }
            State::Window => self.start_block(window, workspace)?,
            State::Control => {
                let Some((&control, rest)) = src.split_first() else { return Ok(Advance::Starved) };
                *src = rest;
                self.control(control, window, trace)?;
            }
            State::ChunkHeader(control) => {
                let len = chunk_header_len(control);
                let Some(bytes) = self.take(src, len, &mut workspace.head) else { return Ok(Advance::Starved) };
                let mut header = [0; 10];
                copy(bytes, &mut header);
                self.chunk(control, header, src.len(), window, workspace, trace)?;
            }
            State::Copy => {
                let bytes = src.get(..self.chunk.input).unwrap_or(src);
                let len = window.copy(bytes);
                *src = src.get(len..).unwrap_or_default();
                self.skip(len);
                self.chunk.input -= len;
                if self.chunk.input == 0 {
                    self.end_chunk(trace);
                } else if len == 0 {
                    return Ok(Advance::Starved);
                }
            }
            State::Lzma => return self.lzma(src, window, workspace),
            State::LzmaEnd => {
                let wants = usize::from(workspace.lzma.wants_byte());
                if self.chunk.input != wants {
                    return Err(Fault::new(ErrorKind::XzChunkEnd, 0));
                }
                let byte = if wants == 0 {
                    None
                } else {
                    let Some(byte) = self.next_byte(src, workspace) else { return Ok(Advance::Starved) };
                    Some(byte)
                };
                if !workspace.lzma.ends(byte) {
                    return Err(Fault::new(ErrorKind::XzChunkEnd, 0));
                }
                self.skip(wants);
                self.end_chunk(trace);
            }
            State::BlockPadding(len) => {
                let Some(bytes) = self.take(src, len, &mut workspace.head) else { return Ok(Advance::Starved) };
                let right = bytes.iter().all(|&byte| byte == 0);
                self.emit(trace, Part::Padding, Name::BlockPadding, len, Value::None);
                if !right {
                    return Err(Fault::new(ErrorKind::XzPadding, 0));
                }
                self.skip(len);
                self.state = State::Check(self.flags.check().size());
            }
            State::Check(len) => {
                const { assert!(MAX_CHECK <= super::header::MAX_BLOCK_HEADER) }
                let Some(bytes) = self.take(src, len, &mut workspace.head) else { return Ok(Advance::Starved) };
                self.emit(trace, Part::Checksum, Name::Check, len, Value::Bytes(bytes));
                let verify = self.verify;
                if len == 0 || verify == Verify::Skip || !self.flags.check().is_known() {
                    self.checksums.unchecked += 1;
                } else {
                    let matches = window.kind == Kind::Nowhere || workspace.check.is(bytes);
                    self.checksums.count(matches, verify, ErrorKind::XzCheck, 0)?;
                }
                self.skip(len);
                self.end_block(len, workspace)?;
                trace.leave();
            }
            State::Index => return self.index(src, workspace, trace),
            State::IndexPadding(len) => {
                let Some(bytes) = self.take(src, len, &mut workspace.head) else { return Ok(Advance::Starved) };
                let mut padding = [0; 4];
                copy(bytes, &mut padding);
                self.emit(trace, Part::Padding, Name::IndexPadding, len, Value::None);
                if padding != [0; 4] {
                    return Err(Fault::new(ErrorKind::XzPadding, 0));
                }
                self.index.crc.update(padding.get(..len).unwrap_or_default());
                self.skip(len);
                self.state = State::IndexCrc;
            }
            State::IndexCrc => {
                let Some(&[a, b, c, d]) = self.take(src, 4, &mut workspace.head) else { return Ok(Advance::Starved) };
                let stored = u32::from_le_bytes([a, b, c, d]);
                self.emit(trace, Part::Checksum, Name::IndexCrc32, 4, Value::Hex(stored.into()));
                if self.index.crc.value() != stored {
                    return Err(Fault::new(ErrorKind::XzHeaderCrc, 0));
                }
                if !workspace.listed.same(&workspace.seen) {
                    let list = index(self.at - self.index.start);
                    return Err(Fault::new(ErrorKind::XzIndex, list.wrapping_neg()));
                }
                self.skip(4);
                trace.leave();
                self.state = State::Footer;
            }
            State::Footer => {
                let Some(bytes) = self.take(src, STREAM_HEADER, &mut workspace.head) else {
                    return Ok(Advance::Starved);
                };
                let Some(bytes) = bytes.first_chunk() else { return Ok(Advance::Starved) };
                let footer = stream_footer(bytes, self.at, trace)?;
                footer.fits(self.at - self.index.start, self.flags)?;
                self.skip(STREAM_HEADER);
                self.streams += 1;
                trace.leave();
                self.padding = 0;
                self.state = State::Between;
            }
            State::Between => return self.between(src, trace),
        }
        Ok(Advance::On)
    }

    #[cfg_attr(feature = "small", inline(never))]
    fn stream<T: Trace>(&mut self, bytes: &[u8; STREAM_HEADER], trace: &mut T) -> Verdict<()> {
        trace.enter(Name::Stream, Value::U64(self.streams));
        self.flags = stream_header(bytes, self.at, trace)?;
        if self.verify == Verify::Refuse && !self.flags.check().is_known() {
            return Err(Fault::new(ErrorKind::XzCheckKind, 7));
        }
        self.skip(STREAM_HEADER);
        self.state = State::BlockStart;
        Ok(())
    }

    #[cfg_attr(feature = "small", inline(never))]
    fn announce_block(&mut self, header: BlockHeader, window: &Window<'_>) -> Verdict<()> {
        if let Some(content) = header.uncompressed {
            self.announce(content, window)?;
        }
        self.window = self.window.max(header.window());
        self.block = Block { header, ..NO_BLOCK };
        self.state = State::Window;
        Ok(())
    }

    #[cfg_attr(feature = "small", inline(never))]
    fn start_block(&mut self, window: &mut Window<'_>, workspace: &mut Workspace) -> Verdict<()> {
        window.start(&self.block.header, workspace, self.max_window)?;
        self.skip(self.block.header.len);
        self.block.data = self.at;
        let skip = self.verify == Verify::Skip;
        workspace.check = Check::new(if skip { CheckKind::None } else { self.flags.check() });
        (self.wants_dictionary, self.wants_properties) = (true, true);
        self.state = State::Control;
        Ok(())
    }

    /// Whether a block waits for a window.
    pub(super) const fn wants_window(&self) -> bool {
        matches!(self.state, State::Window)
    }

    /// A block is complete: the index must list it.
    #[cfg_attr(feature = "small", inline(never))]
    fn end_block(&mut self, check: usize, workspace: &mut Workspace) -> Verdict<()> {
        let unpadded = u64_from(self.block.header.len.saturating_add(check)).saturating_add(self.block.compressed);
        workspace.seen.add(unpadded, self.block.content).ok_or(Fault::new(ErrorKind::XzBlockSize, 0))?;
        self.blocks += 1;
        self.state = if self.lone { State::Between } else { State::BlockStart };
        Ok(())
    }

    /// The number of records, and the records.
    #[cfg_attr(feature = "small", inline(never))]
    fn index<T: Trace>(&mut self, src: &mut &[u8], workspace: &mut Workspace, trace: &mut T) -> Verdict<Advance> {
        let bytes = *src;
        let mut used = 0;
        let list = &mut self.index;
        let starved = loop {
            if list.unpadded.is_none() && list.count == Some(workspace.listed.sums.count) {
                break false;
            }
            let Some(&byte) = bytes.get(used) else { break true };
            let here = self.at + u64_from(used);
            // At the same byte, whatever the pieces that the index comes in.
            if here - list.start >= self.max_header {
                return Err(Fault::new(ErrorKind::HeaderLimit, used));
            }
            used += 1;
            // Where the number starts, which may have been in an earlier piece.
            let start = used.wrapping_sub(1 + list.number.len as usize);
            let Some(value) = list.number.push(byte).map_err(|fault| Fault::new(fault.kind, used - 1))? else {
                continue;
            };
            let wrong = Fault::new(ErrorKind::XzIndex, start);
            let first = here + 1 - u64::from(list.number.len);
            list.number = Number::default();
            let name = match (list.count, list.unpadded) {
                (None, _) => {
                    // Told at once, so that nobody reads a long list for nothing.
                    if value != workspace.seen.sums.count {
                        return Err(wrong);
                    }
                    list.count = Some(value);
                    Name::Records
                }
                (Some(_), None) => {
                    list.unpadded = Some(value);
                    Name::UnpaddedSize
                }
                (Some(_), Some(unpadded)) => {
                    if workspace.listed.add(unpadded, value).is_none() {
                        return Err(wrong);
                    }
                    list.unpadded = None;
                    Name::UncompressedSize
                }
            };
            trace.bytes(Part::Table, name, first..here + 1, Value::U64(value));
        };
        list.crc.update(bytes.get(..used).unwrap_or_default());
        *src = bytes.get(used..).unwrap_or_default();
        self.skip(used);
        if starved {
            return Ok(Advance::Starved);
        }
        let len = self.at - self.index.start;
        self.state = State::IndexPadding(index(len.wrapping_neg() & 3));
        Ok(Advance::On)
    }

    /// After a stream: zeros in fours, another stream, or the end.
    #[cfg_attr(feature = "small", inline(never))]
    fn between<T: Trace>(&mut self, src: &mut &[u8], trace: &mut T) -> Verdict<Advance> {
        if self.wanted == Streams::First {
            return Ok(Advance::Done);
        }
        if self.wanted == Streams::One && !src.is_empty() {
            return Err(Fault::new(ErrorKind::XzTrailing, 0));
        }
        let zeros = src.iter().take_while(|&&byte| byte == 0).count();
        self.emit(trace, Part::Padding, Name::StreamPadding, zeros, Value::None);
        *src = src.get(zeros..).unwrap_or_default();
        self.skip(zeros);
        self.padding += u64_from(zeros);
        let aligned = self.padding.is_multiple_of(4);
        if src.is_empty() {
            return Ok(if aligned { Advance::MayEnd } else { Advance::Starved });
        }
        if !aligned {
            return Err(Fault::new(ErrorKind::XzPadding, 0));
        }
        self.state = State::StreamHeader;
        Ok(Advance::On)
    }
}

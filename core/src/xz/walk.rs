//! Walks over a file that comes in pieces, field by field.

use super::check::{Check, MAX_CHECK, check_len, is_known};
use super::control::{Wants, chunk_header_len};
use super::header::{
    BlockHeader, FOOT_BACKWARD, FOOT_FLAGS, MAGIC, MAX_BLOCK_HEADER, STREAM_HEADER, block_header_len, index_len,
    stream_footer, stream_header,
};
use super::options::Streams;
use super::parser::{Digits, OpenBlock, OpenIndex, Parser, STARVED, State};
use super::records::Records;
use super::window::Window;
use super::workspace::Workspace;
use crate::fault::{Fault, Verdict};
use crate::num::{copy, index, saturated, u64_from, wide};
use crate::{ErrorKind, Status, Verify};

impl Parser {
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

    /// Reads one field. Returns `Done` where the file ends, and `NeedInput` where it may end; a
    /// field that needs more input is a fault of the kind of [`STARVED`].
    #[cfg_attr(feature = "small", inline(never))]
    pub(super) fn advance(
        &mut self,
        src: &mut &[u8],
        window: &mut Window<'_>,
        workspace: &mut Workspace,
    ) -> Verdict<Option<Status>> {
        match self.state {
            State::StreamHeader => {
                // A few bytes of something else are not the start of a stream.
                let magic = MAGIC.get(self.gathered..).unwrap_or_default();
                if src.iter().zip(magic).any(|(byte, magic)| byte != magic) {
                    return Err(Fault::new(ErrorKind::XzMagic, 0));
                }
                let bytes = self.array(src, &mut workspace.head)?;
                self.check = stream_header(bytes, self.at, &mut ())?;
                if self.verify == Verify::Refuse && !is_known(self.check) {
                    return Err(Fault::new(ErrorKind::XzCheckKind, 7));
                }
                self.skip(STREAM_HEADER);
                workspace.tables.seen = Records::new();
                self.earlier = self.blocks;
                self.state = State::BlockStart;
            }
            State::BlockStart => {
                let &first = src.first().ok_or(STARVED)?;
                if first != 0 {
                    self.state = State::BlockHeader(block_header_len(first));
                    return Ok(None);
                }
                *src = src.get(1..).unwrap_or_default();
                self.index = OpenIndex::new(self.at);
                workspace.tables.listed = Records::new();
                self.index.crc.update(&[0]);
                self.skip(1);
                self.state = State::Index;
            }
            State::BlockHeader(len) => {
                let bytes = self.take(src, len, &mut workspace.head)?;
                let header = BlockHeader::read(bytes, self.at, &mut ())?;
                if let Some(content) = header.uncompressed {
                    self.announce(content)?;
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
                    workspace.pipeline.clear();
                    window.filtered = workspace.tables.filters.start(&self.block.header.filters);
                }
                self.skip(self.block.header.len);
                self.block.data = self.at;
                let skip = self.verify == Verify::Skip;
                workspace.tables.check = Check::new(if skip { 0 } else { self.check });
                self.wants = Wants::ALL;
                self.state = State::Control;
            }
            State::Control => {
                let (&control, rest) = src.split_first().ok_or(STARVED)?;
                *src = rest;
                self.control(control, window)?;
            }
            State::ChunkHeader(control) => {
                let mut header = [0; 10];
                copy(self.take(src, chunk_header_len(control), &mut workspace.head)?, &mut header);
                self.chunk(control, header, workspace)?;
            }
            State::Copy => {
                let len = window.copy(src.get(..self.chunk.input).unwrap_or(src));
                *src = src.get(len..).unwrap_or_default();
                self.skip(len);
                self.produced += u64_from(len);
                self.chunk.input -= len;
                if self.chunk.input == 0 {
                    self.state = State::Control;
                } else if len == 0 {
                    return Err(STARVED);
                }
            }
            State::Lzma => self.lzma(src, window, workspace)?,
            State::LzmaEnd => {
                let wants = usize::from(workspace.tables.lzma.wants_byte());
                if self.chunk.input != wants {
                    return Err(Fault::new(ErrorKind::XzChunkEnd, 0));
                }
                let byte = self.take(src, wants, &mut workspace.head)?.first().copied();
                if !workspace.tables.lzma.ends(byte) {
                    return Err(Fault::new(ErrorKind::XzChunkEnd, 0));
                }
                self.skip(wants);
                self.state = State::Control;
            }
            State::BlockPadding(len) => {
                self.zeros(src, len, workspace)?;
                self.state = State::Check;
            }
            State::Check => {
                const { assert!(MAX_CHECK <= MAX_BLOCK_HEADER) }
                let len = check_len(self.check);
                let bytes = self.take(src, len, &mut workspace.head)?;
                match workspace.tables.check.is(bytes) {
                    Some(matches) => self.checksums.count(matches, self.verify, ErrorKind::XzCheck, 0)?,
                    None => self.checksums.unchecked += 1,
                }
                self.skip(len);
                let unpadded = u64_from(self.block.header.len.saturating_add(len));
                let unpadded = saturated(unpadded.saturating_add(self.block.compressed));
                let added = workspace.tables.seen.add(unpadded, saturated(self.block.content));
                added.ok_or(Fault::new(ErrorKind::XzBlockSize, 0))?;
                self.blocks += 1;
                self.state = State::BlockStart;
            }
            State::Index => self.index(src, workspace)?,
            State::IndexPadding(len) => {
                self.zeros(src, len, workspace)?;
                self.index.crc.update([0; 3].get(..len).unwrap_or_default());
                self.state = State::IndexCrc;
            }
            State::IndexCrc => {
                let stored = u32::from_le_bytes(*self.array(src, &mut workspace.head)?);
                if self.index.crc.value() != stored {
                    return Err(Fault::new(ErrorKind::XzHeaderCrc, 0));
                }
                if workspace.tables.listed != workspace.tables.seen {
                    return Err(self.since(ErrorKind::XzIndex, self.index.start));
                }
                self.skip(4);
                self.state = State::Footer;
            }
            State::Footer => {
                let bytes = self.array(src, &mut workspace.head)?;
                let check = stream_footer(bytes, self.at, &mut ())?;
                if index_len(bytes) != self.at - self.index.start {
                    return Err(Fault::new(ErrorKind::XzFooter, FOOT_BACKWARD.at()));
                }
                if check != self.check {
                    return Err(Fault::new(ErrorKind::XzFooter, FOOT_FLAGS.at()));
                }
                self.skip(STREAM_HEADER);
                self.streams += 1;
                self.state = State::Between;
            }
            State::Between => return self.between(src),
        }
        Ok(None)
    }

    /// A fault that shows at an offset which was passed.
    fn since(&self, kind: ErrorKind, at: u64) -> Fault {
        Fault::new(kind, index(self.at - at).wrapping_neg())
    }

    /// Reads padding up to a multiple of four bytes.
    fn zeros(&mut self, src: &mut &[u8], len: usize, workspace: &mut Workspace) -> Verdict<()> {
        let bytes = self.take(src, len, &mut workspace.head)?;
        if bytes.iter().any(|&byte| byte != 0) {
            return Err(Fault::new(ErrorKind::XzPadding, 0));
        }
        self.skip(len);
        Ok(())
    }

    /// Reads the number of records, and the records.
    #[cfg_attr(feature = "small", inline(never))]
    fn index(&mut self, src: &mut &[u8], workspace: &mut Workspace) -> Verdict<()> {
        let (blocks, listed) = (self.blocks - self.earlier, &mut workspace.tables.listed);
        while self.index.left != Some(0) {
            crate::steps::count(1);
            let (&byte, rest) = src.split_first().ok_or(STARVED)?;
            // At the same byte, however the input is split.
            if self.at - self.index.start >= self.max_header {
                return Err(Fault::new(ErrorKind::HeaderLimit, 0));
            }
            let first = self.at - u64_from(self.index.number.len);
            let value = self.index.number.push(byte).map_err(|fault| Fault::new(fault.kind, 0))?;
            *src = rest;
            self.index.crc.update(&[byte]);
            if let Some(value) = value {
                let wrong = self.since(ErrorKind::XzIndex, first);
                let list = &mut self.index;
                list.number = Digits::default();
                match (list.left, list.unpadded.take()) {
                    // Refused at once, before a long list is read in vain.
                    (None, _) if wide(value) != blocks => return Err(wrong),
                    (None, _) => list.left = Some(value),
                    (_, None) => list.unpadded = Some(value),
                    (Some(left), Some(unpadded)) => {
                        listed.add(unpadded, value).ok_or(wrong)?;
                        list.left = Some(left.saturating_sub(1));
                    }
                }
            }
            self.skip(1);
        }
        self.state = State::IndexPadding(index((self.at - self.index.start).wrapping_neg() & 3));
        Ok(())
    }

    /// Reads what follows a stream: zeros in fours, another stream, or the end.
    #[cfg_attr(feature = "small", inline(never))]
    fn between(&mut self, src: &mut &[u8]) -> Verdict<Option<Status>> {
        if self.wanted == Streams::First {
            return Ok(Some(Status::Done));
        }
        if self.wanted == Streams::One && !src.is_empty() {
            return Err(Fault::new(ErrorKind::XzTrailing, 0));
        }
        let zeros = src.iter().take_while(|&&byte| byte == 0).count();
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

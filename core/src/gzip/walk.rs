//! Walks over a file, member after member. Whole inputs, streams, salvage and inspection are this
//! one walk: they differ in how much of the input is present, and in where the output goes.

use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::{decompress, inflate_flags};

use super::header::HeaderWalk;
use super::workspace::{WINDOW_SIZE, Workspace};
use crate::checksum::Crc32;
use crate::num::{copy, index, u64_from};
use crate::options::Options;
use crate::step::flush_window;
use crate::{Checksums, Done, End, Error, ErrorKind, Name, Part, Result, Shifted, Status, Trace, Value, Verify};

/// The field that the next bytes of the input belong to.
#[derive(Clone, Copy, Debug)]
enum State {
    /// A member, or zeros up to the end of the file.
    Member,
    Header,
    Deflate,
    Crc,
    Size,
    /// Zeros, from this offset on.
    Padding(u64),
    /// None: the error returns once everything before it has left.
    Broken(Error),
}

/// A walk over a file.
#[derive(Debug)]
pub(super) struct Walk<'a> {
    options: Options,
    workspace: &'a mut Workspace,
    /// All of the output, or a window.
    out: &'a mut [u8],
    /// `out` is a window, from which bytes leave before they are overwritten.
    ring: bool,
    state: State,
    header: HeaderWalk,
    /// A checksum or a size that is being gathered, and its bytes so far.
    number: [u8; 4],
    gathered: usize,
    /// Offset of the next byte that is neither used nor gathered.
    pub(super) at: u64,
    produced: u64,
    /// Complete members, and the outcome of their checksums.
    members: u64,
    checksums: Checksums,
    /// The current member: its offset, that of its deflate stream, its decoded bytes and their
    /// CRC-32.
    start: u64,
    data: u64,
    len: u64,
    crc: Crc32,
    /// Output in a window ends at `filled`; before `flushed` it has left.
    filled: usize,
    flushed: usize,
}

impl<'a> Walk<'a> {
    /// A walk that starts with the first byte of a file. A `ring` needs [`WINDOW_SIZE`] bytes, and
    /// uses no more; with fewer, the walk fails at once.
    pub(super) fn new(workspace: &'a mut Workspace, out: &'a mut [u8], ring: bool, options: &Options) -> Self {
        let lacking = Error::new(ErrorKind::WorkspaceTooSmall, 0).needing(u64_from(WINDOW_SIZE));
        let state = if ring && out.len() < WINDOW_SIZE { State::Broken(lacking) } else { State::Member };
        Self {
            options: *options,
            workspace,
            out,
            ring,
            state,
            header: HeaderWalk::new(),
            number: [0; 4],
            gathered: 0,
            at: 0,
            produced: 0,
            members: 0,
            checksums: Checksums { matched: 0, mismatched: 0, unchecked: 0 },
            start: 0,
            data: 0,
            len: 0,
            crc: Crc32::new(),
            filled: 0,
            flushed: 0,
        }
    }

    /// Builds the result of a call that used `read` bytes of the input.
    pub(super) fn done(&self, read: usize) -> Done {
        let (wrote, content) = (index(self.produced), self.produced);
        let (parts, window, checksums) = (self.members, u64_from(WINDOW_SIZE), self.checksums);
        Done { read, wrote, content, parts, blocks: 0, window, checksums }
    }

    /// The offset in the content at which the current member starts.
    pub(super) const fn member_start(&self) -> u64 {
        self.produced.saturating_sub(self.len)
    }

    /// Returns the bytes of a window that have not left, which then count as gone.
    pub(super) fn drain(&mut self) -> &[u8] {
        let start = core::mem::replace(&mut self.flushed, self.filled);
        self.out.get(start..self.filled).unwrap_or_default()
    }

    /// Reads `src` until it, the space in `dst` or the file ends. Only a window needs `dst`.
    pub(super) fn go(
        &mut self,
        src: &mut &[u8],
        end: End,
        (dst, wrote): (&mut [u8], &mut usize),
        trace: &mut Shifted<'_>,
    ) -> Result<Status> {
        loop {
            // Decoded bytes leave before more are decoded.
            if self.ring && !flush_window(self.out, &mut self.flushed, self.filled, dst, wrote) {
                return Ok(Status::NeedOutput);
            }
            if matches!(self.state, State::Member | State::Padding(_)) && src.is_empty() && self.members > 0 {
                return Ok(if end == End::Here { Status::Done } else { Status::NeedInput });
            }
            if !self.advance(src, end, trace)? {
                if end == End::NotYet {
                    return Ok(Status::NeedInput);
                }
                if matches!(self.state, State::Deflate) {
                    self.emit_deflate(trace);
                }
                return Err(Error::new(ErrorKind::Truncated, self.at.saturating_add(u64_from(src.len()))));
            }
        }
    }

    /// Reads one field. Returns false if it needs more input.
    fn advance(&mut self, src: &mut &[u8], end: End, trace: &mut Shifted<'_>) -> Result<bool> {
        match self.state {
            State::Member if self.members > 0 && src.first() == Some(&0) => self.state = State::Padding(self.at),
            State::Member => {
                (self.filled, self.flushed, self.state) = (0, 0, State::Header);
                (self.start, self.header) = (self.at, HeaderWalk::new());
                trace.enter(Name::Member, Value::U64(self.members));
            }
            State::Padding(from) => {
                // Tapes and block devices are filled up with zeros.
                if src.iter().any(|&byte| byte != 0) {
                    return Err(Error::new(ErrorKind::GzipMagic, from));
                }
                self.skip(src, src.len());
                trace.bytes(Part::Padding, Name::Padding, from..self.at, Value::None);
            }
            State::Header => return self.header(src, end, trace),
            State::Broken(error) => return Err(error),
            State::Deflate => return self.inflate(src, end, trace),
            State::Crc => {
                let Some((start, stored)) = self.number(src) else { return Ok(false) };
                trace.bytes(Part::Checksum, Name::Crc32, start..self.at, Value::Hex(stored.into()));
                let verify = self.options.verify;
                if verify == Verify::Skip {
                    self.checksums.unchecked += 1;
                } else {
                    let counted = self.checksums.count(self.crc.value() == stored, verify, ErrorKind::GzipCrc, 0);
                    counted.map_err(|fault| Error::from(fault).offset_by(start))?;
                }
                self.state = State::Size;
            }
            State::Size => {
                let Some((start, stored)) = self.number(src) else { return Ok(false) };
                trace.bytes(Part::Framing, Name::Size, start..self.at, Value::U64(stored.into()));
                // The size is counted modulo 2^32.
                if u64::from(stored) != self.len & u64::from(u32::MAX) {
                    return Err(Error::new(ErrorKind::GzipSize, start));
                }
                trace.leave();
                self.members += 1;
                self.len = 0;
                self.state = State::Member;
            }
        }
        Ok(true)
    }

    /// Moves past the next `len` bytes.
    fn skip(&mut self, src: &mut &[u8], len: usize) {
        *src = src.get(len..).unwrap_or_default();
        self.at += u64_from(len);
    }

    /// Reads the header of a member.
    fn header(&mut self, src: &mut &[u8], end: End, trace: &mut Shifted<'_>) -> Result<bool> {
        let (before, start) = (src.len(), self.start);
        let complete = self.header.feed(src, start, &self.options.limits, trace)?;
        self.at += u64_from(before - src.len());
        if complete {
            self.workspace.inflater().init();
            (self.state, self.data) = (State::Deflate, self.at);
            (self.len, self.crc) = (0, Crc32::new());
        } else if end == End::Here {
            return Err(self.header.truncated(start));
        }
        Ok(complete)
    }

    /// Inflates as much as input and output allow.
    fn inflate(&mut self, src: &mut &[u8], end: End, trace: &mut Shifted<'_>) -> Result<bool> {
        let max_output = self.options.limits.max_output;
        let mut flags = if end == End::Here { 0 } else { inflate_flags::TINFL_FLAG_HAS_MORE_INPUT };
        // Until a window is full for the first time, a match reaches back to the start of the
        // member at most.
        if !self.ring || self.len < u64_from(WINDOW_SIZE) {
            flags |= inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
        }
        let (space, at) = if self.ring {
            if self.filled == WINDOW_SIZE {
                (self.filled, self.flushed) = (0, 0);
            }
            (self.out.get_mut(..WINDOW_SIZE).unwrap_or_default(), self.filled)
        } else {
            // Bytes before this member are no history of it. Bytes beyond the limit are no space.
            let range = index(self.member_start())..index(max_output).min(self.out.len());
            (self.out.get_mut(range).unwrap_or_default(), index(self.len))
        };
        let (status, read, filled) = decompress(self.workspace.inflater(), src, space, at, flags);
        let allowed = filled.min(index(max_output.saturating_sub(self.produced)));
        if self.options.verify != Verify::Skip {
            self.crc.update(space.get(at..at.saturating_add(allowed)).unwrap_or_default());
        }
        self.skip(src, read);
        self.filled += if self.ring { allowed } else { 0 };
        self.len += u64_from(allowed);
        self.produced += u64_from(allowed);
        // The member as a whole is what is too large.
        let limit = Error::new(ErrorKind::OutputLimit, self.start).needing(max_output.saturating_add(1));
        let next = match status {
            _ if allowed < filled => State::Broken(limit),
            TINFLStatus::Done => State::Crc,
            TINFLStatus::HasMoreOutput if self.ring => return Ok(true),
            TINFLStatus::HasMoreOutput if self.produced >= max_output => State::Broken(limit),
            TINFLStatus::HasMoreOutput => State::Broken(Error::new(ErrorKind::OutputTooSmall, self.at)),
            // Bytes that were decoded from the last input leave first.
            TINFLStatus::FailedCannotMakeProgress | TINFLStatus::NeedsMoreInput => return Ok(self.ring && filled > 0),
            _ => State::Broken(Error::new(ErrorKind::GzipDeflate, self.at)),
        };
        self.emit_deflate(trace);
        self.state = next;
        Ok(true)
    }

    /// Emits the deflate stream, as far as it was read.
    fn emit_deflate(&self, trace: &mut Shifted<'_>) {
        trace.bytes(Part::Symbols, Name::Deflate, self.data..self.at, Value::U64(self.len));
    }

    /// Reads a number of four bytes, once all are present. Returns its offset and its value.
    fn number(&mut self, src: &mut &[u8]) -> Option<(u64, u32)> {
        let free = self.number.get_mut(self.gathered..)?;
        let len = free.len().min(src.len());
        copy(src, free);
        self.skip(src, len);
        self.gathered += len;
        if self.gathered < 4 {
            return None;
        }
        self.gathered = 0;
        Some((self.at - 4, u32::from_le_bytes(self.number)))
    }
}

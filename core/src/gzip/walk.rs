//! Walks over a file, member after member. One shot, streams and inspection are this one walk: they differ in how much of the input is
//! there, and where the output goes.

use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::{decompress, inflate_flags};

use super::header::Header;
use super::options::Options;
use super::output::{Output, WINDOW_SIZE};
use super::workspace::Workspace;
use crate::checksum::Crc32;
use crate::num::{copy, index, u64_from};
use crate::step::flush_window;
use crate::{Checksums, Done, End, Error, ErrorKind, Name, Part, Result, Shifted, Status, Trace, Value, Verify};

/// What the next bytes of the input are.
#[derive(Clone, Copy, Debug)]
enum State {
    /// A member, or zeros up to the end of the file.
    Member,
    Header,
    Deflate,
    Crc,
    Size,
    /// Zeros, from this place on.
    Padding(u64),
    /// Nothing, once what was decoded before this has left.
    Broken(Error),
}

/// The state of a walk, apart from the workspace and the output.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    options: Options,
    /// All of the input is there at once, so that no header need be gathered.
    whole: bool,
    state: State,
    /// Bytes of a header that are gathered in a ring, where nobody looks back between two members.
    gathered: usize,
    /// A checksum or a size that is being gathered.
    number: [u8; 4],
    /// Bytes of input used up, with those that are gathered.
    pub(super) at: u64,
    produced: u64,
    members: u64,
    /// The member that is being read: where it starts, where its deflate stream starts, and how many bytes of it there are.
    start: u64,
    data: u64,
    len: u64,
    crc: Crc32,
    checksums: Checksums,
    /// Output in a ring ends here, and before `flushed` it has left.
    filled: usize,
    flushed: usize,
}

impl Walk {
    /// A walk that starts with the first byte of a file.
    pub(super) fn new(options: &Options, whole: bool) -> Self {
        Self {
            options: *options,
            whole,
            state: State::Member,
            gathered: 0,
            number: [0; 4],
            at: 0,
            produced: 0,
            members: 0,
            start: 0,
            data: 0,
            len: 0,
            crc: Crc32::new(),
            checksums: Checksums { matched: 0, mismatched: 0, unchecked: 0 },
            filled: 0,
            flushed: 0,
        }
    }

    /// What there is to say of the file after `read` bytes of it, with the output that was `written`.
    pub(super) fn done(&self, read: usize, written: bool) -> Done {
        Done {
            read,
            wrote: if written { index(self.produced) } else { 0 },
            content: self.produced,
            parts: self.members,
            blocks: 0,
            window: u64_from(WINDOW_SIZE),
            checksums: self.checksums,
        }
    }

    /// The members that are complete.
    pub(super) const fn members(&self) -> u64 {
        self.members
    }

    /// How their checksums turned out.
    pub(super) const fn checksums(&self) -> Checksums {
        self.checksums
    }

    /// Where the output of the member starts that is being read.
    pub(super) const fn member_start(&self) -> u64 {
        self.produced.saturating_sub(self.len)
    }

    /// Reads `src` on until it, the room in `dst` or the file ends. Only a ring needs `dst`.
    pub(super) fn go(
        &mut self,
        src: &mut &[u8],
        end: End,
        (dst, wrote): (&mut [u8], &mut usize),
        output: &mut Output<'_>,
        workspace: &mut Workspace,
        trace: &mut Shifted<'_>,
    ) -> Result<Status> {
        loop {
            // What is decoded leaves before anything else is.
            if let Output::Ring(ring) = output
                && !flush_window(&**ring, &mut self.flushed, self.filled, dst, wrote)
            {
                return Ok(Status::NeedOutput);
            }
            if matches!(self.state, State::Member | State::Padding(_)) && src.is_empty() && self.members > 0 {
                return Ok(if end == End::Here { Status::Done } else { Status::NeedInput });
            }
            let error = match self.advance(src, end, output, workspace, trace) {
                Ok(true) => continue,
                Ok(false) if end == End::NotYet => return Ok(Status::NeedInput),
                Ok(false) => Error::new(ErrorKind::Truncated, self.at.saturating_add(u64_from(src.len()))),
                Err(error) => error,
            };
            // Also of a stream that breaks off.
            if matches!(self.state, State::Deflate | State::Broken(_)) {
                self.emit_deflate(trace);
            }
            return Err(error);
        }
    }

    /// Reads what comes next. False if the input does not reach.
    fn advance(
        &mut self,
        src: &mut &[u8],
        end: End,
        output: &mut Output<'_>,
        workspace: &mut Workspace,
        trace: &mut Shifted<'_>,
    ) -> Result<bool> {
        match self.state {
            State::Member => {
                (self.filled, self.flushed) = (0, 0);
                let zeros = self.members > 0 && src.first() == Some(&0);
                self.state = if zeros { State::Padding(self.at) } else { State::Header };
            }
            State::Padding(from) => {
                // Tapes and block devices are filled up with zeros.
                if src.iter().any(|&byte| byte != 0) {
                    return Err(Error::new(ErrorKind::GzipMagic, from));
                }
                let start = self.at;
                self.skip(src, src.len());
                trace.bytes(Part::Padding, Name::Padding, start..self.at, Value::None);
            }
            State::Header if self.whole => {
                trace.enter(Name::Member, Value::U64(self.members));
                self.start = self.at;
                let header = Header::read_traced(src, self.at, &self.options.limits, trace)?;
                self.skip(src, header.len);
                self.start_member(workspace);
            }
            State::Header => return self.header(src, output, workspace),
            State::Broken(error) => return Err(error),
            State::Deflate => return self.inflate(src, end, output, workspace, trace),
            State::Crc => {
                let Some(stored) = self.number(src) else { return Ok(false) };
                let start = self.at - 4;
                trace.bytes(Part::Checksum, Name::Crc32, start..self.at, Value::Hex(stored.into()));
                if self.options.verify == Verify::Skip {
                    self.checksums.unchecked += 1;
                } else {
                    let counted =
                        self.checksums.count(self.crc.value() == stored, self.options.verify, ErrorKind::GzipCrc, 0);
                    counted.map_err(|fault| Error::from(fault).offset_by(start))?;
                }
                self.state = State::Size;
            }
            State::Size => {
                let Some(stored) = self.number(src) else { return Ok(false) };
                let start = self.at - 4;
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

    /// Gathers a header in the window. It says only while it is read how long it is: field by field, and of a text not before its end.
    fn header(&mut self, src: &mut &[u8], output: &mut Output<'_>, workspace: &mut Workspace) -> Result<bool> {
        let limits = self.options.limits;
        loop {
            let start = self.at - u64_from(self.gathered);
            let bytes = output.bytes().get(..self.gathered).unwrap_or_default();
            let need = match Header::read(bytes, &limits) {
                Ok(_) => {
                    self.start = start;
                    self.gathered = 0;
                    self.start_member(workspace);
                    return Ok(true);
                }
                Err(error) if error.kind == ErrorKind::Truncated => index(error.need),
                Err(error) => return Err(error.offset_by(start)),
            };
            loop {
                let Some((&byte, rest)) = src.split_first() else { return Ok(false) };
                let Some(place) = output.bytes().get_mut(self.gathered) else {
                    return Err(Error::new(ErrorKind::HeaderLimit, start));
                };
                *place = byte;
                *src = rest;
                self.gathered += 1;
                self.at += 1;
                let text = need == 0 && (byte == 0 || u64_from(self.gathered) == limits.max_header);
                if text || self.gathered == need {
                    break;
                }
            }
        }
    }

    /// Starts to inflate after a header.
    fn start_member(&mut self, workspace: &mut Workspace) {
        workspace.start();
        (self.state, self.data, self.len, self.crc) = (State::Deflate, self.at, 0, Crc32::new());
    }

    /// Inflates as much as input and output allow.
    fn inflate(
        &mut self,
        src: &mut &[u8],
        end: End,
        output: &mut Output<'_>,
        workspace: &mut Workspace,
        trace: &mut Shifted<'_>,
    ) -> Result<bool> {
        let max_output = self.options.limits.max_output;
        let (ring, most) = (output.is_ring(), index(max_output));
        let mut flags = if end == End::Here { 0 } else { inflate_flags::TINFL_FLAG_HAS_MORE_INPUT };
        // Until a ring is full for the first time, a match may reach back to the start of the member only.
        if !ring || self.len < u64_from(WINDOW_SIZE) {
            flags |= inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
        }
        let (room, at) = if ring {
            if self.filled == WINDOW_SIZE {
                (self.filled, self.flushed) = (0, 0);
            }
            (output.bytes(), self.filled)
        } else {
            // What lies before this member is no history of it. What exceeds the limit is no room.
            let start = index(self.member_start());
            let room = output.bytes();
            let most = most.min(room.len());
            (room.get_mut(start..most).unwrap_or_default(), index(self.len))
        };
        let (status, read, filled) = decompress(workspace.inflater(), src, room, at, flags);
        let given = filled.min(index(max_output.saturating_sub(self.produced)));
        if self.options.verify != Verify::Skip {
            self.crc.update(room.get(at..at.saturating_add(given)).unwrap_or_default());
        }
        self.skip(src, read);
        self.filled += if ring { given } else { 0 };
        self.len += u64_from(given);
        self.produced += u64_from(given);
        // The member as a whole is what is too large.
        let limit = Error::new(ErrorKind::OutputLimit, self.start).needing(max_output.saturating_add(1));
        if given < filled {
            self.state = State::Broken(limit);
            return Ok(true);
        }
        match status {
            TINFLStatus::Done => {
                self.emit_deflate(trace);
                self.state = State::Crc;
            }
            TINFLStatus::HasMoreOutput if !ring && self.produced >= max_output => return Err(limit),
            TINFLStatus::HasMoreOutput => {
                output.grow(most).map_err(|fault| Error::from(fault).offset_by(self.at))?;
            }
            // What was decoded from the last bytes leaves first.
            TINFLStatus::FailedCannotMakeProgress | TINFLStatus::NeedsMoreInput => return Ok(ring && filled > 0),
            _ => self.state = State::Broken(Error::new(ErrorKind::GzipDeflate, self.at)),
        }
        Ok(true)
    }

    /// Emits the deflate stream, as far as it has been read.
    fn emit_deflate(&self, trace: &mut Shifted<'_>) {
        trace.bytes(Part::Symbols, Name::Deflate, self.data..self.at, Value::U64(self.len));
    }

    /// Reads the next four bytes, once they are there.
    fn number(&mut self, src: &mut &[u8]) -> Option<u32> {
        let place = self.number.get_mut(self.gathered..)?;
        let len = place.len().min(src.len());
        copy(src, place);
        self.skip(src, len);
        self.gathered += len;
        if self.gathered < 4 {
            return None;
        }
        self.gathered = 0;
        Some(u32::from_le_bytes(self.number))
    }
}

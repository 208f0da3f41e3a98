//! A file that comes piece by piece.

use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::{decompress, inflate_flags};

use super::header::Header;
use super::workspace::Workspace;
use crate::checksum::Crc32;
use crate::num::{copy, index, u64_from};
use crate::step::{Pace, give};
use crate::{End, Error, ErrorKind, Limits, Result, Status, Step};

/// How far back deflate can reach.
pub const WINDOW_SIZE: usize = 32 << 10;

/// What comes next.
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

/// Decodes a stream, whatever the pieces that it comes in. Headers have 32 KiB at most, whatever the limits say.
///
/// ```
/// use unspool::{End, Limits, Status, gzip};
/// let file = b"\x1F\x8B\x08\0\0\0\0\0\0\xFF\x01\x05\0\xFA\xFFhello\x86\xA6\x10\x36\x05\0\0\0";
/// let (mut ws, mut window) = (gzip::Workspace::new(), [0; gzip::WINDOW_SIZE]);
/// let mut decoder = gzip::Decoder::new(&mut ws, &mut window, &Limits::DEFAULT);
/// let (mut out, mut piece, mut input) = (Vec::<u8>::new(), [0; 4], &file[..]);
/// loop {
///     let step = decoder.step(input, End::Here, &mut piece)?;
///     out.extend(&piece[..step.wrote]);
///     input = &input[step.read..];
///     if step.status == Status::Done {
///         break;
///     }
/// }
/// assert_eq!(out, b"hello");
/// # Ok::<(), unspool::Error>(())
/// ```
#[derive(Debug)]
pub struct Decoder<'a> {
    ws: &'a mut Workspace,
    /// What was decoded last. Between two members, where nobody looks back, the bytes of a header or a checksum are gathered here.
    window: &'a mut [u8; WINDOW_SIZE],
    limits: Limits,
    state: State,
    gathered: usize,
    /// Bytes of input used up.
    consumed: u64,
    produced: u64,
    members: u64,
    /// Where the member starts that is being read, and how many bytes of it there are.
    start: u64,
    len: u64,
    crc: Crc32,
    /// Output in the window ends here, and before that place it has left.
    at: usize,
    flushed: usize,
    pace: Pace,
}

impl<'a> Decoder<'a> {
    /// A decoder at the start of a stream.
    pub fn new(ws: &'a mut Workspace, window: &'a mut [u8; WINDOW_SIZE], limits: &Limits) -> Self {
        Self {
            ws,
            window,
            // A longer header would not fit in the window.
            limits: Limits { max_header: limits.max_header.min(u64_from(WINDOW_SIZE)), ..*limits },
            state: State::Member,
            gathered: 0,
            consumed: 0,
            produced: 0,
            members: 0,
            start: 0,
            len: 0,
            crc: Crc32::new(),
            at: 0,
            flushed: 0,
            pace: Pace::NEW,
        }
    }

    /// The members that are complete, each of whose checksums is right.
    pub const fn members(&self) -> u64 {
        self.members
    }

    /// Reads from `src`, writes to `dst`, and says what to do next. What was decoded before an error leaves before it is
    /// reported; then it stays. A second call in a row with nothing to work with is one.
    pub fn step(&mut self, src: &[u8], end: End, dst: &mut [u8]) -> Result<Step> {
        self.pace.error()?;
        let (mut rest, mut wrote) = (src, 0);
        let status = self.go(&mut rest, end, dst, &mut wrote);
        self.pace.step(src.len() - rest.len(), wrote, status, self.consumed)
    }

    fn go(&mut self, src: &mut &[u8], end: End, dst: &mut [u8], wrote: &mut usize) -> Result<Status> {
        loop {
            // What is decoded leaves before anything else is.
            if !give(self.window, &mut self.flushed, self.at, dst, wrote) {
                return Ok(Status::NeedOutput);
            }
            if matches!(self.state, State::Member | State::Padding(_)) && src.is_empty() && self.members > 0 {
                return Ok(if end == End::Here { Status::Done } else { Status::NeedInput });
            }
            if !self.advance(src, end)? {
                if end == End::Here {
                    return Err(Error::new(ErrorKind::Truncated, self.consumed));
                }
                return Ok(Status::NeedInput);
            }
        }
    }

    /// Reads what comes next. False if the input does not reach.
    fn advance(&mut self, src: &mut &[u8], end: End) -> Result<bool> {
        match self.state {
            State::Member => {
                (self.at, self.flushed) = (0, 0);
                let zeros = self.members > 0 && src.first() == Some(&0);
                self.state = if zeros { State::Padding(self.consumed) } else { State::Header };
            }
            State::Padding(from) => {
                if src.iter().any(|&byte| byte != 0) {
                    return Err(Error::new(ErrorKind::GzipMagic, from));
                }
                self.consumed += u64_from(src.len());
                *src = &[];
            }
            State::Header => return self.header(src),
            State::Broken(error) => return Err(error),
            State::Deflate => return self.inflate(src, end),
            State::Crc => {
                let Some(stored) = self.number(src) else { return Ok(false) };
                if stored != self.crc.value() {
                    return Err(self.before(ErrorKind::GzipCrc, 4));
                }
                self.state = State::Size;
            }
            State::Size => {
                let Some(stored) = self.number(src) else { return Ok(false) };
                // The size is counted modulo 2^32.
                if u64::from(stored) != self.len & u64::from(u32::MAX) {
                    return Err(self.before(ErrorKind::GzipSize, 4));
                }
                self.members += 1;
                self.state = State::Member;
            }
        }
        Ok(true)
    }

    /// Gathers a header. It says only while it is read how long it is: field by field, and of a text not before its end.
    fn header(&mut self, src: &mut &[u8]) -> Result<bool> {
        loop {
            let start = self.consumed - u64_from(self.gathered);
            let bytes = self.window.get(..self.gathered).unwrap_or_default();
            let need = match Header::read(bytes, 0, &self.limits) {
                Ok(_) => {
                    (self.state, self.gathered, self.len, self.crc) = (State::Deflate, 0, 0, Crc32::new());
                    self.start = start;
                    self.ws.start();
                    return Ok(true);
                }
                Err(error) if error.kind == ErrorKind::Truncated => index(error.need),
                Err(error) => return Err(error.offset_by(start)),
            };
            loop {
                let Some((&byte, rest)) = src.split_first() else { return Ok(false) };
                let Some(place) = self.window.get_mut(self.gathered) else {
                    return Err(self.before(ErrorKind::HeaderLimit, self.gathered));
                };
                *place = byte;
                *src = rest;
                self.gathered += 1;
                self.consumed += 1;
                let text = need == 0 && (byte == 0 || u64_from(self.gathered) == self.limits.max_header);
                if text || self.gathered == need {
                    break;
                }
            }
        }
    }

    fn inflate(&mut self, src: &mut &[u8], end: End) -> Result<bool> {
        if self.at == WINDOW_SIZE {
            (self.at, self.flushed) = (0, 0);
        }
        let mut flags = if end == End::Here { 0 } else { inflate_flags::TINFL_FLAG_HAS_MORE_INPUT };
        // Until the window is full for the first time, a match may reach back to the start of the member only.
        if self.len < u64_from(WINDOW_SIZE) {
            flags |= inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
        }
        let (status, read, filled) = decompress(self.ws.inflater(), src, self.window.as_mut_slice(), self.at, flags);
        *src = src.get(read..).unwrap_or_default();
        self.consumed += u64_from(read);
        let left = self.limits.max_output.saturating_sub(self.produced);
        let given = filled.min(index(left));
        self.crc.update(self.window.get(self.at..self.at + given).unwrap_or_default());
        self.at += given;
        self.len += u64_from(given);
        self.produced += u64_from(given);
        if given < filled {
            let need = self.limits.max_output.saturating_add(1);
            self.state = State::Broken(Error::new(ErrorKind::OutputLimit, self.start).needing(need));
            return Ok(true);
        }
        match status {
            TINFLStatus::Done => self.state = State::Crc,
            TINFLStatus::HasMoreOutput => {}
            // What came out of the last bytes leaves first.
            TINFLStatus::FailedCannotMakeProgress | TINFLStatus::NeedsMoreInput => return Ok(filled > 0),
            _ => self.state = State::Broken(Error::new(ErrorKind::GzipDeflate, self.consumed)),
        }
        Ok(true)
    }

    /// The next four bytes, once they are there. The window has been given.
    fn number(&mut self, src: &mut &[u8]) -> Option<u32> {
        let (now, rest) = src.split_at(src.len().min(4 - self.gathered));
        copy(now, self.window.get_mut(self.gathered..)?);
        *src = rest;
        self.gathered += now.len();
        self.consumed += u64_from(now.len());
        let bytes = self.window.first_chunk().filter(|_| self.gathered == 4)?;
        self.gathered = 0;
        Some(u32::from_le_bytes(*bytes))
    }

    /// What is wrong with the last bytes.
    fn before(&self, kind: ErrorKind, len: usize) -> Error {
        Error::new(kind, self.consumed - u64_from(len))
    }
}

//! Files that come piece by piece and leave piece by piece.

use super::block::Frame;
use super::decode::{checksum, spend};
use super::dictionary::Options;
use super::flavour::Flavour;
use super::header::{Block, BlockKind, FrameHeader, Header, MAX_FRAME_HEADER};
use super::workspace::Workspace;
use crate::checksum::Xxh64;
use crate::fault::Fault;
use crate::num::{copy, index, u64_from};
use crate::step::{Pace, give};
use crate::{End, Error, ErrorKind, Limits, Result, Status, Step};

impl FrameHeader {
    /// How many bytes a [`Decoder`] needs for the window of this frame: the history that matches refer to, the block that
    /// is being written, and a block of input, because blocks are read from their end.
    pub fn stream_buffer(&self) -> u64 {
        let block = u64_from(self.max_block());
        let history = self.window.saturating_add(2 * block);
        self.content_size.map_or(history, |size| size.min(history)).saturating_add(block.max(1))
    }
}

/// What the next bytes of the input are.
#[derive(Clone, Copy, Debug)]
enum State {
    FrameHeader,
    Skip(u64),
    /// None yet: a frame whose header was read starts once the window is large enough.
    Window,
    BlockHeader,
    Block(Block),
    Checksum,
}

/// Decodes a stream, whatever the pieces that it comes in.
///
/// The caller lends a window, and asks [`FrameHeader::stream_buffer`] how large it must be: at most the window size of the
/// frame and three blocks. A frame that wants more is refused before any of it is decoded, and goes on when that is [lent](Self::lend). A stream cannot be looked through before it is decoded, so that a draft frame must be
/// announced in [`Options::flavour`]; otherwise the magic `28` means RFC 8878 and `27` means v0.7.
///
/// ```
/// use unspool::{End, Limits, Status, zstd};
/// let file = b"\x28\xB5\x2F\xFD\x20\x09\x18\0\0zst\x33\0\0d";
/// let (mut ws, mut window) = (zstd::Workspace::new(), [0; 64]);
/// let mut decoder = zstd::Decoder::new(&mut ws, &mut window, &Limits::DEFAULT, &zstd::Options::DEFAULT);
/// let (mut out, mut piece, mut input) = (Vec::<u8>::new(), [0; 4], &file[..]);
/// loop {
///     let step = decoder.step(input, End::Here, &mut piece)?;
///     out.extend(&piece[..step.wrote]);
///     input = &input[step.read..];
///     if step.status == Status::Done {
///         break;
///     }
/// }
/// assert_eq!(out, b"zstdddddd");
/// # Ok::<(), unspool::Error>(())
/// ```
#[derive(Debug)]
pub struct Decoder<'a> {
    ws: &'a mut Workspace,
    window: &'a mut [u8],
    limits: Limits,
    options: Options<'a>,
    flavour: Option<Flavour>,
    state: State,
    /// The frame that is being read.
    frame: Frame<'a>,
    /// The start of a header that is not complete.
    head: [u8; MAX_FRAME_HEADER],
    /// How much of a header or a block is gathered.
    gathered: usize,
    /// Bytes of input used up, not counting those that are gathered.
    consumed: u64,
    produced: u64,
    /// Frames of data that are complete, and their checksums.
    frames: u64,
    checksums: u64,
    hash: Xxh64,
    /// The window holds output up to here, and then the rest of its last lap up to there.
    at: usize,
    lap_end: usize,
    /// Output before this place has left.
    flushed: usize,
    pace: Pace,
}

impl<'a> Decoder<'a> {
    /// A decoder at the start of a stream.
    pub fn new(ws: &'a mut Workspace, window: &'a mut [u8], limits: &Limits, options: &Options<'a>) -> Self {
        Self {
            ws,
            window,
            limits: *limits,
            options: *options,
            flavour: options.flavour,
            state: State::FrameHeader,
            frame: Frame::NONE,
            head: [0; MAX_FRAME_HEADER],
            gathered: 0,
            consumed: 0,
            produced: 0,
            frames: 0,
            checksums: 0,
            hash: Xxh64::new(),
            at: 0,
            lap_end: 0,
            flushed: 0,
            pace: Pace::NEW,
        }
    }

    /// Reads from `src`, writes to `dst`, and says what to do next. What was decoded before an error leaves before it is
    /// reported; then it stays. A second call in a row with nothing to work with is one.
    pub fn step(&mut self, src: &[u8], end: End, dst: &mut [u8]) -> Result<Step> {
        self.pace.error()?;
        let (mut rest, mut wrote) = (src, 0);
        let status = self.go(&mut rest, end, dst, &mut wrote);
        let read = src.len() - rest.len();
        match status {
            Err(error) if error.kind == ErrorKind::ZstdWindowBuffer => self.pace.wants_window(read, wrote, error),
            _ => self.pace.step(read, wrote, status, self.consumed + u64_from(self.gathered)),
        }
    }

    /// Lends another window, after [`ZstdWindowBuffer`](ErrorKind::ZstdWindowBuffer) has told how large it must be. At any other time
    /// the window is in use: it stays, and the answer is [`WindowInUse`](ErrorKind::WindowInUse).
    pub fn lend(&mut self, window: &'a mut [u8]) -> Result<()> {
        if !matches!(self.state, State::Window) {
            return Err(Error::new(ErrorKind::WindowInUse, self.consumed));
        }
        self.window = window;
        Ok(())
    }

    /// The frames of data that are complete.
    pub const fn frames(&self) -> u64 {
        self.frames
    }

    /// The checksums that were compared and found right.
    pub const fn checksums(&self) -> u64 {
        self.checksums
    }

    fn go(&mut self, src: &mut &[u8], end: End, dst: &mut [u8], wrote: &mut usize) -> Result<Status> {
        loop {
            // What is decoded leaves before anything else is.
            if !give(self.window, &mut self.flushed, self.at, dst, wrote) {
                return Ok(Status::NeedOutput);
            }
            let between = matches!(self.state, State::FrameHeader) && self.gathered == 0;
            if between && src.is_empty() && end == End::Here && self.consumed > 0 {
                return Ok(Status::Done);
            }
            if !self.advance(src)? {
                if end == End::Here {
                    let all = self.consumed + u64_from(self.gathered + src.len());
                    return Err(Error::new(ErrorKind::Truncated, all));
                }
                return Ok(Status::NeedInput);
            }
        }
    }

    /// Reads one header or one block. False if the input does not reach.
    fn advance(&mut self, src: &mut &[u8]) -> Result<bool> {
        match self.state {
            State::FrameHeader => return self.frame_header(src),
            State::Skip(left) => {
                let len = left.min(u64_from(src.len()));
                *src = src.get(index(len)..).unwrap_or_default();
                self.consumed += len;
                self.state = if len == left { State::FrameHeader } else { State::Skip(left - len) };
                return Ok(len == left);
            }
            State::Window => {
                let need = self.frame.header.stream_buffer();
                if need > u64_from(self.window.len()) {
                    return Err(Error::new(ErrorKind::ZstdWindowBuffer, self.consumed).needing(need));
                }
                self.hash = Xxh64::new();
                (self.at, self.flushed, self.lap_end) = (0, 0, 0);
                self.consumed += u64_from(self.frame.header.len);
                self.state = State::BlockHeader;
            }
            State::BlockHeader => {
                let Some(bytes) = self.gather::<3>(src) else { return Ok(false) };
                let Frame { flavour, header, .. } = &self.frame;
                let block = flavour.block(bytes);
                block.check(*flavour, header, 0).map_err(|fault| self.here(fault))?;
                if block.kind == BlockKind::End {
                    self.end_frame(Some(block.size))?;
                    self.consumed += 3;
                } else {
                    self.consumed += 3;
                    self.state = State::Block(block);
                }
            }
            State::Block(block) => return self.block(src, block),
            State::Checksum => {
                let Some(bytes) = self.gather::<4>(src) else { return Ok(false) };
                self.end_frame(Some(u32::from_le_bytes(bytes)))?;
                self.consumed += 4;
            }
        }
        Ok(true)
    }

    /// The next `N` bytes, once they are there.
    fn gather<const N: usize>(&mut self, src: &mut &[u8]) -> Option<[u8; N]> {
        while self.gathered < N {
            let (&byte, rest) = src.split_first()?;
            *self.head.get_mut(self.gathered)? = byte;
            self.gathered += 1;
            *src = rest;
        }
        self.gathered = 0;
        self.head.first_chunk().copied()
    }

    #[cfg_attr(feature = "small", inline(never))]
    fn frame_header(&mut self, src: &mut &[u8]) -> Result<bool> {
        // A header says only while it is read how long it is.
        let header = loop {
            let first = if self.gathered > 0 { self.head.first() } else { src.first() };
            let magicless = self.options.magicless;
            let by_magic = if first == Some(&0x27) && !magicless { Flavour::V07 } else { Flavour::Rfc8878 };
            let flavour = self.flavour.unwrap_or(by_magic);
            let whole = self.gathered == 0;
            let bytes = if whole { *src } else { self.head.get(..self.gathered).unwrap_or_default() };
            match Header::read_at(bytes, 0, flavour, magicless, &mut ()) {
                Ok(header) => {
                    let len = match header {
                        Header::Skippable { .. } => 8,
                        Header::Frame(frame) => {
                            self.flavour = Some(flavour);
                            frame.len
                        }
                    };
                    if whole {
                        *src = src.get(len..).unwrap_or_default();
                    }
                    self.gathered = 0;
                    break header;
                }
                Err(fault) if fault.kind == ErrorKind::Truncated => {
                    let Some((&byte, rest)) = src.split_first() else { return Ok(false) };
                    let Some(place) = self.head.get_mut(self.gathered) else { return Err(self.here(fault)) };
                    *place = byte;
                    self.gathered += 1;
                    *src = rest;
                }
                Err(fault) => return Err(self.here(fault)),
            }
        };
        let here = |error: Error| error.offset_by(self.consumed);
        self.state = match header {
            Header::Skippable { size, .. } => {
                self.consumed += 8;
                State::Skip(size.into())
            }
            Header::Frame(header) => {
                header.check(&self.limits, self.produced, 0).map_err(here)?;
                // A frame of one segment is its own window, and here somebody has to keep it.
                if header.window > self.limits.max_window {
                    return Err(Error::new(ErrorKind::WindowLimit, self.consumed).needing(header.window));
                }
                let flavour = self.flavour.unwrap_or(Flavour::Rfc8878);
                self.frame.start(flavour, &header, self.options.dictionary, self.ws, 0).map_err(here)?;
                State::Window
            }
        };
        Ok(true)
    }

    /// A block, in one piece of the input or gathered at the end of the window.
    #[cfg_attr(feature = "small", inline(never))]
    fn block(&mut self, src: &mut &[u8], block: Block) -> Result<bool> {
        let stored = block.stored();
        let frame = &mut self.frame;
        let max = frame.header.max_block();
        let (window, input) = self.window.split_at_mut(self.window.len().saturating_sub(max.max(1)));
        let bytes = if self.gathered == 0 && src.len() >= stored {
            let (bytes, rest) = src.split_at_checked(stored).unwrap_or((src, &[]));
            *src = rest;
            bytes
        } else {
            let room = input.get_mut(self.gathered..stored).unwrap_or_default();
            let len = room.len().min(src.len());
            copy(src.get(..len).unwrap_or_default(), room);
            *src = src.get(len..).unwrap_or_default();
            self.gathered += len;
            if self.gathered < stored {
                return Ok(false);
            }
            self.gathered = 0;
            input.get(..stored).unwrap_or_default()
        };
        let here = |fault: Fault| Error::from(fault).offset_by(self.consumed);
        let (limit, _) = frame.limit();
        // If the block might not fit behind the last one, a new lap begins: what is in the window stays before it, and is
        // overwritten from its start.
        if window.len() - self.at < limit {
            self.lap_end = self.at;
            (self.at, self.flushed) = (0, 0);
        }
        let at = self.at;
        let (out, older) = window.split_at_mut_checked(at + limit).unwrap_or_default();
        let older = older.get(..self.lap_end.saturating_sub(at + limit)).unwrap_or_default();
        let before = (self.lap_end > 0).then_some(older);
        let end = frame.block(block, bytes, self.ws, before, out, at).map_err(here)?;
        let new = out.get(at..end).unwrap_or_default();
        if frame.header.checksum && self.options.verify {
            self.hash.update(new);
        }
        let len = u64_from(end - at);
        let spent = spend(&mut self.produced, len, &self.limits, 0);
        spent.map_err(|fault| here(fault).needing(self.produced))?;
        frame.produced += len;
        self.at = end;
        self.consumed += u64_from(stored);
        self.state = State::BlockHeader;
        if block.last {
            if frame.header.checksum {
                frame.check_size(0).map_err(|fault| self.here(fault))?;
                self.state = State::Checksum;
            } else {
                self.end_frame(None)?;
            }
        }
        Ok(true)
    }

    /// A fault of what comes next.
    fn here(&self, fault: Fault) -> Error {
        Error::from(fault).offset_by(self.consumed)
    }

    /// The frame is complete, and this is its checksum if it has one.
    fn end_frame(&mut self, stored: Option<u32>) -> Result<()> {
        let frame = &self.frame;
        frame.check_size(0).map_err(|fault| self.here(fault))?;
        if let Some(stored) = stored
            && frame.header.checksum
            && self.options.verify
        {
            checksum(frame.flavour, self.hash.value(), stored, 0).map_err(|fault| self.here(fault))?;
            self.checksums += 1;
        }
        self.frames += 1;
        self.state = State::FrameHeader;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zstd::decoded_size;

    /// Runs of 128 KiB until they are more than 32 bits can count, a raw block, and a match of three bytes from `offset` back.
    fn long(size: Option<u64>, offset: u32) -> Vec<u8> {
        let mut file = b"\x28\xB5\x2F\xFD".to_vec();
        match size {
            None => file.extend([0, 7 << 3]),
            Some(size) => {
                file.extend([0xC0, 7 << 3]);
                file.extend(size.to_le_bytes());
            }
        }
        for _ in 0..RUNS {
            file.extend((1u32 << 20 | 1 << 1).to_le_bytes()[..3].iter().chain(&[0x11]));
        }
        file.extend(&(1u32 << 20).to_le_bytes()[..3]);
        file.extend((0..1u32 << 17).map(|at| (at % 251) as u8));
        // No literals, one sequence, three tables of one symbol: no literals, an offset of 17 bits, a length of three.
        let [a, b, c, _] = (offset + 3).to_le_bytes();
        file.extend(&(9u32 << 3 | 2 << 1 | 1).to_le_bytes()[..3]);
        file.extend([0, 1, 0x54, 0, 17, 0, a, b, c]);
        file
    }

    const RUNS: u64 = (1 << 15) + 5;
    const CONTENT: u64 = ((RUNS + 1) << 17) + 3;

    #[test]
    #[cfg_attr(miri, ignore = "four billion bytes")]
    fn more_bytes_than_32_bits_count() {
        let (mut ws, mut window) = (Workspace::new(), vec![0; 5 << 17]);
        let mut run = |file: &[u8], limits: &Limits| {
            let mut decoder = Decoder::new(&mut ws, &mut window, limits, &Options::DEFAULT);
            let (mut rest, mut piece, mut all, mut last) = (file, vec![0; 1 << 18], 0, Vec::<u8>::new());
            loop {
                match decoder.step(rest, End::Here, &mut piece) {
                    Err(error) => return (all, Err(error), last),
                    Ok(step) => {
                        all += u64_from(step.wrote);
                        rest = &rest[step.read..];
                        last.extend(&piece[..step.wrote]);
                        last.drain(..last.len().saturating_sub(6));
                        if step.status == Status::Done {
                            return (all, Ok(()), last);
                        }
                    }
                }
            }
        };
        let far = long(Some(CONTENT), 1 << 17);
        let (all, done, last) = run(&far, &Limits::DEFAULT);
        assert_eq!((all, done), (CONTENT, Ok(())));
        assert_eq!(last[3..], [0, 1, 2]);
        let tight = Limits { max_output: CONTENT - 1, ..Limits::DEFAULT };
        let too_far = long(None, (1 << 17) + 1);
        let (all, done, _) = run(&too_far, &Limits::DEFAULT);
        assert!(all > 1 << 32, "what the failing call wrote is not told");
        let place = u64_from(too_far.len()) - 3;
        assert_eq!(done.map_err(|error| (error.kind, error.at)), Err((ErrorKind::ZstdOffset, place)));
        let mut count = |file: &[u8], limits: &Limits| decoded_size(file, &mut ws, limits, &Options::DEFAULT);
        assert_eq!(count(&far, &Limits::DEFAULT), Ok(CONTENT));
        let limited = |error: Error| (error.kind, error.need);
        assert_eq!(count(&far, &tight).map_err(limited), Err((ErrorKind::OutputLimit, CONTENT)));
        assert_eq!(count(&long(None, 1 << 17), &tight).map_err(limited), Err((ErrorKind::OutputLimit, CONTENT)));
        // The same but for 2^32.
        let wrong = count(&long(Some(CONTENT - (1 << 32)), 1 << 17), &Limits::DEFAULT);
        assert_eq!(wrong.map_err(|error| error.kind), Err(ErrorKind::ZstdContentSize));
    }
}

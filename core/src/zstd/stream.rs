//! The doors for files that arrive in pieces and are written in pieces.

use core::ops::Range;

use super::block::Direct;
use super::detect::flavour;
use super::flavour::{BlockHeader, Flavour};
use super::header::MAX_FRAME_HEADER;
use super::machine::{Machine, Purpose};
use super::options::Options;
use super::walk::Upcoming;
use super::workspace::Workspace;
use crate::entropy::low32;
use crate::num::{copy, index, u64_from};
use crate::step::{StepGuard, flush_window};
use crate::store::{Pages, Ring};
use crate::tuning::SMALL;
use crate::{Done, End, Error, ErrorKind, Result, Sink, Status, Step};

/// Decodes a stream that is split into pieces anywhere.
///
/// The caller lends a window, whose length
/// [`FrameHeader::stream_buffer`](super::FrameHeader::stream_buffer) returns: at most the window
/// size of the frame plus three blocks, or one block with the feature `small`. A frame that needs
/// more is refused before any of it is decoded. Decoding continues once a larger window is
/// [lent](Self::lend).
///
/// A stream cannot be read ahead, so that a draft frame must be announced in [`Options::flavour`].
/// Otherwise the magic number `28` means RFC 8878 and `27` means v0.7.
///
/// ```
/// use unspool::{End, Status, zstd};
/// let file = b"\x28\xB5\x2F\xFD\x20\x09\x18\0\0zst\x33\0\0d";
/// let (mut workspace, mut window) = (zstd::Workspace::new(), [0; 64]);
/// let mut decoder = zstd::Decoder::new(&mut workspace, &mut window, &zstd::Options::DEFAULT);
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
    workspace: &'a mut Workspace,
    window: &'a mut [u8],
    machine: Machine<'a>,
    /// The flavour is known.
    announced: bool,
    /// A frame header was read, but its window was not yet compared with the one that is lent.
    wants_window: bool,
    /// The start of an incomplete header.
    head: [u8; MAX_FRAME_HEADER],
    /// Bytes of a header or a block that are gathered.
    gathered: usize,
    /// Bytes of input that are consumed, without those that are gathered.
    consumed: u64,
    /// The end of the output in the window. After it, up to `lap_end`, is the rest of the last lap.
    at: usize,
    lap_end: usize,
    /// The output before this place was returned.
    flushed: usize,
    guard: StepGuard,
}

impl<'a> Decoder<'a> {
    /// Returns a decoder at the start of a stream.
    pub fn new(workspace: &'a mut Workspace, window: &'a mut [u8], options: &Options<'a>) -> Self {
        let flavour = options.flavour.unwrap_or(Flavour::Rfc8878);
        Self {
            workspace,
            window,
            machine: Machine::new(options, flavour, Purpose::Stream, u64::MAX),
            announced: options.flavour.is_some() || options.magicless,
            wants_window: false,
            head: [0; MAX_FRAME_HEADER],
            gathered: 0,
            consumed: 0,
            at: 0,
            lap_end: 0,
            flushed: 0,
            guard: StepGuard::NEW,
        }
    }

    /// Reads from `src`, writes to `dst`, and returns the action that the caller must take.
    ///
    /// Bytes that were decoded before an error are returned first. After that every call returns
    /// the error. A second call in a row that has nothing to work with is an error.
    pub fn step(&mut self, src: &[u8], end: End, dst: &mut [u8]) -> Result<Step> {
        self.guard.error()?;
        let (mut rest, mut wrote) = (src, 0);
        let status = self.go(&mut rest, end, dst, &mut wrote);
        let read = src.len() - rest.len();
        match status {
            Err(error) if error.kind == ErrorKind::ZstdWindowBuffer => self.guard.wants_window(read, wrote, error),
            _ => self.guard.step(read, wrote, status, self.consumed + u64_from(self.gathered)),
        }
    }

    /// Lends another window, after [`ZstdWindowBuffer`](ErrorKind::ZstdWindowBuffer) has reported
    /// its length. At any other time the window is in use: it stays, and the error is
    /// [`WindowInUse`](ErrorKind::WindowInUse).
    pub fn lend(&mut self, window: &'a mut [u8]) -> Result<()> {
        if !self.wants_window {
            return Err(Error::new(ErrorKind::WindowInUse, self.consumed));
        }
        self.window = window;
        Ok(())
    }

    /// Returns the progress: [`Done::read`] and [`Done::wrote`] count what is complete so far.
    pub fn done(&self) -> Done {
        Done { read: index(self.consumed), ..self.machine.done }
    }

    fn go(&mut self, src: &mut &[u8], end: End, dst: &mut [u8], wrote: &mut usize) -> Result<Status> {
        loop {
            // Decoded bytes are returned before anything else is decoded.
            let ready = self.ready();
            if !flush_window(self.window, &mut self.flushed, ready.end, dst, wrote) {
                return Ok(Status::NeedOutput);
            }
            if ready.end < self.at {
                continue;
            }
            if src.is_empty() && end == End::Here && self.may_end() {
                return Ok(Status::Done);
            }
            if !self.advance(src)? {
                if end == End::Here {
                    return Err(self.cut(src));
                }
                return Ok(Status::NeedInput);
            }
        }
    }

    /// Returns the bytes of input that the end of the window has room for: a block.
    fn input_len(&self) -> usize {
        self.machine.frame.walk.header.max_block().max(1)
    }

    /// Returns the place of decoded bytes to return. After the end of a ring, they go on at its
    /// start.
    fn ready(&mut self) -> Range<usize> {
        let end = self.window.len().saturating_sub(self.input_len());
        if self.flushed == end && self.at > end {
            (self.flushed, self.at) = (0, self.at - end);
        }
        self.flushed..self.at.min(end)
    }

    /// Returns whether the stream may end here.
    fn may_end(&self) -> bool {
        self.machine.frame.walk.is_between_frames() && self.gathered == 0 && self.consumed > 0
    }

    /// Returns the error of a truncated stream.
    #[cold]
    fn cut(&self, src: &[u8]) -> Error {
        Error::new(ErrorKind::Truncated, self.consumed + u64_from(self.gathered + src.len()))
    }

    /// Reads one header or one block. Returns false if it needs more input.
    fn advance(&mut self, src: &mut &[u8]) -> Result<bool> {
        if self.wants_window {
            return self.start_window();
        }
        match self.machine.frame.walk.next {
            Upcoming::Skippable(left) => {
                let len = u64::from(left).min(u64_from(src.len()));
                *src = src.get(index(len)..).unwrap_or_default();
                self.consumed += len;
                let left = left.saturating_sub(low32(len));
                self.machine.frame.walk.next = if left == 0 { Upcoming::Frame } else { Upcoming::Skippable(left) };
                Ok(left == 0)
            }
            Upcoming::Content(block) => self.block(src, block),
            Upcoming::Frame | Upcoming::BlockHeader | Upcoming::Checksum => self.field(src),
        }
    }

    /// Compares the window with the need of the frame.
    fn start_window(&mut self) -> Result<bool> {
        let header = self.machine.frame.walk.header;
        let need = header.stream_buffer();
        if need > u64_from(self.window.len()) {
            return Err(Error::new(ErrorKind::ZstdWindowBuffer, self.consumed).needing(need));
        }
        self.consumed += u64_from(header.len);
        self.wants_window = false;
        Ok(true)
    }

    /// Reads a header or a checksum, from the input or from the bytes that were gathered.
    fn field(&mut self, src: &mut &[u8]) -> Result<bool> {
        loop {
            // The length of a frame header shows only while it is read.
            let gathered = self.head.get(..self.gathered).filter(|gathered| !gathered.is_empty());
            let bytes = gathered.unwrap_or(src);
            let walk = &mut self.machine.frame.walk;
            if !self.announced && walk.is_between_frames() {
                walk.flavour = bytes.first().map_or(Flavour::Rfc8878, |&first| Flavour::of(first));
            }
            let starts_frame = walk.is_between_frames();
            let step = match SMALL {
                true => self.machine.step(bytes, 0, &mut Pages::ring(&mut Ring, &mut [], 0), self.workspace, &mut ()),
                false => self.machine.step(bytes, 0, &mut self.machine.output(&mut []), self.workspace, &mut ()),
            };
            match step {
                Ok(len) => {
                    if self.gathered == 0 {
                        *src = src.get(len..).unwrap_or_default();
                    }
                    self.gathered = 0;
                    if starts_frame && matches!(self.machine.frame.walk.next, Upcoming::BlockHeader) {
                        (self.announced, self.wants_window) = (true, true);
                        (self.at, self.flushed, self.lap_end) = (0, 0, 0);
                    } else {
                        self.consumed += u64_from(len);
                    }
                    return Ok(true);
                }
                Err(fault) if fault.kind == ErrorKind::Truncated => {
                    let Some((&byte, rest)) = src.split_first() else { return Ok(false) };
                    let Some(place) = self.head.get_mut(self.gathered) else { return Ok(false) };
                    (*place, *src) = (byte, rest);
                    self.gathered += 1;
                }
                Err(fault) => return Err(self.machine.error(fault, self.consumed)),
            }
        }
    }

    /// Decodes a block, from the input or from the end of the window where it was gathered.
    fn block(&mut self, src: &mut &[u8], block: BlockHeader) -> Result<bool> {
        let stored = block.stored();
        let (window, input) = self.window.split_at_mut(self.window.len().saturating_sub(self.input_len()));
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
        let frame = &self.machine.frame;
        let produced = frame.produced;
        let step = if SMALL {
            let (mut store, at) = (Ring, self.at);
            let mut output = Pages::ring(&mut store, window, at);
            self.machine.step(bytes, 0, &mut output, self.workspace, &mut ())
        } else {
            let limit = frame.most(block);
            // If the block might not fit after the last one, a new lap begins at the start of the
            // window. The old output remains history until it is overwritten.
            if window.len() - self.at < limit {
                self.lap_end = self.at;
                (self.at, self.flushed) = (0, 0);
            }
            let at = self.at;
            let (out, older) = window.split_at_mut_checked(at + limit).unwrap_or_default();
            let older = older.get(..self.lap_end.saturating_sub(at + limit)).unwrap_or_default();
            let before = (self.lap_end > 0).then_some(older);
            let mut output = Direct::Slice { before, out, at };
            self.machine.step(bytes, 0, &mut output, self.workspace, &mut ())
        };
        let read = match step {
            Ok(read) => read,
            Err(fault) => return Err(self.machine.error(fault, self.consumed)),
        };
        self.at += index(self.machine.frame.produced - produced);
        self.consumed += u64_from(read);
        Ok(true)
    }
}

/// Decodes a file to a sink, through a window of the length that
/// [`stream_buffer`](super::stream_buffer) returns.
///
/// ```
/// use unspool::zstd::{self, Options, Workspace};
/// let (mut out, mut window) = (Vec::<u8>::new(), [0; 64]);
/// let mut sink = |bytes: &[u8]| {
///     out.extend(bytes);
///     Ok(())
/// };
/// let file = b"\x28\xB5\x2F\xFD\x20\x09\x18\0\0zst\x33\0\0d";
/// zstd::decode_to(file, &mut sink, &mut Workspace::new(), &mut window, &Options::DEFAULT)?;
/// assert_eq!(out, b"zstdddddd");
/// # Ok::<(), unspool::Error>(())
/// ```
pub fn decode_to(
    src: &[u8],
    sink: &mut impl Sink,
    workspace: &mut Workspace,
    window: &mut [u8],
    options: &Options<'_>,
) -> Result<Done> {
    let options = Options { flavour: Some(flavour(src, options)), ..*options };
    let mut decoder = Decoder::new(workspace, window, &options);
    let mut rest = src;
    loop {
        let ready = decoder.ready();
        if !ready.is_empty() {
            decoder.flushed = ready.end;
            sink.write(decoder.window.get(ready).unwrap_or_default())?;
            continue;
        }
        if rest.is_empty() && decoder.may_end() {
            return Ok(decoder.done());
        }
        if !decoder.advance(&mut rest)? {
            return Err(decoder.cut(rest));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zstd::decoded_len;
    use crate::{Limits, Verify};

    /// A text of 64 KiB in blocks of 4 KiB, whose window is as long: it wraps within blocks.
    const FILE: &[u8] = include_bytes!("../../../tests/size/data/text-w12.zst");
    /// The text is compared, and builds of RFC 8878 alone have no checksum.
    const UNCHECKED: Options<'_> = Options { verify: Verify::Skip, ..Options::DEFAULT };

    /// Returns the output of a stream in pieces, and its error.
    fn stream(
        file: &[u8],
        window: &mut [u8],
        mut split: impl FnMut() -> (usize, usize),
    ) -> (Vec<u8>, Option<ErrorKind>) {
        let mut workspace = Workspace::new();
        let mut decoder = Decoder::new(&mut workspace, window, &UNCHECKED);
        let (mut rest, mut out) = (file, vec![]);
        loop {
            let (input, output) = split();
            let (piece, after) = rest.split_at(input.min(rest.len()));
            let mut room = vec![0; output];
            match decoder.step(piece, if after.is_empty() { End::Here } else { End::NotYet }, &mut room) {
                Err(error) => return (out, Some(error.kind)),
                Ok(step) => {
                    out.extend(&room[..step.wrote]);
                    rest = &rest[step.read..];
                    if step.status == Status::Done {
                        return (out, None);
                    }
                }
            }
        }
    }

    #[test]
    fn the_least_window_is_enough_in_any_pieces() {
        let mut whole = vec![0; 1 << 16];
        crate::zstd::decode(FILE, &mut whole, &mut Workspace::new(), &UNCHECKED, &mut ()).unwrap();
        let need = index(crate::zstd::stream_buffer(FILE, &UNCHECKED).unwrap());
        // The window and one block, or three of them.
        assert_eq!(need, if SMALL { 2 << 12 } else { 4 << 12 });
        let mut window = vec![0xAA; need];
        for pieces in [(1, 1), (64, 64), (7, 4095), (3000, 4096), (4096, 4097), (1, 1 << 16), (FILE.len(), 1000)] {
            assert!(stream(FILE, &mut window, || pieces) == (whole.clone(), None), "{pieces:?}");
        }
        let mut turn = 0;
        let irregular = || {
            turn = (turn * 31 + 7) % 8191;
            (turn % 257, turn % 1021)
        };
        assert!(stream(FILE, &mut window, irregular) == (whole.clone(), None));
        // A longer window, which wraps elsewhere.
        for more in [1, 100, 5000] {
            assert!(stream(FILE, &mut vec![0; need + more], || (500, 500)) == (whole.clone(), None), "{more} more");
        }
        assert_eq!(stream(FILE, &mut window[1..], || (64, 64)), (vec![], Some(ErrorKind::ZstdWindowBuffer)));
        for cut in (1..FILE.len()).step_by(if cfg!(debug_assertions) { 97 } else { 1 }) {
            let (out, end) = stream(&FILE[..cut], &mut window, || (5000, 3000));
            assert_eq!(end, Some(ErrorKind::Truncated), "cut at {cut}");
            assert!(whole.starts_with(&out), "cut at {cut}");
        }
    }

    /// Returns a file of more bytes than 32 bits can count: runs of 128 KiB, a raw block, and a
    /// match of three bytes with this offset.
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
        // No literals, one sequence, three tables of one symbol: no literals, an offset of 17 bits,
        // a length of three.
        let [a, b, c, _] = (offset + 3).to_le_bytes();
        file.extend(&(9u32 << 3 | 2 << 1 | 1).to_le_bytes()[..3]);
        file.extend([0, 1, 0x54, 0, 17, 0, a, b, c]);
        file
    }

    const RUNS: u64 = (1 << 15) + 5;
    const CONTENT: u64 = ((RUNS + 1) << 17) + 3;

    #[test]
    fn more_bytes_than_32_bits_count() {
        let (mut workspace, mut window) = (Workspace::new(), vec![0; 5 << 17]);
        let mut run = |file: &[u8], limits: &Limits| {
            let mut decoder =
                Decoder::new(&mut workspace, &mut window, &Options { limits: *limits, ..Options::DEFAULT });
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
        let mut count = |file: &[u8], limits: &Limits| {
            decoded_len(file, &mut workspace, &Options { limits: *limits, ..Options::DEFAULT })
        };
        assert_eq!(count(&far, &Limits::DEFAULT), Ok(CONTENT));
        let limited = |error: Error| (error.kind, error.need);
        assert_eq!(count(&far, &tight).map_err(limited), Err((ErrorKind::OutputLimit, CONTENT)));
        assert_eq!(count(&long(None, 1 << 17), &tight).map_err(limited), Err((ErrorKind::OutputLimit, CONTENT)));
        // A content size that is wrong by 2^32.
        let wrong = count(&long(Some(CONTENT - (1 << 32)), 1 << 17), &Limits::DEFAULT);
        assert_eq!(wrong.map_err(|error| error.kind), Err(ErrorKind::ZstdContentSize));
    }
}

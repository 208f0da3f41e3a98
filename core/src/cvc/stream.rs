//! Decoding a file that comes piece by piece.

use core::ops::Range;

use super::chunk::{ChunkEntry, Cursor};
use super::column::Column;
use super::convert::{Dtype, Encoding};
use super::header::{Facts, File, Header};
use super::lossless::Planes;
use super::options::Options;
use super::payload::{Payload, check_crc, compare_crc};
use super::piece::Piece;
use crate::checksum::Crc32;
use crate::num::{behind, copy, index, u64_from};
use crate::{Checksums, End, Error, ErrorKind, Result, Status, Step, Verify};

/// Widest value of any type.
const MAX_WIDTH: usize = 8;

/// Decodes one column of a file, in order, from input of any split to output of any split.
///
/// The workspace holds the JSON header while the file is read, and behind it the payload of a lossless chunk, whose byte planes
/// are only whole at its end. How much is needed turns up while reading: [`ErrorKind::WorkspaceTooSmall`] says it, and a
/// new decoder on a larger workspace starts over. Values come out as little-endian bytes of [`output`](Self::output). Those
/// of a chunk come out before its CRC-32 is known; a wrong one is an error at the end of the chunk. One error of those that a [`Column`]
/// finds goes unnoticed: [`ErrorKind::CvcHiddenCrc`] of a single chunk, which takes four bytes from behind the end of the data.
///
/// ```
/// use unspool::{cvc, End, Status};
/// # let json = br#"{"chunks":[{"rows":1}],"compression":"fp16","dimension":2,"num_vectors":1}"#;
/// # let mut file = b"CVCF".to_vec();
/// # file.extend((json.len() as u32).to_le_bytes());
/// # file.extend(json);
/// # file.extend([4, 0, 0, 0, 0x00, 0x3C, 0x00, 0xC0]);
/// let mut workspace = [0; 256];
/// let mut decoder = cvc::Decoder::new(&mut workspace, &cvc::Options::DEFAULT);
/// let mut values: Vec<u8> = Vec::new();
/// let mut room = [0; 3]; // any size will do
/// let mut input = file.as_slice();
/// loop {
///     let step = decoder.step(input, End::Here, &mut room)?;
///     values.extend(&room[..step.wrote]);
///     input = &input[step.read..];
///     if step.status == Status::Done {
///         break;
///     }
/// }
/// assert_eq!(values, [1.0f32.to_le_bytes(), (-2.0f32).to_le_bytes()].concat());
/// # Ok::<(), unspool::Error>(())
/// ```
#[derive(Debug)]
pub struct Decoder<'w> {
    workspace: &'w mut [u8],
    options: Options<'w>,
    /// Bytes of the input that are used up.
    at: u64,
    state: State,
    walk: Progress,
    body: Body,
    error: Option<Error>,
    /// Bytes that wait for more of the input, or for room in the output.
    gathered: [u8; Header::LEN],
    gathered_len: usize,
    pending: Pending,
    checksums: Checksums,
    output: Option<Dtype>,
    /// The last call gave neither side anything to do.
    idle: bool,
}

/// A value that is decoded and did not fit: the bytes from `from` on.
#[derive(Clone, Copy, Debug)]
struct Pending {
    bytes: [u8; MAX_WIDTH],
    from: usize,
}

/// What the next bytes of the input are.
#[derive(Clone, Copy, Debug)]
enum State {
    Framing,
    Head,
    /// Between chunks.
    Next,
    Padding,
    /// The length of a payload, and its CRC-32.
    Length,
    Crc,
    Payload,
    /// Values of a lossless payload that is complete; nothing of the input.
    Values,
    Done,
}

/// What is known of the file: where its head ends, and the rest once that is read.
#[derive(Clone, Copy, Debug)]
struct Progress {
    facts: Facts,
    cursor: Cursor,
    /// The column, by its position in the JSON.
    column: usize,
    output: Dtype,
}

/// A chunk that is being read.
#[derive(Clone, Debug)]
struct Body {
    piece: Piece,
    /// As it stands in the file, if it does.
    stored_crc: u32,
    /// `None` if nobody asks.
    crc: Option<Crc32>,
    /// Lossless: how many values are already out.
    emitted: u64,
}

impl Body {
    fn start(&self) -> u64 {
        self.piece.payload_start()
    }

    fn end(&self) -> u64 {
        self.piece.range().end
    }

    /// Where the column starts and ends in the file.
    fn column(&self) -> Result<Range<u64>> {
        let within = self.piece.slot.range(self.piece.payload_len)?;
        Ok(behind(self.start(), within.start)..behind(self.start(), within.end))
    }

    /// The values that start with `stored`.
    fn values<'b>(&self, stored: &'b [u8]) -> Payload<'b> {
        Payload { stored, at: self.start(), encoding: self.piece.slot.encoding, skip: 0, len: 0 }
    }
}

/// What keeps the machine from going on.
enum Pause {
    Input,
    Output,
    Done,
}

impl<'w> Decoder<'w> {
    /// A decoder for the column that the options name, or for the only one.
    // Inlined at level z, parts of it lie on the caller's stack twice.
    #[inline(never)]
    pub const fn new(workspace: &'w mut [u8], options: &Options<'w>) -> Self {
        Self {
            workspace,
            options: *options,
            at: 0,
            state: State::Framing,
            walk: Progress { facts: Facts::new(), cursor: Cursor::new(), column: 0, output: Dtype::F32 },
            body: Body { piece: Piece::new(), stored_crc: 0, crc: None, emitted: 0 },
            error: None,
            gathered: [0; Header::LEN],
            gathered_len: 0,
            pending: Pending { bytes: [0; MAX_WIDTH], from: MAX_WIDTH },
            checksums: Checksums { matched: 0, mismatched: 0, unchecked: 0 },
            output: None,
            idle: false,
        }
    }

    /// The type of the values that come out; known once the head is read.
    pub fn output(&self) -> Option<Dtype> {
        self.output
    }

    /// The checksums so far.
    pub fn checksums(&self) -> Checksums {
        self.checksums
    }

    /// Reads on and writes on, as far as both slices allow. What was decoded before an error leaves before it is reported; then it stays.
    #[inline(never)]
    pub fn step(&mut self, input: &[u8], end: End, output: &mut [u8]) -> Result<Step> {
        let mut io = Io { input, read: 0, output, wrote: 0 };
        // Not with a `StepGuard`, which would take 120 bytes of stack more here, and 400 of flash.
        match self.run(&mut io, end) {
            Ok(pause) => {
                let status = match pause {
                    Pause::Input => Status::NeedInput,
                    Pause::Output => Status::NeedOutput,
                    Pause::Done => Status::Done,
                };
                let idle = io.read == 0 && io.wrote == 0 && status != Status::Done;
                if idle && self.idle {
                    return Err(self.stuck());
                }
                self.idle = idle;
                Ok(Step { read: io.read, wrote: io.wrote, status })
            }
            Err(error) => {
                self.error = Some(error);
                if io.wrote > 0 {
                    Ok(Step { read: io.read, wrote: io.wrote, status: Status::NeedOutput })
                } else {
                    Err(error)
                }
            }
        }
    }

    /// A second call in a row had nothing to read and no room to write to. That stays, as any error does.
    #[cold]
    fn stuck(&mut self) -> Error {
        *self.error.insert(Error::new(ErrorKind::NoProgress, self.at))
    }

    #[inline(never)]
    fn run(&mut self, io: &mut Io<'_, '_>, end: End) -> Result<Pause> {
        self.error.map_or(Ok(()), Err)?;
        loop {
            if !self.pending.flush(io) {
                return Ok(Pause::Output);
            }
            match self.advance(io)? {
                None => {}
                Some(Pause::Input) if end == End::Here => {
                    return Err(Error::truncated(self.at, self.needed()));
                }
                Some(pause) => return Ok(pause),
            }
        }
    }

    /// How long the input must be for the next thing in it to be whole.
    #[cold]
    fn needed(&self) -> u64 {
        match self.state {
            State::Framing => u64_from(Header::LEN),
            State::Head => u64_from(self.walk.facts.end),
            State::Padding | State::Length => self.body.piece.length().end,
            _ => self.body.end(),
        }
    }

    /// Reads what comes next, as far as it is there.
    fn advance(&mut self, io: &mut Io<'_, '_>) -> Result<Option<Pause>> {
        let ready = match self.state {
            State::Framing => self.framing(io)?,
            State::Head => {
                let ready = self.collect(io, 0, u64_from(self.walk.facts.end));
                if ready {
                    self.open()?;
                }
                ready
            }
            State::Next => {
                self.next_chunk()?;
                true
            }
            State::Padding => {
                self.skip(io, self.body.piece.at);
                let ready = self.at >= self.body.piece.at;
                if ready {
                    (self.gathered_len, self.state) = (0, State::Length);
                }
                ready
            }
            // The length alone first: a wrong one is an error also where the file ends after it.
            State::Length => {
                let ready = self.gather(io, 4);
                if ready {
                    self.enter()?;
                }
                ready
            }
            State::Crc => {
                let ready = self.gather(io, 8);
                if ready {
                    self.start_payload();
                }
                ready
            }
            State::Payload if self.body.piece.slot.encoding != Encoding::Lossless => self.payload(io)?,
            State::Payload | State::Values => self.lossless(io)?,
            State::Done => return Ok(Some(Pause::Done)),
        };
        Ok(if ready { None } else { Some(Pause::Input) })
    }

    /// The bytes that tell how long the head is.
    #[inline(never)]
    fn framing(&mut self, io: &mut Io<'_, '_>) -> Result<bool> {
        let complete = self.gather(io, Header::LEN);
        let gathered = self.gathered.get(..self.gathered_len).unwrap_or(&[]);
        let end = match Header::read(gathered, &self.options.limits) {
            Err(error) if error.kind == ErrorKind::Truncated && !complete => return Ok(false),
            header => header?.end,
        };
        // A head shorter than what was gathered holds no file, and opening it says so.
        let needed = end.max(Header::LEN);
        let room = self.workspace.get_mut(..needed).and_then(|room| room.get_mut(..Header::LEN));
        let Some(room) = room else { return Err(self.workspace_too_small(needed)) };
        copy(&self.gathered, room);
        (self.walk.facts.end, self.state) = (end, State::Head);
        Ok(true)
    }

    /// Opens the head that the workspace holds.
    #[inline(never)]
    fn open(&mut self) -> Result<()> {
        let end = self.walk.facts.end.max(Header::LEN);
        let mut file = File::new();
        file.read(self.workspace.get(..end).unwrap_or(&[]), &self.options.limits, &mut ())?;
        let mut column = Column::of(&file);
        self.walk.column = file.find(self.options.column, &mut column)?;
        self.walk.output = column.output()?;
        column.fits(&column.rows(), usize::MAX, [self.walk.output.width(), 0], &self.options.limits)?;
        (self.walk.facts, self.walk.cursor) = (file.facts, Cursor::of(&file));
        self.output = Some(self.walk.output);
        self.state = State::Next;
        Ok(())
    }

    /// Finds the next chunk, and where it holds the column.
    #[inline(never)]
    fn next_chunk(&mut self) -> Result<()> {
        let file = File { head: self.workspace.get(..self.walk.facts.end).unwrap_or(&[]), facts: self.walk.facts };
        let mut chunk = ChunkEntry::new();
        if !self.walk.cursor.next(&file, &mut chunk)? {
            self.state = State::Done;
            return Ok(());
        }
        let at = self.walk.cursor.start(&file, &chunk)?;
        if at < self.at {
            return Err(chunk.fault(ErrorKind::CvcBackwards).into());
        }
        let mut column = Column::of(&file);
        column.read(self.walk.column)?;
        let piece = &mut self.body.piece;
        piece.open(&file, &chunk, at);
        column.slot(&chunk, &mut piece.slot)?;
        piece.select(&column, &chunk, &column.rows());
        self.state = State::Padding;
        Ok(())
    }

    /// Goes into the chunk, whose length is gathered.
    fn enter(&mut self) -> Result<()> {
        let piece = &mut self.body.piece;
        let length = self.gathered.get(..4).unwrap_or(&[]);
        let stored = length.first_chunk().map_or(0, |length| u32::from_le_bytes(*length).into());
        piece.enter(&mut self.walk.cursor, piece.slot.payload_len().unwrap_or(stored))?;
        piece.check_length(length)?;
        self.state = State::Crc;
        if piece.prefix_len() == 4 {
            self.start_payload();
        }
        Ok(())
    }

    /// The prefix is gathered, and the payload is next.
    fn start_payload(&mut self) {
        let crc = self.gathered.get(4..).and_then(<[u8]>::first_chunk);
        self.body.stored_crc = crc.map_or(0, |crc| u32::from_le_bytes(*crc));
        self.body.crc = (self.options.verify != Verify::Skip).then(Crc32::new);
        self.state = State::Payload;
    }

    /// A payload that is only whole at its end.
    #[inline(never)]
    fn lossless(&mut self, io: &mut Io<'_, '_>) -> Result<bool> {
        let (from, start, end) = (self.walk.facts.end, self.body.start(), self.body.end());
        let need = u64_from(from).saturating_add(end - start);
        if need > u64_from(self.workspace.len()) {
            return Err(self.workspace_too_small(index(need)));
        }
        let complete = matches!(self.state, State::Values);
        if !complete && !self.collect(io, u64_from(from).wrapping_sub(start), end) {
            return Ok(false);
        }
        let body = &mut self.body;
        let stored = self.workspace.get(from..index(need)).unwrap_or(&[]);
        let values = body.piece.slot.values;
        if !complete {
            check_crc(&mut self.checksums, body.piece.crc(body.stored_crc), self.options.verify, stored)?;
            Planes::check(stored, start, values)?;
            // Here, and not where a value meets it: what came before would have left or not, by how much room there was.
            body.values(stored).check_codes()?;
            (body.emitted, self.state) = (0, State::Values);
        }
        let emitted = body.emitted;
        let payload = Payload { skip: index(emitted), ..body.values(stored) };
        let put = self.pending.convert(self.walk.output, payload, index(values.saturating_sub(emitted)), io)?;
        self.body.emitted = emitted + u64_from(put);
        if emitted == values {
            self.state = State::Next;
        }
        Ok(true)
    }

    /// Values that come out as they come in.
    #[inline(never)]
    fn payload(&mut self, io: &mut Io<'_, '_>) -> Result<bool> {
        let body = &self.body;
        let (column, end) = (body.column()?, body.end());
        if self.at == end {
            let computed = || body.crc.as_ref().map_or(0, Crc32::value);
            compare_crc(&mut self.checksums, body.piece.crc(body.stored_crc), self.options.verify, computed)?;
            self.state = State::Next;
            return Ok(true);
        }
        if io.rest().is_empty() {
            return Ok(false);
        }
        let used = if !column.contains(&self.at) {
            // Other columns, or gaps: they only count for the checksum.
            let until = if self.at < column.start { column.start } else { end };
            io.take(until.saturating_sub(self.at))
        } else {
            let width = index(body.piece.slot.encoding.width().unwrap_or(1)).max(1);
            let have = index(self.at - column.start) % width;
            if have > 0 || io.rest().len() < width {
                // A value that the last piece of the input cut in two.
                let taken = io.take(u64_from(width - have));
                copy(taken, self.gathered.get_mut(have..).unwrap_or(&mut []));
                if have + taken.len() == width {
                    let stored = self.gathered.get(..width).unwrap_or(&[]);
                    self.pending.convert(self.walk.output, body.values(stored), 1, io)?;
                }
                taken
            } else {
                let available = index(column.end - self.at).min(io.rest().len()) / width;
                let stored = io.rest().get(..available * width).unwrap_or(&[]);
                let read = self.pending.convert(self.walk.output, body.values(stored), available, io)?;
                io.take(u64_from(read * width))
            }
        };
        self.at += u64_from(used.len());
        if let Some(crc) = &mut self.body.crc {
            crc.update(used);
        }
        Ok(true)
    }

    /// Fills `gathered` up to `len`.
    fn gather(&mut self, io: &mut Io<'_, '_>, len: usize) -> bool {
        let taken = io.take(u64_from(len.saturating_sub(self.gathered_len)));
        copy(taken, self.gathered.get_mut(self.gathered_len..).unwrap_or(&mut []));
        self.gathered_len = self.gathered_len.saturating_add(taken.len());
        self.at += u64_from(taken.len());
        self.gathered_len >= len
    }

    /// Copies input up to offset `end` to the workspace, each byte to its offset plus `shift`.
    fn collect(&mut self, io: &mut Io<'_, '_>, shift: u64, end: u64) -> bool {
        let room = self.workspace.get_mut(index(self.at.wrapping_add(shift))..).unwrap_or(&mut []);
        let taken = io.take(end.saturating_sub(self.at).min(u64_from(room.len())));
        copy(taken, room);
        self.at += u64_from(taken.len());
        self.at >= end
    }

    /// Passes over input up to offset `until`.
    fn skip(&mut self, io: &mut Io<'_, '_>, until: u64) {
        self.at += u64_from(io.take(until.saturating_sub(self.at)).len());
    }

    #[cold]
    fn workspace_too_small(&self, need: usize) -> Error {
        Error::new(ErrorKind::WorkspaceTooSmall, self.at).needing(u64_from(need))
    }
}

impl Pending {
    /// Writes what waits; `false` if something still does.
    fn flush(&mut self, io: &mut Io<'_, '_>) -> bool {
        let waiting = self.bytes.get(self.from..).unwrap_or(&[]);
        self.from = self.from.saturating_add(io.put(waiting));
        self.from >= MAX_WIDTH
    }

    /// Decodes up to `available` values to the output, as many as it has room for; a last one that fits in part goes here
    /// first. Returns how many values were used.
    #[inline(never)]
    fn convert(&mut self, output: Dtype, payload: Payload<'_>, available: usize, io: &mut Io<'_, '_>) -> Result<usize> {
        let width = index(output.width());
        let room = io.room();
        let fits = (room.len() / width).min(available);
        if fits > 0 {
            let to = room.get_mut(..fits * width).unwrap_or(&mut []);
            Payload { len: fits, ..payload }.decode_bytes(output, to)?;
            io.wrote += fits * width;
            return Ok(fits);
        }
        if available == 0 {
            return Ok(0);
        }
        let from = MAX_WIDTH.saturating_sub(width);
        let to = self.bytes.get_mut(from..).unwrap_or(&mut []);
        Payload { len: 1, ..payload }.decode_bytes(output, to)?;
        self.from = from;
        Ok(1)
    }
}

/// The two slices of a call.
struct Io<'i, 'o> {
    input: &'i [u8],
    read: usize,
    output: &'o mut [u8],
    wrote: usize,
}

impl<'i> Io<'i, '_> {
    fn rest(&self) -> &'i [u8] {
        self.input.get(self.read..).unwrap_or(&[])
    }

    /// Up to `max` bytes of the input.
    fn take(&mut self, max: u64) -> &'i [u8] {
        let rest = self.rest();
        let taken = rest.get(..index(max).min(rest.len())).unwrap_or(&[]);
        self.read += taken.len();
        taken
    }

    fn room(&mut self) -> &mut [u8] {
        self.output.get_mut(self.wrote..).unwrap_or(&mut [])
    }

    /// Writes as much as fits.
    fn put(&mut self, bytes: &[u8]) -> usize {
        let room = self.room();
        let len = room.len().min(bytes.len());
        copy(bytes, room);
        self.wrote += len;
        len
    }
}

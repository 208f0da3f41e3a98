//! Decoding a file that comes piece by piece.

use super::chunk::{ChunkPlace, Chunks};
use super::column::Slot;
use super::convert::{Dtype, Encoding};
use super::header::{FRAMING_LEN, Facts, File, head_len};
use super::payload::{Crc, CrcCount, Payload};
use super::plan::{Piece, place};
use crate::checksum::Crc32;
use crate::num::{copy, index, u64_from};
use crate::{End, Error, ErrorKind, Limits, Result, Status, Step};

/// Widest value of any type.
const MAX_WIDTH: usize = 8;

/// Decodes one column of a file, in order, from input of any split to output of any split.
///
/// The workspace holds the JSON header while the file is read, and behind it the payload of a lossless chunk, whose byte planes
/// are only whole at its end. How much is needed turns up while reading: [`ErrorKind::WorkspaceTooSmall`] says it, and a
/// new decoder on a larger workspace starts over. Values come out as little-endian bytes of [`output`](Self::output). Those
/// of a chunk come out before its CRC-32 is known; a wrong one is an error at the end of the chunk.
///
/// ```
/// use unspool::{cvc, End, Limits, Status};
/// # let json = br#"{"chunks":[{"rows":1}],"compression":"fp16","dimension":2,"num_vectors":1}"#;
/// # let mut file = b"CVCF".to_vec();
/// # file.extend((json.len() as u32).to_le_bytes());
/// # file.extend(json);
/// # file.extend([4, 0, 0, 0, 0x00, 0x3C, 0x00, 0xC0]);
/// let mut workspace = [0; 256];
/// let mut decoder = cvc::Decoder::new(&mut workspace, None, cvc::Crc::Verify, &Limits::DEFAULT);
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
    column: Option<&'w str>,
    crc: Crc,
    limits: Limits,
    /// Bytes of the input that are used up.
    at: u64,
    state: State,
    /// Bytes that wait for more of the input, or for room in the output.
    gathered: [u8; FRAMING_LEN],
    gathered_len: usize,
    pending: Pending,
    done: CrcCount,
    output: Option<Dtype>,
    /// The last call gave neither side anything to do.
    idle: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Pending {
    bytes: [u8; MAX_WIDTH],
    from: usize,
    to: usize,
}

#[derive(Debug)]
enum State {
    Framing,
    Head {
        end: usize,
    },
    /// Between chunks.
    Next(Walk),
    Padding {
        walk: Walk,
        at: u64,
    },
    Prefix {
        walk: Walk,
        at: u64,
    },
    Payload(Walk, Body),
    Failed(Error),
    Done,
}

/// What is known of the file once its head is read.
#[derive(Clone, Copy, Debug)]
struct Walk {
    facts: Facts,
    place: ChunkPlace,
    /// Which column, by its position in the schema.
    column: usize,
    output: Dtype,
}

/// A payload that is being read.
#[derive(Clone, Debug)]
struct Body {
    slot: Slot,
    /// Where the payload starts and ends in the file, and the column within it.
    start: u64,
    end: u64,
    column: core::ops::Range<u64>,
    stored_crc: Option<(u32, u64)>,
    crc: Crc32,
    /// Lossless: how many values are already out. Set when the payload is complete.
    emitted: Option<u64>,
}

/// What keeps the machine from going on.
enum Pause {
    Input,
    Output,
    Done,
}

impl<'w> Decoder<'w> {
    /// A decoder for the column of this name, or for the only one.
    pub const fn new(workspace: &'w mut [u8], column: Option<&'w str>, crc: Crc, limits: &Limits) -> Self {
        Self {
            workspace,
            column,
            crc,
            limits: *limits,
            at: 0,
            state: State::Framing,
            gathered: [0; FRAMING_LEN],
            gathered_len: 0,
            pending: Pending { bytes: [0; MAX_WIDTH], from: 0, to: 0 },
            done: CrcCount { right: 0, wrong: 0, unchecked: 0 },
            output: None,
            idle: false,
        }
    }

    /// The type of the values that come out; known once the head is read.
    pub fn output(&self) -> Option<Dtype> {
        self.output
    }

    /// The checksums so far.
    pub fn crc(&self) -> CrcCount {
        self.done
    }

    /// Reads on and writes on, as far as both slices allow. After an error every call gives the same error.
    pub fn step(&mut self, input: &[u8], end: End, output: &mut [u8]) -> Result<Step> {
        let mut io = Io { input, read: 0, output, wrote: 0 };
        match self.run(&mut io, end) {
            Ok(pause) => {
                let status = match pause {
                    Pause::Input => Status::NeedInput,
                    Pause::Output => Status::NeedOutput,
                    Pause::Done => Status::Done,
                };
                let idle = io.read == 0 && io.wrote == 0 && status != Status::Done;
                if idle && core::mem::replace(&mut self.idle, idle) {
                    return Err(Error::new(ErrorKind::NoProgress, self.at));
                }
                self.idle = idle;
                Ok(Step { read: io.read, wrote: io.wrote, status })
            }
            Err(error) => {
                self.state = State::Failed(error);
                Err(error)
            }
        }
    }

    fn run(&mut self, io: &mut Io<'_, '_>, end: End) -> Result<Pause> {
        loop {
            if !self.pending.flush(io) {
                return Ok(Pause::Output);
            }
            let state = core::mem::replace(&mut self.state, State::Done);
            let (state, pause) = self.advance(state, io)?;
            self.state = state;
            match pause {
                None => {}
                Some(Pause::Input) if end == End::Here => {
                    return Err(Error::new(ErrorKind::Truncated, self.at));
                }
                Some(pause) => return Ok(pause),
            }
        }
    }

    fn advance(&mut self, state: State, io: &mut Io<'_, '_>) -> Result<(State, Option<Pause>)> {
        match state {
            State::Framing => {
                let complete = self.gather(io, FRAMING_LEN);
                let end = match head_len(self.gathered.get(..self.gathered_len).unwrap_or(&[]), &self.limits) {
                    Err(error) if error.kind == ErrorKind::Truncated && !complete => {
                        return Ok((State::Framing, Some(Pause::Input)));
                    }
                    end => index(end?),
                };
                // A head shorter than what was gathered holds no file, and opening it says so.
                let needed = end.max(FRAMING_LEN);
                let room = self.workspace.get_mut(..needed).and_then(|room| room.get_mut(..FRAMING_LEN));
                let Some(room) = room else { return Err(self.workspace_too_small(needed)) };
                copy(&self.gathered, room);
                Ok((State::Head { end }, None))
            }
            State::Head { end } => {
                if !self.collect(io, 0, u64_from(end)) {
                    return Ok((State::Head { end }, Some(Pause::Input)));
                }
                let walk = self.open(end)?;
                self.output = Some(walk.output);
                Ok((State::Next(walk), None))
            }
            State::Next(walk) => self.next_chunk(walk),
            State::Padding { walk, at } => {
                self.skip(io, at);
                if self.at < at {
                    return Ok((State::Padding { walk, at }, Some(Pause::Input)));
                }
                self.gathered_len = 0;
                Ok((State::Prefix { walk, at }, None))
            }
            State::Prefix { walk, at } => {
                // The length alone first: a wrong one is an error also where the file ends behind it.
                let file = self.file(&walk.facts);
                let prefix_len = index(file.prefix_len());
                for len in [4, prefix_len] {
                    if !self.gather(io, len) {
                        return Ok((State::Prefix { walk, at }, Some(Pause::Input)));
                    }
                    if len == 4 {
                        self.body(&walk, at)?;
                    }
                }
                let (walk, body) = self.body(&walk, at)?;
                Ok((State::Payload(walk, body), None))
            }
            State::Payload(walk, body) => self.payload(walk, body, io),
            State::Failed(error) => Err(error),
            State::Done => Ok((State::Done, Some(Pause::Done))),
        }
    }

    fn file(&self, facts: &Facts) -> File<'_> {
        File { head: self.workspace.get(..facts.end).unwrap_or(&[]), facts: *facts }
    }

    /// Opens the head that the workspace holds.
    fn open(&self, end: usize) -> Result<Walk> {
        let file = File::open(self.workspace.get(..end.max(FRAMING_LEN)).unwrap_or(&[]), &self.limits)?;
        let column = match self.column {
            Some(name) => file.column(name)?,
            None => file.only_column()?,
        };
        let output = column.output()?;
        column.room(&column.rows(), usize::MAX, output.width(), 0)?;
        let position = file.columns().enumerate().filter(|(_, other)| match (other, self.column) {
            (Ok(other), Some(name)) => other.name().is(name),
            _ => true,
        });
        let column = position.last().map_or(0, |(position, _)| position);
        Ok(Walk { facts: file.facts, place: file.chunks().place(), column, output })
    }

    fn next_chunk(&mut self, walk: Walk) -> Result<(State, Option<Pause>)> {
        let file = self.file(&walk.facts);
        let Some(chunk) = Chunks::resume(file, walk.place).next() else {
            return Ok((State::Done, None));
        };
        let chunk = chunk?;
        let at = place(&file, &chunk, self.at)?;
        if at < self.at {
            return Err(chunk.node.error(ErrorKind::CvcBackwards));
        }
        Ok((State::Padding { walk, at }, None))
    }

    /// What the prefix in `gathered` says of the payload of the next chunk. Gives the walk behind that chunk with it.
    fn body(&self, walk: &Walk, at: u64) -> Result<(Walk, Body)> {
        let file = self.file(&walk.facts);
        let mut chunks = Chunks::resume(file, walk.place);
        let chunk = chunks.next().ok_or(Error::new(ErrorKind::CvcChunkOutside, at))??;
        let column = file.columns().nth(walk.column).ok_or(Error::new(ErrorKind::CvcNoSuchColumn, at))??;
        let slot = column.slot(&chunk)?;
        let prefix = self.gathered.get(..self.gathered_len).unwrap_or(&[]);
        let stored = prefix.first_chunk().map_or(0, |bytes| u64::from(u32::from_le_bytes(*bytes)));
        let len = slot.payload_len().unwrap_or(stored);
        let piece = Piece::new(column, &chunk, slot, at, len, &column.rows())?;
        piece.check_length(prefix)?;
        let range = piece.range();
        let start = range.end - len;
        let within = slot.range(len)?;
        let body = Body {
            slot,
            start,
            end: range.end,
            column: start + within.start..start + within.end,
            stored_crc: piece.stored_crc(prefix),
            crc: Crc32::new(),
            emitted: None,
        };
        Ok((Walk { place: chunks.place(), ..*walk }, body))
    }

    fn payload(&mut self, walk: Walk, mut body: Body, io: &mut Io<'_, '_>) -> Result<(State, Option<Pause>)> {
        if body.slot.encoding == Encoding::Lossless {
            let from = walk.facts.end;
            if body.emitted.is_none() {
                let need = u64_from(from).saturating_add(body.end - body.start);
                if need > u64_from(self.workspace.len()) {
                    return Err(self.workspace_too_small(index(need)));
                }
                if !self.collect(io, u64_from(from).wrapping_sub(body.start), body.end) {
                    return Ok((State::Payload(walk, body), Some(Pause::Input)));
                }
                let payload = self.workspace.get(from..).unwrap_or(&[]);
                let payload = payload.get(..index(body.end - body.start)).unwrap_or(&[]);
                self.done.check(body.stored_crc, self.crc, payload)?;
                let planes = super::lossless::Planes::parse(payload, body.start, &mut ())?;
                if planes.count != body.slot.values {
                    return Err(Error::new(ErrorKind::CvcLosslessCount, body.start));
                }
            }
            let emitted = body.emitted.unwrap_or(0);
            let values = body.slot.values - emitted;
            if values == 0 {
                return Ok((State::Next(walk), None));
            }
            let stored = self.workspace.get(from..).and_then(|payload| payload.get(..index(body.end - body.start)));
            let payload = Payload { skip: index(emitted), ..self::values(&body, stored.unwrap_or(&[])) };
            let put = self.pending.convert(&walk, payload, index(values), io)?;
            body.emitted = Some(emitted + u64_from(put));
            return Ok((State::Payload(walk, body), None));
        }
        if self.at == body.end {
            let crc = body.crc;
            self.done.add(body.stored_crc, self.crc, || crc.value())?;
            return Ok((State::Next(walk), None));
        }
        if io.rest().is_empty() {
            return Ok((State::Payload(walk, body), Some(Pause::Input)));
        }
        if !body.column.contains(&self.at) || body.column.is_empty() {
            // Other columns, or gaps: they only count for the checksum.
            let until = if self.at < body.column.start { body.column.start } else { body.end };
            let skipped = io.take(until.saturating_sub(self.at));
            self.at += u64_from(skipped.len());
            if self.crc != Crc::Skip {
                body.crc.update(skipped);
            }
            return Ok((State::Payload(walk, body), None));
        }
        let width = index(body.slot.encoding.width().unwrap_or(1)).max(1);
        // A value that the last piece of the input cut in two.
        if self.gathered_len_in(&body, width) > 0 || io.rest().len() < width {
            let have = self.gathered_len_in(&body, width);
            let taken = io.take(u64_from(width - have));
            copy(taken, self.gathered.get_mut(have..).unwrap_or(&mut []));
            self.at += u64_from(taken.len());
            if self.crc != Crc::Skip {
                body.crc.update(taken);
            }
            if have + taken.len() == width {
                let stored = self.gathered.get(..width).unwrap_or(&[]);
                self.pending.convert(&walk, values(&body, stored), 1, io)?;
            }
            return Ok((State::Payload(walk, body), None));
        }
        let available = index(body.column.end - self.at).min(io.rest().len()) / width;
        let stored = io.rest().get(..available * width).unwrap_or(&[]);
        let read = self.pending.convert(&walk, values(&body, stored), available, io)?;
        let used = io.take(u64_from(read * width));
        self.at += u64_from(used.len());
        if self.crc != Crc::Skip {
            body.crc.update(used);
        }
        Ok((State::Payload(walk, body), None))
    }

    /// How many bytes of a value that was cut in two are gathered: the place in the column tells.
    fn gathered_len_in(&self, body: &Body, width: usize) -> usize {
        index(self.at - body.column.start) % width.max(1)
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

/// The values of a body that start with `stored`.
fn values<'b>(body: &Body, stored: &'b [u8]) -> Payload<'b> {
    Payload { stored, at: body.start, encoding: body.slot.encoding, skip: 0, len: 0 }
}

impl Pending {
    /// Writes what waits; `false` if something still does.
    fn flush(&mut self, io: &mut Io<'_, '_>) -> bool {
        let waiting = self.bytes.get(self.from..self.to).unwrap_or(&[]);
        self.from = self.from.saturating_add(io.put(waiting));
        self.from >= self.to
    }

    /// Decodes up to `available` values to the output, as many as it has room for; a last one that fits in part goes here
    /// first. Gives how many values were used, twice: once for the reader's sake.
    fn convert(&mut self, walk: &Walk, payload: Payload<'_>, available: usize, io: &mut Io<'_, '_>) -> Result<usize> {
        let width = index(walk.output.width());
        let room = io.room();
        let fits = (room.len() / width).min(available);
        if fits > 0 {
            let to = room.get_mut(..fits * width).unwrap_or(&mut []);
            Payload { len: fits, ..payload }.decode_bytes(walk.output, to)?;
            io.wrote += fits * width;
            return Ok(fits);
        }
        if available == 0 {
            return Ok(0);
        }
        let to = self.bytes.get_mut(..width).unwrap_or(&mut []);
        Payload { len: 1, ..payload }.decode_bytes(walk.output, to)?;
        (self.from, self.to) = (0, width);
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

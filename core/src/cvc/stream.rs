//! Decoding a file that arrives in pieces.

use core::ops::Range;

use super::chunk::{ChunkCursor, ChunkEntry};
use super::column::Column;
use super::convert::{Dtype, Encoding, log2};
use super::header::{Facts, File, Header};
use super::lossless::Planes;
use super::options::Options;
use super::payload::{Payload, compare_crc, split_front};
use super::plan::{LENGTH, Piece, stored_len};
use crate::checksum::Crc32;
use crate::num::{Size, copy, index, index_of, size, u64_from, wide};
use crate::{Checksums, Done, End, Error, ErrorKind, Result, Status, Step, Verify};

/// Bytes of the widest value of any type.
const MAX_WIDTH: usize = 8;

/// Decodes one column of a file, in order, from any split of the input to any split of the output.
///
/// The workspace holds the JSON header while the file is read. After it comes the payload of a
/// lossless chunk, whose byte planes are complete only at its end. The file determines how much is
/// needed: if the workspace is too small, the error [`ErrorKind::WorkspaceTooSmall`] says how much,
/// and a new decoder on a larger workspace starts over.
///
/// Values are emitted as little-endian bytes of [`output`](Self::output). Those of a chunk are
/// emitted before its CRC-32 is known; a mismatch is an error at the end of the chunk. A [`Column`]
/// finds one error that a stream and a [`Plan`](super::Plan) do not: [`ErrorKind::CvcHiddenCrc`] of
/// a single chunk, which takes four bytes after the end of the data.
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
/// let mut output = [0; 3]; // any size will do
/// let mut input = file.as_slice();
/// loop {
///     let step = decoder.step(input, End::Here, &mut output)?;
///     values.extend(&output[..step.wrote]);
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
    /// Bytes of the input that were read.
    at: Size,
    state: State,
    facts: Facts,
    cursor: ChunkCursor,
    /// The position of the column's entry in the JSON.
    column: usize,
    output: Dtype,
    /// The rows of the chunk that is being read: all of them.
    piece: Piece,
    /// Length and CRC-32 of the payload, as stored.
    prefix: [u8; 8],
    /// The CRC-32 of the payload so far; `None` if it is not verified.
    crc: Option<Crc32>,
    /// Values of a lossless chunk that were emitted.
    emitted: Size,
    error: Option<Error>,
    /// Bytes that wait for more input.
    gathered: [u8; Header::LEN],
    gathered_len: usize,
    pending: Pending,
    checksums: Checksums,
    /// Bytes of values that left.
    content: u64,
    /// The last call had nothing to read and no room to write.
    idle: bool,
}

/// A decoded value that waits for room in the output: the bytes from `from` on.
#[derive(Clone, Copy, Debug)]
struct Pending {
    bytes: [u8; MAX_WIDTH],
    from: usize,
}

/// The part of the file that the next bytes of the input belong to.
#[derive(Clone, Copy, Debug)]
enum State {
    Framing,
    Head,
    /// Between chunks: none until the next entry is read.
    Next,
    /// Padding, then the length of a payload.
    Length,
    Crc,
    Payload,
    /// None: the payload of a lossless chunk is complete, and its values are emitted.
    Values,
    Done,
}

impl<'w> Decoder<'w> {
    /// A decoder for the column that the options name, or for the only one.
    // Inlined at level z, parts of it would be on the caller's stack twice.
    #[inline(never)]
    pub const fn new(workspace: &'w mut [u8], options: &Options<'w>) -> Self {
        Self {
            workspace,
            options: *options,
            at: 0,
            state: State::Framing,
            facts: File::NONE.facts,
            cursor: ChunkCursor::NONE,
            column: 0,
            output: Dtype::F32,
            piece: Piece::NONE,
            prefix: [0; 8],
            crc: None,
            emitted: 0,
            error: None,
            gathered: [0; Header::LEN],
            gathered_len: 0,
            pending: Pending { bytes: [0; MAX_WIDTH], from: MAX_WIDTH },
            checksums: Checksums { matched: 0, mismatched: 0, unchecked: 0 },
            content: 0,
            idle: false,
        }
    }

    /// Returns the type of the values that are emitted; `None` until the head is read.
    pub fn output(&self) -> Option<Dtype> {
        (!matches!(self.state, State::Framing | State::Head)).then_some(self.output)
    }

    /// Returns the progress so far. [`Done::parts`] and [`Done::checksums`] count chunks whose
    /// payload is complete, [`Done::wrote`] counts bytes.
    pub fn done(&self) -> Done {
        let (checksums, content) = (self.checksums, self.content);
        let parts = checksums.matched + checksums.mismatched + checksums.unchecked;
        Done { read: index_of(self.at), wrote: index(content), content, parts, checksums, ..Done::default() }
    }

    /// Decodes as far as both slices allow. Values before an error are emitted before the error is
    /// returned; then it stays.
    #[inline(never)]
    pub fn step(&mut self, input: &[u8], end: End, output: &mut [u8]) -> Result<Step> {
        let (src, dst) = (input.len(), output.len());
        let mut io = Io { input, output };
        // Without `StepGuard`, which would take 120 bytes of stack more here, and 400 of flash.
        let mut outcome = self.run(&mut io, end);
        let (read, wrote) = (src - io.input.len(), dst - io.output.len());
        self.content += u64_from(wrote);
        let idle = read == 0 && wrote == 0 && outcome.is_ok_and(|status| status != Status::Done);
        if core::mem::replace(&mut self.idle, idle) && idle {
            outcome = Err(Error::new(ErrorKind::NoProgress, wide(self.at)));
        }
        match outcome {
            Ok(status) => Ok(Step { read, wrote, status }),
            Err(error) => {
                self.error = Some(error);
                if wrote > 0 { Ok(Step { read, wrote, status: Status::NeedOutput }) } else { Err(error) }
            }
        }
    }

    #[inline(never)]
    fn run(&mut self, io: &mut Io<'_, '_>, end: End) -> Result<Status> {
        self.error.map_or(Ok(()), Err)?;
        loop {
            if !self.pending.flush(io) {
                return Ok(Status::NeedOutput);
            }
            let advanced = match self.state {
                State::Framing => self.framing(io)?,
                State::Head => self.open(io)?,
                State::Next => self.next_chunk()?,
                State::Length => self.enter(io)?,
                State::Crc => self.start_payload(io),
                State::Payload if self.piece.storage.encoding != Encoding::Lossless => self.payload(io)?,
                State::Payload | State::Values => self.lossless(io)?,
                State::Done => return Ok(Status::Done),
            };
            match end {
                _ if advanced => {}
                End::Here => return Err(Error::truncated(wide(self.at), wide(self.needed()))),
                End::NotYet => return Ok(Status::NeedInput),
            }
        }
    }

    /// Returns the length of input that completes the next part of the file.
    #[cold]
    fn needed(&self) -> Size {
        match self.state {
            State::Framing => size(Header::LEN),
            State::Head => size(self.facts.end),
            State::Length => self.piece.length().end,
            _ => self.piece.payload.end,
        }
    }

    /// Reads the bytes that hold the length of the head. As all states do, returns `false` if it
    /// needs more input.
    #[inline(never)]
    fn framing(&mut self, io: &mut Io<'_, '_>) -> Result<bool> {
        let complete = self.gather(io, Header::LEN);
        let gathered = self.gathered.get(..self.gathered_len).unwrap_or(&[]);
        let end = match Header::read(gathered, &self.options.limits) {
            Err(error) if error.kind == ErrorKind::Truncated && !complete => return Ok(false),
            header => header?.end,
        };
        // A head shorter than what was gathered holds no file, and `open` refuses it.
        let needed = end.max(Header::LEN);
        let start = self.workspace.get_mut(..needed).and_then(<[u8]>::first_chunk_mut);
        *start.ok_or(workspace_too_small(self.at, size(needed)))? = self.gathered;
        (self.facts.end, self.state) = (end, State::Head);
        Ok(true)
    }

    /// Reads the head to the workspace, and opens it.
    #[inline(never)]
    fn open(&mut self, io: &mut Io<'_, '_>) -> Result<bool> {
        if !self.collect(io, 0, size(self.facts.end)) {
            return Ok(false);
        }
        let mut file = File::NONE;
        let end = self.facts.end.max(Header::LEN);
        file.read(self.workspace.get(..end).unwrap_or(&[]), &self.options.limits, &mut ())?;
        let mut column = Column::of(&file);
        self.column = file.find(self.options.column, &mut column)?;
        self.output = column.output()?;
        column.fits(&column.rows(), usize::MAX, (self.output.size(), 0), &self.options.limits)?;
        (self.facts, self.cursor) = (file.facts, ChunkCursor::of(&file));
        self.state = State::Next;
        Ok(true)
    }

    /// Finds the next chunk, and how it stores the column.
    #[inline(never)]
    fn next_chunk(&mut self) -> Result<bool> {
        let file = File { head: self.workspace.get(..self.facts.end).unwrap_or(&[]), facts: self.facts };
        let mut chunk = ChunkEntry::default();
        if !self.cursor.next(&file, &mut chunk)? {
            self.state = State::Done;
            return Ok(true);
        }
        let at = self.cursor.start(&file, &chunk)?;
        if at < self.at {
            return Err(chunk.fault(ErrorKind::CvcBackwards).into());
        }
        let mut column = Column::of(&file);
        column.read(self.column)?;
        self.piece.find(&column, &chunk, at, &column.all_rows())?;
        // As in memory, an end that no file has is an error even if the file ends before.
        if let Some(len) = self.piece.storage.payload_len() {
            self.piece.set_len(len)?;
        }
        (self.gathered_len, self.state) = (0, State::Length);
        Ok(true)
    }

    /// Reads the length of the payload. It is checked before more is read: a wrong one is an error
    /// even if the file ends there.
    fn enter(&mut self, io: &mut Io<'_, '_>) -> Result<bool> {
        self.take(io, self.piece.at.saturating_sub(self.at));
        if !self.gather(io, LENGTH.end()) {
            return Ok(false);
        }
        let stored = stored_len(&self.gathered).unwrap_or(0);
        let len = self.piece.storage.payload_len().unwrap_or(stored);
        self.piece.enter(&mut self.cursor, len)?;
        self.piece.check_length(&self.gathered)?;
        self.state = State::Crc;
        Ok(true)
    }

    /// Reads the CRC-32, if the chunk has one.
    fn start_payload(&mut self, io: &mut Io<'_, '_>) -> bool {
        if !self.gather(io, self.piece.prefix_len()) {
            return false;
        }
        copy(&self.gathered, &mut self.prefix);
        self.crc = (self.options.verify != Verify::Skip).then(Crc32::new);
        self.state = State::Payload;
        true
    }

    /// Reads a lossless payload to the workspace. Once it is complete, emits its values.
    #[inline(never)]
    fn lossless(&mut self, io: &mut Io<'_, '_>) -> Result<bool> {
        let (from, Range { start, end }) = (self.facts.end, self.piece.payload.clone());
        let need = size(from).saturating_add(end - start);
        if need > size(self.workspace.len()) {
            return Err(workspace_too_small(self.at, need));
        }
        let complete = matches!(self.state, State::Values);
        if !complete && !self.collect(io, size(from).wrapping_sub(start), end) {
            return Ok(false);
        }
        let stored = self.workspace.get(from..index_of(need)).unwrap_or(&[]);
        let values = self.piece.storage.values;
        if !complete {
            let stored_crc = self.piece.stored_crc(&self.prefix);
            compare_crc(&mut self.checksums, stored_crc, self.options.verify, || Crc32::of(stored))?;
            let planes = Planes::of(stored, start)?;
            planes.check_count(values)?;
            // Before any value is emitted. Otherwise the size of the output would decide how many
            // are.
            planes.check_codes()?;
            (self.emitted, self.state) = (0, State::Values);
        }
        let (skip, len) = (index_of(self.emitted), index_of(values.saturating_sub(self.emitted)));
        let payload = Payload { skip, len, ..self.piece.stored_values(stored, 0) };
        self.emitted += size(self.pending.convert(self.output, payload, io)?);
        if self.emitted == values {
            self.state = State::Next;
        }
        Ok(true)
    }

    /// Reads a payload whose values have a fixed width, and emits each as it arrives.
    ///
    /// The hot loop of a stream, with the conversion in `Payload::decode_f32`. Each pass handles as
    /// many whole values as input and output allow. A value that is split between two inputs takes
    /// the slow path through `gathered`. Do not send all values through `gathered`: it handles one
    /// a pass.
    #[inline(never)]
    fn payload(&mut self, io: &mut Io<'_, '_>) -> Result<bool> {
        let (column, end) = (self.piece.column_range()?, self.piece.payload.end);
        if self.at == end {
            let computed = || self.crc.as_ref().map_or(0, Crc32::value);
            compare_crc(&mut self.checksums, self.piece.stored_crc(&self.prefix), self.options.verify, computed)?;
            self.state = State::Next;
            return Ok(true);
        }
        if io.input.is_empty() {
            return Ok(false);
        }
        let used = if !column.contains(&self.at) {
            // Other columns and gaps count for the checksum alone.
            let until = if self.at < column.start { column.start } else { end };
            self.take(io, until.saturating_sub(self.at))
        } else {
            let width = index_of(self.piece.storage.encoding.width().unwrap_or(1));
            let shift = log2(width);
            let have = index_of(self.at - column.start) & (width - 1);
            if have > 0 || io.input.len() < width {
                // A value that is split between two inputs.
                let taken = self.take(io, size(width - have));
                copy(taken, self.gathered.get_mut(have..).unwrap_or(&mut []));
                if have + taken.len() == width {
                    let stored = self.gathered.get(..width).unwrap_or(&[]);
                    self.pending.convert(self.output, self.piece.stored_values(stored, 1), io)?;
                }
                taken
            } else {
                let available = index_of(column.end - self.at).min(io.input.len()) >> shift;
                let stored = io.input.get(..available * width).unwrap_or(&[]);
                let read = self.pending.convert(self.output, self.piece.stored_values(stored, available), io)?;
                self.take(io, size(read * width))
            }
        };
        if let Some(crc) = &mut self.crc {
            crc.update(used);
        }
        Ok(true)
    }

    /// Reads up to `max` bytes of the input.
    fn take<'i>(&mut self, io: &mut Io<'i, '_>, max: Size) -> &'i [u8] {
        let (taken, rest) = io.input.split_at_checked(index_of(max)).unwrap_or((io.input, &[]));
        io.input = rest;
        self.at += size(taken.len());
        taken
    }

    /// Fills `gathered` up to `len`. Returns whether it is.
    fn gather(&mut self, io: &mut Io<'_, '_>, len: usize) -> bool {
        let taken = self.take(io, size(len.saturating_sub(self.gathered_len)));
        copy(taken, self.gathered.get_mut(self.gathered_len..).unwrap_or(&mut []));
        self.gathered_len = self.gathered_len.saturating_add(taken.len());
        self.gathered_len >= len
    }

    /// Copies input up to offset `end` to the workspace, each byte to its offset plus `shift`.
    /// Returns whether the workspace holds all of it.
    fn collect(&mut self, io: &mut Io<'_, '_>, shift: Size, end: Size) -> bool {
        let to = index_of(self.at.wrapping_add(shift));
        let fits = self.workspace.len().saturating_sub(to);
        let taken = self.take(io, end.saturating_sub(self.at).min(size(fits)));
        copy(taken, self.workspace.get_mut(to..).unwrap_or(&mut []));
        self.at >= end
    }
}

#[cold]
fn workspace_too_small(at: Size, need: Size) -> Error {
    Error::new(ErrorKind::WorkspaceTooSmall, wide(at)).needing(wide(need))
}

impl Pending {
    /// Writes the bytes that wait. Returns whether none is left.
    fn flush(&mut self, io: &mut Io<'_, '_>) -> bool {
        let waiting = self.bytes.get(self.from..).unwrap_or(&[]);
        let to = split_front(&mut io.output, waiting.len());
        copy(waiting, to);
        self.from = self.from.saturating_add(to.len());
        self.from >= MAX_WIDTH
    }

    /// Decodes as many values as fit in the output. If none does, decodes one to here. Returns the
    /// number of values.
    #[inline(never)]
    fn convert(&mut self, output: Dtype, payload: Payload<'_>, io: &mut Io<'_, '_>) -> Result<usize> {
        let width = index_of(output.size());
        let fits = (io.output.len() >> log2(width)).min(payload.len);
        if fits > 0 || payload.len == 0 {
            Payload { len: fits, ..payload }.fill_bytes(output, split_front(&mut io.output, fits * width))?;
            return Ok(fits);
        }
        let from = MAX_WIDTH.saturating_sub(width);
        let to = self.bytes.get_mut(from..).unwrap_or(&mut []);
        Payload { len: 1, ..payload }.fill_bytes(output, to)?;
        self.from = from;
        Ok(1)
    }
}

/// The rests of the two slices of a call.
struct Io<'i, 'o> {
    input: &'i [u8],
    output: &'o mut [u8],
}

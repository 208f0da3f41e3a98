//! Reads a file piece by piece, field by field. One shot, streams and inspection are this one machine: they differ in how
//! much of the input is there and where the output goes.

mod chunk;

#[cfg(feature = "alloc")]
pub(super) use self::chunk::MAX_CHUNK;
use self::chunk::{Chunk, chunk_header_len};
use super::check::{Check, CheckKind, MAX_CHECK};
use super::decode::{Done, Options, Streams};
use super::header::{BlockHeader, MAGIC, STREAM_HEADER, StreamFlags, block_header_len, stream_footer, stream_header};
use super::number::Number;
use super::window::{Kind, Window};
use super::workspace::Workspace;
use crate::checksum::Crc32;
use crate::num::{copy, index, u64_from};
use crate::{End, Error, ErrorKind, Limits, Name, Part, Status, Trace, Value};

/// What the next bytes of the input are.
#[derive(Clone, Debug)]
enum State {
    StreamHeader,
    /// The first byte of a block header, or the zero that starts the index.
    BlockStart,
    BlockHeader(usize),
    /// None yet: a block whose header was read starts once the window is large enough.
    Window,
    Control,
    /// The rest of a chunk's header, behind the control byte.
    ChunkHeader(u8),
    /// Bytes as they are.
    Copy,
    Lzma,
    /// The range coder may want one byte more.
    LzmaEnd,
    BlockPadding(usize),
    Check(usize),
    Index,
    IndexPadding(usize),
    IndexCrc,
    Footer,
    /// Between streams, or behind the last.
    Between,
}

/// A block while it is read.
#[derive(Clone, Debug)]
struct Block {
    header: BlockHeader,
    /// Offset of its first chunk.
    data: u64,
    /// The length of all its chunks, once they are read.
    compressed: u64,
    /// How many bytes its chunks hold, up to and with the one that is being read.
    content: u64,
}

/// The index while it is read.
#[derive(Clone, Debug)]
struct Index {
    start: u64,
    crc: Crc32,
    /// The number of records, once it is known.
    count: Option<u64>,
    /// The first number of a record whose second is to come.
    unpadded: Option<u64>,
    number: Number,
}

/// What a step inside of the machine gives. An error is a kind alone, which fits in a register: [`Machine::at`] moves to where it
/// shows, and [`Machine::need`] holds what it needs.
pub(super) type Result<T> = core::result::Result<T, ErrorKind>;

/// How an advance ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Advance {
    /// There may be more to do at once.
    On,
    /// Nothing can be done without more input.
    Starved,
    /// The file may end here, if the input does.
    MayEnd,
    /// The file is over.
    Done,
}

/// The state of a decoder, apart from the workspace and the window.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    limits: Limits,
    options: Options,
    state: State,
    /// Offset of the next byte that is not used up; once there is an error, of the byte at which it shows.
    pub(super) at: u64,
    /// How much would have been enough, if the error knows.
    need: u64,
    /// How much of a field is gathered in the workspace.
    gathered: usize,
    streams: u64,
    blocks: u64,
    /// Blocks that have a check.
    checks: u64,
    /// The largest window that a block asks for.
    window: u64,
    pub(super) produced: u64,
    flags: StreamFlags,
    block: Block,
    chunk: Chunk,
    /// Whether the next chunk must reset the dictionary, or bring properties.
    wants_dictionary: bool,
    wants_properties: bool,
    /// Whether one block is all there is.
    lone: bool,
    index: Index,
    /// Zeros behind the last stream.
    padding: u64,
}

/// Shorter than any block: what a machine holds before its first.
const NO_BLOCK: Block = Block {
    header: BlockHeader {
        len: 0,
        compressed: None,
        uncompressed: None,
        dictionary: 0,
        #[cfg(feature = "xz-filters")]
        filters: [None; 3],
    },
    data: 0,
    compressed: 0,
    content: 0,
};

impl Machine {
    #[cfg_attr(feature = "small", inline(never))]
    pub(super) fn new(limits: &Limits, options: &Options) -> Self {
        Self {
            limits: *limits,
            options: *options,
            state: State::StreamHeader,
            at: 0,
            need: 0,
            gathered: 0,
            streams: 0,
            blocks: 0,
            checks: 0,
            window: 0,
            produced: 0,
            flags: StreamFlags([0; 2]),
            block: NO_BLOCK,
            chunk: Chunk::default(),
            wants_dictionary: true,
            wants_properties: true,
            lone: false,
            index: Index::new(0),
            padding: 0,
        }
    }

    /// There is one block of a file and nothing else, which starts at `at`.
    pub(super) fn expect_block(&mut self, check: CheckKind, at: u64, ws: &mut Workspace) {
        ws.seen.clear();
        (self.at, self.flags) = (at, StreamFlags([0, check.id()]));
        (self.lone, self.state) = (true, State::BlockStart);
    }

    /// What there is to say of the file at its end.
    pub(super) fn done(&self, read: usize, to: &Window<'_>) -> Done {
        let (streams, blocks, checks, window) = (self.streams, self.blocks, self.checks, self.window);
        let content = self.produced;
        let wrote = if to.kind == Kind::Nowhere { 0 } else { index(content) };
        Done { read, wrote, content, streams, blocks, checks, window }
    }

    /// Gives away what is decoded, whatever comes next.
    pub(super) fn flush(
        &mut self,
        window: &mut Window<'_>,
        ws: &mut Workspace,
        dst: &mut [u8],
        wrote: &mut usize,
    ) -> bool {
        // Filters may hold back some bytes as long as it is not sure that the block has no more.
        let over = matches!(self.state, State::BlockPadding(_) | State::Check(_));
        window.flush(over, ws, dst, wrote)
    }

    /// Reads `src` on, and writes `dst`, until one of them or the file ends.
    pub(super) fn go<T: Trace>(
        &mut self,
        src: &mut &[u8],
        end: End,
        (dst, wrote): (&mut [u8], &mut usize),
        window: &mut Window<'_>,
        ws: &mut Workspace,
        trace: &mut T,
    ) -> crate::Result<Status> {
        loop {
            // What is decoded leaves before anything else is.
            if !self.flush(window, ws, dst, wrote) {
                return Ok(Status::NeedOutput);
            }
            let kind = match self.advance(src, window, ws, trace) {
                Ok(Advance::On) => continue,
                Ok(Advance::Done) => return Ok(Status::Done),
                Ok(Advance::MayEnd) if end == End::Here => return Ok(Status::Done),
                Ok(Advance::Starved) if end == End::Here => {
                    self.at = self.at.saturating_add(u64_from(self.gathered.saturating_add(src.len())));
                    ErrorKind::Truncated
                }
                Ok(Advance::MayEnd | Advance::Starved) => return Ok(Status::NeedInput),
                Err(kind) => kind,
            };
            return Err(Error::new(kind, self.at).needing(self.need));
        }
    }

    /// So many bytes of the input are used up.
    #[cfg_attr(feature = "small", inline(never))]
    fn skip(&mut self, len: usize) {
        self.at += u64_from(len);
    }

    /// Something is wrong at this byte.
    #[cold]
    fn wrong_at<R>(&mut self, kind: ErrorKind, at: u64) -> Result<R> {
        self.at = at;
        Err(kind)
    }

    /// Reads one field.
    #[cfg_attr(feature = "small", inline(never))]
    fn advance<T: Trace>(
        &mut self,
        src: &mut &[u8],
        window: &mut Window<'_>,
        ws: &mut Workspace,
        trace: &mut T,
    ) -> Result<Advance> {
        match self.state {
            State::StreamHeader => {
                // A few bytes of something else are not the start of a stream.
                let gathered = ws.head.get(..self.gathered).unwrap_or_default();
                if !gathered.iter().chain(*src).zip(&MAGIC).all(|(byte, magic)| byte == magic) {
                    return Err(ErrorKind::XzMagic);
                }
                let Some(bytes) = self.take(src, STREAM_HEADER, &mut ws.head) else { return Ok(Advance::Starved) };
                let Some(bytes) = bytes.first_chunk() else { return Ok(Advance::Starved) };
                self.stream(bytes, trace)?;
                ws.seen.clear();
            }
            State::BlockStart => {
                let Some(&first) = src.first() else { return Ok(Advance::Starved) };
                if first == 0 && self.lone {
                    return Err(ErrorKind::XzIndex);
                }
                if first == 0 {
                    *src = src.get(1..).unwrap_or_default();
                    trace.enter(Name::Index, Value::None);
                    self.tell(trace, Part::Framing, Name::IndexIndicator, 1, Value::U64(0));
                    self.index = Index::new(self.at);
                    ws.listed.clear();
                    self.index.crc.update(&[0]);
                    self.skip(1);
                    self.state = State::Index;
                } else {
                    self.state = State::BlockHeader(block_header_len(first));
                }
            }
            State::BlockHeader(len) => {
                let Some(bytes) = self.take(src, len, &mut ws.head) else { return Ok(Advance::Starved) };
                trace.enter(Name::Block, Value::U64(self.blocks));
                let mut at = self.at;
                let header = BlockHeader::read(bytes, &mut at, trace);
                let header = header.or_else(|kind| self.wrong_at(kind, at))?;
                self.announce_block(header, window)?;
            }
            State::Window => self.start_block(window, ws)?,
            State::Control => {
                let Some((&control, rest)) = src.split_first() else { return Ok(Advance::Starved) };
                *src = rest;
                self.control(control, window, trace)?;
            }
            State::ChunkHeader(control) => {
                let len = chunk_header_len(control);
                let Some(bytes) = self.take(src, len, &mut ws.head) else { return Ok(Advance::Starved) };
                let mut header = [0; 10];
                copy(bytes, &mut header);
                self.chunk(control, header, window, ws, trace)?;
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
            State::Lzma => return self.lzma(src, window, ws),
            State::LzmaEnd => {
                let wants = usize::from(ws.lzma.wants_byte());
                if self.chunk.input != wants {
                    return Err(ErrorKind::XzChunkEnd);
                }
                let byte = if wants == 0 {
                    None
                } else {
                    let Some(byte) = self.next_byte(src, ws) else { return Ok(Advance::Starved) };
                    Some(byte)
                };
                if !ws.lzma.ends(byte) {
                    return Err(ErrorKind::XzChunkEnd);
                }
                self.skip(wants);
                self.end_chunk(trace);
            }
            State::BlockPadding(len) => {
                let Some(bytes) = self.take(src, len, &mut ws.head) else { return Ok(Advance::Starved) };
                let right = bytes.iter().all(|&byte| byte == 0);
                self.tell(trace, Part::Padding, Name::BlockPadding, len, Value::None);
                if !right {
                    return Err(ErrorKind::XzPadding);
                }
                self.skip(len);
                self.state = State::Check(self.flags.check().size());
            }
            State::Check(len) => {
                const { assert!(MAX_CHECK <= super::header::MAX_BLOCK_HEADER) }
                let Some(bytes) = self.take(src, len, &mut ws.head) else { return Ok(Advance::Starved) };
                self.tell(trace, Part::Checksum, Name::Check, len, Value::Bytes(bytes));
                if window.kind != Kind::Nowhere && !ws.check.is(bytes) {
                    return Err(ErrorKind::XzCheck);
                }
                self.skip(len);
                self.end_block(len, ws)?;
                trace.leave();
            }
            State::Index => return self.index(src, ws, trace),
            State::IndexPadding(len) => {
                let Some(bytes) = self.take(src, len, &mut ws.head) else { return Ok(Advance::Starved) };
                let mut padding = [0; 4];
                copy(bytes, &mut padding);
                self.tell(trace, Part::Padding, Name::IndexPadding, len, Value::None);
                if padding != [0; 4] {
                    return Err(ErrorKind::XzPadding);
                }
                self.index.crc.update(padding.get(..len).unwrap_or_default());
                self.skip(len);
                self.state = State::IndexCrc;
            }
            State::IndexCrc => {
                let Some(&[a, b, c, d]) = self.take(src, 4, &mut ws.head) else { return Ok(Advance::Starved) };
                let stored = u32::from_le_bytes([a, b, c, d]);
                self.tell(trace, Part::Checksum, Name::IndexCrc32, 4, Value::Hex(stored.into()));
                if self.index.crc.value() != stored {
                    return Err(ErrorKind::XzHeaderCrc);
                }
                if !ws.listed.same(&ws.seen) {
                    return self.wrong_at(ErrorKind::XzIndex, self.index.start);
                }
                self.skip(4);
                trace.leave();
                self.state = State::Footer;
            }
            State::Footer => {
                let Some(bytes) = self.take(src, STREAM_HEADER, &mut ws.head) else { return Ok(Advance::Starved) };
                let Some(bytes) = bytes.first_chunk() else { return Ok(Advance::Starved) };
                let mut at = self.at;
                let footer = stream_footer(bytes, &mut at, trace);
                let footer = footer.or_else(|kind| self.wrong_at(kind, at))?;
                if footer.backward != self.at - self.index.start {
                    return self.wrong_at(ErrorKind::XzFooter, self.at + 4);
                }
                if footer.flags != self.flags {
                    return self.wrong_at(ErrorKind::XzFooter, self.at + 8);
                }
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

    /// The next `len` bytes, at most as many as the header of a block, once they are there. They count as used up when `at` says so.
    fn take<'w, 's: 'w>(&mut self, src: &mut &'s [u8], len: usize, head: &'w mut [u8]) -> Option<&'w [u8]> {
        if self.gathered == 0
            && let Some((bytes, rest)) = src.split_at_checked(len)
        {
            *src = rest;
            return Some(bytes);
        }
        let room = head.get_mut(self.gathered..len).unwrap_or_default();
        copy(src, room);
        let more = room.len().min(src.len());
        *src = src.get(more..).unwrap_or_default();
        self.gathered += more;
        if self.gathered < len {
            return None;
        }
        self.gathered = 0;
        head.get(..len)
    }

    /// A leaf of `len` bytes that starts at the next byte.
    fn tell<T: Trace>(&self, trace: &mut T, part: Part, name: Name, len: usize, value: Value<'_>) {
        if T::LISTENS && len > 0 {
            trace.bytes(part, name, self.at..self.at + u64_from(len), value);
        }
    }

    #[cfg_attr(feature = "small", inline(never))]
    fn stream<T: Trace>(&mut self, bytes: &[u8; STREAM_HEADER], trace: &mut T) -> Result<()> {
        trace.enter(Name::Stream, Value::U64(self.streams));
        let mut at = self.at;
        let flags = stream_header(bytes, &mut at, trace);
        self.flags = flags.or_else(|kind| self.wrong_at(kind, at))?;
        if self.options.verify && !self.flags.check().is_known() {
            return self.wrong_at(ErrorKind::XzCheckKind, self.at + 7);
        }
        self.skip(STREAM_HEADER);
        self.state = State::BlockStart;
        Ok(())
    }

    #[cfg_attr(feature = "small", inline(never))]
    fn announce_block(&mut self, header: BlockHeader, window: &Window<'_>) -> Result<()> {
        if let Some(content) = header.uncompressed {
            self.spend(content, window)?;
        }
        self.window = self.window.max(header.window());
        self.block = Block { header, ..NO_BLOCK };
        self.state = State::Window;
        Ok(())
    }

    #[cfg_attr(feature = "small", inline(never))]
    fn start_block(&mut self, window: &mut Window<'_>, ws: &mut Workspace) -> Result<()> {
        if let Err((kind, need)) = window.start(&self.block.header, ws, &self.limits) {
            return self.wants(kind, need);
        }
        self.need = 0;
        self.skip(self.block.header.len);
        self.block.data = self.at;
        ws.check = Check::new(if self.options.verify { self.flags.check() } else { CheckKind::None });
        (self.wants_dictionary, self.wants_properties) = (true, true);
        self.state = State::Control;
        Ok(())
    }

    /// Whether a block waits for a window.
    pub(super) const fn wants_window(&self) -> bool {
        matches!(self.state, State::Window)
    }

    /// Whether the limit and the output allow so many bytes more.
    fn spend(&mut self, len: u64, window: &Window<'_>) -> Result<()> {
        let produced = self.produced.saturating_add(len);
        if produced > self.limits.max_output {
            return self.wants(ErrorKind::OutputLimit, produced);
        }
        if len > window.room() {
            return self.wants(ErrorKind::OutputTooSmall, produced);
        }
        Ok(())
    }

    /// So much would have been enough.
    #[cold]
    fn wants<R>(&mut self, kind: ErrorKind, need: u64) -> Result<R> {
        self.need = need;
        Err(kind)
    }

    /// The zero behind the last chunk of a block.
    #[cfg_attr(feature = "small", inline(never))]
    fn end_data<T: Trace>(&mut self, trace: &mut T) -> Result<()> {
        self.tell(trace, Part::Framing, Name::EndOfData, 1, Value::U64(0));
        self.skip(1);
        let header = &self.block.header;
        let compressed = self.at - self.block.data;
        let fits = |declared: Option<u64>, real| declared.is_none_or(|declared| declared == real);
        if !fits(header.compressed, compressed) || !fits(header.uncompressed, self.block.content) {
            return self.wrong_at(ErrorKind::XzBlockSize, self.at - 1);
        }
        self.block.compressed = compressed;
        self.state = State::BlockPadding(index(compressed.wrapping_neg() & 3));
        Ok(())
    }

    /// A block is complete: the index must list it.
    #[cfg_attr(feature = "small", inline(never))]
    fn end_block(&mut self, check: usize, ws: &mut Workspace) -> Result<()> {
        let unpadded = u64_from(self.block.header.len.saturating_add(check)).saturating_add(self.block.compressed);
        ws.seen.add(unpadded, self.block.content).ok_or(ErrorKind::XzBlockSize)?;
        self.blocks += 1;
        self.checks += u64::from(check > 0 && self.options.verify);
        self.state = if self.lone { State::Between } else { State::BlockStart };
        Ok(())
    }

    /// The number of records, and the records.
    #[cfg_attr(feature = "small", inline(never))]
    fn index<T: Trace>(&mut self, src: &mut &[u8], ws: &mut Workspace, trace: &mut T) -> Result<Advance> {
        let bytes = *src;
        let mut used = 0;
        let list = &mut self.index;
        let starved = loop {
            if list.unpadded.is_none() && list.count == Some(ws.listed.sums.count) {
                break false;
            }
            let Some(&byte) = bytes.get(used) else { break true };
            let here = self.at + u64_from(used);
            // At the same byte, whatever the pieces that the index comes in.
            if here - list.start >= self.limits.max_header {
                self.at = here;
                return self.wants(ErrorKind::HeaderLimit, here - self.index.start + 1);
            }
            used += 1;
            let value = match list.number.push(byte) {
                Ok(Some(value)) => value,
                Ok(None) => continue,
                Err(kind) => return self.wrong_at(kind, here),
            };
            let start = here + 1 - u64::from(list.number.len);
            list.number = Number::default();
            let name = match (list.count, list.unpadded) {
                (None, _) => {
                    // Told at once, so that nobody reads a long list for nothing.
                    if value != ws.seen.sums.count {
                        return self.wrong_at(ErrorKind::XzIndex, start);
                    }
                    list.count = Some(value);
                    Name::Records
                }
                (Some(_), None) => {
                    list.unpadded = Some(value);
                    Name::UnpaddedSize
                }
                (Some(_), Some(unpadded)) => {
                    if ws.listed.add(unpadded, value).is_none() {
                        return self.wrong_at(ErrorKind::XzIndex, start);
                    }
                    list.unpadded = None;
                    Name::UncompressedSize
                }
            };
            trace.bytes(Part::Table, name, start..here + 1, Value::U64(value));
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

    /// Behind a stream: zeros in fours, another stream, or the end.
    #[cfg_attr(feature = "small", inline(never))]
    fn between<T: Trace>(&mut self, src: &mut &[u8], trace: &mut T) -> Result<Advance> {
        if self.options.streams == Streams::First {
            return Ok(Advance::Done);
        }
        if self.options.streams == Streams::One && !src.is_empty() {
            return Err(ErrorKind::XzTrailing);
        }
        let zeros = src.iter().take_while(|&&byte| byte == 0).count();
        self.tell(trace, Part::Padding, Name::StreamPadding, zeros, Value::None);
        *src = src.get(zeros..).unwrap_or_default();
        self.skip(zeros);
        self.padding += u64_from(zeros);
        let aligned = self.padding.is_multiple_of(4);
        if src.is_empty() {
            return Ok(if aligned { Advance::MayEnd } else { Advance::Starved });
        }
        if !aligned {
            return Err(ErrorKind::XzPadding);
        }
        self.state = State::StreamHeader;
        Ok(Advance::On)
    }
}

impl Index {
    /// An index that starts here, of which nothing is read yet.
    fn new(start: u64) -> Self {
        Self { start, crc: Crc32::new(), count: None, unpadded: None, number: Number::default() }
    }
}

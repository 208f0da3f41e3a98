//! Reads inputs that are present as a whole, from the first field to the last.
//!
//! [`walk`](super::walk) reads the same fields from pieces. It has to stop and go on between any
//! two bytes, which takes twice the code and more memory. Both return the same bytes, and the same
//! error at the same offset.

use core::hint::black_box;

#[cfg(feature = "threads")]
use super::check::CheckKind;
use super::check::{Check, check_len, is_known};
use super::control::{CODER_START, Wants, chunk_header_len, chunk_name, sizes};
use super::header::{
    BlockHeader, FOOT_BACKWARD, FOOT_FLAGS, STREAM_HEADER, block_header_len, index_len, seals, stream_footer,
    stream_header, stream_start, window_of,
};
use super::index;
use super::lzma::{Area, Lzma, MOST_INPUT};
use super::number::CUT;
use super::options::{Options, Streams};
use super::probability::Literals;
use super::records::{Block, Records};
use super::workspace::Tables;
use crate::fault::{Fault, Verdict};
use crate::num::{self, Size, saturated, size, u64_from, wide};
use crate::{Checksums, Done, Error, ErrorKind, Name, Part, Result, Trace, Value, Verify, tuning};

/// The purpose of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// Decodes to the output, which is the dictionary as well.
    Decode,
    /// Counts the content. The symbols of LZMA are skipped.
    Count,
}

/// The output of a walk, which is the dictionary as well.
pub(super) trait Output {
    /// Returns the number of bytes so far.
    fn len(&self) -> usize;

    /// Returns the most bytes that it holds.
    fn capacity(&self) -> usize;

    /// Empties the dictionary.
    fn empty(&mut self);

    /// Appends bytes as they are.
    fn append(&mut self, bytes: &[u8], check: &mut Check) -> Verdict<()>;

    /// Decodes symbols that make at most `len` bytes, as [`Lzma::run`] does.
    fn decode(
        &mut self,
        symbols: Symbols<'_>,
        len: usize,
        dictionary: usize,
        check: &mut Check,
    ) -> Verdict<(usize, bool)>;

    /// Adds the bytes from `start` on to the check, unless they were added before.
    fn hash(&mut self, start: usize, check: &mut Check);

    /// Returns the bytes from `start` on for filters, if they are all there.
    fn filter(&mut self, start: usize) -> Option<&mut [u8]>;
}

/// The symbols of a chunk, or what is present of them.
pub(super) struct Symbols<'a> {
    pub(super) lzma: &'a mut Lzma,
    pub(super) literals: &'a mut [Literals],
    pub(super) bytes: &'a [u8],
    /// No symbol may begin with fewer bytes than this.
    pub(super) least: usize,
}

/// A slice with room for the whole content.
pub(super) struct Slice<'a> {
    dst: &'a mut [u8],
    /// Content that claims to be longer is refused.
    capacity: usize,
    /// Bytes that are filled.
    filled: usize,
    /// Index of the oldest byte that matches reach, and that positions count from.
    base: usize,
}

impl<'a> Slice<'a> {
    pub(super) const fn new(dst: &'a mut [u8]) -> Self {
        let capacity = dst.len();
        Self { dst, capacity, filled: 0, base: 0 }
    }

    /// A slice that holds what the input really decodes to. Longer claims are wrong, and decoding
    /// finds out where.
    #[cfg(feature = "alloc")]
    pub(super) const fn of_real_length(dst: &'a mut [u8]) -> Self {
        Self { dst, capacity: usize::MAX, filled: 0, base: 0 }
    }
}

impl Output for Slice<'_> {
    fn len(&self) -> usize {
        self.filled
    }

    fn capacity(&self) -> usize {
        self.capacity
    }

    fn empty(&mut self) {
        self.base = self.filled;
    }

    fn append(&mut self, bytes: &[u8], _: &mut Check) -> Verdict<()> {
        num::copy(bytes, self.dst.get_mut(self.filled..).unwrap_or_default());
        self.filled += bytes.len();
        Ok(())
    }

    fn decode(&mut self, symbols: Symbols<'_>, len: usize, dictionary: usize, _: &mut Check) -> Verdict<(usize, bool)> {
        let Symbols { lzma, literals, bytes, least } = symbols;
        let buf = self.dst.get_mut(self.base..).unwrap_or_default();
        let at = self.filled - self.base;
        let limit = buf.len().min(at + len);
        let mut area = Area { buf, at, limit, dictionary };
        let run = lzma.run(literals, bytes, least, None, &mut area);
        self.filled = self.base + area.at;
        Ok(run)
    }

    fn hash(&mut self, start: usize, check: &mut Check) {
        check.update(self.dst.get(start..self.filled).unwrap_or_default());
    }

    fn filter(&mut self, start: usize) -> Option<&mut [u8]> {
        self.dst.get_mut(start..self.filled)
    }
}

/// The bounds of the chunks of a block.
struct Open {
    dictionary: u32,
    /// Index after the last chunk, and length of the content after it. The largest numbers if the
    /// header does not declare them.
    end: usize,
    content_end: Size,
}

/// A walk over a whole input.
pub(super) struct Whole<'a, T, O> {
    src: &'a [u8],
    /// Index of the next byte that is not read.
    at: usize,
    pub(super) out: O,
    /// Bytes of the output before the block that is read, or was read last.
    sound: usize,
    tables: &'a mut Tables,
    options: &'a Options,
    trace: &'a mut T,
    /// The number of the check after each block of the stream.
    check: u8,
    streams: usize,
    blocks: usize,
    /// Blocks of earlier streams.
    earlier: usize,
    checksums: Checksums,
    /// The most bytes that a block asks of a window.
    reach: Size,
    /// Bytes of content so far, if they are counted and not decoded.
    pub(super) counted: Size,
    /// The amount that would be enough, after a fault whose kind has such a number.
    need: Size,
}

impl<'a, T: Trace, O: Output> Whole<'a, T, O> {
    pub(super) fn new(src: &'a [u8], out: O, tables: &'a mut Tables, options: &'a Options, trace: &'a mut T) -> Self {
        // A zero that the compiler does not see through does not become a call of `memset`, which
        // alone would take 160 bytes of flash.
        let zero = if tuning::SMALL { black_box(0) } else { 0 };
        Self {
            src,
            at: 0,
            out,
            sound: 0,
            tables,
            options,
            trace,
            check: 0,
            streams: zero,
            blocks: zero,
            earlier: zero,
            checksums: Checksums { matched: u64_from(zero), mismatched: u64_from(zero), unchecked: u64_from(zero) },
            reach: size(zero),
            counted: size(zero),
            need: size(zero),
        }
    }

    /// Length of the content so far.
    fn content(&self, goal: Goal) -> Size {
        match goal {
            Goal::Decode => size(self.out.len()),
            Goal::Count => self.counted,
        }
    }

    /// Builds the result of a walk that used `read` bytes, filled `wrote`, and found `content`.
    pub(super) fn done(&self, read: usize, wrote: usize, content: u64) -> Done {
        let (parts, blocks) = (u64_from(self.streams), u64_from(self.blocks));
        let Checksums { matched, mismatched, .. } = self.checksums;
        let checksums = Checksums { matched, mismatched, unchecked: blocks.saturating_sub(matched + mismatched) };
        Done { read, wrote, content, parts, blocks, window: window_of(self.reach), checksums }
    }

    /// Reads all streams that the options ask for.
    pub(super) fn file(&mut self, goal: Goal) -> Result<Done> {
        match self.streams(goal) {
            Ok(()) => Ok(self.done(self.at, self.out.len(), wide(self.content(goal)))),
            Err(fault) => Err(self.error(fault, 0)),
        }
    }

    /// Reads the one block that the input consists of, as an index lists it.
    pub(super) fn lone_block(&mut self, goal: Goal, listed: &Block) -> Result<Done> {
        let start = listed.range.start;
        self.check = listed.check.id();
        if self.options.verify == Verify::Refuse && !is_known(self.check) {
            return Err(Error::new(ErrorKind::XzCheckKind, start));
        }
        if start.checked_add(u64_from(self.src.len())).is_none() {
            return Err(Error::new(ErrorKind::RangeOutside, start));
        }
        let walked = match self.src.first() {
            None => Err(CUT),
            Some(0) => Err(Fault::new(ErrorKind::XzIndex, 0)),
            Some(&first) => self.block(goal, first),
        };
        walked.map_err(|fault| self.error(fault, start))?;
        let content = wide(self.content(goal));
        if self.at < self.src.len() || content != listed.content.end.saturating_sub(listed.content.start) {
            return Err(Error::new(ErrorKind::XzIndex, start));
        }
        Ok(self.done(self.at, self.out.len(), content))
    }

    /// Turns a fault, which counts from the next byte, into an error in a file that contains the
    /// input at `start`.
    #[cold]
    fn error(&self, fault: Fault, start: u64) -> Error {
        let at = self.at.saturating_add(fault.at).min(self.src.len());
        Error::new(fault.kind, u64_from(at).saturating_add(start)).needing(wide(self.need))
    }

    /// Returns the length of an output that is sound after an error: bytes that were decoded, and
    /// passed the filters. If the check of a block differs, the block does not count.
    pub(super) fn salvaged(&mut self, error: &Error) -> usize {
        if error.kind == ErrorKind::XzCheck {
            return self.sound;
        }
        #[cfg(feature = "xz-filters")]
        if let Some(block) = self.out.filter(self.sound) {
            return self.sound.saturating_add(self.tables.filters.start_of(block));
        }
        self.out.len()
    }

    fn streams(&mut self, goal: Goal) -> Verdict<()> {
        while let Some(first) = self.next_block()? {
            self.block(goal, first)?;
        }
        Ok(())
    }

    /// Passes the next block without decoding it. Returns its place, or `None` after the last.
    #[cfg(feature = "threads")]
    pub(super) fn pass_block(&mut self) -> Result<Option<Block>> {
        let Some(first) = self.next_block().map_err(|fault| self.error(fault, 0))? else { return Ok(None) };
        let (start, before) = (u64_from(self.at), wide(self.counted));
        self.block(Goal::Count, first).map_err(|fault| self.error(fault, 0))?;
        let check = CheckKind::from_id(self.check);
        Ok(Some(Block { range: start..u64_from(self.at), content: before..wide(self.counted), check }))
    }

    /// Builds the result of a walk that passed all blocks, which others decoded.
    #[cfg(feature = "threads")]
    pub(super) fn passed(&self) -> Done {
        self.done(self.at, num::index_of(self.counted), wide(self.counted))
    }

    /// Reads up to the next block, out of one stream and into the next. Returns its first byte, or
    /// `None` after the last.
    fn next_block(&mut self) -> Verdict<Option<u8>> {
        if self.at == 0 {
            self.open()?;
        }
        loop {
            match *self.src.get(self.at).ok_or(CUT)? {
                0 if self.close()? => self.open()?,
                0 => return Ok(None),
                first => return Ok(Some(first)),
            }
        }
    }

    /// Reads the header of a stream.
    fn open(&mut self) -> Verdict<()> {
        stream_start(self.rest())?;
        let bytes = self.array().ok_or(CUT)?;
        self.trace.enter(Name::Stream, Value::U64(u64_from(self.streams)));
        self.check = stream_header(bytes, u64_from(self.at), self.trace)?;
        if self.options.verify == Verify::Refuse && !is_known(self.check) {
            return Err(Fault::new(ErrorKind::XzCheckKind, 7));
        }
        self.at += STREAM_HEADER;
        self.earlier = self.blocks;
        self.tables.seen = Records::new();
        Ok(())
    }

    /// Reads the index and the footer of a stream, and what follows. Returns whether that is
    /// another stream.
    fn close(&mut self) -> Verdict<bool> {
        let index = self.index()?;
        let bytes = self.array().ok_or(CUT)?;
        let check = stream_footer(bytes, u64_from(self.at), self.trace)?;
        if index_len(bytes) != u64_from(index) {
            return Err(Fault::new(ErrorKind::XzFooter, FOOT_BACKWARD.at()));
        }
        if check != self.check {
            return Err(Fault::new(ErrorKind::XzFooter, FOOT_FLAGS.at()));
        }
        self.at += STREAM_HEADER;
        self.streams += 1;
        self.trace.leave();
        match self.options.streams {
            Streams::First => return Ok(false),
            Streams::One if self.at < self.src.len() => return Err(Fault::new(ErrorKind::XzTrailing, 0)),
            Streams::One | Streams::All => {}
        }
        let zeros = self.rest().iter().take_while(|&&byte| byte == 0).count();
        self.emit(Part::Padding, Name::StreamPadding, zeros, Value::None);
        self.at += zeros;
        let more = self.at < self.src.len();
        // Streams are multiples of four bytes, so the padding is one where the offset is.
        if !self.at.is_multiple_of(4) {
            return Err(if more { Fault::new(ErrorKind::XzPadding, 0) } else { CUT });
        }
        Ok(more)
    }

    /// Reads the block whose header starts with this byte. With filters its header would make the
    /// frame of a caller too large.
    #[cfg_attr(all(feature = "small", feature = "xz-filters"), inline(never))]
    fn block(&mut self, goal: Goal, first: u8) -> Verdict<()> {
        let bytes = self.take(block_header_len(first)).ok_or(CUT)?;
        self.trace.enter(Name::Block, Value::U64(u64_from(self.blocks)));
        let header = BlockHeader::read(bytes, u64_from(self.at), self.trace)?;
        let before = self.content(goal);
        let content_end = header.uncompressed.map_or(Size::MAX, |size| before.saturating_add(saturated(size)));
        if header.uncompressed.is_some() {
            self.announce(goal, content_end)?;
        }
        #[cfg(feature = "xz-filters")]
        if header.filters != [None; 3] && goal == Goal::Decode && self.out.filter(0).is_none() {
            return Err(Fault::new(ErrorKind::XzFilter, 0));
        }
        self.reach = self.reach.max(header.reach());
        #[cfg(feature = "xz-filters")]
        let filtered = self.tables.filters.start(&header.filters);
        #[cfg(not(feature = "xz-filters"))]
        let filtered = false;
        let skip = goal == Goal::Count || self.options.verify == Verify::Skip;
        self.tables.check = Check::new(if skip { 0 } else { self.check });
        self.at += header.len;
        let data = self.at;
        self.out.empty();
        self.sound = self.out.len();
        let block = Open {
            dictionary: header.dictionary,
            end: header.compressed.map_or(usize::MAX, |size| data.saturating_add(num::index(size))),
            content_end,
        };
        self.chunks(goal, &block, filtered)?;
        let content = self.content(goal);
        let fits = header.compressed.is_none() || block.end == self.at + 1;
        if !fits || header.uncompressed.is_some() && content_end != content {
            return Err(Fault::new(ErrorKind::XzBlockSize, 0));
        }
        self.at += 1;
        let compressed = self.at - data;
        #[cfg(feature = "xz-filters")]
        if filtered && let Some(block) = self.out.filter(self.sound) {
            self.tables.filters.whole(block);
            self.tables.check.update(block);
            // They are not to run again for what is salvaged.
            self.tables.filters.start(&[None; 3]);
        }
        self.zeros(compressed, Name::BlockPadding)?;
        let len = check_len(self.check);
        let bytes = self.take(len).ok_or(CUT)?;
        self.emit(Part::Checksum, Name::Check, len, Value::Bytes(bytes));
        let matches = match goal {
            Goal::Decode => self.tables.check.is(bytes),
            // It counts as matched what decoding would compare.
            Goal::Count => (len > 0 && self.options.verify != Verify::Skip && is_known(self.check)).then_some(true),
        };
        if let Some(matches) = matches {
            self.checksums.count(matches, self.options.verify, ErrorKind::XzCheck, 0)?;
        }
        self.at += len;
        let unpadded = size(header.len + compressed + len);
        self.tables.seen.add(unpadded, content - before).ok_or(Fault::new(ErrorKind::XzBlockSize, 0))?;
        self.blocks += 1;
        self.trace.leave();
        Ok(())
    }

    /// Reads chunks up to the zero after the last one. Inlined, because a device has one caller.
    #[inline(always)]
    fn chunks(&mut self, goal: Goal, block: &Open, filtered: bool) -> Verdict<()> {
        let mut wants = Wants::ALL;
        loop {
            let &control = self.src.get(self.at).ok_or(CUT)?;
            if control == 0 {
                break;
            }
            let filled = self.out.len();
            self.chunk(goal, control, block, &mut wants)?;
            if !filtered {
                self.out.hash(filled, &mut self.tables.check);
            }
        }
        self.emit(Part::Framing, Name::EndOfData, 1, Value::U64(0));
        Ok(())
    }

    /// Reads the chunks that the input consists of, as if a block had this header.
    #[cfg(feature = "lzma")]
    pub(super) fn lone_chunks(&mut self, goal: Goal, header: &BlockHeader) -> Result<Done> {
        #[cfg(feature = "xz-filters")]
        let filtered = self.tables.filters.start(&header.filters);
        #[cfg(not(feature = "xz-filters"))]
        let filtered = false;
        self.tables.check = Check::None;
        self.reach = header.reach();
        let block = Open { dictionary: header.dictionary, end: usize::MAX, content_end: Size::MAX };
        self.chunks(goal, &block, filtered).map_err(|fault| self.error(fault, 0))?;
        self.at += 1;
        #[cfg(feature = "xz-filters")]
        if filtered && goal == Goal::Decode {
            self.tables.filters.whole(self.out.filter(0).unwrap_or_default());
            // They are not to run again for what is salvaged.
            self.tables.filters.start(&[None; 3]);
        }
        self.streams += 1;
        if self.at < self.src.len() {
            return Err(self.error(Fault::new(ErrorKind::XzTrailing, 0), 0));
        }
        Ok(self.done(self.at, self.out.len(), wide(self.content(goal))))
    }

    /// Reads the chunk that starts with this byte.
    fn chunk(&mut self, goal: Goal, control: u8, block: &Open, wants: &mut Wants) -> Verdict<()> {
        if wants.accept(control)? {
            self.out.empty();
        }
        self.trace.enter(Name::Chunk, Value::Word(chunk_name(control)));
        self.emit(Part::Framing, Name::Control, 1, Value::Hex(control.into()));
        self.at += 1;
        let bytes = self.take(chunk_header_len(control)).ok_or(CUT)?;
        let (input, output, len) = sizes(control, bytes).ok_or(CUT)?;
        let name = if control < 0x80 { Name::ChunkSize } else { Name::ChunkSizes };
        self.emit(Part::Framing, name, len, Value::U64(u64_from(output)));
        let content = self.content(goal).saturating_add(size(output));
        if content > block.content_end {
            return Err(Fault::new(ErrorKind::XzBlockSize, 0));
        }
        self.announce(goal, content)?;
        if goal == Goal::Count {
            self.counted = content;
        }
        self.at += len;
        let chunk_end = self.at + input + usize::from(control >= 0xC0);
        if chunk_end > block.end {
            return Err(Fault::new(ErrorKind::XzBlockSize, 0));
        }
        if control < 0x80 {
            self.stored(goal, input)?;
        } else {
            self.lzma(goal, control, (input, output), block.dictionary)?;
        }
        self.trace.leave();
        Ok(())
    }

    /// Reads a chunk of bytes that are stored as they are.
    fn stored(&mut self, goal: Goal, len: usize) -> Verdict<()> {
        let bytes = self.present(len);
        self.emit(Part::Data, Name::CopiedBytes, bytes.len(), Value::None);
        if goal == Goal::Decode {
            self.out.append(bytes, &mut self.tables.check)?;
        }
        self.at += bytes.len();
        if bytes.len() < len { Err(CUT) } else { Ok(()) }
    }

    /// Reads a chunk of LZMA: properties if it has new ones, and symbols. They take `input` bytes
    /// and decode to `output`.
    fn lzma(&mut self, goal: Goal, control: u8, (input, output): (usize, usize), dictionary: u32) -> Verdict<()> {
        if control >= 0xC0 {
            let &byte = self.src.get(self.at).ok_or(CUT)?;
            self.emit(Part::Header, Name::LcLpPb, 1, Value::U64(byte.into()));
            let lzma = &mut self.tables.lzma;
            if !lzma.set_properties(byte) {
                return Err(Fault::new(ErrorKind::XzProperties, 0));
            }
            let contexts = lzma.contexts();
            if goal == Goal::Decode && contexts > self.tables.literals.len() {
                self.need = size(contexts);
                return Err(Fault::new(ErrorKind::WorkspaceTooSmall, 0));
            }
            self.at += 1;
        }
        let bytes = self.present(input);
        self.emit(Part::Symbols, Name::LzmaSymbols, bytes.len(), Value::None);
        let Tables { lzma, literals, check, .. } = &mut *self.tables;
        if control >= 0xA0 && goal == Goal::Decode {
            lzma.reset(literals);
        }
        // All of them are present if the chunk has them.
        let Some((start, bytes)) = bytes.split_first_chunk::<CODER_START>() else {
            return Err(Fault::new(ErrorKind::XzChunkStart, 0));
        };
        if !lzma.start(*start) {
            return Err(Fault::new(ErrorKind::XzChunkStart, 0));
        }
        self.at += CODER_START;
        let missing = input - CODER_START - bytes.len();
        if goal == Goal::Count {
            self.at += bytes.len();
            return if missing > 0 { Err(CUT) } else { Ok(()) };
        }
        // A symbol that may reach beyond the end of a truncated input is not decoded.
        let least = if missing > 0 { MOST_INPUT } else { 0 };
        let symbols = Symbols { lzma, literals, bytes, least };
        let end = self.out.len() + output;
        let (used, is_valid) = self.out.decode(symbols, output, num::index(dictionary.into()), check)?;
        self.at += used.min(bytes.len());
        if !is_valid {
            return Err(Fault::new(ErrorKind::XzDistance, 0));
        }
        let Some(rest) = bytes.get(used..) else { return Err(Fault::new(ErrorKind::XzChunkEnd, 0)) };
        // With all bytes present, symbols end only when they are used up or make the whole output.
        if self.out.len() < end {
            return Err(CUT);
        }
        // The range coder may need one byte more.
        let unfit = Err(Fault::new(ErrorKind::XzChunkEnd, 0));
        if rest.len() + missing != usize::from(lzma.wants_byte()) {
            return unfit;
        }
        if missing > 0 {
            return Err(CUT);
        }
        if !lzma.ends(rest.first().copied()) {
            return unfit;
        }
        self.at += rest.len();
        Ok(())
    }

    /// Reads the index after the blocks, and compares it with them. Returns its length.
    fn index(&mut self) -> Verdict<usize> {
        let start = self.at;
        self.trace.enter(Name::Index, Value::None);
        self.emit(Part::Framing, Name::IndexIndicator, 1, Value::U64(0));
        let limit = num::index(self.options.limits.max_header).max(1);
        let (bytes, rest) = (self.present(limit), self.rest());
        let blocks = self.blocks - self.earlier;
        let listed = &mut self.tables.listed;
        *listed = Records::new();
        let each = &mut |unpadded, content| listed.add(unpadded, content);
        let len = match index::list(bytes, u64_from(start), size(blocks), each, self.trace) {
            Err(Fault { kind: ErrorKind::Truncated, .. }) if bytes.len() < rest.len() => {
                self.need = size(limit + 1);
                return Err(Fault::new(ErrorKind::HeaderLimit, limit));
            }
            len => len?,
        };
        self.at += len;
        self.zeros(len, Name::IndexPadding)?;
        let crc = self.array().ok_or(CUT)?;
        self.emit(Part::Checksum, Name::IndexCrc32, 4, Value::Hex(u32::from_le_bytes(*crc).into()));
        let len = self.at - start;
        if !seals(crc, rest.get(..len).unwrap_or_default()) {
            return Err(Fault::new(ErrorKind::XzHeaderCrc, 0));
        }
        let Tables { seen, listed, .. } = &mut *self.tables;
        if listed != seen {
            self.at = start;
            return Err(Fault::new(ErrorKind::XzIndex, 0));
        }
        self.at += 4;
        self.trace.leave();
        Ok(len + 4)
    }

    /// Refuses content of this length if the limit or the output forbids it, or if a size cannot
    /// count it.
    #[cfg_attr(feature = "small", inline(never))]
    fn announce(&mut self, goal: Goal, content: Size) -> Verdict<()> {
        let uncounted = goal == Goal::Count && content == Size::MAX;
        let kind = if content > saturated(self.options.limits.max_output) || uncounted {
            ErrorKind::OutputLimit
        } else if goal == Goal::Decode && content > size(self.out.capacity()) {
            ErrorKind::OutputTooSmall
        } else {
            return Ok(());
        };
        self.need = content;
        Err(Fault::new(kind, 0))
    }

    /// Reads padding that follows `len` bytes, up to a multiple of four.
    #[cfg_attr(feature = "small", inline(never))]
    fn zeros(&mut self, len: usize, name: Name) -> Verdict<()> {
        let len = len.wrapping_neg() & 3;
        let bytes = self.take(len).ok_or(CUT)?;
        self.emit(Part::Padding, name, len, Value::None);
        if bytes.iter().any(|&byte| byte != 0) {
            return Err(Fault::new(ErrorKind::XzPadding, 0));
        }
        self.at += len;
        Ok(())
    }

    /// The bytes that are not read.
    #[cfg_attr(feature = "small", inline(never))]
    fn rest(&self) -> &'a [u8] {
        self.src.get(self.at..).unwrap_or_default()
    }

    /// The next `len` bytes, if all are present.
    #[cfg_attr(feature = "small", inline(never))]
    fn take(&self, len: usize) -> Option<&'a [u8]> {
        self.rest().get(..len)
    }

    /// The next `N` bytes, if all are present.
    #[inline(always)]
    fn array<const N: usize>(&self) -> Option<&'a [u8; N]> {
        self.rest().first_chunk()
    }

    /// The next `len` bytes, or those that are present.
    #[cfg_attr(feature = "small", inline(never))]
    fn present(&self, len: usize) -> &'a [u8] {
        let rest = self.rest();
        rest.get(..len).unwrap_or(rest)
    }

    /// Emits a field of `len` bytes that starts at the next byte.
    fn emit(&mut self, part: Part, name: Name, len: usize, value: Value<'_>) {
        if T::LISTENS && len > 0 {
            let at = u64_from(self.at);
            self.trace.bytes(part, name, at..at + u64_from(len), value);
        }
    }
}

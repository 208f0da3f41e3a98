//! The literals section of a block: its header, its Huffman code and its streams.

use core::ops::Range;

use super::flavour::{Flavour, LiteralsHeader, LiteralsKind};
use super::header::{MAX_BLOCK, emit_field};
use super::symbols;
use super::workspace::{Lent, Workspace};
use crate::bits::BackwardFields;
use crate::entropy::huffman;
use crate::fault::{Fault, Verdict};
use crate::num::{copy, u64_from};
use crate::{ErrorKind, Name, Part, Trace, Value};

/// A literals section whose Huffman code, if it has one, is in the workspace.
#[derive(Clone, Debug)]
pub(super) struct Literals {
    /// The number of literals.
    pub(super) size: usize,
    /// The end of the section.
    pub(super) end: usize,
    content: LiteralsContent,
}

#[derive(Clone, Debug)]
enum LiteralsContent {
    Raw(Range<usize>),
    Rle(u8),
    /// The start of a stream, and its end.
    One([usize; 2]),
    /// The start of each stream, and the end of the last.
    Four([usize; 5]),
}

impl Literals {
    /// No literals.
    pub(super) const NONE: Self = Self { size: 0, end: 0, content: LiteralsContent::Rle(0) };

    /// Reads the section at `block.start`, up to and including its Huffman code.
    #[cfg_attr(feature = "small", inline(never))]
    pub(super) fn read<T: Trace>(
        &mut self,
        flavour: Flavour,
        src: &[u8],
        block: Range<usize>,
        workspace: &mut Workspace,
        lent: &mut Lent<'_>,
        trace: &mut T,
    ) -> Verdict<()> {
        let bytes = src.get(block.clone()).unwrap_or_default();
        let header = flavour.literals(bytes).ok_or(Fault::new(ErrorKind::ZstdLiteralsSize, block.start))?;
        let LiteralsHeader { kind, single, len, size, stored } = header;
        let size = size as usize;
        trace.enter(Name::Literals, Value::U64(u64_from(size)));
        let start = block.start + len;
        emit_field(trace, Part::Header, Name::LiteralsHeader, block.start..start, Value::Word(name(kind, single)));
        let too_long = Fault::new(ErrorKind::ZstdLiteralsSize, block.start);
        if size > MAX_BLOCK {
            return Err(too_long);
        }
        let stored = match kind {
            LiteralsKind::Raw => size,
            LiteralsKind::Rle => 1,
            LiteralsKind::Huffman | LiteralsKind::Repeat => stored as usize,
        };
        let end = Some(start + stored).filter(|&end| end <= block.end).ok_or(too_long)?;
        (self.size, self.end) = (size, end);
        match kind {
            LiteralsKind::Raw => {
                emit_field(trace, Part::Data, Name::RawLiterals, start..end, Value::None);
                self.content = LiteralsContent::Raw(start..end);
            }
            LiteralsKind::Rle => {
                let byte = src.get(start).copied().ok_or(too_long)?;
                emit_field(trace, Part::Data, Name::RepeatedLiteral, start..end, Value::U64(byte.into()));
                self.content = LiteralsContent::Rle(byte);
            }
            LiteralsKind::Huffman | LiteralsKind::Repeat => {
                let mut at = start;
                if kind == LiteralsKind::Huffman {
                    lent.code = None;
                    let src = src.get(..end).unwrap_or_default();
                    let read = workspace.huffman.read(src, start, flavour.tree());
                    at += read.ok_or(Fault::new(ErrorKind::ZstdTree, start))?;
                    let depth = Value::U64(workspace.huffman.depth().into());
                    emit_field(trace, Part::Table, Name::HuffmanCode, start..at, depth);
                } else if lent.code().is_none() && !workspace.huffman.is_ready() {
                    return Err(Fault::new(ErrorKind::ZstdLiteralsRepeat, block.start));
                }
                self.streams(src, at..end, single, &workspace.huffman, trace)?;
            }
        }
        trace.leave();
        Ok(())
    }

    /// Reads the bounds of one stream or four after a Huffman code.
    fn streams<T: Trace>(
        &mut self,
        src: &[u8],
        all: Range<usize>,
        single: bool,
        code: &huffman::Table,
        trace: &mut T,
    ) -> Verdict<()> {
        let size = self.size;
        if single {
            symbols::huffman(src, all.clone(), size, code, trace);
            self.content = LiteralsContent::One([all.start, all.end]);
            return Ok(());
        }
        let fault = Fault::new(ErrorKind::ZstdLiteralsSize, all.start);
        // libzstd refuses fewer than six literals in four streams, and no encoder writes them.
        let jumps = src.get(all.clone()).and_then(<[u8]>::first_chunk::<6>).filter(|_| size >= 6).ok_or(fault)?;
        let mut end = all.start + 6;
        emit_field(trace, Part::Header, Name::JumpTable, all.start..end, Value::None);
        let (lengths, _) = jumps.as_chunks::<2>();
        let mut bounds = [end; 5];
        for (bound, length) in bounds.iter_mut().skip(1).zip(lengths) {
            end += usize::from(u16::from_le_bytes(*length));
            *bound = end;
        }
        if end > all.end {
            return Err(fault);
        }
        bounds[4] = all.end;
        let mut left = size;
        for (&start, &end) in bounds.iter().zip(bounds.iter().skip(1)) {
            let count = size.div_ceil(4).min(left);
            symbols::huffman(src, start..end, count, code, trace);
            left -= count;
        }
        self.content = LiteralsContent::Four(bounds);
        Ok(())
    }

    /// Decodes the literals to `out`, which has their length.
    #[cfg_attr(feature = "small", inline(never))]
    pub(super) fn fill(&self, src: &[u8], workspace: &mut Workspace, lent: Lent<'_>, out: &mut [u8]) -> Verdict<()> {
        if let (LiteralsContent::Four([start, .., end]), None) = (&self.content, lent.code()) {
            workspace.huffman.prepare(out.len(), end - start);
        }
        let code = lent.code().unwrap_or(&workspace.huffman);
        let (done, at) = match &self.content {
            LiteralsContent::Raw(range) => {
                copy(src.get(range.clone()).unwrap_or_default(), out);
                return Ok(());
            }
            LiteralsContent::Rle(byte) => {
                out.fill(*byte);
                return Ok(());
            }
            LiteralsContent::One([start, end]) => (code.decode_one(src, *start..*end, out), *start),
            LiteralsContent::Four(bounds) => (code.decode_four(src, bounds, out), bounds[0]),
        };
        done.ok_or(Fault::new(ErrorKind::ZstdHuffmanStream, at))
    }

    /// Returns a reader of the literals, with their Huffman code.
    pub(super) fn reader<'a>(&'a self, src: &'a [u8], code: &'a huffman::Table) -> LiteralReader<'a> {
        let (bounds, part): (&[usize], _) = match &self.content {
            LiteralsContent::Raw(range) => return LiteralReader::raw(src.get(range.clone()).unwrap_or_default()),
            LiteralsContent::Rle(byte) => return LiteralReader::run(*byte, self.size),
            LiteralsContent::One(bounds) => (bounds, self.size),
            LiteralsContent::Four(bounds) => (bounds, self.size.div_ceil(4)),
        };
        let fault = Fault::new(ErrorKind::ZstdHuffmanStream, bounds.first().copied().unwrap_or_default());
        let streams = Streams { code, src, bounds, part, bits: BackwardFields::EMPTY, left: 0, fault };
        LiteralReader { left: self.size, source: Source::Huffman(streams) }
    }
}

/// Decodes literals in order, as many at a time as the caller has room for. Needs no buffer.
pub(super) struct LiteralReader<'a> {
    /// The number of literals that are not read yet.
    pub(super) left: usize,
    source: Source<'a>,
}

enum Source<'a> {
    Raw(&'a [u8]),
    Rle(u8),
    Huffman(Streams<'a>),
}

impl<'a> LiteralReader<'a> {
    /// Returns a reader of bytes that are stored as they are.
    pub(super) const fn raw(bytes: &'a [u8]) -> Self {
        Self { left: bytes.len(), source: Source::Raw(bytes) }
    }

    /// Returns a reader of one byte, `len` times.
    pub(super) const fn run(byte: u8, len: usize) -> Self {
        Self { left: len, source: Source::Rle(byte) }
    }

    /// Reads the next literals to `out`, which has room for at most those that are left.
    #[cfg_attr(feature = "small", inline(never))]
    pub(super) fn fill(&mut self, out: &mut [u8]) -> Verdict<()> {
        self.left = self.left.saturating_sub(out.len());
        match &mut self.source {
            Source::Raw(bytes) => {
                copy(bytes, out);
                *bytes = bytes.get(out.len()..).unwrap_or_default();
            }
            Source::Rle(byte) => out.fill(*byte),
            Source::Huffman(streams) => streams.fill(out)?,
        }
        Ok(())
    }

    /// Reads the literals that are left to nowhere. Streams must end with the last.
    #[cfg_attr(feature = "small", inline(never))]
    pub(super) fn finish(&mut self) -> Verdict<()> {
        while self.left > 0 {
            self.fill(&mut [0])?;
        }
        if let Source::Huffman(streams) = &mut self.source {
            while streams.turn()? {}
        }
        Ok(())
    }
}

/// Huffman streams that are read one after the other.
struct Streams<'a> {
    code: &'a huffman::Table,
    src: &'a [u8],
    /// The start of each stream that is not open yet, and the end of the last.
    bounds: &'a [usize],
    /// The number of literals in each stream. The last may have fewer.
    part: usize,
    /// The open stream, and the number of its literals that are not read yet.
    bits: BackwardFields<'a>,
    left: usize,
    /// The fault of a stream that ends early or late.
    fault: Fault,
}

impl Streams<'_> {
    #[cfg_attr(feature = "small", inline(always))]
    fn fill(&mut self, mut out: &mut [u8]) -> Verdict<()> {
        while !out.is_empty() {
            if self.left == 0 && !self.turn()? {
                return Err(self.fault);
            }
            let many = out.len().min(self.left);
            let (these, rest) = out.split_at_mut_checked(many).unwrap_or_default();
            self.left -= these.len();
            self.code.fill(&mut self.bits, these);
            out = rest;
        }
        Ok(())
    }

    /// Closes the open stream, which must be at its end, and opens the next. Returns false after
    /// the last.
    #[cfg_attr(feature = "small", inline(never))]
    fn turn(&mut self) -> Verdict<bool> {
        if self.bits.remaining() != 0 {
            return Err(self.fault);
        }
        let &[start, ref rest @ ..] = self.bounds else { return Ok(false) };
        let Some(&end) = rest.first() else { return Ok(false) };
        let stream = self.src.get(start..end).ok_or(self.fault)?;
        self.bits = BackwardFields::open(stream).ok_or(self.fault)?;
        self.left = self.part;
        self.bounds = rest;
        Ok(true)
    }
}

fn name(kind: LiteralsKind, single: bool) -> &'static str {
    match (kind, single) {
        (LiteralsKind::Raw, _) => "raw",
        (LiteralsKind::Rle, _) => "rle",
        (LiteralsKind::Huffman, true) => "Huffman, 1 stream",
        (LiteralsKind::Huffman, false) => "Huffman, 4 streams",
        (LiteralsKind::Repeat, true) => "code repeated, 1 stream",
        (LiteralsKind::Repeat, false) => "code repeated, 4 streams",
    }
}

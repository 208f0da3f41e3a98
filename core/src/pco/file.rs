//! Standalone files: a header, chunks of one page each, and a zero byte.

use super::decoder::{Decoder, Done, output_too_small, pages, pages_bytes};
use super::fields::Fields;
use super::header::Header;
use super::meta::Meta;
use super::number::{Latent, Number, NumberType, bits_of};
use super::workspace::Plan;
use crate::num::{index, u64_from};
use crate::{Error, ErrorKind, Limits, Name, Part, Result, Trace, Value};

/// A standalone file in one slice. Nothing is decoded before a [`Chunk`] is asked to.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    /// What the file starts with.
    pub header: Header,
    bytes: &'a [u8],
    first: u64,
    limits: Limits,
}

impl<'a> File<'a> {
    /// Reads the header.
    pub fn open(bytes: &'a [u8], limits: &Limits) -> Result<Self> {
        Self::open_traced(bytes, limits, &mut ())
    }

    /// [`open`](Self::open), heard.
    pub fn open_traced(bytes: &'a [u8], limits: &Limits, trace: &mut impl Trace) -> Result<Self> {
        let (header, len) = Header::parse_traced(bytes, trace)?;
        Ok(Self { header, bytes, first: u64_from(len), limits: *limits })
    }

    /// Offset of the first chunk, or of the zero byte that ends a file without chunks.
    pub const fn first(&self) -> u64 {
        self.first
    }

    /// The chunk at this offset, or `None` for the zero byte behind the last one.
    ///
    /// Only [`first`](Self::first) is known beforehand: a chunk has no length but what decoding it, or skipping it, gives.
    pub fn chunk(&self, at: u64) -> Result<Option<Chunk<'a>>> {
        self.chunk_traced(at, &mut ())
    }

    /// [`chunk`](Self::chunk), heard.
    #[cfg_attr(feature = "small", inline(never))]
    pub fn chunk_traced(&self, at: u64, trace: &mut impl Trace) -> Result<Option<Chunk<'a>>> {
        // In the answer itself, because a chunk is large.
        let mut answer = Ok(Some(Chunk::EMPTY));
        if let Ok(Some(chunk)) = &mut answer {
            match chunk.read(self.rest(at), &self.header, at, &self.limits, trace) {
                Ok(Some(_)) => {}
                Ok(None) => answer = Ok(None),
                Err(error) => answer = Err(error),
            }
        }
        answer
    }

    /// [`chunk`](Self::chunk) in place, because a chunk is large for a small stack. False if there is none.
    pub fn read_chunk(&self, at: u64, chunk: &mut Chunk<'a>) -> Result<bool> {
        Ok(chunk.read(self.rest(at), &self.header, at, &self.limits, &mut ())?.is_some())
    }

    /// All bytes from this offset on.
    fn rest(&self, at: u64) -> &'a [u8] {
        self.bytes.get(index(at)..).unwrap_or(&[])
    }

    /// What lies behind the zero byte at `at`, where [`chunk`](Self::chunk) found no more chunks. Not part of the file.
    pub fn trailing(&self, at: u64) -> &'a [u8] {
        self.bytes.get(index(at).saturating_add(1)..).unwrap_or(&[])
    }

    /// Refuses what all chunks up to the one at `at` decode to, if that is more than the limit on output. Each chunk by itself was
    /// compared when it was read.
    pub fn check_output(&self, at: u64, sum: usize) -> Result<()> {
        match u64_from(sum) {
            sum if sum > self.limits.max_output => Err(Error::new(ErrorKind::OutputLimit, at).needing(sum)),
            _ => Ok(()),
        }
    }

    /// Decodes all chunks, which must have this type. Gives how many numbers there are.
    ///
    /// `workspace` must suffice for the neediest chunk; a call with none tells by its error what the first chunk needs.
    pub fn decode<T: Number>(&self, numbers: &mut [T], workspace: &mut [u64]) -> Result<usize> {
        let (mut at, mut count, mut chunk) = (self.first, 0usize, Chunk::EMPTY);
        // In place, because a chunk is large.
        while self.read_chunk(at, &mut chunk)? {
            let out = numbers.get_mut(count..).and_then(|rest| rest.get_mut(..chunk.len));
            let need = count.saturating_add(chunk.len);
            self.check_output(at, need.saturating_mul(T::TYPE.size()))?;
            let out = out.ok_or(Error::new(ErrorKind::OutputTooSmall, at).needing(u64_from(need)))?;
            at = chunk.decode(out, workspace)?;
            count = need;
        }
        Ok(count)
    }
}

/// A chunk of a standalone file: its metadata, and the page that follows.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'a> {
    /// How its numbers were taken apart, and their type.
    pub meta: Meta<'a>,
    /// How many numbers it has, 1 to 2^24.
    pub len: usize,
    /// Offset of its page in the file.
    pub page_at: u64,
    page: &'a [u8],
}

impl<'a> Chunk<'a> {
    /// Reads the start of a chunk, or the zero byte that ends a file, from the start of `bytes`. Gives what it took.
    ///
    /// For files that come in pieces: `Truncated` tells how long the input would have to be, counted like `at`, the offset of
    /// `bytes` in the file. The page need not be there yet; a [`Decoder`] reads it in pieces.
    pub fn parse(bytes: &'a [u8], header: &Header, at: u64, limits: &Limits) -> Result<Option<(Self, usize)>> {
        Self::parse_traced(bytes, header, at, limits, &mut ())
    }

    /// [`parse`](Self::parse), heard.
    pub fn parse_traced(
        bytes: &'a [u8],
        header: &Header,
        at: u64,
        limits: &Limits,
        trace: &mut impl Trace,
    ) -> Result<Option<(Self, usize)>> {
        let mut chunk = Self::EMPTY;
        let len = chunk.read(bytes, header, at, limits, trace)?;
        Ok(len.map(|len| (chunk, len)))
    }

    /// No chunk: what [`File::read_chunk`] is given to fill.
    pub const EMPTY: Self = Self { meta: Meta::EMPTY, len: 0, page_at: 0, page: &[] };

    /// [`parse_traced`](Self::parse_traced), in place. `None` if there is no chunk.
    #[inline(never)]
    fn read(
        &mut self,
        bytes: &'a [u8],
        header: &Header,
        at: u64,
        limits: &Limits,
        trace: &mut impl Trace,
    ) -> Result<Option<usize>> {
        if bytes.first() == Some(&0) {
            trace.bytes(Part::Framing, Name::EndOfChunks, at..at.saturating_add(1), Value::None);
            return Ok(None);
        }
        trace.enter(Name::Chunk, Value::None);
        let mut fields = Fields::new(bytes, at, trace);
        let ty = fields.number_type(Name::NumberType, None);
        if ty.is_some() && header.uniform_type.is_some_and(|uniform| Some(uniform) != ty) {
            fields.refuse(ErrorKind::PcoTypeDiffers, 0);
        }
        let n = fields.take(Part::Framing, Name::NumbersLess1, 24) + 1;
        fields.check()?;
        let ty = ty.ok_or(Error::new(ErrorKind::PcoNumberType, at))?;
        let size = n * u64::from(ty.bits() / 8);
        if size > limits.max_output {
            return Err(Error::new(ErrorKind::OutputLimit, at).needing(size));
        }
        if n > limits.max_elements {
            return Err(Error::new(ErrorKind::ElementLimit, at).needing(n));
        }
        let start = index(fields.position() / 8);
        let rest = bytes.get(start..).unwrap_or(&[]);
        let meta_at = at.saturating_add(u64_from(start));
        let len = self.meta.read(rest, ty, header.version.major, meta_at, limits, trace)?;
        trace.leave();
        self.page = rest.get(len..).unwrap_or(&[]);
        self.len = index(n);
        self.page_at = meta_at.saturating_add(u64_from(len));
        Ok(Some(start.saturating_add(len)))
    }

    /// The bytes from the start of its page to the end of what was given. Only decoding tells where the page ends.
    pub const fn page(&self) -> &'a [u8] {
        self.page
    }

    /// The type of its numbers.
    pub const fn number_type(&self) -> NumberType {
        self.meta.number_type
    }

    /// How many words of workspace it takes to decode this chunk: exactly, and before anything is decoded.
    pub fn workspace_len(&self, plan: Plan) -> u64 {
        self.meta.workspace_len(self.len, plan)
    }

    /// Decodes the chunk into the start of `numbers`. Gives the offset of the next chunk.
    ///
    /// `workspace` has [`workspace_len`](Self::workspace_len) words for [`Plan::Whole`], or more.
    pub fn decode<T: Number>(&self, numbers: &mut [T], workspace: &mut [u64]) -> Result<u64> {
        match self.number_type() == T::TYPE {
            true => self.decode_bits(bits_of(numbers), workspace),
            false => Err(Error::new(ErrorKind::WrongType, self.page_at)),
        }
    }

    /// Decodes the chunk into raw numbers of the same width: bits of floats, two's complement of signed integers.
    pub fn decode_bits<L: Latent>(&self, numbers: &mut [L], workspace: &mut [u64]) -> Result<u64> {
        self.decode_bits_traced(numbers, workspace, &mut ())
    }

    /// [`decode_bits`](Self::decode_bits), heard.
    pub fn decode_bits_traced<L: Latent>(
        &self,
        numbers: &mut [L],
        workspace: &mut [u64],
        trace: &mut impl Trace,
    ) -> Result<u64> {
        let out = numbers.get_mut(..self.len).ok_or(output_too_small(self.page_at, self.len, 1))?;
        let page = core::iter::once((self.page, out));
        let read = pages(&self.meta, self.len, workspace, self.page_at, page, trace)?;
        Ok(self.page_at.saturating_add(u64_from(read)))
    }

    /// Decodes the chunk into little-endian bytes, whatever its type.
    ///
    /// `workspace` has [`workspace_len`](Self::workspace_len) words for [`Plan::Batches`], or more. It is faster if `bytes` is
    /// aligned like the numbers.
    pub fn decode_bytes(&self, bytes: &mut [u8], workspace: &mut [u64]) -> Result<u64> {
        self.decode_bytes_traced(bytes, workspace, &mut ())
    }

    /// [`decode_bytes`](Self::decode_bytes), heard.
    pub fn decode_bytes_traced(&self, bytes: &mut [u8], workspace: &mut [u64], trace: &mut impl Trace) -> Result<u64> {
        self.decode_counted(bytes, workspace, None, trace)
    }

    /// Decodes a chunk that may be broken: all of it, or the numbers in front of the place where it breaks, in whole batches of 256.
    /// Gives how many numbers there are, and what [`decode_bytes`](Self::decode_bytes) gives, whose `workspace` this takes, too. What
    /// lies behind them in `bytes` may have been overwritten.
    pub fn salvage_bytes(&self, bytes: &mut [u8], workspace: &mut [u64]) -> (usize, Result<u64>) {
        self.salvage_bytes_traced(bytes, workspace, &mut ())
    }

    /// [`salvage_bytes`](Self::salvage_bytes), heard.
    pub fn salvage_bytes_traced(
        &self,
        bytes: &mut [u8],
        workspace: &mut [u64],
        trace: &mut impl Trace,
    ) -> (usize, Result<u64>) {
        let mut done = 0;
        let ended = self.decode_counted(bytes, workspace, Some(&mut done), trace);
        (done, ended)
    }

    fn decode_counted(
        &self,
        bytes: &mut [u8],
        workspace: &mut [u64],
        done: Done<'_>,
        trace: &mut impl Trace,
    ) -> Result<u64> {
        let page = &mut core::iter::once((self.page, self.len));
        let read = pages_bytes(&self.meta, self.len, workspace, self.page_at, page, bytes, done, trace)?;
        Ok(self.page_at.saturating_add(u64_from(read)))
    }

    /// Finds the offset of the next chunk from the symbols of this one, in less time than its numbers would take.
    ///
    /// `workspace` as for [`decode`](Self::decode).
    pub fn skip(&self, workspace: &mut [u64]) -> Result<u64> {
        let read = match self.number_type().bits() {
            8 => self.skip_of::<u8>(workspace),
            16 => self.skip_of::<u16>(workspace),
            32 => self.skip_of::<u32>(workspace),
            _ => self.skip_of::<u64>(workspace),
        }?;
        Ok(self.page_at.saturating_add(u64_from(read)))
    }

    #[inline(never)]
    fn skip_of<L: Latent>(&self, workspace: &mut [u64]) -> Result<usize> {
        let mut decoder = Decoder::<L>::unbuilt(&self.meta, self.len, Plan::Whole);
        decoder.build(workspace)?;
        decoder.skip(self.page, self.len, self.page_at)
    }
}

impl Meta<'_> {
    /// Decodes a page of a wrapped chunk, of `n` numbers, into little-endian bytes. Gives the bytes it took.
    ///
    /// `workspace` has [`workspace_len`](Self::workspace_len) words for `n` and [`Plan::Batches`], or more. It is faster if
    /// `bytes` is aligned like the numbers. A [`Decoder`] does the same into numbers, and for many pages with one set of tables.
    pub fn decode_page_bytes(&self, page: &[u8], n: usize, bytes: &mut [u8], workspace: &mut [u64]) -> Result<usize> {
        self.decode_page_bytes_traced(page, n, bytes, workspace, &mut ())
    }

    /// [`decode_page_bytes`](Self::decode_page_bytes), heard.
    pub fn decode_page_bytes_traced(
        &self,
        page: &[u8],
        n: usize,
        bytes: &mut [u8],
        workspace: &mut [u64],
        trace: &mut impl Trace,
    ) -> Result<usize> {
        pages_bytes(self, n, workspace, 0, &mut core::iter::once((page, n)), bytes, None, trace)
    }

    /// Decodes whole pages of a wrapped chunk, each into a slice of as many raw numbers as it has, with one set of tables for all.
    ///
    /// `workspace` has [`workspace_len`](Self::workspace_len) words for `n`, the numbers of the longest page, and [`Plan::Whole`], or
    /// more. A [`Decoder`] does the same for pages that come one by one, or in pieces.
    pub fn decode_pages<'p, L: Latent>(
        &self,
        pages: impl IntoIterator<Item = (&'p [u8], &'p mut [L])>,
        n: usize,
        workspace: &mut [u64],
    ) -> Result<()> {
        self.decode_pages_traced(pages, n, workspace, &mut ())
    }

    /// [`decode_pages`](Self::decode_pages), heard.
    pub fn decode_pages_traced<'p, L: Latent>(
        &self,
        all: impl IntoIterator<Item = (&'p [u8], &'p mut [L])>,
        n: usize,
        workspace: &mut [u64],
        trace: &mut impl Trace,
    ) -> Result<()> {
        pages(self, n, workspace, 0, all.into_iter(), trace).map(|_| ())
    }

    /// Decodes whole pages of a wrapped chunk, each with its count of numbers, into little-endian bytes that lie behind each other, with
    /// one set of tables for all.
    ///
    /// `workspace` has [`workspace_len`](Self::workspace_len) words for `n`, the numbers of the longest page, and [`Plan::Batches`], or
    /// more. It is faster if `bytes` is aligned like the numbers.
    pub fn decode_pages_bytes<'p>(
        &self,
        pages: impl IntoIterator<Item = (&'p [u8], usize)>,
        n: usize,
        bytes: &mut [u8],
        workspace: &mut [u64],
    ) -> Result<()> {
        self.decode_pages_bytes_traced(pages, n, bytes, workspace, &mut ())
    }

    /// [`decode_pages_bytes`](Self::decode_pages_bytes), heard.
    pub fn decode_pages_bytes_traced<'p>(
        &self,
        pages: impl IntoIterator<Item = (&'p [u8], usize)>,
        n: usize,
        bytes: &mut [u8],
        workspace: &mut [u64],
        trace: &mut impl Trace,
    ) -> Result<()> {
        pages_bytes(self, n, workspace, 0, &mut pages.into_iter(), bytes, None, trace).map(|_| ())
    }
}

//! Standalone files: a header, chunks of one page each, and a zero byte. Wrapped chunks: metadata,
//! and any number of pages.

use core::iter::once;

use super::compact::Compact;
use super::fields::FieldReader;
use super::header::Header;
use super::meta::Meta;
use super::number::{Latent, Number, NumberType, Order, cast_mut};
use super::plan::Plan;
use super::reader::{PageReader, read_page_to, read_pages, skip_page};
use crate::fault::{Fault, Verdict};
use crate::num::{index, u64_from};
use crate::{Error, ErrorKind, Limits, Name, Part, Result, Sink, Trace, Value, tuning};

/// The reader that makes the best of this build, for numbers of the width of `L`.
#[cfg(not(feature = "small"))]
pub(crate) type Best<'m, 'w, L> = super::fast::Fast<'m, 'w, super::fast::Widened<L>>;
/// The reader that makes the best of this build, for numbers of the width of `L`.
#[cfg(feature = "small")]
pub(crate) type Best<'m, 'w, L> = Least<'m, 'w, L>;

/// The reader with compact tables.
pub(crate) type Least<'m, 'w, L> = Compact<'m, 'w, <L as Latent>::Word>;

/// Calls a function with the constructor of the reader for a chunk, compact or the best of this
/// build. Compact tables serve all types of up to 32 bits alike.
macro_rules! with_reader {
    ($compact:expr, $meta:expr, $function:ident($($argument:expr),* $(,)?)) => {
        match ($compact || tuning::SMALL, $meta.number_type.bits()) {
            (true, 64) => $function(Least::<u64>::new::<u64, true>, $($argument),*),
            (true, _) => $function(Least::<u32>::new::<u32, true>, $($argument),*),
            (false, 8) => $function(Best::<u8>::new::<u8, true>, $($argument),*),
            (false, 16) => $function(Best::<u16>::new::<u16, true>, $($argument),*),
            (false, 32) => $function(Best::<u32>::new::<u32, true>, $($argument),*),
            (false, _) => $function(Best::<u64>::new::<u64, true>, $($argument),*),
        }
    };
}

/// A standalone file in one slice. Nothing is decoded before a [`Chunk`] is asked to.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    /// The header.
    pub header: Header,
    bytes: &'a [u8],
    limits: Limits,
}

impl Default for File<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'a> File<'a> {
    /// Reads the header.
    pub fn open(src: &'a [u8], limits: &Limits) -> Result<Self> {
        let mut file = Self::new();
        file.read(src, limits, &mut ())?;
        Ok(file)
    }

    /// An empty file, to be [read](Self::read) in place.
    pub const fn new() -> Self {
        Self { header: Header::NONE, bytes: &[], limits: Limits::DEFAULT }
    }

    /// Reads the header, in place and traced.
    pub fn read(&mut self, src: &'a [u8], limits: &Limits, trace: &mut impl Trace) -> Result<()> {
        *self = Self { header: Header::parse(src, trace)?, bytes: src, limits: *limits };
        Ok(())
    }

    /// Returns the offset of the first chunk, or of the zero byte that ends a file without chunks.
    pub const fn first(&self) -> u64 {
        u64_from(self.header.len)
    }

    /// Reads the chunk at this offset, or `None` at the zero byte after the last one.
    ///
    /// Only [`first`](Self::first) is known beforehand: the length of a chunk is known when it is
    /// decoded or skipped.
    #[cfg_attr(feature = "small", inline(never))]
    pub fn chunk(&self, at: u64, trace: &mut impl Trace) -> Result<Option<Chunk<'a>>> {
        // In the answer itself, because a chunk is large.
        let mut answer = Ok(Some(Chunk::new()));
        if let Ok(Some(chunk)) = &mut answer {
            match chunk.open(self, at, trace) {
                Ok(true) => {}
                Ok(false) => answer = Ok(None),
                Err(error) => answer = Err(error),
            }
        }
        answer
    }

    /// Returns the bytes after the zero byte at `at`, which are not part of the file.
    pub fn trailing(&self, at: u64) -> &'a [u8] {
        self.bytes.get(index(at).saturating_add(1)..).unwrap_or(&[])
    }
}

/// A chunk of a standalone file: its metadata, and the page that follows.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'a> {
    /// The split of its numbers into latents, and their type.
    pub meta: Meta<'a>,
    /// The count of its numbers, 1 to 2^24.
    pub len: usize,
    /// Offset of its page in the file.
    pub page_at: u64,
    page: &'a [u8],
}

impl Default for Chunk<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'a> Chunk<'a> {
    /// An empty chunk, to be [opened](Self::open) in place: a chunk is large for a small stack.
    #[inline(never)]
    pub const fn new() -> Self {
        Self { meta: Meta::new(), len: 0, page_at: 0, page: &[] }
    }

    /// Reads the chunk at this offset, in place. `false` at the zero byte after the last one.
    pub fn open(&mut self, file: &File<'a>, at: u64, trace: &mut impl Trace) -> Result<bool> {
        let rest = file.bytes.get(index(at)..).unwrap_or(&[]);
        Ok(self.read(rest, &file.header, at, &file.limits, trace)?.is_some())
    }

    /// Reads a chunk up to its page from the start of `src`, in place. Returns the bytes it took,
    /// or `None` at the zero byte that ends a file.
    ///
    /// For files that come in pieces: the need of `Truncated` is the length that the input would
    /// have to have, counted like `at`, the offset of `src` in the file. The page need not be in
    /// `src` yet; a [`Decoder`](super::Decoder) reads it in pieces.
    #[inline(never)]
    pub fn read(
        &mut self,
        src: &'a [u8],
        header: &Header,
        at: u64,
        limits: &Limits,
        trace: &mut impl Trace,
    ) -> Result<Option<usize>> {
        if src.first() == Some(&0) {
            trace.bytes(Part::Framing, Name::EndOfChunks, at..at.saturating_add(1), Value::None);
            return Ok(None);
        }
        trace.enter(Name::Chunk, Value::None);
        let mut fields = FieldReader::new(src, at, trace);
        let framing = Self::framing(&mut fields, header, limits);
        let (ty, n) = match framing {
            Ok(framing) => framing,
            Err(fault) => return Err(fields.error(fault)),
        };
        let start = index(fields.position() / 8);
        let rest = src.get(start..).unwrap_or(&[]);
        let meta_at = at.saturating_add(u64_from(start));
        let len = self.meta.read(rest, ty, header.version.major, meta_at, limits, trace)?;
        trace.leave();
        self.page = rest.get(len..).unwrap_or(&[]);
        self.len = index(n);
        self.page_at = meta_at.saturating_add(u64_from(len));
        Ok(Some(start.saturating_add(len)))
    }

    /// Reads the type and the count of the numbers, before the metadata.
    fn framing(
        fields: &mut FieldReader<'_, impl Trace>,
        header: &Header,
        limits: &Limits,
    ) -> Verdict<(NumberType, u64)> {
        let ty = fields.number_type(Name::NumberType, None);
        if ty.is_some() && header.uniform_type.is_some_and(|uniform| Some(uniform) != ty) {
            fields.refuse(ErrorKind::PcoTypeDiffers, 0);
        }
        let n = fields.take(Part::Framing, Name::NumbersLess1, 24) + 1;
        fields.check()?;
        let ty = ty.ok_or(Fault::new(ErrorKind::PcoNumberType, 0))?;
        let size = n * u64::from(ty.bits() / 8);
        if size > limits.max_output {
            fields.exceed(ErrorKind::OutputLimit, 0, size);
        }
        if n > limits.max_elements {
            fields.exceed(ErrorKind::ElementLimit, 0, n);
        }
        fields.check()?;
        Ok((ty, n))
    }

    /// Returns the bytes from the start of the page to the end of the input. Only decoding shows
    /// where the page ends.
    pub const fn page(&self) -> &'a [u8] {
        self.page
    }

    /// The type of the numbers.
    pub const fn number_type(&self) -> NumberType {
        self.meta.number_type
    }

    /// Bytes of the decoded numbers.
    pub const fn size(&self) -> usize {
        self.len.saturating_mul(self.meta.number_type.size())
    }

    /// Returns the exact words of workspace that decoding this chunk takes.
    pub fn workspace_len(&self, plan: Plan) -> u64 {
        self.meta.workspace_len(self.len, plan)
    }

    /// Decodes the chunk into the start of `numbers`. Returns the offset of the next chunk.
    ///
    /// `workspace` has [`workspace_len`](Self::workspace_len) words for [`Plan::Whole`], or more.
    pub fn decode<T: Number>(&self, numbers: &mut [T], workspace: &mut [u64], trace: &mut impl Trace) -> Result<u64> {
        self.bits::<T::Bits, false>(Some(T::TYPE), cast_mut(numbers), workspace, Plan::Whole, &mut 0, trace)
    }

    /// Decodes the chunk into raw numbers of the same width: bits of floats, two's complement of
    /// signed integers.
    pub fn decode_bits<L: Latent>(
        &self,
        numbers: &mut [L],
        workspace: &mut [u64],
        trace: &mut impl Trace,
    ) -> Result<u64> {
        self.bits::<_, false>(None, numbers, workspace, Plan::Whole, &mut 0, trace)
    }

    /// Decodes the chunk into little-endian bytes, whatever its type. Returns the offset of the
    /// next chunk.
    ///
    /// `workspace` has [`workspace_len`](Self::workspace_len) words for [`Plan::Batches`], or more.
    /// It is faster if `bytes` is aligned like the numbers.
    pub fn decode_bytes(&self, bytes: &mut [u8], workspace: &mut [u64], trace: &mut impl Trace) -> Result<u64> {
        self.bytes::<false>(bytes, workspace, Plan::Whole, &mut 0, trace)
    }

    /// Decodes a chunk that may be corrupt, as [`decode_bytes`](Self::decode_bytes) does. Returns
    /// how many numbers are sound, all of them or whole batches of 256, and the result of decoding.
    /// Bytes after the sound numbers may have been overwritten.
    pub fn salvage_bytes(
        &self,
        bytes: &mut [u8],
        workspace: &mut [u64],
        trace: &mut impl Trace,
    ) -> (usize, Result<u64>) {
        let mut wrote = 0;
        let ended = self.bytes::<false>(bytes, workspace, Plan::Batches, &mut wrote, trace);
        (wrote, ended)
    }

    /// Finds the offset of the next chunk from the symbols of this one, faster than decoding it.
    ///
    /// `workspace` as for [`decode`](Self::decode).
    pub fn skip(&self, workspace: &mut [u64]) -> Result<u64> {
        self.skip_in::<false>(workspace, Plan::Whole)
    }

    /// Refuses a chunk of another type than this.
    pub(super) fn check_type(&self, ty: NumberType) -> Result<()> {
        if ty == self.number_type() { Ok(()) } else { Err(Error::new(ErrorKind::WrongType, self.page_at)) }
    }

    /// [`decode_bits`](Self::decode_bits), with compact tables if `COMPACT`. A constant, so that a
    /// program links the tables that it uses. If `ty` is given, the chunk must have that type.
    // Inlined, so that a type that the program names is a constant, too.
    #[inline(always)]
    pub(crate) fn bits<L: Latent, const COMPACT: bool>(
        &self,
        ty: Option<NumberType>,
        numbers: &mut [L],
        workspace: &mut [u64],
        plan: Plan,
        wrote: &mut usize,
        trace: &mut impl Trace,
    ) -> Result<u64> {
        if ty.is_some_and(|ty| ty != self.number_type()) {
            return Err(Error::new(ErrorKind::WrongType, self.page_at));
        }
        let (meta, len, at) = (&self.meta, self.len, self.page_at);
        let out = numbers.get_mut(..len).ok_or(output_too_small(at, len, 1))?;
        meta.check_width::<L>()?;
        let page = once((self.page, Ok(out)));
        let floats = ty.is_none_or(|ty| ty.order() == Order::Float);
        let least = if floats { Least::<L>::new::<L, true> } else { Least::<L>::new::<L, false> };
        let read = match COMPACT || tuning::SMALL {
            true => read_pages(least, meta, len, plan, workspace, at, page, wrote, trace),
            false => read_pages(Best::<L>::new::<L, true>, meta, len, plan, workspace, at, page, wrote, trace),
        };
        Ok(at.saturating_add(u64_from(read?)))
    }

    /// [`decode_bytes`](Self::decode_bytes), with compact tables if `COMPACT`.
    pub(crate) fn bytes<const COMPACT: bool>(
        &self,
        bytes: &mut [u8],
        workspace: &mut [u64],
        plan: Plan,
        wrote: &mut usize,
        trace: &mut impl Trace,
    ) -> Result<u64> {
        let (meta, len, at, plan) = (&self.meta, self.len, self.page_at, self.meta.plan_for(bytes, plan));
        let out = bytes.get_mut(..self.size()).ok_or(output_too_small(at, len, meta.number_type.size()));
        let page: Pages<'_, '_> = &mut once((self.page, out));
        let read = with_reader!(COMPACT, meta, read_pages(meta, len, plan, workspace, at, page, wrote, trace));
        Ok(at.saturating_add(u64_from(read?)))
    }

    /// Decodes the chunk to a sink, by way of `scratch`.
    pub(crate) fn decode_to<const COMPACT: bool>(
        &self,
        sink: &mut dyn Sink,
        workspace: &mut [u64],
        scratch: &mut [u8],
        plan: Plan,
        trace: &mut impl Trace,
    ) -> Result<u64> {
        let (meta, len, at, page) = (&self.meta, self.len, self.page_at, self.page);
        let read =
            with_reader!(COMPACT, meta, read_page_to(meta, len, plan, workspace, at, page, scratch, sink, trace));
        Ok(at.saturating_add(u64_from(read?)))
    }

    /// [`skip`](Self::skip), with compact tables if `COMPACT`.
    pub(crate) fn skip_in<const COMPACT: bool>(&self, workspace: &mut [u64], plan: Plan) -> Result<u64> {
        let (meta, len, at, page) = (&self.meta, self.len, self.page_at, self.page);
        let read = with_reader!(COMPACT, meta, skip_page(meta, len, plan, workspace, at, page));
        Ok(at.saturating_add(u64_from(read?)))
    }
}

/// Pages to decode to bytes. One type for all callers, so that there is one decoder.
type Pages<'i, 'p> = &'i mut dyn Iterator<Item = (&'p [u8], Result<&'p mut [u8]>)>;

/// The error of an output without room for `n` numbers of this size.
fn output_too_small(at: u64, n: usize, size: usize) -> Error {
    Error::new(ErrorKind::OutputTooSmall, at).needing(u64_from(n).saturating_mul(u64_from(size)))
}

impl Meta<'_> {
    /// Decodes whole pages of a wrapped chunk, each into a slice of as many raw numbers as it has,
    /// with one set of tables.
    ///
    /// `workspace` has [`workspace_len`](Self::workspace_len) words for `n`, the numbers of the
    /// longest page, and [`Plan::Whole`], or more. A [`Decoder`](super::Decoder) does the same for
    /// pages one by one, or in pieces.
    pub fn decode_pages<'p, L: Latent>(
        &self,
        pages: impl IntoIterator<Item = (&'p [u8], &'p mut [L])>,
        n: usize,
        workspace: &mut [u64],
        trace: &mut impl Trace,
    ) -> Result<()> {
        self.check_width::<L>()?;
        let pages = pages.into_iter().map(|(page, out)| (page, Ok(out)));
        read_pages(Best::<L>::new::<L, true>, self, n, Plan::Whole, workspace, 0, pages, &mut 0, trace).map(drop)
    }

    /// Decodes whole pages of a wrapped chunk, each with its count of numbers, into consecutive
    /// little-endian bytes, with one set of tables.
    ///
    /// `workspace` has [`workspace_len`](Self::workspace_len) words for `n`, the numbers of the
    /// longest page, and [`Plan::Batches`], or more. It is faster if `bytes` is aligned like the
    /// numbers.
    pub fn decode_pages_bytes<'p>(
        &self,
        pages: impl IntoIterator<Item = (&'p [u8], usize)>,
        n: usize,
        bytes: &mut [u8],
        workspace: &mut [u64],
        trace: &mut impl Trace,
    ) -> Result<()> {
        let (plan, size, mut rest) = (self.plan_for(bytes, Plan::Whole), self.number_type.size(), bytes);
        let pages: Pages<'_, '_> = &mut pages.into_iter().map(|(page, n)| {
            let out = rest.split_off_mut(..n.saturating_mul(size));
            (page, out.ok_or(output_too_small(0, n, size)))
        });
        let read = with_reader!(false, self, read_pages(self, n, plan, workspace, 0, pages, &mut 0, trace));
        read.map(drop)
    }
}

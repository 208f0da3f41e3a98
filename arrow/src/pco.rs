//! Pco: a column of numbers as a primitive array.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::types::{
    ArrowPrimitiveType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{ArrayRef, PrimitiveArray, new_empty_array};
use arrow_buffer::{Buffer, ScalarBuffer};
use arrow_schema::DataType;
use unspool::pco::{Chunk, File, Header, Latent, NumberType, Options, Plan, decode_watched};
use unspool::{ErrorKind, Limits};

use crate::{Result, lengthen, memory_for, zeros};

/// Returns the Arrow type of a number type.
pub const fn data_type(ty: NumberType) -> DataType {
    match ty {
        NumberType::U8 => DataType::UInt8,
        NumberType::U16 => DataType::UInt16,
        NumberType::U32 => DataType::UInt32,
        NumberType::U64 => DataType::UInt64,
        NumberType::I8 => DataType::Int8,
        NumberType::I16 => DataType::Int16,
        NumberType::I32 => DataType::Int32,
        NumberType::I64 => DataType::Int64,
        NumberType::F16 => DataType::Float16,
        NumberType::F32 => DataType::Float32,
        NumberType::F64 => DataType::Float64,
    }
}

/// Returns the type of the numbers of a file from its first chunk or its header; `None` of a file
/// without numbers that does not say.
pub fn number_type(src: &[u8], limits: &Limits) -> Result<Option<NumberType>> {
    let file = File::open(src, limits)?;
    let first = file.chunk(file.first(), &mut ())?;
    Ok(first.map(|chunk| chunk.number_type()).or(file.header.uniform_type))
}

/// Runs a function with the integer type and the Arrow type of a number type.
macro_rules! by_type {
    ($ty:expr, $function:ident($($argument:expr),*)) => {
        match $ty {
            NumberType::U8 => $function::<u8, UInt8Type>($($argument),*),
            NumberType::U16 => $function::<u16, UInt16Type>($($argument),*),
            NumberType::U32 => $function::<u32, UInt32Type>($($argument),*),
            NumberType::U64 => $function::<u64, UInt64Type>($($argument),*),
            NumberType::I8 => $function::<u8, Int8Type>($($argument),*),
            NumberType::I16 => $function::<u16, Int16Type>($($argument),*),
            NumberType::I32 => $function::<u32, Int32Type>($($argument),*),
            NumberType::I64 => $function::<u64, Int64Type>($($argument),*),
            NumberType::F16 => $function::<u16, Float16Type>($($argument),*),
            NumberType::F32 => $function::<u32, Float32Type>($($argument),*),
            NumberType::F64 => $function::<u64, Float64Type>($($argument),*),
        }
    };
}

/// Makes an array of raw numbers of the same width, without a copy.
fn array<L: Latent + arrow_buffer::ArrowNativeType, T: ArrowPrimitiveType>(bits: Vec<L>) -> ArrayRef {
    let len = bits.len();
    Arc::new(PrimitiveArray::<T>::new(ScalarBuffer::new(Buffer::from_vec(bits), 0, len), None))
}

/// Decodes all numbers of a file.
pub fn decode(src: &[u8], options: &Options) -> Result<ArrayRef> {
    decode_all(src, options, &mut || Ok(()))
}

fn decode_all(src: &[u8], options: &Options, watch: Watch<'_>) -> Result<ArrayRef> {
    match number_type(src, &options.limits)? {
        Some(ty) => by_type!(ty, whole(src, ty, options, watch)),
        None => Ok(new_empty_array(&DataType::Null)),
    }
}

/// A function that is called after every chunk or few chunks. Its error ends the decode.
pub type Watch<'w> = &'w mut dyn FnMut() -> unspool::Result<()>;

fn whole<L: Latent + arrow_buffer::ArrowNativeType, T: ArrowPrimitiveType>(
    src: &[u8],
    ty: NumberType,
    options: &Options,
    watch: Watch<'_>,
) -> Result<ArrayRef> {
    let mut chunks = Chunks::open(src, Some(ty), options)?;
    // Memory that is zero already, if the header tells how much.
    let (mut bits, mut used) = (zeros::<L>(hint(&chunks.file, src).unwrap_or(0))?, 0usize);
    while chunks.next()? {
        let end = used.saturating_add(chunks.chunk.len);
        let more = end.saturating_sub(bits.len());
        lengthen(&mut bits, more)?;
        chunks.decode(bits.get_mut(used..end).unwrap_or_default())?;
        watch()?;
        used = end;
    }
    bits.truncate(used);
    Ok(array::<L, T>(bits))
}

/// Returns the count of numbers that the header of a file states, if that is at most a thousand
/// for each byte. The file may hold more, or fewer.
pub fn expected_len(src: &[u8], limits: &Limits) -> Result<Option<u64>> {
    Ok(hint(&File::open(src, limits)?, src))
}

fn hint(file: &File<'_>, src: &[u8]) -> Option<u64> {
    let count = file.header.n_hint;
    (count > 0 && count / 1000 <= src.len() as u64).then_some(count)
}

/// Decodes the chunk that starts at this byte of a file. Chunks may differ in their types.
pub fn decode_chunk(src: &[u8], at: u64, options: &Options) -> Result<ArrayRef> {
    let mut chunks = Chunks::open(src, None, options)?;
    chunks.at = at;
    if !chunks.next()? {
        return Err(unspool::Error::new(ErrorKind::RangeOutside, at).into());
    }
    by_type!(chunks.chunk.number_type(), chunk(&mut chunks))
}

/// Decodes all numbers of a file on up to `threads` threads, as [`decode`] does.
///
/// The header must state the count of numbers, at most a thousand for each byte of the file; if it
/// does not, or for half floats, one thread decodes. `watch` is called on the calling thread.
pub fn decode_in_threads(src: &[u8], threads: NonZeroUsize, options: &Options, watch: Watch<'_>) -> Result<ArrayRef> {
    let count = expected_len(src, &options.limits)?.filter(|_| threads.get() > 1);
    let (Some(ty), Some(count)) = (number_type(src, &options.limits)?, count) else {
        return decode_all(src, options, watch);
    };
    macro_rules! threaded {
        ($($variant:ident $native:ident $arrow:ident)*) => {
            match ty {
                $(NumberType::$variant => {
                    let mut numbers = zeros::<$native>(count)?;
                    match decode_watched(src, &mut numbers, threads, options, watch) {
                        Ok(done) => {
                            numbers.truncate(done.wrote);
                            Ok(Arc::new(PrimitiveArray::<$arrow>::new(ScalarBuffer::from(numbers), None)) as _)
                        }
                        // The writer expected fewer numbers.
                        Err(error) if error.kind == ErrorKind::OutputTooSmall => decode_all(src, options, watch),
                        Err(error) => Err(error.into()),
                    }
                })*
                NumberType::F16 => decode_all(src, options, watch),
            }
        };
    }
    threaded! {
        U8 u8 UInt8Type
        U16 u16 UInt16Type
        U32 u32 UInt32Type
        U64 u64 UInt64Type
        I8 i8 Int8Type
        I16 i16 Int16Type
        I32 i32 Int32Type
        I64 i64 Int64Type
        F32 f32 Float32Type
        F64 f64 Float64Type
    }
}

/// Decodes the chunks of a file that is read in pieces, one after another.
///
/// ```
/// use unspool::pco::Options;
/// use unspool_arrow::pco::ChunkReader;
/// # let bytes = include_bytes!("../../tests/vectors/pco/k_u32_arange.pco");
/// let mut reader = ChunkReader::new(bytes, &Options::DEFAULT)?;
/// while let Some(array) = reader.next(&bytes[reader.at() as usize..])? {
///     assert_eq!(array.len(), 777);
/// }
/// # Ok::<(), unspool_arrow::Error>(())
/// ```
pub struct ChunkReader {
    header: Header,
    at: u64,
    /// Bytes of the numbers so far.
    size: u64,
    ty: Option<NumberType>,
    workspace: Vec<u64>,
    limits: Limits,
    spent: Option<ArrayRef>,
}

impl ChunkReader {
    /// Reads the header from the first bytes of a file.
    pub fn new(head: &[u8], options: &Options) -> Result<Self> {
        let file = File::open(head, &options.limits)?;
        let (header, limits) = (file.header, options.limits);
        let (at, ty) = (file.first(), header.uniform_type);
        Ok(Self { header, at, size: 0, ty, workspace: vec![], limits, spent: None })
    }

    /// Takes the memory of an array that nobody else holds for the next chunk.
    pub fn reuse(&mut self, array: ArrayRef) {
        self.spent = Some(array);
    }

    /// Returns the offset of the next chunk.
    pub const fn at(&self) -> u64 {
        self.at
    }

    /// Returns the type of the next chunk, whose first bytes these are; after the last chunk, the
    /// type that the header states.
    pub fn peek(&self, bytes: &[u8]) -> Result<Option<NumberType>> {
        let mut chunk = Chunk::new();
        let found = chunk.read(bytes, &self.header, self.at, &self.limits, &mut ())?;
        Ok(found.map(|_| chunk.number_type()).or(self.header.uniform_type))
    }

    /// Decodes the chunk that starts at [`at`](Self::at), where `bytes` start. Returns `None` after
    /// the last chunk. If the bytes end too early, an error of the class `Truncated` says so, and
    /// the same chunk can be read again.
    pub fn next(&mut self, bytes: &[u8]) -> Result<Option<ArrayRef>> {
        let mut chunk = Chunk::new();
        if chunk.read(bytes, &self.header, self.at, &self.limits, &mut ())?.is_none() {
            return Ok(None);
        }
        let ty = chunk.number_type();
        if *self.ty.get_or_insert(ty) != ty {
            return Err(unspool::Error::new(ErrorKind::WrongType, chunk.page_at).into());
        }
        let size = self.size.saturating_add(chunk.size() as u64);
        if size > self.limits.max_output {
            return Err(unspool::Error::new(ErrorKind::OutputLimit, self.at).needing(size).into());
        }
        let need = usize::try_from(chunk.workspace_len(Plan::Whole)).unwrap_or(usize::MAX);
        let more = need.saturating_sub(self.workspace.len());
        lengthen(&mut self.workspace, more)?;
        let spent = self.spent.take();
        let array = by_type!(ty, next_chunk(&chunk, &mut self.at, &mut self.workspace, spent))?;
        self.size = size;
        Ok(Some(array))
    }
}

fn next_chunk<L: Latent + arrow_buffer::ArrowNativeType, T: ArrowPrimitiveType>(
    chunk: &Chunk<'_>,
    at: &mut u64,
    workspace: &mut [u64],
    spent: Option<ArrayRef>,
) -> Result<ArrayRef> {
    let mut bits = memory_for::<L>(chunk.len, spent)?;
    *at = chunk.decode_bits(&mut bits, workspace, &mut ())?;
    Ok(array::<L, T>(bits))
}

/// The chunks of a file, which must all have one type.
struct Chunks<'a> {
    file: File<'a>,
    chunk: Chunk<'a>,
    ty: Option<NumberType>,
    at: u64,
    /// Bytes of the numbers so far, chunks that are skipped included.
    size: u64,
    workspace: Vec<u64>,
    limits: Limits,
}

impl<'a> Chunks<'a> {
    fn open(src: &'a [u8], ty: Option<NumberType>, options: &Options) -> Result<Self> {
        let (file, limits) = (File::open(src, &options.limits)?, options.limits);
        Ok(Self { at: file.first(), file, chunk: Chunk::new(), ty, size: 0, workspace: vec![], limits })
    }

    /// Reads the metadata of the next chunk, which must be decoded or skipped before the one after
    /// it is read.
    fn next(&mut self) -> Result<bool> {
        if !self.chunk.open(&self.file, self.at, &mut ())? {
            return Ok(false);
        }
        let ty = self.chunk.number_type();
        if *self.ty.get_or_insert(ty) != ty {
            return Err(unspool::Error::new(ErrorKind::WrongType, self.chunk.page_at).into());
        }
        self.size = self.size.saturating_add(self.chunk.size() as u64);
        if self.size > self.limits.max_output {
            return Err(unspool::Error::new(ErrorKind::OutputLimit, self.at).needing(self.size).into());
        }
        let need = self.chunk.workspace_len(Plan::Whole);
        let more = usize::try_from(need).unwrap_or(usize::MAX).saturating_sub(self.workspace.len());
        lengthen(&mut self.workspace, more)?;
        Ok(true)
    }

    fn decode<L: Latent>(&mut self, bits: &mut [L]) -> Result<()> {
        self.at = self.chunk.decode_bits(bits, &mut self.workspace, &mut ())?;
        Ok(())
    }

    fn skip(&mut self) -> Result<()> {
        self.at = self.chunk.skip(&mut self.workspace)?;
        Ok(())
    }
}

/// Decodes some rows of a file, one array after another, with one chunk in memory at a time.
///
/// Chunks before the rows are skipped, which is faster than decoding them; those after the rows are
/// not read. An array never spans two chunks.
///
/// ```
/// use unspool::pco::Options;
/// # let bytes = include_bytes!("../../tests/vectors/pco/k_u32_arange.pco");
/// let batches = unspool_arrow::pco::Batches::open(bytes, 100..300, 128, &Options::DEFAULT)?;
/// let lengths: Vec<_> = batches.map(|batch| batch.unwrap().len()).collect();
/// assert_eq!(lengths, [128, 72]);
/// # Ok::<(), unspool_arrow::Error>(())
/// ```
pub struct Batches<'a> {
    chunks: Chunks<'a>,
    /// The rows that were not returned yet.
    rows: Range<u64>,
    batch: usize,
    /// The first row of the next chunk.
    first: u64,
    /// The rest of the current chunk.
    current: Option<ArrayRef>,
    ended: bool,
}

impl<'a> Batches<'a> {
    /// Opens a file to decode these rows in arrays of at most `batch` numbers. Rows after the end
    /// do not exist and are not an error; see [`Iterator::next`].
    pub fn open(src: &'a [u8], rows: Range<u64>, batch: usize, options: &Options) -> Result<Self> {
        if rows.start > rows.end || batch == 0 {
            return Err(unspool::Error::new(ErrorKind::RangeOutside, 0).into());
        }
        let chunks = Chunks::open(src, None, options)?;
        Ok(Self { chunks, ended: rows.is_empty(), rows, batch, first: 0, current: None })
    }

    fn read(&mut self) -> Result<Option<ArrayRef>> {
        loop {
            if let Some(rest) = self.current.take_if(|rest| !rest.is_empty()) {
                let len = rest.len().min(self.batch);
                self.current = Some(rest.slice(len, rest.len() - len));
                self.rows.start = self.rows.start.saturating_add(len as u64);
                return Ok(Some(rest.slice(0, len)));
            }
            if self.rows.is_empty() || !self.chunks.next()? {
                return Ok(None);
            }
            let ty = self.chunks.chunk.number_type();
            let len = self.chunks.chunk.len as u64;
            let (first, end) = (self.first, self.first.saturating_add(len));
            self.first = end;
            if end <= self.rows.start {
                self.chunks.skip()?;
                continue;
            }
            let array = by_type!(ty, chunk(&mut self.chunks))?;
            let (from, to) = (self.rows.start.max(first) - first, self.rows.end.min(end) - first);
            // Both are within the chunk, whose numbers are in memory.
            let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
            self.current = Some(array.slice(place(from), place(to - from)));
        }
    }
}

fn chunk<L: Latent + arrow_buffer::ArrowNativeType, T: ArrowPrimitiveType>(
    chunks: &mut Chunks<'_>,
) -> Result<ArrayRef> {
    let mut bits = zeros::<L>(chunks.chunk.len as u64)?;
    chunks.decode(&mut bits)?;
    Ok(array::<L, T>(bits))
}

impl Iterator for Batches<'_> {
    type Item = Result<ArrayRef>;

    /// Returns the next array; `None` after the last row, or after an error.
    fn next(&mut self) -> Option<Result<ArrayRef>> {
        if self.ended {
            return None;
        }
        let next = self.read().transpose();
        self.ended = !matches!(next, Some(Ok(_)));
        next
    }
}

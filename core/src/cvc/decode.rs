//! Decoding a file in memory: one column of it, or some of its rows.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::ops::Range;

use super::column::Column;
use super::convert::{Element, log2};
use super::header::File;
use super::inspect::inspect_each;
use super::options::Options;
use super::payload::{Payload, split_front};
use super::plan::{in_file, part};
use super::workspace::Workspace;
use crate::fault::{Fault, Verdict};
#[cfg(feature = "alloc")]
use crate::heap::zeros;
use crate::num::{Size, index_of, times, u64_from, wide};
use crate::{Checksums, Done, Error, ErrorKind, Result, Sink, Trace, Verify};

/// Decodes the column that the options name, or the only one. Returns how much was read and
/// written.
///
/// f32 takes columns of any type; see [`Column::decode`]. A trace receives the whole file, as from
/// [`inspect`](super::inspect).
///
/// ```
/// use unspool::cvc;
/// # let json = br#"{"chunks":[{"rows":1}],"compression":"fp16","dimension":2,"num_vectors":1}"#;
/// # let mut file = b"CVCF".to_vec();
/// # file.extend((json.len() as u32).to_le_bytes());
/// # file.extend(json);
/// # file.extend([4, 0, 0, 0, 0x00, 0x3C, 0x00, 0xC0]);
/// let mut vector = [0.0f32; 2];
/// let (mut workspace, options) = (cvc::Workspace::new(), cvc::Options::DEFAULT);
/// let done = cvc::decode(&file, &mut vector, &mut workspace, &options, &mut ())?;
/// assert_eq!((vector, done.wrote), ([1.0, -2.0], 2));
/// # Ok::<(), unspool::Error>(())
/// ```
pub fn decode<T: Element>(
    src: &[u8],
    dst: &mut [T],
    workspace: &mut Workspace<'_>,
    options: &Options<'_>,
    trace: &mut impl Trace,
) -> Result<Done> {
    let column = open(src, options)?;
    let (rows, width) = (column.rows(), T::DTYPE.size());
    if !trace.listens() {
        return Ok(whole(column.decode(src, rows, dst, options)?, width));
    }
    let fits = column.fits(&rows, dst.len(), (width, 1), &options.limits);
    let (wanted, len) = fits.map_err(|error| column.first_error(error))?;
    let (mut rest, mut wrote) = (dst.get_mut(..len).unwrap_or(&mut []), 0usize);
    let walked = inspect_each(src, workspace, options, trace, &mut |chunk, piece| {
        let mut piece = piece.clone();
        piece.find(&column, chunk, piece.at, &wanted)?;
        let payload =
            piece.read(part(src, piece.bytes()).map_err(in_file(src))?, Verify::Skip, &mut Checksums::default())?;
        wrote = wrote.saturating_add(payload.len);
        payload.decode(split_front(&mut rest, payload.len))
    });
    // A trace shows every chunk, also one without rows. Without one, another may break first.
    let inspected = walked.map_err(|error| column.decode(src, rows.clone(), dst, options).err().unwrap_or(error))?;
    Ok(whole(Done { wrote, ..inspected }, width))
}

/// Completes the outcome of a file from which values of this width were written.
pub(super) const fn whole(done: Done, width: Size) -> Done {
    Done { content: u64_from(done.wrote).saturating_mul(wide(width)), ..done }
}

/// Decodes the column that the options name, or the only one, to a sink: the little-endian bytes of
/// [`Column::output`].
pub fn decode_to(
    src: &[u8],
    sink: &mut impl Sink,
    _workspace: &mut Workspace<'_>,
    options: &Options<'_>,
) -> Result<Done> {
    let column = open(src, options)?;
    let done = column.decode_to(src, column.rows(), sink, options)?;
    Ok(whole(done, 1))
}

/// Decodes the column that the options name, or the only one, to a `Vec`.
#[cfg(feature = "alloc")]
pub fn decode_to_vec<T: Element>(src: &[u8], options: &Options<'_>) -> Result<Vec<T>> {
    let column = open(src, options)?;
    column.decode_to_vec(src, column.rows(), options)
}

/// Returns the number of values of the column that the options name, or of the only one. Needs the
/// head of the file alone.
pub fn decoded_len(src: &[u8], _workspace: &mut Workspace<'_>, options: &Options<'_>) -> Result<u64> {
    let column = open(src, options)?;
    times(column.all_rows().end, column.dimension).map(wide).ok_or(Error::new(ErrorKind::SizeOverflow, 0))
}

/// Decodes the values of whole chunks before the first error.
pub fn salvage<T: Element>(
    src: &[u8],
    dst: &mut [T],
    _workspace: &mut Workspace<'_>,
    options: &Options<'_>,
) -> (Done, Option<Error>) {
    let mut done = Done::default();
    let filled = open(src, options).and_then(|column| {
        let sizes = (T::DTYPE.size(), 1);
        let filled = column.fill(src, (column.rows(), sizes), dst, options, &mut done, &|payload, to| payload.fill(to));
        filled.map_err(|error| column.first_error(error))
    });
    let error = filled.err();
    let done = whole(done, T::DTYPE.size());
    (if error.is_some() { Done { read: 0, ..done } } else { done }, error)
}

pub(super) fn open<'a>(src: &'a [u8], options: &Options<'_>) -> Result<Column<'a>> {
    let file = File::open(src, &options.limits)?;
    let mut column = Column::of(&file);
    file.find(options.column, &mut column)?;
    Ok(column)
}

/// Fills elements with the values of a payload.
type Decode<'d, T> = dyn Fn(&Payload<'_>, &mut [T]) -> Verdict<(), Size> + 'd;

/// Bytes that a sink receives at once.
type Batch = [u8; 256];

impl Column<'_> {
    /// Decodes rows: to f32 from any encoding, where integers beyond 2^24 are rounded; to any other
    /// type if the column is stored plainly in that type.
    pub fn decode<T: Element>(
        &self,
        src: &[u8],
        rows: Range<u64>,
        dst: &mut [T],
        options: &Options<'_>,
    ) -> Result<Done> {
        let (mut done, sizes) = (Done::default(), (T::DTYPE.size(), 1));
        let filled = self.fill(src, (rows, sizes), dst, options, &mut done, &|payload, to| payload.fill(to));
        filled.map(|()| done).map_err(|error| self.first_error(error))
    }

    /// Decodes rows to the little-endian bytes of their [`output`](Self::output).
    pub fn decode_bytes(&self, src: &[u8], rows: Range<u64>, dst: &mut [u8], options: &Options<'_>) -> Result<Done> {
        let output = self.output()?;
        let (mut done, sizes) = (Done::default(), (output.size(), output.size()));
        self.fill(src, (rows, sizes), dst, options, &mut done, &|payload, to| payload.fill_bytes(output, to))?;
        Ok(done)
    }

    /// Decodes the values of whole chunks before the first error. `sizes` are those of
    /// [`fits`](Self::fits).
    fn fill<T>(
        &self,
        src: &[u8],
        (rows, sizes): (Range<u64>, (Size, Size)),
        dst: &mut [T],
        options: &Options<'_>,
        done: &mut Done,
        decode: &Decode<'_, T>,
    ) -> Result<()> {
        let (rows, len) = self.fits(&rows, dst.len(), sizes, &options.limits)?;
        let (mut rest, units) = (dst.get_mut(..len).unwrap_or(&mut []), index_of(sizes.1));
        let filled = self.each(src, &rows, options.verify, done, &mut |payload| {
            decode(payload, split_front(&mut rest, payload.len.wrapping_mul(units)))
        });
        // At most the number of elements, which fits.
        done.wrote = done.wrote.wrapping_mul(units);
        filled.map_err(in_file(src))
    }

    /// Returns the error of a later chunk in the header, if there is one, instead of an error of a
    /// chunk. Doors that need the type before the first chunk find it there.
    #[cold]
    #[inline(never)]
    fn first_error(&self, error: Error) -> Error {
        self.output().err().unwrap_or(error)
    }

    /// Decodes rows to a sink, in the same bytes as [`decode_bytes`](Self::decode_bytes): plain
    /// values as they are stored, other values at most 256 bytes at a time.
    pub fn decode_to(&self, src: &[u8], rows: Range<u64>, sink: &mut impl Sink, options: &Options<'_>) -> Result<Done> {
        let output = self.output()?;
        let (rows, _) = self.fits(&rows, usize::MAX, (output.size(), 0), &options.limits)?;
        let width = index_of(output.size());
        let most = size_of::<Batch>() >> log2(width);
        let mut done = Done::default();
        let mut refused = None;
        let walked = self.each(src, &rows, options.verify, &mut done, &mut |payload| {
            let mut write = |bytes: &[u8]| {
                sink.write(bytes).map_err(|error| Fault::of_file(refused.insert(error).kind, payload.at))
            };
            if let Some((dtype, raw)) = payload.plain()
                && dtype == output
            {
                return write(raw);
            }
            let mut batch: Batch = [0; 256];
            let (mut skip, mut left) = (payload.skip, payload.len);
            while left > 0 {
                let len = left.min(most);
                let to = batch.get_mut(..len.saturating_mul(width)).unwrap_or(&mut []);
                Payload { skip, len, ..*payload }.fill_bytes(output, to)?;
                write(to)?;
                (skip, left) = (skip.saturating_add(len), left - len);
            }
            Ok(())
        });
        // The sink's own error knows more than a fault does.
        walked.map_err(|fault| refused.unwrap_or_else(|| in_file(src)(fault)))?;
        done.wrote = done.wrote.saturating_mul(width);
        Ok(done)
    }

    /// Decodes rows to a `Vec`, as [`decode`](Self::decode) does.
    ///
    /// Allocates memory only after the file has been found to hold that many values.
    #[cfg(feature = "alloc")]
    pub fn decode_to_vec<T: Element>(&self, src: &[u8], rows: Range<u64>, options: &Options<'_>) -> Result<Vec<T>> {
        let filled = self.fill_vec(src, rows, (T::DTYPE.size(), 1), options, &|payload, to| payload.fill(to));
        filled.map_err(|error| self.first_error(error))
    }

    /// Decodes rows to a `Vec` of the bytes that [`decode_bytes`](Self::decode_bytes) writes, with
    /// the same care.
    #[cfg(feature = "alloc")]
    pub fn decode_bytes_to_vec(&self, src: &[u8], rows: Range<u64>, options: &Options<'_>) -> Result<Vec<u8>> {
        let output = self.output()?;
        self.fill_vec(src, rows, (output.size(), output.size()), options, &|payload, to| payload.fill_bytes(output, to))
    }

    /// Fills a vector of what [`fits`](Self::fits) returns, if the file holds all of these rows.
    /// Otherwise, fills one for the chunks that it holds, to find the first error.
    #[cfg(feature = "alloc")]
    fn fill_vec<T: Clone + Default>(
        &self,
        src: &[u8],
        rows: Range<u64>,
        sizes: (Size, Size),
        options: &Options<'_>,
        decode: &Decode<'_, T>,
    ) -> Result<Vec<T>> {
        let (rows, len) = self.fits(&rows, usize::MAX, sizes, &options.limits)?;
        let units = index_of(sizes.1);
        let mut held = 0usize;
        let walked = self.each(src, &rows, Verify::Skip, &mut Done::default(), &mut |payload| {
            held = held.saturating_add(payload.len.saturating_mul(units));
            Ok(())
        });
        let mut values = zeros(u64_from(if walked.is_ok() { len } else { held }))?;
        let mut rest = values.as_mut_slice();
        self.each(src, &rows, options.verify, &mut Done::default(), &mut |payload| {
            decode(payload, split_front(&mut rest, payload.len.wrapping_mul(units)))
        })
        .and(walked)
        .map_err(in_file(src))?;
        Ok(values)
    }
}

//! Decoding a file that is at hand: the only column of a file, or rows of any.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::ops::Range;

use super::chunk::Cursor;
use super::column::Column;
use super::convert::Element;
use super::header::File;
use super::inspect::inspect;
use super::options::{Options, Workspace};
use super::payload::Payload;
use super::piece::{Next, Piece, part};
#[cfg(feature = "alloc")]
use crate::heap::zeros;
use crate::num::{index, times, u64_from};
use crate::{Done, Error, ErrorKind, Result, Sink, Trace, Verify};

/// Decodes the column that the options name, or the only one, and returns how much was read and written.
///
/// f32 takes columns of any kind; see [`Column::decode`]. A trace that listens hears the whole file first, as from [`inspect`](super::inspect).
///
/// ```
/// use unspool::cvc;
/// # let json = br#"{"chunks":[{"rows":1}],"compression":"fp16","dimension":2,"num_vectors":1}"#;
/// # let mut file = b"CVCF".to_vec();
/// # file.extend((json.len() as u32).to_le_bytes());
/// # file.extend(json);
/// # file.extend([4, 0, 0, 0, 0x00, 0x3C, 0x00, 0xC0]);
/// let mut vector = [0.0f32; 2];
/// let done = cvc::decode(&file, &mut vector, &mut cvc::Workspace::new(), &cvc::Options::DEFAULT, &mut ())?;
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
    if trace.listens() {
        inspect(src, workspace, options, trace)?;
    }
    let column = open(src, options)?;
    let done = column.decode(src, column.rows(), dst, options)?;
    Ok(whole(src, done, T::DTYPE.width()))
}

/// Completes what is known of a whole file of which values of this width were written.
fn whole(src: &[u8], done: Done, width: u64) -> Done {
    Done { read: src.len(), content: u64_from(done.wrote).saturating_mul(width), ..done }
}

/// Decodes the column that the options name, or the only one, to a sink: the little-endian bytes of [`Column::output`].
pub fn decode_to(
    src: &[u8],
    sink: &mut impl Sink,
    _workspace: &mut Workspace<'_>,
    options: &Options<'_>,
) -> Result<Done> {
    let column = open(src, options)?;
    let done = column.decode_to(src, column.rows(), sink, options)?;
    Ok(whole(src, done, 1))
}

/// Decodes the column that the options name, or the only one, to a `Vec`.
#[cfg(feature = "alloc")]
pub fn decode_to_vec<T: Element>(src: &[u8], options: &Options<'_>) -> Result<Vec<T>> {
    let column = open(src, options)?;
    column.decode_to_vec(src, column.rows(), options)
}

/// Returns how many values the column has that the options name, or the only one, from the head of the file alone.
pub fn decoded_len(src: &[u8], _workspace: &mut Workspace<'_>, options: &Options<'_>) -> Result<u64> {
    let column = open(src, options)?;
    times(column.rows().end, column.dimension()).ok_or(Error::new(ErrorKind::SizeOverflow, 0))
}

/// Decodes what is sound before the first error: the values of whole chunks.
pub fn salvage<T: Element>(
    src: &[u8],
    dst: &mut [T],
    _workspace: &mut Workspace<'_>,
    options: &Options<'_>,
) -> (Done, Option<Error>) {
    let mut done = Done::default();
    let outcome = open(src, options).and_then(|column| column.fill(src, column.rows(), dst, options, &mut done));
    let width = T::DTYPE.width();
    match outcome {
        Ok(()) => (whole(src, done, width), None),
        Err(error) => (Done { read: 0, ..whole(src, done, width) }, Some(error)),
    }
}

fn open<'a>(src: &'a [u8], options: &Options<'_>) -> Result<Column<'a>> {
    let file = File::open(src, &options.limits)?;
    let mut column = Column::of(&file);
    file.find(options.column, &mut column)?;
    Ok(column)
}

/// What goes to a sink at once.
type Batch = [u8; 256];

impl Column<'_> {
    /// Decodes rows: to f32 whatever they are stored as, where integers beyond 2^24 are rounded; to any other type from a column
    /// that is stored plainly in that type.
    pub fn decode<T: Element>(
        &self,
        src: &[u8],
        rows: Range<u64>,
        dst: &mut [T],
        options: &Options<'_>,
    ) -> Result<Done> {
        let mut done = Done::default();
        self.fill(src, rows, dst, options, &mut done)?;
        Ok(done)
    }

    fn fill<T: Element>(
        &self,
        src: &[u8],
        rows: Range<u64>,
        dst: &mut [T],
        options: &Options<'_>,
        done: &mut Done,
    ) -> Result<()> {
        let len = self.fits(&rows, dst.len(), [T::DTYPE.width(), 1], &options.limits)?;
        let mut rest = dst.get_mut(..len).unwrap_or(&mut []);
        self.each(src, rows, options.verify, done, &mut |payload| payload.decode(split(&mut rest, payload.len)))
    }

    /// Decodes rows to the little-endian bytes of their type, which [`output`](Self::output) tells.
    pub fn decode_bytes(&self, src: &[u8], rows: Range<u64>, dst: &mut [u8], options: &Options<'_>) -> Result<Done> {
        let output = self.output()?;
        let len = self.fits(&rows, dst.len(), [output.width(); 2], &options.limits)?;
        let mut rest = dst.get_mut(..len).unwrap_or(&mut []);
        let width = index(output.width());
        let mut done = Done::default();
        self.each(src, rows, options.verify, &mut done, &mut |payload| {
            payload.decode_bytes(output, split(&mut rest, payload.len.saturating_mul(width)))
        })?;
        done.wrote = done.wrote.saturating_mul(width);
        Ok(done)
    }

    /// Decodes rows to a sink, in the same bytes as [`decode_bytes`](Self::decode_bytes), at most 256 of them at a time where they are not lent
    /// as they are.
    pub fn decode_to(&self, src: &[u8], rows: Range<u64>, sink: &mut impl Sink, options: &Options<'_>) -> Result<Done> {
        let output = self.output()?;
        self.fits(&rows, usize::MAX, [output.width(), 0], &options.limits)?;
        let width = index(output.width());
        // No width is 0, but a loop that is called through a pointer does not know.
        let most = size_of::<Batch>().checked_div(width).unwrap_or(1);
        let mut done = Done::default();
        self.each(src, rows, options.verify, &mut done, &mut |payload| {
            if let Some((dtype, raw)) = payload.plain()
                && dtype == output
            {
                return sink.write(raw);
            }
            let mut batch: Batch = [0; 256];
            let (mut skip, mut left) = (payload.skip, payload.len);
            while left > 0 {
                let len = left.min(most);
                let values = Payload { skip, len, ..*payload };
                let to = batch.get_mut(..len.saturating_mul(width)).unwrap_or(&mut []);
                values.decode_bytes(output, to)?;
                sink.write(to)?;
                (skip, left) = (skip.saturating_add(len), left - len);
            }
            Ok(())
        })?;
        done.wrote = done.wrote.saturating_mul(width);
        Ok(done)
    }

    /// Decodes rows to a `Vec`, as [`decode`](Self::decode) does. Memory is asked for only after the file has shown that it holds
    /// that many values.
    #[cfg(feature = "alloc")]
    pub fn decode_to_vec<T: Element>(&self, src: &[u8], rows: Range<u64>, options: &Options<'_>) -> Result<Vec<T>> {
        self.each(src, rows.clone(), Verify::Skip, &mut Done::default(), &mut |_| Ok(()))?;
        let mut values = zeros(u64_from(self.fits(&rows, usize::MAX, [T::DTYPE.width(), 1], &options.limits)?))?;
        self.decode(src, rows, &mut values, options)?;
        Ok(values)
    }

    /// Decodes rows to a `Vec` of the bytes that [`decode_bytes`](Self::decode_bytes) writes, with the same care.
    #[cfg(feature = "alloc")]
    pub fn decode_bytes_to_vec(&self, src: &[u8], rows: Range<u64>, options: &Options<'_>) -> Result<Vec<u8>> {
        self.each(src, rows.clone(), Verify::Skip, &mut Done::default(), &mut |_| Ok(()))?;
        let width = self.output()?.width();
        let mut values = zeros(u64_from(self.fits(&rows, usize::MAX, [width; 2], &options.limits)?))?;
        self.decode_bytes(src, rows, &mut values, options)?;
        Ok(values)
    }

    /// Walks over the payloads of these rows. `done` counts those that were decoded.
    #[inline(never)]
    fn each<'b>(
        &self,
        src: &'b [u8],
        rows: Range<u64>,
        verify: Verify,
        done: &mut Done,
        decode: &mut dyn FnMut(&Payload<'b>) -> Result<()>,
    ) -> Result<()> {
        let (mut cursor, mut piece) = (Cursor::of(&self.file), Piece::new());
        self.check_rows(&rows)?;
        loop {
            let wanted = match self.next_piece(&mut cursor, &rows, &mut piece)? {
                Next::Nothing => return Ok(()),
                Next::Chunk => true,
                Next::Length => {
                    let length = part(src, piece.length())?.first_chunk();
                    piece.enter(&mut cursor, length.map_or(0, |length| u32::from_le_bytes(*length).into()))?
                }
            };
            if wanted {
                self.chunk(src, &piece, verify, done, decode)?;
            }
        }
    }

    #[inline(never)]
    fn chunk<'b>(
        &self,
        src: &'b [u8],
        piece: &Piece,
        verify: Verify,
        done: &mut Done,
        decode: &mut dyn FnMut(&Payload<'b>) -> Result<()>,
    ) -> Result<()> {
        // The length alone first: a wrong one is an error also where the file ends after it.
        piece.check_length(part(src, piece.length())?)?;
        let payload = piece.read(part(src, piece.range())?, verify, &mut done.checksums)?;
        piece.refuse_hidden_crc(&self.file, src)?;
        decode(&payload)?;
        done.parts += 1;
        done.wrote = done.wrote.saturating_add(payload.len);
        Ok(())
    }
}

/// Takes as many elements off the front, or all there are.
fn split<'t, T>(rest: &mut &'t mut [T], len: usize) -> &'t mut [T] {
    let all = core::mem::take(rest);
    let len = len.min(all.len());
    let (front, back) = all.split_at_mut_checked(len).unwrap_or_default();
    *rest = back;
    front
}

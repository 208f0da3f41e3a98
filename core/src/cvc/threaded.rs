//! Decodes the chunks of a column on several threads.

use core::num::NonZeroUsize;
use core::ops::Range;

use super::chunk::ChunkCursor;
use super::column::Column;
use super::convert::Element;
use super::decode::{decode, open, whole};
use super::options::Options;
use super::plan::{Piece, in_file};
use super::workspace::Workspace;
use crate::num::{Size, index, index_of};
use crate::threads::in_order;
use crate::{Checksums, Done, Error, ErrorKind, Result};

/// Decodes a column as [`decode`] does, its chunks on up to `threads` threads: the same values, and
/// the same error.
///
/// Needs no memory besides the output. After an error, one thread decodes again from the start, to
/// find the error that comes first.
///
/// ```
/// use std::num::NonZeroUsize;
/// use unspool::cvc;
/// # let json = br#"{"chunks":[{"rows":1},{"rows":1}],"compression":"fp16","dimension":2,"num_vectors":2}"#;
/// # let mut file = b"CVCF".to_vec();
/// # file.extend((json.len() as u32).to_le_bytes());
/// # file.extend(json);
/// # file.extend([4, 0, 0, 0, 0x00, 0x3C, 0x00, 0xC0].repeat(2));
/// let (mut vectors, threads) = ([0.0f32; 4], NonZeroUsize::new(2).unwrap());
/// let done = cvc::decode_threaded(&file, &mut vectors, threads, &cvc::Options::DEFAULT)?;
/// assert_eq!((vectors, done.parts), ([1.0, -2.0, 1.0, -2.0], 2));
/// # Ok::<(), unspool::Error>(())
/// ```
pub fn decode_threaded<T: Element + Send>(
    src: &[u8],
    dst: &mut [T],
    threads: NonZeroUsize,
    options: &Options<'_>,
) -> Result<Done> {
    if threads.get() > 1
        && let Ok(done) = decode_pieces(src, dst, threads, options)
    {
        return Ok(done);
    }
    decode(src, dst, &mut Workspace::new(), options, &mut ())
}

/// Decodes each chunk by itself. Any error may hide an earlier one.
fn decode_pieces<T: Element + Send>(
    src: &[u8],
    dst: &mut [T],
    threads: NonZeroUsize,
    options: &Options<'_>,
) -> Result<Done> {
    let column = open(src, options)?;
    let width = T::DTYPE.size();
    let (rows, len) = column.fits(&column.rows(), dst.len(), (width, 1), &options.limits)?;
    let rest = dst.get_mut(..len).unwrap_or_default();
    let pieces = Pieces { src, column: &column, rows, cursor: ChunkCursor::of(&column.file), rest };
    let mut done = Done { read: index(column.file.head_len()), ..Done::default() };
    let decode = |(): &mut (), (piece, dst): (Piece, &mut [T])| {
        let mut checksums = Checksums::default();
        piece.read_from(src, options.verify, &mut checksums)?.decode(dst)?;
        Ok((dst.len(), piece.payload.end, checksums))
    };
    in_order(
        threads,
        pieces,
        || (),
        decode,
        |(wrote, end, checksums)| {
            done.read = index_of(end);
            done.wrote = done.wrote.saturating_add(wrote);
            done.parts += 1;
            done.checksums.add(&checksums);
            Ok(())
        },
    )?;
    Ok(whole(done, width))
}

/// Walks over the chunks of a column, and splits the output.
struct Pieces<'s, 'd, T> {
    src: &'s [u8],
    column: &'s Column<'s>,
    rows: Range<Size>,
    cursor: ChunkCursor,
    rest: &'d mut [T],
}

impl<'d, T> Pieces<'_, 'd, T> {
    fn piece(&mut self) -> Result<Option<(Piece, &'d mut [T])>> {
        let mut piece = Piece::NONE;
        if !self.column.next_wanted(self.src, &mut self.cursor, &self.rows, &mut piece).map_err(in_file(self.src))? {
            return Ok(None);
        }
        let dst = self.rest.split_off_mut(..index_of(piece.values));
        Ok(Some((piece, dst.ok_or(Error::new(ErrorKind::OutputTooSmall, 0))?)))
    }
}

impl<'d, T> Iterator for Pieces<'_, 'd, T> {
    type Item = Result<(Piece, &'d mut [T])>;

    fn next(&mut self) -> Option<Self::Item> {
        self.piece().transpose()
    }
}

//! Decodes ranges of rows on several threads.

use alloc::vec::Vec;
use core::num::NonZeroUsize;
use core::ops::Range;

use super::decode::{Options, Workspace, decode, done};
use super::file::File;
use crate::num::{index, u64_from};
use crate::threads::in_order;
use crate::{Done, Error, ErrorKind, Result};

/// Decodes all rows of a file as [`decode`] does, on up to `threads` threads: the same bytes, and
/// the same error.
///
/// All lengths are added up first, on the threads as well, because a file does not hold them. Needs
/// a few bytes for each range of rows besides the output. After an error, one thread decodes again
/// from the start, to find the error that comes first.
///
/// ```
/// use std::num::NonZeroUsize;
/// use unspool::onpair::{Options, decode_threaded};
/// # let file = b"ONPAIR01\x09\x02\0\0\0ab\x03\0\0\0\0\0\0\0\x01\0\0\0\x02\0\0\0\x01\0\0\0\0\x02\x04\0\0\0\0\0\x03\0\0\0\0\0\0\0\x02\0\0\0\x03\0\0\0";
/// let (mut dst, threads) = ([0; 3], NonZeroUsize::new(2).unwrap());
/// let done = decode_threaded(file, &mut dst, threads, &Options::DEFAULT)?;
/// assert_eq!((done.wrote, &dst), (3, b"abb"));
/// # Ok::<(), unspool::Error>(())
/// ```
pub fn decode_threaded(src: &[u8], dst: &mut [u8], threads: NonZeroUsize, options: &Options) -> Result<Done> {
    if threads.get() > 1
        && let Ok(done) = decode_ranges(src, dst, threads, options)
    {
        return Ok(done);
    }
    decode(src, dst, &mut Workspace::new(), options, &mut ())
}

/// Ranges of rows for each thread, so that none waits long for the last one.
const RANGES: u64 = 8;

/// The least number of rows that are worth handing them to a thread.
const MIN_ROWS: u64 = 1 << 12;

/// Decodes each range of rows by itself. Any error may hide an earlier one.
fn decode_ranges(src: &[u8], dst: &mut [u8], threads: NonZeroUsize, options: &Options) -> Result<Done> {
    let file = File::open(src, &options.limits)?;
    let (column, rows) = (file.column(), file.column().rows().end);
    let many = u64_from(threads.get()).saturating_mul(RANGES);
    let step = rows.div_ceil(many).max(MIN_ROWS);
    let starts = (0..rows.div_ceil(step)).map(|number| number * step);
    let ranges = starts.map(|start| start..start.saturating_add(step).min(rows));
    let (mut lens, mut wrote) = (Vec::<usize>::new(), 0u64);
    let measure = |(): &mut (), range: Range<u64>| column.decoded_len(range);
    in_order(
        threads,
        ranges.clone().map(Ok),
        || (),
        measure,
        |len| {
            wrote = wrote.saturating_add(len);
            lens.push(index(len));
            let allowed = wrote <= options.limits.max_output;
            allowed.then_some(()).ok_or(Error::new(ErrorKind::OutputLimit, 0))
        },
    )?;
    let mut rest = dst;
    let pieces = ranges.zip(lens).map(|(range, len)| {
        let out = rest.split_off_mut(..len);
        Ok((range, out.ok_or(Error::new(ErrorKind::OutputTooSmall, 0))?))
    });
    let decode = |(): &mut (), (range, out): (Range<u64>, &mut [u8])| column.decode_into(range, out).map(drop);
    in_order(threads, pieces, || (), decode, Ok)?;
    Ok(done(&file, index(wrote), wrote))
}

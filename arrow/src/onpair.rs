//! OnPair: a column of strings as views into the decoded bytes.

use std::ops::Range;

use arrow_array::ArrayRef;
use arrow_buffer::Buffer;
use arrow_schema::DataType;
use unspool::onpair::{Column, File};
use unspool::{ErrorKind, Limits};

use crate::views::{self, view};
use crate::{Error, Misfit, Result, zeros};

/// Decodes some rows of a column to `Utf8View`, or to `BinaryView` if `is_text` is false. A row
/// that is not UTF-8 is a [`Misfit`].
///
/// All rows together are at most 2 GiB, the reach of a view.
pub fn decode(column: &Column<'_>, rows: Range<u64>, is_text: bool) -> Result<ArrayRef> {
    let len = column.decoded_len(rows.clone())?;
    views::check_len(len)?;
    let count = rows.end.saturating_sub(rows.start);
    // Rows and codes exist in the file, so both vectors are bounded by it.
    let (mut bytes, mut offsets) = (zeros::<u8>(len)?, zeros::<u32>(count.saturating_add(1))?);
    column.decode_arrow(rows.clone(), &mut bytes, &mut offsets)?;
    let bytes = Buffer::from_vec(bytes);
    let row = |pair: &[u32]| match *pair {
        [start, end] => bytes.get(start as usize..end as usize).map(|row| (row, start as usize)),
        _ => None,
    };
    let pairs = offsets.windows(2).filter_map(row);
    let views = pairs.clone().map(|(row, start)| view(row, start)).collect();
    views::array(views, &bytes, None, is_text).ok_or_else(|| {
        let broken = pairs.zip(rows.start..).find(|((row, _), _)| std::str::from_utf8(row).is_err());
        broken.map_or_else(|| views::out_of_reach(len), |((value, _), row)| misfit(value, row))
    })
}

fn misfit(value: &[u8], row: u64) -> Error {
    let value = value.get(..Misfit::QUOTE).unwrap_or(value).to_vec();
    Error::Misfit(Misfit { column: 0, row, value, data_type: DataType::Utf8View })
}

/// Decodes some rows of a file in memory, one array of at most `batch` rows after another.
///
/// ```
/// use unspool::Limits;
/// # let bytes = include_bytes!("../../tests/vectors/onpair/cpp/urls_b12.onp");
/// let batches = unspool_arrow::onpair::Batches::open(bytes, 0..10, 4, true, &Limits::DEFAULT)?;
/// let lengths: Vec<_> = batches.map(|batch| batch.unwrap().len()).collect();
/// assert_eq!(lengths, [4, 4, 2]);
/// # Ok::<(), unspool_arrow::Error>(())
/// ```
pub struct Batches<'a> {
    file: File<'a>,
    rows: Range<u64>,
    batch: u64,
    is_text: bool,
}

impl<'a> Batches<'a> {
    /// Opens a file to decode these rows.
    pub fn open(src: &'a [u8], rows: Range<u64>, batch: usize, is_text: bool, limits: &Limits) -> Result<Self> {
        let file = File::open(src, limits)?;
        if rows.start > rows.end || rows.end > file.column().rows().end || batch == 0 {
            return Err(unspool::Error::new(ErrorKind::RangeOutside, 0).into());
        }
        Ok(Self { file, rows, batch: batch as u64, is_text })
    }
}

impl Iterator for Batches<'_> {
    type Item = Result<ArrayRef>;

    /// Returns the next array; `None` after the last row, or after an error.
    fn next(&mut self) -> Option<Result<ArrayRef>> {
        if self.rows.is_empty() {
            return None;
        }
        let end = self.rows.start.saturating_add(self.batch).min(self.rows.end);
        let decoded = decode(self.file.column(), self.rows.start..end, self.is_text);
        self.rows.start = if decoded.is_ok() { end } else { self.rows.end };
        Some(decoded)
    }
}

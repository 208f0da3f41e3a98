//! Strings as views: each row is its length and its place in a buffer, or its bytes if it has at
//! most 12.

use std::sync::Arc;

use arrow_array::{ArrayRef, BinaryViewArray, StringViewArray};
use arrow_buffer::{Buffer, NullBuffer, ScalarBuffer};
use arrow_data::ByteView;
use unspool::ErrorKind;

use crate::{Error, Result};

/// The most bytes of a view that need no buffer.
const INLINE: usize = 12;

/// Returns the view of a row that is in buffer 0 at this offset.
///
/// The caller has checked that the buffer is at most [`MAX_BUFFER`] bytes long.
#[inline]
#[allow(clippy::cast_possible_truncation, reason = "a buffer is shorter than 2^32 bytes")]
pub(crate) fn view(row: &[u8], offset: usize) -> u128 {
    let len = row.len() as u32;
    if row.len() <= INLINE {
        let mut bytes = [0; 16];
        bytes[4..4 + row.len()].copy_from_slice(row);
        return u128::from_le_bytes(bytes) | u128::from(len);
    }
    let [a, b, c, d, ..] = *row else { return 0 };
    ByteView { length: len, prefix: u32::from_le_bytes([a, b, c, d]), buffer_index: 0, offset: offset as u32 }.as_u128()
}

/// The most bytes of a buffer: Arrow reads lengths and offsets of views as `i32`.
pub(crate) const MAX_BUFFER: usize = i32::MAX as usize;

/// Returns the error of a buffer of this length that views cannot point into.
pub(crate) fn out_of_reach(len: u64) -> Error {
    unspool::Error::new(ErrorKind::OutputLimit, 0).needing(len).into()
}

/// Refuses a buffer that views cannot point into.
pub(crate) fn check_len(len: u64) -> Result<()> {
    if len > MAX_BUFFER as u64 { Err(out_of_reach(len)) } else { Ok(()) }
}

/// Builds an array of views into a buffer, as text or as bytes. Returns `None` if text is not
/// UTF-8.
pub(crate) fn array(views: Vec<u128>, bytes: &Buffer, nulls: Option<NullBuffer>, is_text: bool) -> Option<ArrayRef> {
    let (views, buffers) = (ScalarBuffer::from(views), vec![bytes.clone()]);
    match is_text {
        true => StringViewArray::try_new(views, buffers, nulls).ok().map(|array| Arc::new(array) as _),
        false => BinaryViewArray::try_new(views, buffers, nulls).ok().map(|array| Arc::new(array) as _),
    }
}

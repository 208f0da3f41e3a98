//! The descriptions of tables, for inspectors: a decoder builds tables from them at once.

use super::flavour::Flavour;
use crate::entropy::{fse, huffman};
use crate::{Error, ErrorKind, Result};

/// Returns the number of bits of each literal's code, from the description of a Huffman code at the
/// start of `bytes`; 0 for a literal without a code.
///
/// ```
/// use unspool::zstd::{Flavour, code_lengths};
/// // Four bits for each weight, and the last one follows from the others.
/// let lengths = code_lengths(&[0x82, 0x21, 0x10], Flavour::Rfc8878)?;
/// assert_eq!(lengths[..5], [2, 3, 3, 1, 0]);
/// # Ok::<(), unspool::Error>(())
/// ```
pub fn code_lengths(bytes: &[u8], flavour: Flavour) -> Result<[u8; 256]> {
    huffman::lengths(bytes, flavour.tree()).ok_or(Error::new(ErrorKind::ZstdTree, 0))
}

/// Returns the number of states of an FSE table, and of each symbol, from the description at the
/// start of `bytes`. -1 means one state that is entered with all of its bits.
///
/// ```
/// // Five bits for each state, half of which are of the first symbol.
/// let (states, counts) = unspool::zstd::state_counts(&[0x10, 0x3F])?;
/// assert_eq!((states, &counts[..3]), (32, &[16, 16, 0][..]));
/// # Ok::<(), unspool::Error>(())
/// ```
pub fn state_counts(bytes: &[u8]) -> Result<(u32, [i16; 256])> {
    let mut counts = [0; 256];
    let described = fse::describe(bytes, 255, 9, &mut |symbol, count| counts[symbol & 255] = count);
    let (log, _) = described.ok_or(Error::new(ErrorKind::ZstdTable, 0))?;
    Ok((1 << log, counts))
}

//! What the descriptions of tables say, for those who want to see it: a decoder makes tables of them at once.

use super::flavour::Flavour;
use crate::entropy::{fse, huffman};
use crate::{Error, ErrorKind, Result};

/// How many bits the code of each literal has, as a Huffman code is described at the start of `bytes`; 0 for a literal without a code.
///
/// ```
/// // Four bits for each weight, and the last one follows from the others.
/// let lengths = unspool::zstd::code_lengths(&[0x82, 0x21, 0x10], unspool::zstd::Flavour::Rfc8878)?;
/// assert_eq!(lengths[..5], [2, 3, 3, 1, 0]);
/// # Ok::<(), unspool::Error>(())
/// ```
pub fn code_lengths(bytes: &[u8], flavour: Flavour) -> Result<[u8; 256]> {
    huffman::lengths(bytes, flavour.tree()).ok_or(Error::new(ErrorKind::ZstdTree, 0))
}

/// How many states an FSE table has, and how many of them are each symbol's, as it is described at the start of `bytes`; -1 stands for
/// one state that is entered with all of its bits.
pub fn state_counts(bytes: &[u8]) -> Result<(u32, [i16; 256])> {
    let mut counts = [0; 256];
    let described = fse::describe(bytes, 255, 9, &mut |symbol, count| counts[symbol & 255] = count);
    let (log, _) = described.ok_or(Error::new(ErrorKind::ZstdTable, 0))?;
    Ok((1 << log, counts))
}

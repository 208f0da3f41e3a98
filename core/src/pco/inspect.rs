//! Walks through a whole file.

use super::{Chunk, File, Plan};
use crate::heap::lengthen;
use crate::num::{index, u64_from};
use crate::{Limits, Name, Part, Result, Trace, Value};
use alloc::vec;

/// Decodes a whole file, tells `trace` where everything lies, and hands each chunk with its little-endian numbers to `each`.
///
/// Only one chunk is in memory at a time. Of one that is broken there are the numbers in front of the place where it breaks, before
/// the error comes. Gives how many bytes the file takes; what trails behind it is told as padding.
///
/// ```
/// # let bytes = include_bytes!("../../../tests/vectors/pco/k_u32_arange.pco");
/// let mut numbers = vec![];
/// unspool::pco::inspect(bytes, &unspool::Limits::DEFAULT, &mut (), |_, bytes| {
///     numbers.extend_from_slice(bytes);
///     Ok(())
/// })?;
/// assert_eq!(numbers.len(), 777 * 4);
/// # Ok::<(), unspool::Error>(())
/// ```
pub fn inspect(
    bytes: &[u8],
    limits: &Limits,
    trace: &mut impl Trace,
    mut each: impl FnMut(&Chunk<'_>, &[u8]) -> Result<()>,
) -> Result<u64> {
    let file = File::open_traced(bytes, limits, trace)?;
    let (mut at, mut left) = (file.first(), limits.max_output);
    let (mut words, mut numbers) = (vec![], vec![]);
    while let Some(chunk) = file.chunk_traced(at, trace)? {
        let need = chunk.workspace_len(Plan::Batches);
        let more = index(need).saturating_sub(words.len());
        lengthen(&mut words, more)?;
        let size = chunk.len.saturating_mul(chunk.number_type().size());
        left = left.checked_sub(u64_from(size)).ok_or(crate::Error::new(crate::ErrorKind::OutputLimit, at))?;
        let more = size.saturating_sub(numbers.len());
        lengthen(&mut numbers, more)?;
        let room = numbers.get_mut(..size).unwrap_or(&mut []);
        let (count, ended) = chunk.salvage_bytes_traced(room, &mut words, trace);
        each(&chunk, room.get(..count.saturating_mul(chunk.number_type().size())).unwrap_or(&[]))?;
        at = ended?;
    }
    let end = at.saturating_add(1);
    if u64_from(bytes.len()) > end {
        trace.bytes(Part::Padding, Name::TrailingBytes, end..u64_from(bytes.len()), Value::None);
    }
    Ok(end)
}

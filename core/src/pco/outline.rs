//! The chunks of a file that is read in ranges. Only the symbols of a chunk show where the next one
//! starts, so all of them are read.

use super::file::Chunk;
use super::header::{Header, MAX_HEADER_LEN};
use crate::num::{index, u64_from};
use crate::{ErrorKind, Limits, Name, Part, Result, Trace, Value};
use core::ops::Range;

/// Walks over the chunks of a file, whose ranges the caller reads and [feeds](Self::feed).
///
/// Emits the header, the metadata of each chunk, and the place of its page. Decodes no numbers.
///
/// ```
/// use unspool::Limits;
/// use unspool::pco::Outline;
///
/// # let file = include_bytes!("../../../tests/vectors/pco/k_u32_arange.pco");
/// let mut outline = Outline::new(file.len() as u64, &Limits::DEFAULT);
/// let mut workspace = [0; 200];
/// while let Some(range) = outline.needs() {
///     let bytes = &file[range.start as usize..range.end as usize];
///     // Or a trace, which receives the position of each chunk.
///     outline.feed(range.start, bytes, &mut workspace, &mut ())?;
/// }
/// # Ok::<(), unspool::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Outline {
    len: u64,
    limits: Limits,
    at: u64,
    header: Option<Header>,
    ended: bool,
    /// Bytes to ask for. More if they did not hold a whole chunk.
    piece: u64,
}

/// Holds several chunks of 2^18 numbers, the usual size.
const PIECE: u64 = 1 << 22;

impl Outline {
    /// For a file of `len` bytes.
    pub const fn new(len: u64, limits: &Limits) -> Self {
        Self { len, limits: *limits, at: 0, header: None, ended: false, piece: PIECE }
    }

    /// Returns the range to feed next, or `None` when all chunks are known.
    pub fn needs(&self) -> Option<Range<u64>> {
        (!self.ended).then(|| self.at..self.at.saturating_add(self.piece).min(self.len))
    }

    /// Reads all chunks that end in `bytes`, which are the range from `at` on that was [asked
    /// for](Self::needs).
    ///
    /// `workspace` must suffice for [`Plan::Whole`](super::Plan::Whole). If a chunk needs more, the
    /// error holds its need. The chunks before it are done, and the same bytes may be fed again.
    pub fn feed(&mut self, at: u64, bytes: &[u8], workspace: &mut [u64], trace: &mut impl Trace) -> Result<()> {
        let start = self.at;
        let bytes = bytes.get(index(start.saturating_sub(at))..).unwrap_or(&[]);
        let is_last = start.saturating_add(u64_from(bytes.len())) >= self.len;
        let Some(header) = self.header else {
            let prefix = bytes.get(..bytes.len().min(MAX_HEADER_LEN)).unwrap_or(&[]);
            let header = Header::parse(prefix, trace)?;
            (self.header, self.at) = (Some(header), u64_from(header.len));
            return Ok(());
        };
        let mut chunk = Chunk::new();
        while !self.ended {
            let at = self.at;
            let rest = bytes.get(index(at.saturating_sub(start))..).unwrap_or(&[]);
            let found = chunk.read(rest, &header, at, &self.limits, &mut ());
            let next = found.and_then(|found| found.map(|_| chunk.skip(workspace)).transpose());
            match next {
                // A chunk is emitted only when all of it is in the input.
                Err(error) if error.kind == ErrorKind::Truncated && !is_last => {
                    self.piece = if at > start { PIECE } else { self.piece.saturating_mul(2) };
                    return Ok(());
                }
                Err(error) if error.kind == ErrorKind::WorkspaceTooSmall => return Err(error),
                _ if trace.listens() => chunk.read(rest, &header, at, &self.limits, trace).map(drop)?,
                _ => {}
            }
            self.ended = next?.is_none();
            match next? {
                Some(next) => {
                    let page = chunk.page_at..next;
                    trace.bytes(Part::Data, Name::PageOfNumbers, page, Value::U64(u64_from(chunk.len)));
                    self.at = next;
                }
                None if at.saturating_add(1) < self.len => {
                    trace.bytes(Part::Padding, Name::TrailingBytes, at.saturating_add(1)..self.len, Value::None);
                }
                None => {}
            }
        }
        Ok(())
    }
}

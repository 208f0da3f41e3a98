//! Where the frames and blocks of a file lie that is not at hand: only their headers are read.

use core::ops::Range;

use super::flavour::Flavour;
use super::header::{Block, BlockKind, FrameHeader, Header, MAX_FRAME_HEADER};
use crate::fault::{Fault, Verdict};
use crate::num::u64_from;
use crate::{Error, ErrorKind, Name, Part, Result, Shifted, Trace, Value};

/// Follows the headers of a file, each of which says where the next one is.
///
/// It asks for byte ranges and tells what they say. The caller fetches them from a flash page, a file or a server: of a file of
/// gigabytes a few bytes for each block.
///
/// ```
/// use unspool::zstd::{Flavour, Outline};
/// let file = b"\x28\xB5\x2F\xFD\x20\x03\x19\0\0zst".repeat(2);
/// let mut outline = Outline::new(file.len() as u64, Flavour::Rfc8878);
/// while let Some(range) = outline.needs() {
///     outline.feed(&file[range.start as usize..range.end as usize], &mut ())?;
/// }
/// assert_eq!((outline.frames(), outline.blocks()), (2, 2));
/// # Ok::<(), unspool::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Outline {
    flavour: Flavour,
    len: u64,
    /// Where the next header is.
    at: u64,
    next: Next,
    frames: u64,
    blocks: u64,
}

/// What lies there.
#[derive(Clone, Debug)]
enum Next {
    Frame,
    Block(FrameHeader),
    Checksum,
    Nothing,
}

impl Outline {
    /// A file of this length. Only a walk through all of it could tell the format, which is why it has to be given.
    pub const fn new(len: u64, flavour: Flavour) -> Self {
        Self { flavour, len, at: 0, next: Next::Frame, frames: 0, blocks: 0 }
    }

    /// The bytes to [`feed`](Self::feed) next; nothing when all is known.
    pub fn needs(&self) -> Option<Range<u64>> {
        let most = match self.next {
            Next::Frame => u64_from(MAX_FRAME_HEADER),
            Next::Block(_) => 3,
            Next::Checksum => 4,
            Next::Nothing => return None,
        };
        Some(self.at..self.at.saturating_add(most).min(self.len))
    }

    /// The number of frames that were met, skippable ones included.
    pub const fn frames(&self) -> u64 {
        self.frames
    }

    /// The number of blocks that were met.
    pub const fn blocks(&self) -> u64 {
        self.blocks
    }

    /// Takes the bytes that were asked for. Behind an error nothing more is asked for.
    pub fn feed(&mut self, bytes: &[u8], trace: &mut impl Trace) -> Result<()> {
        let Some(range) = self.needs() else { return Ok(()) };
        if u64_from(bytes.len()) != range.end - range.start {
            return Err(Error::new(ErrorKind::Truncated, self.at.saturating_add(u64_from(bytes.len()))));
        }
        let trace = &mut Shifted::new(trace, self.at.saturating_mul(8));
        let read = match core::mem::replace(&mut self.next, Next::Nothing) {
            Next::Frame => self.frame(bytes, trace),
            Next::Block(header) => self.block(bytes, header, trace),
            Next::Checksum => checksum(bytes, trace),
            Next::Nothing => return Ok(()),
        };
        let (len, next) = read.map_err(|fault| Error::from(fault).offset_by(self.at))?;
        self.at = self.at.saturating_add(len);
        if self.at > self.len {
            return Err(Error::new(ErrorKind::Truncated, self.len));
        }
        if matches!(next, Next::Frame) {
            trace.leave();
            if self.at == self.len {
                return Ok(());
            }
        }
        self.next = next;
        Ok(())
    }

    fn frame(&mut self, bytes: &[u8], trace: &mut Shifted<'_>) -> Verdict<(u64, Next)> {
        trace.enter(Name::Frame, Value::U64(self.frames));
        let header = Header::read_at(bytes, 0, self.flavour, false, trace)?;
        self.frames += 1;
        Ok(match header {
            Header::Frame(header) => (u64_from(header.len), Next::Block(header)),
            Header::Skippable { size, .. } => {
                let end = 8 + u64::from(size);
                trace.bytes(Part::Data, Name::SkippableData, 8..end, Value::None);
                (end, Next::Frame)
            }
        })
    }

    fn block(&mut self, bytes: &[u8], frame: FrameHeader, trace: &mut Shifted<'_>) -> Verdict<(u64, Next)> {
        let block = Block::read(self.flavour, bytes, 0)?;
        block.check(self.flavour, &frame, 0)?;
        if block.kind == BlockKind::End {
            block.trace_end(frame.checksum, 0, trace);
            return Ok((3, Next::Frame));
        }
        self.blocks += 1;
        trace.enter(Name::Block, Value::Word(block.kind.name()));
        block.trace(0, trace);
        let end = 3 + u64_from(block.stored());
        trace.bytes(Part::Data, Name::Content, 3..end, Value::None);
        trace.leave();
        Ok(match (block.last, frame.checksum) {
            (false, _) => (end, Next::Block(frame)),
            (true, true) => (end, Next::Checksum),
            (true, false) => (end, Next::Frame),
        })
    }
}

/// It is behind the last block.
fn checksum(bytes: &[u8], trace: &mut Shifted<'_>) -> Verdict<(u64, Next)> {
    let stored = bytes.first_chunk().ok_or(Fault::new(ErrorKind::Truncated, bytes.len()))?;
    trace.bytes(Part::Checksum, Name::Checksum, 0..4, Value::Hex(u32::from_le_bytes(*stored).into()));
    Ok((4, Next::Frame))
}

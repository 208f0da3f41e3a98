//! The outline of a file that is read in ranges: the caller fetches only its headers.

use core::ops::Range;

use super::flavour::{BlockKind, Flavour};
use super::header::MAX_FRAME_HEADER;
use super::walk::{BLOCK_HEADER, CHECKSUM, SKIPPABLE_HEADER, Upcoming, Walk};
use crate::fault::Verdict;
use crate::num::u64_from;
use crate::{Error, ErrorKind, Name, Part, Result, Shifted, Trace, Value};

/// Follows the headers of a file, each of which leads to the next.
///
/// It asks for byte ranges and emits their fields. The caller fetches the ranges from flash, a file
/// or a server: for a file of gigabytes, a few bytes for each block.
///
/// ```
/// use unspool::zstd::{Flavour, Outline};
/// let file = b"\x28\xB5\x2F\xFD\x20\x03\x19\0\0zst".repeat(2);
/// let mut outline = Outline::new(file.len() as u64, Flavour::Rfc8878);
/// while let Some(range) = outline.needs() {
///     outline.feed(range.start, &file[range.start as usize..range.end as usize], &mut ())?;
/// }
/// assert_eq!((outline.frames(), outline.blocks()), (2, 2));
/// # Ok::<(), unspool::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Outline {
    walk: Walk,
    len: u64,
    /// The offset of the next header.
    at: u64,
    /// The end or an error was met.
    over: bool,
    frames: u64,
    blocks: u64,
}

impl Outline {
    /// Starts an outline of a file of this length. The caller names the format, because only the
    /// whole file reveals it.
    pub const fn new(len: u64, flavour: Flavour) -> Self {
        Self { walk: Walk::new(flavour, false), len, at: 0, over: false, frames: 0, blocks: 0 }
    }

    /// Returns the bytes to [`feed`](Self::feed) next; `None` at the end.
    pub fn needs(&self) -> Option<Range<u64>> {
        let most = match self.walk.next {
            _ if self.over => return None,
            Upcoming::Frame => MAX_FRAME_HEADER,
            Upcoming::BlockHeader => BLOCK_HEADER,
            Upcoming::Checksum => CHECKSUM,
            // Skipped together with the headers before them.
            Upcoming::Skippable(_) | Upcoming::Content(_) => return None,
        };
        Some(self.at..self.at.saturating_add(u64_from(most)).min(self.len))
    }

    /// Returns the number of frames so far, skippable ones included.
    pub const fn frames(&self) -> u64 {
        self.frames
    }

    /// Returns the number of blocks so far.
    pub const fn blocks(&self) -> u64 {
        self.blocks
    }

    /// Takes the bytes at `at` that were asked for. After an error it asks for nothing more.
    pub fn feed(&mut self, at: u64, bytes: &[u8], trace: &mut impl Trace) -> Result<()> {
        let Some(range) = self.needs() else { return Ok(()) };
        if at != range.start || u64_from(bytes.len()) != range.end - range.start {
            return Err(Error::new(ErrorKind::Truncated, self.at.saturating_add(u64_from(bytes.len()))));
        }
        self.over = true;
        let read = self.read(bytes, &mut Shifted::new(trace, self.at.saturating_mul(8)));
        self.at = self.at.saturating_add(read.map_err(|fault| Error::from(fault).offset_by(self.at))?);
        if self.at > self.len {
            return Err(Error::new(ErrorKind::Truncated, self.len));
        }
        if self.walk.is_between_frames() {
            trace.leave();
        }
        self.over = self.walk.is_between_frames() && self.at == self.len;
        Ok(())
    }

    /// Reads one header and skips the bytes that it describes; returns the length of both. The file
    /// may be shorter: then those bytes are no leaf.
    fn read(&mut self, bytes: &[u8], trace: &mut Shifted<'_>) -> Verdict<u64> {
        match self.walk.next {
            Upcoming::BlockHeader => {
                let block = self.walk.block(bytes, 0, trace)?;
                if block.kind == BlockKind::End {
                    return Ok(u64_from(BLOCK_HEADER));
                }
                self.blocks += 1;
                let end = u64_from(BLOCK_HEADER + block.stored());
                self.emit(Name::Content, u64_from(BLOCK_HEADER)..end, trace);
                trace.leave();
                self.walk.after_content(block);
                Ok(end)
            }
            Upcoming::Checksum => {
                self.walk.checksum(bytes, 0, trace)?;
                Ok(u64_from(CHECKSUM))
            }
            _ => {
                trace.enter(Name::Frame, Value::U64(self.frames));
                let header = self.walk.frame(bytes, 0, trace)?;
                self.frames += 1;
                let Upcoming::Skippable(size) = self.walk.next else { return Ok(u64_from(header)) };
                let end = u64_from(SKIPPABLE_HEADER).saturating_add(size.into());
                self.emit(Name::SkippableData, u64_from(header)..end, trace);
                self.walk.next = Upcoming::Frame;
                Ok(end)
            }
        }
    }

    /// Emits bytes that are skipped, counted from the header, if the file has all of them.
    fn emit(&self, name: Name, bytes: Range<u64>, trace: &mut Shifted<'_>) {
        if bytes.end <= self.len - self.at {
            trace.bytes(Part::Data, name, bytes, Value::None);
        }
    }
}

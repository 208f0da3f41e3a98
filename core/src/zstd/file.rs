//! Random access to a file in the seekable format: frames in a row, and after them a table that
//! lists them.
//!
//! To read a part of such a file, decode only the frames that hold it. Any decoder can read the
//! whole.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::ops::Range;

use super::decode::decode;
use super::options::Options;
use super::seek_table::{self, SEEK_FOOTER, SeekFrame, SeekTable};
use super::workspace::Workspace;
use crate::checksum::Xxh64;
use crate::entropy::low32;
use crate::num::{copy, index, split_last, u64_from};
use crate::tuning::XXH64;
use crate::{Done, Error, ErrorKind, Limits, Result, Verify};

/// A file with a seek table, opened for random access.
///
/// If the whole file is in memory, [`open`](Self::open) it. If not, a [`SeekTableReader`] asks for
/// its end and its table. Then fetch the [`range`](SeekFrame::range) of those
/// [`frames_in`](Self::frames_in) that hold the wanted part, and [`decode`](SeekFrame::decode)
/// them.
///
/// ```
/// use unspool::zstd::{File, Options, Workspace};
/// use unspool::Limits;
/// // Two frames, `zst` and `and`, and the table.
/// let mut file = b"\x28\xB5\x2F\xFD\x20\x03\x19\0\0zst".to_vec();
/// file.extend(b"\x28\xB5\x2F\xFD\x20\x03\x19\0\0and");
/// file.extend(b"\x5E\x2A\x4D\x18\x19\0\0\0\x0C\0\0\0\x03\0\0\0\x0C\0\0\0\x03\0\0\0");
/// file.extend(b"\x02\0\0\0\0\xB1\xEA\x92\x8F");
/// let opened = File::open(&file, &Limits::DEFAULT)?;
/// assert_eq!((opened.len(), opened.content()), (2, 6));
/// let (mut out, mut scratch) = ([0; 2], vec![0; opened.scratch_len()]);
/// opened.decode(&file, 2..4, &mut out, &mut Workspace::new(), &mut scratch, &Options::DEFAULT)?;
/// assert_eq!(&out, b"ta");
/// # Ok::<(), unspool::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    table: SeekTable<'a>,
    content: u64,
    scratch_len: usize,
}

impl<'a> File<'a> {
    /// Opens a file that is in memory. Without a seek table, the error is `ZstdSeekTable` at the
    /// end of the file.
    pub fn open(src: &'a [u8], limits: &Limits) -> Result<Self> {
        let mut search = SeekTableReader::new(u64_from(src.len()), limits);
        while let Some(Range { start, end }) = search.needs() {
            let bytes = src.get(index(start)..index(end)).unwrap_or_default();
            if let Some(file) = search.feed(start, bytes)? {
                return Ok(file);
            }
        }
        Err(Error::new(ErrorKind::ZstdSeekTable, u64_from(src.len())))
    }

    /// Reads the table at `place`. Its frames must lead from the start of the file to the table: a
    /// table that was appended to another file would name the wrong bytes.
    fn read(bytes: &'a [u8], place: &Range<u64>, limits: &Limits) -> Result<Self> {
        let table = SeekTable::read(bytes, place, limits)?;
        let (mut end, mut content, mut longest) = (0, 0, 0);
        for frame in table.frames() {
            longest = longest.max(frame.content.end - frame.content.start);
            (end, content) = (frame.range.end, frame.content.end);
        }
        if end != place.start || place.end - place.start != u64_from(bytes.len()) {
            return Err(Error::new(ErrorKind::ZstdSeekTable, place.start));
        }
        Ok(Self { table, content, scratch_len: index(longest) })
    }

    /// Returns the number of frames in the table.
    pub const fn len(&self) -> usize {
        self.table.len()
    }

    /// Returns whether the table is empty.
    pub const fn is_empty(&self) -> bool {
        self.table.len() == 0
    }

    /// Returns the length of the content, as the table claims.
    pub const fn content(&self) -> u64 {
        self.content
    }

    /// Returns the bytes of scratch that are always enough for [`decode`](Self::decode): the
    /// longest frame, as the table claims.
    pub const fn scratch_len(&self) -> usize {
        self.scratch_len
    }

    /// Returns all frames, in order.
    pub fn frames(&self) -> impl Iterator<Item = SeekFrame> + use<'a> {
        self.table.frames()
    }

    /// Returns the frames that hold a part of the content, in order. A part that is empty or after
    /// the end has none.
    pub fn frames_in(&self, part: Range<u64>) -> impl Iterator<Item = SeekFrame> + use<'a> {
        let Range { start, end } = part;
        let frames = self.frames().skip_while(move |frame| frame.content.end <= start);
        frames
            .take_while(move |frame| start < end && frame.content.start < end)
            .filter(|frame| !frame.content.is_empty())
    }

    /// Decodes a part of the content to the front of `dst`; `src` is the whole file.
    ///
    /// A frame of which only a part is wanted is decoded in `scratch`. If that is shorter than the
    /// frame, the error has the class `WorkspaceTooSmall`; [`scratch_len`](Self::scratch_len) is
    /// always enough.
    #[inline(never)]
    pub fn decode(
        &self,
        src: &[u8],
        part: Range<u64>,
        dst: &mut [u8],
        workspace: &mut Workspace,
        scratch: &mut [u8],
        options: &Options<'_>,
    ) -> Result<Done> {
        if part.start > part.end || part.end > self.content {
            return Err(Error::new(ErrorKind::RangeOutside, 0));
        }
        let len = part.end - part.start;
        if len > options.limits.max_output {
            return Err(Error::new(ErrorKind::OutputLimit, 0).needing(len));
        }
        let mut dst = dst.get_mut(..index(len)).ok_or(Error::new(ErrorKind::OutputTooSmall, 0).needing(len))?;
        let mut total = Done { wrote: index(len), content: len, ..Done::default() };
        for frame in self.frames_in(part.clone()) {
            let bytes = src.get(index(frame.range.start)..index(frame.range.end)).unwrap_or_default();
            let start = part.start.max(frame.content.start);
            let size = part.end.min(frame.content.end) - start;
            let (to, rest) = dst.split_at_mut_checked(index(size)).unwrap_or_default();
            let whole = frame.content.end - frame.content.start;
            let done = if size == whole {
                frame.decode(bytes, to, workspace, options)?
            } else if whole > u64_from(scratch.len()) {
                return Err(Error::new(ErrorKind::WorkspaceTooSmall, 0).needing(whole));
            } else {
                let done = frame.decode(bytes, scratch, workspace, options)?;
                let skip = index(start - frame.content.start);
                copy(scratch.get(skip..).unwrap_or_default(), to);
                done
            };
            total.read += done.read;
            total.add_parts(&done);
            dst = rest;
        }
        Ok(total)
    }
}

/// Finds the seek table of a file that is read in ranges.
///
/// It asks for the footer and then for the table. Without a footer it asks for nothing more.
///
/// ```
/// use unspool::{Limits, zstd};
/// # let mut file = b"\x28\xB5\x2F\xFD\x20\x03\x19\0\0zst".to_vec();
/// # file.extend(b"\x28\xB5\x2F\xFD\x20\x03\x19\0\0and");
/// # file.extend(b"\x5E\x2A\x4D\x18\x19\0\0\0\x0C\0\0\0\x03\0\0\0\x0C\0\0\0\x03\0\0\0");
/// # file.extend(b"\x02\0\0\0\0\xB1\xEA\x92\x8F");
/// let mut search = zstd::SeekTableReader::new(file.len() as u64, &Limits::DEFAULT);
/// let mut found = None;
/// while let Some(range) = search.needs() {
///     let bytes = &file[range.start as usize..range.end as usize];
///     found = search.feed(range.start, bytes)?;
/// }
/// assert_eq!(found.map(|file| file.len()), Some(2));
/// # Ok::<(), unspool::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SeekTableReader {
    len: u64,
    limits: Limits,
    /// The bytes to feed next.
    next: Option<Range<u64>>,
    /// The next bytes are the table.
    is_table: bool,
}

impl SeekTableReader {
    /// Starts a search in a file of this length.
    pub fn new(len: u64, limits: &Limits) -> Self {
        let footer = len.checked_sub(u64_from(SEEK_FOOTER)).map(|start| start..len);
        Self { len, limits: *limits, next: footer, is_table: false }
    }

    /// Returns the bytes to [`feed`](Self::feed) next; `None` when the search is over.
    pub fn needs(&self) -> Option<Range<u64>> {
        self.next.clone()
    }

    /// Takes the bytes at `at` that were asked for. Returns the file once the table was read.
    pub fn feed<'a>(&mut self, at: u64, bytes: &'a [u8]) -> Result<Option<File<'a>>> {
        let Some(range) = self.next.clone() else { return Ok(None) };
        if at != range.start || u64_from(bytes.len()) != range.end - range.start {
            return Err(Error::new(ErrorKind::Truncated, range.start.saturating_add(u64_from(bytes.len()))));
        }
        self.next = None;
        if self.is_table {
            return File::read(bytes, &range, &self.limits).map(Some);
        }
        if let Some((_, footer)) = split_last(bytes) {
            self.next = seek_table::place(*footer, self.len, &self.limits)?;
            self.is_table = true;
        }
        Ok(None)
    }
}

impl SeekFrame {
    /// Decodes the frame in `bytes` to the front of `dst`. Offsets of errors count from the start
    /// of the file.
    #[inline(never)]
    pub fn decode(
        &self,
        bytes: &[u8],
        dst: &mut [u8],
        workspace: &mut Workspace,
        options: &Options<'_>,
    ) -> Result<Done> {
        let wrong = Error::new(ErrorKind::ZstdSeekTable, self.range.start);
        let size = self.content.end.saturating_sub(self.content.start);
        let too_small = Error::new(ErrorKind::OutputTooSmall, self.range.start).needing(size);
        let dst = dst.get_mut(..index(size)).ok_or(too_small)?;
        let mut done = decode(bytes, dst, workspace, options, &mut ()).map_err(|error| match error.kind {
            // The slice is as long as the table says.
            ErrorKind::OutputTooSmall => wrong,
            _ => error.offset_by(self.range.start),
        })?;
        self.check(dst.get(..done.wrote).unwrap_or_default(), options, &mut done)?;
        Ok(done)
    }

    /// Does the same to a new vector. The claim of the table reserves no memory by itself: the
    /// vector is at most as long as the blocks of the frame could fill.
    #[cfg(feature = "alloc")]
    pub fn decode_to_vec(&self, bytes: &[u8], options: &Options<'_>) -> Result<Vec<u8>> {
        let out = super::decode::decode_to_vec(bytes, options).map_err(|error| error.offset_by(self.range.start))?;
        self.check(&out, options, &mut Done::default())?;
        Ok(out)
    }

    /// Compares content with its entry in the table.
    fn check(&self, content: &[u8], options: &Options<'_>, done: &mut Done) -> Result<()> {
        if u64_from(content.len()) != self.content.end.saturating_sub(self.content.start) {
            return Err(Error::new(ErrorKind::ZstdSeekTable, self.range.start));
        }
        let Some(sum) = self.checksum else { return Ok(()) };
        match options.verify {
            Verify::Skip => done.checksums.unchecked += 1,
            Verify::Report if !XXH64 => done.checksums.unchecked += 1,
            Verify::Refuse if !XXH64 => return Err(Error::new(ErrorKind::ZstdChecksumKind, self.range.end)),
            _ if low32(Xxh64::of(content)) == sum => done.checksums.matched += 1,
            Verify::Report => done.checksums.mismatched += 1,
            Verify::Refuse => return Err(Error::new(ErrorKind::ZstdChecksum, self.range.end)),
        }
        Ok(())
    }
}

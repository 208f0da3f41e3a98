//! Random access: finds the bytes of a file that hold a position of its content. Files are read
//! from their end, where the index is.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::ops::Range;

use super::check::CheckKind;
use super::header::{STREAM_HEADER, index_len, stream_footer, stream_header};
use super::index::walk;
use super::options::Options;
use super::records::{Block, Sums};
#[cfg(feature = "alloc")]
use super::to_vec::{Input, to_vec};
use super::whole::{Goal, Slice, Whole};
use super::workspace::Tables;
use crate::num::{index, split_last, u64_from, wide};
use crate::{Done, Error, ErrorKind, Limits, Result};

/// Finds the block that holds a position, in a file that is not in memory.
///
/// It requests byte ranges, from the end of the file on: a footer, the index before it, the header
/// of the stream. The caller fetches them from a flash page, a file or a server.
///
/// ```
/// use unspool::{Limits, xz};
/// # let file = b"\xFD7zXZ\0\0\x01i\"\xDE6\x02\0!\x01\0\0\0\07'\x97\xD6\xE0\0\x16\0\x0E]\0:\x9B\x8A\xCD\xCA\x08\x14\xAF\xF7\xF9x\xE8\x80\0\0\0\0c\xC9\xC4\x7F\0\x01&\x17\xC8\xB3\x8B`\x90B\x99\r\x01\0\0\0\0\x01YZ";
/// let mut reader = xz::IndexReader::new(file.len() as u64, 10, &Limits::DEFAULT);
/// while let Some(range) = reader.needs() {
///     reader.feed(range.start, &file[range.start as usize..range.end as usize])?;
/// }
/// let block = reader.found().unwrap();
/// assert_eq!(block.content, 0..23);
/// # Ok::<(), unspool::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct IndexReader {
    limits: Limits,
    len: u64,
    position: Option<u64>,
    need: Option<Request>,
    /// In the second pass, the content's offset at which the last stream starts that was read.
    before: Option<u64>,
    streams: u64,
    blocks: u64,
    sums: Sums,
    found: Option<Block>,
}

/// The bytes that a reader needs next.
#[derive(Clone, Debug)]
enum Request {
    /// At most this many bytes before this offset: the end of a stream.
    Tail(u64, u64),
    Index(Range<u64>, CheckKind),
    /// The start of the stream with this check.
    Header(u64, CheckKind),
}

/// The length of a stream's header and footer.
const FRAMING: u64 = u64_from(STREAM_HEADER);

/// Bytes to request where zeros follow a stream.
const PADDING: u64 = 4096;

impl IndexReader {
    /// Searches a file of `len` bytes for the block at `position`.
    pub fn new(len: u64, position: u64, limits: &Limits) -> Self {
        Self { position: Some(position), ..Self::sizes(len, limits) }
    }

    /// Only adds up the contents of all streams of a file of `len` bytes.
    pub fn sizes(len: u64, limits: &Limits) -> Self {
        let need = Some(Request::Tail(len, FRAMING));
        let (limits, sums) = (*limits, Sums::new());
        Self { limits, len, position: None, need, before: None, streams: 0, blocks: 0, sums, found: None }
    }

    /// The bytes to [`feed`](Self::feed) next; `None` once all is known.
    pub fn needs(&self) -> Option<Range<u64>> {
        match self.need.as_ref()? {
            Request::Tail(end, len) => Some(end.saturating_sub(*len)..*end),
            Request::Index(range, _) => Some(range.clone()),
            Request::Header(start, _) => Some(*start..start.saturating_add(FRAMING)),
        }
    }

    /// The block that holds the position; `None` if the content ends before it.
    pub const fn found(&self) -> Option<&Block> {
        self.found.as_ref()
    }

    /// Bytes that the file decodes to, once all is known; before, those of the streams read so far.
    pub const fn content(&self) -> u64 {
        wide(self.sums.content)
    }

    /// The number of streams read so far.
    pub const fn streams(&self) -> u64 {
        self.streams
    }

    /// The number of blocks in the streams read so far.
    pub const fn blocks(&self) -> u64 {
        self.blocks
    }

    /// Reads bytes of the file, the first of which is at offset `at`. They must include all that
    /// [`needs`](Self::needs) names, and may be more.
    pub fn feed(&mut self, at: u64, bytes: &[u8]) -> Result<()> {
        self.read(at, bytes, None)
    }

    /// [`feed`](Self::feed), and passes all blocks of a stream to `each` when its index is read for
    /// the first time. The last stream comes first. The contents before it are not known then, so
    /// content offsets count from the start of the stream.
    pub fn feed_listing(&mut self, at: u64, bytes: &[u8], each: &mut dyn FnMut(Block)) -> Result<()> {
        self.read(at, bytes, Some(each))
    }

    fn read(&mut self, at: u64, bytes: &[u8], each: Option<&mut dyn FnMut(Block)>) -> Result<()> {
        let Some(range) = self.needs() else { return Ok(()) };
        let before = range.start.checked_sub(at).ok_or(Error::new(ErrorKind::RangeOutside, at))?;
        let within = bytes.get(index(before)..index(range.end.saturating_sub(at)));
        let bytes = within.ok_or(Error::new(ErrorKind::Truncated, at.saturating_add(u64_from(bytes.len()))))?;
        self.need = match self.need.take() {
            Some(Request::Tail(end, _)) => Some(self.tail(bytes, end)?),
            Some(Request::Index(range, check)) => self.index(bytes, &range, check, each)?,
            Some(Request::Header(start, check)) => self.header(bytes, start, check)?,
            None => None,
        };
        Ok(())
    }

    /// Reads zeros, or a footer.
    fn tail(&mut self, bytes: &[u8], end: u64) -> Result<Request> {
        // Every part of a file is a multiple of four bytes long.
        let cut = Error::new(ErrorKind::Truncated, self.len);
        if !end.is_multiple_of(4) {
            return Err(cut);
        }
        let mut rest = bytes;
        while let Some((before, [0, 0, 0, 0])) = split_last(rest) {
            rest = before;
        }
        let zeros = u64_from(bytes.len() - rest.len());
        let end = end - zeros;
        let Some((_, footer)) = split_last::<STREAM_HEADER>(rest) else {
            // Zeros alone are no file.
            return if end >= 32 { Ok(Request::Tail(end, PADDING)) } else { Err(cut) };
        };
        let at = end - FRAMING;
        let check = stream_footer(footer, 0, &mut ()).map_err(|fault| Error::from(fault).offset_by(at))?;
        let (backward, check) = (index_len(footer), CheckKind::from_id(check));
        if backward > self.limits.max_header {
            return Err(Error::new(ErrorKind::HeaderLimit, at).needing(backward));
        }
        let start = at.checked_sub(backward).ok_or(Error::new(ErrorKind::XzFooter, at + 4))?;
        Ok(Request::Index(start..at, check))
    }

    /// Reads the index of a stream.
    fn index(
        &mut self,
        bytes: &[u8],
        range: &Range<u64>,
        check: CheckKind,
        mut each: Option<&mut dyn FnMut(Block)>,
    ) -> Result<Option<Request>> {
        let wrong = Error::new(ErrorKind::XzIndex, range.start);
        let (mut sums, mut blocks) = (Sums::new(), 0);
        let walked = walk(bytes, &mut |unpadded, content| {
            blocks += 1;
            sums.add(unpadded, content)
        });
        walked.map_err(|fault| Error::from(fault).offset_by(range.start))?;
        let mut at = range.start.checked_sub(wide(sums.stored)).ok_or(wrong)?;
        let start = at.checked_sub(FRAMING).ok_or(wrong)?;
        let (mut content, next) = if let Some(before) = &mut self.before {
            // The second pass: the position is in this stream or an earlier one.
            *before = before.saturating_sub(wide(sums.content));
            if self.position.is_none_or(|position| position < *before) {
                return Ok(Some(Request::Tail(start, FRAMING)));
            }
            each = None;
            (*before, None)
        } else {
            self.streams += 1;
            self.blocks += blocks;
            self.sums = self.sums.and(&sums).ok_or(wrong)?;
            (0, Some(Request::Header(start, check)))
        };
        // Block offsets are known once all sizes are added up, so they take a second walk.
        let last = next.is_none() || start == 0 && self.streams == 1;
        let wanted = self.position.filter(|_| last);
        if wanted.is_some() || each.is_some() {
            walk(bytes, &mut |unpadded, len| {
                let end = at.checked_add(wide(unpadded).checked_next_multiple_of(4)?)?;
                let block = Block { range: at..end, content: content..content.checked_add(wide(len))?, check };
                (at, content) = (end, block.content.end);
                if wanted.is_some_and(|position| block.content.contains(&position)) {
                    self.found = Some(block.clone());
                }
                each.iter_mut().for_each(|each| each(block.clone()));
                Some(())
            })?;
        }
        Ok(next)
    }

    /// Reads the header of a stream, which must have the flags of its footer.
    fn header(&mut self, bytes: &[u8], start: u64, check: CheckKind) -> Result<Option<Request>> {
        let bytes = bytes.first_chunk().ok_or(Error::new(ErrorKind::Truncated, self.len))?;
        let header = stream_header(bytes, 0, &mut ()).map_err(|fault| Error::from(fault).offset_by(start))?;
        if header != check.id() {
            return Err(Error::new(ErrorKind::XzFooter, start));
        }
        if start > 0 {
            return Ok(Some(Request::Tail(start, FRAMING)));
        }
        let content = self.content();
        let more = self.position.is_some_and(|position| position < content) && self.found.is_none();
        self.before = more.then_some(content);
        Ok(more.then_some(Request::Tail(self.len, FRAMING)))
    }
}

/// A file in memory, whose footers and indexes fit together. Its blocks are not read.
///
/// ```
/// use unspool::{Limits, xz};
/// # let bytes = b"\xFD7zXZ\0\0\x01i\"\xDE6\x02\0!\x01\0\0\0\07'\x97\xD6\xE0\0\x16\0\x0E]\0:\x9B\x8A\xCD\xCA\x08\x14\xAF\xF7\xF9x\xE8\x80\0\0\0\0c\xC9\xC4\x7F\0\x01&\x17\xC8\xB3\x8B`\x90B\x99\r\x01\0\0\0\0\x01YZ";
/// let file = xz::File::open(bytes, &Limits::DEFAULT)?;
/// let block = file.locate(10)?.unwrap();
/// let mut out = vec![0; 23];
/// file.decode_block(&block, &mut out, &mut xz::Workspace::new(), &xz::Options::DEFAULT)?;
/// assert_eq!(&out[10..14], b"spoo");
/// # Ok::<(), unspool::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    bytes: &'a [u8],
    limits: Limits,
    /// Bytes that it decodes to.
    pub content: u64,
    /// Streams in a row.
    pub streams: u64,
    /// Blocks in all streams.
    pub blocks: u64,
}

impl<'a> File<'a> {
    /// Walks over the file from its end, in constant memory.
    pub fn open(bytes: &'a [u8], limits: &Limits) -> Result<Self> {
        let mut reader = IndexReader::sizes(u64_from(bytes.len()), limits);
        run(&mut reader, bytes)?;
        let (content, streams, blocks) = (reader.content(), reader.streams(), reader.blocks());
        Ok(Self { bytes, limits: *limits, content, streams, blocks })
    }

    /// Returns how many bytes it decodes to, or an error if the limit forbids that.
    pub fn decoded_len(&self) -> Result<u64> {
        if self.content > self.limits.max_output {
            return Err(Error::new(ErrorKind::OutputLimit, 0).needing(self.content));
        }
        Ok(self.content)
    }

    /// Finds the block that holds this position of the content; `None` after its end.
    #[cfg_attr(feature = "small", inline(never))]
    pub fn locate(&self, position: u64) -> Result<Option<Block>> {
        let mut reader = IndexReader::new(u64_from(self.bytes.len()), position, &self.limits);
        run(&mut reader, self.bytes)?;
        Ok(reader.found)
    }

    /// Decodes one block to the start of `dst`.
    pub fn decode_block(
        &self,
        block: &Block,
        dst: &mut [u8],
        workspace: &mut impl AsMut<Tables>,
        options: &Options,
    ) -> Result<Done> {
        let bytes = self.bytes.get(index(block.range.start)..index(block.range.end));
        let bytes = bytes.ok_or(Error::new(ErrorKind::RangeOutside, 0))?;
        decode_block(bytes, block, dst, workspace, options)
    }
}

fn run(reader: &mut IndexReader, bytes: &[u8]) -> Result<()> {
    while reader.needs().is_some() {
        reader.feed(0, bytes)?;
    }
    Ok(())
}

/// Decodes the block that `src` holds to the start of `dst`. Offsets of errors count from the start
/// of the file.
#[cfg_attr(feature = "small", inline(never))]
pub fn decode_block(
    src: &[u8],
    block: &Block,
    dst: &mut [u8],
    workspace: &mut impl AsMut<Tables>,
    options: &Options,
) -> Result<Done> {
    Whole::new(src, Slice::new(dst), workspace.as_mut(), options, &mut ()).lone_block(Goal::Decode, block)
}

/// Decodes the block that `src` holds to a new vector.
///
/// It does not trust the index: the vector is as long as the chunks in the block claim.
#[cfg(feature = "alloc")]
pub fn decode_block_to_vec(src: &[u8], block: &Block, options: &Options) -> Result<Vec<u8>> {
    to_vec(src, Input::Block(block), options)
}

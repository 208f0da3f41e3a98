//! Random access: which bytes of a file hold a position of its content. Files are read from their end, where the index is.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::ops::Range;

use super::check::CheckKind;
use super::header::{STREAM_HEADER, StreamFlags, stream_footer, stream_header};
use super::index::walk;
use super::options::{Options, Streams};
use super::parser::Parser;
use super::records::Sums;
#[cfg(feature = "alloc")]
use super::room::{count, impossible, room};
use super::window::{Kind, Window};
use super::workspace::Workspace;
use crate::num::{index, split_last, u64_from};
use crate::{Done, End, Error, ErrorKind, Limits, Result, Verify};

/// A block, as the index lists it: nothing of it has been looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The bytes of the file that it takes, with its header and its check.
    pub range: Range<u64>,
    /// The bytes of the content that it holds.
    pub content: Range<u64>,
    /// The check behind it.
    pub check: CheckKind,
}

/// Finds the block that holds a position, in a file that is not at hand.
///
/// It asks for byte ranges from the end of the file on: a footer, the index before it, the header of the stream. The caller
/// fetches them from a flash page, a file or a server.
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
    /// Where the content of the streams that were looked at starts, in the second pass.
    before: Option<u64>,
    streams: u64,
    sums: Sums,
    found: Option<Block>,
}

/// What is asked for.
#[derive(Clone, Debug)]
enum Request {
    /// The end of the file, up to here.
    Tail(u64, u64),
    Index(Range<u64>, StreamFlags),
    /// The start of a stream with these flags.
    Header(u64, StreamFlags),
}

/// How much is asked for where zeros lie behind a stream.
const PADDING: u64 = 4096;

impl IndexReader {
    /// A search in a file of this length.
    pub fn new(len: u64, position: u64, limits: &Limits) -> Self {
        Self { position: Some(position), ..Self::sizes(len, limits) }
    }

    /// No search, but a walk over all streams that adds up what they hold.
    pub fn sizes(len: u64, limits: &Limits) -> Self {
        Self {
            limits: *limits,
            len,
            position: None,
            need: Some(Request::Tail(len, u64_from(STREAM_HEADER))),
            before: None,
            streams: 0,
            sums: Sums::new(),
            found: None,
        }
    }

    /// The bytes to [`feed`](Self::feed) next; nothing when all is known.
    pub fn needs(&self) -> Option<Range<u64>> {
        match self.need.as_ref()? {
            Request::Tail(end, len) => Some(end.saturating_sub(*len)..*end),
            Request::Index(range, _) => Some(range.clone()),
            Request::Header(start, _) => Some(*start..start.saturating_add(u64_from(STREAM_HEADER))),
        }
    }

    /// The block that holds the position; nothing if the content ends before it.
    pub const fn found(&self) -> Option<&Block> {
        self.found.as_ref()
    }

    /// What the file decodes to, when all is known; otherwise what the streams hold that were looked at.
    pub const fn content(&self) -> u64 {
        self.sums.content
    }

    /// The number of streams, as far as it is known.
    pub const fn streams(&self) -> u64 {
        self.streams
    }

    /// The number of blocks, as far as it is known.
    pub const fn blocks(&self) -> u64 {
        self.sums.count
    }

    /// Goes on with bytes of the file from byte `at` on. They must hold what [`needs`](Self::needs) says, and may hold more.
    pub fn feed(&mut self, at: u64, bytes: &[u8]) -> Result<()> {
        self.read(at, bytes, None)
    }

    /// [`feed`](Self::feed), and `each` gets all blocks of a stream when its index is read for the first time: the last stream comes
    /// first. What is before it is not known then, so the content counts from its start.
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
            Some(Request::Index(range, flags)) => self.index(bytes, &range, flags, each)?,
            Some(Request::Header(start, flags)) => self.header(bytes, start, flags)?,
            None => None,
        };
        Ok(())
    }

    /// Zeros, or a footer.
    fn tail(&mut self, bytes: &[u8], end: u64) -> Result<Request> {
        // Whatever a file is made of is a multiple of four bytes long.
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
        let Some((_, footer)) = split_last(rest) else {
            // Zeros alone are no file.
            let more = if zeros > 0 { PADDING } else { 0 };
            return if end >= 32 && more > 0 { Ok(Request::Tail(end, more)) } else { Err(cut) };
        };
        let at = end - u64_from(STREAM_HEADER);
        let footer = stream_footer(footer, 0, &mut ()).map_err(|fault| Error::from(fault).offset_by(at))?;
        if footer.backward > self.limits.max_header {
            return Err(Error::new(ErrorKind::HeaderLimit, at).needing(footer.backward));
        }
        let start = at.checked_sub(footer.backward).ok_or(Error::new(ErrorKind::XzFooter, at + 4))?;
        Ok(Request::Index(start..at, footer.flags))
    }

    fn index(
        &mut self,
        bytes: &[u8],
        range: &Range<u64>,
        flags: StreamFlags,
        mut each: Option<&mut dyn FnMut(Block)>,
    ) -> Result<Option<Request>> {
        let wrong = Error::new(ErrorKind::XzIndex, range.start);
        let mut sums = Sums::new();
        let walked = walk(bytes, |unpadded, content| sums.add(unpadded, content));
        walked.map_err(|fault| Error::from(fault).offset_by(range.start))?;
        let blocks = range.start.checked_sub(sums.stored).ok_or(wrong)?;
        let start = blocks.checked_sub(u64_from(STREAM_HEADER)).ok_or(wrong)?;
        if let Some(before) = self.before {
            // The second pass: the streams before this one hold so much.
            let before = before.saturating_sub(sums.content);
            self.before = Some(before);
            if self.position.is_none_or(|position| position < before) {
                return Ok(Some(Request::Tail(start, u64_from(STREAM_HEADER))));
            }
            list(bytes, blocks, before, flags, &mut |block| self.keep(&block))?;
            return Ok(None);
        }
        self.streams += 1;
        self.sums = self.sums.and(&sums).ok_or(wrong)?;
        // Where blocks are shows only when all have been added up, and takes a second walk: for whoever wants to know.
        let alone = start == 0 && self.streams == 1 && self.position.is_some();
        if alone || each.is_some() {
            list(bytes, blocks, 0, flags, &mut |block| {
                if alone {
                    self.keep(&block);
                }
                if let Some(each) = &mut each {
                    each(block);
                }
            })?;
        }
        Ok(Some(Request::Header(start, flags)))
    }

    /// The stream starts as it ends; what is before it comes next.
    fn header(&mut self, bytes: &[u8], start: u64, flags: StreamFlags) -> Result<Option<Request>> {
        let bytes = bytes.first_chunk().ok_or(Error::new(ErrorKind::Truncated, start))?;
        let header = stream_header(bytes, 0, &mut ()).map_err(|fault| Error::from(fault).offset_by(start))?;
        if header != flags {
            return Err(Error::new(ErrorKind::XzFooter, start));
        }
        if start > 0 {
            return Ok(Some(Request::Tail(start, u64_from(STREAM_HEADER))));
        }
        let more = self.position.is_some_and(|position| position < self.sums.content) && self.found.is_none();
        self.before = more.then_some(self.sums.content);
        Ok(more.then_some(Request::Tail(self.len, u64_from(STREAM_HEADER))))
    }

    /// Keeps the block if it holds the position.
    fn keep(&mut self, block: &Block) {
        if self.position.is_some_and(|position| block.content.contains(&position)) {
            self.found = Some(block.clone());
        }
    }
}

/// The blocks of an index: where they are in the file from `at` on, and in the content.
fn list(bytes: &[u8], mut at: u64, mut content: u64, flags: StreamFlags, each: &mut dyn FnMut(Block)) -> Result<()> {
    let walked = walk(bytes, |unpadded, len| {
        let end = at.checked_add(unpadded.checked_next_multiple_of(4)?)?;
        let content_end = content.checked_add(len)?;
        each(Block { range: at..end, content: content..content_end, check: flags.check() });
        (at, content) = (end, content_end);
        Some(())
    });
    Ok(walked?)
}

/// A file that is at hand, whose footers and indexes add up. Blocks are not looked at.
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
    /// What it decodes to.
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

    /// Returns how many bytes it decodes to, unless the limit forbids that.
    pub fn decoded_len(&self) -> Result<u64> {
        if self.content > self.limits.max_output {
            return Err(Error::new(ErrorKind::OutputLimit, 0).needing(self.content));
        }
        Ok(self.content)
    }

    /// The block that holds this position of the content; `None` after its end.
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
        workspace: &mut Workspace,
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

/// Decodes the block whose bytes these are to the start of `dst`. Offsets of errors count from the start of the file.
#[cfg_attr(feature = "small", inline(never))]
pub fn decode_block(
    src: &[u8],
    block: &Block,
    dst: &mut [u8],
    workspace: &mut Workspace,
    options: &Options,
) -> Result<Done> {
    check_block(src, block, options)?;
    // Made where it stays: returned from a call, it would be on the stack twice.
    let mut parser = Parser::new(&Options { streams: Streams::First, ..*options });
    parser.expect_block(block.check, block.range.start, workspace);
    let mut window = Window::new(Kind::Output, dst);
    let (mut rest, mut wrote) = (src, 0);
    parser.go(&mut rest, End::Here, (&mut [], &mut wrote), &mut window, workspace, &mut ())?;
    fits(rest, parser.produced, block)?;
    Ok(parser.done(src.len(), &window))
}

/// Decodes the block whose bytes these are to a new vector.
///
/// What the index claims is not believed: the vector is as long as the chunks in the block say.
#[cfg(feature = "alloc")]
pub fn decode_block_to_vec(src: &[u8], block: &Block, options: &Options) -> Result<Vec<u8>> {
    let mut workspace = Workspace::new();
    check_block(src, block, options)?;
    let mut parser = Parser::new(&Options { streams: Streams::First, ..*options });
    parser.expect_block(block.check, block.range.start, &mut workspace);
    let (content, known) = count(src, parser, &mut workspace);
    let mut out = room(content, src.len())?;
    let done = decode_block(src, block, &mut out, &mut workspace, options);
    let wrote = done.map_err(|error| impossible(error, known))?.wrote;
    out.truncate(wrote);
    Ok(out)
}

/// Refuses a block that the caller made up, and checks that cannot be verified.
#[inline(never)]
fn check_block(src: &[u8], block: &Block, options: &Options) -> Result<()> {
    if options.verify == Verify::Refuse && !block.check.is_known() {
        return Err(Error::new(ErrorKind::XzCheckKind, block.range.start));
    }
    // A block that the caller made up: no file goes on so far.
    if block.range.start.checked_add(u64_from(src.len())).is_none() {
        return Err(Error::new(ErrorKind::RangeOutside, block.range.start));
    }
    Ok(())
}

/// The block ends where its bytes do, and holds what the index says.
fn fits(rest: &[u8], content: u64, block: &Block) -> Result<()> {
    let listed = block.content.end.saturating_sub(block.content.start);
    if !rest.is_empty() || content != listed {
        return Err(Error::new(ErrorKind::XzIndex, block.range.start));
    }
    Ok(())
}

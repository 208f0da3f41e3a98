//! Random access: which bytes of a file hold a position of its content. Files are read from their end, where the index is.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::ops::Range;

use super::check::CheckKind;
use super::decode::{Done, Options, Streams};
#[cfg(feature = "alloc")]
use super::decode::{impossible, room};
use super::decoder::Machine;
use super::header::{STREAM_HEADER, StreamFlags, stream_footer, stream_header};
use super::number::Number;
use super::records::Sums;
use super::window::{Kind, Window};
use super::workspace::Workspace;
use crate::checksum::Crc32;
use crate::num::{index, u64_from};
use crate::{End, Error, ErrorKind, Limits, Result};

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
/// let mut search = xz::Search::new(file.len() as u64, 10, &Limits::DEFAULT);
/// while let Some(range) = search.needs() {
///     search.feed(&file[range.start as usize..range.end as usize])?;
/// }
/// let block = search.found().unwrap();
/// assert_eq!(block.content, 0..23);
/// # Ok::<(), unspool::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Search {
    limits: Limits,
    len: u64,
    position: Option<u64>,
    need: Option<Need>,
    /// Where the content of the streams that were looked at starts, in the second pass.
    before: Option<u64>,
    streams: u64,
    sums: Sums,
    found: Option<Block>,
}

/// What is asked for.
#[derive(Clone, Debug)]
enum Need {
    /// The end of the file, up to here.
    Tail(u64, u64),
    Index(Range<u64>, StreamFlags),
    /// The start of a stream with these flags.
    Header(u64, StreamFlags),
}

/// How much is asked for where zeros lie behind a stream.
const PADDING: u64 = 4096;

impl Search {
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
            need: Some(Need::Tail(len, u64_from(STREAM_HEADER))),
            before: None,
            streams: 0,
            sums: Sums::new(),
            found: None,
        }
    }

    /// The bytes to [`feed`](Self::feed) next; nothing when all is known.
    pub fn needs(&self) -> Option<Range<u64>> {
        match self.need.as_ref()? {
            Need::Tail(end, len) => Some(end.saturating_sub(*len)..*end),
            Need::Index(range, _) => Some(range.clone()),
            Need::Header(start, _) => Some(*start..start.saturating_add(u64_from(STREAM_HEADER))),
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

    /// Takes the bytes that were asked for.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<()> {
        self.read(bytes, None)
    }

    /// [`feed`](Self::feed), and `each` hears of all blocks of a stream when its index has been read for the first time: the last stream
    /// comes first. What is before it is not known then, so that the content counts from its start.
    pub fn feed_listing(&mut self, bytes: &[u8], each: &mut dyn FnMut(Block)) -> Result<()> {
        self.read(bytes, Some(each))
    }

    fn read(&mut self, bytes: &[u8], each: Option<&mut dyn FnMut(Block)>) -> Result<()> {
        let Some(range) = self.needs() else { return Ok(()) };
        if u64_from(bytes.len()) != range.end - range.start {
            return Err(Error::new(ErrorKind::Truncated, range.start.saturating_add(u64_from(bytes.len()))));
        }
        self.need = match self.need.take() {
            Some(Need::Tail(end, _)) => Some(self.tail(bytes, end)?),
            Some(Need::Index(range, flags)) => self.index(bytes, &range, flags, each)?,
            Some(Need::Header(start, flags)) => self.header(bytes, start, flags)?,
            None => None,
        };
        Ok(())
    }

    /// Zeros, or a footer.
    fn tail(&mut self, bytes: &[u8], end: u64) -> Result<Need> {
        // Whatever a file is made of is a multiple of four bytes long.
        let cut = Error::new(ErrorKind::Truncated, self.len);
        if !end.is_multiple_of(4) {
            return Err(cut);
        }
        let zero = |quad: &&[u8]| quad.iter().all(|&byte| byte == 0);
        let zeros = u64_from(bytes.rchunks_exact(4).take_while(zero).count()) * 4;
        let end = end - zeros;
        let bytes = bytes.get(..bytes.len() - index(zeros)).unwrap_or_default();
        let Some(footer) = bytes.last_chunk() else {
            // Zeros alone are no file.
            let more = if zeros > 0 { PADDING } else { 0 };
            return if end >= 32 && more > 0 { Ok(Need::Tail(end, more)) } else { Err(cut) };
        };
        let at = end - u64_from(STREAM_HEADER);
        let mut place = at;
        let footer = stream_footer(footer, &mut place, &mut ()).map_err(|kind| Error::new(kind, place))?;
        if footer.backward > self.limits.max_header {
            return Err(Error::new(ErrorKind::HeaderLimit, at).needing(footer.backward));
        }
        let start = at.checked_sub(footer.backward).ok_or(Error::new(ErrorKind::XzFooter, at + 4))?;
        Ok(Need::Index(start..at, footer.flags))
    }

    fn index(
        &mut self,
        bytes: &[u8],
        range: &Range<u64>,
        flags: StreamFlags,
        mut each: Option<&mut dyn FnMut(Block)>,
    ) -> Result<Option<Need>> {
        let wrong = Error::new(ErrorKind::XzIndex, range.start);
        let mut sums = Sums::new();
        walk(bytes, range.start, |unpadded, content| sums.add(unpadded, content))?;
        let blocks = range.start.checked_sub(sums.stored).ok_or(wrong)?;
        let start = blocks.checked_sub(u64_from(STREAM_HEADER)).ok_or(wrong)?;
        if let Some(before) = self.before {
            // The second pass: the streams before this one hold so much.
            let before = before.saturating_sub(sums.content);
            self.before = Some(before);
            if self.position.is_none_or(|position| position < before) {
                return Ok(Some(Need::Tail(start, u64_from(STREAM_HEADER))));
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
        Ok(Some(Need::Header(start, flags)))
    }

    /// The stream starts as it ends; what is before it comes next.
    fn header(&mut self, bytes: &[u8], start: u64, flags: StreamFlags) -> Result<Option<Need>> {
        let bytes = bytes.first_chunk().ok_or(Error::new(ErrorKind::Truncated, start))?;
        let mut place = start;
        let header = stream_header(bytes, &mut place, &mut ()).map_err(|kind| Error::new(kind, place))?;
        if header != flags {
            return Err(Error::new(ErrorKind::XzFooter, start));
        }
        if start > 0 {
            return Ok(Some(Need::Tail(start, u64_from(STREAM_HEADER))));
        }
        let more = self.position.is_some_and(|position| position < self.sums.content) && self.found.is_none();
        self.before = more.then_some(self.sums.content);
        Ok(more.then_some(Need::Tail(self.len, u64_from(STREAM_HEADER))))
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
    walk(bytes, 0, |unpadded, len| {
        let end = at.checked_add(unpadded.checked_next_multiple_of(4)?)?;
        let content_end = content.checked_add(len)?;
        each(Block { range: at..end, content: content..content_end, check: flags.check() });
        (at, content) = (end, content_end);
        Some(())
    })
}

/// Reads an index: `each` hears the two sizes of every block, and may refuse.
fn walk(bytes: &[u8], at: u64, mut each: impl FnMut(u64, u64) -> Option<()>) -> Result<()> {
    let error = |kind, rest: &[u8]| Error::new(kind, at + u64_from(bytes.len() - rest.len()));
    let (body, crc) = bytes.split_last_chunk::<4>().ok_or(error(ErrorKind::XzFooter, bytes))?;
    if Crc32::of(body) != u32::from_le_bytes(*crc) {
        return Err(error(ErrorKind::XzHeaderCrc, crc));
    }
    let (&indicator, mut rest) = body.split_first().ok_or(error(ErrorKind::XzFooter, bytes))?;
    if indicator != 0 {
        return Err(error(ErrorKind::XzFooter, bytes));
    }
    let number = |rest: &mut &[u8]| -> Result<u64> {
        let mut number = Number::default();
        loop {
            let (&byte, more) = rest.split_first().ok_or(Error::new(ErrorKind::XzIndex, at))?;
            let value = number.push(byte).map_err(|kind| Error::new(kind, at))?;
            *rest = more;
            if let Some(value) = value {
                return Ok(value);
            }
        }
    };
    for _ in 0..number(&mut rest)? {
        let (unpadded, content) = (number(&mut rest)?, number(&mut rest)?);
        each(unpadded, content).ok_or(Error::new(ErrorKind::XzIndex, at))?;
    }
    if rest.len() > 3 || rest.iter().any(|&byte| byte != 0) {
        return Err(Error::new(ErrorKind::XzPadding, at));
    }
    Ok(())
}

/// A file that is at hand, whose footers and indexes add up. Blocks are not looked at.
///
/// ```
/// use unspool::{Limits, xz};
/// # let bytes = b"\xFD7zXZ\0\0\x01i\"\xDE6\x02\0!\x01\0\0\0\07'\x97\xD6\xE0\0\x16\0\x0E]\0:\x9B\x8A\xCD\xCA\x08\x14\xAF\xF7\xF9x\xE8\x80\0\0\0\0c\xC9\xC4\x7F\0\x01&\x17\xC8\xB3\x8B`\x90B\x99\r\x01\0\0\0\0\x01YZ";
/// let file = xz::File::open(bytes, &Limits::DEFAULT)?;
/// let block = file.locate(10)?.unwrap();
/// let mut out = vec![0; 23];
/// let mut ws = xz::Workspace::new();
/// file.decode_block(&block, &mut out, &mut ws, true)?;
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
        let mut search = Search::sizes(u64_from(bytes.len()), limits);
        run(&mut search, bytes)?;
        let (content, streams, blocks) = (search.content(), search.streams(), search.blocks());
        Ok(Self { bytes, limits: *limits, content, streams, blocks })
    }

    /// The block that holds this position of the content; nothing behind its end.
    #[cfg_attr(feature = "small", inline(never))]
    pub fn locate(&self, position: u64) -> Result<Option<Block>> {
        let mut search = Search::new(u64_from(self.bytes.len()), position, &self.limits);
        run(&mut search, self.bytes)?;
        Ok(search.found)
    }

    /// Decodes one block to the front of `dst`.
    pub fn decode_block(&self, block: &Block, dst: &mut [u8], ws: &mut Workspace, verify: bool) -> Result<Done> {
        let bytes = self.bytes.get(index(block.range.start)..index(block.range.end));
        let bytes = bytes.ok_or(Error::new(ErrorKind::RangeOutside, 0))?;
        decode_block(bytes, block, dst, ws, &self.limits, verify)
    }
}

fn run(search: &mut Search, bytes: &[u8]) -> Result<()> {
    while let Some(range) = search.needs() {
        search.feed(bytes.get(index(range.start)..index(range.end)).unwrap_or_default())?;
    }
    Ok(())
}

/// How many bytes a file decodes to, by its indexes. Reads nothing else, so that it is quick, and is to be believed no more
/// than the file. More than the limit on output is refused.
pub fn decoded_size(src: &[u8], limits: &Limits) -> Result<u64> {
    let content = File::open(src, limits)?.content;
    if content > limits.max_output {
        return Err(Error::new(ErrorKind::OutputLimit, 0).needing(content));
    }
    Ok(content)
}

/// The same of a file that is decoded next, or nothing where there is an error: the same walk, but over what is at hand.
#[cfg_attr(feature = "small", inline(never))]
pub(super) fn claimed_size(src: &[u8], limits: &Limits, streams: Streams) -> Option<u64> {
    let (mut rest, mut sums) = (src, Sums::new());
    if !rest.len().is_multiple_of(4) {
        return None;
    }
    loop {
        while let Some((before, [0, 0, 0, 0])) = rest.split_last_chunk() {
            rest = before;
        }
        let (before, footer) = rest.split_last_chunk()?;
        let footer = stream_footer(footer, &mut 0, &mut ()).ok()?;
        if footer.backward > limits.max_header {
            return None;
        }
        let (before, list) = before.split_at_checked(before.len().checked_sub(index(footer.backward))?)?;
        let stored = sums.stored;
        walk(list, 0, |unpadded, content| sums.add(unpadded, content)).ok()?;
        let blocks = index(sums.stored - stored);
        let (before, header) = before.get(..before.len().checked_sub(blocks)?)?.split_last_chunk()?;
        if stream_header(header, &mut 0, &mut ()) != Ok(footer.flags) {
            return None;
        }
        if before.is_empty() {
            return Some(sums.content);
        }
        // There is one too many, which decoding tells better.
        if streams == Streams::One {
            return None;
        }
        rest = before;
    }
}

/// Decodes the block whose bytes these are to the front of `dst`. Offsets of errors count from the start of the file.
#[cfg_attr(feature = "small", inline(never))]
pub fn decode_block(
    bytes: &[u8],
    block: &Block,
    dst: &mut [u8],
    ws: &mut Workspace,
    limits: &Limits,
    verify: bool,
) -> Result<Done> {
    run_block(bytes, block, Window::new(Kind::Output, dst), ws, limits, verify)
}

/// Decodes the block whose bytes these are to a new vector.
///
/// What the index claims is not believed: the vector is as long as the chunks in the block say.
#[cfg(feature = "alloc")]
pub fn decode_block_to_vec(
    bytes: &[u8],
    block: &Block,
    ws: &mut Workspace,
    limits: &Limits,
    verify: bool,
) -> Result<Vec<u8>> {
    let size = run_block(bytes, block, Window::new(Kind::Nowhere, &mut []), ws, limits, verify)?.content;
    let mut out = room(size, bytes.len())?;
    let wrote = decode_block(bytes, block, &mut out, ws, limits, verify).map_err(impossible)?.wrote;
    out.truncate(wrote);
    Ok(out)
}

fn run_block(
    bytes: &[u8],
    block: &Block,
    mut window: Window<'_>,
    ws: &mut Workspace,
    limits: &Limits,
    verify: bool,
) -> Result<Done> {
    if verify && !block.check.is_known() {
        return Err(Error::new(ErrorKind::XzCheckKind, block.range.start));
    }
    // A block that the caller made up: no file goes on so far.
    if block.range.start.checked_add(u64_from(bytes.len())).is_none() {
        return Err(Error::new(ErrorKind::RangeOutside, block.range.start));
    }
    let options = Options { verify, streams: Streams::First };
    let mut machine = Machine::new(limits, &options);
    machine.expect_block(block.check, block.range.start, ws);
    let (mut rest, mut wrote) = (bytes, 0);
    machine.go(&mut rest, End::Here, (&mut [], &mut wrote), &mut window, ws, &mut ())?;
    let content = block.content.end.saturating_sub(block.content.start);
    if !rest.is_empty() || machine.produced != content {
        return Err(Error::new(ErrorKind::XzIndex, block.range.start));
    }
    Ok(machine.done(bytes.len(), &window))
}

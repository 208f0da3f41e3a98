//! Whole files: frames in a row, in one piece.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use super::block::{Frame, Parsed};
use super::detect::detect;
use super::dictionary::Options;
use super::flavour::Flavour;
use super::header::{Block, BlockKind, FrameHeader, Header, cut};
use super::workspace::Workspace;
use crate::checksum::Xxh64;
use crate::entropy::low32;
use crate::fault::{Fault, Verdict};
#[cfg(feature = "alloc")]
use crate::heap::{lengthen, zeros};
use crate::num::{copy, index, u64_from};
use crate::{Error, ErrorKind, Limits, Name, Part, Result, Trace, Value};

/// How far a call came that decoded a whole file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Bytes of the input: all of it.
    pub read: usize,
    /// Bytes of the output that are filled. What lies behind them in the output may have been used as scratch.
    pub wrote: usize,
    /// Frames of data.
    pub frames: u64,
    /// Checksums that the frames have; after decoding, compared and found right.
    pub checksums: u64,
}

/// Decodes a file, whichever of the three formats it is in. The output is the only window there is.
///
/// ```
/// use unspool::{Limits, zstd};
/// let file = b"\x28\xB5\x2F\xFD\x04\x00\x29\0\0hello\xC0\x3E\xE3\x90";
/// # let hash = unspool::checksum::Xxh64::of(b"hello").to_le_bytes();
/// # let file = &[&file[..14], &hash[..4]].concat();
/// let mut out = [0; 5];
/// let done = zstd::decode(file, &mut out, &mut zstd::Workspace::new(), &Limits::DEFAULT)?;
/// assert_eq!((done.wrote, &out), (5, b"hello"));
/// # Ok::<(), unspool::Error>(())
/// ```
pub fn decode(src: &[u8], dst: &mut [u8], ws: &mut Workspace, limits: &Limits) -> Result<Done> {
    decode_with(src, dst, ws, limits, &Options::DEFAULT, &mut ())
}

/// [`decode`] with a dictionary, a given format, or somebody who listens.
pub fn decode_with<T: Trace>(
    src: &[u8],
    dst: &mut [u8],
    ws: &mut Workspace,
    limits: &Limits,
    options: &Options<'_>,
    trace: &mut T,
) -> Result<Done> {
    decode_to(src, &mut { dst }, ws, limits, options, trace)
}

fn decode_to<T: Trace>(
    src: &[u8],
    dst: &mut dyn Room,
    ws: &mut Workspace,
    limits: &Limits,
    options: &Options<'_>,
    trace: &mut T,
) -> Result<Done> {
    let mut out = Content { dst, start: 0, at: 0, hash: Xxh64::new() };
    let done = run(src, &mut out, ws, limits, options, trace)?;
    Ok(Done { wrote: out.at, ..done })
}

/// How many bytes a file decodes to. Reads all sequences, but writes nothing and needs no room.
pub fn decoded_size(src: &[u8], ws: &mut Workspace, limits: &Limits, options: &Options<'_>) -> Result<u64> {
    let mut out = Counter { size: 0, blind: false };
    run(src, &mut out, ws, limits, options, &mut ())?;
    Ok(out.size)
}

/// Tells `trace` where everything in a file lies. Tables are built and sequences read, but nothing is written; what
/// only shows in the content, a wrong checksum or an offset that points nowhere, is for [`decode`] to find. Of a frame whose
/// dictionary is not given, what is in it can be told all the same, but not how much that comes to.
pub fn inspect<T: Trace>(
    src: &[u8],
    ws: &mut Workspace,
    limits: &Limits,
    options: &Options<'_>,
    trace: &mut T,
) -> Result<Done> {
    run(src, &mut Counter { size: 0, blind: true }, ws, limits, options, trace)
}

/// Decodes a file to a new vector.
///
/// What a header claims is not believed: at first the vector is not longer than the blocks of the file could fill, or, where nobody
/// says how long the content is, eight times the file and a megabyte. It grows with the blocks from there.
#[cfg(feature = "alloc")]
pub fn decode_to_vec(src: &[u8], ws: &mut Workspace, limits: &Limits, options: &Options<'_>) -> Result<Vec<u8>> {
    let options = Options { flavour: Some(flavour(src, options)), ..*options };
    // Of a file that breaks off or is broken nothing is believed.
    let walked = super::detect::walk(src, &options).unwrap_or_default();
    let guess = u64_from(src.len()).saturating_mul(USUAL).saturating_add(SMALL);
    let size = walked.declared.unwrap_or(guess).min(walked.most).min(limits.max_output);
    let mut dst = zeros(size)?;
    let done = decode_to(src, &mut dst, ws, limits, &options, &mut ()).map_err(|error| match error.kind {
        // It grows as far as there is memory.
        ErrorKind::OutputTooSmall => Error { kind: ErrorKind::NoMemory, ..error },
        _ => error,
    })?;
    dst.truncate(done.wrote);
    Ok(dst)
}

/// Content of which nobody says how long it is gets so much room at first, or what its blocks can fill.
#[cfg(feature = "alloc")]
const SMALL: u64 = 1 << 20;

/// And for each byte of the file so much more.
#[cfg(feature = "alloc")]
const USUAL: u64 = 8;

/// The format to decode with.
pub(super) fn flavour(src: &[u8], options: &Options<'_>) -> Flavour {
    match options.flavour {
        Some(flavour) => flavour,
        None if options.magicless => Flavour::Rfc8878,
        None => detect(src).unwrap_or(Flavour::Rfc8878),
    }
}

/// Where the bytes of a file go. Asked once a block, so that one copy of the walk through the frames serves those who decode and those
/// who count.
trait Output {
    /// A frame starts; it says how long it is, or not.
    fn frame(&mut self, size: Option<u64>, at: usize) -> Result<()>;
    fn raw(&mut self, bytes: &[u8], at: usize) -> Verdict<()>;
    fn rle(&mut self, byte: u8, count: usize, at: usize) -> Verdict<()>;
    fn block(&mut self, frame: &Frame<'_>, block: &Parsed, src: &[u8], ws: &mut Workspace) -> Verdict<u64>;
    /// Whether nobody wants the content.
    fn is_blind(&self) -> bool {
        false
    }
    /// The last `len` bytes are part of what a checksum is made of.
    fn hash(&mut self, len: u64);
    /// The checksum of the frame, if it is known.
    fn checksum(&self) -> Option<u64>;
}

/// Memory that is filled from its start: a slice, or a vector, which grows. Asked once a block, too.
trait Room {
    /// How long it can be.
    fn most(&self) -> usize;
    /// All that there is, up to `end` if it can be so long.
    fn reach(&mut self, end: usize) -> &mut [u8];
}

impl Room for &mut [u8] {
    fn most(&self) -> usize {
        self.len()
    }

    fn reach(&mut self, _: usize) -> &mut [u8] {
        self
    }
}

#[cfg(feature = "alloc")]
impl Room for Vec<u8> {
    fn most(&self) -> usize {
        usize::MAX
    }

    fn reach(&mut self, end: usize) -> &mut [u8] {
        // Where there is no memory for that, the slice ends before it.
        let _ = lengthen(self, end.saturating_sub(self.len()));
        self
    }
}

/// The content of a file, frame after frame.
struct Content<'a> {
    dst: &'a mut dyn Room,
    /// Where the frame starts.
    start: usize,
    at: usize,
    hash: Xxh64,
}

impl Content<'_> {
    fn room(&mut self, len: usize, at: usize) -> Verdict<&mut [u8]> {
        let end = self.at.saturating_add(len);
        let too_small = Fault::new(ErrorKind::OutputTooSmall, at);
        let room = self.dst.reach(end).get_mut(self.at..end).ok_or(too_small)?;
        self.at = end;
        Ok(room)
    }
}

impl Output for Content<'_> {
    fn frame(&mut self, size: Option<u64>, at: usize) -> Result<()> {
        self.start = self.at;
        self.hash = Xxh64::new();
        let need = u64_from(self.at).saturating_add(size.unwrap_or(0));
        if need > u64_from(self.dst.most()) {
            return Err(Error::new(ErrorKind::OutputTooSmall, u64_from(at)).needing(need));
        }
        Ok(())
    }

    fn raw(&mut self, bytes: &[u8], at: usize) -> Verdict<()> {
        copy(bytes, self.room(bytes.len(), at)?);
        Ok(())
    }

    fn rle(&mut self, byte: u8, count: usize, at: usize) -> Verdict<()> {
        self.room(count, at)?.fill(byte);
        Ok(())
    }

    fn block(&mut self, frame: &Frame<'_>, block: &Parsed, src: &[u8], ws: &mut Workspace) -> Verdict<u64> {
        let (limit, _) = frame.limit();
        let out = self.dst.reach(self.at.saturating_add(limit)).get_mut(self.start..).unwrap_or_default();
        let at = self.at - self.start;
        let end = frame.decode(block, src, ws, frame.prefix, out, at)?;
        self.at = self.start + end;
        Ok(u64_from(end - at))
    }

    fn hash(&mut self, len: u64) {
        let bytes = self.dst.reach(self.at).get(self.at - index(len)..self.at);
        self.hash.update(bytes.unwrap_or_default());
    }

    fn checksum(&self) -> Option<u64> {
        Some(self.hash.value())
    }
}

/// Adds up.
struct Counter {
    size: u64,
    /// Where the dictionary is not there, the structure is enough.
    blind: bool,
}

impl Output for Counter {
    fn frame(&mut self, _: Option<u64>, _: usize) -> Result<()> {
        Ok(())
    }

    fn raw(&mut self, bytes: &[u8], _: usize) -> Verdict<()> {
        self.size += u64_from(bytes.len());
        Ok(())
    }

    fn rle(&mut self, _: u8, count: usize, _: usize) -> Verdict<()> {
        self.size += u64_from(count);
        Ok(())
    }

    fn block(&mut self, frame: &Frame<'_>, block: &Parsed, src: &[u8], ws: &mut Workspace) -> Verdict<u64> {
        let size = frame.count(block, src, ws)?;
        self.size += size;
        Ok(size)
    }

    fn is_blind(&self) -> bool {
        self.blind
    }

    fn hash(&mut self, _: u64) {}

    fn checksum(&self) -> Option<u64> {
        None
    }
}

/// Compares a hash with what the file holds of it.
pub(super) fn checksum(flavour: Flavour, hash: u64, stored: u32, at: usize) -> Verdict<()> {
    let ours = if flavour.checksum_behind() { low32(hash) } else { low32(hash >> 11) & 0x3F_FFFF };
    if ours == stored { Ok(()) } else { Err(Fault::new(ErrorKind::ZstdChecksum, at)) }
}

/// Adds to what a file decodes to, as far as the limit allows.
pub(super) fn spend(produced: &mut u64, len: u64, limits: &Limits, at: usize) -> Verdict<()> {
    *produced = produced.saturating_add(len);
    if *produced > limits.max_output {
        return Err(Fault::new(ErrorKind::OutputLimit, at));
    }
    Ok(())
}

/// What was wrong with a block, after which so much was produced.
pub(super) fn refused(fault: Fault, produced: u64) -> Error {
    match fault.kind {
        ErrorKind::OutputLimit => Error::from(fault).needing(produced),
        _ => fault.into(),
    }
}

#[cfg_attr(feature = "small", inline(never))]
fn run<T: Trace>(
    src: &[u8],
    out: &mut dyn Output,
    ws: &mut Workspace,
    limits: &Limits,
    options: &Options<'_>,
    trace: &mut T,
) -> Result<Done> {
    let flavour = flavour(src, options);
    let mut done = Done::default();
    let mut walk = Walk { src, ws, limits, trace, frame: Frame::NONE, verify: false, produced: 0 };
    let mut at = 0;
    loop {
        walk.trace.enter(Name::Frame, Value::U64(done.frames));
        match Header::read_at(src, at, flavour, options.magicless, walk.trace)? {
            Header::Skippable { size, .. } => {
                let start = at + 8;
                let end = start.saturating_add(size as usize);
                if end > src.len() {
                    return Err(cut(src).into());
                }
                if T::LISTENS {
                    super::seekable::tell_skippable(src, start..end, walk.trace);
                }
                at = end;
            }
            Header::Frame(header) => {
                walk.start(flavour, &header, options, out, at)?;
                let end = walk.blocks(out, at + header.len);
                at = end.map_err(|fault| refused(fault, walk.produced))?;
                done.frames += 1;
                done.checksums += u64::from(walk.verify);
            }
        }
        walk.trace.leave();
        done.read = at;
        if at >= src.len() {
            return Ok(done);
        }
    }
}

/// The blocks of one frame after the other.
struct Walk<'a, 'd, T> {
    src: &'a [u8],
    ws: &'a mut Workspace,
    limits: &'a Limits,
    trace: &'a mut T,
    frame: Frame<'d>,
    verify: bool,
    produced: u64,
}

impl<'d, T: Trace> Walk<'_, 'd, T> {
    /// The frame whose header lies at `at`.
    #[cfg_attr(feature = "small", inline(never))]
    fn start(
        &mut self,
        flavour: Flavour,
        header: &FrameHeader,
        options: &Options<'d>,
        out: &mut dyn Output,
        at: usize,
    ) -> Result<()> {
        header.check(self.limits, self.produced, at)?;
        match self.frame.start(flavour, header, options.dictionary, self.ws, at) {
            Err(_) if out.is_blind() => self.frame.go_blind(self.ws),
            started => started?,
        }
        self.verify = header.checksum && options.verify;
        out.frame(header.content_size, at)
    }

    /// Decodes the blocks from `at` on; says where the frame ends.
    #[cfg_attr(feature = "small", inline(never))]
    fn blocks(&mut self, out: &mut dyn Output, mut at: usize) -> Verdict<usize> {
        let (src, flavour, header) = (self.src, self.frame.flavour, self.frame.header);
        loop {
            let block = Block::read(flavour, src, at)?;
            block.check(flavour, &header, at)?;
            if block.kind == BlockKind::End {
                block.trace_end(header.checksum, at, self.trace);
                self.finish(out, block.size, at)?;
                return Ok(at + 3);
            }
            self.trace.enter(Name::Block, Value::Word(block.kind.name()));
            block.trace(at, self.trace);
            let start = at + 3;
            let end = start + block.stored();
            let bytes = src.get(start..end).ok_or_else(|| cut(src))?;
            let len = match block.kind {
                BlockKind::Compressed => {
                    let parsed = self.frame.parse(src, start..end, self.ws, self.trace)?;
                    out.block(&self.frame, &parsed, src, self.ws)?
                }
                _ => {
                    let (limit, too_long) = self.frame.limit();
                    let size = block.size as usize;
                    if size > limit {
                        return Err(Fault::new(too_long, start));
                    }
                    if block.kind == BlockKind::Rle {
                        let byte = bytes.first().copied().unwrap_or(0);
                        super::literals::tell(self.trace, Part::Data, Name::Byte, start..end, Value::U64(byte.into()));
                        out.rle(byte, size, start)?;
                    } else {
                        super::literals::tell(self.trace, Part::Data, Name::RawBytes, start..end, Value::None);
                        out.raw(bytes, start)?;
                    }
                    u64_from(size)
                }
            };
            if self.verify {
                out.hash(len);
            }
            spend(&mut self.produced, len, self.limits, start)?;
            self.frame.produced += len;
            self.trace.leave();
            at = end;
            if block.last {
                self.frame.check_size(at)?;
                if !header.checksum {
                    return Ok(at);
                }
                let bytes = src.get(at..).and_then(<[u8]>::first_chunk).ok_or_else(|| cut(src))?;
                let stored = u32::from_le_bytes(*bytes);
                super::literals::tell(
                    self.trace,
                    Part::Checksum,
                    Name::Checksum,
                    at..at + 4,
                    Value::Hex(stored.into()),
                );
                self.compare(out, stored, at)?;
                return Ok(at + 4);
            }
        }
    }

    fn finish(&self, out: &dyn Output, stored: u32, at: usize) -> Verdict<()> {
        self.frame.check_size(at)?;
        self.compare(out, stored, at)
    }

    fn compare(&self, out: &dyn Output, stored: u32, at: usize) -> Verdict<()> {
        match out.checksum() {
            Some(hash) if self.verify => checksum(self.frame.flavour, hash, stored, at),
            _ => Ok(()),
        }
    }
}

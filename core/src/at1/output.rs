//! Where decoded bytes go: a slice, which may only count them, or a sink behind a buffer.
//!
//! Codecs are written once and run on each of the two. What a codec appends are whole fields and lines, so that a slice
//! is filled by wide copies; bytes of the slice behind the last one written may hold the rest of such a copy.

use super::streams::lines::line_len;
use crate::bits::u64_at;
use crate::checksum::Sha256;
use crate::fault::Fault;
use crate::num::{copy, index, u64_from};
use crate::{Error, ErrorKind, Limits, Result, Sink};

/// The output takes no more. Whoever is told so gives up; why, the output [tells](Output::why) at the end. That fits in a register, which counts
/// where every field and every byte between two of them may be refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Full;

/// Whether the output took it.
pub(crate) type Put<T> = core::result::Result<T, Full>;

impl From<Full> for Fault {
    /// A stand-in, on its way to whoever asks the output.
    fn from(_: Full) -> Self {
        Self::new(ErrorKind::OutputTooSmall, 0)
    }
}

impl From<Full> for Error {
    fn from(full: Full) -> Self {
        Fault::from(full).into()
    }
}

/// Takes what a codec puts together, in order.
pub(crate) trait Output {
    /// Appends these bytes.
    fn put(&mut self, bytes: &[u8]) -> Put<()>;

    /// Appends `text` as far as its first line feed, or all of it; says how much that was.
    fn put_line(&mut self, text: &[u8]) -> Put<usize> {
        let len = line_len(text);
        self.put(text.get(..len).unwrap_or(text))?;
        Ok(len)
    }

    /// Appends the first `len` of these bytes.
    fn put_short<const N: usize>(&mut self, bytes: &[u8; N], len: usize) -> Put<()> {
        self.put(bytes.get(..len).unwrap_or(bytes))
    }

    /// Appends one byte.
    fn byte(&mut self, byte: u8) -> Put<()> {
        self.put(&[byte])
    }

    /// Appends `text` behind a byte so many times. What that would be too much of is refused at once.
    fn repeat(&mut self, before: u8, text: &[u8], count: u64) -> Put<()> {
        repeat(self, before, text, count)
    }

    /// Refuses if `len` bytes more would be too many.
    fn expect(&mut self, len: u64) -> Put<()>;

    /// Appends `len` bytes that `fill` writes in place. `Ok(false)` if there is no such place, and nothing was done.
    fn fill(&mut self, len: u64, fill: impl FnOnce(&mut [u8]) -> Result<()>) -> Result<bool>;

    /// Why bytes were refused, if some were.
    fn why(&self) -> Option<Error>;

    /// How many bytes there are so far.
    fn written(&self) -> u64;

    /// The hash of all bytes so far. `None` where nobody sees the bytes.
    fn hash(&mut self) -> Put<Option<[u8; 32]>>;
}

fn repeat<O: Output + ?Sized>(out: &mut O, before: u8, text: &[u8], mut count: u64) -> Put<()> {
    let unit = text.len().saturating_add(1);
    out.expect(count.saturating_mul(u64_from(unit)))?;
    // Several at a time: a file of a hundred bytes can ask for gigabytes of them, where there is so much memory.
    const ROOM: usize = 128;
    let fit = u64_from(ROOM.checked_div(unit).unwrap_or(0));
    if fit > 1 && count >= fit && !cfg!(any(feature = "small", target_arch = "wasm32")) {
        let (mut several, mut len) = ([before; ROOM], 0usize);
        for one in several.chunks_exact_mut(unit) {
            copy(text, one.get_mut(1..).unwrap_or_default());
            len = len.saturating_add(unit);
        }
        let several = several.get(..len).unwrap_or_default();
        while count >= fit {
            out.put(several)?;
            count = count.saturating_sub(fit);
        }
    }
    for _ in 0..count {
        out.byte(before)?;
        out.put(text)?;
    }
    Ok(())
}

/// How many bytes are hashed at a time, while the cache still has them.
const HASH_STEP: usize = 32 << 10;

/// What it means when a slice is full.
#[derive(Clone, Copy)]
enum End {
    /// The limit is reached.
    Limit,
    /// The caller's slice ends.
    Slice,
    /// Nothing: bytes are counted up to so many, and there is no room for any of them.
    Counts(usize),
}

/// A slice that is filled from its start.
pub(crate) struct Slice<'a> {
    dst: &'a mut [u8],
    at: usize,
    end: End,
    hash: Option<Sha256>,
    hashed: usize,
    /// How many bytes would have fitted what was refused.
    need: u64,
}

impl<'a> Slice<'a> {
    /// Fills no more of `dst` than the limit allows; hashes what it is filled with if that is wanted.
    pub(crate) fn new(dst: &'a mut [u8], hash: bool, limits: &Limits) -> Self {
        let (end, dst) = match usize::try_from(limits.max_output) {
            Ok(max) if max < dst.len() => (End::Limit, dst.get_mut(..max).unwrap_or_default()),
            _ => (End::Slice, dst),
        };
        Self { dst, at: 0, end, hash: hash.then(Sha256::new), hashed: 0, need: 0 }
    }

    /// Counts what another one would be filled with, and keeps none of it: there is no third copy of the codecs for that.
    pub(crate) fn counting(limits: &Limits) -> Self {
        Self { dst: &mut [], at: 0, end: End::Counts(index(limits.max_output)), hash: None, hashed: 0, need: 0 }
    }

    const fn counts(&self) -> bool {
        matches!(self.end, End::Counts(_))
    }

    /// Refuses `len` bytes that have no place, unless they are just counted.
    #[cold]
    fn check(&mut self, len: u64) -> Put<()> {
        let need = u64_from(self.at).saturating_add(len);
        match self.end {
            End::Counts(max) if need <= u64_from(max) => Ok(()),
            _ => {
                self.need = need;
                Err(Full)
            }
        }
    }

    /// Counts bytes that have no place, or refuses them.
    #[cold]
    fn count(&mut self, len: u64) -> Put<()> {
        self.check(len)?;
        self.at = self.at.saturating_add(index(len));
        Ok(())
    }

    #[inline]
    fn advance(&mut self, len: usize) {
        self.at = self.at.saturating_add(len);
        if self.hash.is_some() && self.at.saturating_sub(self.hashed) >= HASH_STEP {
            self.catch_up();
        }
    }

    #[cold]
    fn catch_up(&mut self) {
        if let Some(hash) = &mut self.hash {
            hash.update(self.dst.get(self.hashed..self.at).unwrap_or_default());
            self.hashed = self.at;
        }
    }
}

impl Output for Slice<'_> {
    #[inline]
    fn put(&mut self, bytes: &[u8]) -> Put<()> {
        let end = self.at.saturating_add(bytes.len());
        match self.dst.get_mut(self.at..end) {
            Some(room) => copy(bytes, room),
            None => return self.count(u64_from(bytes.len())),
        }
        self.advance(bytes.len());
        Ok(())
    }

    #[inline]
    fn put_line(&mut self, text: &[u8]) -> Put<usize> {
        if let Some(len) = wide_line(text, self.dst.get_mut(self.at..).unwrap_or_default()) {
            self.advance(len);
            return Ok(len);
        }
        let len = line_len(text);
        self.put(text.get(..len).unwrap_or(text))?;
        Ok(len)
    }

    #[inline]
    fn put_short<const N: usize>(&mut self, bytes: &[u8; N], len: usize) -> Put<()> {
        match self.dst.get_mut(self.at..).and_then(<[u8]>::first_chunk_mut) {
            Some(room) => *room = *bytes,
            None => return self.put(bytes.get(..len).unwrap_or(bytes)),
        }
        self.advance(len.min(N));
        Ok(())
    }

    #[inline]
    fn byte(&mut self, byte: u8) -> Put<()> {
        match self.dst.get_mut(self.at) {
            Some(room) => *room = byte,
            None => return self.count(1),
        }
        self.at = self.at.saturating_add(1);
        Ok(())
    }

    fn expect(&mut self, len: u64) -> Put<()> {
        match self.dst.get(self.at..).map(<[u8]>::len) {
            Some(room) if len <= u64_from(room) => Ok(()),
            _ => self.check(len),
        }
    }

    fn repeat(&mut self, before: u8, text: &[u8], count: u64) -> Put<()> {
        if self.counts() {
            return self.count(count.saturating_mul(u64_from(text.len()).saturating_add(1)));
        }
        repeat(self, before, text, count)
    }

    fn fill(&mut self, len: u64, fill: impl FnOnce(&mut [u8]) -> Result<()>) -> Result<bool> {
        let end = u64_from(self.at).saturating_add(len);
        let Some(room) = self.dst.get_mut(self.at..index(end)) else {
            self.count(len)?;
            return Ok(true);
        };
        fill(room)?;
        let len = room.len();
        self.advance(len);
        Ok(true)
    }

    fn why(&self) -> Option<Error> {
        let kind = match self.end {
            End::Counts(_) | End::Limit => ErrorKind::OutputLimit,
            End::Slice => ErrorKind::OutputTooSmall,
        };
        (self.need > 0).then_some(Error::new(kind, 0).needing(self.need))
    }

    fn written(&self) -> u64 {
        u64_from(self.at)
    }

    fn hash(&mut self) -> Put<Option<[u8; 32]>> {
        self.catch_up();
        Ok(self.hash.as_ref().map(Sha256::value))
    }
}

/// Copies a line in pieces of 16 bytes and looks for its end in them on the way. `None` where one of the two slices ends
/// too soon for that; what was copied until then means nothing.
#[inline]
fn wide_line(text: &[u8], dst: &mut [u8]) -> Option<usize> {
    let mut len = 0usize;
    for (from, to) in text.as_chunks::<16>().0.iter().zip(dst.as_chunks_mut::<16>().0) {
        *to = *from;
        let found = first_line_feed(*from);
        len = len.checked_add(found)?;
        if found < 16 {
            return Some(len);
        }
    }
    None
}

/// How many of 16 bytes stand before the first line feed.
#[inline]
fn first_line_feed(bytes: [u8; 16]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    // A byte of the result is 0x80 where the byte is a line feed; above the first such byte a carry may lie.
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & (ONES << 7);
    let [low, high] = [0, 8].map(|half| zeros(u64_at(&bytes, half) ^ (ONES * 10)));
    match low {
        0 => 8 + (high.trailing_zeros() >> 3) as usize,
        _ => (low.trailing_zeros() >> 3) as usize,
    }
}

/// A sink that is called when a buffer is full.
pub(crate) struct Buffered<'a, S> {
    sink: &'a mut S,
    buffer: &'a mut [u8],
    filled: usize,
    flushed: u64,
    max: u64,
    hash: Option<Sha256>,
    refused: Option<Error>,
}

impl<'a, S: Sink> Buffered<'a, S> {
    pub(crate) fn new(sink: &'a mut S, buffer: &'a mut [u8], hash: bool, limits: &Limits) -> Self {
        let max = limits.max_output;
        Self { sink, buffer, filled: 0, flushed: 0, max, hash: hash.then(Sha256::new), refused: None }
    }

    /// Gives the sink what the buffer holds.
    pub(crate) fn flush(&mut self) -> Put<()> {
        let bytes = self.buffer.get(..self.filled).unwrap_or_default();
        pass(self.sink, &mut self.hash, bytes).map_err(|error| refuse(&mut self.refused, error))?;
        self.flushed = self.flushed.saturating_add(u64_from(self.filled));
        self.filled = 0;
        Ok(())
    }
}

fn pass<S: Sink>(sink: &mut S, hash: &mut Option<Sha256>, bytes: &[u8]) -> Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    if let Some(hash) = hash {
        hash.update(bytes);
    }
    sink.write(bytes)
}

impl<S: Sink> Output for Buffered<'_, S> {
    fn put(&mut self, bytes: &[u8]) -> Put<()> {
        self.expect(u64_from(bytes.len()))?;
        if bytes.len() > self.buffer.len().saturating_sub(self.filled) {
            self.flush()?;
        }
        let end = self.filled.saturating_add(bytes.len());
        if let Some(room) = self.buffer.get_mut(self.filled..end) {
            copy(bytes, room);
            self.filled = end;
            return Ok(());
        }
        pass(self.sink, &mut self.hash, bytes).map_err(|error| refuse(&mut self.refused, error))?;
        self.flushed = self.flushed.saturating_add(u64_from(bytes.len()));
        Ok(())
    }

    fn expect(&mut self, len: u64) -> Put<()> {
        let sum = self.written().saturating_add(len);
        if sum > self.max {
            return Err(refuse(&mut self.refused, Error::new(ErrorKind::OutputLimit, 0).needing(sum)));
        }
        Ok(())
    }

    fn fill(&mut self, _: u64, _: impl FnOnce(&mut [u8]) -> Result<()>) -> Result<bool> {
        Ok(false)
    }

    fn why(&self) -> Option<Error> {
        self.refused
    }

    fn written(&self) -> u64 {
        self.flushed.saturating_add(u64_from(self.filled))
    }

    fn hash(&mut self) -> Put<Option<[u8; 32]>> {
        self.flush()?;
        Ok(self.hash.as_ref().map(Sha256::value))
    }
}

/// Remembers why.
#[cold]
fn refuse(refused: &mut Option<Error>, error: Error) -> Full {
    *refused = Some(error);
    Full
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_feed_of_sixteen() {
        for first in 0..16 {
            for other in 0..=255u8 {
                let mut bytes = [other; 16];
                bytes[..first].fill(11);
                bytes[first] = b'\n';
                assert_eq!(first_line_feed(bytes), first);
            }
        }
        for byte in (0..=255u8).filter(|&byte| byte != b'\n') {
            assert_eq!(first_line_feed([byte; 16]), 16);
        }
    }

    #[test]
    fn all_outputs_take_the_same_bytes() {
        let text: Vec<u8> = (0..20_000u32).map(|n| if n % 37 == 0 { b'\n' } else { b'a' + (n % 26) as u8 }).collect();
        fn run(out: &mut impl Output, text: &[u8]) -> u64 {
            let mut rest = text;
            loop {
                let len = out.put_line(rest).unwrap();
                out.byte(b';').unwrap();
                out.put_short(b"0123456789", len % 10).unwrap();
                match rest.get(len + 1..) {
                    Some(more) => rest = more,
                    None => break,
                }
            }
            out.put(text).unwrap();
            out.written()
        }
        let mut counter = Slice::counting(&Limits::DEFAULT);
        let len = run(&mut counter, &text) as usize;
        let mut exact = vec![0; len];
        let mut slice = Slice::new(&mut exact, true, &Limits::DEFAULT);
        run(&mut slice, &text);
        let hash = slice.hash();
        let mut collected = vec![];
        let mut sink = |bytes: &[u8]| {
            collected.extend_from_slice(bytes);
            Ok(())
        };
        let mut buffer = [0; 4 << 10];
        let mut buffered = Buffered::new(&mut sink, &mut buffer, true, &Limits::DEFAULT);
        run(&mut buffered, &text);
        assert_eq!(buffered.hash(), hash);
        assert_eq!((hash, &collected), (Ok(Some(Sha256::of(&exact))), &exact));
    }

    #[test]
    fn the_limit_and_the_end_of_the_slice_are_told_apart() {
        let limits = Limits { max_output: 3, ..Limits::DEFAULT };
        let mut room = [0; 4];
        let mut slice = Slice::new(&mut room, false, &limits);
        let why = |out: &Slice<'_>| out.why().map(|error| (error.kind, error.need));
        assert_eq!((slice.put(b"abcd"), why(&slice)), (Err(Full), Some((ErrorKind::OutputLimit, 4))));
        let mut slice = Slice::new(&mut room, false, &Limits::DEFAULT);
        assert_eq!((slice.put(b"abcd"), why(&slice)), (Ok(()), None));
        assert_eq!((slice.byte(b'e'), why(&slice)), (Err(Full), Some((ErrorKind::OutputTooSmall, 5))));
        let mut counter = Slice::counting(&limits);
        assert_eq!(counter.put(b"ab"), Ok(()));
        assert_eq!(counter.repeat(b';', b"", 1), Ok(()));
        assert_eq!((counter.written(), counter.hash()), (3, Ok(None)));
        assert_eq!((counter.byte(b'd'), why(&counter)), (Err(Full), Some((ErrorKind::OutputLimit, 4))));
        let many = counter.repeat(b';', b"text", u64::MAX);
        assert_eq!((many, why(&counter)), (Err(Full), Some((ErrorKind::OutputLimit, u64::MAX))));
        assert!(counter.fill(1, |_| Ok(())).is_err());
        assert_eq!(counter.expect(0), Ok(()));
    }

    #[test]
    fn what_is_repeated_is_whole_however_often_and_long() {
        for text in ["", "a", "0|0", "0|0:12", &"x".repeat(63), &"y".repeat(64), &"z".repeat(200)] {
            for count in [0, 1, 2, 31, 32, 33, 127, 128, 129, 1000] {
                let expected = format!("\t{text}").repeat(count);
                let (mut room, mut buffer) = (vec![0; expected.len()], [0; 300]);
                let mut slice = Slice::new(&mut room, false, &Limits::DEFAULT);
                assert_eq!(slice.repeat(b'\t', text.as_bytes(), count as u64), Ok(()));
                assert_eq!(slice.written(), expected.len() as u64);
                assert!(room == expected.as_bytes(), "{count} times {text:?}");
                let mut sunk = vec![];
                let mut sink = |bytes: &[u8]| {
                    sunk.extend_from_slice(bytes);
                    Ok(())
                };
                let mut buffered = Buffered::new(&mut sink, &mut buffer, false, &Limits::DEFAULT);
                assert_eq!(buffered.repeat(b'\t', text.as_bytes(), count as u64), Ok(()));
                assert_eq!(buffered.flush(), Ok(()));
                assert!(sunk == expected.as_bytes(), "{count} times {text:?}");
            }
        }
    }
}

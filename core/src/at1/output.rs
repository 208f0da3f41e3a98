//! Where decoded bytes go: a slice, which may only count them, or a sink behind a buffer.
//!
//! Codecs are written once and run on each of the two. What a codec appends are whole fields and lines, so that a slice
//! is filled by wide copies; bytes of the slice behind the last one written may hold the rest of such a copy.

use super::streams::lines::line_len;
use crate::bits::u64_at;
use crate::checksum::Sha256;
use crate::num::{copy, index, u64_from};
use crate::{Error, ErrorKind, Limits, Result, Sink, tuning};

/// Takes what a codec appends, in order.
///
/// An output that has refused bytes drops all that follows, so that codecs append without looking: they ask [`is_full`](Self::is_full) once a
/// line. The door that made the output returns its [`refusal`](Self::refusal), which comes before any fault that a codec meets later.
///
/// Every byte of output goes through these calls. Those that write a few bytes must stay small enough to be inlined, and must not return
/// anything that callers would test.
pub(crate) trait Output {
    /// Appends these bytes.
    fn put(&mut self, bytes: &[u8]);

    /// Appends `text` up to its first line feed, or all of it. Returns how many bytes that was.
    fn put_line(&mut self, text: &[u8]) -> usize {
        let len = line_len(text);
        self.put(text.get(..len).unwrap_or(text));
        len
    }

    /// Appends the first `len` of these bytes.
    fn put_short<const N: usize>(&mut self, bytes: &[u8; N], len: usize) {
        self.put(bytes.get(..len).unwrap_or(bytes));
    }

    /// Appends one byte.
    fn byte(&mut self, byte: u8) {
        self.put(&[byte]);
    }

    /// Appends a byte and `text`, `count` times. Refuses at once what would be too much.
    fn repeat(&mut self, before: u8, text: &[u8], count: u64) {
        repeat(self, before, text, count);
    }

    /// Refuses if `len` more bytes would be too many.
    fn expect(&mut self, len: u64);

    /// Appends `len` bytes that `fill` writes in place. Returns `false` if there is no such place, and nothing was done.
    fn fill(&mut self, len: u64, fill: impl FnOnce(&mut [u8]) -> Result<()>) -> Result<bool>;

    /// Whether bytes were refused. Nothing can be appended then.
    fn is_full(&self) -> bool;

    /// Why bytes were refused, if some were.
    fn refusal(&self) -> Option<Error>;

    /// Bytes appended so far.
    fn written(&self) -> u64;

    /// The hash of all bytes so far; `None` if it is not wanted.
    fn hash(&mut self) -> Option<[u8; 32]>;
}

fn repeat<O: Output + ?Sized>(out: &mut O, before: u8, text: &[u8], mut count: u64) {
    let unit = text.len().saturating_add(1);
    out.expect(count.saturating_mul(u64_from(unit)));
    if out.is_full() {
        return;
    }
    // Several at a time: a file of a hundred bytes can ask for gigabytes of them.
    const PIECE: usize = 128;
    let fit = u64_from(PIECE.checked_div(unit).unwrap_or(0));
    if fit > 1 && count >= fit && !tuning::LEAN {
        let (mut several, mut len) = ([before; PIECE], 0usize);
        for one in several.chunks_exact_mut(unit) {
            copy(text, one.get_mut(1..).unwrap_or_default());
            len = len.saturating_add(unit);
        }
        let several = several.get(..len).unwrap_or_default();
        while count >= fit && !out.is_full() {
            out.put(several);
            count = count.saturating_sub(fit);
        }
    }
    for _ in 0..count {
        if out.is_full() {
            return;
        }
        out.byte(before);
        out.put(text);
    }
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
    fn check(&mut self, len: u64) {
        let need = u64_from(self.at).saturating_add(len);
        match self.end {
            End::Counts(max) if need <= u64_from(max) => {}
            _ if self.need > 0 => {}
            // Without a slice nothing has a place from now on.
            _ => (self.need, self.dst) = (need, &mut []),
        }
    }

    /// Counts bytes that have no place, or refuses them.
    #[cold]
    fn count(&mut self, len: u64) {
        self.check(len);
        if self.need == 0 {
            self.at = self.at.saturating_add(index(len));
        }
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
    fn put(&mut self, bytes: &[u8]) {
        let end = self.at.saturating_add(bytes.len());
        match self.dst.get_mut(self.at..end) {
            Some(place) => copy(bytes, place),
            None => return self.count(u64_from(bytes.len())),
        }
        self.advance(bytes.len());
    }

    #[inline]
    fn put_line(&mut self, text: &[u8]) -> usize {
        if let Some(len) = wide_line(text, self.dst.get_mut(self.at..).unwrap_or_default()) {
            self.advance(len);
            return len;
        }
        let len = line_len(text);
        self.put(text.get(..len).unwrap_or(text));
        len
    }

    #[inline]
    fn put_short<const N: usize>(&mut self, bytes: &[u8; N], len: usize) {
        match self.dst.get_mut(self.at..).and_then(<[u8]>::first_chunk_mut) {
            Some(place) => *place = *bytes,
            None => return self.put(bytes.get(..len).unwrap_or(bytes)),
        }
        self.advance(len.min(N));
    }

    #[inline]
    fn byte(&mut self, byte: u8) {
        match self.dst.get_mut(self.at) {
            Some(place) => *place = byte,
            None => return self.count(1),
        }
        self.at = self.at.saturating_add(1);
    }

    fn expect(&mut self, len: u64) {
        match self.dst.get(self.at..).map(<[u8]>::len) {
            Some(left) if len <= u64_from(left) => {}
            _ => self.check(len),
        }
    }

    fn repeat(&mut self, before: u8, text: &[u8], count: u64) {
        if self.counts() {
            return self.count(count.saturating_mul(u64_from(text.len()).saturating_add(1)));
        }
        repeat(self, before, text, count);
    }

    fn fill(&mut self, len: u64, fill: impl FnOnce(&mut [u8]) -> Result<()>) -> Result<bool> {
        let end = u64_from(self.at).saturating_add(len);
        let Some(place) = self.dst.get_mut(self.at..index(end)) else {
            self.count(len);
            return Ok(true);
        };
        fill(place)?;
        let len = place.len();
        self.advance(len);
        Ok(true)
    }

    fn is_full(&self) -> bool {
        self.need > 0
    }

    fn refusal(&self) -> Option<Error> {
        let kind = match self.end {
            End::Counts(_) | End::Limit => ErrorKind::OutputLimit,
            End::Slice => ErrorKind::OutputTooSmall,
        };
        (self.need > 0).then_some(Error::new(kind, 0).needing(self.need))
    }

    fn written(&self) -> u64 {
        u64_from(self.at)
    }

    fn hash(&mut self) -> Option<[u8; 32]> {
        self.catch_up();
        self.hash.as_ref().map(Sha256::value)
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
    refusal: Option<Error>,
}

impl<'a, S: Sink> Buffered<'a, S> {
    pub(crate) fn new(sink: &'a mut S, buffer: &'a mut [u8], hash: bool, limits: &Limits) -> Self {
        let max = limits.max_output;
        Self { sink, buffer, filled: 0, flushed: 0, max, hash: hash.then(Sha256::new), refusal: None }
    }

    /// Passes what the buffer holds to the sink.
    pub(crate) fn flush(&mut self) {
        let bytes = self.buffer.get(..self.filled).unwrap_or_default();
        match pass(self.sink, &mut self.hash, bytes) {
            Ok(()) => self.flushed = self.flushed.saturating_add(u64_from(self.filled)),
            Err(error) => refuse(&mut self.refusal, error),
        }
        // A sink that refused is not called again.
        self.filled = 0;
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
    fn put(&mut self, bytes: &[u8]) {
        self.expect(u64_from(bytes.len()));
        if bytes.len() > self.buffer.len().saturating_sub(self.filled) && !self.is_full() {
            self.flush();
        }
        if self.is_full() {
            return;
        }
        let end = self.filled.saturating_add(bytes.len());
        if let Some(place) = self.buffer.get_mut(self.filled..end) {
            copy(bytes, place);
            self.filled = end;
            return;
        }
        match pass(self.sink, &mut self.hash, bytes) {
            Ok(()) => self.flushed = self.flushed.saturating_add(u64_from(bytes.len())),
            Err(error) => refuse(&mut self.refusal, error),
        }
    }

    fn expect(&mut self, len: u64) {
        let sum = self.written().saturating_add(len);
        if sum > self.max {
            refuse(&mut self.refusal, Error::new(ErrorKind::OutputLimit, 0).needing(sum));
        }
    }

    fn fill(&mut self, _: u64, _: impl FnOnce(&mut [u8]) -> Result<()>) -> Result<bool> {
        Ok(false)
    }

    fn is_full(&self) -> bool {
        self.refusal.is_some()
    }

    fn refusal(&self) -> Option<Error> {
        self.refusal
    }

    fn written(&self) -> u64 {
        self.flushed.saturating_add(u64_from(self.filled))
    }

    fn hash(&mut self) -> Option<[u8; 32]> {
        self.flush();
        self.hash.as_ref().map(Sha256::value)
    }
}

/// Keeps the first reason.
#[cold]
fn refuse(refusal: &mut Option<Error>, error: Error) {
    refusal.get_or_insert(error);
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
                let len = out.put_line(rest);
                out.byte(b';');
                out.put_short(b"0123456789", len % 10);
                match rest.get(len + 1..) {
                    Some(more) => rest = more,
                    None => break,
                }
            }
            out.put(text);
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
        assert_eq!((hash, &collected), (Some(Sha256::of(&exact)), &exact));
    }

    #[test]
    fn a_refusal_says_whether_the_limit_or_the_slice_ended_and_stays() {
        let limits = Limits { max_output: 3, ..Limits::DEFAULT };
        let mut room = [0; 4];
        let why = |out: &Slice<'_>| out.refusal().map(|error| (error.kind, error.need));
        let mut slice = Slice::new(&mut room, false, &limits);
        slice.put(b"abcd");
        assert_eq!(why(&slice), Some((ErrorKind::OutputLimit, 4)));
        let mut slice = Slice::new(&mut room, false, &Limits::DEFAULT);
        slice.put(b"abc");
        assert_eq!((slice.is_full(), why(&slice)), (false, None));
        slice.put(b"de");
        slice.byte(b'd');
        slice.put_short(b"d", 1);
        assert_eq!((slice.put_line(b"d\n"), slice.written()), (1, 3), "what would fit is dropped as well");
        assert_eq!((slice.is_full(), why(&slice)), (true, Some((ErrorKind::OutputTooSmall, 5))));
        let mut counter = Slice::counting(&limits);
        counter.put(b"ab");
        counter.repeat(b';', b"", 1);
        assert_eq!((counter.written(), counter.hash(), counter.is_full()), (3, None, false));
        counter.expect(0);
        assert_eq!(why(&counter), None);
        counter.repeat(b';', b"text", u64::MAX);
        assert_eq!(why(&counter), Some((ErrorKind::OutputLimit, u64::MAX)));
        assert_eq!((counter.fill(1, |_| Ok(())), counter.written()), (Ok(true), 3));
    }

    #[test]
    fn a_sink_that_refuses_is_not_called_again_and_a_limit_keeps_what_came_before() {
        let (mut buffer, mut calls) = ([0; 4], 0);
        let refusal = Error::new(ErrorKind::SinkFull, 7);
        let mut sink = |_: &[u8]| {
            calls += 1;
            Err(refusal)
        };
        let mut out = Buffered::new(&mut sink, &mut buffer, false, &Limits::DEFAULT);
        out.put(b"abc");
        out.put(b"de");
        out.put(b"f");
        out.flush();
        assert_eq!((out.refusal(), calls), (Some(refusal), 1));
        let mut sunk = vec![];
        let mut sink = |bytes: &[u8]| {
            sunk.extend_from_slice(bytes);
            Ok(())
        };
        let mut out = Buffered::new(&mut sink, &mut buffer, false, &Limits { max_output: 3, ..Limits::DEFAULT });
        out.put(b"ab");
        out.put(b"cd");
        out.put(b"e");
        out.flush();
        assert_eq!(out.refusal(), Some(Error::new(ErrorKind::OutputLimit, 0).needing(4)));
        assert_eq!(sunk, b"ab");
    }

    #[test]
    fn what_is_repeated_is_whole_however_often_and_long() {
        for text in ["", "a", "0|0", "0|0:12", &"x".repeat(63), &"y".repeat(64), &"z".repeat(200)] {
            for count in [0, 1, 2, 31, 32, 33, 127, 128, 129, 1000] {
                let expected = format!("\t{text}").repeat(count);
                let (mut room, mut buffer) = (vec![0; expected.len()], [0; 300]);
                let mut slice = Slice::new(&mut room, false, &Limits::DEFAULT);
                slice.repeat(b'\t', text.as_bytes(), count as u64);
                assert_eq!(slice.written(), expected.len() as u64);
                assert!(room == expected.as_bytes(), "{count} times {text:?}");
                let mut sunk = vec![];
                let mut sink = |bytes: &[u8]| {
                    sunk.extend_from_slice(bytes);
                    Ok(())
                };
                let mut buffered = Buffered::new(&mut sink, &mut buffer, false, &Limits::DEFAULT);
                buffered.repeat(b'\t', text.as_bytes(), count as u64);
                buffered.flush();
                assert!(sunk == expected.as_bytes(), "{count} times {text:?}");
            }
        }
    }
}

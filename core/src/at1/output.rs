//! Output of decoded bytes: to a slice, to a sink through a buffer, or as a count.
//!
//! Codecs append whole fields and lines, so that wide copies fill a slice. Bytes of the slice after
//! the last written one may hold the rest of such a copy.

use super::streams::lines::line_len;
use crate::bits::u64_at;
use crate::checksum::Sha256;
use crate::num::{copy, index, u64_from};
use crate::{Error, ErrorKind, Limits, Result, Sink, tuning};

/// Bytes hashed at a time, while the cache still holds them. The buffer of a sink is shorter.
const HASH_STEP: usize = 32 << 10;

/// Bytes after its own that a copy may overwrite.
pub(crate) const SLACK: usize = 32;

/// An output that codecs append to.
///
/// After a refusal, an output drops all bytes, so that codecs append without checking. They test
/// [`is_full`](Self::is_full) once a line. The door returns the [`refusal`](Self::refusal), which
/// precedes any fault that the codec meets later.
///
/// # Contract of the hot path
///
/// Every byte of output goes through [`put`](Self::put), [`put_line`](Self::put_line),
/// [`put_short`](Self::put_short) or [`byte`](Self::byte). They must stay small enough to be
/// inlined, and must return nothing that callers would test. Bytes that do not fit in `dst` take
/// one cold call, which counts, flushes or refuses them. Add nothing before that call.
/// Measurements: `docs/tried/at1.md`.
pub(crate) struct Output<'a> {
    /// The slice or the buffer of a sink, up to the limit. Empty after a refusal, or if bytes are
    /// only counted.
    dst: &'a mut [u8],
    at: usize,
    /// Bytes that left `dst` or were only counted.
    passed: u64,
    sink: Option<&'a mut dyn Sink>,
    /// The limit of a sink or a count. 0 for a slice, which takes only what fits.
    max: u64,
    /// The error for bytes that are refused.
    kind: ErrorKind,
    hash: Option<Sha256>,
    /// Bytes of `dst` that are hashed, and the length from which on more will be.
    hashed: usize,
    hash_at: usize,
    refusal: Option<Error>,
}

impl<'a> Output<'a> {
    /// Returns an output that fills `dst` up to the limit.
    pub(crate) fn slice(dst: &'a mut [u8], hash: bool, limits: &Limits) -> Self {
        Self::new(dst, None, None, hash, limits)
    }

    /// Returns an output that counts bytes and keeps none.
    pub(crate) fn counting(limits: &Limits) -> Self {
        Self::new(&mut [], None, Some(u64_from(index(limits.max_output))), false, limits)
    }

    /// Returns an output that calls `sink` if `buffer` is full, and on [`flush`](Self::flush).
    pub(crate) fn sink(sink: &'a mut dyn Sink, buffer: &'a mut [u8], hash: bool, limits: &Limits) -> Self {
        Self::new(buffer, Some(sink), Some(limits.max_output), hash, limits)
    }

    #[inline]
    fn new(dst: &'a mut [u8], sink: Option<&'a mut dyn Sink>, max: Option<u64>, hash: bool, limits: &Limits) -> Self {
        let len = dst.len();
        let dst = dst.get_mut(..index(limits.max_output).min(len)).unwrap_or_default();
        let is_limited = max.is_some() || dst.len() < len;
        let kind = if is_limited { ErrorKind::OutputLimit } else { ErrorKind::OutputTooSmall };
        let hash_at = if hash { HASH_STEP } else { usize::MAX };
        let (max, hash) = (max.unwrap_or(0), hash.then(Sha256::new));
        Self { dst, at: 0, passed: 0, sink, max, kind, hash, hashed: 0, hash_at, refusal: None }
    }

    /// Appends these bytes.
    #[inline]
    pub(crate) fn put(&mut self, bytes: &[u8]) {
        let end = self.at.saturating_add(bytes.len());
        match self.dst.get_mut(self.at..end) {
            Some(place) => copy(bytes, place),
            None => return self.spill(bytes),
        }
        self.advance(bytes.len());
    }

    /// Appends `text` up to its first line feed, or all of it. Returns the number of bytes.
    #[inline]
    pub(crate) fn put_line(&mut self, text: &[u8]) -> usize {
        if !tuning::LEAN
            && let Some(from) = text.first_chunk::<16>()
            && let Some(to) = self.dst.get_mut(self.at..).and_then(<[u8]>::first_chunk_mut)
        {
            *to = *from;
            let len = first_line_feed(*from);
            if len < 16 {
                self.advance(len);
                return len;
            }
        }
        self.long_line(text)
    }

    /// Appends a line of any length.
    #[cfg_attr(not(feature = "small"), inline(never))]
    fn long_line(&mut self, text: &[u8]) -> usize {
        if let Some(len) = wide_line(text, self.dst.get_mut(self.at..).unwrap_or_default()) {
            self.advance(len);
            return len;
        }
        let len = line_len(text);
        self.put(text.get(..len).unwrap_or(text));
        len
    }

    /// Appends the first `len` of these bytes.
    #[inline]
    pub(crate) fn put_short<const N: usize>(&mut self, bytes: &[u8; N], len: usize) {
        match self.dst.get_mut(self.at..).and_then(<[u8]>::first_chunk_mut) {
            Some(place) => *place = *bytes,
            None => return self.put(bytes.get(..len).unwrap_or(bytes)),
        }
        self.advance(len.min(N));
    }

    /// Appends one byte.
    #[inline]
    pub(crate) fn byte(&mut self, byte: u8) {
        match self.dst.get_mut(self.at) {
            Some(place) => *place = byte,
            None => return self.spill(&[byte]),
        }
        self.at = self.at.saturating_add(1);
    }

    /// Appends a byte and `text`, `count` times. Refuses at once if that exceeds the limit.
    pub(crate) fn repeat(&mut self, before: u8, text: &[u8], mut count: u64) {
        let unit = text.len().saturating_add(1);
        let all = count.saturating_mul(u64_from(unit));
        let fits = self.dst.get(self.at..).is_some_and(|left| all <= u64_from(left.len()));
        if !fits && !self.admit(all) {
            return;
        }
        if !fits && self.sink.is_none() {
            self.passed = self.passed.saturating_add(all);
            return;
        }
        // Writes many at a time: a file of a hundred bytes can ask for gigabytes of them.
        const PIECE: usize = 128;
        let fit = u64_from(PIECE.checked_div(unit).unwrap_or(0));
        if fit > 1 && count >= fit && !tuning::LEAN {
            let (mut several, mut len) = ([before; PIECE], 0usize);
            for one in several.chunks_exact_mut(unit) {
                copy(text, one.get_mut(1..).unwrap_or_default());
                len = len.saturating_add(unit);
            }
            let several = several.get(..len).unwrap_or_default();
            while count >= fit && !self.is_full() {
                self.put(several);
                count = count.saturating_sub(fit);
            }
        }
        for _ in 0..count {
            if self.is_full() {
                return;
            }
            self.byte(before);
            self.put(text);
        }
    }

    /// Appends at most `most` bytes. `write` gets a slice that is longer by [`SLACK`], and returns
    /// how many it wrote. Returns `None`, without a call, if there is no such slice.
    #[inline]
    pub(crate) fn append_at_most<R>(&mut self, most: u64, write: impl FnOnce(&mut [u8]) -> (usize, R)) -> Option<R> {
        let left = self.dst.get_mut(self.at..).unwrap_or_default();
        if most.saturating_add(u64_from(SLACK)) > u64_from(left.len()) {
            return None;
        }
        let (len, result) = write(left);
        self.advance(len);
        Some(result)
    }

    /// Returns whether `len` bytes can be appended that do not fit in a slice, but do go to a sink
    /// or are only counted.
    pub(crate) fn passes_on(&self, len: u64) -> bool {
        !self.is_full() && self.written().saturating_add(len) <= self.max
    }

    /// Returns whether bytes go to a sink, which [`fill`](Self::fill) cannot write to.
    pub(crate) const fn has_sink(&self) -> bool {
        self.sink.is_some()
    }

    /// Appends `len` bytes that `fill` writes in place.
    pub(crate) fn fill(&mut self, len: u64, fill: impl FnOnce(&mut [u8]) -> Result<()>) -> Result<()> {
        let end = u64_from(self.at).saturating_add(len);
        if let Some(place) = self.dst.get_mut(self.at..index(end)) {
            fill(place)?;
            self.advance(index(len));
        } else if self.admit(len) {
            self.passed = self.passed.saturating_add(len);
        }
        Ok(())
    }

    /// Returns whether bytes were refused.
    #[inline]
    pub(crate) const fn is_full(&self) -> bool {
        self.refusal.is_some()
    }

    /// Returns the refusal, if there was one.
    pub(crate) const fn refusal(&self) -> Option<Error> {
        self.refusal
    }

    /// Returns the number of bytes appended.
    pub(crate) fn written(&self) -> u64 {
        self.passed.saturating_add(u64_from(self.at))
    }

    /// Returns the hash of all bytes, if one was requested.
    #[inline(never)]
    pub(crate) fn hash(&mut self) -> Option<[u8; 32]> {
        self.flush();
        self.hash_up();
        self.hash.as_ref().map(Sha256::value)
    }

    /// Passes the bytes of the buffer to the sink.
    pub(crate) fn flush(&mut self) {
        if self.sink.is_none() {
            return;
        }
        let buffer = core::mem::take(&mut self.dst);
        let filled = core::mem::take(&mut self.at);
        self.pass(buffer.get(..filled).unwrap_or_default());
        let left = if self.is_full() { 0 } else { self.max.saturating_sub(self.passed) };
        let len = buffer.len().min(index(left));
        self.dst = buffer.get_mut(..len).unwrap_or_default();
    }

    #[inline]
    fn advance(&mut self, len: usize) {
        self.at = self.at.saturating_add(len);
        if self.at >= self.hash_at {
            self.hash_up();
        }
    }

    /// Hashes the bytes of a slice that are not hashed yet.
    #[cold]
    fn hash_up(&mut self) {
        if let Some(hash) = &mut self.hash {
            hash.update(self.dst.get(self.hashed..self.at).unwrap_or_default());
            self.hashed = self.at;
            self.hash_at = self.at.saturating_add(HASH_STEP);
        }
    }

    /// Counts, passes on or refuses bytes that do not fit in `dst`.
    #[cold]
    #[inline(never)]
    fn spill(&mut self, bytes: &[u8]) {
        if !self.admit(u64_from(bytes.len())) {
            return;
        }
        self.flush();
        if self.is_full() {
            return;
        }
        match self.dst.get_mut(..bytes.len()) {
            Some(place) => {
                copy(bytes, place);
                self.at = bytes.len();
            }
            None => self.pass(bytes),
        }
    }

    /// Passes bytes to the sink, or only counts them.
    fn pass(&mut self, bytes: &[u8]) {
        if let Some(sink) = self.sink.as_mut().filter(|_| !bytes.is_empty()) {
            if let Some(hash) = &mut self.hash {
                hash.update(bytes);
            }
            if let Err(error) = sink.write(bytes) {
                self.refusal.get_or_insert(error);
            }
        }
        self.passed = self.passed.saturating_add(u64_from(bytes.len()));
    }

    /// Refuses `len` bytes that do not fit in `dst` unless a limit allows them. Keeps the first
    /// refusal.
    #[cold]
    fn admit(&mut self, len: u64) -> bool {
        let need = self.written().saturating_add(len);
        if need > self.max && !self.is_full() {
            self.refusal = Some(Error::new(self.kind, 0).needing(need));
            // A sink still gets the bytes before.
            self.flush();
            self.dst = &mut [];
        }
        !self.is_full()
    }
}

/// Copies a line in pieces of 16 bytes and searches them for the line feed. Returns `None` if one
/// of the slices ends too soon; the copied bytes are garbage then.
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

/// Returns the number of bytes before the first line feed of 16.
#[inline]
pub(crate) fn first_line_feed(bytes: [u8; 16]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    // A byte of the result is 0x80 if the byte is a line feed. Bytes above the first may be wrong
    // from a carry.
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & (ONES << 7);
    let [low, high] = [0, 8].map(|half| zeros(u64_at(&bytes, half) ^ (ONES * 10)).trailing_zeros() >> 3);
    // Without a branch, which lines of mixed lengths would mispredict: `high` counts if `low` is 8.
    (low + (high & (low >> 3).wrapping_neg())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Output<'_> {
        /// Returns the text that `write` appends.
        pub(crate) fn printed(write: impl Fn(&mut Output<'_>)) -> String {
            let mut room = [0; 64];
            let mut out = Output::slice(&mut room, false, &Limits::DEFAULT);
            write(&mut out);
            let len = index(out.written());
            String::from_utf8(room[..len].to_vec()).unwrap()
        }
    }

    #[test]
    fn finds_the_first_line_feed_of_sixteen_bytes() {
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
        fn run(out: &mut Output<'_>, text: &[u8]) -> u64 {
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
        let mut counter = Output::counting(&Limits::DEFAULT);
        let len = run(&mut counter, &text) as usize;
        let mut exact = vec![0; len];
        let mut slice = Output::slice(&mut exact, true, &Limits::DEFAULT);
        run(&mut slice, &text);
        let hash = slice.hash();
        let mut collected = vec![];
        let mut sink = |bytes: &[u8]| {
            collected.extend_from_slice(bytes);
            Ok(())
        };
        let mut buffer = [0; 4 << 10];
        let mut buffered = Output::sink(&mut sink, &mut buffer, true, &Limits::DEFAULT);
        run(&mut buffered, &text);
        assert_eq!(buffered.hash(), hash);
        assert_eq!((hash, &collected), (Some(Sha256::of(&exact)), &exact));
    }

    #[test]
    fn the_first_refusal_stays_and_names_the_limit_or_the_slice() {
        let limits = Limits { max_output: 3, ..Limits::DEFAULT };
        let mut room = [0; 4];
        let why = |out: &Output<'_>| out.refusal().map(|error| (error.kind, error.need));
        let mut slice = Output::slice(&mut room, false, &limits);
        slice.put(b"abcd");
        assert_eq!(why(&slice), Some((ErrorKind::OutputLimit, 4)));
        let mut slice = Output::slice(&mut room, false, &Limits::DEFAULT);
        slice.put(b"abc");
        assert_eq!((slice.is_full(), why(&slice)), (false, None));
        slice.put(b"de");
        slice.byte(b'd');
        slice.put_short(b"d", 1);
        assert_eq!((slice.put_line(b"d\n"), slice.written()), (1, 3), "what would fit is dropped as well");
        assert_eq!((slice.is_full(), why(&slice)), (true, Some((ErrorKind::OutputTooSmall, 5))));
        let mut counter = Output::counting(&limits);
        counter.put(b"ab");
        counter.repeat(b';', b"", 1);
        assert_eq!((counter.written(), counter.hash(), counter.is_full()), (3, None, false));
        counter.put(b"");
        assert_eq!(why(&counter), None);
        counter.repeat(b';', b"text", u64::MAX);
        assert_eq!(why(&counter), Some((ErrorKind::OutputLimit, u64::MAX)));
        assert_eq!((counter.fill(1, |_| Ok(())), counter.written()), (Ok(()), 3));
    }

    #[test]
    fn a_refusing_sink_is_not_called_again_and_a_limit_keeps_earlier_bytes() {
        let (mut buffer, mut calls) = ([0; 4], 0);
        let refusal = Error::new(ErrorKind::SinkFull, 7);
        let mut sink = |_: &[u8]| {
            calls += 1;
            Err(refusal)
        };
        let mut out = Output::sink(&mut sink, &mut buffer, false, &Limits::DEFAULT);
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
        let mut out = Output::sink(&mut sink, &mut buffer, false, &Limits { max_output: 3, ..Limits::DEFAULT });
        out.put(b"ab");
        out.put(b"cd");
        out.put(b"e");
        out.flush();
        assert_eq!(out.refusal(), Some(Error::new(ErrorKind::OutputLimit, 0).needing(4)));
        assert_eq!(sunk, b"ab");
    }

    #[test]
    fn repeats_text_of_any_length_any_number_of_times() {
        for text in ["", "a", "0|0", "0|0:12", &"x".repeat(63), &"y".repeat(64), &"z".repeat(200)] {
            for count in [0, 1, 2, 31, 32, 33, 127, 128, 129, 1000] {
                let expected = format!("\t{text}").repeat(count);
                let (mut room, mut buffer) = (vec![0; expected.len()], [0; 300]);
                let mut slice = Output::slice(&mut room, false, &Limits::DEFAULT);
                slice.repeat(b'\t', text.as_bytes(), count as u64);
                assert_eq!(slice.written(), expected.len() as u64);
                assert!(room == expected.as_bytes(), "{count} times {text:?}");
                let mut sunk = vec![];
                let mut sink = |bytes: &[u8]| {
                    sunk.extend_from_slice(bytes);
                    Ok(())
                };
                let mut buffered = Output::sink(&mut sink, &mut buffer, false, &Limits::DEFAULT);
                buffered.repeat(b'\t', text.as_bytes(), count as u64);
                buffered.flush();
                assert!(sunk == expected.as_bytes(), "{count} times {text:?}");
            }
        }
    }
}

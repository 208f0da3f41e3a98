//! The set of streams in a body: a name, a backend and a payload each.
//!
//! A set starts with the number of streams. Each stream is the length of its name, its name, its
//! backend, the length of its payload, and the payload. No index is kept: a codec finds all streams
//! that it reads in one walk over the set.

pub(crate) mod lines;
pub(crate) mod numbers;
pub(crate) mod record;
pub(crate) mod texts;

#[cfg(feature = "threads")]
use alloc::vec::Vec;
use core::ops::Range;

use self::numbers::Stream;
use crate::at1::backend::{Backend, XZ_FIRST_BYTE, inside};
use crate::at1::scratch::{Lent, Workspace};
use crate::bits::{MAX_VARINT_LEN, read_varint};
use crate::num::{index, u64_from};
use crate::steps;
#[cfg(feature = "threads")]
use crate::threads::in_order;
use crate::trace::Shifted;
use crate::{Class, Error, ErrorKind, Limits, Name, Part, Result, Trace, Value};

/// The two layouts of a payload.
///
/// The older layout has no backend byte and is always xz. An xz file has at least 32 bytes and
/// starts with `FD`, so that neither its length nor its first byte looks like the backends 0, 1 and
/// 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrapping {
    /// Without a backend byte: the first version of the format.
    Plain,
    /// With a backend byte: current files.
    Tagged,
}

/// A stream of a set, as its header describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// Its name.
    pub name: &'a [u8],
    /// The layout of its payload.
    pub wrapping: Wrapping,
    /// The compression of its payload.
    pub backend: Backend,
    /// Offset of its header in the file.
    pub at: u64,
    /// Offset of its payload in the file.
    pub start: u64,
    /// Length of its payload.
    pub len: u64,
    /// The file or its head.
    file: &'a [u8],
}

impl<'a> Entry<'a> {
    /// No stream.
    pub(crate) const NONE: Self =
        Entry { name: b"", wrapping: Wrapping::Plain, backend: Backend::Stored, at: 0, start: 0, len: 0, file: b"" };

    /// Returns the range of its payload in the file.
    pub const fn range(&self) -> Range<u64> {
        self.start..self.start.saturating_add(self.len)
    }

    /// Reads the backend of a payload without a length, as in raw files and frames.
    pub(crate) fn unnamed(src: &'a [u8], body: Range<u64>) -> Result<Self> {
        let (wrapping, backend, start) = match src.get(index(body.start)..index(body.end)).and_then(<[u8]>::first) {
            None if body.end < u64_from(src.len()) => return Err(Error::new(ErrorKind::At1ContentSize, body.start)),
            None => return Err(Error::new(ErrorKind::Truncated, body.start).needing(body.start.saturating_add(1))),
            Some(&XZ_FIRST_BYTE) => (Wrapping::Plain, Backend::Xz, body.start),
            Some(&byte) => {
                let backend = Backend::of(byte).ok_or(Error::new(ErrorKind::At1Backend, body.start))?;
                (Wrapping::Tagged, backend, body.start.saturating_add(1))
            }
        };
        Ok(Entry {
            name: b"",
            wrapping,
            backend,
            at: body.start,
            start,
            len: body.end.saturating_sub(start),
            file: src,
        })
    }

    /// Returns its payload. If only a head of the file is at hand, the error says how long the head
    /// must be.
    pub fn payload(&self) -> Result<&'a [u8]> {
        let Range { start, end } = self.range();
        let cut = || Error::new(ErrorKind::Truncated, u64_from(self.file.len())).needing(end);
        self.file.get(index(start)..index(end)).ok_or_else(cut)
    }

    /// Returns the decoded size that it declares.
    pub fn decoded_size(&self, limits: &Limits) -> Result<u64> {
        self.backend.decoded_size(self.payload()?, limits).map_err(|error| self.locate(error))
    }

    /// Decodes it. The content must fill `dst` exactly.
    pub fn decode(&self, dst: &mut [u8], workspace: &mut Workspace, limits: &Limits) -> Result<()> {
        self.backend.decode(self.payload()?, dst, workspace, limits).map_err(|error| self.locate(error))
    }

    /// Moves an error in the payload to the file. A payload without a length ends with the file,
    /// and may be cut with it.
    #[cold]
    fn locate(&self, error: Error) -> Error {
        // Otherwise at least the lengths of name and payload come before it.
        let bare = self.start.saturating_sub(self.at) < 2;
        if bare { error.offset_by(self.start) } else { inside(error, self.start) }
    }

    /// Decodes it into `size` bytes of the scratch, as [`scratch_len`](Self::scratch_len) returned.
    /// Borrows a stored stream from the file.
    pub(crate) fn load(&self, size: u64, lent: &mut Lent<'_, 'a>) -> Result<Stream<'a>> {
        if self.backend == Backend::Stored {
            return Ok(Stream::new(self.payload()?, self.start, true));
        }
        let dst = lent.scratch.take(size)?;
        self.decode(dst, lent.workspace, lent.limits)?;
        Ok(Stream::new(dst, self.start, false))
    }

    /// Returns the error of a payload that declares no size. In xz the size is at the end, where a
    /// cut file has other bytes. A walk from the front finds that it was cut.
    #[cold]
    #[inline(never)]
    pub(crate) fn broken(&self, error: Error, lent: &mut Lent<'_, '_>) -> Error {
        if cfg!(feature = "at1")
            && self.backend == Backend::Xz
            && error.class() != Class::Limit
            && let Ok(payload) = self.payload()
            && let Err(error) = self.backend.inspect(payload, lent.workspace, lent.limits, &mut ())
        {
            return error.offset_by(self.start);
        }
        error
    }

    /// Returns the scratch that [`load`](Self::load) takes.
    pub(crate) fn scratch_len(&self, limits: &Limits) -> Result<u64> {
        match self.backend {
            Backend::Stored => self.payload().map(|_| 0),
            _ => self.decoded_size(limits),
        }
    }

    /// Emits the backend byte and a payload without a name.
    pub(crate) fn trace_unnamed<T: Trace>(
        &self,
        workspace: &mut Workspace,
        limits: &Limits,
        trace: &mut T,
    ) -> Result<()> {
        if self.wrapping == Wrapping::Tagged {
            trace.bytes(Part::Header, Name::Backend, self.at..self.start, Value::Word(self.backend.name()));
        }
        self.trace(true, workspace, limits, trace)
    }

    /// Emits the payload. Emits its parts only if the codec `reads` it: newer writers may add
    /// streams of any kind.
    fn trace<T: Trace>(&self, reads: bool, workspace: &mut Workspace, limits: &Limits, trace: &mut T) -> Result<()> {
        if !reads {
            trace.bytes(Part::Data, Name::Payload, self.range(), Value::Word(self.backend.name()));
            return Ok(());
        }
        trace.enter(Name::Payload, Value::Word(self.backend.name()));
        let mut inside = Shifted::new(trace, self.start.saturating_mul(8));
        let inspected = self.backend.inspect(self.payload()?, workspace, limits, &mut inside);
        inspected.map_err(|error| self.locate(error))?;
        trace.leave();
        Ok(())
    }
}

/// A set of streams in a file, or the start of one.
#[derive(Clone, Copy, Debug)]
pub struct Set<'a> {
    src: &'a [u8],
    start: u64,
    first: u64,
    end: u64,
    count: u64,
}

impl<'a> Set<'a> {
    /// Opens the set that starts at byte `start` and ends before `end`, or `u64::MAX` if the end is
    /// unknown. `src` is the file or its head. An error of the class `Truncated` says how long the
    /// head must be.
    pub fn open(src: &'a [u8], start: u64, end: u64, limits: &Limits) -> Result<Self> {
        let (count, first) = varint(src, start, end)?;
        if count > limits.max_elements {
            return Err(Error::new(ErrorKind::ElementLimit, start).needing(count));
        }
        Ok(Self { src, start, first, end, count })
    }

    /// Returns the file.
    pub(crate) const fn src(&self) -> &'a [u8] {
        self.src
    }

    /// Returns the number of streams.
    pub const fn len(&self) -> u64 {
        self.count
    }

    /// Returns whether it has no streams.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the streams in file order.
    pub const fn entries(&self) -> Entries<'a> {
        Entries { src: self.src, at: self.first, end: self.end, left: self.count }
    }

    /// Reads all entries, and checks that the last one ends with the set.
    pub(crate) fn check(&self) -> Result<()> {
        let (mut entries, mut entry) = (self.entries(), Entry::NONE);
        while entries.read(&mut entry)? {}
        self.ends_at(entries.at)
    }

    /// Checks that the last entry ends with the set.
    fn ends_at(&self, end: u64) -> Result<()> {
        if end == self.end { Ok(()) } else { Err(Error::new(ErrorKind::At1Trailing, end)) }
    }

    /// Emits and checks all entries.
    pub(crate) fn trace<T: Trace>(
        &self,
        reads: impl Fn(&[u8]) -> bool,
        workspace: &mut Workspace,
        limits: &Limits,
        trace: &mut T,
    ) -> Result<()> {
        trace.bytes(Part::Framing, Name::StreamCount, self.start..self.first, Value::U64(self.count));
        for entry in self.entries() {
            let entry = entry?;
            let name = core::str::from_utf8(entry.name).map_or(Value::Bytes(entry.name), Value::Text);
            let (len, name_at) = varint(self.src, entry.at, self.end)?;
            let tag_at = name_at.saturating_add(len);
            let len_at = tag_at.saturating_add(u64::from(entry.wrapping == Wrapping::Tagged));
            trace.enter(Name::Stream, name);
            trace.bytes(Part::Framing, Name::NameLength, entry.at..name_at, Value::U64(len));
            trace.bytes(Part::Header, Name::Name, name_at..tag_at, name);
            if tag_at < len_at {
                trace.bytes(Part::Header, Name::Backend, tag_at..len_at, Value::Word(entry.backend.name()));
            }
            trace.bytes(Part::Framing, Name::PayloadLength, len_at..entry.start, Value::U64(entry.len));
            entry.trace(reads(entry.name), workspace, limits, trace)?;
            trace.leave();
        }
        self.check()
    }

    /// Returns the stream of this name, if it exists. A duplicate name is an error.
    pub fn find(&self, name: &[u8]) -> Result<Option<Entry<'a>>> {
        let mut found = None;
        for entry in self.entries() {
            let entry = entry?;
            if entry.name == name && found.replace(entry).is_some() {
                return Err(Error::new(ErrorKind::At1StreamTwice, entry.at));
            }
        }
        Ok(found)
    }

    /// Checks the set, decodes the streams of these names and passes them to `open`. A missing
    /// stream is empty.
    pub(crate) fn load<const N: usize, T>(
        &self,
        names: &[&[u8]; N],
        lent: &mut Lent<'_, 'a>,
        open: impl FnOnce(&[Stream<'a>; N], &mut Lent<'_, 'a>) -> Result<T>,
    ) -> Result<T> {
        let mut streams = [self.missing(); N];
        self.load_into(names, &mut streams, lent)?;
        open(&streams, lent)
    }

    /// Finds and decodes the streams of these names.
    pub(crate) fn load_into<const N: usize>(
        &self,
        names: &[&[u8]],
        streams: &mut [Stream<'a>; N],
        lent: &mut Lent<'_, 'a>,
    ) -> Result<()> {
        self.find_all(names, streams)?;
        self.load_found(streams, lent)
    }

    /// Records the offsets of the entries of these names, and [checks](Self::check) the set, in one
    /// walk. An error of any entry precedes a duplicate name.
    #[inline(never)]
    fn find_all(&self, names: &[&[u8]], streams: &mut [Stream<'a>]) -> Result<()> {
        streams.fill(self.missing());
        let (mut entries, mut entry, mut twice) = (self.entries(), Entry::NONE, None);
        while entries.read(&mut entry)? {
            let place = names.iter().position(|&name| name == entry.name);
            match place.and_then(|place| streams.get_mut(place)) {
                Some(stream) if self.is_found(stream) => twice = twice.or(Some(entry.at)),
                Some(stream) => *stream = Stream::found(entry.at),
                None => {}
            }
        }
        self.ends_at(entries.at)?;
        twice.map_or(Ok(()), |at| Err(Error::new(ErrorKind::At1StreamTwice, at)))
    }

    /// Returns the placeholder of a missing stream: empty, at the start of the set.
    pub(crate) fn missing(&self) -> Stream<'a> {
        Stream::new(b"", self.start, false)
    }

    /// Returns whether a stream was found. A found entry starts after the start of the set.
    fn is_found(&self, stream: &Stream<'_>) -> bool {
        stream.place(0) > index(self.start)
    }

    /// Reads the entry of a stream, if it was found. Returns whether it was.
    fn entry(&self, stream: &Stream<'_>, entry: &mut Entry<'a>) -> Result<bool> {
        let is_found = self.is_found(stream);
        if is_found {
            Entries { at: u64_from(stream.place(0)), ..self.entries() }.here(entry)?;
        }
        Ok(is_found)
    }

    /// Decodes the streams that were found. Those that are not stored take scratch in order, which
    /// [`ends`](record::ends) relies on.
    pub(crate) fn load_found<const N: usize>(
        &self,
        streams: &mut [Stream<'a>; N],
        lent: &mut Lent<'_, 'a>,
    ) -> Result<()> {
        const { assert!(N <= MAX_STREAMS) };
        self.load_each(streams, lent)
    }

    /// Does the same for any number of streams, so that this code is not repeated per `N`.
    #[inline(never)]
    fn load_each(&self, streams: &mut [Stream<'a>], lent: &mut Lent<'_, 'a>) -> Result<()> {
        // Each size is read once: an xz file has it at its end, after three checksums.
        let mut sizes = [0usize; MAX_STREAMS];
        let (mut total, mut entry) = (0u64, Entry::NONE);
        for (stream, size) in streams.iter().zip(&mut sizes) {
            if !self.entry(stream, &mut entry)? {
                continue;
            }
            let len = entry.scratch_len(lent.limits)?;
            (*size, total) = (index(len), total.saturating_add(len));
            if total > lent.limits.max_output {
                return Err(Error::new(ErrorKind::OutputLimit, entry.at).needing(total));
            }
        }
        lent.scratch.expect(total)?;
        #[cfg(feature = "threads")]
        if let Some(threads) = lent.workspace.threads
            && total >= MIN_TOTAL
        {
            return self.load_on_threads(streams, &sizes, lent, threads);
        }
        for (stream, size) in streams.iter_mut().zip(sizes) {
            if self.entry(stream, &mut entry)? {
                *stream = entry.load(u64_from(size), lent)?;
            }
        }
        Ok(())
    }

    /// Does the same on several threads, once the scratch is known to suffice. The first error in
    /// the order of the streams is the one of a single thread.
    #[cfg(feature = "threads")]
    fn load_on_threads(
        &self,
        streams: &mut [Stream<'a>],
        sizes: &[usize],
        lent: &mut Lent<'_, 'a>,
        threads: core::num::NonZeroUsize,
    ) -> Result<()> {
        let Lent { scratch, limits, .. } = lent;
        let limits = *limits;
        let mut places = Vec::new();
        let found = streams.iter().map(|stream| {
            let mut entry = Entry::NONE;
            self.entry(stream, &mut entry).map(|is_found| is_found.then_some(entry))
        });
        let found = found.zip(sizes).enumerate();
        let entries = found.filter_map(|(place, (entry, &size))| match entry {
            Ok(None) => None,
            Ok(Some(entry)) if entry.backend == Backend::Stored => Some(Ok((place, entry, None))),
            Ok(Some(entry)) => {
                let dst = scratch.take(u64_from(size)).map_err(Error::from);
                Some(dst.map(|dst| (place, entry, Some(dst))))
            }
            Err(error) => Some(Err(error)),
        });
        let decode = |workspace: &mut Workspace, (place, entry, dst): (usize, Entry<'a>, Option<&'a mut [u8]>)| {
            let Some(dst) = dst else { return Ok((place, Stream::new(entry.payload()?, entry.start, true))) };
            entry.decode(dst, workspace, limits)?;
            Ok((place, Stream::new(dst, entry.start, false)))
        };
        in_order(threads, entries, Workspace::new, decode, |loaded| {
            places.push(loaded);
            Ok(())
        })?;
        for (place, loaded) in places {
            if let Some(stream) = streams.get_mut(place) {
                *stream = loaded;
            }
        }
        Ok(())
    }
}

/// The most streams that a codec loads at once.
const MAX_STREAMS: usize = 13;

/// The least bytes of decoded streams that are worth starting threads.
#[cfg(feature = "threads")]
const MIN_TOTAL: u64 = 1 << 16;

/// The shortest entry: a length, a backend and a length.
const MIN_ENTRY: u64 = 3;

/// Iterates over the streams of a set.
#[derive(Clone, Debug)]
pub struct Entries<'a> {
    src: &'a [u8],
    at: u64,
    end: u64,
    left: u64,
}

impl<'a> Entries<'a> {
    /// Returns the offset of the next entry, or the end of the set.
    pub const fn position(&self) -> u64 {
        self.at
    }

    /// Reads the entry that starts here.
    #[inline(never)]
    fn here(&self, entry: &mut Entry<'a>) -> Result<()> {
        let (name_len, name_at) = varint(self.src, self.at, self.end)?;
        let tag_at = name_at.saturating_add(name_len);
        if tag_at >= self.end {
            return Err(self.outside(tag_at.saturating_add(1)));
        }
        let cut = || truncated(self.src, tag_at + 1);
        let name = self.src.get(index(name_at)..index(tag_at)).ok_or_else(cut)?;
        let tag = self.src.get(index(tag_at)).copied().ok_or_else(cut)?;
        let (wrapping, backend, len_at) = match Backend::of(tag) {
            Some(backend) => (Wrapping::Tagged, backend, tag_at + 1),
            None => (Wrapping::Plain, Backend::Xz, tag_at),
        };
        let (len, start) = varint(self.src, len_at, self.end)?;
        // Without a backend, the payload is a whole file of xz. An unknown backend is no length of
        // one.
        let is_xz = len >= 32 && len % 4 == 0 && self.src.get(index(start)).is_none_or(|&first| first == 0xFD);
        if wrapping == Wrapping::Plain && !is_xz {
            return Err(Error::new(ErrorKind::At1Backend, tag_at));
        }
        if len > self.end.saturating_sub(start) {
            return Err(self.outside(start.saturating_add(len)));
        }
        *entry = Entry { name, wrapping, backend, at: self.at, start, len, file: self.src };
        Ok(())
    }

    /// Reads the next entry. Returns whether there was one. None follows an error.
    fn read(&mut self, entry: &mut Entry<'a>) -> Result<bool> {
        let left = self.left;
        if left == 0 {
            return Ok(false);
        }
        steps::count(1);
        self.left = 0;
        match self.here(entry) {
            Ok(()) => {
                (self.at, self.left) = (entry.range().end, left - 1);
                Ok(true)
            }
            // Asks for the remaining entries at once: a caller that fetches the head in pieces must
            // not come back for each small entry.
            Err(error) if error.kind == ErrorKind::Truncated => {
                Err(error.needing(error.need.max(self.at.saturating_add(left.saturating_mul(MIN_ENTRY)))))
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the error of an entry that passes the end of the set. If the file ends there too, it
    /// was cut.
    #[cold]
    #[inline(never)]
    fn outside(&self, need: u64) -> Error {
        if self.end == u64_from(self.src.len()) {
            return truncated(self.src, need);
        }
        Error::new(ErrorKind::At1StreamOutside, self.at).needing(need)
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = Result<Entry<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut entry = Entry::NONE;
        self.read(&mut entry).map(|is_entry| is_entry.then_some(entry)).transpose()
    }
}

/// Returns the error of a head that must be longer.
#[cold]
fn truncated(src: &[u8], need: u64) -> Error {
    Error::new(ErrorKind::Truncated, u64_from(src.len())).needing(need)
}

/// Reads the varint at byte `at`, before `end`. Returns the value and its end.
///
/// Not through [`Fields`](crate::fields::Fields): a set or a frame may end before the slice or
/// after it, and a number that crosses each end has an error of its own.
pub(crate) fn varint(src: &[u8], at: u64, end: u64) -> Result<(u64, u64)> {
    let known = src.get(..index(end)).unwrap_or(src);
    match read_varint(known.get(index(at)..).unwrap_or_default()) {
        Ok((value, len)) => Ok((value, at.saturating_add(u64_from(len)))),
        Err(Error { kind: ErrorKind::Truncated, .. }) if end < u64_from(src.len()) => {
            Err(Error::new(ErrorKind::At1StreamOutside, at))
        }
        Err(Error { kind: ErrorKind::Truncated, .. }) => {
            Err(truncated(known, at.saturating_add(u64_from(MAX_VARINT_LEN)).min(end.max(u64_from(known.len()) + 1))))
        }
        Err(error) => Err(error.offset_by(at)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Builds a set of two streams, one in each layout.
    fn file() -> Vec<u8> {
        let mut file = b"AT1\x02\x04\x02\x04meta\x02\x03abc\x05blobs\x20".to_vec();
        file.extend([XZ_FIRST_BYTE; 32]);
        file
    }

    #[test]
    fn reads_both_wrappings_in_one_set() {
        let file = file();
        let set = Set::open(&file, 5, file.len() as u64, &Limits::DEFAULT).unwrap();
        let entries: Vec<_> = set.entries().map(Result::unwrap).collect();
        assert_eq!(entries[0].range(), 13..16);
        assert_eq!((entries[0].backend, entries[0].wrapping), (Backend::Stored, Wrapping::Tagged));
        assert_eq!((entries[1].backend, entries[1].wrapping), (Backend::Xz, Wrapping::Plain));
        assert_eq!((entries[1].name, entries[1].range()), (&b"blobs"[..], 23..55));
        assert_eq!(set.find(b"blobs"), Ok(Some(entries[1])));
        assert_eq!(set.find(b"blob"), Ok(None));
    }

    #[test]
    fn the_head_of_a_file_grows_until_all_entries_are_known() {
        let file = file();
        let whole = Set::open(&file, 5, u64::MAX, &Limits::DEFAULT).unwrap();
        let expected: Vec<_> = whole.entries().map(Result::unwrap).collect();
        let mut have = 5;
        let mut rounds = 0;
        loop {
            let head = &file[..have];
            let entries = Set::open(head, 5, u64::MAX, &Limits::DEFAULT).and_then(|set| {
                set.entries().map(|entry| entry.map(|entry| entry.range())).collect::<Result<Vec<_>>>()
            });
            match entries {
                Ok(ranges) => {
                    assert_eq!(ranges, expected.iter().map(Entry::range).collect::<Vec<_>>());
                    break;
                }
                Err(error) => {
                    assert_eq!((error.kind, error.at), (ErrorKind::Truncated, have as u64));
                    assert!(error.need > have as u64);
                    have = file.len().min(error.need as usize);
                }
            }
            rounds += 1;
        }
        assert!(rounds > 0 && have < file.len(), "the last payload was not needed");
    }

    #[test]
    fn refuses_streams_outside_of_a_set_or_after_it_or_twice() {
        let good = file();
        let check = |file: &[u8]| {
            Set::open(file, 5, file.len() as u64, &Limits::DEFAULT).and_then(|set| {
                set.check()?;
                set.find(b"meta").map(|_| ())
            })
        };
        assert_eq!(check(&good), Ok(()));
        for cut in 5..good.len() {
            let error = check(&good[..cut]).unwrap_err();
            assert_eq!((error.kind, error.at), (ErrorKind::Truncated, cut as u64));
            assert!(error.need > cut as u64);
        }
        // Bytes after the set show that the file continues.
        let inside = Set::open(&good, 5, 54, &Limits::DEFAULT).and_then(|set| set.check());
        assert_eq!(inside, Err(Error::new(ErrorKind::At1StreamOutside, 16).needing(55)));
        let mut long = good.clone();
        long.push(0);
        assert_eq!(check(&long), Err(Error::new(ErrorKind::At1Trailing, 55)));
        let twice = b"AT1\x02\x04\x02\x04meta\x02\x00\x04meta\x02\x00";
        assert_eq!(check(twice), Err(Error::new(ErrorKind::At1StreamTwice, 13)));
    }
}

//! The set of streams that a file is packed into: a name, a backend and a payload each.
//!
//! A set is a number of streams, then for each of them the length of the name, the name, the backend, the length of the
//! payload, and the payload. Nothing is kept of it: who wants streams by name walks over the set, once for all of them.

pub(crate) mod lines;
pub(crate) mod numbers;
pub(crate) mod record;
pub(crate) mod texts;

use core::ops::Range;

use self::numbers::Stream;
use crate::at1::backend::{Backend, XZ_FIRST_BYTE, inside};
use crate::at1::scratch::{Lent, Workspace};
use crate::bits::{MAX_VARINT_LEN, read_varint};
use crate::num::{index, u64_from};
use crate::steps;
use crate::trace::Shifted;
use crate::{Class, Error, ErrorKind, Limits, Name, Part, Result, Trace, Value};

/// The two ways in which a payload was wrapped over the years.
///
/// The older has no backend byte: all is xz. An xz file has at least 32 bytes and starts with `FD`, so that neither the
/// length nor the first byte of such a payload can be taken for one of the backends 0, 1 and 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrapping {
    /// Without a backend byte, as the first description of the format has it.
    Plain,
    /// With a backend byte, as files have it today.
    Tagged,
}

/// A stream of a set, as its header describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// What it is called.
    pub name: &'a [u8],
    /// Whether it has a backend byte.
    pub wrapping: Wrapping,
    /// What the payload is compressed with.
    pub backend: Backend,
    /// Where its header starts in the file.
    pub at: u64,
    /// Where its payload starts in the file.
    pub start: u64,
    /// How long the payload is.
    pub len: u64,
    /// The file, or its head.
    file: &'a [u8],
}

impl<'a> Entry<'a> {
    /// Where its payload lies in the file.
    pub const fn range(&self) -> Range<u64> {
        self.start..self.start.saturating_add(self.len)
    }

    /// Where a payload starts that has no length before it: RAW files and frames. Says how it is wrapped, too.
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

    /// Its payload. If only a head of the file is at hand, an error says how long that must be.
    pub fn payload(&self) -> Result<&'a [u8]> {
        let Range { start, end } = self.range();
        let cut = || Error::new(ErrorKind::Truncated, u64_from(self.file.len())).needing(end);
        self.file.get(index(start)..index(end)).ok_or_else(cut)
    }

    /// How many bytes it says that it decodes to.
    pub fn decoded_size(&self, limits: &Limits) -> Result<u64> {
        self.backend.decoded_size(self.payload()?, limits).map_err(|error| self.locate(error))
    }

    /// Decodes it to exactly fill `dst`.
    pub fn decode(&self, dst: &mut [u8], workspace: &mut Workspace, limits: &Limits) -> Result<()> {
        self.backend.decode(self.payload()?, dst, workspace, limits).map_err(|error| self.locate(error))
    }

    /// Where in the file something is wrong with its payload. One without a length ends where the file does, and may have been cut with it.
    #[cold]
    fn locate(&self, error: Error) -> Error {
        // Else at least the lengths of name and payload stand between.
        let bare = self.start.saturating_sub(self.at) < 2;
        if bare { error.offset_by(self.start) } else { inside(error, self.start) }
    }

    /// Decodes it into the scratch, or borrows it from the file where nothing is to be decoded.
    pub(crate) fn load(&self, lent: &mut Lent<'_, 'a>) -> Result<Stream<'a>> {
        if self.backend == Backend::Stored {
            return Ok(Stream::new(self.payload()?, self.start, true));
        }
        let dst = lent.scratch.take(self.decoded_size(lent.limits)?)?;
        self.decode(dst, lent.workspace, lent.limits)?;
        Ok(Stream::new(dst, self.start, false))
    }

    /// What is wrong with it if it does not say how many bytes it decodes to, and then with this `error`. In xz that stands at the end, where a
    /// file that was cut has something else: read from the front, it is seen to be cut.
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

    /// The scratch that [`load`](Self::load) takes.
    pub(crate) fn scratch_len(&self, limits: &Limits) -> Result<u64> {
        match self.backend {
            Backend::Stored => self.payload().map(|_| 0),
            _ => self.decoded_size(limits),
        }
    }

    /// Emits a payload without a name, and its backend byte.
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

    /// Emits the payload: in parts if the codec `reads` it, because a stream of a newer writer may hold anything.
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
    /// Starts to read the set that begins at byte `start` of the file and ends before `end`, if anybody knows. `src` is the
    /// file or its head; an error of the class `Truncated` says how long the head must be to know more.
    pub fn open(src: &'a [u8], start: u64, end: u64, limits: &Limits) -> Result<Self> {
        let (count, first) = varint(src, start, end)?;
        if count > limits.max_elements {
            return Err(Error::new(ErrorKind::ElementLimit, start).needing(count));
        }
        Ok(Self { src, start, first, end, count })
    }

    /// The file.
    pub(crate) const fn src(&self) -> &'a [u8] {
        self.src
    }

    /// How many streams there are.
    pub const fn len(&self) -> u64 {
        self.count
    }

    /// Whether there are no streams.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The streams in the order of the file.
    pub const fn entries(&self) -> Entries<'a> {
        Entries { src: self.src, at: self.first, end: self.end, left: self.count }
    }

    /// Reads all entries once, and checks that the set ends where it must.
    pub(crate) fn check(&self) -> Result<()> {
        let mut end = self.first;
        for entry in self.entries() {
            end = entry?.range().end;
        }
        if end == self.end { Ok(()) } else { Err(Error::new(ErrorKind::At1Trailing, end)) }
    }

    /// Tells where everything in it lies, and checks it on the way.
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

    /// The stream of this name, if there is one. Two of them contradict each other.
    pub fn find(&self, name: &[u8]) -> Result<Option<Entry<'a>>> {
        let mut stream = self.missing();
        self.find_all(&[name], core::slice::from_mut(&mut stream))?;
        self.entry(&stream)
    }

    /// Decodes the streams of these names, and lends them to `open`; one that is not there is empty.
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

    /// The same for any number of names, so that there is one copy of it.
    pub(crate) fn load_into(&self, names: &[&[u8]], streams: &mut [Stream<'a>], lent: &mut Lent<'_, 'a>) -> Result<()> {
        self.find_all(names, streams)?;
        self.load_found(streams, lent)
    }

    /// Notes where the entries of the streams of these names start, in one walk.
    #[inline(never)]
    fn find_all(&self, names: &[&[u8]], streams: &mut [Stream<'a>]) -> Result<()> {
        streams.fill(self.missing());
        for entry in self.entries() {
            let entry = entry?;
            let place = names.iter().position(|&name| name == entry.name);
            if let Some(stream) = place.and_then(|place| streams.get_mut(place)) {
                if self.is_found(stream) {
                    return Err(Error::new(ErrorKind::At1StreamTwice, entry.at));
                }
                *stream = Stream::found(entry.at);
            }
        }
        Ok(())
    }

    /// Stands for a stream that is not there: nothing, where the set starts.
    pub(crate) fn missing(&self) -> Stream<'a> {
        Stream::new(b"", self.start, false)
    }

    /// Returns whether a stream starts where one was found: after the start of the set.
    fn is_found(&self, stream: &Stream<'_>) -> bool {
        stream.place(0) > index(self.start)
    }

    /// The entry of a stream that was found; `None` if it was not.
    fn entry(&self, stream: &Stream<'_>) -> Result<Option<Entry<'a>>> {
        let entries = Entries { at: u64_from(stream.place(0)), ..self.entries() };
        self.is_found(stream).then(|| entries.read()).transpose()
    }

    /// Decodes those streams that were found, each where its entry starts. Those that are not stored take the scratch one after the
    /// other, as [`ends`](record::ends) expects.
    #[inline(never)]
    pub(crate) fn load_found(&self, streams: &mut [Stream<'a>], lent: &mut Lent<'_, 'a>) -> Result<()> {
        let mut room = 0u64;
        for stream in &*streams {
            let Some(entry) = self.entry(stream)? else { continue };
            room = room.saturating_add(entry.scratch_len(lent.limits)?);
            if room > lent.limits.max_output {
                return Err(Error::new(ErrorKind::OutputLimit, entry.at).needing(room));
            }
        }
        lent.scratch.expect(room)?;
        for stream in streams {
            if let Some(entry) = self.entry(stream)? {
                *stream = entry.load(lent)?;
            }
        }
        Ok(())
    }
}

/// No entry is shorter: a length, a backend and a length.
const MIN_ENTRY: u64 = 3;

/// Walks over the streams of a set.
#[derive(Clone, Debug)]
pub struct Entries<'a> {
    src: &'a [u8],
    at: u64,
    end: u64,
    left: u64,
}

impl<'a> Entries<'a> {
    /// Where the next entry starts, or where the set ends.
    pub const fn position(&self) -> u64 {
        self.at
    }

    fn read(&self) -> Result<Entry<'a>> {
        let (name_len, name_at) = varint(self.src, self.at, self.end)?;
        let tag_at = name_at.saturating_add(name_len);
        if tag_at >= self.end {
            return Err(self.outside(tag_at.saturating_add(1)));
        }
        let cut = || truncated(self.src, tag_at.saturating_add(1));
        let name = self.src.get(index(name_at)..index(tag_at)).ok_or_else(cut)?;
        let tag = self.src.get(index(tag_at)).copied().ok_or_else(cut)?;
        let (wrapping, backend, len_at) = match Backend::of(tag) {
            Some(backend) => (Wrapping::Tagged, backend, tag_at.saturating_add(1)),
            None => (Wrapping::Plain, Backend::Xz, tag_at),
        };
        let (len, start) = varint(self.src, len_at, self.end)?;
        if len > self.end.saturating_sub(start) {
            return Err(self.outside(start.saturating_add(len)));
        }
        Ok(Entry { name, wrapping, backend, at: self.at, start, len, file: self.src })
    }

    /// The next stream does not lie inside of the set. If the set ends where the file does, the file was cut.
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
        let left = self.left;
        self.left = left.checked_sub(1)?;
        steps::count(1);
        let entry = self.read().map_err(|error| match error.kind {
            // Who fetches the head of a file piece by piece shall not come back for each of many small entries.
            ErrorKind::Truncated => {
                error.needing(error.need.max(self.at.saturating_add(left.saturating_mul(MIN_ENTRY))))
            }
            _ => error,
        });
        match &entry {
            Ok(entry) => self.at = entry.range().end,
            Err(_) => self.left = 0,
        }
        Some(entry)
    }
}

/// The head of the file ends here, and more is needed.
#[cold]
fn truncated(src: &[u8], need: u64) -> Error {
    Error::new(ErrorKind::Truncated, u64_from(src.len())).needing(need)
}

/// The varint at byte `at` of the file, which lies before `end`, and where it ends.
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

    /// Two streams, one in each wrapping.
    fn file() -> Vec<u8> {
        let mut file = b"AT1\x02\x04\x02\x04meta\x02\x03abc\x05blobs\x20".to_vec();
        file.extend([XZ_FIRST_BYTE; 32]);
        file
    }

    #[test]
    fn both_wrappings_in_one_set() {
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
    fn what_lies_outside_or_behind_or_twice_is_refused() {
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
        // What follows the set shows that the file goes on.
        let inside = Set::open(&good, 5, 54, &Limits::DEFAULT).and_then(|set| set.check());
        assert_eq!(inside, Err(Error::new(ErrorKind::At1StreamOutside, 16).needing(55)));
        let mut long = good.clone();
        long.push(0);
        assert_eq!(check(&long), Err(Error::new(ErrorKind::At1Trailing, 55)));
        let twice = b"AT1\x02\x04\x02\x04meta\x02\x00\x04meta\x02\x00";
        assert_eq!(check(twice), Err(Error::new(ErrorKind::At1StreamTwice, 13)));
    }
}

//! The input of a command: a file that is read at any offset, or a stream that is read once.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, ErrorKind::FileTooLarge, Read, Seek, SeekFrom};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use unspool::{Error, ErrorKind, Format, Limits, PROBE_LEN, Probe, probe};

use crate::formats::{Stop, gzip, reserve, zstd};
use crate::memory;
use crate::report::{self, Failure};
use crate::threaded::ThreadedReader;

/// Bytes that are read before anything is decided. A stream that ends within them is read at any
/// offset, as a file is.
const HEAD: u64 = 1 << 20;

/// An input, of which the first bytes are known.
pub struct Source {
    path: PathBuf,
    head: Vec<u8>,
    body: Body,
    /// Bytes that were read of the gzip file around it. Some machines have no atomic 64-bit number.
    wrapped: Option<Arc<Mutex<u64>>>,
    /// The offset of the next byte that is read in order.
    at: u64,
    /// The threads that may work on it.
    threads: NonZeroUsize,
    /// Bytes that were read of a file, besides its head.
    fetched: Cell<u64>,
    /// The format is likely, but the first bytes do not exclude another one.
    guessed: Cell<bool>,
}

/// The bytes after the head.
enum Body {
    /// None: the head is everything.
    Nothing,
    /// A file of this length, whose first bytes are the head.
    File(File, u64),
    /// A stream from the end of the head on.
    Stream(Box<dyn Read + Send>),
}

impl Source {
    /// Opens a file, or standard input for `-`. Unwraps gzip around another format, unless a format
    /// is named.
    pub fn open(path: &Path, named: Option<Format>, threads: NonZeroUsize, limits: &Limits) -> Result<Self, Failure> {
        let opened = Self::raw(path, threads, |first| named.is_some() || probe(first) != Probe::Unknown);
        let opened = opened.and_then(|source| match named {
            None if gzip::holds_format(&source.head, limits) => source.unwrapped(limits),
            _ => Ok(source),
        });
        opened.map_err(|error| Failure::io("cannot read", path, error))
    }

    /// A source at its first byte.
    fn new(path: &Path, head: Vec<u8>, body: Body, threads: NonZeroUsize) -> Self {
        let (path, fetched, guessed) = (path.to_owned(), Cell::new(0), Cell::new(false));
        Self { path, head, body, wrapped: None, at: 0, threads, fetched, guessed }
    }

    /// Opens a file and reads its head, or only its first bytes if those are not `wanted`: other
    /// files may be endless.
    fn raw(path: &Path, threads: NonZeroUsize, wanted: impl Fn(&[u8]) -> bool) -> io::Result<Self> {
        if path == Path::new("-") {
            return Self::stream(path, Box::new(io::stdin()), threads, wanted)?.with_reader();
        }
        let mut file = File::open(path)?;
        let metadata = file.metadata()?;
        // Devices have no length, nor have the files of some systems.
        if !metadata.is_file() || metadata.len() == 0 {
            return Self::stream(path, Box::new(file), threads, wanted)?.with_reader();
        }
        let mut head = vec![];
        file.by_ref().take(HEAD).read_to_end(&mut head)?;
        let body = if metadata.len() > HEAD { Body::File(file, metadata.len()) } else { Body::Nothing };
        Ok(Self::new(path, head, body, threads))
    }

    /// Takes a stream and reads its head. An error after the first bytes is kept for later.
    fn stream(
        path: &Path,
        mut input: Box<dyn Read + Send>,
        threads: NonZeroUsize,
        wanted: impl Fn(&[u8]) -> bool,
    ) -> io::Result<Self> {
        let mut head = vec![];
        let first = u64::try_from(PROBE_LEN).unwrap_or(HEAD);
        let mut read = input.by_ref().take(first).read_to_end(&mut head).map(|len| len == PROBE_LEN);
        if wanted(&head) && matches!(read, Ok(true)) {
            read = input.by_ref().take(HEAD - first).read_to_end(&mut head).map(|len| len as u64 == HEAD - first);
        }
        if head.is_empty() {
            read?;
            read = Ok(false);
        }
        let body = match read {
            Ok(true) => Body::Stream(input),
            Ok(false) => Body::Nothing,
            Err(error) => Body::Stream(Box::new(Broken(Some(error)))),
        };
        Ok(Self::new(path, head, body, threads))
    }

    /// Reads a stream on a thread: decoding continues while the other end of a pipe is busy.
    fn with_reader(self) -> io::Result<Self> {
        let body = match self.body {
            Body::Stream(input) => Body::Stream(Box::new(ThreadedReader::copy(input)?)),
            body => body,
        };
        Ok(Self { body, ..self })
    }

    /// A source of these bytes, of which `head` are known at first: a stream that returns at most
    /// `cut` bytes at a time, or a file if `cut` is `None`.
    #[cfg(any(test, feature = "fuzzing"))]
    pub fn of(bytes: &[u8], head: usize, cut: Option<usize>, threads: usize) -> Self {
        /// A stream that returns few bytes at a time.
        struct Slow(io::Cursor<Vec<u8>>, usize);

        impl Read for Slow {
            fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
                let len = to.len().min(self.1);
                self.0.read(&mut to[..len])
            }
        }

        let head = head.min(bytes.len());
        let body = match cut {
            _ if head == bytes.len() => Body::Nothing,
            Some(cut) => Body::Stream(Box::new(Slow(io::Cursor::new(bytes[head..].to_vec()), cut))),
            None => {
                use std::sync::atomic::{AtomicUsize, Ordering};
                static COUNT: AtomicUsize = AtomicUsize::new(0);
                let name = format!("unspool-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
                // In memory, if there is a folder for that: to create a file on a disk takes as
                // long as to decode it.
                let memory = PathBuf::from("/dev/shm");
                let path = if memory.is_dir() { memory } else { std::env::temp_dir() }.join(name);
                std::fs::write(&path, bytes).unwrap();
                let file = File::open(&path).unwrap();
                // The file lives on while it is open; elsewhere than on Unix it stays.
                let _ = std::fs::remove_file(&path);
                Body::File(file, bytes.len() as u64)
            }
        };
        Self::new(Path::new("test"), bytes[..head].to_vec(), body, NonZeroUsize::new(threads).unwrap())
    }

    /// Returns the content of a gzip file as a source.
    fn unwrapped(self, limits: &Limits) -> io::Result<Self> {
        let (path, read) = (self.path.clone(), Arc::new(Mutex::new(0)));
        let inside = gzip::unwrap(Counted(self.into_reader()?, Arc::clone(&read)), limits)?;
        Ok(Self { wrapped: Some(read), ..Self::stream(&path, Box::new(inside), NonZeroUsize::MIN, |_| true)? })
    }

    /// Returns the named format, or detects it from the first bytes.
    pub fn format(&self, named: Option<Format>) -> Result<Format, Failure> {
        let head = &self.head;
        let error = match (named, probe(head)) {
            (Some(format), _) => return Ok(format),
            (None, Probe::Match(Format::Zstd | Format::ZstdV07 | Format::ZstdSkippable)) => {
                let (format, is_sure) = zstd::format_of(head, matches!(self.body, Body::Nothing));
                self.guessed.set(!is_sure);
                return Ok(format);
            }
            (None, Probe::Match(format)) => return Ok(format),
            (None, Probe::NeedInput { min }) => Error::new(ErrorKind::Truncated, head.len() as u64).needing(min as u64),
            (None, Probe::Unknown) => Error::new(ErrorKind::UnknownFormat, 0),
        };
        Err(self.refused(error))
    }

    /// Returns the path that it was opened with.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the number of threads that may work on it.
    pub fn threads(&self) -> NonZeroUsize {
        self.threads
    }

    /// Returns the first bytes: all of a short input.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// Returns the length; `None` of a stream.
    pub fn len(&self) -> Option<u64> {
        match &self.body {
            Body::Nothing => Some(self.head.len() as u64),
            Body::File(_, len) => Some(*len),
            Body::Stream(_) => None,
        }
    }

    /// Returns the length of the gzip file that the input was in, once all of it was read.
    pub fn wrapped(&self) -> Option<u64> {
        self.wrapped.as_ref().map(|read| *read.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the number of bytes that were read of a file so far.
    #[cfg(all(test, unix))]
    pub fn fetched(&self) -> u64 {
        self.fetched.get() + self.head.len() as u64
    }

    /// Reads a range. A stream has none after its head.
    pub fn at(&self, range: Range<u64>) -> Result<Vec<u8>, Stop> {
        let mut bytes = vec![];
        self.read_at(range, &mut bytes)?;
        Ok(bytes)
    }

    /// Reads a range into `bytes`, whose memory is used again.
    pub fn read_at(&self, range: Range<u64>, bytes: &mut Vec<u8>) -> Result<(), Stop> {
        bytes.clear();
        self.append_at(range, bytes)
    }

    /// Reads a range and appends it to `bytes`.
    pub fn append_at(&self, range: Range<u64>, bytes: &mut Vec<u8>) -> Result<(), Stop> {
        let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
        if let Some(held) = self.head.get(place(range.start)..place(range.end)) {
            bytes.extend_from_slice(held);
            return Ok(());
        }
        match &self.body {
            Body::File(file, len) if range.end <= *len => {
                append(file, range.clone(), bytes)?;
                self.fetched.set(self.fetched.get() + range.end.saturating_sub(range.start));
                Ok(())
            }
            Body::Stream(_) => Err(io::Error::from(io::ErrorKind::NotSeekable).into()),
            Body::File(..) | Body::Nothing => {
                Err(Error::new(ErrorKind::Truncated, self.len().unwrap_or(0)).needing(range.end).into())
            }
        }
    }

    /// Starts again with the first byte; a stream is read once.
    pub fn rewind(&mut self) {
        self.seek(0);
    }

    /// Goes on reading at this byte, unless this is a stream.
    pub fn seek(&mut self, at: u64) {
        self.at = at;
    }

    /// Returns a reader of everything.
    pub fn into_reader(self) -> io::Result<Box<dyn Read + Send>> {
        let head = io::Cursor::new(self.head);
        Ok(match self.body {
            Body::Nothing => Box::new(head),
            Body::Stream(rest) => Box::new(head.chain(rest)),
            Body::File(mut file, _) => {
                file.rewind()?;
                Box::new(file)
            }
        })
    }

    /// Reads everything into memory: at most as much as is left of it. That of a file shows before
    /// anything is read.
    pub fn hold(&mut self) -> Result<&[u8], Stop> {
        // The buffer of a stream grows by doubling.
        let most = if self.len().is_some() { memory::left() } else { memory::left() / 2 };
        let held = self.head.len() as u64;
        match &mut self.body {
            Body::Nothing => {}
            Body::File(file, len) => {
                let more = len.saturating_sub(held);
                if more > most {
                    return Err(too_large(most));
                }
                append(file, held..*len, &mut self.head)?;
            }
            Body::Stream(rest) => match rest.take(most).read_to_end(&mut self.head) {
                Ok(read) if (read as u64) < most => {}
                Err(error) if error.kind() != io::ErrorKind::OutOfMemory => return Err(error.into()),
                _ => return Err(too_large(most)),
            },
        }
        self.body = Body::Nothing;
        Ok(&self.head)
    }

    /// Reads on in order, until `bytes` has this length or nothing is left. Returns whether more
    /// may follow.
    pub fn read_on(&mut self, bytes: &mut Vec<u8>, len: u64) -> Result<bool, Stop> {
        let (more, most) = (len.saturating_sub(bytes.len() as u64), memory::left() / 2);
        match self.by_ref().take(more.min(most)).read_to_end(bytes) {
            Ok(read) if read as u64 == more => Ok(true),
            Ok(read) if (read as u64) < most => Ok(false),
            Err(error) if error.kind() != io::ErrorKind::OutOfMemory => Err(error.into()),
            _ => Err(too_large(most)),
        }
    }

    /// Reads a range into `bytes`, whose memory is used again. A range of a stream starts where the
    /// one in `bytes` does, or after its end.
    pub fn read_forward(&mut self, range: Range<u64>, bytes: &mut Vec<u8>) -> Result<(), Stop> {
        if self.len().is_some() {
            return self.read_at(range, bytes);
        }
        if range.start != self.at - bytes.len() as u64 {
            bytes.clear();
            let between = range.start.checked_sub(self.at).ok_or(io::Error::from(io::ErrorKind::NotSeekable))?;
            io::copy(&mut self.by_ref().take(between), &mut io::sink())?;
        }
        let is_there = self.at >= range.start && self.read_on(bytes, range.end.saturating_sub(range.start))?;
        if is_there { Ok(()) } else { Err(Error::new(ErrorKind::Truncated, self.at).needing(range.end).into()) }
    }

    /// Reads everything into memory if it is at most `most` bytes, and half of the memory. Returns
    /// whether it is.
    pub fn hold_short(&mut self, most: u64) -> Result<bool, Stop> {
        let most = most.min(memory::left() / 2);
        match &mut self.body {
            Body::Nothing => {}
            Body::File(_, len) if *len > most => return Ok(false),
            Body::File(..) => drop(self.hold()?),
            Body::Stream(rest) => {
                let more = most.saturating_sub(self.head.len() as u64).saturating_add(1);
                if rest.take(more).read_to_end(&mut self.head)? as u64 == more {
                    return Ok(false);
                }
                self.body = Body::Nothing;
            }
        }
        Ok(true)
    }

    /// Reads what is left of a gzip file, so that its errors show.
    fn drain(&mut self) -> Result<(), Stop> {
        if self.wrapped.is_some() {
            io::copy(self, &mut io::sink())?;
        }
        Ok(())
    }

    /// Completes the work on this input. Damage of the gzip file around it outranks what it did to
    /// the content.
    pub fn conclude<T>(&mut self, done: Result<T, Stop>) -> Result<T, Failure> {
        let done = match done {
            Err(Stop::Refused(error)) if error.kind == ErrorKind::SinkFull => Err(error.into()),
            Ok(_) | Err(Stop::Refused(_)) => self.drain().and(done),
            done => done,
        };
        done.map_err(|stop| match stop {
            Stop::Refused(error) => self.refused(error),
            stop => stop.into_failure(&self.path),
        })
    }

    /// Returns the failure of an input that is refused.
    pub fn refused(&self, error: Error) -> Failure {
        let end = error.at.saturating_add(report::LONGEST_QUOTE).min(self.len().unwrap_or(self.head.len() as u64));
        let quote = if report::quotes(error) { self.at(error.at..end).ok() } else { None };
        let failure = Failure::refused(&self.path, &quote.unwrap_or_default(), error);
        if self.guessed.get() { failure.of_guess() } else { failure }
    }
}

fn too_large(most: u64) -> Stop {
    let words = format!("this is held whole, and {most} bytes of memory are left for it");
    io::Error::new(FileTooLarge, words + "; --max-memory BYTES allows more").into()
}

/// Reads everything, in order.
impl Read for Source {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let held = usize::try_from(self.at).ok().and_then(|at| self.head.get(at..)).unwrap_or_default();
        let read = match &mut self.body {
            _ if !held.is_empty() => (&*held).read(to)?,
            Body::Nothing => 0,
            Body::Stream(rest) => rest.read(to)?,
            Body::File(file, _) => {
                file.seek(SeekFrom::Start(self.at))?;
                let read = file.read(to)?;
                self.fetched.set(self.fetched.get() + read as u64);
                read
            }
        };
        self.at += read as u64;
        Ok(read)
    }
}

/// Appends a range of a file. The memory is not cleared before it is filled.
fn append(mut file: &File, range: Range<u64>, bytes: &mut Vec<u8>) -> Result<(), Stop> {
    let more = range.end.saturating_sub(range.start);
    reserve(bytes, more)?;
    file.seek(SeekFrom::Start(range.start))?;
    if file.take(more).read_to_end(bytes)? as u64 == more {
        Ok(())
    } else {
        Err(io::Error::from(io::ErrorKind::UnexpectedEof).into())
    }
}

/// A stream that has broken: returns its error, and then nothing.
struct Broken(Option<io::Error>);

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// Counts the bytes that are read.
struct Counted<R>(R, Arc<Mutex<u64>>);

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(to)?;
        *self.1.lock().unwrap_or_else(PoisonError::into_inner) += read as u64;
        Ok(read)
    }
}

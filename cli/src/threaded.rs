//! A writer and a reader with threads of their own: decoding continues while the system copies, or
//! while the other end of a pipe is busy.

use std::io::{self, Read, Write};
use std::ops::{Range, RangeInclusive};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::{Builder, JoinHandle};

use crate::formats::pour::Room;

/// The size of a buffer, small enough to stay in the cache between the two threads.
const SIZE: usize = 1 << 18;

/// The number of buffers in flight, besides the one being filled.
const AHEAD: usize = 3;

/// The lengths of buffers that are moved to the writing thread. It may hold [`AHEAD`] of them.
const MOVED: RangeInclusive<usize> = SIZE..=16 * SIZE;

/// A buffer, of which the bytes from `start` to `filled` hold content.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    start: usize,
    filled: usize,
}

impl Buffer {
    /// Returns the bytes that are not filled; none before the memory is allocated.
    fn rest(&mut self) -> &mut [u8] {
        self.bytes.get_mut(self.filled..).unwrap_or_default()
    }

    fn filled(&self) -> &[u8] {
        self.bytes.get(self.start..self.filled).unwrap_or_default()
    }
}

/// Collects bytes in buffers, and starts its thread when the first is full: small outputs need
/// none.
pub struct ThreadedWriter<W> {
    buffer: Buffer,
    side: Side<W>,
}

/// The current owner of the writer.
enum Side<W> {
    Here(W),
    There(Thread<W>),
    /// The thread could not be started, or panicked.
    Lost,
}

struct Thread<W> {
    full: SyncSender<Buffer>,
    empty: Receiver<Buffer>,
    /// Returns the writer and the result of writing.
    handle: JoinHandle<(W, io::Result<()>)>,
}

impl<W: Write + Send + 'static> ThreadedWriter<W> {
    pub fn new(to: W) -> Self {
        Self { buffer: Buffer::default(), side: Side::Here(to) }
    }

    /// Returns room for at least one byte. [`advance`](Self::advance) says how much of it was used.
    pub fn room(&mut self) -> io::Result<&mut [u8]> {
        if self.buffer.rest().is_empty() {
            if self.buffer.filled > 0 {
                self.hand_over()?;
            }
            // One that was moved here is longer.
            if self.buffer.bytes.len() < SIZE {
                self.buffer.bytes.resize(SIZE, 0);
            }
        }
        Ok(self.buffer.rest())
    }

    /// Keeps the first `len` bytes of the room.
    pub const fn advance(&mut self, len: usize) {
        self.buffer.filled += len;
    }

    /// Writes a range of these bytes. Long ones are moved to the thread, and not copied; the
    /// longest are written here, because the thread may not hold several. Returns a buffer to fill
    /// next.
    pub fn pass(&mut self, bytes: Vec<u8>, range: Range<usize>) -> io::Result<Vec<u8>> {
        if range.len() > *MOVED.end() {
            self.write_rest()?.write_all(bytes.get(range).unwrap_or_default())?;
            return Ok(bytes);
        }
        if !MOVED.contains(&range.len()) {
            self.write_all(bytes.get(range).unwrap_or_default())?;
            return Ok(bytes);
        }
        if self.buffer.filled > 0 {
            self.hand_over()?;
        }
        let own = std::mem::replace(&mut self.buffer, Buffer { bytes, start: range.start, filled: range.end });
        self.hand_over()?;
        Ok(std::mem::replace(&mut self.buffer, own).bytes)
    }

    /// Sends the full buffer to the thread and takes back one that has been written.
    fn hand_over(&mut self) -> io::Result<()> {
        self.side = match std::mem::replace(&mut self.side, Side::Lost) {
            Side::Here(to) => Side::There(Thread::start(to)?),
            other => other,
        };
        let Side::There(thread) = &self.side else { return Err(lost()) };
        let sent = thread.full.send(std::mem::take(&mut self.buffer)).is_ok();
        match thread.empty.recv() {
            Ok(empty) if sent => self.buffer = empty,
            // The thread has stopped; `end` returns its error.
            _ => self.end()?,
        }
        Ok(())
    }

    /// Waits until everything that was sent is written.
    fn end(&mut self) -> io::Result<()> {
        let written;
        (self.side, written) = match std::mem::replace(&mut self.side, Side::Lost) {
            Side::There(Thread { full, handle, .. }) => {
                drop(full);
                let (to, written) = handle.join().map_err(|_| lost())?;
                (Side::Here(to), written)
            }
            other => (other, Ok(())),
        };
        written
    }

    /// Writes everything so far. Returns the writer.
    fn write_rest(&mut self) -> io::Result<&mut W> {
        self.end()?;
        let Side::Here(to) = &mut self.side else { return Err(lost()) };
        to.write_all(self.buffer.filled())?;
        (self.buffer.start, self.buffer.filled) = (0, 0);
        Ok(to)
    }
}

impl<W: Write + Send + 'static> Thread<W> {
    fn start(mut to: W) -> io::Result<Self> {
        let (full, filled) = sync_channel::<Buffer>(AHEAD);
        let (emptied, empty) = channel();
        // Empty buffers to start with.
        for _ in 0..AHEAD {
            let _ = emptied.send(Buffer::default());
        }
        let handle = Builder::new().name("writer".to_owned()).spawn(move || {
            let written = filled.iter().try_for_each(|mut buffer| {
                to.write_all(buffer.filled())?;
                (buffer.start, buffer.filled) = (0, 0);
                // At the end, nobody receives the last buffers.
                let _ = emptied.send(buffer);
                Ok(())
            });
            (to, written)
        })?;
        Ok(Self { full, empty, handle })
    }
}

impl<W: Write + Send + 'static> Write for ThreadedWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.room()?;
        let len = room.len().min(bytes.len());
        let (to, from) = (room.split_at_mut(len).0, bytes.split_at(len).0);
        to.copy_from_slice(from);
        self.advance(len);
        Ok(len)
    }

    /// Returns after the last byte is written.
    fn flush(&mut self) -> io::Result<()> {
        self.write_rest()?.flush()
    }
}

/// Reads what a thread produces.
pub struct ThreadedReader {
    full: Receiver<io::Result<Buffer>>,
    empty: std::sync::mpsc::Sender<Buffer>,
    buffer: Buffer,
    at: usize,
}

/// The buffers that the thread of a reader fills.
pub struct Feed {
    full: SyncSender<io::Result<Buffer>>,
    empty: Receiver<Buffer>,
    buffer: Buffer,
}

impl ThreadedReader {
    /// Starts a thread that runs `produce`. Its error is read after everything before it.
    pub fn start(produce: impl FnOnce(&mut Feed) -> io::Result<()> + Send + 'static) -> io::Result<Self> {
        let (full, filled) = sync_channel(AHEAD);
        let (emptied, empty) = channel();
        for _ in 0..AHEAD + 2 {
            let _ = emptied.send(Buffer::default());
        }
        Builder::new().name("reader".to_owned()).spawn(move || {
            let mut feed = Feed { full, empty, buffer: Buffer::default() };
            let produced = produce(&mut feed);
            // If the reader is gone, nobody wants the rest.
            let _ = feed.full.send(Ok(std::mem::take(&mut feed.buffer)));
            if let Err(error) = produced {
                let _ = feed.full.send(Err(error));
            }
        })?;
        Ok(Self { full: filled, empty: emptied, buffer: Buffer::default(), at: 0 })
    }
}

impl ThreadedReader {
    /// Starts a thread that reads ahead.
    pub fn copy(mut input: impl Read + Send + 'static) -> io::Result<Self> {
        Self::start(move |feed| {
            loop {
                match input.read(feed.room()?) {
                    Ok(0) => return Ok(()),
                    Ok(len) => feed.advance(len)?,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
        })
    }
}

impl Room for Feed {
    fn room(&mut self) -> Result<&mut [u8], unspool::Error> {
        if self.buffer.rest().is_empty() {
            let gone = || unspool::Error::new(unspool::ErrorKind::SinkFull, 0);
            if self.buffer.filled > 0 {
                self.full.send(Ok(std::mem::take(&mut self.buffer))).map_err(|_| gone())?;
            }
            self.buffer = self.empty.recv().map_err(|_| gone())?;
            self.buffer.bytes.resize(SIZE, 0);
        }
        Ok(self.buffer.rest())
    }

    fn advance(&mut self, len: usize) -> Result<(), unspool::Error> {
        self.buffer.filled += len;
        Ok(())
    }
}

impl Read for ThreadedReader {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        while self.at == self.buffer.filled {
            // The end of the thread is the end of its bytes.
            let Ok(next) = self.full.recv() else { return Ok(0) };
            let mut last = std::mem::replace(&mut self.buffer, next?);
            (self.at, last.filled) = (0, 0);
            let _ = self.empty.send(last);
        }
        let rest = self.buffer.filled().get(self.at..).unwrap_or_default();
        let read = (&*rest).read(to)?;
        self.at += read;
        Ok(read)
    }
}

fn lost() -> io::Error {
    io::Error::other("the writing thread has ended")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A writer that keeps up to `most` bytes and then fails.
    struct Capped {
        kept: Vec<u8>,
        most: usize,
    }

    impl Write for Capped {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.kept.len() + bytes.len() > self.most {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.kept.extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn writer(most: usize) -> ThreadedWriter<Capped> {
        ThreadedWriter::new(Capped { kept: Vec::new(), most })
    }

    fn kept(writer: &ThreadedWriter<Capped>) -> &[u8] {
        let Side::Here(capped) = &writer.side else { panic!("the thread has it") };
        &capped.kept
    }

    #[test]
    fn every_byte_arrives_in_order() {
        let content: Vec<u8> = (0..=250).cycle().take(SIZE * 9 + 77).collect();
        for piece in [1000, SIZE - 1, SIZE, SIZE + 1, content.len()] {
            let mut to = writer(usize::MAX);
            // Output continues after a flush.
            for part in content.chunks(SIZE * 5 + 3) {
                part.chunks(piece).for_each(|piece| to.write_all(piece).unwrap());
                to.flush().unwrap();
            }
            assert!(kept(&to) == content, "pieces of {piece}");
        }
    }

    #[test]
    fn moved_buffers_keep_the_order() {
        let content: Vec<u8> = (0..=250).cycle().take(SIZE * 70).collect();
        let (mut to, mut rest, mut buffer) = (writer(usize::MAX), &content[..], vec![]);
        for len in [1, SIZE, 5, 17 * SIZE, 17 * SIZE, SIZE - 1, 7 * SIZE, SIZE + 1, 3, 9 * SIZE].into_iter().cycle() {
            let (now, after) = rest.split_at(len.min(rest.len()));
            buffer.clear();
            buffer.extend([9; 11]);
            buffer.extend(now);
            buffer.push(9);
            buffer = to.pass(buffer, 11..11 + now.len()).unwrap();
            rest = after;
            if rest.is_empty() {
                break;
            }
            to.write_all(&rest[..1]).unwrap();
            rest = &rest[1..];
        }
        to.flush().unwrap();
        assert!(kept(&to) == content);
    }

    #[test]
    fn small_output_starts_no_thread() {
        let mut to = writer(usize::MAX);
        to.write_all(&[7; SIZE]).unwrap();
        assert!(kept(&to).is_empty());
        to.flush().unwrap();
        assert_eq!(kept(&to).len(), SIZE);
    }

    #[test]
    fn write_errors_reach_the_caller() {
        for most in [0, SIZE - 1, SIZE, SIZE * 3, SIZE * 20 - 1] {
            let mut to = writer(most);
            let written = (0..20).try_for_each(|_| to.write_all(&[7; SIZE])).and_then(|()| to.flush());
            assert_eq!(written.map_err(|error| error.kind()), Err(io::ErrorKind::StorageFull), "{most}");
            assert_eq!(kept(&to).len(), most / SIZE * SIZE);
        }
    }
    #[test]
    fn a_reader_returns_everything_and_then_the_error() {
        let content: Vec<u8> = (0..=250).cycle().take(SIZE * 9 + 77).collect();
        for fails in [false, true] {
            let from = content.clone();
            let mut reader = ThreadedReader::start(move |feed| {
                for piece in from.chunks(1000) {
                    let mut rest = piece;
                    while !rest.is_empty() {
                        let read = rest.read(feed.room()?)?;
                        feed.advance(read)?;
                    }
                }
                if fails { Err(io::ErrorKind::InvalidData.into()) } else { Ok(()) }
            })
            .unwrap();
            let mut read = vec![];
            let end = reader.read_to_end(&mut read);
            assert_eq!(end.is_err(), fails);
            assert!(read == content);
            assert_eq!(reader.read(&mut [0]).unwrap(), 0);
        }
    }

    #[test]
    fn a_reader_that_is_dropped_ends_its_thread() {
        let (ended, end) = channel();
        let reader = ThreadedReader::start(move |feed| {
            while let Ok(room) = feed.room() {
                let len = room.len();
                feed.advance(len)?;
            }
            ended.send(()).map_err(io::Error::other)
        });
        drop(reader.unwrap());
        end.recv().unwrap();
    }
}

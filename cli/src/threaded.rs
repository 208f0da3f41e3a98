//! A writer with its own thread: decoding continues while the system copies, or while the reader of
//! a pipe is busy.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::{Builder, JoinHandle};

/// The size of a buffer, small enough to stay in the cache between the two threads.
const SIZE: usize = 1 << 18;

/// The number of buffers in flight, besides the one being filled.
const AHEAD: usize = 3;

/// Collects bytes in buffers, and starts its thread when the first is full: small outputs need
/// none.
pub struct ThreadedWriter<W> {
    buffer: Vec<u8>,
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
    full: SyncSender<Vec<u8>>,
    empty: Receiver<Vec<u8>>,
    /// Returns the writer and the result of writing.
    handle: JoinHandle<(W, io::Result<()>)>,
}

impl<W: Write + Send + 'static> ThreadedWriter<W> {
    pub const fn new(to: W) -> Self {
        Self { buffer: Vec::new(), side: Side::Here(to) }
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
}

impl<W: Write + Send + 'static> Thread<W> {
    fn start(mut to: W) -> io::Result<Self> {
        let (full, filled) = sync_channel::<Vec<u8>>(AHEAD);
        let (emptied, empty) = channel();
        // Empty buffers to start with.
        for _ in 0..AHEAD {
            let _ = emptied.send(Vec::new());
        }
        let handle = Builder::new().name("writer".to_owned()).spawn(move || {
            let written = filled.iter().try_for_each(|mut buffer| {
                to.write_all(&buffer)?;
                buffer.clear();
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
        if self.buffer.len() >= SIZE {
            self.hand_over()?;
        }
        let room = SIZE - self.buffer.len();
        self.buffer.reserve_exact(room);
        let (now, _) = bytes.split_at(bytes.len().min(room));
        self.buffer.extend_from_slice(now);
        Ok(now.len())
    }

    /// Returns after the last byte is written.
    fn flush(&mut self) -> io::Result<()> {
        self.end()?;
        let Side::Here(to) = &mut self.side else { return Err(lost()) };
        to.write_all(&self.buffer)?;
        self.buffer.clear();
        to.flush()
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
}

//! [`std::io`] on both sides of a decoder: a [`Reader`] of decoded bytes, and a [`Writer`] that is
//! a sink.

use std::io::{self, BufRead, Read, Write};

use crate::{Class, End, Error, ErrorKind, Result, Sink, Status, Step};

/// Reads the decoded bytes of a stream, with any decoder of bytes.
///
/// The decoder must read all input that it is given. One that asks for the same input again with
/// more after it, as Pco does for a batch of numbers, gets no more than the buffer of the input
/// holds, and ends with an error.
///
/// If the decoder knows where its data ends, as that of one xz stream does, the input keeps what
/// follows. Most decoders read to the end and refuse bytes that are not theirs. An error of the
/// decoder becomes an [`io::Error`] around an [`unspool::Error`](Error), and each further call
/// returns it again.
///
/// ```
/// use std::io::Read;
/// use unspool::io::Reader;
/// # #[cfg(feature = "xz")] {
/// use unspool::xz;
/// # let file = [
/// #     &b"\xFD7zXZ\0\0\x01i\"\xDE6\x02\0!\x01\0\0\0\07'\x97\xD6\xE0\0\x16\0\x0E]\0:\x9B"[..],
/// #     &b"\x8A\xCD\xCA\x08\x14\xAF\xF7\xF9x\xE8\x80\0\0\0\0c\xC9\xC4\x7F\0\x01&\x17\xC8"[..],
/// #     &b"\xB3\x8B`\x90B\x99\r\x01\0\0\0\0\x01YZ"[..],
/// # ]
/// # .concat();
/// # let file = &file[..];
/// let (mut workspace, mut window) = (xz::Workspace::new(), vec![0; 1 << 20]);
/// let mut decoder = xz::Decoder::new(&mut workspace, &mut window, &xz::Options::DEFAULT);
/// let mut reader = Reader::new(file, |src, end, dst| decoder.step(src, end, dst));
/// assert_eq!(std::io::read_to_string(&mut reader)?, "unspool unspool unspool");
/// # }
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Reader<R, F> {
    input: R,
    step: F,
    done: bool,
}

impl<R: BufRead, F: FnMut(&[u8], End, &mut [u8]) -> Result<Step>> Reader<R, F> {
    /// Reads from `input`, and decodes with the `step` of a decoder.
    pub const fn new(input: R, step: F) -> Self {
        Self { input, step, done: false }
    }

    /// Returns the input, from the first byte that was not read.
    pub fn into_inner(self) -> R {
        self.input
    }
}

impl<R: BufRead, F: FnMut(&[u8], End, &mut [u8]) -> Result<Step>> Read for Reader<R, F> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        if room.is_empty() || self.done {
            return Ok(0);
        }
        loop {
            let src = self.input.fill_buf()?;
            let end = if src.is_empty() { End::Here } else { End::NotYet };
            let step = (self.step)(src, end, room)?;
            self.input.consume(step.read);
            self.done = step.status == Status::Done;
            if step.wrote > 0 || self.done {
                return Ok(step.wrote);
            }
        }
    }
}

/// A sink that writes to an [`io::Write`].
///
/// A sink can only refuse bytes. [`failure`](Self::failure) returns the error of the write.
#[derive(Debug)]
pub struct Writer<W> {
    to: W,
    failure: Option<io::Error>,
}

impl<W: Write> Writer<W> {
    /// Writes to `to`.
    pub const fn new(to: W) -> Self {
        Self { to, failure: None }
    }

    /// Returns the error of the write that was refused, once.
    pub const fn failure(&mut self) -> Option<io::Error> {
        self.failure.take()
    }

    /// Returns the target of the writes.
    pub const fn get_mut(&mut self) -> &mut W {
        &mut self.to
    }
}

impl<W: Write> Sink for Writer<W> {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.to.write_all(bytes).map_err(|error| {
            self.failure = Some(error);
            Error::new(ErrorKind::SinkFull, 0)
        })
    }
}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        let kind = match error.class() {
            Class::Truncated => io::ErrorKind::UnexpectedEof,
            Class::Corrupt | Class::Checksum => io::ErrorKind::InvalidData,
            Class::Unsupported => io::ErrorKind::Unsupported,
            Class::Limit => io::ErrorKind::FileTooLarge,
            Class::OutputTooSmall { .. } | Class::WorkspaceTooSmall { .. } | Class::Misuse => {
                io::ErrorKind::InvalidInput
            }
        };
        Self::new(kind, error)
    }
}

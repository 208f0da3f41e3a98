//! The traits of the crate `embedded-io` on both sides of a decoder, as [`io`](crate::io) has those
//! of `std`: a [`Reader`] of decoded bytes, and a [`Writer`] that is a sink.

use core::fmt;

use embedded_io::{BufRead, ErrorType, Read, Write};

use crate::{Class, End, Error, ErrorKind, Result, Sink, Status, Step};

/// Reads the decoded bytes of a stream, with any decoder of bytes.
///
/// The decoder must read all input that it is given.
///
/// ```
/// use embedded_io::Read;
/// use unspool::embedded_io::Reader;
/// # #[cfg(feature = "zstd-rfc")] {
/// use unspool::zstd::{Decoder, Options, Workspace};
/// let file = b"\x28\xB5\x2F\xFD\x20\x09\x18\0\0zst\x33\0\0d";
/// let (mut workspace, mut window, mut out) = (Workspace::new(), [0; 32], [0; 9]);
/// let mut decoder = Decoder::new(&mut workspace, &mut window, &Options::DEFAULT);
/// let mut reader = Reader::new(&file[..], |src, end, dst| decoder.step(src, end, dst));
/// reader.read_exact(&mut out).unwrap();
/// assert_eq!(&out, b"zstdddddd");
/// # }
/// ```
#[derive(Debug)]
pub struct Reader<R, F> {
    input: R,
    step: F,
    done: bool,
}

/// The error of a [`Reader`].
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadError<E> {
    /// That of the input.
    Input(E),
    /// That of the decoder.
    Decoder(Error),
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

impl<E: embedded_io::Error> embedded_io::Error for ReadError<E> {
    fn kind(&self) -> embedded_io::ErrorKind {
        match self {
            Self::Input(error) => error.kind(),
            Self::Decoder(error) => match error.class() {
                Class::Truncated | Class::Corrupt | Class::Checksum => embedded_io::ErrorKind::InvalidData,
                Class::Unsupported => embedded_io::ErrorKind::Unsupported,
                Class::Limit | Class::OutputTooSmall { .. } | Class::WorkspaceTooSmall { .. } => {
                    embedded_io::ErrorKind::OutOfMemory
                }
                Class::Misuse => embedded_io::ErrorKind::InvalidInput,
            },
        }
    }
}

impl<E: fmt::Debug> fmt::Display for ReadError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(error) => write!(f, "the input: {error:?}"),
            Self::Decoder(error) => error.fmt(f),
        }
    }
}

impl<E: fmt::Debug> core::error::Error for ReadError<E> {}

impl<R: BufRead, F> ErrorType for Reader<R, F> {
    type Error = ReadError<R::Error>;
}

impl<R: BufRead, F: FnMut(&[u8], End, &mut [u8]) -> Result<Step>> Read for Reader<R, F> {
    fn read(&mut self, room: &mut [u8]) -> core::result::Result<usize, Self::Error> {
        if room.is_empty() || self.done {
            return Ok(0);
        }
        loop {
            let src = self.input.fill_buf().map_err(ReadError::Input)?;
            let end = if src.is_empty() { End::Here } else { End::NotYet };
            let step = (self.step)(src, end, room).map_err(ReadError::Decoder)?;
            self.input.consume(step.read);
            self.done = step.status == Status::Done;
            if step.wrote > 0 || self.done {
                return Ok(step.wrote);
            }
        }
    }
}

/// A sink that writes to an [`embedded_io::Write`].
///
/// A sink can only refuse bytes. [`failure`](Self::failure) returns the error of the write.
///
/// ```
/// use unspool::Sink;
/// use unspool::embedded_io::Writer;
/// let mut room = [0; 4];
/// let mut writer = Writer::new(&mut room[..]);
/// assert!(writer.write(b"unsp").is_ok() && writer.write(b"ool").is_err());
/// assert_eq!(writer.failure(), Some(embedded_io::SliceWriteError::Full));
/// ```
#[derive(Debug)]
pub struct Writer<W: ErrorType> {
    to: W,
    failure: Option<W::Error>,
}

impl<W: Write> Writer<W> {
    /// Writes to `to`.
    pub const fn new(to: W) -> Self {
        Self { to, failure: None }
    }

    /// Returns the error of the write that was refused, once.
    pub const fn failure(&mut self) -> Option<W::Error> {
        self.failure.take()
    }

    /// Returns the target of the writes.
    pub const fn get_mut(&mut self) -> &mut W {
        &mut self.to
    }
}

impl<W: Write> Sink for Writer<W> {
    /// Not with `write_all`, which panics if a target takes no byte.
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let taken = self.to.write(rest).map_err(|error| self.failure = Some(error)).unwrap_or(0);
            rest = rest.get(taken..).filter(|_| taken > 0).ok_or(Error::new(ErrorKind::SinkFull, 0))?;
        }
        Ok(())
    }
}

#[cfg(all(test, feature = "zstd-rfc"))]
mod tests {
    use super::*;
    use crate::zstd::{Decoder, Options, Workspace};

    const FILE: &[u8] = b"\x28\xB5\x2F\xFD\x20\x09\x18\0\0zst\x33\0\0d";

    /// Input that arrives in pieces of this length.
    struct Pieces<'a>(&'a [u8], usize);

    impl ErrorType for Pieces<'_> {
        type Error = embedded_io::ErrorKind;
    }

    impl Read for Pieces<'_> {
        fn read(&mut self, room: &mut [u8]) -> core::result::Result<usize, Self::Error> {
            let len = self.fill_buf()?.len().min(room.len());
            room[..len].copy_from_slice(&self.0[..len]);
            self.consume(len);
            Ok(len)
        }
    }

    impl BufRead for Pieces<'_> {
        fn fill_buf(&mut self) -> core::result::Result<&[u8], Self::Error> {
            Ok(&self.0[..self.1.min(self.0.len())])
        }

        fn consume(&mut self, len: usize) {
            self.0 = &self.0[len..];
        }
    }

    #[test]
    fn a_writer_takes_a_file_and_keeps_the_error_of_a_write() {
        for len in 0..=9 {
            let mut room = vec![0; len];
            let mut writer = Writer::new(&mut room[..]);
            let (mut workspace, mut window) = (Workspace::new(), [0; 32]);
            let done = crate::zstd::decode_to(FILE, &mut writer, &mut workspace, &mut window, &Options::DEFAULT);
            if len == 9 {
                assert_eq!((done.map(|done| done.wrote), writer.failure()), (Ok(9), None));
                assert_eq!(room, b"zstdddddd");
            } else {
                assert_eq!(done.map_err(|error| error.kind), Err(ErrorKind::SinkFull));
                assert_eq!(writer.failure(), Some(embedded_io::SliceWriteError::Full));
                assert_eq!(writer.failure(), None);
            }
        }
    }

    /// Takes one byte at a time, and none after as many.
    #[derive(Debug)]
    struct Slow(usize);

    impl ErrorType for Slow {
        type Error = core::convert::Infallible;
    }

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> core::result::Result<usize, Self::Error> {
            let taken = bytes.len().min(1).min(self.0);
            self.0 -= taken;
            Ok(taken)
        }

        fn flush(&mut self) -> core::result::Result<(), Self::Error> {
            Ok(())
        }
    }

    #[test]
    fn a_writer_that_takes_no_byte_is_full() {
        assert_eq!(Writer::new(Slow(3)).write(b"abc"), Ok(()));
        assert_eq!(Writer::new(Slow(2)).write(b"abc").map_err(|error| error.kind), Err(ErrorKind::SinkFull));
    }

    #[test]
    fn reads_in_pieces_of_every_size_and_reports_every_cut() {
        for end in 0..=FILE.len() {
            for (piece, room) in [(1, 1), (2, 5), (3, 16), (16, 2)] {
                let (mut workspace, mut window, mut out) = (Workspace::new(), [0; 32], vec![]);
                let mut decoder = Decoder::new(&mut workspace, &mut window, &Options::DEFAULT);
                let pieces = Pieces(&FILE[..end], piece);
                let mut reader = Reader::new(pieces, |src, end, dst| decoder.step(src, end, dst));
                let result = loop {
                    let mut part = vec![0; room];
                    match reader.read(&mut part) {
                        Ok(0) => break Ok(()),
                        Ok(len) => out.extend_from_slice(&part[..len]),
                        Err(error) => break Err(error),
                    }
                };
                assert!(b"zstdddddd".starts_with(&out));
                if end == FILE.len() {
                    assert_eq!((result, out.len()), (Ok(()), 9));
                } else {
                    let error = result.unwrap_err();
                    assert_eq!(embedded_io::Error::kind(&error), embedded_io::ErrorKind::InvalidData);
                    assert!(matches!(error, ReadError::Decoder(error) if error.class() == Class::Truncated));
                }
            }
        }
    }
}

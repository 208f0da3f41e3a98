//! Streams through a decoder, from a reader to the room of an output.

use std::io::Read;
use std::ops::Range;

use unspool::{End, Error, ErrorKind, Sink, Status, Step};

use super::{Stop, zeros};

/// The size of one read and of one write.
pub const PIECE: usize = 1 << 18;

/// Lends room for decoded bytes, so that they are decoded to where they are collected.
pub trait Room {
    /// Returns room for at least one byte.
    fn room(&mut self) -> Result<&mut [u8], Error>;

    /// Keeps the first `len` bytes of the room.
    fn advance(&mut self, len: usize) -> Result<(), Error>;

    /// Keeps a range of a buffer, and returns a buffer to fill next.
    fn pass(&mut self, buffer: Vec<u8>, range: Range<usize>) -> Result<Vec<u8>, Error> {
        write(buffer.get(range).unwrap_or_default(), self)?;
        Ok(buffer)
    }
}

/// Room in a buffer, for a sink that has none.
pub struct Buffered<'s, S: ?Sized> {
    piece: Vec<u8>,
    sink: &'s mut S,
}

impl<'s, S: Sink + ?Sized> Buffered<'s, S> {
    pub fn new(sink: &'s mut S) -> Self {
        Self { piece: vec![0; PIECE], sink }
    }
}

impl<S: Sink + ?Sized> Room for Buffered<'_, S> {
    fn room(&mut self) -> Result<&mut [u8], Error> {
        Ok(&mut self.piece)
    }

    fn advance(&mut self, len: usize) -> Result<(), Error> {
        self.sink.write(self.piece.get(..len).unwrap_or_default())
    }

    fn pass(&mut self, buffer: Vec<u8>, range: Range<usize>) -> Result<Vec<u8>, Error> {
        self.sink.write(buffer.get(range).unwrap_or_default())?;
        Ok(buffer)
    }
}

/// Decodes all of the input with the `step` of a decoder, which reads all that it is given.
pub fn pour(
    input: &mut impl Read,
    to: &mut impl Room,
    mut step: impl FnMut(&[u8], End, &mut [u8]) -> Result<Step, Error>,
) -> Result<(), Stop> {
    let mut piece = vec![0; PIECE];
    let (mut rest, mut end) = (0..0, End::NotYet);
    loop {
        if rest.is_empty() && end == End::NotYet {
            rest = 0..read(input, &mut piece)?;
            end = if rest.is_empty() { End::Here } else { End::NotYet };
        }
        let done = step(piece.get(rest.clone()).unwrap_or_default(), end, to.room()?)?;
        to.advance(done.wrote)?;
        rest.start += done.read;
        if done.status == Status::Done {
            return Ok(());
        }
    }
}

/// Decodes all of the input as [`pour`] does, with a `step` that may ask for a window, and a `lend`
/// that takes it.
pub fn pour_through<'w, D>(
    input: &mut impl Read,
    to: &mut impl Room,
    decoder: &mut D,
    mut windows: Lend<'w>,
    step: impl Fn(&mut D, &[u8], End, &mut [u8]) -> Result<Step, Error>,
    lend: impl Fn(&mut D, &'w mut [u8]) -> Result<(), Error>,
) -> Result<(), Stop> {
    pour(input, to, |src, end, dst| {
        loop {
            match step(decoder, src, end, dst) {
                Err(error) if matches!(error.kind, ErrorKind::XzWindowBuffer | ErrorKind::ZstdWindowBuffer) => {
                    lend(decoder, windows.next(error)?)?;
                }
                done => return done,
            }
        }
    })
}

/// Writes decoded memory.
pub fn write(mut bytes: &[u8], to: &mut (impl Room + ?Sized)) -> Result<(), Error> {
    while !bytes.is_empty() {
        let room = to.room()?;
        let (now, rest) = bytes.split_at(bytes.len().min(room.len()));
        room.split_at_mut(now.len()).0.copy_from_slice(now);
        to.advance(now.len())?;
        bytes = rest;
    }
    Ok(())
}

/// Reads some bytes; none at the end.
pub fn read(input: &mut impl Read, to: &mut [u8]) -> Result<usize, Stop> {
    loop {
        match input.read(to) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            read => return Ok(read?),
        }
    }
}

/// Windows of growing lengths, for a decoder that asks for another one.
pub struct Windows {
    lent: [Vec<u8>; 40],
}

impl Windows {
    pub const fn new() -> Self {
        Self { lent: [const { Vec::new() }; 40] }
    }

    /// Returns the windows to lend, one after the other.
    pub fn lend(&mut self, most: u64) -> Lend<'_> {
        Lend { rest: self.lent.iter_mut(), last: 0, most }
    }
}

/// The windows that are left to lend.
pub struct Lend<'w> {
    rest: std::slice::IterMut<'w, Vec<u8>>,
    last: u64,
    most: u64,
}

impl<'w> Lend<'w> {
    /// Returns a window of at least the length that an error names.
    ///
    /// It is at least twice as long as the one before it, within the limit, so that there are few.
    pub fn next(&mut self, error: Error) -> Result<&'w mut [u8], Error> {
        let len = error.need.max(self.last.saturating_mul(2).min(self.most));
        let window = self.rest.next().ok_or(Error::new(ErrorKind::NoMemory, error.at).needing(len))?;
        *window = zeros(len)?;
        self.last = len;
        Ok(window)
    }
}

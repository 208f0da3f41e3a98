//! Targets of decoded bytes that need not stay in one slice.

use crate::{Error, ErrorKind};

/// Takes decoded bytes in order.
///
/// A closure is a sink. [`SliceSink`] writes to a slice, [`Count`] only adds up. A sink that is
/// full returns an error, which ends decoding.
///
/// ```
/// use unspool::Sink;
/// let mut lines = 0;
/// let mut sink = |bytes: &[u8]| {
///     lines += bytes.iter().filter(|&&byte| byte == b'\n').count();
///     Ok(())
/// };
/// sink.write(b"one\ntwo\n").unwrap();
/// assert_eq!(lines, 2);
/// ```
pub trait Sink {
    /// Takes all of `bytes`, or refuses.
    fn write(&mut self, bytes: &[u8]) -> Result<(), Error>;
}

impl<F: FnMut(&[u8]) -> Result<(), Error>> Sink for F {
    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self(bytes)
    }
}

/// Counts the bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count(
    /// Bytes so far.
    pub u64,
);

impl Sink for Count {
    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.0 = self.0.saturating_add(crate::num::u64_from(bytes.len()));
        Ok(())
    }
}

/// Fills a slice from its start.
#[derive(Debug)]
pub struct SliceSink<'a> {
    rest: &'a mut [u8],
    written: usize,
}

impl<'a> SliceSink<'a> {
    /// Returns a sink that fills `slice`.
    pub const fn new(slice: &'a mut [u8]) -> Self {
        Self { rest: slice, written: 0 }
    }

    /// Returns the number of bytes that are filled.
    pub const fn written(&self) -> usize {
        self.written
    }
}

impl Sink for SliceSink<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let Some((head, rest)) = core::mem::take(&mut self.rest).split_at_mut_checked(bytes.len()) else {
            let need = crate::num::u64_from(self.written.saturating_add(bytes.len()));
            return Err(Error::new(ErrorKind::SinkFull, 0).needing(need));
        };
        crate::num::copy(bytes, head);
        self.rest = rest;
        self.written = self.written.saturating_add(bytes.len());
        Ok(())
    }
}

/// Appends to a vector of fixed capacity, or to a view of one. A view has no size at compile time,
/// so decoders take it in a closure: `&mut |bytes: &[u8]| view.write(bytes)`.
///
/// ```
/// use unspool::Sink;
/// let mut name = heapless::Vec::<u8, 7>::new();
/// assert!(name.write(b"unsp").is_ok() && name.write(b"ool").is_ok());
/// assert_eq!(name.write(b"!").map_err(|error| error.need), Err(8));
/// assert_eq!(name, b"unspool");
/// ```
#[cfg(feature = "heapless")]
impl<L: heapless::LenType, S: heapless::vec::VecStorage<u8> + ?Sized> Sink for heapless::vec::VecInner<u8, L, S> {
    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let need = crate::num::u64_from(self.len().saturating_add(bytes.len()));
        self.extend_from_slice(bytes).map_err(|_| Error::new(ErrorKind::SinkFull, 0).needing(need))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_takes_exactly_what_fits() {
        let mut room = [0; 4];
        let mut sink = SliceSink::new(&mut room);
        assert!(sink.write(b"ab").is_ok());
        assert!(sink.write(b"cd").is_ok());
        assert!(sink.write(b"").is_ok());
        assert_eq!(sink.written(), 4);
        assert_eq!(sink.write(b"e").map_err(|error| (error.kind, error.need)), Err((ErrorKind::SinkFull, 5)));
        assert_eq!(&room, b"abcd");
    }

    #[cfg(all(feature = "heapless", feature = "zstd-rfc"))]
    #[test]
    fn a_vector_of_fixed_capacity_takes_a_file_that_fits() {
        use crate::zstd::{Options, Workspace, decode_to};
        const FILE: &[u8] = b"\x28\xB5\x2F\xFD\x20\x09\x18\0\0zst\x33\0\0d";
        let decode = |view: &mut heapless::VecView<u8>| {
            let mut sink = |bytes: &[u8]| view.write(bytes);
            decode_to(FILE, &mut sink, &mut Workspace::new(), &mut [0; 32], &Options::DEFAULT)
        };
        let mut exact = heapless::Vec::<u8, 9>::new();
        let done = decode_to(FILE, &mut exact, &mut Workspace::new(), &mut [0; 32], &Options::DEFAULT);
        assert_eq!(done.map(|done| done.wrote), Ok(9));
        assert_eq!(exact, b"zstdddddd");
        let mut short = heapless::Vec::<u8, 8>::new();
        assert_eq!(decode(&mut short).map_err(|error| error.kind), Err(ErrorKind::SinkFull));
        // It appends: what was there stays.
        let mut longer = heapless::Vec::<u8, 16>::from_slice(b"a: ").unwrap();
        assert!(decode(&mut longer).is_ok() && longer == b"a: zstdddddd");
    }

    #[test]
    fn a_counter_counts() {
        let mut count = Count::default();
        assert!(count.write(&[0; 10]).is_ok() && count.write(&[0; 3]).is_ok());
        assert_eq!(count, Count(13));
    }
}

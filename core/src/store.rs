//! Targets of decoded bytes that can be read back, such as flash: they hold the history of matches.

use crate::copy::byte_by_byte;
use crate::fault::{Fault, Verdict};
use crate::num::{copy, index, u64_from};
use crate::{Error, ErrorKind, Result, Sink};

/// Takes decoded bytes page by page, and returns those that it has.
///
/// A decoder that writes to a store needs no window: matches refer to bytes in the store, or in the
/// page that is being filled. The caller lends the page. Its length is that of all writes but the
/// last.
///
/// An error of a store ends decoding. It returns with an offset in the block or chunk that was
/// being read.
pub trait Store {
    /// Returns the most bytes that it holds. If the content is longer, the error is
    /// [`OutputTooSmall`](ErrorKind::OutputTooSmall).
    fn capacity(&self) -> u64;

    /// Fills `into` with the bytes from `at` on, all of which were written.
    fn read(&mut self, at: u64, into: &mut [u8]) -> Result<()>;

    /// Writes a page at `at`. Pages come in order and adjoin. The last one may be shorter, and
    /// comes only after all checksums were compared.
    fn write(&mut self, at: u64, page: &[u8]) -> Result<()>;

    /// Returns the length of an older image that a patch refers to, if it is not in memory. One
    /// that is in memory is a dictionary.
    fn old_len(&self) -> u64 {
        0
    }

    /// Fills `into` with the bytes of the older image from `at` on.
    fn read_old(&mut self, at: u64, into: &mut [u8]) -> Result<()> {
        let _ = into;
        Err(Error::new(ErrorKind::StoreFailed, at))
    }
}

/// A store in memory.
///
/// ```
/// use unspool::{SliceStore, Store};
/// let mut flash = [0; 8];
/// let mut store = SliceStore::new(&mut flash);
/// store.write(0, b"page")?;
/// let mut two = [0; 2];
/// store.read(1, &mut two)?;
/// assert_eq!(&two, b"ag");
/// # Ok::<(), unspool::Error>(())
/// ```
#[derive(Debug)]
pub struct SliceStore<'a> {
    bytes: &'a mut [u8],
}

impl<'a> SliceStore<'a> {
    /// Returns a store that fills `bytes` from its start.
    pub const fn new(bytes: &'a mut [u8]) -> Self {
        Self { bytes }
    }
}

impl Store for SliceStore<'_> {
    fn capacity(&self) -> u64 {
        u64_from(self.bytes.len())
    }

    fn read(&mut self, at: u64, into: &mut [u8]) -> Result<()> {
        let from = self.bytes.get(index(at)..).and_then(|rest| rest.get(..into.len()));
        copy(from.ok_or(Error::new(ErrorKind::StoreFailed, at))?, into);
        Ok(())
    }

    fn write(&mut self, at: u64, page: &[u8]) -> Result<()> {
        let to = self.bytes.get_mut(index(at)..).and_then(|rest| rest.get_mut(..page.len()));
        copy(page, to.ok_or(Error::new(ErrorKind::StoreFailed, at))?);
        Ok(())
    }
}

/// A store that passes each page to a sink, and keeps only a window: the bytes that were written
/// last.
///
/// With it, an input that is present as a whole decodes through the window that its header asks for
/// and a page. A stream of Zstandard needs one to three blocks besides, which are as large as a
/// small window. A match that reaches beyond the window is [`StoreFailed`](ErrorKind::StoreFailed).
///
/// ```
/// use unspool::{SinkStore, Store};
/// let (mut out, mut window) = (Vec::<u8>::new(), [0; 4]);
/// let mut store = SinkStore::new(&mut window, |bytes: &[u8]| {
///     out.extend(bytes);
///     Ok(())
/// });
/// store.write(0, b"page")?;
/// store.write(4, b"two")?;
/// let mut last = [0; 4];
/// store.read(3, &mut last)?;
/// assert_eq!((&last, &out[..]), (b"etwo", &b"pagetwo"[..]));
/// # Ok::<(), unspool::Error>(())
/// ```
#[derive(Debug)]
pub struct SinkStore<'a, S> {
    /// A ring.
    window: &'a mut [u8],
    /// The index in the ring after the last byte.
    next: usize,
    /// Bytes that were written.
    len: u64,
    sink: S,
}

impl<'a, S: Sink> SinkStore<'a, S> {
    /// Returns a store without bytes. What the window holds does not matter.
    pub const fn new(window: &'a mut [u8], sink: S) -> Self {
        Self { window, next: 0, len: 0, sink }
    }
}

impl<S: Sink> Store for SinkStore<'_, S> {
    fn capacity(&self) -> u64 {
        u64::MAX
    }

    fn read(&mut self, at: u64, into: &mut [u8]) -> Result<()> {
        let back = self.len.checked_sub(at).map(index);
        let kept = back.filter(|&back| into.len() <= back && back <= self.window.len());
        let back = kept.ok_or(Error::new(ErrorKind::StoreFailed, at))?;
        let start = if self.next < back { self.next + self.window.len() - back } else { self.next - back };
        let older = self.window.get(start..).unwrap_or_default();
        copy(older, into);
        copy(self.window, into.get_mut(older.len()..).unwrap_or_default());
        Ok(())
    }

    fn write(&mut self, _: u64, page: &[u8]) -> Result<()> {
        self.sink.write(page)?;
        self.len += u64_from(page.len());
        let mut rest = page.get(page.len().saturating_sub(self.window.len())..).unwrap_or_default();
        while !rest.is_empty() {
            let free = self.window.get_mut(self.next..).unwrap_or_default();
            let len = free.len().min(rest.len());
            copy(rest, free);
            self.next = if len == free.len() { 0 } else { self.next + len };
            rest = rest.get(len..).unwrap_or_default();
        }
        Ok(())
    }
}

/// The pages in a store.
pub(crate) struct Written<'a> {
    store: &'a mut dyn Store,
    /// Bytes in the store.
    len: usize,
    /// The offset of the block or chunk that is being read, for faults of the store.
    place: usize,
}

impl Written<'_> {
    /// Returns the number of bytes.
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    #[cold]
    fn fault(&self, error: Error) -> Fault {
        Fault::new(error.kind, self.place)
    }

    /// Fills up to `len` bytes of the page that follows, from `at` on, with those from `back` bytes
    /// before. Moves `at` on.
    #[cfg_attr(feature = "small", inline(never))]
    pub(crate) fn repeat(&mut self, page: &mut [u8], at: &mut usize, back: usize, len: usize) -> Verdict<()> {
        let start = *at;
        let Some(older @ 1..) = back.checked_sub(start) else {
            repeat_within(page, at, start - back, len);
            return Ok(());
        };
        let free = page.get_mut(start..).unwrap_or_default();
        let len = len.min(older).min(free.len());
        let from = u64_from(self.len.wrapping_sub(older));
        let read = self.store.read(from, free.get_mut(..len).unwrap_or_default());
        read.map_err(|error| self.fault(error))?;
        *at += len;
        Ok(())
    }
}

/// Fills up to `len` bytes of a page, from `at` on, with those from `from` on. Moves `at` on.
#[cfg_attr(feature = "small", inline(never))]
fn repeat_within(page: &mut [u8], at: &mut usize, from: usize, len: usize) {
    let len = len.min(page.len().saturating_sub(*at));
    byte_by_byte(page, from, *at, len);
    *at += len;
}

/// A store, and the page that is being filled.
///
/// A full page is written when the next byte needs its place. That keeps the last page back until
/// the file is verified.
pub(crate) struct Pages<'a> {
    written: Written<'a>,
    page: &'a mut [u8],
    /// Bytes in the page, and those of them that were hashed.
    filled: usize,
    hashed: usize,
    /// There is one page: it keeps the bytes that were written last.
    is_ring: bool,
}

/// The store of a ring, which keeps all bytes in the page.
pub(crate) struct Ring;

impl Store for Ring {
    fn capacity(&self) -> u64 {
        u64::MAX
    }

    fn read(&mut self, _: u64, _: &mut [u8]) -> Result<()> {
        Ok(())
    }

    fn write(&mut self, _: u64, _: &[u8]) -> Result<()> {
        Ok(())
    }
}

impl<'a> Pages<'a> {
    pub(crate) fn new(store: &'a mut dyn Store, page: &'a mut [u8]) -> Result<Self> {
        if page.is_empty() {
            return Err(Error::new(ErrorKind::WorkspaceTooSmall, 0).needing(1));
        }
        Ok(Self { written: Written { store, len: 0, place: 0 }, page, filled: 0, hashed: 0, is_ring: false })
    }

    /// Returns a ring, at least as long as matches reach back, whose next byte is at `filled`.
    pub(crate) fn ring(store: &'a mut Ring, page: &'a mut [u8], filled: usize) -> Self {
        Self { written: Written { store, len: 0, place: 0 }, page, filled, hashed: filled, is_ring: true }
    }

    /// Returns the number of bytes so far.
    pub(crate) const fn len(&self) -> usize {
        self.written.len + self.filled
    }

    /// Returns the most bytes that the store holds, as far as they can be counted.
    pub(crate) fn capacity(&self) -> usize {
        index(self.written.store.capacity())
    }

    /// Returns the number of bytes that may follow.
    pub(crate) fn room(&self) -> usize {
        self.capacity().saturating_sub(self.len())
    }

    /// Returns the length of an older image that is not in memory.
    pub(crate) fn old_len(&self) -> usize {
        index(self.written.store.old_len())
    }

    /// Sets the offset for faults of the store.
    pub(crate) const fn set_place(&mut self, place: usize) {
        self.written.place = place;
    }

    /// Returns the pages in the store, the one that is being filled, and how many bytes it has.
    pub(crate) const fn parts(&mut self) -> (&mut Written<'a>, &mut [u8], usize) {
        (&mut self.written, self.page, self.filled)
    }

    /// Passes the bytes of the page that are new to `hash`.
    pub(crate) fn hash(&mut self, mut hash: impl FnMut(&[u8])) {
        hash(self.page.get(self.hashed..self.filled).unwrap_or_default());
        self.hashed = self.filled;
    }

    /// Writes the page if it is full.
    pub(crate) fn make_room(&mut self, hash: impl FnMut(&[u8])) -> Verdict<()> {
        if self.filled < self.page.len() {
            return Ok(());
        }
        self.hash(hash);
        self.flush()
    }

    /// Returns the free part of the page.
    pub(crate) fn free(&mut self) -> &mut [u8] {
        self.page.get_mut(self.filled..).unwrap_or_default()
    }

    /// Adds bytes of the free part that the caller has filled.
    pub(crate) const fn add(&mut self, len: usize) {
        self.filled += len;
    }

    /// Adds up to `len` bytes from `back` bytes before the end of an older image. If it is not
    /// `old`, it is in the store.
    pub(crate) fn add_old(&mut self, old: &[u8], back: usize, len: usize) -> Verdict<()> {
        let free = self.page.get_mut(self.filled..).unwrap_or_default();
        let len = len.min(back).min(free.len());
        let to = free.get_mut(..len).unwrap_or_default();
        if let Some(at) = old.len().checked_sub(back) {
            copy(old.get(at..).unwrap_or_default(), to);
        } else {
            let at = self.written.store.old_len().saturating_sub(u64_from(back));
            self.written.store.read_old(at, to).map_err(|error| self.written.fault(error))?;
        }
        self.filled += len;
        Ok(())
    }

    /// Adds up to `len` bytes from `back` bytes before the end.
    pub(crate) fn repeat(&mut self, back: usize, len: usize) -> Verdict<()> {
        match back.checked_sub(self.filled) {
            Some(older @ 1..) if self.is_ring => {
                let from = self.page.len().saturating_sub(older);
                repeat_within(self.page, &mut self.filled, from, len.min(older));
                Ok(())
            }
            _ => self.written.repeat(self.page, &mut self.filled, back, len),
        }
    }

    /// Writes the page, which was hashed.
    pub(crate) fn flush(&mut self) -> Verdict<()> {
        let page = self.page.get(..self.filled).unwrap_or_default();
        if !page.is_empty() {
            let wrote = self.written.store.write(u64_from(self.written.len), page);
            wrote.map_err(|error| self.written.fault(error))?;
        }
        self.written.len += self.filled;
        (self.filled, self.hashed) = (0, 0);
        Ok(())
    }
}

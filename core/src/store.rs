//! Targets of decoded bytes that can be read back, such as flash: they hold the history of matches.

use crate::copy::{SLACK, byte_by_byte, repeat};
use crate::fault::{Fault, Verdict};
use crate::num::{copy, index, u64_from};
use crate::tuning::SMALL;
use crate::{Error, ErrorKind, Result, Sink};

/// Takes decoded bytes page by page, and returns those that it has.
///
/// A decoder that writes to a store needs no window: matches refer to bytes in the store, or in the
/// page that is being filled. The caller lends the page. Its length is that of all writes but the
/// last.
///
/// An error of a store ends decoding. It returns with an offset in the block or chunk that was
/// being read.
///
/// A decoder is compiled for each type of store, which saves the flash of calls through a table.
/// With `&mut dyn Store` as that type, a program with several has one copy:
///
/// ```
/// # #[cfg(feature = "xz")] {
/// use unspool::{SinkStore, SliceStore, Store, xz};
/// # let file = b"\xFD7zXZ\0\0\x01i\"\xDE6\x02\0!\x01\0\0\0\07'\x97\xD6\xE0\0\x16\0\x0E]\0:\x9B\x8A\xCD\xCA\x08\x14\xAF\xF7\xF9x\xE8\x80\0\0\0\0c\xC9\xC4\x7F\0\x01&\x17\xC8\xB3\x8B`\x90B\x99\r\x01\0\0\0\0\x01YZ";
/// let decode = |mut store: &mut dyn Store| {
///     let mut tables = xz::Tables::<[xz::Literals; 8]>::new();
///     xz::decode_to_store(file, &mut store, &mut tables, &mut [0; 8], &xz::Options::DEFAULT)
/// };
/// assert_eq!(decode(&mut SliceStore::new(&mut [0; 64]))?.wrote, 23);
/// assert_eq!(decode(&mut SinkStore::new(&mut [0; 64], |_: &[u8]| Ok(())))?.wrote, 23);
/// # }
/// # Ok::<(), unspool::Error>(())
/// ```
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

impl<S: Store + ?Sized> Store for &mut S {
    fn capacity(&self) -> u64 {
        (**self).capacity()
    }

    fn read(&mut self, at: u64, into: &mut [u8]) -> Result<()> {
        (**self).read(at, into)
    }

    fn write(&mut self, at: u64, page: &[u8]) -> Result<()> {
        (**self).write(at, page)
    }

    fn old_len(&self) -> u64 {
        (**self).old_len()
    }

    fn read_old(&mut self, at: u64, into: &mut [u8]) -> Result<()> {
        (**self).read_old(at, into)
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

/// A store, and the page that is being filled.
///
/// A full page is written when the next byte needs its place. That keeps the last page back until
/// the file is verified.
pub(crate) struct Pages<'a, S> {
    store: &'a mut S,
    page: &'a mut [u8],
    /// Bytes in the store, bytes in the page, and those of them that were hashed.
    written: usize,
    filled: usize,
    hashed: usize,
    /// There is one page: it keeps the bytes that were written last.
    is_ring: bool,
    /// The offset of the block or chunk that is being read, for faults of the store.
    place: usize,
    /// The first fault of the store, which is not called again.
    verdict: Verdict<()>,
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

impl<'a, S: Store> Pages<'a, S> {
    pub(crate) fn new(store: &'a mut S, page: &'a mut [u8]) -> Result<Self> {
        if page.is_empty() {
            return Err(Error::new(ErrorKind::WorkspaceTooSmall, 0).needing(1));
        }
        Ok(Self { store, page, written: 0, filled: 0, hashed: 0, is_ring: false, place: 0, verdict: Ok(()) })
    }

    /// Returns the number of bytes so far.
    pub(crate) const fn len(&self) -> usize {
        self.written + self.filled
    }

    /// Returns the most bytes that the store holds. It is never the largest length, which means
    /// that content cannot be counted.
    pub(crate) fn capacity(&self) -> usize {
        index(self.store.capacity()).min(usize::MAX - 1)
    }

    /// Returns the number of bytes that may follow.
    pub(crate) fn room(&self) -> usize {
        self.capacity().saturating_sub(self.len())
    }

    /// Returns the length of an older image that is not in memory.
    pub(crate) fn old_len(&self) -> usize {
        index(self.store.old_len())
    }

    /// Sets the offset for faults of the store.
    pub(crate) const fn set_place(&mut self, place: usize) {
        self.place = place;
    }

    /// Returns the fault of the store, if there was one.
    pub(crate) const fn verdict(&self) -> Verdict<()> {
        self.verdict
    }

    /// Calls the store with a part of the page, unless it failed before.
    fn call(&mut self, at: usize, len: usize, call: impl FnOnce(&mut S, &mut [u8]) -> Result<()>) {
        let part = self.page.get_mut(at..).unwrap_or_default().get_mut(..len).unwrap_or_default();
        if self.verdict.is_ok()
            && let Err(error) = call(self.store, part)
        {
            self.verdict = Err(Fault::new(error.kind, self.place));
        }
    }

    /// Passes the bytes of the page that are new to `hash`.
    pub(crate) fn hash(&mut self, mut hash: impl FnMut(&[u8])) {
        hash(self.page.get(self.hashed..self.filled).unwrap_or_default());
        self.hashed = self.filled;
    }

    /// Writes the page if it is full.
    pub(crate) fn make_room(&mut self, hash: impl FnMut(&[u8])) {
        if self.filled >= self.page.len() {
            self.hash(hash);
            self.flush();
        }
    }

    /// Writes the page, which was hashed.
    fn flush(&mut self) {
        let (at, len) = (self.written, self.filled);
        if len > 0 {
            self.call(0, len, |store, page| store.write(u64_from(at), page));
        }
        self.written += len;
        (self.filled, self.hashed) = (0, 0);
    }

    /// Writes the last page, once all checksums were compared. Returns the fault of the store, if
    /// there was one.
    pub(crate) fn finish(&mut self) -> Verdict<()> {
        self.flush();
        self.verdict
    }

    /// Returns the free part of the page.
    pub(crate) fn free(&mut self) -> &mut [u8] {
        self.page.get_mut(self.filled..).unwrap_or_default()
    }

    /// Adds bytes of the free part that the caller has filled.
    pub(crate) const fn add(&mut self, len: usize) {
        self.filled += len;
    }

    /// Adds a byte, for which there is room.
    pub(crate) fn push(&mut self, byte: u8) {
        if let Some(place) = self.page.get_mut(self.filled) {
            *place = byte;
        }
        self.filled += 1;
    }

    /// Adds up to `len` bytes from `back` bytes before the end of an older image. If it is not
    /// `old`, it is in the store.
    pub(crate) fn add_old(&mut self, old: &[u8], back: usize, len: usize) {
        let start = self.filled;
        let len = len.min(back).min(self.page.len().saturating_sub(start));
        if let Some(at) = old.len().checked_sub(back) {
            copy(old.get(at..).unwrap_or_default(), self.free().get_mut(..len).unwrap_or_default());
        } else {
            self.call(start, len, |store, into| {
                let at = store.old_len().saturating_sub(u64_from(back));
                store.read_old(at, into)
            });
        }
        self.filled += len;
    }

    /// Returns the last byte, after [`repeat`](Self::repeat).
    pub(crate) fn last(&self) -> u8 {
        self.page.get(self.filled.wrapping_sub(1)).copied().unwrap_or(0)
    }

    /// Takes the last byte away, after [`repeat`](Self::repeat).
    pub(crate) fn pop(&mut self) -> u8 {
        self.filled = self.filled.wrapping_sub(1);
        self.page.get(self.filled).copied().unwrap_or(0)
    }

    /// Adds up to `len` bytes from `back` bytes before the end.
    #[cfg_attr(feature = "small", inline(never))]
    pub(crate) fn repeat(&mut self, back: usize, len: usize) {
        let start = self.filled;
        let room = self.page.len().saturating_sub(start);
        let mut len = len.min(room);
        match back.checked_sub(start) {
            Some(older @ 1..) if self.is_ring => {
                len = len.min(older);
                byte_by_byte(self.page, self.page.len().saturating_sub(older), start, len);
            }
            Some(older @ 1..) => {
                len = len.min(older);
                let from = u64_from(self.written.wrapping_sub(older));
                self.call(start, len, |store, into| store.read(from, into));
            }
            _ if !SMALL && len.saturating_add(SLACK) <= room => {
                let _ = repeat(self.page, start, back, len);
            }
            _ => byte_by_byte(self.page, start - back, start, len),
        }
        self.filled += len;
    }
}

impl<'a> Pages<'a, Ring> {
    /// Returns a ring, at least as long as matches reach back, whose next byte is at `filled`.
    pub(crate) fn ring(store: &'a mut Ring, page: &'a mut [u8], filled: usize) -> Self {
        Self { store, page, written: 0, filled, hashed: filled, is_ring: true, place: 0, verdict: Ok(()) }
    }
}

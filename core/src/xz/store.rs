//! The door that decodes to a store, which is the dictionary as well.

use super::check::Check;
use super::lzma::{History, Past};
use super::options::Options;
use super::whole::{Goal, Output, Symbols, Whole};
use super::workspace::Tables;
use crate::fault::{Fault, Verdict};
use crate::num::copy;
use crate::store::{Pages, Store, Written};
use crate::{Done, Result};

/// Decodes a file to a store, page by page.
///
/// The file is in memory or in mapped flash. A page and [`Tables`] are all further memory. Bytes
/// before the page are read back from the store, so that they cannot be passed through filters
/// after LZMA2: a file with filters is refused with [`XzFilter`](crate::ErrorKind::XzFilter).
///
/// Pages are written before the check of their block is known, except the last. After an error, or
/// a loss of power, start again: the same pages come in the same order. Until the call returns, the
/// store must not hold the only working image.
///
/// ```
/// use unspool::{SliceStore, xz};
/// # let file = b"\xFD7zXZ\0\0\x01i\"\xDE6\x02\0!\x01\0\0\0\07'\x97\xD6\xE0\0\x16\0\x0E]\0:\x9B\x8A\xCD\xCA\x08\x14\xAF\xF7\xF9x\xE8\x80\0\0\0\0c\xC9\xC4\x7F\0\x01&\x17\xC8\xB3\x8B`\x90B\x99\r\x01\0\0\0\0\x01YZ";
/// let (mut flash, mut page) = ([0; 64], [0; 8]);
/// let mut store = SliceStore::new(&mut flash);
/// let mut tables = xz::Tables::<[xz::Literals; 8]>::new();
/// let options = xz::Options::DEFAULT;
/// let done = xz::decode_to_store(file, &mut store, &mut tables, &mut page, &options)?;
/// assert_eq!(&flash[..done.wrote], b"unspool unspool unspool");
/// # Ok::<(), unspool::Error>(())
/// ```
pub fn decode_to_store(
    src: &[u8],
    store: &mut impl Store,
    workspace: &mut impl AsMut<Tables>,
    page: &mut [u8],
    options: &Options,
) -> Result<Done> {
    run(src, Pages::new(store, page)?, workspace.as_mut(), options)
}

/// Not generic, so that a program with two kinds of store has one copy. With filters the frame of a
/// caller would exceed 512 bytes; without them a call would only add flash.
#[cfg_attr(feature = "xz-filters", inline(never))]
fn run(src: &[u8], pages: Pages<'_>, tables: &mut Tables, options: &Options) -> Result<Done> {
    let trace = &mut ();
    let mut whole = Whole::new(src, Paged { pages, base: 0 }, tables, options, trace);
    let done = whole.file(Goal::Decode)?;
    whole.out.pages.set_place(src.len());
    whole.out.pages.flush()?;
    Ok(done)
}

/// Pages that are filled.
struct Paged<'a> {
    pages: Pages<'a>,
    /// Position of the oldest byte that matches reach, and that positions count from.
    base: usize,
}

impl Paged<'_> {
    /// Writes the page if it is full.
    #[cfg_attr(feature = "small", inline(never))]
    fn make_room(&mut self, check: &mut Check) -> Verdict<()> {
        self.pages.make_room(|bytes| check.update(bytes))
    }
}

impl Output for Paged<'_> {
    fn len(&self) -> usize {
        self.pages.len()
    }

    fn capacity(&self) -> usize {
        self.pages.capacity()
    }

    fn empty(&mut self) {
        self.base = self.pages.len();
    }

    fn append(&mut self, mut bytes: &[u8], check: &mut Check) -> Verdict<()> {
        while !bytes.is_empty() {
            self.make_room(check)?;
            let free = self.pages.free();
            let len = free.len().min(bytes.len());
            copy(bytes, free);
            self.pages.add(len);
            bytes = bytes.get(len..).unwrap_or_default();
        }
        Ok(())
    }

    fn decode(
        &mut self,
        symbols: Symbols<'_>,
        mut len: usize,
        dictionary: usize,
        check: &mut Check,
    ) -> (Verdict<usize>, bool) {
        let Symbols { lzma, literals, bytes, least } = symbols;
        let mut used = 0;
        loop {
            if let Err(fault) = self.make_room(check) {
                return (Err(fault.offset_by(used)), false);
            }
            let (written, buf, at) = self.pages.parts();
            let limit = buf.len().min(at.saturating_add(len));
            let mut past = Stored { start: written.len().wrapping_sub(self.base), written, failed: None };
            let mut area = History { buf, at, limit, dictionary };
            let run = lzma.run(literals, bytes.get(used..).unwrap_or_default(), least, &mut past, &mut area);
            let (failed, made) = (past.failed, area.at - at);
            let starved = area.at < limit;
            self.pages.add(made);
            len -= made;
            match failed.map_or(run, Err) {
                Ok(more) => used += more,
                Err(fault) => return (Err(fault.offset_by(used)), len == 0),
            }
            if starved || len == 0 || used > bytes.len() {
                return (Ok(used), len == 0);
            }
        }
    }

    fn hash(&mut self, _: usize, check: &mut Check) {
        self.pages.hash(|bytes| check.update(bytes));
    }

    fn filter(&mut self, _: usize) -> Option<&mut [u8]> {
        None
    }
}

/// The bytes in a store, before the page.
struct Stored<'a, 'b> {
    written: &'a mut Written<'b>,
    /// The position of the page, from the start of the dictionary.
    start: usize,
    /// The error of the store, which ends the run after this page.
    failed: Option<Fault>,
}

impl Past for &mut Stored<'_, '_> {
    fn resumes(&self) -> bool {
        true
    }

    fn start(&self) -> usize {
        self.start
    }

    fn is_empty(&self, at: usize) -> bool {
        self.start.wrapping_add(at) == 0
    }

    fn reaches(&self, at: usize, back: usize) -> bool {
        back < self.start.wrapping_add(at)
    }

    fn byte(&mut self, _: &[u8], at: usize, distance: usize) -> u8 {
        let mut byte = [0];
        self.copy(&mut byte, 0, distance.wrapping_sub(at), 1, 1);
        byte[0]
    }

    fn copy(&mut self, buf: &mut [u8], mut at: usize, distance: usize, mut len: usize, _: usize) {
        while len > 0 {
            let before = at;
            if let Err(fault) = self.written.repeat(buf, &mut at, distance, len) {
                self.failed = Some(fault);
                return;
            }
            len -= at - before;
        }
    }
}

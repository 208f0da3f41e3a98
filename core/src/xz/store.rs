//! The door that decodes to a store, which is the dictionary as well.

use super::check::Check;
use super::lzma::{Area, History};
use super::options::Options;
use super::whole::{Goal, Output, Symbols, Whole};
use super::workspace::Tables;
use crate::fault::Verdict;
use crate::store::{Pages, Store};
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

/// With filters, the frame of a caller would exceed 512 bytes. Without them, a call would only add
/// flash.
#[cfg_attr(feature = "xz-filters", inline(never))]
fn run<S: Store>(src: &[u8], pages: Pages<'_, S>, tables: &mut Tables, options: &Options) -> Result<Done> {
    let trace = &mut ();
    let mut whole = Whole::new(src, Paged { pages, base: 0 }, tables, options, trace);
    let done = whole.file(Goal::Decode)?;
    whole.out.pages.set_place(src.len());
    whole.out.pages.finish()?;
    Ok(done)
}

/// Pages that are filled.
struct Paged<'a, S> {
    pages: Pages<'a, S>,
    /// Position of the oldest byte that matches reach, and that positions count from.
    base: usize,
}

impl<S: Store> Output for Paged<'_, S> {
    fn len(&self) -> usize {
        self.pages.len()
    }

    fn capacity(&self) -> usize {
        self.pages.capacity()
    }

    fn empty(&mut self) {
        self.base = self.pages.len();
    }

    fn append(&mut self, bytes: &[u8], check: &mut Check) -> Verdict<()> {
        let mut stored = Stored { pages: &mut self.pages, check };
        bytes.iter().for_each(|&byte| stored.push(&mut [], 0, byte));
        self.pages.verdict()
    }

    fn decode(
        &mut self,
        symbols: Symbols<'_>,
        len: usize,
        dictionary: usize,
        check: &mut Check,
    ) -> Verdict<(usize, bool)> {
        let Symbols { lzma, literals, bytes, least } = symbols;
        let at = self.pages.len() - self.base;
        let mut area = Area { buf: &mut [], at, limit: at.wrapping_add(len), dictionary };
        let run = lzma.run(literals, bytes, least, Stored { pages: &mut self.pages, check }, &mut area);
        self.pages.verdict()?;
        Ok(run)
    }

    fn hash(&mut self, _: usize, check: &mut Check) {
        self.pages.hash(|bytes| check.update(bytes));
    }

    fn filter(&mut self, _: usize) -> Option<&mut [u8]> {
        None
    }
}

/// The pages in a store.
struct Stored<'a, 'b, S> {
    pages: &'a mut Pages<'b, S>,
    check: &'a mut Check,
}

impl<S: Store> Stored<'_, '_, S> {
    #[cfg_attr(feature = "small", inline(never))]
    fn make_room(&mut self) {
        self.pages.make_room(|bytes| self.check.update(bytes));
    }
}

impl<S: Store> History for Stored<'_, '_, S> {
    #[cfg_attr(feature = "small", inline(never))]
    fn byte(&mut self, _: &[u8], _: usize, distance: usize) -> u8 {
        self.make_room();
        self.pages.repeat(distance, 1);
        self.pages.pop()
    }

    fn last(&self, _: &[u8], _: usize) -> u8 {
        self.pages.last()
    }

    #[cfg_attr(feature = "small", inline(never))]
    fn push(&mut self, _: &mut [u8], _: usize, byte: u8) {
        self.make_room();
        self.pages.push(byte);
    }

    fn copy(&mut self, _: &mut [u8], at: usize, distance: usize, len: usize, limit: usize) -> usize {
        let fits = len.min(limit - at);
        let mut len = fits;
        while len > 0 {
            self.make_room();
            let before = self.pages.len();
            self.pages.repeat(distance, len);
            len -= self.pages.len() - before;
        }
        fits
    }
}

//! An adapter for [`embedded_storage`]: a slot of NOR flash as a [`Store`].

use core::ops::Range;

use embedded_storage::nor_flash::NorFlash;

use crate::num::{copy, u64_from};
use crate::{Error, ErrorKind, Result, Store};

/// A slot of NOR flash that is erased and written page by page, and an older image beside it.
///
/// The page that is lent to a decoder is a multiple of `WRITE_SIZE`. A sector is erased when a page
/// reaches its start.
///
/// If the page is a multiple of `ERASE_SIZE`, flash that already holds the bytes of a page is
/// neither erased nor written. After a loss of power, decoding starts again: it reads and compares
/// the pages that are there, and writes the others.
///
/// An error of the flash ends decoding with [`StoreFailed`](ErrorKind::StoreFailed);
/// [`failure`](Self::failure) returns it.
#[derive(Debug)]
pub struct NorStore<F: NorFlash> {
    flash: F,
    slot: Range<u32>,
    old: Range<u32>,
    failure: Option<F::Error>,
}

/// Bytes that are read at a time, at most, for comparison and for alignment. No known flash reads
/// or writes units that are longer.
const UNIT: usize = 64;

impl<F: NorFlash> NorStore<F> {
    /// Returns a store that fills `slot`, a range of whole sectors.
    pub const fn new(flash: F, slot: Range<u32>) -> Self {
        Self { flash, slot, old: 0..0, failure: None }
    }

    /// Returns the same store with the range of an older image, for patches that refer to it.
    #[must_use]
    pub fn with_old(self, old: Range<u32>) -> Self {
        Self { old, ..self }
    }

    /// Returns the error of the flash that ended decoding, once.
    pub const fn failure(&mut self) -> Option<F::Error> {
        self.failure.take()
    }

    /// Returns the flash.
    pub fn into_inner(self) -> F {
        self.flash
    }

    fn attempt(&mut self, at: u64, done: core::result::Result<(), F::Error>) -> Result<()> {
        done.map_err(|failure| {
            self.failure = Some(failure);
            Error::new(ErrorKind::StoreFailed, at)
        })
    }

    /// Reads from `at` on, in units that the flash can read.
    fn read_range(&mut self, range: Range<u32>, at: u64, into: &mut [u8]) -> Result<()> {
        let outside = Error::new(ErrorKind::StoreFailed, at);
        let end = at.checked_add(u64_from(into.len())).ok_or(outside)?;
        if end > u64::from(range.end.saturating_sub(range.start)) {
            return Err(outside);
        }
        let mut from = u32::try_from(at).ok().and_then(|at| range.start.checked_add(at)).ok_or(outside)?;
        if F::READ_SIZE == 1 {
            let done = self.flash.read(from, into);
            return self.attempt(at, done);
        }
        let unit = u32::try_from(F::READ_SIZE).ok().filter(|&unit| unit > 0).ok_or(outside)?;
        let mut rest = into;
        while !rest.is_empty() {
            // One unit at a time, because the bytes may start and end inside of one.
            let mut bytes = [0; UNIT];
            let skipped = from.checked_rem(unit).unwrap_or(0);
            let unit = bytes.get_mut(..F::READ_SIZE).ok_or(outside)?;
            let done = self.flash.read(from - skipped, unit);
            let unit = unit.get(skipped as usize..).unwrap_or_default();
            copy(unit, rest);
            let len = unit.len().min(rest.len());
            rest = rest.split_at_mut_checked(len).unwrap_or_default().1;
            from = from.saturating_add(u32::try_from(len).unwrap_or(u32::MAX));
            self.attempt(at, done)?;
        }
        Ok(())
    }

    /// Returns whether the slot already holds this page.
    fn holds(&mut self, mut at: u64, page: &[u8]) -> Result<bool> {
        let mut bytes = [0; UNIT];
        for piece in page.chunks(UNIT) {
            let room = bytes.get_mut(..piece.len()).unwrap_or_default();
            self.read_range(self.slot.clone(), at, room)?;
            if room != piece {
                return Ok(false);
            }
            at = at.saturating_add(u64_from(piece.len()));
        }
        Ok(true)
    }

    /// Erases the sectors that begin in these bytes, and writes them. The last unit is padded.
    fn rewrite(&mut self, start: u32, page: &[u8]) -> core::result::Result<(), F::Error> {
        let sector = |at: u32| {
            let size = u32::try_from(F::ERASE_SIZE).unwrap_or(u32::MAX);
            at.checked_next_multiple_of(size).unwrap_or(u32::MAX)
        };
        let len = |bytes: &[u8]| u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        let end = start.saturating_add(len(page));
        if sector(start) < sector(end) {
            self.flash.erase(sector(start), sector(end))?;
        }
        let rest = page.len().checked_rem(F::WRITE_SIZE).unwrap_or(0);
        let (whole, rest) = page.split_at_checked(page.len() - rest).unwrap_or_default();
        self.flash.write(start, whole)?;
        if rest.is_empty() {
            return Ok(());
        }
        let mut bytes = [0xFF; UNIT];
        copy(rest, &mut bytes);
        self.flash.write(start.saturating_add(len(whole)), bytes.get(..F::WRITE_SIZE).unwrap_or(rest))
    }
}

impl<F: NorFlash> Store for NorStore<F> {
    fn capacity(&self) -> u64 {
        self.slot.end.saturating_sub(self.slot.start).into()
    }

    fn read(&mut self, at: u64, into: &mut [u8]) -> Result<()> {
        self.read_range(self.slot.clone(), at, into)
    }

    fn write(&mut self, at: u64, page: &[u8]) -> Result<()> {
        let outside = Error::new(ErrorKind::StoreFailed, at);
        let end = at.checked_add(u64_from(page.len())).filter(|&end| end <= self.capacity()).ok_or(outside)?;
        let start = u32::try_from(at).ok().and_then(|at| self.slot.start.checked_add(at)).ok_or(outside)?;
        let begins_sector = |at: u64| at.checked_rem(u64_from(F::ERASE_SIZE)) == Some(0);
        if begins_sector(start.into()) && begins_sector(end - at) {
            match self.holds(at, page) {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                // Flash with error correction does not read what a loss of power left half written.
                // Writing the page erases that.
                Err(_) => self.failure = None,
            }
        }
        let done = self.rewrite(start, page);
        self.attempt(at, done)
    }

    fn old_len(&self) -> u64 {
        self.old.end.saturating_sub(self.old.start).into()
    }

    fn read_old(&mut self, at: u64, into: &mut [u8]) -> Result<()> {
        self.read_range(self.old.clone(), at, into)
    }
}

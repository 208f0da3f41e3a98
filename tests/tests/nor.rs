//! A slot of NOR flash as a store, for flash of several kinds that enforces its rules.
#![allow(clippy::cast_possible_truncation, reason = "test inputs are small")]

use std::path::Path;

use embedded_storage::nor_flash::{ErrorType, NorFlash, NorFlashErrorKind, ReadNorFlash};
use unspool::nor::NorStore;
use unspool::zstd::{self, Dictionary, Options, Workspace};
use unspool::{ErrorKind, Store};
use unspool_tests::read;

/// NOR flash: writes are aligned and only to erased bytes. It can lose its power, and then refuses
/// to read the unit that was being written, until it is erased.
struct Nor<const READ: usize, const WRITE: usize, const ERASE: usize> {
    bytes: Vec<u8>,
    erased: usize,
    written: usize,
    /// Units that can be written until the power fails.
    power: usize,
    /// The place of the unit that is half written.
    torn: Option<usize>,
}

impl<const READ: usize, const WRITE: usize, const ERASE: usize> Nor<READ, WRITE, ERASE> {
    /// Returns flash that holds something else.
    fn new(len: usize) -> Self {
        Self { bytes: vec![0x5A; len], erased: 0, written: 0, power: usize::MAX, torn: None }
    }
}

impl<const READ: usize, const WRITE: usize, const ERASE: usize> ErrorType for Nor<READ, WRITE, ERASE> {
    type Error = NorFlashErrorKind;
}

impl<const READ: usize, const WRITE: usize, const ERASE: usize> ReadNorFlash for Nor<READ, WRITE, ERASE> {
    const READ_SIZE: usize = READ;

    fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), NorFlashErrorKind> {
        let at = offset as usize;
        if !at.is_multiple_of(READ) || !bytes.len().is_multiple_of(READ) {
            return Err(NorFlashErrorKind::NotAligned);
        }
        if self.torn.is_some_and(|torn| (at..at + bytes.len()).contains(&torn)) {
            return Err(NorFlashErrorKind::Other);
        }
        bytes.copy_from_slice(self.bytes.get(at..at + bytes.len()).ok_or(NorFlashErrorKind::OutOfBounds)?);
        Ok(())
    }

    fn capacity(&self) -> usize {
        self.bytes.len()
    }
}

impl<const READ: usize, const WRITE: usize, const ERASE: usize> NorFlash for Nor<READ, WRITE, ERASE> {
    const WRITE_SIZE: usize = WRITE;
    const ERASE_SIZE: usize = ERASE;

    fn erase(&mut self, from: u32, to: u32) -> Result<(), NorFlashErrorKind> {
        let (from, to) = (from as usize, to as usize);
        assert!(from.is_multiple_of(ERASE) && to.is_multiple_of(ERASE) && from < to, "{from}..{to}");
        self.bytes.get_mut(from..to).ok_or(NorFlashErrorKind::OutOfBounds)?.fill(0xFF);
        self.torn = self.torn.filter(|torn| !(from..to).contains(torn));
        self.erased += (to - from) / ERASE;
        Ok(())
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), NorFlashErrorKind> {
        let at = offset as usize;
        if !at.is_multiple_of(WRITE) || !bytes.len().is_multiple_of(WRITE) {
            return Err(NorFlashErrorKind::NotAligned);
        }
        let places = (at..).step_by(WRITE).zip(self.bytes[at..].chunks_mut(WRITE));
        for (unit, (at, place)) in bytes.chunks(WRITE).zip(places) {
            let Some(power) = self.power.checked_sub(1) else {
                self.torn = Some(at);
                return Err(NorFlashErrorKind::Other);
            };
            self.power = power;
            assert!(place.iter().all(|&byte| byte == 0xFF), "a write to {at}, which is not erased");
            place.copy_from_slice(unit);
            self.written += 1;
        }
        Ok(())
    }
}

fn vector(name: &str) -> Vec<u8> {
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/patch").join(name))
}

/// Updates in flash of this kind: slot A at the start, slot B at 64 KiB.
fn updates<const READ: usize, const WRITE: usize, const ERASE: usize>(pages: &[usize]) {
    const SLOT: u32 = 64 << 10;
    let (old, patch) = (vector("old.bin"), vector("update.zst"));
    let options = Options { dictionary: Some(Dictionary::raw(&old)), ..Options::DEFAULT };
    let new = zstd::decode_to_vec(&patch, &options).unwrap();
    for &page in pages {
        let mut flash = Nor::<READ, WRITE, ERASE>::new(SLOT as usize * 2);
        flash.bytes[..old.len()].copy_from_slice(&old);
        let update = |flash: &mut Nor<READ, WRITE, ERASE>| {
            let mut store = NorStore::new(flash, SLOT..2 * SLOT).with_old(0..old.len() as u32);
            let done =
                zstd::decode_to_store(&patch, &mut store, &mut Workspace::new(), &mut vec![0; page], &Options::DEFAULT);
            (done.map_err(|error| error.kind), store.failure())
        };
        let holds = |flash: &Nor<READ, WRITE, ERASE>| flash.bytes[SLOT as usize..].starts_with(&new);
        assert_eq!(update(&mut flash).0.map(|done| done.wrote), Ok(new.len()));
        assert!(holds(&flash), "pages of {page}");
        assert_eq!((flash.erased, flash.written), (new.len().div_ceil(ERASE), new.len().div_ceil(WRITE)));
        // Once more: whole sectors are there.
        (flash.erased, flash.written) = (0, 0);
        assert_eq!(update(&mut flash).1, None);
        assert!(holds(&flash));
        if page.is_multiple_of(ERASE) {
            assert!(flash.erased <= page / ERASE, "{} sectors again", flash.erased);
        }
        // The power fails again and again.
        flash.bytes[SLOT as usize..].fill(0x5A);
        let mut failures = 0;
        loop {
            flash.power = 12_000 / WRITE;
            match update(&mut flash) {
                (Ok(done), None) => break assert_eq!(done.wrote, new.len()),
                (Err(ErrorKind::StoreFailed), Some(NorFlashErrorKind::Other)) => failures += 1,
                other => panic!("{other:?}"),
            }
            if !page.is_multiple_of(ERASE) || page > 12_000 {
                // Without whole sectors, nothing is skipped.
                flash.power = usize::MAX;
                update(&mut flash).0.unwrap();
                break;
            }
            assert!(failures < 4);
        }
        assert!(holds(&flash) && failures > 0, "pages of {page}");
    }
}

#[test]
fn updates_flash_of_several_kinds() {
    updates::<1, 4, 1024>(&[4, 256, 1024, 2048, 4096, 1 << 20]);
    updates::<1, 1, 4096>(&[1, 77, 4096]);
    updates::<4, 8, 2048>(&[8, 2048, 6144]);
    updates::<32, 32, 8192>(&[32, 8192]);
}

#[test]
fn refuses_what_is_outside_of_a_slot() {
    let mut store = NorStore::new(Nor::<4, 4, 1024>::new(4096), 1024..2048).with_old(0..100);
    assert_eq!((store.capacity(), store.old_len()), (1024, 100));
    let failed = |done: unspool::Result<()>| done.map_err(|error| error.kind) == Err(ErrorKind::StoreFailed);
    assert!(failed(store.read(1020, &mut [0; 5])) && failed(store.read(u64::MAX, &mut [0; 5])));
    assert!(failed(store.read_old(96, &mut [0; 5])) && failed(store.write(1000, &[0; 28])));
    assert!(store.read(1019, &mut [0; 5]).is_ok() && store.read_old(95, &mut [0; 5]).is_ok());
    // A page whose length the flash cannot write.
    assert!(store.write(0, &[1; 6]).is_ok() && failed(store.write(6, &[1; 6])));
    assert_eq!(store.failure(), Some(NorFlashErrorKind::NotAligned));
    let mut bytes = [0; 8];
    store.read(0, &mut bytes).unwrap();
    assert_eq!(bytes, [1, 1, 1, 1, 1, 1, 0xFF, 0xFF]);
    assert_eq!(store.into_inner().erased, 1);
}

//! Flash with two slots, as `embedded-storage` sees it.
//!
//! On the Cortex-M0 it is the flash of the nRF51822, written through its controller. The other
//! device has no flash that a program can write: there it is memory under the same rules.

use embedded_storage::nor_flash::{ErrorType, NorFlash, NorFlashError, NorFlashErrorKind, ReadNorFlash};

/// The slots: the last 64 KiB of 256 KiB.
pub const SLOTS: [core::ops::Range<u32>; 2] = [0x3_0000..0x3_8000, 0x3_8000..0x4_0000];
const START: u32 = SLOTS[0].start;
const SECTOR: usize = 1024;

/// The flash, which can lose its power.
pub struct Flash {
    /// Sectors that were erased.
    pub erased: u32,
    /// Words that can be written until the power fails.
    pub power: u32,
}

/// The power failed, or the caller broke a rule of the flash.
#[derive(Debug)]
pub struct Failure;

impl NorFlashError for Failure {
    fn kind(&self) -> NorFlashErrorKind {
        NorFlashErrorKind::Other
    }
}

impl Default for Flash {
    /// Returns the flash with power.
    fn default() -> Self {
        Self { erased: 0, power: u32::MAX }
    }
}

impl Flash {
    /// Returns the bytes of a slot, which are mapped.
    pub fn slot(&self, slot: usize) -> &[u8] {
        let range = SLOTS.get(slot).cloned().unwrap_or(START..START);
        // SAFETY: the slots are readable, and no method of this borrow writes.
        unsafe { core::slice::from_raw_parts(address(range.start).cast(), range.len()) }
    }
}

impl ErrorType for Flash {
    type Error = Failure;
}

impl ReadNorFlash for Flash {
    const READ_SIZE: usize = 1;

    fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), Failure> {
        for (at, byte) in (offset..).zip(bytes) {
            if at < START || at >= SLOTS[1].end {
                return Err(Failure);
            }
            // SAFETY: within the slots.
            *byte = unsafe { address(at).cast::<u8>().read_volatile() };
        }
        Ok(())
    }

    fn capacity(&self) -> usize {
        SLOTS[1].end as usize
    }
}

impl NorFlash for Flash {
    const WRITE_SIZE: usize = 4;
    const ERASE_SIZE: usize = SECTOR;

    fn erase(&mut self, from: u32, to: u32) -> Result<(), Failure> {
        if from < START || to > SLOTS[1].end || !(from as usize | to as usize).is_multiple_of(SECTOR) {
            return Err(Failure);
        }
        for sector in (from..to).step_by(SECTOR) {
            if self.power == 0 {
                return Err(Failure);
            }
            erase_sector(sector);
            self.erased += 1;
        }
        Ok(())
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), Failure> {
        let (words, rest) = bytes.as_chunks::<4>();
        let outside = offset < START || offset as usize + bytes.len() > SLOTS[1].end as usize;
        if outside || !offset.is_multiple_of(4) || !rest.is_empty() {
            return Err(Failure);
        }
        for (at, word) in (offset..).step_by(4).zip(words) {
            self.power = self.power.checked_sub(1).ok_or(Failure)?;
            write_word(at, u32::from_le_bytes(*word));
        }
        Ok(())
    }
}

#[cfg(target_arch = "arm")]
#[cfg(not(target_abi = "eabihf"))]
mod device {
    /// The controller: its state, its mode, and the sector to erase.
    const READY: *const u32 = 0x4001_E400 as *const u32;
    const MODE: *mut u32 = 0x4001_E504 as *mut u32;
    const ERASE: *mut u32 = 0x4001_E508 as *mut u32;

    pub fn address(at: u32) -> *mut u32 {
        at as *mut u32
    }

    fn in_mode(mode: u32, work: impl FnOnce()) {
        // SAFETY: registers of the controller. The program runs from other sectors.
        unsafe {
            MODE.write_volatile(mode);
            work();
            while READY.read_volatile() & 1 == 0 {}
            MODE.write_volatile(0);
        }
    }

    pub fn erase_sector(at: u32) {
        // SAFETY: as above.
        in_mode(2, || unsafe { ERASE.write_volatile(at) });
    }

    pub fn write_word(at: u32, word: u32) {
        // SAFETY: as above; the caller has checked the bounds.
        in_mode(1, || unsafe { address(at).write_volatile(word) });
    }
}

#[cfg(target_abi = "eabihf")]
mod device {
    use super::{SECTOR, START};

    const WORDS: usize = 64 << 8;
    static mut MEMORY: [u32; WORDS] = [u32::MAX; WORDS];

    pub fn address(at: u32) -> *mut u32 {
        let offset = (at - START) as usize % (4 * WORDS);
        (&raw mut MEMORY).cast::<u8>().wrapping_add(offset).cast()
    }

    pub fn erase_sector(at: u32) {
        for at in (at..).step_by(4).take(SECTOR / 4) {
            // SAFETY: within the memory.
            unsafe { address(at).write_volatile(u32::MAX) };
        }
    }

    pub fn write_word(at: u32, word: u32) {
        // SAFETY: within the memory. Flash only clears bits.
        unsafe { address(at).write_volatile(address(at).read_volatile() & word) };
    }
}

use device::{address, erase_sector, write_word};

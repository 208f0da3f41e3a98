//! The check that each block ends with.

#[cfg(feature = "xz-sha256")]
use crate::checksum::Sha256;
use crate::checksum::{Crc32, Crc64};

/// A kind of check that the blocks of a stream end with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CheckKind {
    /// No check.
    None,
    /// CRC-32.
    Crc32,
    /// CRC-64.
    Crc64,
    /// SHA-256. Verified with the feature `xz-sha256`.
    Sha256,
    /// Another number up to 15, without a meaning in any version of the format. Its length is
    /// known.
    Reserved(u8),
}

impl CheckKind {
    /// The kind with this number.
    pub const fn from_id(id: u8) -> Self {
        match id & 15 {
            0 => CheckKind::None,
            1 => CheckKind::Crc32,
            4 => CheckKind::Crc64,
            10 => CheckKind::Sha256,
            other => CheckKind::Reserved(other),
        }
    }

    /// The number in the file.
    pub const fn id(self) -> u8 {
        match self {
            CheckKind::None => 0,
            CheckKind::Crc32 => 1,
            CheckKind::Crc64 => 4,
            CheckKind::Sha256 => 10,
            CheckKind::Reserved(id) => id,
        }
    }

    /// Its length after a block, in bytes.
    pub const fn size(self) -> usize {
        check_len(self.id())
    }

    /// Its name for people.
    pub const fn name(self) -> &'static str {
        match self {
            CheckKind::None => "none",
            CheckKind::Crc32 => "CRC-32",
            CheckKind::Crc64 => "CRC-64",
            CheckKind::Sha256 => "SHA-256",
            CheckKind::Reserved(_) => "reserved",
        }
    }
}

/// Returns the length of the check with this number.
#[cfg_attr(feature = "small", inline(always))]
pub(super) const fn check_len(id: u8) -> usize {
    match id & 15 {
        0 => 0,
        // A third of the number, rounded up, without a division.
        id => 2 << (((id + 2) * 11) >> 5),
    }
}

/// Returns true if this build can verify the check with this number.
pub(super) const fn is_known(id: u8) -> bool {
    matches!(id, 0 | 1 | 4) || cfg!(feature = "xz-sha256") && id == 10
}

/// The length of the longest check.
pub(super) const MAX_CHECK: usize = 64;

/// A check in progress.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one at a time, and no heap for a box")]
pub(super) enum Check {
    None,
    Crc32(Crc32),
    Crc64(Crc64),
    #[cfg(feature = "xz-sha256")]
    Sha256(Sha256),
}

impl Check {
    /// Starts the check with this number.
    pub(super) fn new(id: u8) -> Self {
        match id {
            1 => Check::Crc32(Crc32::new()),
            4 => Check::Crc64(Crc64::new()),
            #[cfg(feature = "xz-sha256")]
            10 => Check::Sha256(Sha256::new()),
            // An unknown check comes here only if checks are not verified.
            _ => Check::None,
        }
    }

    pub(super) fn update(&mut self, bytes: &[u8]) {
        match self {
            Check::None => {}
            Check::Crc32(crc) => crc.update(bytes),
            Check::Crc64(crc) => crc.update(bytes),
            #[cfg(feature = "xz-sha256")]
            Check::Sha256(hash) => hash.update(bytes),
        }
    }

    /// Compares with the bytes after the block. `None` if nothing was computed.
    pub(super) fn is(&self, stored: &[u8]) -> Option<bool> {
        let number = || stored.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte));
        Some(match self {
            Check::None => return None,
            Check::Crc32(crc) => number() == crc.value().into(),
            Check::Crc64(crc) => number() == crc.value(),
            #[cfg(feature = "xz-sha256")]
            Check::Sha256(hash) => *stored == hash.value(),
        })
    }
}

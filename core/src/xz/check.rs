//! The check that each block ends with.

#[cfg(feature = "xz-sha256")]
use crate::checksum::Sha256;
use crate::checksum::{Crc32, Crc64};

/// What kind of check the blocks of a stream end with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CheckKind {
    /// None at all.
    None,
    /// CRC-32.
    Crc32,
    /// CRC-64.
    Crc64,
    /// SHA-256. Verified with the feature `xz-sha256`.
    Sha256,
    /// One of the other numbers up to 15, which no version of the format gives a meaning. Its length is known.
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

    /// The number that stands in the file.
    pub const fn id(self) -> u8 {
        match self {
            CheckKind::None => 0,
            CheckKind::Crc32 => 1,
            CheckKind::Crc64 => 4,
            CheckKind::Sha256 => 10,
            CheckKind::Reserved(id) => id,
        }
    }

    /// How many bytes it takes behind a block.
    pub const fn size(self) -> usize {
        match self.id() {
            0 => 0,
            1..=3 => 4,
            4..=6 => 8,
            7..=9 => 16,
            10..=12 => 32,
            _ => 64,
        }
    }

    /// Whether this build can verify it.
    pub(super) const fn is_known(self) -> bool {
        match self {
            CheckKind::None | CheckKind::Crc32 | CheckKind::Crc64 => true,
            CheckKind::Sha256 => cfg!(feature = "xz-sha256"),
            CheckKind::Reserved(_) => false,
        }
    }

    /// A word for people.
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

/// The longest check.
pub(super) const MAX_CHECK: usize = 64;

/// A check while it is computed.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one at a time, and nowhere to put a box")]
pub(super) enum Check {
    None,
    Crc32(Crc32),
    Crc64(Crc64),
    #[cfg(feature = "xz-sha256")]
    Sha256(Sha256),
}

impl Check {
    pub(super) fn new(kind: CheckKind) -> Self {
        match kind {
            CheckKind::Crc32 => Check::Crc32(Crc32::new()),
            CheckKind::Crc64 => Check::Crc64(Crc64::new()),
            #[cfg(feature = "xz-sha256")]
            CheckKind::Sha256 => Check::Sha256(Sha256::new()),
            // What is not known comes here only where nothing is to be verified.
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

    /// Whether these are the bytes that stand behind the block. There is nothing to compare where nothing was computed.
    pub(super) fn is(&self, stored: &[u8]) -> bool {
        match self {
            Check::None => true,
            Check::Crc32(crc) => *stored == crc.value().to_le_bytes(),
            Check::Crc64(crc) => *stored == crc.value().to_le_bytes(),
            #[cfg(feature = "xz-sha256")]
            Check::Sha256(hash) => *stored == hash.value(),
        }
    }
}

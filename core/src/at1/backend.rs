//! The backends that compress a payload: xz, one Zstandard frame, or none.

use super::scratch::{Workspace, below};
use crate::num::u64_from;
#[cfg(feature = "at1")]
use crate::xz;
use crate::{Error, ErrorKind, Limits, Name, Part, Result, Trace, Value, zstd};

/// The compression of a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// A `.xz` file.
    Xz,
    /// One Zstandard frame that declares its content size.
    Zstd,
    /// No compression.
    Stored,
}

/// The first byte of every `.xz` file. It is no backend number. In a valid file, a varint cannot be
/// mistaken for a backend either: see [`Wrapping`](super::Wrapping).
pub(crate) const XZ_FIRST_BYTE: u8 = 0xFD;

/// Bound on the expansion of LZMA. A match of 273 bytes costs at least 0.29 bits, so no stream
/// expands more than about 7,100 times. A larger claim is refused before a caller allocates for it.
const XZ_MAX_RATIO: u64 = 16 << 10;

impl Backend {
    /// Returns the backend of this number.
    pub const fn of(byte: u8) -> Option<Self> {
        match byte {
            0 => Some(Self::Xz),
            1 => Some(Self::Zstd),
            2 => Some(Self::Stored),
            _ => None,
        }
    }

    /// Returns its name in one word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Xz => "xz",
            Self::Zstd => "zstd",
            Self::Stored => "stored",
        }
    }

    /// Returns the content size that a payload declares, without decoding. Decoding refuses a
    /// payload whose content has another length.
    pub fn decoded_size(self, payload: &[u8], limits: &Limits) -> Result<u64> {
        let size = match self {
            Self::Stored => return Ok(u64_from(payload.len())),
            #[cfg(not(feature = "at1"))]
            Self::Xz => return Err(Error::new(ErrorKind::FormatNotBuilt, 0)),
            #[cfg(feature = "at1")]
            Self::Xz => {
                let size = below(|| xz::File::open(payload, limits).map(|file| file.content))?;
                if size > u64_from(payload.len()).saturating_mul(XZ_MAX_RATIO) {
                    return Err(Error::new(ErrorKind::At1ContentSize, 0).needing(size));
                }
                size
            }
            Self::Zstd => {
                let promise = zstd::promise(payload, zstd::Flavour::Rfc8878, false)?;
                if promise.frames != 1 {
                    return Err(Error::new(ErrorKind::At1Trailing, 0));
                }
                let size = promise.declared.ok_or(Error::new(ErrorKind::At1NoContentSize, 0))?;
                if size > promise.most {
                    return Err(Error::new(ErrorKind::At1ContentSize, 0).needing(size));
                }
                size
            }
        };
        if size > limits.max_output {
            return Err(Error::new(ErrorKind::OutputLimit, 0).needing(size));
        }
        Ok(size)
    }

    /// Decodes a payload. The content must fill `dst` exactly.
    pub fn decode(self, payload: &[u8], dst: &mut [u8], workspace: &mut Workspace, limits: &Limits) -> Result<()> {
        let (read, wrote) = match self {
            Self::Stored => {
                crate::num::copy(payload, dst);
                (payload.len(), payload.len())
            }
            #[cfg(not(feature = "at1"))]
            Self::Xz => return Err(Error::new(ErrorKind::FormatNotBuilt, 0)),
            #[cfg(feature = "at1")]
            Self::Xz => {
                let options = xz_options(limits);
                below(|| {
                    xz::decode(payload, dst, &mut workspace.xz, &options, &mut ())
                        .map(|done| (done.read, done.wrote))
                        .map_err(unclaimed)
                })?
            }
            Self::Zstd => below(|| {
                zstd::decode(payload, dst, &mut workspace.zstd, &zstd_options(limits), &mut ())
                    .map(|done| (done.read, done.wrote))
                    .map_err(unlent)
            })?,
        };
        if read != payload.len() {
            return Err(Error::new(ErrorKind::At1Trailing, u64_from(read)));
        }
        if wrote != dst.len() {
            return Err(Error::new(ErrorKind::At1ContentSize, 0).needing(u64_from(wrote)));
        }
        Ok(())
    }

    /// Emits every field of a payload.
    pub(crate) fn inspect<T: Trace>(
        self,
        payload: &[u8],
        workspace: &mut Workspace,
        limits: &Limits,
        trace: &mut T,
    ) -> Result<()> {
        match self {
            Self::Stored => trace.bytes(Part::Data, Name::Bytes, 0..u64_from(payload.len()), Value::None),
            #[cfg(not(feature = "at1"))]
            Self::Xz => return Err(Error::new(ErrorKind::FormatNotBuilt, 0)),
            #[cfg(feature = "at1")]
            Self::Xz => {
                xz::inspect(payload, &mut workspace.xz, &xz_options(limits), trace)?;
            }
            Self::Zstd => {
                zstd::inspect(payload, &mut workspace.zstd, &zstd_options(limits), trace)?;
            }
        }
        Ok(())
    }
}

/// Moves an error to the file, for a part that starts at byte `at` and is complete. Replaces
/// `Truncated`, because more of the file would not extend the part.
#[cold]
pub(crate) fn inside(error: Error, at: u64) -> Error {
    let error =
        if error.kind == ErrorKind::Truncated { Error::new(ErrorKind::At1ContentSize, error.at) } else { error };
    error.offset_by(at)
}

/// Replaces the error of a missing dictionary: a caller of AT-1 cannot supply one.
#[cold]
fn unlent(error: Error) -> Error {
    let kind = if error.kind == ErrorKind::ZstdDictionaryWanted { ErrorKind::At1Dictionary } else { error.kind };
    Error { kind, ..error }
}

/// Replaces the error of content that does not fit: the output is as long as the index says.
#[cfg(feature = "at1")]
#[cold]
fn unclaimed(error: Error) -> Error {
    if error.kind == ErrorKind::OutputTooSmall { Error::new(ErrorKind::XzIndex, error.at) } else { error }
}

/// Returns the options for the xz file of a payload.
#[cfg(feature = "at1")]
const fn xz_options(limits: &Limits) -> xz::Options {
    xz::Options { limits: *limits, ..xz::Options::DEFAULT }
}

/// Returns the options for the Zstandard frame of a payload. Any window is allowed: the output
/// slice is the history, and only streams keep a window.
const fn zstd_options(limits: &Limits) -> zstd::Options<'static> {
    let limits = Limits { max_window: u64::MAX, ..*limits };
    zstd::Options { limits, flavour: Some(zstd::Flavour::Rfc8878), ..zstd::Options::DEFAULT }
}

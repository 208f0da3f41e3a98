//! The values of one column in one chunk: verified, then decoded or lent out as they are.

use super::convert::{Dtype, Element, Encoding, to_f32};
use super::lossless::Planes;
use crate::checksum::Crc32;
use crate::num::{copy, index, u64_from};
use crate::{Error, ErrorKind, Result};

/// What to do with the CRC-32 of each chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Crc {
    /// A chunk whose CRC-32 differs is an error.
    #[default]
    Verify,
    /// Differences are counted, and decoding goes on.
    Report,
    /// CRCs are not computed.
    Skip,
}

/// How the checksums of the chunks turned out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CrcCount {
    /// Chunks whose CRC-32 is right.
    pub right: u64,
    /// Chunks whose CRC-32 is wrong; only with [`Crc::Report`].
    pub wrong: u64,
    /// Chunks that were not looked at, or have none.
    pub unchecked: u64,
}

impl CrcCount {
    /// Compares one chunk. `stored` is its CRC-32 and where that lies in the file, if it has one.
    pub(super) fn add(&mut self, stored: Option<(u32, u64)>, crc: Crc, computed: impl FnOnce() -> u32) -> Result<()> {
        let Some((stored, at)) = stored.filter(|_| crc != Crc::Skip) else {
            self.unchecked += 1;
            return Ok(());
        };
        if stored == computed() {
            self.right += 1;
        } else if crc == Crc::Verify {
            return Err(Error::new(ErrorKind::CvcCrc, at));
        } else {
            self.wrong += 1;
        }
        Ok(())
    }

    pub(super) fn check(&mut self, stored: Option<(u32, u64)>, crc: Crc, payload: &[u8]) -> Result<()> {
        self.add(stored, crc, || Crc32::of(payload))
    }
}

/// What a call decoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// How much of the output is filled, in elements, or in bytes where it is bytes or a sink.
    pub wrote: usize,
    /// The checksums on the way.
    pub crc: CrcCount,
}

/// The stored values of some rows of one column in one chunk.
#[derive(Clone, Copy, Debug)]
pub struct Payload<'b> {
    /// The bytes of the column; the values asked for start at `skip`.
    pub(super) stored: &'b [u8],
    pub(super) at: u64,
    pub(super) encoding: Encoding,
    pub(super) skip: usize,
    pub(super) len: usize,
}

impl<'b> Payload<'b> {
    /// How many values there are: rows times dimension.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// `fp16`, `int8`, `lossless` or `none`.
    pub fn compression(&self) -> &'static str {
        self.encoding.name()
    }

    /// The values as they stand in the file, where they stand there one after the other: all but lossless.
    pub fn raw(&self) -> Option<&'b [u8]> {
        let width = index(self.encoding.width()?);
        let start = self.skip.checked_mul(width)?;
        self.stored.get(start..)?.get(..self.len.checked_mul(width)?)
    }

    /// The half floats of an fp16 payload, without a copy, little-endian and at any alignment.
    pub fn fp16(&self) -> Option<&'b [[u8; 2]]> {
        match self.encoding {
            Encoding::Fp16 | Encoding::Plain(Dtype::F16) => Some(self.raw()?.as_chunks().0),
            _ => None,
        }
    }

    /// The codes of an int8 payload without a copy, with `min` and `scale`.
    pub fn int8(&self) -> Option<(&'b [u8], f32, f32)> {
        match self.encoding {
            Encoding::Int8 { min, scale } => Some((self.raw()?, min, scale)),
            _ => None,
        }
    }

    /// The plain values of a `none` payload without a copy, little-endian and at any alignment.
    pub fn plain(&self) -> Option<(Dtype, &'b [u8])> {
        match self.encoding {
            Encoding::Plain(dtype) => Some((dtype, self.raw()?)),
            _ => None,
        }
    }

    /// Whether all values of the stored bytes can be decoded, which only codes of lossless planes may prevent.
    pub(super) fn check_codes(&self) -> Result<()> {
        if self.encoding != Encoding::Lossless {
            return Ok(());
        }
        let mut planes = Planes::default();
        planes.read(self.stored, self.at, &mut ())?;
        planes.check_codes()
    }

    /// Decodes to f32, whatever the values are stored as; integers beyond 2^24 are rounded.
    pub fn decode_f32(&self, to: &mut [f32]) -> Result<()> {
        to_f32(self.encoding, self.stored, self.at, self.skip, self.room(to)?)
    }

    /// Decodes to the type of the column.
    pub fn decode_into<T: Element>(&self, to: &mut [T]) -> Result<()> {
        let to = self.room(to)?;
        match self.plain() {
            Some((dtype, raw)) if dtype == T::DTYPE => {
                T::read(raw, to);
                Ok(())
            }
            _ => Err(Error::new(ErrorKind::WrongType, self.at)),
        }
    }

    /// Decodes to f32 as [`decode_f32`](Self::decode_f32) does, in little-endian bytes at any alignment.
    pub fn decode_f32_bytes(&self, to: &mut [u8]) -> Result<()> {
        let (cells, _) = to.as_chunks_mut::<4>();
        to_f32(self.encoding, self.stored, self.at, self.skip, self.room(cells)?)
    }

    /// Decodes to little-endian bytes of `output`: f32, or for plain values their own type.
    pub(super) fn decode_bytes(&self, output: Dtype, to: &mut [u8]) -> Result<()> {
        match self.plain() {
            Some((dtype, raw)) if dtype == output => {
                copy(raw, to);
                Ok(())
            }
            _ => {
                let (cells, _) = to.as_chunks_mut::<4>();
                to_f32(self.encoding, self.stored, self.at, self.skip, cells)
            }
        }
    }

    /// Exactly the cells that this payload fills.
    fn room<'t, T>(&self, to: &'t mut [T]) -> Result<&'t mut [T]> {
        let need = Error::new(ErrorKind::OutputTooSmall, self.at).needing(u64_from(self.len));
        to.get_mut(..self.len).ok_or(need)
    }
}

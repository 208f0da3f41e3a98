//! The header of a `.lzma` file.

use super::super::header::BlockHeader;
use super::super::lzma::properties;
use crate::fault::{Fault, Verdict};
use crate::fields::{Field, Fields};
use crate::num::u64_from;
use crate::{Error, ErrorKind, Limits, Name, Part, Result, Trace, Value};

const PROPERTIES: Field<1> = Field::new(0, Part::Header, Name::LcLpPb);
const DICTIONARY: Field<4> = Field::new(1, Part::Header, Name::DictionarySize);
const SIZE: Field<8> = Field::new(5, Part::Header, Name::UncompressedSize);

/// The length of the header of a `.lzma` file.
pub const HEADER_LEN: usize = SIZE.end();

/// Offset of the size of the content.
pub(super) const SIZE_AT: usize = SIZE.at();

/// A smaller dictionary counts as one of this size.
const MIN_DICTIONARY: u32 = 4096;

/// The header of a `.lzma` file, or what it would be for a raw stream of LZMA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Header {
    /// High bits of the last byte that select the context of a literal: 0 to 4.
    pub lc: u8,
    /// Low bits of the position that do so: 0 to 4, and at most 4 with `lc`.
    pub lp: u8,
    /// Low bits of the position that select the context of other symbols: 0 to 4.
    pub pb: u8,
    /// The largest distance of a match.
    pub dictionary: u32,
    /// Length of the content. `None` if a marker ends it.
    pub size: Option<u64>,
}

impl Header {
    /// The properties that encoders use by default: lc 3, lp 0, pb 2, a dictionary of 8 MiB, and a
    /// marker at the end.
    pub const DEFAULT: Self = Self { lc: 3, lp: 0, pb: 2, dictionary: 8 << 20, size: None };

    /// Reads the header of a `.lzma` file and compares its size with the limits. The dictionary is
    /// for streams alone, and a [`Decoder`](super::Decoder) compares it. The `need` of an error of
    /// the class `Truncated` is the length of the header.
    pub fn read(src: &[u8], limits: &Limits) -> Result<Self> {
        let header = Self::read_traced(src, &mut ())?;
        match header.size {
            Some(size) if size > limits.max_output => {
                Err(Error::new(ErrorKind::OutputLimit, u64_from(SIZE_AT)).needing(size))
            }
            _ => Ok(header),
        }
    }

    pub(super) fn read_traced<T: Trace>(src: &[u8], trace: &mut T) -> Result<Self> {
        let mut fields = Fields::new(src, 0, trace);
        Self::fill(&mut fields).map_err(|fault| fields.error(fault))
    }

    fn fill<T: Trace>(fields: &mut Fields<'_, '_, T>) -> Verdict<Self> {
        let [byte] = *fields.get(&PROPERTIES)?;
        let properties = Self::DEFAULT.with_properties(byte)?;
        fields.emit(&PROPERTIES, Value::U64(byte.into()));
        let dictionary = u32::from_le_bytes(*fields.get(&DICTIONARY)?);
        fields.emit(&DICTIONARY, Value::U64(dictionary.into()));
        let size = u64::from_le_bytes(*fields.get(&SIZE)?);
        let size = (size != u64::MAX).then_some(size);
        fields.emit(&SIZE, size.map_or(Value::Word("unknown"), Value::U64));
        Ok(Self { dictionary, size, ..properties })
    }

    pub(super) fn parse(bytes: &[u8; HEADER_LEN]) -> Verdict<Self> {
        Self::fill(&mut Fields::new(bytes, 0, &mut ()))
    }

    /// Sets lc, lp and pb from their byte, if they are in range.
    pub(super) fn with_properties(self, byte: u8) -> Verdict<Self> {
        let (lc, lp, pb) = properties(byte);
        let header = Self { lc, lp, pb, ..self };
        header.properties().map(|_| header)
    }

    /// Returns the byte of lc, lp and pb, if they are in range.
    pub(super) fn properties(&self) -> Verdict<u8> {
        let Self { lc, lp, pb, .. } = *self;
        if lc > 4 || lp > 4 - lc || pb > 4 {
            return Err(Fault::new(ErrorKind::XzProperties, 0));
        }
        Ok((pb * 5 + lp) * 9 + lc)
    }

    /// Bytes of window that a [`Decoder`](super::Decoder) needs: the dictionary and 32 bytes more,
    /// or the content, if the header says that it is smaller.
    pub fn window(&self) -> u64 {
        block(self.dictionary, self.size).window()
    }

    /// Returns the [window](Self::window); `None` if these limits forbid it. A
    /// [`Decoder`](super::Decoder) with any window then returns the error of the file.
    pub fn window_within(&self, limits: &Limits) -> Option<u64> {
        block(self.dictionary, self.size).window_within(limits.max_window)
    }
}

/// The header of a block of xz with this dictionary and size, and without filters.
pub(super) fn block(dictionary: u32, size: Option<u64>) -> BlockHeader {
    BlockHeader { dictionary: dictionary.max(MIN_DICTIONARY), uncompressed: size, ..BlockHeader::EMPTY }
}

/// Compares the start of a file with that of `.lzma` files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Likeness {
    No,
    /// So far; this many bytes decide.
    Needs(usize),
    Yes,
}

/// Returns whether a file that starts like this is a `.lzma` file, most probably.
///
/// The format has no magic number. All of this holds for files that encoders write, and hardly for
/// any other:
///
/// - lc, lp and pb are the usual ones, which is what the command `file` looks for;
/// - the dictionary is a power of two, or one and a half, from 4 KiB on, as liblzma expects before
///   it guesses;
/// - the size is unknown or below 256 GiB, likewise;
/// - the range coder starts with a zero.
pub(crate) fn likeness(prefix: &[u8]) -> Likeness {
    const USUAL: u8 = (2 * 5) * 9 + 3;
    let byte = |at: usize| prefix.get(at).copied();
    let is = |at: usize, accept: fn(u8) -> bool| byte(at).is_none_or(accept);
    let power = |size: u32| {
        let top = 1 << (31 - (size | 1).leading_zeros());
        size >= MIN_DICTIONARY && (size == top || size == top | top >> 1)
    };
    let (dictionary, size) = (prefix.get(DICTIONARY.at()..), prefix.get(SIZE_AT..));
    let fits = is(0, |byte| byte == USUAL)
        && is(1, |byte| matches!(byte, 0 | 0xFF))
        && dictionary.and_then(<[u8]>::first_chunk).is_none_or(|&bytes| {
            let size = u32::from_le_bytes(bytes);
            size == u32::MAX || power(size)
        })
        && size.and_then(<[u8]>::first_chunk).is_none_or(|&bytes| {
            let size = u64::from_le_bytes(bytes);
            size == u64::MAX || size < 1 << 38
        })
        && is(HEADER_LEN, |byte| byte == 0);
    match prefix.len() {
        _ if !fits => Likeness::No,
        0..=HEADER_LEN => Likeness::Needs(HEADER_LEN + 1),
        _ => Likeness::Yes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_are_one_byte_and_back() {
        for byte in 0..=u8::MAX {
            let header = Header::DEFAULT.with_properties(byte);
            let fits = byte < 225 && byte % 9 + byte / 9 % 5 <= 4;
            assert_eq!(header.is_ok(), fits, "{byte}");
            assert_eq!(header.and_then(|header| header.properties()).ok(), fits.then_some(byte));
        }
        for header in [
            Header { lc: 5, ..Header::DEFAULT },
            Header { lp: 2, ..Header::DEFAULT },
            Header { pb: 5, ..Header::DEFAULT },
            Header { lc: 255, lp: 255, ..Header::DEFAULT },
        ] {
            assert!(header.properties().is_err(), "{header:?}");
        }
    }

    #[test]
    fn only_headers_as_encoders_write_them_look_like_lzma() {
        let file = |properties: u8, dictionary: u32, size: u64, first: u8| {
            [&[properties][..], &dictionary.to_le_bytes(), &size.to_le_bytes(), &[first]].concat()
        };
        for dictionary in [4096, 6144, 1 << 16, 3 << 15, 8 << 20, 1 << 31, 3 << 30, u32::MAX] {
            for size in [0, 1, (1 << 38) - 1, u64::MAX] {
                let file = file(0x5D, dictionary, size, 0);
                assert_eq!(likeness(&file), Likeness::Yes, "{file:?}");
                for len in 0..file.len() {
                    assert_eq!(likeness(&file[..len]), Likeness::Needs(14), "{len} bytes of {file:?}");
                }
            }
        }
        for file in [
            file(0x5E, 1 << 16, 0, 0),
            file(0x5D, 0, 0, 0),
            file(0x5D, 2048, 0, 0),
            file(0x5D, 5120, 0, 0),
            file(0x5D, u32::MAX - 1, 0, 0),
            file(0x5D, 1 << 16, 1 << 38, 0),
            file(0x5D, 1 << 16, u64::MAX - 1, 0),
            file(0x5D, 1 << 16, 0, 1),
            b"] = 1, 2, 3;\n}".to_vec(),
        ] {
            assert_eq!(likeness(&file), Likeness::No, "{file:?}");
        }
    }
}

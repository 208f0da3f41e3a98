//! Both ends of a file: five bytes with container and codec, and the trailing hash.

use core::ops::Range;

use crate::num::{split_last, u64_from};
use crate::{Error, ErrorKind, Limits, Name, Part, Result, Trace, Value};

/// Bytes of magic number and codec.
pub const HEADER_LEN: u64 = 5;

/// Bytes of the trailer: a SHA-256 and four bytes that mark it.
pub const TRAILER_LEN: u64 = 36;

/// The last four bytes of a file that ends with a hash.
const TRAILER_MAGIC: &[u8; 4] = b"\xA1S6\x01";

/// The layout of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// One set of streams, or one raw payload.
    Whole,
    /// Frames, each a small file of some lines.
    Frames,
}

/// The kind of file, and the codec that takes it apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Codec {
    /// The log of an SSH server.
    Ssh = 0,
    /// Lines of JSON, as a tape of tokens and columns of leaves.
    Json = 1,
    /// An OpenStreetMap extract.
    Osm = 2,
    /// A log of lines that share templates.
    Log = 3,
    /// A table of delimited text, as typed columns.
    Columnar = 4,
    /// Genetic variants.
    Vcf = 5,
    /// One JSON document, as a skeleton and columns of values.
    JsonDoc = 6,
    /// A table in row groups that a query can skip.
    QColumnar = 7,
    /// Lines of JSON of one shape in row groups that a query can skip.
    QJson = 8,
    /// A medical image.
    Dicom = 9,
    /// An array of embeddings.
    Embed = 10,
    /// Lines of JSON of several shapes, each shape stored as `QJson`.
    QJson2 = 11,
    /// Several files in one.
    Bundle = 12,
    /// Any file, compressed without a model.
    Raw = 255,
}

impl Codec {
    /// Every codec in the order of their numbers.
    pub const ALL: [Self; 14] = [
        Self::Ssh,
        Self::Json,
        Self::Osm,
        Self::Log,
        Self::Columnar,
        Self::Vcf,
        Self::JsonDoc,
        Self::QColumnar,
        Self::QJson,
        Self::Dicom,
        Self::Embed,
        Self::QJson2,
        Self::Bundle,
        Self::Raw,
    ];

    /// Returns the codec of this number.
    pub fn of(byte: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|&codec| codec as u8 == byte)
    }

    /// Returns the format's name for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ssh => "ssh",
            Self::Json => "json",
            Self::Osm => "osm",
            Self::Log => "log",
            Self::Columnar => "columnar",
            Self::Vcf => "vcf",
            Self::JsonDoc => "jsondoc",
            Self::QColumnar => "qcolumnar",
            Self::QJson => "qjson",
            Self::Dicom => "dicom",
            Self::Embed => "embed",
            Self::QJson2 => "qjson2",
            Self::Bundle => "bundle",
            Self::Raw => "raw",
        }
    }
}

/// The fields at both ends of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The layout of the body.
    pub container: Container,
    /// The codec of the body.
    pub codec: Codec,
    /// The SHA-256 of the decoded file, if the file ends with one.
    pub hash: Option<[u8; 32]>,
    /// End of the body. `u64::MAX` if only the start of the file was read.
    pub body_end: u64,
}

impl Header {
    /// Reads both ends of a whole file.
    ///
    /// ```
    /// use unspool::at1::{Codec, Header};
    /// use unspool::Limits;
    /// let header = Header::read(b"AT1\x02\xFF\x02as it is", &Limits::DEFAULT)?;
    /// assert_eq!((header.codec, header.body()), (Codec::Raw, 5..14));
    /// # Ok::<(), unspool::Error>(())
    /// ```
    pub fn read(src: &[u8], _: &Limits) -> Result<Self> {
        Self::parse(src, &mut ())
    }

    /// Reads both ends with a trace.
    pub(crate) fn parse(src: &[u8], trace: &mut impl Trace) -> Result<Self> {
        let mut header = Self::read_start(src)?;
        header.body_end = u64_from(src.len());
        trace.bytes(Part::Framing, Name::MagicNumber, 0..4, Value::Bytes(src.get(..4).unwrap_or_default()));
        trace.bytes(Part::Header, Name::Codec, 4..5, Value::Word(header.codec.name()));
        // The last entry of a bundle may be a stored file that ends with its own hash.
        let bundle = header.container == Container::Whole && header.codec == Codec::Bundle;
        if let Some((body, trailer)) = split_last::<36>(src)
            && let Some((hash, magic)) = trailer.split_first_chunk::<32>()
            && magic == TRAILER_MAGIC
            && !bundle
        {
            header.hash = Some(*hash);
            header.body_end = u64_from(body.len());
            if header.body_end < HEADER_LEN {
                return Err(Error::new(ErrorKind::At1Magic, 0));
            }
        }
        Ok(header)
    }

    /// Reads the first five bytes of a file whose end is not at hand. The hash and the end of the
    /// body stay unknown.
    pub fn read_start(src: &[u8]) -> Result<Self> {
        let start = src.get(..3).unwrap_or(src);
        if !b"AT1".starts_with(start) || !matches!(src.get(3), None | Some(2 | 3)) {
            return Err(Error::new(ErrorKind::At1Magic, 0));
        }
        let Some(&[_, _, _, version, codec]) = src.first_chunk::<5>() else {
            return Err(Error::new(ErrorKind::Truncated, u64_from(src.len())).needing(HEADER_LEN));
        };
        let container = if version == 2 { Container::Whole } else { Container::Frames };
        let codec = Codec::of(codec).ok_or(Error::new(ErrorKind::At1Codec, 4))?;
        Ok(Self { container, codec, hash: None, body_end: u64::MAX })
    }

    /// Returns the bytes between both ends.
    pub const fn body(&self) -> Range<u64> {
        HEADER_LEN..self.body_end
    }

    /// Emits the hash.
    pub(crate) fn trace_trailer(&self, trace: &mut impl Trace) {
        if let Some(hash) = &self.hash {
            let magic = self.body_end.saturating_add(32);
            trace.bytes(Part::Checksum, Name::Sha256, self.body_end..magic, Value::Bytes(hash));
            trace.bytes(Part::Framing, Name::TrailerMagic, magic..magic.saturating_add(4), Value::Bytes(TRAILER_MAGIC));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trailer_is_found_unless_the_file_is_a_bundle() {
        let mut file = b"AT1\x02\x04\0".to_vec();
        file.extend([7; 32]);
        file.extend(TRAILER_MAGIC);
        let header = Header::read(&file, &Limits::DEFAULT).unwrap();
        assert_eq!((header.hash, header.body()), (Some([7; 32]), 5..6));
        file[4] = 12;
        assert_eq!(Header::read(&file, &Limits::DEFAULT).map(|header| (header.hash, header.body())), Ok((None, 5..42)));
        file[3] = 3;
        assert!(
            Header::read(&file, &Limits::DEFAULT).unwrap().hash.is_some(),
            "only a whole bundle has no trailer of its own"
        );
    }

    #[test]
    fn every_cut_of_the_header_says_how_much_is_missing() {
        for len in 0..5 {
            let error = Header::read(&b"AT1\x03\0"[..len], &Limits::DEFAULT).unwrap_err();
            assert_eq!((error.kind, error.at, error.need), (ErrorKind::Truncated, len as u64, 5));
        }
        for wrong in [&b"AT2\x02\0"[..], b"AT1\x04\0", b"A2", b"AT1\x01"] {
            assert_eq!(Header::read(wrong, &Limits::DEFAULT), Err(Error::new(ErrorKind::At1Magic, 0)));
        }
        assert_eq!(Header::read(b"AT1\x02\x0D", &Limits::DEFAULT), Err(Error::new(ErrorKind::At1Codec, 4)));
        assert!(Codec::ALL.windows(2).all(|pair| (pair[0] as u8) < pair[1] as u8));
    }
}

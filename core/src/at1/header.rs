//! Both ends of a file: five bytes with container and codec, and the trailing hash.

use core::ops::Range;

use crate::fault::{Fault, Verdict};
use crate::fields::{Field, Fields};
use crate::num::{index, split_last, u64_from};
use crate::{ErrorKind, Limits, Name, Part, Result, Trace, Value};

/// Bytes of magic number and codec.
pub const HEADER_LEN: u64 = 5;

/// Bytes of the trailer: a SHA-256 and four bytes that mark it.
pub const TRAILER_LEN: u64 = 36;

/// The last four bytes of a file that ends with a hash.
pub const TRAILER_MAGIC: [u8; 4] = *b"\xA1S6\x01";

const MAGIC: Field<4> = Field::new(0, Part::Framing, Name::MagicNumber);
const CODEC: Field<1> = Field::new(4, Part::Header, Name::Codec);

const HASH: Field<32> = Field::new(0, Part::Checksum, Name::Sha256);
const MARK: Field<4> = Field::new(32, Part::Framing, Name::TrailerMagic);

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

    /// Reads both ends. Emits the start; [`emit_trailer`](Self::emit_trailer) emits the end.
    pub(crate) fn parse<T: Trace>(src: &[u8], trace: &mut T) -> Result<Self> {
        let mut header = Self::start(src, trace)?;
        header.body_end = u64_from(src.len());
        // The last entry of a bundle may be a stored file that ends with its own hash.
        let bundle = header.container == Container::Whole && header.codec == Codec::Bundle;
        if let Some((body, trailer)) = split_last::<{ MARK.end() }>(src)
            && !bundle
        {
            let (mut ignored, at) = ((), u64_from(body.len()));
            let mut fields = Fields::new(trailer, at, &mut ignored);
            if fields.get(&MARK) == Ok(&TRAILER_MAGIC) {
                (header.hash, header.body_end) = (Some(*fields.get(&HASH)?), at);
                if at < HEADER_LEN {
                    return Err(Fault::new(ErrorKind::At1Magic, 0).into());
                }
            }
        }
        Ok(header)
    }

    /// Reads the first five bytes of a file whose end is not at hand. The hash and the end of the
    /// body stay unknown.
    pub fn read_start(src: &[u8]) -> Result<Self> {
        Self::start(src, &mut ())
    }

    fn start<T: Trace>(src: &[u8], trace: &mut T) -> Result<Self> {
        let mut fields = Fields::new(src, 0, trace);
        Self::fill(&mut fields).map_err(|fault| fields.error(fault))
    }

    fn fill<T: Trace>(fields: &mut Fields<'_, '_, T>) -> Verdict<Self> {
        // A wrong magic number is wrong even if it is truncated.
        let start = fields.rest();
        let has_magic = start.iter().zip(b"AT1").all(|(found, magic)| found == magic);
        if !has_magic || !matches!(start.get(3), None | Some(2 | 3)) {
            return Err(Fault::new(ErrorKind::At1Magic, MAGIC.at()));
        }
        let [codec] = *fields.get(&CODEC)?;
        let magic = fields.get(&MAGIC)?;
        let container = if magic == b"AT1\x02" { Container::Whole } else { Container::Frames };
        let codec = Codec::of(codec).ok_or(Fault::new(ErrorKind::At1Codec, CODEC.at()))?;
        fields.emit(&MAGIC, Value::Bytes(magic));
        fields.emit(&CODEC, Value::Word(codec.name()));
        Ok(Self { container, codec, hash: None, body_end: u64::MAX })
    }

    /// Returns the bytes between both ends.
    pub const fn body(&self) -> Range<u64> {
        HEADER_LEN..self.body_end
    }

    /// Emits the trailer, if the file has one.
    pub(crate) fn emit_trailer<T: Trace>(&self, src: &[u8], trace: &mut T) {
        if let Some(hash) = &self.hash {
            let mut fields = Fields::new(src.get(index(self.body_end)..).unwrap_or_default(), self.body_end, trace);
            fields.emit(&HASH, Value::Bytes(hash));
            fields.emit(&MARK, Value::Bytes(&TRAILER_MAGIC));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

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

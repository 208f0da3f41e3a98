//! The headers of standalone and wrapped files.

use super::fields::FieldReader;
use super::number::{Latent as _, NumberType};
use crate::fault::{Fault, Verdict};
use crate::num::index;
use crate::{ErrorKind, Limits, Name, Part, Result, Trace, Value};

/// A format version, which is all that a wrapped header holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// Decides how chunk metadata is laid out. 0 to 4.
    pub major: u8,
    /// Announces what may occur. 0 before major version 4, and any number since.
    pub minor: u8,
}

impl Version {
    /// Reads a wrapped header: one byte, or two since version 4. Returns the bytes it took.
    ///
    /// ```
    /// let (version, len) = unspool::pco::Version::read(&[4, 1], &mut ())?;
    /// assert_eq!((version.major, version.minor, len), (4, 1, 2));
    /// # Ok::<(), unspool::Error>(())
    /// ```
    pub fn read(src: &[u8], trace: &mut impl Trace) -> Result<(Self, usize)> {
        let mut fields = FieldReader::new(src, 0, trace);
        let version = Self::take(&mut fields);
        if let Err(fault) = fields.check() {
            return Err(fields.error(fault));
        }
        Ok((version, index(fields.position() / 8)))
    }

    fn take(fields: &mut FieldReader<'_, impl Trace>) -> Self {
        let major = fields.take_as(Part::Header, Name::MajorVersion, 8, |major| match major {
            0..=4 => Ok(Value::U64(major)),
            _ => Err(ErrorKind::PcoVersion),
        });
        let minor = if major >= 4 { fields.take(Part::Header, Name::MinorVersion, 8) } else { 0 };
        Self { major: u8::low(major), minor: u8::low(minor) }
    }
}

/// The header of a standalone file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The version of the standalone framing, 0 to 3.
    pub standalone_version: u8,
    /// The version of what it frames.
    pub version: Version,
    /// The type of all chunks, if the file promises one.
    pub uniform_type: Option<NumberType>,
    /// Numbers of the file, as the writer expected. May be wrong; 0 if the writer did not know.
    pub n_hint: u64,
    /// Bytes of the header, at most [`MAX_HEADER_LEN`].
    pub len: usize,
}

/// The most bytes that a standalone header takes.
pub const MAX_HEADER_LEN: usize = 17;

impl Header {
    /// Reads the header of a standalone file. No limit applies to it: it has no count that is
    /// believed.
    ///
    /// ```
    /// # use unspool::{Limits, pco::Header};
    /// # let bytes = include_bytes!("../../../tests/vectors/pco/k_u32_arange.pco");
    /// let header = Header::read(bytes, &Limits::DEFAULT)?;
    /// assert_eq!((header.n_hint, header.len), (777, 10));
    /// # Ok::<(), unspool::Error>(())
    /// ```
    pub fn read(src: &[u8], _: &Limits) -> Result<Self> {
        Self::parse(src, &mut ())
    }

    /// The header of an empty file.
    pub(crate) const NONE: Self =
        Self { standalone_version: 0, version: Version { major: 0, minor: 0 }, uniform_type: None, n_hint: 0, len: 0 };

    pub(crate) fn parse(bytes: &[u8], trace: &mut impl Trace) -> Result<Self> {
        trace.enter(Name::Header, Value::None);
        let mut fields = FieldReader::new(bytes, 0, trace);
        let header = match Self::fill(&mut fields, bytes) {
            Ok(header) => header,
            Err(fault) => return Err(fields.error(fault)),
        };
        trace.leave();
        Ok(header)
    }

    fn fill(fields: &mut FieldReader<'_, impl Trace>, bytes: &[u8]) -> Verdict<Self> {
        // A file shorter than the magic is refused if the bytes that it has differ.
        if !bytes.iter().zip(b"pco!").all(|(a, b)| a == b) {
            return Err(Fault::new(ErrorKind::PcoMagic, 0));
        }
        fields.take_as(Part::Framing, Name::Magic, 32, |_| Ok(Value::Text("pco!")));
        // Versions 0 and 1 have no version byte of their own. It is the major version, and read
        // again as that.
        let mut header = Self { standalone_version: bytes.get(4).copied().unwrap_or(0), ..Self::NONE };
        if header.standalone_version >= 2 || bytes.len() < 5 {
            fields.take_as(Part::Framing, Name::StandaloneVersion, 8, |version| match version {
                0..=3 => Ok(Value::U64(version)),
                _ => Err(ErrorKind::PcoStandaloneVersion),
            });
        }
        if header.standalone_version >= 3 {
            header.uniform_type = fields.number_type(Name::UniformType, Some("none"));
        }
        if header.standalone_version >= 2 {
            let bits = fields.small(Part::Framing, Name::BitsOfNHintLess1, 6) + 1;
            header.n_hint = fields.take(Part::Header, Name::NHint, bits);
            fields.pad();
        }
        header.version = Version::take(fields);
        fields.check()?;
        header.len = index(fields.position() / 8);
        Ok(header)
    }
}

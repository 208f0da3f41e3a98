//! The codecs: each knows which streams it reads, and how they become the file again.

#[cfg(feature = "at1")]
pub(crate) mod bundle;
mod column;
mod columnar;
#[cfg(feature = "at1")]
mod dicom;
#[cfg(feature = "at1")]
mod embed;
#[cfg(feature = "at1")]
mod json;
#[cfg(feature = "at1")]
mod jsondoc;
#[cfg(feature = "at1")]
mod log;
mod map;
#[cfg(feature = "at1")]
mod osm;
#[cfg(feature = "at1")]
pub mod qcolumnar;
#[cfg(feature = "at1")]
pub mod qjson;
#[cfg(feature = "at1")]
mod qjson2;
mod shared;
#[cfg(feature = "at1")]
mod ssh;
#[cfg(feature = "at1")]
mod vcf;

use self::shared::{Decode, Extra, Reads};
use super::header::{Codec, Header};
use super::output::Output;
use super::scratch::Lent;
use super::streams::{Entry, Set};
use crate::{Error, ErrorKind, Limits, Result};

/// Makes the functions that ask a codec something out of one list of codecs and their decoders. A codec that is not built reads nothing.
macro_rules! table {
    ($($(#[$when:meta])* $($codec:ident)|+ => $decoder:ty,)*) => {
        /// Whether a codec reads the stream of this name.
        pub(crate) fn reads(codec: Codec, name: &[u8]) -> bool {
            let reads = match codec {
                $($(#[$when])* $(Codec::$codec)|+ => <$decoder>::READS,)*
                #[allow(unreachable_patterns, reason = "with the feature `at1` all are listed")]
                _ => Reads::Names(&[]),
            };
            match reads {
                Reads::Names(names) => names.contains(&name),
                #[cfg(feature = "at1")]
                Reads::Rule(reads) => reads(name),
            }
        }

        /// The scratch that a codec takes for a stream that it reads, besides the bytes of the stream.
        pub(crate) fn extra(codec: Codec, entry: &Entry<'_>, limits: &Limits) -> Result<Extra> {
            match codec {
                $($(#[$when])* $(Codec::$codec)|+ => <$decoder>::extra(entry, limits),)*
                #[allow(unreachable_patterns, reason = "with the feature `at1` all are listed")]
                _ => Ok(Extra::default()),
            }
        }

        /// Appends what the streams of a set decode to.
        #[inline(never)]
        pub(crate) fn decode<'a, O: Output>(
            header: &Header,
            set: &Set<'a>,
            lent: &mut Lent<'_, 'a>,
            out: &mut O,
        ) -> Result<()> {
            match header.codec {
                $($(#[$when])* $(Codec::$codec)|+ => <$decoder>::decode(header, set, lent, out),)*
                #[allow(unreachable_patterns, reason = "with the feature `at1` all are listed")]
                _ => Err(Error::new(ErrorKind::FormatNotBuilt, 4)),
            }
        }
    };
}

table! {
    #[cfg(feature = "at1")]
    Ssh => ssh::Ssh,
    #[cfg(feature = "at1")]
    Json => json::Json,
    #[cfg(feature = "at1")]
    Osm => osm::Osm,
    #[cfg(feature = "at1")]
    Log => log::Logs,
    Columnar => columnar::Columnar,
    #[cfg(feature = "at1")]
    Vcf => vcf::Vcf,
    #[cfg(feature = "at1")]
    JsonDoc => jsondoc::JsonDoc,
    #[cfg(feature = "at1")]
    QColumnar | QJson => qcolumnar::Groups,
    #[cfg(feature = "at1")]
    Dicom => dicom::Dicom,
    #[cfg(feature = "at1")]
    Embed => embed::Embed,
    #[cfg(feature = "at1")]
    QJson2 => qjson2::QJson2,
    #[cfg(feature = "at1")]
    Bundle => bundle::Files,
    Raw => Raw,
}

/// A raw file is one payload. A set of streams inside of it contradicts the header.
struct Raw;

impl Decode for Raw {
    const READS: Reads = Reads::Names(&[]);

    fn decode<'a, O: Output>(_: &Header, _: &Set<'a>, _: &mut Lent<'_, 'a>, _: &mut O) -> Result<()> {
        Err(Error::new(ErrorKind::At1RawFrame, 4))
    }
}

//! The codecs. Each knows the streams that it reads and restores the file from them.

#![allow(refining_impl_trait, reason = "a codec names the failure that it has")]

#[cfg(feature = "at1")]
pub(crate) mod bundle;
mod column;
mod columnar;
mod dicom;
mod embed;
mod json;
mod jsondoc;
mod log;
mod map;
mod osm;
pub mod qcolumnar;
pub mod qjson;
mod qjson2;
mod shared;
mod ssh;
mod vcf;

use self::shared::{Decode, Extra, run};
use super::header::{Codec, Container, Header};
use super::output::Output;
use super::scratch::Lent;
use super::streams::{Entry, Set};
use crate::{Error, ErrorKind, Limits, Result};

/// The stream of a bundle that names its files.
const MANIFEST: &[u8] = b"manifest";

/// Generates the functions that dispatch on a codec, from one list. The codec `alone` is built with
/// every feature.
macro_rules! table {
    ($alone:ident => $own:ty, $($($codec:ident)|+ => $decoder:ty,)*) => {
        /// Returns whether a codec reads the stream of this name. A codec that is not built reads
        /// none.
        pub(crate) fn reads(codec: Codec, name: &[u8]) -> bool {
            match codec {
                Codec::$alone => <$own as Decode<_>>::reads(name),
                $($(Codec::$codec)|+ if cfg!(feature = "at1") => <$decoder as Decode<_>>::reads(name),)*
                Codec::Bundle => name == MANIFEST && cfg!(feature = "at1"),
                _ => false,
            }
        }

        /// Returns the scratch that a codec takes for a stream, besides the bytes of the stream.
        pub(crate) fn extra(codec: Codec, entry: &Entry<'_>, limits: &Limits) -> Result<Extra> {
            match codec {
                Codec::$alone => <$own as Decode<_>>::extra(entry, limits),
                $($(Codec::$codec)|+ if cfg!(feature = "at1") => <$decoder as Decode<_>>::extra(entry, limits),)*
                _ => Ok(Extra::default()),
            }
        }

        /// Checks a set, and restores the file from its streams.
        #[inline(never)]
        pub(crate) fn decode<'a>(
            header: &Header,
            set: &Set<'a>,
            lent: &mut Lent<'_, 'a>,
            out: &mut Output<'_>,
        ) -> Result<()> {
            let (kind, at) = match (header.codec, header.container) {
                (Codec::$alone, _) => return run::<_, $own>(header, set, lent, out),
                $($((Codec::$codec, _))|+ if cfg!(feature = "at1") => return run::<_, $decoder>(header, set, lent, out),)*
                // A raw file is one payload. A set of streams in it contradicts the header.
                (Codec::Raw, _) => (ErrorKind::At1RawFrame, 4),
                // A bundle holds several files, so that it cannot decode to one.
                (Codec::Bundle, Container::Whole) if cfg!(feature = "at1") => (ErrorKind::At1BundleWhole, 4),
                (Codec::Bundle, Container::Frames) if cfg!(feature = "at1") => (ErrorKind::At1BundleInside, 3),
                _ => (ErrorKind::FormatNotBuilt, 4),
            };
            set.check()?;
            Err(Error::new(kind, at))
        }
    };
}

table! {
    Columnar => columnar::Columnar<'_>,
    Ssh => ssh::SshLog<'_>,
    Json => json::Tape<'_>,
    Osm => osm::Extract<'_>,
    Log => log::TemplateLog<'_>,
    Vcf => vcf::Variants<'_>,
    JsonDoc => jsondoc::Document<'_>,
    QColumnar | QJson => qcolumnar::Rows<'_>,
    Dicom => dicom::Image<'_>,
    Embed => embed::Array<'_>,
    QJson2 => qjson2::Shapes<'_>,
}

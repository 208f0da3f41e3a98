//! One module for each codec: how the streams of a file become the file.

#[cfg(feature = "at1")]
pub(crate) mod bundle;
pub(crate) mod column;
pub(crate) mod columnar;
#[cfg(feature = "at1")]
pub(crate) mod dicom;
#[cfg(feature = "at1")]
pub(crate) mod embed;
#[cfg(feature = "at1")]
pub(crate) mod json;
#[cfg(feature = "at1")]
pub(crate) mod jsondoc;
#[cfg(feature = "at1")]
pub(crate) mod log;
mod map;
#[cfg(feature = "at1")]
pub(crate) mod osm;
#[cfg(feature = "at1")]
pub mod qcolumnar;
#[cfg(feature = "at1")]
pub mod qjson;
#[cfg(feature = "at1")]
pub(crate) mod qjson2;
#[cfg(feature = "at1")]
pub(crate) mod ssh;
#[cfg(feature = "at1")]
pub(crate) mod vcf;

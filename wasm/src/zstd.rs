//! Zstandard, and the two older formats with its magic numbers.

#[cfg(all(feature = "inspect", feature = "zstd"))]
mod inside;
#[cfg(feature = "zstd-stream")]
mod stream;
#[cfg(feature = "zstd")]
mod whole;

#[cfg(all(feature = "inspect", feature = "zstd"))]
pub use inside::{zstd_block_lengths, zstd_code_lengths, zstd_literals, zstd_sequences, zstd_state_counts};
#[cfg(feature = "zstd-stream")]
pub use stream::zstd_stream;
use unspool::Limits;
use unspool::zstd::{Dictionary, Flavour, Options};
#[cfg(feature = "zstd")]
pub use whole::{zstd_decode, zstd_decode_into, zstd_format, zstd_frame};

/// Builds decoder options. Format 0 detects the flavour from the file.
pub(crate) fn options(dictionary: Option<&[u8]>, format: u8, limits: Limits) -> Options<'_> {
    let flavour = match format {
        1 => Some(Flavour::Rfc8878),
        2 => Some(Flavour::V07),
        3 => Some(Flavour::Draft),
        _ => None,
    };
    Options { limits, flavour, dictionary: dictionary.map(Dictionary::new), ..Options::DEFAULT }
}

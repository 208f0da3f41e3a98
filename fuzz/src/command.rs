//! The command on arbitrary bytes: files, and streams with random cuts, on any number of threads
//! lead to the output and to the error of one thread over bytes in memory.
//!
//! The interpreter runs none of it: the command uses files and many threads.

use unspool::checksum::Crc32;
use unspool::{Format, Limits};
#[cfg(not(miri))]
use unspool_cli::same::{Expected, Way};

use crate::Random;

/// Limits so small that no file takes long.
const LIMITS: Limits = Limits { max_output: 1 << 18, max_window: 1 << 18, max_elements: 1 << 16, ..Limits::DEFAULT };

/// Reads Zstandard.
pub fn zstd_command(bytes: &[u8]) {
    same(Format::Zstd, bytes);
}

/// Reads xz.
pub fn xz_command(bytes: &[u8]) {
    same(Format::Xz, bytes);
}

/// Reads gzip.
pub fn gzip_command(bytes: &[u8]) {
    same(Format::Gzip, bytes);
}

/// Reads Pco.
pub fn pco_command(bytes: &[u8]) {
    same(Format::Pco, bytes);
}

/// Reads OnPair.
pub fn onpair_command(bytes: &[u8]) {
    same(Format::OnPair, bytes);
}

/// Reads CVC.
pub fn cvc_command(bytes: &[u8]) {
    same(Format::Cvc, bytes);
}

/// Reads AT-1.
pub fn at1_command(bytes: &[u8]) {
    same(Format::At1, bytes);
}

/// Compares a file and a stream, each with a random head, cut and number of threads.
fn same(format: Format, bytes: &[u8]) {
    let mut random = Random::new(u64::from(Crc32::of(bytes)));
    #[cfg(not(miri))]
    let expected = Expected::new(format, bytes, &LIMITS);
    for is_file in [true, false] {
        // Real heads are a megabyte, or all of a file.
        let head = 20 + random.below(bytes.len() + 1);
        let cut = 1 + random.below(bytes.len() + 1);
        let threads = 1 + random.below(4);
        #[cfg(not(miri))]
        {
            let found = expected.differences(Way { head, cut: (!is_file).then_some(cut), threads });
            assert!(found.is_empty(), "{}", found.join("\n"));
        }
    }
}

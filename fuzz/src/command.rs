//! The command on arbitrary bytes: files, and streams with random cuts, on any number of threads
//! lead to the output and to the error of one thread over bytes in memory.

use unspool::{Format, Limits};
use unspool_cli::same::{Expected, Way};

/// Reads Zstandard.
pub fn zstd_command(bytes: &[u8]) {
    same(Format::Zstd, bytes);
}

/// Reads xz.
pub fn xz_command(bytes: &[u8]) {
    same(Format::Xz, bytes);
}

/// Reads `.lzma` files.
pub fn lzma_command(bytes: &[u8]) {
    same(Format::Lzma, bytes);
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
    // So small that no file takes long.
    let limits = Limits { max_output: 1 << 18, max_window: 1 << 18, max_elements: 1 << 16, ..Limits::DEFAULT };
    unspool_harness::tile(format, bytes, &limits);
    let mut random = crate::Random::of(bytes);
    let expected = Expected::new(format, bytes, &limits);
    assert_eq!(expected.unlike_core(), None);
    for is_file in [true, false] {
        // Real heads are a megabyte, or all of a file.
        let head = 20 + random.below(bytes.len() + 1);
        let cut = 1 + random.below(bytes.len() + 1);
        let threads = 1 + random.below(4);
        let found = expected.differences(Way { head, cut: (!is_file).then_some(cut), threads });
        assert!(found.is_empty(), "{}", found.join("\n"));
    }
}

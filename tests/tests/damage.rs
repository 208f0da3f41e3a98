//! What devices answer to files with one wrong bit: `tests/firmware` compares the same hashes.

#[path = "../firmware/src/damage.rs"]
mod damage;

use std::path::Path;

use damage::{Hash, answers, answers_in};
use unspool::lzma::{Architecture, Coder, FilterKind, Raw};
use unspool::{Done, Result, SliceStore, at1, cvc, lzma, onpair, pco, xz, zstd};

fn read(vector: &str) -> Vec<u8> {
    unspool_tests::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors").join(vector))
}

/// Returns the answers to a vector with one wrong bit, decoded to a sink.
fn answers_to(vector: &str, decode: impl FnMut(&[u8], &mut Hash) -> Result<()>) -> u32 {
    let file = read(vector);
    answers(&file, &mut file.clone(), decode)
}

/// Does the same with a page as the output.
fn answers_of(vector: &str, decode: impl FnMut(&[u8], &mut [u8]) -> Result<Done>) -> u32 {
    let file = read(vector);
    answers_in(&mut [0; 4096], &file, &mut file.clone(), decode)
}

/// Compares hashes, in hexadecimal digits.
fn assert_alike(found: u32, of_devices: u32) {
    assert_eq!(format!("{found:#010X}"), format!("{of_devices:#010X}"));
}

#[test]
fn zstd() {
    let (mut workspace, options) = (zstd::Workspace::new(), zstd::Options::DEFAULT);
    let found = answers_of("zstd/page.zst", |src, dst| zstd::decode(src, dst, &mut workspace, &options, &mut ()));
    assert_alike(found, damage::ZSTD);
    let found = answers_of("zstd/page.zst", |src, dst| {
        zstd::decode_to_store(src, &mut SliceStore::new(dst), &mut workspace, &mut [0; 64], &options)
    });
    assert_alike(found, damage::ZSTD);
}

#[test]
fn xz() {
    let (mut workspace, options) = (xz::Workspace::new(), xz::Options::DEFAULT);
    let found = answers_of("xz/page.xz", |src, dst| xz::decode(src, dst, &mut workspace, &options, &mut ()));
    assert_alike(found, damage::XZ);
    let found = answers_of("xz/page.xz", |src, dst| {
        xz::decode_to_store(src, &mut SliceStore::new(dst), &mut workspace, &mut [0; 64], &options)
    });
    assert_alike(found, damage::XZ);
}

#[test]
fn lzma() {
    let filters = [Some(FilterKind::Branch(Architecture::Arm, 0)), Some(FilterKind::Delta(1)), None];
    let raw = Some(Raw { coder: Coder::Lzma2 { dictionary: 4096 }, filters });
    let mut workspace = lzma::Workspace::new();
    let files = [("lzma/properties.lzma", None, damage::LZMA), ("lzma/filters.lzma2", raw, damage::LZMA2)];
    for (file, raw, of_devices) in files {
        let options = lzma::Options { raw, ..lzma::Options::DEFAULT };
        let found = answers_of(file, |src, dst| lzma::decode(src, dst, &mut workspace, &options, &mut ()));
        assert_alike(found, of_devices);
    }
}

#[test]
fn pco() {
    let (mut workspace, mut scratch) = (vec![0; 1 << 20], vec![0; 1 << 20]);
    let found = answers_to("pco/n_f32_513.pco", |src, sink| {
        pco::decode_to(src, sink, &mut workspace, &mut scratch, &pco::Options::DEFAULT).map(drop)
    });
    assert_alike(found, damage::PCO);
}

#[test]
fn onpair() {
    let found = answers_to("onpair/cpp/empties_b12.onp", |src, sink| {
        onpair::decode_to(src, sink, &mut onpair::Workspace::new(), &onpair::Options::DEFAULT).map(drop)
    });
    assert_alike(found, damage::ONPAIR);
}

#[test]
fn cvc() {
    let found = answers_to("cvc/v1_fp16.cvc", |src, sink| {
        cvc::decode_to(src, sink, &mut cvc::Workspace::new(), &cvc::Options::DEFAULT).map(drop)
    });
    assert_alike(found, damage::CVC);
}

#[test]
fn at1() {
    let (mut workspace, mut scratch) = (at1::Workspace::new(), vec![0; 1 << 20]);
    let found = answers_to("at1/c7_rgbound_129_of_64.at1", |src, sink| {
        at1::decode_to(src, sink, &mut workspace, &mut scratch, &at1::Options::DEFAULT).map(drop)
    });
    assert_alike(found, damage::AT1);
}

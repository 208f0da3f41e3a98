//! Tools of all formats: bit readers, varints, checksums, the probe.
#![no_std]
#![no_main]

use core::hint::black_box;

use firmware::{Test, entry};
use unspool::bits::{BackwardBitReader, BitReader, read_varint, zigzag};
use unspool::checksum::{Crc32, Crc64, Sha256};
use unspool::{Format, Probe, probe};

/// Writes the numbers 0, 1, 2 … as 1-, 2-, 3- … bit fields.
const BITS: [u8; 17] =
    [0x0D, 0xE9, 0x4D, 0x9E, 0x61, 0x18, 0x55, 0xAA, 7, 0xE0, 0x12, 0x34, 0x56, 0x78, 0x9A, 0xBC, 0xDE];

#[entry]
fn main() -> ! {
    let mut test = Test::new("common");
    test.case("forward bits", || forward(black_box(&BITS)), BITS.len());
    test.case("backward bits", || backward(black_box(&BITS)), BITS.len());
    test.case("varints", varints, 13);
    test.case("crc32", || Crc32::of(black_box(b"123456789")) == 0xCBF4_3926, 9);
    test.case("crc32 in two parts", || crc_in_two(black_box(b"123456789")) == 0xCBF4_3926, 9);
    test.case("crc64", || Crc64::of(black_box(b"123456789")) == 0x995D_C9BB_DF19_39FA, 9);
    test.case("sha256", || Sha256::of(black_box(b"abc")).starts_with(&[0xBA, 0x78, 0x16, 0xBF]), 3);
    test.case("probe", probes, 16);
    test.finish()
}

/// Compares every width at every position with a reader of one bit at a time.
fn forward(bytes: &[u8]) -> bool {
    let total = bytes.len() as u64 * 8;
    (0..total).all(|start| {
        (0..=64u32).all(|width| {
            let mut bits = BitReader::at_bit(bytes, start);
            let expected = (0..width).fold(0, |all, i| all | bit(bytes, start + u64::from(i)) << i);
            match bits.take(width) {
                Ok(taken) => taken == expected && bits.position() == start + u64::from(width),
                Err(error) => start + u64::from(width) > total && error.at == bytes.len() as u64,
            }
        })
    })
}

fn bit(bytes: &[u8], at: u64) -> u64 {
    let byte = usize::try_from(at / 8).ok().and_then(|at| bytes.get(at)).copied().unwrap_or(0);
    u64::from(byte >> (at % 8) & 1)
}

/// Compares every width from the end with a reader of one bit at a time from the end.
fn backward(bytes: &[u8]) -> bool {
    (0..=56u32).all(|width| {
        let (Ok(mut fast), Ok(mut slow)) = (BackwardBitReader::new(bytes), BackwardBitReader::new(bytes)) else {
            return false;
        };
        while fast.remaining() >= i64::from(width.max(1)) {
            let expected = (0..width.max(1)).fold(0, |all, _| all << 1 | slow.take(1));
            if fast.take(width.max(1)) != expected || fast.remaining() != slow.remaining() {
                return false;
            }
        }
        fast.remaining() >= 0
    })
}

fn varints() -> bool {
    let longest = black_box([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1]);
    read_varint(black_box(&[0xE5, 0x8E, 0x26])) == Ok((624_485, 3))
        && read_varint(&longest) == Ok((u64::MAX, 10))
        && read_varint(black_box(&[0x80])).is_err()
        && zigzag(black_box(u64::MAX)) == i64::MIN
}

fn crc_in_two(bytes: &[u8]) -> u32 {
    let mut crc = Crc32::new();
    let mut halves = bytes.chunks(5);
    halves.by_ref().for_each(|half| crc.update(half));
    crc.value()
}

fn probes() -> bool {
    probe(black_box(b"CVCF")) == Probe::Match(Format::Cvc)
        && probe(black_box(b"ONPA")) == Probe::NeedInput { min: 8 }
        && probe(black_box(b"GIF89a")) == Probe::Unknown
}

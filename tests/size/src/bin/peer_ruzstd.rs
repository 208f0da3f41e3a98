//! ruzstd: the same Zstandard file.
#![no_std]
#![no_main]

use ruzstd::decoding::FrameDecoder;

size::peer!();
size::program!("../../data/text.zst", |file, output, _| {
    FrameDecoder::new().decode_all(file, output).unwrap_or(0)
});

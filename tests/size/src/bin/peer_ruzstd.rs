//! ruzstd 0.9 (Zstandard)
//!
//! The same file.
#![no_std]
#![no_main]

use ruzstd::decoding::FrameDecoder;

size::peer!();
size::program!("../../data/text.zst", |file, room| { FrameDecoder::new().decode_all(file, room.bytes).unwrap_or(0) });

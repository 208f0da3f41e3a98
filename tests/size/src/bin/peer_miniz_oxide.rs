//! miniz_oxide 0.9 (DEFLATE)
//!
//! The same text, slice to slice.
#![no_std]
#![no_main]

use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress, inflate_flags};

size::peer!();
size::program!("../../data/text.deflate", |file, room| {
    let mut state = DecompressorOxide::new();
    let flags = inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
    match decompress(&mut state, file, room.bytes, 0, flags) {
        (TINFLStatus::Done, _, wrote) => wrote,
        _ => 0,
    }
});

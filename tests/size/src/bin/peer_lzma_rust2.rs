//! lzma-rust2 0.25 (xz)
//!
//! The same text.
#![no_std]
#![no_main]

use lzma_rust2::{Read, XzReader};

size::peer!();
size::program!("../../data/text.xz", |file, room| {
    let (mut reader, mut at) = (XzReader::new(file, false), 0);
    loop {
        match reader.read(&mut room.bytes[at..]) {
            Ok(0) => return at,
            Ok(len) => at += len,
            Err(_) => return 0,
        }
    }
});

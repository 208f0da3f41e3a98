//! Zstandard, a patch to flash
//!
//! Aim: 11 KB.
//! The old image is in mapped flash. The store here is memory.
#![no_std]
#![no_main]

use unspool::SliceStore;
use unspool::zstd::{self, Flavour, Options};

size::no_panic!();
size::program!("../../data/text.zst", |file, room| {
    static mut WORKSPACE: zstd::Workspace = zstd::Workspace::new();
    // SAFETY: called once.
    #[allow(static_mut_refs)]
    let workspace = unsafe { &mut WORKSPACE };
    static OPTIONS: Options<'_> = Options { flavour: Some(Flavour::Rfc8878), ..Options::DEFAULT };
    static mut PAGE: [u8; 4096] = [0; 4096];
    // SAFETY: called once.
    #[allow(static_mut_refs)]
    let page: &mut [u8] = size::opaque(unsafe { &mut PAGE });
    let mut store = SliceStore::new(room.bytes);
    #[cfg(feature = "opaque")]
    let mut store: &mut dyn unspool::Store = size::opaque(&mut store);
    size::wrote(zstd::decode_to_store(file, &mut store, workspace, page, size::opaque(&OPTIONS)))
});

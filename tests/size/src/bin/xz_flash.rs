//! xz, an image to flash
//!
//! Aim: 6 KB.
//! LZMA2 with lc = lp = 0, and every check. The store here is memory.
#![no_std]
#![no_main]

use unspool::{SliceStore, xz};

// A device lends this much besides a page.
const _: () = assert!(size_of::<Tables>() <= 6 << 10);

type Tables = xz::Tables<[xz::Literals; 1]>;

size::no_panic!();
size::program!("../../data/text-lc0.xz", |file, room| {
    static mut WORKSPACE: Tables = Tables::new();
    static mut PAGE: [u8; 1024] = [0; 1024];
    // SAFETY: called once.
    #[allow(static_mut_refs)]
    let (workspace, page) = unsafe { (&mut WORKSPACE, &mut PAGE) };
    let (mut workspace, page): (&mut xz::Tables, &mut [u8]) = size::opaque((workspace, page));
    let mut store = SliceStore::new(room.bytes);
    #[cfg(feature = "opaque")]
    let mut store: &mut dyn unspool::Store = size::opaque(&mut store);
    size::wrote(xz::decode_to_store(file, &mut store, &mut workspace, page, size::opaque(&xz::Options::DEFAULT)))
});

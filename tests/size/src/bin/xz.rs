//! xz, a whole file
//!
//! Aim: 7 KB.
//! LZMA2, and every check; no filters.
#![no_std]
#![no_main]

use unspool::xz;

// A device lends this much for files of lc = lp = 0, and of lc = 3.
const _: () = assert!(size_of::<xz::Tables<[xz::Literals; 1]>>() <= 6 << 10);
const _: () = assert!(size_of::<xz::Tables<[xz::Literals; 8]>>() <= 17 << 10);

size::no_panic!();
size::program!("../../data/text.xz", |file, room| {
    static mut WORKSPACE: xz::Tables<[xz::Literals; 8]> = xz::Tables::new();
    // SAFETY: called once.
    #[allow(static_mut_refs)]
    let workspace = unsafe { &mut WORKSPACE };
    let mut workspace: &mut xz::Tables = size::opaque(workspace);
    size::wrote(xz::decode(file, room.bytes, &mut workspace, size::opaque(&xz::Options::DEFAULT), &mut ()))
});

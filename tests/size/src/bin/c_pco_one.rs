//! Pco from C, one type of integers
//!
//! The same file through `unspool_pco_decode_i32`.
#![no_std]
#![no_main]

use size::c::{buffers, null, null_mut};
use unspool_capi::common::UnspoolDone;
use unspool_capi::pco::unspool_pco_decode_i32;

size::program!("../../../vectors/pco/m_i32_classic_auto.pco", |file, room| {
    let mut buffers = buffers(file, &mut [], room.words.as_mut_ptr().cast(), size_of_val(room.words));
    (buffers.dst, buffers.dst_len) = (room.numbers.as_mut_ptr().cast(), size_of_val(room.numbers));
    let mut done = UnspoolDone::default();
    // SAFETY: the buffers are valid.
    match unsafe { unspool_pco_decode_i32(&raw const buffers, null(), &raw mut done, null_mut()) } {
        0 => done.wrote,
        _ => 0,
    }
});

//! Pco from C, eleven number types
//!
//! The same file through `unspool_pco_decode_file`.
#![no_std]
#![no_main]

use size::c::{buffers, null, null_mut};
use unspool_capi::common::UnspoolDone;
use unspool_capi::pco::unspool_pco_decode_file;

size::program!("../../../vectors/pco/m_i32_classic_auto.pco", |file, room| {
    let buffers = buffers(file, room.bytes, room.words.as_mut_ptr().cast(), size_of_val(room.words));
    let mut done = UnspoolDone::default();
    // SAFETY: the buffers are valid.
    match unsafe { unspool_pco_decode_file(&raw const buffers, null(), &raw mut done, null_mut()) } {
        0 => done.wrote,
        _ => 0,
    }
});

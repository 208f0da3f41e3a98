//! CVC from C, rows (fp16)
//!
//! The same rows through `unspool_cvc_decode_file`.
#![no_std]
#![no_main]

use size::c::{buffers, null, null_mut};
use unspool_capi::common::UnspoolDone;
use unspool_capi::cvc::unspool_cvc_decode_file;

size::program!("../../../vectors/cvc/v1_fp16.cvc", |file, room| {
    let (buffers, mut done) = (buffers(file, room.bytes, null_mut(), 0), UnspoolDone::default());
    // SAFETY: the buffers are valid.
    match unsafe { unspool_cvc_decode_file(&raw const buffers, null(), &raw mut done, null_mut()) } {
        0 => done.wrote,
        _ => 0,
    }
});

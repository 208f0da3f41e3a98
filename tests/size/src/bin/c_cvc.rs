//! CVC from C, rows (fp16)
//!
//! The same rows through `unspool_cvc_decode`.
#![no_std]
#![no_main]

use size::c::{buffers, null, null_mut};
use unspool_capi::common::UnspoolDone;
use unspool_capi::cvc::{
    UNSPOOL_CVC_COLUMN_WORDS, UNSPOOL_CVC_FILE_WORDS, UnspoolCvcColumn, UnspoolCvcFile, UnspoolCvcInfo,
    unspool_cvc_column, unspool_cvc_decode, unspool_cvc_info, unspool_cvc_open,
};

size::program!("../../../vectors/cvc/v1_fp16.cvc", |file, room| {
    static mut FILE: UnspoolCvcFile = UnspoolCvcFile { opaque: [0; UNSPOOL_CVC_FILE_WORDS] };
    static mut COLUMN: UnspoolCvcColumn = UnspoolCvcColumn { opaque: [0; UNSPOOL_CVC_COLUMN_WORDS] };
    let (opened, column, mut info) = (&raw mut FILE, &raw mut COLUMN, UnspoolCvcInfo::default());
    let buffers = buffers(file, room.bytes, null_mut(), 0);
    let mut done = UnspoolDone::default();
    // SAFETY: the memory is valid, and called once.
    let failed = unsafe {
        unspool_cvc_open(opened, buffers.src, buffers.src_len, null(), null_mut()) != 0
            || unspool_cvc_info(opened, &raw mut info, null_mut()) != 0
            || unspool_cvc_column(column, opened, 0, null_mut()) != 0
            || unspool_cvc_decode(column, 0, info.rows, &raw const buffers, 0, &raw mut done, null_mut()) != 0
    };
    if failed { 0 } else { done.wrote }
});

//! OnPair from C, single rows
//!
//! The same rows through `unspool_onpair_row`.
#![no_std]
#![no_main]

use size::c::{null, null_mut};
use unspool_capi::onpair::{
    UNSPOOL_ONPAIR_COLUMN_WORDS, UnspoolOnPairColumn, UnspoolOnPairInfo, unspool_onpair_info, unspool_onpair_open,
    unspool_onpair_row,
};

size::program!("../../../vectors/onpair/cpp/urls_b12.onp", |file, room| {
    static mut COLUMN: UnspoolOnPairColumn = UnspoolOnPairColumn { opaque: [0; UNSPOOL_ONPAIR_COLUMN_WORDS] };
    let (column, mut info, mut at) = (&raw mut COLUMN, UnspoolOnPairInfo::default(), 0);
    // SAFETY: the memory is valid, and called once.
    unsafe {
        if unspool_onpair_open(column, file.as_ptr().cast(), file.len(), null(), null_mut()) != 0
            || unspool_onpair_info(column, &raw mut info, null_mut()) != 0
        {
            return 0;
        }
        for row in 0..info.rows {
            let (dst, mut wrote) = (room.bytes.get_mut(at..).unwrap_or_default(), 0);
            if unspool_onpair_row(column, row, dst.as_mut_ptr().cast(), dst.len(), &raw mut wrote, null_mut()) != 0 {
                return 0;
            }
            at += wrote;
        }
    }
    at
});

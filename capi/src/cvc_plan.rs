//! CVC by ranges: a plan names the bytes that some rows need, for a caller who fetches only those.

use core::ffi::c_void;

use unspool::cvc::{Payload, Plan};
use unspool::{Checksums, Done, Error, ErrorKind, Result, Verify};

use crate::common::{
    UnspoolBuffers, UnspoolChecks, UnspoolDone, bad_argument, bytes_of, compared, reply, reply_done, verify,
};
use crate::cvc::{UnspoolCvcColumn, head_of};
use crate::error::{UnspoolError, UnspoolErrorKind, run};
use crate::memory::{NOTHING, Opaque, answer, apart, clear, fits, held, held_in, input, span, values};

/// Words of a plan.
#[cfg(target_pointer_width = "32")]
pub const UNSPOOL_CVC_PLAN_WORDS: usize = 47;
/// Words of a plan.
#[cfg(not(target_pointer_width = "32"))]
pub const UNSPOOL_CVC_PLAN_WORDS: usize = 60;
/// Bytes of a plan.
pub const UNSPOOL_CVC_PLAN_SIZE: usize = UNSPOOL_CVC_PLAN_WORDS * 8;

/// A walk over the bytes that some rows need. It borrows the header, but not the struct of the
/// column.
#[repr(C)]
#[derive(Debug)]
pub struct UnspoolCvcPlan {
    /// Private to the library.
    pub opaque: [u64; UNSPOOL_CVC_PLAN_WORDS],
}

/// A plan, and whether the caller knows which chunk it needs.
#[derive(Debug)]
pub struct PlanState {
    plan: Plan<'static>,
    named: bool,
}

impl Opaque for UnspoolCvcPlan {
    type Value = PlanState;
    const TAG: u32 = 0x4356_0003;
}

const _: () = fits::<UnspoolCvcPlan>();

/// The kind of a request.
pub type UnspoolCvcNeedKind = u8;

/// None: all rows have been named.
pub const UNSPOOL_CVC_NEED_NOTHING: u8 = 0;
/// The bytes from `start` to `end`, for `unspool_cvc_plan_feed`: the length of a chunk.
pub const UNSPOOL_CVC_NEED_LENGTH: u8 = 1;
/// A chunk with rows that were asked for.
pub const UNSPOOL_CVC_NEED_CHUNK: u8 = 2;

/// The bytes to fetch next.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct UnspoolCvcNeed {
    /// The first byte to fetch, in the file.
    pub start: u64,
    /// The byte after the last.
    pub end: u64,
    /// For a chunk: only the bytes of these rows, if no checksum is to be compared.
    pub data_start: u64,
    /// The byte after them.
    pub data_end: u64,
    /// The rows of the chunk, counted over the whole file.
    pub first_row: u64,
    /// The row after the last.
    pub end_row: u64,
    /// The number of their values.
    pub values: u64,
    /// The kind of the request.
    pub kind: UnspoolCvcNeedKind,
}

/// Starts to name the bytes that the rows from `first_row` to before `end_row` need, for a caller
/// who fetches only those.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_cvc_plan_init(
    plan: *mut UnspoolCvcPlan,
    column: *const UnspoolCvcColumn,
    first_row: u64,
    end_row: u64,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        run(error, || {
            let empty = clear(plan, &[NOTHING, NOTHING, span(column, 1), head_of(column)?, NOTHING])?;
            let column = held(column)?;
            empty.build(|place| {
                let state = place.write(PlanState { plan: Plan::new(), named: false });
                state.plan.open(column, first_row..end_row)?;
                Ok(state)
            })
        })
    }
}

/// Returns the bytes to fetch next. If the next chunk cannot be found, every call returns why.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_cvc_plan_next(
    plan: *mut UnspoolCvcPlan,
    need: *mut UnspoolCvcNeed,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        reply(need, error, || {
            let PlanState { plan, named } = held_in(plan)?;
            if core::mem::take(named) {
                plan.skip();
            }
            let Some(range) = plan.needs() else {
                return Ok(UnspoolCvcNeed::default());
            };
            if range.is_empty() {
                // The next chunk cannot be read; this is the reason.
                plan.feed(range.start, &[], Verify::Refuse)?;
            }
            let kind = UNSPOOL_CVC_NEED_LENGTH;
            let mut wanted = UnspoolCvcNeed { start: range.start, end: range.end, kind, ..UnspoolCvcNeed::default() };
            if let Some(piece) = plan.piece() {
                let data = piece.data_range()?;
                (wanted.data_start, wanted.data_end) = (data.start, data.end);
                (wanted.first_row, wanted.end_row) = (piece.rows.start, piece.rows.end);
                (wanted.values, wanted.kind, *named) = (piece.values(), UNSPOOL_CVC_NEED_CHUNK, true);
            }
            Ok(wanted)
        })
    }
}

/// Answers `UNSPOOL_CVC_NEED_LENGTH` with the bytes that were requested. If there are too few, the
/// plan needs them still.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_cvc_plan_feed(
    plan: *mut UnspoolCvcPlan,
    src: *const c_void,
    src_len: usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        run(error, || {
            apart(span(plan, 1), &[span(src.cast::<u8>(), src_len)])?;
            let (PlanState { plan, .. }, length) = (held_in(plan)?, input(src.cast(), src_len)?);
            match plan.needs() {
                Some(range) if plan.piece().is_none() => plan.feed(range.start, length, Verify::Refuse).map(drop),
                _ => Ok(()),
            }
        })
    }
}

/// Decodes the rows that `unspool_cvc_plan_next` named last to `float`s in `dst`. `src` is the
/// bytes from `start` to `end`, which are verified, or those from `data_start` to `data_end`, which
/// cannot be.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_cvc_plan_decode_f32(
    plan: *mut UnspoolCvcPlan,
    buffers: *const UnspoolBuffers,
    checks: UnspoolChecks,
    done: *mut UnspoolDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        reply_done(done, error, || {
            let lent = compared(buffers, [head_of(plan.cast_const())?], [span(plan, 1)])?.slices();
            let (state, values) = (held_in(plan)?, values::<f32>(lent.dst)?);
            let (payload, checksums) = open(state, lent.src, verify(checks)?)?;
            let decoded = payload.decode(values);
            bytes_of::<f32>(decoded.map(|()| Done { wrote: payload.len(), checksums, ..Done::default() }))
        })
    }
}

/// Returns the values that `unspool_cvc_plan_next` named last, as they are stored, without a copy:
/// the result points into `src`. Lossless values are not stored one after the other, so they are an
/// error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_cvc_plan_raw(
    plan: *mut UnspoolCvcPlan,
    src: *const c_void,
    src_len: usize,
    checks: UnspoolChecks,
    values: *mut *const c_void,
    values_len: *mut usize,
    done: *mut UnspoolDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        reply_done(done, error, || {
            let (payload, checksums) = open(held_in(plan)?, input(src.cast(), src_len)?, verify(checks)?)?;
            let raw = payload.raw().ok_or(Error::new(ErrorKind::WrongType, 0))?;
            answer(values, &raw.as_ptr().cast());
            answer(values_len, &raw.len());
            Ok(Done { checksums, ..Done::default() })
        })
    }
}

/// The piece that a plan named: the whole chunk, or only its rows if there are fewer bytes.
fn open<'b>(state: &PlanState, bytes: &'b [u8], verify: Verify) -> Result<(Payload<'b>, Checksums)> {
    let piece = state.plan.piece().filter(|_| state.named).ok_or(bad_argument())?;
    let (range, mut checksums) = (piece.range(), Checksums::default());
    let whole = u64::try_from(bytes.len()).is_ok_and(|len| len == range.end.saturating_sub(range.start));
    let payload = if whole {
        piece.read(bytes, verify, &mut checksums)?
    } else {
        checksums.unchecked = 1;
        piece.read_data(piece.data_range()?.start, bytes)?
    };
    Ok((payload, checksums))
}

//! CVC by ranges: a plan names the bytes that some rows need, for a caller who fetches only those.

use unspool::cvc::{Payload, Plan};
use unspool::{Checksums, Error, ErrorKind, Result, Verify};

use crate::common::bad_argument;
use crate::cvc::{UnspoolCvcColumn, UnspoolCvcCrc, UnspoolCvcDone, verify};
use crate::error::{UnspoolError, UnspoolErrorKind, report};
use crate::memory::{Opaque, answer, apart, build, clear, fits, held, held_in, input, output, stretch};

/// Words of a plan.
#[cfg(target_pointer_width = "32")]
pub const UNSPOOL_CVC_PLAN_WORDS: usize = 48;
/// Words of a plan.
#[cfg(not(target_pointer_width = "32"))]
pub const UNSPOOL_CVC_PLAN_WORDS: usize = 58;
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
        let start = || {
            clear(plan, &[stretch(column, 1)])?;
            let column = held(column)?;
            build(plan, |place| {
                let state = place.write(PlanState { plan: Plan::new(), named: false });
                state.plan.open(column, first_row..end_row)?;
                Ok(state)
            })
        };
        report(error, start())
    }
}

/// Returns the bytes to fetch next.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_cvc_plan_next(
    plan: *mut UnspoolCvcPlan,
    need: *mut UnspoolCvcNeed,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let next = || {
            let PlanState { plan, named } = held_in(plan)?;
            if core::mem::take(named) {
                plan.skip();
            }
            let Some(range) = plan.needs() else {
                answer(need, UnspoolCvcNeed::default());
                return Ok(());
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
            answer(need, wanted);
            Ok(())
        };
        report(error, next())
    }
}

/// Answers `UNSPOOL_CVC_NEED_LENGTH` with the bytes that were requested.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_cvc_plan_feed(
    plan: *mut UnspoolCvcPlan,
    length: *const u8,
    length_len: usize,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let feed = || {
            let (PlanState { plan, .. }, length) = (held_in(plan)?, input(length, length_len)?);
            match plan.needs() {
                Some(range) if plan.piece().is_none() => plan.feed(range.start, length, Verify::Refuse).map(drop),
                _ => Ok(()),
            }
        };
        report(error, feed())
    }
}

/// Decodes the rows that `unspool_cvc_plan_next` named last to f32. `bytes` are those from `start`
/// to `end`, which are verified, or those from `data_start` to `data_end`, which cannot be.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_cvc_plan_decode_f32(
    plan: *mut UnspoolCvcPlan,
    bytes: *const u8,
    bytes_len: usize,
    check: UnspoolCvcCrc,
    values: *mut f32,
    values_len: usize,
    done: *mut UnspoolCvcDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let decode = || {
            apart(&[stretch(bytes, bytes_len)], &[stretch(plan, 1), stretch(values, values_len)])?;
            let (state, bytes, values) = (held_in(plan)?, input(bytes, bytes_len)?, output(values, values_len)?);
            let (payload, count) = open(state, bytes, verify(check)?)?;
            payload.decode(values)?;
            answer(done, UnspoolCvcDone::new(payload.len(), count));
            Ok(())
        };
        report(error, decode())
    }
}

/// Returns the values that `unspool_cvc_plan_next` named last, as they are stored, without a copy:
/// the result points into `bytes`. Lossless values are not stored one after the other, so they are
/// an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_cvc_plan_raw(
    plan: *mut UnspoolCvcPlan,
    bytes: *const u8,
    bytes_len: usize,
    check: UnspoolCvcCrc,
    values: *mut *const u8,
    values_len: *mut usize,
    done: *mut UnspoolCvcDone,
    error: *mut UnspoolError,
) -> UnspoolErrorKind {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let find = || {
            let (payload, count) = open(held_in(plan)?, input(bytes, bytes_len)?, verify(check)?)?;
            let raw = payload.raw().ok_or(Error::new(ErrorKind::WrongType, 0))?;
            answer(values, raw.as_ptr());
            answer(values_len, raw.len());
            answer(done, UnspoolCvcDone::new(0, count));
            Ok(())
        };
        report(error, find())
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

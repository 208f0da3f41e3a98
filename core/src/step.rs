//! What a streaming decoder returns from each call.

use crate::num::copy;
use crate::{Error, ErrorKind, Result};

/// Whether more input will come after the slice of this call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// More may come.
    NotYet,
    /// This slice ends the input; a decoder that needs more reports `Truncated`.
    Here,
}

/// The one thing that the caller must do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Call again with the bytes that follow those that were read.
    NeedInput,
    /// Call again with room for more output. If some was left, the next call returns the error that follows what was written.
    NeedOutput,
    /// The data is complete; what follows in the input was not touched.
    Done,
}

/// How far one call came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Bytes of the input that are used up.
    pub read: usize,
    /// Bytes of the output that are filled.
    pub wrote: usize,
    /// What to do next.
    pub status: Status,
}

/// Watches over the steps of a decoder: keeps its error, and refuses calls that can do nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepGuard {
    /// The last call did nothing.
    idle: bool,
    error: Option<Error>,
}

impl StepGuard {
    /// Nothing has happened yet.
    pub(crate) const NEW: Self = Self { idle: false, error: None };

    /// The error that stays.
    pub(crate) fn error(&self) -> Result<()> {
        self.error.map_or(Ok(()), Err)
    }

    /// Builds the `Step` for a call that consumed `read` and produced `wrote`. An error comes by itself, with the next call if this one has
    /// written something. A second call in a row with nothing to work with is one, `at` this place.
    pub(crate) fn step(&mut self, read: usize, wrote: usize, status: Result<Status>, at: u64) -> Result<Step> {
        let idle = read == 0 && wrote == 0 && status.is_ok_and(|status| status != Status::Done);
        let stuck = core::mem::replace(&mut self.idle, idle) && idle;
        match if stuck { Err(Error::new(ErrorKind::NoProgress, at)) } else { status } {
            Ok(status) => Ok(Step { read, wrote, status }),
            Err(error) => {
                self.error = Some(error);
                if wrote > 0 { Ok(Step { read, wrote, status: Status::NeedOutput }) } else { Err(error) }
            }
        }
    }

    /// Builds the `Step` for a call that came to where a larger window is wanted. It is not the end, because the window may be
    /// exchanged. What came before leaves first, and calls before it no longer count.
    pub(crate) fn wants_window(&mut self, read: usize, wrote: usize, error: Error) -> Result<Step> {
        *self = Self::NEW;
        match (read, wrote) {
            (0, 0) => Err(error),
            _ => Ok(Step { read, wrote, status: Status::NeedOutput }),
        }
    }
}

/// Moves what lies in a window from `flushed` to `at` to the output, after what was written. Returns whether all of it fitted.
pub(crate) fn flush_window(window: &[u8], flushed: &mut usize, at: usize, dst: &mut [u8], wrote: &mut usize) -> bool {
    let room = dst.get_mut(*wrote..).unwrap_or_default();
    let ready = window.get(*flushed..at).unwrap_or_default();
    let len = room.len().min(ready.len());
    copy(ready.get(..len).unwrap_or_default(), room);
    *wrote += len;
    *flushed += len;
    *flushed >= at
}

/// How much [`pour`] writes at once. It lies on the stack.
const PIECE: usize = match () {
    () if crate::tuning::SMALL => 256,
    () if cfg!(feature = "std") => 32 << 10,
    () => 4 << 10,
};

/// Writes all that a stream decodes to a sink, from an input that is all there. Returns how many bytes of it were used.
pub(crate) fn pour(
    src: &[u8],
    sink: &mut impl crate::Sink,
    mut step: impl FnMut(&[u8], &mut [u8]) -> Result<Step>,
) -> Result<usize> {
    let (mut rest, mut piece) = (src, [0; PIECE]);
    loop {
        let step = step(rest, &mut piece)?;
        sink.write(piece.get(..step.wrote).unwrap_or_default())?;
        rest = rest.get(step.read..).unwrap_or_default();
        if step.status == Status::Done {
            return Ok(src.len() - rest.len());
        }
    }
}

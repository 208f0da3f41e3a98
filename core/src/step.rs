//! The result of each call of a streaming decoder.

use crate::num::copy;
use crate::{Error, ErrorKind, Result};

/// The end of the input, or not yet.
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// More may come.
    NotYet,
    /// This slice ends the input; a decoder that needs more reports `Truncated`.
    Here,
}

/// The one thing that the caller must do next.
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Call again with the bytes that follow those that were read.
    NeedInput,
    /// Call again with more room for output. If the output has room left, the next call returns the
    /// error that follows the bytes written.
    NeedOutput,
    /// The data is complete. Bytes after it were not read.
    Done,
}

/// The progress of one call.
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Bytes of the input that were read.
    pub read: usize,
    /// Bytes of the output that are filled.
    pub wrote: usize,
    /// The action that the caller must take.
    pub status: Status,
}

/// Watches the steps of a decoder: keeps its error, and refuses calls that have nothing to work
/// with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepGuard {
    /// The last call read and wrote nothing.
    idle: bool,
    error: Option<Error>,
}

impl StepGuard {
    /// The state before the first call.
    pub(crate) const NEW: Self = Self { idle: false, error: None };

    /// Returns the error of an earlier call, if there was one.
    pub(crate) fn error(&self) -> Result<()> {
        self.error.map_or(Ok(()), Err)
    }

    /// Builds the `Step` for a call that consumed `read` and produced `wrote`. If the call wrote
    /// something, its error is returned by the next call. A second call in a row with nothing to
    /// work with is an error at `at`.
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

    /// Builds the `Step` for a call that needs a larger window. The stream does not end there,
    /// because the caller may lend another window. Bytes before it are returned first, and earlier
    /// idle calls do not count.
    pub(crate) fn wants_window(&mut self, read: usize, wrote: usize, error: Error) -> Result<Step> {
        *self = Self::NEW;
        match (read, wrote) {
            (0, 0) => Err(error),
            _ => Ok(Step { read, wrote, status: Status::NeedOutput }),
        }
    }
}

/// Copies the bytes from `flushed` to `at` of a window to the output, after those already written.
/// Returns whether all of them fitted.
pub(crate) fn flush_window(window: &[u8], flushed: &mut usize, at: usize, dst: &mut [u8], wrote: &mut usize) -> bool {
    let room = dst.get_mut(*wrote..).unwrap_or_default();
    let ready = window.get(*flushed..at).unwrap_or_default();
    let len = room.len().min(ready.len());
    copy(ready.get(..len).unwrap_or_default(), room);
    *wrote += len;
    *flushed += len;
    *flushed >= at
}

/// The size of the buffer of [`pour`], which is on the stack.
const PIECE: usize = match () {
    () if crate::tuning::SMALL => 256,
    () if cfg!(feature = "std") => 32 << 10,
    () => 4 << 10,
};

/// Decodes a whole input through a streaming decoder to a sink.
pub(crate) fn pour(
    src: &[u8],
    sink: &mut impl crate::Sink,
    mut step: impl FnMut(&[u8], &mut [u8]) -> Result<Step>,
) -> Result<()> {
    let (mut rest, mut piece) = (src, [0; PIECE]);
    loop {
        let step = step(rest, &mut piece)?;
        sink.write(piece.get(..step.wrote).unwrap_or_default())?;
        rest = rest.get(step.read..).unwrap_or_default();
        if step.status == Status::Done {
            return Ok(());
        }
    }
}

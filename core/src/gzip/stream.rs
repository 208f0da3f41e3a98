//! Decodes files piece by piece.

use super::walk::Walk;
use super::workspace::Workspace;
use crate::num::index;
use crate::options::Options;
use crate::step::StepGuard;
use crate::{Done, End, Result, Shifted, Step};

/// Decodes a stream, however it is split.
///
/// The window has at least [`WINDOW_SIZE`](super::WINDOW_SIZE) bytes; with a smaller one, each step
/// returns an error.
///
/// ```
/// use unspool::{End, Status, gzip};
/// let file = b"\x1F\x8B\x08\0\0\0\0\0\0\xFF\x01\x05\0\xFA\xFFhello\x86\xA6\x10\x36\x05\0\0\0";
/// let (mut workspace, mut window) = (gzip::Workspace::new(), [0; gzip::WINDOW_SIZE]);
/// let mut decoder = gzip::Decoder::new(&mut workspace, &mut window, &gzip::Options::DEFAULT);
/// let (mut out, mut piece, mut input) = (Vec::<u8>::new(), [0; 4], &file[..]);
/// loop {
///     let step = decoder.step(input, End::Here, &mut piece)?;
///     out.extend(&piece[..step.wrote]);
///     input = &input[step.read..];
///     if step.status == Status::Done {
///         break;
///     }
/// }
/// assert_eq!(out, b"hello");
/// # Ok::<(), unspool::Error>(())
/// ```
#[derive(Debug)]
pub struct Decoder<'a> {
    walk: Walk<'a>,
    guard: StepGuard,
}

impl<'a> Decoder<'a> {
    /// A decoder at the start of a stream.
    pub fn new(workspace: &'a mut Workspace, window: &'a mut [u8], options: &Options) -> Self {
        Self { walk: Walk::new(workspace, window, true, options), guard: StepGuard::NEW }
    }

    /// Returns the progress so far. [`Done::parts`] and [`Done::checksums`] count members that are
    /// complete.
    pub fn done(&self) -> Done {
        self.walk.done(index(self.walk.at))
    }

    /// Reads from `src`, writes to `dst`, and returns what to do next. Bytes that were decoded
    /// before an error leave before it is returned; then it stays. A second call in a row that can
    /// do nothing is an error.
    pub fn step(&mut self, src: &[u8], end: End, dst: &mut [u8]) -> Result<Step> {
        self.guard.error()?;
        let (mut rest, mut wrote) = (src, 0);
        let status = self.walk.go(&mut rest, end, (dst, &mut wrote), &mut Shifted::new(&mut (), 0));
        self.guard.step(src.len() - rest.len(), wrote, status, self.walk.at)
    }
}

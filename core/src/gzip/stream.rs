//! Files that come piece by piece.

use super::options::Options;
use super::output::{Output, WINDOW_SIZE};
use super::walk::Walk;
use super::workspace::Workspace;
use crate::num::u64_from;
use crate::step::StepGuard;
use crate::{Checksums, End, Limits, Result, Shifted, Step};

/// Decodes a stream, whatever the pieces that it comes in.
///
/// The window has [`WINDOW_SIZE`] bytes; with a smaller one, each step fails and says so. A header has at most as many, whatever the
/// limits say: it is gathered there.
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
    workspace: &'a mut Workspace,
    /// What was decoded last, or why there is no window for it.
    output: Result<Output<'a>>,
    walk: Walk,
    guard: StepGuard,
}

impl<'a> Decoder<'a> {
    /// A decoder at the start of a stream.
    pub fn new(workspace: &'a mut Workspace, window: &'a mut [u8], options: &Options) -> Self {
        // A longer header would not fit in the window.
        let max_header = options.limits.max_header.min(u64_from(WINDOW_SIZE));
        let options = Options { limits: Limits { max_header, ..options.limits }, ..*options };
        Self { workspace, output: Output::ring(window), walk: Walk::new(&options, false), guard: StepGuard::NEW }
    }

    /// The members that are complete.
    pub const fn members(&self) -> u64 {
        self.walk.members()
    }

    /// How the checksums of the members turned out that are complete.
    pub const fn checksums(&self) -> Checksums {
        self.walk.checksums()
    }

    /// Reads from `src`, writes to `dst`, and says what to do next. What was decoded before an error leaves before it is
    /// reported; then it stays. A second call in a row with nothing to work with is one.
    pub fn step(&mut self, src: &[u8], end: End, dst: &mut [u8]) -> Result<Step> {
        self.guard.error()?;
        let output = self.output.as_mut().map_err(|error| *error)?;
        let (mut rest, mut wrote) = (src, 0);
        let to = (dst, &mut wrote);
        let status = self.walk.go(&mut rest, end, to, output, self.workspace, &mut Shifted::new(&mut (), 0));
        self.guard.step(src.len() - rest.len(), wrote, status, self.walk.at)
    }
}

//! Decodes files piece by piece.

use super::options::Options;
use super::parser::{Parser, STARVED, State};
use super::window::Window;
use super::workspace::Workspace;
use crate::fault::Verdict;
use crate::num::index;
use crate::step::StepGuard;
use crate::{Done, End, Error, ErrorKind, Result, Status, Step};

/// A parser that a stream drives field by field: of an xz file, or of LZMA alone.
pub(super) trait Machine {
    /// The state that all machines share.
    fn parser(&mut self) -> &mut Parser;

    /// Reads one field. Returns `Done` where the file ends, and `NeedInput` where it may end; a
    /// field that needs more input is a fault of the kind of [`STARVED`].
    fn advance(
        &mut self,
        src: &mut &[u8],
        end: End,
        window: &mut Window<'_>,
        workspace: &mut Workspace,
    ) -> Verdict<Option<Status>>;

    /// Reads `src` and writes `dst`, until one of them or the file ends.
    fn go(
        &mut self,
        src: &mut &[u8],
        end: End,
        (dst, wrote): (&mut [u8], &mut usize),
        window: &mut Window<'_>,
        workspace: &mut Workspace,
    ) -> Result<Status> {
        loop {
            // Decoded bytes leave before more are decoded.
            if !self.parser().flush(window, workspace, dst, wrote) {
                return Ok(Status::NeedOutput);
            }
            return match self.advance(src, end, window, workspace) {
                Ok(None) => continue,
                Ok(Some(Status::NeedInput)) if end == End::Here => Ok(Status::Done),
                Ok(Some(status)) => Ok(status),
                Err(fault) if fault.kind == STARVED.kind && end == End::NotYet => Ok(Status::NeedInput),
                Err(fault) => Err(self.parser().error(fault)),
            };
        }
    }
}

impl Machine for Parser {
    fn parser(&mut self) -> &mut Parser {
        self
    }

    fn advance(
        &mut self,
        src: &mut &[u8],
        _: End,
        window: &mut Window<'_>,
        workspace: &mut Workspace,
    ) -> Verdict<Option<Status>> {
        self.advance(src, window, workspace)
    }
}

/// A machine with the memory that the caller lends.
#[derive(Debug)]
pub(super) struct Stream<'a, M> {
    workspace: &'a mut Workspace,
    window: Window<'a>,
    machine: M,
    /// The error that follows content which is still in the window.
    error: Option<Error>,
    guard: StepGuard,
}

impl<'a, M: Machine> Stream<'a, M> {
    pub(super) fn new(workspace: &'a mut Workspace, window: &'a mut [u8], machine: M) -> Self {
        Self { workspace, window: Window::new(window), machine, error: None, guard: StepGuard::NEW }
    }

    pub(super) const fn machine(&self) -> &M {
        &self.machine
    }

    /// Replaces the window, if a block waits for a larger one.
    pub(super) fn lend(&mut self, window: &'a mut [u8]) -> Result<()> {
        let parser = self.machine.parser();
        if !matches!(parser.state, State::Window) {
            return Err(Error::new(ErrorKind::WindowInUse, parser.at));
        }
        self.window = Window::new(window);
        Ok(())
    }

    pub(super) fn step(&mut self, src: &[u8], end: End, dst: &mut [u8]) -> Result<Step> {
        self.guard.error()?;
        let (mut rest, mut wrote) = (src, 0);
        let mut status = match self.error {
            None => self.machine.go(&mut rest, end, (&mut *dst, &mut wrote), &mut self.window, self.workspace),
            Some(error) => Err(error),
        };
        let read = src.len() - rest.len();
        let parser = self.machine.parser();
        if let Err(error) = status {
            if error.kind == ErrorKind::XzWindowBuffer {
                return self.guard.wants_window(read, wrote, error);
            }
            self.error = Some(error);
            if !parser.flush(&mut self.window, self.workspace, dst, &mut wrote) {
                status = Ok(Status::NeedOutput);
            }
        }
        self.guard.step(read, wrote, status, parser.at)
    }
}

/// Decodes a stream, however it is split.
///
/// The caller lends a window for the history that matches refer to. Its size is
/// [`BlockHeader::window`](super::BlockHeader::window): the dictionary size of the file, and 32
/// bytes more. A block that needs more is refused before any of it is decoded. The error says how
/// much it needs; decoding goes on once that is [lent](Self::lend).
///
/// ```
/// use unspool::{End, Status, xz};
/// # let file = b"\xFD7zXZ\0\0\x01i\"\xDE6\x02\0!\x01\0\0\0\07'\x97\xD6\xE0\0\x16\0\x0E]\0:\x9B\x8A\xCD\xCA\x08\x14\xAF\xF7\xF9x\xE8\x80\0\0\0\0c\xC9\xC4\x7F\0\x01&\x17\xC8\xB3\x8B`\x90B\x99\r\x01\0\0\0\0\x01YZ";
/// let (mut workspace, mut window) = (xz::Workspace::new(), [0; 4128]);
/// let mut decoder = xz::Decoder::new(&mut workspace, &mut window, &xz::Options::DEFAULT);
/// let (mut out, mut piece, mut input) = (Vec::<u8>::new(), [0; 4], &file[..]);
/// loop {
///     let step = decoder.step(input, End::Here, &mut piece)?;
///     out.extend(&piece[..step.wrote]);
///     input = &input[step.read..];
///     if step.status == Status::Done {
///         break;
///     }
/// }
/// assert_eq!(out, b"unspool unspool unspool");
/// # Ok::<(), unspool::Error>(())
/// ```
#[derive(Debug)]
pub struct Decoder<'a> {
    stream: Stream<'a, Parser>,
}

impl<'a> Decoder<'a> {
    /// A decoder at the start of a file.
    pub fn new(workspace: &'a mut Workspace, window: &'a mut [u8], options: &Options) -> Self {
        Self { stream: Stream::new(workspace, window, Parser::new(options)) }
    }

    /// Returns the progress so far.
    pub fn done(&self) -> Done {
        let parser = self.stream.machine();
        parser.done(index(parser.at))
    }

    /// Lends another window, after the error [`XzWindowBuffer`](ErrorKind::XzWindowBuffer), whose
    /// `need` is the least size. At any other time the window is in use: it stays, and the call
    /// returns [`WindowInUse`](ErrorKind::WindowInUse).
    pub fn lend(&mut self, window: &'a mut [u8]) -> Result<()> {
        self.stream.lend(window)
    }

    /// Reads from `src`, writes to `dst`, and returns what to do next. Bytes that were decoded
    /// before an error leave before it is returned; then it stays. A second call in a row that can
    /// do nothing is an error.
    pub fn step(&mut self, src: &[u8], end: End, dst: &mut [u8]) -> Result<Step> {
        self.stream.step(src, end, dst)
    }
}

//! Decodes inputs that come in pieces.

use super::super::stream::Stream;
use super::super::workspace::Workspace;
use super::options::Options;
use super::walk::Walk;
use crate::{Done, End, Result, Step};

/// Decodes a stream, however it is split.
///
/// The caller lends a window for the history that matches refer to. Its size is
/// [`Header::window`](super::Header::window). If it is smaller, the error says how much is needed,
/// and decoding goes on once that is [lent](Self::lend).
///
/// ```
/// use unspool::{End, Status, lzma};
/// # let file = b"]\0\x10\0\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0:\x9B\x8A\xCD\xCA\x08\x14\xAF\xF7\xF9\x83e\xA5\xFF\xFF\xFB\x11\xA0\0";
/// let (mut workspace, mut window) = (lzma::Workspace::new(), [0; 4128]);
/// let mut decoder = lzma::Decoder::new(&mut workspace, &mut window, &lzma::Options::DEFAULT);
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
    stream: Stream<'a, Walk<false>>,
}

impl<'a> Decoder<'a> {
    /// A decoder at the start of a file.
    pub fn new(workspace: &'a mut Workspace, window: &'a mut [u8], options: &Options) -> Self {
        Self { stream: Stream::new(workspace, window, Walk::new(options)) }
    }

    /// Returns the progress so far.
    pub fn done(&self) -> Done {
        self.stream.machine().done()
    }

    /// Lends another window, after the error
    /// [`XzWindowBuffer`](crate::ErrorKind::XzWindowBuffer), whose `need` is the least size. At any
    /// other time the window is in use: it stays, and the call returns
    /// [`WindowInUse`](crate::ErrorKind::WindowInUse).
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

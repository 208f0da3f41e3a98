//! Decodes streams: input and output arrive and leave in pieces.
//!
//! A decoder borrows its tables and its window, and the file shows only while it is read how large
//! the window must be. So the decoder lives in an `async` function that owns them and never
//! returns, as an OnPair column does. Each [`Stream::step`] passes in bytes, polls the function
//! until it needs more, and takes the output.

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::vec;
use alloc::vec::Vec;
use core::cell::RefCell;
use core::convert::Infallible;
use core::future::poll_fn;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};

use unspool::{End, Result, Status};
#[cfg(any(feature = "gzip", feature = "lzma", feature = "xz-stream", feature = "zstd-stream"))]
use unspool::{Error, ErrorKind, Step};
use wasm_bindgen::prelude::*;

use crate::fault::Fault;
#[cfg(any(feature = "gzip", feature = "lzma", feature = "xz-stream", feature = "zstd-stream"))]
use crate::number;

/// Maximum output of one step.
pub(crate) const PIECE: usize = 64 << 10;

/// A stream decoder.
#[wasm_bindgen]
pub struct Stream {
    desk: Desk,
    work: Pin<Box<dyn Future<Output = Result<Infallible>>>>,
}

#[wasm_bindgen]
impl Stream {
    /// Continues with these bytes; `last` marks the end of the input. Returns at most 64 KiB.
    pub fn step(&mut self, bytes: Vec<u8>, last: bool) -> core::result::Result<Vec<u8>, Fault> {
        let end = if last { End::Here } else { End::NotYet };
        self.desk.0.borrow_mut().input = Some((bytes, end));
        match self.work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(Err(error)) => Err(Fault(error)),
            _ => Ok(core::mem::take(&mut self.desk.0.borrow_mut().output)),
        }
    }

    /// Returns how many bytes of the last input were consumed. Pass the rest again with the next
    /// step.
    pub fn read(&self) -> usize {
        self.desk.0.borrow().read
    }

    /// Returns the next need: 0 input, 1 another step, 2 nothing.
    pub fn status(&self) -> u8 {
        match self.desk.0.borrow().status {
            Status::NeedInput => 0,
            Status::NeedOutput => 1,
            Status::Done => 2,
        }
    }
}

impl Stream {
    pub(crate) fn new<F: Future<Output = Result<Infallible>> + 'static>(serve: impl FnOnce(Desk) -> F) -> Self {
        let desk =
            Desk(Rc::new(RefCell::new(Things { input: None, output: vec![], read: 0, status: Status::NeedInput })));
        Self { work: Box::pin(serve(desk.clone())), desk }
    }
}

/// Hands data back and forth between the future and its caller.
#[derive(Clone)]
pub(crate) struct Desk(Rc<RefCell<Things>>);

struct Things {
    input: Option<(Vec<u8>, End)>,
    output: Vec<u8>,
    read: usize,
    status: Status,
}

impl Desk {
    /// Waits for the input of the next step.
    pub(crate) async fn input(&self) -> (Vec<u8>, End) {
        poll_fn(|_| self.0.borrow_mut().input.take().map_or(Poll::Pending, Poll::Ready)).await
    }

    /// Sets the output of the current step, and asks to be called again.
    #[cfg(feature = "at1")]
    pub(crate) fn emit(&self, output: Vec<u8>) {
        let mut things = self.0.borrow_mut();
        (things.output, things.status) = (output, Status::NeedOutput);
    }

    /// Sets the output, the consumed length and the status of the current step.
    pub(crate) fn answer(&self, output: Vec<u8>, read: usize, status: Status) {
        let mut things = self.0.borrow_mut();
        (things.output, things.read, things.status) = (output, read, status);
    }
}

/// A decoder of the core, which may ask for a larger window.
#[cfg(any(feature = "gzip", feature = "lzma", feature = "xz-stream", feature = "zstd-stream"))]
pub(crate) trait Decode<'a> {
    fn step(&mut self, src: &[u8], end: End, dst: &mut [u8]) -> Result<Step>;
    fn lend(&mut self, _: &'a mut [u8]) -> Result<()> {
        Ok(())
    }
}

/// The windows lent so far. Each is at least twice as large as the previous one, so 24 are enough.
#[cfg(any(feature = "gzip", feature = "lzma", feature = "xz-stream", feature = "zstd-stream"))]
pub(crate) type Windows = [Vec<u8>; 24];

#[cfg(any(feature = "gzip", feature = "lzma", feature = "xz-stream", feature = "zstd-stream"))]
pub(crate) async fn serve<'a>(
    decoder: &mut dyn Decode<'a>,
    windows: &'a mut Windows,
    desk: &Desk,
) -> Result<Infallible> {
    let (mut windows, mut size) = (windows.iter_mut(), 0);
    loop {
        let (src, end) = desk.input().await;
        let mut output = vec![0; PIECE];
        let (mut read, mut wrote) = (0, 0);
        loop {
            let rest = (src.get(read..).unwrap_or_default(), output.get_mut(wrote..).unwrap_or_default());
            let step = match decoder.step(rest.0, end, rest.1) {
                Err(error) if is_window(error) => {
                    let window = windows.next().ok_or(error)?;
                    size = number::index(error.need).max(size * 2);
                    window.try_reserve_exact(size).map_err(|_| Error { kind: ErrorKind::NoMemory, ..error })?;
                    window.resize(size, 0);
                    decoder.lend(window)?;
                    continue;
                }
                step => step?,
            };
            (read, wrote) = (read + step.read, wrote + step.wrote);
            // Before a larger window there may be no output yet. An error is raised again after the
            // output before it has left.
            if step.status != Status::NeedOutput || wrote > 0 {
                output.truncate(wrote);
                desk.answer(output, read, step.status);
                break;
            }
        }
    }
}

#[cfg(any(feature = "gzip", feature = "lzma", feature = "xz-stream", feature = "zstd-stream"))]
const fn is_window(error: Error) -> bool {
    matches!(error.kind, ErrorKind::XzWindowBuffer | ErrorKind::ZstdWindowBuffer)
}

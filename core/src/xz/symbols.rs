//! Decodes LZMA symbol by symbol, for inspectors: the kind of each, and its cost in bits.
//!
//! The decoders have no observer, and pay nothing for this one. It drives the same machines, but
//! pretends that one byte of content is left, so that a call decodes one symbol. The cost of a
//! symbol follows from the range coder, whose range shrinks by the probability of every bit.

use core::ops::Range;

use super::lzma::LzmaKind;
use super::options::{Options, Streams};
use super::parser::{Parser, STARVED, State};
use super::stream::Machine;
use super::window::{Place, Window};
use super::workspace::Workspace;
use crate::fault::Fault;
use crate::num::{index, u64_from};
use crate::{End, Error, ErrorKind, Limits, Result, Status, Verify};

/// A symbol of LZMA.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LzmaSymbol {
    /// Its kind.
    pub kind: LzmaKind,
    /// The bytes of the file that the range coder takes in while it decodes the symbol. There may
    /// be none: the coder is four bytes ahead.
    pub bytes: Range<u64>,
    /// The content that it decodes to, before filters.
    pub content: Range<u64>,
    /// The distance of a match, from 1 on. 0 for a literal and a marker.
    pub distance: u64,
    /// The first byte that it decodes to; 0 for a marker.
    pub byte: u8,
    /// Its cost in bits, times [`COST_SCALE`]: the sum of −log2 of the probabilities that the
    /// decoder had, with the rounding of the range coder.
    pub cost: u64,
}

/// The cost of one bit that is as likely as not.
pub const COST_SCALE: u64 = 1 << COST_BITS;
const COST_BITS: u32 = 16;

/// A part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LzmaItem {
    /// A chunk of LZMA2, or the stream of a `.lzma` file, starts.
    Chunk {
        /// Its offset in the file.
        at: u64,
        /// The offset of the header of its block, from which a reader can start. 0 without blocks.
        block: u64,
        /// The control byte of a chunk. Below 0x80 its bytes are stored.
        control: Option<u8>,
    },
    /// A symbol.
    Symbol(LzmaSymbol),
    /// The chunk or stream ends.
    End {
        /// The offset after it.
        at: u64,
        /// The length of the content so far, before filters.
        content: u64,
    },
}

/// The next thing that an observer wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LzmaWish {
    /// Every symbol.
    Symbols,
    /// The next chunk. Symbols before it are decoded at full speed, and not emitted.
    Chunk,
    /// Nothing.
    Stop,
}

/// The outcome of a call of a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LzmaFed {
    /// The number of bytes used.
    pub read: usize,
    /// The file has ended, or the observer wants nothing else.
    pub ended: bool,
    /// The window that the next block needs, if it is larger than the one that was lent; else 0.
    /// The next call must bring it.
    pub window: u64,
}

/// Reads the symbols of an xz file, which comes in pieces.
///
/// Checks are not verified, and filters are not undone. The window is that of a
/// [`Decoder`](super::Decoder).
///
/// ```
/// use unspool::{End, Limits, xz};
/// # let file = b"\xFD7zXZ\0\0\x01i\"\xDE6\x02\0!\x01\0\0\0\07'\x97\xD6\xE0\0\x16\0\x0E]\0:\x9B\x8A\xCD\xCA\x08\x14\xAF\xF7\xF9x\xE8\x80\0\0\0\0c\xC9\xC4\x7F\0\x01&\x17\xC8\xB3\x8B`\x90B\x99\r\x01\0\0\0\0\x01YZ";
/// let (mut workspace, mut window) = (xz::Workspace::new(), [0; 4128]);
/// let mut reader = xz::SymbolReader::new(&Limits::DEFAULT);
/// let mut kinds = Vec::new();
/// reader.feed(file, End::Here, &mut workspace, &mut window, |item| {
///     if let xz::LzmaItem::Symbol(symbol) = item {
///         kinds.push(symbol.kind);
///     }
///     xz::LzmaWish::Symbols
/// })?;
/// // "unspool ", and the rest repeats it.
/// assert_eq!(kinds, [vec![xz::LzmaKind::Literal; 8], vec![xz::LzmaKind::Match]].concat());
/// # Ok::<(), unspool::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SymbolReader(Observed<Parser>);

impl SymbolReader {
    /// A reader at the start of a file. The limit on output does not apply.
    pub fn new(limits: &Limits) -> Self {
        Self(Observed::new(Parser::new(&options(limits)), 0))
    }

    /// A reader at a block whose header is at this offset, after so much content. It must stop
    /// before the index.
    pub fn at_block(at: u64, content: u64, limits: &Limits) -> Self {
        let parser = Parser { state: State::BlockStart, at, ..Parser::new(&options(limits)) };
        Self(Observed::new(parser, content))
    }

    /// Reads the next piece of the file, and emits its parts.
    pub fn feed(
        &mut self,
        src: &[u8],
        end: End,
        workspace: &mut Workspace,
        window: &mut [u8],
        each: impl FnMut(LzmaItem) -> LzmaWish,
    ) -> Result<LzmaFed> {
        self.0.feed(src, end, workspace, window, each)
    }
}

/// The options of a parser that only observes.
pub(super) fn options(limits: &Limits) -> Options {
    let limits = Limits { max_output: u64::MAX, ..*limits };
    Options { limits, verify: Verify::Skip, streams: Streams::All }
}

/// A machine whose symbols can be decoded one by one.
pub(super) trait Symbolic: Machine {
    /// The position among chunks.
    fn stage(&self) -> Stage;

    /// Returns the content that the symbols may still make.
    fn left(&self) -> u64;

    /// Changes the content that the symbols may still make, also after the last one.
    fn set_left(&mut self, left: u64);
}

/// The position of a machine among chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Between chunks.
    Outside,
    /// At the header of a block.
    Block,
    /// In the header of a chunk, after this control byte, or before the symbols of a stream.
    Header(Option<u8>),
    /// In stored bytes, with the number that follows.
    Stored(u64),
    Symbols,
    /// At the marker that must follow.
    Marker,
    AfterMarker,
    /// After the symbols, where the range coder ends.
    End,
}

impl Symbolic for Parser {
    fn stage(&self) -> Stage {
        match self.state {
            State::BlockHeader(_) => Stage::Block,
            State::ChunkHeader(control) => Stage::Header(Some(control)),
            State::Copy => Stage::Stored(u64_from(self.chunk.input)),
            State::Lzma => Stage::Symbols,
            State::LzmaEnd => Stage::End,
            _ => Stage::Outside,
        }
    }

    fn left(&self) -> u64 {
        u64_from(self.chunk.output)
    }

    fn set_left(&mut self, left: u64) {
        self.chunk.output = index(left);
        if left > 0 && matches!(self.state, State::LzmaEnd) {
            self.state = State::Lzma;
        }
    }
}

/// A machine, and the progress of its observer.
#[derive(Clone, Debug)]
pub(super) struct Observed<M> {
    machine: M,
    place: Place,
    content: u64,
    /// The offset of the last block header.
    block: u64,
    wish: LzmaWish,
}

impl<M: Symbolic> Observed<M> {
    pub(super) const fn new(machine: M, content: u64) -> Self {
        Self { machine, place: Place::START, content, block: 0, wish: LzmaWish::Symbols }
    }

    pub(super) fn feed(
        &mut self,
        src: &[u8],
        end: End,
        workspace: &mut Workspace,
        window: &mut [u8],
        mut each: impl FnMut(LzmaItem) -> LzmaWish,
    ) -> Result<LzmaFed> {
        let mut rest = src;
        let window = &mut Window::resume(window, self.place);
        let ended = loop {
            match self.step(&mut rest, end, workspace, window, &mut each) {
                Ok(Some(ended)) => break Ok(ended),
                Ok(None) => {}
                Err(fault) => break Err(fault),
            }
        };
        self.place = window.pause();
        let read = src.len() - rest.len();
        match ended {
            Ok(ended) => Ok(LzmaFed { read, ended, window: 0 }),
            Err(Error { kind: ErrorKind::XzWindowBuffer, need, .. }) => {
                Ok(LzmaFed { read, ended: false, window: need })
            }
            Err(error) => Err(error),
        }
    }

    /// Reads one field or symbol. Returns whether the file has ended, if there is nothing more to
    /// do.
    fn step(
        &mut self,
        rest: &mut &[u8],
        end: End,
        workspace: &mut Workspace,
        window: &mut Window<'_>,
        each: &mut impl FnMut(LzmaItem) -> LzmaWish,
    ) -> Result<Option<bool>> {
        let (before, at, left) = (self.machine.stage(), self.machine.parser().at, self.machine.left());
        if before == Stage::Block {
            self.block = at;
        }
        let Workspace { tables, head, .. } = &mut *workspace;
        let (pending, range) = (u64_from(tables.lzma.pending()), tables.lzma.range());
        let single = before == Stage::Symbols && self.wish == LzmaWish::Symbols;
        let kind = match before {
            Stage::Symbols if single && pending == 0 => {
                let bytes = self.machine.parser().look_ahead(rest, usize::MAX, head);
                Some(tables.lzma.next_kind(bytes, window.position()))
            }
            Stage::Marker if self.wish == LzmaWish::Symbols => Some(LzmaKind::EndMarker),
            _ => None,
        };
        if single {
            self.machine.set_left(left.min(pending.max(1)));
        }
        let allowed = self.machine.left();
        let advanced = self.machine.advance(rest, end, window, workspace);
        let (after, now) = (self.machine.stage(), self.machine.parser().at);
        let made = match (before, after) {
            (Stage::Symbols, _) => {
                let made = allowed.saturating_sub(self.machine.left());
                self.machine.set_left(left.saturating_sub(made));
                made
            }
            (Stage::Stored(then), Stage::Stored(still)) => then.saturating_sub(still),
            (Stage::Stored(then), _) => then,
            _ => 0,
        };
        // Content that was left may have made the last symbol look like the end.
        let after = if before == Stage::Symbols { self.machine.stage() } else { after };
        let start = self.content;
        self.content = start.saturating_add(made);
        let lzma = &workspace.tables.lzma;
        // A symbol that goes on after its chunk is none.
        let is_whole = !matches!(advanced, Err(Fault { kind: ErrorKind::XzChunkEnd, .. }));
        if let Some(kind) = kind
            && is_whole
            && (made > 0 || after == Stage::AfterMarker)
        {
            let kind = if made > 0 { kind } else { LzmaKind::EndMarker };
            let is_match = !matches!(kind, LzmaKind::Literal | LzmaKind::EndMarker);
            let taken = now.saturating_sub(at).saturating_mul(8) << COST_BITS;
            self.wish = each(LzmaItem::Symbol(LzmaSymbol {
                kind,
                bytes: at..now,
                content: start..self.content.saturating_add(u64_from(lzma.pending())),
                distance: if is_match { lzma.distance() } else { 0 },
                byte: if made > 0 { window.last() } else { 0 },
                cost: taken.saturating_add(log2(range)).saturating_sub(log2(lzma.range())),
            }));
        }
        if let (Stage::Header(control), Stage::Symbols | Stage::Stored(_)) = (before, after) {
            // The control byte is before the header.
            let at = at.saturating_sub(control.is_some().into());
            self.wish = each(LzmaItem::Chunk { at, block: self.block, control });
        }
        let inside = !matches!(before, Stage::Outside | Stage::Block | Stage::Header(_));
        if inside && after == Stage::Outside {
            self.wish = each(LzmaItem::End { at: now, content: self.content });
        }
        if self.wish == LzmaWish::Stop {
            return Ok(Some(true));
        }
        match advanced {
            Ok(None) => Ok(None),
            Ok(Some(status)) => Ok(Some(status == Status::Done || end == End::Here)),
            Err(fault) if fault.kind == STARVED.kind && end == End::NotYet => Ok(Some(false)),
            Err(fault) => Err(self.machine.parser().error(fault)),
        }
    }
}

/// Returns the logarithm to base 2, times [`COST_SCALE`], rounded down.
fn log2(n: u32) -> u64 {
    let shift = n.max(1).leading_zeros();
    let mut mantissa = u64::from(n.max(1)) << shift;
    let mut log = u64::from(31 - shift);
    for _ in 0..COST_BITS {
        // Squaring doubles the logarithm.
        mantissa = (mantissa * mantissa) >> 31;
        let carry = mantissa >> 32;
        log = log << 1 | carry;
        mantissa >>= carry;
    }
    log
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_exact_to_their_last_bit() {
        for n in (0..32).flat_map(|bit| [1u32 << bit, (1 << bit) + 1, (1 << bit) | (1 << bit) >> 1]).chain([u32::MAX]) {
            let exact = f64::from(n.max(1)).log2() * COST_SCALE as f64;
            let error = exact - log2(n) as f64;
            assert!((-0.01..1.01).contains(&error), "{n}: {error}");
        }
        assert_eq!(log2(0), 0);
    }
}

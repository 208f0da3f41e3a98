//! The chunks and symbols of LZMA in a file of xz or `.lzma`, and what they cost, for display.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use unspool::xz::{COST_SCALE, LzmaFed, LzmaItem, LzmaKind, LzmaSymbol, LzmaWish, Workspace};
use unspool::{End, Error, ErrorKind, Result};
use wasm_bindgen::prelude::*;

use crate::fault::Fault;
use crate::number;

/// Lists the chunks of an xz file, with the number and the cost of their symbols. Keeps at most
/// this many.
#[cfg(feature = "xz")]
#[wasm_bindgen]
pub fn xz_chunks(most: f64, limits: &[f64]) -> LzmaSymbols {
    let reader = Reader::Xz(unspool::xz::SymbolReader::new(&crate::limits(limits)));
    LzmaSymbols::new(reader, 0, 0, Wanted::Chunks { most: number::index(number::to_u64(most)) })
}

/// Lists symbols of a chunk from `start` to `end`, and counts lengths and distances. The chunk is
/// the one with this number, counted from the block at offset `block`, which follows so much
/// content. Stops at `end` unless the whole chunk is to be counted.
#[cfg(feature = "xz")]
#[wasm_bindgen]
pub fn xz_chunk(
    block: f64,
    content: f64,
    chunk: f64,
    start: f64,
    end: f64,
    whole: bool,
    limits: &[f64],
) -> LzmaSymbols {
    let [block, content, chunk, start, end] = [block, content, chunk, start, end].map(number::to_u64);
    let reader = Reader::Xz(unspool::xz::SymbolReader::at_block(block, content, &crate::limits(limits)));
    LzmaSymbols::new(reader, block, content, Wanted::Symbols { chunk, start, end, whole })
}

/// Lists the stream of a `.lzma` file as one chunk.
#[cfg(feature = "lzma")]
#[wasm_bindgen]
pub fn lzma_chunks(limits: &[f64]) -> LzmaSymbols {
    let reader = Reader::Lzma(unspool::lzma::SymbolReader::new(&crate::limits(limits)));
    LzmaSymbols::new(reader, 0, 0, Wanted::Chunks { most: 1 })
}

/// Lists symbols of a `.lzma` file, as `xz_chunk` does of a chunk.
#[cfg(feature = "lzma")]
#[wasm_bindgen]
pub fn lzma_chunk(start: f64, end: f64, whole: bool, limits: &[f64]) -> LzmaSymbols {
    let [start, end] = [start, end].map(number::to_u64);
    let reader = Reader::Lzma(unspool::lzma::SymbolReader::new(&crate::limits(limits)));
    LzmaSymbols::new(reader, 0, 0, Wanted::Symbols { chunk: 0, start, end, whole })
}

enum Reader {
    #[cfg(feature = "xz")]
    Xz(unspool::xz::SymbolReader),
    #[cfg(feature = "lzma")]
    Lzma(unspool::lzma::SymbolReader),
}

impl Reader {
    fn feed(
        &mut self,
        piece: &[u8],
        end: End,
        workspace: &mut Workspace,
        window: &mut [u8],
        each: impl FnMut(LzmaItem) -> LzmaWish,
    ) -> Result<LzmaFed> {
        match self {
            #[cfg(feature = "xz")]
            Self::Xz(reader) => reader.feed(piece, end, workspace, window, each),
            #[cfg(feature = "lzma")]
            Self::Lzma(reader) => reader.feed(piece, end, workspace, window, each),
        }
    }
}

/// A walk over a file, or up to the end of a chunk.
#[wasm_bindgen]
pub struct LzmaSymbols {
    reader: Reader,
    workspace: Box<Workspace>,
    window: Vec<u8>,
    /// Bytes of the file that were read.
    read: u64,
    found: Found,
    error: Option<Fault>,
}

#[derive(Clone, Copy)]
enum Wanted {
    Chunks { most: usize },
    Symbols { chunk: u64, start: u64, end: u64, whole: bool },
}

/// Kinds of symbols.
const KINDS: usize = 8;

/// The number of numbers of a chunk.
const CHUNK: usize = 7 + 2 * KINDS;

/// The number of match lengths from 0 on, and of the classes of distances: two for each power of
/// two, as LZMA codes them.
const LENGTHS: usize = 274;
const DISTANCES: usize = 64;

struct Found {
    wanted: Wanted,
    rows: Vec<f64>,
    /// Matches of each length, then of each class of distances.
    counts: Vec<f64>,
    /// Chunks that were entered.
    chunks: u64,
    /// The current chunk.
    at: u64,
    block: u64,
    control: u16,
    /// Content before the block and before the chunk.
    block_content: u64,
    content: u64,
    /// The number of symbols of each kind, and their cost.
    symbols: [u64; KINDS],
    costs: [u64; KINDS],
}

#[wasm_bindgen]
impl LzmaSymbols {
    /// Reads the next piece of the file; `is_last` says that the file ends with it. Returns true if
    /// the walk needs another, from the byte of [`position`](Self::position).
    pub fn feed(&mut self, piece: &[u8], _at: f64, is_last: bool) -> bool {
        let end = if is_last { End::Here } else { End::NotYet };
        let mut rest = piece;
        loop {
            let Self { reader, workspace, window, found, .. } = self;
            let fed = reader.feed(rest, end, workspace, window, |item| found.take(item));
            let error = match fed {
                Ok(LzmaFed { read, ended, window: wanted }) => {
                    self.read += u64::try_from(read).unwrap_or(0);
                    rest = rest.get(read..).unwrap_or_default();
                    if wanted == 0 {
                        return !ended && !is_last;
                    }
                    match room(wanted) {
                        Ok(window) => {
                            self.window = window;
                            continue;
                        }
                        Err(error) => error,
                    }
                }
                Err(error) => error,
            };
            self.error = Some(error.into());
            return false;
        }
    }

    /// Returns the bit at which the walk goes on.
    pub fn position(&self) -> f64 {
        number::from_u64(self.read.saturating_mul(8))
    }

    /// Returns what was listed. A chunk is 23 numbers: start, end, start and end of its content,
    /// offset of its block, content before the block, control byte or 256; then the number of
    /// symbols of each kind, and the bits of each. A symbol is eight: kind, start and end of its
    /// bytes, start of its content, length, distance, first byte, bits.
    pub fn found(&mut self) -> Vec<f64> {
        core::mem::take(&mut self.found.rows)
    }

    /// Returns the number of matches of each length, from 0 to 273, then in each class of
    /// distances, two for each power of two.
    pub fn counts(&mut self) -> Vec<f64> {
        core::mem::take(&mut self.found.counts)
    }

    /// Returns the error that ended the walk as three numbers, or nothing.
    pub fn error(&self) -> Option<Vec<f64>> {
        self.error.map(|fault| fault.numbers().to_vec())
    }
}

/// Allocates a window, which is within the limit.
fn room(len: u64) -> Result<Vec<u8>> {
    let (len, mut window) = (number::index(len), vec![]);
    window.try_reserve_exact(len).map_err(|_| Error::new(ErrorKind::NoMemory, 0))?;
    window.resize(len, 0);
    Ok(window)
}

impl LzmaSymbols {
    fn new(reader: Reader, start: u64, content: u64, wanted: Wanted) -> Self {
        let found = Found {
            wanted,
            rows: vec![],
            counts: vec![0.0; LENGTHS + DISTANCES],
            chunks: 0,
            at: start,
            block: start,
            control: NO_CONTROL,
            block_content: content,
            content,
            symbols: [0; KINDS],
            costs: [0; KINDS],
        };
        Self { reader, workspace: Box::new(Workspace::new()), window: vec![], read: start, found, error: None }
    }
}

/// The control byte of a stream that has none.
const NO_CONTROL: u16 = 256;

impl Found {
    fn take(&mut self, item: LzmaItem) -> LzmaWish {
        match item {
            LzmaItem::Chunk { at, block, control } => {
                self.chunks += 1;
                if block != self.block {
                    (self.block, self.block_content) = (block, self.content);
                }
                (self.at, self.control) = (at, control.map_or(NO_CONTROL, u16::from));
                (self.symbols, self.costs) = ([0; KINDS], [0; KINDS]);
                match self.wanted {
                    Wanted::Chunks { most } if self.rows.len() / CHUNK >= most => LzmaWish::Stop,
                    Wanted::Symbols { chunk, .. } if self.chunks <= chunk => LzmaWish::Chunk,
                    _ => LzmaWish::Symbols,
                }
            }
            LzmaItem::Symbol(symbol) => self.symbol(&symbol),
            LzmaItem::End { at, content } => {
                let start = core::mem::replace(&mut self.content, content);
                match self.wanted {
                    Wanted::Chunks { .. } => {
                        let place = [self.at, at, start, content, self.block, self.block_content, self.control.into()];
                        self.rows.extend(place.into_iter().chain(self.symbols).map(number::from_u64));
                        self.rows.extend(self.costs.map(bits));
                        LzmaWish::Symbols
                    }
                    Wanted::Symbols { chunk, .. } if self.chunks <= chunk => LzmaWish::Chunk,
                    Wanted::Symbols { .. } => LzmaWish::Stop,
                }
            }
        }
    }

    /// Counts a symbol.
    fn symbol(&mut self, symbol: &LzmaSymbol) -> LzmaWish {
        let LzmaSymbol { kind, bytes, content, distance, byte, cost } = symbol;
        let number: u64 = self.symbols.iter().sum();
        let place = place(*kind);
        for (sums, more) in [(&mut self.symbols, 1), (&mut self.costs, *cost)] {
            sums.get_mut(place).into_iter().for_each(|sum| *sum += more);
        }
        let Wanted::Symbols { start, end, whole, .. } = self.wanted else { return LzmaWish::Symbols };
        let length = content.end - content.start;
        if *distance > 0 {
            let class = LENGTHS + class(distance - 1);
            for place in [number::index(length), class] {
                self.counts.get_mut(place).into_iter().for_each(|count| *count += 1.0);
            }
        }
        if (start..end).contains(&number) {
            let row = [place as u64, bytes.start, bytes.end, content.start, length, *distance, (*byte).into()];
            self.rows.extend(row.map(number::from_u64));
            self.rows.push(bits(*cost));
        }
        if whole || number + 1 < end { LzmaWish::Symbols } else { LzmaWish::Stop }
    }
}

/// Returns the place of a kind among the others.
const fn place(kind: LzmaKind) -> usize {
    match kind {
        LzmaKind::Literal => 0,
        LzmaKind::Match => 1,
        LzmaKind::Rep0 => 2,
        LzmaKind::Rep1 => 3,
        LzmaKind::Rep2 => 4,
        LzmaKind::Rep3 => 5,
        LzmaKind::ShortRep => 6,
        LzmaKind::EndMarker => 7,
    }
}

/// Returns the class of a distance less 1, as LZMA codes it: twice the position of the highest bit,
/// and the bit after it.
fn class(distance: u64) -> usize {
    if distance < 4 {
        return number::index(distance);
    }
    let high = 63 - distance.leading_zeros();
    number::index(u64::from(2 * high) | distance >> (high - 1) & 1)
}

/// Converts a cost to bits.
fn bits(cost: u64) -> f64 {
    number::from_u64(cost) / number::from_u64(COST_SCALE)
}

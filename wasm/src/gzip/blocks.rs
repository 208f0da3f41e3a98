//! The blocks of DEFLATE in a gzip file, and the symbols of one, for display.

use alloc::vec;
use alloc::vec::Vec;

use unspool::End;
use unspool::gzip::{BlockKind, BlockReader, Symbol, SymbolKind};
use wasm_bindgen::prelude::*;

use crate::fault::Fault;
use crate::number;

/// Lists the blocks of a file. Keeps at most this many.
#[wasm_bindgen]
pub fn gzip_blocks(most: f64, limits: &[f64]) -> GzipBlocks {
    let reader = BlockReader::new(&crate::limits(limits));
    GzipBlocks::new(reader, Wanted::Blocks { most: number::index(number::to_u64(most)) })
}

/// Counts the symbols of the block at this bit, after so much content, and lists those from `start`
/// to `end`. Stops at `end` unless the whole block is to be counted.
#[wasm_bindgen]
pub fn gzip_block(bit: f64, content: f64, start: f64, end: f64, whole: bool, limits: &[f64]) -> GzipBlocks {
    let reader = BlockReader::at_block(number::to_u64(bit), number::to_u64(content), &crate::limits(limits));
    GzipBlocks::new(reader, Wanted::Symbols { start: number::to_u64(start), end: number::to_u64(end), whole })
}

/// A walk over a file, or over a block.
#[wasm_bindgen]
pub struct GzipBlocks {
    reader: BlockReader,
    wanted: Wanted,
    /// The current block.
    block: Block,
    members: u64,
    rows: Vec<f64>,
    /// How often the block uses each symbol, in the order of the code lengths.
    counts: Vec<f64>,
    lengths: Vec<u8>,
    error: Option<Fault>,
}

#[derive(Clone, Copy)]
enum Wanted {
    Blocks { most: usize },
    Symbols { start: u64, end: u64, whole: bool },
}

/// A block that is being read.
#[derive(Clone, Copy, Default)]
struct Block {
    start: u64,
    /// End of its header.
    data: u64,
    kind: u8,
    content: u64,
    literals: u64,
    matches: u64,
    /// Symbols so far, with the end of the block.
    symbols: u64,
}

/// The number of numbers of a block, and of a symbol.
const BLOCK: usize = 10;
const SYMBOL: usize = 5;

#[wasm_bindgen]
impl GzipBlocks {
    /// Reads a piece of the file that starts at offset `at`; `is_last` says that the file ends with
    /// it. Returns true if the walk needs another, from the byte of [`position`](Self::position).
    pub fn feed(&mut self, piece: &[u8], at: f64, is_last: bool) -> bool {
        let end = if is_last { End::Here } else { End::NotYet };
        let at = number::to_u64(at);
        loop {
            match self.reader.next(piece, at, end) {
                Ok(Some(symbol)) => {
                    if !self.take(&symbol) {
                        return false;
                    }
                }
                Ok(None) => return !is_last,
                Err(error) => {
                    self.error = Some(error.into());
                    return false;
                }
            }
        }
    }

    /// Returns the bit at which the walk goes on.
    pub fn position(&self) -> f64 {
        number::from_u64(self.reader.position())
    }

    /// Returns what was listed. A block is ten numbers: start, end of its header, end, kind, 1 for
    /// the last of its member, start and end of its content, literals, matches, member. A
    /// symbol is five: start and end of its bits, start of its content, length and distance; of a
    /// literal, 0 and the byte; of stored bytes, the length and 0; of the end, 0 and 256.
    pub fn found(&mut self) -> Vec<f64> {
        core::mem::take(&mut self.rows)
    }

    /// Returns how often each symbol of the block is used, in the order of
    /// [`lengths`](Self::lengths).
    pub fn counts(&mut self) -> Vec<f64> {
        core::mem::take(&mut self.counts)
    }

    /// Returns the code length of each symbol: of 288 literals and lengths, then of 32 distances.
    pub fn lengths(&mut self) -> Vec<u8> {
        core::mem::take(&mut self.lengths)
    }

    /// Returns the error that ended the walk as three numbers, or nothing.
    pub fn error(&self) -> Option<Vec<f64>> {
        self.error.map(|fault| fault.numbers().to_vec())
    }
}

impl GzipBlocks {
    fn new(reader: BlockReader, wanted: Wanted) -> Self {
        let counts = vec![0.0; reader.lengths().len()];
        let (block, rows, lengths) = (Block::default(), vec![], vec![]);
        Self { reader, wanted, block, members: 0, rows, counts, lengths, error: None }
    }

    /// Counts a symbol. Returns false if no other is wanted.
    fn take(&mut self, symbol: &Symbol) -> bool {
        let block = &mut self.block;
        let (place, length, distance) = match symbol.kind {
            SymbolKind::Member => {
                self.members += 1;
                return true;
            }
            SymbolKind::Trailer => return true,
            SymbolKind::Block(kind) => {
                if let Wanted::Blocks { most } = self.wanted
                    && self.rows.len() / BLOCK >= most
                {
                    return false;
                }
                let (start, data, content) = (symbol.bits.start, symbol.bits.end, symbol.content.start);
                let kind = match kind {
                    BlockKind::Stored => STORED,
                    BlockKind::Fixed => 1,
                    BlockKind::Dynamic => 2,
                };
                *block = Block { start, data, kind, content, ..Block::default() };
                if matches!(self.wanted, Wanted::Symbols { .. }) {
                    self.lengths = self.reader.lengths().to_vec();
                }
                return true;
            }
            SymbolKind::Stored => (None, symbol.content.end - symbol.content.start, 0),
            SymbolKind::Literal(byte) => {
                block.literals += 1;
                (Some([usize::from(byte), usize::MAX]), 0, u64::from(byte))
            }
            SymbolKind::Match { length_symbol, distance, distance_symbol } => {
                block.matches += 1;
                let places = [usize::from(length_symbol), FIRST_DISTANCE + usize::from(distance_symbol)];
                (Some(places), symbol.content.end - symbol.content.start, u64::from(distance))
            }
            // The end of a stored block has no code.
            SymbolKind::EndOfBlock { .. } => ((block.kind != STORED).then_some([END, usize::MAX]), 0, END_MARK),
        };
        let number = block.symbols;
        block.symbols += 1;
        let is_end = matches!(symbol.kind, SymbolKind::EndOfBlock { .. });
        match self.wanted {
            Wanted::Blocks { .. } => {
                if let SymbolKind::EndOfBlock { last } = symbol.kind {
                    let row: [u64; BLOCK] = [
                        block.start,
                        block.data,
                        symbol.bits.end,
                        block.kind.into(),
                        last.into(),
                        block.content,
                        symbol.content.end,
                        block.literals,
                        block.matches,
                        self.members.saturating_sub(1),
                    ];
                    self.rows.extend(row.map(number::from_u64));
                }
                true
            }
            Wanted::Symbols { start, end, whole } => {
                for place in place.into_iter().flatten() {
                    self.counts.get_mut(place).into_iter().for_each(|count| *count += 1.0);
                }
                // The end of a stored block has no bits.
                let shown = (start..end).contains(&number) && symbol.bits.start < symbol.bits.end;
                if shown {
                    let row: [u64; SYMBOL] =
                        [symbol.bits.start, symbol.bits.end, symbol.content.start, length, distance];
                    self.rows.extend(row.map(number::from_u64));
                }
                !is_end && (whole || block.symbols < end)
            }
        }
    }
}

/// The number of the kind of a stored block.
const STORED: u8 = 0;

/// Places of the end of a block and of the first distance among the code lengths, and the number
/// that marks the end in a list.
const END: usize = 256;
const FIRST_DISTANCE: usize = 288;
const END_MARK: u64 = 256;

//! The chunks of a Pco file. Only decoding a chunk tells where the next one starts: so each is decoded, and forgotten.

use alloc::vec::Vec;
use core::ops::Range;

use unspool::pco::{Chunk, Header, Plan};
use unspool::{ErrorKind, Limits, Name, Part, Result, Trace, Value};

use crate::number;
use crate::structure::Structure;

/// Walks from chunk to chunk. In memory is a piece of the file, and the numbers of one chunk.
pub struct Chunks {
    len: u64,
    limits: Limits,
    at: u64,
    header: Option<Header>,
    ended: bool,
    /// How much is asked for at a time; where that holds no whole chunk, more.
    piece: u64,
    words: Vec<u64>,
    numbers: Vec<u8>,
}

/// Holds some chunks of 2^18 numbers, as most files have them.
const PIECE: u64 = 1 << 22;

/// Where the parts of a chunk are.
struct Place {
    numbers: u64,
    page: Range<u64>,
}

impl Chunks {
    pub const fn new(len: u64, limits: Limits) -> Self {
        Self { len, limits, at: 0, header: None, ended: false, piece: PIECE, words: Vec::new(), numbers: Vec::new() }
    }

    pub fn needs(&self) -> Option<Range<u64>> {
        (!self.ended).then(|| self.at..self.at.saturating_add(self.piece).min(self.len))
    }

    /// Tells all chunks that lie whole in `bytes`.
    pub fn feed(&mut self, bytes: &[u8], structure: &mut Structure) -> Result<()> {
        let start = self.at;
        let is_last = start.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX)) >= self.len;
        let Some(header) = self.header else {
            let (header, len) = Header::parse_traced(bytes, structure)?;
            self.header = Some(header);
            self.at = u64::try_from(len).unwrap_or(u64::MAX);
            return Ok(());
        };
        while !self.ended {
            let at = self.at;
            let rest = bytes.get(number::index(at.saturating_sub(start))..).unwrap_or_default();
            match self.decode(rest, &header) {
                Ok(Some(place)) => {
                    self.at = place.page.end;
                    self.tell(rest, &header, at, &place, structure)?;
                }
                Ok(None) => self.end(structure),
                // Nobody hears of a chunk before all of it is there.
                Err(error) if error.kind == ErrorKind::Truncated && !is_last => {
                    self.piece = if at > start { PIECE } else { self.piece.saturating_mul(2) };
                    return Ok(());
                }
                Err(error) => {
                    // As far as it can be read.
                    Chunk::parse_traced(rest, &header, at, &self.limits, structure)?;
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// The chunk at the start of `bytes`, if there is one more.
    fn decode(&mut self, bytes: &[u8], header: &Header) -> Result<Option<Place>> {
        let silent = &mut Structure::silent();
        let Some((chunk, _)) = Chunk::parse_traced(bytes, header, self.at, &self.limits, silent)? else {
            return Ok(None);
        };
        let words = number::index(chunk.workspace_len(Plan::Batches));
        self.words.resize(words.max(self.words.len()), 0);
        let size = chunk.len.saturating_mul(chunk.number_type().size());
        self.numbers.resize(size.max(self.numbers.len()), 0);
        let end =
            chunk.decode_bytes_traced(self.numbers.get_mut(..size).unwrap_or_default(), &mut self.words, silent)?;
        let numbers = u64::try_from(chunk.len).unwrap_or(u64::MAX);
        Ok(Some(Place { numbers, page: chunk.page_at..end }))
    }

    /// A chunk field by field; when half of the room for nodes is taken, only where it is, so that all chunks are known.
    fn tell(&self, bytes: &[u8], header: &Header, at: u64, place: &Place, structure: &mut Structure) -> Result<()> {
        if structure.is_half_full() {
            structure.enter(Name::Chunk, Value::None);
            structure.bytes(Part::Header, Name::ChunkMetadata, at..place.page.start, Value::None);
            structure.leave();
        } else {
            Chunk::parse_traced(bytes, header, at, &self.limits, structure)?;
        }
        structure.bytes(Part::Data, Name::PageOfNumbers, place.page.clone(), Value::U64(place.numbers));
        Ok(())
    }

    fn end(&mut self, structure: &mut Structure) {
        self.ended = true;
        let end = self.at.saturating_add(1);
        structure.bytes(Part::Framing, Name::EndOfChunks, self.at..end, Value::None);
        if end < self.len {
            structure.bytes(Part::Padding, Name::TrailingBytes, end..self.len, Value::None);
        }
    }
}

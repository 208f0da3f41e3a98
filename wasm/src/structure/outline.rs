//! The structure of a file too large for memory: from its headers alone or, for Pco, chunk by
//! chunk.

#[cfg(feature = "cvc")]
mod cvc;
#[cfg(feature = "pco")]
mod pco;

use alloc::vec::Vec;
use core::ops::Range;

#[cfg(feature = "onpair")]
use unspool::onpair;
use unspool::{Format, Limits, Name, Part, Probe, Result, Trace, Value, xz, zstd};
use wasm_bindgen::prelude::*;

use super::Structure;
use crate::number;

/// Asks for headers, indexes or pieces of a file, one after the other.
#[wasm_bindgen]
pub struct Outline {
    walk: Walk,
    structure: Structure,
    len: u64,
}

enum Walk {
    Zstd(zstd::Outline),
    /// The blocks of each stream that has any, from the last stream to the first.
    Xz(xz::IndexReader, Vec<Vec<xz::Block>>),
    #[cfg(feature = "cvc")]
    Cvc(cvc::Chunks),
    #[cfg(feature = "onpair")]
    OnPair(onpair::Outline),
    #[cfg(feature = "pco")]
    Pco(pco::Chunks),
    Ended,
}

/// Starts a walk over a file with this prefix. Returns nothing if the format has no layout that can
/// be read without decoding. `zstd_format` chooses the flavour where two share a magic number.
#[wasm_bindgen]
pub fn outline(prefix: &[u8], len: f64, max_nodes: f64, zstd_format: u8, limits: &[f64]) -> Option<Outline> {
    let len = number::to_u64(len);
    let Probe::Match(format) = unspool::probe(prefix) else { return None };
    let zstd = |usual| {
        let flavour = crate::zstd::options(None, zstd_format, Limits::NONE).flavour.unwrap_or(usual);
        Walk::Zstd(zstd::Outline::new(len, flavour))
    };
    let walk = match format {
        Format::Zstd | Format::ZstdSkippable => zstd(zstd::Flavour::Rfc8878),
        Format::ZstdV07 => zstd(zstd::Flavour::V07),
        Format::Xz => Walk::Xz(xz::IndexReader::sizes(len, &crate::limits(limits)), Vec::new()),
        #[cfg(feature = "cvc")]
        Format::Cvc => Walk::Cvc(cvc::Chunks::new(len, crate::limits(limits))),
        #[cfg(feature = "onpair")]
        Format::OnPair => Walk::OnPair(onpair::Outline::new(len)),
        #[cfg(feature = "pco")]
        Format::Pco => Walk::Pco(pco::Chunks::new(len, &crate::limits(limits))),
        _ => return None,
    };
    Some(Outline { walk, structure: Structure::with_room(max_nodes), len })
}

#[wasm_bindgen]
impl Outline {
    /// Returns start and end of the range needed next, or nothing at the end.
    pub fn needs(&self) -> Option<Vec<f64>> {
        let range = match &self.walk {
            Walk::Zstd(outline) => outline.needs(),
            Walk::Xz(reader, _) => reader.needs(),
            #[cfg(feature = "cvc")]
            Walk::Cvc(chunks) => chunks.needs(),
            #[cfg(feature = "onpair")]
            Walk::OnPair(outline) => outline.needs(),
            #[cfg(feature = "pco")]
            Walk::Pco(chunks) => chunks.needs(),
            Walk::Ended => None,
        };
        range.map(|Range { start, end }| [start, end].map(number::from_u64).to_vec())
    }

    /// Takes the bytes that were asked for.
    pub fn feed(&mut self, bytes: &[u8]) {
        if let Err(error) = self.read(bytes) {
            self.structure.error = Some(error.into());
            self.emit_streams();
        }
    }

    /// Returns the structure found. Can be taken once.
    pub fn found(&mut self) -> Structure {
        self.emit_streams();
        core::mem::take(&mut self.structure)
    }
}

impl Outline {
    fn read(&mut self, bytes: &[u8]) -> Result<()> {
        match &mut self.walk {
            Walk::Zstd(outline) => {
                let at = outline.needs().map_or(0, |range| range.start);
                outline.feed(at, bytes, &mut self.structure)
            }
            Walk::Xz(reader, streams) => {
                let mut blocks = Vec::new();
                let at = reader.needs().map_or(0, |range| range.start);
                let fed = reader.feed_listing(at, bytes, &mut |block| blocks.push(block));
                if !blocks.is_empty() {
                    streams.push(blocks);
                }
                fed
            }
            #[cfg(feature = "cvc")]
            Walk::Cvc(chunks) => chunks.feed(bytes, &mut self.structure),
            #[cfg(feature = "onpair")]
            Walk::OnPair(outline) => {
                let at = outline.needs().map_or(0, |needs| needs.start);
                outline.feed(at, bytes, &mut self.structure)
            }
            #[cfg(feature = "pco")]
            Walk::Pco(chunks) => chunks.feed(bytes, &mut self.structure),
            Walk::Ended => Ok(()),
        }
    }

    /// Emits the streams of xz from first to last; their indexes are read from last to first.
    fn emit_streams(&mut self) {
        let Walk::Xz(_, streams) = core::mem::replace(&mut self.walk, Walk::Ended) else { return };
        let trace = &mut self.structure;
        let starts_of = |blocks: &Vec<xz::Block>| Some(blocks.first()?.range.start.saturating_sub(STREAM_HEADER));
        let mut starts: Vec<u64> = streams.iter().filter_map(starts_of).collect();
        starts.insert(0, self.len);
        for (number, (blocks, ends)) in (0..).zip(streams.iter().zip(starts.windows(2)).rev()) {
            let &[end, start] = ends else { continue };
            let mut at = start;
            trace.enter(Name::Stream, Value::U64(number));
            trace.bytes(Part::Header, Name::StreamHeader, at..at + STREAM_HEADER, Value::None);
            for (number, block) in (0..).zip(blocks) {
                let size = block.content.end.saturating_sub(block.content.start);
                trace.enter(Name::Block, Value::U64(number));
                trace.bytes(Part::Data, Name::ContentOfDecodedSize, block.range.clone(), Value::U64(size));
                trace.leave();
                at = block.range.end;
            }
            trace.bytes(Part::Table, Name::IndexAndFooter, at..end, Value::None);
            trace.leave();
        }
    }
}

/// Length of the header before the first block of a stream.
const STREAM_HEADER: u64 = 12;

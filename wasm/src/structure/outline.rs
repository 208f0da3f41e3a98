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
use unspool::{Format, Probe, Result};
#[cfg(feature = "zstd")]
use unspool::{Limits, zstd};
#[cfg(feature = "xz")]
use unspool::{Name, Part, Trace, Value, xz};
use wasm_bindgen::prelude::*;

use super::Structure;
use crate::number;

/// Asks for headers, indexes or pieces of a file, one after the other.
#[wasm_bindgen]
pub struct Outline {
    walk: Walk,
    structure: Structure,
    #[cfg(feature = "xz")]
    len: u64,
}

enum Walk {
    #[cfg(feature = "zstd")]
    Zstd(zstd::Outline),
    /// The blocks of each stream that has any, from the last stream to the first.
    #[cfg(feature = "xz")]
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
#[allow(unused_variables, reason = "each format uses some of the arguments")]
pub fn outline(prefix: &[u8], len: f64, max_nodes: f64, zstd_format: u8, limits: &[f64]) -> Option<Outline> {
    let len = number::to_u64(len);
    let Probe::Match(format) = unspool::probe(prefix) else { return None };
    #[cfg(feature = "zstd")]
    let zstd = |usual| {
        let flavour = crate::zstd::options(None, zstd_format, Limits::NONE).flavour.unwrap_or(usual);
        Walk::Zstd(zstd::Outline::new(len, flavour))
    };
    let walk = match format {
        #[cfg(feature = "zstd")]
        Format::Zstd | Format::ZstdSkippable => zstd(zstd::Flavour::Rfc8878),
        #[cfg(feature = "zstd")]
        Format::ZstdV07 => zstd(zstd::Flavour::V07),
        #[cfg(feature = "xz")]
        Format::Xz => Walk::Xz(xz::IndexReader::sizes(len, &crate::limits(limits)), Vec::new()),
        #[cfg(feature = "cvc")]
        Format::Cvc => Walk::Cvc(cvc::Chunks::new(len, crate::limits(limits))),
        #[cfg(feature = "onpair")]
        Format::OnPair => Walk::OnPair(onpair::Outline::new(len)),
        #[cfg(feature = "pco")]
        Format::Pco => Walk::Pco(pco::Chunks::new(len, &crate::limits(limits))),
        _ => return None,
    };
    Some(Outline {
        walk,
        structure: Structure::with_room(max_nodes),
        #[cfg(feature = "xz")]
        len,
    })
}

#[wasm_bindgen]
impl Outline {
    /// Returns start and end of the range needed next, or nothing at the end.
    pub fn needs(&self) -> Option<Vec<f64>> {
        let range = match &self.walk {
            #[cfg(feature = "zstd")]
            Walk::Zstd(outline) => outline.needs(),
            #[cfg(feature = "xz")]
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
            self.end();
        }
    }

    /// Returns the structure found. Can be taken once.
    pub fn found(&mut self) -> Structure {
        self.end();
        core::mem::take(&mut self.structure)
    }
}

impl Outline {
    fn read(&mut self, bytes: &[u8]) -> Result<()> {
        match &mut self.walk {
            #[cfg(feature = "zstd")]
            Walk::Zstd(outline) => {
                let at = outline.needs().map_or(0, |range| range.start);
                outline.feed(at, bytes, &mut self.structure)
            }
            #[cfg(feature = "xz")]
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

    /// Ends the walk.
    fn end(&mut self) {
        match core::mem::replace(&mut self.walk, Walk::Ended) {
            #[cfg(feature = "xz")]
            Walk::Xz(_, streams) => self.emit_streams(&streams),
            _ => {}
        }
    }

    /// Emits the streams of xz from first to last; their indexes are read from last to first.
    #[cfg(feature = "xz")]
    fn emit_streams(&mut self, streams: &[Vec<xz::Block>]) {
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

#[cfg(feature = "xz")]
/// Length of the header before the first block of a stream.
const STREAM_HEADER: u64 = 12;

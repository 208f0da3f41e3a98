//! The structure of a file as flat arrays: a million nodes take nine arrays, not a million objects.

#[cfg(any(feature = "cvc", feature = "onpair", feature = "pco", feature = "xz", feature = "zstd"))]
mod outline;

#[cfg(any(feature = "cvc", feature = "onpair", feature = "pco", feature = "xz", feature = "zstd"))]
pub use outline::{Outline, outline};

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

#[cfg(any(feature = "xz", feature = "zstd"))]
use unspool::Shifted;
use unspool::tree::hex_digits;
use unspool::{Error, ErrorKind, Limits, Name, Part, Probe, Trace, Value};
use wasm_bindgen::prelude::*;

use crate::fault::Fault;
use crate::number;

/// A [`Trace`] that records nodes. Each node is followed by its children.
#[wasm_bindgen]
#[derive(Default)]
pub struct Structure {
    starts: Vec<f64>,
    ends: Vec<f64>,
    depths: Vec<u8>,
    /// Part of each leaf as an index into [`Part::ALL`]; 255 for a group.
    parts: Vec<u8>,
    names: Vec<Name>,
    values: String,
    /// End of each node's value in `values`.
    value_ends: Vec<u32>,
    open: Vec<usize>,
    /// Open groups, including those that did not fit, as [`Structure::part_at`] describes them.
    trail: Vec<String>,
    /// End of the last leaf.
    last: u64,
    max_nodes: usize,
    /// Records nothing.
    silent: bool,
    /// Once half of the node budget is used, merge the metadata of each Pco chunk into one field,
    /// so that all chunks fit.
    is_brief: bool,
    /// Bits of the chunk being merged, and the number of open groups inside it.
    merged: Option<(Range<u64>, usize)>,
    left_out: u64,
    error: Option<Fault>,
    checks: [u64; 3],
}

/// Part number of a group.
const GROUP: u8 = u8::MAX;

/// Maximum length of a value in bytes; longer values are cut.
const MAX_VALUE: usize = 240;

impl Structure {
    /// Creates a structure of at most this many nodes.
    fn with_room(max_nodes: f64) -> Self {
        Self { max_nodes: number::index(number::to_u64(max_nodes)), ..Self::default() }
    }

    /// Creates a structure that records nothing, so that decoding can share the traced parsers.
    #[cfg(feature = "pco")]
    pub(crate) fn silent() -> Self {
        Self { silent: true, ..Self::default() }
    }

    fn push(&mut self, name: Name, part: u8, bits: Range<u64>, value: Value<'_>) {
        if self.starts.len() >= self.max_nodes {
            self.left_out += 1;
            return;
        }
        self.starts.push(number::from_u64(bits.start));
        self.ends.push(number::from_u64(bits.end));
        self.depths.push(u8::try_from(self.open.len()).unwrap_or(u8::MAX));
        self.parts.push(part);
        self.names.push(name);
        let start = self.values.len();
        show(&mut self.values, value, hex_digits(&bits));
        if self.values.len() - start > MAX_VALUE {
            let cut = (0..=start + MAX_VALUE).rev().find(|&at| self.values.is_char_boundary(at)).unwrap_or(start);
            self.values.truncate(cut);
            self.values.push('…');
        }
        self.value_ends.push(u32::try_from(self.values.len()).unwrap_or(u32::MAX));
    }
}

/// Writes a value as the core's `Display` does. Floats go to JavaScript: formatting them in Rust
/// takes 15 KB.
fn show(values: &mut String, value: Value<'_>, digits: usize) {
    match value {
        Value::U64(number) => number::push_decimal(values, number),
        Value::I64(number) => {
            values.push_str(if number < 0 { "-" } else { "" });
            number::push_decimal(values, number.unsigned_abs());
        }
        Value::Hex(number) => {
            values.push_str("0x");
            number::push_hex(values, number, digits);
        }
        Value::Word(text) | Value::Text(text) => values.push_str(text),
        Value::Bytes(bytes) => {
            bytes.iter().take(MAX_VALUE / 2).for_each(|byte| number::push_hex(values, u64::from(*byte), 2));
        }
        Value::F64(number) => values.push_str(&crate::js::digits(number)),
        _ => {}
    }
}

impl Trace for Structure {
    fn listens(&self) -> bool {
        !self.silent
    }

    fn enter(&mut self, name: Name, value: Value<'_>) {
        if self.silent {
            return;
        }
        if let Some((_, depth)) = &mut self.merged {
            *depth += 1;
            return;
        }
        if self.is_brief && self.open.is_empty() && name == Name::Chunk && self.starts.len() >= self.max_nodes / 2 {
            self.merged = Some((Range { start: u64::MAX, end: 0 }, 0));
        }
        let at = self.starts.len();
        let mut step = start_of(name);
        if !matches!(value, Value::None) {
            step.push(' ');
            show(&mut step, value, 0);
        }
        self.trail.push(step);
        // An empty group keeps the position where it was entered.
        self.push(name, GROUP, self.last..self.last, value);
        self.open.push(at);
    }

    fn leaf(&mut self, part: Part, name: Name, bits: Range<u64>, value: Value<'_>) {
        if self.silent {
            return;
        }
        if let Some((merged, _)) = &mut self.merged {
            *merged = merged.start.min(bits.start)..merged.end.max(bits.end);
            return;
        }
        self.last = bits.end;
        let (start, end) = (number::from_u64(bits.start), number::from_u64(bits.end));
        for &group in &self.open {
            if let (Some(first), Some(last)) = (self.starts.get_mut(group), self.ends.get_mut(group)) {
                if first == last {
                    (*first, *last) = (start, end);
                } else if start < end {
                    (*first, *last) = (first.min(start), last.max(end));
                }
            }
        }
        let part = Part::ALL.iter().position(|known| *known == part).and_then(|part| u8::try_from(part).ok());
        self.push(name, part.unwrap_or(GROUP), bits, value);
    }

    fn leave(&mut self) {
        match &mut self.merged {
            Some((_, depth @ 1..)) => {
                *depth -= 1;
                return;
            }
            merged => {
                if let Some((bits, _)) = merged.take() {
                    self.leaf(Part::Header, Name::ChunkMetadata, bits, Value::None);
                }
            }
        }
        self.open.pop();
        self.trail.pop();
    }
}

// Each array can be taken once: JavaScript gets a copy, and this one is freed.
#[wasm_bindgen]
impl Structure {
    /// Returns the first bit of each node.
    pub fn starts(&mut self) -> Vec<f64> {
        core::mem::take(&mut self.starts)
    }

    /// Returns the end bit of each node, exclusive.
    pub fn ends(&mut self) -> Vec<f64> {
        core::mem::take(&mut self.ends)
    }

    /// Returns the depth of each node.
    pub fn depths(&mut self) -> Vec<u8> {
        core::mem::take(&mut self.depths)
    }

    /// Returns the part of each leaf; 255 for a group.
    pub fn parts(&mut self) -> Vec<u8> {
        core::mem::take(&mut self.parts)
    }

    /// Returns the name number of each node. JavaScript has the labels.
    pub fn names(&mut self) -> Vec<u16> {
        core::mem::take(&mut self.names).into_iter().map(|name| name as u16).collect()
    }

    /// Returns the names of the parts, separated by line breaks.
    pub fn part_table(&self) -> String {
        Part::ALL.iter().map(|part| part.name()).collect::<Vec<_>>().join("\n")
    }

    /// Returns the values of all nodes, concatenated, in UTF-8.
    pub fn values(&mut self) -> Vec<u8> {
        core::mem::take(&mut self.values).into_bytes()
    }

    /// Returns the end of each node's value in `values`.
    pub fn value_ends(&mut self) -> Vec<u32> {
        core::mem::take(&mut self.value_ends)
    }

    /// Returns the number of nodes that did not fit.
    pub fn left_out(&self) -> f64 {
        number::from_u64(self.left_out)
    }

    /// Returns the number of checksums that matched, that did not match, and that were not checked.
    pub fn checks(&self) -> Vec<f64> {
        self.checks.map(number::from_u64).to_vec()
    }

    /// Returns the error that ended the walk as three numbers, or nothing.
    pub fn error(&self) -> Option<Vec<f64>> {
        self.error.map(|fault| fault.numbers().to_vec())
    }

    /// Describes the part of the structure that holds a byte: the groups around it, outermost
    /// first, and the field. Each entry is a name number, followed by a group's value.
    ///
    /// If no field holds the whole byte, returns the groups in which the walk ended, provided that
    /// it ended at this byte with this error. Must be called before the arrays are taken.
    pub fn part_at(&self, code: u16, at: f64) -> Vec<String> {
        let bits = at * 8.0..at * 8.0 + 8.0;
        let (mut path, mut shared) = (Vec::new(), Vec::new());
        for (node, ((start, end), (&depth, &part))) in
            self.starts.iter().zip(&self.ends).zip(self.depths.iter().zip(&self.parts)).enumerate()
        {
            path.truncate(depth.into());
            path.push(node);
            if part != GROUP && (*start..*end).contains(&bits.start) {
                if *end >= bits.end {
                    return self.steps(&path);
                }
                shared = self.steps(&path);
            }
        }
        let ended = self.error.is_some_and(|Fault(error)| {
            crate::fault::code(error.kind) == code && number::from_u64(error.at).total_cmp(&at).is_eq()
        });
        if ended && !self.trail.is_empty() { self.trail.clone() } else { shared }
    }
}

impl Structure {
    /// Describes nodes, each of which is a child of the previous one.
    fn steps(&self, path: &[usize]) -> Vec<String> {
        let mut steps = Vec::new();
        for &node in path {
            let Some(&name) = self.names.get(node) else { continue };
            let mut step = start_of(name);
            let start = node.checked_sub(1).and_then(|before| self.value_ends.get(before)).copied().unwrap_or(0);
            let end = self.value_ends.get(node).copied().unwrap_or(0);
            let value = self.values.get(number::index(start.into())..number::index(end.into())).unwrap_or_default();
            if self.parts.get(node) == Some(&GROUP) && !value.is_empty() {
                step.push(' ');
                step.push_str(value);
            }
            steps.push(step);
        }
        steps
    }
}

/// Returns the start of a node's description: its name number.
fn start_of(name: Name) -> String {
    let mut step = String::new();
    show(&mut step, Value::U64(name as u64), 0);
    step
}

/// Walks a whole file of any format in this build. For a broken file, returns the fields before the
/// error, and the error.
#[wasm_bindgen]
pub fn inspect(bytes: &[u8], max_nodes: f64, limits: &[f64]) -> Structure {
    let mut structure = Structure::with_room(max_nodes);
    let limits = crate::limits(limits);
    if let Err(error) = walk(bytes, &limits, &mut structure) {
        structure.error = Some(error.into());
    }
    structure
}

fn walk(bytes: &[u8], limits: &Limits, structure: &mut Structure) -> Result<(), Error> {
    match unspool::probe(bytes) {
        #[cfg(feature = "cvc")]
        Probe::Match(unspool::Format::Cvc) => {
            let options = unspool::cvc::Options { limits: *limits, ..unspool::cvc::Options::DEFAULT };
            let words = unspool::cvc::workspace_len(bytes, &options).unwrap_or(0);
            let mut table = alloc::vec![0; usize::try_from(words).unwrap_or(0)];
            let mut workspace = unspool::cvc::Workspace::with_table(&mut table);
            let done = unspool::cvc::inspect(bytes, &mut workspace, &options, structure)?;
            let unspool::Checksums { matched, mismatched, unchecked } = done.checksums;
            structure.checks = [matched, mismatched, unchecked];
            Ok(())
        }
        #[cfg(feature = "onpair")]
        Probe::Match(unspool::Format::OnPair) => {
            let options = unspool::onpair::Options { limits: *limits };
            unspool::onpair::inspect(bytes, &mut unspool::onpair::Workspace::new(), &options, structure).map(drop)
        }
        #[cfg(feature = "pco")]
        Probe::Match(unspool::Format::Pco) => {
            unspool::pco::decode_chunks(bytes, limits, structure, |_, _| Ok(())).map(drop)
        }
        #[cfg(feature = "gzip")]
        Probe::Match(unspool::Format::Gzip) => {
            use unspool::gzip::{Options, WINDOW_SIZE, Workspace, inspect};
            let options = Options { limits: *limits, ..Options::DEFAULT };
            let mut window = alloc::vec![0; WINDOW_SIZE];
            let done = inspect(bytes, &mut Workspace::new(), &mut window, &options, structure)?;
            structure.checks[0] = done.checksums.matched;
            Ok(())
        }
        #[cfg(feature = "at1")]
        Probe::Match(unspool::Format::At1) => {
            use unspool::at1::{Options, Workspace, inspect};
            let options = Options { limits: *limits, ..Options::DEFAULT };
            let inspected = inspect(bytes, &mut Workspace::new(), &options, structure);
            // Decode the content too: it finds the first error, and a wrong hash shows only there.
            crate::at1::files(bytes, limits)?;
            structure.checks[0] = inspected?.checksums.matched;
            Ok(())
        }
        #[cfg(feature = "zstd")]
        Probe::Match(unspool::Format::Zstd | unspool::Format::ZstdV07 | unspool::Format::ZstdSkippable) => {
            use unspool::zstd::{Options, Workspace, decode, decode_to_vec, decoded_len, inspect};
            let (workspace, options) = (&mut Workspace::new(), &Options { limits: *limits, ..Options::DEFAULT });
            let trace = &mut Shifted::new(structure, 0);
            let size = decoded_len(bytes, workspace, options);
            match room(size) {
                Some(mut out) => {
                    let done = decode(bytes, &mut out, workspace, options, trace)?;
                    structure.checks[0] = done.checksums.matched;
                    Ok(())
                }
                // A broken file shows its structure, and so does one without its dictionary.
                None => {
                    let inspected = inspect(bytes, workspace, options, trace).map(drop);
                    size.or_else(|_| decode_to_vec(bytes, options).map(|_| 0)).and(inspected)
                }
            }
        }
        #[cfg(feature = "xz")]
        Probe::Match(unspool::Format::Xz) => {
            use unspool::xz::{Options, Workspace, decode, decode_to_vec, inspect};
            let (workspace, options) = (&mut Workspace::new(), Options { limits: *limits, ..Options::DEFAULT });
            let size = inspect(bytes, workspace, &options, &mut ()).map(|done| done.content);
            let trace = &mut Shifted::new(structure, 0);
            match room(size) {
                Some(mut out) => {
                    let done = decode(bytes, &mut out, workspace, &options, trace)?;
                    structure.checks[0] = done.checksums.matched;
                    Ok(())
                }
                None => {
                    let inspected = inspect(bytes, workspace, &options, trace).map(drop);
                    size.or_else(|_| decode_to_vec(bytes, &options).map(|_| 0)).and(inspected)
                }
            }
        }
        #[cfg(feature = "lzma")]
        Probe::Match(unspool::Format::Lzma) => {
            use unspool::lzma::{Options, Workspace, decode_to_vec, inspect};
            let options = Options { limits: *limits, ..Options::DEFAULT };
            let decoded = decode_to_vec(bytes, &options);
            // All symbols are one field. Emitting it takes no window, without which `inspect` ends.
            let _ = inspect(bytes, &mut Workspace::new(), &mut [], &options, structure);
            decoded.map(drop)
        }
        Probe::Match(_) => Err(Error::new(ErrorKind::FormatNotBuilt, 0)),
        Probe::NeedInput { min } => {
            let (at, min) = (u64::try_from(bytes.len()), u64::try_from(min));
            Err(Error::new(ErrorKind::Truncated, at.unwrap_or(u64::MAX)).needing(min.unwrap_or(0)))
        }
        Probe::Unknown => Err(Error::new(ErrorKind::UnknownFormat, 0)),
    }
}

/// Allocates a buffer for the decoded content; decoding verifies checksums, which the structure
/// alone cannot. None if the size is unknown or memory is short. The size of a broken file is
/// unknown; decoding it to a vector finds its first error.
#[cfg(any(feature = "xz", feature = "zstd"))]
fn room(size: Result<u64, Error>) -> Option<Vec<u8>> {
    let size = usize::try_from(size.ok()?).ok()?;
    let mut out = Vec::new();
    out.try_reserve_exact(size).ok()?;
    out.resize(size, 0);
    Some(out)
}

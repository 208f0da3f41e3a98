//! The streams that a query reads before any block, found in the head of a file and decoded into the scratch.

use core::ops::Range;

use super::backend::Backend;
use super::header::{Codec, Container, HEADER_LEN, Header};
use super::numbers::Stream;
use super::scratch::Workspace;
use super::streams::{Entry, Set};
use crate::num::{index, u64_from};
use crate::{Error, ErrorKind, Limits, Result};

/// A stream in the scratch.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stretch {
    start: usize,
    end: usize,
    at: u64,
    stored: bool,
}

impl Stretch {
    /// The stream itself.
    pub(super) fn stream<'s>(&self, scratch: &'s [u8]) -> Stream<'s> {
        let bytes = scratch.get(self.start..self.end).unwrap_or_default();
        Stream::new(bytes, self.at, self.stored)
    }

    /// Decodes a payload to the place `start` of the scratch.
    pub(super) fn load(
        backend: Backend,
        payload: &[u8],
        at: u64,
        start: usize,
        scratch: &mut [u8],
        ws: &mut Workspace,
        limits: &Limits,
    ) -> Result<Self> {
        let size = backend.decoded_size(payload, limits).map_err(|error| inside(error, at))?;
        let end = start.saturating_add(index(size));
        let Some(room) = scratch.get_mut(start..end) else {
            return Err(too_small(u64_from(start).saturating_add(size)));
        };
        backend.decode(payload, room, ws, limits).map_err(|error| inside(error, at))?;
        Ok(Self { start, end, at, stored: backend == Backend::Stored })
    }

    /// Where in the scratch it ends.
    pub(super) const fn end(&self) -> usize {
        self.end
    }
}

/// An error in a payload that starts at byte `at` of the file and is all there: `Truncated` would ask the caller for more.
#[cold]
pub(super) fn inside(error: Error, at: u64) -> Error {
    let kind = if error.kind == ErrorKind::Truncated { ErrorKind::At1ContentSize } else { error.kind };
    Error { kind, ..error }.offset_by(at)
}

/// The scratch should have had so many bytes.
#[cold]
pub(super) fn too_small(need: u64) -> Error {
    Error::new(ErrorKind::WorkspaceTooSmall, 0).needing(need)
}

/// What a head tells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    pub(super) codec: Codec,
    pub(super) meta: Stretch,
    pub(super) index: Stretch,
    /// The literals of JSON lines, if lines are asked for.
    pub(super) template: Stretch,
    /// The names of JSON columns, if they are asked for.
    pub(super) paths: Stretch,
    /// What the lines of a table are and the verbatim ones, if names are asked for.
    pub(super) modes: Stretch,
    pub(super) verbatim: Stretch,
    /// How the stream of blocks is wrapped, where its payload starts and how long it is.
    pub(super) backend: Backend,
    pub(super) blocks_at: u64,
    pub(super) blocks_len: u64,
    /// How much of the scratch is used.
    pub(super) used: usize,
}

impl Head {
    /// Reads the start of a file. An error of the class `Truncated` says how much of it is needed to know more.
    pub(super) fn read(
        head: &[u8],
        names: bool,
        lines: bool,
        scratch: &mut [u8],
        ws: &mut Workspace,
        limits: &Limits,
    ) -> Result<Self> {
        let header = Header::read_start(head)?;
        let json = match header.codec {
            Codec::QColumnar => false,
            Codec::QJson => true,
            _ => return Err(Error::new(ErrorKind::At1NotQueryable, 4)),
        };
        if header.container == Container::Frames {
            return Err(Error::new(ErrorKind::At1QueryFrames, 3));
        }
        let wanted = [
            (&b"meta"[..], true),
            (b"index", true),
            (b"template", json && lines),
            (b"paths", json && names),
            (b"row_modes", !json && names),
            (b"verbatim", !json && names),
            (b"blocks", true),
        ];
        let found = find(head, wanted, limits)?;
        let [small @ .., blocks] = found;
        // All of them at once: how much of the file they take, and how much of the scratch.
        let end = small.iter().flatten().map(|entry| entry.range().end).max().unwrap_or(0);
        if end > u64_from(head.len()) {
            return Err(Error::new(ErrorKind::Truncated, u64_from(head.len())).needing(end));
        }
        let mut need = 0u64;
        for entry in small.iter().flatten() {
            let size = entry.backend.decoded_size(entry.payload(head)?, limits);
            need = need.saturating_add(size.map_err(|error| inside(error, entry.start))?);
            if need > limits.max_output {
                return Err(Error::new(ErrorKind::OutputLimit, entry.at).needing(need));
            }
        }
        if need > u64_from(scratch.len()) {
            return Err(too_small(need));
        }
        let mut used = 0;
        let mut stretches = [Stretch::default(); 6];
        for (entry, stretch) in small.iter().zip(&mut stretches) {
            if let Some(entry) = entry {
                let payload = entry.payload(head)?;
                *stretch = Stretch::load(entry.backend, payload, entry.start, used, scratch, ws, limits)?;
                used = stretch.end;
            }
        }
        let [meta, index, template, paths, modes, verbatim] = stretches;
        // A file without blocks has an index without entries, or the first of them lies outside.
        let (backend, Range { start, end }) =
            blocks.map_or((Backend::Stored, 0..0), |entry| (entry.backend, entry.range()));
        let blocks_len = end.saturating_sub(start);
        let codec = header.codec;
        Ok(Self { codec, meta, index, template, paths, modes, verbatim, backend, blocks_at: start, blocks_len, used })
    }
}

/// Walks over the set until all streams that are wanted are found; what stands behind them is not looked at.
fn find<'a, const N: usize>(
    head: &'a [u8],
    wanted: [(&[u8], bool); N],
    limits: &Limits,
) -> Result<[Option<Entry<'a>>; N]> {
    let mut found = [None; N];
    let mut missing = wanted.iter().filter(|(_, wanted)| *wanted).count();
    let set = Set::open(head, HEADER_LEN, u64::MAX, limits)?;
    let mut entries = set.entries();
    while missing > 0
        && let Some(entry) = entries.next().transpose()?
    {
        let known = wanted.iter().zip(&mut found).find(|((name, wanted), _)| *wanted && *name == entry.name);
        if let Some((_, slot)) = known {
            if slot.is_some() {
                return Err(Error::new(ErrorKind::At1StreamTwice, entry.at));
            }
            *slot = Some(entry);
            missing = missing.saturating_sub(1);
        }
    }
    Ok(found)
}

//! The streams that describe a table. They precede its blocks in the file, and are decoded into the
//! scratch.

use core::ops::Range;

use crate::at1::backend::{Backend, inside};
use crate::at1::codecs::qcolumnar::{Index, Meta};
use crate::at1::codecs::qjson::Paths;
use crate::at1::header::{Codec, Container, HEADER_LEN, Header};
use crate::at1::scratch::Workspace;
use crate::at1::streams::lines::{LineFields, Lines};
use crate::at1::streams::numbers::Stream;
use crate::at1::streams::{Entry, Set};
use crate::num::{index, u64_from};
use crate::options::Options;
use crate::{Error, ErrorKind, Limits, Result};

/// A stream in the scratch.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Span {
    start: usize,
    pub(crate) end: usize,
    at: u64,
    stored: bool,
}

impl Span {
    /// Returns the stream.
    pub(crate) fn stream<'s>(&self, scratch: &'s [u8]) -> Stream<'s> {
        let bytes = scratch.get(self.start..self.end).unwrap_or_default();
        Stream::new(bytes, self.at, self.stored)
    }

    /// Decodes a payload to offset `start` of the scratch.
    #[inline(never)]
    pub(crate) fn load(
        backend: Backend,
        payload: &[u8],
        at: u64,
        start: usize,
        workspace: &mut Workspace,
        scratch: &mut [u8],
        limits: &Limits,
    ) -> Result<Self> {
        let size = backend.decoded_size(payload, limits).map_err(|error| inside(error, at))?;
        let end = start.saturating_add(index(size));
        let Some(dst) = scratch.get_mut(start..end) else {
            return Err(too_small(u64_from(start).saturating_add(size)));
        };
        backend.decode(payload, dst, workspace, limits).map_err(|error| inside(error, at))?;
        Ok(Self { start, end, at, stored: backend == Backend::Stored })
    }
}

/// Returns the error of a scratch with less than `need` bytes.
#[cold]
pub(crate) fn too_small(need: u64) -> Error {
    Error::new(ErrorKind::WorkspaceTooSmall, 0).needing(need)
}

/// The description of a table before any block is read. Its streams are in the scratch that it was
/// read with.
#[derive(Clone, Copy, Debug, Default)]
pub struct TableHead {
    pub(crate) is_json: bool,
    meta: Span,
    pub(crate) index: Span,
    /// The literals of JSON lines, if lines are requested.
    pub(crate) template: Span,
    /// The names of JSON columns, if names are requested.
    pub(crate) paths: Span,
    /// The modes of lines and the verbatim lines, if names are requested.
    pub(crate) modes: Span,
    verbatim: Span,
    /// The compression of the stream of blocks, if it has one. Its payload starts at `blocks_at`.
    wrapped: Option<Backend>,
    pub(crate) blocks_at: u64,
    pub(crate) blocks_len: u64,
    /// Bytes of the scratch in use.
    pub(crate) used: usize,
}

impl TableHead {
    /// Reads the start of a file. If `head` is too short, an error of the class `Truncated` says
    /// how long it must be. If the scratch is too short, one of the class `WorkspaceTooSmall` does.
    pub fn read(head: &[u8], workspace: &mut Workspace, scratch: &mut [u8], options: &Options) -> Result<Self> {
        let mut found = Self::default();
        found.load(head, true, false, workspace, scratch, &options.limits)?;
        Ok(found)
    }

    /// Returns the codec of the file.
    pub const fn codec(&self) -> Codec {
        if self.is_json { Codec::QJson } else { Codec::QColumnar }
    }

    /// Returns the description of the table.
    pub fn meta<'s>(&self, scratch: &'s [u8], limits: &Limits) -> Result<Meta<'s>> {
        Meta::read(self.meta.stream(scratch), !self.is_json, limits)
    }

    /// Returns the index of the blocks.
    pub fn index<'s>(&self, scratch: &'s [u8], meta: &Meta<'s>) -> Index<'s> {
        Index::new(self.index.stream(scratch), meta)
    }

    /// Returns the compression of the stream of blocks, and its range in the file.
    pub const fn blocks(&self) -> (Backend, Range<u64>) {
        let backend = match self.wrapped {
            Some(backend) => backend,
            None => Backend::Stored,
        };
        (backend, self.blocks_at..self.blocks_at.saturating_add(self.blocks_len))
    }

    /// Passes the names of all columns to `tell`, or none. The names are paths of JSON, or the
    /// fields of a first line that is no row.
    pub fn each_name(&self, scratch: &[u8], meta: &Meta<'_>, mut tell: impl FnMut(&[u8])) -> Result<()> {
        if self.is_json {
            Paths::open(self.paths.stream(scratch))?.iter().take(meta.columns()).for_each(tell);
        } else if meta.lines > 0
            && self.modes.stream(scratch).bytes.first() == Some(&0)
            && let Some(fields) = self.fields(scratch, meta)?
        {
            fields.for_each(&mut tell);
        }
        Ok(())
    }

    /// Returns the fields of the first line that is no row, if there is one for each column.
    pub(crate) fn fields<'s>(&self, scratch: &'s [u8], meta: &Meta<'s>) -> Result<Option<LineFields<'s>>> {
        let line = Lines::new(self.verbatim.stream(scratch)).item()?;
        let fields = LineFields::new(line, meta.delimiter);
        Ok(fields.filter(|fields| fields.clone().count() == meta.columns()))
    }

    /// Reads the start of a file in place, as [`read`](Self::read) does. Reads the streams for
    /// `names` or `lines` only on request.
    #[inline(never)]
    pub(crate) fn load(
        &mut self,
        head: &[u8],
        names: bool,
        lines: bool,
        workspace: &mut Workspace,
        scratch: &mut [u8],
        limits: &Limits,
    ) -> Result<()> {
        self.is_json = is_json(head)?;
        let mut found = [None; 7];
        find(head, self.is_json, names, lines, &mut found, limits)?;
        let [small @ .., blocks] = &found;
        check_lengths(small, head, scratch.len(), limits)?;
        self.load_streams(small, workspace, scratch, limits)?;
        // Without blocks the index must be empty: its first block would be out of range.
        if let Some(entry) = blocks {
            let Range { start, end } = entry.range();
            self.wrapped = Some(entry.backend).filter(|&backend| backend != Backend::Stored);
            (self.blocks_at, self.blocks_len) = (start, end.saturating_sub(start));
        }
        Ok(())
    }

    /// Decodes the streams of the head in order. In its own stack frame, which does not add to that
    /// of the entries.
    #[inline(never)]
    fn load_streams(
        &mut self,
        entries: &[Option<Entry<'_>>],
        workspace: &mut Workspace,
        scratch: &mut [u8],
        limits: &Limits,
    ) -> Result<()> {
        let Self { meta, index, template, paths, modes, verbatim, .. } = self;
        let mut used = 0;
        for (entry, span) in entries.iter().zip([meta, index, template, paths, modes, verbatim]) {
            if let Some(entry) = entry {
                let payload = entry.payload()?;
                *span = Span::load(entry.backend, payload, entry.start, used, workspace, scratch, limits)?;
                used = span.end;
            }
        }
        self.used = used;
        Ok(())
    }
}

/// Checks that a file can be queried. Returns whether it holds JSON.
#[inline(never)]
fn is_json(head: &[u8]) -> Result<bool> {
    let header = Header::read_start(head)?;
    if !matches!(header.codec, Codec::QColumnar | Codec::QJson) {
        return Err(Error::new(ErrorKind::At1NotQueryable, 4));
    }
    if header.container == Container::Frames {
        return Err(Error::new(ErrorKind::At1QueryFrames, 3));
    }
    Ok(header.codec == Codec::QJson)
}

/// Checks that the head and the scratch are long enough for all streams together.
#[inline(never)]
fn check_lengths(entries: &[Option<Entry<'_>>], head: &[u8], scratch: usize, limits: &Limits) -> Result<()> {
    let end = entries.iter().flatten().map(|entry| entry.range().end).max().unwrap_or(0);
    if end > u64_from(head.len()) {
        return Err(Error::new(ErrorKind::Truncated, u64_from(head.len())).needing(end));
    }
    let mut need = 0u64;
    for entry in entries.iter().flatten() {
        let size = entry.backend.decoded_size(entry.payload()?, limits);
        need = need.saturating_add(size.map_err(|error| inside(error, entry.start))?);
        if need > limits.max_output {
            return Err(Error::new(ErrorKind::OutputLimit, entry.at).needing(need));
        }
    }
    if need > u64_from(scratch) {
        return Err(too_small(need));
    }
    Ok(())
}

/// Walks over the set until all requested streams are found. Ignores those after them.
#[inline(never)]
fn find<'a>(
    head: &'a [u8],
    json: bool,
    names: bool,
    lines: bool,
    found: &mut [Option<Entry<'a>>; 7],
    limits: &Limits,
) -> Result<()> {
    let wanted = [
        (&b"meta"[..], true),
        (b"index", true),
        (b"template", json && lines),
        (b"paths", json && names),
        (b"row_modes", !json && names),
        (b"verbatim", !json && names),
        (b"blocks", true),
    ];
    let mut missing = wanted.iter().filter(|(_, wanted)| *wanted).count();
    let set = Set::open(head, HEADER_LEN, u64::MAX, limits)?;
    let mut entries = set.entries();
    while missing > 0
        && let Some(entry) = entries.next().transpose()?
    {
        let known = wanted.iter().zip(&mut *found).find(|((name, wanted), _)| *wanted && *name == entry.name);
        if let Some((_, slot)) = known {
            if slot.is_some() {
                return Err(Error::new(ErrorKind::At1StreamTwice, entry.at));
            }
            *slot = Some(entry);
            missing = missing.saturating_sub(1);
        }
    }
    Ok(())
}

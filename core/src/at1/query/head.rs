//! The streams that describe a table, found in the head of a file in front of its blocks and decoded into the scratch.

use core::ops::Range;

use crate::at1::backend::{Backend, inside};
use crate::at1::codecs::qcolumnar::{Index, Meta};
use crate::at1::codecs::qjson::Paths;
use crate::at1::header::{Codec, Container, HEADER_LEN, Header};
use crate::at1::scratch::Workspace;
use crate::at1::streams::lines::{Fields, Lines};
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
    /// The stream itself.
    pub(crate) fn stream<'s>(&self, scratch: &'s [u8]) -> Stream<'s> {
        let bytes = scratch.get(self.start..self.end).unwrap_or_default();
        Stream::new(bytes, self.at, self.stored)
    }

    /// Decodes a payload to the place `start` of the scratch.
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
        let Some(room) = scratch.get_mut(start..end) else {
            return Err(too_small(u64_from(start).saturating_add(size)));
        };
        backend.decode(payload, room, workspace, limits).map_err(|error| inside(error, at))?;
        Ok(Self { start, end, at, stored: backend == Backend::Stored })
    }
}

/// The scratch should have had so many bytes.
#[cold]
pub(crate) fn too_small(need: u64) -> Error {
    Error::new(ErrorKind::WorkspaceTooSmall, 0).needing(need)
}

/// What the head of a table tells before any block is read. Its streams lie in the scratch that it was read with.
#[derive(Clone, Copy, Debug, Default)]
pub struct TableHead {
    pub(crate) is_json: bool,
    meta: Span,
    pub(crate) index: Span,
    /// The literals of JSON lines, if lines are asked for.
    pub(crate) template: Span,
    /// The names of JSON columns, if they are asked for.
    pub(crate) paths: Span,
    /// What the lines of a table are and the verbatim ones, if names are asked for.
    pub(crate) modes: Span,
    verbatim: Span,
    /// How the stream of blocks is compressed, if it is; where its payload starts, and how long it is.
    wrapped: Option<Backend>,
    pub(crate) blocks_at: u64,
    pub(crate) blocks_len: u64,
    /// How much of the scratch is used.
    pub(crate) used: usize,
}

impl TableHead {
    /// Reads the first bytes of a file, however many: if they are too few, an error of the class `Truncated` says how many there
    /// must be. If the scratch is too short, one of the class `WorkspaceTooSmall` does.
    pub fn read(head: &[u8], workspace: &mut Workspace, scratch: &mut [u8], options: &Options) -> Result<Self> {
        let mut found = Self::default();
        found.load(head, true, false, workspace, scratch, &options.limits)?;
        Ok(found)
    }

    /// The codec of the file.
    pub const fn codec(&self) -> Codec {
        if self.is_json { Codec::QJson } else { Codec::QColumnar }
    }

    /// What its stream `meta` says.
    pub fn meta<'s>(&self, scratch: &'s [u8], limits: &Limits) -> Result<Meta<'s>> {
        Meta::read(self.meta.stream(scratch), !self.is_json, limits)
    }

    /// Where in the stream of blocks each of them lies, and between which values.
    pub fn index<'s>(&self, scratch: &'s [u8], meta: &Meta<'s>) -> Index<'s> {
        Index::new(self.index.stream(scratch), meta)
    }

    /// What the stream of blocks is compressed with, if it is one stream, and where in the file it lies.
    pub const fn blocks(&self) -> (Backend, Range<u64>) {
        let backend = match self.wrapped {
            Some(backend) => backend,
            None => Backend::Stored,
        };
        (backend, self.blocks_at..self.blocks_at.saturating_add(self.blocks_len))
    }

    /// Tells the names of the columns, all or none: paths of JSON, or the fields of a first line that is no row.
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

    /// The fields of the first line that is no row, if there are as many as columns.
    pub(crate) fn fields<'s>(&self, scratch: &'s [u8], meta: &Meta<'s>) -> Result<Option<Fields<'s>>> {
        let line = Lines::new(self.verbatim.stream(scratch)).item()?;
        let fields = Fields::new(line, meta.delimiter);
        Ok(fields.filter(|fields| fields.clone().count() == meta.columns()))
    }

    /// Reads the start of a file into a head that knew none, as [`read`](Self::read) does: with what tells the names, or the lines.
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
        check_room(small, head, scratch.len(), limits)?;
        self.load_streams(small, workspace, scratch, limits)?;
        // A file without blocks has an index without entries, or the first of them lies outside.
        if let Some(entry) = blocks {
            let Range { start, end } = entry.range();
            self.wrapped = Some(entry.backend).filter(|&backend| backend != Backend::Stored);
            (self.blocks_at, self.blocks_len) = (start, end.saturating_sub(start));
        }
        Ok(())
    }

    /// Decodes the streams of the head one after the other. A function of its own, so that its frame is not added to that of all entries.
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

/// Whether a file that questions can be put to holds lines of JSON.
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

/// All of them at once: how much of the file they take, and how much of the scratch.
#[inline(never)]
fn check_room(entries: &[Option<Entry<'_>>], head: &[u8], scratch: usize, limits: &Limits) -> Result<()> {
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

/// Walks over the set until all streams that are wanted are found; what stands behind them is not looked at.
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

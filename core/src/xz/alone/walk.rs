//! Walks over LZMA alone, field by field. Whole inputs, streams, salvage and vectors that grow are
//! this one walk: they differ in how much of the input is present, and in where the output goes.

use super::super::control::CODER_START;
use super::super::header::BlockHeader;
use super::super::lzma::{Area, MOST_INPUT};
use super::super::options::{Options as XzOptions, Streams};
use super::super::parser::{OpenBlock, Parser, STARVED, State};
use super::super::stream::Machine;
use super::super::symbols::{self, Symbolic};
use super::super::window::Window;
use super::super::workspace::{Tables, Workspace};
use super::header::{HEADER_LEN, Header, SIZE_AT, block};
use super::options::{Coder, Options, Raw, lzma_block};
use crate::fault::{Fault, Verdict};
use crate::num::{index, u64_from};
use crate::{Done, End, ErrorKind, Status, Verify};

/// The field that the next bytes of the input belong to.
#[derive(Clone, Copy, Debug)]
enum Stage {
    Header,
    /// No field: symbols follow once the window is large enough.
    Window,
    /// The chunks of LZMA2, which the parser of xz reads.
    Chunks,
    /// The start of the range coder.
    Start,
    Symbols,
    /// All content that may come is decoded.
    Full,
    /// The symbol that must be the marker.
    Marker,
    /// The range coder may need one byte more.
    Last,
    /// Nothing may follow.
    Over,
}

/// A walk over a `.lzma` file, or over a raw stream. With `FLAT`, the output takes the whole
/// content of LZMA; without, it is a ring of history.
#[derive(Clone, Debug)]
pub(super) struct Walk<const FLAT: bool> {
    parser: Parser,
    raw: Option<Raw>,
    stage: Stage,
    /// The byte of lc, lp and pb.
    properties: u8,
    /// Content that may still come: up to the declared size, or to a limit.
    left: u64,
    /// The error if symbols go on after that.
    full: ErrorKind,
}

impl<const FLAT: bool> Machine for Walk<FLAT> {
    fn parser(&mut self) -> &mut Parser {
        &mut self.parser
    }

    fn advance(
        &mut self,
        src: &mut &[u8],
        end: End,
        window: &mut Window<'_>,
        workspace: &mut Workspace,
    ) -> Verdict<Option<Status>> {
        match self.stage {
            Stage::Header => self.header(src, workspace)?,
            Stage::Window => self.start(src, window, workspace)?,
            // The parser of xz is left out of a program that has no rings.
            Stage::Chunks if FLAT => {}
            Stage::Chunks => {
                self.parser.advance(src, window, workspace)?;
                if matches!(self.parser.state, State::BlockPadding(_)) {
                    self.end();
                }
            }
            Stage::Start => {
                let start: [u8; CODER_START] = *self.parser.array(src, &mut workspace.head)?;
                let Tables { lzma, literals, .. } = &mut workspace.tables;
                lzma.set_properties(self.properties);
                lzma.reset(literals);
                if !lzma.start(start) {
                    return Err(Fault::new(ErrorKind::XzChunkStart, 0));
                }
                self.parser.skip(start.len());
                self.stage = Stage::Symbols;
            }
            Stage::Symbols if self.left == 0 => self.stage = Stage::Full,
            Stage::Symbols if FLAT && window.room() == 0 => return Ok(Some(Status::NeedOutput)),
            Stage::Symbols => self.symbols(src, end, window, workspace)?,
            Stage::Full => {
                let pending = workspace.tables.lzma.pending();
                if pending > 0 {
                    return Err(self.too_much(pending));
                }
                self.stage = Stage::Marker;
                // After as much content as was declared, there may be a marker or not.
                if self.full == ErrorKind::LzmaEnd {
                    let byte = self.last_byte(src, workspace)?;
                    let lzma = &mut workspace.tables.lzma;
                    if lzma.ends(byte) {
                        self.end();
                    } else if let Some(byte) = byte {
                        lzma.feed(byte);
                    }
                }
            }
            Stage::Marker => self.marker(src, end, workspace)?,
            Stage::Last => {
                let byte = self.last_byte(src, workspace)?;
                if !workspace.tables.lzma.ends(byte) {
                    return Err(Fault::new(ErrorKind::LzmaEnd, 0));
                }
                self.end();
            }
            Stage::Over if self.parser.gathered > 0 || !src.is_empty() => {
                return Err(Fault::new(ErrorKind::XzTrailing, 0));
            }
            Stage::Over => return Ok(Some(Status::NeedInput)),
        }
        Ok(None)
    }
}

impl Symbolic for Walk<false> {
    fn stage(&self) -> symbols::Stage {
        match self.stage {
            Stage::Header | Stage::Window | Stage::Chunks | Stage::Over => symbols::Stage::Outside,
            Stage::Start => symbols::Stage::Header(None),
            Stage::Symbols => symbols::Stage::Symbols,
            Stage::Full => symbols::Stage::End,
            Stage::Marker => symbols::Stage::Marker,
            Stage::Last => symbols::Stage::AfterMarker,
        }
    }

    fn left(&self) -> u64 {
        self.left
    }

    fn set_left(&mut self, left: u64) {
        self.left = left;
    }
}

impl<const FLAT: bool> Walk<FLAT> {
    /// A walk at the start of an input.
    pub(super) fn new(options: &Options) -> Self {
        let xz = XzOptions { limits: options.limits, verify: Verify::Skip, streams: Streams::One };
        Self {
            parser: Parser::new(&xz),
            raw: options.raw,
            stage: Stage::Header,
            properties: 0,
            left: 0,
            full: ErrorKind::OutputLimit,
        }
    }

    /// Returns the progress so far.
    pub(super) fn done(&self) -> Done {
        self.parser.done(index(self.parser.at))
    }

    /// The largest distance of a match; 0 before the header.
    pub(super) const fn dictionary(&self) -> u32 {
        self.parser.block.header.dictionary
    }

    /// Content that may still come.
    #[cfg(feature = "alloc")]
    pub(super) const fn room_left(&self) -> u64 {
        self.left
    }

    /// Makes the room of the output the end of the content, if no more can be had.
    pub(super) const fn close(&mut self) {
        (self.left, self.full) = (0, ErrorKind::OutputTooSmall);
    }

    /// Reads the header, or takes what replaces it.
    fn header(&mut self, src: &mut &[u8], workspace: &mut Workspace) -> Verdict<()> {
        let (header, size_at) = match self.raw {
            Some(Raw { coder: Coder::Lzma(header), .. }) => (header, 0),
            Some(raw @ Raw { coder: Coder::Lzma2 { dictionary }, .. }) => {
                self.open(raw.chain(block(dictionary, None))?);
                return Ok(());
            }
            None => {
                // The properties show at once if there is no header.
                if let (0, Some(&first)) = (self.parser.gathered, src.first()) {
                    Header::DEFAULT.with_properties(first)?;
                }
                let bytes: &[u8; HEADER_LEN] = self.parser.array(src, &mut workspace.head)?;
                (Header::parse(bytes)?, SIZE_AT)
            }
        };
        let (properties, like) = lzma_block(&header, self.raw.as_ref())?;
        (self.properties, self.left) = (properties, self.parser.max_output);
        if let Some(size) = header.size {
            self.parser.announce(size).map_err(|fault| fault.offset_by(size_at))?;
            (self.left, self.full) = (size, ErrorKind::LzmaEnd);
        }
        self.open(like);
        Ok(())
    }

    /// Opens what decodes like a block with this header.
    fn open(&mut self, header: BlockHeader) {
        self.parser.window = header.window();
        self.parser.block = OpenBlock::new(header);
        self.parser.state = State::Window;
        self.stage = Stage::Window;
    }

    /// Starts the symbols or chunks, once the window is large enough.
    fn start(&mut self, src: &mut &[u8], window: &mut Window<'_>, workspace: &mut Workspace) -> Verdict<()> {
        if FLAT {
            let header = &self.parser.block.header;
            window.dictionary = index(header.dictionary.into());
            #[cfg(feature = "xz-filters")]
            workspace.tables.filters.start(&header.filters);
            self.parser.skip(self.parser.block.header.len);
        } else {
            self.parser.advance(src, window, workspace)?;
        }
        let lzma2 = matches!(self.raw, Some(Raw { coder: Coder::Lzma2 { .. }, .. }));
        self.stage = if lzma2 { Stage::Chunks } else { Stage::Start };
        Ok(())
    }

    /// Decodes as many symbols as the input at hand and the window allow.
    ///
    /// Nothing says where the input ends, so a symbol that may reach beyond the bytes at hand waits
    /// for more. If there are no more, the last symbols are decoded one by one: a truncated one
    /// leaves no output.
    fn symbols(
        &mut self,
        src: &mut &[u8],
        end: End,
        window: &mut Window<'_>,
        workspace: &mut Workspace,
    ) -> Verdict<()> {
        let at_hand = self.parser.gathered.saturating_add(src.len());
        let bytes = self.parser.look_ahead(src, usize::MAX, &mut workspace.head);
        let have = bytes.len();
        let tail = end == End::Here && at_hand < MOST_INPUT;
        let Tables { lzma, literals, .. } = &mut workspace.tables;
        let (want, least) = if tail { (lzma.pending().max(1), 0) } else { (usize::MAX, MOST_INPUT) };
        let (mut area, lapped) = window.area(want.min(index(self.left)));
        let (start, limit) = (area.at, area.limit);
        let (used, is_valid) = lzma.run(literals, bytes, least, Some(lapped), &mut area);
        let at = area.at;
        if used > have {
            return Err(Fault { at: have, ..STARVED });
        }
        let wrote = at - start;
        window.at += wrote;
        (self.left, self.parser.produced) = (self.left - u64_from(wrote), self.parser.produced + u64_from(wrote));
        self.parser.skip(used);
        if !is_valid {
            if !lzma.is_marker() {
                return Err(Fault::new(ErrorKind::XzDistance, 0));
            }
            if self.full == ErrorKind::LzmaEnd {
                return Err(Fault::new(ErrorKind::LzmaEnd, 0));
            }
            self.stage = Stage::Last;
        }
        // With all of the input at hand, the next call decodes what this one left.
        let starved = is_valid && at < limit && at_hand - used < MOST_INPUT && end == End::NotYet;
        self.parser.use_up(src, have, used, starved, &mut workspace.head)
    }

    /// Decodes the symbol after the content, which must be the marker.
    fn marker(&mut self, src: &mut &[u8], end: End, workspace: &mut Workspace) -> Verdict<()> {
        let bytes = self.parser.look_ahead(src, usize::MAX, &mut workspace.head);
        let have = bytes.len();
        let starved = end == End::NotYet && have < MOST_INPUT;
        let Tables { lzma, literals, .. } = &mut workspace.tables;
        let mut used = 0;
        if !starved {
            // In a dictionary of no bytes, every match reaches too far. Only the low bits of the
            // position matter.
            let (mut spare, at) = ([0; 17], index(self.parser.produced & 15));
            let mut area = Area { buf: &mut spare, at, limit: at + 1, dictionary: 0 };
            let (len, is_valid) = lzma.run(literals, bytes, 0, Some(false), &mut area);
            if len > have {
                return Err(Fault { at: have, ..STARVED });
            }
            if is_valid || !lzma.is_marker() {
                return Err(self.too_much(1));
            }
            used = len;
            self.parser.skip(used);
            self.stage = Stage::Last;
        }
        self.parser.use_up(src, have, used, starved, &mut workspace.head)
    }

    /// The fault of at least `more` bytes of content beyond the end.
    fn too_much(&mut self, more: usize) -> Fault {
        self.parser.announced = self.parser.produced.saturating_add(u64_from(more));
        Fault::new(self.full, 0)
    }

    /// Reads the byte that the range coder may need after its last symbol.
    fn last_byte(&mut self, src: &mut &[u8], workspace: &mut Workspace) -> Verdict<Option<u8>> {
        if !workspace.tables.lzma.wants_byte() {
            return Ok(None);
        }
        let bytes = self.parser.look_ahead(src, usize::MAX, &mut workspace.head);
        let (&byte, have) = (bytes.first().ok_or(STARVED)?, bytes.len());
        self.parser.skip(1);
        self.parser.use_up(src, have, 1, false, &mut workspace.head)?;
        Ok(Some(byte))
    }

    /// Ends the content: filters hold nothing back any more.
    fn end(&mut self) {
        self.parser.streams = 1;
        self.parser.state = State::BlockPadding(0);
        self.stage = Stage::Over;
    }
}

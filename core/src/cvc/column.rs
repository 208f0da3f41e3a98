//! Columns: what the schema says of one, and decoding its rows from a file that is at hand.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::ops::Range;

use super::chunk::Chunk;
use super::convert::{Dtype, Element, Encoding};
use super::header::{File, Kind};
use super::object::{Object, Place};
use super::payload::{Crc, Done, Payload};
use super::plan::{Asked, Piece, Plan};
use crate::checksum::Crc32;
use crate::fault::{Fault, Verdict};
#[cfg(feature = "alloc")]
use crate::heap::zeros;
use crate::json::{Elements, Node, Text};
use crate::num::{behind, index, times, u64_from};
use crate::{Error, ErrorKind, Result, Sink};

/// A column of a file.
#[derive(Clone, Copy, Debug)]
pub struct Column<'a> {
    pub(super) file: File<'a>,
    /// `None` for the nameless column of a file without a schema.
    name: Option<Text<'a>>,
    dimension: u64,
    /// As the schema says; unknown ones are refused where they matter.
    dtype: Option<Dtype>,
    compression: Text<'a>,
}

/// Where the values of a column lie in the payload of a chunk, and how they are stored.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub(super) encoding: Encoding,
    pub(super) values: u64,
    /// Offset and size; `None` where the column is the whole payload.
    pub(super) place: Option<(u64, u64)>,
    /// The node to blame when the place lies outside of the payload.
    at: usize,
}

impl Slot {
    pub(super) const NONE: Self = Self { encoding: Encoding::Fp16, values: 0, place: None, at: 0 };

    /// How long the payload must be, where that is known before it is read.
    pub(super) fn payload_len(&self) -> Option<u64> {
        match self.place {
            Some(_) => None,
            None => times(self.encoding.width()?, self.values),
        }
    }

    /// The bytes of the column within a payload of this length.
    #[inline(never)]
    pub(super) fn range(&self, payload_len: u64) -> Verdict<Range<u64>> {
        let (offset, size) = self.place.unwrap_or((0, payload_len));
        match offset.checked_add(size) {
            Some(end) if end <= payload_len => Ok(offset..end),
            _ => Err(Fault::new(ErrorKind::CvcColumnOutside, self.at)),
        }
    }
}

/// What goes to a sink at once.
type Batch = [u8; 256];

impl<'a> Column<'a> {
    /// A column of this file of which nothing is known yet.
    pub(super) fn of(file: &File<'a>) -> Self {
        Self { file: *file, name: None, dimension: 0, dtype: None, compression: Text::default() }
    }

    /// What the schema says.
    fn read(&mut self, node: Node<'a>) -> Verdict<()> {
        let mut object = Object::new(node);
        let [name, dimension, dtype, compression] = object.pick(["name", "dimension", "dtype", "compression"]);
        self.name = Some(object.text(name));
        self.dimension = object.integer(dimension);
        let word = object.text(dtype);
        self.dtype = Dtype::named(|name| word.is(name));
        if self.dimension == 0 {
            object.refuse(ErrorKind::CvcWrongValue, dimension);
        } else if self.name().is_empty() {
            object.refuse(ErrorKind::CvcWrongValue, name);
        }
        self.compression = object.text(compression);
        object.check()
    }

    /// Its name; a file without a schema has one column, whose name is empty.
    pub fn name(&self) -> Text<'a> {
        self.name.unwrap_or_default()
    }

    /// How many values each row has.
    pub fn dimension(&self) -> u64 {
        self.dimension
    }

    /// The type that the values had when they were written; `None` if this library does not know it.
    pub fn dtype(&self) -> Option<Dtype> {
        self.dtype
    }

    /// The compression that the schema names. A chunk may say otherwise.
    pub fn compression(&self) -> Text<'a> {
        self.compression
    }

    /// All rows.
    pub fn rows(&self) -> Range<u64> {
        0..self.file.num_vectors()
    }

    /// Checks that every chunk has this column in a form that can be decoded, as far as the header tells, and gives the type
    /// that [`decode_bytes`](Self::decode_bytes) writes: the column's own where every chunk stores it plainly, else f32.
    #[inline(never)]
    pub fn output(&self) -> Result<Dtype> {
        let (mut chunks, mut chunk, mut slot, mut output) = (self.file.chunks(), Chunk::default(), Slot::NONE, None);
        while chunks.read(&mut chunk)? {
            self.slot(&chunk, &mut slot)?;
            let plain = slot.encoding.output();
            output = match output {
                Some(other) if other != plain => Some(Dtype::F32),
                _ => Some(plain),
            };
        }
        Ok(output.unwrap_or(if self.compression.is("none") { self.dtype.unwrap_or(Dtype::F32) } else { Dtype::F32 }))
    }

    /// Finds this column in a chunk.
    #[inline(never)]
    pub(super) fn slot(&self, chunk: &Chunk<'a>, slot: &mut Slot) -> Verdict<()> {
        let name = self.name();
        let named = |columns: Node<'a>| columns.members().filter(|member| member.key.same(&name)).last();
        let node =
            if self.file.is_columnar() { chunk.columns().and_then(named).map(|member| member.value) } else { None };
        self.slot_at(chunk, node, slot)
    }

    /// The same of a column whose object in the chunk is found, if there is one.
    pub(super) fn slot_at(&self, chunk: &Chunk<'a>, node: Option<Node<'a>>, slot: &mut Slot) -> Verdict<()> {
        let values = times(chunk.rows.end.saturating_sub(chunk.rows.start), self.dimension);
        slot.values = values.ok_or(chunk.node.fault(ErrorKind::SizeOverflow))?;
        slot.place = None;
        let node = match node {
            None if self.file.is_columnar() => return Err(chunk.node.fault(ErrorKind::CvcColumnMissing)),
            node => node.unwrap_or(chunk.node),
        };
        slot.at = node.start();
        let mut object = Object::new(node);
        let [offset, size, compression, min, scale] = object.pick(["offset", "size", "compression", "min", "scale"]);
        if self.file.is_columnar() {
            slot.place = Some((object.integer(offset), object.integer(size)));
        }
        self.encoding(&mut object, [compression, min, scale], &mut slot.encoding);
        if let Some((_, len)) = slot.place
            && slot.encoding.width().and_then(|width| times(width, slot.values)) != Some(len)
        {
            object.refuse(ErrorKind::CvcColumnLength, size);
        }
        object.check()
    }

    /// How a chunk says that it stores its values. Where it does not say, the file does.
    #[inline(never)]
    fn encoding(&self, chunk: &mut Object<'a>, [compression, min, scale]: [Place; 3], encoding: &mut Encoding) {
        let columnar = self.file.is_columnar();
        let name = match chunk.find(compression) {
            Some(_) => chunk.text(compression),
            None => self.compression,
        };
        match () {
            () if name.is("fp16") => *encoding = Encoding::Fp16,
            () if name.is("int8") => *encoding = Encoding::Int8 { min: chunk.float(min), scale: chunk.float(scale) },
            () if name.is("none") && columnar => match self.dtype {
                Some(dtype) => *encoding = Encoding::Plain(dtype),
                None => chunk.refuse(ErrorKind::CvcUnknownDtype, Place::default()),
            },
            () if name.is("lossless") && !columnar => *encoding = Encoding::Lossless,
            () if name.is("lossless") || name.is("none") => chunk.refuse(ErrorKind::CvcCompressionHere, compression),
            () => chunk.refuse(ErrorKind::CvcUnknownCompression, compression),
        }
    }

    /// Which bytes of the file hold these rows, chunk by chunk, for someone who fetches only those.
    pub fn plan(&self, rows: Range<u64>) -> Result<Plan<'a>> {
        let mut plan = Plan::of(self);
        plan.ask(rows)?;
        Ok(plan)
    }

    pub(super) fn check_rows(&self, rows: &Range<u64>) -> Result<()> {
        if rows.start > rows.end || rows.end > self.file.num_vectors() {
            return Err(Error::new(ErrorKind::RangeOutside, 0));
        }
        Ok(())
    }

    /// Decodes rows to f32, whatever they are stored as. Integers beyond 2^24 are rounded.
    pub fn decode_f32(&self, bytes: &[u8], rows: Range<u64>, to: &mut [f32], crc: Crc) -> Result<Done> {
        let len = self.room(&rows, to.len(), 4, 1)?;
        let mut rest = to.get_mut(..len).unwrap_or(&mut []);
        self.each(bytes, rows, crc, &mut |payload| payload.decode_f32(split(&mut rest, payload.len)))
    }

    /// Decodes rows of a column that is stored plainly, in its own type.
    pub fn decode_into<T: Element>(&self, bytes: &[u8], rows: Range<u64>, to: &mut [T], crc: Crc) -> Result<Done> {
        let len = self.room(&rows, to.len(), T::DTYPE.width(), 1)?;
        let mut rest = to.get_mut(..len).unwrap_or(&mut []);
        self.each(bytes, rows, crc, &mut |payload| payload.decode_into(split(&mut rest, payload.len)))
    }

    /// Decodes rows to the little-endian bytes of their type, which [`output`](Self::output) tells.
    pub fn decode_bytes(&self, bytes: &[u8], rows: Range<u64>, to: &mut [u8], crc: Crc) -> Result<Done> {
        self.decode_bytes_of(self.output()?, bytes, rows, to, crc)
    }

    /// Decodes rows to f32 as [`decode_f32`](Self::decode_f32) does, in little-endian bytes at any alignment.
    pub fn decode_f32_bytes(&self, bytes: &[u8], rows: Range<u64>, to: &mut [u8], crc: Crc) -> Result<Done> {
        self.decode_bytes_of(Dtype::F32, bytes, rows, to, crc)
    }

    fn decode_bytes_of(&self, output: Dtype, bytes: &[u8], rows: Range<u64>, to: &mut [u8], crc: Crc) -> Result<Done> {
        let width = output.width();
        let len = self.room(&rows, to.len(), width, width)?;
        let mut rest = to.get_mut(..len).unwrap_or(&mut []);
        let width = index(width);
        let mut done = self.each(bytes, rows, crc, &mut |payload| {
            payload.decode_bytes(output, split(&mut rest, payload.len.saturating_mul(width)))
        })?;
        done.wrote = done.wrote.saturating_mul(width);
        Ok(done)
    }

    /// Decodes rows to a sink, in the same bytes as [`decode_bytes`](Self::decode_bytes), 64 values at a time.
    pub fn decode_to(&self, bytes: &[u8], rows: Range<u64>, sink: &mut impl Sink, crc: Crc) -> Result<Done> {
        let output = self.output()?;
        self.room(&rows, usize::MAX, output.width(), 0)?;
        let width = index(output.width());
        // No width is 0, but a loop that is called through a pointer does not know.
        let most = size_of::<Batch>().checked_div(width).unwrap_or(1);
        let mut done = self.each(bytes, rows, crc, &mut |payload| {
            if let Some((dtype, raw)) = payload.plain()
                && dtype == output
            {
                return sink.write(raw);
            }
            let mut batch: Batch = [0; 256];
            let (mut skip, mut left) = (payload.skip, payload.len);
            while left > 0 {
                let len = left.min(most);
                let part = Payload { skip, len, ..*payload };
                let to = batch.get_mut(..len.saturating_mul(width)).unwrap_or(&mut []);
                part.decode_bytes(output, to)?;
                sink.write(to)?;
                (skip, left) = (skip.saturating_add(len), left - len);
            }
            Ok(())
        })?;
        done.wrote = done.wrote.saturating_mul(width);
        Ok(done)
    }

    /// Decodes rows to a `Vec` of f32. Memory is asked for only after the file has shown that it holds that many values.
    #[cfg(feature = "alloc")]
    pub fn decode_f32_to_vec(&self, bytes: &[u8], rows: Range<u64>, crc: Crc) -> Result<Vec<f32>> {
        self.each(bytes, rows.clone(), Crc::Skip, &mut |_| Ok(()))?;
        let mut values = zeros(u64_from(self.room(&rows, usize::MAX, 4, 1)?))?;
        self.decode_f32(bytes, rows, &mut values, crc)?;
        Ok(values)
    }

    /// Decodes rows to a `Vec` of little-endian bytes, with the same care.
    #[cfg(feature = "alloc")]
    pub fn decode_to_vec(&self, bytes: &[u8], rows: Range<u64>, crc: Crc) -> Result<Vec<u8>> {
        self.each(bytes, rows.clone(), Crc::Skip, &mut |_| Ok(()))?;
        let width = self.output()?.width();
        let mut values = zeros(u64_from(self.room(&rows, usize::MAX, width, width)?))?;
        self.decode_bytes(bytes, rows, &mut values, crc)?;
        Ok(values)
    }

    /// Checks the rows against the file, the limit on output (`width` bytes a value) and the `room` in the output, where a value
    /// takes `units`. Gives how much of the output will be filled.
    #[inline(never)]
    pub(super) fn room(&self, rows: &Range<u64>, room: usize, width: u64, units: u64) -> Result<usize> {
        self.check_rows(rows)?;
        let overflow = Error::new(ErrorKind::SizeOverflow, 0);
        let values = times(rows.end - rows.start, self.dimension).ok_or(overflow)?;
        let size = times(values, width).ok_or(overflow)?;
        if size > self.file.facts.max_output {
            return Err(Error::new(ErrorKind::OutputLimit, 0).needing(size));
        }
        let need = times(values, units).ok_or(overflow)?;
        match usize::try_from(need) {
            Ok(len) if len <= room => Ok(len),
            _ => Err(Error::new(ErrorKind::OutputTooSmall, 0).needing(need)),
        }
    }

    /// Walks over the payloads of these rows in a file that is at hand.
    #[inline(never)]
    pub(super) fn each<'b>(
        &self,
        bytes: &'b [u8],
        rows: Range<u64>,
        crc: Crc,
        decode: &mut dyn FnMut(&Payload<'b>) -> Result<()>,
    ) -> Result<Done> {
        let mut plan = Plan::of(self);
        plan.ask(rows)?;
        let mut piece = Piece::NONE;
        let mut done = Done::default();
        loop {
            match plan.read(&mut piece)? {
                Asked::Nothing => return Ok(done),
                Asked::Length => plan.look_up(bytes, &piece)?,
                Asked::Chunk => self.chunk(bytes, &piece, crc, &mut done, decode)?,
            }
        }
    }

    #[inline(never)]
    fn chunk<'b>(
        &self,
        bytes: &'b [u8],
        piece: &Piece,
        crc: Crc,
        done: &mut Done,
        decode: &mut dyn FnMut(&Payload<'b>) -> Result<()>,
    ) -> Result<()> {
        piece.check_length(part(bytes, piece.length())?)?;
        let payload = piece.open(part(bytes, piece.range())?, crc, &mut done.crc)?;
        self.refuse_hidden_crc(bytes, piece)?;
        done.wrote = done.wrote.saturating_add(payload.len);
        decode(&payload)
    }

    /// A version 0 header before chunks with checksums would decode to shifted values. Where more chunks follow, their lengths are
    /// wrong; behind the last one, the four bytes too many give it away if they complete what the first four are the CRC-32 of.
    fn refuse_hidden_crc(&self, bytes: &[u8], piece: &Piece) -> Result<()> {
        let (start, end) = (piece.payload_start(), piece.range().end);
        if self.file.has_checksums() || piece.chunk.saturating_add(1) < self.file.chunk_count() || start == end {
            return Ok(());
        }
        let shifted = behind(start, 4)..behind(end, 4);
        let (Ok(stored), Ok(shifted)) = (part(bytes, start..shifted.start), part(bytes, shifted)) else {
            return Ok(());
        };
        if stored == Crc32::of(shifted).to_le_bytes() {
            return Err(Error::new(ErrorKind::CvcHiddenCrc, start));
        }
        Ok(())
    }
}

/// The bytes of a range, all of them.
#[inline(never)]
pub(super) fn part(bytes: &[u8], range: Range<u64>) -> Result<&[u8]> {
    let end = range.end;
    bytes.get(index(range.start)..index(end)).ok_or_else(|| Error::truncated(u64_from(bytes.len()), end))
}

/// Takes so many cells off the front, or all there are.
fn split<'t, T>(rest: &mut &'t mut [T], len: usize) -> &'t mut [T] {
    let all = core::mem::take(rest);
    let len = len.min(all.len());
    let (front, back) = all.split_at_mut_checked(len).unwrap_or_default();
    *rest = back;
    front
}

/// Walks over the columns of a file in the order of its schema.
#[derive(Clone, Debug)]
pub struct Columns<'a> {
    file: File<'a>,
    schema: Schema<'a>,
}

impl<'a> Columns<'a> {
    pub(super) fn new(file: File<'a>) -> Self {
        Self { file, schema: Schema::new(&file) }
    }
}

impl<'a> Iterator for Columns<'a> {
    type Item = Result<Column<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut column = Column::of(&self.file);
        match self.schema.read(&mut column) {
            Ok(more) => more.then_some(Ok(column)),
            Err(fault) => Some(Err(fault.into())),
        }
    }
}

/// The same for one column that is filled again and again.
#[derive(Clone, Debug)]
pub(super) struct Schema<'a> {
    /// `None` if there is one column without a name.
    nodes: Option<Elements<'a>>,
    done: bool,
}

impl<'a> Schema<'a> {
    pub(super) fn new(file: &File<'a>) -> Self {
        let nodes = match file.facts.kind {
            Kind::Columnar { columns, .. } => Some(Node::at(file.head, columns).elements()),
            Kind::Single { .. } => None,
        };
        Self { nodes, done: false }
    }

    /// Reads the next column of this file; `false` behind the last.
    #[inline(never)]
    pub(super) fn read(&mut self, column: &mut Column<'a>) -> Verdict<bool> {
        if let Some(nodes) = &mut self.nodes {
            return nodes.next().map_or(Ok(false), |node| column.read(node).map(|()| true));
        }
        let Kind::Single { dimension, compression } = column.file.facts.kind else { return Ok(false) };
        column.dimension = dimension;
        column.dtype = Some(Dtype::F32);
        column.compression = Node::at(column.file.head, compression).string()?;
        Ok(!core::mem::replace(&mut self.done, true))
    }
}

//! Columns: what the schema says of one, and decoding its rows from a file that is at hand.

#[cfg(feature = "alloc")]
use alloc::{vec, vec::Vec};
use core::ops::Range;

use super::chunk::{Chunk, Coding};
use super::convert::{Dtype, Element, Encoding};
use super::decimal;
use super::header::{File, Kind, truncated};
use super::json::{Elements, Node, Text};
use super::payload::{Crc, Done, Payload};
use super::plan::{Need, Piece, Plan};
use crate::checksum::Crc32;
use crate::num::index;
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
    pub(super) at: u64,
}

impl Slot {
    /// How long the payload must be, where that is known before it is read.
    pub(super) fn payload_len(&self) -> Option<u64> {
        match self.place {
            Some(_) => None,
            None => self.encoding.width()?.checked_mul(self.values),
        }
    }

    /// The bytes of the column within a payload of this length.
    pub(super) fn range(&self, payload_len: u64) -> Result<Range<u64>> {
        let Some((offset, size)) = self.place else { return Ok(0..payload_len) };
        match offset.checked_add(size) {
            Some(end) if end <= payload_len => Ok(offset..end),
            _ => Err(Error::new(ErrorKind::CvcColumnOutside, self.at)),
        }
    }
}

impl<'a> Column<'a> {
    fn from_schema(file: File<'a>, node: Node<'a>) -> Result<Self> {
        let missing = node.error(ErrorKind::CvcMissingKey);
        let [name, dimension, dtype, compression] = node.pick(["name", "dimension", "dtype", "compression"]);
        let name_node = name.ok_or(missing)?;
        let name = name_node.string()?;
        let dimension_node = dimension.ok_or(missing)?;
        let dimension = dimension_node.integer()?;
        let dtype = dtype.ok_or(missing)?.string()?;
        if name.is_empty() || dimension == 0 {
            let node = if dimension == 0 { dimension_node } else { name_node };
            return Err(node.error(ErrorKind::CvcWrongValue));
        }
        let compression = compression.ok_or(missing)?.string()?;
        let dtype = Dtype::named(|name| dtype.is(name));
        Ok(Self { file, name: Some(name), dimension, dtype, compression })
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
    pub fn output(&self) -> Result<Dtype> {
        let mut output = None;
        for chunk in self.file.chunks() {
            let plain = self.slot(&chunk?)?.encoding.output();
            output = match output {
                Some(other) if other != plain => Some(Dtype::F32),
                _ => Some(plain),
            };
        }
        Ok(output.unwrap_or(if self.compression.is("none") { self.dtype.unwrap_or(Dtype::F32) } else { Dtype::F32 }))
    }

    /// Finds this column in a chunk.
    pub(super) fn slot(&self, chunk: &Chunk<'a>) -> Result<Slot> {
        let values = chunk.rows.end.saturating_sub(chunk.rows.start).checked_mul(self.dimension);
        let values = values.ok_or(chunk.node.error(ErrorKind::SizeOverflow))?;
        let Kind::Columnar { .. } = self.file.facts.kind else {
            let encoding = self.encoding(chunk.node, &chunk.coding)?;
            return Ok(Slot { encoding, values, place: None, at: chunk.node.range().start });
        };
        let missing = chunk.node.error(ErrorKind::CvcColumnMissing);
        let columns = chunk.columns.filter(Node::is_object).ok_or(missing)?;
        let name = self.name();
        let node = columns.members().filter(|member| member.key.same(&name)).last().ok_or(missing)?.value;
        let [offset, size, compression, min, scale] = node.pick(["offset", "size", "compression", "min", "scale"]);
        let missing = node.error(ErrorKind::CvcMissingKey);
        let offset = offset.ok_or(missing)?.integer()?;
        let size_node = size.ok_or(missing)?;
        let size = size_node.integer()?;
        let encoding = self.encoding(node, &Coding { compression, min, scale })?;
        if encoding.width().and_then(|width| width.checked_mul(values)) != Some(size) {
            return Err(size_node.error(ErrorKind::CvcColumnLength));
        }
        Ok(Slot { encoding, values, place: Some((offset, size)), at: node.range().start })
    }

    /// How a chunk says that it stores its values. Where it does not say, the file does.
    fn encoding(&self, node: Node<'a>, coding: &Coding<'a>) -> Result<Encoding> {
        let columnar = self.file.is_columnar();
        let (name, name_node) = match coding.compression {
            Some(compression) => (compression.string()?, compression),
            None => (self.compression, node),
        };
        let number = |value: Option<Node<'a>>| {
            let value = value.ok_or(node.error(ErrorKind::CvcMissingKey))?;
            decimal::f32_from(value.raw()).ok_or(value.error(ErrorKind::CvcWrongValue))
        };
        match () {
            () if name.is("fp16") => Ok(Encoding::Fp16),
            () if name.is("int8") => Ok(Encoding::Int8 { min: number(coding.min)?, scale: number(coding.scale)? }),
            () if name.is("lossless") && !columnar => Ok(Encoding::Lossless),
            () if name.is("none") && columnar => {
                self.dtype.map(Encoding::Plain).ok_or(node.error(ErrorKind::CvcUnknownDtype))
            }
            () if name.is("lossless") || name.is("none") => Err(name_node.error(ErrorKind::CvcCompressionHere)),
            () => Err(name_node.error(ErrorKind::CvcUnknownCompression)),
        }
    }

    /// Which bytes of the file hold these rows, chunk by chunk, for someone who fetches only those.
    pub fn plan(&self, rows: Range<u64>) -> Result<Plan<'a>> {
        Plan::new(*self, rows)
    }

    /// Decodes rows to f32, whatever they are stored as. Integers beyond 2^24 are rounded.
    pub fn decode_f32(&self, bytes: &[u8], rows: Range<u64>, to: &mut [f32], crc: Crc) -> Result<Done> {
        let len = self.room(&rows, to.len(), 4, 1)?;
        let mut rest = to.get_mut(..len).unwrap_or(&mut []);
        self.each(bytes, rows, crc, |payload| payload.decode_f32(split(&mut rest, payload.len)))
    }

    /// Decodes rows of a column that is stored plainly, in its own type.
    pub fn decode_into<T: Element>(&self, bytes: &[u8], rows: Range<u64>, to: &mut [T], crc: Crc) -> Result<Done> {
        let len = self.room(&rows, to.len(), T::DTYPE.width(), 1)?;
        let mut rest = to.get_mut(..len).unwrap_or(&mut []);
        self.each(bytes, rows, crc, |payload| payload.decode_into(split(&mut rest, payload.len)))
    }

    /// Decodes rows to the little-endian bytes of their type, which [`output`](Self::output) tells.
    pub fn decode_bytes(&self, bytes: &[u8], rows: Range<u64>, to: &mut [u8], crc: Crc) -> Result<Done> {
        let output = self.output()?;
        let width = output.width();
        let len = self.room(&rows, to.len(), width, width)?;
        let mut rest = to.get_mut(..len).unwrap_or(&mut []);
        let width = index(width);
        let mut done = self.each(bytes, rows, crc, |payload| {
            payload.decode_bytes(output, split(&mut rest, payload.len.saturating_mul(width)))
        })?;
        done.written = done.written.saturating_mul(width);
        Ok(done)
    }

    /// Decodes rows to a sink, in the same bytes as [`decode_bytes`](Self::decode_bytes), 64 values at a time.
    pub fn decode_to(&self, bytes: &[u8], rows: Range<u64>, sink: &mut impl Sink, crc: Crc) -> Result<Done> {
        let output = self.output()?;
        self.room(&rows, usize::MAX, output.width(), 0)?;
        let width = index(output.width());
        self.each(bytes, rows, crc, |payload| {
            if let Some((dtype, raw)) = payload.plain()
                && dtype == output
            {
                return sink.write(raw);
            }
            let mut batch = [0; 256];
            let (mut skip, mut left) = (payload.skip, payload.len);
            while left > 0 {
                let len = left.min(batch.len() / width);
                let part = Payload { skip, len, ..*payload };
                let to = batch.get_mut(..len.saturating_mul(width)).unwrap_or(&mut []);
                part.decode_bytes(output, to)?;
                sink.write(to)?;
                (skip, left) = (skip.saturating_add(len), left - len);
            }
            Ok(())
        })
    }

    /// Decodes rows to a `Vec` of f32. Memory is asked for only after the file has shown that it holds that many values.
    #[cfg(feature = "alloc")]
    pub fn decode_f32_to_vec(&self, bytes: &[u8], rows: Range<u64>, crc: Crc) -> Result<Vec<f32>> {
        self.each(bytes, rows.clone(), Crc::Skip, |_| Ok(()))?;
        let mut values = vec![0.0; self.room(&rows, usize::MAX, 4, 1)?];
        self.decode_f32(bytes, rows, &mut values, crc)?;
        Ok(values)
    }

    /// Decodes rows to a `Vec` of little-endian bytes, with the same care.
    #[cfg(feature = "alloc")]
    pub fn decode_to_vec(&self, bytes: &[u8], rows: Range<u64>, crc: Crc) -> Result<Vec<u8>> {
        self.each(bytes, rows.clone(), Crc::Skip, |_| Ok(()))?;
        let width = self.output()?.width();
        let mut values = vec![0; self.room(&rows, usize::MAX, width, width)?];
        self.decode_bytes(bytes, rows, &mut values, crc)?;
        Ok(values)
    }

    /// Checks the rows against the file, the limit on output (`width` bytes a value) and the `room` in the output, where a value
    /// takes `units`. Gives how much of the output will be filled.
    pub(super) fn room(&self, rows: &Range<u64>, room: usize, width: u64, units: u64) -> Result<usize> {
        if rows.start > rows.end || rows.end > self.file.num_vectors() {
            return Err(Error::new(ErrorKind::RangeOutside, 0));
        }
        let overflow = Error::new(ErrorKind::SizeOverflow, 0);
        let values = (rows.end - rows.start).checked_mul(self.dimension).ok_or(overflow)?;
        let size = values.checked_mul(width).ok_or(overflow)?;
        if size > self.file.facts.max_output {
            return Err(Error::new(ErrorKind::OutputLimit, 0).needing(size));
        }
        let need = values.checked_mul(units).ok_or(overflow)?;
        match usize::try_from(need) {
            Ok(len) if len <= room => Ok(len),
            _ => Err(Error::new(ErrorKind::OutputTooSmall, 0).needing(need)),
        }
    }

    /// Walks over the payloads of these rows in a file that is at hand.
    pub(super) fn each<'b>(
        &self,
        bytes: &'b [u8],
        rows: Range<u64>,
        crc: Crc,
        mut decode: impl FnMut(&Payload<'b>) -> Result<()>,
    ) -> Result<Done> {
        let mut plan = self.plan(rows)?;
        let mut done = Done::default();
        while let Some(need) = plan.next()? {
            match need {
                Need::Length(range) => plan.feed(part(bytes, range)?)?,
                Need::Chunk(piece) => {
                    piece.check_length(part(bytes, piece.length())?)?;
                    let payload = piece.open(part(bytes, piece.range())?, crc, &mut done.crc)?;
                    self.refuse_hidden_crc(bytes, &piece)?;
                    decode(&payload)?;
                    done.written = done.written.saturating_add(payload.len);
                }
            }
        }
        Ok(done)
    }

    /// A version 0 header before chunks with checksums would decode to shifted values. Where more chunks follow, their lengths are
    /// wrong; behind the last one, the four bytes too many give it away if they complete what the first four are the CRC-32 of.
    fn refuse_hidden_crc(&self, bytes: &[u8], piece: &Piece<'_>) -> Result<()> {
        let (start, end) = (piece.payload_start(), piece.range().end);
        if self.file.has_checksums() || piece.chunk.saturating_add(1) < self.file.chunk_count() || start == end {
            return Ok(());
        }
        let shifted = start.saturating_add(4)..end.saturating_add(4);
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
pub(super) fn part(bytes: &[u8], range: Range<u64>) -> Result<&[u8]> {
    let end = range.end;
    bytes.get(index(range.start)..index(end)).ok_or_else(|| truncated(bytes, end))
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
    schema: Option<Elements<'a>>,
    done: bool,
}

impl<'a> Columns<'a> {
    pub(super) fn new(file: File<'a>) -> Self {
        let schema = match file.facts.kind {
            Kind::Columnar { columns, .. } => Some(Node::at(file.head, columns).elements()),
            Kind::Single { .. } => None,
        };
        Self { file, schema, done: false }
    }
}

impl<'a> Iterator for Columns<'a> {
    type Item = Result<Column<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(schema) = &mut self.schema {
            return schema.next().map(|node| Column::from_schema(self.file, node));
        }
        let Kind::Single { dimension, compression } = self.file.facts.kind else { return None };
        if core::mem::replace(&mut self.done, true) {
            return None;
        }
        let compression = Node::at(self.file.head, compression).string();
        Some(compression.map(|compression| Column {
            file: self.file,
            name: None,
            dimension,
            dtype: Some(Dtype::F32),
            compression,
        }))
    }
}

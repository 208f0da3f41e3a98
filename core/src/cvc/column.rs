//! Columns: their entries in the schema, and their storage in each chunk.

use core::ops::Range;

use super::chunk::{ChunkCursor, ChunkEntry};
use super::convert::{Compression, Dtype, Encoding};
use super::header::{ColumnLayout, File};
use super::object::{Object, Position};
use crate::fault::{Fault, Verdict};
use crate::json::{Elements, Text};
use crate::num::{Size, index_of, narrow, saturated, size, times, wide};
use crate::{Error, ErrorKind, Limits, Result};

/// A column of a file.
#[derive(Clone, Copy, Debug)]
pub struct Column<'a> {
    pub(super) file: File<'a>,
    name: Text<'a>,
    pub(super) dimension: Size,
    /// From the schema. An unknown type is refused only if a chunk stores plain values.
    dtype: Option<Dtype>,
    compression: Text<'a>,
}

/// The storage of a column in one chunk: its encoding, and its place in the payload.
#[derive(Clone, Copy, Debug)]
pub(super) struct StoredColumn {
    pub(super) encoding: Encoding,
    pub(super) values: Size,
    /// Offset and size; `None` if the column is the whole payload.
    place: Option<(Size, Size)>,
    /// The position to report if the place is outside of the payload.
    node: usize,
}

impl StoredColumn {
    pub(super) const NONE: Self = Self { encoding: Encoding::Fp16, values: 0, place: None, node: 0 };

    /// Returns the length of the payload if the header determines it. A number that does not fit
    /// counts as the largest one, which is no length of a payload.
    pub(super) fn payload_len(&self) -> Option<Size> {
        match self.place {
            Some(_) => None,
            None => Some(times(self.encoding.width()?, self.values).unwrap_or(Size::MAX)),
        }
    }

    /// Returns the bytes of the column within a payload of this length.
    #[inline(never)]
    pub(super) fn range(&self, payload_len: Size) -> Verdict<Range<Size>> {
        let (offset, size) = self.place.unwrap_or((0, payload_len));
        match offset.checked_add(size) {
            Some(end) if end <= payload_len => Ok(offset..end),
            _ => Err(Fault::new(ErrorKind::CvcColumnOutside, self.node)),
        }
    }
}

impl<'a> Column<'a> {
    /// A column of no file.
    pub(super) const NONE: Self =
        Self { file: File::NONE, name: Text::EMPTY, dimension: 0, dtype: None, compression: Text::EMPTY };

    /// A column of this file, to be [read](Self::read).
    pub(super) fn of(file: &File<'a>) -> Self {
        Self { file: *file, ..Self::NONE }
    }

    /// Reads the entry of the schema at this position. Without a schema, reads the members of the
    /// header that describe the only column.
    #[inline(never)]
    pub(super) fn read(&mut self, node: usize) -> Verdict<()> {
        if let ColumnLayout::Single { dimension, compression } = self.file.facts.layout {
            let mut object = Object::new(self.file.node(0));
            (self.dimension, self.dtype, self.compression) = (dimension, Some(Dtype::F32), object.text(compression));
            return object.check();
        }
        let mut object = Object::new(self.file.node(node));
        let [name, dimension, dtype, compression] = object.pick(&["name", "dimension", "dtype", "compression"]);
        self.name = object.text(name);
        self.dimension = object.integer(dimension);
        let word = object.text(dtype);
        self.dtype = Dtype::named(|name| word.is(name));
        if self.dimension == 0 {
            object.refuse(ErrorKind::CvcWrongValue, dimension);
        } else if self.name.is_empty() {
            object.refuse(ErrorKind::CvcWrongValue, name);
        }
        self.compression = object.text(compression);
        object.check()
    }

    /// Returns its name; empty for the only column of a file without a schema.
    pub fn name(&self) -> Text<'a> {
        self.name
    }

    /// Returns the number of values in each row.
    pub fn dimension(&self) -> u64 {
        wide(self.dimension)
    }

    /// Returns the type of the values before they were written; `None` if this library does not
    /// know it.
    pub fn dtype(&self) -> Option<Dtype> {
        self.dtype
    }

    /// Returns the compression that the schema names. A chunk may name another.
    pub fn compression(&self) -> Text<'a> {
        self.compression
    }

    /// Returns the range of all rows.
    pub fn rows(&self) -> Range<u64> {
        0..self.file.num_vectors()
    }

    /// Returns the type that [`decode_bytes`](Self::decode_bytes) writes: the column's own if every
    /// chunk stores it plainly, else f32.
    ///
    /// Checks on the way that every chunk stores the column in a form that can be decoded, as far
    /// as the header shows.
    #[inline(never)]
    pub fn output(&self) -> Result<Dtype> {
        let (mut cursor, mut entry, mut storage) =
            (ChunkCursor::of(&self.file), ChunkEntry::default(), StoredColumn::NONE);
        let mut output = None;
        while cursor.next(&self.file, &mut entry)? {
            self.find_storage(&entry, &mut storage)?;
            output = Some(storage.encoding.output().joined(output));
        }
        Ok(output.or(self.dtype.filter(|_| self.compression.is("none"))).unwrap_or(Dtype::F32))
    }

    /// Returns whether some chunk stores it lossless, so that no value can be decoded before all of
    /// that chunk is read.
    #[inline(never)]
    pub fn is_lossless(&self) -> Result<bool> {
        let (mut cursor, mut entry, mut storage) =
            (ChunkCursor::of(&self.file), ChunkEntry::default(), StoredColumn::NONE);
        while cursor.next(&self.file, &mut entry)? {
            self.find_storage(&entry, &mut storage)?;
            if storage.encoding == Encoding::Lossless {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Finds this column in a chunk, and reads how the chunk stores it.
    #[inline(never)]
    pub(super) fn find_storage(&self, chunk: &ChunkEntry, storage: &mut StoredColumn) -> Verdict<()> {
        let mut found = Position::NONE;
        if self.file.is_columnar() {
            let object = chunk.columns.node(&self.file.node(0)).unwrap_or_default();
            for member in object.members().filter(|member| member.key.same(&self.name)) {
                found = Position::of(&member.value);
            }
        }
        self.read_storage(chunk, found, storage)
    }

    /// Reads how a chunk stores this column. `found` is the column's object in the chunk; a file
    /// without a schema has none.
    pub(super) fn read_storage(&self, chunk: &ChunkEntry, found: Position, storage: &mut StoredColumn) -> Verdict<()> {
        let values = times(chunk.end.wrapping_sub(chunk.first), self.dimension);
        storage.values = values.ok_or(chunk.fault(ErrorKind::SizeOverflow))?;
        let (mut node, mut encoding, mut size) = (self.file.node(chunk.node), chunk.encoding, Position::NONE);
        if self.file.is_columnar() {
            node = found.node(&node).ok_or(chunk.fault(ErrorKind::CvcColumnMissing))?;
        }
        (storage.node, storage.place) = (node.start(), None);
        let mut object = Object::new(node);
        if self.file.is_columnar() {
            let [offset, len, rest @ ..] = object.pick(&["offset", "size", "compression", "min", "scale"]);
            (size, encoding) = (len, rest);
            storage.place = Some((object.integer(offset), object.integer(size)));
        }
        self.read_encoding(&mut object, encoding, &mut storage.encoding);
        if let Some((_, len)) = storage.place
            && storage.encoding.width().and_then(|width| times(width, storage.values)) != Some(len)
        {
            object.refuse(ErrorKind::CvcColumnLength, size);
        }
        object.check()
    }

    /// Reads how a chunk encodes its values. If the chunk names no compression, the schema's
    /// applies.
    #[inline(never)]
    fn read_encoding(&self, chunk: &mut Object<'a>, members: [Position; 3], encoding: &mut Encoding) {
        let [compression, min, scale] = members;
        let columnar = self.file.is_columnar();
        let name = match chunk.find(compression) {
            Some(_) => chunk.text(compression),
            None => self.compression,
        };
        match Compression::named(|known| name.is(known)) {
            Some(Compression::Fp16) => *encoding = Encoding::Fp16,
            Some(Compression::Int8) => *encoding = Encoding::Int8 { min: chunk.float(min), scale: chunk.float(scale) },
            Some(Compression::None) if columnar => match self.dtype {
                Some(dtype) => *encoding = Encoding::Plain(dtype),
                None => chunk.refuse(ErrorKind::CvcUnknownDtype, Position::NONE),
            },
            Some(Compression::Lossless) if !columnar => *encoding = Encoding::Lossless,
            Some(_) => chunk.refuse(ErrorKind::CvcCompressionHere, compression),
            None => chunk.refuse(ErrorKind::CvcUnknownCompression, compression),
        }
    }

    /// Checks rows against the file.
    pub(super) fn check_rows(&self, rows: &Range<u64>) -> Result<Range<Size>> {
        let rows = narrow(rows.start).zip(narrow(rows.end)).map(|(start, end)| start..end);
        let inside = rows.filter(|rows| rows.start <= rows.end && rows.end <= self.file.facts.num_vectors);
        inside.ok_or(Error::new(ErrorKind::RangeOutside, 0))
    }

    /// Returns the range of all rows.
    pub(super) fn all_rows(&self) -> Range<Size> {
        0..self.file.facts.num_vectors
    }

    /// Checks rows against the file, against the limits on output, and against an output of `len`
    /// elements.
    ///
    /// A value takes `width` bytes and `units` elements. Returns the rows, and the number of
    /// elements that they fill.
    #[inline(never)]
    pub(super) fn fits(
        &self,
        rows: &Range<u64>,
        len: usize,
        (width, units): (Size, Size),
        limits: &Limits,
    ) -> Result<(Range<Size>, usize)> {
        let rows = self.check_rows(rows)?;
        let overflow = Error::new(ErrorKind::SizeOverflow, 0);
        let values = times(rows.end - rows.start, self.dimension).ok_or(overflow)?;
        let bytes = times(values, width).ok_or(overflow)?;
        if bytes > self.file.facts.max_output.min(saturated(limits.max_output)) {
            return Err(Error::new(ErrorKind::OutputLimit, 0).needing(wide(bytes)));
        }
        let need = times(values, units).ok_or(overflow)?;
        if need > size(len) {
            return Err(Error::new(ErrorKind::OutputTooSmall, 0).needing(wide(need)));
        }
        Ok((rows, index_of(need)))
    }
}

/// Walks over the columns of a file in the order of its schema.
#[derive(Clone, Debug)]
pub struct Columns<'a> {
    file: File<'a>,
    schema: Elements<'a>,
}

impl<'a> Iterator for Columns<'a> {
    type Item = Result<Column<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut column = Column::of(&self.file);
        let read = column.read(self.schema.next()?.start());
        Some(read.map(|()| column).map_err(Error::from))
    }
}

impl<'a> File<'a> {
    /// Walks over the entries of the schema, for [`Column::read`].
    pub(super) fn schema(&self) -> Elements<'a> {
        match self.facts.layout {
            ColumnLayout::Columnar { columns, .. } => self.node(columns).elements(),
            // One entry, for the column without a name.
            ColumnLayout::Single { .. } => Elements::resume(b"0", 0),
        }
    }

    /// Walks over the columns in the order of the schema.
    pub fn columns(&self) -> Columns<'a> {
        Columns { file: *self, schema: self.schema() }
    }

    /// Returns the column of this name. If two have it, the last one counts, as in the reference.
    pub fn column(&self, name: &str) -> Result<Column<'a>> {
        let mut column = Column::of(self);
        self.find(Some(name), &mut column)?;
        Ok(column)
    }

    /// Returns the column of a file that has only one.
    pub fn only_column(&self) -> Result<Column<'a>> {
        let mut column = Column::of(self);
        self.find(None, &mut column)?;
        Ok(column)
    }

    /// Reads the column of this name, or the only one. Returns its position in the JSON.
    #[inline(never)]
    pub(super) fn find(&self, name: Option<&str>, column: &mut Column<'a>) -> Result<usize> {
        let (mut found, mut several) = (None, false);
        for node in self.schema() {
            column.read(node.start())?;
            if name.is_none_or(|name| column.name().is(name)) {
                several = found.replace(node.start()).is_some();
            }
        }
        if several && name.is_none() {
            return Err(Error::new(ErrorKind::CvcPickColumn, 0));
        }
        let node = found.ok_or(Error::new(ErrorKind::CvcNoSuchColumn, 0))?;
        column.read(node)?;
        Ok(node)
    }
}

//! Columns: what the schema says of one, and how a chunk stores it.

use core::ops::Range;

use super::chunk::{ChunkEntry, Cursor};
use super::convert::{Dtype, Encoding};
use super::header::{File, Kind};
use super::object::{Object, Place};
use crate::fault::{Fault, Verdict};
use crate::json::{Elements, Text};
use crate::num::times;
use crate::{Error, ErrorKind, Limits, Result};

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
    place: Option<(u64, u64)>,
    /// The node to blame when the place lies outside of the payload.
    node: usize,
}

impl Slot {
    pub(super) const fn new() -> Self {
        Self { encoding: Encoding::Fp16, values: 0, place: None, node: 0 }
    }

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
            _ => Err(Fault::new(ErrorKind::CvcColumnOutside, self.node)),
        }
    }
}

impl<'a> Column<'a> {
    /// A column of this file of which nothing is known yet.
    pub(super) fn of(file: &File<'a>) -> Self {
        Self { file: *file, ..Self::new() }
    }

    /// A column of no file.
    pub(super) const fn new() -> Self {
        Self { file: File::new(), name: None, dimension: 0, dtype: None, compression: Text::EMPTY }
    }

    /// Reads what the schema says at this position; without a schema, what the file says of its only column.
    #[inline(never)]
    pub(super) fn read(&mut self, node: usize) -> Verdict<()> {
        if let Kind::Single { dimension, compression } = self.file.facts.kind {
            let compression = Place::at(compression);
            let mut object = Object::new(self.file.node(0));
            (self.dimension, self.dtype, self.compression) = (dimension, Some(Dtype::F32), object.text(compression));
            return object.check();
        }
        let mut object = Object::new(self.file.node(node));
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

    /// Checks that every chunk has this column in a form that can be decoded, as far as the header tells, and returns the type
    /// that [`decode_bytes`](Self::decode_bytes) writes: the column's own where every chunk stores it plainly, else f32.
    #[inline(never)]
    pub fn output(&self) -> Result<Dtype> {
        let (mut cursor, mut entry, mut slot) = (Cursor::of(&self.file), ChunkEntry::new(), Slot::new());
        let mut output = None;
        while cursor.next(&self.file, &mut entry)? {
            self.slot(&entry, &mut slot)?;
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
    pub(super) fn slot(&self, chunk: &ChunkEntry, slot: &mut Slot) -> Verdict<()> {
        let mut found = Place::NONE;
        if self.file.is_columnar() {
            let name = self.name();
            let object = chunk.columns.node(&self.file.node(0)).unwrap_or_default();
            for member in object.members().filter(|member| member.key.same(&name)) {
                found = Place::of(&member.value);
            }
        }
        self.slot_at(chunk, found, slot)
    }

    /// Reads how a chunk stores this column; `found` is its object in the chunk.
    pub(super) fn slot_at(&self, chunk: &ChunkEntry, found: Place, slot: &mut Slot) -> Verdict<()> {
        let values = times(chunk.end.saturating_sub(chunk.first), self.dimension);
        slot.values = values.ok_or(chunk.fault(ErrorKind::SizeOverflow))?;
        slot.place = None;
        let (mut node, mut storage) = (self.file.node(chunk.node), chunk.storage);
        let mut size = Place::NONE;
        if self.file.is_columnar() {
            node = found.node(&node).ok_or(chunk.fault(ErrorKind::CvcColumnMissing))?;
        }
        slot.node = node.start();
        let mut object = Object::new(node);
        if self.file.is_columnar() {
            let [offset, len, compression, min, scale] = object.pick(["offset", "size", "compression", "min", "scale"]);
            (size, storage) = (len, [compression, min, scale]);
            slot.place = Some((object.integer(offset), object.integer(size)));
        }
        self.encoding(&mut object, storage, &mut slot.encoding);
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
                None => chunk.refuse(ErrorKind::CvcUnknownDtype, Place::NONE),
            },
            () if name.is("lossless") && !columnar => *encoding = Encoding::Lossless,
            () if name.is("lossless") || name.is("none") => chunk.refuse(ErrorKind::CvcCompressionHere, compression),
            () => chunk.refuse(ErrorKind::CvcUnknownCompression, compression),
        }
    }

    pub(super) fn check_rows(&self, rows: &Range<u64>) -> Result<()> {
        if rows.start > rows.end || rows.end > self.file.num_vectors() {
            return Err(Error::new(ErrorKind::RangeOutside, 0));
        }
        Ok(())
    }

    /// Checks the rows against the file, the limits on output (`width` bytes a value) and the room in the output, where a value
    /// takes `units`. Returns how much of the output will be filled.
    #[inline(never)]
    pub(super) fn fits(
        &self,
        rows: &Range<u64>,
        room: usize,
        [width, units]: [u64; 2],
        limits: &Limits,
    ) -> Result<usize> {
        self.check_rows(rows)?;
        let overflow = Error::new(ErrorKind::SizeOverflow, 0);
        let values = times(rows.end - rows.start, self.dimension).ok_or(overflow)?;
        let size = times(values, width).ok_or(overflow)?;
        if size > self.file.facts.max_output.min(limits.max_output) {
            return Err(Error::new(ErrorKind::OutputLimit, 0).needing(size));
        }
        let need = times(values, units).ok_or(overflow)?;
        match usize::try_from(need) {
            Ok(len) if len <= room => Ok(len),
            _ => Err(Error::new(ErrorKind::OutputTooSmall, 0).needing(need)),
        }
    }
}

/// Walks over the columns of a file in the order of its schema.
#[derive(Clone, Debug)]
pub struct Columns<'a> {
    file: File<'a>,
    schema: Schema<'a>,
}

impl<'a> Columns<'a> {
    pub(super) fn new(file: &File<'a>) -> Self {
        Self { file: *file, schema: Schema::new(file) }
    }
}

impl<'a> Iterator for Columns<'a> {
    type Item = Result<Column<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut column = Column::of(&self.file);
        match column.read(self.schema.next()?) {
            Ok(()) => Some(Ok(column)),
            Err(fault) => Some(Err(fault.into())),
        }
    }
}

/// Walks over the positions of columns in the schema, for [`Column::read`].
#[derive(Clone, Debug)]
pub(super) struct Schema<'a> {
    /// `None` if there is one column without a name.
    nodes: Option<Elements<'a>>,
    done: bool,
}

impl<'a> Schema<'a> {
    pub(super) fn new(file: &File<'a>) -> Self {
        let nodes = match file.facts.kind {
            Kind::Columnar { columns, .. } => Some(file.node(columns).elements()),
            Kind::Single { .. } => None,
        };
        Self { nodes, done: false }
    }
}

impl Iterator for Schema<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        match &mut self.nodes {
            Some(nodes) => nodes.next().map(|node| node.start()),
            None => (!core::mem::replace(&mut self.done, true)).then_some(0),
        }
    }
}

impl<'a> File<'a> {
    /// The columns, in the order of the schema.
    pub fn columns(&self) -> Columns<'a> {
        Columns::new(self)
    }

    /// The column of this name. Where two have the same name, the last counts, as in the reference.
    pub fn column(&self, name: &str) -> Result<Column<'a>> {
        let mut column = Column::of(self);
        self.find(Some(name), &mut column)?;
        Ok(column)
    }

    /// The column of a file that has only one.
    pub fn only_column(&self) -> Result<Column<'a>> {
        let mut column = Column::of(self);
        self.find(None, &mut column)?;
        Ok(column)
    }

    /// Reads the column of this name, or the only one, and returns its position in the schema.
    #[inline(never)]
    pub(super) fn find(&self, name: Option<&str>, column: &mut Column<'a>) -> Result<usize> {
        let (mut found, mut several) = (None, false);
        column.file = *self;
        for node in Schema::new(self) {
            column.read(node)?;
            if name.is_none_or(|name| column.name().is(name)) {
                several = found.replace(node).is_some();
            }
        }
        if several && name.is_none() {
            return Err(Error::new(ErrorKind::CvcPickColumn, 0));
        }
        let node = found.ok_or(Error::new(ErrorKind::CvcNoSuchColumn, 0))?;
        column.read(node)?;
        Ok(node)
    }

    /// Checks what the schema says of every column.
    #[inline(never)]
    pub(super) fn check_columns(&self) -> Verdict<()> {
        let mut column = Column::of(self);
        Schema::new(self).try_for_each(|node| column.read(node))
    }
}

//! All columns, chunk by chunk: to find one by its name takes a walk over the object of the chunk, which is long where there are many.

use super::chunk::Chunk;
use super::column::{Column, Schema, Slot, part};
use super::convert::Dtype;
use super::header::File;
use super::object::Place;
use super::plan::{Extent, Piece, place};
use crate::Result;
use crate::json::{Node, Text};

/// How many columns are found by one walk over the object of a chunk.
const BATCH: usize = 64;

impl<'a> File<'a> {
    /// The type that each column of each chunk decodes to alone, as far as the header tells, with the place of the column in the schema. A column whose chunks
    /// differ decodes to f32; see [`Column::output`], which takes longer for each of many columns than this does for all.
    pub fn each_output(&self, mut tell: impl FnMut(usize, &Column<'a>, Dtype) -> Result<()>) -> Result<()> {
        let (mut chunks, mut chunk) = (self.chunks(), Chunk::default());
        while chunks.read(&mut chunk)? {
            self.each_slot(&chunk, &mut |position, column, slot| tell(position, column, slot.encoding.output()))?;
        }
        Ok(())
    }

    /// The rows of each column in each chunk of a file that is at hand, with the place of the column in the schema: all columns of a chunk, then those of
    /// the next one.
    pub fn each_piece(
        &self,
        bytes: &[u8],
        mut tell: impl FnMut(usize, &Column<'a>, &Piece) -> Result<()>,
    ) -> Result<()> {
        let (mut chunks, mut chunk, mut extent) = (self.chunks(), Chunk::default(), Extent::of(self));
        while chunks.read(&mut chunk)? {
            let mut piece = Piece::NONE;
            (piece.at, piece.has_crc) = (place(self, &chunk, extent.end)?, self.has_checksums());
            let length = part(bytes, piece.length())?.first_chunk();
            piece.payload_len = length.map_or(0, |length| u64::from(u32::from_le_bytes(*length)));
            extent.add(&chunk, piece.range().end, piece.payload_len)?;
            self.each_slot(&chunk, &mut |position, column, slot| {
                piece.slot = *slot;
                piece.read(column, &chunk, slot.payload_len().unwrap_or(piece.payload_len), &column.rows())?;
                tell(position, column, &piece)
            })?;
        }
        Ok(())
    }

    /// Finds every column in a chunk, in the order of the schema.
    pub(super) fn each_slot(
        &self,
        chunk: &Chunk<'a>,
        tell: &mut dyn FnMut(usize, &Column<'a>, &Slot) -> Result<()>,
    ) -> Result<()> {
        let (mut names, mut schema) = (Schema::new(self), Schema::new(self));
        let (mut column, mut slot, mut position) = (Column::of(self), Slot::NONE, 0usize);
        let object = self.is_columnar().then(|| chunk.columns()).flatten();
        loop {
            let mut batch = [(Text::default(), 0, Place::default()); BATCH];
            let mut count = 0usize;
            for (name, hash, _) in &mut batch {
                if !names.read(&mut column)? {
                    break;
                }
                (*name, *hash, count) = (column.name(), column.name().hash(), count.saturating_add(1));
            }
            // Of equal names the last one counts.
            for member in object.iter().flat_map(Node::members) {
                let (key, of_key) = (member.key, member.key.hash());
                let same = |(name, hash, _): &&mut (Text<'_>, u64, Place)| *hash == of_key && key.same(name);
                for (_, _, place) in batch.iter_mut().take(count).filter(same) {
                    *place = Place::of(&member.value);
                }
            }
            for (_, _, place) in batch.iter().take(count) {
                schema.read(&mut column)?;
                column.slot_at(chunk, place.node(&chunk.node), &mut slot)?;
                tell(position, &column, &slot)?;
                position = position.saturating_add(1);
            }
            if count < BATCH {
                return Ok(());
            }
        }
    }
}

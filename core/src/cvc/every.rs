//! All columns, chunk by chunk: to find one by its name takes a walk over the object of the chunk, which is long where there are many.

use super::chunk::{ChunkEntry, Cursor};
use super::column::{Column, Schema, Slot};
use super::convert::Dtype;
use super::header::{File, Kind};
use super::names::NameTable;
use super::object::Place;
use super::options::{OWN, Options, Workspace};
use super::piece::{Piece, part};
use crate::Result;

/// Returns how many words a [`Workspace`] must have so that a walk over all columns of this file takes linear time: 0 for few columns. The head of
/// the file is enough.
pub fn workspace_len(src: &[u8], options: &Options<'_>) -> Result<u64> {
    Ok(File::open(src, &options.limits)?.workspace_len())
}

/// Columns for which the memory on the stack is enough: of a table with two words a slot, a quarter stays vacant.
const FEW: u64 = OWN as u64 * 3 / 8;

impl<'a> File<'a> {
    /// How many words a [`Workspace`] must have so that a walk over all columns takes linear time.
    pub fn workspace_len(&self) -> u64 {
        let columns = self.column_count();
        if columns > FEW { columns.saturating_mul(4) } else { 0 }
    }

    /// The type that each column of each chunk decodes to alone, as far as the header tells, with the position of the column in the schema. A column
    /// whose chunks differ decodes to f32; see [`Column::output`], which takes longer for each of many columns than this does for all.
    pub fn each_output(
        &self,
        workspace: &mut Workspace<'_>,
        mut emit: impl FnMut(usize, &Column<'a>, Dtype) -> Result<()>,
    ) -> Result<()> {
        let (mut cursor, mut chunk) = (Cursor::of(self), ChunkEntry::new());
        while cursor.next(self, &mut chunk)? {
            self.each_slot(&chunk, workspace, &mut |position, column, slot| {
                emit(position, column, slot.encoding.output())
            })?;
        }
        Ok(())
    }

    /// The rows of each column in each chunk of a file that is at hand, with the position of the column in the schema: all columns of a chunk, then those of
    /// the next one.
    pub fn each_piece(
        &self,
        src: &[u8],
        workspace: &mut Workspace<'_>,
        mut emit: impl FnMut(usize, &Column<'a>, &Piece) -> Result<()>,
    ) -> Result<()> {
        let (mut cursor, mut chunk, mut piece) = (Cursor::of(self), ChunkEntry::new(), Piece::new());
        while cursor.next(self, &mut chunk)? {
            piece.open(self, &chunk, cursor.start(self, &chunk)?);
            let length = part(src, piece.length())?.first_chunk();
            let stored = length.map_or(0, |length| u64::from(u32::from_le_bytes(*length)));
            piece.set_len(stored)?;
            cursor.pass(chunk.node, piece.range().end, stored)?;
            self.each_slot(&chunk, workspace, &mut |position, column, slot| {
                piece.slot = *slot;
                piece.select(column, &chunk, &column.rows());
                piece.set_len(slot.payload_len().unwrap_or(stored))?;
                emit(position, column, &piece)
            })?;
        }
        Ok(())
    }

    /// Finds every column in a chunk, in the order of the schema. Each pass over the schema and the chunk's object takes as many columns as the
    /// workspace has room for.
    pub(super) fn each_slot(
        &self,
        chunk: &ChunkEntry,
        workspace: &mut Workspace<'_>,
        emit: &mut dyn FnMut(usize, &Column<'a>, &Slot) -> Result<()>,
    ) -> Result<()> {
        let (mut column, mut slot) = (Column::of(self), Slot::new());
        let Kind::Columnar { columns, .. } = self.facts.kind else {
            column.read(0)?;
            column.slot_at(chunk, Place::NONE, &mut slot)?;
            return emit(0, &column, &slot);
        };
        let mut own = [0; OWN];
        let memory = workspace.table(&mut own);
        let mut ahead = self.node(columns).elements();
        let mut positions = Schema::new(self).enumerate();
        let object = chunk.columns.node(&self.node(0)).unwrap_or_default();
        loop {
            let mut table = NameTable::new(memory, self.head);
            let mut count = 0usize;
            while let Some(node) = ahead.peek() {
                let name = node.member("name").unwrap_or(node);
                if !table.insert(name) {
                    break;
                }
                ahead.next();
                count = count.saturating_add(1);
            }
            for member in object.members() {
                table.set(&member.key, &member.value);
            }
            for (position, node) in positions.by_ref().take(count) {
                column.read(node)?;
                column.slot_at(chunk, table.get(&column.name()), &mut slot)?;
                emit(position, &column, &slot)?;
            }
            if count == 0 || ahead.peek().is_none() {
                return Ok(());
            }
        }
    }
}

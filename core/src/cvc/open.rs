//! Opening a file: reading its head, and checking all that the header says.

use super::chunk::{ChunkEntry, Chunks, Cursor};
use super::describe::describe;
use super::header::{File, Header, Kind};
use super::section::Sections;
use crate::fault::{Fault, Verdict};
use crate::json;
use crate::num::u64_from;
use crate::{Error, ErrorKind, Limits, Result, Trace};

impl<'a> File<'a> {
    /// Parses the head of a file: the whole file, or at least its first [`Header::head_len`] bytes.
    ///
    /// All of the JSON is checked, and the rows of all chunks add up to the number of vectors. Nothing of the data is read.
    pub fn open(src: &'a [u8], limits: &Limits) -> Result<Self> {
        let mut file = Self::new();
        file.read(src, limits, &mut ())?;
        Ok(file)
    }

    /// The same in place: moving a file from call to call would take more code than filling it.
    #[inline(never)]
    pub(super) fn read<T: Trace>(&mut self, src: &'a [u8], limits: &Limits, trace: &mut T) -> Result<()> {
        let header = Header::parse(src, limits, trace)?;
        self.head = src.get(..header.end).ok_or_else(|| Error::truncated(u64_from(src.len()), header.head_len()))?;
        let start = json::check(self.head, header.json..header.end, limits.max_depth)?;
        let root = self.node(start);
        self.facts.read(root, &header)?;
        self.facts.max_output = limits.max_output;
        if let Kind::Columnar { columns, count } = self.facts.kind
            && count > limits.max_columns
        {
            return Err(Error::new(ErrorKind::ElementLimit, u64_from(columns)).needing(count));
        }
        if T::LISTENS {
            describe(root, header.json..header.end, trace);
        }
        self.count_rows(limits.max_elements)?;
        if self.facts.chunk_count > limits.max_elements {
            let error = Error::new(ErrorKind::ElementLimit, u64_from(self.facts.chunks));
            return Err(error.needing(self.facts.chunk_count));
        }
        self.check_columns()?;
        Ok(())
    }

    /// Counts the chunks, up to one more than allowed, and adds up their rows in numbers that cannot wrap.
    #[inline(never)]
    fn count_rows(&mut self, max: u64) -> Verdict<()> {
        let (mut cursor, mut chunk) = (Cursor::of(self), ChunkEntry::new());
        while cursor.next(self, &mut chunk)? {
            self.facts.chunk_count = chunk.index.saturating_add(1);
            if self.facts.chunk_count > max {
                return Ok(());
            }
        }
        if chunk.end != self.facts.num_vectors {
            return Err(Fault::new(ErrorKind::CvcRowsDisagree, self.facts.chunks));
        }
        Ok(())
    }

    /// The chunks as the header describes them, in the order of their rows.
    pub fn chunks(&self) -> Chunks<'a> {
        Chunks::new(self)
    }

    /// The sections that the header lists: named ranges of rows.
    pub fn sections(&self) -> Sections<'a> {
        Sections::new(self.facts.sections.map(|at| self.node(at)), self.facts.num_vectors)
    }
}

//! Counts the latents of each bin.

use super::compact::Compact;
use super::file::Chunk;
use super::meta::Role;
use super::number::Latent;
use super::page::Page;
use super::plan::Plan;
use super::reader::PageReader;
use crate::Result;
use crate::num::u64_from;

impl Chunk<'_> {
    /// Counts the latents of a variable in each of its bins, in the order of
    /// [`Variable::iter`](super::Variable::iter). The weights of the bins are what the writer
    /// expected. Returns the offset of the next chunk, as [`skip`](Self::skip) does.
    ///
    /// `counts` has an entry for each bin, `workspace` has [`workspace_len`](Self::workspace_len)
    /// words for [`Plan::CompactWhole`]. Only symbols are read.
    ///
    /// ```
    /// # use unspool::{Limits, pco::{File, Plan, Role}};
    /// # let bytes = include_bytes!("../../../tests/vectors/pco/assets/v0_0_0_classic.pco");
    /// let file = File::open(bytes, &Limits::DEFAULT)?;
    /// let chunk = file.chunk(file.first(), &mut ())?.unwrap();
    /// let mut workspace = vec![0; chunk.workspace_len(Plan::CompactWhole) as usize];
    /// let mut counts = [0; 2];
    /// chunk.count_bins(Role::Primary, &mut counts, &mut workspace)?;
    /// assert_eq!(counts.iter().sum::<u32>(), 2000);
    /// # Ok::<(), unspool::Error>(())
    /// ```
    pub fn count_bins(&self, role: Role, counts: &mut [u32], workspace: &mut [u64]) -> Result<u64> {
        match self.number_type().bits() {
            64 => self.count_bins_of::<u64>(role, counts, workspace),
            _ => self.count_bins_of::<u32>(role, counts, workspace),
        }
    }

    fn count_bins_of<W: Latent>(&self, role: Role, counts: &mut [u32], workspace: &mut [u64]) -> Result<u64> {
        let page = Page::new(&self.meta, self.len, Plan::CompactWhole);
        let mut reader = Compact::<W>::new::<W>(page);
        reader.open(workspace).map_err(|fault| self.meta.error(fault))?;
        counts.fill(0);
        let read = reader.skip(self.page(), self.len, self.page_at, |of, bin| {
            if let (true, Some(count)) = (of == role, counts.get_mut(bin)) {
                *count = u32::saturating_add(*count, 1);
            }
        });
        let read = read.map_err(|fault| reader.page().error(fault))?;
        Ok(self.page_at.saturating_add(u64_from(read)))
    }
}

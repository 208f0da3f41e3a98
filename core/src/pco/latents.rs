//! Finds the bits of each latent.

use core::ops::Range;

use super::compact::Compact;
use super::file::Chunk;
use super::meta::Role;
use super::number::Latent;
use super::page::Page;
use super::plan::Plan;
use super::reader::PageReader;
use crate::Result;
use crate::num::{index, u64_from};

/// A latent of a page, and its bits in the file. Its value is the lower bound of its bin plus its
/// offset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LatentBits {
    /// The variable.
    pub role: Role,
    /// Index of the first number of the chunk that depends on it.
    pub number: usize,
    /// Index of its bin.
    pub bin: usize,
    /// The bits that are read with its tANS symbol. They choose the bin of the latent four later.
    pub symbol: Range<u64>,
    /// Its offset in the bin.
    pub offset: Range<u64>,
}

impl Chunk<'_> {
    /// Calls `each` with the bits of every latent of the page, batch by batch, and returns the
    /// offset of the next chunk, as [`skip`](Self::skip) does. Latents in the metadata of the page
    /// are not among them: [`inspect`](super::inspect) emits their bits.
    ///
    /// `workspace` has [`workspace_len`](Self::workspace_len) words for [`Plan::CompactWhole`].
    /// Only symbols are read.
    ///
    /// ```
    /// # use unspool::{Limits, pco::{File, Plan}};
    /// # let bytes = include_bytes!("../../../tests/vectors/pco/assets/v0_0_0_classic.pco");
    /// let file = File::open(bytes, &Limits::DEFAULT)?;
    /// let chunk = file.chunk(file.first(), &mut ())?.unwrap();
    /// let mut workspace = vec![0; chunk.workspace_len(Plan::CompactWhole) as usize];
    /// let mut counts = [0; 2];
    /// chunk.each_latent(&mut workspace, &mut |latent| counts[latent.bin] += 1)?;
    /// assert_eq!(counts.iter().sum::<u32>(), 2000);
    /// # Ok::<(), unspool::Error>(())
    /// ```
    pub fn each_latent(&self, workspace: &mut [u64], each: &mut dyn FnMut(&LatentBits)) -> Result<u64> {
        match self.number_type().bits() {
            64 => self.each_latent_of::<u64>(workspace, each),
            _ => self.each_latent_of::<u32>(workspace, each),
        }
    }

    fn each_latent_of<W: Latent>(&self, workspace: &mut [u64], each: &mut dyn FnMut(&LatentBits)) -> Result<u64> {
        let page = Page::new(&self.meta, self.len, Plan::CompactWhole);
        let mut reader = Compact::<W>::new::<W, true>(page);
        reader.open(workspace).map_err(|fault| self.meta.error(fault))?;
        let read = reader.skip(self.page(), self.len, self.page_at, |reader, role, bytes, bit| {
            let &mut Page { meta, n, left, at, .. } = reader.page();
            let in_file = |bits: Range<usize>| {
                let start = at.saturating_mul(8);
                start.saturating_add(u64_from(bits.start))..start.saturating_add(u64_from(bits.end))
            };
            let mut number = n.saturating_sub(left).saturating_add(meta.values_in_metadata(role));
            // A variable without bins has no latents.
            let bins = meta.variable(role).map_or(0, |variable| index(variable.bins.into()));
            reader.latents(role, bytes, bit, |bin, symbol, offset| {
                if bin < bins {
                    each(&LatentBits { role, number, bin, symbol: in_file(symbol), offset: in_file(offset) });
                }
                number = number.saturating_add(1);
            })
        });
        let read = read.map_err(|fault| reader.page().error(fault))?;
        Ok(self.page_at.saturating_add(u64_from(read)))
    }
}

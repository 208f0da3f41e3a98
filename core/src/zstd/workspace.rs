//! The memory of a decoder: tables and offsets that live from block to block.

use super::flavour::Flavour;
use super::tables::FseTableOf;
use crate::entropy::huffman;
use crate::tuning::LEAN;

/// The size of a [`Workspace`] in bytes: at most 20 KiB, with the feature `small` less than 6 KiB.
pub const WORKSPACE_SIZE: usize = size_of::<Workspace>();

const _: () = assert!(WORKSPACE_SIZE <= if cfg!(feature = "small") { 6 << 10 } else { 20 << 10 });

/// The tables of a prepared dictionary, until a block of the frame replaces them. They are copied
/// only when needed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lent<'d> {
    pub(super) code: Option<&'d huffman::Table>,
    /// The three tables of sequences.
    pub(super) tables: Option<&'d Workspace>,
}

/// Lean builds copy the tables at once, and have no code for lent ones.
impl<'d> Lent<'d> {
    pub(super) const fn code(self) -> Option<&'d huffman::Table> {
        if LEAN { None } else { self.code }
    }

    pub(super) const fn tables(self) -> Option<&'d Workspace> {
        if LEAN { None } else { self.tables }
    }
}

/// The tables of a decoder: all memory that it needs besides input and output. Fits in a `static`.
///
/// A workspace can serve any number of files, one after the other; none affects the next. It
/// consists of numbers, so that memory of a C program is one, whatever it holds.
#[derive(Clone, Debug)]
pub struct Workspace {
    pub(super) huffman: huffman::Table,
    pub(super) literals: FseTableOf<512>,
    pub(super) offsets: FseTableOf<256>,
    pub(super) matches: FseTableOf<512>,
    /// 1 if a block may repeat the tables of sequences, else 0. The first block with sequences
    /// makes all three.
    pub(super) ready: u8,
    /// The last three offsets.
    pub(super) history: [u32; 3],
}

impl Workspace {
    /// Returns an empty workspace. It is all zeros, so that a `static` one takes no flash.
    pub const fn new() -> Self {
        Self {
            huffman: huffman::Table::new(),
            literals: FseTableOf::EMPTY,
            offsets: FseTableOf::EMPTY,
            matches: FseTableOf::EMPTY,
            ready: 0,
            history: [0; 3],
        }
    }

    /// Copies the code and the tables that are lent. A function of its own, in which the compiler
    /// knows that they do not overlap the workspace: else it would link `memmove`.
    #[cfg_attr(feature = "small", inline(never))]
    pub(super) fn copy(&mut self, from: &Self) {
        self.huffman = from.huffman;
        self.copy_tables(from);
    }

    /// Copies the tables of sequences.
    pub(super) fn copy_tables(&mut self, from: &Self) {
        self.literals.copy(&from.literals);
        self.offsets.copy(&from.offsets);
        self.matches.copy(&from.matches);
    }

    /// Prepares for a frame whose dictionary is missing: blocks may repeat tables, whatever is in
    /// them.
    pub(super) fn pretend(&mut self, flavour: Flavour) {
        self.ready = 1;
        // Two symbols of one bit each, which is a code in all formats.
        let read = self.huffman.read(&[128, 0x10], 0, flavour.tree());
        debug_assert!(read.is_some());
    }

    /// Forgets everything, as at the start of a frame.
    pub(super) fn reset(&mut self) {
        self.huffman.forget();
        self.ready = 0;
        self.history = [1, 4, 8];
    }
}

impl Default for Workspace {
    fn default() -> Self {
        Self::new()
    }
}

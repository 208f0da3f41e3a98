//! The observer that the inspector listens with.
//!
//! Decoding and inspecting run the same code: every parser takes a `&mut impl Trace` and tells it the name, the bits
//! and the value of each field that it reads. `()` hears nothing and compiles to nothing.

use crate::Name;
use core::ops::Range;

/// What a stretch of a file is for. The inspector colours bytes by it, and adds them up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Part {
    /// Magic numbers, version words, lengths, offsets: what holds the file together.
    Framing,
    /// Descriptions of the data: sizes, types, modes, schemas.
    Header,
    /// Dictionaries, code lengths, bins, weights: what decoding needs to know first.
    Table,
    /// Bytes or numbers that stand in the file nearly as they are.
    Data,
    /// Entropy-coded literals.
    Literals,
    /// Entropy-coded sequences or matches.
    Sequences,
    /// Entropy-coded symbols of another kind: tANS states, range-coded bits, dictionary codes.
    Symbols,
    /// Plain bits that refine an entropy-coded symbol.
    Offsets,
    /// CRCs and hashes.
    Checksum,
    /// Bits that mean nothing: padding, gaps, what trails behind the end.
    Padding,
}

impl Part {
    /// Every part, for legends and tables.
    pub const ALL: &'static [Part] = {
        use Part::*;
        &[Framing, Header, Table, Data, Literals, Sequences, Symbols, Offsets, Checksum, Padding]
    };

    /// One lower-case word.
    pub const fn name(self) -> &'static str {
        match self {
            Part::Framing => "framing",
            Part::Header => "header",
            Part::Table => "table",
            Part::Data => "data",
            Part::Literals => "literals",
            Part::Sequences => "sequences",
            Part::Symbols => "symbols",
            Part::Offsets => "offsets",
            Part::Checksum => "checksum",
            Part::Padding => "padding",
        }
    }
}

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value<'a> {
    /// Nothing that fits in a line: the bits speak for themselves.
    None,
    /// An unsigned number, also an index.
    U64(u64),
    /// A signed number.
    I64(i64),
    /// A real number.
    F64(f64),
    /// A word that the format defines: a mode, a type, a verdict.
    Word(&'static str),
    /// Text out of the file, already checked to be UTF-8.
    Text(&'a str),
    /// A checksum, a magic number or flags, best shown in hexadecimal.
    Hex(u64),
    /// Bytes out of the file.
    Bytes(&'a [u8]),
}

/// Hears what a parser reads, while it reads it.
///
/// Groups nest: whatever comes between [`enter`](Trace::enter) and [`leave`](Trace::leave) belongs to the group, whose range
/// is that of its leaves. **Leaves tile a valid file**: each bit belongs to exactly one of them, in any order. After an
/// error the groups that are still open stay so; what was heard until then is true.
pub trait Trace {
    /// Whether anybody listens. A parser may skip work that only serves the trace where this is `false`.
    const LISTENS: bool = true;

    /// Whether also single symbols are heard, each a leaf of its own with its bits: the literals of a Huffman stream, the states and
    /// sequences of Zstandard. They may be a hundred times as many as all other leaves. See [`Symbols`].
    const SYMBOLS: bool = false;

    /// The same of this one: an observer that was told to be silent spares a parser as much time as none at all, in a program that has
    /// room for one copy of each parser only.
    fn listens(&self) -> bool {
        Self::LISTENS
    }

    /// The same for single symbols: whether this one wants them that could.
    fn symbols(&self) -> bool {
        Self::SYMBOLS
    }

    /// A group starts. The value tells it from its siblings: an index or a name.
    fn enter(&mut self, name: Name, value: Value<'_>);

    /// A field: these bits of the input, counted from its first byte, least significant bit first.
    fn leaf(&mut self, part: Part, name: Name, bits: Range<u64>, value: Value<'_>);

    /// The innermost open group ends.
    fn leave(&mut self);

    /// A field of whole bytes.
    fn bytes(&mut self, part: Part, name: Name, bytes: Range<u64>, value: Value<'_>) {
        self.leaf(part, name, bytes.start.saturating_mul(8)..bytes.end.saturating_mul(8), value);
    }
}

/// Nobody listens.
impl Trace for () {
    const LISTENS: bool = false;
    #[inline(always)]
    fn enter(&mut self, _: Name, _: Value<'_>) {}
    #[inline(always)]
    fn leaf(&mut self, _: Part, _: Name, _: Range<u64>, _: Value<'_>) {}
    #[inline(always)]
    fn leave(&mut self) {}
}

impl<T: Trace> Trace for &mut T {
    const LISTENS: bool = T::LISTENS;
    const SYMBOLS: bool = T::SYMBOLS;
    fn listens(&self) -> bool {
        T::listens(self)
    }
    fn symbols(&self) -> bool {
        T::symbols(self)
    }
    fn enter(&mut self, name: Name, value: Value<'_>) {
        T::enter(self, name, value);
    }
    fn leaf(&mut self, part: Part, name: Name, bits: Range<u64>, value: Value<'_>) {
        T::leaf(self, part, name, bits, value);
    }
    fn leave(&mut self) {
        T::leave(self);
    }
}

/// Makes an observer hear single symbols, where a format tells them.
///
/// What does not ask for them pays nothing: the code that tells them is in a program only if it makes one of these.
///
/// ```
/// # #[cfg(all(feature = "zstd", feature = "alloc"))]
/// # fn main() -> unspool::Result<()> {
/// use unspool::tree::Tree;
/// use unspool::{Limits, Symbols, zstd};
/// # let file = b"\x28\xB5\x2F\xFD\0\x38\x85\0\0\x40abcdefgh\x02\0\xA0\xC0\xD3\x8E\x08";
/// let mut tree = Symbols(Tree::new(1000));
/// zstd::inspect(file, &mut zstd::Workspace::new(), &zstd::Options::DEFAULT, &mut tree)?;
/// let sequences = tree.0.nodes().iter().filter(|node| node.name == unspool::Name::Sequence);
/// assert_eq!(sequences.count(), 2);
/// # Ok(())
/// # }
/// # #[cfg(not(all(feature = "zstd", feature = "alloc")))]
/// # fn main() {}
/// ```
#[derive(Clone, Debug, Default)]
pub struct Symbols<T>(
    /// Who hears them.
    pub T,
);

impl<T: Trace> Trace for Symbols<T> {
    const LISTENS: bool = T::LISTENS;
    const SYMBOLS: bool = T::LISTENS;
    fn listens(&self) -> bool {
        self.0.listens()
    }
    fn enter(&mut self, name: Name, value: Value<'_>) {
        self.0.enter(name, value);
    }
    fn leaf(&mut self, part: Part, name: Name, bits: Range<u64>, value: Value<'_>) {
        self.0.leaf(part, name, bits, value);
    }
    fn leave(&mut self) {
        self.0.leave();
    }
}

/// What an observer hears, behind a pointer.
trait Hears {
    fn enter(&mut self, name: Name, value: Value<'_>);
    fn leaf(&mut self, part: Part, name: Name, bits: Range<u64>, value: Value<'_>);
    fn leave(&mut self);
}

impl<T: Trace> Hears for T {
    fn enter(&mut self, name: Name, value: Value<'_>) {
        Trace::enter(self, name, value);
    }
    fn leaf(&mut self, part: Part, name: Name, bits: Range<u64>, value: Value<'_>) {
        Trace::leaf(self, part, name, bits, value);
    }
    fn leave(&mut self) {
        Trace::leave(self);
    }
}

/// Hears about a part of a file as if it lay at its start.
///
/// It is one type whoever listens, so that a program holds one copy of the parsers that tell it, also for files that are not part of
/// another.
pub struct Shifted<'t> {
    to: &'t mut dyn Hears,
    bits: u64,
    listens: bool,
    symbols: bool,
}

impl<'t> Shifted<'t> {
    /// Tells `to` about a part that starts at this bit.
    pub fn new(to: &'t mut impl Trace, bits: u64) -> Self {
        Self { listens: Trace::listens(to), to, bits, symbols: false }
    }

    /// The same, also about single symbols.
    pub fn with_symbols(to: &'t mut impl Trace, bits: u64) -> Self {
        Self { symbols: true, ..Self::new(to, bits) }
    }
}

impl core::fmt::Debug for Shifted<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Shifted").field("bits", &self.bits).finish_non_exhaustive()
    }
}

impl Trace for Shifted<'_> {
    const SYMBOLS: bool = true;

    fn listens(&self) -> bool {
        self.listens
    }

    fn symbols(&self) -> bool {
        self.symbols
    }

    fn enter(&mut self, name: Name, value: Value<'_>) {
        self.to.enter(name, value);
    }

    fn leaf(&mut self, part: Part, name: Name, bits: Range<u64>, value: Value<'_>) {
        let shift = |bit: u64| bit.saturating_add(self.bits);
        self.to.leaf(part, name, shift(bits.start)..shift(bits.end), value);
    }

    fn leave(&mut self) {
        self.to.leave();
    }
}

//! The observer of a parser, for inspectors.
//!
//! Decoding and inspecting run the same code: every parser takes a `&mut impl Trace` and emits the
//! name, the bits and the value of each field that it reads. `()` ignores them and compiles to
//! nothing.

use crate::Name;
use core::ops::Range;

/// The purpose of a part of a file. The inspector colours bytes by it, and adds them up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Part {
    /// The frame of the file: magic numbers, version words, lengths, offsets.
    Framing,
    /// Descriptions of the data: sizes, types, modes, schemas.
    Header,
    /// Tables that decoding needs first: dictionaries, code lengths, bins, weights.
    Table,
    /// Bytes or numbers that are stored nearly as they are.
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
    /// Bits that mean nothing: padding, gaps, trailing bytes.
    Padding,
}

impl Part {
    /// Every part, for legends and tables.
    pub const ALL: &'static [Part] = {
        use Part::*;
        &[Framing, Header, Table, Data, Literals, Sequences, Symbols, Offsets, Checksum, Padding]
    };

    /// Returns one lower-case word.
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

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value<'a> {
    /// No value that fits in a line.
    None,
    /// An unsigned number, also an index.
    U64(u64),
    /// A signed number.
    I64(i64),
    /// A real number.
    F64(f64),
    /// A word that the format defines: a mode, a type, a verdict.
    Word(&'static str),
    /// Text of the file, already checked to be UTF-8.
    Text(&'a str),
    /// A checksum, a magic number or flags, best shown in hexadecimal.
    Hex(u64),
    /// Bytes of the file.
    Bytes(&'a [u8]),
}

/// Receives the fields that a parser reads, while it reads them.
///
/// Groups nest: every field between [`enter`](Trace::enter) and [`leave`](Trace::leave) belongs to
/// the group, whose range is that of its leaves. **Leaves tile the file**: each bit belongs to
/// exactly one of them, in any order. After an error, they tile it from its first bit to another
/// one, and the rest was not read. Open groups stay open, and the fields emitted so far are true.
pub trait Trace {
    /// `false` if fields are ignored. A parser may then skip work that only serves the trace.
    const LISTENS: bool = true;

    /// `true` if single symbols are wanted, each as a leaf with its bits: the literals of a Huffman
    /// stream, the states and sequences of Zstandard. There may be a hundred times as many as other
    /// leaves. See [`Symbols`].
    const SYMBOLS: bool = false;

    /// Runtime counterpart of `LISTENS`: `false` makes tracing as cheap as `()`, in a program that
    /// has room for one copy of each parser only.
    fn listens(&self) -> bool {
        Self::LISTENS
    }

    /// Runtime counterpart of `SYMBOLS`.
    fn symbols(&self) -> bool {
        Self::SYMBOLS
    }

    /// A group starts. The value distinguishes it from its siblings: an index or a name.
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

/// Ignores all fields.
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

/// Makes an observer receive single symbols, where a format emits them.
///
/// Other observers pay nothing: a program contains the code that emits symbols only if it makes one
/// of these.
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
    /// The observer.
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

/// The methods of an observer that can be called through a pointer.
trait Hears {
    fn symbols(&self) -> bool;
    fn enter(&mut self, name: Name, value: Value<'_>);
    fn leaf(&mut self, part: Part, name: Name, bits: Range<u64>, value: Value<'_>);
    fn leave(&mut self);
}

impl<T: Trace> Hears for T {
    fn symbols(&self) -> bool {
        Trace::symbols(self)
    }
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

/// Emits the fields of an embedded file as parts of the file that contains it.
///
/// It is one type for all observers, so that a program holds one copy of each parser, even for
/// files that are not embedded.
pub struct Shifted<'t> {
    to: &'t mut dyn Hears,
    bits: u64,
    listens: bool,
    symbols: bool,
}

impl<'t> Shifted<'t> {
    /// Passes fields on to `to`. The embedded file starts at this bit.
    pub fn new(to: &'t mut impl Trace, bits: u64) -> Self {
        Self { listens: Trace::listens(to), to, bits, symbols: false }
    }

    /// Does the same, and asks for single symbols while `to` does.
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
        self.symbols && self.to.symbols()
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

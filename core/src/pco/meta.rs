//! Chunk metadata: how the numbers of a chunk were split into latents.

use super::fields::FieldReader;
use super::number::{Latent, NumberType, Order};
use crate::bits::{BitReader, mask, number, width};
use crate::fault::{Fault, Verdict};
use crate::num::{index, u64_from};
use crate::{Error, ErrorKind, Limits, Name, Part, Result, Trace, Value};

/// Numbers in a batch. Only the last batch of a page has fewer.
pub(crate) const BATCH: usize = 256;

/// The way to join one or two latents into a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode<'a> {
    /// The latent is the number.
    Classic,
    /// `primary * base + secondary`.
    IntMult {
        /// The common factor that the writer found.
        base: u64,
    },
    /// `primary * base`, and `secondary` steps to the next float from there.
    FloatMult {
        /// The raw bits of a float of the chunk's type.
        base: u64,
    },
    /// The float's high bits, then its `bits` lowest.
    FloatQuant {
        /// The mantissa bits in the secondary latent.
        bits: u32,
    },
    /// `entries[primary]`.
    Dict {
        /// The entries as in the file: little-endian latents of the number's width.
        entries: &'a [u8],
    },
}

impl Mode<'_> {
    /// By their codes in a file.
    const NAMES: [&'static str; 5] = ["classic", "int mult", "float mult", "float quant", "dict"];

    /// The name, as the trace shows it.
    pub const fn name(&self) -> &'static str {
        match self {
            Mode::Classic => Self::NAMES[0],
            Mode::IntMult { .. } => Self::NAMES[1],
            Mode::FloatMult { .. } => Self::NAMES[2],
            Mode::FloatQuant { .. } => Self::NAMES[3],
            Mode::Dict { .. } => Self::NAMES[4],
        }
    }
}

/// The way to compute each latent from those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delta<'a> {
    /// It is not: latents are stored as they are.
    None,
    /// Differences of differences.
    Consecutive {
        /// The number of times that differences were taken, 1 to 7.
        order: u32,
        /// The secondary latents are deltas too.
        secondary: bool,
    },
    /// The difference to a latent further back. A variable of its own says how far.
    Lookback {
        /// The logarithm of the farthest lookback, 1 to 24.
        window_log: u32,
        /// The logarithm of the number of latents that a page starts with.
        state_log: u32,
        /// The secondary latents are deltas too.
        secondary: bool,
    },
    /// The difference to a weighted sum of the latents before.
    Conv1(Convolution<'a>),
}

/// The prediction of [`Delta::Conv1`]: `max(0, bias + sum of weight * latent) >> shift`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Convolution<'a> {
    /// The shift.
    pub shift: u32,
    /// The bias.
    pub bias: i64,
    order: usize,
    /// The chunk's metadata, which holds the weights.
    bytes: &'a [u8],
    first: u64,
}

/// The most weights of a [`Convolution`].
pub const MAX_ORDER: usize = 32;

impl<'a> Convolution<'a> {
    /// Returns one weight for each of the latents before, the oldest first.
    pub fn weights(&self) -> impl ExactSizeIterator<Item = i32> + use<'a> {
        let mut bits = BitReader::at_bit(self.bytes, self.first);
        // Reading the metadata has checked that all of them are in it.
        (0..self.order).map(move |_| weight(bits.take(32).unwrap_or(0)))
    }

    /// The number of weights.
    pub(crate) const fn order(&self) -> usize {
        self.order
    }
}

/// Converts a weight from its stored form, in which the middle of the range is 0.
fn weight(bits: u64) -> i32 {
    (u32::low(bits) ^ 1 << 31).cast_signed()
}

impl Delta<'_> {
    /// By their codes in a file.
    const NAMES: [&'static str; 4] = ["none", "consecutive", "lookback", "convolution"];

    /// The name, as the trace shows it.
    pub const fn name(&self) -> &'static str {
        match self {
            Delta::None => Self::NAMES[0],
            Delta::Consecutive { .. } => Self::NAMES[1],
            Delta::Lookback { .. } => Self::NAMES[2],
            Delta::Conv1(_) => Self::NAMES[3],
        }
    }

    /// The latents of a delta-encoded variable that a page's metadata holds.
    pub fn state_len(&self) -> usize {
        match *self {
            Delta::None => 0,
            Delta::Consecutive { order, .. } => index(u64::from(order)),
            Delta::Lookback { state_log, .. } => 1 << (state_log & 31),
            Delta::Conv1(convolution) => convolution.order,
        }
    }

    /// `true` if the secondary latents are deltas too.
    pub const fn covers_secondary(&self) -> bool {
        matches!(self, Delta::Consecutive { secondary: true, .. } | Delta::Lookback { secondary: true, .. })
    }

    /// The farthest lookback.
    pub(crate) fn window(&self) -> u32 {
        match *self {
            Delta::Lookback { window_log, .. } => 1 << (window_log & 31),
            _ => 0,
        }
    }
}

/// The role of a latent variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Distance that each latent looks back.
    Lookback,
    /// The larger part of each number.
    Primary,
    /// The rest of it.
    Secondary,
}

impl Role {
    /// The name, as the trace shows it.
    pub const fn name(self) -> &'static str {
        match self {
            Role::Lookback => "lookback",
            Role::Primary => "primary",
            Role::Secondary => "secondary",
        }
    }

    /// Returns the one of three that belongs to this role.
    pub(crate) const fn of<T>(self, [lookback, primary, secondary]: &mut [T; 3]) -> &mut T {
        match self {
            Role::Lookback => lookback,
            Role::Primary => primary,
            Role::Secondary => secondary,
        }
    }
}

/// One latent variable, with its bins as they are in the chunk's metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable<'a> {
    /// Its role.
    pub role: Role,
    /// Width of its latents in bits.
    pub width: u32,
    /// The logarithm of the size of its tANS table, 0 to 14.
    pub table_log: u32,
    /// The number of its bins.
    pub bins: u32,
    bytes: &'a [u8],
    first: u64,
}

/// A range of latents that share a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bin {
    /// The entries of the tANS table that stand for this bin.
    pub weight: u32,
    /// The least latent.
    pub lower: u64,
    /// The bits of the offset that is added to it. More than the width in a corrupt file.
    pub offset_bits: u32,
}

impl<'a> Variable<'a> {
    /// Bits of the field that holds a bin's number of offset bits.
    const fn offset_field(&self) -> u32 {
        width(self.width)
    }

    fn bin_bits(&self) -> u64 {
        u64::from(self.table_log + self.width + self.offset_field())
    }

    /// Returns the bins in the order of the file. They are checked when tables are built.
    pub fn iter(&self) -> impl Iterator<Item = Bin> + use<'a> {
        let mut bits = BitReader::at_bit(self.bytes, self.first);
        let (log, width, field) = (self.table_log, self.width, self.offset_field());
        // Reading the metadata has checked that all of them are in it.
        let mut take = move |n| bits.take(n).unwrap_or(0);
        (0..self.bins).map(move |_| Bin {
            weight: u32::low(take(log)) + 1,
            lower: take(width),
            offset_bits: u32::low(take(field)),
        })
    }

    /// Finds the first bin with more offset bits than a latent has, among those in the input.
    #[cold]
    fn too_wide(&self) -> Option<Fault> {
        let mut bits = BitReader::at_bit(self.bytes, self.first);
        let before = u64::from(self.table_log + self.width);
        for i in 0..self.bins {
            bits.skip(before).ok()?;
            if bits.take(self.offset_field()).ok()? > u64::from(self.width) {
                return Some(Fault::new(ErrorKind::PcoOffsetBits, self.at(i)));
            }
        }
        None
    }

    /// Returns the byte of the metadata where bin `i` starts.
    pub(crate) fn at(&self, i: u32) -> usize {
        index((self.first + self.bin_bits() * u64::from(i)) / 8)
    }
}

/// The metadata of a chunk: all that reading its pages takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meta<'a> {
    /// The type of the numbers.
    pub number_type: NumberType,
    /// The way to join latents into numbers.
    pub mode: Mode<'a>,
    /// The way to compute latents from those before them.
    pub delta: Delta<'a>,
    /// The latent variables, by role: lookbacks, the primary one, the secondary one.
    pub variables: [Option<Variable<'a>>; 3],
    /// Offset of the metadata in the input.
    at: u64,
}

impl Default for Meta<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'a> Meta<'a> {
    /// The metadata of no chunk, to be [read](Self::read) in place: metadata is large for a small
    /// stack.
    pub const fn new() -> Self {
        Self { number_type: NumberType::U32, mode: Mode::Classic, delta: Delta::None, variables: [None; 3], at: 0 }
    }

    /// Reads the metadata of a chunk whose number type and format version are known. Returns the
    /// bytes it took.
    ///
    /// Bins are skipped, not read: building tables checks them. `at` is the offset of `src` in the
    /// caller's input, for errors.
    pub fn read(
        &mut self,
        src: &'a [u8],
        number_type: NumberType,
        major: u8,
        at: u64,
        limits: &Limits,
        trace: &mut impl Trace,
    ) -> Result<usize> {
        trace.enter(Name::ChunkMetadata, Value::None);
        // Field by field, because a whole one would be built on the stack first.
        (self.number_type, self.mode, self.delta, self.at) = (number_type, Mode::Classic, Delta::None, at);
        self.variables.fill(None);
        let fields = FieldReader::new(src, at, trace);
        let mut reader = MetaReader { fields, bytes: src, number_type, major, limits };
        let len = match reader.meta(self) {
            Ok(len) => len,
            Err(fault) => return Err(reader.fields.error(fault)),
        };
        trace.leave();
        Ok(len)
    }

    /// Checks that a variable without bins has no values in a page of `n` numbers.
    pub(crate) fn check_bins(&self, n: usize) -> Verdict<()> {
        match n > self.delta.state_len() && self.variables.iter().flatten().any(|variable| variable.bins == 0) {
            true => Err(Fault::new(ErrorKind::PcoNoBins, 0)),
            false => Ok(()),
        }
    }

    /// Prefers a corrupt bin among those present to `Truncated`: a caller that waits for more input
    /// would wait for nothing.
    #[cold]
    #[inline(never)]
    fn cause(&self, fault: Fault) -> Fault {
        let too_wide = || self.variables.iter().flatten().find_map(Variable::too_wide);
        if fault.kind == ErrorKind::Truncated { too_wide().unwrap_or(fault) } else { fault }
    }

    /// Turns a fault of the bins into an error. A workspace that is too small has no place.
    #[cold]
    pub(crate) fn error(&self, fault: Fault) -> Error {
        match fault.kind {
            ErrorKind::WorkspaceTooSmall => fault.into(),
            _ => fault.error(self.at, 0),
        }
    }

    /// Returns how many values of a variable the next batch holds if the page has `left` numbers
    /// left.
    pub(crate) fn values(&self, role: Role, left: usize) -> usize {
        left.saturating_sub(self.values_in_metadata(role)).min(BATCH)
    }

    /// Returns how many values of a variable the metadata of a page holds.
    pub(crate) fn values_in_metadata(&self, role: Role) -> usize {
        let plain = match role {
            Role::Lookback => false,
            Role::Primary => matches!(self.delta, Delta::None),
            Role::Secondary => !self.delta.covers_secondary(),
        };
        if plain { 0 } else { self.delta.state_len() }
    }

    /// Returns the variable of this role, if the chunk has it.
    pub fn variable(&self, role: Role) -> Option<&Variable<'a>> {
        self.variables.iter().flatten().find(|variable| variable.role == role)
    }

    /// Checks that numbers of the width of `L` are as wide as those of the chunk.
    pub(crate) fn check_width<L: Latent>(&self) -> Verdict<()> {
        match self.number_type.bits() == L::BITS {
            true => Ok(()),
            false => Err(Fault::new(ErrorKind::WrongType, 0)),
        }
    }

    /// `true` if primary latents are indexes of a dictionary.
    pub(crate) const fn has_dict(&self) -> bool {
        matches!(self.mode, Mode::Dict { .. })
    }
}

/// Reads the parts of chunk metadata, each to its place. Faults are kept by the fields and checked
/// at the end.
struct MetaReader<'a, 'f, T> {
    fields: FieldReader<'f, T>,
    bytes: &'a [u8],
    number_type: NumberType,
    major: u8,
    limits: &'f Limits,
}

impl<'a, T: Trace> MetaReader<'a, '_, T> {
    #[inline(never)]
    fn meta(&mut self, meta: &mut Meta<'a>) -> Verdict<usize> {
        self.mode(&mut meta.mode);
        let own = self.number_type.bits();
        let primary = if matches!(meta.mode, Mode::Dict { .. }) { 32 } else { own };
        let two = !matches!(meta.mode, Mode::Classic | Mode::Dict { .. });
        self.delta(&mut meta.delta, primary, two);
        let [lookback, first, second] = &mut meta.variables;
        if matches!(meta.delta, Delta::Lookback { .. }) {
            self.variable(lookback, Role::Lookback, 32);
        }
        self.variable(first, Role::Primary, primary);
        if two {
            self.variable(second, Role::Secondary, own);
        }
        self.fields.pad();
        let len = self.fields.position() / 8;
        if len > self.limits.max_header {
            self.fields.exceed(ErrorKind::HeaderLimit, 0, len);
        }
        match self.fields.check() {
            Ok(()) => Ok(index(len)),
            Err(fault) => Err(meta.cause(fault)),
        }
    }

    fn mode(&mut self, mode: &mut Mode<'a>) {
        let (start, ty) = (self.fields.position(), self.number_type);
        let float = ty.order() == Order::Float;
        let code = self.fields.choice(Name::Mode, 4, &Mode::NAMES, ErrorKind::PcoMode);
        // Mode 1 of version 0 was another one, which was never released.
        let here = match code {
            1 => !float && self.major > 0,
            2 | 3 => float,
            _ => true,
        };
        if !here {
            self.fields.refuse(ErrorKind::PcoModeHere, start);
        }
        match code {
            1 => {
                let base = self.fields.take_as(Part::Header, Name::Base, ty.bits(), |base| match base {
                    0 => Err(ErrorKind::PcoModeValue),
                    _ => Ok(Value::U64(base)),
                });
                *mode = Mode::IntMult { base };
            }
            2 => {
                let mut base = 0;
                self.fields.take_as(Part::Header, Name::Base, ty.bits(), |latent| {
                    base = float_bits(latent, ty);
                    let magnitude = base & mask(ty.bits() - 1);
                    let infinity = mask(ty.bits() - 1 - ty.mantissa_bits()) << ty.mantissa_bits();
                    match magnitude == 0 || magnitude >= infinity {
                        true => Err(ErrorKind::PcoModeValue),
                        false => Ok(show_float(base, ty)),
                    }
                });
                *mode = Mode::FloatMult { base };
            }
            3 => {
                let bits = self.fields.take_as(Part::Header, Name::Bits, 8, |bits| match bits {
                    bits if bits == 0 || bits > u64::from(ty.mantissa_bits()) => Err(ErrorKind::PcoModeValue),
                    _ => Ok(Value::U64(bits)),
                });
                *mode = Mode::FloatQuant { bits: u32::low(bits) };
            }
            4 => *mode = Mode::Dict { entries: self.dict() },
            _ => {}
        }
    }

    fn dict(&mut self) -> &'a [u8] {
        let at = self.fields.position();
        let len = self.fields.take(Part::Header, Name::Entries, 25);
        let size = self.number_type.size();
        let bytes = len * u64_from(size);
        // A corrupt length often shows in the padding, which is checked before the length counts as
        // too large.
        self.fields.pad();
        if len > self.limits.max_elements {
            self.fields.exceed(ErrorKind::ElementLimit, at, len);
        }
        if bytes > self.limits.max_header {
            self.fields.exceed(ErrorKind::HeaderLimit, at, bytes);
        }
        let start = index(self.fields.position() / 8);
        if self.fields.require(bytes * 8).is_err() {
            return &[];
        }
        // 4 bits of mode, 25 of length and 3 of padding: entries start at a byte, and are read
        // where they are.
        let rest = self.bytes.get(start..).unwrap_or(&[]);
        let entries = rest.get(..index(bytes)).unwrap_or(&[]);
        if self.fields.trace.listens() {
            for entry in entries.chunks_exact(size.max(1)) {
                let value = show_latent(number(entry), self.number_type);
                self.fields.span(Part::Table, Name::Entry, u64_from(size) * 8, value);
            }
        } else {
            self.fields.skip(bytes * 8);
        }
        entries
    }

    /// With `two` variables the secondary one is as wide as the primary one.
    fn delta(&mut self, delta: &mut Delta<'a>, primary_width: u32, two: bool) {
        let (fields, limits) = (&mut self.fields, self.limits);
        if self.major < 3 {
            let order = fields.small(Part::Header, Name::DeltaOrder, 3);
            if order > 0 {
                *delta = Delta::Consecutive { order, secondary: false };
            }
            return;
        }
        let at = fields.position();
        let code = fields.choice(Name::Delta, 4, &Delta::NAMES, ErrorKind::PcoDelta);
        match code {
            1 => {
                let order = fields.take_as(Part::Header, Name::Order, 3, |order| match order {
                    0 => Err(ErrorKind::PcoDeltaOrder),
                    _ => Ok(Value::U64(order)),
                });
                let secondary = fields.take(Part::Header, Name::SecondaryToo, 1) == 1;
                *delta = Delta::Consecutive { order: u32::low(order), secondary };
            }
            2 => {
                let window_log = fields.small(Part::Header, Name::LogOfWindowLess1, 5) + 1;
                let state_log = fields.small(Part::Header, Name::LogOfState, 4);
                let secondary = fields.take(Part::Header, Name::SecondaryToo, 1) == 1;
                if window_log > 24 || state_log > window_log {
                    fields.refuse(ErrorKind::PcoWindow, at);
                }
                // Each variable that looks back has a window of its own.
                let history = u64::from(primary_width / 8) << (window_log + u32::from(two && secondary));
                if history > limits.max_window {
                    fields.exceed(ErrorKind::WindowLimit, at, history);
                }
                *delta = Delta::Lookback { window_log, state_log, secondary };
            }
            3 => {
                let shift = fields.small(Part::Header, Name::Shift, 5);
                let bias =
                    fields.take_as(Part::Header, Name::Bias, 64, |bias| Ok(Value::I64((bias ^ 1 << 63).cast_signed())));
                let bias = (bias ^ 1 << 63).cast_signed();
                let order = fields.small(Part::Header, Name::OrderLess1, 5) + 1;
                let order = index(u64::from(order)).min(MAX_ORDER);
                let first = fields.position();
                for _ in 0..order {
                    fields.take_as(Part::Table, Name::Weight, 32, |bits| Ok(Value::I64(i64::from(weight(bits)))));
                }
                let convolution = Convolution { shift, bias, order, bytes: self.bytes, first };
                if !fields.failed() && !convolution.fits(primary_width) {
                    fields.refuse(ErrorKind::PcoConvolution, at);
                }
                *delta = Delta::Conv1(convolution);
            }
            _ => {}
        }
    }

    #[inline(never)]
    fn variable(&mut self, to: &mut Option<Variable<'a>>, role: Role, width: u32) {
        if self.fields.failed() {
            return;
        }
        self.fields.trace.enter(Name::Variable, Value::Word(role.name()));
        let at = self.fields.position();
        let table_log = self.fields.small(Part::Table, Name::LogOfTableSize, 4);
        let bins = self.fields.small(Part::Table, Name::Bins, 15);
        let first = self.fields.position();
        if u64::from(bins) > self.limits.max_elements {
            self.fields.exceed(ErrorKind::ElementLimit, at, u64::from(bins));
        }
        if bins > 1 << table_log {
            self.fields.refuse(ErrorKind::PcoBinCount, at);
        }
        if table_log > 14 || bins == 1 && table_log > 0 {
            self.fields.refuse(ErrorKind::PcoTableSize, at);
        }
        let variable = Variable { role, width, table_log, bins, bytes: self.bytes, first };
        let bits = variable.bin_bits() * u64::from(bins);
        if self.fields.trace.listens() && self.fields.require(bits).is_ok() {
            for i in 0..bins {
                self.fields.trace.enter(Name::Bin, Value::U64(u64::from(i)));
                self.fields.take(Part::Table, Name::WeightLess1, table_log);
                self.fields.take(Part::Table, Name::Lower, width);
                self.fields.take(Part::Table, Name::OffsetBits, variable.offset_field());
                self.fields.trace.leave();
            }
        } else {
            self.fields.skip(bits);
        }
        if !self.fields.failed() {
            self.fields.trace.leave();
        }
        *to = Some(variable);
    }
}

impl Convolution<'_> {
    /// `true` if no sum of these weights can overflow twice the width of a latent.
    fn fits(&self, width: u32) -> bool {
        if width > 32 || self.shift > (2 * width - 1).min(31) {
            return false;
        }
        let sum: u64 = self.weights().map(|weight| u64::from(weight.unsigned_abs())).sum();
        // The reference adds in f64, where all numbers within 512 of 2^63 become 2^63.
        let bound = if width == 32 { (1 << 63) - 512 } else { 1 << (2 * width - 1) };
        let bias = rounded(self.bias.unsigned_abs());
        sum < 1 << (width - 1) && (sum << width).checked_add(bias).is_some_and(|all| all < bound)
    }
}

/// Rounds a number of at most 2^63 to the nearest that f64 has. Of two, the even one.
fn rounded(number: u64) -> u64 {
    let spare = width(u32::low(number >> 32)).saturating_sub(21);
    let (half, odd) = ((1u32 << spare) >> 1, u32::low(number) >> spare & 1);
    let rest = (1u32 << spare) - 1;
    (number + u64::from((half + odd).saturating_sub(1))) & !u64::from(rest)
}

/// Returns the bits of the float of an ordered latent.
fn float_bits(latent: u64, ty: NumberType) -> u64 {
    let top = 1 << (ty.bits() - 1);
    if latent & top != 0 { latent ^ top } else { !latent & mask(ty.bits()) }
}

/// Shows a latent as its number.
fn show_latent(latent: u64, ty: NumberType) -> Value<'static> {
    match ty.order() {
        Order::Unsigned => Value::U64(latent),
        // 2^63 + x is x above the middle; narrower types have room for the difference.
        Order::Signed => Value::I64(latent.wrapping_sub(1 << (ty.bits() - 1)).cast_signed()),
        Order::Float => show_float(float_bits(latent, ty), ty),
    }
}

/// Shows a float of the chunk's type.
fn show_float(bits: u64, ty: NumberType) -> Value<'static> {
    match ty {
        NumberType::F64 => Value::F64(f64::from_bits(bits)),
        NumberType::F32 => Value::F64(f64::from(f32::from_bits(u32::low(bits)))),
        _ => Value::Hex(bits),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_fit_while_no_sum_overflows() {
        let fits = |weights: &[i32], bias, width| {
            let bytes: Vec<u8> = weights.iter().flat_map(|weight| (weight ^ i32::MIN).to_le_bytes()).collect();
            Convolution { shift: 0, bias, order: weights.len(), bytes: &bytes, first: 0 }.fits(width)
        };
        assert!(fits(&[-127], 255, 8) && !fits(&[-127], 256, 8) && !fits(&[-127], -256, 8) && !fits(&[128], 0, 8));
        assert!(fits(&[20_000, -12_767], 65_535, 16) && !fits(&[20_000, -12_768], 0, 16));
        let most = (1 << 32) - 513;
        assert!(fits(&[i32::MAX], most, 32) && !fits(&[i32::MAX], most + 1, 32) && !fits(&[i32::MIN], 0, 32));
        // The sum itself has more than 32 bits, and the lower ones are 0.
        assert!(!fits(&[i32::MIN; 2], 0, 32) && !fits(&[0], 0, 64));
        // As the reference does it, around the bound and for biases of every size.
        for log in 32..63 {
            let bias = (1i64 << log) + (1 << (log - 1));
            let sum = ((1i64 << 63).wrapping_sub(bias).cast_unsigned() >> 32) as i32;
            let near = (-35..3).flat_map(|n| [32 * n - 1, 32 * n, 32 * n + 1]);
            for bias in near.map(|near| i64::MAX - (i64::from(sum) << 32) + near) {
                let all = (bias as f64).abs() + f64::from(sum) * 4_294_967_296.0;
                assert_eq!(fits(&[sum], bias, 32), all < 9_223_372_036_854_775_808.0, "bias {bias}, weight {sum}");
            }
        }
    }
}

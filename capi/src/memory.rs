//! Converts C's pointers to Rust's slices and references, and back.

use core::ffi::c_void;
use core::mem::MaybeUninit;

use unspool::{Error, ErrorKind, Result};

/// An error of the call rather than of the file. Only a number, which fits in a register.
#[derive(Clone, Copy, Debug)]
pub struct Misuse(pub ErrorKind);

impl From<Misuse> for Error {
    fn from(Misuse(kind): Misuse) -> Self {
        Self::new(kind, 0)
    }
}

/// The result of comparing and converting arguments.
pub type Checked<T> = core::result::Result<T, Misuse>;

/// The error of a null pointer to something.
pub const NULL: Misuse = Misuse(ErrorKind::NullPointer);

/// Returns `len` values to read. Null is an empty slice if `len` is 0.
///
/// # Safety
///
/// A pointer that is not null leads to `len` values, and nobody writes to them during `'a`.
pub unsafe fn input<'a, T: Plain>(data: *const T, len: usize) -> Checked<&'a [T]> {
    match (data.is_null(), len) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(NULL),
        (false, _) => {
            check(data.addr(), len, align_of::<T>(), size_of::<T>())?;
            // SAFETY: not null, aligned, no larger than memory can be; the caller promises the
            // rest. Any bytes are a value of the type.
            Ok(unsafe { core::slice::from_raw_parts(data, len) })
        }
    }
}

/// Returns `len` values to write.
///
/// # Safety
///
/// A pointer that is not null leads to `len` values, and nobody else reads or writes them during
/// `'a`.
pub unsafe fn output<'a, T: Plain>(data: *mut T, len: usize) -> Checked<&'a mut [T]> {
    match (data.is_null(), len) {
        (_, 0) => Ok(&mut []),
        (true, _) => Err(NULL),
        (false, _) => {
            check(data.addr(), len, align_of::<T>(), size_of::<T>())?;
            // SAFETY: as in `input`, and nobody else uses it.
            Ok(unsafe { core::slice::from_raw_parts_mut(data, len) })
        }
    }
}

/// Returns bytes to read; null is none.
///
/// # Safety
///
/// As for [`input`], with a length that memory can have.
pub unsafe fn filled<'a>(data: *const u8, len: usize) -> &'a [u8] {
    // SAFETY: the same promise; not null.
    if data.is_null() { &[] } else { unsafe { core::slice::from_raw_parts(data, len) } }
}

/// Returns bytes to write; null is none.
///
/// # Safety
///
/// As for [`output`], with a length that memory can have.
pub unsafe fn filled_mut<'a>(data: *mut u8, len: usize) -> &'a mut [u8] {
    // SAFETY: the same promise; not null.
    if data.is_null() { &mut [] } else { unsafe { core::slice::from_raw_parts_mut(data, len) } }
}

/// Returns values to write; null is none. Refuses a slice that is misaligned.
///
/// # Safety
///
/// As for [`output`], with a length that memory can have.
pub unsafe fn aligned<'a, T: Plain>(data: *mut T, len: usize) -> Checked<&'a mut [T]> {
    match data.is_aligned() {
        _ if data.is_null() => Ok(&mut []),
        false => Err(Misuse(ErrorKind::Misaligned)),
        // SAFETY: the same promise; not null, and aligned.
        true => Ok(unsafe { core::slice::from_raw_parts_mut(data, len) }),
    }
}

/// Returns bytes to write as values. Refuses bytes that are misaligned.
pub fn values<T: Plain>(bytes: &mut [u8]) -> Checked<&mut [T]> {
    // SAFETY: the same memory, borrowed as long.
    unsafe { aligned(bytes.as_mut_ptr().cast(), bytes.len() / size_of::<T>()) }
}

/// A range of memory: its address, and its length in bytes.
pub type Span = [usize; 2];

/// No memory.
pub const NOTHING: Span = [0, 0];

/// The range of `len` values.
pub fn span<T>(data: *const T, len: usize) -> Span {
    [data.addr(), len.saturating_mul(size_of::<T>())]
}

/// Refuses memory that is written and overlaps any other, and ranges that cannot be memory. The
/// first `read` ranges are read, the others are written. Called before any argument becomes a
/// slice, and before anything is written.
#[inline(never)]
pub fn disjoint(spans: &[Span], read: usize) -> Checked<()> {
    let mut rest = spans;
    // From the last one to those before it, so that each pair is compared once.
    while let [before @ .., one] = rest
        && before.len() >= read
    {
        apart(*one, before)?;
        rest = before;
    }
    Ok(())
}

/// Refuses memory that is written and overlaps any of the others, and ranges that cannot be memory.
#[inline(never)]
pub fn apart(one: Span, others: &[Span]) -> Checked<()> {
    possible(one)?;
    for &other in others {
        possible(other)?;
        if overlap(one, other) {
            return Err(Misuse(ErrorKind::Overlap));
        }
    }
    Ok(())
}

/// Returns whether two ranges, which can be memory, have bytes in common.
fn overlap([one, one_size]: Span, [other, other_size]: Span) -> bool {
    // An empty range ends before any byte that is in both.
    one.max(other) < one.wrapping_add(one_size).min(other.wrapping_add(other_size))
}

/// Refuses null with a length, a range that is larger than half of the address space, and one that
/// goes beyond its end. Out of line, or level 3 unrolls the loops that call it.
#[inline(never)]
fn possible([address, size]: Span) -> Checked<()> {
    match isize::try_from(size).is_ok() && address.checked_add(size).is_some() {
        true if address == 0 && size > 0 => Err(NULL),
        true => Ok(()),
        false => Err(Misuse(ErrorKind::LengthTooLarge)),
    }
}

/// Refuses a slice that is misaligned, or larger than memory can be.
fn check(address: usize, len: usize, align: usize, size: usize) -> Checked<()> {
    // A mask rather than a remainder, to save the flash of a division.
    match address & (align - 1) {
        0 => possible([address, len.saturating_mul(size)]),
        _ => Err(Misuse(ErrorKind::Misaligned)),
    }
}

/// Returns a value to read, or `None` for null.
///
/// # Safety
///
/// A pointer that is not null leads to a value that nobody writes during `'a`.
#[inline(always)]
pub unsafe fn maybe<'a, T>(from: *const T) -> Checked<Option<&'a T>> {
    if !from.is_aligned() {
        return Err(Misuse(ErrorKind::Misaligned));
    }
    // SAFETY: aligned; the caller promises the rest.
    Ok(unsafe { from.as_ref() })
}

/// Returns a value to read; null is an error.
///
/// # Safety
///
/// As for [`maybe`].
#[inline(always)]
pub unsafe fn needed<'a, T>(from: *const T) -> Checked<&'a T> {
    // SAFETY: the same promise.
    unsafe { maybe(from)? }.ok_or(NULL)
}

/// Returns a struct that starts with its size, or `None` for null. Refuses one of another size: it
/// was compiled with the header of another version, or its size was not set.
///
/// # Safety
///
/// A pointer that is not null leads to as many bytes as the first member says, which nobody writes
/// during `'a`.
pub unsafe fn sized<'a, T>(from: *const T) -> Checked<Option<&'a T>> {
    const { assert!(align_of::<T>() >= align_of::<usize>(), "the size is the first member") };
    if from.is_null() {
        return Ok(None);
    }
    // SAFETY: not null. If it is aligned and has its full size, it is a value.
    unsafe {
        same_size(from.cast(), size_of::<T>(), align_of::<T>())?;
        Ok(Some(&*from))
    }
}

/// Refuses a struct that is not aligned like this, or does not start with this size.
///
/// # Safety
///
/// As for [`sized`], and not null.
#[inline(never)]
unsafe fn same_size(from: *const usize, size: usize, align: usize) -> Checked<()> {
    if from.addr() & (align - 1) != 0 {
        return Err(Misuse(ErrorKind::Misaligned));
    }
    // SAFETY: aligned; the caller promises the rest.
    if unsafe { from.read() } == size { Ok(()) } else { Err(Misuse(ErrorKind::WrongHeader)) }
}

/// Writes a result, unless the pointer is null.
///
/// # Safety
///
/// A pointer that is not null leads to space for a value, which nobody else uses meanwhile.
pub unsafe fn answer<T>(to: *mut T, value: &T) {
    // SAFETY: the same promise.
    unsafe { put(to.cast(), core::ptr::from_ref(value).cast(), size_of::<T>()) }
}

/// Copies bytes, because a C compiler may have packed the result. Not inlined, because a value in
/// registers would take a store for each byte.
///
/// # Safety
///
/// As for [`answer`].
#[inline(never)]
unsafe fn put(to: *mut u8, from: *const u8, len: usize) {
    if !to.is_null() {
        // SAFETY: not null; the caller promises the rest.
        unsafe { to.copy_from_nonoverlapping(from, len) }
    }
}

/// Returns the start of a value as another type.
///
/// # Safety
///
/// The value starts with members of the layout of `U`.
pub const unsafe fn start_of<T, U>(value: &T) -> &U {
    const { assert!(size_of::<U>() <= size_of::<T>() && align_of::<U>() <= align_of::<T>(), "more than the value") };
    // SAFETY: the same promise; within the value, and aligned.
    unsafe { &*core::ptr::from_ref(value).cast() }
}

/// Returns the start of a value as another type, to be changed.
///
/// # Safety
///
/// As for [`start_of`], and any `U` is valid there.
pub const unsafe fn start_of_mut<T, U>(value: &mut T) -> &mut U {
    const { assert!(size_of::<U>() <= size_of::<T>() && align_of::<U>() <= align_of::<T>(), "more than the value") };
    // SAFETY: the same promise; within the value, and aligned.
    unsafe { &mut *core::ptr::from_mut(value).cast() }
}

/// Returns places for `len` values, in uninitialised memory.
///
/// # Safety
///
/// As for [`output`].
pub unsafe fn room<'a, P>(memory: *mut P, len: usize) -> Checked<&'a mut [MaybeUninit<P>]> {
    match (memory.is_null(), len) {
        (_, 0) => Ok(&mut []),
        (true, _) => Err(NULL),
        (false, _) => {
            check(memory.addr(), len, align_of::<P>(), size_of::<P>())?;
            // SAFETY: as in `output`; uninitialised memory may hold anything.
            Ok(unsafe { core::slice::from_raw_parts_mut(memory.cast(), len) })
        }
    }
}

/// Writes values one after the other to places of at least their size, until either ends.
pub fn noted<'a, P, T: Copy>(
    places: &'a mut [MaybeUninit<P>],
    values: impl Iterator<Item = Result<T>>,
) -> Result<&'a [T]> {
    const { assert!(size_of::<T>() <= size_of::<P>() && align_of::<T>() <= align_of::<P>(), "a place is too small") };
    let (start, len) = (places.as_mut_ptr().cast::<MaybeUninit<T>>(), places.len());
    // SAFETY: as many places, each at least as large and as aligned, borrowed for as long.
    // Uninitialised values may be at any address.
    let places: &'a mut [MaybeUninit<T>] = unsafe { core::slice::from_raw_parts_mut(start, len) };
    let mut count = 0usize;
    for (place, value) in places.iter_mut().zip(values) {
        place.write(value?);
        count = count.saturating_add(1);
    }
    // SAFETY: `count` values have been written.
    Ok(unsafe { places.get(..count).unwrap_or_default().assume_init_ref() })
}

/// Types of which any bytes are a value.
pub trait Plain: Copy + private::Sealed {}

mod private {
    /// Closes the list.
    pub trait Sealed {}
    impl Sealed for u8 {}
    impl Sealed for i8 {}
    impl Sealed for u16 {}
    impl Sealed for i16 {}
    impl Sealed for u32 {}
    impl Sealed for i32 {}
    impl Sealed for f32 {}
    impl Sealed for u64 {}
    impl Sealed for i64 {}
    impl Sealed for f64 {}
    impl Sealed for [u8; 16] {}
    #[cfg(feature = "at1")]
    impl Sealed for crate::at1_query::UnspoolAt1Filter {}
    #[cfg(feature = "at1")]
    impl Sealed for crate::at1_query::UnspoolAt1Column {}
}

impl Plain for u8 {}
impl Plain for i8 {}
impl Plain for u16 {}
impl Plain for i16 {}
impl Plain for u32 {}
impl Plain for i32 {}
impl Plain for f32 {}
impl Plain for u64 {}
impl Plain for i64 {}
impl Plain for f64 {}
impl Plain for [u8; 16] {}
// Pointers and lengths, which are read one by one.
#[cfg(feature = "at1")]
impl Plain for crate::at1_query::UnspoolAt1Filter {}
#[cfg(feature = "at1")]
impl Plain for crate::at1_query::UnspoolAt1Column {}

/// A C struct whose words hold a Rust value.
pub trait Opaque: Sized {
    /// The value. It borrows memory that C lent; `'static` in it represents the promise of C.
    type Value;
    /// A unique number. It distinguishes the struct from words that no function has filled, or that
    /// hold another value.
    const TAG: u32;
}

/// The layout of the value in the words.
#[repr(C)]
struct Held<T> {
    head: Head,
    value: MaybeUninit<T>,
}

/// The start of the words, which is the same for every value.
#[repr(C)]
#[derive(Debug)]
struct Head {
    tag: u32,
    lent: Lent,
}

/// The memory that a value borrows: first a workspace and a window, which it writes, then what it
/// only reads.
pub type Lent = [Span; 5];

/// The place of a window in it.
pub const WINDOW: usize = 1;

/// Fails to compile unless the words of a C struct are enough for its value, and not far too many.
pub const fn fits<O: Opaque>() {
    assert!(size_of::<Held<O::Value>>() <= size_of::<O>(), "the C struct has too few words");
    assert!(align_of::<Held<O::Value>>() <= align_of::<O>(), "the C struct is not aligned enough");
    // The header is the same for all builds; with fewer features the value is smaller.
    let slack = size_of::<O>() - size_of::<Held<O::Value>>();
    assert!(slack <= 64 + size_of::<O>() / 4 || !cfg!(feature = "at1"), "the C struct has too many words");
    assert!(!core::mem::needs_drop::<O::Value>(), "C does not drop");
}

/// A C struct without a value.
#[derive(Debug)]
pub struct Empty<'a, O: Opaque> {
    head: &'a mut Head,
    value: &'a mut MaybeUninit<O::Value>,
}

impl<O: Opaque> Empty<'_, O> {
    /// Fills the struct.
    pub fn fill(self, value: O::Value) {
        self.value.write(value);
        self.head.tag = O::TAG;
    }

    /// Fills the struct in place. For values that are large for a small stack: if the compiler
    /// builds and then moves one anyway, it is in a stack frame that holds nothing else. An error
    /// leaves the struct empty.
    #[inline(never)]
    pub fn build(
        self,
        make: impl for<'p> FnOnce(&'p mut MaybeUninit<O::Value>) -> Result<&'p mut O::Value>,
    ) -> Result<()> {
        make(self.value)?;
        self.head.tag = O::TAG;
        Ok(())
    }
}

/// Empties a C struct, before it is filled with a value that borrows this memory. Refuses if they
/// overlap.
///
/// # Safety
///
/// A pointer that is not null leads to such a struct, which nobody else uses during `'a`.
#[inline(always)]
pub unsafe fn clear<'a, O: Opaque>(to: *mut O, lent: &Lent) -> Checked<Empty<'a, O>> {
    const { fits::<O>() };
    // SAFETY: the same promise. Once it is checked: not null, aligned, and large enough by `fits`.
    // Its value may hold anything.
    unsafe {
        empty(to.cast(), size_of::<O>(), lent)?;
        let Held { head, value } = &mut *to.cast::<Held<O::Value>>();
        Ok(Empty { head, value })
    }
}

/// Empties the struct of this size.
///
/// # Safety
///
/// As for [`clear`].
#[inline(never)]
unsafe fn empty(to: *mut Head, size: usize, lent: &Lent) -> Checked<()> {
    apart([to.addr(), if to.is_null() { 0 } else { size }], lent)?;
    placed(to)?;
    // SAFETY: not null, and aligned. The caller promises the rest.
    unsafe { to.write(Head { tag: 0, lent: *lent }) };
    Ok(())
}

/// Notes that the value of a C struct borrows other memory from now on, in one of its places.
///
/// # Safety
///
/// As for [`held_in`].
pub unsafe fn relent<O: Opaque>(to: *mut O, place: usize, lent: Span) -> Result<()> {
    let head = to.cast::<Head>();
    placed(head)?;
    // SAFETY: not null, and aligned. The caller promises the rest.
    if let Some(place) = unsafe { (*head).lent.get_mut(place) } {
        *place = lent;
    }
    Ok(())
}

/// Returns the memory that the value of a C struct borrows.
///
/// # Safety
///
/// As for [`held`].
#[inline(always)]
pub unsafe fn lent_to<'a, O: Opaque>(from: *const O) -> Checked<&'a Lent> {
    // SAFETY: the same promise. A struct with a value has this, too.
    unsafe {
        tagged(from.cast(), O::TAG)?;
        Ok(&(*from.cast::<Head>()).lent)
    }
}

/// Returns the value of a C struct.
///
/// # Safety
///
/// A pointer that is not null leads to such a struct, filled by [`Empty`] or with zeros, which
/// nobody changes during `'a`; and memory that was lent to it is still valid.
#[inline(always)]
pub unsafe fn held<'a, O: Opaque>(from: *const O) -> Checked<&'a O::Value> {
    const { fits::<O>() };
    // SAFETY: the same promise. The tag is written only after the value.
    unsafe {
        tagged(from.cast(), O::TAG)?;
        Ok((*from.cast::<Held<O::Value>>()).value.assume_init_ref())
    }
}

/// Returns the value of a C struct, and the memory that it borrows.
///
/// # Safety
///
/// As for [`held`].
#[inline(always)]
pub unsafe fn held_with<'a, O: Opaque>(from: *const O) -> Checked<(&'a O::Value, &'a Lent)> {
    const { fits::<O>() };
    // SAFETY: as in `held`.
    unsafe {
        tagged(from.cast(), O::TAG)?;
        Ok(((*from.cast::<Held<O::Value>>()).value.assume_init_ref(), &(*from.cast::<Head>()).lent))
    }
}

/// Returns the value of a C struct, to be changed.
///
/// # Safety
///
/// As for [`held`], and nobody else uses it during `'a`.
#[inline(always)]
pub unsafe fn held_in<'a, O: Opaque>(from: *mut O) -> Checked<&'a mut O::Value> {
    const { fits::<O>() };
    // SAFETY: as in `held`.
    unsafe {
        tagged(from.cast(), O::TAG)?;
        Ok((*from.cast::<Held<O::Value>>()).value.assume_init_mut())
    }
}

/// Refuses a struct that does not hold the value with this number.
///
/// # Safety
///
/// As for [`held`].
#[inline(never)]
unsafe fn tagged(head: *const Head, tag: u32) -> Checked<()> {
    placed(head)?;
    // SAFETY: not null, and aligned. The tag is a plain number.
    match unsafe { (&raw const (*head).tag).read() } == tag {
        true => Ok(()),
        false => Err(Misuse(ErrorKind::NotInitialised)),
    }
}

/// Refuses the address of a struct that is null or not aligned.
fn placed(head: *const Head) -> Checked<()> {
    match head.addr() {
        0 => Err(NULL),
        address if !address.is_multiple_of(align_of::<u64>()) => Err(Misuse(ErrorKind::Misaligned)),
        _ => Ok(()),
    }
}

/// Returns memory of the caller as a workspace, after clearing this many bytes at its start.
///
/// # Safety
///
/// Zeros are a value of `T`, and so are any bytes after the `cleared` ones. A pointer that is not
/// null leads to `len` bytes, and nobody else uses them during `'a`.
#[inline(always)]
pub unsafe fn tables<'a, T>(memory: *mut c_void, len: usize, cleared: usize) -> Checked<&'a mut T> {
    let workspace = large_enough::<T>(memory, len)?;
    // SAFETY: large enough, aligned, not null because `T` has a size, and used by nobody else.
    unsafe {
        workspace.cast::<u8>().write_bytes(0, cleared.min(size_of::<T>()));
        Ok(&mut *workspace)
    }
}

/// Builds a value in memory of the caller.
///
/// # Safety
///
/// A pointer that is not null leads to `len` bytes, and nobody else reads or writes them during
/// `'a`.
#[cfg(feature = "gzip")]
pub unsafe fn made<'a, T>(memory: *mut c_void, len: usize, make: impl FnOnce() -> T) -> Checked<&'a mut T> {
    let workspace = large_enough::<T>(memory, len)?;
    // SAFETY: large enough, aligned, not null because `T` has a size, and used by nobody else.
    unsafe {
        workspace.write(make());
        Ok(&mut *workspace)
    }
}

/// Refuses memory that is too small for a value; [`lacking`] makes an error of that. Null is too
/// small: its length is 0, as [`disjoint`] has compared.
#[inline(always)]
pub fn large_enough<T>(memory: *mut c_void, len: usize) -> Checked<*mut T> {
    let place = memory.cast::<T>();
    match place.is_aligned() {
        _ if len < size_of::<T>() => Err(Misuse(ErrorKind::WorkspaceTooSmall)),
        true => Ok(place),
        false => Err(Misuse(ErrorKind::Misaligned)),
    }
}

/// Returns the error of a call that takes a workspace for a value.
pub fn lacking<T>(misuse: Misuse) -> Error {
    let error = Error::from(misuse);
    if misuse.0 == ErrorKind::WorkspaceTooSmall { error.needing(size_of::<T>() as u64) } else { error }
}

/// Returns true if a static value equals what [`tables`] makes of memory.
#[cfg(test)]
pub fn is_zeros<T>(value: &'static T) -> bool {
    let bytes = core::ptr::from_ref(value).cast::<u8>();
    // SAFETY: within the value. Volatile, because to the compiler padding has no value; in a
    // `static` it is zero.
    (0..size_of::<T>()).all(|i| unsafe { bytes.add(i).read_volatile() == 0 })
}

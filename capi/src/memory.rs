//! From C's pointers to Rust's slices and references, and back.

use core::ffi::c_void;
use core::mem::MaybeUninit;

use unspool::{Error, ErrorKind, Result};

const NULL: Error = Error::new(ErrorKind::NullPointer, 0);

/// `len` values to read. Null is an empty slice, if `len` says so.
///
/// # Safety
///
/// There are so many values behind a pointer that is not null, and nobody writes to them during `'a`.
pub unsafe fn input<'a, T: Plain>(data: *const T, len: usize) -> Result<&'a [T]> {
    match (data.is_null(), len) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(NULL),
        (false, _) => {
            check(data.addr(), len, align_of::<T>(), size_of::<T>())?;
            // SAFETY: not null, aligned, no larger than memory can be, and the rest is what the caller promises. The type is
            // one that all bytes are a value of.
            Ok(unsafe { core::slice::from_raw_parts(data, len) })
        }
    }
}

/// `len` values to write.
///
/// # Safety
///
/// There are so many values behind a pointer that is not null, and nobody else reads or writes them during `'a`.
pub unsafe fn output<'a, T: Plain>(data: *mut T, len: usize) -> Result<&'a mut [T]> {
    match (data.is_null(), len) {
        (_, 0) => Ok(&mut []),
        (true, _) => Err(NULL),
        (false, _) => {
            check(data.addr(), len, align_of::<T>(), size_of::<T>())?;
            // SAFETY: as in `input`, and nobody else has it.
            Ok(unsafe { core::slice::from_raw_parts_mut(data, len) })
        }
    }
}

/// A stretch of memory: its address, and how many bytes it has.
pub type Stretch = (usize, usize);

/// Where so many values lie. Behind null there are none.
pub fn stretch<T>(data: *const T, len: usize) -> Stretch {
    (data.addr(), if data.is_null() { 0 } else { len.saturating_mul(size_of::<T>()) })
}

/// What a call gets to write to has nothing in common with anything else that it gets. To be asked before any of it becomes a slice, and
/// before any of it is written or zeroed.
#[inline(never)]
pub fn apart(read: &[Stretch], written: &[Stretch]) -> Result<()> {
    let mut rest = written;
    while let Some((one, others)) = rest.split_first() {
        if others.iter().chain(read).any(|other| overlap(*one, *other)) {
            return Err(Error::new(ErrorKind::Overlap, 0));
        }
        rest = others;
    }
    Ok(())
}

fn overlap((one, one_size): Stretch, (other, other_size): Stretch) -> bool {
    let (before, behind) = (one.saturating_add(one_size) <= other, other.saturating_add(other_size) <= one);
    one_size > 0 && other_size > 0 && !before && !behind
}

/// No slice may be misaligned, or larger than half of all addresses.
fn check(address: usize, len: usize, align: usize, size: usize) -> Result<()> {
    let fits = len.checked_mul(size).is_some_and(|size| isize::try_from(size).is_ok());
    match address.is_multiple_of(align.max(1)) {
        true if fits => Ok(()),
        true => Err(Error::new(ErrorKind::BadArgument, 0)),
        false => Err(Error::new(ErrorKind::Misaligned, 0)),
    }
}

/// Something to read, or null.
///
/// # Safety
///
/// A pointer that is not null leads to a value that nobody writes during `'a`.
pub unsafe fn maybe<'a, T>(from: *const T) -> Result<Option<&'a T>> {
    if !from.is_aligned() {
        return Err(Error::new(ErrorKind::Misaligned, 0));
    }
    // SAFETY: aligned, and the rest is what the caller promises.
    Ok(unsafe { from.as_ref() })
}

/// Writes an answer, unless nobody wants it.
///
/// # Safety
///
/// A pointer that is not null leads to room for a value, which nobody else uses meanwhile.
pub unsafe fn answer<T>(to: *mut T, value: T) {
    if !to.is_null() {
        // SAFETY: not null, and the rest is what the caller promises. Unaligned, because a C compiler may have packed it.
        unsafe { to.write_unaligned(value) }
    }
}

/// Places for `len` values, in memory that holds nothing yet.
///
/// # Safety
///
/// As for [`output`].
pub unsafe fn room<'a, P>(memory: *mut P, len: usize) -> Result<&'a mut [MaybeUninit<P>]> {
    match (memory.is_null(), len) {
        (_, 0) => Ok(&mut []),
        (true, _) => Err(NULL),
        (false, _) => {
            check(memory.addr(), len, align_of::<P>(), size_of::<P>())?;
            // SAFETY: as in `output`, and memory that holds nothing may hold anything.
            Ok(unsafe { core::slice::from_raw_parts_mut(memory.cast(), len) })
        }
    }
}

/// Writes values one behind the other to places that were made for something at least as large, as many as there are of both.
pub fn noted<'a, P, T: Copy>(
    places: &'a mut [MaybeUninit<P>],
    values: impl Iterator<Item = Result<T>>,
) -> Result<&'a [T]> {
    const { assert!(size_of::<T>() <= size_of::<P>() && align_of::<T>() <= align_of::<P>(), "a place is too small") };
    let (start, len) = (places.as_mut_ptr().cast::<MaybeUninit<T>>(), places.len());
    // SAFETY: so many places, each no smaller and no less aligned, that are borrowed as long. What has no value yet may lie anywhere.
    let places: &'a mut [MaybeUninit<T>] = unsafe { core::slice::from_raw_parts_mut(start, len) };
    let mut count = 0usize;
    for (place, value) in places.iter_mut().zip(values) {
        place.write(value?);
        count = count.saturating_add(1);
    }
    // SAFETY: so many have been written.
    Ok(unsafe { places.get(..count).unwrap_or_default().assume_init_ref() })
}

/// Types that all bytes are a value of.
pub trait Plain: Copy + private::Sealed {}

mod private {
    /// Closes the list.
    pub trait Sealed {}
    impl Sealed for u8 {}
    impl Sealed for u16 {}
    impl Sealed for u32 {}
    impl Sealed for u64 {}
    impl Sealed for f32 {}
    impl Sealed for [u8; 16] {}
    #[cfg(feature = "at1")]
    impl Sealed for crate::at1_query::UnspoolAt1Filter {}
    #[cfg(feature = "at1")]
    impl Sealed for crate::at1_query::UnspoolAt1Column {}
}

impl Plain for u8 {}
impl Plain for u16 {}
impl Plain for u32 {}
impl Plain for u64 {}
impl Plain for f32 {}
impl Plain for [u8; 16] {}
// Pointers and lengths, which are looked at one by one.
#[cfg(feature = "at1")]
impl Plain for crate::at1_query::UnspoolAt1Filter {}
#[cfg(feature = "at1")]
impl Plain for crate::at1_query::UnspoolAt1Column {}

/// A C struct whose words hold a Rust value.
pub trait Opaque: Sized {
    /// What it holds. It borrows what C has lent it, for as long as C keeps its promise: that is the `'static` in it.
    type Value;
    /// A number of its own: words that no function has filled, or that hold something else, are told by it.
    const TAG: u32;
}

/// How the value lies in the words.
#[repr(C)]
struct Held<T> {
    tag: u32,
    value: MaybeUninit<T>,
}

/// Fails to compile unless the words of a C struct are enough for what they hold, and not far too many.
pub const fn fits<O: Opaque>() {
    assert!(size_of::<Held<O::Value>>() <= size_of::<O>(), "the C struct has too few words");
    assert!(align_of::<Held<O::Value>>() <= align_of::<O>(), "the C struct is not aligned enough");
    // The header is the same for all builds; with fewer features less is held.
    let slack = size_of::<O>() - size_of::<Held<O::Value>>();
    assert!(slack <= 64 + size_of::<O>() / 4 || !cfg!(feature = "at1"), "the C struct has too many words");
    assert!(!core::mem::needs_drop::<O::Value>(), "C does not drop");
}

/// Fills a C struct.
///
/// # Safety
///
/// A pointer that is not null leads to such a struct, which nobody else uses meanwhile.
pub unsafe fn fill<O: Opaque>(to: *mut O, value: O::Value) -> Result<()> {
    // SAFETY: the same promise.
    let held = unsafe { held_mut(to)? };
    held.value.write(value);
    held.tag = O::TAG;
    Ok(())
}

/// Fills a C struct in place, with what is large for a small stack: if it is made there all the same and then moved, in a stack frame that
/// holds nothing else. An error leaves the struct empty.
///
/// # Safety
///
/// As for [`fill`].
#[inline(never)]
pub unsafe fn build<O: Opaque>(
    to: *mut O,
    make: impl for<'p> FnOnce(&'p mut MaybeUninit<O::Value>) -> Result<&'p mut O::Value>,
) -> Result<()> {
    // SAFETY: the same promise.
    let held = unsafe { held_mut(to)? };
    make(&mut held.value)?;
    held.tag = O::TAG;
    Ok(())
}

/// Makes a C struct hold nothing, before it is filled from what is read here. Not if it lies there.
///
/// # Safety
///
/// As for [`fill`].
pub unsafe fn clear<O: Opaque>(to: *mut O, read: &[Stretch]) -> Result<()> {
    apart(read, &[stretch(to, 1)])?;
    // SAFETY: the same promise.
    unsafe { held_mut(to).map(|_| ()) }
}

/// What a C struct holds.
///
/// # Safety
///
/// A pointer that is not null leads to such a struct, filled by [`fill`] or [`build`] or with zeros, which nobody changes during `'a`; and what was lent to
/// it is still there.
pub unsafe fn held<'a, O: Opaque>(from: *const O) -> Result<&'a O::Value> {
    let held = place(from.cast_mut())?.cast_const();
    // SAFETY: not null and aligned. The tag is a plain number.
    if unsafe { (&raw const (*held).tag).read() } != O::TAG {
        return Err(Error::new(ErrorKind::NotInitialised, 0));
    }
    // SAFETY: the tag is written behind the value alone, by `fill` and `build`.
    Ok(unsafe { (*held).value.assume_init_ref() })
}

/// What a C struct holds, to be changed.
///
/// # Safety
///
/// As for [`held`], and nobody else uses it during `'a`.
pub unsafe fn held_in<'a, O: Opaque>(from: *mut O) -> Result<&'a mut O::Value> {
    let held = place(from)?;
    // SAFETY: not null and aligned. The tag is a plain number.
    if unsafe { (&raw const (*held).tag).read() } != O::TAG {
        return Err(Error::new(ErrorKind::NotInitialised, 0));
    }
    // SAFETY: the tag is written behind the value alone, by `fill` and `build`.
    Ok(unsafe { (*held).value.assume_init_mut() })
}

/// The place for a value, marked as empty.
///
/// # Safety
///
/// As for [`fill`].
unsafe fn held_mut<'a, O: Opaque>(to: *mut O) -> Result<&'a mut Held<O::Value>> {
    let held = place(to)?;
    // SAFETY: not null, aligned, large enough by `fits`, and the rest is what the caller promises. Any number is a tag.
    unsafe {
        (&raw mut (*held).tag).write(0);
        Ok(&mut *held)
    }
}

/// Where the value lies.
fn place<O: Opaque>(at: *mut O) -> Result<*mut Held<O::Value>> {
    const { fits::<O>() };
    let held = at.cast::<Held<O::Value>>();
    match () {
        () if at.is_null() => Err(NULL),
        () if !at.is_aligned() => Err(Error::new(ErrorKind::Misaligned, 0)),
        () => Ok(held),
    }
}

/// A workspace that is all zeros when it is empty, in memory of the caller that it clears.
///
/// # Safety
///
/// Zeros are a value of `T`. There are `len` bytes behind a pointer that is not null, and nobody else uses them during `'a`.
pub unsafe fn zeroed<'a, T>(memory: *mut c_void, len: usize) -> Result<&'a mut T> {
    let workspace = large_enough::<T>(memory, len)?;
    // SAFETY: large enough, aligned, not null because `T` has a size, and nobody else's. Zeros are a value of it.
    unsafe {
        workspace.write_bytes(0, 1);
        Ok(&mut *workspace)
    }
}

/// Memory for a value that is made there.
///
/// # Safety
///
/// There are `len` bytes behind a pointer that is not null, and nobody else reads or writes them during `'a`.
#[cfg(feature = "gzip")]
pub unsafe fn made<'a, T>(memory: *mut c_void, len: usize, make: impl FnOnce() -> T) -> Result<&'a mut T> {
    let workspace = large_enough::<T>(memory, len)?;
    // SAFETY: large enough, aligned, not null because `T` has a size, and nobody else's.
    unsafe {
        workspace.write(make());
        Ok(&mut *workspace)
    }
}

/// Refuses memory that has no room for a value.
fn large_enough<T>(memory: *mut c_void, len: usize) -> Result<*mut T> {
    if memory.is_null() && len > 0 {
        return Err(NULL);
    }
    if len < size_of::<T>() {
        let need = u64::try_from(size_of::<T>()).unwrap_or(u64::MAX);
        return Err(Error::new(ErrorKind::WorkspaceTooSmall, 0).needing(need));
    }
    let place = memory.cast::<T>();
    if place.is_aligned() { Ok(place) } else { Err(Error::new(ErrorKind::Misaligned, 0)) }
}

/// Whether a static value is what [`zeroed`] makes of memory.
#[cfg(test)]
pub fn is_zeros<T>(value: &'static T) -> bool {
    let bytes = core::ptr::from_ref(value).cast::<u8>();
    // SAFETY: within the value. Volatile, because to the compiler padding has no value; in a `static` it is zero.
    (0..size_of::<T>()).all(|i| unsafe { bytes.add(i).read_volatile() == 0 })
}

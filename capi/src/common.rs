//! The parts that all formats share: memory, options, results, and the detection of formats.

use core::ffi::{c_char, c_void};
use core::mem::{MaybeUninit, offset_of};
use core::ops::Range;
use core::slice::{from_raw_parts, from_raw_parts_mut};

use unspool::{Done, End, Error, ErrorKind, Limits, Probe, Result, Status, Step, Verify};

use crate::error::{UnspoolError, UnspoolErrorKind, refuse, report, settle};
use crate::layout::LAYOUT;
use crate::memory::{
    Checked, Lent, Misuse, NOTHING, Opaque, Span, WINDOW, answer, apart, clear, disjoint, filled, filled_mut, held_in,
    input, lacking, lent_to, needed, output, relent, sized, span, start_of, start_of_mut,
};

/// Sizes of the opaque structs are whole words of this many bytes, and they are aligned to it.
pub const UNSPOOL_WORD: usize = 8;

/// The memory of a call. Unused members are zero. All lengths are in bytes.
///
/// Names that all formats share: a workspace holds tables, a window holds history, scratch holds
/// bytes on their way.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct UnspoolBuffers {
    /// The input.
    pub src: *const c_void,
    /// Bytes of the input.
    pub src_len: usize,
    /// The output.
    pub dst: *mut c_void,
    /// Bytes of the output.
    pub dst_len: usize,
    /// Memory for tables, aligned to `UNSPOOL_WORD`. Its contents do not matter.
    pub workspace: *mut c_void,
    /// Bytes of the workspace.
    pub workspace_len: usize,
    /// Memory for the history of a stream.
    pub window: *mut c_void,
    /// Bytes of the window.
    pub window_len: usize,
    /// Memory for bytes between input and output.
    pub scratch: *mut c_void,
    /// Bytes of scratch.
    pub scratch_len: usize,
}

/// The memory of a call as slices. The workspace is typed by its format.
#[derive(Debug)]
pub struct Buffers<'a> {
    /// The input.
    pub src: &'a [u8],
    /// The output.
    pub dst: &'a mut [u8],
    /// The workspace.
    pub workspace: Place,
    /// The window.
    pub window: &'a mut [u8],
    /// The scratch.
    pub scratch: &'a mut [u8],
}

/// Memory without a type, and its bytes.
pub type Place = (*mut c_void, usize);

impl UnspoolBuffers {
    /// The range of the workspace.
    pub fn workspace(&self) -> Span {
        span(self.workspace.cast::<u8>(), self.workspace_len)
    }

    /// The range of the window.
    pub fn window(&self) -> Span {
        span(self.window.cast::<u8>(), self.window_len)
    }

    /// The range of the scratch.
    pub fn scratch(&self) -> Span {
        span(self.scratch.cast::<u8>(), self.scratch_len)
    }
}

/// The memory of a call, and what else it reads and writes, as one list of ranges.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Compared<const R: usize, const W: usize> {
    read: [Span; R],
    memory: UnspoolBuffers,
    written: [Span; W],
}

/// Compares the memory of a call with itself, and with what else the call reads and writes.
///
/// # Safety
///
/// A pointer that is not null leads to buffers.
#[inline(always)]
pub unsafe fn compared<const R: usize, const W: usize>(
    memory: *const UnspoolBuffers,
    read: [Span; R],
    written: [Span; W],
) -> Checked<Compared<R, W>> {
    let mut all = MaybeUninit::<Compared<R, W>>::uninit();
    let to = all.as_mut_ptr();
    // SAFETY: the same promise. Each of the three members is written.
    unsafe {
        (&raw mut (*to).read).write(read);
        (&raw mut (*to).written).write(written);
        gather(&raw mut (*to).memory, memory, R, W)?;
        Ok(all.assume_init())
    }
}

/// Copies the memory of a call to its place in a list, and compares all ranges of the list: those
/// read before it, its own, and those written after it. Null becomes another pointer, so that
/// slices can be made without a test.
///
/// # Safety
///
/// The place is that in a [`Compared`] of as many ranges. A pointer that is not null leads to
/// buffers.
#[inline(never)]
unsafe fn gather(
    place: *mut UnspoolBuffers,
    memory: *const UnspoolBuffers,
    read: usize,
    written: usize,
) -> Checked<()> {
    const PARTS: usize = 5;
    const {
        assert!(offset_of!(UnspoolBuffers, src_len) == size_of::<usize>(), "the input first");
        assert!(size_of::<UnspoolBuffers>() == size_of::<[Span; PARTS]>(), "five times a pointer and a length");
    }
    // SAFETY: the same promises, and the assertions. Pointers are read as addresses, and written
    // as pointers of the same provenance.
    unsafe {
        let from: &UnspoolBuffers = needed(memory)?;
        place.copy_from_nonoverlapping(from, 1);
        let first = place.cast::<Span>();
        disjoint(from_raw_parts(first.sub(read), read + PARTS + written), read + 1)?;
        let pointers = place.cast::<[*mut c_void; 2]>();
        for [pointer, _] in from_raw_parts_mut(pointers, PARTS) {
            if pointer.is_null() {
                *pointer = core::ptr::without_provenance_mut(UNSPOOL_WORD);
            }
        }
    }
    Ok(())
}

impl<const R: usize, const W: usize> Compared<R, W> {
    /// Returns the memory as slices. Inlined like [`lend`], because calls use few of them.
    ///
    /// # Safety
    ///
    /// As for [`input`] and [`output`].
    #[inline(always)]
    pub unsafe fn slices<'a>(&self) -> Buffers<'a> {
        let memory = &self.memory;
        // SAFETY: `gather` has refused null with a length, and what is larger than memory; null is
        // gone. The caller promises the rest.
        unsafe {
            Buffers {
                src: from_raw_parts(memory.src.cast(), memory.src_len),
                dst: from_raw_parts_mut(memory.dst.cast(), memory.dst_len),
                workspace: (memory.workspace, memory.workspace_len),
                window: from_raw_parts_mut(memory.window.cast(), memory.window_len),
                scratch: from_raw_parts_mut(memory.scratch.cast(), memory.scratch_len),
            }
        }
    }
}

impl<const R: usize, const W: usize> core::ops::Deref for Compared<R, W> {
    type Target = UnspoolBuffers;

    fn deref(&self) -> &UnspoolBuffers {
        &self.memory
    }
}

/// Compares and returns the memory of a call that reads nothing else than these.
///
/// # Safety
///
/// As for [`compared`] and [`Compared::slices`].
#[inline(always)]
pub unsafe fn lend<'a, const R: usize>(memory: *const UnspoolBuffers, read: [Span; R]) -> Checked<Buffers<'a>> {
    // SAFETY: the same promises.
    unsafe { Ok(compared(memory, read, [])?.slices()) }
}

/// A range of bytes, rows or positions.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct UnspoolRange {
    /// The first.
    pub start: u64,
    /// The one after the last.
    pub end: u64,
}

impl From<&Range<u64>> for UnspoolRange {
    fn from(range: &Range<u64>) -> Self {
        Self { start: range.start, end: range.end }
    }
}

/// Bounds that are compared with what a header claims, before any work is done for that claim. A
/// bound of 0 means the default, which suits files that a person opens.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct UnspoolLimits {
    /// `sizeof(UnspoolLimits)`.
    pub size: usize,
    /// Most bytes that a whole file may decode to.
    pub max_output: u64,
    /// Most bytes of history that a decoder may be asked to keep, as of a Zstandard frame.
    pub max_window: u64,
    /// Most bytes that a header, a directory or an index may take in the file.
    pub max_header: u64,
    /// Most entries of anything that a header lists.
    pub max_elements: u64,
    /// Most columns of a table.
    pub max_columns: u64,
    /// Deepest nesting of structured headers.
    pub max_depth: u16,
}

/// Returns the limits of the caller, or the default.
///
/// # Safety
///
/// A pointer that is not null leads to limits.
#[inline(always)]
pub unsafe fn limits_of(limits: *const UnspoolLimits) -> Checked<Limits> {
    let mut ours = Limits::DEFAULT;
    // SAFETY: the same promise.
    unsafe { bound(&mut ours, limits)? };
    Ok(ours)
}

/// Sets the limits that the caller has.
///
/// # Safety
///
/// As for [`limits_of`].
#[inline(never)]
pub unsafe fn bound(ours: &mut Limits, limits: *const UnspoolLimits) -> Checked<()> {
    // SAFETY: the same promise.
    let Some(asked) = (unsafe { sized(limits)? }) else { return Ok(()) };
    const {
        assert!(offset_of!(Limits, max_columns) == 32, "five numbers of 64 bits");
        assert!(offset_of!(UnspoolLimits, max_output) == 8 && offset_of!(UnspoolLimits, max_columns) == 40);
    }
    if asked.max_depth != 0 {
        ours.max_depth = asked.max_depth;
    }
    // SAFETY: the assertions.
    let (ours, [_, bounds @ ..]): (&mut [u64; 5], &[u64; 6]) = unsafe { (start_of_mut(ours), start_of(asked)) };
    for (ours, &bound) in ours.iter_mut().zip(bounds) {
        if bound != 0 {
            *ours = bound;
        }
    }
    Ok(())
}

/// The handling of the checksums in a file.
pub type UnspoolChecks = u8;

/// Compare them; a difference is an error.
pub const UNSPOOL_CHECKS_VERIFY: u8 = 0;
/// Compare them, count the differences, and go on: see `UnspoolDone`.
pub const UNSPOOL_CHECKS_REPORT: u8 = 1;
/// Neither compute nor compare them.
pub const UNSPOOL_CHECKS_SKIP: u8 = 2;

/// Reads the choice of a caller.
pub fn verify(checks: UnspoolChecks) -> Checked<Verify> {
    match checks {
        UNSPOOL_CHECKS_VERIFY => Ok(Verify::Refuse),
        UNSPOOL_CHECKS_REPORT => Ok(Verify::Report),
        UNSPOOL_CHECKS_SKIP => Ok(Verify::Skip),
        _ => Err(Misuse(ErrorKind::BadArgument)),
    }
}

/// The options of gzip, Pco and AT-1. All members but `size` may be zero, and so may the pointer to
/// the options.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct UnspoolOptions {
    /// `sizeof(UnspoolOptions)`.
    pub size: usize,
    /// The bounds of what a file may cost, or null.
    pub limits: *const UnspoolLimits,
    /// The handling of checksums.
    pub checks: UnspoolChecks,
}

/// Sets the options that the caller has.
///
/// # Safety
///
/// A pointer that is not null leads to options, and so does that to their limits.
#[cfg(any(feature = "gzip", feature = "pco", feature = "cvc", feature = "at1-columnar"))]
#[inline(never)]
pub unsafe fn choices(limits: &mut Limits, checks: &mut Verify, with: *const UnspoolOptions) -> Checked<()> {
    // SAFETY: the same promise.
    let Some(asked) = (unsafe { sized(with)? }) else { return Ok(()) };
    *checks = verify(asked.checks)?;
    // SAFETY: the same promise.
    unsafe { bound(limits, asked.limits) }
}

/// Reads the options of a call that decodes a whole file, and returns its memory.
///
/// # Safety
///
/// As for [`choices`] and [`lend`].
#[cfg(any(feature = "pco", feature = "cvc", feature = "at1-columnar"))]
#[inline(always)]
pub unsafe fn whole_file<'a>(
    limits: &mut Limits,
    checks: &mut Verify,
    buffers: *const UnspoolBuffers,
    options: *const UnspoolOptions,
) -> Checked<Buffers<'a>> {
    // SAFETY: the same promises.
    unsafe {
        choices(limits, checks, options)?;
        lend(buffers, [])
    }
}

/// The result of a call that decodes or inspects. Members that a format does not count are 0.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct UnspoolDone {
    /// Bytes that the file decodes to, as far as they were counted.
    pub content: u64,
    /// Top-level parts: frames of Zstandard and AT-1, streams of xz, members of gzip, chunks of Pco
    /// and CVC.
    pub parts: u64,
    /// Blocks within the parts, for Zstandard and xz.
    pub blocks: u64,
    /// Bytes of window that a stream of this file needs.
    pub window: u64,
    /// Checksums that were compared and are equal. If nothing was decoded, those that the file has.
    pub checks_matched: u64,
    /// Checksums that were compared and differ; only with `UNSPOOL_CHECKS_REPORT`.
    pub checks_mismatched: u64,
    /// Parts without a checksum, and checksums that were skipped.
    pub checks_unchecked: u64,
    /// Bytes of the input that were used.
    pub read: usize,
    /// Bytes of the output that are filled. Those after them may have been used as scratch.
    pub wrote: usize,
}

impl UnspoolDone {
    const fn of(done: &Done) -> &Self {
        const {
            assert!(size_of::<Done>() == size_of::<Self>() && offset_of!(Done, wrote) == offset_of!(Self, wrote));
            assert!(offset_of!(Done, checksums) == offset_of!(Self, checks_matched));
        }
        // SAFETY: plain numbers in the same order; both are `repr(C)`.
        unsafe { start_of(done) }
    }
}

/// Ends a function with one result: writes it unless there is an error, and reports the error.
///
/// # Safety
///
/// Pointers that are not null lead to space for the result and for an error.
pub unsafe fn reply<T>(to: *mut T, error: *mut UnspoolError, call: impl FnOnce() -> Result<T>) -> UnspoolErrorKind {
    // SAFETY: the same promises.
    unsafe { report(error, &call().map(|result| answer(to, &result))) }
}

/// Ends a function that describes a struct: writes the result unless there is an error.
///
/// # Safety
///
/// As for [`reply`].
#[inline(always)]
pub unsafe fn describe<T>(to: *mut T, error: *mut UnspoolError, call: impl FnOnce() -> Checked<T>) -> UnspoolErrorKind {
    // SAFETY: the same promises.
    unsafe { settle(error, call().map(|result| answer(to, &result)), 0) }
}

/// Ends a function that decodes as [`reply`] does.
///
/// # Safety
///
/// As for [`reply`].
pub unsafe fn reply_done(
    to: *mut UnspoolDone,
    error: *mut UnspoolError,
    call: impl FnOnce() -> Result<Done>,
) -> UnspoolErrorKind {
    // SAFETY: the same promises.
    unsafe { concluded(to, error, &call()) }
}

/// Ends a function that decodes a whole file: `ready` checks the arguments and sets the options,
/// `run` decodes. A workspace is too small below `least` bytes.
///
/// Until `run`, an error is a number in a register. A `Result` of the core takes 72 bytes, which
/// each check would fill.
///
/// # Safety
///
/// As for [`reply`].
#[inline(always)]
pub unsafe fn decoded<O, A>(
    (to, error): (*mut UnspoolDone, *mut UnspoolError),
    (mut options, least): (O, usize),
    ready: impl FnOnce(&mut O) -> Checked<A>,
    run: impl FnOnce(A, &O) -> Result<Done>,
) -> UnspoolErrorKind {
    // SAFETY: the same promises.
    unsafe {
        match ready(&mut options) {
            Err(misuse) => settle(error, Err(misuse), least),
            Ok(arguments) => concluded(to, error, &run(arguments, &options)),
        }
    }
}

/// Shared by all formats, to save flash.
///
/// # Safety
///
/// As for [`reply`].
#[inline(never)]
unsafe fn concluded(to: *mut UnspoolDone, error: *mut UnspoolError, result: &Result<Done>) -> UnspoolErrorKind {
    // SAFETY: the same promises.
    unsafe {
        match result {
            Err(failed) => refuse(error, failed),
            Ok(done) => {
                answer(to, UnspoolDone::of(done));
                settle(error, Ok(()), 0)
            }
        }
    }
}

/// Turns values into bytes: those that were written, and those that an output must have.
#[cfg(any(feature = "pco", feature = "cvc"))]
pub fn bytes_of<T>(mut decoded: Result<Done>) -> Result<Done> {
    match &mut decoded {
        // They are in memory, so it has as many bytes.
        Ok(done) => done.wrote = done.wrote.wrapping_mul(size_of::<T>()),
        Err(error) => *error = in_bytes::<T>(ErrorKind::OutputTooSmall, *error),
    }
    decoded
}

/// Turns the values of which an error of this kind needs more into bytes.
#[cfg(any(feature = "pco", feature = "cvc"))]
#[cold]
pub fn in_bytes<T>(kind: ErrorKind, error: Error) -> Error {
    match error.kind == kind {
        true => error.needing(size_of_all::<T>(error.need)),
        false => error,
    }
}

/// Returns the bytes of as many values.
#[cfg(any(feature = "pco", feature = "cvc"))]
pub fn size_of_all<T>(count: u64) -> u64 {
    count.saturating_mul(u64_from(size_of::<T>()))
}

/// Writes characters as UTF-8 to the start of `dst`, and their length to `len`. If `dst` is too
/// short, only the length is written.
///
/// # Safety
///
/// A pointer that is not null leads to space for a length.
#[cfg(any(feature = "cvc", feature = "at1"))]
pub unsafe fn spell<I: Iterator<Item = char>>(text: &dyn Fn() -> I, dst: &mut [u8], len: *mut usize) -> Result<()> {
    let size = text().map(char::len_utf8).sum::<usize>();
    // SAFETY: the same promise.
    unsafe { answer(len, &size) };
    if dst.len() < size {
        return Err(Error::new(ErrorKind::OutputTooSmall, 0).needing(u64_from(size)));
    }
    let mut rest = dst.iter_mut();
    for character in text() {
        for (&byte, to) in character.encode_utf8(&mut [0; 4]).as_bytes().iter().zip(&mut rest) {
            *to = byte;
        }
    }
    Ok(())
}

/// Says whether more input follows that of this call.
pub type UnspoolEnd = u8;

/// More input may follow.
pub const UNSPOOL_END_NOT_YET: u8 = 0;
/// This input is the last.
pub const UNSPOOL_END_HERE: u8 = 1;

/// Reads the argument of a step function.
pub fn end_of(end: UnspoolEnd) -> Checked<End> {
    match end {
        UNSPOOL_END_NOT_YET => Ok(End::NotYet),
        UNSPOOL_END_HERE => Ok(End::Here),
        _ => Err(Misuse(ErrorKind::BadArgument)),
    }
}

/// Converts a length to a plain number.
pub fn u64_from(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}

/// The error for an argument without a meaning.
#[cold]
pub fn bad_argument() -> Error {
    Error::new(ErrorKind::BadArgument, 0)
}

/// The one thing that a caller must do next.
pub type UnspoolStatus = u8;

/// Call again with the bytes that follow those that were read.
pub const UNSPOOL_STATUS_NEED_INPUT: u8 = 0;
/// Call again with more output space. If some was left, the next call returns the error that
/// follows the bytes written.
pub const UNSPOOL_STATUS_NEED_OUTPUT: u8 = 1;
/// The data is complete; the input after it was not read.
pub const UNSPOOL_STATUS_DONE: u8 = 2;

/// Input and output of one call of a stream, and its progress. After an error `read` and `wrote`
/// are 0, so that a loop may add them up first.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct UnspoolStep {
    /// In: the input.
    pub src: *const c_void,
    /// In: bytes of the input.
    pub src_len: usize,
    /// In: the output.
    pub dst: *mut c_void,
    /// In: bytes of the output.
    pub dst_len: usize,
    /// Out: bytes of the input that were used.
    pub read: usize,
    /// Out: bytes of the output that are filled.
    pub wrote: usize,
    /// In: `UNSPOOL_END_HERE` if no input follows this.
    pub end: UnspoolEnd,
    /// Out: the next thing to do.
    pub status: UnspoolStatus,
}

impl UnspoolStep {
    /// The range of the input.
    pub fn src(&self) -> Span {
        span(self.src.cast::<u8>(), self.src_len)
    }

    /// The range of the output.
    pub fn dst(&self) -> Span {
        span(self.dst.cast::<u8>(), self.dst_len)
    }
}

/// Runs one step: reads its input and output, and writes its progress, which is none after an
/// error.
///
/// # Safety
///
/// Pointers that are not null lead to a step and to space for an error.
pub unsafe fn report_step(
    step: *mut UnspoolStep,
    error: *mut UnspoolError,
    run: impl FnOnce(&UnspoolStep) -> Result<Step>,
) -> UnspoolErrorKind {
    // SAFETY: the same promises. The copy is of plain members.
    unsafe {
        let result = needed(step.cast_const()).copied().map_err(Error::from).and_then(|asked| run(&asked));
        progress(step, error, result)
    }
}

/// Shared by all formats, to save flash.
///
/// # Safety
///
/// As for [`report_step`].
#[inline(never)]
unsafe fn progress(step: *mut UnspoolStep, error: *mut UnspoolError, result: Result<Step>) -> UnspoolErrorKind {
    let Step { read, wrote, status } = result.unwrap_or(Step { read: 0, wrote: 0, status: Status::NeedInput });
    let status = match status {
        Status::NeedInput => UNSPOOL_STATUS_NEED_INPUT,
        Status::NeedOutput => UNSPOOL_STATUS_NEED_OUTPUT,
        Status::Done => UNSPOOL_STATUS_DONE,
    };
    // SAFETY: the same promises; a pointer that is not null and aligned leads to a step.
    unsafe {
        if !step.is_null() && step.is_aligned() {
            ((*step).read, (*step).wrote, (*step).status) = (read, wrote, status);
        }
        report(error, &result.map(drop))
    }
}

/// Starts a decoder of bytes. `choose` sets its options, and notes the ranges that they borrow. An
/// error leaves the struct empty.
///
/// # Safety
///
/// As for [`clear`], [`compared`], `UnspoolBuffers::slices`, and the functions that read the
/// options and make the workspace.
pub unsafe fn start<O: Opaque, W: 'static, P: Default>(
    decoder: *mut O,
    memory: *const UnspoolBuffers,
    choose: impl FnOnce(&mut P, &mut [Span; 2]) -> Checked<()>,
    workspace: unsafe fn(Place) -> Checked<&'static mut W>,
    make: impl FnOnce(&'static mut W, &'static mut [u8], &P) -> O::Value,
) -> Result<()> {
    // SAFETY: the same promises.
    unsafe {
        let (mut options, mut read) = (P::default(), [NOTHING; 2]);
        let chosen = choose(&mut options, &mut read);
        let memory = compared(memory, read, [span(decoder, 1)])?;
        let [one, two] = read;
        let empty = clear(decoder, &[memory.workspace(), memory.window(), one, two, NOTHING])?;
        chosen?;
        let lent = memory.slices();
        let workspace = workspace(lent.workspace).map_err(lacking::<W>)?;
        empty.build(|place| Ok(place.write(make(workspace, lent.window, &options))))
    }
}

/// Runs one step of a decoder of bytes.
///
/// # Safety
///
/// As for [`input`], [`output`] and [`held_in`].
pub unsafe fn advance<O: Opaque>(
    decoder: *mut O,
    step: &UnspoolStep,
    run: impl FnOnce(&mut O::Value, &[u8], End, &mut [u8]) -> Result<Step>,
) -> Result<Step> {
    // SAFETY: the same promises.
    unsafe {
        let (src, end, dst) = step_memory(step, span(decoder, 1), lent_to(decoder.cast_const()))?;
        run(held_in(decoder)?, src, end, dst)
    }
}

/// Compares the memory of a step with the decoder and the memory that was lent to it. Returns it as
/// slices.
///
/// # Safety
///
/// As for [`input`] and [`output`].
#[inline(never)]
pub unsafe fn step_memory<'a>(
    step: &UnspoolStep,
    decoder: Span,
    lent: Checked<&Lent>,
) -> Checked<(&'a [u8], End, &'a mut [u8])> {
    disjoint(&[step.src(), step.dst(), decoder], 1)?;
    let lent = lent?;
    apart(step.dst(), lent)?;
    // The input may overlap what a decoder only reads.
    let [workspace, window, ..] = *lent;
    apart(step.src(), &[workspace, window])?;
    // SAFETY: the same promises.
    unsafe { Ok((filled(step.src.cast(), step.src_len), end_of(step.end)?, filled_mut(step.dst.cast(), step.dst_len))) }
}

/// Lends a decoder another window.
///
/// # Safety
///
/// As for [`output`] and [`held_in`].
pub unsafe fn relend<O: Opaque>(
    decoder: *mut O,
    window: Place,
    lend: impl FnOnce(&mut O::Value, &'static mut [u8]) -> Result<()>,
) -> Result<()> {
    // SAFETY: the same promises.
    unsafe {
        let (start, len) = (window.0.cast::<u8>(), window.1);
        let new = span(start, len);
        let lent = lent_to(decoder.cast_const())?;
        apart(new, &[span(decoder, 1)])?;
        // The last window is free, and may be part of the new one.
        let (before, after) = (lent.get(..WINDOW), lent.get(WINDOW + 1..));
        apart(new, before.unwrap_or_default())?;
        apart(new, after.unwrap_or_default())?;
        lend(held_in(decoder)?, output(start, len)?)?;
        relent(decoder, WINDOW, new)
    }
}

/// A format of a file.
pub type UnspoolFormat = u8;

/// No known format, or too few bytes to decide.
pub const UNSPOOL_FORMAT_UNKNOWN: u8 = 0;
/// Zstandard: RFC 8878, or the draft 0.2.0 as its encoder wrote it.
pub const UNSPOOL_FORMAT_ZSTD: u8 = 1;
/// Zstandard: v0.7, or the draft as its text says.
pub const UNSPOOL_FORMAT_ZSTD_V07: u8 = 2;
/// A skippable frame, which may precede Zstandard frames or separate them.
pub const UNSPOOL_FORMAT_ZSTD_SKIPPABLE: u8 = 3;
/// xz.
pub const UNSPOOL_FORMAT_XZ: u8 = 4;
/// Pco, standalone.
pub const UNSPOOL_FORMAT_PCO: u8 = 5;
/// An OnPair column in the container `ONPAIR01`.
pub const UNSPOOL_FORMAT_ONPAIR: u8 = 6;
/// CVC embedding vectors.
pub const UNSPOOL_FORMAT_CVC: u8 = 7;
/// AT-1.
pub const UNSPOOL_FORMAT_AT1: u8 = 8;
/// gzip, which may wrap any of the others.
pub const UNSPOOL_FORMAT_GZIP: u8 = 9;

/// Detects the format of a file by its first bytes. Eight bytes are always enough. If there are
/// fewer and more could decide, `need` is how many, else 0. `need` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unspool_probe(src: *const c_void, src_len: usize, need: *mut usize) -> UnspoolFormat {
    // SAFETY: the caller keeps the promises of the header.
    unsafe {
        let (format, more) = match unspool::probe(input(src.cast(), src_len).unwrap_or(&[])) {
            Probe::Match(format) => (format as u8, 0),
            Probe::NeedInput { min } => (UNSPOOL_FORMAT_UNKNOWN, min),
            Probe::Unknown => (UNSPOOL_FORMAT_UNKNOWN, 0),
        };
        answer(need, &more);
        format
    }
}

/// Returns the version of this library, such as `0.1.0`.
#[unsafe(no_mangle)]
pub extern "C" fn unspool_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

/// Returns 0 if the library is of the version and the layout that a header declares, else
/// `UNSPOOL_ERROR_WRONG_HEADER`. Call it as `unspool_check()`, once, before anything else.
#[unsafe(no_mangle)]
pub extern "C" fn unspool_check_header(version: u32, layout: u32) -> UnspoolErrorKind {
    match (version, layout) == (VERSION, LAYOUT | SMALL | NARROW) {
        true => 0,
        false => ErrorKind::WrongHeader as u32,
    }
}

/// The version as one number: a million for each major one, a thousand for each minor one.
const VERSION: u32 = {
    let [major, minor, patch] =
        [env!("CARGO_PKG_VERSION_MAJOR"), env!("CARGO_PKG_VERSION_MINOR"), env!("CARGO_PKG_VERSION_PATCH")];
    number(major) * 1_000_000 + number(minor) * 1000 + number(patch)
};

const fn number(digits: &str) -> u32 {
    match u32::from_str_radix(digits, 10) {
        Ok(number) => number,
        Err(_) => panic!("a version is three numbers"),
    }
}

/// The bits of a layout that depend on the build.
const SMALL: u32 = cfg!(feature = "small") as u32;
const NARROW: u32 = if cfg!(target_pointer_width = "32") { 2 } else { 0 };

//! The C interface on arbitrary bytes and in arbitrary memory: it refuses memory that overlaps, and
//! otherwise answers as the core does. It writes to nothing but the memory that it was lent.

use std::ffi::c_void;
use std::ops::Range;
use std::ptr::{from_mut, null, null_mut};

use unspool::{Done, End, Error, ErrorKind, Format, Limits, Result, Status, Step, at1, gzip, pco, xz, zstd};
use unspool_capi::at1::unspool_at1_decode;
use unspool_capi::common::{UNSPOOL_END_HERE, UNSPOOL_STATUS_DONE, UnspoolBuffers, UnspoolDone, UnspoolStep};
use unspool_capi::error::{UnspoolError, UnspoolErrorKind};
use unspool_capi::gzip::{UnspoolGzipDecoder, unspool_gzip_decode, unspool_gzip_init, unspool_gzip_step};
use unspool_capi::pco::unspool_pco_decode_u32;
use unspool_capi::xz::{UnspoolXzDecoder, unspool_xz_decode, unspool_xz_init, unspool_xz_step};
use unspool_capi::zstd::{UnspoolZstdDecoder, unspool_zstd_decode, unspool_zstd_init, unspool_zstd_step};

use unspool_harness::{Random, tile};

/// Words of the memory in which all buffers of a call lie.
const ARENA: usize = 1 << 15;
/// The longest input: it leaves room for the rest.
const MOST: usize = 1 << 14;
/// Words for the tables of any decoder here.
const TABLES: usize = 12 << 10;

/// A call that decodes a whole file with default options.
type Call = unsafe fn(*const UnspoolBuffers, *mut UnspoolDone, *mut UnspoolError) -> UnspoolErrorKind;
/// The same by the core: input, output, words of a workspace, scratch.
type InCore = fn(&[u8], &mut [u8], usize, &mut [u8]) -> Result<Done>;

/// The calls, and the functions of the core that they stand for.
const CALLS: [(Call, InCore); 5] = [
    (
        // SAFETY: that of the call.
        |buffers, done, error| unsafe { unspool_zstd_decode(buffers, null(), done, error) },
        |src, dst, _, _| zstd::decode(src, dst, &mut zstd::Workspace::new(), &zstd::Options::DEFAULT, &mut ()),
    ),
    (
        // SAFETY: the same.
        |buffers, done, error| unsafe { unspool_xz_decode(buffers, null(), done, error) },
        |src, dst, _, _| xz::decode(src, dst, &mut xz::Workspace::new(), &xz::Options::DEFAULT, &mut ()),
    ),
    (
        // SAFETY: the same.
        |buffers, done, error| unsafe { unspool_gzip_decode(buffers, null(), done, error) },
        |src, dst, _, _| gzip::decode(src, dst, &mut gzip::Workspace::new(), &gzip::Options::DEFAULT, &mut ()),
    ),
    (
        // SAFETY: the same.
        |buffers, done, error| unsafe { unspool_at1_decode(buffers, null(), done, error) },
        |src, dst, _, scratch| {
            at1::decode(src, dst, &mut at1::Workspace::new(), scratch, &at1::Options::DEFAULT, &mut ())
        },
    ),
    (
        // SAFETY: the same.
        |buffers, done, error| unsafe { unspool_pco_decode_u32(buffers, null(), done, error) },
        |src, dst, words, _| {
            let mut numbers = vec![0u32; dst.len() / 4];
            let done = pco::decode(src, &mut numbers, &mut vec![0; words], &pco::Options::DEFAULT, &mut ())?;
            let bytes = numbers.iter().flat_map(|number| number.to_le_bytes());
            dst.iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte);
            Ok(Done { wrote: 4 * done.wrote, ..done })
        },
    ),
];

/// Memory with a pattern, and the parts of it that a call is lent. It is reached through its
/// pointer alone, like that of a program in C.
struct Arena {
    memory: *mut [u64; ARENA],
    parts: Vec<Range<usize>>,
}

impl Drop for Arena {
    fn drop(&mut self) {
        // SAFETY: made by `new`, and dropped once.
        drop(unsafe { Box::from_raw(self.memory) });
    }
}

impl Arena {
    /// Places parts of these sizes, which mostly do not overlap. Copies `src` to the first.
    fn new(src: &[u8], sizes: &[usize], random: &mut Random) -> Self {
        let (mut at, mut parts, all) = (0usize, vec![], ARENA * 8);
        for &size in sizes {
            let anywhere = random.below(12) == 0;
            let start = if anywhere { random.below(all - size) } else { at.next_multiple_of(8) };
            parts.push(start..start + size);
            at = if anywhere { at } else { start + size };
        }
        let arena = Self { memory: Box::into_raw(Box::new([0xA5A5_A5A5_A5A5_A5A5; ARENA])), parts };
        let place = arena.parts[0].clone();
        // SAFETY: the first part is in the memory.
        unsafe { arena.at(place.start).copy_from(src.as_ptr(), place.len().min(src.len())) };
        arena
    }

    /// Returns the address of a byte.
    fn at(&self, index: usize) -> *mut u8 {
        self.memory.cast::<u8>().wrapping_add(index)
    }

    /// Returns a copy of some bytes.
    fn copy(&self, range: Range<usize>) -> Vec<u8> {
        // SAFETY: within the memory, which nobody writes now; every byte is a value.
        unsafe { std::slice::from_raw_parts(self.at(range.start), range.len()) }.to_vec()
    }

    /// Returns a copy of everything.
    fn all(&self) -> Vec<u8> {
        self.copy(0..8 * ARENA)
    }

    /// Returns the memory of a call: input, output, workspace, window and scratch.
    fn buffers(&self) -> UnspoolBuffers {
        let part = |number: usize| (self.at(self.parts[number].start).cast::<c_void>(), self.parts[number].len());
        let [src, dst, workspace, window, scratch] = [0, 1, 2, 3, 4].map(part);
        UnspoolBuffers {
            src: src.0,
            src_len: src.1,
            dst: dst.0,
            dst_len: dst.1,
            workspace: workspace.0,
            workspace_len: workspace.1,
            window: window.0,
            window_len: window.1,
            scratch: scratch.0,
            scratch_len: scratch.1,
        }
    }

    /// Returns whether two parts have a byte in common.
    fn overlap(&self) -> bool {
        let parts = self.parts.iter().enumerate();
        parts.clone().any(|(i, a)| self.parts[..i].iter().any(|b| common(a, b)))
    }

    /// Compares everything outside of the parts after the first with what it was.
    fn assert_untouched(&self, before: &[u8]) {
        let written = &self.parts[1..];
        for (at, (now, then)) in self.all().iter().zip(before).enumerate() {
            assert!(now == then || written.iter().any(|part| part.contains(&at)), "byte {at} of other memory changed");
        }
    }
}

/// Returns whether two ranges have a byte in common.
fn common(a: &Range<usize>, b: &Range<usize>) -> bool {
    !a.is_empty() && !b.is_empty() && a.start < b.end && b.start < a.end
}

/// Returns whether memory at random places and of random sizes explains an error.
fn is_of_memory(kind: UnspoolErrorKind) -> bool {
    [ErrorKind::Misaligned, ErrorKind::WorkspaceTooSmall].map(|kind| kind as u32).contains(&kind)
}

/// Decodes a whole file by each format.
pub fn capi_whole(bytes: &[u8]) {
    let bytes = bytes.get(..MOST).unwrap_or(bytes);
    for format in [Format::Zstd, Format::Xz, Format::Gzip, Format::At1, Format::Pco] {
        tile(format, bytes, &Limits { max_output: 1 << 20, ..Limits::DEFAULT });
    }
    let random = &mut Random::of(bytes);
    for (call, in_core) in CALLS {
        let words = if random.below(8) == 0 { random.below(TABLES) } else { TABLES };
        let sizes = [bytes.len(), random.below(1 << 15) & !3, 8 * words, 0, random.below(1 << 16)];
        let arena = Arena::new(bytes, &sizes, random);
        let (buffers, before) = (arena.buffers(), arena.all());
        let (mut done, mut error) = (UnspoolDone::default(), UnspoolError::default());
        // SAFETY: the pointers lead to memory that lives, whatever overlaps.
        let kind = unsafe { call(&raw const buffers, &raw mut done, &raw mut error) };
        assert_eq!(kind, error.kind, "a call returns the kind of its error");
        if arena.overlap() {
            assert_eq!(kind, ErrorKind::Overlap as u32);
            assert!(arena.all() == before, "memory that overlaps was written to");
            continue;
        }
        arena.assert_untouched(&before);
        if is_of_memory(kind) {
            continue;
        }
        let [src, dst, _, _, scratch] = [0, 1, 2, 3, 4].map(|number| arena.parts[number].clone());
        let (mut out, mut room) = (vec![0xA5; dst.len()], vec![0xA5; scratch.len()]);
        match in_core(&before[src], &mut out, words, &mut room) {
            Ok(expected) => {
                assert_eq!((kind, done.wrote, done.read), (0, expected.wrote, expected.read));
                assert!(arena.copy(dst)[..done.wrote] == out[..done.wrote], "another content than in the core");
            }
            Err(expected) => assert_eq!((kind, error.at), (expected.kind as u32, expected.at)),
        }
    }
}

/// A stream of C.
trait Stream: Sized {
    const FILLED: Self;
    /// # Safety
    ///
    /// The pointers lead to memory that lives.
    unsafe fn init(&mut self, buffers: *const UnspoolBuffers, error: *mut UnspoolError) -> UnspoolErrorKind;
    /// # Safety
    ///
    /// The same, also for what `init` was lent.
    unsafe fn step(&mut self, step: *mut UnspoolStep, error: *mut UnspoolError) -> UnspoolErrorKind;
}

macro_rules! stream {
    ($decoder:ident, $init:ident, $step:ident) => {
        impl Stream for $decoder {
            const FILLED: Self = Self { opaque: [0x5A5A_5A5A_5A5A_5A5A; _] };

            unsafe fn init(&mut self, buffers: *const UnspoolBuffers, error: *mut UnspoolError) -> UnspoolErrorKind {
                // SAFETY: the same promises.
                unsafe { $init(self, buffers, null(), error) }
            }

            unsafe fn step(&mut self, step: *mut UnspoolStep, error: *mut UnspoolError) -> UnspoolErrorKind {
                // SAFETY: the same promises.
                unsafe { $step(self, step, error) }
            }
        }
    };
}
stream!(UnspoolZstdDecoder, unspool_zstd_init, unspool_zstd_step);
stream!(UnspoolXzDecoder, unspool_xz_init, unspool_xz_step);
stream!(UnspoolGzipDecoder, unspool_gzip_init, unspool_gzip_step);

/// Decodes a stream by each format. Some steps lend memory that overlaps; they are refused, and the
/// stream goes on.
pub fn capi_stream(bytes: &[u8]) {
    let bytes = bytes.get(..MOST).unwrap_or(bytes);
    let window = vec![0xA5; 40_000];
    let (mut ws, mut room) = (zstd::Workspace::new(), window.clone());
    let mut decoder = zstd::Decoder::new(&mut ws, &mut room, &zstd::Options::DEFAULT);
    streams::<UnspoolZstdDecoder>(bytes, window.len(), |src, end, dst| decoder.step(src, end, dst));
    let (mut ws, mut room) = (xz::Workspace::new(), window.clone());
    let mut decoder = xz::Decoder::new(&mut ws, &mut room, &xz::Options::DEFAULT);
    streams::<UnspoolXzDecoder>(bytes, window.len(), |src, end, dst| decoder.step(src, end, dst));
    let (mut ws, mut room) = (gzip::Workspace::new(), window.clone());
    let mut decoder = gzip::Decoder::new(&mut ws, &mut room, &gzip::Options::DEFAULT);
    streams::<UnspoolGzipDecoder>(bytes, window.len(), |src, end, dst| decoder.step(src, end, dst));
}

/// Compares a stream of C with one of the core, step by step.
fn streams<S: Stream>(bytes: &[u8], window: usize, mut in_core: impl FnMut(&[u8], End, &mut [u8]) -> Result<Step>) {
    let random = &mut Random::of(bytes);
    // The output of a step is the second part.
    let arena = Arena::new(bytes, &[bytes.len(), 2048, 8 * TABLES, window, 0], random);
    let (mut decoder, mut error) = (S::FILLED, UnspoolError::default());
    let buffers = UnspoolBuffers { src: null(), src_len: 0, dst: null_mut(), dst_len: 0, ..arena.buffers() };
    // SAFETY: the arena lives, and so does the decoder.
    let kind = unsafe { decoder.init(&raw const buffers, &raw mut error) };
    if common(&arena.parts[2], &arena.parts[3]) {
        assert_eq!(kind, ErrorKind::Overlap as u32);
        return;
    }
    if kind != 0 {
        assert!(is_of_memory(kind), "{kind}");
        return;
    }
    let all = ARENA * 8;
    // The input may be in the memory of the decoder, which then writes over it.
    let (mut at, mut idle) = (arena.parts[0].start, 0);
    for _ in 0..4000 {
        let left = arena.parts[0].end.saturating_sub(at);
        let (take, give) = (random.below(600).min(left), random.below(1500));
        let src = at..at + take;
        let start = if random.below(10) == 0 { random.below(all) } else { arena.parts[1].start };
        let dst = start..start.saturating_add(give).min(all).min(start + 2048);
        let end = if take == left { End::Here } else { End::NotYet };
        let mut step = UnspoolStep {
            src: arena.at(src.start).cast(),
            src_len: src.len(),
            dst: arena.at(dst.start).cast(),
            dst_len: dst.len(),
            read: 0,
            wrote: 0,
            end: if end == End::Here { UNSPOOL_END_HERE } else { 0 },
            status: 0,
        };
        let before = arena.all();
        // SAFETY: the arena and the decoder live.
        let kind = unsafe { decoder.step(from_mut(&mut step), from_mut(&mut error)) };
        let lent = [arena.parts[2].clone(), arena.parts[3].clone()];
        let overlaps = common(&src, &dst) || lent.iter().any(|lent| common(lent, &src) || common(lent, &dst));
        if overlaps {
            assert_eq!(kind, ErrorKind::Overlap as u32);
            assert!(arena.all() == before, "memory that overlaps was written to");
            idle += 1;
            if idle > 20 {
                return;
            }
            continue;
        }
        idle = 0;
        let mut out = before[dst.clone()].to_vec();
        match in_core(&before[src], end, &mut out) {
            Ok(expected) => {
                assert_eq!((kind, step.read, step.wrote), (0, expected.read, expected.wrote));
                assert!(arena.copy(dst)[..step.wrote] == out[..step.wrote], "another content than in the core");
                assert_eq!(step.status == UNSPOOL_STATUS_DONE, expected.status == Status::Done);
                at += step.read;
                if expected.status == Status::Done {
                    return;
                }
            }
            Err(Error { kind: expected, at, .. }) => {
                assert_eq!((kind, error.at), (expected as u32, at));
                return;
            }
        }
    }
}

//! Calls the functions as a program in C does. Miri runs these tests too: it finds references that
//! overlap, or that outlive what they were made from, which no sanitizer of C does.
//!
//! All memory is as long as its call says, and stays until the end of the test.
#![allow(clippy::undocumented_unsafe_blocks, reason = "what each call is promised stands above")]
#![allow(clippy::cast_possible_truncation, reason = "offsets are within memory")]

use core::ffi::c_void;
use core::ptr::{null, null_mut};
use std::boxed::Box;
use std::vec;
use std::vec::Vec;

use crate::common::{
    UNSPOOL_END_HERE, UNSPOOL_STATUS_DONE, UNSPOOL_STATUS_NEED_INPUT, UnspoolBuffers, UnspoolDone, UnspoolRange,
    UnspoolStep,
};
use crate::error::{UnspoolError, UnspoolErrorKind};
use crate::store::UnspoolStore;

/// Reads a file of the small collection of vectors.
macro_rules! file {
    ($path:literal) => {
        include_bytes!(concat!("../../tests/vectors/", $path)).as_slice()
    };
}

/// Memory as C has it: an address and a length, and no reference to any of it.
struct Memory {
    start: *mut u64,
    words: usize,
    len: usize,
}

impl Memory {
    fn new(len: usize) -> Self {
        let words = len.div_ceil(8);
        let memory = Box::into_raw(vec![0u64; words].into_boxed_slice());
        Self { start: memory.cast(), words, len }
    }

    fn of(bytes: &[u8]) -> Self {
        let memory = Self::new(bytes.len());
        // SAFETY: as long as the bytes.
        unsafe { memory.start.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        memory
    }

    /// Returns the address `at` bytes from the start.
    fn at(&self, at: usize) -> *mut c_void {
        assert!(at <= self.len);
        // SAFETY: within the memory, or at its end.
        unsafe { self.start.cast::<u8>().add(at).cast() }
    }

    /// Returns the address of an opaque struct.
    fn place<T>(&self) -> *mut T {
        assert!(size_of::<T>() <= self.words * 8);
        self.start.cast()
    }

    fn bytes(&self, len: usize) -> Vec<u8> {
        assert!(len <= self.len);
        // SAFETY: within the memory, all of which has a value.
        unsafe { core::slice::from_raw_parts(self.start.cast::<u8>(), len) }.to_vec()
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: it was made from such a box.
        drop(unsafe { Box::from_raw(core::ptr::slice_from_raw_parts_mut(self.start, self.words)) });
    }
}

fn opaque<T>() -> Memory {
    Memory::new(size_of::<T>())
}

/// The memory of a call: input, output, workspace, window, scratch.
fn buffers([src, dst, workspace, window, scratch]: [&Memory; 5]) -> UnspoolBuffers {
    UnspoolBuffers {
        src: src.at(0),
        src_len: src.len,
        dst: dst.at(0),
        dst_len: dst.len,
        workspace: workspace.at(0),
        workspace_len: workspace.len,
        window: window.at(0),
        window_len: window.len,
        scratch: scratch.at(0),
        scratch_len: scratch.len,
    }
}

/// Runs a call that must not fail.
fn works(call: impl FnOnce(*mut UnspoolError) -> UnspoolErrorKind) {
    let mut error = UnspoolError::default();
    assert_eq!(call(&raw mut error), 0, "{error:?}");
}

/// Runs a call that writes a result.
fn get<T: Default>(call: impl FnOnce(*mut T, *mut UnspoolError) -> UnspoolErrorKind) -> T {
    let mut result = T::default();
    works(|error| call(&raw mut result, error));
    result
}

/// Decodes a stream in pieces of these sizes.
fn stream(
    src: &Memory,
    [some, room]: [usize; 2],
    mut step: impl FnMut(*mut UnspoolStep, *mut UnspoolError) -> UnspoolErrorKind,
) -> Vec<u8> {
    let (mut at, mut want, mut content, dst) = (0, some, vec![], Memory::new(room));
    loop {
        let len = want.min(src.len - at);
        let mut io = UnspoolStep {
            src: src.at(at),
            src_len: len,
            dst: dst.at(0),
            dst_len: room,
            read: 0,
            wrote: 0,
            end: if at + len == src.len { UNSPOOL_END_HERE } else { 0 },
            status: 0,
        };
        works(|error| step(&raw mut io, error));
        content.extend(dst.bytes(io.wrote));
        at += io.read;
        want = if io.status == UNSPOOL_STATUS_NEED_INPUT { want + some } else { some };
        if io.status == UNSPOOL_STATUS_DONE {
            return content;
        }
    }
}

/// A store in memory.
fn store(memory: &Memory) -> UnspoolStore {
    unsafe extern "C" fn read(context: *mut c_void, at: u64, into: *mut c_void, len: usize) -> u8 {
        // SAFETY: the decoder reads what it has written.
        unsafe { into.cast::<u8>().copy_from_nonoverlapping(context.cast::<u8>().add(at as usize), len) };
        0
    }
    unsafe extern "C" fn write(context: *mut c_void, at: u64, page: *const c_void, len: usize) -> u8 {
        // SAFETY: the decoder compares the capacity.
        unsafe { context.cast::<u8>().add(at as usize).copy_from_nonoverlapping(page.cast(), len) };
        0
    }
    UnspoolStore {
        size: size_of::<UnspoolStore>(),
        context: memory.at(0),
        capacity: memory.len as u64,
        old_len: 0,
        read: Some(read),
        write: Some(write),
        read_old: None,
    }
}

#[test]
fn zstd() {
    use crate::zstd::*;
    let (src, expected) = (Memory::of(file!("zstd/page.zst")), file!("xz/page.csv"));
    let (dst, workspace, none) = (Memory::new(expected.len()), opaque::<UnspoolZstdWorkspace>(), Memory::new(0));
    let call = buffers([&src, &dst, &workspace, &none, &none]);
    let done = get(|done, error| unsafe { unspool_zstd_decode(&raw const call, null(), done, error) });
    let _: UnspoolDone = done;
    assert_eq!(dst.bytes(done.wrote), expected);
    let info: UnspoolZstdInfo = get(|info, error| unsafe { unspool_zstd_info(src.at(0), src.len, info, error) });

    let dictionary = opaque::<UnspoolZstdDictionary>();
    let raw = Memory::of(&expected[..1000]);
    works(|error| unsafe { unspool_zstd_dictionary_init(dictionary.place(), raw.at(0), raw.len, 1, error) });
    let prepared = opaque::<UnspoolZstdWorkspace>();
    works(|error| unsafe {
        unspool_zstd_dictionary_prepare(dictionary.place(), UNSPOOL_ZSTD_RFC8878, prepared.at(0), prepared.len, error)
    });
    let options = UnspoolZstdOptions {
        size: size_of::<UnspoolZstdOptions>(),
        limits: null(),
        dictionary: dictionary.place(),
        checks: 0,
        flavour: UNSPOOL_ZSTD_RFC8878,
        magicless: 0,
    };
    let window = Memory::new(usize::try_from(info.stream_buffer).unwrap());
    for (options, window) in [(null(), &window), (&raw const options, &window), (null(), &none)] {
        let decoder = opaque::<UnspoolZstdDecoder>();
        let call = buffers([&none, &none, &workspace, window, &none]);
        works(|error| unsafe { unspool_zstd_init(decoder.place(), &raw const call, options, error) });
        // A window that is lent later, once a step has asked for it.
        let mut lent = window.len > 0;
        let longer = Memory::new(usize::try_from(info.stream_buffer).unwrap());
        let content = stream(&src, [100, 333], |step, error| {
            let kind = unsafe { unspool_zstd_step(decoder.place(), step, error) };
            if kind == 0 || lent {
                return kind;
            }
            lent = true;
            works(|error| unsafe { unspool_zstd_lend(decoder.place(), longer.at(0), longer.len, error) });
            unsafe { unspool_zstd_step(decoder.place(), step, error) }
        });
        assert_eq!(content, expected);
        let done: UnspoolDone = get(|done, error| unsafe { unspool_zstd_done(decoder.place(), done, error) });
        assert_eq!((done.read, done.content), (src.len, expected.len() as u64));
    }

    let (flash, page) = (Memory::new(expected.len()), Memory::new(512));
    let (call, store) = (buffers([&src, &none, &workspace, &none, &page]), store(&flash));
    let done: UnspoolDone = get(|done, error| unsafe {
        unspool_zstd_decode_to_store(&raw const call, &raw const store, null(), done, error)
    });
    assert_eq!(flash.bytes(done.wrote), expected);

    let margin: u64 =
        get(|margin, error| unsafe { unspool_zstd_in_place_margin(src.at(0), src.len, null(), margin, error) });
    let both = Memory::new(expected.len() + usize::try_from(margin).unwrap());
    let start = both.len - src.len;
    // SAFETY: the end of the memory is as long as the input.
    unsafe { both.at(start).cast::<u8>().copy_from_nonoverlapping(src.at(0).cast(), src.len) };
    let mut call = buffers([&none, &both, &workspace, &none, &none]);
    (call.src, call.src_len) = (both.at(start), src.len);
    let done: UnspoolDone =
        get(|done, error| unsafe { unspool_zstd_decode_in_place(&raw const call, null(), done, error) });
    assert_eq!(both.bytes(done.wrote), expected);
}

#[test]
fn xz() {
    use crate::xz::*;
    let (src, expected) = (Memory::of(file!("xz/unspool.xz")), b"unspool unspool unspool".as_slice());
    let (dst, workspace, none) = (Memory::new(expected.len()), opaque::<UnspoolXzWorkspace>(), Memory::new(0));
    let call = buffers([&src, &dst, &workspace, &none, &none]);
    let done: UnspoolDone = get(|done, error| unsafe { unspool_xz_decode(&raw const call, null(), done, error) });
    assert_eq!(dst.bytes(done.wrote), expected);

    let window = Memory::new(usize::try_from(done.window).unwrap());
    for window in [&window, &none] {
        let (decoder, mut lent) = (opaque::<UnspoolXzDecoder>(), window.len > 0);
        let call = buffers([&none, &none, &workspace, window, &none]);
        works(|error| unsafe { unspool_xz_init(decoder.place(), &raw const call, null(), error) });
        let longer = Memory::new(usize::try_from(done.window).unwrap());
        let content = stream(&src, [10, 7], |step, error| {
            let kind = unsafe { unspool_xz_step(decoder.place(), step, error) };
            if kind == 0 || lent {
                return kind;
            }
            lent = true;
            works(|error| unsafe { unspool_xz_lend(decoder.place(), longer.at(0), longer.len, error) });
            unsafe { unspool_xz_step(decoder.place(), step, error) }
        });
        assert_eq!(content, expected);
        let done: UnspoolDone = get(|done, error| unsafe { unspool_xz_done(decoder.place(), done, error) });
        assert_eq!(done.read, src.len);
    }

    let (flash, page) = (Memory::new(expected.len()), Memory::new(8));
    let (call, store) = (buffers([&src, &none, &workspace, &none, &page]), store(&flash));
    let done: UnspoolDone = get(|done, error| unsafe {
        unspool_xz_decode_to_store(&raw const call, &raw const store, null(), done, error)
    });
    assert_eq!(flash.bytes(done.wrote), expected);

    let (index, position) = (opaque::<UnspoolXzIndex>(), 20);
    works(|error| unsafe { unspool_xz_index_init(index.place(), src.len as u64, position, null(), error) });
    loop {
        let range: UnspoolRange = get(|range, error| unsafe { unspool_xz_index_needs(index.place(), range, error) });
        if range.start == range.end {
            break;
        }
        let (start, end) = (usize::try_from(range.start).unwrap(), usize::try_from(range.end).unwrap());
        works(|error| unsafe { unspool_xz_index_feed(index.place(), range.start, src.at(start), end - start, error) });
    }
    let block: UnspoolXzBlock = get(|block, error| unsafe { unspool_xz_index_found(index.place(), block, error) });
    let mut call = buffers([&none, &dst, &workspace, &none, &none]);
    (call.src, call.src_len) = (
        src.at(usize::try_from(block.file.start).unwrap()),
        usize::try_from(block.file.end - block.file.start).unwrap(),
    );
    let done: UnspoolDone =
        get(|done, error| unsafe { unspool_xz_decode_block(&raw const call, &raw const block, null(), done, error) });
    assert_eq!(dst.bytes(done.wrote), expected[usize::try_from(block.content.start).unwrap()..][..done.wrote]);
}

#[test]
fn gzip() {
    use crate::gzip::*;
    let (src, expected) = (Memory::of(file!("gzip/v1_int8.cvc.gz")), file!("cvc/v1_int8.cvc"));
    let (dst, workspace, none) = (Memory::new(expected.len()), opaque::<UnspoolGzipWorkspace>(), Memory::new(0));
    let window = Memory::new(32 << 10);
    let call = buffers([&src, &dst, &workspace, &window, &none]);
    let done: UnspoolDone = get(|done, error| unsafe { unspool_gzip_decode(&raw const call, null(), done, error) });
    assert_eq!(dst.bytes(done.wrote), expected);
    let decoder = opaque::<UnspoolGzipDecoder>();
    let call = buffers([&none, &none, &workspace, &window, &none]);
    works(|error| unsafe { unspool_gzip_init(decoder.place(), &raw const call, null(), error) });
    assert_eq!(
        stream(&src, [100, 333], |step, error| unsafe { unspool_gzip_step(decoder.place(), step, error) }),
        expected
    );
}

#[test]
fn pco() {
    use crate::pco::*;
    let (src, expected) =
        (Memory::of(file!("pco/x_f64_extreme_fmulthuge_lb.pco")), file!("pco/x_f64_extreme_fmulthuge_lb.bin"));
    let (opened, meta) = (opaque::<UnspoolPcoFile>(), opaque::<UnspoolPcoMeta>());
    works(|error| unsafe { unspool_pco_open(opened.place(), src.at(0), src.len, null(), error) });
    let info: UnspoolPcoInfo = get(|info, error| unsafe { unspool_pco_info(opened.place(), info, error) });
    let chunk: UnspoolPcoChunk =
        get(|chunk, error| unsafe { unspool_pco_chunk(opened.place(), info.first_chunk, chunk, meta.place(), error) });
    let (dst, workspace, none) =
        (Memory::new(expected.len()), Memory::new(usize::try_from(chunk.workspace_len).unwrap()), Memory::new(0));
    let call = buffers([&none, &dst, &workspace, &none, &none]);
    let next: u64 = get(|next, error| unsafe {
        unspool_pco_decode(opened.place(), info.first_chunk, &raw const call, next, error)
    });
    assert_eq!((dst.bytes(expected.len()).as_slice(), next + 1), (expected, src.len as u64));
    for decode in [unspool_pco_decode_file, unspool_pco_decode_f64] {
        let dst = Memory::new(expected.len());
        let call = buffers([&src, &dst, &workspace, &none, &none]);
        let done: UnspoolDone = get(|done, error| unsafe { decode(&raw const call, null(), done, error) });
        assert_eq!((dst.bytes(done.wrote).as_slice(), done.read), (expected, src.len));
    }

    let decoder = opaque::<UnspoolPcoDecoder>();
    works(|error| unsafe {
        unspool_pco_init_64(
            decoder.place(),
            meta.place(),
            chunk.len,
            UNSPOOL_PCO_BATCHES,
            workspace.at(0),
            workspace.len,
            error,
        )
    });
    works(|error| unsafe { unspool_pco_start_64(decoder.place(), chunk.len, chunk.page_at, error) });
    let page = Memory::of(&src.bytes(src.len)[usize::try_from(chunk.page_at).unwrap()..]);
    let content =
        stream(&page, [100, 2048], |step, error| unsafe { unspool_pco_step_64(decoder.place(), step, error) });
    assert_eq!(content, expected);
}

#[test]
fn onpair() {
    use crate::onpair::*;
    let (src, expected) = (Memory::of(file!("onpair/cpp/one_row_b12.onp")), file!("onpair/data/one_row.expected.bin"));
    let (column, search) = (opaque::<UnspoolOnPairColumn>(), opaque::<UnspoolOnPairSearch>());
    works(|error| unsafe { unspool_onpair_open(column.place(), src.at(0), src.len, null(), error) });
    let info: UnspoolOnPairInfo = get(|info, error| unsafe { unspool_onpair_info(column.place(), info, error) });
    let (dst, workspace) = (Memory::new(expected.len()), Memory::new(usize::try_from(info.workspace_len).unwrap()));
    for widened in [false, true] {
        if widened {
            works(|error| unsafe { unspool_onpair_widen(column.place(), workspace.at(0), workspace.len, error) });
        }
        let wrote: usize = get(|wrote, error| unsafe {
            unspool_onpair_decode(column.place(), 0, info.rows, dst.at(0), dst.len, wrote, error)
        });
        assert_eq!(dst.bytes(wrote), expected);
    }
    let (mut row, none) = (0, Memory::new(0));
    let rows = stream(&none, [0, 600], |step, error| unsafe {
        unspool_onpair_step(column.place(), &raw mut row, info.rows, step, error)
    });
    assert_eq!(rows, expected);

    let wrote: usize =
        get(|wrote, error| unsafe { unspool_onpair_row(column.place(), 0, dst.at(0), dst.len, wrote, error) });
    let (needle, fallback, tokens) =
        (Memory::of(&dst.bytes(wrote)), Memory::new(4 * wrote), Memory::new(usize::try_from(info.tokens).unwrap()));
    for kind in [UNSPOOL_ONPAIR_EQUALS, UNSPOOL_ONPAIR_STARTS_WITH, UNSPOOL_ONPAIR_CONTAINS] {
        let asked = UnspoolOnPairNeedle {
            size: size_of::<UnspoolOnPairNeedle>(),
            needle: needle.at(0),
            needle_len: needle.len,
            fallback: fallback.place(),
            fallback_len: wrote,
            tokens: tokens.place(),
            tokens_len: tokens.len,
            kind,
        };
        works(|error| unsafe { unspool_onpair_search_init(search.place(), column.place(), &raw const asked, error) });
        let mut found = vec![];
        loop {
            let mut row = 0u64;
            let more: u8 =
                get(|more, error| unsafe { unspool_onpair_search_next(search.place(), &raw mut row, more, error) });
            if more == 0 {
                break;
            }
            found.push(row);
        }
        assert_eq!(found, [0]);
    }
}

#[test]
fn cvc() {
    use crate::cvc::*;
    use crate::cvc_plan::*;
    let (src, expected) = (Memory::of(file!("cvc/v1_sections.cvc")), file!("cvc/v1_sections.f32.bin"));
    let (opened, column) = (opaque::<UnspoolCvcFile>(), opaque::<UnspoolCvcColumn>());
    works(|error| unsafe { unspool_cvc_open(opened.place(), src.at(0), src.len, null(), error) });
    let info: UnspoolCvcInfo = get(|info, error| unsafe { unspool_cvc_info(opened.place(), info, error) });
    works(|error| unsafe { unspool_cvc_column(column.place(), opened.place(), 0, error) });
    let (dst, none) = (Memory::new(expected.len()), Memory::new(0));
    let call = buffers([&src, &dst, &none, &none, &none]);
    let done: UnspoolDone = get(|done, error| unsafe {
        unspool_cvc_decode_f32(column.place(), 0, info.rows, &raw const call, 0, done, error)
    });
    assert_eq!(dst.bytes(done.wrote), expected);
    let dst = Memory::new(expected.len());
    let call = buffers([&src, &dst, &none, &none, &none]);
    let done: UnspoolDone = get(|done, error| unsafe { unspool_cvc_decode_file(&raw const call, null(), done, error) });
    assert_eq!(dst.bytes(done.wrote), expected);

    let plan = opaque::<UnspoolCvcPlan>();
    works(|error| unsafe { unspool_cvc_plan_init(plan.place(), column.place(), 0, info.rows, error) });
    let mut values = vec![];
    loop {
        let need: UnspoolCvcNeed = get(|need, error| unsafe { unspool_cvc_plan_next(plan.place(), need, error) });
        let start = usize::try_from(need.start).unwrap();
        let len = usize::try_from(need.end).unwrap() - start;
        match need.kind {
            UNSPOOL_CVC_NEED_NOTHING => break,
            UNSPOOL_CVC_NEED_LENGTH => {
                works(|error| unsafe { unspool_cvc_plan_feed(plan.place(), src.at(start), len, error) });
            }
            _ => {
                let mut call = buffers([&none, &dst, &none, &none, &none]);
                (call.src, call.src_len) = (src.at(start), len);
                let done: UnspoolDone = get(|done, error| unsafe {
                    unspool_cvc_plan_decode_f32(plan.place(), &raw const call, 0, done, error)
                });
                values.extend(dst.bytes(done.wrote));
            }
        }
    }
    assert_eq!(values, expected);

    let (decoder, head) = (opaque::<UnspoolCvcDecoder>(), Memory::new(4096));
    let call = buffers([&none, &none, &head, &none, &none]);
    works(|error| unsafe { unspool_cvc_init(decoder.place(), &raw const call, null(), error) });
    assert_eq!(
        stream(&src, [100, 300], |step, error| unsafe { unspool_cvc_step(decoder.place(), step, error) }),
        expected
    );
}

#[test]
fn at1() {
    use crate::at1::*;
    use crate::at1_query::*;
    let (src, expected) = (Memory::of(file!("at1/spec_c7_i64_extremes.at1")), file!("at1/spec_c7_i64_extremes.orig"));
    let info: UnspoolAt1Info = get(|info, error| unsafe { unspool_at1_info(src.at(0), src.len, null(), info, error) });
    let (workspace, scratch) = (opaque::<UnspoolAt1Workspace>(), Memory::new(64 << 10));
    assert!(info.scratch_len <= scratch.len as u64 && info.scratch_len_to <= scratch.len as u64);
    let (dst, none) = (Memory::new(expected.len()), Memory::new(0));
    let call = buffers([&src, &dst, &workspace, &none, &scratch]);
    let done: UnspoolDone = get(|done, error| unsafe { unspool_at1_decode(&raw const call, null(), done, error) });
    assert_eq!(dst.bytes(done.wrote), expected);

    unsafe extern "C" fn write(context: *mut c_void, bytes: *const c_void, len: usize) -> u8 {
        // SAFETY: the context is the vector below, which nobody else uses meanwhile.
        unsafe { (*context.cast::<Vec<u8>>()).extend_from_slice(core::slice::from_raw_parts(bytes.cast(), len)) };
        0
    }
    let mut sunk = Vec::<u8>::new();
    let call = buffers([&src, &none, &workspace, &none, &scratch]);
    let _: UnspoolDone = get(|done, error| unsafe {
        unspool_at1_decode_to(&raw const call, Some(write), (&raw mut sunk).cast(), null(), done, error)
    });
    assert_eq!(sunk, expected);

    let query = opaque::<UnspoolAt1Query>();
    let request = UnspoolAt1Request {
        filters: null(),
        filters_len: 0,
        columns: null(),
        columns_len: 0,
        limit: 0,
        ask: UNSPOOL_AT1_ROWS,
    };
    let call = buffers([&src, &none, &workspace, &none, &scratch]);
    works(|error| unsafe {
        unspool_at1_query_init(query.place(), &raw const request, null_mut(), 0, &raw const call, null(), error)
    });
    let (mut lines, mut next) = (vec![], UnspoolAt1Next::default());
    loop {
        works(|error| unsafe { unspool_at1_query_step(query.place(), 0, src.at(0), src.len, &raw mut next, error) });
        match next.kind {
            UNSPOOL_AT1_NEXT_NOTHING => break,
            UNSPOOL_AT1_NEXT_ROW => {
                let wrote: usize = get(|wrote, error| unsafe {
                    unspool_at1_query_line(query.place(), dst.at(0), dst.len, wrote, error)
                });
                lines.extend(dst.bytes(wrote));
            }
            _ => {}
        }
    }
    // The first line of the file names the columns, and lines come without their ends.
    let without_ends: Vec<u8> = expected.iter().copied().filter(|&byte| byte != b'\n').collect();
    assert!(without_ends.ends_with(&lines) && lines.len() > 50, "{} bytes of rows", lines.len());
}

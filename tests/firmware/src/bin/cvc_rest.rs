//! Calls every public function of CVC that `cvc` does not, so that none can hide a panic.
#![no_std]
#![no_main]

use core::ops::Range;

use firmware::{Test, entry, file};
use unspool::cvc::{self, Dtype, Element, File, Header, Options, Outline, Plan, Scalar, Workspace, inspect};
use unspool::{Checksums, Count, Limits, Name, Part, Result, SliceSink, Trace, Value, Verify};

file!(PLAIN, "../../../vectors/cvc/v2_ints_default.cvc");
file!(PLAIN_I32, "../../../vectors/cvc/v2_ints_default.col1.raw.bin");
file!(PLAIN_I64, "../../../vectors/cvc/v2_ints_default.col3.raw.bin");
file!(PLAIN_I8, "../../../vectors/cvc/v2_ints_default.col5.raw.bin");
file!(PLAIN_U8, "../../../vectors/cvc/v2_ints_default.col7.raw.bin");
file!(HALVES, "../../../vectors/cvc/v2_none_float16_v.cvc");
file!(HALVES_VALUES, "../../../vectors/cvc/v2_none_float16_v.col0.raw.bin");
file!(FLOATS, "../../../vectors/cvc/v2_none_float32_s.cvc");
file!(FLOATS_VALUES, "../../../vectors/cvc/v2_none_float32_s.col0.raw.bin");
file!(SECTIONS, "../../../vectors/cvc/v1_sections.cvc");
file!(SECTIONS_VALUES, "../../../vectors/cvc/v1_sections.f32.bin");
file!(INT8, "../../../vectors/cvc/v1_int8.cvc");
file!(LOSSLESS, "../../../vectors/cvc/v1_mmap_lossless.cvc");

const LIMITS: Limits = Limits::DEFAULT;
const OPTIONS: Options<'static> = Options::DEFAULT;
const REPORT: Options<'static> = Options { verify: Verify::Report, ..OPTIONS };
const SKIP: Options<'static> = Options { verify: Verify::Skip, ..OPTIONS };
const ROOM: usize = 640;

#[entry]
fn main() -> ! {
    static mut ROOM_4: [u8; 4 * ROOM] = [0; 4 * ROOM];
    static mut F32: [f32; ROOM] = [0.0; ROOM];

    let mut test = Test::new("cvc_rest");
    let (plain, i32s, i64s) = (PLAIN.get(), PLAIN_I32.get(), PLAIN_I64.get());
    test.case("i32", || native(plain, "int32_v", i32s, [0i32; 33], |n| n.to_le_bytes()) == Ok(true), i32s.len());
    test.case("i64", || native(plain, "int64_v", i64s, [0i64; 33], |n| n.to_le_bytes()) == Ok(true), i64s.len());
    let (i8s, u8s) = (PLAIN_I8.get(), PLAIN_U8.get());
    test.case("i8", || native(plain, "int8_v", i8s, [0i8; 33], |n| n.to_le_bytes()) == Ok(true), i8s.len());
    test.case("u8", || native(plain, "uint8_v", u8s, [0u8; 33], |n| [n]) == Ok(true), u8s.len());
    let (halves, floats) = (HALVES_VALUES.get(), FLOATS_VALUES.get());
    test.case("f16", || native(HALVES.get(), "c", halves, [0u16; 33], |n| n.to_le_bytes()) == Ok(true), halves.len());
    test.case("f32", || native(FLOATS.get(), "c", floats, [0f32; 11], |n| n.to_le_bytes()) == Ok(true), floats.len());
    test.case("wrong type", || native(plain, "int32_v", i32s, [0i64; 33], |n| n.to_le_bytes()).is_err(), 1);

    let (sections, values) = (SECTIONS.get(), SECTIONS_VALUES.get());
    test.case("plan", || by_plan(sections, values, F32) == Ok(true), values.len());
    test.case("sinks", || by_sink(sections, values, ROOM_4) == Ok(true), values.len());
    test.case("doors", || by_doors(sections, values, F32, ROOM_4) == Ok(true), values.len());
    for (name, bytes) in [("columns", plain), ("columns", sections), ("columns", LOSSLESS.get())] {
        test.case(name, || by_chunk(bytes, F32) == Ok(true), bytes.len());
    }
    test.case("sections", || sections_of(sections) == Ok(true), 1);
    test.case("describe", || [plain, sections, INT8.get(), LOSSLESS.get()].into_iter().all(described), 4);
    for (name, bytes) in [("inspect", plain), ("inspect", sections), ("inspect", LOSSLESS.get())] {
        test.case(name, || inspected(bytes), bytes.len());
    }
    test.finish()
}

/// Decodes a column in its own type.
fn native<T: Element + Copy, const N: usize, const W: usize>(
    bytes: &[u8],
    name: &str,
    expected: &[u8],
    mut values: [T; N],
    to_bytes: impl Fn(T) -> [u8; W],
) -> Result<bool> {
    let file = File::open(bytes, &LIMITS)?;
    let column = file.column(name)?;
    let done = column.decode(bytes, column.rows(), &mut values, &REPORT)?;
    let decoded = values.iter().flat_map(|&value| to_bytes(value));
    Ok(done.wrote == N && decoded.eq(expected.iter().copied()))
}

/// Fetches ranges: the head, then those of the plan. Every second chunk has only its rows fetched,
/// unverified.
fn by_plan(bytes: &[u8], expected: &[u8], values: &mut [f32]) -> Result<bool> {
    let fetch = |range: Range<u64>| {
        let range =
            usize::try_from(range.start).unwrap_or(usize::MAX)..usize::try_from(range.end).unwrap_or(usize::MAX);
        bytes.get(range).unwrap_or(&[])
    };
    let head = fetch(0..Header::read(fetch(0..Header::LEN as u64), &LIMITS)?.head_len());
    let file = File::open(head, &LIMITS)?;
    let column = file.only_column()?;
    let mut plan = Plan::new();
    plan.open(&column, 3..column.rows().end)?;
    let mut at = 3 * column.dimension();
    let mut right = true;
    while let Some(mut range) = plan.needs() {
        if let Some(piece) = plan.piece().filter(|piece| piece.chunk % 2 == 1) {
            range = piece.data_range()?;
        }
        let Some(payload) = plan.feed(range.start, fetch(range), Verify::Refuse)? else { continue };
        payload.decode(values)?;
        let lent = payload.fp16().map_or(0, <[_]>::len) + payload.int8().map_or(0, |(codes, ..)| codes.len());
        let expected = fetch_from(expected, at * 4).chunks_exact(4);
        right &= lent == payload.len() && payload.raw().is_some() && payload.plain().is_none();
        right &= expected.zip(values.iter()).take(payload.len()).all(|(bytes, value)| bytes == value.to_le_bytes());
        right &= !payload.is_empty() && payload.compression() == "fp16";
        at += payload.len() as u64;
    }
    Ok(right && plan.checksums().matched > 0 && at * 4 == expected.len() as u64)
}

fn fetch_from(bytes: &[u8], at: u64) -> &[u8] {
    usize::try_from(at).ok().and_then(|at| bytes.get(at..)).unwrap_or(&[])
}

fn by_sink(bytes: &[u8], expected: &[u8], room: &mut [u8]) -> Result<bool> {
    let file = File::open(bytes, &LIMITS)?;
    let column = file.only_column()?;
    let mut count = Count::default();
    column.decode_to(bytes, column.rows(), &mut count, &SKIP)?;
    let mut slice = SliceSink::new(room);
    column.decode_to(bytes, column.rows(), &mut slice, &OPTIONS)?;
    let written = slice.written();
    let right = count.0 == expected.len() as u64 && room.get(..written) == Some(expected);
    room.fill(0);
    let done = column.decode_bytes(bytes, column.rows(), room, &OPTIONS)?;
    Ok(right && room.get(..done.wrote) == Some(expected))
}

/// Decodes the only column with the functions that open the file themselves.
fn by_doors(bytes: &[u8], expected: &[u8], values: &mut [f32], room: &mut [u8]) -> Result<bool> {
    let mut workspace = Workspace::new();
    let len = cvc::decoded_len(bytes, &mut workspace, &OPTIONS)?;
    let mut right = len * 4 == expected.len() as u64 && cvc::workspace_len(bytes, &OPTIONS)? == 0;
    let as_expected =
        |values: &[f32]| expected.as_chunks().0.iter().zip(values).all(|(bytes, value)| *bytes == value.to_le_bytes());
    values.fill(0.0);
    let done = cvc::decode(bytes, values, &mut workspace, &OPTIONS, &mut Sum { bits: 0, depth: 0 })?;
    right &= done.wrote as u64 == len && as_expected(values);
    values.fill(0.0);
    let (done, error) = cvc::salvage(bytes, values, &mut workspace, &OPTIONS);
    right &= done.wrote as u64 == len && error.is_none() && as_expected(values);
    let mut slice = SliceSink::new(room);
    cvc::decode_to(bytes, &mut slice, &mut workspace, &OPTIONS)?;
    Ok(right && slice.written() == expected.len())
}

/// Decodes every column of every chunk, with a column index and without, and checks their
/// positions.
fn by_chunk(bytes: &[u8], values: &mut [f32]) -> Result<bool> {
    let file = File::open(bytes, &LIMITS)?;
    let mut table = [0; 200];
    let mut wrote = 0;
    for mut workspace in [Workspace::new(), Workspace::with_table(&mut table)] {
        file.each_output(&mut workspace, |_, _, _| Ok(()))?;
        file.each_piece(bytes, &mut workspace, |_, _, piece| {
            let range = piece.range();
            let range =
                usize::try_from(range.start).unwrap_or(usize::MAX)..usize::try_from(range.end).unwrap_or(usize::MAX);
            let payload = piece.read(bytes.get(range).unwrap_or(&[]), Verify::Skip, &mut Checksums::default())?;
            // Some exceed the buffer.
            if payload.len() <= values.len() {
                payload.decode(values)?;
            }
            wrote += payload.len() as u64;
            Ok(())
        })?;
    }
    let mut sum = Sum { bits: 0, depth: 0 };
    let mut outline = Outline::open(bytes, bytes.len() as u64, &LIMITS, &mut sum)?;
    while let Some(range) = outline.needs() {
        let start = usize::try_from(range.start).unwrap_or(usize::MAX);
        let end = usize::try_from(range.end).unwrap_or(usize::MAX);
        let fetched = bytes.get(start..end).unwrap_or(&[]);
        outline.feed(range.start, fetched, &mut Workspace::with_table(&mut table), &mut sum)?;
    }
    let values = file.columns().flatten().map(|column| column.dimension() * file.num_vectors()).sum::<u64>();
    Ok(wrote == 2 * values && sum.bits == bytes.len() as u64 * 8)
}

fn sections_of(bytes: &[u8]) -> Result<bool> {
    let file = File::open(bytes, &LIMITS)?;
    let (mut found, mut all) = (0, 0);
    for section in file.sections() {
        let section = section?;
        all += 1;
        found += usize::from(section.metadata.matches("n", &Scalar::parse("1.0")?));
        let source = section.metadata.get("source");
        found += usize::from(source.is_some() && !section.metadata.matches("source", &Scalar::from("elsewhere")));
    }
    let mut in_chunks = 0;
    for chunk in file.chunks() {
        let chunk = chunk?;
        let inside = |rows: &Range<u64>| chunk.rows.start <= rows.start && rows.end <= chunk.rows.end;
        in_chunks += chunk.sections().flatten().filter(|section| inside(&section.rows)).count();
        found += usize::from(chunk.metadata().get("none").is_some());
    }
    Ok(all > 0 && found > 0 && in_chunks >= all)
}

/// Calls every function that reads a file without decoding.
fn described(bytes: &[u8]) -> bool {
    let Ok(file) = File::open(bytes, &LIMITS) else { return false };
    let columns = file.columns().flatten().filter(|column| {
        let known = column.dtype().map_or("", Dtype::name).len() + column.name().raw().len();
        known > 0 && !column.compression().is_empty() && column.dimension() > 0 && column.output().is_ok()
    });
    columns.count() as u64 == file.column_count()
        && file.version().major > 0
        && file.has_checksums()
        && file.num_vectors() > 0
        && file.chunk_count() == file.chunks().flatten().count() as u64
        && (!file.is_mmap_optimized() || !file.is_columnar())
        && file.columns().flatten().all(|column| column.name().chars().all(|c| c != '\0'))
}

/// Checks that the leaves add up to the file.
fn inspected(bytes: &[u8]) -> bool {
    let mut sum = Sum { bits: 0, depth: 0 };
    let inspected = inspect(bytes, &mut Workspace::new(), &OPTIONS, &mut sum);
    inspected.is_ok_and(|done| done.checksums.matched > 0 && done.checksums.mismatched == 0)
        && sum.bits == bytes.len() as u64 * 8
        && sum.depth == 0
}

struct Sum {
    bits: u64,
    depth: i32,
}

impl Trace for Sum {
    fn enter(&mut self, _: Name, _: Value<'_>) {
        self.depth += 1;
    }

    fn leaf(&mut self, _: Part, _: Name, bits: Range<u64>, _: Value<'_>) {
        self.bits += bits.end - bits.start;
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }
}

//! Pco: every door returns the same result for a file, and the reference agrees where it can run.

use unspool::pco::{Chunk, Decoder, File, Latent, Plan};
use unspool::{Class, End, Error, ErrorKind, Limits, Name, Part, Status, Trace, Value};

/// Limits so small that a file with large claims is refused at once.
const LIMITS: Limits = Limits { max_output: 1 << 20, max_window: 1 << 20, max_elements: 1 << 18, ..Limits::DEFAULT };

/// Decodes arbitrary bytes.
pub fn pco_arbitrary(bytes: &[u8]) {
    both_ways(bytes);
    // Most inputs fail at the magic number, so they are also tried after a valid header.
    let mut file = b"pco!\x03\x00\x00\x04\x01".to_vec();
    file.extend_from_slice(bytes);
    both_ways(&file);
}

/// Decodes mutated files.
pub fn pco_mutated(bytes: &[u8]) {
    both_ways(bytes);
}

/// Checks that leaves are in the file and that groups nest.
struct Checker {
    bits: u64,
    depth: usize,
}

impl Trace for Checker {
    fn enter(&mut self, _: Name, _: Value<'_>) {
        self.depth += 1;
    }

    fn leaf(&mut self, _: Part, _: Name, bits: std::ops::Range<u64>, _: Value<'_>) {
        assert!(bits.start < bits.end);
        self.bits = self.bits.max(bits.end);
    }

    fn leave(&mut self) {
        self.depth = self.depth.checked_sub(1).expect("more groups end than started");
    }
}

fn both_ways(bytes: &[u8]) {
    let Ok(file) = File::open(bytes, &LIMITS) else { return };
    let (mut at, mut left) = (file.first(), 1usize << 20);
    while let Ok(Some(chunk)) = file.chunk(at, &mut ()) {
        let size = chunk.len * chunk.number_type().size();
        if chunk.workspace_len(Plan::Batches) > 1 << 18 || left < size {
            return;
        }
        left -= size;
        let fast = decode(&chunk, &mut ());
        let mut checker = Checker { bits: 0, depth: 0 };
        let traced = decode(&chunk, &mut checker);
        let kind = |error: &Error| (error.kind, error.at);
        assert_eq!(fast.as_ref().map_err(kind), traced.as_ref().map_err(kind));
        let pieces = |plan| match chunk.number_type().bits() {
            8 => pieces::<u8>(&chunk, plan),
            16 => pieces::<u16>(&chunk, plan),
            32 => pieces::<u32>(&chunk, plan),
            _ => pieces::<u64>(&chunk, plan),
        };
        assert_eq!(fast.as_ref().map_err(kind), pieces(Plan::Batches).as_ref().map_err(kind));
        // If a batch has two late errors, the compact decoder reports the one of the earlier
        // number.
        let kind = |error: &Error| match error.kind {
            ErrorKind::PcoDictIndex => (ErrorKind::PcoLookback, error.at),
            kind => (kind, error.at),
        };
        assert_eq!(fast.as_ref().map_err(kind), pieces(Plan::CompactBatches).as_ref().map_err(kind));
        let skipped = chunk.skip(&mut vec![0; chunk.workspace_len(Plan::Whole) as usize]);
        let mut salvaged = vec![0; size];
        let mut words = vec![0; chunk.workspace_len(Plan::Batches) as usize];
        let (count, ended) = chunk.salvage_bytes(&mut salvaged, &mut words, &mut ());
        assert_eq!(ended.as_ref().map_err(kind), fast.as_ref().map(|(_, next)| next).map_err(kind));
        assert!(count <= chunk.len && (count == chunk.len || count % 256 == 0));
        assert!(fast.as_ref().is_err() || fast.as_ref().is_ok_and(|(numbers, _)| *numbers == salvaged));
        let Ok((numbers, next)) = fast else {
            let late = |error: Error| matches!(error.kind, ErrorKind::PcoLookback | ErrorKind::PcoDictIndex);
            assert!(skipped.is_err() || fast.is_err_and(late));
            return;
        };
        assert_eq!(checker.depth, 0);
        assert!(checker.bits <= bytes.len() as u64 * 8);
        assert!(traced == Ok((numbers, next)));
        assert_eq!(skipped, Ok(next));
        assert!(next >= chunk.page_at && next <= bytes.len() as u64);
        at = next;
    }
}

fn decode(chunk: &Chunk<'_>, trace: &mut impl Trace) -> Result<(Vec<u8>, u64), Error> {
    let mut out = vec![0; chunk.len * chunk.number_type().size()];
    let mut words = vec![u64::MAX; chunk.workspace_len(Plan::Batches) as usize];
    let next = chunk.decode_bytes(&mut out, &mut words, trace)?;
    Ok((out, next))
}

/// Decodes with a decoder that gets a few bytes and output for 256 numbers at a time.
fn pieces<L: Latent>(chunk: &Chunk<'_>, plan: Plan) -> Result<(Vec<u8>, u64), Error> {
    let mut words = vec![0x5555_5555_5555_5555; chunk.workspace_len(plan) as usize];
    let mut decoder = Decoder::<L>::new(&chunk.meta, chunk.len, plan);
    decoder.open(&mut words)?;
    decoder.start(chunk.len, chunk.page_at)?;
    let (page, mut room, mut out) = (chunk.page(), vec![L::ZERO; 256], vec![]);
    let (mut at, mut piece) = (0, 100);
    loop {
        let end = if page.len() - at <= piece { End::Here } else { End::NotYet };
        let step = decoder.step(&page[at..page.len().min(at + piece)], end, &mut room)?;
        for number in &room[..step.wrote] {
            let start = out.len();
            out.resize(start + size_of::<L>(), 0);
            number.put(&mut out[start..]);
        }
        at += step.read;
        match step.status {
            Status::Done => return Ok((out, chunk.page_at + at as u64)),
            Status::NeedInput => {
                assert!(end == End::NotYet);
                piece *= 2;
            }
            Status::NeedOutput => piece = 100,
        }
    }
}

/// Bytes of numbers that are compared at most. A few bytes of a file can expand to a whole chunk.
const COMPARED: usize = 4 << 20;

/// Compares with the reference: it must decode the same files, to the same numbers.
pub fn pco_differential(bytes: &[u8]) {
    // Skips the reference under Miri: its unchecked reads are not under test, and are slow in an
    // interpreter.
    if cfg!(miri) {
        return;
    }
    let Ok(file) = File::open(bytes, &LIMITS) else { return };
    let (mut at, mut all, mut ty) = (file.first(), vec![], None);
    let taken = loop {
        match file.chunk(at, &mut ()) {
            Ok(None) => break true,
            Ok(Some(chunk)) => {
                if chunk.workspace_len(Plan::Batches) > 1 << 18
                    || *ty.get_or_insert(chunk.number_type()) != chunk.number_type()
                    || all.len() > COMPARED
                {
                    return;
                }
                match decode(&chunk, &mut ()) {
                    Ok((numbers, next)) => (all.extend(numbers), at = next).1,
                    // The reference reads old memory for a lookback of 0.
                    Err(error) if error.kind == ErrorKind::PcoLookback => return,
                    Err(_) => break false,
                }
            }
            Err(error) if error.class() == Class::Limit => return,
            Err(_) => break false,
        }
    };
    let Some(ty) = ty else { return };
    let theirs = reference(ty.name(), bytes);
    assert_eq!(theirs.is_some(), taken, "one decodes it, the other does not");
    assert!(!taken || theirs == Some(all), "other numbers");
}

/// Decodes with the reference. Returns little-endian bytes, or `None` if it refuses.
fn reference(ty: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    fn run<T: pco::data_types::Number, const N: usize>(bytes: &[u8], put: fn(T) -> [u8; N]) -> Option<Vec<u8>> {
        let (file, chunks) = pco::standalone::FileDecompressor::new(bytes).ok()?;
        // A hint of 2^61 numbers would make it allocate a gigabyte.
        let numbers = file.with_max_prealloc(COMPARED).simple_decompress::<T>(chunks).ok()?;
        Some(numbers.into_iter().flat_map(put).collect())
    }
    match ty {
        "u8" => run(bytes, u8::to_le_bytes),
        "i8" => run(bytes, i8::to_le_bytes),
        "u16" => run(bytes, u16::to_le_bytes),
        "i16" => run(bytes, i16::to_le_bytes),
        "f16" => run(bytes, half::f16::to_le_bytes),
        "u32" => run(bytes, u32::to_le_bytes),
        "i32" => run(bytes, i32::to_le_bytes),
        "f32" => run(bytes, f32::to_le_bytes),
        "u64" => run(bytes, u64::to_le_bytes),
        "i64" => run(bytes, i64::to_le_bytes),
        _ => run(bytes, f64::to_le_bytes),
    }
}

//! Pco: every door returns the same result for a file, and the reference agrees where it can run.

use unspool::pco::{Chunk, File, Options, Plan};
use unspool::{Class, Error, ErrorKind, Format, Limits, Trace};
use unspool_harness::pco::agree;
use unspool_harness::tile;

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

fn both_ways(bytes: &[u8]) {
    let _ = agree(bytes, &Options { limits: LIMITS, ..Options::DEFAULT });
}

fn decode(chunk: &Chunk<'_>, trace: &mut impl Trace) -> Result<(Vec<u8>, u64), Error> {
    let mut out = vec![0; chunk.len * chunk.number_type().size()];
    let mut words = vec![u64::MAX; chunk.workspace_len(Plan::Batches) as usize];
    let next = chunk.decode_bytes(&mut out, &mut words, trace)?;
    Ok((out, next))
}

/// Bytes of numbers that are compared at most. A few bytes of a file can expand to a whole chunk.
const COMPARED: usize = 4 << 20;

/// Compares with the reference: it must decode the same files, to the same numbers.
pub fn pco_differential(bytes: &[u8]) {
    tile(Format::Pco, bytes, &LIMITS);
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

//! Writes Pco files to measure with, by the reference: `cargo run --release -p unspool-arrow
//! --example pco-columns -- MEGABYTES FOLDER`.
//!
//! `times.pco` holds times in ascending order, `measurements.pco` floats of a normal distribution.
//! Each decodes to this many megabytes.
#![allow(clippy::cast_precision_loss, clippy::cast_possible_wrap, reason = "numbers that are made up")]

use std::error::Error;
use std::path::Path;

use pco::ChunkConfig;
use pco::data_types::Number;
use unspool_tests::Random;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [megabytes, folder] = arguments.as_slice() else { return Err("expected MEGABYTES and FOLDER".into()) };
    let (count, folder) = (megabytes.parse::<usize>()? * 1_000_000 / 8, Path::new(folder));
    let (mut random, mut time) = (Random(2), 1_700_000_000_000i64);
    let times = std::iter::repeat_with(|| {
        time += 1000 + random.below(60) as i64;
        time
    });
    write(times.take(count).collect(), &folder.join("times.pco"))?;
    let mut random = Random(3);
    let mut unit = || (random.bits() >> 11) as f64 / (1u64 << 53) as f64;
    // The sum of twelve even distributions.
    let measurements = std::iter::repeat_with(|| (0..12).map(|_| unit()).sum::<f64>() - 6.0);
    write(measurements.take(count).collect(), &folder.join("measurements.pco"))
}

fn write<T: Number>(numbers: Vec<T>, path: &Path) -> Result<(), Box<dyn Error>> {
    std::fs::write(path, pco::standalone::simple_compress(&numbers, &ChunkConfig::default())?)?;
    println!("{}: {} numbers", path.display(), numbers.len());
    Ok(())
}

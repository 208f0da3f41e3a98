//! Pco against its reference, on columns for each of its modes and deltas, here and in Node.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "what the columns hold is made up, and small"
)]

use pco::data_types::Number as Reference;
use pco::{ChunkConfig, DeltaSpec, ModeSpec};
use unspool::Limits;
use unspool::pco::{File, Number, Plan, decode};

use crate::race::Race;
use crate::{Options, Result, node};

const N: usize = 1 << 18;

/// Runs every case that was asked for.
pub fn bench(options: &Options) -> Result<()> {
    let (classic, plain) = (|| ModeSpec::Classic, || DeltaSpec::NoOp);
    let heavy = |n| numbers(n, heavy_tailed);
    let mut walk = 0i32;
    let mut time = 1_700_000_000_000i64;
    let mut cents = 100_000i64;
    let mut audio = Audio::default();
    let ids: Vec<i64> = numbers(5000, |r| r.bits().cast_signed());
    let mut recent = vec![0u32; 1 << 15];
    let mut at = 0;
    let done: [Result<()>; 23] = [
        one(options, "pco/i64-heavy-tailed", || heavy(N), classic(), plain()),
        one(options, "pco/f32-normal", || numbers(N, |r| r.normal() as f32), classic(), plain()),
        one(options, "pco/f64-normal", || numbers(N, Random::normal), classic(), plain()),
        one(
            options,
            "pco/f64-cents-floatmult-delta",
            || {
                numbers(N, |r| {
                    cents += r.normal().mul_add(8.0, 0.0) as i64;
                    cents as f64 / 100.0
                })
            },
            ModeSpec::TryFloatMult(0.01),
            DeltaSpec::TryConsecutive(1),
        ),
        one(
            options,
            "pco/f64-floatquant",
            || numbers(N, |r| f64::from(r.normal() as f32)),
            ModeSpec::TryFloatQuant(29),
            plain(),
        ),
        one(
            options,
            "pco/i64-timestamps-delta",
            || {
                numbers(N, |r| {
                    time += 1000 + (r.normal() * 30.0) as i64;
                    time
                })
            },
            classic(),
            DeltaSpec::TryConsecutive(1),
        ),
        one(
            options,
            "pco/i64-timestamps-delta2",
            || {
                numbers(N, |r| {
                    time += 1000 + (r.normal() * 30.0) as i64;
                    time
                })
            },
            classic(),
            DeltaSpec::TryConsecutive(2),
        ),
        one(
            options,
            "pco/i32-random-walk-delta",
            || {
                numbers(N, |r| {
                    walk = walk.wrapping_add((r.normal() * 20_000.0) as i32);
                    walk
                })
            },
            classic(),
            DeltaSpec::TryConsecutive(1),
        ),
        one(
            options,
            "pco/u64-intmult",
            || numbers(N, |r| heavy_tailed(r).unsigned_abs() * 1000 + r.bits() % 20),
            ModeSpec::TryIntMult(1000),
            plain(),
        ),
        one(
            options,
            "pco/u32-lookback",
            || {
                numbers(N, |r| {
                    let back = 1 + (r.bits() % 3000) as usize;
                    let number = if r.bits() % 8 == 0 {
                        (r.bits() >> 36) as u32
                    } else {
                        recent[(at + recent.len() - back) % recent.len()].wrapping_add((r.bits() % 4) as u32)
                    };
                    let len = recent.len();
                    recent[at % len] = number;
                    at += 1;
                    number
                })
            },
            classic(),
            DeltaSpec::TryLookback,
        ),
        one(options, "pco/i16-conv1-order6", || numbers(N, |r| audio.next(r)), classic(), DeltaSpec::TryConv1(6)),
        one(options, "pco/i16-conv1-order12", || numbers(N, |r| audio.next(r)), classic(), DeltaSpec::TryConv1(12)),
        one(
            options,
            "pco/i64-dict",
            || {
                numbers(N, |r| {
                    let (a, b) = (r.bits() % 5000, r.bits() % 5000);
                    ids[a.min(b) as usize]
                })
            },
            ModeSpec::TryDict,
            plain(),
        ),
        one(options, "pco/u8-normal", || numbers(N, |r| r.normal().mul_add(20.0, 128.0) as u8), classic(), plain()),
        one(options, "pco/i64-constant", || vec![77i64; N], classic(), plain()),
        one(options, "pco/u64-uniform", || numbers(N, Random::bits), classic(), plain()),
        one(options, "pco/small-i64-256", || heavy(256), classic(), plain()),
        one(options, "pco/small-i64-1000", || heavy(1000), classic(), plain()),
        one(
            options,
            "pco/small-i64-delta-1000",
            || {
                numbers(1000, |r| {
                    time += 1000 + (r.normal() * 30.0) as i64;
                    time
                })
            },
            classic(),
            DeltaSpec::TryConsecutive(1),
        ),
        one(
            options,
            "pco/small-i64-rare-1000",
            || numbers(1000, |r| if r.bits() % 50 == 0 { (r.bits() % 100).cast_signed() } else { 7 }),
            classic(),
            plain(),
        ),
        one(options, "pco/i64-digits-one-bin", || numbers(N, |r| (r.bits() % 16).cast_signed()), classic(), plain()),
        one(options, "pco/small-f32-256", || numbers(256, |r| r.normal() as f32), classic(), plain()),
        one(options, "pco/small-f32-1000", || numbers(1000, |r| r.normal() as f32), classic(), plain()),
    ];
    done.into_iter().collect()
}

fn one<T>(
    options: &Options,
    case: &str,
    numbers: impl FnOnce() -> Vec<T>,
    mode: ModeSpec,
    delta: DeltaSpec,
) -> Result<()>
where
    T: Number + Reference + Default,
{
    let in_node = case.replace("pco/", "wasm/columns/");
    if !options.wants(case) && !options.wants(&in_node) {
        return Ok(());
    }
    let numbers = numbers();
    let config = ChunkConfig::default().with_mode_spec(mode).with_delta_spec(delta).with_enable_8_bit(true);
    let bytes = pco::standalone::simple_compress(&numbers, &config)?;
    let file = File::open(&bytes, &Limits::DEFAULT)?;
    let chunk = file.chunk(file.first(), &mut ())?.ok_or("no chunk")?;
    let mut workspace = vec![0u64; usize::try_from(chunk.workspace_len(Plan::Whole))?];
    if options.wants(&in_node) {
        let mut plain = vec![0; size_of_val(numbers.as_slice())];
        let mut words = vec![0; usize::try_from(chunk.workspace_len(Plan::Batches))?];
        chunk.decode_bytes(&mut plain, &mut words, &mut ())?;
        node::pco(&in_node, &bytes, T::TYPE, &plain)?;
    }
    if !options.wants(case) {
        return Ok(());
    }
    let (mut ours, mut theirs) = (vec![T::default(); numbers.len()], vec![T::default(); numbers.len()]);
    let ours_once = |numbers: &mut [T], workspace: &mut [u64]| -> Result<()> {
        decode(std::hint::black_box(&bytes), numbers, workspace, &unspool::pco::Options::DEFAULT, &mut ())?;
        Ok(())
    };
    let theirs_once = |numbers: &mut [T]| -> Result<()> {
        pco::standalone::simple_decompress_into(std::hint::black_box(&bytes), numbers)?;
        Ok(())
    };
    ours_once(&mut ours, &mut workspace)?;
    theirs_once(&mut theirs)?;
    if printed(&ours) != printed(&theirs) {
        return Err(format!("{case}: other numbers than the reference").into());
    }
    Race::new(case, size_of_val(numbers.as_slice()), || ours_once(&mut ours, &mut workspace))
        .against("pco 1.1", || theirs_once(&mut theirs))
        .run()
}

/// Numbers as printed, which distinguishes NaNs and signed zeros well enough.
fn printed<T: std::fmt::Debug>(numbers: &[T]) -> String {
    format!("{numbers:?}")
}

fn numbers<T>(n: usize, mut make: impl FnMut(&mut Random) -> T) -> Vec<T> {
    let mut random = Random(n as u64);
    (0..n).map(|_| make(&mut random)).collect()
}

/// Small numbers mostly, and a few of every size.
fn heavy_tailed(random: &mut Random) -> i64 {
    let uniform = random.uniform();
    ((1.0 / (1.0 - uniform)).powf(1.6) * 12.0) as i64
}

/// Sound that is easy to predict.
#[derive(Default)]
struct Audio {
    at: f64,
}

impl Audio {
    fn next(&mut self, random: &mut Random) -> i16 {
        self.at += 0.05;
        (self.at.sin() * 9000.0 + (self.at * 3.7).sin() * 3000.0 + random.normal() * 12.0) as i16
    }
}

/// The same numbers in every run.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

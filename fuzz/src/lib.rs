//! Fuzz targets as plain functions: each takes bytes and panics when an invariant breaks.
//!
//! cargo-fuzz calls them with coverage guidance; `cargo test` in this folder calls them on stable Rust with the seeds,
//! every truncation of them, and thousands of mutations. A new target is a function in a module here, a line in
//! [`TARGETS`], a two-line file in `fuzz_targets`, and a `[[bin]]` in `Cargo.toml`.

mod at1;
mod at1_query;
mod bits;
mod cvc;
mod gzip;
mod mutate;
mod onpair;
mod pco;
mod probe;
mod stream;
mod xz;
mod zstd;

pub use at1::{at1_arbitrary, at1_mutated};
pub use at1_query::at1_query;
pub use bits::bits;
pub use cvc::{cvc_arbitrary, cvc_mutated};
pub use gzip::{gzip_arbitrary, gzip_mutated};
pub use mutate::{Random, mutate};
pub use onpair::{onpair_arbitrary, onpair_mutated, onpair_reference};
pub use pco::{pco_arbitrary, pco_differential, pco_mutated};
pub use probe::probe_any;
pub use xz::{xz_arbitrary, xz_differential, xz_mutated};
pub use zstd::{zstd_arbitrary, zstd_mutated};

/// A fuzz target: its name, its body, and the folder in `seeds` that it starts from.
pub struct Target {
    pub name: &'static str,
    pub body: fn(&[u8]),
    pub seeds: &'static str,
}

pub const TARGETS: &[Target] = &[
    Target { name: "probe_any", body: probe_any, seeds: "common" },
    Target { name: "bits", body: bits, seeds: "common" },
    Target { name: "at1_query", body: at1_query, seeds: "at1" },
    Target { name: "cvc_arbitrary", body: cvc_arbitrary, seeds: "cvc" },
    Target { name: "onpair_arbitrary", body: onpair_arbitrary, seeds: "onpair" },
    Target { name: "onpair_mutated", body: onpair_mutated, seeds: "onpair" },
    Target { name: "onpair_reference", body: onpair_reference, seeds: "onpair" },
    Target { name: "cvc_mutated", body: cvc_mutated, seeds: "cvc" },
    Target { name: "pco_arbitrary", body: pco_arbitrary, seeds: "pco" },
    Target { name: "pco_mutated", body: pco_mutated, seeds: "pco" },
    Target { name: "pco_differential", body: pco_differential, seeds: "pco" },
    Target { name: "gzip_arbitrary", body: gzip_arbitrary, seeds: "gzip" },
    Target { name: "gzip_mutated", body: gzip_mutated, seeds: "gzip" },
    Target { name: "zstd_arbitrary", body: zstd_arbitrary, seeds: "zstd" },
    Target { name: "zstd_mutated", body: zstd_mutated, seeds: "zstd" },
    Target { name: "xz_arbitrary", body: xz_arbitrary, seeds: "xz" },
    Target { name: "xz_mutated", body: xz_mutated, seeds: "xz" },
    Target { name: "xz_differential", body: xz_differential, seeds: "xz" },
    Target { name: "at1_arbitrary", body: at1_arbitrary, seeds: "at1" },
    Target { name: "at1_mutated", body: at1_mutated, seeds: "at1" },
];

/// The program around a target: for libFuzzer under cargo-fuzz, otherwise one that runs the files it is given, so that a
/// finding can be replayed and debugged with stable Rust.
#[macro_export]
macro_rules! target {
    ($name:ident) => {
        #[cfg(fuzzing)]
        libfuzzer_sys::fuzz_target!(|bytes: &[u8]| $crate::$name(bytes));

        #[cfg(not(fuzzing))]
        fn main() {
            for path in std::env::args_os().skip(1) {
                $crate::$name(&std::fs::read(&path).expect("the file can be read"));
                println!("{}: nothing found", path.display());
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::{Path, PathBuf};
    use std::time::{Duration, Instant};

    /// Mutations for each target. Miri is a few hundred times slower, and there for the machine, not for the luck.
    const ROUNDS: usize = if cfg!(miri) { 2 } else { 30_000 };
    /// However slow a body is, so many are made before the clock counts.
    const LEAST: usize = if cfg!(miri) { 2 } else { 2_000 };
    const PATIENCE: Duration = Duration::from_secs(10);
    /// Longer seeds, and more than a few, are left to real machines.
    const LONGEST: usize = if cfg!(miri) { 225 } else { 1 << 20 };
    const MOST: usize = if cfg!(miri) { 2 } else { usize::MAX };

    #[test]
    fn every_target_stands_its_seeds_their_prefixes_and_their_mutations() {
        for target in TARGETS {
            let seeds = seeds(target);
            assert!(!seeds.is_empty(), "{} has no seeds", target.name);
            for seed in &seeds {
                visit(target, seed);
                if !cfg!(miri) {
                    (0..seed.len()).step_by(seed.len() / 300 + 1).for_each(|cut| visit(target, &seed[..cut]));
                }
            }
            let (mut random, begun, mut rounds) = (Random::new(1), Instant::now(), 0);
            while rounds < ROUNDS && (rounds < LEAST || begun.elapsed() < PATIENCE) {
                let (seed, other) = (&seeds[random.below(seeds.len())], &seeds[random.below(seeds.len())]);
                visit(target, &mutate(seed, other, &mut random));
                rounds += 1;
            }
            println!("{}: {} seeds, {rounds} mutations, {:.1?}", target.name, seeds.len(), begun.elapsed());
        }
    }

    /// What breaks an invariant is kept, to be replayed with `cargo run --bin TARGET -- FILE`.
    fn visit(target: &Target, bytes: &[u8]) {
        if let Err(panic) = std::panic::catch_unwind(|| (target.body)(bytes)) {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("artifacts").join(target.name);
            std::fs::create_dir_all(&folder).unwrap();
            let file = folder.join(format!("found-{:08x}", unspool::checksum::Crc32::of(bytes)));
            std::fs::write(&file, bytes).unwrap();
            println!("{}: found {}", target.name, file.display());
            std::panic::resume_unwind(panic);
        }
    }

    #[test]
    fn every_target_is_a_program_and_every_program_a_target() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz_targets");
        let mut programs: Vec<_> = files(&folder).iter().map(|file| file.file_stem().unwrap().to_owned()).collect();
        let mut targets: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
        programs.sort();
        targets.sort_unstable();
        assert_eq!(programs, targets);
    }

    fn seeds(target: &Target) -> Vec<Vec<u8>> {
        let files = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(target.seeds));
        let seeds = files.iter().map(|file| std::fs::read(file).unwrap());
        seeds.filter(|seed| seed.len() <= LONGEST).take(MOST).collect()
    }

    fn files(folder: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut found: Vec<_> =
            entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect();
        found.sort();
        found
    }
}

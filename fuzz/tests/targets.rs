//! Every target survives its seeds, prefixes of them, and mutations.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use unspool_fuzz::{Random, TARGETS, Target, mutate, target};

/// Emulated machines are many times slower, and check portability, not luck.
const IS_EMULATED: bool = cfg!(target_endian = "big");
/// Mutations for each target.
const ROUNDS: usize = if IS_EMULATED { 100 } else { 30_000 };
/// Mutations that are made however slow a target is, before the time limit applies.
const LEAST: usize = if IS_EMULATED { 20 } else { 2_000 };
/// Longer runs are counted in `docs/fuzzing.md`.
const PATIENCE: Duration = Duration::from_secs(if IS_EMULATED { 1 } else { 2 });
/// Prefixes of each seed.
const PREFIXES: usize = if IS_EMULATED { 10 } else { 300 };

#[test]
fn every_target_survives_seeds_prefixes_and_mutations() {
    for target in TARGETS {
        let seeds = seeds(target);
        assert!(!seeds.is_empty(), "{} has no seeds", target.name);
        for seed in &seeds {
            visit(target, seed);
            (0..seed.len()).step_by(seed.len() / PREFIXES + 1).for_each(|cut| visit(target, &seed[..cut]));
        }
        let (mut random, begun, mut rounds) = (Random(1), Instant::now(), 0);
        while rounds < ROUNDS && (rounds < LEAST || begun.elapsed() < PATIENCE) {
            let (seed, other) = (&seeds[random.below(seeds.len())], &seeds[random.below(seeds.len())]);
            visit(target, &mutate(seed, other, &mut random));
            rounds += 1;
        }
        println!("{}: {} seeds, {rounds} mutations, {:.1?}", target.name, seeds.len(), begun.elapsed());
    }
}

/// Runs a target. Keeps the input of a failure, for `cargo run -- TARGET FILE`.
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
fn finds_targets() {
    assert!(TARGETS.len() > 20, "only {} targets", TARGETS.len());
    assert!(target("zstd_mutated").is_some() && target("none").is_none());
}

/// Returns the seeds: `cvc_mutated` uses `seeds/cvc`, a target without a folder of its own uses
/// `seeds/common`.
fn seeds(target: &Target) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds");
    let own = folder.join(target.name.split('_').next().unwrap_or(target.name));
    let files = files(&if own.is_dir() { own } else { folder.join("common") });
    files.iter().map(|file| std::fs::read(file).unwrap()).collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<_> = entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect();
    found.sort();
    found
}

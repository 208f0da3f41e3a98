//! Fuzzes one target or all in turn: with coverage guidance, or with mutations on stable Rust.
//! Counts the executions on the page `docs/fuzzing.md`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use crate::install;
use crate::ledger;
use crate::sh::{cmd, host, root};

#[path = "../../fuzz/find.rs"]
mod find;

/// Returns the names of the targets.
pub fn targets() -> Result<Vec<String>> {
    Ok(find::targets(&root().join("fuzz/src"))?.into_iter().map(|(_, name)| name).collect())
}

/// Returns the chosen target, or all of them.
fn chosen(name: Option<&str>) -> Result<Vec<String>> {
    let all = targets()?;
    let chosen: Vec<_> = all.iter().filter(|target| name.is_none_or(|name| name == *target)).cloned().collect();
    if chosen.is_empty() {
        bail!("no such target; there are: {}", all.join(", "));
    }
    Ok(chosen)
}

/// Fuzzes each target for `seconds`. New inputs stay in `fuzz/corpus`, failures in
/// `fuzz/artifacts`. Goes on after a failure, so that one target does not hide the others.
pub fn run(name: Option<&str>, seconds: u64) -> Result<()> {
    let chosen = chosen(name)?;
    install::nightly("rust-src")?;
    install::cargo_fuzz()?;
    let host = host()?;
    cmd("cargo +nightly fuzz build --fuzz-dir fuzz --target-dir fuzz/target --target").arg(&host).arg("run").run()?;
    let program = root().join("fuzz/target").join(host).join("release/run");
    let found: Vec<_> = chosen.iter().filter_map(|target| fuzz(&program, target, seconds).err()).collect();
    found.iter().for_each(|error| println!("    {error:#}"));
    ensure!(found.is_empty(), "{} of {} targets failed, see above", found.len(), chosen.len());
    Ok(())
}

/// Fuzzes a target with the program that holds all of them.
fn fuzz(program: &Path, target: &str, seconds: u64) -> Result<()> {
    let corpus = root().join("fuzz/corpus").join(target);
    std::fs::create_dir_all(&corpus)?;
    let artifacts = root().join("fuzz/artifacts").join(target);
    std::fs::create_dir_all(&artifacts)?;
    // Seeds come last: libFuzzer writes new inputs to the first folder and only reads the others.
    // A search for leaks would find memory that the C library holds for a thread that is ending.
    let run = cmd(&program.display().to_string())
        .env("UNSPOOL_FUZZ", target)
        .arg(&corpus)
        .arg(seeds(target))
        .args("-rss_limit_mb=2048 -timeout=10 -detect_leaks=0 -print_final_stats=1")
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-artifact_prefix={}/", artifacts.display()));
    let outcome = run.outcome(Duration::from_secs(seconds + 300))?;
    let last = |word: &str| {
        let rest = outcome.stderr.rsplit(word).next().filter(|rest| rest.len() < outcome.stderr.len())?;
        rest.split_whitespace().next()?.parse().ok()
    };
    let executions = last("stat::number_of_executed_units:").context("libFuzzer counted nothing")?;
    ledger::record(target, executions, last(" cov: "), !outcome.success)?;
    ensure!(outcome.success, "{target} found something, in fuzz/artifacts/{target}:\n{}", outcome.stderr);
    Ok(())
}

/// Runs each target over `mutations` of its seeds, on stable Rust. Each run makes other mutations
/// than the runs that the page counts already.
pub fn mutate(name: Option<&str>, mutations: u64) -> Result<()> {
    for target in chosen(name)? {
        let run = cmd("cargo run --locked --release --quiet --").dir("fuzz");
        let run =
            run.arg(&target).args(&format!("--mutations {mutations} --seed {}", ledger::executions(&target)? + 1));
        let files = files(&root().join(seeds(&target)))?;
        let said = files.iter().fold(run, |run, file| run.arg(file)).quiet().read();
        let counted = said.as_ref().ok().and_then(|said| said.lines().find_map(executions));
        ledger::record(&target, counted.map_or(0, |(_, executions)| executions), None, said.is_err())?;
        said.with_context(|| format!("{target} found something"))?;
    }
    Ok(())
}

/// Adds the runs in the output of the program in `fuzz` to the page: long runs, or those of other
/// machines.
pub fn count(output: &Path) -> Result<()> {
    let text = std::fs::read_to_string(output).with_context(|| format!("cannot read {}", output.display()))?;
    let runs: Vec<_> = text.lines().filter_map(executions).collect();
    ensure!(!runs.is_empty(), "{} has no run", output.display());
    runs.into_iter().try_for_each(|(target, executions)| ledger::record(target, executions, None, false))
}

/// Returns the target and the executions in the last line of a run.
fn executions(line: &str) -> Option<(&str, u64)> {
    let (target, rest) = line.split_once(": nothing found in ")?;
    Some((target, rest.strip_suffix(" executions")?.parse().ok()?))
}

/// Returns the files of a folder and its subfolders, in order.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = vec![];
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { found.extend(files(&path)?) } else { found.push(path) }
    }
    found.sort();
    Ok(found)
}

/// Returns the folder of seeds: `cvc_mutated` uses `fuzz/seeds/cvc`, a target without a folder of
/// its own uses `fuzz/seeds/common`.
fn seeds(target: &str) -> String {
    let family = target.split('_').next().unwrap_or(target);
    let own = format!("fuzz/seeds/{family}");
    if root().join(&own).is_dir() { own } else { "fuzz/seeds/common".to_owned() }
}

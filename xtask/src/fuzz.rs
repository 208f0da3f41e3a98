//! Fuzzes one target or all in turn, with coverage guidance.

use anyhow::{Result, bail};

use crate::install;
use crate::sh::{cmd, root};

#[path = "../../fuzz/find.rs"]
mod find;

/// Returns the names of the targets.
pub fn targets() -> Result<Vec<String>> {
    Ok(find::targets(&root().join("fuzz/src"))?.into_iter().map(|(_, name)| name).collect())
}

/// Fuzzes each target for `seconds`. New inputs stay in `fuzz/corpus`, failures in
/// `fuzz/artifacts`.
///
/// A `smoke` run uses a fixed seed, so that a failure repeats, and hides the progress of libFuzzer.
pub fn run(name: Option<&str>, seconds: u64, smoke: bool) -> Result<()> {
    let all = targets()?;
    let chosen: Vec<_> = all.iter().filter(|target| name.is_none_or(|name| name == *target)).collect();
    if chosen.is_empty() {
        bail!("no such target; there are: {}", all.join(", "));
    }
    install::nightly("rust-src")?;
    install::cargo_fuzz()?;
    for target in chosen {
        // Seeds come last: libFuzzer writes new inputs to the first folder and only reads the
        // others.
        let corpus = root().join("fuzz/corpus").join(target);
        std::fs::create_dir_all(&corpus)?;
        let artifacts = root().join("fuzz/artifacts").join(target);
        std::fs::create_dir_all(&artifacts)?;
        cmd("cargo +nightly fuzz run --fuzz-dir fuzz run")
            .env("UNSPOOL_FUZZ", target)
            .arg(&corpus)
            .arg(seeds(target))
            .args(&format!("-- -max_total_time={seconds} -rss_limit_mb=2048 -timeout=10 -print_final_stats=1"))
            .arg(format!("-artifact_prefix={}/", artifacts.display()))
            .args(if smoke { "-seed=1 -verbosity=0" } else { "" })
            .run()?;
    }
    Ok(())
}

/// Returns the folder of seeds: `cvc_mutated` uses `fuzz/seeds/cvc`, `bits` uses `fuzz/seeds/bits`,
/// and a target without a folder of its own uses all seeds.
fn seeds(target: &str) -> String {
    let family = target.split('_').next().unwrap_or(target);
    let own = format!("fuzz/seeds/{family}");
    if root().join(&own).is_dir() { own } else { "fuzz/seeds".to_owned() }
}

//! Runs named steps and sums them up. Independent steps run in parallel to the others.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, anyhow, ensure};

use crate::sh::root;

/// A step: its name, what it proves, and the function that runs it.
pub struct Step {
    pub name: &'static str,
    pub proves: &'static str,
    pub run: fn() -> Result<()>,
}

/// Runs every step, also after one failed, so that one run shows all failures. Returns `true` if
/// all passed.
///
/// Steps in `beside` run in that order, in parallel to the others, and so does each of them that is
/// left when the others are done. Their output follows at the end. A step that runs alone is never
/// in parallel.
///
/// The last line is `N passed, M failed`. It also names the steps that were left out on request.
pub fn run_all(command: &str, steps: &[&Step], beside: &[&str], left_out: &[String]) -> bool {
    let start = Instant::now();
    let mut failed = vec![];
    let beside = if steps.len() > 1 { beside } else { &[] };
    let in_turn = steps.iter().filter(|step| !beside.contains(&step.name));
    let beside: Vec<&Step> =
        beside.iter().filter_map(|name| steps.iter().copied().find(|step| step.name == *name)).collect();
    let mut number = 0;
    let mut report = |step: &Step, run: &mut dyn FnMut() -> (Result<()>, f64)| {
        number += 1;
        println!("\n[{number}/{}] {}: {}", steps.len(), step.name, step.proves);
        match run() {
            (Ok(()), seconds) => println!("    ok: {} ({seconds:.1} s)", step.name),
            (Err(error), seconds) => {
                println!("    FAILED: {} ({seconds:.1} s): {error:#}", step.name);
                failed.push((step.name, error));
            }
        }
    };
    // Before any build: a step may replace this program, and then the path is gone.
    let program = std::env::current_exe().unwrap_or_default();
    for step in &beside {
        println!("{} runs in parallel; its output follows at the end", step.name);
    }
    let next = AtomicUsize::new(0);
    let take = || {
        let mut outcomes = vec![];
        while let Some(step) = beside.get(next.fetch_add(1, Ordering::Relaxed)) {
            outcomes.push((*step, timed(|| apart(&program, command, step.name))));
        }
        outcomes
    };
    std::thread::scope(|scope| {
        let others = scope.spawn(take);
        for step in in_turn {
            report(step, &mut || timed(step.run));
        }
        let mut outcomes = take();
        outcomes.extend(others.join().unwrap_or_default());
        for step in &beside {
            report(step, &mut || {
                let place = outcomes.iter().position(|(ran, _)| ran.name == step.name);
                print!("{}", std::fs::read_to_string(log(step.name)).unwrap_or_default());
                place.map_or_else(
                    || (Err(anyhow!("its thread ended early")), 0.0),
                    |place| outcomes.swap_remove(place).1,
                )
            });
        }
    });
    println!("\n{} steps in {:.0} s", steps.len(), start.elapsed().as_secs_f64());
    for (name, error) in &failed {
        println!("\nfailed: {name}: {error:#}\n    to run only this step: cargo xtask {command} {name}");
    }
    println!("{}", summary(steps.len() - failed.len(), failed.len(), left_out));
    failed.is_empty()
}

fn timed(run: impl FnOnce() -> Result<()>) -> (Result<()>, f64) {
    let begun = Instant::now();
    (run(), begun.elapsed().as_secs_f64())
}

fn log(step: &str) -> PathBuf {
    root().join("target").join(format!("step-{step}.log"))
}

/// Runs a step in a process of its own, whose output goes to a file.
fn apart(program: &Path, command: &str, step: &str) -> Result<()> {
    let output = File::create(log(step)).with_context(|| format!("cannot write {}", log(step).display()))?;
    let mut child = Command::new(program);
    let status = child.args([command, step]).stdout(output.try_clone()?).stderr(output).status()?;
    ensure!(status.success(), "see its output above");
    Ok(())
}

fn summary(passed: usize, failed: usize, left_out: &[String]) -> String {
    match left_out {
        [] => format!("{passed} passed, {failed} failed"),
        names => format!("{passed} passed, {failed} failed, {} left out ({})", names.len(), names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_left_out_do_not_count_as_passed() {
        assert_eq!(summary(3, 0, &[]), "3 passed, 0 failed");
        assert_eq!(summary(2, 1, &["miri".to_owned()]), "2 passed, 1 failed, 1 left out (miri)");
    }

    #[test]
    fn runs_the_other_steps_after_a_failure() {
        use std::sync::atomic::AtomicBool;
        static RAN: AtomicBool = AtomicBool::new(false);
        let bad = Step { name: "bad", proves: "fails", run: || anyhow::bail!("no") };
        let good = Step {
            name: "good",
            proves: "passes",
            run: || {
                RAN.store(true, Ordering::Relaxed);
                Ok(())
            },
        };
        assert!(!run_all("test", &[&bad, &good], &[], &[]));
        assert!(RAN.load(Ordering::Relaxed));
        assert!(run_all("test", &[&good], &["good"], &[]));
    }
}

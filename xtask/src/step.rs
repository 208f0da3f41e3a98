//! Runs named steps one after the other and sums up.

use std::time::Instant;

use anyhow::Result;

/// One step: a word to call it by, what it proves, and the deed.
pub struct Step {
    pub name: &'static str,
    pub proves: &'static str,
    pub run: fn() -> Result<()>,
}

/// Runs every step, also those behind one that failed, so that one run shows all that is wrong. Whether all passed.
///
/// The last line is `N passed, M failed`; steps that the caller asked to leave out are named in it and count as neither.
pub fn run_all(command: &str, steps: &[&Step], left_out: &[String]) -> bool {
    let start = Instant::now();
    let mut failed = vec![];
    for (number, step) in steps.iter().enumerate() {
        println!("\n[{}/{}] {}: {}", number + 1, steps.len(), step.name, step.proves);
        let begun = Instant::now();
        let result = (step.run)();
        let seconds = begun.elapsed().as_secs_f64();
        match result {
            Ok(()) => println!("    ok: {} ({seconds:.1} s)", step.name),
            Err(error) => {
                println!("    FAILED: {} ({seconds:.1} s): {error:#}", step.name);
                failed.push((step.name, error));
            }
        }
    }
    println!("\n{} steps in {:.0} s", steps.len(), start.elapsed().as_secs_f64());
    for (name, error) in &failed {
        println!("\nfailed: {name}: {error:#}\n    only this step again: cargo xtask {command} {name}");
    }
    println!("{}", summary(steps.len() - failed.len(), failed.len(), left_out));
    failed.is_empty()
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
    fn what_was_left_out_is_never_called_passed() {
        assert_eq!(summary(3, 0, &[]), "3 passed, 0 failed");
        assert_eq!(summary(2, 1, &["miri".to_owned()]), "2 passed, 1 failed, 1 left out (miri)");
    }

    #[test]
    fn one_failure_fails_the_run_and_the_rest_still_runs() {
        use std::sync::atomic::{AtomicBool, Ordering};
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
        assert!(!run_all("test", &[&bad, &good], &[]));
        assert!(RAN.load(Ordering::Relaxed));
        assert!(run_all("test", &[&good], &[]));
    }
}

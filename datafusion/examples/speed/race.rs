//! Takes turns, and compares medians.

use std::time::{Duration, Instant};

use crate::Result;

/// Turns of each contestant, after one that is not measured.
const TURNS: usize = 5;

/// A way to an answer.
pub struct Contestant<'a> {
    name: &'static str,
    run: Box<dyn FnMut() -> Result<String> + 'a>,
}

impl<'a> Contestant<'a> {
    pub fn new(name: &'static str, run: impl FnMut() -> Result<String> + 'a) -> Self {
        Self { name, run: Box::new(run) }
    }
}

/// Runs contestants in turns, and prints the median time of each, and its ratio to the first one's.
pub fn race<const N: usize>(what: &str, mut contestants: [Contestant<'_>; N]) -> Result<()> {
    let mut times: Vec<Vec<Duration>> = vec![vec![]; N];
    let mut expected = None;
    for turn in 0..=TURNS {
        for (contestant, times) in contestants.iter_mut().zip(&mut times) {
            let start = Instant::now();
            let found = (contestant.run)()?;
            let time = start.elapsed();
            let expected = expected.get_or_insert_with(|| found.clone());
            if found != *expected {
                return Err(format!("{what}: {} answers {found}, expected {expected}", contestant.name).into());
            }
            if turn > 0 {
                times.push(time);
            }
        }
    }
    let medians = times.iter_mut().map(|times| {
        times.sort();
        times.get(TURNS / 2).copied().unwrap_or_default()
    });
    let medians: Vec<_> = medians.collect();
    let first = medians.first().map_or(1.0, Duration::as_secs_f64);
    print!("{what:24}");
    for (contestant, (median, times)) in contestants.iter().zip(medians.iter().zip(&times)) {
        let milliseconds = |time: Option<&Duration>| time.map_or(0.0, |time| time.as_secs_f64() * 1000.0);
        let (low, high) = (milliseconds(times.first()), milliseconds(times.last()));
        let (time, ratio) = (milliseconds(Some(median)), median.as_secs_f64() / first);
        print!(" | {} {time:.1} ms ({low:.1}–{high:.1}), ×{ratio:.2}", contestant.name);
    }
    println!();
    Ok(())
}

//! Takes turns between contestants and keeps the best time of each, so that whatever else the machine does hits all alike.

use std::time::{Duration, Instant};

use crate::Result;

/// Turns that each contestant gets.
pub const ROUNDS: usize = 21;
/// A turn lasts about so long, or up to twice that; the time of one run is the mean within it. Short, because the longer it is, the more
/// often something else gets in between.
const TURN: Duration = Duration::from_millis(10);

/// Something that does the work so many times and says how long that took.
type Contestant<'a> = Box<dyn FnMut(u32) -> Result<Duration> + 'a>;

/// One case: what decodes to how many bytes, here and elsewhere.
pub struct Race<'a> {
    case: String,
    bytes: usize,
    contestants: Vec<(&'static str, Contestant<'a>)>,
}

impl<'a> Race<'a> {
    /// Ours comes first.
    pub fn new(case: &str, bytes: usize, ours: impl FnMut() -> Result<()> + 'a) -> Self {
        Self { case: case.to_owned(), bytes, contestants: vec![("unspool", Box::new(repeat(ours)))] }
    }

    /// Ours measures itself, too.
    pub fn timed(case: &str, bytes: usize, ours: impl FnMut(u32) -> Result<Duration> + 'a) -> Self {
        Self { case: case.to_owned(), bytes, contestants: vec![("unspool", Box::new(ours))] }
    }

    /// A peer in this process.
    pub fn against(mut self, name: &'static str, work: impl FnMut() -> Result<()> + 'a) -> Self {
        self.contestants.push((name, Box::new(repeat(work))));
        self
    }

    /// A peer that measures itself.
    pub fn against_timed(mut self, name: &'static str, work: impl FnMut(u32) -> Result<Duration> + 'a) -> Self {
        self.contestants.push((name, Box::new(work)));
        self
    }

    /// Runs and prints a line for each peer.
    pub fn run(mut self) -> Result<()> {
        let mut plan = vec![];
        for (_, work) in &mut self.contestants {
            // As often as fills a turn, which is found by doubling: by then caches and tables are warm, and an engine that compiles
            // while it runs has seen what is worth it.
            let mut times = 1;
            while work(times)? < TURN {
                times *= 2;
            }
            plan.push(times);
        }
        let mut best = vec![Duration::MAX; plan.len()];
        for _ in 0..ROUNDS {
            for (((_, work), &times), best) in self.contestants.iter_mut().zip(&plan).zip(&mut best) {
                *best = (*best).min(work(times)? / times);
            }
        }
        let rates: Vec<_> = best.iter().map(|best| self.bytes as f64 / best.as_secs_f64() / 1e6).collect();
        for ((name, _), rate) in self.contestants.iter().zip(&rates).skip(1) {
            let peer = format!("{name} {rate:.0}");
            println!("{:34} | {:>9.0} | {peer:>22} | {:>5.2}x", self.case, rates[0], rates[0] / rate);
        }
        Ok(())
    }
}

fn repeat(mut work: impl FnMut() -> Result<()>) -> impl FnMut(u32) -> Result<Duration> {
    move |times| {
        // Once without the clock: whose turn it was before has left other things in the caches for each of us.
        work()?;
        let begun = Instant::now();
        for _ in 0..times {
            work()?;
        }
        Ok(begun.elapsed())
    }
}

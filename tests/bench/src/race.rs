//! Alternates contestants and keeps the best time of each, so that noise of the machine affects all
//! alike.

use std::time::{Duration, Instant};

use crate::Result;

/// Turns of each contestant.
pub const ROUNDS: usize = 21;
/// The length of a turn, which may take up to twice as long. The time of a run is the mean within a
/// turn. Short, because a longer turn is interrupted more often.
const TURN: Duration = Duration::from_millis(10);

/// A function that does the work N times and returns the time.
type Contestant<'a> = Box<dyn FnMut(u32) -> Result<Duration> + 'a>;

/// A case: bytes to decode, our decoder, and its peers.
pub struct Race<'a> {
    case: String,
    bytes: usize,
    contestants: Vec<(&'static str, Contestant<'a>)>,
}

impl<'a> Race<'a> {
    /// Starts a case with our contestant.
    pub fn new(case: &str, bytes: usize, ours: impl FnMut() -> Result<()> + 'a) -> Self {
        Self { case: case.to_owned(), bytes, contestants: vec![("unspool", Box::new(repeat(ours)))] }
    }

    /// Starts a case whose own contestant measures itself, too.
    pub fn timed(case: &str, bytes: usize, ours: impl FnMut(u32) -> Result<Duration> + 'a) -> Self {
        Self { case: case.to_owned(), bytes, contestants: vec![("unspool", Box::new(ours))] }
    }

    /// Adds a peer in this process.
    pub fn against(mut self, name: &'static str, work: impl FnMut() -> Result<()> + 'a) -> Self {
        self.contestants.push((name, Box::new(repeat(work))));
        self
    }

    /// Adds a peer that measures itself.
    pub fn against_timed(mut self, name: &'static str, work: impl FnMut(u32) -> Result<Duration> + 'a) -> Self {
        self.contestants.push((name, Box::new(work)));
        self
    }

    /// Runs the race and prints a line for each peer.
    pub fn run(mut self) -> Result<()> {
        let mut plan = vec![];
        for (_, work) in &mut self.contestants {
            // Doubles the repetitions until they fill a turn. By then caches and tables are warm,
            // and a just-in-time compiler has compiled the hot code.
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
        // One untimed run first: the previous contestant left its own data in the caches.
        work()?;
        let begun = Instant::now();
        for _ in 0..times {
            work()?;
        }
        Ok(begun.elapsed())
    }
}

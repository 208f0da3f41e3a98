//! Alternates contestants, so that noise of the machine affects all alike.

use std::time::{Duration, Instant};

use crate::Result;
use crate::memory::peak_of;

/// Turns of each contestant in a process that waits between them. The best turn counts.
const ROUNDS: usize = 21;
/// Runs of each contestant that is a whole process. They take too long for an undisturbed one, so
/// the median counts.
const PROCESS_ROUNDS: usize = 9;
/// The length of a turn, which may take up to twice as long. The time of a run is the mean within a
/// turn. Short, because a longer turn is interrupted more often.
const TURN: Duration = Duration::from_millis(10);

/// A decoder in a race.
pub trait Contestant {
    /// Does the work `times` times and returns the time.
    fn run(&mut self, times: u32) -> Result<Duration>;

    /// Does the work once and returns the most memory that was resident in its process meanwhile,
    /// in KiB. `None` if this system does not tell.
    fn peak(&mut self) -> Result<Option<u64>>;
}

/// A decoder in this process.
struct Here<F>(F);

impl<F: FnMut() -> Result<()>> Contestant for Here<F> {
    fn run(&mut self, times: u32) -> Result<Duration> {
        // One untimed run first: the previous contestant left its own data in the caches.
        self.0()?;
        let begun = Instant::now();
        for _ in 0..times {
            self.0()?;
        }
        Ok(begun.elapsed())
    }

    fn peak(&mut self) -> Result<Option<u64>> {
        peak_of(std::process::id(), &mut self.0)
    }
}

/// A case: bytes to decode, our decoder, and its peers.
pub struct Race<'a> {
    case: String,
    bytes: usize,
    contestants: Vec<(String, Box<dyn Contestant + 'a>)>,
}

impl<'a> Race<'a> {
    /// Starts a case with our decoder in this process.
    pub fn new(case: &str, bytes: usize, ours: impl FnMut() -> Result<()> + 'a) -> Self {
        Self::between(case, bytes, Here(ours))
    }

    /// Starts a case with our decoder in another process.
    pub fn between(case: &str, bytes: usize, ours: impl Contestant + 'a) -> Self {
        Self { case: case.to_owned(), bytes, contestants: vec![("unspool".to_owned(), Box::new(ours))] }
    }

    /// Adds a peer in this process.
    pub fn against(self, name: &str, work: impl FnMut() -> Result<()> + 'a) -> Self {
        self.against_other(name, Here(work))
    }

    /// Adds a peer in another process.
    pub fn against_other(mut self, name: &str, peer: impl Contestant + 'a) -> Self {
        self.contestants.push((name.to_owned(), Box::new(peer)));
        self
    }

    /// Compares the best turn of each contestant.
    pub fn run(mut self) -> Result<()> {
        let mut plan = vec![];
        for (_, contestant) in &mut self.contestants {
            // Doubles the repetitions until they fill a turn. By then caches and tables are warm,
            // and a just-in-time compiler has compiled the hot code.
            let mut times = 1;
            while contestant.run(times)? < TURN {
                times *= 2;
            }
            plan.push(times);
        }
        let rounds = self.rounds(ROUNDS, &plan)?;
        let best = |n: usize| rounds.iter().filter_map(|turns| turns.get(n).copied()).fold(f64::INFINITY, f64::min);
        self.report(best, |peer| best(peer) / best(0))
    }

    /// Compares whole processes: medians of their times, and of the ratios of neighbouring runs.
    pub fn run_processes(mut self) -> Result<()> {
        let rounds = self.rounds(PROCESS_ROUNDS, &vec![1; self.contestants.len()])?;
        let column = |n: usize| rounds.iter().filter_map(move |turns| Some((*turns.first()?, *turns.get(n)?)));
        self.report(
            |n| median(column(n).map(|(_, time)| time)),
            |peer| median(column(peer).map(|(ours, theirs)| theirs / ours)),
        )
    }

    /// Lets the contestants take turns. Returns the seconds of one run of each, for every round.
    fn rounds(&mut self, rounds: usize, plan: &[u32]) -> Result<Vec<Vec<f64>>> {
        let mut round = || {
            let turns = self.contestants.iter_mut().zip(plan);
            turns.map(|((_, it), &times)| Ok((it.run(times)? / times).as_secs_f64())).collect()
        };
        (0..rounds).map(|_| round()).collect()
    }

    /// Prints a line for each peer: the case, the peer, MB/s of both, their ratio, KiB of both.
    fn report(&mut self, seconds: impl Fn(usize) -> f64, ratio: impl Fn(usize) -> f64) -> Result<()> {
        let peaks = self.contestants.iter_mut().map(|(_, it)| it.peak()).collect::<Result<Vec<_>>>()?;
        let peaks: Vec<_> = peaks.iter().map(|peak| peak.map_or_else(String::new, |kib| kib.to_string())).collect();
        let rate = |n| self.bytes as f64 / seconds(n) / 1e6;
        for (n, (name, _)) in self.contestants.iter().enumerate().skip(1) {
            let (case, ours, theirs) = (&self.case, rate(0), rate(n));
            let (ratio, ours_kib, theirs_kib) = (ratio(n), &peaks[0], &peaks[n]);
            println!("result\t{case}\t{name}\t{ours:.1}\t{theirs:.1}\t{ratio:.4}\t{ours_kib}\t{theirs_kib}");
        }
        Ok(())
    }
}

/// Returns the middle value of an odd number of values.
fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

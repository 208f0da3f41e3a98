//! Compares speed with other decoders, in turns, in the same process or another, and compares the
//! results first.
//!
//! `cargo xtask bench [NAME]` builds and starts it. A new format is a module with a `bench`
//! function and a line in [`GROUPS`]; a case is a call of [`race::Race`].

mod at1;
mod beside;
mod cvc;
mod node;
mod numpy;
mod onpair;
mod pco;
mod race;
mod sequences;
mod words;
mod xz;
mod zstd;

use std::process::ExitCode;

/// Any error ends the run: a benchmark of the wrong result is worthless.
type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// The settings of a run.
pub struct Options {
    /// Runs only cases whose name contains this.
    pub filter: String,
    /// A Python with numpy.
    pub python: String,
}

impl Options {
    /// Returns `true` if the case was asked for.
    pub fn wants(&self, case: &str) -> bool {
        case.contains(&self.filter)
    }
}

const GROUPS: &[fn(&Options) -> Result<usize>] =
    &[cvc::bench, onpair::bench, pco::bench, zstd::bench, xz::bench, at1::bench, node::bench];

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let mut args = std::env::args().skip(1);
    let python = args.next().ok_or("usage: unspool-bench PYTHON [NAME]; cargo xtask bench knows the rest")?;
    let options = Options { filter: args.next().unwrap_or_default(), python };
    println!("Best of {} rounds, taken in turns; MB/s of decoded output.\n", race::ROUNDS);
    println!("{:34} | {:>9} | {:>22} | {:>6}", "case", "unspool", "peer", "ratio");
    println!("{:-<34}-|-{:->9}-|-{:->22}-|-{:->6}", "", "", "", "");
    let cases = GROUPS.iter().map(|bench| bench(&options)).sum::<Result<usize>>()?;
    if cases == 0 { Err(format!("no case is called {}", options.filter).into()) } else { Ok(()) }
}

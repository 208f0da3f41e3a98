//! Compares speed with other decoders, in turns, in the same process or another, and compares the
//! results first.
//!
//! `cargo xtask bench [NAME]` builds it and starts it once for each group of cases. A new format is
//! a module with a `bench` function and a line in [`GROUPS`]; a case is a call of [`race::Race`].

mod at1;
#[cfg(feature = "at1-reference")]
mod at1_reference;
mod beside;
mod cvc;
mod launch;
mod memory;
mod node;
mod numpy;
mod onpair;
mod pco;
mod process;
mod race;
mod scratch;
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
    ///
    /// The cases of some groups need more programs. `cargo xtask bench` builds those only if the
    /// name begins with the group.
    pub fn wants(&self, case: &str) -> bool {
        let more = ["wasm", "process"].into_iter().find(|group| case.starts_with(group));
        case.contains(&self.filter) && more.is_none_or(|group| self.filter.is_empty() || self.filter.starts_with(group))
    }
}

/// A group of cases, which runs in a process of its own: its name, and the function that runs those
/// that were asked for.
type Group = (&'static str, fn(&Options) -> Result<()>);

const GROUPS: [Group; 8] = [
    ("cvc", cvc::bench),
    ("onpair", onpair::bench),
    ("pco", pco::bench),
    ("zstd", zstd::bench),
    ("xz", xz::bench),
    ("at1", at1::bench),
    ("wasm", node::bench),
    ("process", process::bench),
];

const USAGE: &str = "usage: unspool-bench groups | GROUP PYTHON [NAME]; cargo xtask bench knows the rest";

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
    let mut args = std::env::args_os().skip(1);
    let part = args.next().ok_or(USAGE)?;
    match part.to_str() {
        // One name a line.
        Some("groups") => GROUPS.iter().for_each(|(name, _)| println!("{name}")),
        // Parts of this program that it starts itself.
        Some("launch") => launch::measure(args)?,
        #[cfg(feature = "at1-reference")]
        Some("at1-reference") => at1_reference::answer(args)?,
        group => {
            let (_, bench) = GROUPS.iter().find(|(name, _)| Some(*name) == group).ok_or(USAGE)?;
            let mut args = args.map(|arg| arg.to_string_lossy().into_owned());
            let python = args.next().ok_or(USAGE)?;
            let options = Options { filter: args.next().unwrap_or_default(), python };
            bench(&options)?;
        }
    }
    Ok(())
}

//! The AT-1 reference in a program of its own, which starts again after a few runs: it frees little
//! of its memory, up to 100 MB a run.

use std::ffi::OsString;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use unspool::checksum::Crc32;

use crate::Result;
use crate::beside::{Beside, serve, this_program};
use crate::race::{Contestant, Race};
use crate::scratch::Folder;

/// Adds the reference to a race and runs it.
pub fn join(race: Race<'_>, bytes: &[u8], original: &[u8]) -> Result<()> {
    let folder = Folder::new()?;
    let path = folder.write("file.at1", bytes)?;
    start(&path)?.check("the reference", original)?;
    race.against_other("at1 (C)", Reference(&path)).run()
}

/// Runs before the program starts again, so that it keeps at most a gigabyte.
const RUNS: u32 = 8;

struct Reference<'a>(&'a Path);

impl Contestant for Reference<'_> {
    fn run(&mut self, times: u32) -> Result<Duration> {
        let (mut took, mut left) = (Duration::ZERO, times);
        while left > 0 {
            let now = left.min(RUNS);
            took += start(self.0)?.run("", now)?;
            left -= now;
        }
        Ok(took)
    }

    fn peak(&mut self) -> Result<Option<u64>> {
        start(self.0)?.peak("")
    }
}

/// Starts the program for a file.
fn start(file: &Path) -> Result<Beside> {
    let mut command = this_program("at1-reference")?;
    command.arg(file);
    Beside::start(command)
}

/// The program. Its argument is the file.
pub fn answer(mut args: impl Iterator<Item = OsString>) -> Result<()> {
    let bytes = std::fs::read(args.next().ok_or("expected a file")?)?;
    let mut output = vec![];
    serve(|order, times| match order {
        "crc" => Ok(Crc32::of(&output).into()),
        "run" => {
            // One untimed run first, as of the other contestants.
            output = at1::decode(&bytes)?;
            let begun = Instant::now();
            for _ in 0..times {
                black_box(at1::decode(&bytes)?);
            }
            Ok(u64::try_from(begun.elapsed().as_nanos())?)
        }
        other => Err(format!("unknown order {other}").into()),
    })
}

//! A contestant in a process of its own, which waits for orders between its turns.

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use unspool::checksum::Crc32;

use crate::Result;
use crate::memory::peak_of;
use crate::race::Contestant;

/// A running program. It answers `run N`, or `run N WHO` if it has several contestants, with
/// nanoseconds, and `crc` with the CRC-32 of its last output.
pub struct Beside {
    child: Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Beside {
    /// Starts the program.
    pub fn start(mut command: Command) -> Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let orders = child.stdin.take().ok_or("no pipe to the program")?;
        let answers = BufReader::new(child.stdout.take().ok_or("no pipe from the program")?);
        Ok(Self { child, orders, answers })
    }

    /// Runs a contestant once, and compares its output.
    pub fn check(&mut self, who: &str, expected: &[u8]) -> Result<()> {
        self.run(who, 1)?;
        let same = self.ask("crc")? == u64::from(Crc32::of(expected));
        if same { Ok(()) } else { Err(format!("{who} decoded to something else").into()) }
    }

    /// Runs a contestant `times` times. Returns the time that the program measured.
    pub fn run(&mut self, who: &str, times: u32) -> Result<Duration> {
        Ok(Duration::from_nanos(self.ask(&format!("run {times} {who}"))?))
    }

    /// Runs a contestant once. Returns the peak memory of the program meanwhile.
    pub fn peak(&mut self, who: &str) -> Result<Option<u64>> {
        peak_of(self.child.id(), || self.run(who, 1).map(|_| ()))
    }

    /// Returns the answer to an order.
    pub fn ask(&mut self, order: &str) -> Result<u64> {
        writeln!(self.orders, "{order}")?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        line.trim().parse().map_err(|_| format!("the program answered `{}` to `{order}`", line.trim()).into())
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One of the contestants in a program that runs for the whole race.
pub struct Waiting<'a> {
    pub program: &'a RefCell<Beside>,
    pub who: &'a str,
}

impl Contestant for Waiting<'_> {
    fn run(&mut self, times: u32) -> Result<Duration> {
        self.program.borrow_mut().run(self.who, times)
    }

    fn peak(&mut self) -> Result<Option<u64>> {
        self.program.borrow_mut().peak(self.who)
    }
}

/// Returns this program with the name of one of its parts, such as `launch`.
pub fn this_program(part: &str) -> Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(part);
    Ok(command)
}

/// Returns a program that was built along with this one.
pub fn sibling(name: &str) -> Result<PathBuf> {
    let this = std::env::current_exe()?;
    let path = this.parent().unwrap_or(Path::new("")).join(name).with_extension(std::env::consts::EXE_EXTENSION);
    if path.is_file() { Ok(path) } else { Err(format!("{} is not built", path.display()).into()) }
}

/// Reads orders from standard input, and prints the answer to each: the other side of [`Beside`].
pub fn serve(mut answer: impl FnMut(&str, u32) -> Result<u64>) -> Result<()> {
    for line in std::io::stdin().lines() {
        let line = line?;
        let mut words = line.split_whitespace();
        let order = words.next().unwrap_or_default();
        println!("{}", answer(order, words.next().map_or(Ok(1), str::parse)?)?);
    }
    Ok(())
}

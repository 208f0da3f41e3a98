//! A contestant in a process of its own, which waits for commands between its turns.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use crate::Result;

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

    /// Runs a contestant `times` times. Returns the time that the program measured.
    pub fn run(&mut self, who: &str, times: u32) -> Result<Duration> {
        Ok(Duration::from_nanos(self.ask(&format!("run {times} {who}"))?))
    }

    /// Returns the CRC-32 of the last output.
    pub fn crc(&mut self) -> Result<u64> {
        self.ask("crc")
    }

    fn ask(&mut self, order: &str) -> Result<u64> {
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

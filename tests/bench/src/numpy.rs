//! The reference loader's conversion, in a Python process that waits for orders between its turns.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use crate::Result;

/// A running `cvc_numpy.py` that has one file.
pub struct Numpy {
    child: Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Numpy {
    /// Starts Python on a file. With `cached`, the file is read once and the work starts from memory. With `thrifty`, the C
    /// library gives no memory back between conversions: half of what numpy's temporary arrays cost in a process that
    /// sets nothing is that the system clears their pages anew each time.
    pub fn start(python: &str, file: &Path, cached: bool, thrifty: bool) -> Result<Self> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("cvc_numpy.py");
        let mut command = Command::new(python);
        command.arg(script).arg(file).arg(if cached { "cached" } else { "file" });
        if thrifty {
            command.env("MALLOC_TRIM_THRESHOLD_", "1000000000").env("MALLOC_MMAP_THRESHOLD_", "1000000000");
        }
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let orders = child.stdin.take().ok_or("no pipe to Python")?;
        let answers = BufReader::new(child.stdout.take().ok_or("no pipe from Python")?);
        Ok(Self { child, orders, answers })
    }

    /// Loads so many times; the time that Python measured.
    pub fn run(&mut self, times: u32) -> Result<Duration> {
        Ok(Duration::from_nanos(self.ask(&format!("run {times}"))?))
    }

    /// The CRC-32 of everything that the last load gave.
    pub fn crc(&mut self) -> Result<u64> {
        self.ask("crc")
    }

    fn ask(&mut self, order: &str) -> Result<u64> {
        writeln!(self.orders, "{order}")?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        line.trim().parse().map_err(|_| format!("Python answered `{}` to `{order}`", line.trim()).into())
    }
}

impl Drop for Numpy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

//! Measures a program as a whole process: its time from start to exit, and its peak memory.
//!
//! The program that measures is small and does nothing else. Linux counts the memory of the process
//! that starts a program as memory of that program.

use std::ffi::OsString;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use unspool::checksum::Crc32;

use crate::Result;
use crate::beside::{Beside, serve, this_program};
use crate::race::Contestant;

/// A command that starts anew for each run.
pub struct Launched(Beside);

impl Launched {
    /// Compares the output of the command with a CRC-32. If there is a `pipe`, the command reads
    /// that file from a pipe.
    pub fn new(command: &Command, pipe: Option<&Path>, crc: u32) -> Result<Self> {
        let mut launcher = this_program("launch")?;
        launcher.arg(pipe.unwrap_or(Path::new(""))).arg(command.get_program()).args(command.get_args());
        let mut launcher = Beside::start(launcher)?;
        let found = launcher.ask("crc")?;
        if found == u64::from(crc) {
            Ok(Self(launcher))
        } else {
            Err(format!("{command:?} wrote something else, with the CRC-32 {found:08x}").into())
        }
    }
}

impl Contestant for Launched {
    fn run(&mut self, times: u32) -> Result<Duration> {
        Ok(Duration::from_nanos(self.0.ask(&format!("run {times}"))?))
    }

    fn peak(&mut self) -> Result<Option<u64>> {
        Ok(Some(self.0.ask("peak")?).filter(|&kib| kib > 0))
    }
}

/// The program that measures. Its arguments: a file for a pipe or nothing, the command, and the
/// arguments of the command.
pub fn measure(mut args: impl Iterator<Item = OsString>) -> Result<()> {
    let (Some(pipe), Some(program)) = (args.next(), args.next()) else {
        return Err("expected a file or nothing, and a command".into());
    };
    let args: Vec<_> = args.collect();
    let start = |stdout: Stdio| -> Result<(Child, Option<Child>)> {
        let mut command = Command::new(&program);
        command.args(&args).stdin(Stdio::null()).stdout(stdout);
        let mut writer = None;
        if !pipe.is_empty() {
            let mut cat = Command::new("cat").arg(&pipe).stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
            command.stdin(cat.stdout.take().ok_or("no pipe from cat")?);
            writer = Some(cat);
        }
        Ok((command.spawn().map_err(|error| format!("{}: {error}", program.display()))?, writer))
    };
    let finish = |(child, writer): (Child, Option<Child>)| -> Result<u64> {
        let kib = wait(child)?;
        writer.map(|mut writer| writer.wait()).transpose()?;
        Ok(kib)
    };
    serve(|order, times| match order {
        "crc" => {
            let (mut child, writer) = start(Stdio::piped())?;
            let mut output = child.stdout.take().ok_or("no pipe from the command")?;
            let (mut crc, mut buffer) = (Crc32::new(), vec![0; 1 << 16]);
            loop {
                match output.read(&mut buffer)? {
                    0 => break,
                    len => crc.update(buffer.get(..len).unwrap_or_default()),
                }
            }
            finish((child, writer))?;
            Ok(crc.value().into())
        }
        "run" => {
            let begun = Instant::now();
            for _ in 0..times {
                finish(start(Stdio::null())?)?;
            }
            Ok(u64::try_from(begun.elapsed().as_nanos())?)
        }
        "peak" => finish(start(Stdio::null())?),
        other => Err(format!("unknown order {other}").into()),
    })
}

/// Waits for a program, which must succeed. Returns the most memory that was resident in it, in
/// KiB, or 0 if this system does not tell.
#[cfg(unix)]
fn wait(child: Child) -> Result<u64> {
    let (mut status, process) = (0, i32::try_from(child.id())?);
    // SAFETY: numbers only, for which zero is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both pointers are valid, and nothing else waits for this process.
    if unsafe { libc::wait4(process, &raw mut status, 0, &raw mut usage) } != process {
        return Err(std::io::Error::last_os_error().into());
    }
    if status != 0 {
        return Err(format!("it failed, with the status {status}").into());
    }
    let highest = u64::try_from(usage.ru_maxrss)?;
    Ok(if cfg!(target_vendor = "apple") { highest / 1024 } else { highest })
}

#[cfg(not(unix))]
fn wait(mut child: Child) -> Result<u64> {
    let status = child.wait()?;
    if status.success() { Ok(0) } else { Err(format!("it failed: {status}").into()) }
}

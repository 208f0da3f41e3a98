//! Runs external commands and prints each one first, so that a reader can type it.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// Returns the root of the repository.
pub fn root() -> PathBuf {
    // Cargo sets the variable for `cargo xtask`. The constant serves a binary started by hand.
    let here = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    here.parent().map_or(here.clone(), Path::to_path_buf)
}

/// Returns Rust's name of this machine.
pub fn host() -> Result<String> {
    let said = cmd("rustc -vV").read()?;
    said.lines().find_map(|line| line.strip_prefix("host: ").map(str::to_owned)).context("a compiler without a host")
}

/// A command that is printed, runs in the root of the repository, and must succeed.
pub struct Cmd {
    inner: Command,
    dir: PathBuf,
    shown: String,
}

/// The result of a command that may fail.
pub struct Outcome {
    pub success: bool,
    pub stdout: String,
    pub stderr: String,
}

/// Makes a command from words separated by spaces: `cmd("cargo test --workspace")`. Pass an
/// argument that may contain spaces to [`Cmd::arg`].
pub fn cmd(line: &str) -> Cmd {
    let mut words = line.split_whitespace();
    let mut inner = Command::new(words.next().unwrap_or_default());
    inner.args(words);
    Cmd { inner, dir: root(), shown: line.to_owned() }
}

impl Cmd {
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        let arg = arg.as_ref();
        let text = arg.to_string_lossy();
        // Prints paths in the repository relative to its root.
        let text = text.strip_prefix(&format!("{}/", root().display())).unwrap_or(&text).to_owned();
        let quote = if text.contains([' ', '\'', '"', '$', '&', '[']) { "'" } else { "" };
        let _ = write!(self.shown, " {quote}{text}{quote}");
        self.inner.arg(arg);
        self
    }

    pub fn args(self, line: &str) -> Self {
        line.split_whitespace().fold(self, Self::arg)
    }

    /// Shortens the printed line to 200 bytes.
    pub fn quiet(mut self) -> Self {
        let shown = 200.min(self.shown.len());
        if let Some(end) = self.shown.get(..shown).and_then(|start| start.rfind(' ')) {
            self.shown.truncate(end);
            self.shown.push_str(" ...");
        }
        self
    }

    pub fn env(mut self, key: &str, value: impl AsRef<OsStr>) -> Self {
        self.shown = format!("{key}='{}' {}", value.as_ref().to_string_lossy(), self.shown);
        self.inner.env(key, value);
        self
    }

    /// Runs in a folder of the repository.
    pub fn dir(mut self, dir: impl AsRef<Path>) -> Self {
        self.dir = root().join(dir);
        self
    }

    pub fn run(mut self) -> Result<()> {
        self.show();
        let status = self.prepare().status();
        let status = status.with_context(|| format!("cannot start `{}`", self.shown))?;
        if !status.success() {
            bail!("`{}` failed ({status})", self.shown);
        }
        Ok(())
    }

    /// Runs and returns standard output. Standard error is passed through.
    pub fn read(mut self) -> Result<String> {
        self.show();
        let output = self.prepare().stderr(Stdio::inherit()).output();
        let output = output.with_context(|| format!("cannot start `{}`", self.shown))?;
        if !output.status.success() {
            print!("{}", String::from_utf8_lossy(&output.stdout));
            bail!("`{}` failed ({})", self.shown, output.status);
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Runs and passes each line of standard output to `each` as it comes. Prints nothing itself.
    pub fn lines(mut self, mut each: impl FnMut(&str) -> Result<()>) -> Result<()> {
        let child = self.prepare().stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        let mut child = child.with_context(|| format!("cannot start `{}`", self.shown))?;
        let output = child.stdout.take().map(BufReader::new);
        let read = output.into_iter().flat_map(BufRead::lines).try_for_each(|line| each(&line?));
        // The pipe is closed by now, so that a program whose output nobody wants ends, too.
        let status = child.wait()?;
        read?;
        if status.success() { Ok(()) } else { bail!("`{}` failed ({status})", self.shown) }
    }

    /// Runs for at most `limit` and returns all output, also of a command that failed.
    pub fn outcome(mut self, limit: Duration) -> Result<Outcome> {
        self.show();
        self.prepare().stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.inner.spawn().with_context(|| format!("cannot start `{}`", self.shown))?;
        let stdout = child.stdout.take().map(read_all);
        let stderr = child.stderr.take().map(read_all);
        let start = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if start.elapsed() > limit {
                child.kill()?;
                child.wait()?;
                bail!("`{}` was still running after {} seconds", self.shown, limit.as_secs());
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let text = |pipe: Option<std::thread::JoinHandle<String>>| pipe.and_then(|t| t.join().ok()).unwrap_or_default();
        Ok(Outcome { success: status.success(), stdout: text(stdout), stderr: text(stderr) })
    }

    /// Returns `true` if it starts and succeeds. Prints nothing.
    pub fn succeeds(mut self) -> bool {
        let quiet = self.prepare().stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        quiet.status().is_ok_and(|status| status.success())
    }

    /// Returns standard output, or `None` if it fails. Prints nothing.
    pub fn answer(mut self) -> Option<String> {
        let output = self.prepare().stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    fn prepare(&mut self) -> &mut Command {
        // Cargo sets variables for the toolchain and the package of its child processes. The
        // commands here belong to neither: `cargo +nightly` must be able to choose a toolchain, and
        // a build script must not run again because a variable of xtask changed.
        for (key, _) in std::env::vars_os() {
            let key = key.to_string_lossy();
            if key.starts_with("CARGO_PKG_") || key.starts_with("CARGO_MANIFEST_") || key == "RUSTUP_TOOLCHAIN" {
                self.inner.env_remove(&*key);
            }
        }
        // Nothing is built again soon. To keep state for that takes time, and code in many small
        // parts is slower.
        self.inner.env("CARGO_INCREMENTAL", "0");
        self.inner.current_dir(&self.dir)
    }

    fn show(&self) {
        match self.dir.strip_prefix(root()) {
            Ok(inside) if !inside.as_os_str().is_empty() => {
                println!("    $ (cd {} && {})", inside.display(), self.shown)
            }
            _ => println!("    $ {}", self.shown),
        }
    }
}

fn read_all(mut pipe: impl std::io::Read + Send + 'static) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = vec![];
        let _ = pipe.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Returns `true` if a program is in `PATH`.
pub fn has(program: &str) -> bool {
    which(program).is_some()
}

/// Returns the path of a program.
pub fn which(program: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?).map(|dir| dir.join(program)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stops_a_command_that_hangs_and_reports_one_that_fails() {
        let start = Instant::now();
        assert!(cmd("sleep 20").outcome(Duration::from_millis(50)).is_err());
        assert!(start.elapsed() < Duration::from_secs(10));
        assert!(cmd("false").run().is_err());
        assert!(cmd("false").read().is_err());
        assert!(cmd("no-such-program-anywhere").run().is_err());
        let both = cmd("sh -c").arg("echo out; echo err >&2; exit 3").outcome(Duration::from_secs(10)).unwrap();
        assert_eq!((both.success, both.stdout.as_str(), both.stderr.as_str()), (false, "out\n", "err\n"));
        let mut lines = vec![];
        let mut take = |line: &str| -> Result<()> {
            lines.push(line.to_owned());
            if line == "stop" { bail!("enough") } else { Ok(()) }
        };
        assert!(cmd("sh -c").arg("echo one; echo two; exit 3").lines(&mut take).is_err());
        assert!(cmd("sh -c").arg("echo three").lines(&mut take).is_ok());
        assert!(cmd("sh -c").arg("echo stop; yes").lines(&mut take).is_err());
        assert_eq!(lines, ["one", "two", "three", "stop"]);
    }
}

//! The output of a command: standard output, a device or pipe, or a file that appears only when it
//! is complete.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once};

use indicatif::{ProgressBar, ProgressStyle};
use unspool::Sink;

use crate::formats::pour::Room;
use crate::report::Failure;
use crate::threaded::ThreadedWriter;

/// Smaller outputs show no progress bar: they are written before it could be read.
const PROGRESS_FROM: u64 = 64 << 20;

/// A sink that writes to a file or to standard output.
pub struct Output {
    writer: ThreadedWriter<Box<dyn Write + Send>>,
    /// The error of a write that was refused.
    failure: Option<io::Error>,
    /// The name of the output in messages.
    shown: PathBuf,
    /// The final path and the path of the partial file.
    paths: Option<(PathBuf, PathBuf)>,
    progress: ProgressBar,
}

impl Output {
    /// Opens the output. A file is first written under another name in the same folder.
    pub fn create(path: Option<&Path>) -> Result<Self, Failure> {
        let shown = path.unwrap_or(Path::new("standard output"));
        let failed = |error| Failure::io("cannot create", shown, error);
        let metadata = path.and_then(|path| path.metadata().ok());
        let (writer, paths): (Box<dyn Write + Send>, _) = match (path, metadata) {
            (None, _) => (Box::new(io::stdout()), None),
            (Some(_), Some(metadata)) if metadata.is_dir() => return Err(failed(ErrorKind::IsADirectory.into())),
            // A device or a pipe is written to directly; it must not be replaced by a file.
            (Some(path), Some(metadata)) if !metadata.is_file() => {
                (Box::new(OpenOptions::new().write(true).open(path).map_err(failed)?), None)
            }
            (Some(path), metadata) => match follow(path) {
                // A file that a process already has open is appended to.
                None => (Box::new(OpenOptions::new().append(true).open(path).map_err(failed)?), None),
                Some(path) => {
                    let mut name = path.file_name().unwrap_or_default().to_owned();
                    name.push(format!(".{}.partial", std::process::id()));
                    let partial = path.with_file_name(name);
                    let failed = |error| Failure::io("cannot create", &partial, error);
                    unfinished(Some(&partial));
                    let file = File::create_new(&partial).map_err(failed)?;
                    if let Some(metadata) = metadata {
                        // If that is not allowed, the new file still belongs to the user.
                        let _ = file.set_permissions(metadata.permissions());
                    }
                    (Box::new(file), Some((path, partial)))
                }
            },
        };
        let (writer, progress) = (ThreadedWriter::new(writer), ProgressBar::hidden());
        Ok(Self { writer, failure: None, shown: shown.to_owned(), paths, progress })
    }

    /// An output to a writer.
    #[cfg(any(test, feature = "fuzzing"))]
    pub fn to_writer(to: impl Write + Send + 'static) -> Self {
        let (writer, progress) = (ThreadedWriter::new(Box::new(to) as Box<dyn Write + Send>), ProgressBar::hidden());
        Self { writer, failure: None, shown: PathBuf::new(), paths: None, progress }
    }

    /// Writes what is left, as at the end.
    #[cfg(any(test, feature = "fuzzing"))]
    pub fn flush_all(mut self) {
        self.writer.flush().unwrap();
    }

    /// Announces the size of the output. Draws a progress bar on a terminal, unless the bytes go
    /// there.
    pub fn expect(&mut self, bytes: u64) {
        let quiet = self.paths.is_none() && io::stdout().is_terminal();
        if bytes >= PROGRESS_FROM && !quiet && io::stderr().is_terminal() {
            self.progress = ProgressBar::new(bytes);
            let style = ProgressStyle::with_template("{wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta}");
            self.progress.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        }
    }

    /// Completes the output if decoding succeeded; otherwise removes it.
    pub fn finish(mut self, decoded: Result<(), Failure>) -> Result<(), Failure> {
        self.progress.finish_and_clear();
        let written = match self.failure.take() {
            Some(error) => Err(error),
            // A pipe receives the output before an error; the decoder's error outranks one of
            // writing.
            None => self.writer.flush().or_else(|error| if decoded.is_err() { Ok(()) } else { Err(error) }),
        };
        if let Err(error) = written {
            self.discard();
            // The reader of the pipe stopped early, as with `| head`.
            if self.paths.is_none() && error.kind() == ErrorKind::BrokenPipe {
                return Ok(());
            }
            return Err(Failure::io("cannot write", &self.shown, error));
        }
        if let Err(failure) = decoded {
            self.discard();
            return Err(failure);
        }
        if let Some((path, partial)) = &self.paths
            && let Err(error) = std::fs::rename(partial, path)
        {
            self.discard();
            return Err(Failure::io("cannot create", &self.shown, error));
        }
        unfinished(None);
        Ok(())
    }

    fn discard(&self) {
        if let Some((_, partial)) = &self.paths {
            // If this fails too, there is nothing else to try.
            let _ = std::fs::remove_file(partial);
            unfinished(None);
        }
    }
}

/// Resolves links, also to a file that does not exist yet, so that a link stays a link.
///
/// Returns `None` for a file that a process has open, such as `/dev/stdout` or `/dev/fd/3` on
/// Linux: it has no name of its own.
fn follow(path: &Path) -> Option<PathBuf> {
    // No system follows longer chains of links.
    const MOST: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MOST {
        let Ok(target) = path.read_link() else { break };
        let folder = path.parent().unwrap_or(Path::new(""));
        if folder.canonicalize().is_ok_and(|folder| folder.starts_with("/proc")) {
            return None;
        }
        path = folder.join(target);
    }
    Some(path)
}

impl Sink for Output {
    fn write(&mut self, bytes: &[u8]) -> Result<(), unspool::Error> {
        self.progress.inc(bytes.len() as u64);
        self.writer.write_all(bytes).map_err(|error| refused(&mut self.failure, error))
    }
}

impl Room for Output {
    fn room(&mut self) -> Result<&mut [u8], unspool::Error> {
        self.writer.room().map_err(|error| refused(&mut self.failure, error))
    }

    fn advance(&mut self, len: usize) -> Result<(), unspool::Error> {
        self.progress.inc(len as u64);
        self.writer.advance(len);
        Ok(())
    }

    fn pass(&mut self, buffer: Vec<u8>, range: Range<usize>) -> Result<Vec<u8>, unspool::Error> {
        self.progress.inc(range.len() as u64);
        self.writer.pass(buffer, range).map_err(|error| refused(&mut self.failure, error))
    }
}

/// Keeps the error of a write: a sink can only refuse.
fn refused(failure: &mut Option<io::Error>, error: io::Error) -> unspool::Error {
    *failure = Some(error);
    unspool::Error::new(unspool::ErrorKind::SinkFull, 0)
}

/// Notes the partial file, so that a signal such as Ctrl-C removes it. Only on Unix: elsewhere,
/// handling signals takes `unsafe`.
fn unfinished(partial: Option<&Path>) {
    static NOTED: Mutex<Option<PathBuf>> = Mutex::new(None);
    static WATCH: Once = Once::new();
    WATCH.call_once(|| {
        #[cfg(unix)]
        when_ended(|| {
            if let Ok(Some(partial)) = NOTED.lock().as_deref() {
                let _ = std::fs::remove_file(partial);
            }
        });
    });
    if let Ok(mut noted) = NOTED.lock() {
        *noted = partial.map(Path::to_owned);
    }
}

/// Runs `before` when a signal ends the program, then lets the signal take its usual effect.
#[cfg(unix)]
fn when_ended(before: impl Fn() + Send + 'static) {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

    // If signals cannot be handled, they keep their usual effect.
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM]) else { return };
    std::thread::spawn(move || {
        for signal in &mut signals {
            before();
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    });
}

/// Prints a report. A reader that stops early is no error.
pub fn print(text: &str) -> Result<(), Failure> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::io("cannot write", Path::new("standard output"), error))
        }
        _ => Ok(()),
    }
}

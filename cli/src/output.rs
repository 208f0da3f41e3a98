//! Where decoded bytes go: standard output, a device or pipe, or a file that appears only when it is complete.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once};

use indicatif::{ProgressBar, ProgressStyle};
use unspool::Sink;
use unspool::io::Writer;

use crate::behind::Behind;
use crate::report::Failure;

/// Less than this is written before a bar could be read.
const PROGRESS_FROM: u64 = 64 << 20;

/// A sink that ends in a file or on standard output.
pub struct Output {
    writer: Writer<Behind<Box<dyn Write + Send>>>,
    /// What it is called in words to the user.
    shown: PathBuf,
    /// The file to be, and the one that is being written.
    paths: Option<(PathBuf, PathBuf)>,
    progress: ProgressBar,
}

impl Output {
    /// Starts writing. The bytes of a file go to a neighbour of it first.
    pub fn create(path: Option<&Path>) -> Result<Self, Failure> {
        let shown = path.unwrap_or(Path::new("standard output"));
        let failed = |error| Failure::io("cannot create", shown, error);
        let metadata = path.and_then(|path| path.metadata().ok());
        let (writer, paths): (Box<dyn Write + Send>, _) = match (path, metadata) {
            (None, _) => (Box::new(io::stdout()), None),
            (Some(_), Some(metadata)) if metadata.is_dir() => return Err(failed(ErrorKind::IsADirectory.into())),
            // A device or a pipe takes what comes. In its place no file may appear.
            (Some(path), Some(metadata)) if !metadata.is_file() => {
                (Box::new(OpenOptions::new().write(true).open(path).map_err(failed)?), None)
            }
            (Some(path), metadata) => match follow(path) {
                // What somebody has open already is written on, behind what is there.
                None => (Box::new(OpenOptions::new().append(true).open(path).map_err(failed)?), None),
                Some(path) => {
                    let mut name = path.file_name().unwrap_or_default().to_owned();
                    name.push(format!(".{}.partial", std::process::id()));
                    let partial = path.with_file_name(name);
                    let failed = |error| Failure::io("cannot create", &partial, error);
                    unfinished(Some(&partial));
                    let file = File::create_new(&partial).map_err(failed)?;
                    if let Some(metadata) = metadata {
                        // Where that is not allowed, the file is the user's own all the same.
                        let _ = file.set_permissions(metadata.permissions());
                    }
                    (Box::new(file), Some((path, partial)))
                }
            },
        };
        let writer = Writer::new(Behind::new(writer));
        Ok(Self { writer, shown: shown.to_owned(), paths, progress: ProgressBar::hidden() })
    }

    /// How many bytes there will be. Draws a bar on a terminal, unless that is where the bytes go.
    pub fn expect(&mut self, bytes: u64) {
        let quiet = self.paths.is_none() && io::stdout().is_terminal();
        if bytes >= PROGRESS_FROM && !quiet && io::stderr().is_terminal() {
            self.progress = ProgressBar::new(bytes);
            let style = ProgressStyle::with_template("{wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta}");
            self.progress.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        }
    }

    /// Completes the output if the decoding went well; leaves nothing behind if not.
    pub fn finish(mut self, decoded: Result<(), Failure>) -> Result<(), Failure> {
        self.progress.finish_and_clear();
        let written = match self.writer.failure() {
            Some(error) => Err(error),
            // A pipe gets what came before the place where the decoder stopped; that this is written is not what matters then.
            None => self.writer.get_mut().flush().or_else(|error| if decoded.is_err() { Ok(()) } else { Err(error) }),
        };
        if let Err(error) = written {
            self.discard();
            // Whoever reads standard output, or another pipe, has seen enough, as with `| head`.
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
            // If even this fails there is nothing left to try.
            let _ = std::fs::remove_file(partial);
            unfinished(None);
        }
    }
}

/// Where a path leads if it is a link, also to what does not exist yet: a link stays a link. Nowhere if it leads to what a process
/// has open, as `/dev/stdout` and `/dev/fd/3` do on Linux: that has no name of its own.
fn follow(path: &Path) -> Option<PathBuf> {
    // More links in a row no system follows.
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
        self.progress.inc(u64::try_from(bytes.len()).unwrap_or(0));
        self.writer.write(bytes)
    }
}

/// Notes which file is half-written. Whoever ends the program, as with Ctrl-C, does not find it. (But on other systems than Unix, where
/// nobody is told without `unsafe`.)
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

/// Does this before a signal ends the program, as it would have without.
#[cfg(unix)]
fn when_ended(before: impl Fn() + Send + 'static) {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

    // Where signals cannot be waited for, they do what they always did.
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM]) else { return };
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

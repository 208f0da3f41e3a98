//! The output of a command: standard output, a device or pipe, or a file that appears only when it
//! is complete.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once};

use indicatif::{ProgressBar, ProgressStyle};
use unspool::Sink;

use crate::folder::Folder;
use crate::formats::pour::Room;
use crate::report::{Failure, Visible};
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
    /// The file that is not complete, unless the output is none.
    partial: Option<Partial>,
    progress: ProgressBar,
}

impl Output {
    /// Opens the output. A file is first written under another name in the same folder.
    ///
    /// A terminal shows control characters as escapes. A pipe or a file gets the bytes as they are.
    pub fn create(path: Option<&Path>) -> Result<Self, Failure> {
        let shown = path.unwrap_or(Path::new("standard output"));
        let failed = |error| Failure::io("cannot create", shown, error);
        let metadata = path.and_then(|path| path.metadata().ok());
        let writer: Box<dyn Write + Send> = match (path, metadata) {
            (None, _) => match stdout()? {
                terminal if terminal.is_terminal() => Box::new(Visible::new(terminal)),
                stdout => Box::new(stdout),
            },
            (Some(_), Some(metadata)) if metadata.is_dir() => return Err(failed(ErrorKind::IsADirectory.into())),
            // A device or a pipe is written to directly; it must not be replaced by a file.
            (Some(path), Some(metadata)) if !metadata.is_file() => {
                Box::new(OpenOptions::new().write(true).open(path).map_err(failed)?)
            }
            (Some(path), metadata) => match follow(path).map_err(failed)? {
                // A file that a process already has open is appended to.
                None => Box::new(OpenOptions::new().append(true).open(path).map_err(failed)?),
                Some(path) => {
                    let partial = path.with_file_name(partial_name());
                    let create = || File::create_new(&partial);
                    let output = Self::to_partial(shown, &partial, create, Place::Path(path))?;
                    if let (Some(metadata), Some(partial)) = (metadata, &output.partial) {
                        // If that is not allowed, the new file still belongs to the user.
                        let _ = partial.file.set_permissions(metadata.permissions());
                    }
                    return Ok(output);
                }
            },
        };
        Ok(Self::new(writer, shown, None))
    }

    /// Creates a file in a folder, which must not have one of this name.
    pub fn create_in(folder: Rc<Folder>, name: &str) -> Result<Self, Failure> {
        let shown = folder.path_of(name);
        if folder.has(name) {
            return Err(Failure::io("cannot write", &shown, ErrorKind::AlreadyExists.into()));
        }
        let partial = partial_name();
        let (path, create) = (folder.path_of(&partial), || folder.create(&partial));
        Self::to_partial(&shown, &path, create, Place::Folder(Rc::clone(&folder), partial.clone(), name.to_owned()))
    }

    fn to_partial(
        shown: &Path,
        path: &Path,
        create: impl FnOnce() -> io::Result<File>,
        place: Place,
    ) -> Result<Self, Failure> {
        let made = if let Place::Folder(folder, ..) = &place { folder.made() } else { vec![] };
        unfinished(Some((path.to_owned(), made)));
        let file = create().and_then(|file| Ok((file.try_clone()?, file)));
        let (writer, file) = file.map_err(|error| Failure::io("cannot create", shown, error))?;
        let partial = Partial { file, path: path.to_owned(), place };
        Ok(Self::new(Box::new(writer), shown, Some(partial)))
    }

    fn new(writer: Box<dyn Write + Send>, shown: &Path, partial: Option<Partial>) -> Self {
        let (writer, progress) = (ThreadedWriter::new(writer), ProgressBar::hidden());
        Self { writer, failure: None, shown: shown.to_owned(), partial, progress }
    }

    /// An output to a writer.
    #[cfg(any(test, feature = "fuzzing"))]
    pub fn to_writer(to: impl Write + Send + 'static) -> Self {
        Self::new(Box::new(to), Path::new(""), None)
    }

    /// Writes what is left, as at the end.
    #[cfg(any(test, feature = "fuzzing"))]
    pub fn flush_all(mut self) {
        self.writer.flush().unwrap();
    }

    /// Announces the size of the output. Draws a progress bar on a terminal, unless the bytes go
    /// there.
    pub fn expect(&mut self, bytes: u64) {
        let quiet = self.partial.is_none() && io::stdout().is_terminal();
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
            if self.partial.is_none() && error.kind() == ErrorKind::BrokenPipe {
                return Ok(());
            }
            return Err(Failure::io("cannot write", &self.shown, error));
        }
        if let Err(failure) = decoded {
            self.discard();
            return Err(failure);
        }
        if let Some(partial) = &self.partial
            && let Err(error) = partial.complete()
        {
            self.discard();
            return Err(Failure::io("cannot create", &self.shown, error));
        }
        unfinished(None);
        Ok(())
    }

    fn discard(&self) {
        if let Some(partial) = &self.partial {
            // If this fails too, there is nothing else to try.
            let _ = partial.remove();
            unfinished(None);
        }
    }
}

/// Returns the name of a file that is not complete. It is short, so that the final name may be as
/// long as the system allows.
fn partial_name() -> String {
    format!(".{}.partial", std::process::id())
}

/// A file that gets its name when it is complete.
struct Partial {
    file: File,
    path: PathBuf,
    place: Place,
}

/// The final place of a file.
enum Place {
    Path(PathBuf),
    /// A folder, the name of the partial file in it, and the final name.
    Folder(Rc<Folder>, String, String),
}

impl Partial {
    /// Renames the file. Its content reaches the disk first, so that no crash leaves a file of this
    /// name without its content.
    fn complete(&self) -> io::Result<()> {
        self.file.sync_all()?;
        match &self.place {
            Place::Path(path) => std::fs::rename(&self.path, path),
            Place::Folder(folder, partial, name) => folder.rename(partial, name),
        }
    }

    fn remove(&self) -> io::Result<()> {
        match &self.place {
            Place::Path(_) => std::fs::remove_file(&self.path),
            Place::Folder(folder, partial, _) => folder.remove(partial),
        }
    }
}

/// Resolves links, also to a file that does not exist yet, so that a link stays a link.
///
/// Returns `None` for a file that a process has open, such as `/dev/stdout` or `/dev/fd/3` on
/// Linux: it has no name of its own.
fn follow(path: &Path) -> io::Result<Option<PathBuf>> {
    // No system follows longer chains of links.
    const MOST: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MOST {
        let Ok(target) = path.read_link() else { return Ok(Some(path)) };
        let folder = path.parent().unwrap_or(Path::new(""));
        if folder.canonicalize().is_ok_and(|folder| folder.starts_with("/proc")) {
            return Ok(None);
        }
        path = folder.join(target);
    }
    // The system refuses such a chain too, and has the words for it.
    path.metadata().map(|_| Some(path))
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

/// Notes the partial file and the folders that were created for it, so that a signal such as Ctrl-C
/// removes it and those that hold nothing else. Only on Unix: elsewhere, handling signals takes
/// `unsafe`.
fn unfinished(partial: Option<(PathBuf, Vec<PathBuf>)>) {
    static NOTED: Mutex<Option<(PathBuf, Vec<PathBuf>)>> = Mutex::new(None);
    static WATCH: Once = Once::new();
    WATCH.call_once(|| {
        #[cfg(unix)]
        when_ended(|| {
            if let Ok(Some((partial, made))) = NOTED.lock().as_deref() {
                let _ = std::fs::remove_file(partial);
                // The system refuses to remove a folder that holds something.
                let _ = made.iter().try_for_each(std::fs::remove_dir);
            }
        });
    });
    if let Ok(mut noted) = NOTED.lock() {
        *noted = partial;
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

/// Lets a write fail that makes a file larger than `ulimit -f` allows. Otherwise a signal ends the
/// program; if anything handles it, the write returns an error.
#[cfg(unix)]
pub fn outlive_file_limit() {
    let handled = std::sync::Arc::new(AtomicBool::new(false));
    // If that is impossible, the signal keeps its usual effect.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, handled);
}

/// Set if standard output was closed when the process began.
static CLOSED: AtomicBool = AtomicBool::new(false);

/// Looks at standard output before the runtime of Rust does. If it is closed, the runtime puts
/// `/dev/null` in its place, so that no file is mistaken for it.
#[cfg(unix)]
pub extern "C" fn look_at_stdout() {
    CLOSED.store(rustix::io::fcntl_getfd(rustix::stdio::stdout()).is_err(), Ordering::Relaxed);
}

/// Returns standard output, unless it was closed.
fn stdout() -> Result<io::Stdout, Failure> {
    if CLOSED.load(Ordering::Relaxed) {
        return Err(Failure::io("cannot write", Path::new("standard output"), io::Error::other("it is closed")));
    }
    Ok(io::stdout())
}

/// Prints a report. A reader that stops early is no error.
pub fn print(text: &str) -> Result<(), Failure> {
    match stdout()?.write_all(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::io("cannot write", Path::new("standard output"), error))
        }
        _ => Ok(()),
    }
}

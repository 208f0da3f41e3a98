//! The folder that a bundle is unpacked into. Nothing leaves it: neither by a name nor by a link.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::report::is_control;

/// The most folders within each other. No writer nests as deeply, and each is a handle.
const MOST_PARTS: usize = 64;

/// The most bytes of a part. Most file systems allow no more.
const MOST_BYTES: usize = 255;

/// Returns what is wrong with the names of a bundle, and the name, before any of them is used.
///
/// A name that one system takes for a device or changes is refused on all systems.
pub fn refuse<'n>(names: impl IntoIterator<Item = &'n str>) -> Result<(), (&'n str, &'static str)> {
    let (mut files, mut folders) = (BTreeSet::new(), BTreeSet::new());
    for name in names {
        if name.split('/').count() > MOST_PARTS {
            return Err((name, "it has more than 64 folders within each other"));
        }
        if let Some(wrong) = name.split('/').find_map(wrong) {
            return Err((name, wrong));
        }
        let parents = || name.match_indices('/').map(|(end, _)| &name[..end]);
        if !files.insert(name) || folders.contains(name) || parents().any(|parent| files.contains(parent)) {
            return Err((name, "another file of the bundle has this name"));
        }
        folders.extend(parents());
    }
    Ok(())
}

/// Returns what is wrong with a part of a name.
fn wrong(part: &str) -> Option<&'static str> {
    let stem = part.split('.').next().unwrap_or_default().trim_end_matches(' ').to_ascii_uppercase();
    let is_device = matches!(&*stem, "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$")
        || ["COM", "LPT"].iter().any(|device| {
            let number = stem.strip_prefix(device).unwrap_or_default();
            matches!(number.chars().next(), Some('0'..='9' | '¹' | '²' | '³')) && number.chars().count() == 1
        });
    match part {
        "" | "." | ".." => Some("it leads out of the folder"),
        _ if part.contains(is_control) => Some("it has a control character"),
        _ if part.contains(['<', '>', ':', '"', '|', '?', '*', '\\', '/']) => {
            Some("Windows forbids one of its characters")
        }
        _ if part.ends_with(['.', ' ']) => Some("Windows drops the dot or the space at its end"),
        _ if is_device => Some("it is a device on Windows"),
        _ if part.len() > MOST_BYTES => Some("a part of it has more than 255 bytes"),
        _ => None,
    }
}

/// An open folder, and its path for messages.
pub struct Folder {
    handle: Handle,
    path: PathBuf,
    made: RefCell<Made>,
}

/// Folders that were created. Dropping it removes those that hold nothing.
enum Made {
    /// The folder of a bundle and those that lead to it, innermost first; none if they existed.
    Path(Vec<PathBuf>),
    /// One in another folder.
    In(Rc<Folder>, String),
}

impl Drop for Made {
    fn drop(&mut self) {
        // The system refuses to remove a folder that holds something.
        let _ = match self {
            Self::Path(paths) => paths.iter().try_for_each(std::fs::remove_dir),
            Self::In(folder, name) => folder.handle.remove_folder(name),
        };
    }
}

impl Folder {
    /// Opens a folder by its path, and creates it if it does not exist.
    pub fn open(path: &Path) -> io::Result<Self> {
        let is_missing = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
        let made = Made::Path(path.ancestors().take_while(is_missing).map(Path::to_owned).collect());
        std::fs::create_dir_all(path)?;
        Ok(Self { handle: Handle::open(path)?, path: path.to_owned(), made: RefCell::new(made) })
    }

    /// Opens a folder in it, and creates that if it does not exist. A link is no folder.
    pub fn enter(self: &Rc<Self>, name: &str) -> io::Result<Self> {
        let made = if self.handle.make_folder(name)? {
            Made::In(Rc::clone(self), name.to_owned())
        } else {
            Made::Path(vec![])
        };
        Ok(Self { handle: self.handle.enter(name)?, path: self.path.join(name), made: RefCell::new(made) })
    }

    /// Keeps it, even if it holds nothing.
    pub fn keep(&self) {
        if let Made::Path(paths) = &mut *self.made.borrow_mut() {
            paths.clear();
        }
    }

    /// Returns the folders that were created to lead to it, innermost first, for signals.
    pub fn made(&self) -> Vec<PathBuf> {
        match &*self.made.borrow() {
            Made::Path(paths) => paths.clone(),
            Made::In(folder, name) => [vec![folder.path_of(name)], folder.made()].concat(),
        }
    }

    /// Returns the path of a file in it, for messages and for signals.
    pub fn path_of(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Returns whether there is anything of this name, also a link that leads nowhere.
    pub fn has(&self, name: &str) -> bool {
        self.handle.has(name)
    }

    /// Creates a file in it.
    pub fn create(&self, name: &str) -> io::Result<File> {
        self.handle.create(name)
    }

    /// Renames a file in it, and replaces no other.
    pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        // A second name fails if it is taken. Some file systems have none.
        match self.handle.link(from, to) {
            Ok(()) => self.remove(from),
            Err(error) if error.kind() == ErrorKind::AlreadyExists || self.has(to) => {
                Err(ErrorKind::AlreadyExists.into())
            }
            Err(_) => self.handle.rename(from, to),
        }
    }

    /// Removes a file in it.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        self.handle.remove(name)
    }
}

use by_handle::Handle;

/// Work relative to a handle: what is opened once cannot be replaced by a link later.
#[cfg(unix)]
mod by_handle {
    use super::{File, Path, io};
    use rustix::fd::OwnedFd;
    use rustix::fs::{self, AtFlags, Mode, OFlags};

    pub struct Handle(OwnedFd);

    const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

    impl Handle {
        pub fn open(path: &Path) -> io::Result<Self> {
            Ok(Self(fs::open(path, FOLDER, Mode::empty())?))
        }

        /// Creates a folder. Returns `false` if the name is taken.
        pub fn make_folder(&self, name: &str) -> io::Result<bool> {
            match fs::mkdirat(&self.0, name, Mode::from_raw_mode(0o777)) {
                Err(rustix::io::Errno::EXIST) => Ok(false),
                made => Ok(made.map(|()| true)?),
            }
        }

        pub fn remove_folder(&self, name: &str) -> io::Result<()> {
            Ok(fs::unlinkat(&self.0, name, AtFlags::REMOVEDIR)?)
        }

        pub fn enter(&self, name: &str) -> io::Result<Self> {
            Ok(Self(fs::openat(&self.0, name, FOLDER | OFlags::NOFOLLOW, Mode::empty())?))
        }

        pub fn has(&self, name: &str) -> bool {
            fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
        }

        pub fn create(&self, name: &str) -> io::Result<File> {
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            Ok(fs::openat(&self.0, name, flags, Mode::from_raw_mode(0o666))?.into())
        }

        /// Adds a second name to a file.
        pub fn link(&self, from: &str, to: &str) -> io::Result<()> {
            Ok(fs::linkat(&self.0, from, &self.0, to, AtFlags::empty())?)
        }

        pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
            Ok(fs::renameat(&self.0, from, &self.0, to)?)
        }

        pub fn remove(&self, name: &str) -> io::Result<()> {
            Ok(fs::unlinkat(&self.0, name, AtFlags::empty())?)
        }
    }
}

/// Work by the path of a folder that is held open. No other program can remove, rename or replace
/// it, nor a folder that leads to it, so the path means the same folder all the time.
#[cfg(windows)]
mod by_handle {
    use super::{ErrorKind, File, Path, PathBuf, Rc, io};
    use std::os::windows::fs::OpenOptionsExt;

    pub struct Handle {
        path: PathBuf,
        held: Rc<Held>,
    }

    /// An open folder, and those that lead to it.
    struct Held {
        _folder: File,
        _parent: Option<Rc<Held>>,
    }

    const FILE_SHARE_READ: u32 = 1;
    const FILE_SHARE_WRITE: u32 = 2;
    const FILE_FLAG_OPEN_REPARSE_POINT: u32 = 0x0020_0000;
    const FILE_FLAG_BACKUP_SEMANTICS: u32 = 0x0200_0000;

    impl Handle {
        pub fn open(path: &Path) -> io::Result<Self> {
            // The user may name a link. Later, it may lead elsewhere.
            Self::hold(path.canonicalize()?, None)
        }

        fn hold(path: PathBuf, parent: Option<Rc<Held>>) -> io::Result<Self> {
            let mut options = File::options();
            // Without `FILE_SHARE_DELETE`, which would let others remove it. A folder opens with
            // backup semantics only, and a link itself as a reparse point.
            options.read(true).share_mode(FILE_SHARE_READ | FILE_SHARE_WRITE);
            let folder = options.custom_flags(FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT).open(&path)?;
            // A link or a junction is no folder here.
            if !folder.metadata()?.is_dir() {
                return Err(ErrorKind::NotADirectory.into());
            }
            Ok(Self { path, held: Rc::new(Held { _folder: folder, _parent: parent }) })
        }

        /// Creates a folder. Returns `false` if the name is taken.
        pub fn make_folder(&self, name: &str) -> io::Result<bool> {
            match std::fs::create_dir(self.path.join(name)) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
                made => made.map(|()| true),
            }
        }

        pub fn remove_folder(&self, name: &str) -> io::Result<()> {
            std::fs::remove_dir(self.path.join(name))
        }

        pub fn enter(&self, name: &str) -> io::Result<Self> {
            Self::hold(self.path.join(name), Some(Rc::clone(&self.held)))
        }

        pub fn has(&self, name: &str) -> bool {
            self.path.join(name).symlink_metadata().is_ok()
        }

        /// Creates a file. A link counts as one.
        pub fn create(&self, name: &str) -> io::Result<File> {
            File::create_new(self.path.join(name))
        }

        /// Adds a second name to a file.
        pub fn link(&self, from: &str, to: &str) -> io::Result<()> {
            std::fs::hard_link(self.path.join(from), self.path.join(to))
        }

        pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
            std::fs::rename(self.path.join(from), self.path.join(to))
        }

        pub fn remove(&self, name: &str) -> io::Result<()> {
            std::fs::remove_file(self.path.join(name))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_a_system_would_change_are_refused() {
        let many = |parts| vec!["a"; parts].join("/");
        let (deep, long) = (many(MOST_PARTS), "x".repeat(MOST_BYTES));
        for name in ["a", "a/b.txt", ".hidden", "con1", "xcon", "console.txt", "com10", "lpt", "ü", "a b", &deep, &long]
        {
            assert_eq!(refuse([name]), Ok(()), "{name}");
        }
        let (deep, long) = (many(MOST_PARTS + 1), "x".repeat(MOST_BYTES + 1));
        for name in [
            "CON",
            "con.txt",
            "a/nul",
            "nul.tar.gz",
            "Aux",
            "prn .x",
            "COM1",
            "lpt9.txt",
            "com¹",
            "CONIN$",
            "conout$",
            "a.",
            "a ",
            "a./b",
            "a /b",
            "x/...",
            "\u{202E}gpj.exe",
            "a\u{2028}",
            "a\u{7}",
            "a\u{85}",
            "a?",
            "a*",
            "a<b",
            "",
            "/a",
            "a/",
            "..",
            "a/../b",
            "./a",
            "a:b",
            "a\\b",
            &deep,
            &long,
        ] {
            assert!(refuse([name]).is_err(), "{name:?}");
        }
    }

    #[test]
    fn two_files_of_one_name_are_refused() {
        for names in [["a", "a"], ["a", "a/b"], ["a/b", "a"], ["a/b/c", "a/b"]] {
            assert_eq!(refuse(names).map_err(|(name, _)| name), Err(names[1]));
        }
        assert_eq!(refuse(["a/b", "a/c", "b"]), Ok(()));
    }

    #[test]
    fn a_folder_that_another_replaces_gets_no_file() {
        let base = scratch("replaced");
        let root = Rc::new(Folder::open(&base.join("root")).unwrap());
        let inside = root.enter("inside").unwrap();
        root.keep();
        inside.keep();
        let (place, away) = (base.join("root/inside"), base.join("away"));
        let moved = std::fs::rename(&place, &away).and_then(|()| std::fs::create_dir(&place));
        // Windows moves no folder that is open.
        assert_eq!(moved.is_ok(), cfg!(unix), "{moved:?}");
        drop(inside.create("file").unwrap());
        assert_eq!(away.join("file").exists(), moved.is_ok());
        assert_eq!(place.join("file").exists(), moved.is_err());
        drop((inside, root));
        std::fs::remove_dir_all(base).unwrap();
    }

    #[test]
    fn a_link_is_no_folder_and_no_new_file() {
        #[cfg(unix)]
        use std::os::unix::fs::symlink;
        #[cfg(windows)]
        use std::os::windows::fs::symlink_dir as symlink;
        let base = scratch("link");
        let outside = base.join("outside");
        std::fs::create_dir(&outside).unwrap();
        let root = Rc::new(Folder::open(&base.join("root")).unwrap());
        root.keep();
        let link = base.join("root/link");
        let linked = symlink(&outside, &link);
        // Few users of Windows may create a link.
        assert!(link.is_symlink() || cfg!(windows), "{linked:?}");
        if link.is_symlink() {
            assert!(root.enter("link").is_err() && root.create("link").is_err() && root.has("link"));
        }
        assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
        drop(root);
        std::fs::remove_dir_all(base).unwrap();
    }

    #[test]
    fn renaming_replaces_no_file() {
        let base = scratch("rename");
        let root = Folder::open(&base.join("root")).unwrap();
        drop((root.create("a").unwrap(), root.create("b").unwrap()));
        assert_eq!(root.create("a").unwrap_err().kind(), ErrorKind::AlreadyExists);
        assert_eq!(root.rename("a", "b").unwrap_err().kind(), ErrorKind::AlreadyExists);
        root.rename("a", "c").unwrap();
        assert!(!root.has("a") && root.has("b") && root.has("c"));
        root.remove("b").unwrap();
        root.remove("c").unwrap();
        drop(root);
        std::fs::remove_dir(base).expect("the folder in it is gone, because it held nothing");
    }

    /// Returns a new folder.
    fn scratch(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("unspool-folder-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir(&folder).unwrap();
        folder
    }
}

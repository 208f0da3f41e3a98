//! Codec 12: several files in one, each of them an AT-1 file of its own.
//!
//! The stream `manifest` is a JSON array of objects with a `name` each; the streams `e0`, `e1` and so on are the files.

use super::MANIFEST;
use super::shared::{Codec, Entry, Error, ErrorKind, Header, Lent, Result, Scratch, Set, Stream};
use crate::at1::backend::{Backend, inside};
use crate::at1::header::Container;
use crate::at1::scratch::{Workspace, of_streams};
use crate::at1::streams::Entries;
use crate::json::{Elements, Node, Text, check};
use crate::num::u64_from;
use crate::options::Options;

/// A bundle whose manifest is decoded.
#[derive(Clone, Debug)]
pub struct Bundle<'a> {
    set: Set<'a>,
    manifest: Stream<'a>,
    elements: Elements<'a>,
    number: u64,
    /// The streams behind that of the last file.
    ahead: Entries<'a>,
    /// How many streams may still be looked at before it is too much work.
    looks: u64,
}

/// So many times all streams may be looked at on the way. Once is enough where they stand in the order of the manifest, and less than
/// this in that of their names as text.
const PASSES: u64 = 16;

/// A file of a bundle.
#[derive(Clone, Copy, Debug)]
pub struct BundleFile<'a> {
    /// What it is called: a relative path with `/` between its parts, none of them `.` or `..`.
    pub name: Text<'a>,
    /// Where it lies in the bundle. What it decodes to is an AT-1 file, which its own [`decode`](crate::at1::decode()) decodes;
    /// [`locate`](Self::locate) says where in the bundle its errors are.
    pub entry: Entry<'a>,
}

impl BundleFile<'_> {
    /// What is wrong with the file that it decodes to, by a place in the bundle: where it is if that file is stored, and else where its
    /// compressed bytes start.
    pub fn locate(&self, error: Error) -> Error {
        let Entry { backend, start, .. } = self.entry;
        let error = inside(error, start);
        if backend == Backend::Stored { error } else { Error { at: start, ..error } }
    }
}

impl<'a> Bundle<'a> {
    /// Reads the manifest into the scratch, unless it can be read where it is.
    pub fn open(src: &'a [u8], workspace: &mut Workspace, scratch: &'a mut [u8], options: &Options) -> Result<Self> {
        let limits = &options.limits;
        let header = Header::read(src, limits)?;
        if header.codec != Codec::Bundle {
            return Err(Error::new(ErrorKind::At1NoBundle, 4));
        }
        if header.container == Container::Frames {
            return Err(Error::new(ErrorKind::At1BundleInside, 3));
        }
        let body = header.body();
        let set = Set::open(src, body.start, body.end, limits)?;
        set.check()?;
        let mut lent = Lent { scratch: Scratch::new(scratch), workspace, limits: &of_streams(limits) };
        let manifest = set.load(&[MANIFEST], &mut lent, |&[manifest], _| Ok(manifest))?;
        if u64_from(manifest.bytes.len()) > limits.max_header {
            return Err(Error::from(manifest.fault(ErrorKind::HeaderLimit, 0)).needing(u64_from(manifest.bytes.len())));
        }
        let start = check(manifest.bytes, 0..manifest.bytes.len(), limits.max_depth)
            .map_err(|fault| manifest.fault(fault.kind, fault.at))?;
        let root = Node::at(manifest.bytes, start);
        if !root.is_array() {
            return Err(manifest.fault(ErrorKind::At1Manifest, start).into());
        }
        let files = u64_from(root.elements().count());
        let mut found = 0u64;
        for entry in set.entries() {
            let entry = entry?;
            let number = file_number(entry.name);
            if number.is_some_and(|number| number >= files) {
                return Err(Error::new(ErrorKind::At1Manifest, entry.at));
            }
            found = found.saturating_add(number.is_some().into());
            if found > files {
                return Err(Error::new(ErrorKind::At1StreamTwice, entry.at));
            }
        }
        let looks = limits.max_elements.saturating_add(set.len().saturating_mul(PASSES));
        Ok(Self { set, manifest, elements: root.elements(), number: 0, ahead: set.entries(), looks })
    }

    /// The stream of the next file. There are no more streams of files than files, so that none is there twice if none is missing.
    ///
    /// Starts after the last one, where a writer puts it: a search from the start for each of a million files would take hours.
    fn find(&mut self) -> Result<Option<Entry<'a>>> {
        for _ in 0..2 {
            for entry in self.ahead.by_ref() {
                let entry = entry?;
                let too_many = Error::new(ErrorKind::ElementLimit, entry.at);
                self.looks = self.looks.checked_sub(1).ok_or(too_many)?;
                if file_number(entry.name) == Some(self.number) {
                    return Ok(Some(entry));
                }
            }
            self.ahead = self.set.entries();
        }
        Ok(None)
    }

    /// Where the next file of the manifest lies.
    fn file(&mut self, node: Node<'a>) -> Result<BundleFile<'a>> {
        let manifest = self.manifest;
        let error = |kind| Error::from(manifest.fault(kind, 0));
        let name = node.member("name").ok_or_else(|| error(ErrorKind::At1Manifest))?;
        let name = name.string().ok_or(error(ErrorKind::At1Manifest))?;
        if !safe(name) {
            return Err(error(ErrorKind::At1UnsafeName));
        }
        let entry = self.find()?.ok_or_else(|| error(ErrorKind::At1Manifest))?;
        Ok(BundleFile { name, entry })
    }
}

impl<'a> Iterator for Bundle<'a> {
    type Item = Result<BundleFile<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let node = self.elements.next()?;
        let file = self.file(node);
        self.number = self.number.saturating_add(1);
        Some(file)
    }
}

/// The number of a file, by the name of its stream: `e17`. `None` for any other name.
fn file_number(name: &[u8]) -> Option<u64> {
    let [b'e', digits @ ..] = name else { return None };
    if !matches!(digits, [b'0'] | [b'1'..=b'9', ..]) {
        return None;
    }
    digits.iter().try_fold(0u64, |number, digit| {
        let digit = digit.checked_sub(b'0').filter(|&digit| digit < 10)?;
        number.checked_mul(10)?.checked_add(digit.into())
    })
}

/// Whether a name stays inside of the folder that a bundle is decoded to, on every system. Names that one of them keeps for devices, or
/// takes for the same, are for it to refuse.
fn safe(name: Text<'_>) -> bool {
    let mut dots = 0;
    let mut len = 0;
    for c in name.chars().chain(['/']) {
        match c {
            '/' if len == 0 || len == dots && dots <= 2 => return false,
            '/' => (len, dots) = (0, 0),
            '\\' | ':' | char::REPLACEMENT_CHARACTER => return false,
            c if c.is_control() => return false,
            c => {
                len += 1;
                dots += u64::from(c == '.');
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_outside_are_refused() {
        let is_safe = |json: &str| safe(Node::at(json.as_bytes(), 0).string().unwrap());
        for name in [r#""a""#, r#""a/b.txt""#, r#"".hidden/..x/...""#, r#""\u00fc ber/\u0061""#] {
            assert!(is_safe(name), "{name}");
        }
        for name in [
            r#""""#,
            r#""/etc/x""#,
            r#""a/""#,
            r#""a//b""#,
            r#""..""#,
            r#""a/../b""#,
            r#"".""#,
            r#""./a""#,
            r#""a\\b""#,
            r#""C:x""#,
            r#""a\u0000b""#,
            r#""\u002e\u002e/x""#,
            r#""\ud800""#,
            r#""a\n""#,
        ] {
            assert!(!is_safe(name), "{name}");
        }
    }

    #[test]
    fn streams_are_numbered() {
        for (number, name) in [(0, "e0"), (9, "e9"), (10, "e10"), (u64::MAX, "e18446744073709551615")] {
            assert_eq!(file_number(name.as_bytes()), Some(number));
        }
        for name in ["", "e", "e00", "e01", "e1x", "e+1", "1", "manifest", "e18446744073709551616"] {
            assert_eq!(file_number(name.as_bytes()), None, "{name}");
        }
    }
}

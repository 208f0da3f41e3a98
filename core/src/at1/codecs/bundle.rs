//! Codec 12: several files in one, each an AT-1 file of its own.
//!
//! The stream `manifest` is a JSON array of objects, each with a `name`. The streams `e0`, `e1` and
//! so on are the files.

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
    /// The streams after that of the last file.
    ahead: Entries<'a>,
    /// Streams that may still be visited before the search counts as too much work.
    looks: u64,
}

/// Walks over all streams that are allowed in total. One is enough if the streams are in manifest
/// order, and fewer than 16 if they are sorted by name.
const PASSES: u64 = 16;

/// A file of a bundle.
#[derive(Clone, Copy, Debug)]
pub struct BundleFile<'a> {
    /// Its name: a relative path with `/` between its parts, none of them `.` or `..`.
    pub name: Text<'a>,
    /// Its stream in the bundle. The content is an AT-1 file; decode it with
    /// [`decode`](crate::at1::decode()). [`locate`](Self::locate) moves its errors to the bundle.
    pub entry: Entry<'a>,
}

impl BundleFile<'_> {
    /// Moves an error in the decoded file to the bundle: to the byte itself if the file is stored,
    /// else to the start of its compressed bytes.
    pub fn locate(&self, error: Error) -> Error {
        let Entry { backend, start, .. } = self.entry;
        let error = inside(error, start);
        if backend == Backend::Stored { error } else { Error { at: start, ..error } }
    }
}

impl<'a> Bundle<'a> {
    /// Decodes the manifest into the scratch, unless it is stored.
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

    /// Finds the stream of the next file. There are no more such streams than files, so that a
    /// duplicate leaves another one missing.
    ///
    /// Starts after the stream of the last file, which is where writers put it. A search from the
    /// start for each of a million files would take hours.
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

    /// Reads an element of the manifest and finds its stream.
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

/// Returns the number of a file from the name of its stream, such as `e17`. Returns `None` for any
/// other name.
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

/// Returns whether a name stays inside of the target folder on every system. Names of devices and
/// names that a system treats as equal are left to that system.
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

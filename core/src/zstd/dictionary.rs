//! Dictionaries: tables and content that a frame starts from.

use super::codes::{MAX_LITERALS_CODE, MAX_MATCH_CODE};
use super::flavour::Flavour;
use super::tables::{LITERALS, MATCHES, OFFSETS};
use super::workspace::{Lent, Workspace};
use crate::num::u64_from;
use crate::{Error, ErrorKind, Result};

const MAGIC: [u8; 4] = [0x37, 0xA4, 0x30, 0xEC];

/// A borrowed dictionary: the output of `zstd --train`, or any bytes at all.
///
/// ```
/// use unspool::zstd::Dictionary;
/// assert_eq!(Dictionary::new(b"words that come up again and again").id(), 0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Dictionary<'a> {
    bytes: &'a [u8],
    id: u32,
    /// The reader of the tables before the content, if there are any. A pointer, so that a program
    /// whose dictionaries are all plain content does not link it.
    read: Option<Read>,
    /// The tables, if they were read before, and the index of the content after them.
    prepared: Option<(&'a Workspace, usize, Flavour)>,
}

/// Puts the tables at the start of some bytes into a workspace. Returns the index of the content
/// after them, or `None` if they break the rules.
type Read = fn(&[u8], Flavour, &mut Workspace) -> Option<usize>;

impl<'a> Dictionary<'a> {
    /// Returns a trained dictionary if the bytes start like one, otherwise plain content. Reads
    /// nothing yet: an error in a trained dictionary shows when a frame uses it.
    pub fn new(bytes: &'a [u8]) -> Self {
        match bytes.split_first_chunk::<4>().map(|(magic, rest)| (*magic, rest.first_chunk::<4>())) {
            Some((MAGIC, Some(id))) => Self { bytes, id: u32::from_le_bytes(*id), read: Some(read), prepared: None },
            _ => Self::raw(bytes),
        }
    }

    /// Returns plain content, whatever it starts with.
    pub const fn raw(bytes: &'a [u8]) -> Self {
        Self { bytes, id: 0, read: None, prepared: None }
    }

    /// Returns the number by which frames name it; 0 if it has none.
    pub const fn id(&self) -> u32 {
        self.id
    }

    /// Reads the tables of a trained dictionary once, rather than for every frame that needs them.
    ///
    /// ```
    /// use unspool::zstd::{Dictionary, Flavour, Workspace};
    /// let mut tables = Workspace::new();
    /// let dictionary = Dictionary::new(b"plain content has no tables");
    /// let dictionary = dictionary.prepared(Flavour::Rfc8878, &mut tables)?;
    /// # let _ = dictionary;
    /// # Ok::<(), unspool::Error>(())
    /// ```
    pub fn prepared(self, flavour: Flavour, tables: &'a mut Workspace) -> Result<Self> {
        let Some(read) = self.read else { return Ok(self) };
        tables.reset();
        let content = read(self.bytes, flavour, tables).ok_or(Error::new(ErrorKind::ZstdDictionary, 0))?;
        tables.huffman.pack();
        Ok(Self { prepared: Some((tables, content, flavour)), ..self })
    }

    /// Returns the dictionary without its prepared tables.
    pub const fn unprepared(self) -> Self {
        Self { prepared: None, ..self }
    }

    /// Returns whether its tables are prepared; `false` for plain content, which has none.
    pub const fn is_prepared(&self) -> bool {
        self.prepared.is_some()
    }

    /// Puts the tables into the workspace, or lends them if they were prepared; returns the history
    /// for matches. `None` if they break the rules.
    pub(super) fn load(&self, flavour: Flavour, workspace: &mut Workspace) -> Option<(&'a [u8], Lent<'a>)> {
        let Some(read) = self.read else { return Some((self.bytes, Lent::default())) };
        let (content, lent) = match self.prepared {
            Some((tables, content, of)) if of == flavour => {
                (workspace.ready, workspace.history) = (tables.ready, tables.history);
                (content, Lent { code: Some(&tables.huffman), tables: Some(tables) })
            }
            _ => (read(self.bytes, flavour, workspace)?, Lent::default()),
        };
        Some((self.bytes.get(content..)?, lent))
    }
}

fn read(bytes: &[u8], flavour: Flavour, workspace: &mut Workspace) -> Option<usize> {
    let mut at = 8 + workspace.huffman.read(bytes, 8, flavour.tree())?;
    // The log limits are those of blocks. The 2016 decoder lacks them here and writes past its
    // tables.
    at += workspace.offsets.any().read(bytes.get(at..)?, flavour.max_offset_code(), &OFFSETS)?;
    at += workspace.matches.any().read(bytes.get(at..)?, MAX_MATCH_CODE, &MATCHES)?;
    at += workspace.literals.any().read(bytes.get(at..)?, MAX_LITERALS_CODE, &LITERALS)?;
    let (offsets, content) = bytes.get(at..)?.split_first_chunk::<12>()?;
    let (offsets, _) = offsets.as_chunks();
    for (to, offset) in workspace.history.iter_mut().zip(offsets) {
        *to = u32::from_le_bytes(*offset);
    }
    let possible = |&offset: &u32| offset != 0 && u64::from(offset) <= u64_from(content.len());
    let ready = workspace.history.iter().all(possible);
    workspace.ready = ready.into();
    ready.then_some(at + offsets.as_flattened().len())
}

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
    /// Tables precede the content.
    trained: bool,
    /// The tables, if they were read before, and the content after them.
    prepared: Option<(&'a Workspace, &'a [u8], Flavour)>,
}

impl<'a> Dictionary<'a> {
    /// Returns a trained dictionary if the bytes start like one, otherwise plain content. Reads
    /// nothing yet: an error in a trained dictionary shows when a frame uses it.
    pub fn new(bytes: &'a [u8]) -> Self {
        match bytes.split_first_chunk::<4>().map(|(magic, rest)| (*magic, rest.first_chunk::<4>())) {
            Some((MAGIC, Some(id))) => Self { bytes, id: u32::from_le_bytes(*id), trained: true, prepared: None },
            _ => Self::raw(bytes),
        }
    }

    /// Returns plain content, whatever it starts with.
    pub const fn raw(bytes: &'a [u8]) -> Self {
        Self { bytes, id: 0, trained: false, prepared: None }
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
        tables.reset();
        let (content, _) = self.load(flavour, tables).ok_or(Error::new(ErrorKind::ZstdDictionary, 0))?;
        tables.huffman.pack();
        Ok(Self { prepared: self.trained.then_some((tables, content, flavour)), ..self })
    }

    /// Puts the tables into the workspace, or lends them if they were prepared; returns the history
    /// for matches. `None` if they break the rules.
    pub(super) fn load(&self, flavour: Flavour, workspace: &mut Workspace) -> Option<(&'a [u8], Lent<'a>)> {
        if !self.trained {
            return Some((self.bytes, Lent::default()));
        }
        if let Some((tables, content, _)) = self.prepared.filter(|&(_, _, of)| of == flavour) {
            (workspace.ready, workspace.history) = (tables.ready, tables.history);
            return Some((content, Lent { code: Some(&tables.huffman), tables: Some(tables) }));
        }
        self.read(flavour, workspace).map(|content| (content, Lent::default()))
    }

    fn read(&self, flavour: Flavour, workspace: &mut Workspace) -> Option<&'a [u8]> {
        let mut at = 8 + workspace.huffman.read(self.bytes, 8, flavour.tree())?;
        // The log limits are those of blocks. The 2016 decoder lacks them here and writes past its
        // tables.
        at += workspace.offsets.read(self.bytes.get(at..)?, flavour.max_offset_code(), &OFFSETS)?;
        at += workspace.matches.read(self.bytes.get(at..)?, MAX_MATCH_CODE, &MATCHES)?;
        at += workspace.literals.read(self.bytes.get(at..)?, MAX_LITERALS_CODE, &LITERALS)?;
        let (offsets, content) = self.bytes.get(at..)?.split_first_chunk::<12>()?;
        let (offsets, _) = offsets.as_chunks();
        for (to, offset) in workspace.history.iter_mut().zip(offsets) {
            *to = u32::from_le_bytes(*offset);
        }
        let possible = |&offset: &u32| offset != 0 && u64::from(offset) <= u64_from(content.len());
        let ready = workspace.history.iter().all(possible);
        workspace.ready = ready.into();
        ready.then_some(content)
    }
}

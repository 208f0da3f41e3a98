//! The vectors: columns as a handful of files, with their decoded rows.

use super::*;

/// A column as a handful of files.
pub struct Case {
    pub name: String,
    pub dictionary: Vec<u8>,
    pub token_offsets: Vec<u8>,
    pub plain: Vec<u16>,
    /// Width and bytes.
    pub packed: Vec<(u32, Vec<u8>)>,
    pub row_offsets: Vec<u8>,
    pub wide_offsets: bool,
    pub expected: Vec<u8>,
    pub rows: Vec<Range<usize>>,
    pub entry: Json,
}

/// The decoded bytes of an entry of a manifest, and the offsets of its rows.
pub fn expected(folder: &Path, entry: &Json) -> (Vec<u8>, Vec<Range<usize>>) {
    let expected = &entry["expected"];
    let offsets = read(&folder.join(text(expected, "row_offsets")));
    let offsets: Vec<usize> =
        offsets.as_chunks().0.iter().map(|n| usize::try_from(u64::from_le_bytes(*n)).unwrap()).collect();
    let rows: Vec<_> = offsets.windows(2).map(|pair| pair[0]..pair[1]).collect();
    assert_eq!(rows.len() as u64, number(expected, "rows"));
    (read(&folder.join(text(expected, "expected"))), rows)
}

/// Folders of vectors, each with the number of entries that its manifest has at least: the compact
/// set, then the full one.
pub fn folders(fewest: [usize; 2], key: &str) -> Vec<(PathBuf, Vec<Json>)> {
    let folders = vector_folders("onpair").into_iter().zip(fewest);
    let with_entries = folders.map(|(folder, fewest)| {
        let manifest = manifest(&folder.join("manifest.json"));
        let entries = list(&manifest, key).to_vec();
        assert!(entries.len() >= fewest, "{} names only {} {key}", folder.display(), entries.len());
        (folder, entries)
    });
    with_entries.collect()
}

/// Runs `test` on every case of every folder, and returns their number.
pub fn cases(mut test: impl FnMut(&Case)) -> usize {
    let mut ran = 0;
    for (folder, entries) in folders([36, 51], "cases") {
        for entry in &entries {
            ran += 1;
            let file = |name: &str| read(&folder.join(text(entry, "dir")).join(name));
            let mut packed = vec![(number(entry, "bits") as u32, file("packed_codes.bin"))];
            if entry["files"].get("packed_codes_min.bin").is_some() {
                packed.push((number(entry, "min_code_bits") as u32, file("packed_codes_min.bin")));
            }
            let (bytes, rows) = expected(&folder, entry);
            test(&Case {
                name: text(entry, "case").to_owned(),
                dictionary: file("dict_bytes.bin"),
                token_offsets: file("dict_offsets.bin"),
                plain: file("codes.bin").as_chunks().0.iter().map(|code| u16::from_le_bytes(*code)).collect(),
                packed,
                row_offsets: file("code_offsets.bin"),
                wide_offsets: number(entry, "code_offsets_width") == 64,
                expected: bytes,
                rows,
                entry: entry.clone(),
            });
        }
    }
    assert!(ran >= 36);
    ran
}

impl Case {
    pub fn dictionary(&self) -> Dictionary<'_> {
        Dictionary::open(&self.dictionary, &self.token_offsets).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    pub fn row_offsets(&self) -> RowOffsets<'_> {
        let open = if self.wide_offsets { RowOffsets::u64 } else { RowOffsets::u32 };
        open(&self.row_offsets).unwrap()
    }

    pub fn column<'a>(&'a self, codes: Codes<'a>) -> Column<'a> {
        Column::open(self.dictionary(), codes, self.row_offsets(), &Limits::DEFAULT).unwrap()
    }

    /// The same codes in every form.
    pub fn forms(&self) -> Vec<(String, Codes<'_>)> {
        let mut forms = vec![("plain".to_owned(), Codes::plain(&self.plain))];
        for (bits, bytes) in &self.packed {
            forms.push((format!("{bits} bits"), Codes::packed(bytes, *bits, self.plain.len()).unwrap()));
        }
        forms
    }

    pub fn row(&self, row: usize) -> &[u8] {
        &self.expected[self.rows[row].clone()]
    }
}

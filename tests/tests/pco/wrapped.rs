//! Wrapped files: pages in slices of their own.

use super::*;

/// The parts of one wrapped file, decoded page by page.
pub fn wrapped(header: &[u8], ty: NumberType, meta: &[u8], pages: &[(Vec<u8>, usize)]) -> Result<Vec<Vec<u8>>, Error> {
    let (version, len) = Version::read(header, &mut ())?;
    // The bad ones of version 3 leave the minor version unread.
    assert_eq!(len, if version.major < 4 { 1 } else { 2 });
    let mut read = Meta::new();
    read.read(meta, ty, version.major, 0, &Limits::NONE, &mut ())?;
    let meta = read;
    let all = match ty.bits() {
        8 => wrapped_pages::<u8>(&meta, pages),
        16 => wrapped_pages::<u16>(&meta, pages),
        32 => wrapped_pages::<u32>(&meta, pages),
        _ => wrapped_pages::<u64>(&meta, pages),
    }?;
    // And all of them one after the other, aligned or not.
    let together = all.concat();
    let (longest, each) = (longest(pages), || pages.iter().map(|(page, n)| (page.as_slice(), *n)));
    let mut words = vec![0; meta.workspace_len(longest, Plan::Batches) as usize];
    let mut room = vec![0xAA_u8; together.len() + 1];
    for start in [0, 1] {
        meta.decode_pages_bytes(each(), longest, &mut room[start..][..together.len()], &mut words, &mut ())?;
        assert!(room[start..][..together.len()] == together);
    }
    if let Some(less) = together.len().checked_sub(1) {
        let error = meta.decode_pages_bytes(each(), longest, &mut room[..less], &mut words, &mut ()).unwrap_err();
        assert_eq!(error.kind, ErrorKind::OutputTooSmall);
    }
    Ok(all)
}

fn longest(pages: &[(Vec<u8>, usize)]) -> usize {
    pages.iter().map(|(_, n)| *n).max().unwrap_or(0)
}

fn wrapped_pages<L: Latent>(meta: &Meta<'_>, pages: &[(Vec<u8>, usize)]) -> Result<Vec<Vec<u8>>, Error> {
    let longest = longest(pages);
    let mut words = vec![0; meta.workspace_len(longest, Plan::Whole) as usize];
    let mut decoder = opened::<L>(meta, longest, Plan::Whole, &mut words)?;
    let mut compact_words = vec![0; meta.workspace_len(longest, Plan::CompactWhole) as usize];
    let mut compact = opened::<L>(meta, longest, Plan::CompactWhole, &mut compact_words)?;
    let mut all = vec![];
    for (page, n) in pages {
        let mut out = vec![L::ZERO; *n];
        let read = decoder.page(page, 0, &mut out, &mut ())?;
        assert_eq!(decoder.skip(page, *n, 0), Ok(read));
        let (numbers, in_pieces) = pieces::<L>(meta, &page[..read], *n, 0, Plan::Batches, || (50, 300))?;
        assert_eq!(in_pieces, read);
        assert!(numbers.chunks(size_of::<L>()).map(L::get).eq(out.iter().copied()));
        let mut again = vec![L::ZERO; *n];
        assert_eq!(compact.page(page, 0, &mut again, &mut ())?, read);
        assert!(again == out);
        all.push(numbers);
    }
    Ok(all)
}

#[test]
fn wrapped_vectors_are_bit_exact() {
    for folder in vector_folders("pco") {
        let folder = folder.join("wrapped");
        let (mut sets, mut count) = (0, 0);
        for set in list(&manifest(&folder.join("manifest.json")), "sets") {
            let name = text(set, "name");
            let part = |file: &str| read(&folder.join(name).join(file));
            let expected = part(text(set, "expected"));
            for chunk in list(set, "chunks") {
                let pages: Vec<_> = list(chunk, "pages")
                    .iter()
                    .map(|page| (part(text(page, "file")), number(page, "n") as usize))
                    .collect();
                let ty = type_named(text(set, "dtype"));
                let all = wrapped(&part(text(set, "header")), ty, &part(text(chunk, "meta")), &pages)
                    .unwrap_or_else(|error| panic!("{name}: {error}"));
                for (numbers, page) in all.iter().zip(list(chunk, "pages")) {
                    let start = number(page, "expected_byte_offset") as usize;
                    assert!(numbers == &expected[start..start + numbers.len()], "{name}");
                    count += 1;
                }
            }
            sets += 1;
        }
        assert!(sets > 3);
        eprintln!("{}: {sets} sets, {count} pages", folder.display());
    }
}

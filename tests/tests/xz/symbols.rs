//! The symbols of xz files: they rebuild the content, and cost as many bits as the chunks have.

use unspool::xz::{COST_SCALE, LzmaItem, LzmaKind, LzmaSymbol, LzmaWish, SymbolReader};
use unspool_harness::xz::feed_symbols;

use super::*;

/// A chunk, and its symbols.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Chunk {
    start: u64,
    end: u64,
    block: u64,
    control: Option<u8>,
    content: u64,
    symbols: Vec<LzmaSymbol>,
}

/// Feeds a reader with pieces of this length.
fn fed(
    mut reader: SymbolReader,
    file: &[u8],
    piece: usize,
    mut each: impl FnMut(LzmaItem) -> LzmaWish,
) -> Option<Error> {
    feed_symbols(file, piece, |piece, end, workspace, window| reader.feed(piece, end, workspace, window, &mut each))
}

fn chunks(file: &[u8], piece: usize) -> (Vec<Chunk>, Option<Error>) {
    let mut found: Vec<Chunk> = vec![];
    let error = fed(SymbolReader::new(&Limits::DEFAULT), file, piece, |item| {
        match item {
            LzmaItem::Chunk { at, block, control } => {
                found.push(Chunk { start: at, end: 0, block, control, content: 0, symbols: vec![] });
            }
            LzmaItem::Symbol(symbol) => found.last_mut().unwrap().symbols.push(symbol),
            LzmaItem::End { at, content } => {
                let last = found.last_mut().unwrap();
                (last.end, last.content) = (at, content);
            }
        }
        LzmaWish::Symbols
    });
    (found, error)
}

/// Builds the content from the symbols of chunks alone, and adds up their costs.
fn rebuilt(file: &[u8], chunks: &[Chunk]) -> Vec<u8> {
    let (mut out, mut distances): (Vec<u8>, [u64; 4]) = (vec![], [1; 4]);
    for chunk in chunks {
        // The state starts anew.
        if chunk.control.is_some_and(|control| control >= 0xA0) {
            distances = [1; 4];
        }
        let stored = chunk.control.is_some_and(|control| control < 0x80);
        if stored {
            assert_eq!(chunk.symbols, []);
            out.extend_from_slice(&file[chunk.start as usize + 3..chunk.end as usize]);
        }
        let mut cost = 0;
        for symbol in &chunk.symbols {
            assert_eq!(symbol.content.start, out.len() as u64);
            let repeated = match symbol.kind {
                LzmaKind::ShortRep | LzmaKind::Rep0 => Some(0),
                LzmaKind::Rep1 => Some(1),
                LzmaKind::Rep2 => Some(2),
                LzmaKind::Rep3 => Some(3),
                _ => None,
            };
            if let Some(number) = repeated {
                assert_eq!(symbol.distance, distances[number], "{:?}", symbol.kind);
            }
            if symbol.kind != LzmaKind::Literal {
                distances[..=repeated.unwrap_or(3)].rotate_right(1);
                distances[0] = symbol.distance;
            }
            match symbol.kind {
                LzmaKind::Literal => out.push(symbol.byte),
                _ => {
                    for _ in symbol.content.clone() {
                        out.push(out[out.len() - symbol.distance as usize]);
                    }
                    assert_eq!(out[symbol.content.start as usize], symbol.byte);
                }
            }
            assert_eq!(symbol.content.end, out.len() as u64);
            assert_eq!(
                symbol.kind == LzmaKind::ShortRep,
                symbol.distance > 0 && symbol.content.end - symbol.content.start == 1
            );
            cost += symbol.cost;
        }
        assert_eq!(chunk.content, out.len() as u64);
        if !stored {
            // The range coder starts with 40 bits, and ends with up to 8 that it has not used.
            let head = if chunk.control.unwrap() >= 0xC0 { 6 } else { 5 };
            let coded = 8 * (chunk.end - chunk.start - head) * COST_SCALE;
            let rest = (coded - cost) / COST_SCALE;
            assert!((32..=40).contains(&rest), "{rest} bits of the chunk at {} are in no symbol", chunk.start);
        }
    }
    out
}

#[test]
fn symbols_rebuild_the_content_at_the_cost_of_their_chunks() {
    let mut noisy = mixed(400_000, 34);
    noisy.extend(Random(7).noise(200_000));
    let mut counts = [0; 7];
    let mut controls = vec![];
    for (content, level) in
        [(&mixed(300_000, 34), 0), (&mixed(300_000, 34), 6), (&noisy, 3), (&vec![], 6), (&vec![0; 5000], 9)]
    {
        let file = preset(content, level, Check::Crc64);
        let (found, error) = chunks(&file, usize::MAX / 2);
        assert_eq!(error, None);
        assert!(rebuilt(&file, &found) == *content, "level {level}");
        for symbol in found.iter().flat_map(|chunk| &chunk.symbols) {
            counts[symbol.kind as usize] += 1;
        }
        controls.extend(found.iter().filter_map(|chunk| chunk.control));
        for piece in [1, 7, 1000, 70_000] {
            // Every byte by itself is slow.
            if piece > 100 || file.len() < 1000 {
                assert!(chunks(&file, piece) == (found.clone(), None), "pieces of {piece}");
            }
        }
    }
    assert!(counts.iter().all(|&count| count > 0), "{counts:?}");
    assert!(controls.iter().any(|&control| control < 0x80) && controls.len() > 5, "{controls:?}");
}

#[test]
fn a_chunk_is_read_from_its_block_without_the_symbols_before_it() {
    let content = mixed(500_000, 34);
    let file = blocks(&content, 130_000, Check::Crc32);
    let (all, error) = chunks(&file, 4096);
    assert_eq!((error, rebuilt(&file, &all) == content), (None, true));
    let starts: Vec<u64> = all.iter().map(|chunk| chunk.block).collect();
    assert!(starts.windows(2).filter(|pair| pair[0] != pair[1]).count() >= 3, "{starts:?}");
    for (index, chunk) in all.iter().enumerate() {
        let first = all.iter().position(|other| other.block == chunk.block).unwrap();
        let before = if first == 0 { 0 } else { all[first - 1].content };
        let reader = SymbolReader::at_block(chunk.block, before, &Limits::DEFAULT);
        let (mut entered, mut symbols) = (first, vec![]);
        let error = fed(reader, &file[chunk.block as usize..], 5000, |item| match item {
            LzmaItem::Chunk { at, .. } => {
                assert_eq!(at, all[entered].start);
                entered += 1;
                if entered > index { LzmaWish::Symbols } else { LzmaWish::Chunk }
            }
            LzmaItem::Symbol(symbol) => {
                symbols.push(symbol);
                LzmaWish::Symbols
            }
            LzmaItem::End { .. } if entered > index => LzmaWish::Stop,
            LzmaItem::End { .. } => LzmaWish::Chunk,
        });
        assert_eq!((error, &symbols), (None, &chunk.symbols));
    }
}

#[test]
fn the_symbols_of_a_damaged_file_end_where_decoding_does() {
    let content = mixed(3000, 34);
    let file = preset(&content, 6, Check::None);
    let (whole, _) = chunks(&file, usize::MAX / 2);
    let options = Options { verify: Verify::Skip, ..Options::DEFAULT };
    let mut refused = 0;
    for len in 0..file.len() {
        let (found, error) = chunks(&file[..len], usize::MAX / 2);
        assert_eq!(error, decode_to_vec(&file[..len], &options).err(), "cut at {len}");
        // The symbols before the cut are those of the whole file.
        if let Some(last) = found.last() {
            assert!(whole[found.len() - 1].symbols.starts_with(&last.symbols), "cut at {len}");
        }
    }
    for bit in 0..8 * file.len() {
        let mut damaged = file.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        let (found, error) = chunks(&damaged, usize::MAX / 2);
        let expected = decode_to_vec(&damaged, &options).err();
        refused += usize::from(expected.is_some());
        assert_eq!(error, expected, "bit {bit}");
        if expected.is_some() {
            assert!(chunks(&damaged, 11) == (found, error), "bit {bit} in pieces");
        }
    }
    assert!(refused > 1000, "{refused}");
}

#[test]
fn a_stream_may_be_followed_by_padding_and_another() {
    let [first, second] = [40, 300].map(|len| preset(&mixed(len, 34), 6, Check::Crc32));
    let file = [&first[..], &[0; 8], &second].concat();
    let (found, error) = chunks(&file, usize::MAX / 2);
    assert_eq!((error, found.len()), (None, 2));
    for piece in [1, 4, first.len(), first.len() + 8] {
        assert!(chunks(&file, piece) == (found.clone(), None), "pieces of {piece}");
    }
}

#[test]
fn a_symbol_that_goes_on_after_its_chunk_is_not_listed() {
    let file = preset(&mixed(300, 34), 6, Check::None);
    let packed = usize::from(u16::from_be_bytes([file[27], file[28]]));
    for less in 1..packed - 5 {
        let mut file = file.clone();
        file[27..29].copy_from_slice(&((packed - less) as u16).to_be_bytes());
        let (found, error) = chunks(&file, usize::MAX / 2);
        assert_eq!(error.map(|error| error.kind), Some(ErrorKind::XzChunkEnd), "{less} less");
        assert!(found.iter().flat_map(|chunk| &chunk.symbols).all(|symbol| symbol.cost > 0), "{less} less");
        for piece in [1, 5, 11, 30] {
            assert!(chunks(&file, piece) == (found.clone(), error), "{less} less in pieces of {piece}");
        }
    }
}

#[test]
fn lists_the_symbols_of_a_known_file() {
    let file = read(&vector_folders("xz")[0].join("unspool.xz"));
    let (found, error) = chunks(&file, 1);
    let kinds: Vec<LzmaKind> = found.iter().flat_map(|chunk| &chunk.symbols).map(|symbol| symbol.kind).collect();
    assert_eq!((error, kinds), (None, [vec![LzmaKind::Literal; 8], vec![LzmaKind::Match]].concat()));
}

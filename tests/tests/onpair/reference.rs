//! Columns of the reference implementation: the same rows and the same matches.

use std::mem::MaybeUninit;

use onpair::{Config, DEFAULT_CONFIG, MaxDictBits};

use super::*;

/// Compresses rows with the reference and compares everything with it.
fn against_the_reference(what: &str, rows: &[Vec<u8>], bits: u8) {
    let mut starts = vec![0u32];
    for row in rows {
        starts.push(starts[starts.len() - 1] + row.len() as u32);
    }
    let bytes = rows.concat();
    let config = Config { max_dict_bits: MaxDictBits::new(bits).unwrap(), ..DEFAULT_CONFIG };
    let theirs = onpair::compress(&bytes, &starts, config).unwrap();
    let view = theirs.view();
    let token_offsets: Vec<u8> = theirs.dict.offsets().iter().flat_map(|n| n.to_le_bytes()).collect();
    let row_offsets: Vec<u8> = theirs.row_offsets.iter().flat_map(|n| n.to_le_bytes()).collect();
    let dictionary = Dictionary::open(theirs.dict.bytes(), &token_offsets).unwrap().conforming().unwrap();
    assert_eq!(dictionary.code_bits(), u32::from(theirs.dict.code_bits()), "{what}");
    let offsets = RowOffsets::u32(&row_offsets).unwrap();
    let ranges: Vec<_> = starts.windows(2).map(|pair| pair[0] as usize..pair[1] as usize).collect();

    let mut out = vec![MaybeUninit::new(0); bytes.len()];
    assert_eq!(onpair::try_decode_into(&theirs.codes, view.dict, &mut out), Ok(bytes.len()));

    let width = dictionary.code_bits().max(1);
    let packed = pack(&theirs.codes, width);
    for codes in [Codes::plain(&theirs.codes), Codes::packed(&packed, width, theirs.codes.len()).unwrap()] {
        let column = Column::open(dictionary, codes, offsets, &Limits::DEFAULT).unwrap();
        decodes(what, &column, &bytes, &ranges);
        let mut random = Random(bytes.len() as u64);
        for _ in 0..6 {
            let row = if rows.is_empty() { &vec![] } else { &rows[random.below(rows.len())] };
            let start = random.below(row.len() + 1);
            let needle = &row[start..start + random.below((row.len() - start).min(200) + 1)];
            let as_u64 = |rows: Vec<usize>| rows.into_iter().map(|row| row as u64).collect::<Vec<_>>();
            let expected = [view.rows_equal_to(needle), view.rows_starting_with(needle), view.rows_containing(needle)];
            assert_eq!(found(&column, needle), expected.map(as_u64), "{what} {needle:?}");
        }
    }
}

/// From the lowest bit on, without gaps.
pub fn pack(codes: &[u16], bits: u32) -> Vec<u8> {
    let (mut bytes, mut held, mut count) = (vec![], 0u64, 0);
    for &code in codes {
        held |= u64::from(code) << count;
        count += bits;
        while count >= 8 {
            bytes.push(held as u8);
            (held, count) = (held >> 8, count - 8);
        }
    }
    if count > 0 {
        bytes.push(held as u8);
    }
    bytes
}

#[test]
fn decodes_what_the_reference_writes() {
    let mut random = Random(6);
    let word = |random: &mut Random| {
        let words =
            ["alpha", "beta", "https://", "www.", ".example/", "2026-11-20", " INFO ", "\u{e9}t\u{e9}", "0", ""];
        words[random.below(words.len())]
    };
    for bits in 9..=16 {
        for count in [0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1000] {
            let rows: Vec<Vec<u8>> = (0..count)
                .map(|_| (0..random.below(6)).map(|_| word(&mut random)).collect::<String>().into_bytes())
                .collect();
            against_the_reference(&format!("{count} rows, {bits} bits"), &rows, bits);
        }
    }
    // Rows of one length each, around what is copied at a time.
    for len in (0..40).chain([127, 128, 129, 143, 144, 145, 511, 512, 513, 1023, 1024, 1025]) {
        let rows: Vec<Vec<u8>> = (0..20).map(|_| (0..len).map(|_| b'a' + random.below(3) as u8).collect()).collect();
        against_the_reference(&format!("rows of {len} bytes"), &rows, 12);
    }
}

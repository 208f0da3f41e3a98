//! Canonical Huffman codes as in Zstandard: the weights of the symbols first, then one stream or
//! four.

#[cfg_attr(feature = "small", path = "small_coded.rs")]
mod coded;
#[cfg_attr(feature = "small", path = "canonical.rs")]
mod table;
mod weights;

pub(crate) use table::Table;
pub(crate) use weights::{Rules, lengths};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::model;

    /// Lists of up to five weights, each up to 5, with the weight that they leave to the last
    /// symbol. Codes are numbered from the longest, in the order of the symbols.
    #[test]
    fn every_list_of_small_weights_decodes_by_the_definition() {
        let (mut decoded, mut code) = (0, Table::new());
        for (count, number) in (1..=5u32).flat_map(|count| (0..6u32.pow(count)).map(move |number| (count, number))) {
            let mut weights: Vec<_> = (0..count).map(|place| number / 6u32.pow(place) % 6).collect();
            let nibbles: Vec<_> = weights.chunks(2).map(|two| (two[0] << 4 | two.get(1).unwrap_or(&0)) as u8).collect();
            let description = [&[127 + count as u8][..], &nibbles].concat();
            let read = code.read(&description, 0, Rules { ones: false, max_weights_log: 6 });
            let sum: u32 = weights.iter().map(|&weight| 1 << weight >> 1).sum();
            let depth = sum.checked_ilog2().map_or(0, |log| log + 1);
            let rest = (1 << depth) - sum;
            assert!(rest.is_power_of_two() && sum > 0 || read.is_none(), "{weights:?} leave {rest}");
            if read.is_none() {
                continue;
            }
            weights.push(rest.ilog2() + 1);
            assert_eq!((read, code.depth()), (Some(description.len()), depth), "{weights:?}");
            let mut next = 0u32;
            for weight in 1..=depth + 1 {
                for symbol in (0..).zip(&weights).filter_map(|(symbol, &of)| (of == weight).then_some(symbol)) {
                    let len = depth + 1 - weight;
                    // Its code, and the mark that ends a stream.
                    let stream = [(1u32 << len | next >> (weight - 1)) as u8];
                    let mut out = [0xAA];
                    assert_eq!(code.decode_one(&stream, 0..1, &mut out), Some(()), "{weights:?} {symbol}");
                    assert_eq!(out, [symbol], "{weights:?}");
                    next += 1 << (weight - 1);
                    decoded += 1;
                }
            }
            assert_eq!(next, 1 << depth, "{weights:?}");
        }
        assert!(decoded > 2000, "{decoded}");
    }

    /// Decodes with two states in turns, as RFC 8878 describes it in section 4.2.1.2. `None` if
    /// there is no end.
    fn in_turns(cells: &[model::Cell], log: u32, bits: &str) -> Option<Vec<u8>> {
        let (mut at, mut out) = (0, vec![]);
        let mut take = |width: u32| {
            let end = at + width as usize;
            let field = bits.get(at..end)?.chars().fold(0, |field, bit| field << 1 | u32::from(bit == '1'));
            at = end;
            Some(field)
        };
        let mut states = [take(log)?, take(log)?];
        for turn in 0..254 {
            let (symbol, width, base) = cells[states[turn % 2] as usize];
            out.push(symbol as u8);
            match take(width) {
                Some(field) => states[turn % 2] = base + field,
                None => {
                    out.push(cells[states[(turn + 1) % 2] as usize].0 as u8);
                    return Some(out);
                }
            }
        }
        None
    }

    #[test]
    fn coded_weights_of_every_list_of_counts_decode_as_in_the_text() {
        let (mut cells, mut ended, mut seed) = ([coded::EMPTY; coded::CELLS], 0, 1u32);
        let mut check = |counts: &[i16], log| {
            let (description, expected) = (model::write(counts, log), model::table(counts, log));
            let len = model::read(&description, 255, 6).expect("a description").2;
            // Every first state, and streams of every length of up to 8 bytes.
            for state in 0..1u64 << log {
                seed = seed.wrapping_mul(1_103_515_245).wrapping_add(12_345);
                let width = 2 * log + seed % (64 - 2 * log);
                let rest = (u64::from(seed) * 0x9E37_79B9) & ((1 << (width - log)) - 1);
                let marked = 1 << width | state << (width - log) | rest;
                let stream = &marked.to_le_bytes()[..width as usize / 8 + 1];
                let src = [&description[..len], stream].concat();
                let mut out = [0; 256];
                let decoded = coded::decode(&src, 0..src.len(), 6, &mut cells, &mut out);
                let bits = format!("{marked:b}");
                let text = in_turns(&expected, log, &bits[1..]);
                assert_eq!(decoded.map(|count| &out[..count]), text.as_deref(), "{counts:?} {bits}");
                ended += usize::from(text.is_some());
            }
        };
        model::each_list(5, 3, &mut |counts| check(counts, 5));
        model::each_list(6, 2, &mut |counts| check(&[&[0; 9][..], counts].concat(), 6));
        assert!(ended > 20_000, "{ended}");
    }

    #[test]
    fn the_longest_codes_in_a_row() {
        // Weights from 12 down to 1; the last symbol has what the others leave. Two codes have 12
        // bits: all zeros, and zeros with a one at the end.
        let description = [127 + 12, 0xCB, 0xA9, 0x87, 0x65, 0x43, 0x21];
        let mut code = Table::new();
        let read = code.read(&description, 0, Rules { ones: false, max_weights_log: 6 });
        assert_eq!((read, code.depth()), (Some(description.len()), 12));
        for (symbol, bit) in [(11u8, 0u8), (12, 1)] {
            for before in [0, 3, 20] {
                let mut src = vec![0xFF; before];
                (0..20).for_each(|_| src.extend([bit, bit << 4, 0]));
                src.push(1);
                let mut out = [0; 40];
                assert_eq!(code.decode_one(&src, before..src.len(), &mut out), Some(()));
                assert_eq!(out, [symbol; 40]);
                assert_eq!(code.decode_one(&src, before..src.len(), &mut out[1..]), None);
                assert_eq!(code.decode_one(&src, before..src.len(), &mut [0; 41]), None);
            }
        }
    }
}

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

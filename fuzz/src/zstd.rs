//! Zstandard in each of its three formats on arbitrary bytes: no panic, and every door returns the
//! same result.

use unspool::checksum::Xxh64;
use unspool::zstd::{Dictionary, Flavour, Header, Options, Workspace, decode_to_vec, detect, inspect, state_counts};
use unspool::{Error, ErrorKind, Format, Limits, Name, Result, Verify};

use unspool_harness::zstd::agree;
use unspool_harness::{Leaves, Random, tile};

/// Limits so small that no header can request much memory or time.
const LIMITS: Limits = Limits { max_output: 1 << 16, max_window: 1 << 18, ..Limits::DEFAULT };
const RFC8878: Options<'_> = Options { limits: LIMITS, flavour: Some(Flavour::Rfc8878), ..Options::DEFAULT };
const FLAVOURS: [Flavour; 3] = [Flavour::Rfc8878, Flavour::Draft, Flavour::V07];

/// Decodes arbitrary bytes.
pub fn zstd_arbitrary(bytes: &[u8]) {
    let mut random = Random::of(bytes);
    let _ = detect(bytes);
    // Any bytes are a valid raw dictionary.
    let dictionary = (random.below(4) == 0).then(|| Dictionary::new(bytes));
    let verify = [Verify::Skip, Verify::Report, Verify::Refuse, Verify::Refuse];
    for flavour in FLAVOURS {
        let (magicless, verify) = (random.below(8) == 0, verify[random.below(4)]);
        let options = Options { limits: LIMITS, verify, flavour: Some(flavour), dictionary, magicless };
        let _ = agree(bytes, &options);
    }
    // Detected.
    let _ = agree(bytes, &Options { limits: LIMITS, verify: verify[random.below(4)], ..Options::DEFAULT });
}

/// Decodes arbitrary bytes with a corrected checksum, so that content errors are reached.
pub fn zstd_mutated(bytes: &[u8]) {
    let mut bytes = bytes.to_vec();
    let options = Options { verify: Verify::Skip, ..RFC8878 };
    if let (Ok(Header::Frame(frame)), Ok(out)) =
        (Header::read(&bytes, &LIMITS, Flavour::Rfc8878), decode_to_vec(&bytes, &options))
        && frame.checksum
    {
        let hash = Xxh64::of(&out).to_le_bytes();
        bytes.iter_mut().rev().zip(hash[..4].iter().rev()).for_each(|(to, &from)| *to = from);
    }
    zstd_arbitrary(&bytes);
}

/// Compares with the C library and a decoder in Rust: they must accept the same files, with the
/// same output.
pub fn zstd_differential(bytes: &[u8]) {
    let bytes = unchecked(bytes);
    tile(Format::Zstd, &bytes, &LIMITS);
    let ours = decode_to_vec(&bytes, &RFC8878);
    if let Some(reference) = reference(&bytes) {
        compare(&bytes, &RFC8878, &reference, &ours);
    }
    if let Ok(ours) = &ours {
        // Only for files that are known to be small.
        other_reference(&bytes, ours);
    }
}

/// Compares what the C library makes of a file with what we make of it with these options.
pub(crate) fn compare(
    bytes: &[u8],
    options: &Options<'_>,
    theirs: &core::result::Result<Vec<u8>, &'static str>,
    ours: &Result<Vec<u8>>,
) {
    match (theirs, ours) {
        (Ok(theirs), Ok(ours)) => assert!(theirs == ours, "other bytes than the reference"),
        (Err(words), Ok(_)) => assert!(lists_wide_weights(bytes, options), "the reference refuses this file: {words}"),
        // The reasons to refuse a file that the reference accepts. The C library copies matches
        // from beyond the window while it still has the bytes. It lets the last symbols of a
        // Huffman stream read bits after the end. It accepts a compressed block of no bytes. If the
        // description of a table goes on after its block, it reads bits before that again.
        (Ok(_), Err(error)) => {
            use ErrorKind::{OutputLimit, WindowLimit, ZstdBlockSize, ZstdHuffmanStream, ZstdOffset};
            let known = [ZstdOffset, ZstdHuffmanStream, ZstdBlockSize, OutputLimit, WindowLimit];
            let is_known = known.contains(&error.kind) || cuts_a_table(bytes, options, error);
            assert!(is_known, "the reference accepts this file, but: {error}");
        }
        (Err(_), Err(_)) => {}
    }
}

/// Returns whether a Huffman code has weights of 64 states, one of them above 11. The C library has
/// no memory for those, and refuses them even if no literal has that weight.
fn lists_wide_weights(bytes: &[u8], options: &Options<'_>) -> bool {
    let leaves = leaves(bytes, options);
    let codes = leaves.leaves.iter().filter(|leaf| leaf.1 == Name::HuffmanCode);
    let mut codes = codes.map(|leaf| &bytes[usize::try_from(leaf.0.start / 8).unwrap()..]);
    let is_wide = |(states, counts): (u32, [i16; 256])| states == 64 && counts[12..].iter().any(|&count| count != 0);
    codes.any(|code| code[0] < 128 && state_counts(&code[1..]).is_ok_and(is_wide))
}

/// Returns whether the refused description of an FSE table goes on after its block.
fn cuts_a_table(bytes: &[u8], options: &Options<'_>, error: &Error) -> bool {
    if error.kind != ErrorKind::ZstdTable {
        return false;
    }
    let leaves = leaves(bytes, options);
    let Some(header) = leaves.leaves.iter().rfind(|leaf| leaf.1 == Name::BlockHeader) else { return false };
    let [start, table] = [header.0.end / 8, error.at].map(|at| usize::try_from(at).unwrap());
    let size = u32::from_le_bytes([bytes[start - 3], bytes[start - 2], bytes[start - 1], 0]) >> 3;
    let end = bytes.len().min(start + usize::try_from(size).unwrap());
    let Some(described) = bytes.get(table..end) else { return false };
    // Zeros end a run of symbols without states, ones give all states that are left to one symbol.
    let longer = [described, &[0], &[0xFF; 8]].concat();
    state_counts(described).is_err() && state_counts(&longer).is_ok()
}

fn leaves(bytes: &[u8], options: &Options<'_>) -> Leaves {
    let mut leaves = Leaves::default();
    let _ = inspect(bytes, &mut Workspace::new(), options, &mut leaves);
    leaves
}

/// Returns the bytes with the first frame's checksum removed: it would reject every change of the
/// content.
pub(crate) fn unchecked(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if let (Ok(Header::Frame(frame)), Some(descriptor)) =
        (Header::read(&bytes, &LIMITS, Flavour::Rfc8878), bytes.get_mut(4))
        && frame.checksum
    {
        *descriptor &= !4;
        bytes.truncate(bytes.len() - 4);
    }
    bytes
}

/// Decodes with the C library. Returns `None` if the output exceeds our limit. Allocates only the
/// window, which is bounded.
fn reference(bytes: &[u8]) -> Option<core::result::Result<Vec<u8>, &'static str>> {
    use zstd_safe::{DCtx, DParameter, InBuffer, OutBuffer, get_error_name};
    let mut decoder = DCtx::create();
    decoder.set_parameter(DParameter::WindowLogMax(LIMITS.max_window.ilog2())).unwrap();
    let mut room = vec![0; 1 << 17];
    let mut out = OutBuffer::around(&mut room[..]);
    let mut input = InBuffer::around(bytes);
    loop {
        let (read, wrote) = (input.pos(), out.pos());
        match decoder.decompress_stream(&mut out, &mut input) {
            Err(code) => return Some(Err(get_error_name(code))),
            Ok(0) if input.pos() == bytes.len() => return Some(Ok(out.as_slice().to_vec())),
            Ok(_) if out.pos() == out.capacity() => return None,
            Ok(_) if input.pos() == read && out.pos() == wrote => return Some(Err("the input ends")),
            Ok(_) => {}
        }
    }
}

/// Decodes with the decoder in Rust, frame by frame, a file that decodes to `ours`.
fn other_reference(bytes: &[u8], ours: &[u8]) {
    use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
    let (mut rest, mut all) = (bytes, vec![]);
    while !rest.is_empty() {
        match Header::read(rest, &LIMITS, Flavour::Rfc8878).expect("ours went through it") {
            Header::Skippable { size, .. } => rest = &rest[8 + size as usize..],
            Header::Frame(frame) if frame.window > LIMITS.max_window || frame.dictionary_id != 0 => return,
            Header::Frame(_) => {
                let mut decoder = FrameDecoder::new();
                decoder.init(&mut rest).expect("a frame that is right");
                match decoder.decode_blocks(&mut rest, BlockDecodingStrategy::All) {
                    // It limits Huffman codes to 11 bits, as the RFC does. The C library and
                    // unspool accept 12.
                    Err(error) if format!("{error:?}").contains("MaxBitsTooHigh") => return,
                    decoded => decoded.expect("blocks that are right"),
                };
                all.extend(decoder.collect().unwrap_or_default());
            }
        }
    }
    assert!(all == ours, "other bytes than the decoder in Rust");
}

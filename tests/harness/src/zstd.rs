//! Every door of Zstandard.

use unspool::zstd::{
    Decoder, Flavour, Options, Outline, Workspace, decode, decode_in_place, decode_threaded, decode_to,
    decode_to_store, decode_to_vec, decoded_len, detect, in_place_margin, inspect, salvage, stream_buffer,
};
use unspool::{Done, ErrorKind, Result, SliceStore, Symbols};

use crate::whole::whole_file;
use crate::{Leaves, Random, drive, fails_too, no_later, ranges, room, same, same_in_memory, traced_done};

/// The longest window that is lent.
const WINDOW: u64 = 1 << 20;

/// Decodes a file by every door. Returns the verdict that they agree on.
pub fn agree(bytes: &[u8], options: &Options<'_>) -> Result<Done> {
    let random = &mut Random::of(bytes);
    let workspace = &mut Workspace::new();
    // A block may exceed the limit of an output before it is refused.
    let doors = whole_file!(bytes, workspace, room(&options.limits) + (128 << 10), options);
    let (whole, content) = (doors.verdict, doors.content());
    same("decode_to_vec", &whole, &doors.vector);
    same("salvage", &whole, &doors.salvage);
    assert!(doors.salvaged[..doors.wrote] == doors.out[..doors.wrote], "other bytes before the error");

    let mut again = vec![0; doors.out.len()];
    let symbols = traced_done("decode with symbols", bytes, |leaves| {
        let mut symbols = Symbols(core::mem::take(leaves));
        let done = decode(bytes, &mut again, workspace, options, &mut symbols);
        *leaves = symbols.0;
        done
    });
    assert_eq!(symbols, whole, "symbols change the verdict");
    let seen = traced_done("inspect", bytes, |leaves| inspect(bytes, workspace, options, leaves));
    fails_too("inspect", &whole, &seen);
    let counted = decoded_len(bytes, workspace, options);
    fails_too("decoded_len", &whole, &counted);
    if let Ok(done) = whole {
        let seen = seen.expect("it decodes");
        assert_eq!((seen.read, seen.parts, seen.blocks), (done.read, done.parts, done.blocks));
        assert_eq!(seen.checksums.unchecked, done.checksums.unchecked);
        assert_eq!(counted, Ok(done.wrote as u64));
    }
    no_later("the outline", &whole, &outline(bytes, options));

    let claimed = stream_buffer(bytes, options);
    // Decoding finds the error of the headers, or one before it.
    if let Err(claim) = claimed {
        let error = whole.expect_err("the headers are broken");
        assert!(error.at <= claim.at, "{error:?} is after {claim:?}");
    }
    let mut window = vec![0; claimed.unwrap_or(WINDOW).min(WINDOW) as usize];
    let mut sunk = vec![];
    let mut sink = |piece: &[u8]| {
        sunk.extend_from_slice(piece);
        Ok(())
    };
    let to_sink = decode_to(bytes, &mut sink, workspace, &mut window, options);
    same_in_memory("decode_to", &whole, &to_sink);
    assert!(to_sink.is_err() || sunk == content, "other bytes to a sink");
    // A stream cannot look ahead to detect the format.
    let flavour = options.flavour.or_else(|| detect(bytes));
    let told = &Options { flavour, ..*options };
    for most in [3, 100] {
        let mut decoder = Decoder::new(workspace, &mut window, told);
        let split = || (1 + random.below(most), 1 + random.below(10 * most));
        let (streamed, end) = drive(bytes, split, |src, end, room| decoder.step(src, end, room));
        same_in_memory("a stream", &whole, &end);
        assert!(end.is_err() || streamed == content, "other bytes as a stream");
        assert!(doors.out.starts_with(&streamed), "other bytes before an error of a stream");
    }
    let mut page = vec![0; 1 + random.below(5000)];
    let stored = decode_to_store(bytes, &mut SliceStore::new(&mut again), workspace, &mut page, options);
    same("decode_to_store", &whole, &stored);
    assert!(stored.is_err() || again[..content.len()] == *content, "other bytes in a store");
    let margin = in_place_margin(bytes, options).unwrap_or(0) as usize;
    let mut buffer = vec![0; (doors.out.len() + margin).max(bytes.len())];
    let start = buffer.len() - bytes.len();
    buffer[start..].copy_from_slice(bytes);
    let placed = decode_in_place(&mut buffer, bytes.len(), workspace, options);
    // The content may grow faster than the margin allows only if a block is longer than its
    // content.
    if !placed.is_err_and(|error| error.kind == ErrorKind::OutputTooSmall) {
        same("decode_in_place", &whole, &placed);
        assert!(placed.is_err() || buffer[..content.len()] == *content, "other bytes in place");
    }
    whole
}

/// Checks the leaves of the headers alone.
fn outline(bytes: &[u8], options: &Options<'_>) -> Result<()> {
    if options.magicless {
        return Ok(());
    }
    let flavour = options.flavour.or_else(|| detect(bytes)).unwrap_or(Flavour::Rfc8878);
    let (mut leaves, mut outline) = (Leaves::default(), Outline::new(bytes.len() as u64, flavour));
    let walked = ranges(bytes, &mut outline, Outline::needs, |outline, at, part| outline.feed(at, part, &mut leaves));
    leaves.assert_walk(bytes.len(), &walked.map(|()| bytes.len()), "the outline");
    walked
}

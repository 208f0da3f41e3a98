//! Every door of OnPair.

use unspool::onpair::{
    File, Options, Outline, Workspace, decode, decode_threaded, decode_to, decode_to_vec, decoded_len, inspect, salvage,
};
use unspool::{Done, ErrorKind, Result};

use crate::{Leaves, TWO, no_later, ranges, room, same, traced};

/// Decodes a file by every door. Returns the verdict that they agree on.
pub fn agree(bytes: &[u8], options: &Options) -> Result<Done> {
    let ws = &mut Workspace::new();
    let mut out = vec![0xAA; room(&options.limits)];
    let whole = decode(bytes, &mut out, ws, options, &mut ());
    let content = &out[..whole.map_or(0, |done| done.wrote)];

    let mut again = vec![0x55; out.len()];
    // Bytes after a file belong to a leaf of their own.
    let all = |_: &Done| bytes.len();
    let heard = traced("decode", bytes, |leaves| decode(bytes, &mut again, ws, options, leaves), all);
    assert_eq!(heard, whole, "a trace changes the verdict");
    let seen = traced("inspect", bytes, |leaves| inspect(bytes, ws, options, leaves), all);
    assert_eq!(inspect(bytes, ws, options, &mut ()), seen, "a trace changes the verdict");
    // Only an output has a limit.
    let is_limited = whole.is_err_and(|error| error.kind == ErrorKind::OutputLimit);
    if !is_limited || seen.is_err() {
        same("inspect", &whole, &seen);
        same("decoded_len", &whole, &decoded_len(bytes, ws, options));
    }
    let vector = decode_to_vec(bytes, options);
    same("decode_to_vec", &whole, &vector);
    assert!(vector.is_err() || vector.as_deref() == Ok(content), "other bytes to a vector");
    same("decode_threaded", &whole, &decode_threaded(bytes, &mut again, TWO, options));
    let mut sunk = vec![];
    let mut sink = |piece: &[u8]| {
        sunk.extend_from_slice(piece);
        Ok(())
    };
    same("decode_to", &whole, &decode_to(bytes, &mut sink, ws, options));
    assert!(whole.is_err() || sunk == content, "other bytes to a sink");
    let (done, error) = salvage(bytes, &mut again, ws, options);
    // Rows before an error may meet the limit.
    if !error.is_some_and(|error| error.kind == ErrorKind::OutputLimit) {
        same("salvage", &whole, &error.map_or(Ok(()), Err));
    }
    assert!(done.wrote as u64 <= options.limits.max_output);
    assert!(whole.is_err() || again[..done.wrote] == *content);

    let (mut leaves, mut outline) = (Leaves::default(), Outline::new(bytes.len() as u64));
    let walked = ranges(bytes, &mut outline, Outline::needs, |outline, at, part| outline.feed(at, part, &mut leaves));
    leaves.assert_walk(bytes.len(), &walked.map(|()| bytes.len()), "the outline");
    match File::open(bytes, &options.limits) {
        Ok(file) => assert_eq!((walked, file.places()), (Ok(()), outline.places())),
        // The outline does not read offsets.
        Err(error) => no_later("the outline", &Err::<(), _>(error), &walked),
    }
    whole
}

//! Every door of gzip.

use unspool::gzip::{
    Decoder, Options, WINDOW_SIZE, Workspace, decode, decode_threaded, decode_to, decode_to_vec, decoded_len, inspect,
    salvage,
};
use unspool::{Done, ErrorKind, Result};

use crate::{Random, TWO, drive, room, same, traced_done};

/// Decodes a file by every door. Returns the verdict that they agree on.
pub fn agree(bytes: &[u8], options: &Options) -> Result<Done> {
    let random = &mut Random::of(bytes);
    let ws = &mut Workspace::new();
    let mut out = vec![0xAA; room(&options.limits)];
    let whole = decode(bytes, &mut out, ws, options, &mut ());
    let content = &out[..whole.map_or(0, |done| done.wrote)];
    assert!(whole.is_ok() || whole.is_err_and(|error| error.at <= bytes.len() as u64));

    let mut again = vec![0x55; out.len()];
    let heard = traced_done("decode", bytes, |leaves| decode(bytes, &mut again, ws, options, leaves));
    assert_eq!(heard, whole, "a trace changes the verdict");
    let vector = decode_to_vec(bytes, options);
    same("decode_to_vec", &whole, &vector);
    assert!(vector.is_err() || vector.as_deref() == Ok(content), "other bytes to a vector");
    same("decode_threaded", &whole, &decode_threaded(bytes, &mut again, TWO, options));
    let (_, error) = salvage(bytes, &mut again, ws, options);
    same("salvage", &whole, &error.map_or(Ok(()), Err));
    if whole.is_ok() {
        let mut exact = vec![0; content.len()];
        assert_eq!(decode(bytes, &mut exact, ws, options, &mut ()), whole);
        if let Some((_, less)) = exact.split_last_mut() {
            let error = decode(bytes, less, ws, options, &mut ()).expect_err("there is no room");
            assert_eq!(error.kind, ErrorKind::OutputTooSmall);
        }
    }

    // Old contents of the window must not leak into the output. A header is gathered in it.
    let header = usize::try_from(options.limits.max_header).expect("a limit for tests");
    let mut window = vec![bytes.first().copied().unwrap_or(0); header.max(WINDOW_SIZE)];
    let seen = traced_done("inspect", bytes, |leaves| inspect(bytes, ws, &mut window, options, leaves));
    same("inspect", &whole, &seen);
    same("decoded_len", &whole, &decoded_len(bytes, ws, &mut window, options));
    let mut sunk = vec![];
    let mut sink = |piece: &[u8]| {
        sunk.extend_from_slice(piece);
        Ok(())
    };
    same("decode_to", &whole, &decode_to(bytes, &mut sink, ws, &mut window, options));
    assert!(whole.is_err() || sunk == content, "other bytes to a sink");
    for most in [3, 100] {
        let mut decoder = Decoder::new(ws, &mut window, options);
        let split = || (1 + random.below(most), 1 + random.below(10 * most));
        let (streamed, end) = drive(bytes, split, |src, end, room| decoder.step(src, end, room));
        same("a stream", &whole, &end);
        assert!(end.is_err() || streamed == content, "other bytes as a stream");
    }
    whole
}

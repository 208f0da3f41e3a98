//! Every door of AT-1.

use unspool::at1::{
    Options, Workspace, decode, decode_threaded, decode_to, decode_to_vec, decoded_len, inspect, salvage, scratch_len,
};
use unspool::{Class, Done, Error, ErrorKind, Result};

use crate::{TWO, fails_too, room, same, same_in_memory, traced_done};

/// The most scratch that a call gets.
pub const SCRATCH: u64 = 1 << 20;

/// Decodes a file by every door. Returns the verdict that they agree on.
pub fn agree(bytes: &[u8], options: &Options) -> Result<Done> {
    let ws = &mut Workspace::new();
    let mut scratch = vec![0xA5; SCRATCH as usize];
    let mut out = vec![0x55; room(&options.limits)];
    let whole = decode(bytes, &mut out, ws, &mut scratch, options, &mut ());
    let content = &out[..whole.map_or(0, |done| done.wrote)];
    assert!(!whole.is_err_and(|error| matches!(error.class(), Class::OutputTooSmall { .. })), "{whole:?}");

    let mut again = vec![0xAA; out.len()];
    let heard = traced_done("decode", bytes, |leaves| decode(bytes, &mut again, ws, &mut scratch, options, leaves));
    assert_eq!(heard, whole, "a trace changes the verdict");
    let seen = traced_done("inspect", bytes, |leaves| inspect(bytes, ws, options, leaves));
    fails_too("inspect", &whole, &seen);
    let counted = decoded_len(bytes, ws, &mut scratch, options);
    fails_too("decoded_len", &whole, &counted);
    let mut sunk = vec![];
    let mut sink = |piece: &[u8]| {
        sunk.extend_from_slice(piece);
        Ok(())
    };
    let to_sink = decode_to(bytes, &mut sink, ws, &mut scratch, options);
    same_in_memory("decode_to", &whole, &to_sink);
    assert!(to_sink.is_err() || sunk == content, "other bytes to a sink");
    let (_, error) = salvage(bytes, &mut again, ws, &mut scratch, options);
    same("salvage", &whole, &error.map_or(Ok(()), Err));
    if !whole.is_err_and(|error| error.kind == ErrorKind::WorkspaceTooSmall) {
        let vector = decode_to_vec(bytes, options);
        same("decode_to_vec", &whole, &vector);
        assert!(vector.is_err() || vector.as_deref() == Ok(content), "other bytes to a vector");
        same("decode_threaded", &whole, &decode_threaded(bytes, &mut again, TWO, options));
    }
    let Ok(done) = whole else { return whole };
    assert_eq!(counted, Ok(done.wrote as u64), "counted differently");
    assert!(seen.is_ok_and(|seen| (seen.read, seen.checksums) == (done.read, done.checksums)));
    let need = scratch_len(bytes, options);
    assert!(need.is_ok_and(|need| need <= SCRATCH));
    // Output and scratch of exactly the requested size are enough.
    let mut exact = vec![0; done.wrote];
    let least = least(need.unwrap_or(0), |scratch| decode(bytes, &mut exact, ws, scratch, options, &mut ()));
    assert_eq!(least, Ok(done));
    assert!(exact == content);
    if done.wrote > 0 {
        let less = decode(bytes, &mut exact[1..], ws, &mut scratch, options, &mut ());
        assert!(less.is_err_and(|error| matches!(error.class(), Class::OutputTooSmall { .. })));
    }
    whole
}

/// Runs `run` with growing scratch, as it requests it.
fn least<T>(start: u64, mut run: impl FnMut(&mut [u8]) -> Result<T>) -> Result<T> {
    let mut len = start;
    loop {
        match run(&mut vec![0; usize::try_from(len).expect("bounded")]) {
            Err(Error { kind: ErrorKind::WorkspaceTooSmall, need, .. }) if need <= SCRATCH => {
                assert!(need > len, "asks for {need} and has {len}");
                len = need;
            }
            result => return result,
        }
    }
}

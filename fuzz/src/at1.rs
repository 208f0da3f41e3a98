//! AT-1 on arbitrary bytes: no panic, and every door returns the same result.

use unspool::at1::{
    Bundle, Codec, Header, Options, Set, Workspace, decode, decode_to, decode_to_vec, decoded_len, inspect, scratch_len,
};
use unspool::checksum::Sha256;
use unspool::{Class, Error, ErrorKind, Limits, Result};

use crate::cvc::Tiling;

/// Limits so small that no header can request much memory or time.
const LIMITS: Limits = Limits { max_output: 1 << 18, max_elements: 1 << 16, max_depth: 100, ..Limits::DEFAULT };
const OPTIONS: Options = Options { limits: LIMITS, ..Options::DEFAULT };
/// The most scratch that a call gets.
const SCRATCH: u64 = 1 << 20;
const TRAILER: usize = 36;

/// Decodes arbitrary bytes.
pub fn at1_arbitrary(bytes: &[u8]) {
    let ws = &mut Workspace::new();
    let mut scratch = vec![0xA5; SCRATCH as usize];
    let counted = decoded_len(bytes, ws, &mut scratch, &OPTIONS);
    let mut leaves = Tiling::default();
    let inspected = inspect(bytes, ws, &OPTIONS, &mut leaves);
    heads(bytes);
    bundle(bytes, ws);
    let mut out = vec![0x55; (LIMITS.max_output + 1) as usize];
    scratch.fill(0x5A);
    let whole = decode(bytes, &mut out, ws, &mut scratch, &OPTIONS, &mut ());
    let mut sunk = vec![];
    let mut sink = |piece: &[u8]| {
        sunk.extend_from_slice(piece);
        Ok(())
    };
    let to_sink = decode_to(bytes, &mut sink, ws, &mut scratch, &OPTIONS);
    match (&whole, &to_sink) {
        (Ok(done), Ok(other)) => {
            assert_eq!(done, other);
            assert!(out[..done.wrote] == sunk, "other bytes to a sink");
        }
        // A sink needs scratch where a slice uses its own bytes.
        (Ok(_), Err(error)) => assert_eq!(error.kind, ErrorKind::WorkspaceTooSmall),
        (Err(error), Err(_)) => assert!(!matches!(error.class(), Class::OutputTooSmall { .. }), "{error}"),
        (Err(error), Ok(_)) => panic!("to a slice {error}, to a sink nothing is wrong"),
    }
    let Ok(done) = whole else {
        return;
    };
    assert_eq!(counted, Ok(done.wrote as u64), "counted differently");
    assert!(inspected.is_ok_and(|seen| (seen.read, seen.checksums) == (done.read, done.checksums)));
    leaves.check(bytes.len() as u64);
    let need = scratch_len(bytes, &OPTIONS);
    assert!(need.is_ok_and(|need| need <= SCRATCH));
    // Output and scratch of exactly the requested size are enough.
    let mut exact = vec![0; done.wrote];
    let least = least(need.unwrap_or(0), |scratch| decode(bytes, &mut exact, ws, scratch, &OPTIONS, &mut ()));
    assert_eq!(least, Ok(done));
    assert!(exact == out[..done.wrote]);
    assert!(decode_to_vec(bytes, &OPTIONS).as_ref() == Ok(&exact));
    if done.wrote > 0 {
        let less = decode(bytes, &mut exact[1..], ws, &mut scratch, &OPTIONS, &mut ());
        assert!(less.is_err_and(|error| matches!(error.class(), Class::OutputTooSmall { .. })));
    }
}

/// Decodes arbitrary bytes with a corrected hash, so that content errors are reached.
pub fn at1_mutated(bytes: &[u8]) {
    let mut bytes = bytes.to_vec();
    if let Ok(Header { hash: Some(_), .. }) = Header::read(&bytes, &LIMITS) {
        let body = bytes.len() - TRAILER;
        if let Ok(out) = decode_to_vec(&bytes[..body], &OPTIONS) {
            bytes[body..body + 32].copy_from_slice(&Sha256::of(&out));
        }
    }
    at1_arbitrary(&bytes);
}

/// Runs `run` with growing scratch, as it requests it.
fn least<T>(start: u64, mut run: impl FnMut(&mut [u8]) -> Result<T>) -> Result<T> {
    let mut len = start;
    loop {
        match run(&mut vec![0; len as usize]) {
            Err(Error { kind: ErrorKind::WorkspaceTooSmall, need, .. }) if need <= SCRATCH => {
                assert!(need > len, "asks for {need} and has {len}");
                len = need;
            }
            result => return result,
        }
    }
}

/// Checks that every header of a set is read, or reports that it needs more input.
fn heads(bytes: &[u8]) {
    for len in (5..bytes.len().min(300)).chain([bytes.len()]) {
        let head = bytes.get(..len).unwrap_or(bytes);
        let Ok(set) = Set::open(head, 5, u64::MAX, &LIMITS) else { continue };
        for entry in set.entries().take(1000) {
            if let Err(error) = entry
                && error.class() == Class::Truncated
            {
                assert!(error.need > len as u64, "more than there is");
            }
        }
    }
}

fn bundle(bytes: &[u8], ws: &mut Workspace) {
    if !Header::read(bytes, &LIMITS).is_ok_and(|header| header.codec == Codec::Bundle) {
        return;
    }
    let mut scratch = vec![0; SCRATCH as usize];
    let Ok(files) = Bundle::open(bytes, ws, &mut scratch, &OPTIONS) else { return };
    for file in files.flatten().take(100) {
        let name = file.name.to_string();
        assert!(!name.starts_with('/') && !name.split('/').any(|part| part == ".." || part.is_empty()), "{name}");
        let _ = file.entry.decoded_size(&LIMITS);
    }
}

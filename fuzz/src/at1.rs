//! AT-1 on arbitrary bytes: no panic, and every door returns the same result.

use unspool::at1::{Bundle, Codec, Header, Options, Set, Workspace, decode_to_vec};
use unspool::checksum::Sha256;
use unspool::{Class, Limits};

use unspool_harness::at1::{SCRATCH, agree};

/// Limits so small that no header can request much memory or time.
const LIMITS: Limits = Limits { max_output: 1 << 18, max_elements: 1 << 16, max_depth: 100, ..Limits::DEFAULT };
const OPTIONS: Options = Options { limits: LIMITS, ..Options::DEFAULT };
const TRAILER: usize = 36;

/// Decodes arbitrary bytes.
pub fn at1_arbitrary(bytes: &[u8]) {
    let _ = agree(bytes, &OPTIONS);
    heads(bytes);
    bundle(bytes, &mut Workspace::new());
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

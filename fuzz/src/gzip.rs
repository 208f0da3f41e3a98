//! gzip on arbitrary bytes: no panic, and every door returns the same result.

use unspool::checksum::Crc32;
use unspool::gzip::{Decoder, Options, WINDOW_SIZE, Workspace, decode, decode_to_vec, inspect};
use unspool::{ErrorKind, Limits};

use crate::Random;
use crate::cvc::Tiling;
use crate::stream::in_pieces;

const LIMITS: Limits = Limits { max_output: 1 << 16, max_header: 1 << 10, ..Limits::DEFAULT };
const OPTIONS: Options = Options { limits: LIMITS, ..Options::DEFAULT };

/// Decodes arbitrary bytes.
pub fn gzip_arbitrary(bytes: &[u8]) {
    let mut trace = Tiling::default();
    let vector = decode_to_vec(bytes, &OPTIONS);
    let mut out = vec![0xAA; 1 << 17];
    let mut ws = Workspace::new();
    let whole = decode(bytes, &mut out, &mut ws, &OPTIONS, &mut trace);
    match (&vector, &whole) {
        (Ok(vector), Ok(done)) => {
            assert!(*vector == out[..done.wrote], "other bytes into a slice");
            trace.check(bytes.len() as u64);
            // An output of exactly the right size is enough, and one byte less is not.
            let mut exact = vec![0; done.wrote];
            assert_eq!(decode(bytes, &mut exact, &mut ws, &OPTIONS, &mut ()), Ok(*done));
            if let Some((_, less)) = exact.split_last_mut() {
                let error = decode(bytes, less, &mut ws, &OPTIONS, &mut ()).expect_err("there is no room");
                assert_eq!(error.kind, ErrorKind::OutputTooSmall);
            }
        }
        (Err(vector), Err(whole)) => {
            assert_eq!(vector, whole, "another error into a slice");
            assert!(whole.at <= bytes.len() as u64);
        }
        other => panic!("{other:?}"),
    }
    // Old contents of the window must not leak into the output.
    let (mut random, mut window) =
        (Random::new(u64::from(Crc32::of(bytes))), [bytes.first().copied().unwrap_or(0); WINDOW_SIZE]);
    // A window and a slice agree, except for errors of a slice that is too small.
    let seen = inspect(bytes, &mut ws, &mut window, &OPTIONS, &mut ());
    assert_eq!(
        seen.map(|done| done.content).ok(),
        whole.map(|done| done.content).ok(),
        "another size through a window"
    );
    let mut decoder = Decoder::new(&mut ws, &mut window, &OPTIONS);
    let split = || (1 + random.below(100), 1 + random.below(1000));
    let (content, end) = in_pieces(bytes, split, |src, end, room| decoder.step(src, end, room));
    match (vector, end) {
        (Ok(vector), Ok(())) => assert!(content == vector, "other bytes out of a stream"),
        (Err(vector), Err(end)) => {
            // If the limit and another error are at the same place, either may be reported.
            assert!(
                vector.kind == end.kind || vector.kind == ErrorKind::OutputLimit,
                "{vector:?}, but out of a stream {end:?}"
            );
        }
        other => panic!("{other:?}"),
    }
}

/// Decodes the bytes as a deflate stream in a member with the right checksum and size, so that
/// content errors are reached.
pub fn gzip_mutated(bytes: &[u8]) {
    let header = *b"\x1F\x8B\x08\0\0\0\0\0\0\xFF";
    let mut file = [&header, bytes, &[0; 8]].concat();
    let mut out = vec![0; 1 << 17];
    if let Err(error) = decode(&file, &mut out, &mut Workspace::new(), &OPTIONS, &mut ())
        && matches!(error.kind, ErrorKind::GzipCrc)
    {
        // The error does not say how many bytes were decoded before the checksum; trying every
        // length finds it.
        let at = error.at as usize;
        let mut crc = Crc32::new();
        // The stream may have used the bytes of both fields.
        file.resize(file.len().max(at + 8), 0);
        for len in 0..=1024 {
            let size = u32::try_from(len).unwrap_or(0);
            file[at..at + 4].copy_from_slice(&crc.value().to_le_bytes());
            file[at + 4..at + 8].copy_from_slice(&size.to_le_bytes());
            if decode(&file, &mut out, &mut Workspace::new(), &OPTIONS, &mut ()).is_ok_and(|done| done.wrote == len) {
                break;
            }
            crc.update(&out[len..=len]);
        }
    }
    gzip_arbitrary(&file);
}

//! Zstandard on arbitrary bytes, in each of the three formats: no panic, and every way to decode a file says the same.

use unspool::checksum::{Crc32, Xxh64};
use unspool::zstd::{
    Decoder, Dictionary, Flavour, Header, Options, Workspace, decode_to_vec, decode_with, decoded_size, detect, inspect,
};
use unspool::{Error, ErrorKind, Limits, Result};

use crate::Random;
use crate::stream::in_pieces;

/// Small enough that nothing a header claims can cost much.
const LIMITS: Limits = Limits { max_output: 1 << 16, max_window: 1 << 18, ..Limits::DEFAULT };
const WINDOW: usize = 1 << 20;
const FLAVOURS: [Flavour; 3] = [Flavour::Rfc8878, Flavour::Draft, Flavour::V07];

/// A file of any bytes.
pub fn zstd_arbitrary(bytes: &[u8]) {
    let mut random = Random::new(u64::from(Crc32::of(bytes)));
    let _ = detect(bytes);
    // Any bytes are a dictionary, too.
    let dictionary = (random.below(4) == 0).then(|| Dictionary::new(bytes));
    for flavour in FLAVOURS {
        let magicless = random.below(8) == 0;
        let verify = random.below(4) != 0;
        agree(bytes, &Options { flavour: Some(flavour), dictionary, magicless, verify }, &mut random);
    }
}

/// The same with the checksum put right, so that wrong content does not hide behind it.
pub fn zstd_mutated(bytes: &[u8]) {
    let mut bytes = bytes.to_vec();
    let options = Options { flavour: Some(Flavour::Rfc8878), verify: false, ..Options::DEFAULT };
    if let (Ok(Header::Frame(frame)), Ok(out)) =
        (Header::read(&bytes, Flavour::Rfc8878), decode_to_vec(&bytes, &mut Workspace::new(), &LIMITS, &options))
        && frame.checksum
    {
        let hash = Xxh64::of(&out).to_le_bytes();
        bytes.iter_mut().rev().zip(hash[..4].iter().rev()).for_each(|(to, &from)| *to = from);
    }
    zstd_arbitrary(&bytes);
}

fn agree(bytes: &[u8], options: &Options<'_>, random: &mut Random) {
    let ws = &mut Workspace::new();
    let mut out = vec![0; 1 << 17];
    let whole = decode_with(bytes, &mut out, ws, &LIMITS, options, &mut ());
    let (streamed, end) = stream(bytes, options, random);
    match (whole, end) {
        // Only a stream needs a window.
        (_, Err(Error { kind: ErrorKind::ZstdWindowBuffer, .. })) => {}
        // Only a slice has an end.
        (Err(Error { kind: ErrorKind::OutputTooSmall, .. }), _) => {}
        (Ok(done), Ok(())) => assert!(out[..done.wrote] == streamed, "other bytes as a stream"),
        (Err(whole), Err(end)) => assert_eq!((whole.kind, whole.at), (end.kind, end.at), "another error as a stream"),
        (whole, end) => panic!("in one piece {whole:?}, as a stream {end:?}"),
    }
    let counted = decoded_size(bytes, ws, &LIMITS, options);
    let inspected = inspect(bytes, ws, &LIMITS, options, &mut ());
    let vector = decode_to_vec(bytes, ws, &LIMITS, options);
    if let Ok(done) = whole {
        assert_eq!(counted, Ok(done.wrote as u64));
        assert_eq!(inspected.map(|inspected| inspected.checksums + inspected.frames), Ok(done.checksums + done.frames));
        assert!(vector.as_deref() == Ok(&out[..done.wrote]));
        // Exactly that much room is enough.
        let mut exact = vec![0; done.wrote];
        let again = decode_with(bytes, &mut exact, ws, &LIMITS, options, &mut ());
        assert_eq!(again.map(|again| again.wrote), Ok(done.wrote));
        assert!(exact == out[..done.wrote]);
    } else if let Err(error) = whole
        && error.kind != ErrorKind::OutputTooSmall
    {
        assert!(vector.is_err());
    }
}

/// The file in pieces of any size.
fn stream(bytes: &[u8], options: &Options<'_>, random: &mut Random) -> (Vec<u8>, Result<()>) {
    let (mut ws, mut window) = (Workspace::new(), vec![0; WINDOW]);
    let mut decoder = Decoder::new(&mut ws, &mut window, &LIMITS, options);
    in_pieces(bytes, || (1 + random.below(100), 1 + random.below(1000)), |src, end, room| decoder.step(src, end, room))
}

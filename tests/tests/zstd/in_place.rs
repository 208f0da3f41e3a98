//! Decoding a file over itself.

use super::*;

/// Decodes a file at the end of a buffer of `len` bytes.
fn in_place(bytes: &[u8], len: usize, options: &Options<'_>) -> (Vec<u8>, Result<usize, Error>) {
    let mut buffer = vec![0xA5; len.max(bytes.len())];
    let start = buffer.len() - bytes.len();
    buffer[start..].copy_from_slice(bytes);
    let limits = Limits { max_output: 1 << 28, ..Limits::DEFAULT };
    let options = Options { limits, ..*options };
    let done = decode_in_place(&mut buffer, bytes.len(), &mut Workspace::new(), &options);
    (buffer, done.map(|done| done.wrote))
}

#[test]
fn decodes_in_place_with_the_computed_margin() {
    let (mut exact, mut longer) = (0, vec![]);
    valid(|vector| {
        let options = vector.told();
        let whole = decoded(&vector.bytes, &options).unwrap();
        let margin = in_place_margin(&vector.bytes, &options).unwrap();
        assert!(
            margin <= 4096 + (128 << 10) + vector.bytes.len() as u64 / 2 || vector.name.contains("skip"),
            "{margin}"
        );
        let need = whole.len() + margin as usize;
        let (buffer, end) = in_place(&vector.bytes, need, &options);
        if end.map_err(|error| error.kind) == Err(ErrorKind::OutputTooSmall) {
            // A block that is longer than its content, which no known encoder writes.
            assert!(vector.name.contains("s-"), "{}", vector.name);
            longer.push(vector.name.clone());
            assert_eq!(in_place(&vector.bytes, need + vector.bytes.len(), &options).1, Ok(whole.len()));
            return;
        }
        assert_eq!(end, Ok(whole.len()), "{}", vector.name);
        assert!(buffer.starts_with(&whole), "{}", vector.name);
        if need > vector.bytes.len() {
            // With one byte less it decodes the same or is refused.
            let (buffer, end) = in_place(&vector.bytes, need - 1, &options);
            match end.map_err(|error| error.kind) {
                Ok(_) => assert!(buffer.starts_with(&whole), "{}", vector.name),
                Err(kind) => assert_eq!(kind, ErrorKind::OutputTooSmall, "{}", vector.name),
            }
            exact += usize::from(end.is_err());
        }
    });
    println!("{exact} files need every byte of their margin; longer than their content are blocks of {longer:?}");
    assert!(exact > 50 && longer.len() < 20);
    // One block needs every byte of its margin.
    let plain = b"one block of text, one block of text, one block of text and text and text".repeat(9);
    let file = zstd::bulk::compress(&plain, 3).unwrap();
    let margin = in_place_margin(&file, &Options::DEFAULT).unwrap() as usize;
    assert!(margin < file.len() && in_place(&file, plain.len() + margin, &Options::DEFAULT).0.starts_with(&plain));
    let short = in_place(&file, plain.len() + margin - 1, &Options::DEFAULT).1;
    assert_eq!(short.map_err(|error| error.kind), Err(ErrorKind::OutputTooSmall));
    let outside = decode_in_place(&mut [0; 9], 10, &mut Workspace::new(), &Options::DEFAULT);
    assert_eq!(outside.map_err(|error| error.kind), Err(ErrorKind::RangeOutside));
}

#[test]
fn decoding_in_place_returns_the_errors_of_decode() {
    let small = |vector: &Vector| vector.bytes.len() <= 2000 && vector.size() <= 1 << 16;
    valid_if(small, 627, |vector| {
        let limits = Limits { max_output: 1 << 17, ..Limits::DEFAULT };
        let options = Options { limits, ..vector.told() };
        let mut room = vec![0; (1 << 17) + 4096];
        broken(vector, |bytes| {
            let mut workspace = Workspace::new();
            let whole = decode(bytes, &mut room, &mut workspace, &options, &mut ());
            let mut buffer = vec![0; room.len() + bytes.len()];
            let start = buffer.len() - bytes.len();
            buffer[start..].copy_from_slice(bytes);
            let over = decode_in_place(&mut buffer, bytes.len(), &mut workspace, &options);
            match (whole, over) {
                (Ok(done), over) => {
                    assert_eq!(over, Ok(done), "{}", vector.name);
                    assert!(room[..done.wrote] == buffer[..done.wrote], "{}", vector.name);
                }
                (Err(Error { kind: ErrorKind::OutputTooSmall, .. }), over) => assert!(over.is_err()),
                (Err(whole), over) => {
                    let over = over.map_err(|error| (error.kind, error.at));
                    assert_eq!(over, Err((whole.kind, whole.at)), "{}", vector.name);
                }
            }
        });
    });
}

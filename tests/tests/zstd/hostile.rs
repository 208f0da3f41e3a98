//! Files that are truncated, mutated, or claim too much.

use super::*;

#[test]
fn refuses_a_file_truncated_at_any_byte() {
    valid_if(
        |vector| vector.size() <= 1 << 20,
        655,
        |vector| {
            let mut room = vec![0; vector.size()];
            let whole = decoded(&vector.bytes, &vector.told()).unwrap();
            let mut workspace = Workspace::new();
            for cut in cuts(vector, 400) {
                let bytes = &vector.bytes[..cut];
                match decode(bytes, &mut room, &mut workspace, &vector.told(), &mut ()) {
                    // The cut is between frames.
                    Ok(done) => {
                        let shorter = done.wrote < whole.len() || list(&vector.entry, "frames").len() != 1;
                        assert!(shorter, "{} {cut}", vector.name);
                    }
                    Err(error) => {
                        assert_eq!((error.class(), error.at), (Class::Truncated, cut as u64), "{} {cut}", vector.name);
                        // Salvage returns the start of the content, up to the cut.
                        let (done, why) = salvage(bytes, &mut room, &mut workspace, &vector.told());
                        assert_eq!(why, Some(error), "{} {cut}", vector.name);
                        assert!(room[..done.wrote] == whole[..done.wrote], "{} {cut}", vector.name);
                    }
                }
            }
        },
    );
}

#[test]
fn mutated_files_never_panic_nor_pass_a_checksum_with_wrong_content() {
    let (mut tried, mut refused, mut checked) = (0u64, 0u64, 0u64);
    valid_if(
        |vector| vector.bytes.len() <= 20_000 && vector.size() <= 1 << 20,
        651,
        |vector| {
            let whole = decoded(&vector.bytes, &vector.told()).unwrap();
            let mut random = Random(vector.name.len() as u64 * 1000 + vector.bytes.len() as u64);
            let mut workspace = Workspace::new();
            let mut room = vec![0; vector.size() + 40];
            for _ in 0..60 {
                let mut mutated = vector.bytes.clone();
                for _ in 0..=random.below(3) {
                    if mutated.is_empty() {
                        break;
                    }
                    let bound = if random.below(2) == 0 { mutated.len() } else { mutated.len().min(40) };
                    let at = random.below(bound);
                    match random.below(6) {
                        0 => mutated[at] = random.bits() as u8,
                        1 => mutated[at] ^= 1 << random.below(8),
                        2 => mutated[at] = 0xFF,
                        3 => drop(mutated.remove(at)),
                        4 => mutated.insert(at, random.bits() as u8),
                        _ => mutated.truncate(at.max(1)),
                    }
                }
                for options in [vector.told(), vector.options()] {
                    let limits = Limits { max_output: 1 << 24, ..Limits::DEFAULT };
                    let options = Options { limits, ..options };
                    let done = decode(&mutated, &mut room, &mut workspace, &options, &mut Leaves::default());
                    let counted = decoded_len(&mutated, &mut workspace, &options);
                    tried += 1;
                    let Ok(done) = done else {
                        refused += 1;
                        continue;
                    };
                    assert_eq!(counted, Ok(done.wrote as u64), "{}", vector.name);
                    // Output with the right checksum of 32 bits is the content: all of it, or that
                    // of fewer frames.
                    if vector.flavour == Flavour::Rfc8878 && done.checksums.unchecked == 0 && done.parts > 0 {
                        checked += 1;
                        assert!(is_made_of(&room[..done.wrote], &whole, vector), "{}", vector.name);
                    }
                }
            }
        },
    );
    println!("{tried} mutations, {refused} refused, {checked} with every checksum right");
    assert!(refused * 2 > tried && checked > 20);
}

/// Returns whether `out` is the content of a vector; for several frames, that of some of them.
fn is_made_of(out: &[u8], whole: &[u8], vector: &Vector) -> bool {
    let frames = number_of_frames(&vector.entry);
    out == whole || frames > 1 && (out.is_empty() || whole.starts_with(out) || whole.ends_with(out))
}

#[test]
fn claims_of_headers_reserve_no_memory() {
    // A content size of 2^62, a window of 2^41, and a bomb of runs.
    let limited = Options { limits: Limits { max_output: 1 << 20, ..Limits::DEFAULT }, ..Options::DEFAULT };
    let huge = b"\x28\xB5\x2F\xFD\xE0\0\0\0\0\0\0\0\x40\x01\0\0";
    let error = |bytes: &[u8]| decode_to_vec(bytes, &limited).unwrap_err().kind;
    assert_eq!(error(huge), ErrorKind::OutputLimit);
    assert_eq!(error(b"\x28\xB5\x2F\xFD\x00\xFF\x01\0\0"), ErrorKind::WindowLimit);
    let mut bomb = b"\x28\xB5\x2F\xFD\x00\x58".to_vec();
    bomb.extend(b"\x02\0\x10\0".repeat(100));
    bomb.extend(b"\x03\0\x10\0");
    assert_eq!(error(&bomb), ErrorKind::OutputLimit);
    assert_eq!(decoded_len(&bomb, &mut Workspace::new(), &Options::DEFAULT), Ok(101 << 17));
    // If the limit allows it, the vector grows with the content.
    let grown = decode_to_vec(&bomb, &Options::DEFAULT);
    assert_eq!(grown.map(|grown| (grown.len(), grown.iter().all(|&byte| byte == 0))), Ok((101 << 17, true)));
    // A file that is truncated after its claim reserves no memory for it.
    let cut = decode_to_vec(huge.get(..14).unwrap(), &Options { limits: Limits::NONE, ..Options::DEFAULT });
    assert_eq!(cut.map_err(|error| error.kind), Err(ErrorKind::Truncated));
    // Two hundred thousand empty frames have no content.
    let many = b"\x28\xB5\x2F\xFD\x20\0\x01\0\0".repeat(200_000);
    assert_eq!(decode_to_vec(&many, &limited), Ok(vec![]));
}

#[test]
fn a_match_reaches_the_dictionary_until_the_window_is_full() {
    let dictionary = b"a dictionary";
    let options = Options { dictionary: Some(Dictionary::new(dictionary)), ..Options::DEFAULT };
    let (mut decoder, mut workspace) =
        (zstd::bulk::Decompressor::with_dictionary(dictionary).unwrap(), Workspace::new());
    // The window is 1 KiB. A sequence without literals then copies 3 bytes from 1,030 bytes before.
    for (raw, is_valid) in [(1023, true), (1024, true), (1025, false)] {
        let mut frame = b"\x28\xB5\x2F\xFD\x00\x00".to_vec();
        for part in [vec![b'-'; 1000], vec![b'-'; raw - 1000]] {
            frame.extend(&(part.len() as u32 * 8).to_le_bytes()[..3]);
            frame.extend(part);
        }
        frame.extend(b"\x45\0\0\0\x01\x54\0\x0A\0\x09\x04");
        let mut room = vec![0; 2000];
        let done = decode(&frame, &mut room, &mut workspace, &options, &mut ());
        // libzstd does not refuse it then.
        let wanted = if is_valid { Ok(decoder.decompress(&frame, 2000).unwrap()) } else { Err(ErrorKind::ZstdOffset) };
        assert_eq!(done.map(|done| room[..done.wrote].to_vec()).map_err(|error| error.kind), wanted, "{raw}");
        let (out, done) = store::stored(&frame, 2000, 64, &[], &options);
        assert_eq!(done.map(|_| out).map_err(|error| error.kind), wanted, "{raw} to a store");
    }
}

#[test]
fn counting_finds_literals_that_are_used_up() {
    let good = read(&vector_folders("zstd")[0].join("rfc8878/text-1025.zst"));
    let (mut room, mut workspace, mut found) = (vec![0; 2000], Workspace::new(), 0);
    for bit in 0..8 * good.len() {
        let mut file = good.clone();
        file[bit / 8] ^= 1 << (bit % 8);
        let whole = decode(&file, &mut room, &mut workspace, &Options::DEFAULT, &mut ());
        if let Err(error @ Error { kind: ErrorKind::ZstdLiteralsUsedUp, .. }) = whole {
            // Counting reads the bits of all sequences before it compares their sum.
            let counted = decoded_len(&file, &mut workspace, &Options::DEFAULT).unwrap_err();
            assert_eq!(counted.at, error.at, "bit {bit}");
            found += usize::from(counted == error);
        }
    }
    assert!(found > 0, "none has the same error");
}

#[test]
fn a_match_does_not_reach_the_tables_before_a_dictionary() {
    let good = read(&vector_folders("zstd")[0].join("golden/golden-dictionaries/http-dict-missing-symbols"));
    let offset = |at: usize| u32::from_le_bytes([good[at], good[at + 1], good[at + 2], good[at + 3]]) as usize;
    // The dictionary is complete with as much content as its largest offset.
    let is_complete =
        |len: &usize| Dictionary::new(&good[..*len]).prepared(Flavour::Rfc8878, &mut Workspace::new()).is_ok();
    let least = (9..good.len()).find(is_complete).unwrap();
    let content =
        (12..least).rev().find(|&at| [12, 8, 4].map(|back| offset(at - back)).into_iter().max() == Some(least - at));
    let content = content.unwrap();
    // The encoder knows 20 bytes more, and the first match is a copy of them.
    let (head, tail, more) = (&good[..content], &good[content..least], b"twenty bytes of text");
    let (long, short) = ([head, more, tail].concat(), [head, tail].concat());
    let frame = zstd::bulk::Compressor::with_dictionary(19, &long).unwrap().compress(more).unwrap();
    let verdict = |bytes| {
        let options = Options { dictionary: Some(Dictionary::new(bytes)), ..Options::DEFAULT };
        decoded(&frame, &options).map_err(|error| error.kind)
    };
    assert_eq!(verdict(&long).as_deref(), Ok(&more[..]));
    assert_eq!(verdict(&short), Err(ErrorKind::ZstdOffset));
}

#[test]
fn counts_as_many_sequences_as_a_block_holds() {
    // Eight bytes, and 32,768 sequences that copy three bytes and have no bits of their own.
    let frame = b"\x28\xB5\x2F\xFD\x00\x38\x40\0\0abcdefgh\x4D\0\0\0\xFF\0\x01\x54\0\0\0\x01";
    let expected = zstd::stream::decode_all(&frame[..]).unwrap();
    assert_eq!(expected.len(), 8 + 3 * 32_768);
    assert!(decoded(frame, &Options::DEFAULT).as_ref() == Ok(&expected));
    // A block longer than a frame of one segment breaks the limit of blocks.
    let text = b"some text, some text, some more text; some text, some text, some more text";
    let mut frame = zstd::bulk::compress(text, 3).unwrap();
    assert_eq!((frame[4] & 0xE3, usize::from(frame[5])), (0x20, text.len()));
    frame[5] -= 1;
    assert_eq!(decoded(&frame, &Options::DEFAULT).map_err(|error| error.kind), Err(ErrorKind::ZstdBlockSize));
}

#[test]
fn the_checksum_of_no_content_is_compared() {
    let sum = 0xEF46_DB37_51D8_E999_u64 >> 11 & 0x003F_FFFF;
    let mut file = [&b"\x27\xB5\x2F\xFD\x04\0"[..], &(0xC0_0000 | sum as u32).to_be_bytes()[1..]].concat();
    assert_eq!(decoded(&file, &Options::DEFAULT).as_deref(), Ok(&[][..]));
    *file.last_mut().unwrap() ^= 1;
    assert_eq!(decoded(&file, &Options::DEFAULT).map_err(|error| error.kind), Err(ErrorKind::ZstdChecksum));
}

#[test]
fn headers_and_content_tell_the_same_about_a_content_size() {
    // Three bytes in two blocks, with and without a checksum.
    let rfc = |flags: u8, size: u8| [b"\x28\xB5\x2F\xFD", &[0x20 | flags, size][..], b"\x10\0\0ab\x09\0\0c"].concat();
    let with_sum = |size| [&rfc(4, size)[..], b"\x99\x09\x77\xAD"].concat();
    let draft = |size| [b"\x27\xB5\x2F\xFD", &[0x20, size][..], b"\x40\0\x02ab\x40\0\x01c\xC0\0\0"].concat();
    for size in 0..6 {
        for file in [rfc(0, size), with_sum(size), draft(size)] {
            let (claim, whole) = (stream_buffer(&file, &Options::DEFAULT), decoded(&file, &Options::DEFAULT));
            assert_eq!(claim.err(), whole.as_ref().err().copied(), "{file:02x?}");
            assert_eq!(whole.is_ok(), size == 3);
        }
    }
}

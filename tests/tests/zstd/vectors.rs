//! Whole files: byte for byte, recognised, and refused as their manifests say.

use super::*;

/// Returns the SHA-256 of decoded bytes, in hexadecimal.
fn digest(bytes: &[u8]) -> String {
    use sha2::Digest;
    sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn decodes_and_detects_every_vector() {
    valid(|vector| {
        let mut workspace = Workspace::new();
        let (name, options) = (&vector.name, vector.options());
        let skippable_only = list(&vector.entry, "frames").is_empty();
        if !skippable_only && !name.ends_with("skip-only.zst") {
            assert_eq!(detect(&vector.bytes), Some(vector.flavour), "{name}");
        }
        let out = decode_to_vec(&vector.bytes, &options);
        let out = out.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(out.len() as u64, number(&vector.entry, "orig_size"), "{name}");
        assert_eq!(digest(&out), text(&vector.entry, "sha256"), "{name}");
        let size = decoded_len(&vector.bytes, &mut workspace, &options);
        assert_eq!(size, Ok(out.len() as u64), "{name}");
        // A slice of the exact length, and a longer one.
        for more in [0, 1, 1000] {
            let mut room = vec![0; out.len() + more];
            let done = decode(&vector.bytes, &mut room, &mut workspace, &options, &mut ());
            let done = done.unwrap_or_else(|error| panic!("{name} with {more} more: {error}"));
            assert_eq!((done.read, done.wrote), (vector.bytes.len(), out.len()));
            assert!(room[..out.len()] == out, "{name}");
        }
        if !out.is_empty() {
            let mut room = vec![0; out.len() - 1];
            let error = decode(&vector.bytes, &mut room, &mut workspace, &options, &mut ());
            assert!(matches!(error.unwrap_err().class(), Class::OutputTooSmall { .. }), "{name} in one byte less");
        }
    });
}

#[test]
fn bad_files_fail_as_their_manifest_says() {
    for folder in vector_folders("zstd") {
        for (name, flavour) in [("draft", Flavour::Draft), ("rfc8878", Flavour::Rfc8878)] {
            let folder = folder.join("bad").join(name);
            let mut verdicts = BTreeMap::new();
            for entry in list(&manifest(&folder.join("manifest.json")), "entries") {
                let file = text(entry, "file");
                let bytes = read(&folder.join(file));
                let dictionary = entry["dict"].as_str().map(|name| read(&folder.join(name)));
                let dictionary = dictionary.as_deref().map(Dictionary::new);
                let options = Options { flavour: Some(flavour), dictionary, ..Options::DEFAULT };
                let verdict = decoded(&bytes, &options).map(drop);
                match text(entry, "expect") {
                    "must_accept" => assert_eq!(verdict, Ok(()), "{name}/{file} must be decoded"),
                    "must_reject" | "should_reject" => assert!(verdict.is_err(), "{name}/{file} must be refused"),
                    other => assert_eq!(other, "choice"),
                }
                let why = text(entry, "why");
                if why == "checksum" && file.starts_with("cksum") {
                    assert_eq!(verdict.map_err(|error| error.class()), Err(Class::Checksum), "{name}/{file}");
                } else if why.ends_with("_truncated") && text(entry, "what").contains("frame cut") {
                    assert_eq!(verdict.map_err(|error| error.class()), Err(Class::Truncated), "{name}/{file}");
                }
                // Detection must not decode a bad file in another format.
                let guessed = decoded(&bytes, &Options { flavour: None, ..options });
                assert!(guessed.is_err() || guessed.map(drop) == verdict, "{name}/{file} under another format");
                verdicts.insert(file.to_owned(), verdict);
            }
            assert!(verdicts.len() > 300);
            golden_verdicts(&format!("zstd-bad-{name}.txt"), &verdicts);
        }
    }
}

#[test]
fn detects_truncated_files_that_fit_one_format() {
    let (cut, drafts) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    valid(|vector| {
        let bytes = &vector.bytes[..vector.bytes.len() - 1];
        match (detect(bytes), vector.flavour) {
            // The headers may fit both formats. Then the magic number decides.
            (Some(Flavour::Draft), flavour) => {
                assert_eq!(flavour, Flavour::Draft, "{}", vector.name);
                drafts.set(drafts.get() + 1);
            }
            (_, Flavour::Rfc8878) => cut.set(cut.get() + 1),
            _ => {}
        }
    });
    assert!(cut.get() > 100 && drafts.get() > 0, "{cut:?} {drafts:?}");
    assert_eq!(detect(b"\x28\xB5\x2F\xFE"), None);
    assert_eq!(detect(b"\x30\xB5\x2F\xFD"), None);
}

/// Bytes after a sound frame do not make it one of the draft, whose headers happen to be cut.
#[test]
fn bytes_after_a_frame_do_not_change_its_format() {
    let (mut tried, mut random) = (std::cell::Cell::new(0), Random(3));
    let mut noise = [0; 40];
    noise.iter_mut().for_each(|byte| *byte = random.bits().to_le_bytes()[0]);
    valid(|vector| {
        if vector.flavour == Flavour::Draft {
            return;
        }
        for trailing in [&b"garbage"[..], &[0; 9], &noise] {
            let bytes = [&vector.bytes[..], trailing].concat();
            // After skippable frames alone, the bytes are of no format.
            let found = detect(&bytes).unwrap_or(Flavour::Rfc8878);
            assert_eq!(found, vector.flavour, "{} and {trailing:?}", vector.name);
            tried.set(tried.get() + 1);
        }
    });
    assert!(*tried.get_mut() > 500);
}

/// A frame of the draft with two bytes and a checksum has the headers of one byte in RFC 8878.
#[test]
fn a_checksum_tells_two_bytes_of_the_draft_from_one_of_the_rfc() {
    let draft = b"\x28\xB5\x2F\xFD\x04\x38\x09\0\0hi\x1F\x13\xF5";
    assert_eq!(detect(draft), Some(Flavour::Draft));
    assert_eq!(decoded(draft, &Options::DEFAULT).as_deref(), Ok(&b"hi"[..]));
    let mut workspace = Workspace::new();
    assert_eq!(decoded_len(draft, &mut workspace, &Options::DEFAULT), Ok(2));
    for verify in [Verify::Skip, Verify::Report] {
        assert_eq!(decoded(draft, &Options { verify, ..Options::DEFAULT }).as_deref(), Ok(&b"hi"[..]));
    }
    let twice = draft.repeat(2);
    assert_eq!(decoded(&twice, &Options::DEFAULT).as_deref(), Ok(&b"hihi"[..]));
    for byte in 0..=255u8 {
        let checksum = (unspool::checksum::Xxh64::of(&[byte]) as u32).to_le_bytes();
        let rfc = [b"\x28\xB5\x2F\xFD\x04\x38\x09\0\0", &[byte][..], &checksum].concat();
        assert_eq!(detect(&rfc), Some(Flavour::Rfc8878));
        assert_eq!(decoded(&rfc, &Options::DEFAULT).as_deref(), Ok(&[byte][..]));
    }
}

/// The start of a frame of RFC 8878 may look like a frame of the draft without content. Its
/// checksum is not that of no bytes.
#[test]
fn a_cut_frame_is_not_one_of_the_draft_without_content() {
    let checksum = (unspool::checksum::Xxh64::of(&[]) >> 11) as u32 & 0x3F_FFFF;
    let [a, b, c, _] = (checksum << 2 | 3).to_le_bytes();
    let end = |c| [0x28, 0xB5, 0x2F, 0xFD, 4, 0x38, a, b, c];
    assert_eq!(detect(&end(c)), Some(Flavour::Draft));
    assert_eq!(decoded(&end(c), &Options::DEFAULT).as_deref(), Ok(&[][..]));
    assert_eq!(detect(&end(c ^ 1)), Some(Flavour::Rfc8878));
    let (mut cuts, mut others) = (0, 0);
    valid(|vector| {
        if vector.flavour != Flavour::Rfc8878 || vector.dictionary.is_some() {
            return;
        }
        for cut in 4..vector.bytes.len().min(64) {
            let prefix = &vector.bytes[..cut];
            cuts += 1;
            if let Err(error) = decoded(prefix, &Options::DEFAULT)
                && error.class() != Class::Truncated
            {
                println!("{} cut to {cut}: {error:?}", vector.name);
                others += 1;
            }
        }
    });
    // Up to a cut at random, few headers fit the draft.
    assert!(cuts > 10_000 && others * 4000 <= cuts, "{others} of {cuts}");
}

#[test]
fn decodes_or_refuses_the_golden_files_of_libzstd() {
    for folder in vector_folders("zstd") {
        let folder = folder.join("golden");
        for entry in list(&manifest(&folder.join("manifest.json")), "entries") {
            let name = text(entry, "file");
            let bytes = read(&folder.join(name));
            let out = decoded(&bytes, &Options::DEFAULT);
            match text(entry, "upstream_intent") {
                "accept" => assert_eq!(
                    out.unwrap_or_else(|e| panic!("{name}: {e}")).len() as u64,
                    number(&entry["model"], "out")
                ),
                _ => assert!(out.is_err(), "{name}"),
            }
        }
        // A dictionary with a Huffman code of 12 bits, and one with offsets of 0.
        let dictionary = read(&folder.join("golden-dictionaries/http-dict-missing-symbols"));
        let dictionary = Dictionary::new(&dictionary);
        let input = b"GET /index.html HTTP/1.1\r\nHost: example.org\r\n\r\n".repeat(20);
        let mut encoder = zstd::bulk::Compressor::with_dictionary(
            19,
            &read(&folder.join("golden-dictionaries/http-dict-missing-symbols")),
        )
        .unwrap();
        let frame = encoder.compress(&input).unwrap();
        let options = Options { dictionary: Some(dictionary), ..Options::DEFAULT };
        assert_eq!(decoded(&frame, &options), Ok(input));
        let without = decoded(&frame, &Options::DEFAULT);
        assert_eq!(without.map_err(|error| error.kind), Err(ErrorKind::ZstdDictionaryWanted));
    }
}

#[test]
fn decodes_output_of_libzstd() {
    let mut random = Random(7);
    let words: Vec<Vec<u8>> =
        (0..200).map(|_| (0..1 + random.below(9)).map(|_| b'a' + random.below(26) as u8).collect()).collect();
    let mut text = vec![];
    while text.len() < 300_000 {
        text.extend(&words[random.below(200) * random.below(200) / 200]);
        text.push(b' ');
    }
    let letters: Vec<u8> = (0..300_000).map(|_| b"aaaabbbccde fgh"[random.below(15)]).collect();
    let noise = random.noise(300_000);
    let runs: Vec<u8> = (0..300_000u32).map(|at| (at / 997) as u8).collect();
    let mut repeats = Vec::new();
    while repeats.len() < 300_000 {
        let pattern = random.bits().to_le_bytes().repeat(3);
        let period = 1 + random.below(17);
        repeats.extend(pattern[..period].iter().cycle().take(period + 3 + random.below(60)));
    }
    let sizes = [
        0, 1, 2, 3, 5, 6, 7, 31, 32, 33, 63, 64, 255, 256, 257, 1023, 1024, 1025, 4095, 4096, 16383, 16384, 65535,
        65536, 65791, 65792, 131_071, 131_072, 131_073, 262_144, 300_000,
    ];
    let mut workspace = Workspace::new();
    for (kind, data) in
        [("text", &text), ("letters", &letters), ("noise", &noise), ("runs", &runs), ("repeats", &repeats)]
    {
        for size in sizes {
            for level in [-5, 1, 3, 7, 13, 19] {
                let input = &data[..size];
                let frame = zstd::bulk::compress(input, level).unwrap();
                let mut room = vec![0; size];
                let done = decode(&frame, &mut room, &mut workspace, &Options::DEFAULT, &mut ());
                assert_eq!(done.map(|done| done.wrote), Ok(size), "{kind} {size} at level {level}");
                assert!(room == input, "{kind} {size} at level {level}");
            }
            let streamed = zstd::stream::encode_all(&data[..size], 3).unwrap();
            assert_eq!(decoded(&streamed, &Options::DEFAULT).as_deref(), Ok(&data[..size]), "{kind} {size} streamed");
        }
    }
}

fn holds(name: &str, frame: &[u8], plain: &[u8], options: &Options<'_>) {
    assert!(decoded(frame, options).is_ok_and(|out| out == plain), "{name}");
}

#[test]
fn literals_after_a_match_stay_as_they_are() {
    let random = &mut Random(3);
    let (dictionary, rest) = (random.noise(2000), random.noise(20_000));
    let options = Options { dictionary: Some(Dictionary::new(&dictionary)), ..Options::DEFAULT };
    // Only the first of these levels begins with a match.
    for level in [1, 19] {
        let mut encoder = zstd::bulk::Compressor::with_dictionary(level, &dictionary).unwrap();
        for more in [0, 1, 3, 5, 16, 17, 31, 32, 33, 64, 300] {
            // The first match is in the dictionary, and may end shortly before the literals.
            for len in 3..100 {
                let parts = [&dictionary[100..100 + len], &rest[..more], &dictionary[700..720], &rest[more..2 * more]];
                let plain = parts.concat();
                holds(&format!("{len} and {more}"), &encoder.compress(&plain).unwrap(), &plain, &options);
            }
        }
    }
    // A short match, and then almost only literals.
    for few in 4..60 {
        for many in [100, 1000, 20_000] {
            let plain = [&rest[..few], &rest[..few], &rest[..many], &rest[..40]].concat();
            holds(&format!("{few} and {many}"), &zstd::bulk::compress(&plain, 19).unwrap(), &plain, &Options::DEFAULT);
        }
    }
}

#[test]
fn a_sequence_may_have_more_bits_than_a_word() {
    let random = &mut Random(4);
    let mut plain = random.noise(3 << 20);
    for at in (0..2 << 20).step_by(65_000) {
        plain.extend(random.noise(9000));
        plain.extend_from_within(at..at + 40_000 + at / 100);
    }
    let mut encoder = zstd::bulk::Compressor::new(1).unwrap();
    encoder.set_parameter(zstd::zstd_safe::CParameter::WindowLog(23)).unwrap();
    encoder.set_parameter(zstd::zstd_safe::CParameter::EnableLongDistanceMatching(true)).unwrap();
    let frame = encoder.compress(&plain).unwrap();
    assert!(frame.len() < 4 << 20, "no matches");
    holds("far and long", &frame, &plain, &Options::DEFAULT);
}

#[test]
fn an_offset_beyond_the_window_is_refused_among_offsets_of_any_size() {
    let random = &mut Random(5);
    for near in [false, true] {
        let mut plain = random.noise(200_000);
        for number in 0..300 {
            let period = if near { 1 + number % 7 } else { 20 };
            let few = random.noise(period);
            plain.extend(few.iter().cycle().take(50));
            plain.extend(random.noise(3));
            if (150..250).contains(&number) {
                plain.extend_from_within(100 * number..100 * number + 60);
            }
        }
        let mut encoder = zstd::bulk::Compressor::new(3).unwrap();
        encoder.set_parameter(zstd::zstd_safe::CParameter::WindowLog(18)).unwrap();
        encoder.set_parameter(zstd::zstd_safe::CParameter::ContentSizeFlag(false)).unwrap();
        let mut frame = encoder.compress(&plain).unwrap();
        assert_eq!(frame[4..6], [0, 8 << 3]);
        holds("all in the window", &frame, &plain, &Options::DEFAULT);
        // Then the window is 128 KiB.
        frame[5] = 7 << 3;
        let kind = decoded(&frame, &Options::DEFAULT).map_err(|error| error.kind).err();
        assert_eq!(kind, Some(ErrorKind::ZstdOffset), "near: {near}");
    }
}

#[test]
fn prepared_dictionaries_decode_the_same() {
    valid_if(|vector| vector.dictionary.is_some(), 128, |vector| assert!(prepared(vector), "{}", vector.name));
}

/// Decodes twice with one prepared dictionary, and once in a format for which it was not prepared.
fn prepared(vector: &Vector) -> bool {
    let dictionary = Dictionary::new(vector.dictionary.as_deref().unwrap());
    let whole = decoded(&vector.bytes, &vector.told()).unwrap();
    [vector.flavour, vector.flavour, Flavour::Draft].into_iter().all(|flavour| {
        let mut tables = Workspace::new();
        let Ok(prepared) = dictionary.prepared(flavour, &mut tables) else { return flavour != vector.flavour };
        let options = Options { dictionary: Some(prepared), ..vector.told() };
        let symbols = |options: &Options<'_>| {
            let mut symbols = Symbols(Leaves::default());
            inspect(&vector.bytes, &mut Workspace::new(), options, &mut symbols).unwrap();
            symbols.0.leaves
        };
        decoded(&vector.bytes, &options).as_ref() == Ok(&whole) && symbols(&options) == symbols(&vector.told())
    })
}

#[test]
fn a_prepared_dictionary_serves_only_its_own_format() {
    let good = read(&vector_folders("zstd")[0].join("golden/golden-dictionaries/http-dict-missing-symbols"));
    let plain = b"a text that is long enough for a block of sequences, a text that is long enough".repeat(3);
    let frame = zstd::bulk::Compressor::with_dictionary(3, &good).unwrap().compress(&plain).unwrap();
    // Instead of its Huffman code one that only the older formats know: two symbols of one bit.
    let old = [&good[..8], &[242], &good[9 + usize::from(good[8])..]].concat();
    let mut tables = Workspace::new();
    let prepared = Dictionary::new(&old).prepared(Flavour::Draft, &mut tables).unwrap();
    let kind = |dictionary| {
        let options = Options { dictionary: Some(dictionary), ..Options::DEFAULT };
        decoded(&frame, &options).map(drop).map_err(|error| error.kind)
    };
    assert_eq!(kind(Dictionary::new(&good)), Ok(()));
    assert_eq!(kind(Dictionary::new(&old)), Err(ErrorKind::ZstdDictionary));
    assert_eq!(kind(prepared), Err(ErrorKind::ZstdDictionary));
}

#[test]
fn decodes_content_as_long_as_the_limit() {
    // One compressed block could hold 128 KiB but holds less: the limit applies to its content.
    let folder = &vector_folders("zstd")[0];
    let bytes = read(&folder.join("bad/rfc8878/seq-good.zst"));
    let vector = |max_output| {
        let limits = Limits { max_output, ..Limits::DEFAULT };
        decode_to_vec(&bytes, &Options { limits, ..Options::DEFAULT })
    };
    assert_eq!(vector(37).map(|out| out.len()), Ok(37));
    assert_eq!(vector(36).map_err(|error| error.kind), Err(ErrorKind::OutputLimit));
}

#[test]
fn refuses_reports_or_skips_a_wrong_checksum() {
    let plain = b"two frames with a checksum each, of which one is wrong".repeat(3);
    let mut encoder = zstd::bulk::Compressor::new(3).unwrap();
    encoder.include_checksum(true).unwrap();
    let frame = encoder.compress(&plain).unwrap();
    let mut file = frame.repeat(2);
    file[frame.len() - 1] ^= 1;
    let (mut out, mut workspace) = (vec![0; plain.len() * 2], Workspace::new());
    let mut run = |verify| {
        let options = Options { verify, ..Options::DEFAULT };
        let done = decode(&file, &mut out, &mut workspace, &options, &mut ());
        let (sound, why) = salvage(&file, &mut out, &mut workspace, &options);
        assert_eq!(done.err(), why);
        assert!(out[..sound.wrote] == plain.repeat(2)[..sound.wrote]);
        let counts = sound.checksums;
        (done.map(|done| done.wrote), sound.wrote, (counts.matched, counts.mismatched, counts.unchecked))
    };
    let wrong = Error::new(ErrorKind::ZstdChecksum, frame.len() as u64 - 4);
    assert_eq!(run(Verify::Refuse), (Err(wrong), plain.len(), (0, 0, 0)));
    assert_eq!(run(Verify::Report), (Ok(plain.len() * 2), plain.len() * 2, (1, 1, 0)));
    assert_eq!(run(Verify::Skip), (Ok(plain.len() * 2), plain.len() * 2, (0, 0, 2)));
}

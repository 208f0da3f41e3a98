//! Zstandard against its vectors: byte for byte in all three formats, told apart without help, and hostile files refused.
#![allow(clippy::cast_possible_truncation, reason = "test inputs are small")]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use serde_json::Value as Json;
use unspool::zstd::{
    Decoder, Dictionary, Flavour, Header, Options, Outline, SeekTable, Workspace, decode_in_place, decode_to_vec,
    decode_with, decoded_size, detect, in_place_margin, inspect, stream_buffer,
};
use unspool::{Class, End, Error, ErrorKind, Limits, Part, Status, Symbols, Trace, Value};
use unspool_tests::{Leaves, Random, drive, go_on, list, manifest, number, read, text, vector_folders};

/// A vector: its name, its bytes, its format, its dictionary, and its entry in the manifest.
struct Vector {
    name: String,
    bytes: Vec<u8>,
    flavour: Flavour,
    dictionary: Option<Vec<u8>>,
    entry: Json,
}

impl Vector {
    fn options(&self) -> Options<'_> {
        Options { dictionary: self.dictionary.as_deref().map(Dictionary::new), ..Options::DEFAULT }
    }

    fn told(&self) -> Options<'_> {
        Options { flavour: Some(self.flavour), ..self.options() }
    }
}

fn flavour(name: &str) -> Flavour {
    match name {
        "zstd" => Flavour::Rfc8878,
        "zstd-draft" => Flavour::Draft,
        "zstd-v07" => Flavour::V07,
        other => panic!("no format is called {other}"),
    }
}

/// Runs `test` on every valid vector; says how many there were.
fn valid(test: impl Fn(&Vector)) -> usize {
    let mut count = 0;
    for folder in vector_folders("zstd") {
        for entry in list(&manifest(&folder.join("manifest.json")), "files") {
            let name = text(entry, "file");
            // Some raw dictionaries have no entry of their own file name pattern; all lie beside the files.
            let dictionary = entry["dict"].as_str().map(|name| read(&folder.join(name)));
            let vector = Vector {
                name: name.to_owned(),
                bytes: read(&folder.join(name)),
                flavour: flavour(text(entry, "variant")),
                dictionary,
                entry: entry.clone(),
            };
            test(&vector);
            count += 1;
        }
    }
    count
}

/// SHA-256 of what a file decodes to.
fn digest(bytes: &[u8]) -> String {
    use sha2::Digest;
    sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn every_vector_decodes_byte_for_byte_and_is_recognised() {
    let count = valid(|vector| {
        let mut ws = Workspace::new();
        let (name, options) = (&vector.name, vector.options());
        let skippable_only = list(&vector.entry, "frames").is_empty();
        if !skippable_only && !name.ends_with("skip-only.zst") {
            assert_eq!(detect(&vector.bytes), Some(vector.flavour), "{name}");
        }
        let out = decode_to_vec(&vector.bytes, &mut ws, &Limits::DEFAULT, &options);
        let out = out.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(out.len() as u64, number(&vector.entry, "orig_size"), "{name}");
        assert_eq!(digest(&out), text(&vector.entry, "sha256"), "{name}");
        let size = decoded_size(&vector.bytes, &mut ws, &Limits::DEFAULT, &options);
        assert_eq!(size, Ok(out.len() as u64), "{name}");
        // Exactly the room that is needed, and more than that.
        for more in [0, 1, 1000] {
            let mut room = vec![0; out.len() + more];
            let done = decode_with(&vector.bytes, &mut room, &mut ws, &Limits::DEFAULT, &options, &mut ());
            let done = done.unwrap_or_else(|error| panic!("{name} with {more} more: {error}"));
            assert_eq!((done.read, done.wrote), (vector.bytes.len(), out.len()));
            assert!(room[..out.len()] == out, "{name}");
        }
        if !out.is_empty() {
            let mut room = vec![0; out.len() - 1];
            let error = decode_with(&vector.bytes, &mut room, &mut ws, &Limits::DEFAULT, &options, &mut ());
            assert!(matches!(error.unwrap_err().class(), Class::OutputTooSmall { .. }), "{name} in one byte less");
        }
    });
    println!("{count} vectors");
    assert!(count > 100);
}

fn decoded(bytes: &[u8], options: &Options<'_>) -> Result<Vec<u8>, Error> {
    decode_to_vec(bytes, &mut Workspace::new(), &Limits { max_output: 1 << 28, ..Limits::DEFAULT }, options)
}

#[test]
fn bad_files_end_as_their_manifest_says() {
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
                // Nobody who is not told the format may take it for another and decode something.
                let guessed = decoded(&bytes, &Options { flavour: None, ..options });
                assert!(guessed.is_err() || guessed.map(drop) == verdict, "{name}/{file} under another format");
                verdicts.insert(file.to_owned(), verdict);
            }
            assert!(verdicts.len() > 300);
            golden(&format!("zstd-bad-{name}.txt"), &verdicts);
        }
    }
}

/// Which error each file gets is written down, and a person has read it.
fn golden(file: &str, verdicts: &BTreeMap<String, Result<(), Error>>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(file);
    let mut lines = String::new();
    for (name, verdict) in verdicts {
        match verdict {
            Ok(()) => writeln!(lines, "{name}: accepted").unwrap(),
            Err(error) => writeln!(lines, "{name}: {:?}: {error}", error.kind).unwrap(),
        }
    }
    if std::env::var_os("UNSPOOL_BLESS").is_some() {
        std::fs::write(&path, &lines).unwrap();
    }
    let golden = String::from_utf8(read(&path)).unwrap();
    assert!(golden == lines, "{file} changed; UNSPOOL_BLESS=1 writes what is now, and git shows the difference");
}

#[test]
fn upstream_golden_files() {
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
        // A dictionary whose Huffman code is 12 bits deep, and one whose offsets are none.
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
fn leaves_tile_every_valid_file() {
    valid(|vector| {
        if vector.bytes.len() > 400_000 {
            return;
        }
        let mut leaves = Leaves::default();
        let done = inspect(&vector.bytes, &mut Workspace::new(), &Limits::DEFAULT, &vector.options(), &mut leaves);
        assert_eq!(done.map(|done| done.read), Ok(vector.bytes.len()), "{}", vector.name);
        leaves.assert_tile(vector.bytes.len(), &vector.name);
    });
}

/// What the headers of a file say that is read where its outline asks.
fn outlined(bytes: &[u8], flavour: Flavour) -> (Leaves, Result<u64, Error>) {
    let mut leaves = Leaves::default();
    let mut outline = Outline::new(bytes.len() as u64, flavour);
    while let Some(range) = outline.needs() {
        if let Err(error) = outline.feed(&bytes[range.start as usize..range.end as usize], &mut leaves) {
            assert_eq!(outline.needs(), None);
            return (leaves, Err(error));
        }
    }
    (leaves, Ok(outline.blocks()))
}

#[test]
fn headers_alone_tell_where_the_blocks_are() {
    let at =
        |leaves: &Leaves| leaves.leaves.iter().filter(|leaf| leaf.1 == "block header").cloned().collect::<Vec<_>>();
    valid(|vector| {
        let options = vector.told();
        let Some(flavour) = options.flavour.filter(|_| !options.magicless && vector.bytes.len() < 400_000) else {
            return;
        };
        let mut all = Leaves::default();
        inspect(&vector.bytes, &mut Workspace::new(), &Limits::DEFAULT, &options, &mut all).unwrap();
        let (leaves, blocks) = outlined(&vector.bytes, flavour);
        assert_eq!(at(&leaves), at(&all), "{}", vector.name);
        assert_eq!(blocks, Ok(at(&all).len() as u64), "{}", vector.name);
        leaves.assert_tile(vector.bytes.len(), &vector.name);
        // Of a file that is cut, no more is said than there is.
        for cut in (1..vector.bytes.len()).filter(|cut| vector.bytes.len() < 700 || cut % 997 == 0) {
            if let Err(error) = outlined(&vector.bytes[..cut], flavour).1 {
                assert_eq!((error.class(), error.at), (Class::Truncated, cut as u64), "{}", vector.name);
            }
        }
    });
    assert_eq!(outlined(b"\x28\xB5\x2F\xFD\x20\x03\x19\0\0zst!", Flavour::Rfc8878).1.unwrap_err().at, 12);
    assert_eq!(Outline::new(9, Flavour::V07).feed(&[0; 8], &mut ()).unwrap_err().class(), Class::Truncated);
}

#[test]
fn a_file_cut_at_any_byte_is_refused() {
    valid(|vector| {
        let step = 1 + vector.bytes.len() / 400;
        let mut room = vec![0; number(&vector.entry, "orig_size") as usize];
        if room.len() > 1 << 20 {
            return;
        }
        let whole = decoded(&vector.bytes, &vector.told()).unwrap();
        let mut ws = Workspace::new();
        for cut in (0..vector.bytes.len()).step_by(step) {
            let limits = Limits::DEFAULT;
            let out = decode_with(&vector.bytes[..cut], &mut room, &mut ws, &limits, &vector.told(), &mut ());
            match out {
                // Between frames.
                Ok(done) => {
                    assert!(
                        done.wrote < whole.len() || list(&vector.entry, "frames").len() != 1,
                        "{} {cut}",
                        vector.name
                    );
                }
                Err(error) => {
                    assert_eq!((error.class(), error.at), (Class::Truncated, cut as u64), "{} {cut}", vector.name);
                }
            }
        }
    });
}

#[test]
fn mutated_files_never_panic_and_never_decode_wrong_past_a_checksum() {
    let (mut tried, mut found) = (0u64, 0u64);
    let counters = std::cell::RefCell::new((&mut tried, &mut found));
    valid(|vector| {
        let size = number(&vector.entry, "orig_size") as usize;
        if vector.bytes.len() > 20_000 || size > 1 << 20 {
            return;
        }
        let whole = decoded(&vector.bytes, &vector.told()).unwrap();
        let mut random = Random(vector.name.len() as u64 * 1000 + vector.bytes.len() as u64);
        let mut ws = Workspace::new();
        let mut room = vec![0; size + 40];
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
                let done = decode_with(&mutated, &mut room, &mut ws, &limits, &options, &mut Leaves::default());
                let counted = decoded_size(&mutated, &mut ws, &limits, &options);
                *counters.borrow_mut().0 += 1;
                match done {
                    Ok(done) => {
                        assert_eq!(counted, Ok(done.wrote as u64), "{}", vector.name);
                        // Every frame was checked: these are the bytes that were written, or fewer frames of them.
                        let checked = done.checksums == done.frames && vector.flavour == Flavour::Rfc8878;
                        assert!(
                            !checked || done.frames != 1 || room[..done.wrote] == whole || done.wrote != whole.len(),
                            "{}",
                            vector.name
                        );
                    }
                    Err(_) => *counters.borrow_mut().1 += 1,
                }
            }
        }
    });
    println!("{tried} mutations, {found} refused");
    assert!(found * 2 > tried);
}

#[test]
fn what_libzstd_writes_comes_back() {
    let mut random = Random(7);
    let words: Vec<Vec<u8>> =
        (0..200).map(|_| (0..1 + random.below(9)).map(|_| b'a' + random.below(26) as u8).collect()).collect();
    let mut text = vec![];
    while text.len() < 300_000 {
        text.extend(&words[random.below(200) * random.below(200) / 200]);
        text.push(b' ');
    }
    let letters: Vec<u8> = (0..300_000).map(|_| b"aaaabbbccde fgh"[random.below(15)]).collect();
    let noise: Vec<u8> = (0..300_000).map(|_| random.bits() as u8).collect();
    let runs: Vec<u8> = (0..300_000u32).map(|at| (at / 997) as u8).collect();
    let sizes = [
        0, 1, 2, 3, 5, 6, 7, 31, 32, 33, 63, 64, 255, 256, 257, 1023, 1024, 1025, 4095, 4096, 16383, 16384, 65535,
        65536, 65791, 65792, 131_071, 131_072, 131_073, 262_144, 300_000,
    ];
    let mut ws = Workspace::new();
    for (kind, data) in [("text", &text), ("letters", &letters), ("noise", &noise), ("runs", &runs)] {
        for size in sizes {
            for level in [-5, 1, 3, 7, 13, 19] {
                let input = &data[..size];
                let frame = zstd::bulk::compress(input, level).unwrap();
                let mut room = vec![0; size];
                let done = unspool::zstd::decode(&frame, &mut room, &mut ws, &Limits::DEFAULT);
                assert_eq!(done.map(|done| done.wrote), Ok(size), "{kind} {size} at level {level}");
                assert!(room == input, "{kind} {size} at level {level}");
            }
            let streamed = zstd::stream::encode_all(&data[..size], 3).unwrap();
            assert_eq!(decoded(&streamed, &Options::DEFAULT).as_deref(), Ok(&data[..size]), "{kind} {size} streamed");
        }
    }
}

#[test]
fn claims_are_not_believed() {
    // A content size of 2^62, a window of 2^41, and a bomb of runs.
    let limits = Limits { max_output: 1 << 20, ..Limits::DEFAULT };
    let mut ws = Workspace::new();
    let huge = b"\x28\xB5\x2F\xFD\xE0\0\0\0\0\0\0\0\x40\x01\0\0";
    let error =
        |bytes: &[u8], ws: &mut Workspace| decode_to_vec(bytes, ws, &limits, &Options::DEFAULT).unwrap_err().kind;
    assert_eq!(error(huge, &mut ws), ErrorKind::OutputLimit);
    assert_eq!(error(b"\x28\xB5\x2F\xFD\x00\xFF\x01\0\0", &mut ws), ErrorKind::WindowLimit);
    let mut bomb = b"\x28\xB5\x2F\xFD\x00\x58".to_vec();
    bomb.extend(b"\x02\0\x10\0".repeat(100));
    bomb.extend(b"\x03\0\x10\0");
    assert_eq!(error(&bomb, &mut ws), ErrorKind::OutputLimit);
    assert_eq!(decoded_size(&bomb, &mut ws, &Limits::DEFAULT, &Options::DEFAULT), Ok(101 << 17));
    // Two million empty frames are two million frames, no more.
    let many = b"\x28\xB5\x2F\xFD\x20\0\x01\0\0".repeat(200_000);
    assert_eq!(decode_to_vec(&many, &mut ws, &limits, &Options::DEFAULT), Ok(vec![]));
}

/// Decodes through the streaming decoder; `split` says how much of input and output each call gets.
fn stream(
    bytes: &[u8],
    window: &mut [u8],
    limits: &Limits,
    options: &Options<'_>,
    split: impl FnMut() -> (usize, usize),
) -> (Vec<u8>, Result<(), Error>) {
    let mut ws = Workspace::new();
    let mut decoder = Decoder::new(&mut ws, window, limits, options);
    drive(bytes, split, |src, end, dst| decoder.step(src, end, dst))
}

/// The largest window that a frame of this file needs.
fn buffer(bytes: &[u8], flavour: Flavour, entry: &Json) -> usize {
    let frames =
        entry["magic_offsets"].as_array().map_or(vec![0], |all| all.iter().map(|at| at.as_u64().unwrap()).collect());
    let need = frames.into_iter().filter_map(|at| match Header::read(&bytes[at as usize..], flavour) {
        Ok(Header::Frame(frame)) => Some(frame.stream_buffer()),
        _ => None,
    });
    need.max().unwrap_or(0) as usize
}

#[test]
fn any_split_gives_the_same_bytes() {
    valid(|vector| {
        let whole = decoded(&vector.bytes, &vector.told()).unwrap();
        if vector.bytes.len() > 400_000 {
            return;
        }
        // The compact manifest does not say where frames start; several frames get a window for all of them.
        let need = match number_of_frames(&vector.entry) {
            1 => buffer(&vector.bytes, vector.flavour, &vector.entry),
            _ => 16 << 20,
        };
        let mut window = vec![0x55; need];
        let mut random = Random(vector.bytes.len() as u64);
        let limits = Limits::DEFAULT;
        for way in 0..4 {
            if (way == 1 || way == 2) && vector.bytes.len() + whole.len() > 200_000 {
                continue;
            }
            let split = || match way {
                0 => (usize::MAX >> 1, whole.len() + 1),
                1 => (1, 1),
                2 => (1 + random.below(40), 1 + random.below(60)),
                _ => (1 + random.below(30_000), 1 + random.below(70_000)),
            };
            let (out, end) = stream(&vector.bytes, &mut window, &limits, &vector.told(), split);
            assert_eq!(end, Ok(()), "{} way {way}", vector.name);
            assert!(out == whole, "{} way {way}", vector.name);
        }
        if need > 0 && number_of_frames(&vector.entry) == 1 {
            let (_, end) = stream(&vector.bytes, &mut window[..need - 1], &limits, &vector.told(), || (1000, 1000));
            let end = end.map_err(|error| error.class());
            assert!(whole.is_empty() || end == Err(Class::WorkspaceTooSmall { need: need as u64 }), "{}", vector.name);
        }
    });
}

#[test]
fn two_calls_with_nothing_to_do_are_an_error() {
    let file = b"\x28\xB5\x2F\xFD\x20\x09\x18\0\0zst\x33\0\0d";
    let (mut ws, mut window) = (Workspace::new(), [0; 32]);
    let mut decoder = Decoder::new(&mut ws, &mut window, &Limits::DEFAULT, &Options::DEFAULT);
    assert_eq!(decoder.step(&file[..8], End::NotYet, &mut []).map(|step| step.read), Ok(8));
    assert_eq!(decoder.step(&[], End::NotYet, &mut []).map(|step| step.status), Ok(Status::NeedInput));
    let again = decoder.step(&[], End::NotYet, &mut []);
    assert_eq!(again.map_err(|error| (error.kind, error.at)), Err((ErrorKind::NoProgress, 8)));
    // Any byte of progress in between, and nothing is wrong.
    let (mut ws, mut window) = (Workspace::new(), [0; 32]);
    let mut decoder = Decoder::new(&mut ws, &mut window, &Limits::DEFAULT, &Options::DEFAULT);
    let (mut out, mut room) = (Vec::<u8>::new(), [0u8; 16]);
    for byte in file {
        assert_eq!(decoder.step(&[], End::NotYet, &mut room).map(|step| step.wrote), Ok(0));
        let step = decoder.step(std::slice::from_ref(byte), End::NotYet, &mut room).unwrap();
        out.extend(&room[..step.wrote]);
    }
    assert_eq!(out, b"zstdddddd");
}

#[test]
fn the_buffer_of_a_file_is_enough_for_all_its_frames() {
    valid(|vector| {
        let need = stream_buffer(&vector.bytes, &vector.options()).unwrap();
        let mut window = vec![0; usize::try_from(need).unwrap()];
        if vector.bytes.len() > 400_000 {
            return;
        }
        let (out, end) = stream(&vector.bytes, &mut window, &Limits::DEFAULT, &vector.told(), || (5000, 70_000));
        assert_eq!((end, out.len() as u64), (Ok(()), number(&vector.entry, "orig_size")), "{}", vector.name);
    });
}

#[test]
fn a_dictionary_that_was_prepared_decodes_the_same() {
    let mut found = 0;
    valid(|vector| assert!(vector.dictionary.is_none() || prepared(vector)));
    for folder in vector_folders("zstd") {
        found += list(&manifest(&folder.join("manifest.json")), "files")
            .iter()
            .filter(|file| file["dict"].is_string())
            .count();
    }
    assert!(found > 5);
}

/// Twice with one dictionary whose tables were read before, and once as a flavour that they were not read for.
fn prepared(vector: &Vector) -> bool {
    let dictionary = Dictionary::new(vector.dictionary.as_deref().unwrap());
    let whole = decoded(&vector.bytes, &vector.told()).unwrap();
    [vector.flavour, vector.flavour, Flavour::Draft].into_iter().all(|flavour| {
        let mut tables = Workspace::new();
        let Ok(prepared) = dictionary.prepared(flavour, &mut tables) else { return flavour != vector.flavour };
        let options = Options { dictionary: Some(prepared), ..vector.told() };
        decoded(&vector.bytes, &options).as_ref() == Ok(&whole)
    })
}

/// Frames in a row with a seek table behind them, with or without checksums in it.
fn seekable(parts: &[&[u8]], checksums: bool) -> Vec<u8> {
    let (mut file, mut table) = (vec![], vec![]);
    for part in parts {
        let frame = zstd::bulk::compress(part, 3).unwrap();
        table.extend((frame.len() as u32).to_le_bytes());
        table.extend((part.len() as u32).to_le_bytes());
        if checksums {
            table.extend((unspool::checksum::Xxh64::of(part) as u32).to_le_bytes());
        }
        file.extend(frame);
    }
    file.extend(b"\x5E\x2A\x4D\x18");
    file.extend((table.len() as u32 + 9).to_le_bytes());
    file.extend(&table);
    file.extend((parts.len() as u32).to_le_bytes());
    file.push(if checksums { 0x80 } else { 0 });
    file.extend(b"\xB1\xEA\x92\x8F");
    file
}

#[test]
fn parts_of_a_seekable_file() {
    let mut random = Random(3);
    let plain: Vec<u8> = (0..5000).map(|_| b'a' + random.below(26) as u8).collect();
    let parts: Vec<&[u8]> = vec![&plain[..1000], &plain[1000..1001], &[], &plain[1001..4000], &plain[4000..]];
    let (limits, options, mut ws) = (Limits::DEFAULT, Options::DEFAULT, Workspace::new());
    for checksums in [false, true] {
        let file = seekable(&parts, checksums);
        assert_eq!(decoded(&file, &options).as_ref(), Ok(&plain));
        let table = SeekTable::of(&file, &limits).unwrap().unwrap();
        assert_eq!((table.len(), table.content(), table.room(), table.is_empty()), (5, 5000, 2999, false));
        let mut leaves = Leaves::default();
        inspect(&file, &mut ws, &limits, &options, &mut leaves).unwrap();
        let sums = leaves.leaves.iter().filter(|(_, name)| *name == "checksum").count();
        assert_eq!(sums, if checksums { 5 } else { 0 });
        leaves.assert_tile(file.len(), "seekable");
        let (mut dst, mut room) = (vec![0; 5000], vec![0; table.room()]);
        for way in 0..200 {
            let start = random.below(5001);
            let end = start + random.below(5001 - start);
            let wanted = start as u64..end as u64;
            let wrote = table.decode(&file, wanted.clone(), &mut dst[..end - start], &mut room, &mut ws, &options);
            assert_eq!(wrote, Ok(end - start), "{way}");
            assert!(dst[..end - start] == plain[start..end], "{wanted:?}");
            if end > start {
                let short = table.decode(&file, wanted, &mut dst[..end - start - 1], &mut room, &mut ws, &options);
                assert_eq!(short.unwrap_err().class(), Class::OutputTooSmall { need: (end - start) as u64 });
            }
        }
        // Whole frames need no room beside the output, a part of one needs as much as the frame.
        assert_eq!(table.decode(&file, 1000..4000, &mut dst, &mut [], &mut ws, &options), Ok(3000));
        let error = table.decode(&file, 999..4000, &mut dst, &mut room[..999], &mut ws, &options).unwrap_err();
        assert_eq!(error.class(), Class::OutputTooSmall { need: 1000 });
        let outside = table.decode(&file, 4999..5001, &mut dst, &mut room, &mut ws, &options).unwrap_err();
        assert_eq!(outside.kind, ErrorKind::RangeOutside);
        let one = table.frames_in(1000..1001).map(|frame| (frame.content.start, frame.content.end));
        assert_eq!(one.collect::<Vec<_>>(), [(1000, 1001)]);
        assert_eq!((table.frames_in(7..7).count(), table.frames_in(5000..5001).count()), (0, 0));
        by_pieces(&file, &plain);
    }
    let none = zstd::bulk::compress(&plain, 3).unwrap();
    assert!(SeekTable::of(&none, &limits).unwrap().is_none());
    // The example of a real writer has no frames at all.
    let empty = seekable(&[], false);
    assert_eq!(SeekTable::of(&empty, &limits).unwrap().map(|table| (table.len(), table.content())), Some((0, 0)));
}

/// A file that is not at hand: only the bytes that are asked for are looked at.
fn by_pieces(file: &[u8], plain: &[u8]) {
    let (limits, mut ws) = (Limits::DEFAULT, Workspace::new());
    let place = SeekTable::place(*file.last_chunk().unwrap(), file.len() as u64, &limits).unwrap().unwrap();
    let fetch = |range: &std::ops::Range<u64>| file[range.start as usize..range.end as usize].to_vec();
    let bytes = fetch(&place);
    let table = SeekTable::open(&bytes, &place, &limits).unwrap();
    assert_eq!(place.start, table.frames().last().unwrap().range.end);
    let mut room = vec![0; table.room()];
    for frame in table.frames() {
        let done = frame.decode(&fetch(&frame.range), &mut room, &mut ws, &limits, &Options::DEFAULT).unwrap();
        assert_eq!(room[..done.wrote], plain[frame.content.start as usize..frame.content.end as usize]);
    }
}

#[test]
fn seek_tables_that_do_not_fit_are_refused() {
    let plain = b"some text, some text, some more text; some text, some text, some more text";
    let (limits, options, mut ws) = (Limits::DEFAULT, Options::DEFAULT, Workspace::new());
    let file = seekable(&[&plain[..40], &plain[40..]], true);
    let kind =
        |file: &[u8], limits: &Limits| SeekTable::of(file, limits).map(|table| table.is_some()).map_err(|e| e.kind);
    let table = file.len() - (8 + 24 + 9);
    let mut random = Random(5);
    let mut verdicts = BTreeMap::new();
    for at in table..file.len() {
        for _ in 0..8 {
            let mut broken = file.clone();
            broken[at] ^= 1 + random.below(255) as u8;
            let (mut dst, mut room) = (vec![0; 1 << 16], vec![0; 1 << 16]);
            let verdict = match SeekTable::of(&broken, &limits) {
                Ok(Some(table)) if table.content() > 1 << 16 => "claims more",
                Ok(Some(table)) => {
                    match table.decode(&broken, 0..table.content(), &mut dst, &mut room, &mut ws, &options) {
                        // Bits that mean nothing.
                        Ok(wrote) => {
                            assert!(dst[..wrote] == plain[..], "other bytes with byte {at} changed");
                            "the same"
                        }
                        Err(error) => error.kind.name(),
                    }
                }
                Ok(None) => "no table",
                Err(error) => error.kind.name(),
            };
            *verdicts.entry(verdict).or_insert(0) += 1;
        }
    }
    println!("{verdicts:?}");
    assert!(verdicts["ZstdSeekTable"] > 100 && verdicts["ZstdChecksum"] > 10 && verdicts["no table"] > 10);
    // Behind another file it would name the wrong bytes.
    assert_eq!(kind(&[&file[..], &file].concat(), &limits), Err(ErrorKind::ZstdSeekTable));
    assert_eq!(kind(&file[1..], &limits), Err(ErrorKind::ZstdSeekTable));
    assert_eq!(kind(&file[file.len() - 9..], &limits), Err(ErrorKind::ZstdSeekTable));
    assert_eq!(kind(&file[..file.len() - 1], &limits), Ok(false));
    assert_eq!(kind(&file, &Limits { max_header: 40, ..limits }), Err(ErrorKind::HeaderLimit));
    assert_eq!(kind(&file, &Limits { max_elements: 1, ..limits }), Err(ErrorKind::ElementLimit));
    // Four billion frames in nine bytes.
    let huge = b"\xFF\xFF\xFF\xFF\x00\xB1\xEA\x92\x8F";
    assert_eq!(SeekTable::place(*huge, 1 << 40, &limits).unwrap_err().kind, ErrorKind::HeaderLimit);
    assert_eq!(SeekTable::place(*huge, 1 << 40, &Limits::NONE), Ok(Some((1 << 40) - ((8 << 32) + 9)..1 << 40)));
}

/// Decodes in a buffer that is so much longer than the content.
fn in_place(bytes: &[u8], len: usize, options: &Options<'_>) -> (Vec<u8>, Result<usize, Error>) {
    let mut buffer = vec![0xA5; len.max(bytes.len())];
    let start = buffer.len() - bytes.len();
    buffer[start..].copy_from_slice(bytes);
    let limits = Limits { max_output: 1 << 28, ..Limits::DEFAULT };
    let done = decode_in_place(&mut buffer, bytes.len(), &mut Workspace::new(), &limits, options);
    (buffer, done.map(|done| done.wrote))
}

#[test]
fn the_margin_is_enough_to_decode_in_place() {
    let (mut exact, mut longer) = (0, vec![]);
    let counters = std::cell::RefCell::new((&mut exact, &mut longer));
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
            // A block that is longer than what it holds, which no encoder writes.
            assert!(vector.name.contains("s-"), "{}", vector.name);
            counters.borrow_mut().1.push(vector.name.clone());
            assert_eq!(in_place(&vector.bytes, need + vector.bytes.len(), &options).1, Ok(whole.len()));
            return;
        }
        assert_eq!(end, Ok(whole.len()), "{}", vector.name);
        assert!(buffer.starts_with(&whole), "{}", vector.name);
        if need > vector.bytes.len() {
            // With one byte less it works or is refused, but nothing else comes out.
            let (buffer, end) = in_place(&vector.bytes, need - 1, &options);
            match end.map_err(|error| error.kind) {
                Ok(_) => assert!(buffer.starts_with(&whole), "{}", vector.name),
                Err(kind) => assert_eq!(kind, ErrorKind::OutputTooSmall, "{}", vector.name),
            }
            *counters.borrow_mut().0 += usize::from(end.is_err());
        }
    });
    println!("{exact} files need every byte of their margin; longer than their content are blocks of {longer:?}");
    assert!(exact > 50 && longer.len() < 20);
    // One block: not a byte less.
    let plain = b"one block of text, one block of text, one block of text and text and text".repeat(9);
    let file = zstd::bulk::compress(&plain, 3).unwrap();
    let margin = in_place_margin(&file, &Options::DEFAULT).unwrap() as usize;
    assert!(margin < file.len() && in_place(&file, plain.len() + margin, &Options::DEFAULT).0.starts_with(&plain));
    let short = in_place(&file, plain.len() + margin - 1, &Options::DEFAULT).1;
    assert_eq!(short.map_err(|error| error.kind), Err(ErrorKind::OutputTooSmall));
    let outside = decode_in_place(&mut [0; 9], 10, &mut Workspace::new(), &Limits::DEFAULT, &Options::DEFAULT);
    assert_eq!(outside.map_err(|error| error.kind), Err(ErrorKind::RangeOutside));
}

/// Files that are broken in a way of their own: a name and the bytes.
fn broken(vector: &Vector, mut each: impl FnMut(&[u8])) {
    let mut random = Random(vector.bytes.len() as u64 + 1);
    for _ in 0..12 {
        let mut mutated = vector.bytes.clone();
        let at = random.below(mutated.len());
        mutated[at] ^= 1 << random.below(8);
        each(&mutated);
        mutated.truncate(random.below(mutated.len()));
        each(&mutated);
    }
}

#[test]
fn in_place_and_to_a_slice_fail_alike() {
    valid(|vector| {
        if vector.bytes.len() > 2000 || number(&vector.entry, "orig_size") > 1 << 16 {
            return;
        }
        let limits = Limits { max_output: 1 << 17, ..Limits::DEFAULT };
        let mut room = vec![0; (1 << 17) + 4096];
        broken(vector, |bytes| {
            let options = vector.told();
            let mut ws = Workspace::new();
            let whole = decode_with(bytes, &mut room, &mut ws, &limits, &options, &mut ());
            let mut buffer = vec![0; room.len() + bytes.len()];
            let start = buffer.len() - bytes.len();
            buffer[start..].copy_from_slice(bytes);
            let over = decode_in_place(&mut buffer, bytes.len(), &mut ws, &limits, &options);
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

#[test]
fn the_structure_shows_without_the_dictionary() {
    let seen = std::cell::Cell::new(0);
    valid(|vector| {
        let Some(bytes) = &vector.dictionary else { return };
        let (mut ws, limits) = (Workspace::new(), Limits::DEFAULT);
        let (with, without) = (vector.told(), Options { dictionary: None, ..vector.told() });
        let id = Dictionary::new(bytes).id();
        let named = matches!(Header::read(&vector.bytes, vector.flavour), Ok(Header::Frame(frame)) if frame.dictionary_id == id);
        if id == 0 || !named {
            return;
        }
        let (mut all, mut blind) = (Leaves::default(), Symbols(Leaves::default()));
        let seeing = inspect(&vector.bytes, &mut ws, &limits, &with, &mut all).unwrap();
        assert_eq!(inspect(&vector.bytes, &mut ws, &limits, &without, &mut blind), Ok(seeing), "{}", vector.name);
        assert!(blind.0.leaves == all.leaves, "{}", vector.name);
        let size = decoded_size(&vector.bytes, &mut ws, &limits, &without).map_err(|error| error.kind);
        assert_eq!(size, Err(ErrorKind::ZstdDictionaryWanted));
        // What is wrong with the structure shows all the same, whatever it is.
        broken(vector, |bytes| {
            let _ = inspect(bytes, &mut ws, &limits, &without, &mut Symbols(Leaves::default()));
        });
        seen.set(seen.get() + 1);
    });
    assert!(seen.get() > 3);
}

/// Makes the content of what an observer of symbols hears.
#[derive(Default)]
struct Rebuilt<'a> {
    src: &'a [u8],
    leaves: Leaves,
    open: Vec<&'static str>,
    out: Vec<u8>,
    literals: Vec<u8>,
    size: usize,
    sequence: [usize; 3],
    /// The size of a block of one byte is not told.
    runs: bool,
}

impl Trace for Rebuilt<'_> {
    fn enter(&mut self, name: &'static str, value: Value<'_>) {
        self.leaves.enter(name, value);
        self.open.push(name);
        if let ("literals", Value::U64(size)) = (name, value) {
            (self.size, self.literals) = (size as usize, vec![]);
        }
    }

    fn leaf(&mut self, part: Part, name: &'static str, bits: std::ops::Range<u64>, value: Value<'_>) {
        let bytes = &self.src[bits.start as usize / 8..bits.end as usize / 8];
        let number = if let Value::U64(number) = value { number as usize } else { 0 };
        match name {
            "raw bytes" => self.out.extend(bytes),
            "byte" => self.runs = true,
            "raw literals" => self.literals.extend(bytes),
            "repeated literal" => self.literals = vec![number as u8; self.size],
            "literal" => self.literals.push(number as u8),
            "literal length" => self.sequence[0] = number,
            "match length" => self.sequence[1] = number,
            "offset" | "repeated offset" => self.sequence[2] = number,
            _ => {}
        }
        self.leaves.leaf(part, name, bits, value);
    }

    fn leave(&mut self) {
        self.leaves.leave();
        match self.open.pop() {
            Some("sequence") if !self.runs => {
                let [run, length, offset] = self.sequence;
                self.out.extend(self.literals.drain(..run));
                (0..length).for_each(|_| self.out.push(self.out[self.out.len() - offset]));
            }
            Some("block") => self.out.append(&mut self.literals),
            _ => {}
        }
    }
}

#[test]
fn symbols_tile_a_file_and_make_its_content() {
    let (mut ws, limits) = (Workspace::new(), Limits::DEFAULT);
    let mut rebuild = |name: &str, bytes: &[u8], options: &Options<'_>, whole: &[u8]| {
        let mut heard = Symbols(Rebuilt { src: bytes, ..Rebuilt::default() });
        inspect(bytes, &mut ws, &limits, options, &mut heard).unwrap_or_else(|error| panic!("{name}: {error}"));
        heard.0.leaves.assert_tile(bytes.len(), name);
        assert!(heard.0.runs || heard.0.out == whole, "{name}");
    };
    let text =
        b"what is heard of every symbol makes the text again, every symbol of the text is heard again ".repeat(40);
    for level in [1, 3, 19] {
        rebuild("text", &zstd::bulk::compress(&text, level).unwrap(), &Options::DEFAULT, &text);
    }
    let rebuild = std::cell::RefCell::new(rebuild);
    let seen = std::cell::Cell::new(0);
    valid(|vector| {
        if vector.bytes.len() > 20_000 || vector.dictionary.is_some() {
            return;
        }
        let whole = decoded(&vector.bytes, &vector.told()).unwrap();
        rebuild.borrow_mut()(&vector.name, &vector.bytes, &vector.told(), &whole);
        seen.set(seen.get() + 1);
        // A stream that breaks off is an error here as it is for a decoder.
        broken(vector, |bytes| {
            let limits = Limits { max_output: 1 << 20, ..Limits::DEFAULT };
            let heard = inspect(bytes, &mut Workspace::new(), &limits, &vector.told(), &mut Symbols(Leaves::default()));
            let decoded = decode_to_vec(bytes, &mut Workspace::new(), &limits, &vector.told());
            assert!(heard.is_ok() || decoded.is_err(), "{}: {heard:?}", vector.name);
        });
    });
    println!("{} files", seen.get());
    assert!(seen.get() > 100);
}

fn number_of_frames(entry: &Json) -> usize {
    match &entry["magic_offsets"] {
        Json::Array(offsets) => offsets.len(),
        _ if text(entry, "file").contains("skip") || text(entry, "file").contains("multi") => 2,
        _ => usize::try_from(number(entry, "frames")).unwrap(),
    }
}

#[test]
fn a_larger_window_is_lent_between_frames() {
    let small = b"\x28\xB5\x2F\xFD\x20\x03\x19\0\0zst";
    // A window of 128 KiB, and as long a run.
    let large = b"\x28\xB5\x2F\xFD\0\x38\x03\0\x10x";
    let file = [&small[..], large, small].concat();
    for split in 1..=file.len() {
        let (mut ws, mut windows, mut asked) = (Workspace::new(), [vec![], vec![]], vec![]);
        let mut windows = windows.iter_mut();
        let mut decoder = Decoder::new(&mut ws, &mut [], &Limits::DEFAULT, &Options::DEFAULT);
        let split = || (split, 1000);
        let (out, end) = drive(&file, split, |src, end, dst| {
            go_on(src, dst, |src, dst| match decoder.step(src, end, dst) {
                Err(Error { kind: ErrorKind::ZstdWindowBuffer, at, need }) => {
                    asked.push((at, need));
                    let window = windows.next().unwrap();
                    window.resize(need as usize, 0xAA);
                    Ok(decoder.lend(window))
                }
                step => step,
            })
        });
        assert_eq!(end, Ok(()));
        assert_eq!(asked, [(0, 6), (12, 4 << 17)]);
        assert_eq!(out, [&b"zst"[..], &[b'x'; 1 << 17], b"zst"].concat());
    }
}

#[test]
fn a_stream_and_a_whole_file_fail_alike() {
    let mut window = vec![0; 1 << 20];
    let mut compare = |name: &str, bytes: &[u8], options: &Options<'_>, random: &mut Random| {
        let limits = Limits { max_output: 1 << 20, max_window: 1 << 19, ..Limits::DEFAULT };
        let mut room = vec![0; 1 << 21];
        let whole = decode_with(bytes, &mut room, &mut Workspace::new(), &limits, options, &mut ());
        let (out, end) = stream(bytes, &mut window, &limits, options, || (1 + random.below(60), 1 + random.below(500)));
        match (whole, end) {
            // A window in a single segment is bounded by the output, and in a stream by the buffer.
            (_, Err(Error { kind: ErrorKind::ZstdWindowBuffer, .. })) => {}
            (Ok(done), Ok(())) => assert!(room[..done.wrote] == out, "{name}"),
            (Err(whole), Err(streamed)) => assert_eq!((whole.kind, whole.at), (streamed.kind, streamed.at), "{name}"),
            (whole, end) => panic!("{name}: in one piece {whole:?}, streamed {end:?}"),
        }
    };
    for folder in vector_folders("zstd").into_iter().take(1) {
        for (name, flavour) in [("draft", Flavour::Draft), ("rfc8878", Flavour::Rfc8878)] {
            let folder = folder.join("bad").join(name);
            for entry in list(&manifest(&folder.join("manifest.json")), "entries") {
                let bytes = read(&folder.join(text(entry, "file")));
                let dictionary = entry["dict"].as_str().map(|name| read(&folder.join(name)));
                let dictionary = dictionary.as_deref().map(Dictionary::new);
                let options = Options { flavour: Some(flavour), dictionary, ..Options::DEFAULT };
                compare(text(entry, "file"), &bytes, &options, &mut Random(1));
            }
        }
        for entry in list(&manifest(&folder.join("manifest.json")), "files") {
            let bytes = read(&folder.join(text(entry, "file")));
            if bytes.len() > 2000 {
                continue;
            }
            let dictionary = entry["dict"].as_str().map(|name| read(&folder.join(name)));
            let dictionary = dictionary.as_deref().map(Dictionary::new);
            let options = Options { flavour: Some(flavour(text(entry, "variant"))), dictionary, ..Options::DEFAULT };
            let mut random = Random(bytes.len() as u64);
            for _ in 0..20 {
                let mut mutated = bytes.clone();
                for _ in 0..=random.below(2) {
                    let at = random.below(mutated.len());
                    mutated[at] ^= 1 << random.below(8);
                }
                compare(text(entry, "file"), &mutated, &options, &mut random);
                mutated.truncate(random.below(mutated.len()));
                compare(text(entry, "file"), &mutated, &options, &mut random);
            }
        }
    }
}

#[test]
fn a_vector_may_be_as_long_as_the_limit() {
    // One compressed block could hold 128 KiB, but holds less: the limit is about what it holds.
    let folder = &vector_folders("zstd")[0];
    let bytes = read(&folder.join("bad/rfc8878/seq-good.zst"));
    let vector = |max_output| {
        let limits = Limits { max_output, ..Limits::DEFAULT };
        decode_to_vec(&bytes, &mut Workspace::new(), &limits, &Options::DEFAULT)
    };
    assert_eq!(vector(37).map(|out| out.len()), Ok(37));
    assert_eq!(vector(36).map_err(|error| error.kind), Err(ErrorKind::OutputLimit));
}

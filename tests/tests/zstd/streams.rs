//! The streaming decoder: any split, any window, the same errors.

use super::*;

/// Decodes through the streaming decoder; `split` returns the sizes of input and output of each
/// call.
fn stream(
    bytes: &[u8],
    window: &mut [u8],
    options: &Options<'_>,
    split: impl FnMut() -> (usize, usize),
) -> (Vec<u8>, Result<(), Error>) {
    let mut workspace = Workspace::new();
    let mut decoder = Decoder::new(&mut workspace, window, options);
    drive(bytes, split, |src, end, dst| decoder.step(src, end, dst))
}

/// Returns the largest window that a frame of this file needs.
fn buffer(bytes: &[u8], flavour: Flavour, entry: &Json) -> usize {
    let frames =
        entry["magic_offsets"].as_array().map_or(vec![0], |all| all.iter().map(|at| at.as_u64().unwrap()).collect());
    let need = frames.into_iter().filter_map(|at| match Header::read(&bytes[at as usize..], &Limits::NONE, flavour) {
        Ok(Header::Frame(frame)) => Some(frame.stream_buffer()),
        _ => None,
    });
    need.max().unwrap_or(0) as usize
}

fn is_short(vector: &Vector) -> bool {
    vector.bytes.len() <= 400_000
}

#[test]
fn any_split_decodes_to_the_same_bytes() {
    let mut in_small_pieces = 0;
    valid_if(is_short, COMPACT, |vector| {
        let whole = decoded(&vector.bytes, &vector.told()).unwrap();
        // The compact manifest does not list where frames start; several frames get one large
        // window.
        let need = match number_of_frames(&vector.entry) {
            1 => buffer(&vector.bytes, vector.flavour, &vector.entry),
            _ => 16 << 20,
        };
        let mut window = vec![0x55; need];
        let mut random = Random(vector.bytes.len() as u64);
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
            let (out, end) = stream(&vector.bytes, &mut window, &vector.told(), split);
            assert_eq!(end, Ok(()), "{} way {way}", vector.name);
            assert!(out == whole, "{} way {way}", vector.name);
            in_small_pieces += usize::from(way == 1 || way == 2);
        }
        if need > 0 && number_of_frames(&vector.entry) == 1 {
            let (_, end) = stream(&vector.bytes, &mut window[..need - 1], &vector.told(), || (1000, 1000));
            let end = end.map_err(|error| error.class());
            assert!(whole.is_empty() || end == Err(Class::WorkspaceTooSmall { need: need as u64 }), "{}", vector.name);
        }
    });
    assert_ran(in_small_pieces, 1298);
}

#[test]
fn refuses_two_idle_calls_in_a_row() {
    let file = b"\x28\xB5\x2F\xFD\x20\x09\x18\0\0zst\x33\0\0d";
    let (mut workspace, mut window) = (Workspace::new(), [0; 32]);
    let mut decoder = Decoder::new(&mut workspace, &mut window, &Options::DEFAULT);
    assert_eq!(decoder.step(&file[..8], End::NotYet, &mut []).map(|step| step.read), Ok(8));
    assert_eq!(decoder.step(&[], End::NotYet, &mut []).map(|step| step.status), Ok(Status::NeedInput));
    let again = decoder.step(&[], End::NotYet, &mut []);
    assert_eq!(again.map_err(|error| (error.kind, error.at)), Err((ErrorKind::NoProgress, 8)));
    // Any byte of progress in between, and nothing is wrong.
    let (mut workspace, mut window) = (Workspace::new(), [0; 32]);
    let mut decoder = Decoder::new(&mut workspace, &mut window, &Options::DEFAULT);
    let (mut out, mut room) = (Vec::<u8>::new(), [0u8; 16]);
    for byte in file {
        assert_eq!(decoder.step(&[], End::NotYet, &mut room).map(|step| step.wrote), Ok(0));
        let step = decoder.step(std::slice::from_ref(byte), End::NotYet, &mut room).unwrap();
        out.extend(&room[..step.wrote]);
    }
    assert_eq!(out, b"zstdddddd");
}

#[test]
fn stream_buffer_is_enough_for_all_frames() {
    valid_if(is_short, COMPACT, |vector| {
        let need = stream_buffer(&vector.bytes, &vector.options()).unwrap();
        let mut window = vec![0; usize::try_from(need).unwrap()];
        let (out, end) = stream(&vector.bytes, &mut window, &vector.told(), || (5000, 70_000));
        assert_eq!((end, out.len()), (Ok(()), vector.size()), "{}", vector.name);
        // The same to a sink.
        let (mut poured, mut workspace) = (Vec::<u8>::new(), Workspace::new());
        let mut sink = |piece: &[u8]| {
            poured.extend(piece);
            Ok(())
        };
        let done = decode_to(&vector.bytes, &mut sink, &mut workspace, &mut window, &vector.options());
        assert_eq!(done.map(|done| (done.read, done.wrote)), Ok((vector.bytes.len(), out.len())), "{}", vector.name);
        assert!(poured == out, "{}", vector.name);
    });
}

#[test]
fn streams_count_frames_and_checksums_as_decode_does() {
    valid(|vector| {
        let (mut workspace, mut out) = (Workspace::new(), vec![0; vector.size()]);
        let whole = decode(&vector.bytes, &mut out, &mut workspace, &vector.told(), &mut ()).unwrap();
        let mut window = vec![0; stream_buffer(&vector.bytes, &vector.told()).unwrap() as usize];
        let told = vector.told();
        let mut decoder = Decoder::new(&mut workspace, &mut window, &told);
        let (_, end) = drive(&vector.bytes, || (usize::MAX >> 1, 1 << 20), |src, end, dst| decoder.step(src, end, dst));
        assert_eq!((end, decoder.done()), (Ok(()), whole), "{}", vector.name);
    });
}

#[test]
fn returns_all_output_before_an_error() {
    let (mut wrong, mut cut) = (0, 0);
    valid_if(
        |vector| vector.bytes.len() <= 1000,
        640,
        |vector| {
            let whole = decoded(&vector.bytes, &vector.told()).unwrap();
            let mut window = vec![0; stream_buffer(&vector.bytes, &vector.told()).unwrap() as usize];
            let mut all =
                |bytes: &[u8]| stream(bytes, &mut window, &vector.told(), || (usize::MAX >> 1, whole.len() + 1));
            // A checksum is the last field of a file, after all of its content.
            let mut bytes = vector.bytes.clone();
            *bytes.last_mut().unwrap() ^= 1;
            let (out, end) = all(&bytes);
            if end.is_err_and(|error| error.kind == ErrorKind::ZstdChecksum) {
                wrong += 1;
                assert!(out == whole, "{}", vector.name);
            }
            let mut before = 0;
            for len in 0..vector.bytes.len() {
                let (out, end) = all(&vector.bytes[..len]);
                // The file may end after a frame.
                let class = end.map_err(|error| error.class());
                assert!(matches!(class, Ok(()) | Err(Class::Truncated)), "{} {len}: {class:?}", vector.name);
                assert!(whole.starts_with(&out) && out.len() >= before, "{} {len}", vector.name);
                before = out.len();
                cut += usize::from(before > 0);
            }
        },
    );
    assert!(wrong > 50 && cut > 1000, "{wrong:?} {cut:?}");
}

/// Returns the window that a file needs: with large tables three blocks more than matches reach
/// back, with small ones one.
fn need_of(file: &[u8]) -> u64 {
    stream_buffer(file, &Options::DEFAULT).unwrap()
}

#[test]
fn takes_a_larger_window_between_frames() {
    let small = b"\x28\xB5\x2F\xFD\x20\x03\x19\0\0zst";
    // A window of 128 KiB, and as long a run.
    let large = b"\x28\xB5\x2F\xFD\0\x38\x03\0\x10x";
    let file = [&small[..], large, small].concat();
    for split in 1..=file.len() {
        let (mut workspace, mut windows, mut asked) = (Workspace::new(), [vec![], vec![]], vec![]);
        let mut windows = windows.iter_mut();
        let mut decoder = Decoder::new(&mut workspace, &mut [], &Options::DEFAULT);
        let split = || (split, 1000);
        let (out, end) = drive(&file, split, |src, end, dst| {
            go_on(src, dst, |src, dst| match decoder.step(src, end, dst) {
                Err(Error { kind: ErrorKind::ZstdWindowBuffer, at, need }) => {
                    asked.push((at, need));
                    let window = windows.next().unwrap();
                    window.resize(need as usize, 0xAA);
                    decoder.lend(window).unwrap();
                    decoder.step(src, end, dst)
                }
                step => step,
            })
        });
        assert_eq!(end, Ok(()));
        assert_eq!(asked, [(0, 6), (12, need_of(large))]);
        assert_eq!(out, [&b"zst"[..], &[b'x'; 1 << 17], b"zst"].concat());
    }
}

#[test]
fn idle_calls_before_a_new_window_do_not_count_after_it() {
    let file = b"\x28\xB5\x2F\xFD\0\x38\x03\0\x10x";
    let (mut workspace, mut out) = (Workspace::new(), vec![0; 1 << 17]);
    let mut window = vec![0; need_of(file) as usize];
    let (mut early, mut late) = ([0; 8], [0; 8]);
    let mut decoder = Decoder::new(&mut workspace, &mut [], &Options::DEFAULT);
    assert_eq!(decoder.lend(&mut early).map_err(|error| error.kind), Err(ErrorKind::WindowInUse));
    let status = |step: Result<Step, Error>| step.map(|step| step.status).map_err(|error| error.kind);
    assert_eq!(status(decoder.step(&[], End::NotYet, &mut out)), Ok(Status::NeedInput));
    let read = decoder.step(file, End::Here, &mut out).unwrap().read;
    assert_eq!(status(decoder.step(&[], End::NotYet, &mut out)), Err(ErrorKind::ZstdWindowBuffer));
    decoder.lend(&mut window).unwrap();
    assert_eq!(status(decoder.step(&[], End::NotYet, &mut out)), Ok(Status::NeedInput));
    assert_eq!(decoder.lend(&mut late).map_err(|error| error.kind), Err(ErrorKind::WindowInUse));
    assert_eq!(status(decoder.step(&file[read..], End::Here, &mut out)), Ok(Status::Done));
}

#[test]
fn returns_all_output_before_it_asks_for_a_larger_window() {
    let small = b"\x28\xB5\x2F\xFD\x20\x03\x19\0\0zst";
    let large = b"\x28\xB5\x2F\xFD\0\x38\x03\0\x10x";
    let file = [&small[..], large].concat();
    let (mut workspace, mut window, mut out) = (Workspace::new(), [0; 6], [0; 10]);
    let mut decoder = Decoder::new(&mut workspace, &mut window, &Options::DEFAULT);
    let step = decoder.step(&file, End::Here, &mut out).unwrap();
    assert_eq!((step.wrote, step.status, &out[..3]), (3, Status::NeedOutput, &b"zst"[..]));
    // The decoder may ask for the window any number of times.
    for _ in 0..3 {
        let error = decoder.step(&file[step.read..], End::Here, &mut out).unwrap_err();
        assert_eq!((error.kind, error.at, error.need), (ErrorKind::ZstdWindowBuffer, 12, need_of(large)));
    }
}

#[test]
fn the_window_limit_bounds_single_segment_frames_in_streams() {
    let file = b"\x28\xB5\x2F\xFD\x20\x03\x19\0\0zst";
    let limited = |max_window| Options { limits: Limits { max_window, ..Limits::DEFAULT }, ..Options::DEFAULT };
    let mut window = [0; 100];
    assert_eq!(stream(file, &mut window, &limited(3), || (1, 1)), (b"zst".to_vec(), Ok(())));
    let (out, end) = stream(file, &mut window, &limited(2), || (1, 1));
    let error = end.unwrap_err();
    assert_eq!((out, error.kind, error.at, error.need), (vec![], ErrorKind::WindowLimit, 0, 3));
    // In one piece the output is the window.
    let whole = decode(file, &mut window, &mut Workspace::new(), &limited(2), &mut ());
    assert_eq!(whole.unwrap().wrote, 3);
}

#[test]
fn a_magicless_descriptor_is_not_taken_for_a_magic_number() {
    // Without a magic number, the first byte is the descriptor: one segment, a checksum, a
    // dictionary ID of four bytes, which is 0.
    let file = b"\x27\0\0\0\0\x03\x19\0\0zst\0\0\0\0";
    let options = Options { magicless: true, verify: Verify::Skip, ..Options::DEFAULT };
    assert_eq!(decoded(file, &options).unwrap(), b"zst");
    assert_eq!(stream_buffer(file, &options), Ok(6));
    let mut window = [0; 6];
    assert_eq!(stream(file, &mut window, &options, || (1, 1)), (b"zst".to_vec(), Ok(())));
    // All four bytes of a magic number, if the dictionary has the right ID.
    let file = b"\x27\xB5\x2F\xFD\x20\x03\x19\0\0zst\0\0\0\0";
    assert!(detect(file).is_some_and(|flavour| flavour != Flavour::Rfc8878));
    let mut bytes = read(&vector_folders("zstd")[0].join("golden/golden-dictionaries/http-dict-missing-symbols"));
    bytes[4..8].copy_from_slice(b"\xB5\x2F\xFD\x20");
    let options = Options { dictionary: Some(Dictionary::new(&bytes)), ..options };
    assert_eq!(decoded(file, &options).unwrap(), b"zst");
}

#[test]
fn streams_return_the_errors_of_decode() {
    let mut window = vec![0; 1 << 20];
    let mut compared = 0;
    let mut compare = |name: &str, bytes: &[u8], options: &Options<'_>, random: &mut Random| {
        let limits = Limits { max_output: 1 << 20, max_window: 1 << 19, ..Limits::DEFAULT };
        let options = &Options { limits, ..*options };
        let mut room = vec![0; 1 << 21];
        let whole = decode(bytes, &mut room, &mut Workspace::new(), options, &mut ());
        let (out, end) = stream(bytes, &mut window, options, || (1 + random.below(60), 1 + random.below(500)));
        compared += 1;
        match (whole, end) {
            // The output bounds a window in a single segment; in a stream, the buffer and the limit
            // do.
            (_, Err(Error { kind: ErrorKind::ZstdWindowBuffer | ErrorKind::WindowLimit, .. })) => {}
            (Ok(done), Ok(())) => assert!(room[..done.wrote] == out, "{name}"),
            (Err(whole), Err(streamed)) => assert_eq!((whole.kind, whole.at), (streamed.kind, streamed.at), "{name}"),
            (whole, end) => panic!("{name}: in one piece {whole:?}, streamed {end:?}"),
        }
    };
    let folder = &vector_folders("zstd")[0];
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
    valid_if(
        |vector| vector.bytes.len() <= 2000,
        651,
        |vector| {
            let mut random = Random(vector.bytes.len() as u64);
            for _ in 0..20 {
                let mut mutated = vector.bytes.clone();
                for _ in 0..=random.below(2) {
                    let at = random.below(mutated.len());
                    mutated[at] ^= 1 << random.below(8);
                }
                compare(&vector.name, &mutated, &vector.told(), &mut random);
                mutated.truncate(random.below(mutated.len()));
                compare(&vector.name, &mutated, &vector.told(), &mut random);
            }
        },
    );
    assert!(compared > 20_000, "{compared}");
}

#[test]
fn matches_reach_back_over_the_end_of_the_window() {
    let (mut random, mut text) = (Random(11), vec![]);
    while text.len() < 30_000 {
        let words = [&b"alpha "[..], b"beta ", b"gamma,", b"0123456789", b"the quick brown fox "];
        text.extend(words[random.below(5)]);
        text.extend(random.bits().to_string().bytes().take(random.below(6)));
    }
    let mut encoder = zstd::bulk::Compressor::new(19).unwrap();
    encoder.set_parameter(zstd::zstd_safe::CParameter::WindowLog(10)).unwrap();
    let frame = encoder.compress(&text).unwrap();
    let least = stream_buffer(&frame, &Options::DEFAULT).unwrap() as usize;
    assert!(least < 5000, "{least}");
    for more in [0, 1, 700] {
        let (mut workspace, mut window) = (Workspace::new(), vec![0xAA; least + more]);
        let mut decoder = Decoder::new(&mut workspace, &mut window, &Options::DEFAULT);
        let (out, end) = drive(&frame, || (500, 300), |src, end, dst| decoder.step(src, end, dst));
        assert_eq!(end, Ok(()), "{more}");
        assert!(out == text, "{more}");
    }
}

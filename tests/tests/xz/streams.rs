//! The streaming decoder: every split, every window.

use super::*;

#[test]
fn decodes_every_split_of_small_files() {
    let text = mixed(400, 3);
    let lzma = options(4096);
    let mut filters = Filters::new();
    filters.delta_properties(&[0]).unwrap().x86().lzma2(&lzma);
    let (several, all) = (
        [&blocks(&text, 90, Check::Sha256)[..], &[0; 4], &filtered(&text, &filters, Check::Crc64)].concat(),
        [&text[..], &text].concat(),
    );
    for input in [1, 2, 3, 7, 23, 24, 25, 100, 5000] {
        for output in [1, 2, 5, 100, 5000] {
            let (out, end) = streamed(&several, SMALL, || (input, output));
            assert_eq!(end, Ok(()), "{input} {output}");
            assert!(out == all, "{input} {output}");
        }
    }
    let file = filtered(&text, &filters, Check::Crc64);
    for first in 0..=file.len() {
        let mut sizes = [first].into_iter().chain(std::iter::repeat(file.len()));
        let (out, end) = streamed(&file, 4128, || (sizes.next().unwrap(), 5000));
        assert_eq!(end, Ok(()), "{first}");
        assert!(out == text, "{first}");
    }
}

#[test]
fn decodes_through_a_window_as_small_as_the_dictionary() {
    let mut text = mixed(100_000, 5);
    let far = text[10_000..14_096].to_vec();
    text.extend(far);
    for dictionary in [4096, 5000, 6144, 8192, 65_536] {
        let file = filtered(&text, Filters::new().lzma2(&options(dictionary)), Check::Crc32);
        let need = match decoded_in(&file, 0).unwrap_err() {
            Error { kind: ErrorKind::XzWindowBuffer, need, .. } => need,
            error => panic!("{error}"),
        };
        assert!((32 + u64::from(dictionary)..=32 + u64::from(dictionary).next_power_of_two()).contains(&need));
        assert!(decoded_in(&file, need as usize - 1).is_err());
        for window in [need as usize, need as usize + 1, need as usize + 100, 200_000] {
            let (out, end) = streamed(&file, window, || (777, 333));
            assert_eq!(end, Ok(()), "{dictionary} in {window}");
            assert!(out == text, "{dictionary} in {window}");
        }
    }
    // The limit is that of the dictionary.
    let file = filtered(&text, Filters::new().lzma2(&options(65_536)), Check::Crc32);
    for (max_window, fits) in [(65_535, false), (65_536, true)] {
        let (mut ws, mut window) = (Workspace::new(), vec![0; SMALL]);
        let options = within(Limits { max_window, ..Limits::DEFAULT });
        let first = Decoder::new(&mut ws, &mut window, &options).step(&file, End::Here, &mut [0; 10]);
        assert_eq!(first.is_ok(), fits, "{max_window}");
    }
    let file = preset(&text, 9, Check::Crc32);
    let limits = Limits { max_window: 1 << 20, ..Limits::DEFAULT };
    let (mut ws, mut window) = (Workspace::new(), vec![0; 2 << 20]);
    let error = Decoder::new(&mut ws, &mut window, &within(limits)).step(&file, End::Here, &mut [0; 10]);
    let error = error.unwrap_err();
    assert_eq!((error.kind, error.need), (ErrorKind::WindowLimit, (64 << 20) + 32));
}

#[test]
fn takes_a_larger_window_between_blocks() {
    let text = mixed(30_000, 5);
    let of = |dictionary| filtered(&text, Filters::new().lzma2(&options(dictionary)), Check::Crc32);
    let (small, large) = (of(4096), of(65_536));
    let file = [&small[..], &large, &small].concat();
    for split in [1, 7, 50, 1000, file.len()] {
        let (mut ws, mut windows, mut asked) = (Workspace::new(), [vec![], vec![]], vec![]);
        let mut windows = windows.iter_mut();
        let mut decoder = Decoder::new(&mut ws, &mut [], &Options::DEFAULT);
        let split = || (split, 1000);
        let (out, end) = drive(&file, split, |src, end, dst| {
            go_on(src, dst, |src, dst| match decoder.step(src, end, dst) {
                Err(Error { kind: ErrorKind::XzWindowBuffer, at, need }) => {
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
        assert_eq!(asked, [(12, 4096 + 32), (small.len() as u64 + 12, 65_536 + 32)]);
        assert!(out == [&text[..], &text, &text].concat());
    }
}

#[test]
fn forgets_idle_calls_once_a_window_is_lent() {
    let file = preset(b"some text", 0, Check::Crc32);
    let (mut ws, mut window, mut out) = (Workspace::new(), vec![0; 1 << 20], [0; 100]);
    let (mut early, mut late) = ([0; 8], [0; 8]);
    let mut decoder = Decoder::new(&mut ws, &mut [], &Options::DEFAULT);
    assert_eq!(decoder.lend(&mut early).map_err(|error| error.kind), Err(ErrorKind::WindowInUse));
    let status = |step: Result<Step, Error>| step.map(|step| step.status).map_err(|error| error.kind);
    assert_eq!(status(decoder.step(&[], End::NotYet, &mut out)), Ok(Status::NeedInput));
    let read = decoder.step(&file, End::Here, &mut out).unwrap().read;
    assert_eq!(status(decoder.step(&[], End::NotYet, &mut out)), Err(ErrorKind::XzWindowBuffer));
    decoder.lend(&mut window).unwrap();
    assert_eq!(status(decoder.step(&[], End::NotYet, &mut out)), Ok(Status::NeedInput));
    assert_eq!(decoder.lend(&mut late).map_err(|error| error.kind), Err(ErrorKind::WindowInUse));
    assert_eq!(status(decoder.step(&file[read..], End::Here, &mut out)), Ok(Status::Done));
}

#[test]
fn writes_the_bytes_before_a_larger_window_first() {
    let text = mixed(3000, 5);
    let of = |dictionary| filtered(&text, Filters::new().lzma2(&options(dictionary)), Check::Crc32);
    let (small, large) = (of(4096), of(65_536));
    let file = [&small[..], &large].concat();
    let (mut ws, mut window, mut out) = (Workspace::new(), [0; 4096 + 32], [0; 4000]);
    let mut decoder = Decoder::new(&mut ws, &mut window, &Options::DEFAULT);
    let step = decoder.step(&file, End::Here, &mut out).unwrap();
    assert_eq!((step.status, &out[..step.wrote]), (Status::NeedOutput, &text[..]));
    // A step may ask for the window any number of times.
    for _ in 0..3 {
        let error = decoder.step(&file[step.read..], End::Here, &mut out).unwrap_err();
        assert_eq!((error.kind, error.need), (ErrorKind::XzWindowBuffer, 65_536 + 32));
        assert_eq!(error.at, small.len() as u64 + 12);
    }
}

#[test]
fn a_second_idle_call_is_an_error() {
    let file = preset(b"some text", 0, Check::Crc32);
    for (src, dst) in [(&file[..0], &mut [0; 10][..]), (&file, &mut [])] {
        let (mut ws, mut window) = (Workspace::new(), vec![0; 1 << 20]);
        let mut decoder = Decoder::new(&mut ws, &mut window, &Options::DEFAULT);
        let (mut rest, mut kinds) = (src, vec![]);
        for _ in 0..4 {
            let step = decoder.step(rest, End::NotYet, dst);
            rest = &rest[step.map_or(0, |step| step.read)..];
            kinds.push(step.map(|_| ()).map_err(|error| error.kind));
        }
        assert_eq!(kinds[2..], [Err(ErrorKind::NoProgress); 2]);
        assert_eq!(kinds[0], Ok(()));
    }
}

fn decoded_in(file: &[u8], window: usize) -> Result<Vec<u8>, Error> {
    let (out, end) = streamed(file, window, || (1000, 1000));
    end.map(|()| out)
}

#[test]
fn starts_anew_in_a_workspace_that_was_left_in_the_middle() {
    let code: Vec<u8> = (0..2000_u32).flat_map(|number| [0xE8, number as u8, 0, 0, (number % 3) as u8]).collect();
    let file = filtered(&code, Filters::new().x86().lzma2(&options(4096)), Check::Crc32);
    let (mut ws, mut window) = (Workspace::new(), vec![0; 4128]);
    for room in [1, 100, 777, 3000, 9999] {
        let mut decoder = Decoder::new(&mut ws, &mut window, &Options::DEFAULT);
        assert_eq!(decoder.step(&file, End::Here, &mut vec![0; room]).unwrap().wrote, room);
        let mut out = vec![];
        let sink = &mut |bytes: &[u8]| {
            out.extend_from_slice(bytes);
            Ok(())
        };
        decode_to(&file, sink, &mut ws, &mut window, &Options::DEFAULT).unwrap();
        assert!(out == code, "after {room} bytes");
    }
}

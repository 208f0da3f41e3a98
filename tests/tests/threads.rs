//! Checks that any number of threads decodes to the same bytes and the same error as one thread:
//! all vectors, files of many pieces, and mutations of them.
#![allow(clippy::cast_possible_truncation, reason = "test inputs are small")]

use std::fmt::Debug;
use std::io::Write as _;
use std::num::NonZeroUsize;

use liblzma::stream::{Action, Check, Filters, LzmaOptions, Stream};
use unspool::pco::NumberType;
use unspool::{Done, Error, ErrorKind, Limits, Verify, at1, cvc, gzip, onpair, pco, xz, zstd};
use unspool_tests::{Random, all_vectors, read};

/// The outcome of decoding: what was done, and the output.
type Outcome<T> = Result<(Done, Vec<T>), Error>;

/// Decodes to an output of `len` elements.
fn outcome<T: Clone + Default>(len: usize, decode: impl FnOnce(&mut [T]) -> Result<Done, Error>) -> Outcome<T> {
    let mut dst = vec![T::default(); len];
    let done = decode(&mut dst)?;
    dst.truncate(done.wrote);
    Ok((done, dst))
}

/// Compares one thread with 1, 2, 3 and 8. Returns the outcome.
fn same<T: Clone + Debug + Default + PartialEq>(
    name: &str,
    len: usize,
    one: impl Fn(&mut [T]) -> Result<Done, Error>,
    many: impl Fn(&mut [T], NonZeroUsize) -> Result<Done, Error>,
) -> Outcome<T> {
    let expected = outcome(len, one);
    for count in [1, 2, 3, 8] {
        let found = outcome(len, |dst| many(dst, NonZeroUsize::new(count).unwrap()));
        match (&expected, &found) {
            (Ok((done, bytes)), Ok((found, other))) => {
                assert_eq!(done, found, "{name}: {count} threads report something else");
                assert!(bytes == other, "{name}: {count} threads decode to other bytes");
            }
            _ => assert_eq!(
                expected.as_ref().map(|(done, _)| done).map_err(|error| *error),
                found.as_ref().map(|(done, _)| done).map_err(|error| *error),
                "{name}: {count} threads, output of {len}"
            ),
        }
    }
    expected
}

/// Compares with outputs that are long enough, exact, one element short, and empty.
fn all_lengths<T: Clone + Debug + Default + PartialEq>(
    name: &str,
    enough: usize,
    one: impl Fn(&mut [T]) -> Result<Done, Error>,
    many: impl Fn(&mut [T], NonZeroUsize) -> Result<Done, Error>,
) {
    let Ok((_, values)) = outcome(enough, &one) else {
        let _ = same(name, enough, &one, &many);
        return;
    };
    // To fill an output for any file takes longer than to decode a file.
    let exact = values.len();
    for len in [enough.min(exact + 1000), exact, exact.saturating_sub(1), exact / 2, 0] {
        let _ = same(name, len, &one, &many);
    }
}

/// Bytes that hold what a file decodes to, if it is one of ours.
const ENOUGH: usize = 1 << 22;

fn zstd_file(name: &str, file: &[u8], options: &zstd::Options<'_>, enough: usize) {
    let one = |dst: &mut [u8]| zstd::decode(file, dst, &mut zstd::Workspace::new(), options, &mut ());
    all_lengths(name, enough, one, |dst, threads| zstd::decode_threaded(file, dst, threads, options));
}

fn xz_file(name: &str, file: &[u8], options: &xz::Options, enough: usize) {
    let one = |dst: &mut [u8]| xz::decode(file, dst, &mut xz::Workspace::new(), options, &mut ());
    all_lengths(name, enough, one, |dst, threads| xz::decode_threaded(file, dst, threads, options));
}

fn gzip_file(name: &str, file: &[u8], options: &gzip::Options, enough: usize) {
    let one = |dst: &mut [u8]| gzip::decode(file, dst, &mut gzip::Workspace::new(), options, &mut ());
    all_lengths(name, enough, one, |dst, threads| gzip::decode_threaded(file, dst, threads, options));
}

fn onpair_file(name: &str, file: &[u8], options: &onpair::Options, enough: usize) {
    let one = |dst: &mut [u8]| onpair::decode(file, dst, &mut onpair::Workspace::new(), options, &mut ());
    all_lengths(name, enough, one, |dst, threads| onpair::decode_threaded(file, dst, threads, options));
}

fn at1_file(name: &str, file: &[u8], options: &at1::Options, enough: usize) {
    let one = |dst: &mut [u8]| {
        let mut scratch = vec![0; at1::scratch_len(file, options).unwrap_or(0) as usize];
        loop {
            match at1::decode(file, dst, &mut at1::Workspace::new(), &mut scratch, options, &mut ()) {
                Ok(done) => return Ok(done),
                Err(error) => at1::grow(&mut scratch, error)?,
            }
        }
    };
    all_lengths(name, enough, one, |dst, threads| at1::decode_threaded(file, dst, threads, options));
}

/// Decodes every column, as floats and as plain integers.
fn cvc_file(name: &str, file: &[u8], options: &cvc::Options<'_>, enough: usize) {
    fn column<T: cvc::Element + Debug + PartialEq + Send>(
        name: &str,
        file: &[u8],
        options: &cvc::Options<'_>,
        enough: usize,
    ) {
        let one = |dst: &mut [T]| cvc::decode(file, dst, &mut cvc::Workspace::new(), options, &mut ());
        all_lengths(name, enough, one, |dst, threads| cvc::decode_threaded(file, dst, threads, options));
    }
    let mut columns = vec![None];
    if let Ok(opened) = cvc::File::open(file, &options.limits) {
        columns
            .extend(opened.columns().flatten().take(4).map(|column| Some(column.name().chars().collect::<String>())));
    }
    for name_of in &columns {
        let options = &cvc::Options { column: name_of.as_deref(), ..*options };
        // Bits, because NaNs are not equal.
        column::<i64>(name, file, options, enough);
        let one = |dst: &mut [Bits]| {
            let mut floats = vec![0f32; dst.len()];
            let done = cvc::decode(file, &mut floats, &mut cvc::Workspace::new(), options, &mut ())?;
            dst.iter_mut().zip(floats).for_each(|(to, float)| *to = Bits(float.to_bits()));
            Ok(done)
        };
        all_lengths(name, enough, one, |dst, threads| {
            let mut floats = vec![0f32; dst.len()];
            let done = cvc::decode_threaded(file, &mut floats, threads, options)?;
            dst.iter_mut().zip(floats).for_each(|(to, float)| *to = Bits(float.to_bits()));
            Ok(done)
        });
    }
}

/// The bits of a float.
#[derive(Clone, Debug, Default, PartialEq)]
struct Bits(u32);

/// Decodes as the type of the first chunk, and as another.
fn pco_file(name: &str, file: &[u8], options: &pco::Options, enough: usize) {
    fn numbers<T: pco::Number + Debug + PartialEq + Default + Send>(
        name: &str,
        file: &[u8],
        options: &pco::Options,
        enough: usize,
    ) {
        let one = |dst: &mut [T]| {
            let mut workspace = vec![0; 1 << 10];
            loop {
                match pco::decode(file, dst, &mut workspace, options, &mut ()) {
                    Err(error) if error.kind == ErrorKind::WorkspaceTooSmall => {
                        workspace.resize(error.need as usize, 0)
                    }
                    decoded => return decoded,
                }
            }
        };
        all_lengths(name, enough, one, |dst, threads| pco::decode_threaded(file, dst, threads, options));
    }
    let opened = pco::File::open(file, &options.limits);
    let first = opened.and_then(|opened| opened.chunk(opened.first(), &mut ()));
    match first.ok().flatten().map(|chunk| chunk.number_type()) {
        Some(NumberType::U8) => numbers::<u8>(name, file, options, enough),
        Some(NumberType::I8) => numbers::<i8>(name, file, options, enough),
        Some(NumberType::U16 | NumberType::F16) => numbers::<u16>(name, file, options, enough),
        Some(NumberType::I16) => numbers::<i16>(name, file, options, enough),
        Some(NumberType::I32) => numbers::<i32>(name, file, options, enough),
        Some(NumberType::U64) => numbers::<u64>(name, file, options, enough),
        Some(NumberType::I64 | NumberType::F64) => numbers::<i64>(name, file, options, enough),
        _ => numbers::<u32>(name, file, options, enough),
    }
}

/// Runs a test on every file with this extension. Returns their number.
fn each_vector(format: &str, extension: &str, test: impl Fn(&str, &[u8])) -> usize {
    all_vectors(format, extension).map(|path| test(&path.display().to_string(), &read(&path))).count()
}

#[test]
fn every_vector_decodes_alike() {
    let least = [
        each_vector("zstd", "zst", |name, file| zstd_file(name, file, &zstd::Options::DEFAULT, ENOUGH)),
        each_vector("xz", "xz", |name, file| xz_file(name, file, &xz::Options::DEFAULT, ENOUGH)),
        each_vector("gzip", "gz", |name, file| gzip_file(name, file, &gzip::Options::DEFAULT, ENOUGH)),
        each_vector("at1", "at1", |name, file| at1_file(name, file, &at1::Options::DEFAULT, ENOUGH)),
        each_vector("pco", "pco", |name, file| pco_file(name, file, &pco::Options::DEFAULT, ENOUGH)),
        each_vector("onpair", "onp", |name, file| onpair_file(name, file, &onpair::Options::DEFAULT, ENOUGH)),
        each_vector("cvc", "cvc", |name, file| cvc_file(name, file, &cvc::Options::DEFAULT, ENOUGH)),
    ];
    assert!(least.iter().zip([1300, 3, 3, 380, 530, 5, 170]).all(|(ran, least)| *ran >= least), "{least:?} files");
}

/// Returns the bytes with one to three changes.
fn mutated(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=random.below(3) {
        // A third of the changes are near the start, a third near the end: headers and indexes.
        let len = bytes.len().max(1);
        let at = match random.below(3) {
            0 => random.below(len.min(48)),
            1 => len - 1 - random.below(len.min(64)),
            _ => random.below(len),
        };
        let end = bytes.len().min(at + 1 + random.below(8));
        match random.below(6) {
            0 | 1 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            2 if at < bytes.len() => bytes[at] = random.bits() as u8,
            3 => drop(bytes.drain(at.min(end)..end)),
            4 => drop(bytes.splice(at.min(end)..at.min(end), random.bits().to_le_bytes())),
            _ if random.below(3) == 0 => bytes.truncate(at),
            _ => {}
        }
    }
    bytes
}

/// Mutations of each file.
const ROUNDS: usize = 700;

/// Runs a test on each file, on cuts and on mutations of it.
fn hostile(files: &[Vec<u8>], test: impl Fn(&str, &[u8], &mut Random)) {
    let mut random = Random(7);
    for (number, file) in files.iter().enumerate() {
        for cut in (0..file.len()).step_by(file.len() / 60 + 1) {
            test(&format!("file {number} cut at {cut}"), &file[..cut], &mut random);
        }
        for round in 0..ROUNDS {
            test(&format!("file {number}, mutation {round}"), &mutated(file, &mut random), &mut random);
        }
    }
}

fn verify(random: &mut Random) -> Verify {
    [Verify::Refuse, Verify::Report, Verify::Skip][random.below(3)]
}

/// Most output: usually more than enough.
fn limits(random: &mut Random, len: usize) -> Limits {
    let max_output = [u64::MAX, u64::MAX, len as u64, len as u64 / 2][random.below(4)];
    Limits { max_output, ..Limits::DEFAULT }
}

/// Words and noise.
fn text(len: usize, seed: u64) -> Vec<u8> {
    let (mut random, mut out) = (Random(seed), vec![]);
    while out.len() < len {
        match random.below(4) {
            0 => out.extend(random.bits().to_le_bytes()),
            _ => out.extend(["alpha ", "beta, ", "gamma\n", "0123456789"][random.below(4)].bytes()),
        }
    }
    out.truncate(len);
    out
}

/// A stream of xz with blocks of this many bytes.
fn xz_blocks(bytes: &[u8], size: usize, check: Check) -> Vec<u8> {
    let mut options = LzmaOptions::new_preset(6).unwrap();
    options.dict_size(1 << 16);
    let mut encoder = Stream::new_stream_encoder(Filters::new().lzma2(&options), check).unwrap();
    let mut out = Vec::with_capacity(bytes.len() * 2 + 4096);
    for piece in bytes.chunks(size.max(1)) {
        encoder.process_vec(piece, &mut out, Action::FullFlush).unwrap();
    }
    encoder.process_vec(&[], &mut out, Action::Finish).unwrap();
    out
}

#[test]
fn xz_streams_and_blocks_decode_alike() {
    let plain = text(9000, 1);
    let two = [
        xz_blocks(&plain[..3000], 1000, Check::Crc32),
        vec![0; 8],
        xz_blocks(&[], 1, Check::Sha256),
        xz_blocks(&plain[3000..], 2500, Check::Sha256),
        vec![0; 4],
    ]
    .concat();
    let files = [xz_blocks(&plain, 1000, Check::Crc64), two, xz_blocks(&plain, 9000, Check::None)];
    for file in &files {
        let (done, bytes) = outcome(9000, |dst: &mut [u8]| {
            xz::decode_threaded(file, dst, NonZeroUsize::new(2).unwrap(), &xz::Options::DEFAULT)
        })
        .unwrap();
        assert!(bytes == plain && done.read == file.len());
        xz_file("intact", file, &xz::Options::DEFAULT, 9000);
    }
    hostile(&files, |name, file, random| {
        let streams = [xz::Streams::All, xz::Streams::All, xz::Streams::One, xz::Streams::First][random.below(4)];
        let options = xz::Options { limits: limits(random, 9000), verify: verify(random), streams };
        xz_file(name, file, &options, 9000 + random.below(100));
    });
}

/// A frame, with its content size or without.
fn zstd_frame(bytes: &[u8], sized: bool) -> Vec<u8> {
    let mut encoder = ::zstd::stream::Encoder::new(vec![], 3).unwrap();
    encoder.include_checksum(true).unwrap();
    if sized {
        encoder.set_pledged_src_size(Some(bytes.len() as u64)).unwrap();
    }
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// The seek table of frames, each with the length of its content.
fn seek_table(frames: &[(usize, usize)]) -> Vec<u8> {
    let mut table = vec![0x5E, 0x2A, 0x4D, 0x18];
    table.extend((frames.len() as u32 * 8 + 9).to_le_bytes());
    for &(stored, content) in frames {
        table.extend((stored as u32).to_le_bytes());
        table.extend((content as u32).to_le_bytes());
    }
    table.extend((frames.len() as u32).to_le_bytes());
    table.extend([0, 0xB1, 0xEA, 0x92, 0x8F]);
    table
}

#[test]
fn zstd_frames_decode_alike() {
    let plain = text(30_000, 2);
    let parts = [&plain[..10_000], &plain[10_000..10_000], &plain[10_000..17_000], &plain[17_000..]];
    let frames = |sized: [bool; 4]| -> Vec<Vec<u8>> {
        parts.iter().zip(sized).map(|(part, sized)| zstd_frame(part, sized)).collect()
    };
    let skippable = b"\x5B\x2A\x4D\x18\x03\0\0\0any".to_vec();
    let unsized_frames = frames([false; 4]);
    let sizes: Vec<_> = unsized_frames.iter().zip(parts).map(|(frame, part)| (frame.len(), part.len())).collect();
    let mut lies = sizes.clone();
    (lies[0].1, lies[2].1) = (9_999, 7_001);
    let files = [
        frames([true; 4]).concat(),
        [skippable.clone(), unsized_frames.concat(), skippable].concat(),
        frames([true, false, true, false]).concat(),
        [unsized_frames.concat(), seek_table(&sizes)].concat(),
        [unsized_frames.concat(), seek_table(&lies)].concat(),
    ];
    for file in &files {
        let (done, bytes) = outcome(plain.len(), |dst: &mut [u8]| {
            zstd::decode_threaded(file, dst, NonZeroUsize::new(2).unwrap(), &zstd::Options::DEFAULT)
        })
        .unwrap();
        assert!(bytes == plain && done.parts == 4 && done.checksums.matched == 4);
        zstd_file("intact", file, &zstd::Options::DEFAULT, plain.len());
    }
    hostile(&files, |name, file, random| {
        let options =
            zstd::Options { limits: limits(random, 30_000), verify: verify(random), ..zstd::Options::DEFAULT };
        zstd_file(name, file, &options, 30_000 + random.below(100));
    });
}

/// A standalone file with chunks of these lengths.
fn pco_chunks(lens: &[usize], numbers: impl Fn(usize) -> i64, hint: usize) -> Vec<u8> {
    use ::pco::standalone::FileCompressor;
    let compressor = FileCompressor::default().with_n_hint(hint);
    let (mut file, mut start) = (vec![], 0);
    compressor.write_header(&mut file).unwrap();
    for &len in lens {
        let chunk: Vec<i64> = (start..start + len).map(&numbers).collect();
        let config = ::pco::ChunkConfig::default().with_compression_level(2);
        compressor.chunk_compressor(&chunk, &config).unwrap().write(&mut file).unwrap();
        start += len;
    }
    compressor.write_footer(&mut file).unwrap();
    file
}

#[test]
fn pco_chunks_decode_alike() {
    const CHUNK: usize = 1 << 16;
    let noise = |at: usize| Random(at as u64).bits().cast_signed() >> 40;
    // Numbers that hold the bytes which start a chunk: its type, 4, and its length less one.
    let trap = |at: usize| if at % 97 == 5 { 0x00FF_FF04_00FF_FF04 } else { noise(at) << 36 };
    let files = [
        (pco_chunks(&[CHUNK; 3], noise, 3 * CHUNK), 3 * CHUNK),
        (pco_chunks(&[CHUNK, CHUNK - 1, CHUNK, 5, 17_000, CHUNK], noise, 0), 4 * CHUNK + 17_004),
        (pco_chunks(&[CHUNK; 4], trap, 1), 4 * CHUNK),
        (pco_chunks(&[700; 300], noise, 5), 300 * 700),
    ];
    for (file, len) in &files {
        for count in [2, 3] {
            let decoded = outcome(len + 9, |dst: &mut [i64]| {
                pco::decode_threaded(file, dst, NonZeroUsize::new(count).unwrap(), &pco::Options::DEFAULT)
            });
            let expected: Vec<i64> = pco::decode_to_vec(file, &pco::Options::DEFAULT).unwrap();
            let (done, numbers) = decoded.unwrap();
            assert!(numbers == expected && done.wrote == *len && done.read == file.len());
        }
        pco_file("intact", file, &pco::Options::DEFAULT, *len);
    }
    let files: Vec<_> = files.into_iter().map(|(file, _)| file).collect();
    let mut few = Random(3);
    for (number, file) in files.iter().enumerate() {
        for round in 0..40 {
            let file = mutated(file, &mut few);
            pco_file(&format!("file {number}, mutation {round}"), &file, &pco::Options::DEFAULT, 1 << 18);
        }
    }
    // Many more of a file with small chunks, several of which make a piece.
    hostile(&files[3..], |name, file, random| {
        let options = pco::Options { limits: limits(random, 300 * 700 * 8), ..pco::Options::DEFAULT };
        pco_file(name, file, &options, 300 * 700);
    });
}

#[test]
fn a_watched_decode_of_pco_stops_early() {
    const CHUNK: usize = 1 << 16;
    let file = pco_chunks(&[CHUNK; 40], |at| i64::try_from(at).unwrap(), 40 * CHUNK);
    let stop = Error::new(ErrorKind::SinkFull, 7);
    for count in [1, 2, 3] {
        let (mut numbers, mut calls) = (vec![-1i64; 40 * CHUNK], 0);
        let threads = NonZeroUsize::new(count).unwrap();
        let ended = pco::decode_watched(&file, &mut numbers, threads, &pco::Options::DEFAULT, &mut || {
            calls += 1;
            if calls < 3 { Ok(()) } else { Err(stop) }
        });
        assert_eq!((ended, calls), (Err(stop), 3));
        let wrote = numbers.iter().position(|&number| number == -1).unwrap_or(numbers.len());
        assert!((3 * CHUNK..=(3 + 2 * count) * CHUNK).contains(&wrote), "{wrote} numbers on {count} threads");
    }
}

#[test]
fn mutated_vectors_decode_alike() {
    let small = |format: &str, extension: &str, most: usize| -> Vec<Vec<u8>> {
        let files = std::cell::RefCell::new(vec![]);
        each_vector(format, extension, |_, file| files.borrow_mut().push(file.to_vec()));
        let mut files = files.into_inner();
        files.retain(|file| file.len() < 20_000);
        let step = (files.len() / most).max(1);
        files.into_iter().step_by(step).take(most).collect()
    };
    hostile(&small("cvc", "cvc", 8), |name, file, random| {
        let options = cvc::Options { limits: limits(random, 1 << 14), verify: verify(random), ..cvc::Options::DEFAULT };
        cvc_file(name, file, &options, 1 << 12);
    });
    hostile(&small("onpair", "onp", 6), |name, file, random| {
        onpair_file(name, file, &onpair::Options { limits: limits(random, 1 << 16) }, 1 << 16);
    });
    hostile(&small("at1", "at1", 20), |name, file, random| {
        let options = at1::Options { limits: limits(random, 1 << 16), verify: verify(random) };
        at1_file(name, file, &options, 1 << 16);
    });
    hostile(&small("gzip", "gz", 2), |name, file, random| {
        let options = gzip::Options { limits: limits(random, 1 << 16), verify: verify(random) };
        gzip_file(name, file, &options, 1 << 16);
    });
}

#[test]
fn onpair_ranges_of_rows_decode_alike() {
    const ROWS: u32 = 30_000;
    let mut random = Random(5);
    let tokens: Vec<Vec<u8>> = (0..300).map(|_| text(1 + random.below(16), random.bits())).collect();
    let (mut codes, mut offsets, mut plain) = (vec![], vec![0u32], Vec::<u8>::new());
    for _ in 0..ROWS {
        for _ in 0..random.below(12) {
            let code = random.below(tokens.len());
            codes.push(code as u16);
            plain.extend(&tokens[code]);
        }
        offsets.push(codes.len() as u32);
    }
    codes.resize(codes.len().next_multiple_of(4), 0);
    let dictionary = tokens.concat();
    let ends = tokens.iter().scan(0, |end, token| {
        *end += token.len() as u32;
        Some(*end)
    });
    let mut file = b"ONPAIR01\x10".to_vec();
    file.extend((dictionary.len() as u32).to_le_bytes());
    file.extend(dictionary);
    file.extend((tokens.len() as u32 + 1).to_le_bytes());
    file.extend([0].into_iter().chain(ends).flat_map(u32::to_le_bytes));
    file.extend((codes.len() as u32 / 4).to_le_bytes());
    file.extend(codes.iter().flat_map(|code| code.to_le_bytes()));
    file.extend((ROWS + 1).to_le_bytes());
    file.extend(offsets.iter().flat_map(|offset: &u32| offset.to_le_bytes()));

    let decoded = outcome(plain.len() + 50, |dst: &mut [u8]| {
        onpair::decode_threaded(&file, dst, NonZeroUsize::new(2).unwrap(), &onpair::Options::DEFAULT)
    });
    assert!(decoded.unwrap().1 == plain);
    onpair_file("intact", &file, &onpair::Options::DEFAULT, plain.len());
    for round in 0..300 {
        let options = onpair::Options { limits: limits(&mut random, plain.len()) };
        onpair_file(&format!("mutation {round}"), &mutated(&file, &mut random), &options, plain.len());
    }
}

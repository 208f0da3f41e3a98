//! gzip: files of gzip and flate2 round-trip, and nothing else is accepted.

use std::io::Write;
use std::path::Path;

use flate2::{Compression, GzBuilder};
use unspool::gzip::{BlockKind, BlockReader, Decoder, Header, Options, Symbol, SymbolKind, WINDOW_SIZE, Workspace};
use unspool::gzip::{decode, decode_to, decode_to_vec, decoded_len, inspect, salvage};
use unspool::{Checksums, Class, End, Error, ErrorKind, Limits, Name, Probe, Status, Verify, probe};
use unspool_tests::{Leaves, Random, drive, read};

fn vector(name: &str) -> Vec<u8> {
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors").join(name))
}

fn within(limits: &Limits) -> Options {
    Options { limits: *limits, ..Options::DEFAULT }
}

fn unpack(bytes: &[u8]) -> Result<Vec<u8>, Error> {
    decode_to_vec(bytes, &Options::DEFAULT)
}

/// Files of the `gzip` program, and one with every field that a header can have.
fn vectors() -> [(Vec<u8>, Vec<u8>, u64); 3] {
    [
        (vector("gzip/v1_int8.cvc.gz"), vector("cvc/v1_int8.cvc"), 1),
        (vector("gzip/two_members.gz"), b"hello world\n".to_vec(), 2),
        (vector("gzip/every_field.gz"), b"every field of a header\n".repeat(50), 1),
    ]
}

#[test]
fn decodes_every_vector_into_leaves_that_tile_it() {
    let (mut ws, mut files) = (Workspace::new(), 0);
    for (file, content, members) in vectors() {
        assert!(matches!(probe(&file), Probe::Match(unspool::Format::Gzip)));
        assert_eq!(unpack(&file).unwrap(), content);
        // To a slice that just fits, with a trace.
        let (mut out, mut leaves) = (vec![0; content.len()], Leaves::default());
        let done = decode(&file, &mut out, &mut ws, &Options::DEFAULT, &mut leaves).unwrap();
        assert_eq!((done.wrote, done.parts, &out), (content.len(), members, &content));
        let told = leaves.leaves.clone();
        leaves.assert_tile(file.len(), "gzip");
        // One byte less is not enough.
        let less = out.len() - 1;
        let error = decode(&file, &mut out[..less], &mut ws, &Options::DEFAULT, &mut ()).unwrap_err();
        assert_eq!(error.kind, ErrorKind::OutputTooSmall);
        // Through a window: to a sink, without output, and counted.
        let (mut sunk, mut window) = (vec![], [0xAA; WINDOW_SIZE]);
        let mut sink = |bytes: &[u8]| {
            sunk.extend_from_slice(bytes);
            Ok(())
        };
        let to = decode_to(&file, &mut sink, &mut ws, &mut window, &Options::DEFAULT).unwrap();
        assert_eq!((to, &sunk), (done, &content));
        let mut heard = Leaves::default();
        let seen = inspect(&file, &mut ws, &mut window, &Options::DEFAULT, &mut heard).unwrap();
        assert_eq!((seen.read, seen.wrote, seen.content, seen.parts), (file.len(), 0, content.len() as u64, members));
        assert_eq!(seen.checksums, Checksums { matched: members, mismatched: 0, unchecked: 0 });
        assert_eq!(heard.leaves, told);
        assert_eq!(decoded_len(&file, &mut ws, &mut window, &Options::DEFAULT), Ok(content.len() as u64));
        let small = inspect(&file, &mut ws, &mut window[1..], &Options::DEFAULT, &mut ()).unwrap_err();
        assert_eq!(small.class(), Class::WorkspaceTooSmall { need: WINDOW_SIZE as u64 });
        files += 1;
    }
    assert_eq!(files, 3);
}

#[test]
fn a_checksum_that_differs_is_refused_counted_or_skipped() {
    let mut file = vector("gzip/two_members.gz");
    let first = Header::read(&file, &Limits::DEFAULT).unwrap().len + 8;
    file[first] ^= 1;
    let mut room = [0; 12];
    let mut with = |verify| {
        let options = Options { verify, ..Options::DEFAULT };
        decode(&file, &mut room, &mut Workspace::new(), &options, &mut ()).map(|done| (done.wrote, done.checksums))
    };
    assert_eq!(with(Verify::Refuse).map_err(|error| (error.kind, error.at)), Err((ErrorKind::GzipCrc, first as u64)));
    assert_eq!(with(Verify::Report), Ok((12, Checksums { matched: 1, mismatched: 1, unchecked: 0 })));
    assert_eq!(with(Verify::Skip), Ok((12, Checksums { matched: 0, mismatched: 0, unchecked: 2 })));
    let (done, error) = salvage(&file, &mut room, &mut Workspace::new(), &Options::DEFAULT);
    assert_eq!((done.wrote, error.unwrap().kind), (0, ErrorKind::GzipCrc));
}

#[test]
fn salvages_a_truncated_file_up_to_the_cut() {
    let mut cuts = 0;
    for (file, content, _) in vectors() {
        let mut most = 0;
        for len in 0..file.len() {
            let mut room = vec![0; content.len()];
            let (done, error) = salvage(&file[..len], &mut room, &mut Workspace::new(), &Options::DEFAULT);
            assert_eq!(error, unpack(&file[..len]).err());
            assert!(room[..done.wrote] == content[..done.wrote] && done.wrote >= most, "cut at {len}");
            (most, cuts) = (done.wrote, cuts + 1);
        }
        assert_eq!(most, content.len());
    }
    assert!(cuts > 500, "{cuts}");
}

/// Fields of a header may be longer than a window, if the whole file is present.
#[test]
fn reads_headers_longer_than_the_window() {
    let long = GzBuilder::new().extra(vec![7; 65_535]).comment(vec![b'c'; 40_000]).write(vec![], Compression::new(1));
    let file = long.finish().unwrap();
    let mut window = [0; WINDOW_SIZE];
    assert_eq!(decoded_len(&file, &mut Workspace::new(), &mut window, &Options::DEFAULT), Ok(0));
    assert_eq!(unpack(&file), Ok(vec![]));
}

#[test]
fn round_trips_files_of_an_encoder() {
    let mut state = 1u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    for len in [0, 1, 100, 32_768, 32_769, 300_000] {
        for modulus in [1u8, 4, 255] {
            let content: Vec<u8> = (0..len).map(|_| random() % modulus).collect();
            for level in [0, 1, 6, 9] {
                let mut encoder = GzBuilder::new().filename("f").write(vec![], Compression::new(level));
                encoder.write_all(&content).unwrap();
                let file = encoder.finish().unwrap();
                assert_eq!(unpack(&file).unwrap(), content, "{len} bytes below {modulus} at level {level}");
                let twice = [file.as_slice(), &file].concat();
                assert_eq!(unpack(&twice).unwrap(), [content.as_slice(), &content].concat());
            }
        }
    }
}

#[test]
fn refuses_a_file_truncated_anywhere() {
    for (file, content, _) in vectors() {
        let padded = file.iter().rev().take_while(|&&byte| byte == 0).count();
        for len in 0..file.len() {
            match unpack(&file[..len]) {
                // Only padding after the end, or members after the first, can be missing without an
                // error.
                Ok(found) => {
                    assert!(content.starts_with(&found) && (len + padded >= file.len() || found.len() < content.len()));
                }
                Err(error) => {
                    assert_eq!((error.class(), error.at), (Class::Truncated, len as u64), "cut at {len}");
                }
            }
        }
    }
}

#[test]
fn inspects_a_truncated_stream_up_to_its_end() {
    let file = vector("gzip/v1_int8.cvc.gz");
    let (mut leaves, mut out) = (Leaves::default(), vec![0; 1 << 20]);
    decode(&file, &mut out, &mut Workspace::new(), &Options::DEFAULT, &mut leaves).unwrap();
    let (deflate, _) = leaves.leaves.iter().find(|(_, name)| *name == Name::Deflate).unwrap().clone();
    for len in deflate.start / 8..deflate.end / 8 {
        let mut leaves = Leaves::default();
        let cut = &file[..usize::try_from(len).unwrap()];
        decode(cut, &mut out, &mut Workspace::new(), &Options::DEFAULT, &mut leaves).unwrap_err();
        assert_eq!(leaves.leaves.last(), Some(&(deflate.start..len * 8, Name::Deflate)));
    }
}

#[test]
fn refuses_a_flipped_bit_outside_the_header() {
    for (file, content, _) in vectors() {
        for bit in 0..file.len() * 8 {
            let mut bad = file.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            match unpack(&bad) {
                Ok(found) => assert_eq!(found, content, "bit {bit}"),
                Err(error) => assert!(error.at <= file.len() as u64, "bit {bit}: {error}"),
            }
        }
    }
}

#[test]
fn reports_each_error_by_its_kind() {
    let file = vector("gzip/two_members.gz");
    let kind = |at: usize, flip: u8| {
        let mut bad = file.clone();
        bad[at] ^= flip;
        unpack(&bad).map_err(|error| (error.kind, error.at)).unwrap_err()
    };
    assert_eq!(kind(0, 1), (ErrorKind::GzipMagic, 0));
    assert_eq!(kind(2, 1), (ErrorKind::GzipMethod, 2));
    assert_eq!(kind(3, 0x80), (ErrorKind::GzipReservedFlag, 3));
    let first = 10 + 8;
    assert_eq!(kind(first, 1), (ErrorKind::GzipCrc, first as u64));
    assert_eq!(kind(first + 4, 1), (ErrorKind::GzipSize, first as u64 + 4));
    // A block that describes its code: 17 bits, and 14 lengths of 3 bits, which are no code. The
    // inflater has used 59 bits.
    assert_eq!(kind(10, 6), (ErrorKind::GzipDeflate, 10 + 8));
    let every = vector("gzip/every_field.gz");
    let mut bad = every.clone();
    bad[4] ^= 1;
    assert_eq!(unpack(&bad).unwrap_err().kind, ErrorKind::GzipHeaderCrc);
    assert_eq!(unpack(&[&every[..], b"rest"].concat()).unwrap_err().kind, ErrorKind::GzipMagic);
}

#[test]
fn refuses_output_beyond_the_limits() {
    // 10 MB of zeros in 10 KB.
    let mut encoder = GzBuilder::new().write(vec![], Compression::new(9));
    encoder.write_all(&vec![0; 10_000_000]).unwrap();
    let bomb = encoder.finish().unwrap();
    let limits = Limits { max_output: 1_000_000, ..Limits::DEFAULT };
    let error = decode_to_vec(&bomb, &within(&limits)).unwrap_err();
    assert_eq!((error.kind, error.need), (ErrorKind::OutputLimit, 1_000_001));
    let mut room = vec![0; 20_000_000];
    assert_eq!(decode(&bomb, &mut room, &mut Workspace::new(), &within(&limits), &mut ()).unwrap_err(), error);
    let exact = Limits { max_output: 10_000_000, ..Limits::DEFAULT };
    assert_eq!(decode(&bomb, &mut room, &mut Workspace::new(), &within(&exact), &mut ()).unwrap().wrote, 10_000_000);
    let header = Limits { max_header: 12, ..Limits::DEFAULT };
    let file = vector("gzip/v1_int8.cvc.gz");
    let error = decode_to_vec(&file, &within(&header)).unwrap_err();
    assert_eq!(error.kind, ErrorKind::HeaderLimit);
}

/// Returns the output of a stream before its end or its error; `split` returns how much of input
/// and output each call gets.
fn stream(bytes: &[u8], limits: &Limits, split: impl FnMut() -> (usize, usize)) -> (Vec<u8>, Result<u64, Error>) {
    let (mut ws, mut window) = (Workspace::new(), [0x55; WINDOW_SIZE]);
    let mut decoder = Decoder::new(&mut ws, &mut window, &within(limits));
    let (out, end) = drive(bytes, split, |src, end, dst| decoder.step(src, end, dst));
    (out, end.map(|()| decoder.done().parts))
}

const WHOLE: (usize, usize) = (usize::MAX >> 1, 1 << 16);

#[test]
fn decodes_the_same_bytes_from_every_split() {
    let mut random = Random(7);
    let mut files: Vec<_> = vectors().into_iter().collect();
    for (len, level) in [(32_767, 0), (32_768, 1), (32_769, 6), (100_000, 9)] {
        let content: Vec<u8> = (0..len).map(|_| u8::try_from(random.below(11)).unwrap()).collect();
        let mut encoder = GzBuilder::new().comment("c").write(vec![], Compression::new(level));
        encoder.write_all(&content).unwrap();
        let file = encoder.finish().unwrap();
        files.push(([&file[..], &file, &[0; 700]].concat(), content.repeat(2), 2));
    }
    for (file, content, members) in files {
        let room = content.len() + 1;
        for way in 0..4 {
            let split = || match way {
                0 => (usize::MAX >> 1, room),
                1 => (1, 1),
                2 => (1 + random.below(40), 1 + random.below(60)),
                _ => (1 + random.below(30_000), 1 + random.below(70_000)),
            };
            let (out, end) = stream(&file, &Limits::DEFAULT, split);
            assert_eq!(end, Ok(members), "way {way}");
            assert!(out == content, "way {way}");
        }
    }
}

#[test]
fn a_stream_refuses_the_same_files_after_the_same_bytes() {
    for (file, content, _) in vectors() {
        let mut before = 0;
        for len in 0..file.len() {
            let (whole, (out, end)) = (unpack(&file[..len]), stream(&file[..len], &Limits::DEFAULT, || WHOLE));
            assert_eq!(
                end.map(drop).map_err(|error| (error.kind, error.at)),
                whole.map(drop).map_err(|error| (error.kind, error.at))
            );
            assert!(content.starts_with(&out) && out.len() >= before, "cut at {len}");
            before = out.len();
        }
        for bit in 0..file.len() * 8 {
            let mut bad = file.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            // A stream refuses a header that is longer than the window.
            let limits = Limits { max_header: WINDOW_SIZE as u64, ..Limits::DEFAULT };
            let whole = decode_to_vec(&bad, &within(&limits));
            let (out, end) = stream(&bad, &limits, || WHOLE);
            match (whole, end) {
                (Ok(whole), Ok(_)) => assert_eq!(out, whole),
                (whole, end) => assert_eq!(
                    end.map_err(|error| error.kind),
                    whole.map(|_| 0).map_err(|error| error.kind),
                    "bit {bit}"
                ),
            }
        }
        // The size is the last field of a file: all of the content precedes it.
        let padded = file.iter().rev().take_while(|&&byte| byte == 0).count().saturating_sub(3);
        let mut bad = file.clone();
        bad[file.len() - 4 - padded] ^= 1;
        let (out, end) = stream(&bad, &Limits::DEFAULT, || WHOLE);
        assert_eq!((out, end.map_err(|error| error.kind)), (content, Err(ErrorKind::GzipSize)));
    }
}

#[test]
fn a_stream_refuses_output_beyond_the_limits() {
    let mut encoder = GzBuilder::new().filename("name").write(vec![], Compression::new(9));
    encoder.write_all(&vec![7; 1_000_000]).unwrap();
    let bomb = encoder.finish().unwrap();
    for most in [0, 1, 32_767, 32_768, 32_769, 999_999] {
        let limits = Limits { max_output: most, ..Limits::DEFAULT };
        let (out, end) = stream(&bomb, &limits, || (1000, 5000));
        assert_eq!(out, vec![7; usize::try_from(most).unwrap()]);
        assert_eq!(end.map_err(|error| (error.kind, error.need)), Err((ErrorKind::OutputLimit, most + 1)));
    }
    let (out, end) = stream(&bomb, &Limits { max_output: 1_000_000, ..Limits::DEFAULT }, || (1000, 5000));
    assert_eq!((out.len(), end), (1_000_000, Ok(1)));
    for most in 0..15 {
        let (_, end) = stream(&bomb, &Limits { max_header: most, ..Limits::DEFAULT }, || (1, 5000));
        assert_eq!(end.map_err(|error| error.kind), Err(ErrorKind::HeaderLimit), "{most}");
    }
    // The length of a header that follows another member.
    let extra = GzBuilder::new().extra(vec![1; 500]).write(vec![], Compression::new(1)).finish().unwrap();
    let name = GzBuilder::new().filename("a".repeat(500)).write(vec![], Compression::new(1)).finish().unwrap();
    for (second, need) in [(extra, 512), (name, 101)] {
        let (limits, file) = (Limits { max_header: 100, ..Limits::DEFAULT }, [&bomb[..], &second].concat());
        let whole = decode_to_vec(&file, &within(&limits)).unwrap_err();
        assert_eq!((whole.kind, whole.need), (ErrorKind::HeaderLimit, need));
        assert_eq!(stream(&file, &limits, || (7, 5000)).1, Err(whole));
    }
    assert!(stream(&bomb, &Limits { max_header: 15, ..Limits::DEFAULT }, || (1, 5000)).1.is_ok());
}

#[test]
fn a_stream_reads_a_header_longer_than_its_window() {
    let header = GzBuilder::new().extra(vec![1; 65_535]).filename("n".repeat(40_000)).comment(vec![b'c'; 70_000]);
    let mut file = header.write(vec![], Compression::new(1)).finish().unwrap();
    // And the CRC-16 of it.
    let len = Header::read(&file, &Limits::DEFAULT).unwrap().len;
    file[3] |= 2;
    let crc = unspool::checksum::Crc32::of(&file[..len]).to_le_bytes();
    file.splice(len..len, [crc[0], crc[1]]);
    let splits = [1, 1000, 40_000, usize::MAX];
    for cut in splits {
        assert_eq!(stream(&file, &Limits::DEFAULT, || (cut, 9)), (vec![], Ok(1)));
    }
    file[len] ^= 1;
    let wrong = decode_to_vec(&file, &Options::DEFAULT).unwrap_err();
    assert_eq!((wrong.kind, wrong.at), (ErrorKind::GzipHeaderCrc, len as u64));
    for cut in splits {
        assert_eq!(stream(&file, &Limits::DEFAULT, || (cut, 9)).1, Err(wrong));
    }
}

#[test]
fn a_second_idle_call_is_an_error() {
    let file = vector("gzip/two_members.gz");
    let (mut ws, mut window) = (Workspace::new(), [0; WINDOW_SIZE]);
    let mut decoder = Decoder::new(&mut ws, &mut window, &Options::DEFAULT);
    assert_eq!(decoder.step(&file[..5], End::NotYet, &mut []).map(|step| step.read), Ok(5));
    assert_eq!(decoder.step(&[], End::NotYet, &mut []).map(|step| step.status), Ok(Status::NeedInput));
    let again = decoder.step(&[], End::NotYet, &mut []);
    assert_eq!(again.map_err(|error| (error.kind, error.at)), Err((ErrorKind::NoProgress, 5)));
}

/// Reads all parts of a file in pieces of at most `step` bytes.
fn parts(file: &[u8], step: usize) -> Result<Vec<Symbol>, Error> {
    unspool_harness::gzip::symbols(file, step, &Limits::DEFAULT)
}

/// Builds the content of a file from its parts alone. Returns it with the kinds of its blocks.
fn rebuilt(file: &[u8], parts: &[Symbol]) -> (Vec<u8>, Vec<BlockKind>) {
    let (mut out, mut kinds, mut bit) = (vec![], vec![], 0);
    for part in parts {
        // Parts follow each other, both in the file and in the content.
        assert_eq!((part.bits.start, part.content.start), (bit, out.len() as u64));
        bit = part.bits.end;
        match part.kind {
            SymbolKind::Member | SymbolKind::Trailer => assert!(part.bits.end % 8 == 0),
            SymbolKind::Block(kind) => kinds.push(kind),
            SymbolKind::Stored => {
                let byte = |bit: u64| usize::try_from(bit / 8).unwrap();
                out.extend_from_slice(&file[byte(part.bits.start)..byte(part.bits.end)]);
            }
            SymbolKind::Literal(byte) => out.push(byte),
            SymbolKind::Match { distance, .. } => {
                for _ in part.content.clone() {
                    out.push(out[out.len() - usize::from(distance)]);
                }
            }
            SymbolKind::EndOfBlock { .. } => {}
        }
        assert_eq!(part.content.end, out.len() as u64);
    }
    (out, kinds)
}

#[test]
fn symbols_rebuild_the_content_of_every_vector_in_any_pieces() {
    for (file, content, members) in vectors() {
        let all = parts(&file, usize::MAX / 2).unwrap();
        assert_eq!(rebuilt(&file, &all).0, content);
        let padding = file.iter().rev().take_while(|&&byte| byte == 0).count();
        let end = usize::try_from(all.last().unwrap().bits.end / 8).unwrap();
        assert!(end <= file.len() && end + padding >= file.len());
        let count = |wanted: fn(&SymbolKind) -> bool| all.iter().filter(|part| wanted(&part.kind)).count() as u64;
        assert_eq!(count(|kind| matches!(kind, SymbolKind::Member)), members);
        assert_eq!(count(|kind| matches!(kind, SymbolKind::EndOfBlock { last: true })), members);
        for step in [1, 2, 3, 7, 64, 1000] {
            assert_eq!(parts(&file, step).as_ref(), Ok(&all), "pieces of {step}");
        }
    }
}

#[test]
fn symbols_rebuild_files_of_an_encoder_and_each_block_by_itself() {
    let mut random = Random(34);
    let mut kinds = vec![];
    for len in [0, 1, 70_000, 300_000] {
        for modulus in [1u64, 4, 255] {
            let content: Vec<u8> = (0..len).map(|_| u8::try_from(random.bits() % modulus).unwrap()).collect();
            for level in [0, 1, 6, 9] {
                let mut encoder = GzBuilder::new().write(vec![], Compression::new(level));
                encoder.write_all(&content).unwrap();
                let file = encoder.finish().unwrap();
                let all = parts(&file, usize::MAX / 2).unwrap();
                let (found, own) = rebuilt(&file, &all);
                assert!(found == content, "{len} bytes below {modulus} at level {level}");
                kinds.extend(own);
                for (at, part) in all.iter().enumerate() {
                    if !matches!(part.kind, SymbolKind::Block(_)) {
                        continue;
                    }
                    let mut reader = BlockReader::at_block(part.bits.start, part.content.start, &Limits::DEFAULT);
                    for expected in &all[at..] {
                        assert_eq!(reader.next(&file, 0, End::Here).unwrap().as_ref(), Some(expected));
                        if matches!(expected.kind, SymbolKind::EndOfBlock { .. }) {
                            break;
                        }
                    }
                }
            }
        }
    }
    for kind in [BlockKind::Stored, BlockKind::Fixed, BlockKind::Dynamic] {
        assert!(kinds.contains(&kind), "{kind:?}");
    }
}

#[test]
fn the_symbols_of_a_damaged_file_end_where_decoding_does() {
    let (mut refused, mut accepted) = (0, 0);
    for (file, ..) in vectors() {
        for len in 0..file.len() {
            // Only padding may be missing, or members after the first.
            match (unpack(&file[..len]), parts(&file[..len], usize::MAX / 2)) {
                (Ok(content), Ok(all)) => assert_eq!(rebuilt(&file, &all).0, content),
                (Err(error), Err(found)) => assert_eq!((error.kind, error.at), (found.kind, found.at), "cut at {len}"),
                (decoded, found) => panic!("cut at {len}: {decoded:?}, {found:?}"),
            }
        }
        let header = Header::read(&file, &Limits::DEFAULT).unwrap().len;
        for bit in 8 * header..8 * file.len() {
            let mut damaged = file.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let found = parts(&damaged, usize::MAX / 2);
            match unpack(&damaged) {
                // The checksum is not verified here.
                Ok(_) => _ = rebuilt(&damaged, &found.unwrap()),
                // A member that ends too early is followed by anything.
                Err(Error { kind: ErrorKind::GzipCrc | ErrorKind::GzipSize, .. }) => {
                    accepted += usize::from(found.is_ok());
                    found.into_iter().for_each(|all| _ = rebuilt(&damaged, &all));
                }
                Err(error) if error.class() == Class::Corrupt && error.kind != ErrorKind::GzipDeflate => {}
                Err(_) => {
                    refused += usize::from(found.is_err());
                    assert!(found.is_err(), "bit {bit}");
                }
            }
        }
    }
    assert!(refused > 1000 && accepted > 1000, "{refused} {accepted}");
}

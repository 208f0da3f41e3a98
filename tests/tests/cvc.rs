//! CVC against its vectors: bit-exact, in one piece and in any pieces, and hostile files refused.
#![allow(clippy::cast_possible_truncation, reason = "test inputs are small")]

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use serde_json::Value as Json;
use unspool::cvc::{Column, Crc, CrcCount, Decoder, Dtype, File, Need, Outline, Scalar, inspect};
use unspool::tree::{Node, Tree};
use unspool::{Class, Count, End, Error, ErrorKind, Limits, Name, Part};
use unspool_tests::{Leaves, Random, drive, list, manifest, number, read, text, vector_folders};

/// Runs `test` on every valid vector: its name, its bytes, its entry in the manifest and its folder.
fn valid(test: impl Fn(&str, &[u8], &Json, &Path)) {
    for folder in vector_folders("cvc") {
        let manifest = manifest(&folder.join("manifest.json"));
        let entries = list(&manifest, "entries");
        assert!(entries.len() > 50, "{} names only {} files", folder.display(), entries.len());
        for entry in entries {
            test(text(entry, "name"), &read(&folder.join(text(entry, "file"))), entry, &folder);
        }
    }
}

/// The columns of an entry with the bytes that they must decode to.
fn expected(entry: &Json, folder: &Path) -> Vec<(Option<String>, Vec<u8>)> {
    let bytes = |expected: &Json| read(&folder.join(text(expected, "file")));
    match text(entry, "kind") {
        "single" => vec![(None, bytes(&entry["expected"]))],
        _ => list(entry, "columns")
            .iter()
            .map(|column| (Some(text(column, "name").to_owned()), bytes(&column["expected"])))
            .collect(),
    }
}

fn column<'a>(file: &File<'a>, name: Option<&str>) -> Result<Column<'a>, Error> {
    name.map_or_else(|| file.only_column(), |name| file.column(name))
}

/// Decodes a column through the streaming decoder; `split` says how much of input and output each call gets.
fn stream(
    bytes: &[u8],
    name: Option<&str>,
    workspace: &mut [u8],
    limits: &Limits,
    split: impl FnMut() -> (usize, usize),
) -> (Vec<u8>, Result<CrcCount, Error>) {
    let mut decoder = Decoder::new(workspace, name, Crc::Verify, limits);
    let (out, outcome) = drive(bytes, split, |src, end, dst| decoder.step(src, end, dst));
    (out, outcome.map(|()| decoder.crc()))
}

const WORKSPACE: usize = 2 << 20;

#[test]
fn every_column_is_bit_exact() {
    valid(|name, bytes, entry, folder| {
        let file = File::open(bytes, &Limits::DEFAULT).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(file.num_vectors(), number(entry, "num_vectors"), "{name}");
        assert_eq!(file.chunk_count(), number(entry, "num_chunks"), "{name}");
        for (column_name, expected) in expected(entry, folder) {
            let column = column(&file, column_name.as_deref()).unwrap();
            let decoded = column.decode_to_vec(bytes, column.rows(), Crc::Verify);
            let decoded = decoded.unwrap_or_else(|error| panic!("{name} {column_name:?}: {error}"));
            assert!(decoded == expected, "{name} {column_name:?}");
            let mut sunk: Vec<u8> = vec![];
            let mut sink = |bytes: &[u8]| {
                sunk.extend(bytes);
                Ok(())
            };
            let done = column.decode_to(bytes, column.rows(), &mut sink, Crc::Verify).unwrap();
            assert!(sunk == expected && done.wrote == sunk.len(), "{name} {column_name:?} through a sink");
            let mut count = Count::default();
            column.decode_to(bytes, column.rows(), &mut count, Crc::Skip).unwrap();
            assert_eq!(count.0, expected.len() as u64);
            // To f32, which must be the same numbers.
            let floats = column.decode_f32_to_vec(bytes, column.rows(), Crc::Verify).unwrap();
            let output = column.output().unwrap();
            let width = output.width() as usize;
            assert_eq!(floats.len() * width, expected.len());
            for (float, stored) in floats.iter().zip(expected.chunks(width)) {
                match output {
                    Dtype::F32 => assert_eq!(float.to_le_bytes(), stored),
                    Dtype::I64 => assert_eq!(*float, i64::from_le_bytes(stored.try_into().unwrap()) as f32),
                    Dtype::I32 => assert_eq!(*float, i32::from_le_bytes(stored.try_into().unwrap()) as f32),
                    Dtype::I8 => assert_eq!(*float, f32::from(stored[0].cast_signed())),
                    Dtype::U8 => assert_eq!(*float, f32::from(stored[0])),
                    Dtype::F16 => assert!(float.is_finite() || stored[1] & 0x7C == 0x7C),
                }
            }
        }
    });
}

#[test]
fn native_types_come_out_as_they_are() {
    fn native<T: unspool::cvc::Element, const N: usize>(
        column: &Column<'_>,
        bytes: &[u8],
        to_bytes: impl Fn(T) -> [u8; N],
    ) {
        let values = usize::try_from(column.rows().end * column.dimension()).unwrap();
        let mut native = vec![T::default(); values];
        let done = column.decode_into(bytes, column.rows(), &mut native, Crc::Verify).unwrap();
        assert_eq!(done.wrote, values);
        let expected = column.decode_to_vec(bytes, column.rows(), Crc::Verify).unwrap();
        assert_eq!(native.into_iter().flat_map(to_bytes).collect::<Vec<_>>(), expected);
        let mut wrong = vec![0u16; values];
        if T::DTYPE != Dtype::F16 && values > 0 {
            let error = column.decode_into(bytes, column.rows(), &mut wrong, Crc::Verify).unwrap_err();
            assert_eq!(error.kind, ErrorKind::WrongType);
        }
    }
    let seen = RefCell::new(BTreeSet::new());
    valid(|_, bytes, entry, folder| {
        let file = File::open(bytes, &Limits::DEFAULT).unwrap();
        for (name, _) in expected(entry, folder) {
            let column = column(&file, name.as_deref()).unwrap();
            let mut plan = column.plan(column.rows()).unwrap();
            let mut plain = None;
            while let Some(need) = plan.next().unwrap() {
                match need {
                    Need::Length(length) => plan.feed(&bytes[range(length)]).unwrap(),
                    Need::Chunk(piece) => {
                        let chunk = &bytes[range(piece.range())];
                        plain = piece.open(chunk, Crc::Skip, &mut CrcCount::default()).unwrap().plain();
                    }
                }
            }
            let Some((dtype, _)) = plain else { continue };
            if column.output().unwrap() != dtype {
                continue; // other chunks store the column in another way
            }
            seen.borrow_mut().insert(dtype.name());
            match dtype {
                Dtype::F32 => native(&column, bytes, f32::to_le_bytes),
                Dtype::F16 => native(&column, bytes, u16::to_le_bytes),
                Dtype::I64 => native(&column, bytes, i64::to_le_bytes),
                Dtype::I32 => native(&column, bytes, i32::to_le_bytes),
                Dtype::I8 => native(&column, bytes, i8::to_le_bytes),
                Dtype::U8 => native(&column, bytes, u8::to_le_bytes),
            }
        }
    });
    let seen = seen.into_inner();
    assert!(["float16", "int32", "int64", "int8", "uint8"].iter().all(|name| seen.contains(name)), "only {seen:?}");
}

#[test]
fn every_split_of_input_and_output_gives_the_same() {
    let mut workspace = vec![0; WORKSPACE];
    let workspace = RefCell::new(&mut workspace);
    valid(|name, bytes, entry, folder| {
        let mut random = Random(bytes.len() as u64);
        for (column, expected) in expected(entry, folder) {
            let run = |what: &str, split: &mut dyn FnMut() -> (usize, usize)| {
                let limits = Limits::DEFAULT;
                let (out, end) = stream(bytes, column.as_deref(), &mut workspace.borrow_mut(), &limits, split);
                assert!(end.is_ok(), "{name} {column:?} {what}: {end:?}");
                assert!(out == expected, "{name} {column:?} {what}");
            };
            run("whole", &mut || (bytes.len(), expected.len().max(1)));
            run("random", &mut || (1 + random.below(40), 1 + random.below(40)));
            if bytes.len() < 20_000 {
                run("byte by byte", &mut || (1, 1));
                run("byte by byte of input", &mut || (1, 1000));
                run("byte by byte of output", &mut || (1000, 1));
                run("threes", &mut || (3, 3));
            }
        }
    });
}

fn range(range: std::ops::Range<u64>) -> std::ops::Range<usize> {
    range.start as usize..range.end as usize
}

#[test]
fn any_rows_through_a_plan_that_fetches_only_what_it_names() {
    valid(|name, bytes, entry, folder| {
        for (column_name, expected) in expected(entry, folder) {
            // Only the head is at hand.
            let head = File::open(bytes, &Limits::DEFAULT).unwrap().head_len();
            let file = File::open(&bytes[..head as usize], &Limits::DEFAULT).unwrap();
            let column = column(&file, column_name.as_deref()).unwrap();
            let width = (column.dimension() * column.output().unwrap().width()) as usize;
            let rows = file.num_vectors();
            let mut random = Random(rows);
            for _ in 0..20 {
                let a = random.below(rows as usize + 1) as u64;
                let b = random.below(rows as usize + 1) as u64;
                let rows = a.min(b)..a.max(b);
                let expected = &expected[rows.start as usize * width..rows.end as usize * width];
                let decoded = column.decode_to_vec(bytes, rows.clone(), Crc::Verify).unwrap();
                assert!(decoded == expected, "{name} {column_name:?} rows {rows:?}");
                // The same rows by ranges: whole chunks with their checksums, and bare data without.
                let (mut by_chunk, mut by_data) = (vec![], vec![]);
                let mut plan = column.plan(rows.clone()).unwrap();
                let mut count = CrcCount::default();
                while let Some(need) = plan.next().unwrap() {
                    match need {
                        Need::Length(length) => plan.feed(&bytes[range(length)]).unwrap(),
                        Need::Chunk(piece) => {
                            let chunk = &bytes[range(piece.range())];
                            let payload = piece.open(chunk, Crc::Verify, &mut count).unwrap();
                            let data = piece.open_data(&bytes[range(piece.data_range().unwrap())]).unwrap();
                            let mut values = vec![0.0; payload.len()];
                            payload.decode_f32(&mut values).unwrap();
                            by_chunk.extend(values.iter().map(|value| value.to_bits()));
                            let mut values = vec![0; payload.len() * 4];
                            data.decode_f32_bytes(&mut values).unwrap();
                            by_data.extend(values.as_chunks().0.iter().map(|value| u32::from_le_bytes(*value)));
                            if let Some(fp16) = payload.fp16() {
                                assert_eq!(fp16.as_flattened(), payload.raw().unwrap());
                                assert_eq!(fp16.len(), payload.len());
                            }
                        }
                    }
                }
                let mut as_bytes = vec![0; by_data.len() * 4];
                column.decode_f32_bytes(bytes, rows.clone(), &mut as_bytes, Crc::Verify).unwrap();
                assert!(
                    as_bytes.as_chunks().0.iter().map(|value| u32::from_le_bytes(*value)).eq(by_data.iter().copied())
                );
                let floats = column.decode_f32_to_vec(bytes, rows, Crc::Verify).unwrap();
                let floats: Vec<u32> = floats.iter().map(|value| value.to_bits()).collect();
                assert!(by_chunk == floats && by_data == floats, "{name} {column_name:?}");
            }
            let outside = column.plan(0..rows + 1).map(drop);
            assert_eq!(outside.unwrap_err().kind, ErrorKind::RangeOutside);
        }
    });
}

#[test]
fn sections_give_every_match() {
    let filters = std::cell::Cell::new(0);
    valid(|name, bytes, entry, _| {
        let file = File::open(bytes, &Limits::DEFAULT).unwrap();
        for filter in list(entry, "section_filters") {
            let (key, value) = (text(filter, "key"), &filter["value"]);
            let number = value.to_string();
            let wanted = match value {
                Json::String(text) => Scalar::from(text.as_str()),
                _ => Scalar::parse(&number).unwrap(),
            };
            let found: Vec<_> = file
                .sections()
                .map(Result::unwrap)
                .filter(|section| section.metadata.matches(key, &wanted))
                .map(|section| section.rows)
                .collect();
            let expected: Vec<_> = list(filter, "row_ranges")
                .iter()
                .map(|rows| rows[0].as_u64().unwrap()..rows[1].as_u64().unwrap())
                .collect();
            assert_eq!(found, expected, "{name} {key}={value}");
            // The chunks list the same sections, cut to their rows.
            let in_chunks: u64 = file
                .chunks()
                .flat_map(|chunk| chunk.unwrap().sections().map(Result::unwrap).collect::<Vec<_>>())
                .filter(|section| section.metadata.matches(key, &wanted))
                .map(|section| section.rows.end - section.rows.start)
                .sum();
            assert_eq!(in_chunks, expected.iter().map(|rows| rows.end - rows.start).sum::<u64>(), "{name} {key}");
            filters.set(filters.get() + 1);
        }
    });
    assert!(filters.get() >= 8, "only {} filters were tried", filters.get());
}

#[test]
fn leaves_tile_every_valid_file_and_name_the_chunks_where_they_are() {
    valid(|name, bytes, entry, _| {
        let mut leaves = Leaves::default();
        inspect(bytes, &Limits::DEFAULT, &mut leaves).unwrap_or_else(|error| panic!("{name}: {error}"));
        let lengths: Vec<u64> = leaves
            .leaves
            .iter()
            .filter(|(_, name)| *name == Name::PayloadLength)
            .map(|(bits, _)| bits.start / 8)
            .collect();
        let chunks: Vec<u64> = list(entry, "chunks")
            .iter()
            .filter(|chunk| chunk.is_object())
            .map(|chunk| number(chunk, "prefix_offset"))
            .collect();
        assert_eq!(lengths[..chunks.len()], chunks, "{name}");
        leaves.assert_tile(bytes.len(), name);
        // Bytes behind the end are told, and nothing else changes.
        let longer = [bytes, b"trailing"].concat();
        let mut leaves = Leaves::default();
        inspect(&longer, &Limits::DEFAULT, &mut leaves).unwrap();
        leaves.assert_tile(longer.len(), name);
    });
}

/// What a file says that is read where its outline asks, and how often that was.
fn outlined(bytes: &[u8], limits: &Limits) -> (Tree, Result<u64, Error>) {
    let mut tree = Tree::new(usize::MAX);
    let mut walk = || {
        let head = unspool::cvc::head_len(bytes, limits).map_or(bytes.len(), |len| (len as usize).min(bytes.len()));
        let mut outline = Outline::open(&bytes[..head], bytes.len() as u64, limits, &mut tree)?;
        let mut asked = 0;
        while let Some(wanted) = outline.needs() {
            assert!(wanted.end - wanted.start <= 8 && asked < outline.file().chunk_count());
            asked += 1;
            if let Err(error) = outline.feed(&bytes[range(wanted)], &mut tree) {
                assert_eq!((outline.needs(), outline.feed(&[], &mut ())), (None, Ok(())));
                return Err(error);
            }
        }
        Ok(asked)
    };
    let walked = walk();
    (tree, walked)
}

/// The nodes that tell of a file without looking into its payloads.
fn without_payloads(tree: &Tree) -> Vec<Node> {
    let mut nodes: Vec<Node> = vec![];
    for node in tree.nodes() {
        match nodes.last() {
            Some(Node { value, depth, .. }) if value == "lossless" && *depth < node.depth => {}
            _ if node.name == Name::Lossless => {
                let (value, part) = ("lossless".to_owned(), Some(Part::Data));
                nodes.push(Node { name: Name::Values, value, part, ..node.clone() });
            }
            _ => nodes.push(node.clone()),
        }
    }
    nodes
}

#[test]
fn an_outline_tells_what_is_in_a_file_that_is_not_at_hand() {
    let lossless = RefCell::new(0);
    valid(|name, bytes, entry, _| {
        for bytes in [bytes, &[bytes, b"trailing"].concat()] {
            let mut all = Tree::new(usize::MAX);
            inspect(bytes, &Limits::DEFAULT, &mut all).unwrap();
            let (tree, asked) = outlined(bytes, &Limits::DEFAULT);
            assert_eq!(asked, Ok(number(entry, "num_chunks")), "{name}");
            assert!(tree.nodes() == without_payloads(&all), "{name}");
            let mut leaves = Leaves::default();
            for node in tree.nodes().iter().filter(|node| node.part.is_some()) {
                leaves.leaves.push((node.bits.clone(), node.name));
            }
            *lossless.borrow_mut() +=
                tree.nodes().iter().filter(|node| node.value == "lossless" && node.name == Name::Values).count();
            leaves.assert_tile(bytes.len(), name);
        }
        // Of a file that is cut, no more is said than there is.
        let step = 1 + bytes.len() / 2000;
        for cut in (0..bytes.len()).step_by(step).map(|cut| &bytes[..cut]) {
            let mut all = Leaves::default();
            let inspected = inspect(cut, &Limits::DEFAULT, &mut all).map(|count| count.right + count.unchecked);
            assert_eq!(outlined(cut, &Limits::DEFAULT).1, inspected, "{name} cut at {}", cut.len());
        }
    });
    assert!(lossless.into_inner() > 0);
    let file = b"CVCF\x0B\0\0\0{\"chunks\":0";
    assert_eq!(
        Outline::open(file, 18, &Limits::DEFAULT, &mut ()).unwrap_err(),
        outlined(file, &Limits::DEFAULT).1.unwrap_err()
    );
}

#[test]
fn an_outline_of_a_hostile_file_ends() {
    for folder in vector_folders("cvc") {
        let folder = folder.join("bad");
        for variant in list(&manifest(&folder.join("manifest.json")), "variants") {
            let bytes = read(&folder.join(text(variant, "file")));
            let inspected = inspect(&bytes, &Limits::DEFAULT, &mut Tree::new(0));
            match (outlined(&bytes, &Limits::DEFAULT).1, inspected) {
                (Err(error), inspected) => assert_eq!(inspected.unwrap_err(), error, "{}", text(variant, "name")),
                // Only payloads are not looked into.
                (Ok(chunks), Ok(count)) => assert_eq!(chunks, count.right + count.unchecked),
                (Ok(_), Err(_)) => {}
            }
        }
    }
    // Chunks that claim to lie anywhere, even all in one place and beyond the end of what can be counted.
    let at = |offsets: &[u64]| {
        let chunks: Vec<_> =
            offsets.iter().map(|at| format!(r#"{{"rows":1,"min":0.5,"scale":0.5,"file_offset":{at}}}"#)).collect();
        let (count, chunks) = (offsets.len(), chunks.join(","));
        let json = format!(r#"{{"chunks":[{chunks}],"compression":"int8","dimension":1,"num_vectors":{count}}}"#);
        let mut bytes = b"CVCF\x01\0\0\0".to_vec();
        bytes.extend((json.len() as u32).to_le_bytes());
        bytes.extend(json.as_bytes());
        bytes.resize(1000, 0);
        bytes[900] = 1;
        outlined(&bytes, &Limits::DEFAULT).1.map_err(|error| (error.kind, error.at))
    };
    assert_eq!(at(&[900; 4]), Ok(4));
    assert_eq!(at(&[900, 1000]), Err((ErrorKind::Truncated, 1000)));
    assert_eq!(at(&[900, 995]), Err((ErrorKind::Truncated, 1000)));
    assert_eq!(at(&[u64::MAX]), Err((ErrorKind::Truncated, 1000)));
    assert_eq!(at(&[901]), Err((ErrorKind::CvcChunkLength, 901)));
    assert_eq!(at(&[900, 7]).unwrap_err().0, ErrorKind::CvcChunkOutside);
    // What is not what was asked for.
    let bytes = read(&vector_folders("cvc")[0].join("v1_int8.cvc"));
    let mut outline = Outline::open(&bytes[..], bytes.len() as u64, &Limits::DEFAULT, &mut ()).unwrap();
    let at = outline.needs().unwrap().start;
    assert_eq!(outline.feed(&[0; 3], &mut ()), Err(Error::new(ErrorKind::Truncated, at + 3).needing(at + 8)));
    assert_eq!(outline.needs(), None);
    assert_eq!(Outline::open(&bytes[..], at - 1, &Limits::DEFAULT, &mut ()).unwrap_err().need, at);
}

#[test]
fn output_one_too_small_says_what_is_needed() {
    valid(|name, bytes, entry, folder| {
        for (column_name, expected) in expected(entry, folder) {
            let file = File::open(bytes, &Limits::DEFAULT).unwrap();
            let column = column(&file, column_name.as_deref()).unwrap();
            let mut exact = vec![0; expected.len()];
            assert!(column.decode_bytes(bytes, column.rows(), &mut exact, Crc::Verify).is_ok(), "{name}");
            assert!(exact == expected);
            let Some(less) = expected.len().checked_sub(1) else { continue };
            let error = column.decode_bytes(bytes, column.rows(), &mut exact[..less], Crc::Verify).unwrap_err();
            assert_eq!(error.class(), Class::OutputTooSmall { need: expected.len() as u64 }, "{name}");
            // More than enough: the rest stays as it was.
            let mut more = vec![0x55; expected.len() + 9];
            let done = column.decode_bytes(bytes, column.rows(), &mut more, Crc::Verify).unwrap();
            assert_eq!(done.wrote, expected.len());
            assert!(more[done.wrote..].iter().all(|&byte| byte == 0x55), "{name}");
        }
    });
}

#[test]
fn a_file_cut_at_any_byte_is_refused() {
    let mut workspace = vec![0; WORKSPACE];
    let workspace = RefCell::new(&mut workspace);
    valid(|name, bytes, entry, folder| {
        let end = number(entry, "end_of_last_payload") as usize;
        let step = 1 + end / 2000;
        for (column_name, expected) in expected(entry, folder) {
            for cut in (0..end).step_by(step) {
                let whole = decode_all(&bytes[..cut], column_name.as_deref());
                let mut room = workspace.borrow_mut();
                let (out, end) =
                    stream(&bytes[..cut], column_name.as_deref(), &mut room, &Limits::DEFAULT, || (50, 50));
                let (whole, streamed) = (whole.unwrap_err(), end.unwrap_err());
                assert_eq!(whole, streamed, "{name} cut at {cut}");
                assert_eq!((whole.kind, whole.at), (ErrorKind::Truncated, cut as u64), "{name} cut at {cut}");
                assert!(whole.need > cut as u64, "{name} cut at {cut}");
                assert!(expected.starts_with(&out), "{name} cut at {cut}: wrong bytes before the error");
                assert!(
                    inspect(&bytes[..cut], &Limits::DEFAULT, &mut Leaves::default()).is_err(),
                    "{name} cut at {cut}"
                );
            }
        }
    });
}

fn decode_all(bytes: &[u8], name: Option<&str>) -> Result<Vec<u8>, Error> {
    let file = File::open(bytes, &Limits::DEFAULT)?;
    let column = column(&file, name)?;
    column.decode_to_vec(bytes, column.rows(), Crc::Verify)
}

/// Everything that can be done with a file: all columns in one piece, streamed, and inspected. All must agree.
fn verdict(bytes: &[u8], workspace: &mut [u8], random: &mut Random) -> Result<(), Error> {
    // Small limits, so that mutated headers cannot make a test slow.
    let limits = Limits { max_output: 1 << 26, ..Limits::DEFAULT };
    let inspected = inspect(bytes, &limits, &mut Leaves::default());
    let file = File::open(bytes, &limits)?;
    for column in file.columns() {
        let column = column?;
        let name = column.name().to_string();
        let name = file.is_columnar().then_some(name.as_str());
        // Of two columns with one name only the last can be named.
        let column = match name {
            Some(name) => match file.column(name) {
                Ok(column) => column,
                Err(_) => continue, // a lone surrogate in a name cannot be typed
            },
            None => column,
        };
        let mut out: Vec<u8> = vec![];
        let mut sink = |bytes: &[u8]| {
            out.extend(bytes);
            Ok(())
        };
        let whole = column.decode_to(bytes, column.rows(), &mut sink, Crc::Verify);
        let (streamed, end) = stream(bytes, name, workspace, &limits, || (1 + random.below(60), 1 + random.below(60)));
        match (whole, end) {
            (Ok(_), Ok(_)) => assert!(out == streamed),
            // Out-of-order chunks need random access, and a lossless chunk the workspace.
            (_, Err(Error { kind: ErrorKind::CvcBackwards | ErrorKind::WorkspaceTooSmall, .. })) => {}
            // Shows behind the end of the data, which a stream does not read.
            (Err(Error { kind: ErrorKind::CvcHiddenCrc, .. }), Ok(_)) => {}
            (Err(whole), Err(streamed)) => assert_eq!((whole.kind, whole.at), (streamed.kind, streamed.at)),
            (whole, end) => panic!("in one piece {whole:?}, streamed {end:?}"),
        }
        if let Err(error) = whole {
            assert!(
                error.class() == Class::Limit || inspected.is_err(),
                "{error}, which nobody finds who looks for it"
            );
            return Err(error);
        }
    }
    inspected.map(drop)
}

#[test]
fn bad_files_end_as_the_manifest_says() {
    let mut workspace = vec![0; WORKSPACE];
    for folder in vector_folders("cvc") {
        let folder = folder.join("bad");
        let mut verdicts = BTreeMap::new();
        for variant in list(&manifest(&folder.join("manifest.json")), "variants") {
            let (name, suggested) = (text(variant, "name"), text(variant, "suggested"));
            let bytes = read(&folder.join(text(variant, "file")));
            let verdict = verdict(&bytes, &mut workspace, &mut Random(1));
            match suggested {
                "accept" => assert_eq!(verdict, Ok(()), "{name} must be accepted"),
                "reject" => assert!(verdict.is_err(), "{name} must be refused"),
                other => assert_eq!(other, "either"),
            }
            verdicts.insert(name.to_owned(), verdict);
        }
        assert!(verdicts.len() > 100);
        // Which error each file gets is written down, and a person has read it.
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/cvc-bad.txt");
        let mut lines = String::new();
        for (name, verdict) in &verdicts {
            match verdict {
                Ok(()) => writeln!(lines, "{name}: accepted").unwrap(),
                Err(error) => writeln!(lines, "{name}: {:?}: {error}", error.kind).unwrap(),
            }
        }
        if std::env::var_os("UNSPOOL_BLESS").is_some() {
            std::fs::write(&golden, &lines).unwrap();
        }
        let golden = String::from_utf8(read(&golden)).unwrap();
        for line in golden.lines() {
            assert!(lines.lines().any(|now| now == line), "expected {line}\nUNSPOOL_BLESS=1 writes what is now");
        }
    }
}

#[test]
fn mutated_files_never_panic_and_all_readers_agree() {
    let mut workspace = vec![0; WORKSPACE];
    let workspace = RefCell::new(&mut workspace);
    valid(|name, bytes, _, _| {
        if bytes.len() > 20_000 {
            return;
        }
        let mut random = Random(name.len() as u64 * 1000 + bytes.len() as u64);
        let head = File::open(bytes, &Limits::DEFAULT).unwrap().head_len() as usize;
        for _ in 0..60 {
            let mut mutated = bytes.to_vec();
            for _ in 0..=random.below(3) {
                if mutated.is_empty() {
                    break;
                }
                // Mostly the header, where it hurts.
                let bound = if random.below(4) == 0 { mutated.len() } else { head.min(mutated.len()) };
                let at = random.below(bound.max(1)).min(mutated.len().saturating_sub(1));
                match random.below(6) {
                    0 => mutated[at] = b'0' + random.below(10) as u8,
                    1 => mutated[at] ^= 1 << random.below(8),
                    2 => mutated[at] = b"{}[]\",:-eE.\\u0 nN"[random.below(17)],
                    3 => drop(mutated.remove(at)),
                    4 => mutated.insert(at, b"0123456789\"}]"[random.below(13)]),
                    _ => mutated.truncate(at.max(1)),
                }
            }
            let _ = verdict(&mutated, &mut workspace.borrow_mut(), &mut random);
        }
    });
}

#[test]
fn lying_counts_neither_allocate_nor_return_stale_bytes() {
    // 2^40 rows of dimension 2^20, and no data: refused by the limit, by the slice, and by the file's length.
    let json =
        r#"{"num_vectors":1099511627776,"dimension":1048576,"compression":"fp16","chunks":[{"rows":1099511627776}]}"#;
    let mut bytes = b"CVCF\x01\0\0\0".to_vec();
    bytes.extend((json.len() as u32).to_le_bytes());
    bytes.extend(json.as_bytes());
    bytes.extend([0; 8]);
    let kind = |limits: &Limits| {
        let file = File::open(&bytes, limits).unwrap();
        let column = file.only_column().unwrap();
        let mut out = [7.5f32; 4];
        let error = column.decode_f32(&bytes, column.rows(), &mut out, Crc::Verify).unwrap_err();
        assert_eq!(out, [7.5; 4]);
        assert!(column.decode_f32_to_vec(&bytes, column.rows(), Crc::Skip).is_err());
        error.kind
    };
    assert_eq!(kind(&Limits::DEFAULT), ErrorKind::OutputLimit);
    assert_eq!(kind(&Limits::NONE), ErrorKind::OutputTooSmall);
}

#[test]
fn a_hundred_thousand_chunks_open_and_decode() {
    let chunks = vec![r#"{"compression":"int8","min":-0.5,"rows":1,"scale":0.00392156862745098}"#; 100_000].join(",");
    let json = format!(r#"{{"chunks":[{chunks}],"compression":"int8","dimension":2,"num_vectors":100000}}"#);
    let mut bytes = b"CVCF\x01\0\0\0".to_vec();
    bytes.extend((json.len() as u32).to_le_bytes());
    bytes.extend(json.as_bytes());
    for chunk in 0..100_000u32 {
        let payload = [chunk as u8, (chunk >> 8) as u8];
        bytes.extend(2u32.to_le_bytes());
        bytes.extend(unspool::checksum::Crc32::of(&payload).to_le_bytes());
        bytes.extend(payload);
    }
    let file = File::open(&bytes, &Limits::DEFAULT).unwrap();
    assert_eq!(file.chunk_count(), 100_000);
    let column = file.only_column().unwrap();
    let values = column.decode_f32_to_vec(&bytes, column.rows(), Crc::Verify).unwrap();
    assert_eq!(values[2 * 70_000], (70_000u32 as u8) as f32 * 0.003_921_569_f32 - 0.5);
    let few = Limits { max_elements: 99_999, ..Limits::DEFAULT };
    assert_eq!(File::open(&bytes, &few).unwrap_err().kind, ErrorKind::ElementLimit);
    let mut workspace = vec![0; json.len() + 12];
    let (out, end) = stream(&bytes, None, &mut workspace, &Limits::DEFAULT, || (64 << 10, 64 << 10));
    assert_eq!(end.unwrap().right, 100_000);
    assert_eq!(out, values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>());
    let short = workspace.len() - 1;
    let (_, end) = stream(&bytes, None, &mut workspace[..short], &Limits::DEFAULT, || (1000, 1000));
    assert_eq!(end.unwrap_err().class(), Class::WorkspaceTooSmall { need: json.len() as u64 + 12 });
}

/// A file with these chunks, all of them int8, of one value a row: where each starts, how many rows it has.
fn laid_out(chunks: &[(usize, usize)]) -> Vec<u8> {
    let rows: usize = chunks.iter().map(|(_, rows)| rows).sum();
    let places: Vec<_> =
        chunks.iter().map(|(at, rows)| format!(r#"{{"rows":{rows},"min":0,"scale":1,"file_offset":{at}}}"#)).collect();
    let places = places.join(",");
    let json = format!(r#"{{"chunks":[{places}],"compression":"int8","dimension":1,"num_vectors":{rows}}}"#);
    let mut bytes = b"CVCF\x01\0\0\0".to_vec();
    bytes.extend((json.len() as u32).to_le_bytes());
    bytes.extend(json.as_bytes());
    for &(at, rows) in chunks {
        let payload: Vec<u8> = (0..rows).map(|row| row as u8).collect();
        assert!(at >= json.len() + 12);
        bytes.resize(bytes.len().max(at + 8 + rows), 0);
        bytes[at..at + 4].copy_from_slice(&(rows as u32).to_le_bytes());
        bytes[at + 4..at + 8].copy_from_slice(&unspool::checksum::Crc32::of(&payload).to_le_bytes());
        bytes[at + 8..at + 8 + rows].copy_from_slice(&payload);
    }
    bytes
}

#[test]
fn chunks_on_top_of_each_other_are_refused_before_they_cost_more_than_the_file() {
    let refused = |bytes: &[u8]| {
        let kinds = [
            decode_all(bytes, None).unwrap_err(),
            inspect(bytes, &Limits::DEFAULT, &mut ()).unwrap_err(),
            outlined(bytes, &Limits::DEFAULT).1.unwrap_err(),
        ];
        assert!(kinds.iter().all(|error| (error.kind, error.at) == (kinds[0].kind, kinds[0].at)), "{kinds:?}");
        let (_, streamed) = stream(bytes, None, &mut [0; 10_000], &Limits::DEFAULT, || (1000, 1000));
        assert_eq!(streamed.unwrap_err().kind, ErrorKind::CvcBackwards);
        kinds[0].kind
    };
    assert_eq!(refused(&laid_out(&[(9000, 10_000); 3])), ErrorKind::CvcChunkOutside);
    assert_eq!(refused(&laid_out(&[(9000, 10_000); 90])), ErrorKind::CvcChunkOutside);
    // In any order, and without a byte between them, they may lie behind the header.
    for places in [[500, 1508, 2516], [2516, 1508, 500], [1508, 2516, 500]] {
        let bytes = laid_out(&places.map(|at| (at, 1000)));
        let values: Vec<u8> =
            (0..3).flat_map(|_| (0..1000u32).flat_map(|row| f32::from(row as u8).to_le_bytes())).collect();
        assert!(decode_all(&bytes, None).unwrap() == values);
        assert_eq!(inspect(&bytes, &Limits::DEFAULT, &mut ()).unwrap().right, 3);
    }
}

/// A file of version 2 with these columns of one byte a row, and a chunk of one row for each of these objects and payloads.
fn columnar(columns: &[String], chunks: &[(String, &[u8])]) -> Vec<u8> {
    let columns: Vec<_> = columns
        .iter()
        .map(|name| format!(r#"{{"name":"{name}","dimension":1,"dtype":"uint8","compression":"none"}}"#))
        .collect();
    let objects: Vec<_> = chunks.iter().map(|(object, _)| format!(r#"{{"rows":1,"columns":{object}}}"#)).collect();
    let (columns, objects, rows) = (columns.join(","), objects.join(","), chunks.len());
    let json =
        format!(r#"{{"format_type":"columnar","num_vectors":{rows},"columns":[{columns}],"chunks":[{objects}]}}"#);
    let mut bytes = b"CVCF\x02\0\0\0".to_vec();
    bytes.extend((json.len() as u32).to_le_bytes());
    bytes.extend(json.as_bytes());
    for (_, payload) in chunks {
        bytes.extend((payload.len() as u32).to_le_bytes());
        bytes.extend(unspool::checksum::Crc32::of(payload).to_le_bytes());
        bytes.extend(*payload);
    }
    bytes
}

/// The object of a chunk: members of one byte each, at these offsets.
fn entries(named: impl Iterator<Item = (String, usize)>) -> String {
    let entry = |(name, at)| format!(r#""{name}":{{"compression":"none","offset":{at},"size":1}}"#);
    format!("{{{}}}", named.map(entry).collect::<Vec<_>>().join(","))
}

#[test]
fn columns_that_no_schema_names_are_told_in_order_and_counted() {
    let many = |count: usize| {
        let payload = vec![7; count];
        // Backwards, so that no order in the header helps.
        let object = entries((0..count).map(|at| (at.to_string(), count - 1 - at)));
        columnar(&["0".to_owned()], &[(object, payload.as_slice())])
    };
    let bytes = many(4000);
    let mut leaves = Leaves::default();
    inspect(&bytes, &Limits::DEFAULT, &mut leaves).unwrap();
    leaves.assert_tile(bytes.len(), "4000 columns");
    let mut tree = Tree::new(usize::MAX);
    inspect(&bytes, &Limits::DEFAULT, &mut tree).unwrap();
    let told: Vec<_> = tree.nodes().iter().filter(|node| node.part == Some(Part::Data)).collect();
    assert_eq!(told.len(), 4000);
    assert!(told.windows(2).all(|two| two[0].bits.end == two[1].bits.start));
    assert_eq!((told[0].value.as_str(), told[3999].value.as_str()), ("3999", "0"));
    let bytes = many(4097);
    for error in [
        inspect(&bytes, &Limits::DEFAULT, &mut ()).unwrap_err(),
        inspect(&bytes, &Limits::DEFAULT, &mut Leaves::default()).unwrap_err(),
        outlined(&bytes, &Limits::DEFAULT).1.unwrap_err(),
    ] {
        assert_eq!((error.kind, error.need), (ErrorKind::ElementLimit, 4097));
    }
}

#[test]
fn all_columns_chunk_by_chunk_are_those_that_are_decoded_alone() {
    let by_chunk = |bytes: &[u8]| {
        let file = File::open(bytes, &Limits::DEFAULT).unwrap();
        let mut columns: Vec<(Vec<u32>, BTreeSet<&str>)> = vec![];
        columns.resize(file.column_count() as usize, (vec![], BTreeSet::new()));
        let read = |position: usize, column: &Column<'_>, piece: &unspool::cvc::Piece| {
            assert_eq!(column.name().to_string(), file.columns().nth(position).unwrap()?.name().to_string());
            let payload = piece.open(&bytes[range(piece.range())], Crc::Verify, &mut CrcCount::default())?;
            let mut values = vec![0.0; payload.len()];
            payload.decode_f32(&mut values)?;
            columns[position].0.extend(values.iter().map(|value| value.to_bits()));
            Ok(())
        };
        file.each_piece(bytes, read).unwrap();
        file.each_output(|position, _, output| {
            columns[position].1.insert(output.name());
            Ok(())
        })
        .unwrap();
        for (column, (values, outputs)) in file.columns().map(Result::unwrap).zip(columns) {
            let alone = column.decode_f32_to_vec(bytes, column.rows(), Crc::Verify).unwrap();
            assert!(alone.iter().map(|value| value.to_bits()).eq(values), "{}", column.name());
            let output = column.output().unwrap().name();
            assert!(outputs.is_empty() || outputs.len() > 1 && output == "float32" || outputs.contains(output));
        }
    };
    valid(|_, bytes, _, _| by_chunk(bytes));
    // As many as are found at once, one more and one less; in the other order, and with members before that do not count.
    for count in [1, 63, 64, 65, 128, 200] {
        let names: Vec<_> = (0..count).map(|at| format!("c{at}")).collect();
        let payload: Vec<u8> = (0..=count).map(|at| at as u8).collect();
        let object = |shift: usize| {
            let false_ones = names.iter().map(|name| (name.clone(), count));
            let right = names.iter().enumerate().rev().map(|(at, name)| (name.clone(), (at + shift) % count));
            entries(false_ones.chain(right))
        };
        by_chunk(&columnar(&names, &[(object(0), &payload), (object(1), &payload)]));
    }
}

#[test]
fn a_column_that_a_chunk_stores_wrongly_is_found_among_many() {
    let names: Vec<_> = (0..300).map(|at| format!("c{at}")).collect();
    let payload = [0; 300];
    let kind = |object: String| {
        let right = entries(names.iter().cloned().zip(0..));
        let bytes = columnar(&names, &[(right, &payload), (object, &payload)]);
        let error = inspect(&bytes, &Limits::DEFAULT, &mut ()).unwrap_err();
        let file = File::open(&bytes, &Limits::DEFAULT).unwrap();
        assert_eq!(file.column("c7").unwrap().decode_to_vec(&bytes, 0..2, Crc::Verify), Ok(vec![0; 2]));
        for column in ["c70", "c299"] {
            let column = file.column(column).unwrap();
            if let Err(alone) = column.decode_to_vec(&bytes, 0..2, Crc::Verify) {
                assert_eq!((error.kind, error.at), (alone.kind, alone.at));
            }
        }
        error.kind
    };
    let all = || names.iter().cloned().zip(0..);
    assert_eq!(kind(entries(all().filter(|(name, _)| name != "c299"))), ErrorKind::CvcColumnMissing);
    assert_eq!(
        kind(entries(all().map(|(name, at)| (name, if at == 70 { 300 } else { at })))),
        ErrorKind::CvcColumnOutside
    );
    assert_eq!(
        kind(entries(all()).replacen("\"c299\":{\"compression\":\"none\"", "\"c299\":{\"compression\":\"zip\"", 1)),
        ErrorKind::CvcUnknownCompression
    );
}

#[test]
fn columns_on_top_of_each_other_are_told_once() {
    let mut random = Random(5);
    for columns in [1, 2, 5, 63, 64, 65, 130, 200] {
        let len = 1 + random.below(3 * columns);
        let mut place = || {
            let most = 1 + random.below(len + 3);
            (random.below(len + 2), random.below(most))
        };
        let places: Vec<(usize, usize)> = (0..columns).map(|_| place()).collect();
        let entry = |(name, (at, size)): (usize, &(usize, usize))| {
            format!(r#""{name}":{{"compression":"none","offset":{at},"size":{size}}}"#)
        };
        let object = places.iter().enumerate().map(entry).collect::<Vec<_>>().join(",");
        let object = format!(r#"{{{object},"x":{{"compression":"none","offset":0,"size":1}}}}"#);
        let payload = vec![1; len];
        let bytes = columnar(&["x".to_owned()], &[(object, payload.as_slice())]);
        let mut tree = Tree::new(usize::MAX);
        inspect(&bytes, &Limits::DEFAULT, &mut tree).unwrap();
        // What is next: of those that reach further, the one that starts and then ends first, and of equal ones the first.
        let start = bytes.len() - len;
        let (mut at, mut expected) = (0, vec![]);
        let mut all: Vec<_> = places.iter().enumerate().map(|(name, place)| (name.to_string(), *place)).collect();
        all.push(("x".to_owned(), (0, 1)));
        while at < len {
            let reach =
                |(_, (from, size)): &&(String, (usize, usize))| from + size > at && from + size <= len && *size > 0;
            let next = all.iter().filter(reach).min_by_key(|(_, (from, size))| (*from, from + size));
            let Some((name, (from, size))) = next else {
                expected.push((String::new(), at..len));
                break;
            };
            if *from > at {
                expected.push((String::new(), at..*from));
            }
            expected.push((name.clone(), at.max(*from)..from + size));
            at = from + size;
        }
        let told =
            tree.nodes().iter().filter(|node| [Name::Column, Name::Unused].contains(&node.name) && node.part.is_some());
        let told: Vec<_> = told
            .filter(|node| node.bits.start >= start as u64 * 8)
            .map(|node| {
                let name = if node.name == Name::Unused { String::new() } else { node.value.clone() };
                (name, (node.bits.start / 8) as usize - start..(node.bits.end / 8) as usize - start)
            })
            .collect();
        assert_eq!(told, expected, "{columns} columns over {len} bytes");
    }
}

#[test]
fn a_stream_that_is_stuck_stays_so() {
    let mut workspace = [0; 1000];
    let mut decoder = Decoder::new(&mut workspace, None, Crc::Verify, &Limits::DEFAULT);
    assert_eq!(decoder.step(b"CVCF\x01", End::NotYet, &mut []).map(|step| step.read), Ok(5));
    assert_eq!(decoder.step(&[], End::NotYet, &mut []).map(|step| step.read), Ok(0));
    let stuck = Err(Error::new(ErrorKind::NoProgress, 5));
    assert_eq!(decoder.step(&[], End::NotYet, &mut []), stuck);
    assert_eq!(decoder.step(&[0; 10], End::NotYet, &mut [0; 10]), stuck);
}

#[test]
fn a_code_that_names_no_byte_lets_no_value_of_its_chunk_out_whatever_the_room() {
    let bytes = read(&vector_folders("cvc")[0].join("bad/lossless_code_range.cvc"));
    let mut workspace = vec![0; WORKSPACE];
    let outcomes = [1, 4, 5, 1 << 20].map(|room| {
        let (out, outcome) = stream(&bytes, None, &mut workspace, &Limits::DEFAULT, || (bytes.len(), room));
        (out, outcome.unwrap_err())
    });
    assert_eq!(outcomes[0].1.kind, ErrorKind::CvcLosslessCode);
    assert!(outcomes.iter().all(|outcome| *outcome == outcomes[0]), "{:?}", outcomes.map(|(out, _)| out.len()));
}

#[test]
fn a_wrong_crc_is_an_error_a_count_or_nothing() {
    let folder = &vector_folders("cvc")[0];
    let bytes = read(&folder.join("bad/payload_flip.cvc"));
    let file = File::open(&bytes, &Limits::DEFAULT).unwrap();
    let column = file.only_column().unwrap();
    let mut out = vec![0.0; (column.rows().end * column.dimension()) as usize];
    let mut run = |crc| column.decode_f32(&bytes, column.rows(), &mut out, crc);
    assert_eq!(run(Crc::Verify).unwrap_err().class(), Class::Checksum);
    let chunks = file.chunk_count();
    assert_eq!(run(Crc::Report).unwrap().crc, CrcCount { right: chunks - 1, wrong: 1, unchecked: 0 });
    assert_eq!(run(Crc::Skip).unwrap().crc, CrcCount { right: 0, wrong: 0, unchecked: chunks });
}

#[test]
fn a_sink_that_refuses_ends_the_decoding() {
    let folder = &vector_folders("cvc")[0];
    let bytes = read(&folder.join("med_fp16.cvc"));
    let file = File::open(&bytes, &Limits::DEFAULT).unwrap();
    let column = file.only_column().unwrap();
    let mut room = [0; 1000];
    let mut sink = unspool::SliceSink::new(&mut room);
    let error = column.decode_to(&bytes, column.rows(), &mut sink, Crc::Verify).unwrap_err();
    assert_eq!(error.kind, ErrorKind::SinkFull);
}

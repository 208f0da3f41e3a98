//! Pco against its vectors and its reference: bit-exact, in one piece and in any pieces, and hostile files refused.
#![allow(clippy::cast_possible_truncation, reason = "test inputs are small")]

use core::cell::Cell;
use core::ops::Range;

use serde_json::Value as Json;
use unspool::pco::{Chunk, Decoder, File, Latent, Meta, NumberType, Plan, Version, inspect};
use unspool::{Class, End, Error, ErrorKind, Limits, Name, Part, Status, Step, Trace, Value};
use unspool_tests::{Leaves, Random, list, manifest, number, read, text, vector_folders};

/// Runs `test` on every valid standalone vector: its name, its bytes, the bytes of its numbers and its entry in the manifest.
fn valid(test: impl Fn(&str, &[u8], &[u8], &Json)) {
    for folder in vector_folders("pco") {
        let mut count = 0;
        for part in ["", "synth", "old", "assets"] {
            let folder = folder.join(part);
            for entry in list(&manifest(&folder.join("manifest.json")), "files") {
                let name = text(entry, "file");
                test(name, &read(&folder.join(name)), &read(&folder.join(text(entry, "bin"))), entry);
                count += 1;
            }
        }
        assert!(count > 50, "{} names only {count} files", folder.display());
        eprintln!("{}: {count} files", folder.display());
    }
}

fn workspace(chunk: &Chunk<'_>, plan: Plan) -> Vec<u64> {
    // What lies in it must not matter.
    vec![0xA5A5_A5A5_A5A5_A5A5; chunk.workspace_len(plan) as usize]
}

/// Decodes a file to the little-endian bytes of its numbers. Gives them with the offset behind the file.
fn decode(bytes: &[u8], only: Option<&str>) -> Result<(Vec<u8>, u64), Error> {
    let file = File::open(bytes, &Limits::NONE)?;
    let (mut at, mut out) = (file.first(), vec![]);
    while let Some(chunk) = file.chunk(at)? {
        if only.is_some_and(|ty| ty != chunk.number_type().name()) {
            return Err(Error::new(ErrorKind::WrongType, at));
        }
        let start = out.len();
        out.resize(start + chunk.len * chunk.number_type().size(), 0xAA);
        at = chunk.decode_bytes(&mut out[start..], &mut workspace(&chunk, Plan::Batches))?;
    }
    Ok((out, at + 1))
}

/// Decodes a page with the decoder that takes pieces; `split` says how much of input and output each call gets.
fn pieces<L: Latent>(
    meta: &Meta<'_>,
    page: &[u8],
    n: usize,
    page_at: u64,
    plan: Plan,
    mut split: impl FnMut() -> (usize, usize),
) -> Result<(Vec<u8>, usize), Error> {
    let mut words = vec![0x5A5A_5A5A_5A5A_5A5A; meta.workspace_len(n, plan) as usize];
    let mut decoder = Decoder::<L>::new(meta, n, plan, &mut words)?;
    decoder.start(n, page_at)?;
    let (mut at, mut input, mut output) = (0, 0, 0);
    let mut numbers = vec![];
    loop {
        let (more_in, more_out) = split();
        let (to, room) = (page.len().min(at + input + more_in), output + more_out);
        let end = if to == page.len() { End::Here } else { End::NotYet };
        let mut out = vec![L::ZERO; room];
        let step = decoder.step(&page[at..to], end, &mut out)?;
        assert!(step.read <= to - at && step.wrote <= room);
        for number in &out[..step.wrote] {
            let mut bytes = [0; 8];
            number.put(&mut bytes[..size_of::<L>()]);
            numbers.extend_from_slice(&bytes[..size_of::<L>()]);
        }
        at += step.read;
        if step.status == Status::Done {
            return Ok((numbers, at));
        }
        // What was not enough is there again, and more.
        (input, output) = (to - at, room - step.wrote);
    }
}

fn pieces_of(
    chunk: &Chunk<'_>,
    bytes: &[u8],
    plan: Plan,
    split: impl FnMut() -> (usize, usize),
) -> Result<(Vec<u8>, usize), Error> {
    let page = &bytes[chunk.page_at as usize..];
    match chunk.number_type().bits() {
        8 => pieces::<u8>(&chunk.meta, page, chunk.len, chunk.page_at, plan, split),
        16 => pieces::<u16>(&chunk.meta, page, chunk.len, chunk.page_at, plan, split),
        32 => pieces::<u32>(&chunk.meta, page, chunk.len, chunk.page_at, plan, split),
        _ => pieces::<u64>(&chunk.meta, page, chunk.len, chunk.page_at, plan, split),
    }
}

#[test]
fn vectors_are_bit_exact() {
    valid(|name, bytes, expected, entry| {
        let (numbers, end) = decode(bytes, None).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(numbers == expected, "{name}: other numbers");
        assert_eq!(end, bytes.len() as u64, "{name}");
        let file = File::open(bytes, &Limits::DEFAULT).unwrap();
        assert_eq!(u64::from(file.header.standalone_version), number(entry, "standalone_version"), "{name}");
        assert_eq!(file.header.n_hint, number(entry, "n_hint"), "{name}");
        assert_eq!(file.header.uniform_type.map_or(0, |ty| ty as u64), number(entry, "uniform_type"), "{name}");
        let version = format!("{}.{}", file.header.version.major, file.header.version.minor);
        assert_eq!(version, text(entry, "format_version"), "{name}");
    });
}

/// Adds up the bits of the offsets of each variable.
#[derive(Default)]
struct OffsetBits([u64; 3]);

impl Trace for OffsetBits {
    fn enter(&mut self, _: Name, _: Value<'_>) {}

    fn leave(&mut self) {}

    fn leaf(&mut self, _: Part, name: Name, bits: Range<u64>, _: Value<'_>) {
        let roles = [Name::LookbackOffsets, Name::PrimaryOffsets, Name::SecondaryOffsets];
        if let Some(role) = roles.iter().position(|&role| role == name) {
            self.0[role] += bits.end - bits.start;
        }
    }
}

#[test]
fn bins_were_taken_as_often_as_their_offsets_say() {
    valid(|name, bytes, _, _| {
        let file = File::open(bytes, &Limits::NONE).unwrap();
        let mut at = file.first();
        while let Some(chunk) = file.chunk(at).unwrap() {
            let mut told = OffsetBits::default();
            let mut numbers = vec![0; chunk.len * chunk.number_type().size()];
            let words = &mut workspace(&chunk, Plan::Batches);
            at = chunk.decode_bytes_traced(&mut numbers, words, &mut told).unwrap();
            for variable in chunk.meta.variables.iter().flatten() {
                let mut counts = vec![7; variable.bins as usize];
                chunk.count_bins(variable.role, &mut counts, &mut workspace(&chunk, Plan::CompactWhole)).unwrap();
                let stored = counts.iter().map(|&count| count as usize).sum::<usize>();
                // What the metadata of the page holds is not in any bin.
                let in_metadata = chunk.meta.delta.state_len();
                let expected = [chunk.len, chunk.len.saturating_sub(in_metadata)];
                assert!(variable.bins == 0 || expected.contains(&stored), "{name}: {stored}");
                let bits = counts.iter().zip(variable.iter()).map(|(&count, bin)| u64::from(count * bin.offset_bits));
                assert_eq!(bits.sum::<u64>(), told.0[variable.role as usize], "{name}: {:?}", variable.role);
            }
        }
    });
}

#[test]
fn trailing_bytes_are_told_and_not_read() {
    valid(|name, bytes, expected, _| {
        let mut longer = bytes.to_vec();
        longer.extend([0xFF; 11]);
        let (numbers, end) = decode(&longer, None).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(numbers == expected && end == bytes.len() as u64, "{name}");
        let file = File::open(&longer, &Limits::DEFAULT).unwrap();
        assert_eq!(file.trailing(end - 1), [0xFF; 11], "{name}");
    });
}

#[test]
fn unaligned_bytes_whole_pages_and_pieces_give_the_same_numbers() {
    valid(|name, bytes, expected, _| {
        let file = File::open(bytes, &Limits::DEFAULT).unwrap();
        let (mut at, mut start) = (file.first(), 0);
        let mut random = Random(bytes.len() as u64);
        while let Some(chunk) = file.chunk(at).unwrap() {
            let size = chunk.len * chunk.number_type().size();
            let expected = &expected[start..start + size];
            let mut room = vec![0; size + 1];
            let next = chunk.decode_bytes(&mut room[1..], &mut workspace(&chunk, Plan::Batches)).unwrap();
            assert!(&room[1..] == expected, "{name}: not aligned");
            let small = bytes.len() < 20_000;
            for round in 0..if small { 8 } else { 3 } {
                let plan = if small && round >= 4 || round == 2 { Plan::CompactBatches } else { Plan::Batches };
                let (numbers, read) = pieces_of(&chunk, bytes, plan, || match round % 4 {
                    0 => (1 << 20, 256),
                    1 => (64, 1000),
                    2 => (1, 1),
                    _ => (1 + random.below(300), 1 + random.below(700)),
                })
                .unwrap_or_else(|error| panic!("{name}: {error}"));
                assert!(numbers == expected, "{name}: in pieces, round {round}");
                assert_eq!(chunk.page_at + read as u64, next, "{name}");
            }
            assert_eq!(chunk.skip(&mut workspace(&chunk, Plan::Whole)), Ok(next), "{name}");
            (at, start) = (next, start + size);
        }
        assert_eq!(start, expected.len(), "{name}");
    });
}

/// Decodes the page of a chunk with words of which there are exactly as many as `plan` asks for, and not with one less.
fn exactly<L: Latent>(chunk: &Chunk<'_>, plan: Plan, expected: &[u8], name: &str) -> usize {
    let mut words = workspace(chunk, plan);
    let last = words.len() - 1;
    let Err(error) = Decoder::<L>::new(&chunk.meta, chunk.len, plan, &mut words[..last]) else {
        panic!("{name} {plan:?}: a word less is enough");
    };
    assert_eq!(error.class(), Class::WorkspaceTooSmall { need: words.len() as u64 }, "{name} {plan:?}");
    let mut decoder =
        Decoder::<L>::new(&chunk.meta, chunk.len, plan, &mut words).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut out = vec![L::ZERO; chunk.len];
    let mut leaves = Leaves::default();
    let read = decoder.page_traced(chunk.page(), 0, &mut out, &mut leaves).unwrap();
    leaves.assert_tile(read, name);
    assert!(out.iter().copied().eq(expected.chunks(size_of::<L>()).map(L::get)), "{name} {plan:?}: other numbers");
    assert_eq!(decoder.left(), 0);
    assert_eq!(decoder.skip(chunk.page(), chunk.len, 0), Ok(read), "{name} {plan:?}");
    // A page that was started is given up.
    decoder.start(chunk.len, 0).unwrap();
    assert_eq!(decoder.skip(chunk.page(), chunk.len, 0), Ok(read), "{name} {plan:?}");
    let step = decoder.step(chunk.page(), End::Here, &mut out);
    assert_eq!(step, Ok(Step { read: 0, wrote: 0, status: Status::Done }), "{name} {plan:?}");
    read
}

#[test]
fn every_plan_takes_exactly_the_words_that_it_tells() {
    let all = Cell::new((0, 0));
    valid(|name, bytes, expected, _| {
        let file = File::open(bytes, &Limits::DEFAULT).unwrap();
        let (mut at, mut start) = (file.first(), 0);
        while let Some(chunk) = file.chunk(at).unwrap() {
            let size = chunk.len * chunk.number_type().size();
            let expected = &expected[start..start + size];
            let plans = [Plan::Whole, Plan::Batches, Plan::CompactWhole, Plan::CompactBatches];
            let read = plans.map(|plan| match chunk.number_type().bits() {
                8 => exactly::<u8>(&chunk, plan, expected, name),
                16 => exactly::<u16>(&chunk, plan, expected, name),
                32 => exactly::<u32>(&chunk, plan, expected, name),
                _ => exactly::<u64>(&chunk, plan, expected, name),
            });
            assert_eq!(read, [read[0]; 4], "{name}");
            let len = |plan| chunk.workspace_len(plan);
            all.set((all.get().0 + len(Plan::CompactBatches), all.get().1 + len(Plan::Batches)));
            (at, start) = (chunk.page_at + read[0] as u64, start + size);
        }
    });
    // Not each of them: latents of 8 bits take 32 there.
    let (compact, fast) = all.get();
    assert!(compact <= fast, "{compact} {fast}");
}

#[test]
fn leaves_tile_every_vector() {
    valid(|name, bytes, expected, _| {
        let mut leaves = Leaves::default();
        let file = File::open_traced(bytes, &Limits::DEFAULT, &mut leaves).unwrap();
        let (mut at, mut out) = (file.first(), vec![]);
        while let Some(chunk) = file.chunk_traced(at, &mut leaves).unwrap() {
            let start = out.len();
            out.resize(start + chunk.len * chunk.number_type().size(), 0);
            at = chunk
                .decode_bytes_traced(&mut out[start..], &mut workspace(&chunk, Plan::Batches), &mut leaves)
                .unwrap();
        }
        assert!(out == expected, "{name}: other numbers when heard");
        leaves.assert_tile(bytes.len(), name);
    });
}

/// The parts of one wrapped file, decoded page by page.
fn wrapped(header: &[u8], ty: NumberType, meta: &[u8], pages: &[(Vec<u8>, usize)]) -> Result<Vec<Vec<u8>>, Error> {
    let (version, len) = Version::parse(header)?;
    // The bad ones of version 3 leave the minor version unread.
    assert!(len <= header.len());
    let (meta, _) = Meta::parse(meta, ty, version.major, 0, &Limits::NONE)?;
    let all = match ty.bits() {
        8 => wrapped_pages::<u8>(&meta, pages),
        16 => wrapped_pages::<u16>(&meta, pages),
        32 => wrapped_pages::<u32>(&meta, pages),
        _ => wrapped_pages::<u64>(&meta, pages),
    }?;
    // And all of them behind each other, whether that is where numbers may lie or not.
    let together = all.concat();
    let (longest, each) = (longest(pages), || pages.iter().map(|(page, n)| (page.as_slice(), *n)));
    let mut words = vec![0; meta.workspace_len(longest, Plan::Batches) as usize];
    let mut room = vec![0xAA_u8; together.len() + 1];
    for start in [0, 1] {
        meta.decode_pages_bytes(each(), longest, &mut room[start..][..together.len()], &mut words)?;
        assert!(room[start..][..together.len()] == together);
    }
    if let Some(less) = together.len().checked_sub(1) {
        let error = meta.decode_pages_bytes(each(), longest, &mut room[..less], &mut words).unwrap_err();
        assert_eq!(error.kind, ErrorKind::OutputTooSmall);
    }
    Ok(all)
}

fn longest(pages: &[(Vec<u8>, usize)]) -> usize {
    pages.iter().map(|(_, n)| *n).max().unwrap_or(0)
}

fn wrapped_pages<L: Latent>(meta: &Meta<'_>, pages: &[(Vec<u8>, usize)]) -> Result<Vec<Vec<u8>>, Error> {
    let longest = longest(pages);
    let mut words = vec![0; meta.workspace_len(longest, Plan::Whole) as usize];
    let mut decoder = Decoder::<L>::new(meta, longest, Plan::Whole, &mut words)?;
    let mut compact_words = vec![0; meta.workspace_len(longest, Plan::CompactWhole) as usize];
    let mut compact = Decoder::<L>::new(meta, longest, Plan::CompactWhole, &mut compact_words)?;
    let mut all = vec![];
    for (page, n) in pages {
        let mut out = vec![L::ZERO; *n];
        let read = decoder.page(page, 0, &mut out)?;
        assert_eq!(decoder.skip(page, *n, 0), Ok(read));
        let (numbers, in_pieces) = pieces::<L>(meta, &page[..read], *n, 0, Plan::Batches, || (50, 300))?;
        assert_eq!(in_pieces, read);
        assert!(numbers.chunks(size_of::<L>()).map(L::get).eq(out.iter().copied()));
        let mut again = vec![L::ZERO; *n];
        assert_eq!(compact.page(page, 0, &mut again)?, read);
        assert!(again == out);
        all.push(numbers);
    }
    Ok(all)
}

fn type_named(name: &str) -> NumberType {
    NumberType::ALL.into_iter().find(|ty| ty.name() == name).unwrap()
}

#[test]
fn wrapped_vectors_are_bit_exact() {
    for folder in vector_folders("pco") {
        let folder = folder.join("wrapped");
        let (mut sets, mut count) = (0, 0);
        for set in list(&manifest(&folder.join("manifest.json")), "sets") {
            let name = text(set, "name");
            let part = |file: &str| read(&folder.join(name).join(file));
            let expected = part(text(set, "expected"));
            for chunk in list(set, "chunks") {
                let pages: Vec<_> = list(chunk, "pages")
                    .iter()
                    .map(|page| (part(text(page, "file")), number(page, "n") as usize))
                    .collect();
                let ty = type_named(text(set, "dtype"));
                let all = wrapped(&part(text(set, "header")), ty, &part(text(chunk, "meta")), &pages)
                    .unwrap_or_else(|error| panic!("{name}: {error}"));
                for (numbers, page) in all.iter().zip(list(chunk, "pages")) {
                    let start = number(page, "expected_byte_offset") as usize;
                    assert!(numbers == &expected[start..start + numbers.len()], "{name}");
                    count += 1;
                }
            }
            sets += 1;
        }
        assert!(sets > 3);
        eprintln!("{}: {sets} sets, {count} pages", folder.display());
    }
}

/// Whether a result is what the manifest says of the reference: refused for the same reason, or taken.
fn assert_verdict(name: &str, entry: &Json, result: Result<u64, Error>) {
    let reference = &entry["reference"];
    // The reference reads old memory here; a strict decoder says that there is no lookback 0.
    if name == "look_wraps_to_zero.pco" {
        assert_eq!(result.map_err(|error| error.kind), Err(ErrorKind::PcoLookback));
        return;
    }
    match (text(reference, "result"), result) {
        ("ok", Ok(n)) => assert_eq!(n, number(reference, "n"), "{name}"),
        ("error", Err(error)) => {
            let truncated = error.class() == Class::Truncated;
            // Where several things are wrong, decoders may differ in which they name.
            if entry["agree"] != Json::Bool(false) {
                assert_eq!(truncated, text(reference, "kind") == "InsufficientData", "{name}: {error}");
            }
            assert!(!truncated || error.need > 0, "{name}: how much is missing is not said");
        }
        (expected, result) => panic!("{name}: {result:?}, but {expected} expected: {reference}"),
    }
}

#[test]
fn bad_vectors_end_as_their_manifest_says() {
    for folder in vector_folders("pco") {
        let folder = folder.join("bad");
        let manifest = manifest(&folder.join("manifest.json"));
        let (mut files, mut sets) = (0, 0);
        for entry in list(&manifest, "files") {
            let name = text(entry, "file");
            let bytes = read(&folder.join(name));
            let ty = text(entry, "dtype");
            let result = decode(&bytes, Some(ty));
            if let Ok((numbers, _)) = &result
                && let Some(reference) = reference_decode(ty, &bytes)
            {
                assert!(*numbers == reference, "{name}: other numbers");
            }
            let size = type_named(ty).size();
            assert_verdict(name, entry, result.map(|(numbers, _)| (numbers.len() / size) as u64));
            files += 1;
        }
        for entry in list(&manifest, "wrapped") {
            let name = text(entry, "files").split('.').next().unwrap();
            let part = |end: &str| read(&folder.join(format!("{name}.{end}")));
            let n = number(entry, "n") as usize;
            let result =
                wrapped(&part("header"), type_named(text(entry, "dtype")), &part("meta"), &[(part("page"), n)]);
            assert_verdict(name, entry, result.map(|_| n as u64));
            sets += 1;
        }
        assert!(files > 3 && sets > 3);
        eprintln!("{}: {files} files, {sets} wrapped", folder.display());
    }
}

/// What the reference decodes, as little-endian bytes; `None` if it refuses.
fn reference_decode(ty: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    fn run<T: pco::data_types::Number>(bytes: &[u8], put: impl Fn(&T, &mut Vec<u8>)) -> Option<Vec<u8>> {
        let numbers = pco::standalone::simple_decompress::<T>(bytes).ok()?;
        let mut out = vec![];
        numbers.iter().for_each(|number| put(number, &mut out));
        Some(out)
    }
    match ty {
        "u8" => run::<u8>(bytes, |x, out| out.push(*x)),
        "i8" => run::<i8>(bytes, |x, out| out.extend(x.to_le_bytes())),
        "u16" => run::<u16>(bytes, |x, out| out.extend(x.to_le_bytes())),
        "i16" => run::<i16>(bytes, |x, out| out.extend(x.to_le_bytes())),
        "f16" => run::<half::f16>(bytes, |x, out| out.extend(x.to_le_bytes())),
        "u32" => run::<u32>(bytes, |x, out| out.extend(x.to_le_bytes())),
        "i32" => run::<i32>(bytes, |x, out| out.extend(x.to_le_bytes())),
        "f32" => run::<f32>(bytes, |x, out| out.extend(x.to_le_bytes())),
        "u64" => run::<u64>(bytes, |x, out| out.extend(x.to_le_bytes())),
        "i64" => run::<i64>(bytes, |x, out| out.extend(x.to_le_bytes())),
        _ => run::<f64>(bytes, |x, out| out.extend(x.to_le_bytes())),
    }
}

/// Calls `$run::<T>($($argument),*)` for each number type, with what makes one out of 64 bits.
macro_rules! for_each_type {
    ($run:ident) => {
        $run::<u8>(|bits| bits as u8);
        $run::<i8>(|bits| bits as i8);
        $run::<u16>(|bits| bits as u16);
        $run::<i16>(|bits| bits as i16);
        $run::<half::f16>(|bits| half::f16::from_f64(bits as i16 as f64 / 8.0));
        $run::<u32>(|bits| bits as u32);
        $run::<i32>(|bits| bits as i32);
        $run::<f32>(|bits| bits as i16 as f32 * 0.01);
        $run::<u64>(|bits| bits);
        $run::<i64>(|bits| bits.cast_signed());
        $run::<f64>(|bits| bits as i32 as f64 * 0.01);
    };
}

/// Whether the reference refuses the first chunk of a file before it reads a batch, and what for.
fn reference_opens(ty: &str, bytes: &[u8]) -> Result<(), pco::errors::ErrorKind> {
    fn open<T: pco::data_types::Number>(bytes: &[u8]) -> Result<(), pco::errors::ErrorKind> {
        let (file, chunks) = pco::standalone::FileDecompressor::new(bytes).map_err(|error| error.kind)?;
        file.chunk_decompressor::<T, _>(chunks).map(drop).map_err(|error| error.kind)
    }
    match ty {
        "u8" => open::<u8>(bytes),
        "i8" => open::<i8>(bytes),
        "u16" => open::<u16>(bytes),
        "i16" => open::<i16>(bytes),
        "f16" => open::<half::f16>(bytes),
        "u32" => open::<u32>(bytes),
        "i32" => open::<i32>(bytes),
        "f32" => open::<f32>(bytes),
        "u64" => open::<u64>(bytes),
        "i64" => open::<i64>(bytes),
        _ => open::<f64>(bytes),
    }
}

#[test]
fn metadata_with_a_flipped_bit_is_refused_for_the_reason_of_the_reference() {
    let (flips, other) = (Cell::new(0), Cell::new(0));
    small(|name, bytes| {
        let file = File::open(bytes, &Limits::DEFAULT).unwrap();
        let Some(chunk) = file.chunk(file.first()).unwrap() else { return };
        let ty = chunk.number_type().name();
        let (first, end) = ((file.first() as usize + 4) * 8, chunk.page_at as usize * 8);
        for bit in (first..end).step_by((end - first).div_ceil(64).max(1)).chain(first..end.min(first + 32)) {
            let mut bytes = bytes.to_vec();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let Err(theirs) = reference_opens(ty, &bytes) else { continue };
            let file = File::open(&bytes, &Limits { max_elements: 1 << 16, ..Limits::DEFAULT }).unwrap();
            let ours = file.chunk(file.first()).and_then(|chunk| {
                let chunk = chunk.unwrap();
                chunk.decode_bytes(
                    &mut vec![0; chunk.len * chunk.number_type().size()],
                    &mut workspace(&chunk, Plan::Batches),
                )
            });
            let error = ours.expect_err(name);
            flips.set(flips.get() + 1);
            let same = match (theirs, error.class()) {
                // It asks whether mode and deltas can be when all is read, and a limit is nothing that it has.
                (pco::errors::ErrorKind::InsufficientData, class) => match error.kind {
                    ErrorKind::PcoModeHere | ErrorKind::PcoModeValue => true,
                    ErrorKind::PcoConvolution | ErrorKind::PcoNoBins => true,
                    _ => matches!(class, Class::Truncated | Class::Limit),
                },
                (pco::errors::ErrorKind::Corruption, class) => class == Class::Corrupt,
                _ => false,
            };
            if !same {
                eprintln!("{name}, bit {}: {error}, but {theirs:?}", bit - first);
                other.set(other.get() + 1);
            }
        }
    });
    assert!(flips.get() > 1000, "only {flips:?}");
    assert_eq!(other.get(), 0, "of {flips:?}");
}

/// Writes bits from the lowest of each byte up.
#[derive(Default)]
struct Bits(Vec<u8>, usize);

impl Bits {
    fn put(&mut self, value: u64, n: usize) -> &mut Self {
        for i in 0..n {
            self.0.resize(self.1 / 8 + 1, 0);
            self.0[self.1 / 8] |= ((value >> i & 1) as u8) << (self.1 % 8);
            self.1 += 1;
        }
        self
    }

    fn pad(&mut self) -> &mut Self {
        self.put(0, self.1.wrapping_neg() % 8)
    }

    /// A variable of `width` bits with these bins: the lowest latent and the offset bits of each, and as much weight for all.
    fn variable(&mut self, width: usize, bins: &[(u64, u64)]) -> &mut Self {
        let log = bins.len().ilog2() as usize;
        self.put(log as u64, 4).put(bins.len() as u64, 15);
        for &(lower, offset_bits) in bins {
            self.put(0, log).put(lower, width).put(offset_bits, width.ilog2() as usize + 1);
        }
        self
    }

    /// What a file of `n` numbers of 32 bits starts with.
    fn of(n: usize) -> Self {
        let mut bits = Self(b"pco!\x03\0\0\x04\x01\x01".to_vec(), 80);
        bits.put(n as u64 - 1, 24);
        bits
    }
}

/// How many numbers are in front of a batch that is broken, and how many there are.
const BREAK: (usize, usize) = (1024, 1500);

/// A file whose numbers look each other up in a dictionary, or look back on each other, and fail in the fifth batch: at the number
/// right in the middle of it. Gives the offset where the batch starts, too.
fn breaks_late(dict: bool) -> (Vec<u8>, u64) {
    let mut bits = Bits::of(BREAK.1);
    if dict {
        // Of two entries; the second bin stands for the sixth.
        bits.put(4, 4).put(2, 25).pad().put(7, 32).put(9, 32).put(0, 4).variable(32, &[(0, 0), (5, 0)]).pad();
    } else {
        // A window of 2; the second bin goes up to a lookback of 3.
        bits.put(0, 4).put(2, 4).put(0, 5).put(0, 4).put(0, 1);
        bits.variable(32, &[(1, 0), (2, 1)]).variable(32, &[(1 << 31, 0)]).pad();
    }
    // The states are symbols, which are read again behind every one.
    let symbol = |i: usize| u64::from(i == BREAK.0 + 128);
    for i in 0..4 {
        bits.put(symbol(i), 1);
    }
    bits.put(7, if dict { 0 } else { 32 }).pad();
    let (stored, mut at) = (BREAK.1 - usize::from(!dict), 0);
    for start in (0..stored).step_by(256) {
        let batch = start..stored.min(start + 256);
        at = if start == BREAK.0 { bits.1 / 8 } else { at };
        for i in batch.clone() {
            bits.put(symbol(i + 4), 1);
        }
        if !dict {
            for i in batch {
                bits.put(1, symbol(i) as usize);
            }
        }
    }
    bits.pad().put(0, 8);
    (bits.0.clone(), at as u64)
}

#[test]
fn late_errors_come_behind_the_numbers_before_them_and_stay() {
    for dict in [true, false] {
        let (bytes, at) = breaks_late(dict);
        let kind = if dict { ErrorKind::PcoDictIndex } else { ErrorKind::PcoLookback };
        let expected = Error::new(kind, at);
        let file = File::open(&bytes, &Limits::DEFAULT).unwrap();
        let chunk = file.chunk(file.first()).unwrap().unwrap();
        let mut numbers = [0u32; BREAK.1];

        // One place, however the chunk is read.
        let words = &mut workspace(&chunk, Plan::Batches);
        assert_eq!(chunk.decode_bits(&mut numbers, &mut workspace(&chunk, Plan::Whole)), Err(expected));
        let heard = chunk.decode_bits_traced(&mut numbers, &mut workspace(&chunk, Plan::Whole), &mut Leaves::default());
        assert_eq!(heard, Err(expected));
        let mut out = vec![0; BREAK.1 * 4 + 1];
        assert_eq!(chunk.decode_bytes(&mut out[1..], words), Err(expected));
        assert_eq!(chunk.salvage_bytes(&mut out[1..], words), (BREAK.0, Err(expected)));
        assert!(out[1..][..BREAK.0 * 4].chunks(4).all(|number| number == [7, 0, 0, 0]));

        for plan in [Plan::Batches, Plan::CompactBatches] {
            for room in [256, 300, 600, BREAK.1] {
                let mut words = workspace(&chunk, plan);
                let mut decoder = Decoder::<u32>::new(&chunk.meta, chunk.len, plan, &mut words).unwrap();
                decoder.start(chunk.len, chunk.page_at).unwrap();
                let (mut read, mut all) = (0, vec![]);
                let error = loop {
                    match decoder.step(&chunk.page()[read..], End::Here, &mut numbers[..room]) {
                        Ok(step) => {
                            read += step.read;
                            all.extend_from_slice(&numbers[..step.wrote]);
                            assert_eq!(step.status, Status::NeedOutput);
                        }
                        Err(error) => break error,
                    }
                };
                assert_eq!(error, expected, "{plan:?} {room}");
                assert!(all == [7; BREAK.0], "{plan:?} {room}: {}", all.len());
                assert_eq!(chunk.page_at + read as u64, at, "{plan:?} {room}");
                for _ in 0..2 {
                    assert_eq!(decoder.step(&chunk.page()[read..], End::Here, &mut numbers), Err(expected));
                }
            }
        }
        for plan in [Plan::Whole, Plan::CompactWhole, Plan::Batches, Plan::CompactBatches] {
            let mut words = workspace(&chunk, plan);
            let mut decoder = Decoder::<u32>::new(&chunk.meta, chunk.len, plan, &mut words).unwrap();
            assert_eq!(decoder.page(chunk.page(), chunk.page_at, &mut numbers), Err(expected), "{plan:?}");
            assert_eq!(decoder.step(chunk.page(), End::Here, &mut numbers), Err(expected), "{plan:?}");
        }
    }
}

#[test]
fn a_page_that_is_done_stays_done() {
    small(|name, bytes| {
        fn run<L: Latent>(chunk: &Chunk<'_>, name: &str) {
            for plan in [Plan::Whole, Plan::CompactWhole, Plan::Batches, Plan::CompactBatches] {
                let mut words = workspace(chunk, plan);
                let mut decoder = Decoder::<L>::new(&chunk.meta, chunk.len, plan, &mut words).unwrap();
                let mut numbers = vec![L::ZERO; chunk.len];
                let read = decoder.page(chunk.page(), 0, &mut numbers).unwrap();
                let before = numbers.clone();
                for _ in 0..3 {
                    let step = decoder.step(&chunk.page()[read..], End::Here, &mut numbers).unwrap();
                    assert_eq!((step.read, step.wrote, step.status), (0, 0, Status::Done), "{name} {plan:?}");
                }
                assert!(numbers == before, "{name} {plan:?}: other numbers");
            }
        }
        let file = File::open(bytes, &Limits::DEFAULT).unwrap();
        let Some(chunk) = file.chunk(file.first()).unwrap() else { return };
        match chunk.number_type().bits() {
            8 => run::<u8>(&chunk, name),
            16 => run::<u16>(&chunk, name),
            32 => run::<u32>(&chunk, name),
            _ => run::<u64>(&chunk, name),
        }
    });
}

#[test]
fn a_call_with_no_more_than_the_one_before_is_an_error() {
    let bytes = read(&vector_folders("pco")[0].join("n_f32_513.pco"));
    let file = File::open(&bytes, &Limits::DEFAULT).unwrap();
    let chunk = file.chunk(file.first()).unwrap().unwrap();
    for plan in [Plan::Whole, Plan::Batches, Plan::CompactBatches] {
        let mut words = workspace(&chunk, plan);
        let mut decoder = Decoder::<u32>::new(&chunk.meta, chunk.len, plan, &mut words).unwrap();
        let (page, mut numbers) = (chunk.page(), [0; 513]);
        for (bytes, room) in [(40, 513), (100, 255), (page.len(), 255)] {
            decoder.start(chunk.len, 7).unwrap();
            // Whoever comes with one byte more each time gets there.
            let mut read = 0;
            for end in 0..=bytes {
                let step = decoder.step(&page[read..end], End::NotYet, &mut numbers[..room]).unwrap();
                read += step.read;
                assert_eq!(step.wrote, 0);
            }
            let error = decoder.step(&page[read..bytes], End::NotYet, &mut numbers[..room]).unwrap_err();
            assert_eq!(error, Error::new(ErrorKind::NoProgress, 7 + read as u64), "{plan:?}");
            assert_eq!(decoder.step(page, End::Here, &mut numbers), Err(error), "{plan:?}");
            // A new page is a new start.
            assert_eq!(decoder.page(page, 0, &mut numbers).unwrap() + 1, page.len(), "{plan:?}");
        }
    }
}

/// Files of the reference's encoder around every size at which something changes, in all modes and deltas that it has.
#[test]
fn what_the_reference_writes_is_read_as_it_reads_it() {
    use pco::{ChunkConfig, DeltaSpec, ModeSpec, PagingSpec};
    fn run<T: pco::data_types::Number>(make: fn(u64) -> T) {
        let modes = [
            ModeSpec::Auto,
            ModeSpec::Classic,
            ModeSpec::TryIntMult(12),
            ModeSpec::TryFloatMult(0.01),
            ModeSpec::TryFloatQuant(3),
            ModeSpec::TryDict,
        ];
        let deltas = [
            DeltaSpec::Auto,
            DeltaSpec::NoOp,
            DeltaSpec::TryConsecutive(1),
            DeltaSpec::TryConsecutive(2),
            DeltaSpec::TryConsecutive(7),
            DeltaSpec::TryLookback,
            DeltaSpec::TryConv1(1),
            DeltaSpec::TryConv1(6),
            DeltaSpec::TryConv1(32),
        ];
        let mut random = Random(1);
        let mut files = 0;
        for n in [1, 2, 3, 7, 8, 255, 256, 257, 511, 512, 513, 767, 769, 1023, 1025, 2500] {
            let numbers: Vec<T> = match n % 3 {
                0 => (0..n).map(|i| make(i as u64 * 12 + random.bits() % 3 * 24)).collect(),
                1 => (0..n).map(|i| make((i % 50 * 600) as u64 + random.bits() % 4)).collect(),
                _ => (0..n).map(|_| make(random.bits() >> (random.bits() % 64))).collect(),
            };
            for mode in &modes {
                for delta in &deltas {
                    for page in [n, 300] {
                        let config = ChunkConfig::default()
                            .with_mode_spec(mode.clone())
                            .with_delta_spec(delta.clone())
                            .with_enable_8_bit(true)
                            .with_paging_spec(PagingSpec::EqualPagesUpTo(page))
                            .with_compression_level(files % 13);
                        // Not every combination exists for every type, and the encoder panics on pages that are shorter than
                        // the order of a convolution.
                        let compress = || pco::standalone::simple_compress(&numbers, &config);
                        let Ok(Ok(bytes)) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(compress)) else {
                            continue;
                        };
                        let (decoded, end) =
                            decode(&bytes, None).unwrap_or_else(|error| panic!("{n} {mode:?} {delta:?}: {error}"));
                        assert_eq!(end, bytes.len() as u64);
                        let ty =
                            File::open(&bytes, &Limits::NONE).map(|file| file.chunk(file.first())).unwrap().unwrap();
                        let ty = ty.unwrap().number_type().name();
                        assert!(Some(decoded) == reference_decode(ty, &bytes), "{n} {mode:?} {delta:?} {ty}");
                        files += 1;
                    }
                }
            }
        }
        assert!(files > 600, "only {files}");
    }
    for_each_type!(run);
}

/// Small files of every kind, for tests that take them apart.
fn small(test: impl Fn(&str, &[u8])) {
    valid(|name, bytes, _, _| {
        if bytes.len() < 700 {
            test(name, bytes);
        }
    });
}

#[test]
fn output_or_workspace_one_too_small_says_what_would_do() {
    small(|name, bytes| {
        let file = File::open(bytes, &Limits::DEFAULT).unwrap();
        let Some(chunk) = file.chunk(file.first()).unwrap() else { return };
        let mut words = workspace(&chunk, Plan::Batches);
        let size = chunk.number_type().size() * chunk.len;
        let mut out = vec![0; size - 1];
        let error = chunk.decode_bytes(&mut out, &mut words).unwrap_err();
        assert_eq!(error.class(), Class::OutputTooSmall { need: size as u64 }, "{name}");

        let mut whole = workspace(&chunk, Plan::Whole);
        let last = whole.len() - 1;
        let error = chunk.skip(&mut whole[..last]).unwrap_err();
        assert_eq!(error.class(), Class::WorkspaceTooSmall { need: whole.len() as u64 }, "{name}");
    });
}

#[test]
fn every_cut_is_an_error_that_tells_how_much_is_missing() {
    small(|name, bytes| {
        for len in 0..bytes.len() {
            let error = decode(&bytes[..len], None).expect_err(name);
            assert_eq!(error.class(), Class::Truncated, "{name} cut to {len}: {error}");
            assert!(error.at <= len as u64 && error.need > len as u64 && error.need <= bytes.len() as u64, "{name}");
        }
    });
}

#[test]
fn a_broken_chunk_gives_the_numbers_in_front_of_the_break() {
    let (some, walked) = (Cell::new(0), Cell::new(0));
    small(|name, bytes| {
        let (whole, _) = decode(bytes, None).expect(name);
        let file = File::open(bytes, &Limits::DEFAULT).expect(name);
        let Some(first) = file.chunk(file.first()).expect(name) else { return };
        let mut before = 0;
        for len in first.page_at as usize..bytes.len() {
            let file = File::open(&bytes[..len], &Limits::DEFAULT).expect(name);
            let chunk = file.chunk(file.first()).expect(name).expect(name);
            let size = chunk.number_type().size();
            let mut numbers = vec![0xAA; chunk.len * size];
            let mut words = workspace(&chunk, Plan::Batches);
            let (count, ended) = chunk.salvage_bytes(&mut numbers, &mut words);
            assert_eq!(ended, chunk.decode_bytes(&mut numbers.clone(), &mut words), "{name} cut to {len}");
            assert!(count % 256 == 0 || count == chunk.len, "{name} cut to {len}: {count}");
            assert!(
                count >= before && numbers[..count * size] == whole[..count * size],
                "{name} cut to {len}: {count}"
            );
            before = count;
            some.set(some.get() + usize::from((1..chunk.len).contains(&count)));
        }
        let mut all = vec![];
        let cut = inspect(&bytes[..bytes.len() - 1], &Limits::DEFAULT, &mut (), |_, numbers| {
            all.extend_from_slice(numbers);
            Ok(())
        });
        assert_eq!(cut.expect_err(name).class(), Class::Truncated, "{name}");
        assert!(whole.starts_with(&all), "{name}");
        walked.set(walked.get() + usize::from(!all.is_empty()));
        // Of a whole chunk all, if there is room for it.
        let mut numbers = vec![0; first.len * first.number_type().size()];
        let mut words = workspace(&first, Plan::Batches);
        assert_eq!(first.salvage_bytes(&mut numbers, &mut words).0, first.len, "{name}");
        assert!(whole.starts_with(&numbers), "{name}");
        if !words.is_empty() {
            let (count, ended) = first.salvage_bytes(&mut numbers, &mut []);
            assert_eq!((count, ended.map_err(|error| error.kind)), (0, Err(ErrorKind::WorkspaceTooSmall)), "{name}");
        }
        numbers.pop();
        let (count, ended) = first.salvage_bytes(&mut numbers, &mut workspace(&first, Plan::Batches));
        assert_eq!((count, ended.map_err(|error| error.kind)), (0, Err(ErrorKind::OutputTooSmall)), "{name}");
    });
    assert!(some.get() > 1000 && walked.get() > 50, "{some:?} {walked:?}");
}

#[test]
fn mutations_never_panic_and_never_disagree_with_the_reference() {
    let mut random = Random(7);
    let (mut taken, mut refused) = (0, 0);
    let seeds = std::cell::RefCell::new(vec![]);
    small(|_, bytes| seeds.borrow_mut().push(bytes.to_vec()));
    for bytes in seeds.into_inner() {
        for _ in 0..12 {
            let mut bytes = bytes.clone();
            for _ in 0..=random.below(3) {
                let at = random.below(bytes.len());
                match random.below(4) {
                    0 => bytes[at] = random.bits() as u8,
                    1 => bytes.truncate(at.max(4)),
                    _ => bytes[at] ^= 1 << random.below(8),
                }
            }
            let limits = Limits { max_output: 1 << 22, max_elements: 1 << 20, ..Limits::DEFAULT };
            let Ok(file) = File::open(&bytes, &limits) else { continue };
            let (mut at, mut all, mut ty) = (file.first(), vec![], None);
            let ended = loop {
                match file.chunk(at) {
                    Ok(Some(chunk)) => {
                        let start = all.len();
                        all.resize(start + chunk.len * chunk.number_type().size(), 0);
                        let same = ty.replace(chunk.number_type()).is_none_or(|ty| ty == chunk.number_type());
                        let whole = chunk.decode_bytes(&mut all[start..], &mut workspace(&chunk, Plan::Batches));
                        for plan in [Plan::Batches, Plan::CompactBatches] {
                            let pieces = pieces_of(&chunk, &bytes, plan, || (40, 256));
                            let place = |error: Error| error.at;
                            let (one, many) = (whole.map(drop).map_err(place), pieces.as_ref().map(drop));
                            assert_eq!(one, many.map_err(|error| place(*error)), "{plan:?}: {whole:?} {pieces:?}");
                            assert!(pieces.is_err() || pieces.is_ok_and(|(numbers, _)| numbers == all[start..]));
                        }
                        match (whole, same) {
                            (Ok(next), true) => at = next,
                            (Err(error), _) if error.kind == ErrorKind::PcoLookback => break None,
                            _ => break Some(false),
                        }
                    }
                    Ok(None) => break Some(true),
                    Err(error) if error.class() == Class::Limit => break None,
                    Err(_) => break Some(false),
                }
            };
            match (ended, ty) {
                (Some(true), Some(ty)) => {
                    assert!(reference_decode(ty.name(), &bytes) == Some(all), "other numbers: {bytes:02x?}");
                    taken += 1;
                }
                (Some(false), Some(ty)) => {
                    assert_eq!(reference_decode(ty.name(), &bytes), None, "{bytes:02x?}");
                    refused += 1;
                }
                _ => {}
            }
        }
    }
    eprintln!("{taken} mutations decode alike, {refused} are refused alike");
    assert!(taken > 100 && refused > 100);
}

#[test]
fn small_files_that_claim_much_are_bounded_before_any_work() {
    // u64, 2^24 numbers, classic, no delta, one bin without offsets: 2^24 times 0 in 30 bytes.
    let mut bytes = b"pco!\x03\x02\x00\x04\x01\x02\xFF\xFF\xFF".to_vec();
    let meta = [0u8, 1 << 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    bytes.extend(meta);
    bytes.push(0);
    let limits = Limits { max_output: 1 << 20, ..Limits::DEFAULT };
    let file = File::open(&bytes, &limits).unwrap();
    assert_eq!(file.chunk(file.first()).unwrap_err().class(), Class::Limit);
    let file = File::open(&bytes, &Limits::DEFAULT).unwrap();
    let chunk = file.chunk(file.first()).unwrap().unwrap();
    assert_eq!(chunk.len, 1 << 24);
    let mut few = [0u64; 10];
    let error = chunk.decode(&mut few, &mut workspace(&chunk, Plan::Whole)).unwrap_err();
    assert_eq!(error.class(), Class::OutputTooSmall { need: 1 << 24 });

    // A dictionary of 2^25 - 1 entries that are not there.
    let mut bytes = b"pco!\x03\x02\x00\x04\x01\x02\xFF\xFF\xFF".to_vec();
    bytes.extend([0xF4, 0xFF, 0xFF, 0x1F, 0, 0, 0]);
    let file = File::open(&bytes, &Limits::DEFAULT).unwrap();
    assert_eq!(file.chunk(file.first()).unwrap_err().class(), Class::Limit);
    let file = File::open(&bytes, &Limits::NONE).unwrap();
    let error = file.chunk(file.first()).unwrap_err();
    assert_eq!((error.class(), error.need), (Class::Truncated, 17 + 8 * ((1 << 25) - 1)));

    // A lookback window is history that a decoder may have to keep: 2^n numbers of 32 bits here, for indexes of a dictionary.
    let bytes = read(&vector_folders("pco")[0].join("m_u64_dict_lookback.pco"));
    let chunk = |max_window| {
        let file = File::open(&bytes, &Limits { max_window, ..Limits::DEFAULT }).unwrap();
        file.chunk(file.first()).map(drop).map_err(|error| (error.kind, error.need))
    };
    let (kind, need) = chunk(0).unwrap_err();
    assert!(kind == ErrorKind::WindowLimit && need.is_power_of_two());
    assert_eq!(chunk(need - 1), Err((ErrorKind::WindowLimit, need)));
    assert_eq!(chunk(need), Ok(()));
}

#[test]
fn a_window_counts_for_each_variable_that_looks_back() {
    for (mode, secondary, variables) in [(0, 0, 1), (0, 1, 1), (1, 0, 1), (1, 1, 2)] {
        let mut bits = Bits::of(5);
        bits.put(mode, 4).put(3, if mode == 1 { 32 } else { 0 });
        bits.put(2, 4).put(19, 5).put(0, 4).put(secondary, 1).variable(32, &[(1, 0)]).variable(32, &[(0, 0)]);
        if mode == 1 {
            bits.variable(32, &[(0, 0)]);
        }
        bits.pad();
        let need = variables * (4 << 20);
        let chunk = |max_window| {
            let file = File::open(&bits.0, &Limits { max_window, ..Limits::DEFAULT }).unwrap();
            file.chunk(file.first()).map(drop).map_err(|error| (error.kind, error.need))
        };
        assert_eq!(chunk(need - 1), Err((ErrorKind::WindowLimit, need)), "{mode} {secondary}");
        assert_eq!(chunk(need), Ok(()), "{mode} {secondary}");
    }
}

//! Corrupt and truncated files: refused as the reference refuses them, and salvaged.

use super::*;

/// Checks that a result equals the reference's in the manifest: refused for the same reason, or
/// accepted.
fn assert_verdict(name: &str, entry: &Json, result: Result<u64, Error>) {
    let reference = &entry["reference"];
    // The reference reads old memory here; a strict decoder refuses a lookback of 0.
    if name == "look_wraps_to_zero.pco" {
        assert_eq!(result.map_err(|error| error.kind), Err(ErrorKind::PcoLookback));
        return;
    }
    match (text(reference, "result"), result) {
        ("ok", Ok(n)) => assert_eq!(n, number(reference, "n"), "{name}"),
        ("error", Err(error)) => {
            let truncated = error.class() == Class::Truncated;
            // If several things are wrong, decoders may report different ones.
            if entry["agree"] != Json::Bool(false) {
                assert_eq!(truncated, text(reference, "kind") == "InsufficientData", "{name}: {error}");
            }
            assert!(!truncated || error.need > 0, "{name}: how much is missing is not said");
        }
        (expected, result) => panic!("{name}: {result:?}, but {expected} expected: {reference}"),
    }
}

#[test]
fn judges_bad_vectors_as_their_manifest_does() {
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

/// Returns the reason for which the reference refuses the first chunk before it reads a batch, if
/// it does.
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
        let Some(chunk) = file.chunk(file.first(), &mut ()).unwrap() else { return };
        let ty = chunk.number_type().name();
        let (first, end) = ((file.first() as usize + 4) * 8, chunk.page_at as usize * 8);
        for bit in (first..end).step_by((end - first).div_ceil(64).max(1)).chain(first..end.min(first + 32)) {
            let mut bytes = bytes.to_vec();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let Err(theirs) = reference_opens(ty, &bytes) else { continue };
            let file = File::open(&bytes, &Limits { max_elements: 1 << 16, ..Limits::DEFAULT }).unwrap();
            let ours = file.chunk(file.first(), &mut ()).and_then(|chunk| {
                let chunk = chunk.unwrap();
                chunk.decode_bytes(
                    &mut vec![0; chunk.len * chunk.number_type().size()],
                    &mut workspace(&chunk, Plan::Batches),
                    &mut (),
                )
            });
            let error = ours.expect_err(name);
            flips.set(flips.get() + 1);
            let same = match (theirs, error.class()) {
                // It checks mode and deltas after reading all metadata, and has no limits.
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

#[test]
fn reports_the_missing_bytes_at_every_cut() {
    small(|name, bytes| {
        for len in 0..bytes.len() {
            let error = decode(&bytes[..len], None).expect_err(name);
            assert_eq!(error.class(), Class::Truncated, "{name} cut to {len}: {error}");
            assert!(error.at <= len as u64 && error.need > len as u64 && error.need <= bytes.len() as u64, "{name}");
        }
    });
}

#[test]
fn asks_for_the_offsets_of_symbols_that_are_all_there() {
    let asked = Cell::new(0);
    valid(|name, bytes, expected, _| {
        if bytes.len() > 3000 {
            return;
        }
        let (file, mut leaves) = (File::open(bytes, &Limits::NONE).unwrap(), Leaves::default());
        let chunk = file.chunk(file.first(), &mut leaves).unwrap();
        let Some(chunk) = chunk else { return };
        let mut out = vec![0; expected.len()];
        let out = &mut out[..chunk.len * chunk.number_type().size()];
        chunk.decode_bytes(out, &mut workspace(&chunk, Plan::Batches), &mut leaves).unwrap();
        for pair in leaves.leaves.windows(2) {
            if matches!(pair[1].1, Name::PrimaryOffsets | Name::SecondaryOffsets | Name::LookbackOffsets) {
                let (symbols, offsets) = (pair[0].0.end.div_ceil(8), pair[1].0.end.div_ceil(8));
                if symbols < offsets {
                    let need = |len: u64| decode(&bytes[..len as usize], None).unwrap_err().need;
                    assert_eq!(need(symbols), offsets, "{name} cut to {symbols}");
                    assert_eq!(need(symbols - 1), symbols, "{name} cut to {}", symbols - 1);
                    asked.set(asked.get() + 1);
                }
            }
        }
    });
    assert!(asked.get() > 500, "{asked:?}");
}

#[test]
fn salvages_the_numbers_before_a_broken_batch() {
    let (some, walked) = (Cell::new(0), Cell::new(0));
    small(|name, bytes| {
        let (whole, _) = decode(bytes, None).expect(name);
        let file = File::open(bytes, &Limits::DEFAULT).expect(name);
        let Some(first) = file.chunk(file.first(), &mut ()).expect(name) else { return };
        let mut before = 0;
        for len in first.page_at as usize..bytes.len() {
            let file = File::open(&bytes[..len], &Limits::DEFAULT).expect(name);
            let chunk = file.chunk(file.first(), &mut ()).expect(name).expect(name);
            let size = chunk.number_type().size();
            let mut numbers = vec![0xAA; chunk.len * size];
            let mut words = workspace(&chunk, Plan::Batches);
            let (count, ended) = chunk.salvage_bytes(&mut numbers, &mut words, &mut ());
            assert_eq!(ended, chunk.decode_bytes(&mut numbers.clone(), &mut words, &mut ()), "{name} cut to {len}");
            assert!(count % 256 == 0 || count == chunk.len, "{name} cut to {len}: {count}");
            assert!(
                count >= before && numbers[..count * size] == whole[..count * size],
                "{name} cut to {len}: {count}"
            );
            before = count;
            some.set(some.get() + usize::from((1..chunk.len).contains(&count)));
        }
        let mut all = vec![];
        let cut = decode_chunks(&bytes[..bytes.len() - 1], &Limits::DEFAULT, &mut (), |_, numbers| {
            all.extend_from_slice(numbers);
            Ok(())
        });
        assert_eq!(cut.expect_err(name).class(), Class::Truncated, "{name}");
        assert!(whole.starts_with(&all), "{name}");
        walked.set(walked.get() + usize::from(!all.is_empty()));
        // All numbers of a sound chunk, if the output suffices.
        let mut numbers = vec![0; first.len * first.number_type().size()];
        let mut words = workspace(&first, Plan::Batches);
        assert_eq!(first.salvage_bytes(&mut numbers, &mut words, &mut ()).0, first.len, "{name}");
        assert!(whole.starts_with(&numbers), "{name}");
        if !words.is_empty() {
            let (count, ended) = first.salvage_bytes(&mut numbers, &mut [], &mut ());
            assert_eq!((count, ended.map_err(|error| error.kind)), (0, Err(ErrorKind::WorkspaceTooSmall)), "{name}");
        }
        numbers.pop();
        let (count, ended) = first.salvage_bytes(&mut numbers, &mut workspace(&first, Plan::Batches), &mut ());
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
                match file.chunk(at, &mut ()) {
                    Ok(Some(chunk)) => {
                        let start = all.len();
                        all.resize(start + chunk.len * chunk.number_type().size(), 0);
                        let same = ty.replace(chunk.number_type()).is_none_or(|ty| ty == chunk.number_type());
                        let whole =
                            chunk.decode_bytes(&mut all[start..], &mut workspace(&chunk, Plan::Batches), &mut ());
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

//! Pages in any pieces of input and output.

use super::*;

#[test]
fn decodes_the_same_numbers_from_unaligned_bytes_whole_pages_and_pieces() {
    valid(|name, bytes, expected, _| {
        let file = File::open(bytes, &Limits::DEFAULT).unwrap();
        let (mut at, mut start) = (file.first(), 0);
        let mut random = Random(bytes.len() as u64);
        while let Some(chunk) = file.chunk(at, &mut ()).unwrap() {
            let size = chunk.len * chunk.number_type().size();
            let expected = &expected[start..start + size];
            let mut room = vec![0; size + 1];
            let next = chunk.decode_bytes(&mut room[1..], &mut workspace(&chunk, Plan::Batches), &mut ()).unwrap();
            assert!(&room[1..] == expected, "{name}: not aligned");
            let small = bytes.len() < 20_000;
            for round in 0..if small { 8 } else { 3 } {
                let plan = if small && round >= 4 || round == 2 { Plan::CompactBatches } else { Plan::Batches };
                let (numbers, read) = pieces_of(&chunk, bytes, plan, || match round % 4 {
                    0 => (1 << 20, 256),
                    1 => (64, 1000),
                    // Thousands of numbers need not come one by one.
                    2 if chunk.len > 10_000 => (60, 17),
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

/// The numbers before a broken batch, and all numbers.
const BREAK: (usize, usize) = (1024, 1500);

/// A file whose numbers look each other up in a dictionary, or look back on each other, and fail in
/// the fifth batch: at the number in the middle of it. Returns the offset of the batch, too.
fn breaks_late(dict: bool) -> (Vec<u8>, u64) {
    let mut bits = Bits::of(BREAK.1);
    if dict {
        // A dictionary of two entries; the second bin is an index of 5.
        bits.put(4, 4).put(2, 25).pad().put(7, 32).put(9, 32).put(0, 4).variable(32, &[(0, 0), (5, 0)]).pad();
    } else {
        // A window of 2; the second bin goes up to a lookback of 3.
        bits.put(0, 4).put(2, 4).put(0, 5).put(0, 4).put(0, 1);
        bits.variable(32, &[(1, 0), (2, 1)]).variable(32, &[(1 << 31, 0)]).pad();
    }
    // Each state is a symbol; the next state is read after it.
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
fn returns_late_errors_after_the_numbers_before_them() {
    for dict in [true, false] {
        let (bytes, at) = breaks_late(dict);
        let kind = if dict { ErrorKind::PcoDictIndex } else { ErrorKind::PcoLookback };
        let expected = Error::new(kind, at);
        let file = File::open(&bytes, &Limits::DEFAULT).unwrap();
        let chunk = file.chunk(file.first(), &mut ()).unwrap().unwrap();
        let mut numbers = [0u32; BREAK.1];

        // The same offset, however the chunk is read.
        let words = &mut workspace(&chunk, Plan::Batches);
        assert_eq!(chunk.decode_bits(&mut numbers, &mut workspace(&chunk, Plan::Whole), &mut ()), Err(expected));
        let heard = chunk.decode_bits(&mut numbers, &mut workspace(&chunk, Plan::Whole), &mut Leaves::default());
        assert_eq!(heard, Err(expected));
        let mut out = vec![0; BREAK.1 * 4 + 1];
        assert_eq!(chunk.decode_bytes(&mut out[1..], words, &mut ()), Err(expected));
        assert_eq!(chunk.salvage_bytes(&mut out[1..], words, &mut ()), (BREAK.0, Err(expected)));
        assert!(out[1..][..BREAK.0 * 4].chunks(4).all(|number| number == [7, 0, 0, 0]));

        for plan in [Plan::Batches, Plan::CompactBatches] {
            for room in [256, 300, 600, BREAK.1] {
                let mut words = workspace(&chunk, plan);
                let mut decoder = opened::<u32>(&chunk.meta, chunk.len, plan, &mut words).unwrap();
                decoder.start(chunk.len, chunk.page_at).unwrap();
                let (mut read, mut all) = (0, vec![]);
                let error = loop {
                    let end = if room == 300 { End::NotYet } else { End::Here };
                    match decoder.step(&chunk.page()[read..], end, &mut numbers[..room]) {
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
            let mut decoder = opened::<u32>(&chunk.meta, chunk.len, plan, &mut words).unwrap();
            assert_eq!(decoder.page(chunk.page(), chunk.page_at, &mut numbers, &mut ()), Err(expected), "{plan:?}");
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
                let mut decoder = opened::<L>(&chunk.meta, chunk.len, plan, &mut words).unwrap();
                let mut numbers = vec![L::ZERO; chunk.len];
                let read = decoder.page(chunk.page(), 0, &mut numbers, &mut ()).unwrap();
                let before = numbers.clone();
                for _ in 0..3 {
                    let step = decoder.step(&chunk.page()[read..], End::Here, &mut numbers).unwrap();
                    assert_eq!((step.read, step.wrote, step.status), (0, 0, Status::Done), "{name} {plan:?}");
                }
                assert!(numbers == before, "{name} {plan:?}: other numbers");
            }
        }
        let file = File::open(bytes, &Limits::DEFAULT).unwrap();
        let Some(chunk) = file.chunk(file.first(), &mut ()).unwrap() else { return };
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
    let chunk = file.chunk(file.first(), &mut ()).unwrap().unwrap();
    for plan in [Plan::Whole, Plan::Batches, Plan::CompactBatches] {
        let mut words = workspace(&chunk, plan);
        let mut decoder = opened::<u32>(&chunk.meta, chunk.len, plan, &mut words).unwrap();
        let (page, mut numbers) = (chunk.page(), [0; 513]);
        for (bytes, room) in [(40, 513), (100, 255), (page.len(), 255)] {
            decoder.start(chunk.len, 7).unwrap();
            // One byte more each time succeeds.
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
            assert_eq!(decoder.page(page, 0, &mut numbers, &mut ()).unwrap() + 1, page.len(), "{plan:?}");
        }
    }
}

#[test]
fn a_page_fills_the_front_of_a_longer_output() {
    fn run<L: Latent + Default + PartialEq + std::fmt::Debug>(chunk: &Chunk<'_>, name: &str) {
        for plan in [Plan::Whole, Plan::Batches, Plan::CompactWhole, Plan::CompactBatches] {
            let mut words = workspace(chunk, plan);
            let mut decoder = opened::<L>(&chunk.meta, chunk.len, plan, &mut words).unwrap();
            let (mut exact, mut longer) = (vec![L::default(); chunk.len], vec![L::default(); chunk.len + 300]);
            decoder.page(chunk.page(), 0, &mut exact, &mut ()).unwrap();
            decoder.start(chunk.len, 0).unwrap();
            let step = decoder.step(chunk.page(), End::Here, &mut longer).unwrap();
            assert_eq!((step.wrote, step.status), (chunk.len, Status::Done), "{name} {plan:?}");
            assert!(longer.starts_with(&exact), "{name} {plan:?}");
        }
    }
    valid(|name, bytes, _, _| {
        let file = File::open(bytes, &Limits::DEFAULT).unwrap();
        let Some(chunk) = file.chunk(file.first(), &mut ()).unwrap().filter(|chunk| chunk.len > 0) else { return };
        match chunk.number_type().bits() {
            8 => run::<u8>(&chunk, name),
            16 => run::<u16>(&chunk, name),
            32 => run::<u32>(&chunk, name),
            _ => run::<u64>(&chunk, name),
        }
    });
}

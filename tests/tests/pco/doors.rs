//! The doors of whole files: each agrees with decoding chunk by chunk.

use super::*;
use std::num::NonZeroUsize;
use unspool::pco::{
    Options, Outline, SCRATCH_LEN, decode_bytes, decode_threaded, decode_to, decode_to_vec, decoded_len, inspect,
    salvage, workspace_len,
};
use unspool::{Count, SliceSink};

const PLANS: [Plan; 4] = [Plan::Whole, Plan::Batches, Plan::CompactWhole, Plan::CompactBatches];

/// Returns the words that suffice for all chunks of a file.
fn words_for(bytes: &[u8], plan: Plan) -> Vec<u64> {
    let file = File::open(bytes, &Limits::DEFAULT).unwrap();
    let (mut at, mut most) = (file.first(), 0);
    while let Some(chunk) = file.chunk(at, &mut ()).unwrap() {
        most = most.max(chunk.workspace_len(plan));
        at = chunk.skip(&mut workspace(&chunk, Plan::Whole)).unwrap();
    }
    vec![0x5A5A_5A5A_5A5A_5A5A; most as usize]
}

/// Decodes and salvages numbers of one type in every way.
fn typed<T: unspool::pco::Number, const N: usize>(
    put: fn(T) -> [u8; N],
    name: &str,
    bytes: &[u8],
    expected: &[u8],
    plan: Plan,
) {
    let options = Options { plan, ..Options::DEFAULT };
    let n = expected.len() / size_of::<T>();
    let mut numbers = vec![T::default(); n];
    let done = unspool::pco::decode(bytes, &mut numbers, &mut words_for(bytes, plan), &options, &mut ()).unwrap();
    assert_eq!((done.read, done.wrote, done.content), (bytes.len(), n, expected.len() as u64), "{name} {plan:?}");
    let same = |numbers: &[T]| numbers.iter().flat_map(|&number| put(number)).eq(expected.iter().copied());
    assert!(same(&numbers), "{name} {plan:?}: other numbers");
    assert!(same(&decode_to_vec::<T>(bytes, &options).unwrap()), "{name} {plan:?}: another vector");
    let mut saved = vec![T::default(); n];
    let words = &mut words_for(bytes, if matches!(plan, Plan::Whole | Plan::Batches) { PLANS[1] } else { PLANS[3] });
    assert_eq!(salvage(bytes, &mut saved, words, &options), (done, None), "{name} {plan:?}");
    assert!(same(&saved), "{name} {plan:?}: other numbers salvaged");
    if n > 0 {
        saved.pop();
        let error = unspool::pco::decode(bytes, &mut saved, words, &options, &mut ()).unwrap_err();
        assert_eq!(error.kind, ErrorKind::OutputTooSmall, "{name} {plan:?}");
        // Another type is the first error, in a vector and in an output without room.
        let other = if T::TYPE == NumberType::U8 { wrong::<i8> } else { wrong::<u8> };
        other(bytes, words, &options);
    }
}

/// Asserts that a file has another type than this.
fn wrong<T: unspool::pco::Number + PartialEq + Send + std::fmt::Debug>(
    bytes: &[u8],
    words: &mut [u64],
    options: &Options,
) {
    let error = unspool::pco::decode::<T>(bytes, &mut [], words, options, &mut ()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::WrongType);
    assert_eq!(decode_to_vec::<T>(bytes, options), Err(error));
    for threads in [1, 2] {
        let threads = NonZeroUsize::new(threads).unwrap();
        assert_eq!(decode_threaded::<T>(bytes, &mut [], threads, options), Err(error), "{threads} threads");
    }
}

#[test]
fn every_door_agrees() {
    let ran = valid(|name, bytes, expected, _| {
        let mut heard = Leaves::default();
        let chunks = decode_chunks(bytes, &Limits::DEFAULT, &mut heard, |_, _| Ok(())).unwrap();
        heard.assert_tile(bytes.len(), name);
        for plan in PLANS {
            let options = Options { plan, ..Options::DEFAULT };
            let (mut words, mut scratch) = (words_for(bytes, plan), [0xAA; SCRATCH_LEN]);
            let compact = !matches!(plan, Plan::Whole | Plan::Batches);
            let mut batches = words_for(bytes, if compact { Plan::CompactBatches } else { Plan::Batches });

            let mut out = vec![0xAA; expected.len()];
            let done = decode_bytes(bytes, &mut out, &mut batches, &options, &mut ()).unwrap();
            assert!(out == expected, "{name} {plan:?}");
            assert_eq!((done.read, done.wrote), (bytes.len(), expected.len()), "{name}");
            assert_eq!((done.parts, done.content), (chunks.parts, chunks.content), "{name}");

            let mut sunk = vec![0xAA; expected.len()];
            let sink = decode_to(bytes, &mut SliceSink::new(&mut sunk), &mut batches, &mut scratch, &options).unwrap();
            assert!(sunk == expected && sink == done, "{name} {plan:?}");

            let mut leaves = Leaves::default();
            let inspected = inspect(bytes, &mut batches, &mut scratch, &options, &mut leaves).unwrap();
            leaves.assert_tile(bytes.len(), name);
            assert_eq!((inspected.wrote, inspected.content), (0, done.content), "{name} {plan:?}");

            let len = decoded_len(bytes, &mut words, &options).unwrap();
            let size = done.content.checked_div(len).unwrap_or(0);
            assert!(len == 0 || [1, 2, 4, 8].contains(&size), "{name}: {len} numbers");
            if let Some(chunk) = first(bytes) {
                // Files of several types have no typed door.
                if decode_chunks(bytes, &Limits::DEFAULT, &mut (), |other, _| {
                    match other.number_type() == chunk.number_type() {
                        true => Ok(()),
                        false => Err(Error::new(ErrorKind::WrongType, 0)),
                    }
                })
                .is_err()
                {
                    return;
                }
                assert_eq!(workspace_len(bytes, &options), Ok(chunk.workspace_len(plan)), "{name}");
                match chunk.number_type() {
                    NumberType::U8 => typed(u8::to_le_bytes, name, bytes, expected, plan),
                    NumberType::I8 => typed(i8::to_le_bytes, name, bytes, expected, plan),
                    NumberType::U16 => typed(u16::to_le_bytes, name, bytes, expected, plan),
                    NumberType::I16 => typed(i16::to_le_bytes, name, bytes, expected, plan),
                    NumberType::F16 => assert!(decode_to_vec::<u16>(bytes, &options).is_err()),
                    NumberType::U32 => typed(u32::to_le_bytes, name, bytes, expected, plan),
                    NumberType::I32 => typed(i32::to_le_bytes, name, bytes, expected, plan),
                    NumberType::F32 => typed(f32::to_le_bytes, name, bytes, expected, plan),
                    NumberType::U64 => typed(u64::to_le_bytes, name, bytes, expected, plan),
                    NumberType::I64 => typed(i64::to_le_bytes, name, bytes, expected, plan),
                    NumberType::F64 => typed(f64::to_le_bytes, name, bytes, expected, plan),
                }
            }
        }
    });
    assert!(ran >= VALID[0]);
}

fn first(bytes: &[u8]) -> Option<Chunk<'_>> {
    let file = File::open(bytes, &Limits::DEFAULT).unwrap();
    file.chunk(file.first(), &mut ()).unwrap()
}

/// Feeds an outline the ranges it needs, and a larger workspace when it needs one.
/// Returns the length of the longest range.
fn outlined(bytes: &[u8], trace: &mut impl Trace) -> Result<u64, Error> {
    let (mut outline, mut words, mut most) = (Outline::new(bytes.len() as u64, &Limits::DEFAULT), vec![], 0);
    while let Some(range) = outline.needs() {
        let piece = &bytes[range.start as usize..range.end as usize];
        most = most.max(range.end - range.start);
        match outline.feed(range.start, piece, &mut words, trace) {
            Err(error) if error.kind == ErrorKind::WorkspaceTooSmall => words.resize(error.need as usize, 0),
            fed => fed?,
        }
    }
    Ok(most)
}

#[test]
fn an_outline_tiles_the_file_and_fails_as_decoding_does() {
    let cuts = Cell::new(0);
    let ran = valid(|name, bytes, _, _| {
        let mut longer = bytes.to_vec();
        longer.extend(*b"more");
        for bytes in [bytes, &longer] {
            let mut leaves = Leaves::default();
            outlined(bytes, &mut leaves).unwrap_or_else(|error| panic!("{name}: {error}"));
            // A page of equal numbers has no bytes. Anything else is a field only if it has.
            let is_field = |leaf: &(Range<u64>, Name)| leaf.1 == Name::PageOfNumbers || !leaf.0.is_empty();
            assert!(leaves.leaves.iter().all(is_field), "{name}");
            let leaves_of_all = leaves.leaves.clone();
            leaves.assert_tile(bytes.len(), name);
            let mut chunks = Leaves::default();
            decode_chunks(bytes, &Limits::DEFAULT, &mut chunks, |_, _| Ok(())).unwrap();
            chunks.assert_tile(bytes.len(), name);
            // A truncated page: all fields before it are emitted.
            if let Some(page) = leaves_of_all.iter().rposition(|leaf| leaf.1 == Name::PageOfNumbers) {
                let (bits, mut before) = (&leaves_of_all[page].0, Leaves::default());
                if !bits.is_empty() {
                    outlined(&bytes[..bits.end as usize / 8 - 1], &mut before).unwrap_err();
                    assert_eq!(before.leaves, leaves_of_all[..page], "{name}");
                }
            }
        }
        if bytes.len() < 700 {
            for len in 0..bytes.len() {
                let error = outlined(&bytes[..len], &mut ()).unwrap_err();
                assert_eq!(error, decode(&bytes[..len], None).unwrap_err(), "{name} cut to {len}");
                cuts.set(cuts.get() + 1);
            }
        }
    });
    assert!(ran >= VALID[0] && cuts.get() > 10_000, "{ran} {cuts:?}");
}

#[test]
fn an_outline_asks_for_more_than_a_piece() {
    for (lens, most) in [([1 << 19; 3], 4 << 20), ([3 << 19, 1 << 19, 1 << 19], 8 << 20)] {
        let mut file = b"pco!\x03\0\0\x04\x01".to_vec();
        for n in lens {
            let mut bits = Bits::default();
            bits.put(1, 8).put(n - 1, 24).put(0, 8).variable(32, &[(0, 32)]).pad();
            file.extend(bits.0);
            // Numbers as they are.
            file.extend((0..n as u32).flat_map(|number| number.wrapping_mul(0x9E37_79B9).to_le_bytes()));
        }
        file.push(0);
        let mut leaves = Leaves::default();
        assert_eq!(outlined(&file, &mut leaves), Ok(most));
        assert_eq!(leaves.leaves.iter().filter(|leaf| leaf.1 == Name::PageOfNumbers).count(), 3);
        leaves.assert_tile(file.len(), "long");
    }
}

#[test]
fn scratch_and_sink_may_refuse() {
    let bytes = read(&vector_folders("pco")[0].join("k_u32_arange.pco"));
    let (mut words, options) = (words_for(&bytes, Plan::Batches), Options::DEFAULT);
    let error = decode_to(&bytes, &mut Count::default(), &mut words, &mut [0; SCRATCH_LEN - 1], &options).unwrap_err();
    assert_eq!(error.class(), Class::WorkspaceTooSmall { need: SCRATCH_LEN as u64 });
    let mut room = [0; 1000];
    let mut sink = SliceSink::new(&mut room);
    let error = decode_to(&bytes, &mut sink, &mut words, &mut [0; SCRATCH_LEN], &options).unwrap_err();
    assert_eq!(error.kind, ErrorKind::SinkFull);
    let limits = Limits { max_output: 777 * 4 - 1, ..Limits::DEFAULT };
    let error = decode_to_vec::<u32>(&bytes, &Options { limits, ..options }).unwrap_err();
    assert_eq!((error.kind, error.need), (ErrorKind::OutputLimit, 777 * 4));
}

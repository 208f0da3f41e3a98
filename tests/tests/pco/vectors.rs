//! Every valid vector, and what the reference writes: bit-exact.

use super::*;

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

#[test]
fn emits_trailing_bytes_without_reading_them() {
    valid(|name, bytes, expected, _| {
        let mut longer = bytes.to_vec();
        longer.extend([0xFF; 11]);
        let (numbers, end) = decode(&longer, None).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(numbers == expected && end == bytes.len() as u64, "{name}");
        let file = File::open(&longer, &Limits::DEFAULT).unwrap();
        assert_eq!(file.trailing(end - 1), [0xFF; 11], "{name}");
    });
}

/// Calls `$run::<T>($($argument),*)` for each number type, with the function that makes one of 64
/// bits.
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

/// Decodes what the reference writes with this mode and no delta.
fn written<T: pco::data_types::Number>(numbers: &[T], mode: pco::ModeSpec) {
    let config = pco::ChunkConfig::default()
        .with_mode_spec(mode.clone())
        .with_delta_spec(pco::DeltaSpec::NoOp)
        .with_enable_8_bit(true);
    let bytes = pco::standalone::simple_compress(numbers, &config).unwrap();
    let file = File::open(&bytes, &Limits::NONE).unwrap();
    let chunk = file.chunk(file.first(), &mut ()).unwrap().unwrap();
    assert!(chunk.meta.mode != Mode::Classic || matches!(mode, pco::ModeSpec::Classic), "{mode:?}");
    let (decoded, _) = decode(&bytes, None).unwrap();
    assert!(Some(decoded) == reference_decode(chunk.number_type().name(), &bytes), "{mode:?}");
}

#[test]
fn multiples_of_floats_have_both_signs() {
    let mut random = Random(2);
    let steps: Vec<i16> = (0..3000).map(|_| random.bits() as i16 % 500).collect();
    let singles: Vec<f32> = steps.iter().map(|&step| f32::from(step) * 0.01).collect();
    let doubles: Vec<f64> = steps.iter().map(|&step| f64::from(step) * 0.01).collect();
    written(&singles, pco::ModeSpec::TryFloatMult(0.01));
    written(&doubles, pco::ModeSpec::TryFloatMult(0.01));
}

#[test]
fn a_long_page_has_numbers_of_all_widths() {
    let mut random = Random(3);
    let numbers: Vec<u64> = (0..60_000).map(|_| random.bits() >> (random.bits() % 64)).collect();
    written(&numbers, pco::ModeSpec::Classic);
}

/// Files of the reference's encoder around every size at which something changes, in all of its
/// modes and deltas.
#[test]
fn decodes_what_the_reference_writes_as_it_does() {
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
                        // Not every combination exists for every type, and the encoder panics on
                        // pages that are shorter than the order of a convolution.
                        let compress = || pco::standalone::simple_compress(&numbers, &config);
                        let Ok(Ok(bytes)) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(compress)) else {
                            continue;
                        };
                        let (decoded, end) =
                            decode(&bytes, None).unwrap_or_else(|error| panic!("{n} {mode:?} {delta:?}: {error}"));
                        assert_eq!(end, bytes.len() as u64);
                        let ty = File::open(&bytes, &Limits::NONE)
                            .map(|file| file.chunk(file.first(), &mut ()))
                            .unwrap()
                            .unwrap();
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

/// Returns a file with these bits before its page, which is noise.
fn noisy(head: &mut Bits) -> Vec<u8> {
    let mut leaves = Leaves::default();
    let mut bytes = [&head.pad().0[..], &Random(4).noise(40_000)].concat();
    // The noise goes on after the page, which is no padding and no chunk.
    decode_chunks(&bytes, &Limits::NONE, &mut leaves, |_, _| Ok(())).unwrap_err();
    let offsets = |name: &Name| matches!(name, Name::PrimaryOffsets | Name::SecondaryOffsets);
    let last = leaves.leaves.iter().rfind(|(_, name)| offsets(name)).unwrap();
    let end = last.0.end as usize;
    bytes.truncate(end.div_ceil(8));
    if !end.is_multiple_of(8) {
        *bytes.last_mut().unwrap() &= (1 << (end % 8)) - 1;
    }
    bytes.push(0);
    bytes
}

#[test]
fn noise_decodes_as_the_reference_decodes_it() {
    const N: usize = 2500;
    // Four states of two bits are a byte. Symbols of two of the bins take two bits, of the other
    // one bit, so offsets start at any bit.
    let three = |bits: &mut Bits, width: usize, offset_bits: u64| {
        let bins = [(1, 0, offset_bits), (2, 5, offset_bits), (1, 1 << (width - 1), offset_bits)];
        bits.weighted(width, 2, &bins);
    };
    let check = |name: &str, ty: NumberType, bits: &mut Bits| {
        let bytes = noisy(bits);
        let (numbers, end) = decode(&bytes, None).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((numbers.len(), end), (N * ty.size(), bytes.len() as u64), "{name}");
        assert!(Some(numbers) == reference_decode(ty.name(), &bytes), "{name}");
    };

    // Two offsets of 29 bits are one bit more than a load has.
    for offset_bits in [14, 15, 28, 29, 30, 31] {
        let mut bits = Bits::of_type(NumberType::U32, N);
        three(bits.put(0, 4).put(0, 4), 32, offset_bits);
        check(&format!("offsets of {offset_bits} bits"), NumberType::U32, &mut bits);
    }
    for offset_bits in [56, 57, 58, 63] {
        let mut bits = Bits::of_type(NumberType::U64, N);
        three(bits.put(0, 4).put(0, 4), 64, offset_bits);
        check(&format!("offsets of {offset_bits} bits"), NumberType::U64, &mut bits);
    }

    // Multiples of 7, and remainders that have all bits.
    for (ty, width) in [(NumberType::U16, 16), (NumberType::I32, 32), (NumberType::U64, 64)] {
        let mut bits = Bits::of_type(ty, N);
        bits.put(1, 4).put(7, width).put(0, 4);
        three(&mut bits, width, 3);
        bits.variable(width, &[(0, width as u64)]);
        check(&format!("remainders of {width} bits"), ty, &mut bits);
    }

    // Floats that lack their low bits, from latents of which most belong to no float.
    for (ty, width) in [(NumberType::F32, 32), (NumberType::F64, 64)] {
        for low in [1, 9, 23] {
            let mut bits = Bits::of_type(ty, N);
            bits.put(3, 4).put(low, 8).put(0, 4);
            three(&mut bits, width, width as u64 - 1);
            bits.variable(width, &[(0, low)]);
            check(&format!("floats without {low} bits"), ty, &mut bits);
        }
    }
}

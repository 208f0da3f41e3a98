//! Every valid file decodes to the bytes of the reference, through every call.

use std::cell::RefCell;
use std::collections::BTreeSet;

use serde_json::Value as Json;
use unspool::cvc::{self, Column, Dtype, File, Options, Scalar, Workspace};
use unspool::{Checksums, Class, Count, ErrorKind, Limits, Verify};
use unspool_tests::{Leaves, list, number, read, text, vector_folders};

use crate::{OPTIONS, SKIP, VALID, column, expected, range, valid};

#[test]
fn every_column_is_bit_exact() {
    valid(|name, bytes, entry, folder| {
        let file = File::open(bytes, &Limits::DEFAULT).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(file.num_vectors(), number(entry, "num_vectors"), "{name}");
        assert_eq!(file.chunk_count(), number(entry, "num_chunks"), "{name}");
        for (column_name, expected) in expected(entry, folder) {
            let column = column(&file, column_name.as_deref()).unwrap();
            let decoded = column.decode_bytes_to_vec(bytes, column.rows(), &OPTIONS);
            let decoded = decoded.unwrap_or_else(|error| panic!("{name} {column_name:?}: {error}"));
            assert!(decoded == expected, "{name} {column_name:?}");
            let mut sunk: Vec<u8> = vec![];
            let mut sink = |bytes: &[u8]| {
                sunk.extend(bytes);
                Ok(())
            };
            let done = column.decode_to(bytes, column.rows(), &mut sink, &OPTIONS).unwrap();
            assert!(sunk == expected && done.wrote == sunk.len(), "{name} {column_name:?} through a sink");
            let mut count = Count::default();
            column.decode_to(bytes, column.rows(), &mut count, &SKIP).unwrap();
            assert_eq!(count.0, expected.len() as u64);
            // To f32, which must be the same numbers.
            let floats = column.decode_to_vec::<f32>(bytes, column.rows(), &OPTIONS).unwrap();
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
fn decodes_native_types_unchanged() {
    fn native<T: cvc::Element, const N: usize>(column: &Column<'_>, bytes: &[u8], to_bytes: impl Fn(T) -> [u8; N]) {
        let values = usize::try_from(column.rows().end * column.dimension()).unwrap();
        let mut native = vec![T::default(); values];
        let done = column.decode(bytes, column.rows(), &mut native, &OPTIONS).unwrap();
        assert_eq!(done.wrote, values);
        let expected = column.decode_bytes_to_vec(bytes, column.rows(), &OPTIONS).unwrap();
        assert_eq!(native.into_iter().flat_map(to_bytes).collect::<Vec<_>>(), expected);
        let mut wrong = vec![0u16; values];
        if T::DTYPE != Dtype::F16 && values > 0 {
            let error = column.decode(bytes, column.rows(), &mut wrong, &OPTIONS).unwrap_err();
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
            while let Some(wanted) = plan.needs() {
                let payload = plan.feed(wanted.start, &bytes[range(wanted)], Verify::Skip).unwrap();
                plain = payload.map_or(plain, |payload| payload.plain());
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
fn sections_find_every_match() {
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
fn output_one_too_small_reports_the_need() {
    valid(|name, bytes, entry, folder| {
        for (column_name, expected) in expected(entry, folder) {
            let file = File::open(bytes, &Limits::DEFAULT).unwrap();
            let column = column(&file, column_name.as_deref()).unwrap();
            let mut exact = vec![0; expected.len()];
            assert!(column.decode_bytes(bytes, column.rows(), &mut exact, &OPTIONS).is_ok(), "{name}");
            assert!(exact == expected);
            let Some(less) = expected.len().checked_sub(1) else { continue };
            let error = column.decode_bytes(bytes, column.rows(), &mut exact[..less], &OPTIONS).unwrap_err();
            assert_eq!(error.class(), Class::OutputTooSmall { need: expected.len() as u64 }, "{name}");
            // More than enough: the rest stays as it was.
            let mut more = vec![0x55; expected.len() + 9];
            let done = column.decode_bytes(bytes, column.rows(), &mut more, &OPTIONS).unwrap();
            assert_eq!(done.wrote, expected.len());
            assert!(more[done.wrote..].iter().all(|&byte| byte == 0x55), "{name}");
        }
    });
}

#[test]
fn a_wrong_crc_is_an_error_a_count_or_nothing() {
    let folder = &vector_folders("cvc")[0];
    let bytes = read(&folder.join("bad/payload_flip.cvc"));
    let file = File::open(&bytes, &Limits::DEFAULT).unwrap();
    let column = file.only_column().unwrap();
    let mut out = vec![0.0; (column.rows().end * column.dimension()) as usize];
    let mut run = |verify| column.decode(&bytes, column.rows(), &mut out, &Options { verify, ..OPTIONS });
    assert_eq!(run(Verify::Refuse).unwrap_err().class(), Class::Checksum);
    let chunks = file.chunk_count();
    let counted = |matched, mismatched, unchecked| Checksums { matched, mismatched, unchecked };
    assert_eq!(run(Verify::Report).unwrap().checksums, counted(chunks - 1, 1, 0));
    assert_eq!(run(Verify::Skip).unwrap().checksums, counted(0, 0, chunks));
}

#[test]
fn a_full_sink_ends_decoding() {
    let folder = &vector_folders("cvc")[0];
    let bytes = read(&folder.join("med_fp16.cvc"));
    let file = File::open(&bytes, &Limits::DEFAULT).unwrap();
    let column = file.only_column().unwrap();
    let mut room = [0; 1000];
    let mut sink = unspool::SliceSink::new(&mut room);
    let error = column.decode_to(&bytes, column.rows(), &mut sink, &OPTIONS).unwrap_err();
    assert_eq!(error.kind, ErrorKind::SinkFull);
}

/// Decodes through the calls that open the file themselves, and compares with `expected`.
fn by_doors<T: cvc::Element, const N: usize>(
    bytes: &[u8],
    options: &Options<'_>,
    expected: &[u8],
    to_bytes: impl Fn(T) -> [u8; N],
) {
    let mut workspace = Workspace::new();
    let len = usize::try_from(cvc::decoded_len(bytes, &mut workspace, options).unwrap()).unwrap();
    let flat = |values: &[T]| values.iter().flat_map(|value| to_bytes(*value)).collect::<Vec<u8>>();
    let mut values = vec![T::default(); len];
    let done = cvc::decode(bytes, &mut values, &mut workspace, options, &mut ()).unwrap();
    assert!(done.wrote == len && flat(&values) == expected);
    // Bytes after the last chunk are not used.
    let longer = [bytes, b"more"].concat();
    assert_eq!(cvc::decode(&longer, &mut values, &mut workspace, options, &mut ()), Ok(done));
    assert_eq!(cvc::inspect(&longer, &mut workspace, options, &mut ()).map(|seen| seen.read), Ok(done.read));
    // A trace changes nothing, and receives the whole file.
    let (mut leaves, mut heard) = (Leaves::default(), vec![T::default(); len]);
    assert_eq!(cvc::decode(bytes, &mut heard, &mut workspace, options, &mut leaves), Ok(done));
    assert!(flat(&heard) == expected);
    leaves.assert_tile(bytes.len(), "decode");
    assert!(flat(&cvc::decode_to_vec(bytes, options).unwrap()) == expected);
    let mut sunk: Vec<u8> = vec![];
    let mut sink = |part: &[u8]| {
        sunk.extend(part);
        Ok(())
    };
    cvc::decode_to(bytes, &mut sink, &mut workspace, options).unwrap();
    assert!(sunk == expected);
    let mut saved = vec![T::default(); len];
    assert_eq!(cvc::salvage(bytes, &mut saved, &mut workspace, options), (done, None));
    assert!(flat(&saved) == expected);
}

#[test]
fn every_door_decodes_the_same_values() {
    let mut ran = 0;
    valid(|_, bytes, entry, folder| {
        let file = File::open(bytes, &Limits::DEFAULT).unwrap();
        for (name, expected) in expected(entry, folder) {
            let options = Options { column: name.as_deref(), ..OPTIONS };
            match column(&file, name.as_deref()).unwrap().output().unwrap() {
                Dtype::F32 => by_doors(bytes, &options, &expected, f32::to_le_bytes),
                Dtype::F16 => by_doors(bytes, &options, &expected, u16::to_le_bytes),
                Dtype::I64 => by_doors(bytes, &options, &expected, i64::to_le_bytes),
                Dtype::I32 => by_doors(bytes, &options, &expected, i32::to_le_bytes),
                Dtype::I8 => by_doors(bytes, &options, &expected, i8::to_le_bytes),
                Dtype::U8 => by_doors(bytes, &options, &expected, u8::to_le_bytes),
            }
            ran += 1;
        }
    });
    assert!(ran >= VALID, "{ran} columns");
}

#[test]
fn salvages_the_chunks_before_a_broken_one() {
    let folder = &vector_folders("cvc")[0];
    let bytes = read(&folder.join("v1_fp16.cvc"));
    let mut workspace = Workspace::new();
    let whole: Vec<f32> = cvc::decode_to_vec(&bytes, &OPTIONS).unwrap();
    let mut values = vec![0.0f32; whole.len()];
    let cut = &bytes[..bytes.len() - 1];
    let (done, error) = cvc::salvage(cut, &mut values, &mut workspace, &OPTIONS);
    let chunks = File::open(cut, &Limits::DEFAULT).unwrap().chunk_count();
    assert_eq!((done.parts, error.map(|error| error.kind)), (chunks - 1, Some(ErrorKind::Truncated)));
    assert!(done.wrote > 0 && values[..done.wrote] == whole[..done.wrote]);
    let (done, error) = cvc::salvage(&bytes[..20], &mut values, &mut workspace, &OPTIONS);
    assert!(done == unspool::Done::default() && error.is_some());
}

//! Arrays hold what the core's own decoders return, on all vectors, and refuse what they refuse.

#![allow(missing_docs)]

use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, FixedSizeListArray, RecordBatch, StructArray, UInt8Array, UInt32Array};
use arrow_schema::DataType;
use unspool::at1::{Ask, ColumnRef, Number, Query, Request, Workspace};
use unspool::{Checksums, Class, ErrorKind, Limits, Verify, cvc, onpair, pco};
use unspool_arrow::at1::{Batches, Decimals, OnMisfit, Options, Table};
use unspool_arrow::{Error, Misfit};
use unspool_tests::{all_vectors, files_in, read, vector_folders};

fn vectors(format: &str, extension: &str) -> Vec<PathBuf> {
    let files: Vec<_> = all_vectors(format, extension).collect();
    assert!(!files.is_empty(), "no vectors of {format}");
    files
}

/// Ranges of rows around the ends of `len` rows and around multiples of `step`.
fn ranges(len: u64, step: u64) -> Vec<Range<u64>> {
    let mut places = vec![0, 1, step.saturating_sub(1), step, step + 1, len / 2, len.saturating_sub(1), len];
    places.retain(|&place| place <= len);
    places.sort_unstable();
    places.dedup();
    places.iter().flat_map(|&start| places.iter().map(move |&end| start..end)).filter(|r| r.start <= r.end).collect()
}

/// The bytes of the values of an array of plain numbers.
fn bytes(array: &dyn Array) -> Vec<u8> {
    let data = array.to_data();
    let width = data.data_type().primitive_width().unwrap();
    data.buffers()[0].as_slice()[data.offset() * width..][..data.len() * width].to_vec()
}

fn refused<T>(result: Result<T, Error>) -> unspool::Error {
    match result {
        Err(Error::Refused(error)) => error,
        Err(Error::Misfit(misfit)) => panic!("{misfit:?}"),
        Ok(_) => panic!("a broken file was decoded"),
    }
}

#[test]
fn pco_columns_hold_the_numbers_of_the_core() {
    let (mut ran, options) = (0, pco::Options::DEFAULT);
    for path in vectors("pco", "pco") {
        let (src, name) = (read(&path), path.display());
        let (mut expected, mut chunks, mut alone, mut at) = (vec![], vec![], vec![], None);
        let decoded = pco::decode_chunks(&src, &Limits::DEFAULT, &mut (), |chunk, bytes| {
            chunks.push((chunk.number_type(), chunk.len));
            expected.extend_from_slice(bytes);
            let start = at.unwrap_or(pco::File::open(&src, &Limits::DEFAULT)?.first());
            let mut workspace = vec![0; usize::try_from(chunk.workspace_len(pco::Plan::Whole)).unwrap()];
            at = chunk.skip(&mut workspace).ok();
            // The core passes on what is sound of a broken chunk, which is the last one.
            let array = unspool_arrow::pco::decode_chunk(&src, start, &options);
            alone.push(array.is_ok_and(|array| self::bytes(&array) == bytes));
            Ok(())
        });
        let array = unspool_arrow::pco::decode(&src, &options);
        let Ok(_) = decoded else {
            assert_eq!(refused(array), decoded.unwrap_err(), "{name}");
            continue;
        };
        assert!(alone.iter().all(|same| *same), "{name}: single chunks");
        if chunks.iter().any(|chunk| chunk.0 != chunks[0].0) {
            assert_eq!(refused(array).kind, ErrorKind::WrongType, "{name}");
            continue;
        }
        let array = array.unwrap();
        let Some(&(ty, _)) = chunks.first() else {
            assert!(array.is_empty(), "{name}");
            continue;
        };
        ran += 1;
        assert_eq!(*array.data_type(), unspool_arrow::pco::data_type(ty), "{name}");
        assert!(bytes(&array) == expected, "{name}");
        let threads = NonZeroUsize::new(2).unwrap();
        assert!(
            *unspool_arrow::pco::decode_in_threads(&src, threads, &options, &mut || Ok(())).unwrap() == *array,
            "{name}"
        );
        if src.len() > 100_000 {
            continue;
        }
        for rows in ranges(array.len() as u64, chunks[0].1 as u64) {
            for batch in [1, 100, 1 << 20] {
                if batch == 1 && array.len() > 1000 {
                    continue;
                }
                let mut at = usize::try_from(rows.start).unwrap();
                for part in unspool_arrow::pco::Batches::open(&src, rows.clone(), batch, &options).unwrap() {
                    let part = part.unwrap();
                    assert!(!part.is_empty() && part.len() <= batch);
                    assert!(*part == *array.slice(at, part.len()), "{name} {rows:?} {batch}");
                    at += part.len();
                }
                assert_eq!(at as u64, rows.end, "{name} {rows:?} {batch}");
            }
        }
    }
    assert!(ran >= 50, "{ran} vectors");
}

#[test]
fn pco_files_cut_at_any_byte_are_refused_as_the_core_refuses_them() {
    let src = read(&vector_folders("pco")[0].join("k_u32_arange.pco"));
    for len in 0..src.len() {
        let (cut, options) = (&src[..len], pco::Options::DEFAULT);
        let expected = pco::decode_to_vec::<u32>(cut, &options).unwrap_err();
        assert_eq!(refused(unspool_arrow::pco::decode(cut, &options)), expected, "{len}");
        let batches = unspool_arrow::pco::Batches::open(cut, 0..u64::MAX, 64, &options);
        let failed = batches.and_then(|batches| batches.collect::<Result<Vec<_>, _>>());
        assert_eq!(refused(failed), expected, "{len}");
    }
    let small = pco::Options { limits: Limits { max_output: 777 * 4 - 1, ..Limits::DEFAULT }, ..pco::Options::DEFAULT };
    assert_eq!(refused(unspool_arrow::pco::decode(&src, &small)).kind, ErrorKind::OutputLimit);
}

#[test]
fn onpair_rows_are_views_of_the_bytes_of_the_core() {
    let mut ran = 0;
    for path in vectors("onpair", "onp") {
        let (src, name) = (read(&path), path.display());
        let Ok(file) = onpair::File::open(&src, &Limits::DEFAULT) else {
            assert!(unspool_arrow::onpair::Batches::open(&src, 0..0, 1, true, &Limits::DEFAULT).is_err(), "{name}");
            continue;
        };
        let column = file.column();
        for rows in ranges(column.rows().end, 10) {
            let Ok(expected) = column.decode_to_vec(rows.clone()) else { continue };
            ran += 1;
            let array = unspool_arrow::onpair::decode(column, rows.clone(), false).unwrap();
            let joined: Vec<u8> = array.as_binary_view().iter().flatten().flatten().copied().collect();
            assert!(joined == expected, "{name} {rows:?}");
            for (row, value) in rows.clone().zip(array.as_binary_view().iter()) {
                assert_eq!(column.row_len(row).unwrap(), value.unwrap().len() as u64, "{name} {row}");
            }
            let text = unspool_arrow::onpair::decode(column, rows.clone(), true);
            match array.as_binary_view().iter().position(|row| std::str::from_utf8(row.unwrap()).is_err()) {
                None => assert_eq!(text.unwrap().as_string_view().len(), array.len()),
                Some(broken) => match text {
                    Err(Error::Misfit(Misfit { row, .. })) => assert_eq!(row, rows.start + broken as u64, "{name}"),
                    other => panic!("{name}: {other:?}"),
                },
            }
        }
        let rows = column.rows();
        let past = unspool_arrow::onpair::Batches::open(&src, 0..rows.end + 1, 1, true, &Limits::DEFAULT);
        assert_eq!(refused(past).kind, ErrorKind::RangeOutside);
    }
    assert!(ran >= 50, "{ran} ranges");
}

#[test]
fn cvc_columns_hold_the_vectors_of_the_core() {
    let (mut ran, options) = (0, cvc::Options::DEFAULT);
    for path in vectors("cvc", "cvc") {
        let (src, name) = (read(&path), path.display());
        let Ok(file) = cvc::File::open(&src, &Limits::DEFAULT) else {
            let error = cvc::File::open(&src, &Limits::DEFAULT).unwrap_err();
            let opened = unspool_arrow::cvc::Batches::open(&src, None, 0..0, 1, &options);
            assert_eq!(refused(opened), error, "{name}");
            continue;
        };
        let mut columns = vec![];
        for column in file.columns() {
            let column = column.unwrap();
            let expected = column.decode_bytes_to_vec(&src, column.rows(), &options);
            let array = unspool_arrow::cvc::decode(&src, &column, column.rows(), &options);
            let expected = match expected {
                Ok(expected) => expected,
                Err(error) => {
                    let ours = refused(array);
                    assert_eq!((ours.kind, ours.at), (error.kind, error.at), "{name}");
                    columns.push(Err(ours));
                    continue;
                }
            };
            ran += 1;
            let array = array.unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(array.len() as u64, file.num_vectors(), "{name}");
            assert_eq!(i64::from(array.value_length()), column.dimension().cast_signed(), "{name}");
            assert!(bytes(array.values()) == expected, "{name}");
            for rows in ranges(file.num_vectors(), 32) {
                let part = unspool_arrow::cvc::decode(&src, &column, rows.clone(), &options).unwrap();
                let [start, end] = [rows.start, rows.end].map(|row| usize::try_from(row).unwrap());
                assert!(part == array.slice(start, end - start), "{name} {rows:?}");
            }
            columns.push(Ok(array));
        }
        for size in [33, 1 << 20] {
            let all = 0..file.num_vectors();
            let Ok(batches) = unspool_arrow::cvc::Batches::open(&src, None, all, size, &options) else { continue };
            let (schema, mut at) = (batches.schema(), 0);
            for batch in batches {
                let batch = match batch {
                    Ok(batch) => batch,
                    // The first error of the file is that of one of its columns.
                    Err(error) => {
                        let ours = refused(Err::<(), _>(error));
                        let found = columns.iter().filter_map(|column| column.as_ref().err());
                        assert!(
                            found.clone().any(|error| (error.kind, error.at) == (ours.kind, ours.at)),
                            "{name}: {ours}"
                        );
                        at = usize::try_from(file.num_vectors()).unwrap();
                        break;
                    }
                };
                for (ours, column) in batch.columns().iter().zip(&columns) {
                    let Ok(column) = column else { continue };
                    assert!(**ours == column.slice(at, batch.num_rows()), "{name}, row {at}");
                }
                at += batch.num_rows();
                assert_eq!(StructArray::from(batch).fields(), schema.fields(), "{name}");
            }
            assert_eq!(at as u64, file.num_vectors(), "{name}");
        }
    }
    assert!(ran >= 40, "{ran} columns");
}

/// The values of some columns as a query returns them, and the rows as record batches.
fn queried(src: &[u8], table: &Table, columns: &[usize]) -> (Vec<Vec<Vec<u8>>>, Result<RecordBatch, Error>) {
    let refs: Vec<_> = columns.iter().map(|&column| ColumnRef::Number(column)).collect();
    let request = Request { filters: &[], ask: Ask::Columns(&refs), limit: u64::MAX };
    let (mut workspace, mut scratch, options) = (Workspace::new(), vec![], unspool::at1::Options::DEFAULT);
    let mut query = loop {
        let mut query = Query::new(request, &options);
        match query.open(src, &mut workspace, &mut scratch) {
            Ok(()) => break query,
            Err(error) => unspool::at1::grow(&mut scratch, error).unwrap(),
        }
    };
    let (mut texts, mut rows, mut failed) = (vec![vec![]; columns.len()], table.collect(columns), None);
    while query.needs().is_some() {
        let fed = query.feed(0, src, &mut workspace, &mut scratch, &mut |row| {
            row.values().zip(&mut texts).for_each(|(value, texts)| texts.push(value.to_vec()));
            failed = failed.take().or(rows.push(row).err());
            Ok(())
        });
        if let Err(error) = fed {
            unspool::at1::grow(&mut scratch, error).unwrap();
        }
    }
    (texts, failed.map_or_else(|| rows.finish(), Err))
}

/// Compares an array with the texts of its values.
fn compare(array: &ArrayRef, texts: &[Vec<u8>], name: &str) {
    assert_eq!(array.len(), texts.len(), "{name}");
    for (i, text) in texts.iter().enumerate() {
        let number = Number::read(text);
        let shown = match array.data_type() {
            _ if array.is_null(i) => None,
            DataType::Int64 => Some(array.as_primitive::<Int64Type>().value(i).to_string()),
            DataType::Decimal128(..) => Some(array.as_primitive::<Decimal128Type>().value_as_string(i)),
            DataType::Float64 => {
                let value = array.as_primitive::<Float64Type>().value(i);
                let text = std::str::from_utf8(text).unwrap().trim();
                assert_eq!(text.parse::<f64>().unwrap().to_bits(), value.to_bits(), "{name} {i}");
                continue;
            }
            _ => {
                assert_eq!(array.as_string_view().value(i).as_bytes(), text, "{name} {i}");
                continue;
            }
        };
        match (shown, number) {
            (Some(shown), Some(number)) => {
                let ours = Number::read(shown.as_bytes()).unwrap();
                assert!(ours.compare(&number).is_eq(), "{name} {i}: {shown}");
            }
            (None, None) => {}
            (None, Some(_)) => assert!(text.len() > 10, "{name} {i}: a short number fits"),
            (Some(shown), None) => panic!("{name} {i}: {shown}"),
        }
    }
}

#[test]
fn at1_tables_hold_the_values_of_queries() {
    let mut ran = 0;
    for path in vectors("at1", "at1") {
        let (src, name) = (read(&path), path.display().to_string());
        if src.len() > 200_000 || name.contains("/bad/") {
            continue;
        }
        for decimals in [Decimals::Exact { scale: 9 }, Decimals::Float, Decimals::Text] {
            let options = Options { decimals, on_misfit: OnMisfit::Null, ..Options::DEFAULT };
            let Ok(table) = Table::open(&src, &options) else { continue };
            let columns: Vec<_> = (0..table.schema().fields().len()).collect();
            if columns.is_empty() {
                continue;
            }
            ran += 1;
            let (texts, rows) = queried(&src, &table, &columns);
            let rows = rows.unwrap();
            let mut at = 0;
            for group in 0..table.groups() {
                let batch = table.batch(&src, group, &columns).unwrap();
                assert_eq!(batch.num_rows() as u64, table.rows_of(group).end - table.rows_of(group).start);
                assert_eq!(batch, rows.slice(at, batch.num_rows()), "{name}: blocks and rows");
                at += batch.num_rows();
            }
            assert_eq!(at as u64, table.rows());
            for (column, expected) in rows.columns().iter().enumerate() {
                let block = |group| {
                    let range = table.block(group, column).unwrap();
                    let [start, end] = [range.start, range.end].map(|at| usize::try_from(at).unwrap());
                    &src[start..end]
                };
                for groups in [0..table.groups(), 1..table.groups(), 0..table.groups().min(2)] {
                    let mut workspace = Workspace::new();
                    let array = table.decode(table.reserve(groups.clone(), column), block, &mut workspace).unwrap();
                    let first = usize::try_from(table.rows_of(groups.start).start).unwrap();
                    assert_eq!(*array, *expected.slice(first, array.len()), "{name}: {groups:?} together");
                    assert_eq!(array.is_empty(), groups.is_empty());
                }
            }
            let other = Table::open(&src, &Options::DEFAULT).unwrap().with_types(decimals, OnMisfit::Null);
            assert_eq!(other.schema(), table.schema(), "{name}");
            for (texts, array) in texts.iter().zip(rows.columns()) {
                // Latin-1 text is null here; its bytes are compared in no other way.
                if array.null_count() == 0 || !matches!(array.data_type(), DataType::Utf8View) {
                    compare(array, texts, &name);
                }
            }
            for range in ranges(table.rows(), 64) {
                let batches = Batches::open(&src, None, range.clone(), 50, &options).unwrap();
                let mut at = usize::try_from(range.start).unwrap();
                for batch in batches {
                    let batch = batch.unwrap();
                    assert_eq!(batch, rows.slice(at, batch.num_rows()), "{name} {range:?}");
                    at += batch.num_rows();
                }
                assert_eq!(at as u64, range.end, "{name} {range:?}");
            }
        }
    }
    assert!(ran >= 90, "{ran} tables");
}

#[test]
fn a_value_that_does_not_fit_is_an_error_with_its_place() {
    let src = read(&vector_folders("at1")[0].join("c7_decimal_scale_mix.at1"));
    let read = |scale, on_misfit| {
        let options = Options { decimals: Decimals::Exact { scale }, on_misfit, ..Options::DEFAULT };
        Batches::open(&src, None, 0..40, 1000, &options)?.collect::<Result<Vec<_>, _>>()
    };
    assert_eq!(read(4, OnMisfit::Error).unwrap()[0].column(0).null_count(), 0);
    // Each fourth value has four digits after the point.
    match read(3, OnMisfit::Error) {
        Err(Error::Misfit(misfit)) => {
            assert_eq!((misfit.column, misfit.row, &misfit.value[..]), (0, 3, &b"3.0003"[..]));
            let words = Error::Misfit(misfit).to_string();
            assert_eq!(words, r#"column 0, row 3: expected Decimal128(38, 3), found "3.0003""#);
        }
        other => panic!("{other:?}"),
    }
    let mut row = 0;
    for batch in read(3, OnMisfit::Null).unwrap() {
        let column = batch.column(0).as_primitive::<Decimal128Type>();
        for i in 0..column.len() {
            assert_eq!(column.is_null(i), row % 4 == 3, "{row}");
            assert!(row != 2 || column.value_as_string(i) == "2.002");
            row += 1;
        }
    }
    assert_eq!(row, 40);
}

/// A reader of ranges returns what a reader of memory does, and asks for the chunks alone.
#[test]
fn cvc_columns_are_read_in_ranges() {
    let src = read(&vector_folders("cvc")[0].join("v1_fp16.cvc"));
    let options = cvc::Options::DEFAULT;
    let head = cvc::Header::read(&src, &Limits::DEFAULT).unwrap().head_len();
    let head = &src[..usize::try_from(head).unwrap()];
    let column = cvc::File::open(head, &Limits::DEFAULT).unwrap().only_column().unwrap();
    for rows in ranges(100, 32) {
        let reader = unspool_arrow::cvc::ColumnReader::new(&column, rows.clone(), src.len() as u64, &options);
        let (mut reader, mut fed) = (reader.unwrap(), 0);
        while let Some(range) = reader.needs() {
            let [start, end] = [range.start, range.end].map(|at| usize::try_from(at).unwrap());
            reader.feed(range.start, &src[start..end]).unwrap();
            fed += 1;
        }
        let expected = unspool_arrow::cvc::decode(&src, &column, rows.clone(), &options).unwrap();
        assert_eq!(reader.finish().unwrap(), expected, "{rows:?}");
        assert!(fed <= 4, "{fed} ranges");
    }
    let mut reader = unspool_arrow::cvc::ColumnReader::new(&column, 0..40, src.len() as u64, &options).unwrap();
    let range = reader.needs().unwrap();
    let [start, end] = [range.start, range.end].map(|at| usize::try_from(at).unwrap());
    assert!(reader.feed(range.start, &src[start..end - 1]).is_err(), "one byte short");
    let reader = unspool_arrow::cvc::ColumnReader::new(&column, 0..40, src.len() as u64, &options).unwrap();
    assert_eq!(refused(reader.finish()).kind, ErrorKind::RangeOutside, "nothing was fed");
}

/// A reader of chunks returns what a reader of memory does, and asks for each chunk once.
#[test]
fn cvc_chunks_are_read_in_ranges_once() {
    let options = cvc::Options::DEFAULT;
    for path in vectors("cvc", "cvc").into_iter().filter(|path| !path.parent().unwrap().ends_with("bad")) {
        let (src, name) = (read(&path), path.display());
        let file = cvc::File::open(&src, &Limits::DEFAULT).unwrap();
        let all: Vec<_> = file.columns().map(|column| column.unwrap().name().to_string()).collect();
        let reversed: Vec<_> = all.iter().rev().map(String::as_str).collect();
        let len = file.num_vectors();
        for (columns, rows) in [(None, 0..len), (Some(&reversed[..]), 0..len), (Some(&reversed[..1]), len / 3..len / 2)]
        {
            let mut reader = unspool_arrow::cvc::ChunkReader::new(&file, columns, rows.clone(), &options).unwrap();
            let (mut asked, mut at) = (0, 0);
            let size = usize::try_from(len).unwrap().max(1);
            let mut whole = unspool_arrow::cvc::Batches::open(&src, columns, rows.clone(), size, &options).unwrap();
            assert_eq!(reader.schema(), whole.schema(), "{name}");
            let whole = whole.next().map(Result::unwrap);
            while let Some(range) = reader.needs() {
                let [start, end] = [range.start, range.end].map(|at| usize::try_from(at).unwrap());
                let batch = reader.feed(range.start, &src[start..end]).unwrap();
                asked += 1;
                let Some(batch) = batch.filter(|batch| batch.num_rows() > 0) else { continue };
                assert_eq!(batch, whole.as_ref().unwrap().slice(at, batch.num_rows()), "{name}, row {at}");
                at += batch.num_rows();
            }
            assert_eq!(at as u64, rows.end - rows.start, "{name}");
            assert!(asked <= 2 * file.chunk_count(), "{name}: {asked} ranges");
        }
    }
}

/// Returns a file with columns of one byte a row, in 50 chunks of one row.
fn wide_file(columns: usize) -> Vec<u8> {
    let name = |n| format!("c{n}");
    let schema: Vec<_> = (0..columns)
        .map(|n| format!(r#"{{"name":"{}","dimension":1,"dtype":"uint8","compression":"none"}}"#, name(n)))
        .collect();
    let entries: Vec<_> =
        (0..columns).map(|n| format!(r#""{}":{{"compression":"none","offset":{n},"size":1}}"#, name(n))).collect();
    let chunk = format!(r#"{{"rows":1,"columns":{{{}}}}}"#, entries.join(","));
    let (schema, chunks) = (schema.join(","), vec![chunk; 50].join(","));
    let head = format!(r#"{{"format_type":"columnar","num_vectors":50,"columns":[{schema}],"chunks":[{chunks}]}}"#);
    let mut bytes = b"CVCF\x02\0\0\0".to_vec();
    let length = |len: usize| u32::try_from(len).unwrap().to_le_bytes();
    bytes.extend(length(head.len()));
    bytes.extend(head.as_bytes());
    let payload: Vec<u8> = (0..columns).map(|n| n.to_le_bytes()[0]).collect();
    for _ in 0..50 {
        bytes.extend(length(columns));
        bytes.extend(unspool::checksum::Crc32::of(&payload).to_le_bytes());
        bytes.extend(&payload);
    }
    bytes
}

#[test]
fn cvc_batches_take_a_few_passes_over_the_head_for_any_number_of_columns() {
    let options = cvc::Options::DEFAULT;
    for columns in [40, 400, 4000] {
        let src = wide_file(columns);
        let head = cvc::File::open(&src, &Limits::DEFAULT).unwrap().head_len();
        let _ = unspool::steps::take();
        let mut rows = 0;
        for batch in unspool_arrow::cvc::Batches::open(&src, None, 0..50, 7, &options).unwrap() {
            let batch = batch.unwrap();
            assert_eq!(batch.num_columns(), columns);
            rows += batch.num_rows();
        }
        let passes = unspool::steps::take() / head;
        assert!(rows == 50 && (1..=40).contains(&passes), "{passes} passes for {columns} columns");
    }
}

/// Memory that is used again holds the values of the array before.
#[test]
fn arrays_take_the_memory_of_those_that_nobody_holds() {
    let src = read(&vector_folders("cvc")[0].join("v1_fp16.cvc"));
    let options = cvc::Options::DEFAULT;
    let column = cvc::File::open(&src, &Limits::DEFAULT).unwrap().only_column().unwrap();
    let decode = |rows: Range<u64>, spent: Option<FixedSizeListArray>| {
        let (count, plan) = (rows.end - rows.start, column.plan(rows).unwrap());
        let piece = plan.piece().unwrap();
        assert_eq!(piece.rows.end - piece.rows.start, count, "the rows are in one chunk");
        let [start, end] = [piece.range().start, piece.range().end].map(|at| usize::try_from(at).unwrap());
        let payload = piece.read(&src[start..end], Verify::Refuse, &mut Checksums::default()).unwrap();
        let (dtype, len) = (column.output().unwrap(), i32::try_from(column.dimension()).unwrap());
        unspool_arrow::cvc::decode_payload(&payload, dtype, len, count, spent, &options.limits).unwrap()
    };
    let place = |array: &FixedSizeListArray| array.values().to_data().buffers()[0].as_ptr();
    let longest = decode(0..32, None);
    let first = place(&longest);
    // Shorter, longer than the one before, and longest.
    for rows in [3..14, 10..31, 0..32] {
        let expected = unspool_arrow::cvc::decode(&src, &column, rows.clone(), &options).unwrap();
        assert_eq!(decode(rows.clone(), Some(longest.clone())), expected, "someone holds it");
        let fresh = decode(0..32, None);
        let own = place(&fresh);
        let again = decode(rows.clone(), Some(fresh));
        assert_eq!((&again, place(&again)), (&expected, own), "{rows:?}");
        assert_eq!(decode(0..32, Some(again)), longest, "{rows:?}");
    }
    assert_eq!(place(&longest), first);
    let src = read(&vector_folders("pco")[0].join("k_u32_arange.pco"));
    let mut reader = unspool_arrow::pco::ChunkReader::new(&src, &pco::Options::DEFAULT).unwrap();
    let start = usize::try_from(reader.at()).unwrap();
    let expected = unspool_arrow::pco::decode(&src, &pco::Options::DEFAULT).unwrap();
    // An array of numbers as wide, and one of other numbers.
    let spent: ArrayRef = Arc::new(UInt32Array::from(vec![7; 1000]));
    let own = spent.to_data().buffers()[0].as_ptr();
    reader.reuse(spent);
    let array = reader.next(&src[start..]).unwrap().unwrap();
    assert_eq!((&array, array.to_data().buffers()[0].as_ptr()), (&expected, own));
    for spent in [Arc::new(UInt8Array::from(vec![7; 1001])) as ArrayRef, Arc::clone(&array)] {
        let mut reader = unspool_arrow::pco::ChunkReader::new(&src, &pco::Options::DEFAULT).unwrap();
        reader.reuse(spent);
        assert_eq!(&reader.next(&src[start..]).unwrap().unwrap(), &expected);
    }
}

#[test]
fn broken_tables_are_refused_and_never_panic() {
    let folder = &vector_folders("at1")[0];
    let src = read(&folder.join("c8_events.at1"));
    let open = |src: &[u8]| -> Result<usize, Error> {
        let table = Table::open(src, &Options::DEFAULT)?;
        let columns: Vec<_> = (0..table.schema().fields().len()).collect();
        (0..table.groups()).try_fold(0, |rows, group| Ok(rows + table.batch(src, group, &columns)?.num_rows()))
    };
    assert_eq!(open(&src).unwrap(), 2500);
    for len in 0..src.len() {
        // The hash at the end is not part of the table.
        if let Err(Error::Refused(error)) = open(&src[..len]) {
            assert!(matches!(error.class(), Class::Truncated | Class::Corrupt), "{len}: {error}");
        } else {
            assert!(len + 40 > src.len(), "{len} bytes are enough");
        }
    }
    let mut wrong = src.clone();
    let mut refused = 0;
    for at in 0..src.len() {
        wrong[at] ^= 1 << (at % 8);
        refused += usize::from(open(&wrong).is_err());
        wrong[at] = src[at];
    }
    assert!(refused > src.len() / 2, "{refused} of {}", src.len());
    for path in files_in(&folder.join("bad")) {
        let src = read(&path);
        if let Ok(table) = Table::open(&src, &Options::DEFAULT) {
            let columns: Vec<_> = (0..table.schema().fields().len()).collect();
            let _ = (0..table.groups()).try_for_each(|group| table.batch(&src, group, &columns).map(drop));
        }
    }
}

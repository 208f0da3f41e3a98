//! Proves that walks over all columns take linear time, by counting the bytes of JSON that they walk over.

use std::format;
use std::string::String;
use std::vec::Vec;

use super::{Decoder, File, Options, Outline, Workspace, inspect};
use crate::json::steps;
use crate::tree::Tree;
use crate::{End, Status};

/// A file with as many columns of a byte a row, in chunks of one row. The objects of the chunks name them in another order than the schema, as
/// writers do that sort them.
fn file(columns: usize, chunks: usize) -> Vec<u8> {
    let names: Vec<String> = (0..columns).map(|number| format!("c{number}")).collect();
    let mut sorted: Vec<usize> = (0..columns).collect();
    sorted.sort_by_key(|&number| &names[number]);
    let entry = |number: &usize| format!(r#""c{number}":{{"compression":"none","offset":{number},"size":1}}"#);
    let object = sorted.iter().map(entry).collect::<Vec<_>>().join(",");
    let column = |name: &String| format!(r#"{{"compression":"none","dimension":1,"dtype":"uint8","name":"{name}"}}"#);
    let schema = names.iter().map(column).collect::<Vec<_>>().join(",");
    let chunk = format!(r#"{{"columns":{{{object}}},"rows":1}}"#);
    let list = (0..chunks).map(|_| chunk.as_str()).collect::<Vec<_>>().join(",");
    let json = format!(r#"{{"chunks":[{list}],"columns":[{schema}],"format_type":"columnar","num_vectors":{chunks}}}"#);
    let mut bytes = b"CVCF\x02\0\0\0".to_vec();
    bytes.extend((json.len() as u32).to_le_bytes());
    bytes.extend(json.as_bytes());
    let payload: Vec<u8> = (0..columns).map(|number| number as u8).collect();
    for _ in 0..chunks {
        bytes.extend((columns as u32).to_le_bytes());
        bytes.extend(crate::checksum::Crc32::of(&payload).to_le_bytes());
        bytes.extend(&payload);
    }
    bytes
}

/// How many times a walk over a file of 50 chunks goes over each byte of its JSON, for several numbers of columns.
fn passes(walk: impl Fn(&[u8], &mut [u32])) -> Vec<usize> {
    let pass = |columns| {
        let bytes = file(columns, 50);
        let opened = File::open(&bytes, &Options::DEFAULT.limits).unwrap();
        let mut table = std::vec![0; opened.workspace_len() as usize];
        steps::of(|| walk(&bytes, &mut table)) / opened.head.len()
    };
    [40, 400, 4000].map(pass).to_vec()
}

fn assert_linear(what: &str, most: usize, walk: impl Fn(&[u8], &mut [u32])) {
    let passes = passes(walk);
    assert!(passes.iter().all(|&pass| pass <= most), "{what} goes over each byte so many times: {passes:?}");
}

#[test]
fn every_walk_goes_over_each_byte_of_the_header_a_few_times_however_many_columns() {
    let options = Options { column: Some("c7"), ..Options::DEFAULT };
    assert_linear("open", 9, |bytes, _| {
        File::open(bytes, &options.limits).unwrap();
    });
    assert_linear("one column", 16, |bytes, _| {
        let file = File::open(bytes, &options.limits).unwrap();
        let column = file.column("c7").unwrap();
        column.decode(bytes, column.rows(), &mut [0u8; 50], &options).unwrap();
    });
    assert_linear("a stream", 24, |bytes, _| {
        let (mut workspace, mut values) = (std::vec![0; bytes.len()], [0; 50]);
        let mut decoder = Decoder::new(&mut workspace, &options);
        let step = decoder.step(bytes, End::Here, &mut values).unwrap();
        assert_eq!((step.wrote, step.status), (50, Status::Done));
    });
    assert_linear("all columns", 24, |bytes, table| {
        let file = File::open(bytes, &options.limits).unwrap();
        let mut pieces = 0;
        let count = |_, _: &_, _: &_| {
            pieces += 1;
            Ok(())
        };
        file.each_piece(bytes, &mut Workspace::with_table(table), count).unwrap();
        assert_eq!(pieces, 50 * file.column_count());
    });
    assert_linear("inspect, unheard", 24, |bytes, table| {
        inspect(bytes, &mut Workspace::with_table(table), &options, &mut ()).unwrap();
    });
    assert_linear("inspect", 48, |bytes, table| {
        inspect(bytes, &mut Workspace::with_table(table), &options, &mut Tree::new(10)).unwrap();
    });
    assert_linear("an outline", 40, |bytes, table| {
        let mut tree = Tree::new(10);
        let mut workspace = Workspace::with_table(table);
        let mut outline = Outline::open(bytes, bytes.len() as u64, &options.limits, &mut tree).unwrap();
        while let Some(range) = outline.needs() {
            let part = &bytes[range.start as usize..range.end as usize];
            outline.feed(range.start, part, &mut workspace, &mut tree).unwrap();
        }
    });
}

#[test]
fn without_memory_each_48_columns_take_a_pass() {
    let bytes = file(4000, 2);
    let file = File::open(&bytes, &Options::DEFAULT.limits).unwrap();
    let steps = steps::of(|| file.each_output(&mut Workspace::new(), |_, _, _| Ok(())).unwrap());
    assert!(steps / file.head.len() <= 4000 / 48 * 4, "{}", steps / file.head.len());
}

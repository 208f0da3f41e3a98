//! Proves that walks over all columns take linear time, by counting the bytes of JSON that they
//! walk over.

use unspool::cvc::{Decoder, File, Options, Outline, Workspace, inspect};
use unspool::tree::Tree;
use unspool::{End, Limits, Status, steps};

use crate::{OPTIONS, columnar, entries, range};

/// Returns a file with columns of one byte a row, in chunks of one row.
///
/// The chunks name the columns in another order than the schema does, as writers do that sort them.
fn file(columns: usize, chunks: usize) -> Vec<u8> {
    let names: Vec<_> = (0..columns).map(|number| format!("c{number}")).collect();
    let mut sorted: Vec<_> = names.iter().cloned().zip(0..).collect();
    sorted.sort();
    let (object, payload) = (entries(sorted.into_iter()), vec![7; columns]);
    columnar(&names, &vec![(object, payload.as_slice()); chunks])
}

/// Returns the steps of `walk` for each byte of the head.
fn passes(bytes: &[u8], walk: impl FnOnce()) -> u64 {
    let head = File::open(bytes, &Limits::DEFAULT).unwrap().head_len();
    let _ = steps::take();
    walk();
    steps::take() / head
}

fn assert_linear(what: &str, most: u64, walk: impl Fn(&[u8], &mut [u32])) {
    let passes = [40, 400, 4000].map(|columns| {
        let bytes = file(columns, 50);
        let mut table = vec![0; File::open(&bytes, &Limits::DEFAULT).unwrap().workspace_len() as usize];
        passes(&bytes, || walk(&bytes, &mut table))
    });
    assert!(passes.iter().all(|pass| (1..=most).contains(pass)), "{what} takes {passes:?} passes over the head");
}

#[test]
fn every_walk_takes_a_few_passes_over_the_head_for_any_number_of_columns() {
    let options = Options { column: Some("c7"), ..OPTIONS };
    assert_linear("open", 9, |bytes, _| {
        File::open(bytes, &options.limits).unwrap();
    });
    assert_linear("one column", 16, |bytes, _| {
        let file = File::open(bytes, &options.limits).unwrap();
        let column = file.column("c7").unwrap();
        column.decode(bytes, column.rows(), &mut [0u8; 50], &options).unwrap();
    });
    assert_linear("a stream", 24, |bytes, _| {
        let (mut workspace, mut values) = (vec![0; bytes.len()], [0; 50]);
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
    assert_linear("half of the columns", 24, |bytes, table| {
        let file = File::open(bytes, &options.limits).unwrap();
        let only: Vec<_> = (0..file.column_count()).map(|position| position % 2 == 0).collect();
        let (mut types, mut pieces) = (vec![None; only.len()], 0);
        file.outputs(&mut Workspace::with_table(table).only(&only), &mut types).unwrap();
        assert!(types.iter().zip(&only).all(|(output, only)| output.is_some() == *only));
        let count = |position: usize, _: &_, _: &_| {
            pieces += u64::from(only[position]);
            Ok(())
        };
        file.each_piece(bytes, &mut Workspace::with_table(table).only(&only), count).unwrap();
        assert_eq!(pieces, 50 * file.column_count() / 2);
    });
    assert_linear("inspect, without a trace", 24, |bytes, table| {
        inspect(bytes, &mut Workspace::with_table(table), &options, &mut ()).unwrap();
    });
    assert_linear("inspect", 48, |bytes, table| {
        inspect(bytes, &mut Workspace::with_table(table), &options, &mut Tree::new(10)).unwrap();
    });
    assert_linear("an outline", 40, |bytes, table| {
        let mut tree = Tree::new(10);
        let mut workspace = Workspace::with_table(table);
        let mut outline = Outline::open(bytes, bytes.len() as u64, &options.limits, &mut tree).unwrap();
        while let Some(wanted) = outline.needs() {
            outline.feed(wanted.start, &bytes[range(wanted)], &mut workspace, &mut tree).unwrap();
        }
    });
}

#[test]
fn without_workspace_48_columns_take_a_pass() {
    let bytes = file(4000, 2);
    let opened = File::open(&bytes, &Limits::DEFAULT).unwrap();
    let passes = passes(&bytes, || opened.each_output(&mut Workspace::new(), |_, _, _| Ok(())).unwrap());
    assert!((1..=4000 / 48 * 4).contains(&passes), "{passes}");
}

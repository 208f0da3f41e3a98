//! The streaming decoder: any split of input and output.

use std::cell::RefCell;

use unspool::cvc::Decoder;
use unspool::{End, Error, ErrorKind, Limits};
use unspool_tests::{Random, read, vector_folders};

use crate::{OPTIONS, WORKSPACE, expected, stream, valid};

#[test]
fn decodes_the_same_from_every_split_of_input_and_output() {
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

#[test]
fn a_stuck_stream_keeps_its_error() {
    let mut workspace = [0; 1000];
    let mut decoder = Decoder::new(&mut workspace, &OPTIONS);
    assert_eq!(decoder.step(b"CVCF\x01", End::NotYet, &mut []).map(|step| step.read), Ok(5));
    assert_eq!(decoder.step(&[], End::NotYet, &mut []).map(|step| step.read), Ok(0));
    let stuck = Err(Error::new(ErrorKind::NoProgress, 5));
    assert_eq!(decoder.step(&[], End::NotYet, &mut []), stuck);
    assert_eq!(decoder.step(&[0; 10], End::NotYet, &mut [0; 10]), stuck);
}

#[test]
fn a_code_outside_its_dictionary_emits_no_value_of_its_chunk_for_any_output_size() {
    let bytes = read(&vector_folders("cvc")[0].join("bad/lossless_code_range.cvc"));
    let mut workspace = vec![0; WORKSPACE];
    let outcomes = [1, 4, 5, 1 << 20].map(|room| {
        let (out, outcome) = stream(&bytes, None, &mut workspace, &Limits::DEFAULT, || (bytes.len(), room));
        (out, outcome.unwrap_err())
    });
    assert_eq!(outcomes[0].1.kind, ErrorKind::CvcLosslessCode);
    assert!(outcomes.iter().all(|outcome| *outcome == outcomes[0]), "{:?}", outcomes.map(|(out, _)| out.len()));
}

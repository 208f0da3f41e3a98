//! Runs a stream in pieces of any size.

use unspool::{End, Result, Status, Step};

/// Returns all output of `step` for `bytes`, and how it ended. `split` returns the sizes of the
/// next input and output.
pub fn in_pieces(
    bytes: &[u8],
    mut split: impl FnMut() -> (usize, usize),
    mut step: impl FnMut(&[u8], End, &mut [u8]) -> Result<Step>,
) -> (Vec<u8>, Result<()>) {
    let (mut out, mut at, mut room, mut at_its_end) = (vec![], 0usize, vec![], false);
    loop {
        let (input, output) = split();
        let to = at.saturating_add(input).min(bytes.len());
        let end = if to == bytes.len() { End::Here } else { End::NotYet };
        room.resize(output, 0);
        let done = match step(&bytes[at..to], end, &mut room) {
            Ok(done) => done,
            Err(error) => return (out, Err(error)),
        };
        assert!(!at_its_end, "asked for room that it did not use");
        assert!(done.read <= to - at && done.wrote <= output, "more than there was");
        match done.status {
            Status::NeedInput => assert!(done.read == to - at && end == End::NotYet, "asks for what it did not read"),
            // Valid output comes before the error.
            Status::NeedOutput => at_its_end = done.wrote < output,
            Status::Done => {}
        }
        at += done.read;
        out.extend(&room[..done.wrote]);
        if done.status == Status::Done {
            return (out, Ok(()));
        }
    }
}

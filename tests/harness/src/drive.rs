//! Runs a stream in pieces of any size.

use unspool::{End, Error, Status, Step};

/// Drives a streaming decoder over `bytes` and checks every step: it reads and writes only the
/// bytes that it reports, its status is justified, and an error repeats. `split` returns the sizes
/// of the input and of the output of the next call. If the first input is of an odd size, the end
/// shows only in a call without input. Returns the output, and the error if there was one.
pub fn drive(
    bytes: &[u8],
    mut split: impl FnMut() -> (usize, usize),
    mut step: impl FnMut(&[u8], End, &mut [u8]) -> Result<Step, Error>,
) -> (Vec<u8>, Result<(), Error>) {
    let (mut out, mut at) = (vec![], 0usize);
    // Output before an error is returned first. In every other case, a request for output must have
    // used all of it.
    let (mut error_next, mut late) = (false, None);
    loop {
        let (input, output) = split();
        let late = *late.get_or_insert(input % 2 == 1);
        let to = bytes.len().min(at.saturating_add(input));
        let mut room = vec![0xAA; output];
        let end = if to == bytes.len() && (at == to || !late) { End::Here } else { End::NotYet };
        match step(&bytes[at..to], end, &mut room) {
            Ok(step) => {
                assert!(!error_next, "asked for room that it had not used");
                assert!(step.read <= to - at && step.wrote <= output);
                assert!(room[step.wrote..].iter().all(|&byte| byte == 0xAA), "a byte past what was reported");
                out.extend(&room[..step.wrote]);
                at += step.read;
                match step.status {
                    Status::Done => return (out, Ok(())),
                    Status::NeedInput => assert!(at == to && end == End::NotYet, "asks for input that it did not read"),
                    Status::NeedOutput => error_next = step.wrote < output,
                }
            }
            Err(error) => {
                assert_eq!(step(&[], End::Here, &mut []), Err(error), "errors stay");
                return (out, Err(error));
            }
        }
    }
}

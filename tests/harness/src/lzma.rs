//! Every door of LZMA without xz.

use unspool::lzma::{
    Coder, Decoder, Options, Workspace, decode, decode_threaded, decode_to, decode_to_vec, decoded_len, inspect,
    salvage,
};
use unspool::{Class, Done, Error, ErrorKind, Result};

use crate::whole::whole_file;
use crate::{Random, drive, room, same, same_in_memory, traced_done};

/// The longest window that is lent, with room for copies in pieces.
const WINDOW: usize = (1 << 17) + 32;

/// Decodes a file by every door. Returns the verdict that they agree on.
pub fn agree(bytes: &[u8], options: &Options) -> Result<Done> {
    let random = &mut Random::of(bytes);
    let ws = &mut Workspace::new();
    let doors = whole_file!(bytes, ws, room(&options.limits), options);
    let (whole, content) = (doors.verdict, doors.content());
    same("decode_to_vec", &whole, &doors.vector);
    same("salvage", &whole, &doors.salvage);

    let mut window = vec![0xAA; WINDOW];
    let seen = traced_done("inspect", bytes, |leaves| inspect(bytes, ws, &mut window, options, leaves));
    // Inspecting passes over the symbols of LZMA2, which say how long they are.
    if whole.is_ok() || !options.raw.is_some_and(|raw| matches!(raw.coder, Coder::Lzma2 { .. })) {
        same_in_window("inspect", &whole, &seen);
    }
    let counted = decoded_len(bytes, ws, &mut window, options);
    if let (Ok(done), Ok(seen)) = (whole, seen) {
        assert_eq!(seen, Done { wrote: 0, ..done }, "another size when inspected");
        assert_eq!(counted, Ok(done.content));
    }
    let mut sunk = vec![];
    let mut sink = |piece: &[u8]| {
        sunk.extend_from_slice(piece);
        Ok(())
    };
    let to_sink = decode_to(bytes, &mut sink, ws, &mut window, options);
    same_in_window("decode_to", &whole, &to_sink);
    assert!(to_sink.is_err() || sunk == content, "other bytes to a sink");
    let mut stream = |most: usize| {
        let mut decoder = Decoder::new(ws, &mut window, options);
        let split = || (1 + random.below(most), 1 + random.below(10 * most));
        let (streamed, end) = drive(bytes, split, |src, end, room| decoder.step(src, end, room));
        let held_back = decoder.done().wrote - streamed.len();
        assert!(held_back < 32 && (end.is_err() || held_back == 0), "{held_back} bytes are missing");
        (streamed, end)
    };
    let (streamed, end) = stream(100);
    same_in_window("a stream", &whole, &end);
    assert!(end.is_err() || streamed == content, "other bytes as a stream");
    if end.is_err_and(|error| !is_of_windows(&error)) {
        // Filters of a stream may hold back bytes at its end.
        assert!(doors.salvaged[..doors.wrote].starts_with(&streamed), "other bytes before an error");
    }
    assert_eq!(stream(3), (streamed, end), "other splits, another result");
    whole
}

/// Only a stream needs a window.
fn is_of_windows(error: &Error) -> bool {
    error.kind == ErrorKind::WindowLimit || matches!(error.class(), Class::WorkspaceTooSmall { .. })
}

#[track_caller]
fn same_in_window<T, U>(door: &str, whole: &Result<T>, found: &Result<U>) {
    if !found.as_ref().is_err_and(is_of_windows) {
        same_in_memory(door, whole, found);
    }
}

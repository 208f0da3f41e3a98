//! Every door of gzip.

use unspool::gzip::{
    BlockReader, Decoder, Options, Symbol, WINDOW_SIZE, Workspace, decode, decode_threaded, decode_to, decode_to_vec,
    decoded_len, inspect, salvage,
};
use unspool::{Done, End, Limits, Result};

use crate::whole::whole_file;
use crate::{Random, drive, room, same, traced_done};

/// Decodes a file by every door. Returns the verdict that they agree on.
pub fn agree(bytes: &[u8], options: &Options) -> Result<Done> {
    let random = &mut Random::of(bytes);
    let ws = &mut Workspace::new();
    let doors = whole_file!(bytes, ws, room(&options.limits), options);
    let (whole, content) = (doors.verdict, doors.content());
    same("decode_to_vec", &whole, &doors.vector);
    same("salvage", &whole, &doors.salvage);

    // Old contents of the window must not leak into the output.
    let mut window = vec![bytes.first().copied().unwrap_or(0); WINDOW_SIZE];
    let seen = traced_done("inspect", bytes, |leaves| inspect(bytes, ws, &mut window, options, leaves));
    same("inspect", &whole, &seen);
    same("decoded_len", &whole, &decoded_len(bytes, ws, &mut window, options));
    let mut sunk = vec![];
    let mut sink = |piece: &[u8]| {
        sunk.extend_from_slice(piece);
        Ok(())
    };
    same("decode_to", &whole, &decode_to(bytes, &mut sink, ws, &mut window, options));
    assert!(whole.is_err() || sunk == content, "other bytes to a sink");
    for most in [3, 100] {
        let mut decoder = Decoder::new(ws, &mut window, options);
        let split = || (1 + random.below(most), 1 + random.below(10 * most));
        let (streamed, end) = drive(bytes, split, |src, end, room| decoder.step(src, end, room));
        same("a stream", &whole, &end);
        assert!(end.is_err() || streamed == content, "other bytes as a stream");
        assert!(end.is_err() || Ok(decoder.done()) == whole, "other progress as a stream");
    }
    whole
}

/// Reads the symbols of a file in pieces of this length. They follow each other without a gap, both
/// in the file and in the content.
pub fn symbols(file: &[u8], step: usize, limits: &Limits) -> Result<Vec<Symbol>> {
    let (mut reader, mut found, mut len) = (BlockReader::new(limits), Vec::<Symbol>::new(), step);
    loop {
        let at = usize::try_from(reader.position() / 8).expect("a place in the file");
        let to = (at + len).min(file.len());
        let end = if to == file.len() { End::Here } else { End::NotYet };
        match reader.next(&file[at..to], at as u64, end)? {
            Some(symbol) => {
                let before = found.last().map_or((0, 0), |last| (last.bits.end, last.content.end));
                assert_eq!((symbol.bits.start, symbol.content.start), before, "a gap between symbols");
                found.push(symbol);
                len = step;
            }
            None if end == End::Here => return Ok(found),
            // The symbol is longer than the piece.
            None => len += step,
        }
    }
}

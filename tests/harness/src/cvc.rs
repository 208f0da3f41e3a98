//! Every door of CVC.

use unspool::cvc::{
    Decoder, File, Options, Outline, Workspace, decode, decode_threaded, decode_to, decode_to_vec, inspect, salvage,
};
use unspool::{Done, Error, ErrorKind, Result};

use crate::{Leaves, Random, TWO, drive, fails_too, room, same, same_in_memory, traced};

/// Bytes that a stream gets.
const WORKSPACE: usize = 1 << 17;

/// Decodes a column by every door. Returns the verdict that they agree on.
pub fn agree(bytes: &[u8], options: &Options<'_>) -> Result<Done> {
    let random = &mut Random::of(bytes);
    let ws = &mut Workspace::new();
    let all = |_: &Done| bytes.len();
    let seen = traced("inspect", bytes, |leaves| inspect(bytes, ws, options, leaves), all);
    // With memory for all columns, and without a trace.
    let mut table = [0; 1 << 12];
    assert_eq!(inspect(bytes, &mut Workspace::with_table(&mut table), options, &mut ()), seen);
    let again = |leaves: &mut Leaves| inspect(bytes, &mut Workspace::with_table(&mut table), options, leaves);
    assert_eq!(traced("inspect with a table", bytes, again, all), seen, "the workspace changes the verdict");
    let outlined = traced("the outline", bytes, |leaves| outline(bytes, options, leaves), |()| bytes.len());
    fails_too("the outline", &seen, &outlined);

    let mut out = vec![0f32; room(&options.limits) / 4 + 1];
    let whole = decode(bytes, &mut out, ws, options, &mut ());
    let mut again = out.clone();
    if let (Ok(done), Ok(seen)) = (&whole, &seen) {
        assert_eq!(done.read, seen.read, "inspect has another end");
    }
    let heard = traced("decode", bytes, |leaves| decode(bytes, &mut again, ws, options, leaves), all);
    // A trace shows every chunk, also a broken one without rows.
    let is_shown = whole.is_ok() && heard.as_ref().err().is_some_and(|error| seen.as_ref().err() == Some(error));
    if options.column.is_none() && !is_shown {
        same("decode with a trace", &whole, &heard);
    }
    let vector = decode_to_vec::<f32>(bytes, options);
    same("decode_to_vec", &whole, &vector);
    // Compared as bits, because no NaN equals itself.
    let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    let content = bits(&out[..whole.map_or(0, |done| done.wrote)]);
    assert!(whole.is_err() || vector.is_ok_and(|vector| bits(&vector) == content), "other values in a vector");
    same("decode_threaded", &whole, &decode_threaded(bytes, &mut again, TWO, options));
    let (_, error) = salvage(bytes, &mut again, ws, options);
    same("salvage", &whole, &error.map_or(Ok(()), Err));
    let mut sunk = vec![];
    let mut sink = |piece: &[u8]| {
        sunk.extend_from_slice(piece);
        Ok(())
    };
    let to_sink = decode_to(bytes, &mut sink, ws, options);
    let is_typed = |error: &Error| matches!(error.kind, ErrorKind::WrongType);
    // Types other than f32 decode to bytes alone.
    if !whole.as_ref().is_err_and(is_typed) {
        same("decode_to", &whole, &to_sink);
    }
    let mut workspace = vec![0; WORKSPACE];
    for most in [3, 100] {
        let mut decoder = Decoder::new(&mut workspace, options);
        let split = || (1 + random.below(most), 1 + random.below(10 * most));
        let (streamed, end) = drive(bytes, split, |src, end, room| decoder.step(src, end, room));
        // A stream may refuse a file that it cannot decode in order. It has ended before the
        // evidence for a hidden chunk comes.
        let in_order = |error: &Error| error.kind == ErrorKind::CvcBackwards;
        let hidden = |error: &Error| error.kind == ErrorKind::CvcHiddenCrc;
        if !end.as_ref().is_err_and(in_order) && !to_sink.as_ref().is_err_and(hidden) {
            same_in_memory("a stream", &to_sink, &end);
        }
        if let (Ok(done), Ok(())) = (&to_sink, &end) {
            assert!(streamed == sunk, "other bytes as a stream");
            let told = decoder.done();
            let facts = |done: &Done| (done.read, done.content, done.parts, done.checksums);
            assert_eq!(facts(&told), facts(done));
        }
    }
    whole
}

/// Runs the walk that skips payloads, with only the bytes that it requests.
fn outline(bytes: &[u8], options: &Options<'_>, leaves: &mut Leaves) -> Result<()> {
    let (mut workspace, len) = (Workspace::new(), bytes.len() as u64);
    let mut outline = Outline::open(bytes, len, &options.limits, leaves)?;
    assert_eq!(File::open(bytes, &options.limits).map(|file| file.chunk_count()), Ok(outline.file().chunk_count()));
    for _ in 0..outline.file().chunk_count() {
        let range = outline.needs().expect("a chunk that is left");
        let (start, end) = (range.start as usize, range.end as usize);
        outline.feed(range.start, &bytes[start..end], &mut workspace, leaves)?;
    }
    assert_eq!(outline.needs(), None);
    Ok(())
}

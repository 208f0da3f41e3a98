//! Every door of Pco.

use unspool::pco::{
    Chunk, Decoder, File, Latent, Number, NumberType, Options, Outline, Plan, SCRATCH_LEN, decode, decode_bytes,
    decode_chunks, decode_threaded, decode_to, decode_to_vec, decoded_len, inspect, salvage, workspace_len,
};
use unspool::{Class, Done, End, Error, ErrorKind, Result, Status};

use crate::{Leaves, TWO, no_later, ranges, room, same, traced};

/// The most words of workspace that a call gets.
pub const WORDS: u64 = 1 << 18;

/// Decodes a file by every door. Returns the verdict that they agree on.
pub fn agree(bytes: &[u8], options: &Options) -> Result<Done> {
    let options = &Options { plan: Plan::Batches, ..*options };
    let mut words = vec![u64::MAX; workspace_len(bytes, options).unwrap_or(0).min(WORDS) as usize];
    let mut out = vec![0xAA; room(&options.limits)];
    let whole = lend(&mut words, |words| decode_bytes(bytes, &mut out, words, options, &mut ()));
    if whole.is_err_and(|error| matches!(error.class(), Class::WorkspaceTooSmall { .. })) {
        return whole;
    }
    let content = &out[..whole.map_or(0, |done| done.wrote)];

    // Bytes after a file belong to a leaf of their own.
    let all = |_: &Done| bytes.len();
    let mut again = vec![0x55; out.len()];
    let heard =
        traced("decode_bytes", bytes, |leaves| decode_bytes(bytes, &mut again, &mut words, options, leaves), all);
    assert_eq!(heard, whole, "a trace changes the verdict");
    let mut scratch = [0; SCRATCH_LEN];
    let seen = traced("inspect", bytes, |leaves| inspect(bytes, &mut words, &mut scratch, options, leaves), all);
    same("inspect", &whole, &seen);
    let mut sunk = vec![];
    let mut sink = |piece: &[u8]| {
        sunk.extend_from_slice(piece);
        Ok(())
    };
    same("decode_to", &whole, &decode_to(bytes, &mut sink, &mut words, &mut scratch, options));
    assert!(whole.is_err() || sunk == content, "other bytes to a sink");
    let mut chunks = vec![];
    let by_chunk = decode_chunks(bytes, &options.limits, &mut (), |_, bytes| {
        chunks.extend_from_slice(bytes);
        Ok(())
    });
    same("decode_chunks", &whole, &by_chunk);
    assert!(whole.is_err() || chunks == content, "other bytes by chunk");
    let counted = lend(&mut words, |words| decoded_len(bytes, words, &Options { plan: Plan::Whole, ..*options }));
    // Counting does not look numbers up.
    let late = |error: &Error| matches!(error.kind, ErrorKind::PcoLookback | ErrorKind::PcoDictIndex);
    if !whole.as_ref().is_err_and(late) {
        same("decoded_len", &whole, &counted);
    }
    let walked = {
        let (mut leaves, mut outline) = (Leaves::default(), Outline::new(bytes.len() as u64, &options.limits));
        let walked = ranges(bytes, &mut outline, Outline::needs, |outline, at, part| {
            outline.feed(at, part, &mut words, &mut leaves)
        });
        leaves.assert_walk(bytes.len(), &walked.map(|()| bytes.len()), "the outline");
        walked
    };
    no_later("the outline", &whole, &walked);
    match first_type(bytes, options) {
        Some(NumberType::U8) => typed::<u8>(bytes, options, &mut words),
        Some(NumberType::I8) => typed::<i8>(bytes, options, &mut words),
        Some(NumberType::U16) => typed::<u16>(bytes, options, &mut words),
        Some(NumberType::I16) => typed::<i16>(bytes, options, &mut words),
        Some(NumberType::U32) => typed::<u32>(bytes, options, &mut words),
        Some(NumberType::I32) => typed::<i32>(bytes, options, &mut words),
        Some(NumberType::F32) => typed::<f32>(bytes, options, &mut words),
        Some(NumberType::U64) => typed::<u64>(bytes, options, &mut words),
        Some(NumberType::I64) => typed::<i64>(bytes, options, &mut words),
        Some(NumberType::F64) => typed::<f64>(bytes, options, &mut words),
        _ => {}
    }
    pages(bytes, options);
    whole
}

/// Calls a door, and again with [`WORDS`] if it asks for more. To fill all of them for a call takes
/// longer than the doors.
fn lend<T>(words: &mut Vec<u64>, mut door: impl FnMut(&mut [u64]) -> Result<T>) -> Result<T> {
    let done = door(words);
    let lacks = |error: &Error| matches!(error.class(), Class::WorkspaceTooSmall { .. });
    if words.len() as u64 == WORDS || !done.as_ref().is_err_and(lacks) {
        return done;
    }
    words.resize(WORDS as usize, u64::MAX);
    door(words)
}

/// Returns the type of the first chunk.
fn first_type(bytes: &[u8], options: &Options) -> Option<NumberType> {
    let file = File::open(bytes, &options.limits).ok()?;
    Some(file.chunk(file.first(), &mut ()).ok()??.number_type())
}

/// Compares the doors that return numbers of a type.
fn typed<T: Number + Clone + Default + Send>(bytes: &[u8], options: &Options, words: &mut [u64]) {
    let mut out = vec![T::default(); room(&options.limits) / size_of::<T>() + 1];
    let whole = decode(bytes, &mut out, words, options, &mut ());
    same("decode_to_vec", &whole, &decode_to_vec::<T>(bytes, options));
    same("decode_threaded", &whole, &decode_threaded(bytes, &mut out, TWO, options));
    let (done, error) = salvage(bytes, &mut out, words, options);
    same("salvage", &whole, &error.map_or(Ok(()), Err));
    assert!(whole.is_err() || whole == Ok(done));
}

/// Decodes each page in pieces.
fn pages(bytes: &[u8], options: &Options) {
    let Ok(file) = File::open(bytes, &options.limits) else { return };
    let mut at = file.first();
    while let Ok(Some(chunk)) = file.chunk(at, &mut ()) {
        let size = chunk.len * chunk.number_type().size();
        let words = chunk.workspace_len(Plan::Batches);
        if size as u64 > options.limits.max_output || words > WORDS {
            return;
        }
        let mut words = vec![0x5555_5555_5555_5555; words as usize];
        let mut out = vec![0; size];
        let whole = chunk.decode_bytes(&mut out, &mut words, &mut ());
        let pieces = |plan| match chunk.number_type().bits() {
            8 => step::<u8>(&chunk, plan),
            16 => step::<u16>(&chunk, plan),
            32 => step::<u32>(&chunk, plan),
            _ => step::<u64>(&chunk, plan),
        };
        let found = pieces(Plan::Batches);
        same("a page in pieces", &whole, &found);
        assert!(found.is_err() || found.as_ref() == Ok(&out), "other bytes of a page in pieces");
        // If a batch has two late errors, the compact decoder reports the one of the earlier
        // number.
        let late = |error: Error| match error.kind {
            ErrorKind::PcoDictIndex => Error { kind: ErrorKind::PcoLookback, ..error },
            _ => error,
        };
        same("compact", &whole.map_err(late), &pieces(Plan::CompactBatches).map_err(late));
        let Ok(next) = whole else { return };
        at = next;
    }
}

fn step<L: Latent>(chunk: &Chunk<'_>, plan: Plan) -> Result<Vec<u8>> {
    let mut words = vec![0x5555_5555_5555_5555; chunk.workspace_len(plan) as usize];
    let mut decoder = Decoder::<L>::new(&chunk.meta, chunk.len, plan);
    decoder.open(&mut words)?;
    decoder.start(chunk.len, chunk.page_at)?;
    let (page, mut room, mut out) = (chunk.page(), vec![L::ZERO; 256], vec![]);
    let (mut at, mut piece) = (0, 100);
    loop {
        let end = if page.len() - at <= piece { End::Here } else { End::NotYet };
        let step = decoder.step(&page[at..page.len().min(at + piece)], end, &mut room)?;
        for number in &room[..step.wrote] {
            let start = out.len();
            out.resize(start + size_of::<L>(), 0);
            number.put(&mut out[start..]);
        }
        at += step.read;
        match step.status {
            Status::Done => return Ok(out),
            Status::NeedInput => {
                assert!(end == End::NotYet);
                piece *= 2;
            }
            Status::NeedOutput => piece = 100,
        }
    }
}

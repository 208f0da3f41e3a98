//! CVC on arbitrary bytes: no panic, and every door returns the same result.

use std::ops::Range;

use unspool::checksum::Crc32;
use unspool::cvc::{Column, Decoder, Dtype, File, Options, Scalar, Workspace, inspect};
use unspool::{Error, ErrorKind, Limits, Verify};

use unspool_harness::cvc::agree;
use unspool_harness::{Random, drive};

/// Limits so small that no header can request much memory or time.
const LIMITS: Limits = Limits {
    max_output: 1 << 16,
    max_window: 1 << 16,
    max_header: 1 << 16,
    max_elements: 1 << 10,
    max_depth: 100,
    ..Limits::DEFAULT
};
const OPTIONS: Options<'static> = Options { limits: LIMITS, ..Options::DEFAULT };
const WORKSPACE: usize = 1 << 17;

/// Decodes arbitrary bytes.
pub fn cvc_arbitrary(bytes: &[u8]) {
    let _ = agree(bytes, &OPTIONS);
    let inspected = inspect(bytes, &mut Workspace::new(), &OPTIONS, &mut ());
    let mut random = Random::of(bytes);
    let file = match File::open(bytes, &LIMITS) {
        Ok(file) => file,
        Err(error) => {
            assert_eq!(inspected, Err(error));
            let streamed = streams(bytes, None, &mut random).map_err(place);
            assert_eq!(streamed, Err(place(error)), "as a stream");
            return;
        }
    };
    metadata(&file);
    for column in file.columns().take(8) {
        let Ok(column) = column else { break };
        let name: String = column.name().chars().collect();
        // If columns share a name, the name selects one of them, not always this one.
        if file.is_columnar() && file.columns().flatten().filter(|other| other.name().is(&name)).count() > 1 {
            continue;
        }
        self::column(bytes, &column, file.is_columnar().then_some(&*name), inspected.err(), &mut random);
    }
}

/// Decodes arbitrary bytes with corrected lengths and checksums, so that later errors are reached.
pub fn cvc_mutated(bytes: &[u8]) {
    let mut bytes = bytes.to_vec();
    repair(&mut bytes);
    cvc_arbitrary(&bytes);
}

/// Decodes one column: in one piece, as a stream, and by ranges of rows.
fn column(bytes: &[u8], column: &Column<'_>, name: Option<&str>, inspected: Option<Error>, random: &mut Random) {
    let (output, rows) = (column.output(), column.rows());
    let mut whole = vec![0xAA; LIMITS.max_output as usize];
    let decoded = column.decode_bytes(bytes, rows.clone(), &mut whole, &OPTIONS);
    let mut sunk = vec![];
    let mut sink = |part: &[u8]| {
        sunk.extend(part);
        Ok(())
    };
    let to_sink = column.decode_to(bytes, rows.clone(), &mut sink, &OPTIONS);
    assert_eq!(to_sink.map(|done| done.checksums), decoded.map(|done| done.checksums), "to a sink");
    let done = match decoded {
        Ok(done) => done,
        Err(error) => {
            let streamed = streams(bytes, name, random);
            // The evidence for this error comes after the last chunk, where a stream has ended.
            if let Ok(values) = streamed
                && error.kind != ErrorKind::CvcHiddenCrc
            {
                panic!("the stream returns {} bytes, the file {error:?}", values.len());
            }
            return;
        }
    };
    whole.truncate(done.wrote);
    assert!(whole == sunk, "to a sink");
    let output = output.expect("what is decoded has a type");
    assert_eq!(
        Some(whole.len() as u64),
        (rows.end - rows.start).checked_mul(column.dimension()).and_then(|len| len.checked_mul(output.width()))
    );
    if let Some(error) = inspected {
        assert_ne!(error.kind, ErrorKind::CvcCrc, "inspect finds a wrong checksum that decoding does not");
    }

    match streams(bytes, name, random) {
        Ok(values) => assert!(values == whole, "the stream gives other values"),
        // A stream may refuse a file that it cannot decode in order.
        Err(error) => assert!(
            matches!(error.kind, ErrorKind::CvcBackwards | ErrorKind::WorkspaceTooSmall),
            "{error:?} only as a stream"
        ),
    }
    for _ in 0..3 {
        let part = between(&rows, random);
        let row = column.dimension().saturating_mul(output.width());
        let expected = (part.start * row) as usize..(part.end * row) as usize;
        let mut values = vec![0xAA; expected.len()];
        column
            .decode_bytes(bytes, part, &mut values, &Options { verify: Verify::Skip, ..OPTIONS })
            .expect("a part of what decodes");
        assert!(values == whole[expected], "rows decode to other values alone");
    }
    let values = column.decode_to_vec::<f32>(bytes, column.rows(), &OPTIONS);
    if output == Dtype::F32 {
        let values = values.expect("as f32 where the type is f32");
        assert!(values.iter().flat_map(|value| value.to_le_bytes()).eq(whole), "as f32");
    }
}

/// Decodes as a stream: at once, byte by byte, and in random pieces. All three must agree.
fn streams(bytes: &[u8], name: Option<&str>, random: &mut Random) -> Result<Vec<u8>, Error> {
    let at_once = stream(bytes, name, || (usize::MAX, LIMITS.max_output as usize));
    if bytes.len() < 500 {
        assert_same(&at_once, &stream(bytes, name, || (1, 1)));
    }
    assert_same(&at_once, &stream(bytes, name, || (1 + random.below(70), 1 + random.below(9) + random.below(2) * 500)));
    at_once
}

fn assert_same(a: &Result<Vec<u8>, Error>, b: &Result<Vec<u8>, Error>) {
    match (a, b) {
        (Ok(a), Ok(b)) => assert!(a == b, "another split returns other bytes"),
        (a, b) => assert_eq!(a.as_ref().err(), b.as_ref().err(), "another split returns another error"),
    }
}

fn stream(bytes: &[u8], name: Option<&str>, split: impl FnMut() -> (usize, usize)) -> Result<Vec<u8>, Error> {
    let mut workspace = vec![0; WORKSPACE];
    let mut decoder = Decoder::new(&mut workspace, &Options { column: name, ..OPTIONS });
    let (values, end) = drive(bytes, split, |src, end, room| decoder.step(src, end, room));
    assert!(values.len() as u64 <= LIMITS.max_output, "more than the limit");
    end.map(|()| values)
}

/// Compares errors without `need`: a stream cannot know how much more input is needed.
fn place(error: Error) -> (ErrorKind, u64) {
    (error.kind, error.at)
}

fn between(rows: &Range<u64>, random: &mut Random) -> Range<u64> {
    let [a, b] = [0; 2].map(|_: u64| rows.start + random.below((rows.end - rows.start + 1) as usize) as u64);
    a.min(b)..a.max(b)
}

/// Calls every method of a header.
fn metadata(file: &File<'_>) {
    for section in file.sections().take(20).flatten() {
        assert!(section.rows.start <= section.rows.end && section.rows.end <= file.num_vectors());
        section.metadata.matches("source", &Scalar::from("wiki"));
        section.metadata.matches("n", &Scalar::Number("1"));
    }
    let mut next = 0;
    for chunk in file.chunks().take(2000).map_while(Result::ok) {
        assert_eq!(chunk.rows.start, next, "rows without a gap");
        next = chunk.rows.end;
        chunk.sections().take(5).flatten().for_each(drop);
    }
    assert!(next <= file.num_vectors());
}

/// Writes the true length of the header text and the true checksums of the chunks.
fn repair(bytes: &mut [u8]) {
    let versioned = bytes.get(8) != Some(&b'{');
    let (length_at, json_at) = if versioned { (8, 12) } else { (4, 8) };
    let Some(json_len) = bytes.get(json_at..).and_then(json_len) else { return };
    bytes[..4].copy_from_slice(b"CVCF");
    bytes[length_at..length_at + 4].copy_from_slice(&(json_len as u32).to_le_bytes());
    let mut at = json_at + json_len;
    while let Some(len) = bytes.get(at..).and_then(|rest| rest.first_chunk()).map(|len| u32::from_le_bytes(*len)) {
        let start = at + if versioned { 8 } else { 4 };
        let Some(end) = start.checked_add(len as usize).filter(|&end| end <= bytes.len()) else { return };
        if versioned {
            let crc = Crc32::of(&bytes[start..end]).to_le_bytes();
            bytes[at + 4..start].copy_from_slice(&crc);
        }
        at = end;
    }
}

/// Returns the text up to the bracket that closes the first one.
fn json_len(text: &[u8]) -> Option<usize> {
    let (mut depth, mut quoted, mut escaped) = (0, false, false);
    for (at, &byte) in text.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => depth += 1,
            b'}' | b']' if !quoted => {
                depth -= 1;
                if depth <= 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

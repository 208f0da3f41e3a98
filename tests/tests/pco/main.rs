//! Pco against its vectors and its reference: bit-exact, in one piece and in any pieces, and
//! hostile files refused.
#![allow(clippy::cast_possible_truncation, reason = "test inputs are small")]

mod bits;
mod doors;
mod hostile;
mod memory;
mod pieces;
mod structure;
mod vectors;
mod wrapped;

use core::cell::Cell;
use core::ops::Range;
use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::Value as Json;
use unspool::pco::{Chunk, Decoder, File, Latent, LatentBits, Meta, Mode, NumberType, Plan, Version, decode_chunks};
use unspool::{Class, End, Error, ErrorKind, Limits, Name, Part, Status, Step, Trace, Value};
use unspool_tests::{Leaves, Random, files_in, is_again, list, manifest, number, read, text, vector_folders};

use bits::Bits;
use wrapped::wrapped;

/// Valid standalone files of the compact set, and of the large one at least.
const VALID: [usize; 2] = [407, 2566];

/// Runs `test` on every valid standalone vector: its name, its bytes, the bytes of its numbers and
/// its entry in the manifest. A file that both sets have runs once. Asserts that no file of the
/// folders was left out. Returns how many there are.
fn valid(test: impl Fn(&str, &[u8], &[u8], &Json)) -> usize {
    let mut all = 0;
    for (folder, least) in vector_folders("pco").iter().zip(VALID) {
        let mut ran = BTreeSet::new();
        for part in ["", "synth", "old", "assets"] {
            let folder = folder.join(part);
            for entry in list(&manifest(&folder.join("manifest.json")), "files") {
                let name = text(entry, "file");
                if !is_again(&folder.join(name)) {
                    test(name, &read(&folder.join(name)), &read(&folder.join(text(entry, "bin"))), entry);
                }
                ran.insert(folder.join(name));
            }
        }
        let bad = folder.join("bad");
        let wanted = |path: &PathBuf| path.extension().is_some_and(|end| end == "pco") && !path.starts_with(&bad);
        let there: BTreeSet<_> = files_in(folder).into_iter().filter(wanted).collect();
        assert_eq!(ran, there, "{}: a manifest leaves out files", folder.display());
        assert!(ran.len() >= least, "{}: only {} files", folder.display(), ran.len());
        eprintln!("{}: {} files", folder.display(), ran.len());
        all += ran.len();
    }
    all
}

/// A decoder with its tables.
fn opened<'m, 'w, L: Latent>(
    meta: &'m Meta<'m>,
    n: usize,
    plan: Plan,
    words: &'w mut [u64],
) -> Result<Decoder<'m, 'w, L>, Error> {
    let mut decoder = Decoder::new(meta, n, plan);
    decoder.open(words)?;
    Ok(decoder)
}

fn workspace(chunk: &Chunk<'_>, plan: Plan) -> Vec<u64> {
    // Its old content must not matter.
    vec![0xA5A5_A5A5_A5A5_A5A5; chunk.workspace_len(plan) as usize]
}

/// Decodes a file to the little-endian bytes of its numbers. Returns them with the offset after the
/// file.
fn decode(bytes: &[u8], only: Option<&str>) -> Result<(Vec<u8>, u64), Error> {
    let file = File::open(bytes, &Limits::NONE)?;
    let (mut at, mut out) = (file.first(), vec![]);
    while let Some(chunk) = file.chunk(at, &mut ())? {
        if only.is_some_and(|ty| ty != chunk.number_type().name()) {
            return Err(Error::new(ErrorKind::WrongType, at));
        }
        let start = out.len();
        out.resize(start + chunk.len * chunk.number_type().size(), 0xAA);
        at = chunk.decode_bytes(&mut out[start..], &mut workspace(&chunk, Plan::Batches), &mut ())?;
    }
    Ok((out, at + 1))
}

/// Decodes a page with the decoder that takes pieces; `split` returns the input and output of each
/// call.
fn pieces<L: Latent>(
    meta: &Meta<'_>,
    page: &[u8],
    n: usize,
    page_at: u64,
    plan: Plan,
    mut split: impl FnMut() -> (usize, usize),
) -> Result<(Vec<u8>, usize), Error> {
    let mut words = vec![0x5A5A_5A5A_5A5A_5A5A; meta.workspace_len(n, plan) as usize];
    let mut decoder = opened::<L>(meta, n, plan, &mut words)?;
    decoder.start(n, page_at)?;
    let (mut at, mut input, mut output) = (0, 0, 0);
    let mut numbers = vec![];
    loop {
        let (more_in, more_out) = split();
        let (to, room) = (page.len().min(at + input + more_in), output + more_out);
        let end = if to == page.len() { End::Here } else { End::NotYet };
        let mut out = vec![L::ZERO; room];
        let step = decoder.step(&page[at..to], end, &mut out)?;
        assert!(step.read <= to - at && step.wrote <= room);
        for number in &out[..step.wrote] {
            let mut bytes = [0; 8];
            number.put(&mut bytes[..size_of::<L>()]);
            numbers.extend_from_slice(&bytes[..size_of::<L>()]);
        }
        at += step.read;
        if step.status == Status::Done {
            return Ok((numbers, at));
        }
        // The unread input comes again, and more of it.
        (input, output) = (to - at, room - step.wrote);
    }
}

fn pieces_of(
    chunk: &Chunk<'_>,
    bytes: &[u8],
    plan: Plan,
    split: impl FnMut() -> (usize, usize),
) -> Result<(Vec<u8>, usize), Error> {
    let page = &bytes[chunk.page_at as usize..];
    match chunk.number_type().bits() {
        8 => pieces::<u8>(&chunk.meta, page, chunk.len, chunk.page_at, plan, split),
        16 => pieces::<u16>(&chunk.meta, page, chunk.len, chunk.page_at, plan, split),
        32 => pieces::<u32>(&chunk.meta, page, chunk.len, chunk.page_at, plan, split),
        _ => pieces::<u64>(&chunk.meta, page, chunk.len, chunk.page_at, plan, split),
    }
}

/// Small files of every kind, for tests that take them apart.
fn small(test: impl Fn(&str, &[u8])) {
    valid(|name, bytes, _, _| {
        if bytes.len() < 700 {
            test(name, bytes);
        }
    });
}

fn type_named(name: &str) -> NumberType {
    NumberType::ALL.into_iter().find(|ty| ty.name() == name).unwrap()
}

/// Decodes with the reference to little-endian bytes. `None` if it refuses.
fn reference_decode(ty: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    fn run<T: pco::data_types::Number>(bytes: &[u8], put: impl Fn(&T, &mut Vec<u8>)) -> Option<Vec<u8>> {
        let numbers = pco::standalone::simple_decompress::<T>(bytes).ok()?;
        let mut out = vec![];
        numbers.iter().for_each(|number| put(number, &mut out));
        Some(out)
    }
    match ty {
        "u8" => run::<u8>(bytes, |x, out| out.push(*x)),
        "i8" => run::<i8>(bytes, |x, out| out.extend(x.to_le_bytes())),
        "u16" => run::<u16>(bytes, |x, out| out.extend(x.to_le_bytes())),
        "i16" => run::<i16>(bytes, |x, out| out.extend(x.to_le_bytes())),
        "f16" => run::<half::f16>(bytes, |x, out| out.extend(x.to_le_bytes())),
        "u32" => run::<u32>(bytes, |x, out| out.extend(x.to_le_bytes())),
        "i32" => run::<i32>(bytes, |x, out| out.extend(x.to_le_bytes())),
        "f32" => run::<f32>(bytes, |x, out| out.extend(x.to_le_bytes())),
        "u64" => run::<u64>(bytes, |x, out| out.extend(x.to_le_bytes())),
        "i64" => run::<i64>(bytes, |x, out| out.extend(x.to_le_bytes())),
        _ => run::<f64>(bytes, |x, out| out.extend(x.to_le_bytes())),
    }
}

/// Opens a file with a trace.
fn read_file<'a>(bytes: &'a [u8], trace: &mut impl Trace) -> File<'a> {
    let mut file = File::new();
    file.read(bytes, &Limits::DEFAULT, trace).unwrap();
    file
}

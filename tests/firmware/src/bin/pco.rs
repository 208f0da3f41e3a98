//! Pco as a device uses it: columns in flash, tables in a `static`, 256 numbers at a time, input in
//! pieces.
#![no_std]
#![no_main]

use firmware::{Test, damage, entry, file};
use unspool::pco::{Decoder, File, Options, Plan, decode_to};
use unspool::{Class, End, Error, Limits, Status};

file!(I32_DELTA, "../../../vectors/pco/m_i32_classic_auto.pco");
file!(I32_DELTA_VALUES, "../../../vectors/pco/m_i32_classic_auto.bin");
file!(F32, "../../../vectors/pco/n_f32_513.pco");
file!(F32_VALUES, "../../../vectors/pco/n_f32_513.bin");

/// Words for the tables of either file: 2 KiB.
const WORDS: usize = 256;

#[entry]
fn main() -> ! {
    static mut TABLES: [u64; WORDS] = [0; WORDS];
    static mut NUMBERS: [u32; 256] = [0; 256];
    static mut COPY: [u8; 1770] = [0; 1770];
    static mut SCRATCH: [u8; 2048] = [0; 2048];

    let mut test = Test::new("pco");
    for (name, bytes, expected) in
        [("i32, delta", I32_DELTA.get(), I32_DELTA_VALUES.get()), ("f32, classic", F32.get(), F32_VALUES.get())]
    {
        test.case(name, || decodes(bytes, expected, TABLES, NUMBERS), expected.len());
        test.case(name, || every_end(bytes, TABLES, NUMBERS), 1);
    }
    test.case("wrong bits", || wrong_bits(F32.get(), COPY, TABLES, SCRATCH) == damage::PCO, 1);
    test.finish()
}

/// Decodes the first chunk, 256 numbers at a time, with 64 more bytes of input until a batch is
/// complete.
fn batches(bytes: &[u8], tables: &mut [u64], numbers: &mut [u32], mut each: impl FnMut(&[u32])) -> Result<(), Error> {
    let file = File::open(bytes, &Limits::DEFAULT)?;
    let Some(chunk) = file.chunk(file.first(), &mut ())? else { return Ok(()) };
    let mut decoder = Decoder::<u32>::new(&chunk.meta, chunk.len, Plan::Batches);
    decoder.open(tables)?;
    decoder.start(chunk.len, chunk.page_at)?;
    let (mut rest, mut piece) = (chunk.page(), 64usize);
    loop {
        let (input, end) = match rest.get(..piece) {
            Some(input) => (input, End::NotYet),
            None => (rest, End::Here),
        };
        let step = decoder.step(input, end, numbers)?;
        each(numbers.get(..step.wrote).unwrap_or(&[]));
        rest = rest.get(step.read..).unwrap_or(&[]);
        match step.status {
            Status::Done => return Ok(()),
            Status::NeedInput => piece = piece.saturating_add(64),
            Status::NeedOutput => piece = 64,
        }
    }
}

fn decodes(bytes: &[u8], expected: &[u8], tables: &mut [u64], numbers: &mut [u32]) -> bool {
    let (mut expected, mut same) = (expected.chunks_exact(4), true);
    let done = batches(bytes, tables, numbers, |numbers| {
        same &= numbers.iter().all(|number| expected.next() == Some(&number.to_le_bytes()));
    });
    done.is_ok() && same && expected.next().is_none()
}

/// A file cut at any byte is an error, and the device goes on. The last byte does not belong to the
/// chunk.
fn every_end(bytes: &[u8], tables: &mut [u64], numbers: &mut [u32]) -> bool {
    (0..bytes.len().saturating_sub(1)).step_by(7).all(|end| {
        let bytes = bytes.get(..end).unwrap_or(&[]);
        batches(bytes, tables, numbers, |_| {}).is_err_and(|error| error.class() == Class::Truncated)
    })
}

/// Returns the answers to a file with one wrong bit.
fn wrong_bits(file: &[u8], copy: &mut [u8], tables: &mut [u64], scratch: &mut [u8]) -> u32 {
    let options = Options { plan: Plan::Batches, ..Options::DEFAULT };
    damage::answers(file, copy, |bytes, sink| decode_to(bytes, sink, tables, scratch, &options).map(drop))
}

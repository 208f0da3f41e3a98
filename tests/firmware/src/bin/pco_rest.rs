//! Calls the rest of Pco: every mode, delta and type, whole files, skipping, and wrapped parts.
#![no_std]
#![no_main]

use firmware::{Test, entry, file};
use unspool::pco::{Chunk, Decoder, File, Latent, Meta, Number, NumberType, Options, Plan, Version, decode};
use unspool::{Class, Limits};

file!(DICT, "../../../vectors/pco/x_i32_extreme_dict_lb.pco");
file!(DICT_VALUES, "../../../vectors/pco/x_i32_extreme_dict_lb.bin");
file!(LOOKBACK, "../../../vectors/pco/x_i32_extreme_auto_lb.pco");
file!(LOOKBACK_VALUES, "../../../vectors/pco/x_i32_extreme_auto_lb.bin");
file!(FLOAT_MULT, "../../../vectors/pco/x_f32_extreme_fmult0.25_none.pco");
file!(FLOAT_MULT_VALUES, "../../../vectors/pco/x_f32_extreme_fmult0.25_none.bin");
file!(QUANT, "../../../vectors/pco/x_f32_extreme_fquant23_c2.pco");
file!(QUANT_VALUES, "../../../vectors/pco/x_f32_extreme_fquant23_c2.bin");
file!(CONVOLUTION, "../../../vectors/pco/m_i16_imult_conv6.pco");
file!(CONVOLUTION_VALUES, "../../../vectors/pco/m_i16_imult_conv6.bin");

const WORDS: usize = 1000;

#[entry]
fn main() -> ! {
    static mut TABLES: [u64; WORDS] = [0; WORDS];
    static mut OUT: [u8; 2700] = [0; 2700];

    let mut test = Test::new("pco, the rest");
    let files: [(&str, &[u8], &[u8]); 5] = [
        ("i32, dict, lookback", DICT.get(), DICT_VALUES.get()),
        ("i32, lookback", LOOKBACK.get(), LOOKBACK_VALUES.get()),
        ("f32, float mult", FLOAT_MULT.get(), FLOAT_MULT_VALUES.get()),
        ("f32, float quant, delta", QUANT.get(), QUANT_VALUES.get()),
        ("i16, int mult, convolution", CONVOLUTION.get(), CONVOLUTION_VALUES.get()),
    ];
    for (name, bytes, expected) in files {
        test.case(name, || whole(bytes, expected, TABLES, OUT), expected.len());
    }
    test.case("typed", || typed(DICT.get(), TABLES), 1);
    test.case("wrapped", || wrapped(TABLES), 1);
    test.finish()
}

fn first(bytes: &[u8]) -> Option<Chunk<'_>> {
    let file = File::open(bytes, &Limits::DEFAULT).ok()?;
    file.chunk(file.first(), &mut ()).ok()?
}

/// Decodes any type in one call, skips it, and fails if the output is too small.
fn whole(bytes: &[u8], expected: &[u8], tables: &mut [u64], out: &mut [u8]) -> bool {
    let Some(chunk) = first(bytes) else { return false };
    let Some(out) = out.get_mut(..expected.len()) else { return false };
    let Ok(end) = chunk.decode_bytes(out, tables, &mut ()) else { return false };
    let small = chunk.skip(tables.get_mut(..2).unwrap_or(&mut []));
    &*out == expected
        && chunk.skip(tables) == Ok(end)
        && small.is_err_and(|error| matches!(error.class(), Class::WorkspaceTooSmall { need } if need > 2))
}

/// Calls the decoder of every type. Each is linked, and each fails: wrong type or output too small.
fn typed(bytes: &[u8], tables: &mut [u64]) -> bool {
    fn refuses<T: Number + Default>(bytes: &[u8], tables: &mut [u64]) -> bool {
        let mut few = [T::default(); 4];
        decode(bytes, &mut few, tables, &Options::DEFAULT, &mut ()).is_err()
            && first(bytes).is_some_and(|chunk| chunk.decode(&mut few, tables, &mut ()).is_err())
    }
    refuses::<u8>(bytes, tables)
        && refuses::<i8>(bytes, tables)
        && refuses::<u16>(bytes, tables)
        && refuses::<i16>(bytes, tables)
        && refuses::<u32>(bytes, tables)
        && refuses::<i32>(bytes, tables)
        && refuses::<f32>(bytes, tables)
        && refuses::<u64>(bytes, tables)
        && refuses::<i64>(bytes, tables)
        && refuses::<f64>(bytes, tables)
        && NumberType::from_byte(9) == Some(NumberType::F16)
}

/// A wrapped chunk of one bin, and two pages of it that take no bytes.
fn wrapped(tables: &mut [u64]) -> bool {
    fn sevens<L: Latent>(ty: NumberType, meta: &[u8], tables: &mut [u64]) -> bool {
        let Ok((version, _)) = Version::read(&[4, 1], &mut ()) else { return false };
        let (src, mut meta) = (meta, Meta::new());
        let read = meta.read(src, ty, version.major, 0, &Limits::DEFAULT, &mut ());
        let mut decoder = Decoder::<L>::new(&meta, 3, Plan::Whole);
        if read.is_err() || decoder.open(tables).is_err() {
            return false;
        }
        let mut page = [L::ZERO; 3];
        let pages = (0..2).all(|_| decoder.page(&[], 0, &mut page, &mut ()) == Ok(0)) && page == [L::low(7); 3];
        let (done, mut other) = (decoder.left() == 0, [L::ZERO; 3]);
        let mut compact = Decoder::<L>::new(&meta, 3, Plan::CompactBatches);
        let compact =
            compact.open(tables).is_ok() && compact.page(&[], 0, &mut other, &mut ()) == Ok(0) && other == page;
        let all = meta.decode_pages([(&[][..], &mut other[..2]), (&[][..], &mut page[..1])], 2, tables, &mut ());
        pages && done && compact && all.is_ok()
    }
    // Classic, no delta, a table of one entry, one bin, lower 7, no offset.
    let meta = [0, 0x10, 0, 0x38, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    sevens::<u8>(NumberType::U8, &meta, tables)
        && sevens::<u16>(NumberType::U16, &meta, tables)
        && sevens::<u32>(NumberType::U32, &meta, tables)
        && sevens::<u64>(NumberType::U64, &meta, tables)
}

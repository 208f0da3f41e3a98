//! Threads on arbitrary bytes: any number returns the output of one thread, or its error. The
//! leaves of the file tile it.

use std::fmt::Debug;
use std::num::NonZeroUsize;

use unspool::{Done, ErrorKind, Format, Limits, Result, at1, cvc, onpair, pco, xz, zstd};
use unspool_harness::tile;

/// Limits so small that no file takes long.
const LIMITS: Limits = Limits { max_output: 1 << 18, max_window: 1 << 18, max_elements: 1 << 16, ..Limits::DEFAULT };
/// Room for all output, or not.
const ROOM: usize = 1 << 16;

/// Decodes xz, also twice in a row.
pub fn xz_threads(bytes: &[u8]) {
    let options = &xz::Options { limits: LIMITS, ..xz::Options::DEFAULT };
    for file in [bytes, &bytes.repeat(2)] {
        tile(Format::Xz, file, &LIMITS);
        let one = |dst: &mut [u8]| xz::decode(file, dst, &mut xz::Workspace::new(), options, &mut ());
        agree(one, |dst, threads| xz::decode_threaded(file, dst, threads, options));
    }
}

/// Decodes Zstandard, also twice in a row.
pub fn zstd_threads(bytes: &[u8]) {
    let options = &zstd::Options { limits: LIMITS, ..zstd::Options::DEFAULT };
    for file in [bytes, &bytes.repeat(2)] {
        tile(Format::Zstd, file, &LIMITS);
        let one = |dst: &mut [u8]| zstd::decode(file, dst, &mut zstd::Workspace::new(), options, &mut ());
        agree(one, |dst, threads| zstd::decode_threaded(file, dst, threads, options));
    }
}

/// Decodes AT-1.
pub fn at1_threads(bytes: &[u8]) {
    tile(Format::At1, bytes, &LIMITS);
    let options = &at1::Options { limits: LIMITS, ..at1::Options::DEFAULT };
    let one = |dst: &mut [u8]| {
        let (mut workspace, mut scratch) = (at1::Workspace::new(), vec![0; 1 << 12]);
        loop {
            match at1::decode(bytes, dst, &mut workspace, &mut scratch, options, &mut ()) {
                Ok(done) => return Ok(done),
                Err(error) => at1::grow(&mut scratch, error)?,
            }
        }
    };
    agree(one, |dst, threads| at1::decode_threaded(bytes, dst, threads, options));
}

/// Decodes OnPair.
pub fn onpair_threads(bytes: &[u8]) {
    tile(Format::OnPair, bytes, &LIMITS);
    let options = &onpair::Options { limits: LIMITS };
    let one = |dst: &mut [u8]| onpair::decode(bytes, dst, &mut onpair::Workspace, options, &mut ());
    agree(one, |dst, threads| onpair::decode_threaded(bytes, dst, threads, options));
}

/// Decodes CVC.
pub fn cvc_threads(bytes: &[u8]) {
    tile(Format::Cvc, bytes, &LIMITS);
    let options = &cvc::Options { limits: LIMITS, ..cvc::Options::DEFAULT };
    // Not as floats, whose NaNs are not equal.
    let one = |dst: &mut [i64]| cvc::decode(bytes, dst, &mut cvc::Workspace::new(), options, &mut ());
    agree(one, |dst, threads| cvc::decode_threaded(bytes, dst, threads, options));
    let one = |dst: &mut [f32]| {
        let done = cvc::decode(bytes, dst, &mut cvc::Workspace::new(), options, &mut ());
        dst.iter_mut().for_each(|number| *number = if number.is_nan() { -1.5 } else { *number });
        done
    };
    agree(one, |dst, threads| {
        let done = cvc::decode_threaded(bytes, dst, threads, options);
        dst.iter_mut().for_each(|number| *number = if number.is_nan() { -1.5 } else { *number });
        done
    });
}

/// Decodes Pco, as numbers of three widths.
pub fn pco_threads(bytes: &[u8]) {
    tile(Format::Pco, bytes, &LIMITS);
    numbers::<u8>(bytes);
    numbers::<i32>(bytes);
    numbers::<u64>(bytes);
}

fn numbers<T: pco::Number + Debug + Default + PartialEq + Send>(bytes: &[u8]) {
    let options = &pco::Options { limits: LIMITS, ..pco::Options::DEFAULT };
    let one = |dst: &mut [T]| {
        let mut workspace = vec![];
        loop {
            match pco::decode(bytes, dst, &mut workspace, options, &mut ()) {
                Err(error) if error.kind == ErrorKind::WorkspaceTooSmall => workspace.resize(error.need as usize, 0),
                decoded => return decoded,
            }
        }
    };
    agree(one, |dst, threads| pco::decode_threaded(bytes, dst, threads, options));
}

/// Compares one thread with two and three.
fn agree<T: Clone + Debug + Default + PartialEq>(
    one: impl Fn(&mut [T]) -> Result<Done>,
    many: impl Fn(&mut [T], NonZeroUsize) -> Result<Done>,
) {
    let (mut expected, mut found) = (vec![T::default(); ROOM], vec![T::default(); ROOM]);
    let done = one(&mut expected);
    for threads in [2, 3] {
        let again = many(&mut found, NonZeroUsize::new(threads).unwrap());
        assert_eq!(done, again, "{threads} threads report something else");
        let wrote = done.map_or(0, |done| done.wrote);
        assert!(expected[..wrote] == found[..wrote], "{threads} threads decode to something else");
    }
}

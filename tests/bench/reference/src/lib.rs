//! The Pco reference as a module for Node. `cargo xtask bench` compiles it for WebAssembly and
//! compares the npm package with it.

use std::any::Any;
use std::cell::RefCell;

use pco::data_types::Number;
use pco::standalone::simple_decompress;

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static OUTPUT: RefCell<(usize, Box<dyn Any>)> = RefCell::new((0, Box::new(())));
}

/// Allocates `len` bytes for a file and returns their address.
#[unsafe(no_mangle)]
pub extern "C" fn input(len: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        input.resize(len, 0);
        input.as_mut_ptr()
    })
}

/// Decodes the file in that memory, whose number type is the byte `ty`. Returns the address of the
/// numbers, or null if decoding failed.
#[unsafe(no_mangle)]
pub extern "C" fn decode(ty: u8) -> *const u8 {
    match ty {
        1 => decode_of::<u32>(),
        2 => decode_of::<u64>(),
        3 => decode_of::<i32>(),
        4 => decode_of::<i64>(),
        5 => decode_of::<f32>(),
        6 => decode_of::<f64>(),
        7 => decode_of::<u16>(),
        8 => decode_of::<i16>(),
        10 => decode_of::<u8>(),
        11 => decode_of::<i8>(),
        _ => std::ptr::null(),
    }
}

fn decode_of<T: Number>() -> *const u8 {
    let Ok(numbers) = INPUT.with_borrow(|input| simple_decompress::<T>(input)) else { return std::ptr::null() };
    let place = numbers.as_ptr().cast();
    OUTPUT.set((size_of_val(numbers.as_slice()), Box::new(numbers)));
    place
}

/// Returns the bytes of the decoded numbers.
#[unsafe(no_mangle)]
pub extern "C" fn output_len() -> usize {
    OUTPUT.with_borrow(|output| output.0)
}

/// Frees the decoded numbers. Not called `free`: a program would take it for that of the C library.
#[unsafe(no_mangle)]
pub extern "C" fn release() {
    OUTPUT.set((0, Box::new(())));
}

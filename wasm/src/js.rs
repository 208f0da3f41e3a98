//! The JavaScript functions that this crate calls. `js-sys` would add promises, which weigh more in
//! a small module than some decoders.

#[cfg(feature = "inspect")]
use alloc::string::String;

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// An array of bytes in JavaScript's memory.
    pub type Uint8Array;

    /// Creates an array of zeros.
    #[cfg(feature = "cvc")]
    #[wasm_bindgen(constructor)]
    pub fn with_length(length: f64) -> Uint8Array;

    /// Returns the number of bytes.
    #[wasm_bindgen(method, getter)]
    pub fn length(this: &Uint8Array) -> u32;

    /// Copies `bytes` to offset `at`. They must fit.
    #[wasm_bindgen(method)]
    pub fn set(this: &Uint8Array, bytes: &[u8], at: u32);

    /// An array of values of any kind.
    #[cfg(feature = "cvc")]
    #[wasm_bindgen(js_name = Array)]
    pub type Values;

    /// Creates an empty array.
    #[cfg(feature = "cvc")]
    #[wasm_bindgen(constructor, js_class = "Array")]
    pub fn new() -> Values;

    /// Appends a number and its bytes.
    #[cfg(feature = "cvc")]
    #[wasm_bindgen(method, js_class = "Array", js_name = push)]
    pub fn push_both(this: &Values, number: u8, bytes: &Uint8Array);

    /// Takes the numbers of a file, run by run.
    #[cfg(feature = "pco")]
    pub type Runs;

    /// Copies a run of numbers from the memory of the module; `ty` is the byte of their type.
    #[cfg(feature = "pco")]
    #[wasm_bindgen(method)]
    pub fn push(this: &Runs, ty: u8, numbers: &[u8]);

    /// Formats a number with the fewest digits that round-trip.
    #[cfg(feature = "inspect")]
    #[wasm_bindgen(js_name = String)]
    pub(crate) fn digits(number: f64) -> String;
}

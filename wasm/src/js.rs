//! The JavaScript functions that this crate calls. `js-sys` would add promises, which weigh more in
//! a small module than some decoders.

#[cfg(feature = "inspect")]
use alloc::string::String;

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// An array of bytes in JavaScript's memory.
    pub type Uint8Array;

    /// Copies bytes to a new array.
    #[cfg(feature = "pco")]
    #[wasm_bindgen(constructor)]
    pub fn of(bytes: &[u8]) -> Uint8Array;

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
    #[cfg(any(feature = "cvc", feature = "pco"))]
    #[wasm_bindgen(js_name = Array)]
    pub type Values;

    /// Creates an empty array.
    #[cfg(feature = "cvc")]
    #[wasm_bindgen(constructor, js_class = "Array")]
    pub fn new() -> Values;

    /// Appends a number and its bytes.
    #[cfg(any(feature = "cvc", feature = "pco"))]
    #[wasm_bindgen(method, js_class = "Array", js_name = push)]
    pub fn push_both(this: &Values, number: u8, bytes: &Uint8Array);

    #[wasm_bindgen(js_namespace = Array, js_name = of)]
    pub(crate) fn array_of(first: f64, second: f64, third: f64) -> JsValue;

    /// Formats a number with the fewest digits that round-trip.
    #[cfg(feature = "inspect")]
    #[wasm_bindgen(js_name = String)]
    pub(crate) fn digits(number: f64) -> String;
}

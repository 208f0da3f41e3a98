//! What of JavaScript is called from here. The crate that knows all of it brings its promises along, which weigh more in a small
//! module than some decoders do.

#[cfg(feature = "inspect")]
use alloc::string::String;

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// Bytes that belong to JavaScript.
    pub type Uint8Array;

    /// A copy of these.
    #[cfg(feature = "pco")]
    #[wasm_bindgen(constructor)]
    pub fn of(bytes: &[u8]) -> Uint8Array;

    /// How many there are.
    #[wasm_bindgen(method, getter)]
    pub fn length(this: &Uint8Array) -> u32;

    /// Writes `bytes` from `at` on, which must have room for them.
    #[wasm_bindgen(method)]
    pub fn set(this: &Uint8Array, bytes: &[u8], at: u32);

    /// Values of any kind.
    #[cfg(feature = "pco")]
    #[wasm_bindgen(js_name = Array)]
    pub type Values;

    /// None yet.
    #[cfg(feature = "pco")]
    #[wasm_bindgen(constructor, js_class = "Array")]
    pub fn new() -> Values;

    /// Adds a number and what belongs to it.
    #[cfg(feature = "pco")]
    #[wasm_bindgen(method, js_class = "Array", js_name = push)]
    pub fn push_both(this: &Values, number: u8, bytes: &Uint8Array);

    #[wasm_bindgen(js_namespace = Array, js_name = of)]
    pub(crate) fn array_of(first: f64, second: f64, third: f64) -> JsValue;

    /// A number in the fewest digits that tell it from all others.
    #[cfg(feature = "inspect")]
    #[wasm_bindgen(js_name = String)]
    pub(crate) fn digits(number: f64) -> String;
}

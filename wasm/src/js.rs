//! What of JavaScript is called from here. The crate that knows all of it brings its promises along, which weigh more in a small
//! module than some decoders do.

#[cfg(feature = "inspect")]
use alloc::string::String;

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// Bytes that belong to JavaScript.
    pub type Uint8Array;

    /// How many there are.
    #[wasm_bindgen(method, getter)]
    pub fn length(this: &Uint8Array) -> u32;

    /// Writes `bytes` from `at` on, which must have room for them.
    #[wasm_bindgen(method)]
    pub fn set(this: &Uint8Array, bytes: &[u8], at: u32);

    /// What holds them.
    #[cfg(feature = "cvc")]
    #[wasm_bindgen(method, getter)]
    pub(crate) fn buffer(this: &Uint8Array) -> JsValue;

    /// Where in it they lie.
    #[cfg(feature = "cvc")]
    #[wasm_bindgen(method, getter, js_name = byteOffset)]
    pub(crate) fn byte_offset(this: &Uint8Array) -> u32;

    /// Numbers that belong to JavaScript.
    #[cfg(feature = "cvc")]
    pub(crate) type Float32Array;

    /// So many of those that a buffer holds.
    #[cfg(feature = "cvc")]
    #[wasm_bindgen(constructor)]
    pub(crate) fn new(buffer: &JsValue, at: u32, len: u32) -> Float32Array;

    /// Writes all of them.
    #[cfg(feature = "cvc")]
    #[wasm_bindgen(method, js_name = set)]
    pub(crate) fn set_all(this: &Float32Array, numbers: &[f32]);

    #[wasm_bindgen(js_namespace = Array, js_name = of)]
    pub(crate) fn array_of(first: f64, second: f64, third: f64) -> JsValue;

    /// A number in the fewest digits that tell it from all others.
    #[cfg(feature = "inspect")]
    #[wasm_bindgen(js_name = String)]
    pub(crate) fn digits(number: f64) -> String;
}

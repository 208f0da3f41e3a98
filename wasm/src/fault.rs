//! Passes errors to JavaScript as numbers.

#[cfg(feature = "messages")]
use alloc::string::String;
use core::cell::Cell;
#[cfg(feature = "messages")]
use core::fmt::Write;

#[cfg(feature = "messages")]
use unspool::Class;
use unspool::{Error, ErrorKind};
use wasm_bindgen::prelude::*;

use crate::into::Only;
use crate::number;

/// An error of the core on its way to JavaScript, where it is an array of three numbers: kind,
/// offset and need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault(pub Error);

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self(error)
    }
}

impl Fault {
    /// Returns kind, offset and need.
    pub fn numbers(self) -> [f64; 3] {
        let Error { kind, at, need } = self.0;
        [f64::from(code(kind)), number::from_u64(at), number::from_u64(need)]
    }
}

impl From<Fault> for JsValue {
    fn from(fault: Fault) -> Self {
        LAST.0.set(fault.numbers());
        JsValue::UNDEFINED
    }
}

/// The numbers of the last fault that a call threw.
static LAST: Only<Cell<[f64; 3]>> = Only(Cell::new([0.0; 3]));

/// Returns a number of the last fault that a call threw: 0 its kind, 1 its offset, 2 its need.
#[wasm_bindgen]
pub fn fault(index: usize) -> f64 {
    LAST.0.get().get(index).copied().unwrap_or_default()
}

/// Returns the stable number of a kind.
pub(crate) const fn code(kind: ErrorKind) -> u16 {
    kind as u16
}

/// Returns the core's error table: one line for each kind with number, name, class, title of the
/// class and message, separated by tabs.
#[cfg(feature = "messages")]
#[wasm_bindgen]
pub fn error_kinds() -> String {
    let mut lines = String::new();
    for &kind in ErrorKind::ALL {
        let class = match kind.class() {
            Class::Truncated => "Truncated",
            Class::Corrupt => "Corrupt",
            Class::Checksum => "Checksum",
            Class::Unsupported => "Unsupported",
            Class::Limit => "Limit",
            Class::OutputTooSmall { .. } => "OutputTooSmall",
            Class::WorkspaceTooSmall { .. } => "WorkspaceTooSmall",
            Class::Misuse => "Misuse",
        };
        // Writing to a string cannot fail.
        let _ =
            writeln!(lines, "{}\t{}\t{class}\t{}\t{}", code(kind), kind.name(), kind.class().name(), kind.message());
    }
    lines
}

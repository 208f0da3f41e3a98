//! The JSON of headers: checked once, then walked without allocation.
//!
//! What the writers of CVC and AT-1 really write is Python's JSON, which is wider than RFC 8259: bare `NaN`, `Infinity` and `-Infinity`,
//! duplicate keys, lone surrogate escapes, a byte order mark. [`check`] reads all of the text once and refuses what Python
//! refuses; after that, [`Node`] walks over it and cannot fail, because what it walks over is known to be well-formed.

mod check;
mod node;
mod text;

pub(crate) use check::check;
pub(crate) use node::{Elements, Member, Node};
pub use text::Text;

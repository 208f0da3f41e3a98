//! What a streaming decoder says after each call.

/// Whether more input will come after the slice of this call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// More may come.
    NotYet,
    /// This slice ends the input; a decoder that needs more reports `Truncated`.
    Here,
}

/// The one thing that the caller must do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Call again with the bytes that follow those that were read.
    NeedInput,
    /// Call again with room for more output. If some of this was left, the next call gives the error that came behind what is written.
    NeedOutput,
    /// The data is complete; what follows in the input was not touched.
    Done,
}

/// How far one call came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Bytes of the input that are used up.
    pub read: usize,
    /// Bytes of the output that are filled.
    pub wrote: usize,
    /// What to do next.
    pub status: Status,
}

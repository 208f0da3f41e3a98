//! The bounds that a caller sets for a file.

/// Bounds that a decoder compares with the claims of a header, before it does any work for a claim.
///
/// ```
/// use unspool::Limits;
/// let limits = Limits { max_output: 1 << 20, ..Limits::DEFAULT };
/// assert!(limits.max_output < Limits::DEFAULT.max_output);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Limits {
    /// Most bytes that a whole file may decode to. If only a part is decoded: most bytes of that
    /// part, and of each frame or block that contains it.
    pub max_output: u64,
    /// Most bytes of history that a decoder may be asked to keep: the window of a Zstandard frame,
    /// the dictionary of xz and LZMA, the numbers that Pco looks back at.
    ///
    /// A Zstandard frame with a larger window is refused in one piece too, so that a file decodes
    /// either both ways or not at all. So is Pco. For a Zstandard frame in a single segment, and
    /// for xz and LZMA, the whole output is the history: in one piece `max_output` bounds it, in a
    /// stream this limit. In AT-1, Zstandard always decodes in one piece, and only `max_output`
    /// counts.
    pub max_window: u64,
    /// Most bytes that a header, a directory or an index may take in the file. Headers that are
    /// never longer than a kilobyte are not compared: those of frames, streams and blocks.
    pub max_header: u64,
    /// Most entries of anything that a header lists: chunks, columns, tokens, bins, streams,
    /// frames. Only `max_header` bounds the blocks in an index of xz.
    pub max_elements: u64,
    /// Most columns of a table. Some formats name each column in each chunk, and finding one takes
    /// time.
    pub max_columns: u64,
    /// Deepest nesting of structured headers.
    pub max_depth: u16,
}

impl Limits {
    /// For files that a person opens: 16 GiB of output, windows of 128 MiB, headers of 256 MiB, 16
    /// million entries, 4096 columns.
    pub const DEFAULT: Self = Self {
        max_output: 16 << 30,
        max_window: 128 << 20,
        max_header: 256 << 20,
        max_elements: 1 << 24,
        max_columns: 4096,
        max_depth: 1000,
    };

    /// No bounds except those of the formats. For files that the caller made.
    pub const NONE: Self = Self {
        max_output: u64::MAX,
        max_window: u64::MAX,
        max_header: u64::MAX,
        max_elements: u64::MAX,
        max_columns: u64::MAX,
        max_depth: 1000,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

//! The memory of the inflater: code tables, and bits that are read ahead.

use miniz_oxide::inflate::core::DecompressorOxide;

/// The bytes of a window: the largest distance of deflate.
pub const WINDOW_SIZE: usize = 32 << 10;

/// The memory of a [`Workspace`], in bytes.
pub const WORKSPACE_SIZE: usize = size_of::<Workspace>();

const _: () = assert!(WORKSPACE_SIZE <= 16 << 10);

/// The memory that decoding needs besides input and output. Fits in a `static`, and serves any
/// number of files.
#[derive(Clone, Default)]
pub struct Workspace(Option<DecompressorOxide>);

impl Workspace {
    /// An empty workspace.
    pub const fn new() -> Self {
        Self(None)
    }

    /// The inflater.
    pub(super) fn inflater(&mut self) -> &mut DecompressorOxide {
        self.0.get_or_insert_with(DecompressorOxide::new)
    }
}

impl core::fmt::Debug for Workspace {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Workspace").finish_non_exhaustive()
    }
}

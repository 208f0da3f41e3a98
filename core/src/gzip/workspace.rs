//! What inflating remembers: code tables, and bits that are read ahead.

use miniz_oxide::inflate::core::DecompressorOxide;

/// The memory of a [`Workspace`], in bytes.
pub const WORKSPACE_SIZE: usize = size_of::<Workspace>();

const _: () = assert!(WORKSPACE_SIZE <= 16 << 10);

/// All that decoding needs besides input and output. Fits in a `static`, and can be used for any number of files.
#[derive(Clone, Default)]
pub struct Workspace(Option<DecompressorOxide>);

impl Workspace {
    /// An empty workspace.
    pub const fn new() -> Self {
        Self(None)
    }

    /// The inflater, wherever it is.
    pub(super) fn inflater(&mut self) -> &mut DecompressorOxide {
        self.0.get_or_insert_with(DecompressorOxide::new)
    }

    /// An inflater at the start of a stream.
    pub(super) fn start(&mut self) -> &mut DecompressorOxide {
        let inflater = self.inflater();
        inflater.init();
        inflater
    }
}

impl core::fmt::Debug for Workspace {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Workspace").finish_non_exhaustive()
    }
}

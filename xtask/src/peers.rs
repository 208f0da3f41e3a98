//! Builds decoders in C to compare with, from sources in crates that the tests depend on anyway.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::install;
use crate::sh::{cmd, root};

/// The folder of their archives, with a folder for each optimisation level.
const FOLDER: &str = "target/peers";
/// The headers of a C library that they include.
const HEADERS: &str = "tests/size/c";
const FLAGS: &str = "-mcpu=cortex-m0 -mthumb -ffreestanding -ffunction-sections -fdata-sections -DNDEBUG";

/// A decoder in C.
struct Peer {
    name: &'static str,
    /// The crate that contains its sources, and their folder in it.
    from: &'static str,
    within: &'static str,
    flags: &'static str,
    includes: &'static str,
    files: &'static str,
}

const PEERS: [Peer; 3] = [
    Peer {
        name: "zstd",
        from: "zstd-sys",
        within: "zstd/lib",
        // As its Makefile does for `ZSTD_LIB_MINIFY=1` without compression.
        flags: "-DHUF_FORCE_DECOMPRESS_X1 -DZSTD_FORCE_DECOMPRESS_SEQUENCES_SHORT -DZSTD_NO_INLINE -DZSTD_STRIP_ERROR_STRINGS \
            -DZSTD_LEGACY_SUPPORT=0 -DZSTD_TRACE=0",
        includes: "",
        files: "common/entropy_common common/error_private common/fse_decompress common/xxhash common/zstd_common \
            decompress/huf_decompress decompress/zstd_ddict decompress/zstd_decompress decompress/zstd_decompress_block",
    },
    Peer {
        name: "liblzma",
        from: "liblzma-sys",
        within: "xz/src/liblzma",
        // As its `configure` does for `--enable-small --disable-encoders --enable-decoders=lzma2
        // --enable-checks=crc32,crc64`.
        flags: "-DHAVE_SMALL -DHAVE_DECODERS -DHAVE_DECODER_LZMA2 -DHAVE_CHECK_CRC32 -DHAVE_CHECK_CRC64 -DHAVE_STDINT_H \
            -DHAVE_STDBOOL_H -DHAVE_STRING_H -DHAVE_INTTYPES_H",
        includes: "../common api check common delta lz lzma rangecoder simple",
        files: "check/check check/crc32_small check/crc64_small common/block_decoder common/block_header_decoder \
            common/block_util common/common common/filter_common common/filter_decoder common/filter_flags_decoder \
            common/index_hash common/stream_buffer_decoder common/stream_decoder common/stream_flags_common \
            common/stream_flags_decoder common/vli_decoder common/vli_size lz/lz_decoder lzma/lzma2_decoder lzma/lzma_decoder",
    },
    Peer {
        name: "xz_embedded",
        from: "xz-embedded-sys",
        within: "xz-embedded",
        // Single-call mode, which is the smallest.
        flags: "-std=gnu99 -DXZ_DEC_SINGLE -DXZ_USE_CRC64",
        includes: "userspace linux/include/linux",
        files: "linux/lib/xz/xz_crc32 linux/lib/xz/xz_crc64 linux/lib/xz/xz_dec_lzma2 linux/lib/xz/xz_dec_stream",
    },
];

/// Compiles the peers for a Cortex-M0 at an optimisation level of the C compiler. Returns the
/// folder with an archive of each and the compiler's own library.
pub fn build(level: &str) -> Result<PathBuf> {
    install::arm_gcc()?;
    let folder = root().join(FOLDER).join(level);
    let crates = crates()?;
    for Peer { name, from, within, flags, includes, files } in PEERS {
        let sources = source_of(&crates, from)?.join(within);
        let objects = folder.join(name);
        std::fs::create_dir_all(&objects)?;
        let mut compile = cmd("arm-none-eabi-gcc -c").arg(format!("-O{level}")).args(FLAGS).args(flags).dir(&objects);
        compile = compile.arg("-I").arg(root().join(HEADERS));
        compile = includes.split_whitespace().fold(compile, |cmd, within| cmd.arg("-I").arg(sources.join(within)));
        let mut archive = cmd("arm-none-eabi-ar rcs").arg(folder.join(format!("lib{name}.a"))).dir(&objects);
        for file in files.split_whitespace() {
            compile = compile.arg(sources.join(file).with_extension("c"));
            archive = archive.arg(Path::new(file).with_extension("o").file_name().unwrap_or_default());
        }
        compile.quiet().run()?;
        archive.quiet().run()?;
    }
    let own = cmd("arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb -print-libgcc-file-name").read()?;
    std::fs::copy(own.trim(), folder.join("libgcc.a"))?;
    Ok(folder)
}

/// Returns the folders of all crates in the dependency tree, including optional ones.
pub fn crates() -> Result<Vec<PathBuf>> {
    let said = cmd("cargo metadata --locked --all-features --format-version 1").read()?;
    let manifests = said.split("\"manifest_path\":\"").skip(1).filter_map(|rest| rest.split('"').next());
    Ok(manifests.filter_map(|manifest| Path::new(manifest).parent().map(Path::to_owned)).collect())
}

/// Returns the folder of one crate.
pub fn source_of<'c>(crates: &'c [PathBuf], name: &str) -> Result<&'c Path> {
    // A crate from a registry has a folder named `NAME-VERSION`.
    let called = |folder: &Path| folder.file_name()?.to_str()?.rsplit_once('-').map(|(called, _)| called == name);
    let found = crates.iter().find(|folder| called(folder) == Some(true));
    found.map(PathBuf::as_path).with_context(|| format!("{name} is not among the dependencies"))
}

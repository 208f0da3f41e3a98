//! Builds decoders in C to compare with, from sources in crates that the tests depend on, in
//! packages from PyPI, and in a source package of Debian.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::install;
use crate::python;
use crate::sh::{cmd, root};

/// The folder of their archives, with a folder for each optimisation level.
const FOLDER: &str = "target/peers";
/// The packages from PyPI that contain sources and compressors.
const PACKAGES: &str = "tests/size/requirements.txt";
/// The image that peers decode.
pub const IMAGE: &str = "tests/vectors/patch/opensbi.bin";
/// The headers of a C library that they include.
const HEADERS: &str = "tests/size/c";
const FLAGS: &str = "-mcpu=cortex-m0 -mthumb -ffreestanding -ffunction-sections -fdata-sections -DNDEBUG";

/// A decoder in C.
struct Peer {
    name: &'static str,
    /// The crate or the package that contains its sources, and their folder in it.
    from: &'static str,
    within: &'static str,
    flags: &'static str,
    includes: &'static str,
    files: &'static str,
}

const PEERS: [Peer; 7] = [
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
    Peer {
        name: "miniz",
        from: "miniz-sys",
        within: "",
        flags: "-DMINIZ_NO_STDIO -DMINIZ_NO_TIME -DMINIZ_NO_ARCHIVE_APIS -DMINIZ_NO_ZLIB_APIS -DMINIZ_NO_MALLOC",
        includes: "",
        files: "miniz",
    },
    Peer { name: "uzlib", from: "micropython", within: "lib/uzlib", flags: "", includes: "", files: "tinflate" },
    Peer {
        name: "tamp",
        from: "tamp",
        within: "tamp/_c_src/tamp",
        // As its documentation says for decoders alone.
        flags: "-DTAMP_STREAM=0 -DTAMP_COMPRESSOR=0",
        includes: "",
        files: "common decompressor",
    },
    Peer {
        name: "heatshrink",
        from: "heatshrink2",
        within: "heatshrink2/_heatshrink",
        flags: "",
        includes: "",
        files: "heatshrink_decoder",
    },
];

/// Compiles the peers for a Cortex-M0 at an optimisation level of the C compiler. Returns the
/// folder with an archive of each and the compiler's own library.
pub fn build(level: &str) -> Result<PathBuf> {
    install::arm_gcc()?;
    let folder = root().join(FOLDER).join(level);
    let mut sources = crates()?;
    sources.extend(packages()?);
    for Peer { name, from, within, flags, includes, files } in PEERS {
        let sources = source_of(&sources, from)?.join(within);
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

/// Downloads the sources of packages from PyPI and Debian, and returns their folders.
fn packages() -> Result<Vec<PathBuf>> {
    let folder = root().join(FOLDER).join("packages");
    let pinned = std::fs::read_to_string(root().join(PACKAGES))?;
    let mut folders = vec![];
    for package in pinned.lines().filter(|line| line.contains("==")) {
        let name = package.replace("==", "-");
        if !folder.join(&name).exists() {
            std::fs::create_dir_all(&folder)?;
            let python = python()?;
            let download = cmd(&python).args("-m pip download --quiet --no-deps --no-binary :all:").arg(package);
            download.dir(&folder).run()?;
            cmd("tar -xf").arg(format!("{name}.tar.gz")).dir(&folder).run()?;
        }
        folders.push(folder.join(name));
    }
    ensure!(folders.len() == 2, "{PACKAGES} names {folders:?}");
    folders.push(micropython(&folder)?);
    Ok(folders)
}

/// Downloads the sources of MicroPython from the mirror of Debian that this machine uses, and
/// returns their folder. No package has uzlib by itself.
fn micropython(folder: &Path) -> Result<PathBuf> {
    let unpacked = folder.join("micropython-1.25.0");
    if !unpacked.exists() {
        let mirrors = cmd("apt-get indextargets --format $(REPO_URI)").arg("Created-By: Packages").read()?;
        let mirror = mirrors.lines().find(|mirror| mirror.ends_with("/debian/")).context("no mirror of Debian")?;
        // Its own lists, so that those of the machine stay as they are.
        let lists = folder.join("lists");
        std::fs::create_dir_all(lists.join("partial"))?;
        let list = folder.join("sources.list");
        std::fs::write(&list, format!("deb-src {mirror} trixie main\n"))?;
        let apt = |line: &str| {
            let apt =
                cmd("apt-get -o Dir::Etc::sourceparts=- -o").arg(format!("Dir::Etc::sourcelist={}", list.display()));
            apt.arg("-o").arg(format!("Dir::State::lists={}", lists.display())).args(line).dir(folder).run()
        };
        apt("update")?;
        apt("source --download-only micropython=1.25.0+ds-1")?;
        cmd("tar --wildcards -xf micropython_1.25.0+ds.orig.tar.xz */lib/uzlib/*").dir(folder).run()?;
    }
    Ok(unpacked)
}

/// Makes an environment with the packages, and returns the path of its interpreter.
fn python() -> Result<String> {
    python::with("size", &format!("../{PACKAGES}"))
}

/// Compresses a firmware image that is not of this project with every compressor. Returns the
/// folder from which the
/// paths in programs of `tests/size` lead to the files, and that of the files.
pub fn image() -> Result<(PathBuf, PathBuf)> {
    let data = root().join(FOLDER).join("image/data");
    let sources = root().join(FOLDER).join("image/src/bin");
    std::fs::create_dir_all(&data)?;
    std::fs::create_dir_all(&sources)?;
    install::decoders()?;
    cmd(&python()?).arg("tests/size/compress.py").arg(IMAGE).arg(&data).run()?;
    Ok((sources, data))
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

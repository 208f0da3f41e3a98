//! Generates the header from the sources with `cbindgen`, and from the core's table of errors.
//! `cargo xtask header` writes it.
#![allow(missing_docs)]

use std::fmt::Write;
use std::path::{Path, PathBuf};

use cbindgen::{Builder, Config, ExportConfig, Language, Style};
use unspool::ErrorKind;

/// The files that all others use. The header shows them first.
const FIRST: [&str; 2] = ["common", "error"];
/// The files without declarations for C: their exports are for the linker.
const NOT_SHOWN: [&str; 2] = ["lib", "memory"];

/// The files of `src`, in the order in which the header shows them.
fn sources() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let name_of = |path: &PathBuf| path.file_stem().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    let files = std::fs::read_dir(folder).expect("the sources").map(|file| file.expect("a file").path());
    let mut files: Vec<_> = files.filter(|path| !NOT_SHOWN.contains(&&*name_of(path))).collect();
    let place = |name: &str| FIRST.iter().position(|first| *first == name).unwrap_or(FIRST.len());
    files.sort_by_key(|path| (place(&name_of(path)), name_of(path)));
    files
}

/// The structs for workspaces. No function names one: functions take any memory, and its length.
fn workspaces() -> Vec<String> {
    let mut names = vec![];
    for path in sources() {
        let source = std::fs::read_to_string(path).expect("a source");
        let structs = source.lines().filter_map(|line| line.strip_prefix("pub struct ")?.strip_suffix(" {"));
        names.extend(structs.filter(|name| name.ends_with("Workspace")).map(str::to_owned));
    }
    assert!(names.len() > 2, "{names:?}");
    names
}

const ABOUT: &str = "\
/* unspool: decodes compressed columns and byte streams into buffers that the caller owns.
 *
 * Nothing is allocated, and there are no globals. The size of an opaque struct is a constant, so
 * it may be in .bss. Memory that was lent to one (input, workspace, window, other structs) must
 * stay valid while the struct is used.
 *
 * Each function that can fail returns 0 (UNSPOOL_OK) or the number of an error, and writes the
 * details to `error`. That may be null, and so may every pointer to a result. A pointer to bytes
 * may be null if its length is 0.
 *
 * Memory that a call writes to (output, workspace, window, scratch, opaque structs) must not
 * overlap any other argument: that is the error UNSPOOL_ERROR_OVERLAP, and nothing else is
 * written. It must not overlap memory that was lent to another struct, nor contain results such
 * as `done`; that is not checked.
 *
 * Archives for bare devices have no functions for gzip: its inflater needs a panic handler, as
 * hosted programs have.
 *
 * Generated from capi/src by `cargo xtask header`. Define UNSPOOL_SMALL for archives that were
 * built with the feature `small`.
 */";

const WIDTH: &str = "
#if !defined(UNSPOOL_32_BIT) && UINTPTR_MAX <= 0xFFFFFFFFu
#define UNSPOOL_32_BIT
#endif

#if !defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
_Static_assert(sizeof(void *) == sizeof(size_t), \"unspool needs pointers as wide as sizes\");
#endif
";

/// Functions that write a struct which is smaller with the feature `small`, and whose length is not
/// an argument.
const TRUSTING: [&str; 5] = [
    "unspool_pco_init_8",
    "unspool_pco_init_16",
    "unspool_pco_init_32",
    "unspool_pco_init_64",
    "unspool_onpair_search_init",
];

/// Definitions that make a program with small structs link only with a small archive, also through
/// pointers to functions.
fn small_only() -> String {
    let mut text = "
// Only archives with the feature `small` have these names. Others would write beyond the small
// structs.
#if defined(UNSPOOL_SMALL)
"
    .to_owned();
    for name in TRUSTING {
        let _ = writeln!(text, "#define {name} {}", name.replace("unspool_", "unspool_small_"));
    }
    text + "#endif\n"
}

/// The version, for the preprocessor.
fn version() -> String {
    let numbers = [
        ("MAJOR", env!("CARGO_PKG_VERSION_MAJOR")),
        ("MINOR", env!("CARGO_PKG_VERSION_MINOR")),
        ("PATCH", env!("CARGO_PKG_VERSION_PATCH")),
    ];
    let lines = numbers.map(|(name, number)| format!("#define UNSPOOL_VERSION_{name} {number}\n"));
    format!("\n// The version of this header; `unspool_version` returns that of the archive.\n{}", lines.concat())
}

fn header() -> String {
    let config = Config {
        language: Language::C,
        style: Style::Both,
        header: Some(ABOUT.into()),
        include_guard: Some("UNSPOOL_H".into()),
        no_includes: true,
        sys_includes: vec!["stddef.h".into(), "stdint.h".into()],
        after_includes: Some(format!("{}{WIDTH}{}{}", version(), small_only(), kinds())),
        cpp_compat: true,
        usize_is_size_t: true,
        line_length: 120,
        documentation_style: cbindgen::DocumentationStyle::C99,
        defines: [("target_pointer_width = 32", "UNSPOOL_32_BIT"), ("feature = small", "UNSPOOL_SMALL")]
            .map(|(cfg, define)| (cfg.into(), define.into()))
            .into(),
        export: ExportConfig { include: workspaces(), ..ExportConfig::default() },
        ..Config::default()
    };
    let builder =
        sources().into_iter().fold(Builder::new().with_config(config), |builder, path| builder.with_src(path));
    let mut bytes = vec![];
    builder.generate().expect("the sources can be read").write(&mut bytes);
    String::from_utf8(bytes).expect("UTF-8")
}

/// The core's errors as an `enum`.
fn kinds() -> String {
    let mut text =
        "\n// Errors, with the numbers of the Rust library. They never change; new ones are added.\n".to_owned();
    text.push_str("enum UnspoolKind {\n  // No error.\n  UNSPOOL_OK = 0,\n");
    for &kind in ErrorKind::ALL {
        // `ZstdHuffmanStream` becomes `ZSTD_HUFFMAN_STREAM`; names of formats are one word.
        let name = kind.name().replace("OnPair", "Onpair");
        let mut words = String::new();
        for (i, letter) in name.char_indices() {
            let boundary = letter.is_uppercase() && i > 0;
            words.push_str(if boundary { "_" } else { "" });
            words.push(letter.to_ascii_uppercase());
        }
        let _ = writeln!(text, "  // {}\n  UNSPOOL_ERROR_{words} = {},", kind.message(), kind as u16);
    }
    text + "};"
}

#[test]
fn the_checked_in_header_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/unspool.h");
    let header = header();
    if std::env::var_os("UNSPOOL_WRITE_HEADER").is_some() {
        std::fs::write(&path, &header).expect("the header can be written");
    }
    let checked_in = std::fs::read_to_string(&path).unwrap_or_default();
    let different = header.lines().zip(checked_in.lines()).find(|(now, then)| now != then);
    assert!(header == checked_in, "unspool.h is out of date; run cargo xtask header. First difference: {different:?}");
}

#[test]
fn the_header_declares_every_function_and_error() {
    let header = header();
    // All files, not only those above: a file that is missing there would be missing here, too.
    // Only `lib` has functions that are not in the header.
    let files = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).expect("the sources");
    let paths = files.map(|file| file.expect("a file").path()).filter(|path| !path.ends_with("lib.rs"));
    let mut functions = 0;
    for path in paths {
        let source = std::fs::read_to_string(path).expect("a source");
        for line in source.lines().filter(|line| line.contains("extern \"C\" fn ")) {
            let function = line.split("fn ").nth(1).and_then(|rest| rest.split('(').next()).expect("a name");
            assert!(header.contains(&format!("{function}(")), "{function} is missing");
            functions += 1;
        }
    }
    assert!(functions > 40, "{functions}");
    assert!(header.contains("UNSPOOL_ERROR_ONPAIR_CODE = 408,") && header.contains("UNSPOOL_ERROR_CVC_CRC = 514,"));
}

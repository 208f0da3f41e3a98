//! Generates the headers from the sources with `cbindgen`, and from the core's table of errors.
//! `cargo xtask header` writes them.
#![allow(missing_docs)]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use cbindgen::{Builder, Config, DocumentationStyle, ExportConfig, Language, Style};
use unspool::ErrorKind;

/// The files that all others use. The header shows them first.
const FIRST: [&str; 2] = ["common", "error"];
/// The files without declarations for C: their exports are for the linker.
const NOT_SHOWN: [&str; 4] = ["lib", "layout", "memory", "tests"];
/// The header that all others include.
const COMMON: &str = "common";
/// The formats, each with a header, and their names.
const FORMATS: [(&str, &str); 7] = [
    ("zstd", "Zstandard"),
    ("xz", "xz"),
    ("gzip", "gzip"),
    ("pco", "Pco, columns of numbers"),
    ("onpair", "OnPair, columns of strings"),
    ("cvc", "CVC, embedding vectors"),
    ("at1", "AT-1, text files as typed columns"),
];

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
/**
 * @file
 * unspool: decodes compressed columns and byte streams into memory of the caller.
 *
 * Nothing is allocated, and there are no globals. The size of an opaque struct is a constant, so
 * it may be in .bss. Memory that was lent to one (input, workspace, window, other structs) must
 * stay valid while the struct is used.
 *
 * Each function that can fail returns 0 (UNSPOOL_OK) or the number of an error, and writes the
 * details to `error`. That may be null, and so may every pointer to a result. A pointer to bytes
 * may be null if its length is 0. All lengths are in bytes, unless they say otherwise.
 *
 * Structs of options start with their size, `sizeof` of them. All other members may be zero.
 *
 * Memory that a call writes to (output, workspace, window, scratch, opaque structs) must not
 * overlap any other that it uses, nor what was lent to its struct: that is the error
 * UNSPOOL_ERROR_OVERLAP. Then only `error` is written, and `read`, `wrote` and `status` of a step.
 * Results such as `done`, steps, options, limits and stores must not be inside that memory. This is
 * not checked.
 *
 * Archives for bare devices have no functions for gzip: its inflater needs a panic handler, as
 * hosted programs have.
 *
 * Generated from capi/src by `cargo xtask header`. Define UNSPOOL_SMALL for archives that were
 * built with the feature `small`.
 */
";

const WIDTH: &str = "
#if !defined(UNSPOOL_32_BIT) && UINTPTR_MAX <= 0xFFFFFFFFu
/** Pointers have 32 bits. */
#define UNSPOOL_32_BIT
#endif

#if !defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
_Static_assert(sizeof(void *) == sizeof(size_t), \"unspool needs pointers as wide as sizes\");
#endif
";

/// Functions that write a struct which is smaller with the feature `small`, and whose length is not
/// an argument.
const TRUSTING: [&str; 8] = [
    "unspool_pco_init_8",
    "unspool_pco_init_16",
    "unspool_pco_init_32",
    "unspool_pco_init_64",
    "unspool_pco_init_int_16",
    "unspool_pco_init_int_32",
    "unspool_pco_init_int_64",
    "unspool_onpair_search_init",
];

/// Definitions that make a program with small structs link only with a small archive, also through
/// pointers to functions.
fn small_only() -> String {
    let mut text = "
/*
 * Only archives with the feature `small` have these names. Others would write beyond the small
 * structs.
 */
#if defined(UNSPOOL_SMALL)
"
    .to_owned();
    for name in TRUSTING {
        let _ = writeln!(text, "#define {name} {}", name.replace("unspool_", "unspool_small_"));
    }
    text + "#endif\n"
}

/// The version and the layout, for the preprocessor.
fn version(layout: u32) -> String {
    let [major, minor, patch] =
        [env!("CARGO_PKG_VERSION_MAJOR"), env!("CARGO_PKG_VERSION_MINOR"), env!("CARGO_PKG_VERSION_PATCH")]
            .map(|number| number.parse::<u32>().expect("a number"));
    let about = "/** The layout of this header: a hash of its declarations, and two bits for the build. */";
    format!(
        "
/** The version of this header: a million for each major one, a thousand for each minor one. */
#define UNSPOOL_VERSION {}u

#if defined(UNSPOOL_SMALL) && defined(UNSPOOL_32_BIT)
{about}
#define UNSPOOL_LAYOUT 0x{:08X}u
#elif defined(UNSPOOL_SMALL)
{about}
#define UNSPOOL_LAYOUT 0x{:08X}u
#elif defined(UNSPOOL_32_BIT)
{about}
#define UNSPOOL_LAYOUT 0x{:08X}u
#else
{about}
#define UNSPOOL_LAYOUT 0x{:08X}u
#endif

/** Returns 0 if this header and the archive belong together, else UNSPOOL_ERROR_WRONG_HEADER. */
#define unspool_check() unspool_check_header(UNSPOOL_VERSION, UNSPOOL_LAYOUT)
",
        major * 1_000_000 + minor * 1000 + patch,
        layout | 3,
        layout | 1,
        layout | 2,
        layout
    )
}

/// All declarations, as cbindgen writes them.
fn declarations() -> String {
    let config = Config {
        language: Language::C,
        style: Style::Both,
        no_includes: true,
        usize_is_size_t: true,
        line_length: 100,
        documentation_style: DocumentationStyle::Doxy,
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

/// Returns the lines of code of a header: no comments, no blank lines.
fn code(text: &str) -> impl Iterator<Item = &str> {
    let comment = |line: &&str| ["/*", "*"].iter().any(|start| line.trim_start().starts_with(start));
    text.lines().filter(move |line| !comment(line) && !line.trim().is_empty())
}

/// Puts comments of one line on one line.
fn short_comments(block: &str) -> String {
    let mut lines: Vec<String> = vec![];
    for line in block.lines() {
        let (text, before) = (line.trim_start(), lines.len());
        let opener = before.checked_sub(2).and_then(|at| lines.get(at)).is_some_and(|line| line.trim() == "/**");
        match lines.last().and_then(|last| last.trim_start().strip_prefix("* ")).map(str::to_owned) {
            Some(only) if text == "*/" && opener => {
                let indent = " ".repeat(line.len() - text.len() - 1);
                lines.truncate(before - 2);
                lines.push(format!("{indent}/** {only} */"));
            }
            _ => lines.push(line.to_owned()),
        }
    }
    lines.join("\n")
}

/// Returns the name that a block declares.
fn declared(block: &str) -> String {
    let words = |line: &str| {
        line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').map(str::to_owned).collect::<Vec<_>>()
    };
    let line = code(block).find(|line| !line.starts_with("#if")).unwrap_or_else(|| panic!("no code: {block}"));
    let named = words(line).into_iter().filter(|word| word.to_lowercase().starts_with("unspool"));
    // The type of a function precedes its name, and a type follows the one that it renames.
    let is_function = line.contains('(') && !line.starts_with('#') && !line.starts_with("typedef");
    let mut named = named.filter(|word| !is_function || word.starts_with("unspool_"));
    let name = if line.starts_with("typedef") && !line.contains('(') { named.next_back() } else { named.next() };
    name.unwrap_or_else(|| panic!("no name: {block}"))
}

/// Returns the header that a name belongs to.
fn header_of(name: &str) -> &'static str {
    let name = name.to_lowercase();
    let name = name.trim_start_matches("unspool").trim_start_matches('_');
    FORMATS.iter().map(|&(format, _)| format).find(|format| name.starts_with(format)).unwrap_or(COMMON)
}

/// Makes the constant of a line unsigned, as checkers for C demand.
fn unsigned(line: &str) -> String {
    let Some((name, value)) = line.strip_prefix("#define UNSPOOL_").and_then(|rest| rest.split_once(' ')) else {
        return line.to_owned();
    };
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    let mut text = String::new();
    for (i, c) in value.char_indices() {
        text.push(c);
        let (before, after) = (&value[..i], &value[i + 1..]);
        let number = c.is_ascii_digit() && !digit(after.chars().next());
        let start = before.rfind(|c: char| !c.is_ascii_digit()).map_or(0, |at| at + 1);
        if number && !digit(before[..start].chars().next_back()) {
            text.push('u');
        }
    }
    format!("#define UNSPOOL_{name} {text}")
}

/// Returns every header, by its path in `include`, and the hash of their declarations.
fn headers() -> (BTreeMap<String, String>, u32) {
    let mut parts: BTreeMap<&str, String> = BTreeMap::new();
    for block in declarations().split("\n\n").map(str::trim).filter(|block| !block.is_empty()) {
        let lines: Vec<_> = short_comments(block).lines().map(unsigned).collect();
        let _ = write!(parts.entry(header_of(&declared(block))).or_default(), "\n{}\n", lines.join("\n"));
    }
    parts.entry(COMMON).or_default().insert_str(0, &kinds());
    assert_eq!(parts.len(), FORMATS.len() + 1, "{:?}", parts.keys());

    // FNV-1a, of which any changed character changes the result.
    let hash = parts.values().flat_map(|part| code(part)).chain(TRUSTING).flat_map(|line| line.bytes().chain(*b"\n"));
    let layout = hash.fold(0x811C_9DC5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)) & !3;

    let mut files = BTreeMap::new();
    let mut all = String::new();
    for (name, about) in [(COMMON, "what all formats share")].into_iter().chain(FORMATS) {
        let (intro, before) = match name {
            COMMON => {
                let before =
                    format!("#include <stddef.h>\n#include <stdint.h>\n{WIDTH}{}{}", version(layout), small_only());
                (ABOUT.to_owned(), before)
            }
            _ => (format!("/**\n * @file\n * unspool: {about}.\n */\n"), "#include \"common.h\"\n".to_owned()),
        };
        files.insert(format!("unspool/{name}.h"), guarded(&name.to_uppercase(), &intro, &before, &parts[name]));
        let _ = writeln!(all, "#include \"unspool/{name}.h\"");
    }
    let intro = "/**\n * @file\n * unspool: all formats. Each has a header of its own, too.\n */\n";
    files.insert("unspool.h".to_owned(), format!("{intro}#ifndef UNSPOOL_H\n#define UNSPOOL_H\n\n{all}\n#endif\n"));
    (files, layout)
}

/// Returns a header with its guard, for C and C++.
fn guarded(name: &str, intro: &str, before: &str, body: &str) -> String {
    let guard = format!("UNSPOOL_{name}_H");
    format!(
        "{intro}#ifndef {guard}\n#define {guard}\n\n{before}\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n{body}\n#ifdef __cplusplus\n}}\n#endif\n\n#endif\n"
    )
}

/// The core's errors as constants.
fn kinds() -> String {
    let mut text = "\n/** No error. The numbers of errors are those of the Rust library: they never change. */\n\
                    #define UNSPOOL_OK 0u\n"
        .to_owned();
    for &kind in ErrorKind::ALL {
        // `ZstdHuffmanStream` becomes `ZSTD_HUFFMAN_STREAM`; names of formats are one word.
        let name = kind.name().replace("OnPair", "Onpair");
        let mut words = String::new();
        for (i, letter) in name.char_indices() {
            let boundary = letter.is_uppercase() && i > 0;
            words.push_str(if boundary { "_" } else { "" });
            words.push(letter.to_ascii_uppercase());
        }
        let _ = write!(text, "\n/** {} */\n#define UNSPOOL_ERROR_{words} {}u\n", sentence(kind.message()), kind as u16);
    }
    text
}

/// Returns the words of an error with a capital and a full stop.
fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

/// Compares a generated file with the one in the repository, or writes it.
fn compare(path: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("UNSPOOL_WRITE_HEADER").is_some() {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, text).expect("it can be written");
    }
    let checked_in = std::fs::read_to_string(&path).unwrap_or_default();
    let different = text.lines().zip(checked_in.lines()).find(|(now, then)| now != then);
    let path = path.display();
    assert!(text == checked_in, "{path} is out of date; run cargo xtask header. First difference: {different:?}");
}

#[test]
fn the_checked_in_headers_are_up_to_date() {
    let (files, layout) = headers();
    for (path, text) in &files {
        compare(&format!("include/{path}"), text);
    }
    let about = "A hash of every declaration in the headers. The low two bits are free for the build.";
    let number = format!("0x{:04X}_{:04X}", layout >> 16, layout & 0xFFFF);
    compare(
        "src/layout.rs",
        &format!("//! Written by `cargo xtask header`.\n\n/// {about}\npub const LAYOUT: u32 = {number};\n"),
    );
}

#[test]
fn the_headers_declare_every_function_and_error_once() {
    let (files, _) = headers();
    let all: String = files.values().map(String::as_str).collect();
    // All files, not only those above: a file that is missing there would be missing here, too.
    // Only `lib` and the tests have functions that are not in the headers.
    let sources = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).expect("the sources");
    let paths = sources
        .map(|file| file.expect("a file").path())
        .filter(|path| !["lib.rs", "tests.rs"].iter().any(|name| path.ends_with(name)));
    let mut functions = 0;
    for path in paths {
        let source = std::fs::read_to_string(path).expect("a source");
        for line in source.lines().filter(|line| line.contains("extern \"C\" fn ")) {
            let function = line.split("fn ").nth(1).and_then(|rest| rest.split('(').next()).expect("a name");
            let declared = |line: &&str| line.contains(&format!("{function}(")) && !line.starts_with('#');
            let count = code(&all).filter(declared).count();
            assert_eq!(count, 1, "{function} is declared {count} times");
            functions += 1;
        }
    }
    assert!(functions > 80, "{functions}");
    assert!(all.contains("UNSPOOL_ERROR_ONPAIR_CODE 408u") && all.contains("UNSPOOL_ERROR_CVC_CRC 514u"));
    // A header alone has everything of its format and nothing of another.
    assert!(files["unspool/zstd.h"].contains("unspool_zstd_step(") && !files["unspool/zstd.h"].contains("unspool_xz_"));
}

#[test]
fn a_function_has_at_most_eight_parameters() {
    let (files, _) = headers();
    for block in files.values().flat_map(|text| text.split(";")) {
        let code: String = code(block).collect();
        let parameters = code.matches(',').count() + 1;
        assert!(parameters <= 8 || !code.contains(" unspool_"), "{parameters}: {code}");
    }
}

#[test]
fn constants_are_unsigned() {
    assert_eq!(unsigned("#define UNSPOOL_XZ_TABLES_SIZE 5632"), "#define UNSPOOL_XZ_TABLES_SIZE 5632u");
    assert_eq!(
        unsigned("#define UNSPOOL_A_SIZE (UNSPOOL_A1_WORDS * 8)"),
        "#define UNSPOOL_A_SIZE (UNSPOOL_A1_WORDS * 8u)"
    );
    assert_eq!(unsigned("  uint8_t at[8];"), "  uint8_t at[8];");
}

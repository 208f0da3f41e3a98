//! Tests the C interface: the archive, the examples, and the header.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use object::{Object, ObjectSection, ObjectSymbol, SectionKind};
use unspool::ErrorKind;

use crate::firmware::{self, DEVICES, Device, RISCV};
use crate::install::{self, CORTEX_M0};
use crate::pages;
use crate::sh::{Cmd, cmd, has, root};
use crate::size;
use crate::test::workspace;
use crate::wasm_c;

pub const HEADERS: &str = "capi/include";
const HOSTED: &str = "capi/examples/hosted";
/// Pages whose C blocks are for programs with an operating system.
const HOSTED_PAGES: [&str; 2] = ["README.md", "capi/README.md"];
/// The page whose C blocks are for bare devices.
const BARE_PAGE: &str = "docs/firmware.md";
const BARE: &str = "capi/examples/firmware";
const VECTORS: &str = "tests/vectors";
pub const PATIENCE: Duration = Duration::from_secs(120);
/// System libraries that a hosted archive needs.
const LIBRARIES: &str = "-lpthread -ldl -lm";
/// The symbol that the linker reports as missing if a panic is reachable.
const MISSING: &str = "unspool_a_panic_is_reachable";
/// Cargo profiles, and the optimisation flag of the C compiler for each.
const PROFILES: [(&str, &str); 2] = [(SMALLEST, "-Os"), ("firmware-fast", "-O2")];
const SMALLEST: &str = "firmware";

/// Rewrites the headers, and the hash of them that the archive holds.
pub fn header() -> Result<()> {
    cmd("cargo test --locked --quiet -p unspool-capi --test header").env("UNSPOOL_WRITE_HEADER", "1").run()?;
    println!("    {HEADERS} is written");
    Ok(())
}

/// Runs every test of the C interface.
pub fn test() -> Result<()> {
    every_function_is_called()?;
    hosted()?;
    bare()?;
    wasm_c::test()?;
    pages_are_true()
}

/// Returns the headers: `unspool.h`, and one for each format.
pub fn headers() -> Result<Vec<PathBuf>> {
    let mut paths = vec![root().join(HEADERS).join("unspool.h")];
    for entry in std::fs::read_dir(root().join(HEADERS).join("unspool"))? {
        paths.push(entry?.path());
    }
    paths.sort();
    ensure!(paths.len() > 7, "only {paths:?}");
    Ok(paths)
}

/// Returns the functions that the headers declare.
pub fn functions() -> Result<Vec<String>> {
    let mut names = vec![];
    for header in headers()? {
        let text = std::fs::read_to_string(header)?;
        let code =
            text.lines().filter(|line| !["/*", "*", "#"].iter().any(|start| line.trim_start().starts_with(start)));
        let words = code.flat_map(|line| line.split(' ')).filter_map(|word| word.split_once('('));
        names.extend(words.map(|(name, _)| name.trim_start_matches('*').to_owned()));
    }
    names.retain(|name| name.starts_with("unspool_"));
    names.sort();
    names.dedup();
    ensure!(names.len() > 80, "only {} functions in {HEADERS}", names.len());
    Ok(names)
}

/// Returns the names of the numbers that the headers define.
fn numbers() -> Result<Vec<String>> {
    let mut names = vec![];
    for header in headers()? {
        let text = std::fs::read_to_string(header)?;
        let defined = text.lines().filter_map(|line| line.strip_prefix("#define ")?.split_once(' '));
        let is_number = |value: &str| value.starts_with(|first: char| first.is_ascii_digit() || first == '(');
        names.extend(defined.filter(|(_, value)| is_number(value)).map(|(name, _)| name.to_owned()));
    }
    names.sort();
    names.dedup();
    ensure!(names.len() > 150, "only {} numbers in {HEADERS}", names.len());
    Ok(names)
}

/// Returns the functions of an archive for a bare device.
pub fn bare_functions() -> Result<Vec<String>> {
    Ok(functions()?.into_iter().filter(|name| !name.starts_with("unspool_gzip_")).collect())
}

/// Checks that `functions.c` calls every function of the headers.
fn every_function_is_called() -> Result<()> {
    let source = std::fs::read_to_string(root().join(HOSTED).join("functions.c"))?;
    for name in functions()? {
        // `unspool_pco_step_##bits` expands to four functions. Others are in a table.
        let family = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let calls = [format!("{name}("), format!("{family}##bits("), format!("{{{name}, ")];
        ensure!(calls.iter().any(|call| source.contains(call)), "{HOSTED}/functions.c does not call {name}");
    }
    Ok(())
}

/// Returns the formats that an archive can be built with.
fn formats() -> Result<Vec<String>> {
    let manifest = std::fs::read_to_string(root().join("capi/Cargo.toml"))?;
    let has = |name: &String| manifest.lines().any(|line| line.starts_with(&format!("{name} = [")));
    let formats: Vec<_> = crate::test::formats()?.into_iter().filter(has).collect();
    ensure!(formats.len() > 5, "capi/Cargo.toml names only {formats:?}");
    Ok(formats)
}

/// Returns the formats of an archive for a bare device: all but gzip. The linker cannot prove that
/// its inflater never panics.
fn bare_formats() -> Result<Vec<String>> {
    Ok(formats()?.into_iter().filter(|name| name != "gzip").collect())
}

/// Checks that the archive compiles with no format and with each alone. The build also asserts that
/// the structs of the headers are large enough.
pub fn features() -> Result<()> {
    install::target(CORTEX_M0)?;
    for format in std::iter::once(String::new()).chain(formats()?) {
        for small in ["", "small,"] {
            cmd("cargo check --locked -p unspool-capi --no-default-features --features")
                .arg(format!("{small}{format}"))
                .arg("--target")
                .arg(CORTEX_M0)
                .run()?;
        }
    }
    Ok(())
}

/// Returns Cargo's target folder.
pub fn built() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

fn folder() -> Result<PathBuf> {
    let folder = built().join("c");
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Tests with the system's compiler: under sanitizers, under valgrind, with CMake, with pkg-config.
fn hosted() -> Result<()> {
    install::valgrind()?;
    install::cmake()?;
    cmd("cargo build --locked --release -p unspool-capi").run()?;
    let archive = built().join("release/libunspool_capi.a");
    let folder = folder()?;
    let compile = |name: &str, flags: &str, suffix: &str| -> Result<PathBuf> {
        let program = folder.join(format!("{name}{suffix}"));
        cmd("cc -std=c99 -Wall -Wextra -Werror -pedantic -g -I capi/include")
            .args(flags)
            .arg(format!("{HOSTED}/{name}.c"))
            .arg(&archive)
            .args(LIBRARIES)
            .arg("-o")
            .arg(&program)
            .run()?;
        Ok(program)
    };
    let sanitize = "-O1 -fsanitize=address,undefined -fno-sanitize-recover=all";
    // Reading which calls were inlined is a tenth of a short run or more.
    let valgrind =
        "valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=all --read-inline-info=no";
    cmd(&compile("functions", sanitize, "-sanitized")?.display().to_string()).arg(VECTORS).run()?;
    cmd(valgrind).arg(compile("functions", "-O1", "")?).arg(VECTORS).run()?;
    headers_are_sound()?;
    another_header_is_refused(&archive, &folder)?;

    // A program whose structs are smaller than those of the archive must not link.
    let small = cmd("cc -std=c99 -DUNSPOOL_SMALL -I capi/include").arg(format!("{HOSTED}/functions.c")).arg(&archive);
    let outcome = small.args(LIBRARIES).arg("-o").arg(folder.join("functions-small")).outcome(PATIENCE)?;
    ensure!(!outcome.success, "a program with small structs links with an archive that has large ones");
    ensure!(outcome.stderr.contains("unspool_small"), "expected a missing `unspool_small`, found:\n{}", outcome.stderr);

    // For the whole workspace, so that the core keeps the features of the other tests and is not
    // built again.
    // The checker of leaks takes ten times as long as a file. It runs above over every function,
    // and below, as a part of valgrind.
    let vectors = || workspace().args("--test c -- --ignored").env("ASAN_OPTIONS", "detect_leaks=0");
    let (decode, query) = (compile("decode", sanitize, "-sanitized")?, compile("query", sanitize, "-sanitized")?);
    vectors().env("UNSPOOL_C_DECODE", decode).env("UNSPOOL_C_QUERY", query).run()?;
    let watched = |name: &str| Ok::<_, anyhow::Error>(format!("{valgrind} {}", compile(name, "-O1", "")?.display()));
    let slow = vectors().env("UNSPOOL_C_DECODE", watched("decode")?).env("UNSPOOL_C_QUERY", watched("query")?);
    slow.env("UNSPOOL_C_EVERY", "80").run()?;

    // With pkg-config and CMake, as a project would build it.
    ensure!(has("pkg-config"), "pkg-config is missing; type: sudo apt-get install -y pkg-config");
    let flags = cmd("pkg-config --cflags --libs --static unspool")
        .env("PKG_CONFIG_PATH", root().join("capi/pkgconfig"))
        .arg(format!("--define-variable=libdir={}", built().join("release").display()))
        .read()?;
    let program = folder.join("decode-pkg-config");
    cmd("cc -std=c99 -O2").arg(format!("{HOSTED}/decode.c")).args(&flags).arg("-o").arg(&program).run()?;
    decodes("", &program)?;
    let before = std::fs::read(&archive)?;
    let cmake = folder.join("cmake");
    cmd("cmake -S capi/examples/hosted -B")
        .arg(&cmake)
        .arg(format!("-DCMAKE_PREFIX_PATH={}", root().join("capi").display()))
        .arg(format!("-DUNSPOOL_FEATURES=small,{}", formats()?.join(",")))
        .run()?;
    quick(cmd("cmake --build").arg(&cmake)).run()?;
    ensure!(std::fs::read(&archive)? == before, "CMake writes to an archive that is not its own");
    decodes("", &cmake.join("decode"))
}

/// Builds without optimisation: other builds are optimised already.
pub fn quick(build: Cmd) -> Cmd {
    let build = build.env("CARGO_PROFILE_RELEASE_LTO", "off").env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0");
    build.env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
}

/// Checks that each header compiles alone, as C and as C++, with the warnings of careful projects,
/// and that its comments are complete.
fn headers_are_sound() -> Result<()> {
    const STRICT: &str = "-Wall -Wextra -Werror -pedantic -Wconversion -Wundef -Wshadow -fsyntax-only";
    for header in headers()? {
        for small in ["", "-DUNSPOOL_SMALL"] {
            cmd("cc -std=c99 -x c").args(STRICT).args(small).arg(&header).run()?;
            cmd("c++ -std=c++11 -x c++").args(STRICT).args(small).arg(&header).run()?;
        }
    }
    // In `#if`, a name that is no constant of the preprocessor is an error, by `-Wundef`.
    let conditions = folder()?.join("conditions.c");
    let mut text = "#include <unspool.h>\n".to_owned();
    for name in numbers()? {
        text += &format!("#if {name} < 0\n#error {name}\n#endif\n");
    }
    std::fs::write(&conditions, text + "int unspool_conditions;\n")?;
    cmd("cc -std=c99").args(STRICT).args("-Werror=sign-compare -I").arg(root().join(HEADERS)).arg(&conditions).run()?;
    install::doxygen()?;
    let settings = folder()?.join("Doxyfile");
    let text = format!(
        "INPUT = {}\nRECURSIVE = YES\nQUIET = YES\nGENERATE_HTML = NO\nGENERATE_LATEX = NO\nGENERATE_XML = YES\nOUTPUT_DIRECTORY = {}\n\
         OPTIMIZE_OUTPUT_FOR_C = YES\nEXTRACT_ALL = NO\nWARN_IF_UNDOCUMENTED = YES\nWARN_AS_ERROR = FAIL_ON_WARNINGS\n\
         JAVADOC_AUTOBRIEF = YES\nMACRO_EXPANSION = YES\n",
        root().join(HEADERS).display(),
        folder()?.join("doxygen").display()
    );
    std::fs::write(&settings, text)?;
    cmd("doxygen").arg(&settings).run()?;
    // Nothing to warn about is only good news if it found the functions.
    let index = std::fs::read_to_string(folder()?.join("doxygen/xml/index.xml"))?;
    for name in functions()? {
        ensure!(index.contains(&format!("<name>{name}</name>")), "doxygen does not know {name}");
    }
    Ok(())
}

/// Compiles programs with the headers of another version, and with changed ones. Each links with
/// the archive, which refuses them.
fn another_header_is_refused(archive: &Path, folder: &Path) -> Result<()> {
    const CALLS: &str = "
        #include <stdio.h>
        #include <unspool.h>
        int main(void) {
          static UnspoolXzWorkspace workspace;
          UnspoolLimits limits = {.size = sizeof limits};
          UnspoolXzOptions options = {.size = sizeof options, .limits = &limits};
          UnspoolBuffers buffers = {.workspace = &workspace, .workspace_len = sizeof workspace};
          printf(\"%u %u\", unspool_check(), unspool_xz_decode(&buffers, &options, NULL, NULL));
          return 0;
        }";
    let program = folder.join("another-header.c");
    std::fs::write(&program, CALLS)?;
    let refused = ErrorKind::WrongHeader as u16;
    let empty = ErrorKind::Truncated as u16;
    let common = std::fs::read_to_string(root().join(HEADERS).join("unspool/common.h"))?;
    let declared = |name: &str| -> Result<&str> {
        let rest = common.split(&format!("#define {name} ")).last().unwrap_or_default();
        rest.lines().next().context("a constant")
    };
    let (version, layout) = (declared("UNSPOOL_VERSION")?, declared("UNSPOOL_LAYOUT")?);
    let field = "uint64_t max_output;";
    for (from, to, [check, call]) in [
        ("", "", [0, empty]),
        (version, "999999u", [refused, empty]),
        (layout, "0x12345678u", [refused, empty]),
        (field, "uint64_t max_output; uint64_t max_hope;", [0, refused]),
    ] {
        let changed = folder.join("another-header");
        std::fs::create_dir_all(changed.join("unspool"))?;
        for header in headers()? {
            let text = std::fs::read_to_string(&header)?;
            let text = if from.is_empty() { text } else { text.replace(from, to) };
            std::fs::write(changed.join(header.strip_prefix(root().join(HEADERS))?), text)?;
        }
        let path = folder.join("another-header-program");
        let compile = cmd("cc -std=c99 -I").arg(&changed).arg(&program).arg(archive).args(LIBRARIES);
        compile.arg("-o").arg(&path).run()?;
        let outcome = cmd(&path.display().to_string()).outcome(PATIENCE)?;
        let expected = format!("{check} {call}");
        ensure!(outcome.stdout == expected, "with {to}: expected {expected}, found {}", outcome.stdout);
    }
    Ok(())
}

/// Checks that a program decodes a known file. An emulator may run it.
pub fn decodes(runner: &str, program: &Path) -> Result<()> {
    let outcome = cmd(&format!("{runner} {}", program.display()))
        .arg(format!("{VECTORS}/onpair/cpp/utf8_b12.onp"))
        .outcome(PATIENCE)?;
    let expected = std::fs::read_to_string(root().join(VECTORS).join("onpair/data/utf8.expected.bin"))?;
    ensure!(outcome.success && outcome.stdout == expected, "{} decodes to something else", program.display());
    Ok(())
}

/// Compiles every C block of the pages with all warnings, and runs the commands that they show.
fn pages_are_true() -> Result<()> {
    for page in HOSTED_PAGES {
        compile_blocks(page, || cmd("cc -std=c99 -pedantic"))?;
    }
    compile_blocks(BARE_PAGE, || compiler(&DEVICES[0], "-Os").arg("-DUNSPOOL_SMALL"))?;
    let shown = pages::commands("capi/README.md")?.into_iter().chain(pages::commands(BARE_PAGE)?);
    let shown: Vec<_> = shown.collect();
    let bare = std::fs::read_to_string(root().join(BARE_PAGE))?;
    ensure!(shown.len() == 13, "{} commands on the pages: {shown:?}", shown.len());
    for command in shown {
        // The build folder may be elsewhere.
        let command = command.replace("target/", &format!("{}/", built().display()));
        let shell = cmd("sh -c").arg(&command);
        let shell = if command.starts_with("cmake --build") { quick(shell) } else { shell };
        let outcome = shell.outcome(5 * PATIENCE)?;
        ensure!(outcome.success, "a page shows a command that fails: {command}\n{}", outcome.stderr);
        if command.starts_with("qemu") {
            // The depth of the stack differs between compilers.
            let said = format!("{}{}", outcome.stdout, outcome.stderr);
            let said = said.trim();
            let start = said.trim_end_matches(" bytes").trim_end_matches(|c: char| c.is_ascii_digit());
            ensure!(start.contains(": ok"), "{command} prints: {said}");
            ensure!(bare.contains(&format!("`{start}")), "{BARE_PAGE} does not show this output: {said}");
            println!("    {said}");
        }
    }
    Ok(())
}

/// Compiles the C blocks of a page, each as a file of its own.
fn compile_blocks(page: &str, compiler: impl Fn() -> Cmd) -> Result<()> {
    for (line, text) in pages::blocks(page, "c")? {
        let file = folder()?.join(format!("{}-{line}.c", page.replace(['/', '.'], "-")));
        std::fs::write(&file, format!("#line {} \"{page}\"\n{text}", line + 1))?;
        let compile = compiler().args("-Wall -Wextra -Werror -I capi/include -c").arg(&file);
        compile.arg("-o").arg(file.with_extension("o")).run()?;
    }
    Ok(())
}

/// Tests on bare devices: the whole archive links without a panic, and the examples decode.
fn bare() -> Result<()> {
    install::qemu()?;
    install::qemu_riscv()?;
    install::arm_gcc()?;
    install::riscv_gcc()?;
    for device in DEVICES.iter().chain([&RISCV]) {
        install::target(device.target)?;
        gate(device)?;
        for (profile, level) in PROFILES {
            // One profile shows that calls and linking work on another architecture.
            if device.target == RISCV.target && profile != SMALLEST {
                continue;
            }
            let archive = archive(device.target, device.is_small(), profile, "")?;
            ensure!(
                link_all(device, &archive, &bare_functions()?)?.success,
                "the archive for {} at {profile} can reach a panic",
                device.name
            );
            holds_nothing(device)?;
            if device.target == CORTEX_M0 && profile == SMALLEST {
                frames_are_small(device)?;
            }
            for name in examples()? {
                example(device, profile, level, &name, &archive)?;
            }
        }
        if device.target == CORTEX_M0 {
            let archive = archive(device.target, device.is_small(), SMALLEST, "byte-loops,")?;
            for name in examples()? {
                example(device, SMALLEST, "-Os", &name, &archive)?;
            }
        }
    }
    Ok(())
}

/// Builds the archive for a bare target with every feature, with small tables or with large ones.
pub fn archive(target: &str, small: bool, profile: &str, more: &str) -> Result<PathBuf> {
    let small = if small { "small," } else { "" };
    archive_of(target, profile, &format!("{small}{more}xz-filters,xz-sha256,{}", bare_formats()?.join(",")))
}

/// Builds the archive for a bare target with these features.
fn archive_of(target: &str, profile: &str, features: &str) -> Result<PathBuf> {
    cmd("cargo rustc --locked -p unspool-capi --no-default-features --crate-type staticlib --features")
        .arg(features)
        .arg("--target")
        .arg(target)
        .arg("--profile")
        .arg(profile)
        // Link-time optimisation compiles all crates here, so one flag covers them.
        .args("-- -Zemit-stack-sizes")
        .env("RUSTC_BOOTSTRAP", "1")
        .run()?;
    Ok(built().join(target).join(profile).join("libunspool_capi.a"))
}

/// Links an archive with `roots` and everything that they reach.
fn link_all(device: &Device, archive: &Path, roots: &[String]) -> Result<crate::sh::Outcome> {
    let mut link = cmd(&format!("{}gcc", device.tools)).args(device.flags);
    link = link.args("-nostdlib -Wl,--gc-sections -Wl,-e,unspool_version");
    for root in roots {
        link = link.arg(format!("-Wl,-u,{root}"));
    }
    link.quiet().arg(archive).args("-lgcc -o").arg(linked(device)?).outcome(PATIENCE)
}

/// Returns the path of the program that [`link_all`] writes.
fn linked(device: &Device) -> Result<PathBuf> {
    Ok(folder()?.join(format!("all-{}.elf", device.target)))
}

/// Checks the linked archive: no mutable globals, no heap, no symbol of the panic machinery.
fn holds_nothing(device: &Device) -> Result<()> {
    let bytes = std::fs::read(linked(device)?)?;
    let file = object::File::parse(&*bytes)?;
    for section in file.sections() {
        let written = matches!(section.kind(), SectionKind::Data | SectionKind::UninitializedData);
        ensure!(
            !written || section.size() == 0,
            "the archive has globals: {} bytes of {}",
            section.size(),
            section.name()?
        );
    }
    let names = file.symbols().map(|symbol| symbol.name()).collect::<Result<Vec<_>, _>>()?;
    for banned in ["9panicking", "rust_begin_unwind", "__rust_alloc", "malloc", "5alloc"] {
        let found = names.iter().find(|name| name.contains(banned));
        ensure!(found.is_none(), "the archive holds {}", found.copied().unwrap_or_default());
    }
    ensure!(names.len() > 500, "only {} symbols to check", names.len());
    Ok(())
}

/// Checks the stack frames of every function in the headers and of all that they call.
fn frames_are_small(device: &Device) -> Result<()> {
    let bytes = std::fs::read(linked(device)?)?;
    let frames = size::frames(&object::File::parse(&*bytes)?)?;
    for name in bare_functions()? {
        ensure!(frames.contains_key(&name), "the compiler reports no stack frame for {name}");
    }
    let large: Vec<_> = frames.iter().filter(|&(_, &frame)| frame >= size::FRAME).collect();
    let named = large.iter().map(|(name, frame)| format!("{frame} {name}")).collect::<Vec<_>>().join("\n");
    ensure!(large.is_empty(), "stack frames of {} bytes and more:\n{named}", size::FRAME);
    let largest = frames.values().max().copied().unwrap_or_default();
    println!("    {}: {} functions, the largest stack frame has {largest} bytes", device.name, frames.len());
    Ok(())
}

/// Checks the gate: an archive with one unbounded index must fail to link, for this reason only. It
/// has no format, because nothing else of it is linked.
fn gate(device: &Device) -> Result<()> {
    let archive = archive_of(device.target, SMALLEST, "gate")?;
    let outcome = link_all(device, &archive, &["unspool_must_not_link".into()])?;
    ensure!(!outcome.success, "unspool_must_not_link linked: the panic gate is open");
    ensure!(outcome.stderr.contains(MISSING), "the gate failed for another reason:\n{}", outcome.stderr);
    println!("    unspool_must_not_link does not link, as it must");
    Ok(())
}

/// Returns the examples. Each fits on every device.
pub fn examples() -> Result<Vec<String>> {
    let mut names = vec![];
    for entry in std::fs::read_dir(root().join(BARE))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "c") {
            names.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
        }
    }
    names.retain(|name| name != "board");
    names.sort();
    ensure!(names.len() > 2, "too few examples in {BARE}");
    Ok(names)
}

fn example(device: &Device, profile: &str, level: &str, name: &str, archive: &Path) -> Result<()> {
    let program = folder()?.join(format!("{name}-{}-{profile}.elf", device.target));
    let small = if device.is_small() { "-DUNSPOOL_SMALL" } else { "" };
    compiler(device, level)
        .args(small)
        .arg(format!("-I{}", root().join(VECTORS).display()))
        .arg(format!("-Wa,-I{}", root().join(VECTORS).display()))
        .arg(format!("{BARE}/board.c"))
        .arg(format!("{BARE}/{name}.c"))
        .arg(archive)
        .arg("-lgcc")
        .arg(format!("-Wl,-T,{}", root().join(BARE).join("link.ld").display()))
        .args(&format!("-Wl,--defsym=flash_len={} -Wl,--defsym=ram_len={}", device.flash, device.ram_for(name)))
        .arg("-o")
        .arg(&program)
        .run()?;
    let outcome = device.run(&program)?;
    // Semihosting's simplest call writes to the standard error of the emulator.
    let said = outcome.stderr.trim();
    println!("    {} {level}: {said}", device.name);
    ensure!(
        outcome.success && said.contains(": ok, "),
        "{name} on {} failed: {said} {}",
        device.name,
        outcome.stderr.trim()
    );
    ensure!(firmware::stack_of(said).is_some_and(|stack| stack > 0), "{name} measured no stack: {said}");
    Ok(())
}

fn compiler(device: &Device, level: &str) -> Cmd {
    cmd(&format!("{}gcc", device.tools))
        .args("-std=gnu11 -ffreestanding -nostdlib -Wall -Wextra -Werror -Wl,--gc-sections -I capi/include")
        .arg(level)
        .args(device.flags)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headers_name_functions_once_each() {
        let names = functions().unwrap();
        assert!(
            names.iter().any(|name| name == "unspool_zstd_decode")
                && names.iter().any(|name| name == "unspool_version"),
            "{names:?}"
        );
    }
}

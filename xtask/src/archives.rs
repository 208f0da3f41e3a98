//! Builds and tests the package for C: an archive for each target, headers, and files for build
//! systems.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::c;
use crate::firmware::{CORTEX_M23, DEVICES, Device, RISCV};
use crate::install::{self, CORTEX_M0};
use crate::pages;
use crate::python;
use crate::sh::{Cmd, cmd, host, root};

/// The folder of what is written for the package. The rest of it comes from `capi`.
const FOLDER: &str = "packaging";
/// A project of PlatformIO, with a platform that has no packages to download.
const PLATFORMIO: &str = "packaging/tests/platformio";
const FILES: [&str; 12] = [
    "README.md",
    "target.h",
    "cmake/unspool-config.cmake",
    "cmake/unspool-config-version.cmake",
    "CMakeLists.txt",
    "Kconfig",
    "idf_component.yml",
    "zephyr/module.yml",
    "zephyr/CMakeLists.txt",
    "zephyr/Kconfig",
    "library.json",
    "platformio.py",
];

/// Machines of the emulator with a Cortex-M3, M4F and M55.
const M3: &str = "mps2-an385";
const M4F: &str = "mps2-an386";
const M55: &str = "mps3-an547";
/// A processor for each bare target. The emulator runs programs for it on that processor, or on one
/// that has all of its instructions.
const BARE: [Device; 9] = [
    Device { ram: 64 << 10, ..DEVICES[0] },
    arm("thumbv7m-none-eabi", M3, "-mcpu=cortex-m3 -mthumb"),
    arm("thumbv7em-none-eabi", M4F, "-mcpu=cortex-m4 -mthumb"),
    arm("thumbv7em-none-eabihf", M4F, "-mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16"),
    arm("thumbv8m.main-none-eabi", M55, "-mcpu=cortex-m33 -mthumb"),
    arm("thumbv8m.main-none-eabihf", M55, "-mcpu=cortex-m33 -mthumb -mfloat-abi=hard -mfpu=fpv5-sp-d16"),
    risc_v(RISCV.target, RISCV.flags),
    risc_v("riscv32imac-unknown-none-elf", "-march=rv32imac -mabi=ilp32 -Wl,--defsym=flash_start=0x80000000"),
    risc_v("riscv32imafc-unknown-none-elf", "-march=rv32imafc -mabi=ilp32f -Wl,--defsym=flash_start=0x80000000"),
];

const fn arm(target: &'static str, machine: &'static str, flags: &'static str) -> Device {
    Device { name: target, target, machine, flags, flash: 512 << 10, ram: 256 << 10, ..DEVICES[1] }
}

const fn risc_v(target: &'static str, flags: &'static str) -> Device {
    Device { name: target, target, flags, ..RISCV }
}

/// Kinds of archives for bare targets: the name, small tables or large ones, the profile.
const KINDS: [(&str, bool, &str); 2] = [("small", true, "firmware"), ("fast", false, "firmware-fast")];
/// Targets with an operating system, the prefix of the GNU tools for each, and the emulator of its
/// processor.
const LINUX: [(&str, &str, &str); 2] = [
    ("x86_64-unknown-linux-gnu", "x86_64-linux-gnu-", ""),
    ("aarch64-unknown-linux-gnu", "aarch64-linux-gnu-", "qemu-aarch64 -L /usr/aarch64-linux-gnu"),
];

/// The archives that the tests link. Those of bare targets are the ones that the step `c` tests.
const TESTED: [&str; 4] = [
    "thumbv6m-none-eabi-small",
    "thumbv7em-none-eabihf-fast",
    "riscv32imc-unknown-none-elf-small",
    "x86_64-unknown-linux-gnu",
];

/// A program for Linux that calls one format.
const ONE_FORMAT: &str = "
    #include <unspool/xz.h>
    int main(void) {
      UnspoolBuffers buffers = {0};
      return unspool_check() || !unspool_xz_decode(&buffers, 0, 0, 0);
    }";

/// Builds the package with every archive, and prints its path.
pub fn run() -> Result<()> {
    let package = package()?;
    println!("    {} is written", package.display());
    Ok(())
}

/// Builds the package with every archive, and returns its path.
pub fn package() -> Result<PathBuf> {
    build(|_| true)
}

/// Returns the version of the package.
pub fn version() -> Result<String> {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml"))?;
    let line = manifest.lines().find_map(|line| line.strip_prefix("version = \"")?.strip_suffix('"'));
    Ok(line.context("Cargo.toml has no version")?.to_owned())
}

fn folder() -> PathBuf {
    c::built().join("archives")
}

/// Builds the package with the archives whose names are chosen. Returns the path of the tarball.
fn build(chosen: impl Fn(&str) -> bool) -> Result<PathBuf> {
    install::arm_gcc()?;
    install::riscv_gcc()?;
    let name = format!("unspool-{}", version()?);
    let package = folder().join(&name);
    if package.exists() {
        std::fs::remove_dir_all(&package)?;
    }
    versions_agree()?;
    for file in FILES {
        copy(&root().join(FOLDER).join(file), &package.join(file))?;
    }
    for file in ["LICENSE-APACHE", "LICENSE-MIT", "CHANGELOG.md"] {
        copy(&root().join(file), &package.join(file))?;
    }
    for header in c::headers()? {
        copy(&header, &package.join("include").join(header.strip_prefix(root().join(c::HEADERS))?))?;
    }
    examples(&package)?;
    for device in &BARE {
        for (kind, small, profile) in KINDS {
            let name = format!("{}-{kind}", device.target);
            if chosen(&name) {
                bare(&package.join("lib").join(name), device.target, device.tools, small, profile)?;
            }
        }
    }
    for (target, tools, _) in LINUX {
        if chosen(target) {
            linux(&package.join("lib").join(target), target, tools)?;
        }
    }
    let sums = cmd("sh -c").arg("find . -type f ! -name SHA256SUMS | LC_ALL=C sort | xargs sha256sum").dir(&package);
    std::fs::write(package.join("SHA256SUMS"), sums.read()?)?;
    // The source distribution for Python has the name without `c`.
    let tarball = folder().join(format!("{name}-c.tar.gz"));
    pack(&folder(), &name, &tarball)?;
    Ok(tarball)
}

/// Packs a folder within another. The same files make the same bytes.
pub fn pack(within: &Path, folder: &str, tarball: &Path) -> Result<()> {
    cmd("tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw,a-s --use-compress-program")
        .arg("gzip -9n")
        .arg("-cf")
        .arg(tarball)
        .arg(folder)
        .dir(within)
        .run()
}

/// Checks that every file that names the version names this one.
fn versions_agree() -> Result<()> {
    let version = version()?;
    for (file, line) in [
        ("idf_component.yml", format!("version: \"{version}\"")),
        ("library.json", format!("\"version\": \"{version}\"")),
        ("cmake/unspool-config-version.cmake", format!("set(PACKAGE_VERSION \"{version}\")")),
    ] {
        let text = std::fs::read_to_string(root().join(FOLDER).join(file))?;
        ensure!(text.contains(&line), "{FOLDER}/{file} is not of version {version}");
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to.parent().context("a path in a folder")?)?;
    std::fs::copy(from, to).with_context(|| format!("cannot copy {}", from.display()))?;
    Ok(())
}

/// Copies the examples, and the files that those for devices hold in flash.
fn examples(package: &Path) -> Result<()> {
    for kind in ["hosted", "firmware"] {
        let from = root().join("capi/examples").join(kind);
        let to = package.join("examples").join(kind);
        for entry in std::fs::read_dir(&from)? {
            let path = entry?.path();
            copy(&path, &to.join(path.file_name().unwrap_or_default()))?;
            let text = std::fs::read_to_string(&path)?;
            let files = text.lines().filter_map(|line| line.strip_prefix("FILE_IN_FLASH(")?.split('"').nth(1));
            for file in files {
                copy(&root().join("tests/vectors").join(file), &to.join("files").join(file))?;
            }
        }
    }
    Ok(())
}

/// Makes an archive for a bare target from the one member of Rust's archive that is ours. The other
/// members are the compiler's library, which C has, too.
fn bare(folder: &Path, target: &str, tools: &str, small: bool, profile: &str) -> Result<()> {
    install::target(target)?;
    let built = c::archive(target, small, profile, "")?;
    std::fs::create_dir_all(folder)?;
    let members = cmd(&format!("{tools}ar t")).arg(&built).read()?;
    let own: Vec<_> = members.lines().filter(|name| name.starts_with("unspool_capi-")).collect();
    let [own] = own.as_slice() else { bail!("{} holds {own:?}", built.display()) };
    cmd(&format!("{tools}ar x")).arg(&built).arg(own).dir(folder).run()?;
    finish(folder, tools, &folder.join(own))?;
    let cflags = if small { "-I${prefix}/include -DUNSPOOL_SMALL" } else { "-I${prefix}/include" };
    pkg_config(folder, cflags, "")?;
    let (defined, missing) = symbols(folder, tools)?;
    let defines = |name: &String| defined.contains(name);
    let lacks = c::bare_functions()?.into_iter().find(|name| !defines(name));
    ensure!(lacks.is_none(), "{} lacks {lacks:?}", folder.display());
    let of_c = |name: &String| name.starts_with("__") || ["memcpy", "memmove", "memset", "memcmp"].contains(&&**name);
    let foreign = missing.iter().find(|name| !of_c(name));
    ensure!(foreign.is_none(), "{} needs {foreign:?}, which C does not have", folder.display());
    Ok(())
}

/// Makes an archive for Linux: one object with all that our functions reach, Rust's standard
/// library included, whose symbols are local.
fn linux(folder: &Path, target: &str, tools: &str) -> Result<()> {
    let build = cmd("cargo build --locked --release -p unspool-capi");
    let (build, within) = if host()? == target {
        (build, c::built())
    } else {
        install::target(target)?;
        install::linux_gcc("aarch64", "arm64")?;
        (build.arg("--target").arg(target), c::built().join(target))
    };
    build.run()?;
    std::fs::create_dir_all(folder)?;
    let object = folder.join("all.o");
    let functions = c::functions()?;
    let link =
        functions.iter().fold(cmd(&format!("{tools}ld -r --gc-sections")), |link, name| link.arg("-u").arg(name));
    link.quiet().arg(within.join("release/libunspool_capi.a")).arg("-o").arg(&object).run()?;
    finish(folder, tools, &object)?;
    pkg_config(folder, "-I${prefix}/include", "-lpthread -ldl -lm")?;
    let (defined, _) = symbols(folder, tools)?;
    let lacks = functions.iter().find(|name| !defined.contains(name));
    ensure!(lacks.is_none(), "{} lacks {lacks:?}", folder.display());
    Ok(())
}

/// Makes all symbols but our own local, and archives the object.
fn finish(folder: &Path, tools: &str, object: &Path) -> Result<()> {
    cmd(&format!("{tools}objcopy --wildcard --keep-global-symbol=unspool_* --strip-debug"))
        .args("--remove-section=.stack_sizes* --remove-section=.rel*.stack_sizes* --remove-section=.comment")
        .arg(object)
        .arg("unspool.o")
        .dir(folder)
        .run()?;
    cmd(&format!("{tools}ar rcsD libunspool.a unspool.o")).dir(folder).run()?;
    std::fs::remove_file(folder.join("unspool.o"))?;
    Ok(std::fs::remove_file(object)?)
}

/// Returns the global symbols of an archive: those that it defines, all ours, and those that it
/// needs.
fn symbols(folder: &Path, tools: &str) -> Result<(Vec<String>, Vec<String>)> {
    let said = cmd(&format!("{tools}nm -g libunspool.a")).dir(folder).read()?;
    let (mut defined, mut missing) = (vec![], vec![]);
    for line in said.lines() {
        match line.split_whitespace().collect::<Vec<_>>().as_slice() {
            ["U" | "w", name] => missing.push((*name).to_owned()),
            [_, _, name] => defined.push((*name).to_owned()),
            _ => {}
        }
    }
    let foreign = defined.iter().find(|name| !name.starts_with("unspool_"));
    ensure!(foreign.is_none(), "{} defines {foreign:?}, which may clash", folder.display());
    Ok((defined, missing))
}

fn pkg_config(folder: &Path, cflags: &str, private: &str) -> Result<()> {
    let text = format!(
        "prefix=${{pcfiledir}}/../../..\n\
         \n\
         Name: unspool\n\
         Description: Decodes compressed columns and byte streams into buffers that the caller owns\n\
         URL: https://github.com/unspool/unspool\n\
         Version: {}\n\
         Cflags: {cflags}\n\
         Libs: -L${{pcfiledir}}/.. -lunspool -Wl,--gc-sections\n\
         Libs.private: {private}\n",
        version()?
    );
    std::fs::create_dir_all(folder.join("pkgconfig"))?;
    Ok(std::fs::write(folder.join("pkgconfig/unspool.pc"), text)?)
}

/// Installs what builds and runs programs for devices.
fn install_emulators() -> Result<()> {
    install::cmake()?;
    install::qemu()?;
    install::qemu_riscv()?;
    install::picolibc()
}

/// Unpacks the package, and returns its path.
fn unpack(tarball: &Path, folder: &Path) -> Result<PathBuf> {
    cmd("tar -xf").arg(tarball).dir(folder).run()?;
    let package = folder.join(format!("unspool-{}", version()?));
    cmd("sha256sum --check --quiet SHA256SUMS").dir(&package).run()?;
    Ok(package)
}

/// Returns the flags that pkg-config has for an archive.
fn flags(package: &Path, archive: &str) -> Result<String> {
    let path = package.join("lib").join(archive).join("pkgconfig");
    cmd("pkg-config --cflags --libs --static unspool").env("PKG_CONFIG_PATH", path).read()
}

/// Links an example with an archive, and runs it on a device.
fn example(package: &Path, device: &Device, archive: &str, name: &str, program: &Path) -> Result<()> {
    let board = package.join("examples/firmware");
    cmd(&format!("{}gcc -Os -nostartfiles", device.tools))
        .args(device.flags)
        .args(library(device))
        .arg(format!("-Wa,-I{}", board.join("files").display()))
        .arg(board.join("board.c"))
        .arg(board.join(format!("{name}.c")))
        .args(&flags(package, archive)?)
        .arg("-T")
        .arg(board.join("link.ld"))
        .args(&format!("-Wl,--defsym=flash_len={},--defsym=ram_len={} -o", device.flash, device.ram))
        .arg(program)
        .run()?;
    runs(device, program)
}

/// Links every example with each archive of the package, and runs it.
pub fn try_out(tarball: &Path, folder: &Path) -> Result<()> {
    install_emulators()?;
    install::qemu_user()?;
    let package = unpack(tarball, folder)?;
    let program = folder.join("program");
    for device in &BARE {
        for (kind, ..) in KINDS {
            for name in c::examples()? {
                // The one program that is larger than the flash of the Cortex-M0.
                let device =
                    if (device.target, kind, &*name) == (CORTEX_M0, "fast", "at1") { &CORTEX_M23 } else { device };
                example(&package, device, &format!("{}-{kind}", device.target), &name, &program)?;
            }
        }
    }
    for (target, tools, runner) in LINUX {
        let source = package.join("examples/hosted/decode.c");
        cmd(&format!("{tools}gcc -O2")).arg(source).args(&flags(&package, target)?).arg("-o").arg(&program).run()?;
        c::decodes(if host()? == target { "" } else { runner }, &program)?;
    }
    Ok(())
}

/// Builds the package, unpacks it, and builds programs with it as users of each build system do.
pub fn test() -> Result<()> {
    install_emulators()?;
    let tarball = build(|name| TESTED.contains(&name))?;
    let work = folder().join("test");
    if work.exists() {
        std::fs::remove_dir_all(&work)?;
    }
    std::fs::create_dir_all(&work)?;
    let package = unpack(&tarball, &work)?;
    let here =
        Test { python: python::with("packaging", &format!("../{FOLDER}/tests/requirements.txt"))?, package, work };
    here.target_names()?;
    here.cmake()?;
    here.pkg_config()?;
    here.esp_idf()?;
    here.zephyr()?;
    here.platformio()?;
    here.readme()
}

/// An unpacked package, a folder to work in, and an interpreter with the tools from PyPI.
struct Test {
    package: PathBuf,
    work: PathBuf,
    python: String,
}

impl Test {
    /// Checks that the compilers of every target name it, for the flags of its processors.
    fn target_names(&self) -> Result<()> {
        for (flags, target) in [
            ("-mcpu=cortex-m0 -mthumb", "thumbv6m-none-eabi"),
            ("-mcpu=cortex-m3 -mthumb", "thumbv7m-none-eabi"),
            ("-mcpu=cortex-m7 -mthumb", "thumbv7em-none-eabi"),
            ("-mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16", "thumbv7em-none-eabihf"),
            ("-mcpu=cortex-m23 -mthumb", "thumbv6m-none-eabi"),
            ("-mcpu=cortex-m33 -mthumb", "thumbv8m.main-none-eabi"),
            ("-mcpu=cortex-m55 -mthumb -mfloat-abi=hard", "thumbv8m.main-none-eabihf"),
            ("-march=rv32imc -mabi=ilp32", "riscv32imc-unknown-none-elf"),
            ("-march=rv32imac -mabi=ilp32", "riscv32imac-unknown-none-elf"),
            ("-march=rv32imafc -mabi=ilp32f", "riscv32imafc-unknown-none-elf"),
            ("-march=rv64imac -mabi=lp64", "none"),
            ("-march=rv32emc -mabi=ilp32e", "none"),
            ("-mcpu=cortex-a9", "none"),
        ] {
            let tools = if flags.starts_with("-march") { RISCV.tools } else { DEVICES[0].tools };
            let said = cmd(&format!("{tools}gcc {flags} -E -P target.h")).dir(&self.package).read()?;
            ensure!(said.trim() == format!("\"{target}\""), "expected {target} for {flags}, found {said}");
            let known = target == "none" || BARE.iter().any(|device| device.target == target);
            ensure!(known, "there is no archive for {target}");
        }
        Ok(())
    }

    /// Builds the examples with CMake, for this machine and for four devices, and runs them.
    fn cmake(&self) -> Result<()> {
        let build = self.work.join("cmake-hosted");
        self.configure("examples/hosted", &build).run()?;
        cmd("cmake --build").arg(&build).run()?;
        c::decodes("", &build.join("decode"))?;
        for (device, fast) in [(&DEVICES[0], "OFF"), (&DEVICES[1], "ON"), (&CORTEX_M23, "OFF"), (&RISCV, "OFF")] {
            let build = self.work.join(format!("cmake-{}", device.name));
            let configure = self.configure("examples/firmware", &build);
            bare_cmake(configure, device).arg(format!("-DUNSPOOL_FAST={fast}")).run()?;
            cmd("cmake --build").arg(&build).run()?;
            for name in c::examples()? {
                runs(device, &build.join(name))?;
            }
        }
        // A processor without an archive is refused.
        let refused = self.configure("examples/firmware", &self.work.join("cmake-refused"));
        let refused = bare_cmake(refused, &DEVICES[0]).arg("-DCMAKE_C_FLAGS=-mcpu=cortex-a9").outcome(c::PATIENCE)?;
        let reason = "no archive for the target 'none'";
        ensure!(!refused.success && refused.stderr.contains(reason), "expected {reason}, found {}", refused.stderr);
        Ok(())
    }

    fn configure(&self, example: &str, build: &Path) -> Cmd {
        let prefix = format!("-DCMAKE_PREFIX_PATH={}", self.package.display());
        cmd("cmake -S").arg(self.package.join(example)).arg("-B").arg(build).arg(prefix)
    }

    /// Builds an example with pkg-config, for this machine and for a device.
    fn pkg_config(&self) -> Result<()> {
        let program = self.work.join("decode");
        let source = self.package.join("examples/hosted/decode.c");
        let host = flags(&self.package, "x86_64-unknown-linux-gnu")?;
        cmd("cc -O2").arg(source).args(&host).arg("-o").arg(&program).run()?;
        c::decodes("", &program)?;
        // The linker drops what a program does not call: of 1.3 MB, 0.4 MB are left.
        let source = self.work.join("one.c");
        std::fs::write(&source, ONE_FORMAT)?;
        let program = self.work.join("one");
        cmd("cc -O2").arg(source).args(&host).arg("-o").arg(&program).run()?;
        cmd(&program.display().to_string()).run()?;
        let len = std::fs::metadata(&program)?.len();
        ensure!(len < 600_000, "a program that calls xz alone has {len} bytes");
        example(&self.package, &DEVICES[0], "thumbv6m-none-eabi-small", "zstd", &self.work.join("zstd.elf"))
    }

    /// Packs the component of ESP-IDF, and builds a program with what was packed.
    fn esp_idf(&self) -> Result<()> {
        let version = version()?;
        self.offline("-m idf_component_manager component pack --name unspool --project-dir")
            .arg(&self.package)
            .arg("--dest-dir")
            .arg(&self.work)
            .run()?;
        let component = self.work.join("component");
        std::fs::create_dir_all(&component)?;
        cmd("tar -xf").arg(self.work.join(format!("unspool_{version}.tgz"))).dir(&component).run()?;
        ensure!(!component.join("lib/thumbv6m-none-eabi-small").exists(), "the component holds archives for ARM");
        self.stand_in("esp-idf", &RISCV, &format!("-DCOMPONENT={}", component.display()), "")
    }

    /// Reads the module of Zephyr with the library that Zephyr reads it with, and builds a program.
    fn zephyr(&self) -> Result<()> {
        let config = self.work.join("zephyr.config");
        let configure = cmd(&self.python).arg(root().join(FOLDER).join("tests/zephyr/configure.py"));
        let said = configure.arg(&self.package).arg(&config).read()?;
        let targets: Vec<_> = said.lines().filter(|line| line.contains("-none-")).collect();
        ensure!(targets.len() == 13, "targets that Kconfig chooses: {said}");
        for target in targets {
            ensure!(BARE.iter().any(|device| device.target == target), "Kconfig chooses {target}");
        }
        let module = format!("-DMODULE={}", self.package.display());
        self.stand_in("zephyr", &DEVICES[0], &module, &format!("-DDOTCONFIG={}", config.display()))
    }

    /// Builds a program in a project that replaces a build system.
    fn stand_in(&self, system: &str, device: &Device, one: &str, other: &str) -> Result<()> {
        let build = self.work.join(system);
        let board = self.package.join("examples/firmware");
        let configure = cmd("cmake -S").arg(root().join(FOLDER).join("tests").join(system)).arg("-B").arg(&build);
        bare_cmake(configure, device)
            .arg(one)
            .args(other)
            .arg(format!("-DBOARD={}", board.display()))
            .arg(format!("-DFILES={}", board.join("files").display()))
            .run()?;
        cmd("cmake --build").arg(&build).run()?;
        runs(device, &build.join("program"))
    }

    /// Packs the library of PlatformIO, and lets PlatformIO build a project with it.
    fn platformio(&self) -> Result<()> {
        self.offline(&format!("{PLATFORMIO}/offline.py pkg pack -o")).arg(&self.work).arg(&self.package).run()?;
        let project = self.work.join("platformio");
        let board = self.package.join("examples/firmware");
        let library = project.join("lib/unspool");
        std::fs::create_dir_all(&library)?;
        let packed = self.work.join(format!("unspool-{}.tar.gz", version()?));
        cmd("tar -xf").arg(packed).dir(&library).run()?;
        let tests = root().join(PLATFORMIO);
        copy(&tests.join("platformio.ini"), &project.join("platformio.ini"))?;
        copy(&board.join("link.ld"), &project.join("link.ld"))?;
        for file in ["board.c", "board.h", "zstd.c"] {
            copy(&board.join(file), &project.join("src").join(file))?;
        }
        for library in ["lib/earlier", "lib/later"] {
            for file in ["board.h", "zstd.c"] {
                copy(&board.join(file), &project.join(library).join(file))?;
            }
        }
        let files = cmd("cp -r").arg(board.join("files")).arg(&project);
        files.run()?;
        // What PlatformIO would download: its build tool, and a platform with a compiler.
        let core = project.join("core");
        for file in ["platform.json", "platform.py", "builder/main.py"] {
            copy(&tests.join("platform").join(file), &core.join("platforms/board").join(file))?;
        }
        let scons = cmd(&self.python).arg("-c").arg("import SCons; print(SCons.__version__)").read()?;
        let scons: Vec<_> = scons.trim().split('.').collect();
        let [major, minor, patch] = scons.as_slice() else { bail!("SCons has version {scons:?}") };
        let tool = core.join("packages/tool-scons");
        std::fs::create_dir_all(&tool)?;
        let about = format!("\"name\": \"tool-scons\", \"version\": \"4.{major}{minor:0>2}{patch:0>2}.0\"");
        std::fs::write(tool.join("package.json"), format!("{{{about}}}"))?;
        let spec =
            "\"owner\": \"platformio\", \"id\": null, \"name\": \"tool-scons\", \"requirements\": null, \"uri\": null";
        std::fs::write(tool.join(".piopm"), format!("{{\"type\": \"tool\", {about}, \"spec\": {{{spec}}}}}"))?;
        std::fs::write(tool.join("scons.py"), "import SCons.Script\n\nSCons.Script.main()\n")?;
        self.offline(&format!("{PLATFORMIO}/offline.py run --project-dir")).arg(&project).run()?;
        for small in ["m0", "earlier", "later"] {
            runs(&DEVICES[0], &project.join(format!(".pio/build/{small}/program.elf")))?;
        }
        runs(&DEVICES[1], &project.join(".pio/build/m4/program.elf"))
    }

    /// Builds programs as the README of the package shows, in projects of C and of C++ alone.
    fn readme(&self) -> Result<()> {
        let page = format!("{FOLDER}/README.md");
        let blocks = pages::blocks(&page, "cmake")?;
        let blocks: String = blocks.into_iter().map(|(_, text)| text).collect();
        let (find, link) = blocks.split_once('\n').context("two lines of CMake")?;
        for (language, ending) in [("C", "c"), ("CXX", "cpp")] {
            let project = self.work.join("readme").join(language);
            std::fs::create_dir_all(&project)?;
            std::fs::write(project.join("program").with_extension(ending), ONE_FORMAT)?;
            let text = format!(
                "cmake_minimum_required(VERSION 3.16)\nproject(one {language})\n{find}\n\
                 add_executable(program program.{ending})\n{link}"
            );
            std::fs::write(project.join("CMakeLists.txt"), text)?;
            let prefix = format!("-DCMAKE_PREFIX_PATH={}", self.package.display());
            cmd("cmake -S . -B build").arg(prefix).dir(&project).run()?;
            cmd("cmake --build build").dir(&project).run()?;
            cmd(&project.join("build/program").display().to_string()).run()?;
        }
        std::fs::write(self.package.join("program.c"), ONE_FORMAT)?;
        for (_, text) in pages::blocks(&page, "sh")? {
            cmd("sh -euc").arg(text).dir(&self.package).run()?;
        }
        ensure!(self.package.join("program.elf").exists(), "{page} shows no command that links a program");
        Ok(())
    }

    /// A command of Python that reaches no network: its proxy is a port that nobody listens to.
    fn offline(&self, line: &str) -> Cmd {
        let nowhere = "http://127.0.0.1:9";
        cmd(&self.python)
            .args(line)
            .env("HTTPS_PROXY", nowhere)
            .env("HTTP_PROXY", nowhere)
            .env("IDF_COMPONENT_CHECK_NEW_VERSION", "0")
            .env("PLATFORMIO_CORE_DIR", self.work.join("platformio/core"))
            .env("PLATFORMIO_SETTING_ENABLE_TELEMETRY", "no")
            .env("PLATFORMIO_SETTING_CHECK_PLATFORMIO_INTERVAL", "9999")
    }
}

/// Returns the flag that finds the C library. On ARM, `newlib` is where the compiler looks for it.
fn library(device: &Device) -> &'static str {
    if device.tools == RISCV.tools { "--specs=picolibc.specs" } else { "" }
}

/// Adds what CMake needs to know of a bare device.
fn bare_cmake(configure: Cmd, device: &Device) -> Cmd {
    configure
        .arg("-DCMAKE_SYSTEM_NAME=Generic")
        .arg(format!("-DCMAKE_C_COMPILER={}gcc", device.tools))
        .arg("-DCMAKE_C_COMPILER_WORKS=1")
        .arg(format!("-DCMAKE_C_FLAGS={} {}", device.flags, library(device)))
}

/// Checks that a program for a device decodes.
fn runs(device: &Device, program: &Path) -> Result<()> {
    let outcome = device.run(program)?;
    let said = outcome.stderr.trim();
    println!("    {}: {said}", device.name);
    ensure!(outcome.success && said.contains(": ok, "), "{} failed: {said}", program.display());
    Ok(())
}

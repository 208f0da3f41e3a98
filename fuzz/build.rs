//! Writes the table of fuzz targets: the public functions in `src` that take bytes.

use std::path::PathBuf;
use std::{env, fs};

#[path = "find.rs"]
mod find;

fn main() {
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let targets = find::targets(&folder.join("src")).expect("the sources can be read");
    let lines = targets
        .iter()
        .map(|(module, name)| format!("    Target {{ name: {name:?}, body: crate::{module}::{name} }},\n"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("set by cargo"));
    fs::write(out.join("targets.rs"), format!("&[\n{}]\n", lines.collect::<String>()))
        .expect("the table can be written");
    println!("cargo:rerun-if-changed=src");
}

// Shared by the build script of this crate and by `cargo xtask fuzz`.

/// Finds the fuzz targets: every `pub fn NAME(bytes: &[u8])` at the top level of a file in `src`.
/// Returns the module and the name of each, sorted.
pub fn targets(src: &std::path::Path) -> std::io::Result<Vec<(String, String)>> {
    let mut found = vec![];
    for entry in std::fs::read_dir(src)? {
        let path = entry?.path();
        let Some(module) = path.file_stem().and_then(|stem| stem.to_str()) else { continue };
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        for line in std::fs::read_to_string(&path)?.lines() {
            let name = line.strip_prefix("pub fn ").and_then(|rest| rest.split_once("(bytes: &[u8])"));
            found.extend(name.map(|(name, _)| (module.to_owned(), name.to_owned())));
        }
    }
    found.sort();
    Ok(found)
}

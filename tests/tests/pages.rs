//! The pages of the repository: each link within it leads to a file that is there, and to a heading that it has.

use std::path::{Path, PathBuf};

/// All pages, without those of others that were installed.
fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = entry.file_name().unwrap().to_str().unwrap();
        if entry.is_dir() && !["target", "node_modules", "vectors", "dist"].contains(&name) && !name.starts_with('.') {
            pages(&entry, found);
        } else if entry.extension().is_some_and(|extension| extension == "md") {
            found.push(entry);
        }
    }
}

/// What a heading is called in an address.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|&c| c.is_alphanumeric() || [' ', '-', '_'].contains(&c));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

fn has_heading(page: &str, wanted: &str) -> bool {
    let headings = page.lines().filter_map(|line| line.strip_prefix('#'));
    headings.map(|line| anchor(line.trim_start_matches('#').trim())).any(|anchor| anchor == wanted)
}

#[test]
fn links_within_the_repository_lead_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut found = vec![];
    pages(root, &mut found);
    let mut links = 0;
    for path in found {
        let text = std::fs::read_to_string(&path).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link) {
            if link.contains(':') || link.contains(char::is_whitespace) {
                continue;
            }
            let (file, heading) = link.split_once('#').map_or((link, None), |(file, heading)| (file, Some(heading)));
            let target = if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
            assert!(target.exists(), "{}: {link}", path.display());
            if let Some(heading) = heading {
                let page = std::fs::read_to_string(&target).unwrap();
                assert!(has_heading(&page, heading), "{}: {link}", path.display());
            }
            links += 1;
        }
    }
    assert!(links > 50, "only {links} links were found");
}

//! The site: the inspector, every Markdown page, both references, in one static folder.
//!
//! Every address is relative, so the folder works from any path. Every page carries a policy that
//! forbids inline code and requests to other servers; [`harden`] moves what generators write inline
//! into files.

mod harden;
mod markdown;
mod references;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::sh::{cmd, root};
use crate::{demo, install, wasm};
use harden::Inline;
use markdown::{Markdown, escape, up};

/// The folder that is published.
pub const OUT: &str = "target/site";
/// Cargo documents the core in a folder of its own, so that its search finds no other crate.
const RUSTDOC: &str = "target/site-rustdoc";
/// The JavaScript reference, as `npm run docs` writes it.
const TYPEDOC: &str = "wasm/npm/docs-out";

/// Folders of the site that other programs write.
const INSPECTOR: &str = "inspector/";
const RUST: &str = "rust/";
const JAVASCRIPT: &str = "javascript/";

/// The policy of a page: it loads files of the site only. The inspector has a policy of its own,
/// which also allows the address of a file that the user types.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'";

/// rustdoc writes no page at the root of its folder, but links to one.
const REDIRECT: &str = "<!doctype html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta http-equiv=\"refresh\" content=\"0; url=unspool/index.html\">
<title>unspool</title>
</head>
<body><p><a href=\"unspool/index.html\">unspool</a></p></body>
</html>
";

const STYLE: &str = include_str!("../site/site.css");
const ICON: &str = "web-demo/src/icon.svg";

/// Markdown that belongs to test data, and not to the project.
const NO_PAGES: [&str; 3] = ["tests/", "fuzz/", "node_modules/"];

/// Names in the navigation, where the title of a page is too long or not unique.
const LABELS: [(&str, &str); 6] = [
    ("README.md", "Overview"),
    ("docs/README.md", "All documents"),
    ("core/README.md", "Rust crate"),
    ("cli/README.md", "Command line"),
    ("capi/README.md", "C library"),
    ("wasm/npm/README.md", "npm package"),
];

/// Builds the site.
pub fn build() -> Result<()> {
    demo::build()?;
    // The step `docs` checks the same sources with the same flags; only the output is another.
    cmd("cargo doc --locked -p unspool --features threads,embedded-storage --lib --no-deps --target-dir")
        .arg(RUSTDOC)
        .env("RUSTDOCFLAGS", "-D warnings")
        .run()?;
    cmd("npm run docs").dir(wasm::NPM).run()?;

    let out = root().join(OUT);
    if out.exists() {
        std::fs::remove_dir_all(&out)?;
    }
    let mut inline = Inline::default();
    copy(&root().join(demo::PAGE).join("dist"), &out.join(INSPECTOR), &mut |_, text| Ok(text))?;
    copy(&root().join(RUSTDOC).join("doc"), &out.join(RUST), &mut |within, text| {
        let depth = within.matches('/').count() + 1;
        Ok(match within {
            _ if within.ends_with(".html") => harden::page(&references::rust(&text, depth), POLICY, depth, &mut inline),
            _ if within.starts_with("type.impl/") => references::rust_alias(text),
            _ => text,
        })
    })?;
    copy(&root().join(TYPEDOC), &out.join(JAVASCRIPT), &mut |within, text| {
        let depth = within.matches('/').count() + 1;
        match within {
            "assets/main.js" => references::javascript_main(&text),
            _ if within.ends_with(".html") => {
                Ok(harden::page(&references::javascript(&text, depth), POLICY, depth, &mut inline))
            }
            _ => Ok(text),
        }
    })?;
    write(&out.join(RUST).join("index.html"), &harden::page(REDIRECT, POLICY, 1, &mut inline))?;
    pages(&out, &mut inline)?;
    for (name, text) in inline.files() {
        write(&out.join(name), &text)?;
    }
    println!("    the site is in {OUT}");
    Ok(())
}

/// Builds the site and opens every page in headless Chromium.
pub fn test() -> Result<()> {
    let chromium = install::chromium()?;
    build()?;
    cmd("npm run site --")
        .arg(root().join(OUT))
        .dir(demo::PAGE)
        .env("CHROMIUM", chromium)
        .run()
        .context("the site, in headless Chromium")
}

/// Copies a folder without hidden files. `edit` gets the path in the folder and the text of each
/// page and each script.
fn copy(from: &Path, to: &Path, edit: &mut dyn FnMut(&str, String) -> Result<String>) -> Result<()> {
    ensure!(from.is_dir(), "{} is missing", from.display());
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        std::fs::create_dir_all(to.join(&folder))?;
        let mut entries: Vec<_> = std::fs::read_dir(from.join(&folder))?.collect::<Result<_, _>>()?;
        // In order, so that the same sources make the same site.
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let name = entry.file_name().to_string_lossy().into_owned();
            let within = format!("{folder}{name}");
            if name.starts_with('.') {
                continue;
            } else if entry.file_type()?.is_dir() {
                folders.push(format!("{within}/"));
            } else if name.ends_with(".html") || name.ends_with(".js") {
                let text = std::fs::read_to_string(entry.path())?;
                std::fs::write(to.join(&within), edit(&within, text)?)?;
            } else {
                std::fs::copy(entry.path(), to.join(&within))?;
            }
        }
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// Writes a page for each Markdown file, and for each source that one of them links to.
fn pages(out: &Path, inline: &mut Inline) -> Result<()> {
    let tracked = cmd("git ls-files -z").answer().context("the site is built from the files that git tracks")?;
    let tracked: BTreeSet<&str> = tracked.split('\0').filter(|path| !path.is_empty()).collect();
    let sources =
        tracked.iter().filter(|path| path.ends_with(".md") && !NO_PAGES.iter().any(|no| path.starts_with(no)));
    let mut documents = BTreeMap::new();
    for path in sources {
        let text = std::fs::read_to_string(root().join(path))?;
        documents.insert(*path, (markdown::title(&text).unwrap_or_else(|| (*path).to_owned()), text));
    }
    ensure!(documents.contains_key("README.md"), "README.md is not tracked");
    let navigation = Navigation::new(documents.iter().map(|(path, (title, _))| (*path, &**title)));

    let mut linked = BTreeSet::new();
    let mut save = |address: &str, title: &str, toc: &str, body: &str| -> Result<()> {
        let depth = address.matches('/').count();
        let html = frame(address, title, &navigation.html(address), toc, body);
        write(&out.join(address), &harden::page(&html, POLICY, depth, inline))
    };
    for (path, (title, text)) in &documents {
        let address = address(path);
        let page = Markdown::render(text, path, &mut |target| link(target, &address, &tracked, &mut linked))?;
        save(&address, title, &page.contents(), &page.html)?;
    }
    // Sources link to nothing, but a folder links to the files in it.
    while let Some(path) = linked.pop_first() {
        let address = address(&path);
        if out.join(&address).exists() {
            continue;
        }
        let name = format!("<h1><code>{}</code></h1>", escape(&path));
        if !tracked.contains(&*path) {
            let files = tracked.iter().filter_map(|file| file.strip_prefix(&*path)?.strip_prefix('/'));
            let mut list = String::new();
            for file in files.filter(|file| !file.contains('/')) {
                let file = link(&format!("{path}/{file}"), &address, &tracked, &mut linked)?;
                let _ = writeln!(
                    list,
                    "<li><a href=\"{file}\"><code>{}</code></a></li>",
                    escape(file.rsplit('/').next().unwrap_or("").trim_end_matches(".html"))
                );
            }
            save(&address, &path, "", &format!("{name}\n<ul>\n{list}</ul>"))?;
        } else if is_image(&path) {
            std::fs::create_dir_all(out.join(&address).parent().unwrap_or(out))?;
            std::fs::copy(root().join(&path), out.join(&address))?;
        } else {
            let text = std::fs::read_to_string(root().join(&path)).with_context(|| format!("{path} is not text"))?;
            save(&address, &path, "", &format!("{name}\n<pre tabindex=\"0\"><code>{}</code></pre>", escape(&text)))?;
        }
    }
    write(&out.join("site.css"), STYLE)?;
    std::fs::copy(root().join(ICON), out.join("icon.svg"))?;
    Ok(())
}

fn is_image(path: &str) -> bool {
    [".png", ".svg", ".jpg", ".webp"].iter().any(|end| path.ends_with(end))
}

/// The address in the site of a file or a folder of the repository.
fn address(path: &str) -> String {
    let (folder, name) = path.rsplit_once('/').map_or(("", path), |(folder, name)| (folder, name));
    let within = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
    match name.rsplit_once('.') {
        Some(("README", "md")) => within("index.html"),
        Some((stem, "md")) => within(&format!("{stem}.html")),
        _ if is_image(path) => path.to_owned(),
        _ if root().join(path).is_dir() => format!("{path}/files.html"),
        _ => format!("{path}.html"),
    }
}

/// The address of a file of the repository, relative to a page. Notes which other files must be
/// there.
fn link(target: &str, from: &str, tracked: &BTreeSet<&str>, linked: &mut BTreeSet<String>) -> Result<String> {
    let is_folder =
        tracked.range(target..).any(|path| path.strip_prefix(target).is_some_and(|rest| rest.starts_with('/')));
    ensure!(tracked.contains(target) || is_folder, "git tracks no {target}");
    if !target.ends_with(".md") {
        linked.insert(target.to_owned());
    }
    Ok(format!("{}{}", up(from.matches('/').count()), address(target)))
}

/// The links at the side of every page.
struct Navigation {
    /// Groups in order: a title, and pairs of an address and a label.
    groups: Vec<(&'static str, Vec<(String, String)>)>,
}

impl Navigation {
    fn new<'a>(documents: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let mut groups = vec![
            ("Start", vec![]),
            ("Formats", vec![]),
            ("Guides", vec![]),
            (
                "Reference",
                vec![
                    (format!("{RUST}unspool/index.html"), "Rust".to_owned()),
                    (format!("{JAVASCRIPT}index.html"), "JavaScript".to_owned()),
                ],
            ),
            ("Measured", vec![]),
            ("Project", vec![]),
            ("What was tried", vec![]),
        ];
        for (path, title) in documents {
            let group = match path {
                "README.md" | "docs/README.md" => "Start",
                "docs/sizes.md" | "wasm/npm/recipes/broken-input.md" | "docs/bench/README.md" => "Measured",
                _ if path.starts_with("docs/formats/") => "Formats",
                _ if path.starts_with("docs/tried/") => "What was tried",
                _ if path.contains('/') => "Guides",
                _ => "Project",
            };
            let label = LABELS.iter().find(|(known, _)| *known == path).map(|(_, label)| *label);
            let label = label.unwrap_or_else(|| title.split([':', ',']).next().unwrap_or(title));
            if let Some((_, links)) = groups.iter_mut().find(|(name, _)| *name == group) {
                links.push((address(path), label.to_owned()));
            }
        }
        if let Some((_, start)) = groups.first_mut() {
            start.push((format!("{INSPECTOR}index.html"), "Inspector".to_owned()));
        }
        for (_, links) in groups.iter_mut().filter(|(name, _)| *name != "Start") {
            // A page comes before those whose names it starts.
            links.sort_by(|(a, _), (b, _)| a.trim_end_matches(".html").cmp(b.trim_end_matches(".html")));
        }
        groups.retain(|(_, links)| !links.is_empty());
        Self { groups }
    }

    /// The links, as seen from a page.
    fn html(&self, from: &str) -> String {
        let up = up(from.matches('/').count());
        let mut html = String::new();
        for (title, links) in &self.groups {
            let _ = writeln!(html, "<h2>{title}</h2>\n<ul>");
            for (address, label) in links {
                let current = if address == from { " aria-current=\"page\"" } else { "" };
                let _ = writeln!(html, "<li><a href=\"{up}{address}\"{current}>{}</a></li>", escape(label));
            }
            html.push_str("</ul>\n");
        }
        html
    }
}

/// A whole page.
fn frame(address: &str, title: &str, navigation: &str, contents: &str, body: &str) -> String {
    let up = up(address.matches('/').count());
    let title = if address == "index.html" { escape(title) } else { format!("{} · unspool", escape(title)) };
    format!(
        "<!doctype html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<meta name=\"color-scheme\" content=\"light dark\">
<title>{title}</title>
<link rel=\"icon\" href=\"{up}icon.svg\" type=\"image/svg+xml\">
<link rel=\"stylesheet\" href=\"{up}site.css\">
</head>
<body>
<a class=\"skip\" href=\"#content\">Skip to the content</a>
<header>
<a class=\"home\" href=\"{up}index.html\"><img src=\"{up}icon.svg\" alt=\"\" width=\"28\" height=\"28\"> unspool</a>
<a class=\"menu\" href=\"#pages\">All pages</a>
</header>
<div class=\"page\">
<main id=\"content\" tabindex=\"-1\">
{body}
</main>
{contents}<nav id=\"pages\" class=\"pages\" aria-label=\"All pages\" tabindex=\"-1\">
{navigation}</nav>
</div>
</body>
</html>
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_mirror_the_repository() {
        assert_eq!(address("README.md"), "index.html");
        assert_eq!(address("docs/formats/zstd.md"), "docs/formats/zstd.html");
        assert_eq!(address("wasm/npm/README.md"), "wasm/npm/index.html");
        assert_eq!(address("docs/inspector.png"), "docs/inspector.png");
        assert_eq!(address("core/src/lib.rs"), "core/src/lib.rs.html");
        assert_eq!(address("core/src"), "core/src/files.html");
    }

    #[test]
    fn links_are_relative_and_lead_to_tracked_files() {
        let tracked = BTreeSet::from(["a/b.md", "a/c/d.rs", "e.md"]);
        let mut linked = BTreeSet::new();
        assert_eq!(link("e.md", "a/b.html", &tracked, &mut linked).unwrap(), "../e.html");
        assert_eq!(link("a/c/d.rs", "a/b.html", &tracked, &mut linked).unwrap(), "../a/c/d.rs.html");
        assert!(link("a/c", "e.html", &tracked, &mut linked).is_ok());
        assert!(link("a/x.md", "e.html", &tracked, &mut linked).is_err());
        assert_eq!(linked, BTreeSet::from(["a/c".to_owned(), "a/c/d.rs".to_owned()]));
    }

    #[test]
    fn navigation_marks_the_page_it_is_on() {
        let documents =
            [("README.md", "x"), ("docs/formats/pco.md", "Pco: how the format works"), ("docs/sizes.md", "Sizes")];
        let html = Navigation::new(documents.into_iter()).html("docs/formats/pco.html");
        assert!(html.contains("<a href=\"../../docs/formats/pco.html\" aria-current=\"page\">Pco</a>"), "{html}");
        assert!(html.contains("<a href=\"../../index.html\">Overview</a>"), "{html}");
        assert_eq!(html.matches("aria-current").count(), 1);
    }
}

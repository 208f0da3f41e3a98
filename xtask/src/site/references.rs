//! Adapts the pages of rustdoc and TypeDoc to the site.
//!
//! Both write a few things that a strict policy forbids or that are dead links in this folder. Each
//! replacement is checked where a new version of a generator could break it without notice.

use anyhow::{Result, ensure};

use super::markdown::up;

/// Crates of the standard library, whose documentation is on another server.
const STANDARD: [&str; 3] = ["std", "core", "alloc"];

/// A script that preloads fonts, and one that repeats a redirect of the page. Pages work without.
const NEEDLESS: [&str; 2] = ["if(window.location.protocol!==\"file:\")", "location.replace("];

/// Links to items that are hidden from the documentation, and the pages to link to instead.
const HIDDEN: [(&str, &str); 1] = [("trait.Latent.html#associatedtype.Word", "trait.Latent.html")];

/// TypeDoc collects the rules of its filters in a `style` element, which the policy forbids.
const STYLE: &str = "document.head.appendChild(document.createElement(\"style\"))";
/// An object that adopts each rule as a style sheet of its own instead.
const ADOPT: &str = "{dataset:{},get innerHTML(){return\"\"},set innerHTML(css){const sheet=new CSSStyleSheet();\
                     sheet.replaceSync(css);document.adoptedStyleSheets.push(sheet)}}";

/// Edits a page of rustdoc, `depth` folders down.
pub fn rust(html: &str, depth: usize) -> String {
    let mut html =
        html.replace("href=\"javascript:void(0)\" onclick=\"history.back();\"", "href=\"unspool/index.html\"");
    // One folder above the reference.
    html = to_standard(html, "href=\"", depth);
    for start in NEEDLESS {
        let start = format!("<script>{start}");
        while let Some((before, rest)) = html.split_once(&start) {
            html = format!("{before}{}", rest.split_once("</script>").map_or("", |(_, after)| after));
        }
    }
    for (link, page) in HIDDEN {
        html = html.replace(link, page);
    }
    let home = format!("<nav class=\"sidebar\"><ul class=\"block\"><li>{}</li></ul>", home(depth));
    html.replacen("<nav class=\"sidebar\">", &home, 1)
}

/// Edits a script of rustdoc that adds the documentation of a type to that of its alias. Pages of
/// the standard library, whose links it has, are at most four folders down.
pub fn rust_alias(script: String) -> String {
    (1..=4).fold(script, |script, depth| to_standard(script, "href=\\\"", depth))
}

/// Makes links to crates of the standard library, `depth` folders up, lead to their server.
fn to_standard(text: String, href: &str, depth: usize) -> String {
    STANDARD.iter().fold(text, |text, name| {
        text.replace(&format!("{href}{}{name}/", up(depth)), &format!("{href}https://doc.rust-lang.org/stable/{name}/"))
    })
}

/// Edits a page of TypeDoc, `depth` folders down.
pub fn javascript(html: &str, depth: usize) -> String {
    let html =
        html.replacen("<div id=\"tsd-toolbar-links\">", &format!("<div id=\"tsd-toolbar-links\">{}", home(depth)), 1);
    // Without an icon of its own, a page requests one from the root of the server.
    html.replacen(
        "</head>",
        &format!("<link rel=\"icon\" href=\"{}icon.svg\" type=\"image/svg+xml\"></head>", up(depth)),
        1,
    )
}

/// Edits the script of TypeDoc.
pub fn javascript_main(script: &str) -> Result<String> {
    ensure!(script.matches(STYLE).count() == 1, "TypeDoc has changed how it applies filters");
    Ok(script.replacen(STYLE, ADOPT, 1))
}

/// A link to the first page of the site.
fn home(depth: usize) -> String {
    format!("<a href=\"{}index.html\">All of unspool</a>", up(depth))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rustdoc_pages_keep_to_the_policy() {
        let html = rust(
            "<script>if(window.location.protocol!==\"file:\")a()</script><script>b()</script>\
             <a href=\"javascript:void(0)\" onclick=\"history.back();\">Back</a>\
             <a href=\"../../std/c.html\">c</a><a href=\"../std/d.html\">d</a><nav class=\"sidebar\">",
            2,
        );
        let expected = "<script>b()</script><a href=\"unspool/index.html\">Back</a>\
                        <a href=\"https://doc.rust-lang.org/stable/std/c.html\">c</a><a href=\"../std/d.html\">d</a>\
                        <nav class=\"sidebar\"><ul class=\"block\"><li><a href=\"../../index.html\">All of unspool</a></li></ul>";
        assert_eq!(html, expected);
        let script = rust_alias(r#"["<a href=\"../../std/c.html\">c</a><a href=\"../std/d.html\">d</a>"]"#.to_owned());
        assert_eq!(
            script,
            r#"["<a href=\"https://doc.rust-lang.org/stable/std/c.html\">c</a><a href=\"https://doc.rust-lang.org/stable/std/d.html\">d</a>"]"#
        );
    }

    #[test]
    fn typedoc_pages_keep_to_the_policy() {
        let html = javascript("</head><div id=\"tsd-toolbar-links\"></div>", 1);
        assert!(html.contains("href=\"../icon.svg\"") && html.contains("<a href=\"../index.html\">"), "{html}");
        assert!(javascript_main(&format!("var a={STYLE};a.innerHTML+=b")).unwrap().starts_with("var a={dataset"));
        assert!(javascript_main("").is_err());
    }
}

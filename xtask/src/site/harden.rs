//! Makes a page obey a policy that forbids inline scripts and styles.
//!
//! Generators of references write both. Each inline script or style sheet moves to a file, which
//! the page loads in the same place. A `style` attribute becomes a rule in a style sheet, which a
//! `data-style` attribute selects.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::markdown::up;

/// The folder of the files that hold what was inline.
const FOLDER: &str = "inline";
/// The style sheet with the rules of `style` attributes.
const ATTRIBUTES: &str = "attributes.css";

/// Scripts and styles that were inline, each text once.
#[derive(Default)]
pub struct Inline {
    /// Names of files by their text.
    files: BTreeMap<String, String>,
    /// Numbers of `style` attributes by their text.
    styles: BTreeMap<String, usize>,
}

impl Inline {
    /// Paths in the site, each with the text of the file.
    pub fn files(&self) -> Vec<(String, String)> {
        let mut rules = String::new();
        for (style, number) in &self.styles {
            // An attribute would outrank every rule; repeating the selector comes close.
            let selector = format!("[data-style=\"{number}\"]").repeat(3);
            let _ = writeln!(rules, "{selector} {{ {style} }}");
        }
        let files = self.files.iter().map(|(text, name)| (format!("{FOLDER}/{name}"), text.clone()));
        files.chain([(format!("{FOLDER}/{ATTRIBUTES}"), rules)]).collect()
    }

    fn file(&mut self, text: &str, extension: &str) -> String {
        let next = self.files.len();
        self.files.entry(text.to_owned()).or_insert_with(|| format!("{next}.{extension}")).clone()
    }

    fn style(&mut self, text: &str) -> usize {
        let next = self.styles.len();
        *self.styles.entry(text.to_owned()).or_insert(next)
    }
}

/// Adds the policy to a page that is `depth` folders down, and moves what is inline to files.
pub fn page(html: &str, policy: &str, depth: usize, inline: &mut Inline) -> String {
    let folder = format!("{}{FOLDER}", up(depth));
    let mut out = String::with_capacity(html.len() + 500);
    let mut rest = html;
    let mut has_styles = false;
    while let Some((text, tag, after)) = next_tag(rest) {
        out.push_str(text);
        rest = after;
        if tag.starts_with("<!--") {
            out.push_str(tag);
        } else if tag == "<head>" {
            let _ = write!(out, "{tag}<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">");
        } else if tag == "</head>" {
            // Only the rest of the page can have elements with styles.
            has_styles = true;
            let _ = write!(out, "<link rel=\"stylesheet\" href=\"{folder}/{ATTRIBUTES}\">{tag}");
        } else if is_inline(tag, "script") {
            let (text, after) = until(rest, "</script>");
            let _ = write!(out, "<script src=\"{folder}/{}\"></script>", inline.file(text, "js"));
            rest = after;
        } else if is_inline(tag, "style") {
            let (text, after) = until(rest, "</style>");
            let _ = write!(out, "<link rel=\"stylesheet\" href=\"{folder}/{}\">", inline.file(text, "css"));
            rest = after;
        } else if let Some((before, value)) = tag.split_once(" style=\"").filter(|_| has_styles)
            && let Some((style, after)) = value.split_once('"')
        {
            let _ = write!(out, "{before} data-style=\"{}\"{after}", inline.style(style));
        } else {
            out.push_str(tag);
        }
    }
    out.push_str(rest);
    out
}

/// A script or a style sheet that has its text between its tags. A script of another type is data.
fn is_inline(tag: &str, name: &str) -> bool {
    let attributes = tag.strip_prefix('<').and_then(|tag| tag.strip_prefix(name));
    attributes.is_some_and(|attributes| {
        attributes.starts_with(['>', ' '])
            && !attributes.contains(" src=")
            && !attributes.contains("type=\"text/json\"")
    })
}

/// The text before the next tag, the tag, and the rest.
fn next_tag(html: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    loop {
        let start = from + html.get(from..)?.find('<')?;
        let tag = html.get(start..)?;
        let length = if tag.starts_with("<!--") {
            tag.find("-->")? + 3
        } else if tag[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/') {
            end_of_tag(tag)?
        } else {
            from = start + 1;
            continue;
        };
        return Some((html.get(..start)?, tag.get(..length)?, tag.get(length..)?));
    }
}

/// The length of a tag. A quoted value may hold `>`.
fn end_of_tag(tag: &str) -> Option<usize> {
    let mut quote = None;
    for (at, c) in tag.char_indices() {
        match (quote, c) {
            (None, '>') => return Some(at + 1),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            _ => {}
        }
    }
    None
}

fn until<'h>(html: &'h str, end: &str) -> (&'h str, &'h str) {
    html.split_once(end).unwrap_or((html, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn harden(html: &str, inline: &mut Inline) -> String {
        page(html, "P", 1, inline)
    }

    #[test]
    fn inline_scripts_and_styles_move_to_files() {
        let mut inline = Inline::default();
        let html = harden(
            "<head><style>a{}</style><script>if (a<b) { c(\"</p>\") }</script><script defer src=\"x.js\"></script></head>",
            &mut inline,
        );
        let expected = "<head><meta http-equiv=\"Content-Security-Policy\" content=\"P\">\
            <link rel=\"stylesheet\" href=\"../inline/0.css\"><script src=\"../inline/1.js\"></script>\
            <script defer src=\"x.js\"></script><link rel=\"stylesheet\" href=\"../inline/attributes.css\"></head>";
        assert_eq!(html, expected);
        let files = inline.files();
        assert!(files.contains(&("inline/1.js".to_owned(), "if (a<b) { c(\"</p>\") }".to_owned())), "{files:?}");
        // The same text is the same file.
        assert!(harden("<script>if (a<b) { c(\"</p>\") }</script>", &mut inline).contains("../inline/1.js"));
    }

    #[test]
    fn style_attributes_become_rules() {
        let mut inline = Inline::default();
        let html = harden("</head><td title=\"a > b\" style=\"text-align: right\">1 < 2 style=\"x\"</td>", &mut inline);
        assert!(html.ends_with("<td title=\"a > b\" data-style=\"0\">1 < 2 style=\"x\"</td>"), "{html}");
        assert!(inline.files()[0].1.ends_with("{ text-align: right }\n"));
    }

    #[test]
    fn data_and_comments_stay() {
        let text = "<!-- <script>a</script> --><script type=\"text/json\">{}</script><p>a < b</p>";
        assert_eq!(harden(text, &mut Inline::default()), text);
    }
}

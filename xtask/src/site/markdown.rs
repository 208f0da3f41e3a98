//! Renders Markdown as the body of a page.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context, Result};
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

/// A rendered page.
pub struct Markdown {
    pub html: String,
    /// Headings of the second level: an anchor, and a text in HTML.
    headings: Vec<(String, String)>,
}

const OPTIONS: Options = Options::ENABLE_TABLES.union(Options::ENABLE_FOOTNOTES).union(Options::ENABLE_STRIKETHROUGH);

/// A table that is wider than the page scrolls, also by keyboard.
const TABLE: &str = "<div class=\"table\" role=\"region\" aria-label=\"Table\" tabindex=\"0\">";

impl Markdown {
    /// Renders the text of a file. `link` turns the path of a file of the repository into an
    /// address.
    pub fn render(text: &str, path: &str, link: &mut dyn FnMut(&str) -> Result<String>) -> Result<Self> {
        let mut rewrite = |address: CowStr<'_>| -> Result<CowStr<'static>> {
            // An address with a scheme, or within the page.
            if address.contains(':') || address.starts_with('#') {
                return Ok(CowStr::from(address.into_string()));
            }
            let (file, anchor) =
                address.split_once('#').map_or((&*address, None), |(file, anchor)| (file, Some(anchor)));
            let target =
                resolve(path, file).with_context(|| format!("{path} links to {address}, outside of the repository"))?;
            let mut address = link(&target).with_context(|| format!("{path} links to {address}"))?;
            if let Some(anchor) = anchor {
                let _ = write!(address, "#{anchor}");
            }
            Ok(address.into())
        };
        let mut events: Vec<Event<'_>> = vec![];
        let mut headings = vec![];
        let mut taken = BTreeMap::new();
        let mut heading = None;
        for event in Parser::new_ext(text, OPTIONS) {
            match event {
                Event::Start(Tag::Heading { level, .. }) => heading = Some((level, events.len(), String::new())),
                Event::End(TagEnd::Heading(_)) => {
                    let Some((level, start, text)) = heading.take() else { continue };
                    let anchor = unique(anchor(&text), &mut taken);
                    let mut inner = String::new();
                    html::push_html(&mut inner, events.drain(start..));
                    let inner = inner.trim();
                    events.push(Event::Html(format!("<{level} id=\"{anchor}\">{inner}</{level}>\n").into()));
                    if level == HeadingLevel::H2 {
                        headings.push((anchor, escape(&text)));
                    }
                    continue;
                }
                Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                    let dest_url = rewrite(dest_url)?;
                    events.push(Event::Start(Tag::Link { link_type, dest_url, title, id }));
                    continue;
                }
                Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                    let dest_url = rewrite(dest_url)?;
                    events.push(Event::Start(Tag::Image { link_type, dest_url, title, id }));
                    continue;
                }
                Event::Start(Tag::Table(_)) => events.push(Event::Html(TABLE.into())),
                Event::End(TagEnd::Table) => {
                    events.extend([event, Event::Html("</div>\n".into())]);
                    continue;
                }
                Event::Text(ref words) | Event::Code(ref words) => {
                    if let Some((_, _, text)) = &mut heading {
                        text.push_str(words);
                    }
                }
                _ => {}
            }
            if !matches!(event, Event::Start(Tag::Heading { .. })) {
                events.push(event);
            }
        }
        let mut html = String::new();
        html::push_html(&mut html, events.into_iter());
        Ok(Self { html: html.replace("<pre>", "<pre tabindex=\"0\">"), headings })
    }

    /// The links to the headings of a page that has several.
    pub fn contents(&self) -> String {
        if self.headings.len() < 3 {
            return String::new();
        }
        let links = self.headings.iter().fold(String::new(), |mut links, (anchor, text)| {
            let _ = writeln!(links, "<li><a href=\"#{anchor}\">{text}</a></li>");
            links
        });
        format!(
            "<nav class=\"contents\" aria-label=\"On this page\">\n<h2>On this page</h2>\n<ul>\n{links}</ul>\n</nav>\n"
        )
    }
}

/// The first heading.
pub fn title(text: &str) -> Option<String> {
    text.lines().find_map(|line| line.strip_prefix("# ")).map(|title| title.trim().replace('`', ""))
}

/// The path in the repository of a link in the file `from`.
fn resolve(from: &str, link: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The anchor of a heading, as code hosts make it.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|&c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Numbers an anchor that a page has already.
fn unique(anchor: String, taken: &mut BTreeMap<String, usize>) -> String {
    let count = taken.entry(anchor.clone()).or_insert(0);
    *count += 1;
    if *count == 1 { anchor } else { format!("{anchor}-{}", *count - 1) }
}

/// Text as HTML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The way from a page to the site's folder.
pub fn up(depth: usize) -> String {
    "../".repeat(depth)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(text: &str) -> Markdown {
        Markdown::render(text, "docs/a.md", &mut |path| Ok(format!("<{path}>"))).unwrap()
    }

    #[test]
    fn headings_get_the_anchors_of_code_hosts() {
        let page = render("# A\n\n## How `x_y` works, and why\n\n## Again\n\n## Again\n");
        assert!(
            page.html.contains("<h2 id=\"how-x_y-works-and-why\">How <code>x_y</code> works, and why</h2>"),
            "{}",
            page.html
        );
        assert!(page.html.contains("<h2 id=\"again\">") && page.html.contains("<h2 id=\"again-1\">"));
        assert!(page.contents().contains("<a href=\"#again-1\">Again</a>"), "{}", page.contents());
        assert!(render("# A\n\n## B\n").contents().is_empty());
    }

    #[test]
    fn links_within_the_repository_are_rewritten() {
        let page = render("[a](../b.md#c) [d](e/f.rs) [g](#h) [i](https://j.k) ![l](m.png)");
        for link in [
            "href=\"%3Cb.md%3E#c\"",
            "href=\"%3Cdocs/e/f.rs%3E\"",
            "href=\"#h\"",
            "href=\"https://j.k\"",
            "src=\"%3Cdocs/m.png%3E\"",
        ] {
            assert!(page.html.contains(link), "{link}: {}", page.html);
        }
        assert!(Markdown::render("[a](../../b)", "docs/a.md", &mut |_| Ok(String::new())).is_err());
    }

    #[test]
    fn tables_and_code_scroll_by_keyboard() {
        let page = render("| a |\n|---|\n| b |\n\n```console\n$ x < y\n```\n");
        assert!(
            page.html.contains("tabindex=\"0\"><table>") && page.html.contains("</table>\n</div>"),
            "{}",
            page.html
        );
        assert!(page.html.contains("<pre tabindex=\"0\"><code class=\"language-console\">$ x &lt; y"), "{}", page.html);
    }
}

//! The Markdown pages of the repository, and the code blocks in them.

use std::path::{Path, PathBuf};

/// A fenced code block of a page.
pub struct Block {
    /// The word after the fence; empty if there is none.
    pub language: String,
    /// The line of the fence, counted from 1.
    pub line: usize,
    /// The lines between the fences.
    pub text: String,
}

/// Returns the root of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// Returns all pages of the repository, without those of installed packages.
pub fn pages() -> Vec<PathBuf> {
    let mut found = vec![];
    collect(root(), &mut found);
    found.sort();
    found
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = entry.file_name().unwrap_or_default().to_str().unwrap_or_default();
        if entry.is_dir() && !["target", "node_modules", "vectors", "dist"].contains(&name) && !name.starts_with('.') {
            collect(&entry, found);
        } else if entry.extension().is_some_and(|extension| extension == "md") {
            found.push(entry);
        }
    }
}

/// Returns the code blocks of a page, named by its path from the root.
pub fn blocks(page: &str) -> Vec<Block> {
    blocks_of(&std::fs::read_to_string(root().join(page)).unwrap_or_else(|error| panic!("{page}: {error}")))
}

/// Returns the code blocks of Markdown text.
pub fn blocks_of(text: &str) -> Vec<Block> {
    let mut blocks = vec![];
    let mut open: Option<Block> = None;
    for (at, line) in text.lines().enumerate() {
        match (line.trim_start().strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(language), None) => {
                open = Some(Block { language: language.trim().to_owned(), line: at + 1, text: String::new() });
            }
            (None, Some(block)) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "the last code block does not end");
    blocks
}

/// A command of a `console` block, and the output that follows it.
pub struct Shown {
    /// The command, without its comment.
    pub command: String,
    /// The lines that follow it; empty if the page shows no output.
    pub output: Vec<String>,
}

/// Returns the commands of a `console` block: lines after `$ `, joined at backslashes, without
/// comments.
pub fn commands(text: &str) -> Vec<Shown> {
    let mut shown: Vec<Shown> = vec![];
    for line in text.replace("\\\n", " ").lines() {
        if let Some(command) = line.strip_prefix("$ ") {
            let command = command.split(" # ").next().unwrap_or(command).trim().to_owned();
            shown.push(Shown { command, output: vec![] });
        } else if let Some(last) = shown.last_mut() {
            last.output.push(line.to_owned());
        }
    }
    shown
}

/// Compares output with a page. `…` in a line matches any text; a line of `…` alone matches any
/// lines.
pub fn matches(expected: &[String], found: &[&str]) -> bool {
    let Some((first, rest)) = expected.split_first() else { return found.is_empty() };
    if first.trim() == "…" {
        return (0..=found.len()).any(|skip| matches(rest, &found[skip..]));
    }
    found.split_first().is_some_and(|(line, lines)| line_matches(first, line) && matches(rest, lines))
}

fn line_matches(expected: &str, found: &str) -> bool {
    let mut parts = expected.split('…');
    let Some(mut rest) = found.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let parts: Vec<_> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_have_a_language_and_a_line() {
        let blocks = blocks_of("a\n```rust\nlet x;\n```\n\n  ```\n  plain\n  ```\n");
        let of = |at: usize| (blocks[at].language.as_str(), blocks[at].line, blocks[at].text.as_str());
        assert_eq!((blocks.len(), of(0), of(1)), (2, ("rust", 2, "let x;\n"), ("", 6, "  plain\n")));
    }

    #[test]
    fn commands_join_lines_and_drop_comments() {
        let shown = commands("$ a \\\n  b # note\nout\n$ c\n");
        assert_eq!(shown.iter().map(|shown| &*shown.command).collect::<Vec<_>>(), ["a    b", "c"]);
        assert_eq!((&*shown[0].output, shown[1].output.len()), (&["out".to_owned()][..], 0));
    }

    #[test]
    fn an_ellipsis_matches_text_and_lines() {
        let expected = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        assert!(matches(&expected("a … z\n…\nend"), &["a b z", "1", "2", "end"]));
        assert!(matches(&expected("…\nend"), &["end"]));
        assert!(!matches(&expected("a … z"), &["a b c"]));
        assert!(!matches(&expected("a"), &["a", "b"]));
    }
}

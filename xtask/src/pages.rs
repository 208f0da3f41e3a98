//! The code blocks of pages that the steps compile or run.

use anyhow::{Result, ensure};

use crate::sh::root;

/// Returns the blocks of a page in a language, with the lines where they start.
pub fn blocks(page: &str, language: &str) -> Result<Vec<(usize, String)>> {
    let text = std::fs::read_to_string(root().join(page))?;
    let mut blocks = vec![];
    let mut open: Option<(&str, usize, String)> = None;
    for (at, line) in text.lines().enumerate() {
        match (line.trim_start().strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => blocks.extend(open.take().filter(|(name, ..)| *name == language)),
            (Some(name), None) => open = Some((name.trim(), at + 1, String::new())),
            (None, Some((.., block))) => block.extend([line, "\n"]),
            (None, None) => {}
        }
    }
    ensure!(!blocks.is_empty(), "{page} has no block of {language}");
    Ok(blocks.into_iter().map(|(_, line, text)| (line, text)).collect())
}

/// Returns the commands of the `console` blocks of a page, joined at backslashes.
pub fn commands(page: &str) -> Result<Vec<String>> {
    let text: String = blocks(page, "console")?.into_iter().map(|(_, text)| text).collect();
    let text = text.replace("\\\n", " ");
    Ok(text.lines().filter_map(|line| line.strip_prefix("$ ")).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Collects every page of the repository.
    fn pages() -> Vec<String> {
        let listed = crate::sh::cmd("git ls-files *.md").quiet().read().unwrap();
        listed.lines().map(str::to_owned).collect()
    }

    #[test]
    fn commands_on_pages_exist() {
        let mut found = 0;
        for page in pages() {
            let text = std::fs::read_to_string(root().join(&page)).unwrap();
            for rest in text.split("cargo xtask ").skip(1) {
                let end = rest.find(['`', '\n', ';', ')', '"']).unwrap_or(rest.len());
                let mut words = rest[..end].split(" #").next().unwrap_or_default().split_whitespace();
                let Some(command) = words.next().map(|word| word.trim_end_matches(['.', ','])) else { continue };
                if command.starts_with(|c: char| !c.is_ascii_lowercase()) {
                    continue;
                }
                assert!(crate::HELP.contains(&format!("\n  {command} ")), "{page}: cargo xtask {command}");
                if command == "test" {
                    for step in words.filter(|word| !word.starts_with('-')) {
                        let step = step.trim_end_matches(['.', ',']);
                        assert!(crate::test::STEPS.iter().any(|known| known.name == step), "{page}: {step}");
                    }
                }
                found += 1;
            }
        }
        assert!(found > 20, "only {found} commands on pages");
    }
}

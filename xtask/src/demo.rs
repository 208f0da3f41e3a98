//! The page, from a fresh clone to an address that can be clicked.

use anyhow::{Context, Result};

use crate::serve::Server;
use crate::sh::{cmd, root};
use crate::{install, wasm};

/// The web inspector.
pub const PAGE: &str = "web-demo";

/// Builds everything that the page needs, and the page.
pub fn build() -> Result<()> {
    wasm::build_for_page()?;
    install::node_modules(PAGE)?;
    cmd("npm run build").dir(PAGE).run()
}

/// Serves the page and either waits for a person or has a headless browser look at it.
pub fn run(port: Option<u16>, check: bool) -> Result<()> {
    // First of all: a browser that cannot be had should not show after minutes of compiling.
    let chromium = if check { Some(install::chromium()?) } else { None };
    build()?;
    let server = Server::bind(&root().join(PAGE).join("dist"), port)?;
    let url = server.url()?;
    let Some(chromium) = chromium else {
        println!("\nThe inspector is at {url} (Ctrl-C ends it)");
        server.run();
        return Ok(());
    };
    std::thread::spawn(|| server.run());
    cmd("npm run check --")
        .arg(&url)
        .dir(PAGE)
        .env("CHROMIUM", chromium)
        .run()
        .context("the page, in headless Chromium")?;
    println!("the page at {url} works");
    Ok(())
}

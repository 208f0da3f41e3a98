//! Builds and serves the inspector.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};

use crate::serve::Server;
use crate::sh::{cmd, root};
use crate::{install, wasm};

/// The web inspector.
pub const PAGE: &str = "web-demo";

/// Builds the page and everything that it needs.
///
/// Several steps need the page, so a process builds it once.
pub fn build() -> Result<()> {
    static BUILT: AtomicBool = AtomicBool::new(false);
    if BUILT.load(Ordering::Relaxed) {
        return Ok(());
    }
    wasm::build_package()?;
    install::node_modules(PAGE)?;
    cmd("npm run build").dir(PAGE).run()?;
    BUILT.store(true, Ordering::Relaxed);
    Ok(())
}

/// Packs the npm package as it would be published: with the page, which its element shows.
pub fn package() -> Result<PathBuf> {
    build()?;
    cmd("npm run page").dir(wasm::NPM).run()?;
    let packed = wasm::pack();
    // The tests of the package expect it without the page.
    std::fs::remove_dir_all(root().join(wasm::NPM).join("inspector"))?;
    packed
}

/// Serves the page until the process ends, or checks it in a headless browser.
pub fn run(port: Option<u16>, check: bool) -> Result<()> {
    // Before compiling for minutes, so that a missing browser is reported at once.
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

//! A static file server for the page: localhost only, one folder, GET and HEAD.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};

/// A server that holds its port and answers once [`Server::run`] is called.
pub struct Server {
    listener: TcpListener,
    folder: PathBuf,
}

impl Server {
    /// Binds the port, or by default the first free one from 8000 on.
    pub fn bind(folder: &Path, port: Option<u16>) -> Result<Self> {
        let folder = folder.canonicalize().with_context(|| format!("{} is missing", folder.display()))?;
        let candidates = port.map_or(8000..=8099, |port| port..=port);
        for port in candidates.clone() {
            if let Ok(listener) = TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
                return Ok(Self { listener, folder });
            }
        }
        bail!("no free port from {} to {}; choose one with --port N", candidates.start(), candidates.end());
    }

    pub fn url(&self) -> Result<String> {
        Ok(format!("http://localhost:{}/", self.listener.local_addr()?.port()))
    }

    /// Serves until the process ends.
    pub fn run(self) {
        for stream in self.listener.incoming().flatten() {
            let folder = self.folder.clone();
            // A browser opens few connections, so a thread for each is enough.
            std::thread::spawn(move || {
                let _ = answer(&stream, &folder);
            });
        }
    }
}

fn answer(mut stream: &TcpStream, folder: &Path) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let mut lines = BufReader::new(stream).lines();
    let request = lines.next().unwrap_or_else(|| Ok(String::new()))?;
    // Reads and ignores the headers: if the connection closes before they are read, the client
    // reports an error.
    for line in lines {
        if line?.is_empty() {
            break;
        }
    }
    let mut words = request.split(' ');
    let (method, target) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    if method != "GET" && method != "HEAD" {
        return respond(stream, "405 Method Not Allowed", "text/plain", b"only GET and HEAD", true);
    }
    match find(folder, target).and_then(|path| Some((mime(&path), std::fs::read(path).ok()?))) {
        Some((mime, body)) => respond(stream, "200 OK", mime, &body, method == "GET")?,
        None => respond(stream, "404 Not Found", "text/plain", b"not found", method == "GET")?,
    }
    stream.flush()
}

fn respond(mut stream: &TcpStream, status: &str, mime: &str, body: &[u8], with_body: bool) -> std::io::Result<()> {
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {mime}\r\nContent-Length: {}\r\nCache-Control: no-cache\r\n\
         X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    if with_body { stream.write_all(body) } else { Ok(()) }
}

/// Returns the requested file, if it is in the folder.
fn find(folder: &Path, target: &str) -> Option<PathBuf> {
    let path = decode(target.split(['?', '#']).next()?)?;
    let mut file = folder.to_path_buf();
    for part in path.split('/').filter(|part| !part.is_empty()) {
        // Refuses hidden files, `.` and `..`. A backslash is a separator on Windows.
        if part.starts_with('.') || part.contains(['\\', ':', '\0']) {
            return None;
        }
        file.push(part);
    }
    if file.is_dir() {
        file.push("index.html");
    }
    // As static hosts do: `/compare` is `compare.html`.
    if !file.exists() && file.extension().is_none() {
        file.set_extension("html");
    }
    // A symbolic link may still lead out of the folder.
    let file = file.canonicalize().ok()?;
    (file.starts_with(folder) && file.is_file()).then_some(file)
}

/// Decodes `%20` and the like. Returns `None` if that is malformed or not UTF-8.
fn decode(text: &str) -> Option<String> {
    let mut bytes = vec![];
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte == b'%' {
            let (digits, tail) = rest.split_first_chunk::<2>()?;
            let digits = std::str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = tail;
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

fn mime(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()).unwrap_or("") {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" | "webmanifest" => "application/json",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" | "md" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn serves_its_folder_and_nothing_else() {
        let base = std::env::temp_dir().join(format!("unspool-serve-{}", std::process::id()));
        let folder = base.join("dist");
        std::fs::create_dir_all(folder.join("a b")).unwrap();
        std::fs::write(folder.join("index.html"), "home").unwrap();
        std::fs::write(folder.join("a b/x.wasm"), b"\0asm").unwrap();
        std::fs::write(folder.join("page.html"), "page").unwrap();
        std::fs::write(folder.join(".hidden"), "secret").unwrap();
        std::fs::write(base.join("secret.txt"), "secret").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(base.join("secret.txt"), folder.join("link.txt")).unwrap();

        let server = Server {
            listener: TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap(),
            folder: folder.canonicalize().unwrap(),
        };
        let address = server.listener.local_addr().unwrap();
        std::thread::spawn(|| server.run());
        let ask = |request: &str| {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.write_all(format!("{request} HTTP/1.1\r\nHost: x\r\n\r\n").as_bytes()).unwrap();
            let mut text = String::new();
            stream.read_to_string(&mut text).unwrap();
            text
        };
        let home = ask("GET /?x=1");
        assert!(
            home.starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/html") && home.ends_with("\r\n\r\nhome"),
            "{home}"
        );
        assert!(ask("GET /page?a=1").ends_with("\r\n\r\npage"));
        let wasm = ask("GET /a%20b/x.wasm");
        assert!(
            wasm.contains("Content-Type: application/wasm\r\nContent-Length: 4\r\n") && wasm.ends_with("\0asm"),
            "{wasm}"
        );
        assert!(ask("HEAD /").ends_with("\r\n\r\n"));
        assert!(ask("POST /").starts_with("HTTP/1.1 405"));
        for outside in
            ["/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "/a b/../../secret.txt", "//../secret.txt"]
        {
            assert!(ask(&format!("GET {outside}")).starts_with("HTTP/1.1 404"), "{outside}");
        }
        for nothing in ["/.hidden", "/link.txt", "/none", "/a%20b", "/%", "/%zz", "/%+1"] {
            assert!(ask(&format!("GET {nothing}")).starts_with("HTTP/1.1 404"), "{nothing}");
        }
        std::fs::remove_dir_all(base).unwrap();
    }
}

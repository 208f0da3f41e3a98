//! A store over a folder that speaks S3, to try `s3://` on one machine.
//!
//! `cargo run --example s3-store FOLDER` listens on loopback, and prints its URL for
//! `AWS_ENDPOINT_URL`. Subfolders are buckets. The access key is `key`, the secret key `secret`.

use std::error::Error;

use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use s3s::auth::SimpleAuth;
use s3s::service::S3ServiceBuilder;
use s3s_fs::FileSystem;
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).ok_or("expected a folder, whose subfolders are buckets")?;
    let folder = FileSystem::new(folder).map_err(|error| format!("{error:?}"))?;
    let mut service = S3ServiceBuilder::new(folder);
    service.set_auth(SimpleAuth::from_single("key", "secret"));
    let service = service.build();
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}", listener.local_addr()?);
    let server = Builder::new(TokioExecutor::new());
    loop {
        let (socket, _) = listener.accept().await?;
        tokio::spawn(server.serve_connection(TokioIo::new(socket), service.clone()).into_owned());
    }
}

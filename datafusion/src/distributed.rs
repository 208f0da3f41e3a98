//! Several machines: workers run the parts of a plan, with
//! [datafusion-distributed](https://docs.rs/datafusion-distributed).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use datafusion::common::{DataFusionError, Result, exec_datafusion_err};
use datafusion::execution::SessionStateBuilder;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion_distributed::grpc::{BoxCloneSyncChannel, create_worker_client};
use datafusion_distributed::{
    ChannelResolver, DistributedExt, SessionStateBuilderExt, Worker, WorkerChannel, WorkerQueryContext, WorkerResolver,
};
use tonic::transport::Channel;
use url::Url;

use crate::codec::Codec;

/// The longest time until a worker accepts a connection.
const CONNECT: Duration = Duration::from_secs(5);

/// The time between pings of a worker that runs a part of a query.
const PING: Duration = Duration::from_secs(5);

/// The longest time until a worker answers a ping.
const PONG: Duration = Duration::from_secs(10);

/// Returns a worker that runs scans of our formats. `runtime` opens the stores.
///
/// `into_worker_server()` makes it a service of a `tonic` server.
pub fn worker(runtime: Arc<RuntimeEnv>) -> Worker {
    // Workers also read from each other.
    let channels = Channels::default();
    let session = move |query: WorkerQueryContext| {
        let builder = query.builder.with_distributed_channel_resolver(channels.clone());
        async move { Ok::<_, DataFusionError>(builder.with_distributed_user_codec(Codec).build()) }
    };
    Worker::from_session_builder(session).with_runtime_env(runtime)
}

/// Prepares a session that plans queries for these workers.
///
/// If a worker ends or hangs while a query runs, the query ends with an error. Nodes of others need
/// a codec of their own, by `with_distributed_user_codec`.
pub fn coordinate(builder: SessionStateBuilder, workers: Vec<Url>) -> SessionStateBuilder {
    builder
        .with_distributed_worker_resolver(Workers(workers))
        .with_distributed_channel_resolver(Channels::default())
        .with_distributed_user_codec(Codec)
        .with_distributed_planner()
}

struct Workers(Vec<Url>);

impl WorkerResolver for Workers {
    fn get_urls(&self) -> Result<Vec<Url>> {
        Ok(self.0.clone())
    }
}

/// Connections to workers, which are pinged: a machine that is gone does not close them.
#[derive(Clone, Default)]
struct Channels(Arc<Mutex<HashMap<Url, Channel>>>);

impl Channels {
    async fn get(&self, url: &Url) -> Result<Channel> {
        if let Some(channel) = self.lock().get(url) {
            return Ok(channel.clone());
        }
        let endpoint = Channel::from_shared(url.to_string()).map_err(|error| exec_datafusion_err!("{url}: {error}"))?;
        let endpoint = endpoint.connect_timeout(CONNECT).http2_keep_alive_interval(PING).keep_alive_timeout(PONG);
        let channel = endpoint.connect().await.map_err(|error| exec_datafusion_err!("worker {url}: {error}"))?;
        self.lock().insert(url.clone(), channel.clone());
        Ok(channel)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Url, Channel>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl ChannelResolver for Channels {
    async fn get_worker_client_for_url(&self, url: &Url) -> Result<Box<dyn WorkerChannel>> {
        Ok(create_worker_client(BoxCloneSyncChannel::new(self.get(url).await?)))
    }
}

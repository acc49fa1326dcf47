//! Clients of the bucket, the queue and the secrets, on AWS or on the local emulator.

use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_sdk_s3::config::Credentials;
use aws_smithy_http_client::Builder;
use aws_smithy_http_client::tls::{Provider, rustls_provider::CryptoMode};

/// Region of the local stack; any would do.
pub const LOCAL_REGION: &str = "us-east-1";
/// Access key of the local stack: the emulator accepts any, and this one is no secret.
pub const LOCAL_ACCESS_KEY: &str = "test";

/// The SDK's configuration from the process's environment.
pub async fn from_environment() -> SdkConfig {
    aws_config::defaults(BehaviorVersion::latest()).http_client(http_client()).load().await
}

/// The SDK's configuration for an emulator, whatever the environment says.
pub async fn for_emulator(endpoint: &str) -> SdkConfig {
    aws_config::defaults(BehaviorVersion::latest())
        .http_client(http_client())
        .endpoint_url(endpoint)
        .region(Region::new(LOCAL_REGION))
        .credentials_provider(Credentials::new(LOCAL_ACCESS_KEY, LOCAL_ACCESS_KEY, None, None, "local stack"))
        .load()
        .await
}

fn http_client() -> aws_sdk_s3::config::SharedHttpClient {
    Builder::new().tls_provider(Provider::Rustls(CryptoMode::Ring)).build_https()
}

/// A bucket client. Path-style addresses, because an emulator has no name for each bucket.
#[must_use]
pub fn s3(config: &SdkConfig) -> aws_sdk_s3::Client {
    let path_style = config.endpoint_url().is_some();
    aws_sdk_s3::Client::from_conf(
        aws_sdk_s3::config::Builder::from(config).force_path_style(path_style).build(),
    )
}

//! The order of a request, and nothing else.

use vouch_shared::config::Limits;
use vouch_shared::db::Database;
use vouch_shared::embedding::Space;

use crate::answer::{Answerer, Floor};
use crate::authenticate::Authenticator;
use crate::error::Error;
use crate::http::route::Route;
use crate::http::{HttpRequest, HttpResponse, problem, request};
use crate::retrieve::Retriever;
use crate::timings::Stopwatch;
use crate::{ask, chunks, deadline, documents, health, openapi, search};

/// Everything that requests share. None of it changes from one request to the next.
pub struct Service {
    /// The database, as the role that reads.
    pub db: Database,
    /// The space that queries are embedded for.
    pub space: Space,
    /// Who asks.
    pub authenticator: Authenticator,
    /// Finds passages.
    pub retriever: Retriever,
    /// Drafts answers.
    pub answerer: Box<dyn Answerer>,
    /// What counts as evidence.
    pub floor: Floor,
    /// Hits for a caller who names no number.
    pub default_top_k: usize,
    /// What a caller may send.
    pub limits: Limits,
}

impl Service {
    /// Answers a request; a failure becomes a problem document.
    pub async fn handle(&self, request: HttpRequest) -> HttpResponse {
        let watch = Stopwatch::start();
        let response = deadline::within(request.deadline, self.respond(&request))
            .await
            .unwrap_or_else(|error| problem::respond(&error, &request.request_id));
        tracing::info!(
            request_id = request.request_id,
            method = request.method.as_str(),
            status = response.status.as_u16(),
            duration_ms = watch.total(),
            "request handled"
        );
        response
    }

    async fn respond(&self, request: &HttpRequest) -> Result<HttpResponse, Error> {
        let watch = Stopwatch::start();
        let id = request.request_id.as_str();
        let route = Route::find(&request.method, &request.path)?;
        match route {
            Route::Health => return HttpResponse::json(&health::check(&self.db, &self.space, id).await?),
            Route::OpenApi => return Ok(openapi::respond()),
            _ => {}
        }
        let auth = self
            .authenticator
            .authenticate(request.verified_claims.as_ref(), request.authorization.as_deref())?;
        match route {
            Route::Ask => {
                let asked = request::ask(request, self.limits, self.default_top_k)?;
                let answerer = self.answerer.as_ref();
                HttpResponse::json(&ask::ask(&self.retriever, answerer, self.floor, &auth, asked, id).await?)
            }
            Route::Search => {
                let wanted = request::search(request, self.limits, self.default_top_k)?;
                let found = self.retriever.search(&auth, &wanted).await?;
                HttpResponse::json(&search::respond(id, found, self.retriever.space_id(), watch.total()))
            }
            Route::Documents => {
                HttpResponse::json(&documents::list(&self.db, &auth, &request::list(request)?, id).await?)
            }
            Route::Document(document) => {
                HttpResponse::json(&documents::one(&self.db, &auth, &document, id).await?)
            }
            Route::Chunk(chunk) => {
                let as_of = request::as_of(request)?;
                HttpResponse::json(&chunks::one(&self.db, &auth, &chunk, as_of, id).await?)
            }
            Route::Health | Route::OpenApi => Err(Error::NotFound { what: "path" }),
        }
    }
}

//! Which path and method mean what.

use http::Method;

use crate::error::Error;

/// What a request asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    /// An answer with citations.
    Ask,
    /// Ranked chunks.
    Search,
    /// A page of documents.
    Documents,
    /// One document.
    Document(String),
    /// One chunk.
    Chunk(String),
    /// Whether the function can work.
    Health,
    /// The description of this API.
    OpenApi,
}

/// Every path with its method, as the description writes them.
pub const ROUTES: [(&str, Method); 7] = [
    ("/v1/ask", Method::POST),
    ("/v1/search", Method::POST),
    ("/v1/documents", Method::GET),
    ("/v1/documents/{id}", Method::GET),
    ("/v1/chunks/{id}", Method::GET),
    ("/healthz", Method::GET),
    ("/openapi.json", Method::GET),
];

impl Route {
    /// Finds the route of a method and a path; a slash at the end makes no difference.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a path, and [`Error::MethodNotAllowed`] for a method, that is not served.
    pub fn find(method: &Method, path: &str) -> Result<Self, Error> {
        let segments: Vec<&str> = path.trim_matches('/').split('/').collect();
        let (route, allowed, allow) = match segments.as_slice() {
            ["v1", "ask"] => (Self::Ask, Method::POST, "POST"),
            ["v1", "search"] => (Self::Search, Method::POST, "POST"),
            ["v1", "documents"] => (Self::Documents, Method::GET, "GET"),
            ["v1", "documents", id] => (Self::Document((*id).to_owned()), Method::GET, "GET"),
            ["v1", "chunks", id] => (Self::Chunk((*id).to_owned()), Method::GET, "GET"),
            ["healthz"] => (Self::Health, Method::GET, "GET"),
            ["openapi.json"] => (Self::OpenApi, Method::GET, "GET"),
            _ => return Err(Error::NotFound { what: "path" }),
        };
        if *method == allowed { Ok(route) } else { Err(Error::MethodNotAllowed { allow }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_route_is_found_by_its_own_method_and_no_other() {
        for (path, method) in ROUTES {
            let path = path.replace("{id}", "8d3c");
            assert!(Route::find(&method, &path).is_ok(), "{path}");
            for other in [Method::GET, Method::POST, Method::PUT, Method::DELETE, Method::PATCH] {
                if other != method {
                    let refused = Route::find(&other, &path);
                    assert!(
                        matches!(refused, Err(Error::MethodNotAllowed { allow }) if allow == method.as_str()),
                        "{path}"
                    );
                }
            }
        }
    }

    #[test]
    fn an_unknown_path_is_not_found() {
        for path in ["/", "", "/v1", "/v1/ask/x", "/v2/ask", "/v1/documents/a/b", "/healthz/x"] {
            assert!(
                matches!(Route::find(&Method::GET, path), Err(Error::NotFound { what: "path" })),
                "{path}"
            );
        }
    }
}

//! Between HTTP and the events of API Gateway's HTTP APIs (payload format 2.0).

use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hyper::body::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Response, StatusCode};
use serde_json::{Map, Value, json};

/// The event for a request whose path, after the function's own prefix, is `path`.
#[must_use]
pub fn of_request(parts: &Parts, path: &str, body: &Bytes, request_id: &str, now: SystemTime) -> Value {
    let headers = headers(&parts.headers);
    let user_agent = headers.get("user-agent").cloned().unwrap_or_default();
    let (body, is_base64_encoded) = match std::str::from_utf8(body) {
        Ok("") => (Value::Null, false),
        Ok(text) => (Value::from(text), false),
        Err(_) => (Value::from(STANDARD.encode(body)), true),
    };
    let mut event = json!({
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": path,
        "rawQueryString": parts.uri.query().unwrap_or_default(),
        "headers": headers,
        "requestContext": {
            "accountId": "000000000000",
            "apiId": "local",
            "domainName": "localhost",
            "domainPrefix": "local",
            "http": {
                "method": parts.method.as_str(),
                "path": path,
                "protocol": "HTTP/1.1",
                "sourceIp": "127.0.0.1",
                "userAgent": user_agent,
            },
            "requestId": request_id,
            "routeKey": "$default",
            "stage": "$default",
            "timeEpoch": u64::try_from(now.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis()).unwrap_or_default(),
        },
        "body": body,
        "isBase64Encoded": is_base64_encoded,
    });
    let parameters = query_parameters(parts.uri.query().unwrap_or_default());
    if !parameters.is_empty() {
        event["queryStringParameters"] = Value::Object(parameters);
    }
    event
}

/// Header names in lower case; values of one name joined by commas.
fn headers(headers: &HeaderMap) -> Map<String, Value> {
    let mut joined = Map::new();
    for name in headers.keys() {
        let values = headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
        joined.insert(name.as_str().to_owned(), values.collect::<Vec<_>>().join(",").into());
    }
    joined
}

/// Parameters decoded; values of one name joined by commas.
fn query_parameters(query: &str) -> Map<String, Value> {
    let Ok(url) = reqwest::Url::parse(&format!("http://localhost/?{query}")) else { return Map::new() };
    let mut parameters = Map::new();
    for (name, value) in url.query_pairs().filter(|(name, _)| !name.is_empty()) {
        let joined = match parameters.get(name.as_ref()).and_then(Value::as_str) {
            Some(earlier) => format!("{earlier},{value}"),
            None => value.into_owned(),
        };
        parameters.insert(name.into_owned(), joined.into());
    }
    parameters
}

/// The response that a function's answer stands for. An answer that is no response is the gateway's own 502.
#[must_use]
pub fn to_response(answer: &[u8]) -> Response<Bytes> {
    parse_response(answer).unwrap_or_else(bad_gateway)
}

/// What API Gateway answers when a function fails.
#[must_use]
pub fn bad_gateway() -> Response<Bytes> {
    let mut response = Response::new(Bytes::from_static(br#"{"message":"Internal Server Error"}"#));
    *response.status_mut() = StatusCode::BAD_GATEWAY;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

fn parse_response(answer: &[u8]) -> Option<Response<Bytes>> {
    let answer: Value = serde_json::from_slice(answer).ok()?;
    let status = StatusCode::from_u16(u16::try_from(answer["statusCode"].as_u64()?).ok()?).ok()?;
    let text = answer["body"].as_str().unwrap_or_default();
    let body = if answer["isBase64Encoded"] == true {
        Bytes::from(STANDARD.decode(text).ok()?)
    } else {
        Bytes::copy_from_slice(text.as_bytes())
    };
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let single =
        answer["headers"].as_object().into_iter().flatten().map(|(name, value)| (name.as_str(), value));
    let multiple =
        answer["multiValueHeaders"].as_object().into_iter().flatten().flat_map(|(name, values)| {
            values.as_array().into_iter().flatten().map(move |value| (name.as_str(), value))
        });
    let cookies = answer["cookies"].as_array().into_iter().flatten().map(|value| ("set-cookie", value));
    for (name, value) in single.chain(multiple).chain(cookies) {
        let name = HeaderName::try_from(name).ok()?;
        let value = HeaderValue::try_from(value.as_str()?).ok()?;
        response.headers_mut().append(name, value);
    }
    Some(response)
}

#[cfg(test)]
mod tests {
    use hyper::Request;

    use super::*;

    fn event(request: Request<()>, body: &[u8]) -> Value {
        let (parts, ()) = request.into_parts();
        of_request(&parts, "/v1/ask", &Bytes::copy_from_slice(body), "id", UNIX_EPOCH)
    }

    #[test]
    fn a_request_becomes_an_event_of_format_two() {
        let request = Request::post("http://localhost/lambda-url/query/v1/ask?a=1&a=2&b=x%20y")
            .header("Content-Type", "application/json")
            .body(())
            .unwrap();
        let event = event(request, b"{}");
        assert_eq!(event["rawPath"], "/v1/ask");
        assert_eq!(event["rawQueryString"], "a=1&a=2&b=x%20y");
        assert_eq!(event["queryStringParameters"], json!({"a": "1,2", "b": "x y"}));
        assert_eq!(event["requestContext"]["http"]["method"], "POST");
        assert_eq!(event["headers"], json!({"content-type": "application/json"}));
        assert_eq!((&event["body"], &event["isBase64Encoded"]), (&json!("{}"), &json!(false)));
    }

    #[test]
    fn bytes_that_are_no_text_travel_as_base64() {
        let event = event(Request::post("/").body(()).unwrap(), &[0xff, 0x00]);
        assert_eq!((&event["body"], &event["isBase64Encoded"]), (&json!("/wA="), &json!(true)));
    }

    #[test]
    fn an_answer_becomes_the_response_that_it_describes() {
        let answer =
            json!({"statusCode": 404, "headers": {"content-type": "application/problem+json"}, "body": "{}"});
        let response = to_response(answer.to_string().as_bytes());
        assert_eq!(response.status(), StatusCode::NOT_FOUND);
        assert_eq!(response.headers()["content-type"], "application/problem+json");
        assert_eq!(response.body().as_ref(), b"{}");
    }

    #[test]
    fn an_answer_that_is_no_response_is_a_bad_gateway() {
        for answer in
            ["", "{}", "[]", r#"{"statusCode": 99999}"#, r#"{"statusCode": 200, "headers": {"a b": "c"}}"#]
        {
            assert_eq!(to_response(answer.as_bytes()).status(), StatusCode::BAD_GATEWAY, "{answer}");
        }
    }
}

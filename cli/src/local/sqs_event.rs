//! Queue messages as Lambda hands them to a function, and what its answer says about each.

use aws_sdk_sqs::types::Message;
use serde_json::{Map, Value, json};

/// The event that Lambda makes of a batch. Messages without an id or a receipt cannot occur and are left out.
#[must_use]
pub fn of_batch(messages: &[Message], queue_arn: &str, region: &str) -> Value {
    let records: Vec<Value> =
        messages.iter().filter_map(|message| record(message, queue_arn, region)).collect();
    json!({ "Records": records })
}

fn record(message: &Message, queue_arn: &str, region: &str) -> Option<Value> {
    let attributes: Map<String, Value> = message
        .attributes()
        .into_iter()
        .flatten()
        .map(|(name, value)| (name.as_str().to_owned(), Value::from(value.as_str())))
        .collect();
    Some(json!({
        "messageId": message.message_id()?,
        "receiptHandle": message.receipt_handle()?,
        "body": message.body().unwrap_or_default(),
        "attributes": attributes,
        "messageAttributes": {},
        "md5OfBody": message.md5_of_body().unwrap_or_default(),
        "eventSource": "aws:sqs",
        "eventSourceARN": queue_arn,
        "awsRegion": region,
    }))
}

/// The messages that a function is done with, by its answer to the batch.
///
/// As Lambda reads it: no list, or an empty one, means that all went well; an entry without an id, or with
/// an id that is not in the batch, means that none did.
#[must_use]
pub fn handled<'a>(messages: &'a [Message], answer: &Value) -> Vec<&'a Message> {
    let failures = answer["batchItemFailures"].as_array().map(Vec::as_slice).unwrap_or_default();
    let failed: Option<Vec<&str>> =
        failures.iter().map(|failure| failure["itemIdentifier"].as_str()).collect();
    let Some(failed) = failed else { return Vec::new() };
    let is_in_batch = |id: &&str| messages.iter().any(|message| message.message_id() == Some(id));
    if !failed.iter().all(is_in_batch) {
        return Vec::new();
    }
    messages.iter().filter(|message| message.message_id().is_some_and(|id| !failed.contains(&id))).collect()
}

#[cfg(test)]
mod tests {
    use aws_sdk_sqs::types::MessageSystemAttributeName;

    use super::*;

    fn messages() -> Vec<Message> {
        let message = |id: &str| {
            Message::builder()
                .message_id(id)
                .receipt_handle(format!("receipt of {id}"))
                .body("{\"Records\":[]}")
                .md5_of_body("0123")
                .attributes(MessageSystemAttributeName::ApproximateReceiveCount, "2")
                .build()
        };
        vec![message("a"), message("b"), message("c")]
    }

    fn ids(messages: Vec<&Message>) -> Vec<&str> {
        messages.into_iter().filter_map(|message| message.message_id()).collect()
    }

    #[test]
    fn a_batch_has_the_shape_that_lambda_gives_it() {
        let event =
            of_batch(&messages()[..1], "arn:aws:sqs:us-east-1:000000000000:vouch-ingest", "us-east-1");
        assert_eq!(
            event,
            json!({"Records": [{
                "messageId": "a",
                "receiptHandle": "receipt of a",
                "body": "{\"Records\":[]}",
                "attributes": {"ApproximateReceiveCount": "2"},
                "messageAttributes": {},
                "md5OfBody": "0123",
                "eventSource": "aws:sqs",
                "eventSourceARN": "arn:aws:sqs:us-east-1:000000000000:vouch-ingest",
                "awsRegion": "us-east-1",
            }]})
        );
    }

    #[test]
    fn messages_named_as_failed_are_kept() {
        let answer = json!({"batchItemFailures": [{"itemIdentifier": "b"}]});
        assert_eq!(ids(handled(&messages(), &answer)), ["a", "c"]);
    }

    #[test]
    fn an_answer_without_failures_ends_all() {
        for answer in
            [json!({"batchItemFailures": []}), json!({}), Value::Null, json!({"batchItemFailures": null})]
        {
            assert_eq!(ids(handled(&messages(), &answer)), ["a", "b", "c"], "{answer}");
        }
    }

    #[test]
    fn a_failure_without_a_known_id_keeps_all() {
        for id in [json!({}), json!({"itemIdentifier": ""}), json!({"itemIdentifier": "stranger"})] {
            let answer = json!({"batchItemFailures": [id]});
            assert!(handled(&messages(), &answer).is_empty(), "{answer}");
        }
    }
}

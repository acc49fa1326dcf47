//! Unwrapping: SQS, SNS and EventBridge around the records of S3.

use serde_json::Value;

use super::{BucketEvent, Delivery, Ignored, Item, Kind, Message, ObjectKey, Sequencer};

/// Wrappings inside wrappings that are followed: SNS in SQS is two; more is nonsense.
const MAX_DEPTH: usize = 4;

/// Reads an invocation's payload.
#[must_use]
pub fn parse(payload: &Value) -> Delivery {
    let records = payload["Records"].as_array();
    let from_queue = |record: &Value| record["eventSource"] == "aws:sqs";
    match records {
        Some(records) if !records.is_empty() && records.iter().all(from_queue) => {
            Delivery::Queue(records.iter().map(message).collect())
        }
        _ => Delivery::Direct(items(payload, 0)),
    }
}

fn message(record: &Value) -> Message {
    Message { id: text(&record["messageId"]), items: nested(&record["body"], 1) }
}

/// JSON that stands as text inside JSON.
fn nested(body: &Value, depth: usize) -> Vec<Item> {
    match body.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok()) {
        Some(value) if depth < MAX_DEPTH => items(&value, depth),
        _ => vec![Item::Ignored(Ignored::NotABucketEvent)],
    }
}

fn items(value: &Value, depth: usize) -> Vec<Item> {
    if value["Event"] == "s3:TestEvent" {
        return vec![Item::Ignored(Ignored::TestEvent)];
    }
    if let Some(records) = value["Records"].as_array() {
        return records.iter().flat_map(|record| of_record(record, depth)).collect();
    }
    if value["Type"] == "Notification" {
        return nested(&value["Message"], depth + 1);
    }
    if value["source"] == "aws.s3" && value["detail"].is_object() {
        return vec![from_event_bridge(value)];
    }
    vec![Item::Ignored(Ignored::NotABucketEvent)]
}

fn of_record(record: &Value, depth: usize) -> Vec<Item> {
    if record["s3"].is_object() {
        vec![from_s3(record)]
    } else if record["Sns"].is_object() {
        nested(&record["Sns"]["Message"], depth + 1)
    } else {
        vec![Item::Ignored(Ignored::NotABucketEvent)]
    }
}

fn from_s3(record: &Value) -> Item {
    let name = text(&record["eventName"]);
    let name = name.strip_prefix("s3:").unwrap_or(&name);
    let object = &record["s3"]["object"];
    Raw {
        bucket: &record["s3"]["bucket"]["name"],
        key: object["key"].as_str().map(ObjectKey::from_form_encoded),
        kind: match name.split(':').next().unwrap_or_default() {
            // Tags can hold the scopes, so a change of tags is a change of the document.
            "ObjectCreated" | "ObjectTagging" => Some(Kind::Created),
            "ObjectRemoved" | "LifecycleExpiration" => Some(Kind::Removed),
            _ => None,
        },
        version: &object["versionId"],
        sequencer: &object["sequencer"],
        size: &object["size"],
        name: name.to_owned(),
        time: text(&record["eventTime"]),
    }
    .into_item()
}

/// EventBridge sends keys as they are, not encoded.
fn from_event_bridge(value: &Value) -> Item {
    let object = &value["detail"]["object"];
    let name = text(&value["detail-type"]);
    Raw {
        bucket: &value["detail"]["bucket"]["name"],
        key: object["key"].as_str().map(ObjectKey::from_decoded),
        kind: match name.as_str() {
            "Object Created" | "Object Tags Added" | "Object Tags Deleted" => Some(Kind::Created),
            "Object Deleted" => Some(Kind::Removed),
            _ => None,
        },
        version: &object["version-id"],
        sequencer: &object["sequencer"],
        size: &object["size"],
        name,
        time: text(&value["time"]),
    }
    .into_item()
}

/// What the two shapes have in common, unchecked.
struct Raw<'a> {
    bucket: &'a Value,
    key: Option<Result<ObjectKey, super::KeyError>>,
    kind: Option<Kind>,
    version: &'a Value,
    sequencer: &'a Value,
    size: &'a Value,
    name: String,
    time: String,
}

impl Raw<'_> {
    fn into_item(self) -> Item {
        self.check().map_or_else(Item::Ignored, Item::Event)
    }

    fn check(self) -> Result<BucketEvent, Ignored> {
        let kind = self.kind.ok_or(Ignored::OtherKind)?;
        let bucket = self.bucket.as_str().ok_or(Ignored::NotABucketEvent)?;
        let key = self.key.ok_or(Ignored::NotABucketEvent)??;
        if kind == Kind::Created && key.ends_in_slash() && self.size == &Value::from(0) {
            return Err(Ignored::Folder);
        }
        Ok(BucketEvent {
            bucket: bucket.to_owned(),
            key,
            kind,
            // A bucket whose versioning was suspended calls its one unversioned object "null".
            version_id: self.version.as_str().filter(|v| !v.is_empty() && *v != "null").map(str::to_owned),
            sequencer: self.sequencer.as_str().and_then(Sequencer::parse),
            event_name: self.name,
            event_time: self.time,
        })
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn put(key: &str) -> Value {
        json!({"Records": [{
            "eventVersion": "2.1", "eventSource": "aws:s3", "eventTime": "2026-01-01T00:00:00.000Z",
            "eventName": "ObjectCreated:Put",
            "s3": {"bucket": {"name": "b"},
                   "object": {"key": key, "size": 5, "versionId": "v1", "sequencer": "0055AED6DCD90281E5"}}}]})
    }

    fn in_queue(bodies: &[String]) -> Value {
        let records: Vec<_> = bodies
            .iter()
            .enumerate()
            .map(|(n, body)| json!({"messageId": format!("m{n}"), "eventSource": "aws:sqs", "body": body}))
            .collect();
        json!({"Records": records})
    }

    fn only(delivery: Delivery) -> Item {
        let mut items = match delivery {
            Delivery::Direct(items) => items,
            Delivery::Queue(messages) => messages.into_iter().flat_map(|m| m.items).collect(),
        };
        assert_eq!(items.len(), 1);
        items.remove(0)
    }

    fn check_event(payload: &Value, key: &str, kind: Kind) {
        let Item::Event(event) = only(parse(payload)) else { panic!("ignored: {payload}") };
        assert_eq!((event.bucket.as_str(), event.key.as_str(), event.kind), ("b", key, kind));
        assert_eq!(event.version_id.as_deref(), Some("v1"));
        assert_eq!(event.sequencer, Sequencer::parse("55AED6DCD90281E5"));
        assert_eq!(event.source_uri(), format!("s3://b/{key}"));
    }

    fn check_ignored(payload: &Value, reason: Ignored) {
        assert_eq!(only(parse(payload)), Item::Ignored(reason), "{payload}");
    }

    #[test]
    fn an_event_is_the_same_in_every_wrapping() {
        let raw = put("acme/a+b%2Bc.md");
        check_event(&raw, "acme/a b+c.md", Kind::Created);
        check_event(&in_queue(&[raw.to_string()]), "acme/a b+c.md", Kind::Created);
        let notification = json!({"Type": "Notification", "MessageId": "x", "Message": raw.to_string()});
        check_event(&in_queue(&[notification.to_string()]), "acme/a b+c.md", Kind::Created);
        let sns = json!({"Records": [{"EventSource": "aws:sns", "Sns": {"Message": raw.to_string()}}]});
        check_event(&sns, "acme/a b+c.md", Kind::Created);
    }

    #[test]
    fn event_bridge_sends_keys_that_are_not_encoded() {
        let mut event = json!({"source": "aws.s3", "detail-type": "Object Created", "time": "2026-01-01T00:00:00Z",
            "detail": {"bucket": {"name": "b"}, "reason": "PutObject",
                       "object": {"key": "acme/a b+c%20.md", "size": 5, "version-id": "v1", "sequencer": "0055AED6DCD90281E5"}}});
        check_event(&event, "acme/a b+c%20.md", Kind::Created);
        event["detail-type"] = json!("Object Deleted");
        check_event(&event, "acme/a b+c%20.md", Kind::Removed);
        check_event(&in_queue(&[event.to_string()]), "acme/a b+c%20.md", Kind::Removed);
        event["detail-type"] = json!("Object ACL Updated");
        check_ignored(&event, Ignored::OtherKind);
    }

    #[test]
    fn each_name_of_an_event_says_what_happened() {
        for (name, kind) in [
            ("ObjectCreated:CompleteMultipartUpload", Kind::Created),
            ("s3:ObjectCreated:Copy", Kind::Created),
            ("ObjectTagging:Put", Kind::Created),
            ("ObjectRemoved:Delete", Kind::Removed),
            ("ObjectRemoved:DeleteMarkerCreated", Kind::Removed),
            ("LifecycleExpiration:Delete", Kind::Removed),
        ] {
            let mut payload = put("acme/a.md");
            payload["Records"][0]["eventName"] = json!(name);
            check_event(&payload, "acme/a.md", kind);
        }
        let mut payload = put("acme/a.md");
        payload["Records"][0]["eventName"] = json!("ObjectRestore:Post");
        check_ignored(&payload, Ignored::OtherKind);
    }

    #[test]
    fn test_events_and_bodies_without_records_are_ignored() {
        let test = json!({"Service": "Amazon S3", "Event": "s3:TestEvent", "Bucket": "b"});
        check_ignored(&test, Ignored::TestEvent);
        check_ignored(&in_queue(&[test.to_string()]), Ignored::TestEvent);
        let wrapped = json!({"Type": "Notification", "Message": test.to_string()});
        check_ignored(&in_queue(&[wrapped.to_string()]), Ignored::TestEvent);
        for odd in [
            json!({}),
            json!([]),
            json!(null),
            json!("text"),
            json!({"Records": "none"}),
            json!({"Records": [7]}),
        ] {
            check_ignored(&odd, Ignored::NotABucketEvent);
        }
        check_ignored(&in_queue(&["not json".into()]), Ignored::NotABucketEvent);
        assert_eq!(parse(&json!({"Records": []})), Delivery::Direct(vec![]));
    }

    #[test]
    fn zero_byte_folder_keys_are_ignored_and_a_removed_one_is_not() {
        let mut payload = put("acme/folder/");
        payload["Records"][0]["s3"]["object"]["size"] = json!(0);
        check_ignored(&payload, Ignored::Folder);
        payload["Records"][0]["eventName"] = json!("ObjectRemoved:Delete");
        check_event(&payload, "acme/folder/", Kind::Removed);
    }

    #[test]
    fn an_odd_record_stands_beside_good_ones() {
        let delivery =
            parse(&in_queue(&[put("acme/%FF").to_string(), put("acme/a.md").to_string(), "{".into()]));
        let Delivery::Queue(messages) = delivery else { panic!("no queue") };
        let ids: Vec<_> = messages.iter().map(|m| m.id.as_str()).collect();
        assert_eq!(ids, ["m0", "m1", "m2"]);
        assert_eq!(messages[0].items, [Item::Ignored(Ignored::Key(super::super::KeyError::NotUtf8))]);
        assert!(matches!(messages[1].items[..], [Item::Event(_)]));
    }

    #[test]
    fn wrappings_without_end_are_not_followed() {
        let mut body = put("acme/a.md").to_string();
        for _ in 0..6 {
            body = json!({"Type": "Notification", "Message": body}).to_string();
        }
        check_ignored(&in_queue(&[body]), Ignored::NotABucketEvent);
    }
}

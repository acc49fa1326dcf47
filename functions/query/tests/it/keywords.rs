//! What words find, and what search syntax filters.

use serde_json::{Value, json};

use crate::world::{Caller, Document, World};

async fn titles(world: &World, body: &Value) -> Vec<String> {
    let (status, found) = Caller::of("acme", &[]).post(&world.service(), "/v1/search", body).await;
    assert_eq!(status, 200, "{found}");
    found["hits"].as_array().unwrap().iter().map(|hit| hit["title"].as_str().unwrap().to_owned()).collect()
}

async fn lexical(world: &World, query: &str) -> Vec<String> {
    let mut titles = titles(world, &json!({"query": query, "mode": "lexical"})).await;
    titles.sort();
    titles
}

async fn library(texts: &[(&str, &str)]) -> World {
    let documents: Vec<Document> =
        texts.iter().map(|(path, text)| Document::new("acme", path, &[text])).collect();
    World::of(&["acme"], &documents).await
}

#[tokio::test]
async fn a_question_need_not_match_in_every_word() {
    let world = library(&[
        ("leave", "Employees have 25 days of annual leave."),
        ("cars", "Cars are leased for three years."),
    ])
    .await;
    let question = "How much vacation or annual leave may somebody take each calendar year?";
    assert_eq!(titles(&world, &json!({"query": question, "mode": "lexical"})).await[0], "leave");
}

#[tokio::test]
async fn stop_words_alone_find_nothing_by_words() {
    let world = library(&[("a", "What is it and who are they?"), ("b", "The cat sat.")]).await;
    for query in ["what is the", "who are they", "it", "\"the\""] {
        assert_eq!(lexical(&world, query).await, Vec::<String>::new(), "{query}");
    }
    // The dense arm still answers, and a phrase of stop words alone does not empty it.
    assert_eq!(titles(&world, &json!({"query": "\"the\" cat"})).await.len(), 2);
}

#[tokio::test]
async fn a_word_that_no_chunk_holds_is_no_hit() {
    let world = library(&[("a", "alpha"), ("b", "beta")]).await;
    assert_eq!(lexical(&world, "omega").await, Vec::<String>::new());
    assert_eq!(lexical(&world, "omega beta").await, ["b"]);
}

#[tokio::test]
async fn identifiers_versions_and_compounds_are_found_as_people_write_them() {
    let world = library(&[
        ("cpp", "The service is written in C++ and tested with care."),
        ("c", "The driver is written in plain C."),
        ("ticket", "See TKT-00042 for the incident."),
        ("version", "Release v1.2.3 fixes the leak."),
        ("medicine", "A thyroid/metabolic disorder."),
        ("flag", "Use git push --force with care."),
        ("japanese", "有給休暇は年に二十五日です。"),
    ])
    .await;
    for (query, title) in [
        ("C++", "cpp"),
        ("TKT-00042", "ticket"),
        ("tkt00042", "ticket"),
        ("v1.2.3", "version"),
        ("1.2.3", "version"),
        ("thyroid", "medicine"),
        ("metabolic", "medicine"),
        ("--force", "flag"),
        ("有給休暇", "japanese"),
    ] {
        let found = titles(&world, &json!({"query": query, "mode": "lexical"})).await;
        assert_eq!(found.first().map(String::as_str), Some(title), "{query}: {found:?}");
    }
}

#[tokio::test]
async fn a_phrase_in_quotes_must_occur_in_both_arms() {
    let world = library(&[
        ("a", "Invoices are due net 30 days."),
        ("b", "Net pay is due in 30 days."),
        ("c", "Invoices and net pay."),
    ])
    .await;
    assert_eq!(titles(&world, &json!({"query": "\"net 30\" invoices"})).await, ["a"]);
    assert_eq!(titles(&world, &json!({"query": "\"net 30\" invoices", "mode": "dense"})).await, ["a"]);
}

#[tokio::test]
async fn an_excluded_word_excludes_and_alternatives_widen() {
    let world = library(&[
        ("a", "cpu price list"),
        ("b", "gpu price list"),
        ("c", "cpu draft price list"),
        ("d", "desk price list"),
    ])
    .await;
    let mut found = titles(&world, &json!({"query": "cpu OR gpu price -draft"})).await;
    found.sort();
    assert_eq!(found, ["a", "b"]);
    let mut found = titles(&world, &json!({"query": "cpu OR -draft"})).await;
    found.sort();
    assert_eq!(found, ["a", "b", "c", "d"]);
}

#[tokio::test]
async fn a_dash_or_an_apostrophe_in_a_question_filters_nothing() {
    let world = library(&[("a", "Employees may force a restart.")]).await;
    for query in [
        "What does restart -force do",
        "employee's restart - by force",
        "restart --force?",
        "restart or reboot",
    ] {
        assert_eq!(titles(&world, &json!({"query": query})).await, ["a"], "{query}");
    }
}

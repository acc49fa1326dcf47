//! The local model, as `vouch local test` unpacks it.

use std::path::PathBuf;

use vouch_shared::embedder::LocalModel;

fn model_dir() -> PathBuf {
    match std::env::var("VOUCH_MODEL_DIR") {
        Ok(dir) => dir.into(),
        Err(_) => panic!("VOUCH_MODEL_DIR is not set: run the tests by `make test`"),
    }
}

fn model(threads: usize) -> LocalModel {
    LocalModel::load_with_threads(&model_dir(), threads).unwrap()
}

#[test]
fn meaning_decides_what_is_near() {
    let model = model(1);
    let question = model.embed_query("How do I get my money back?").unwrap();
    let passages = [
        "Refunds are paid within five days.".to_owned(),
        "The function reads its settings at start.".to_owned(),
    ];
    let passages = model.embed_passages(&passages).unwrap();
    assert!(question.cosine(&passages[0]) > question.cosine(&passages[1]) + 0.1);
}

#[test]
fn the_space_of_the_shipped_model_has_a_name_of_its_own() {
    assert_eq!(model(1).space().id.as_str(), "minilm_l6_v2_int8_384");
}

#[test]
fn a_batch_gives_what_its_texts_give_alone_in_their_order() {
    let (one, two) = (model(1), model(2));
    let texts: Vec<String> = (1..8).map(|n| "a passage of some length ".repeat(n)).collect();
    let together = two.embed_passages(&texts).unwrap();
    for (text, embedding) in texts.iter().zip(&together) {
        assert_eq!(one.embed_passages(std::slice::from_ref(text)).unwrap(), std::slice::from_ref(embedding));
    }
    assert!(one.embed_passages(&[]).unwrap().is_empty());
}

#[test]
fn the_model_reads_its_own_limit_and_not_the_tokenizer_files() {
    let model = model(1);
    assert_eq!(model.max_passage_tokens(), 254);
    let words = |n: usize| "word ".repeat(n);
    assert_eq!(model.count_tokens(&words(300)), 300);
    let embed = |text: String| model.embed_query(&text).unwrap();
    // The file says 128. A word after that still counts; one after the model's 256 does not.
    assert_ne!(embed(words(200)), embed(format!("{}zebra", words(200))));
    assert_eq!(embed(words(254)), embed(format!("{}zebra", words(254))));
}

#[test]
fn odd_texts_have_vectors_too() {
    let model = model(1);
    for text in
        ["\u{0}", "🙂🙂", "東京都に住んでいます", "a\u{301}\u{200d}", "\u{202e}abc", &"x".repeat(10_000)]
    {
        model.embed_query(text).unwrap();
    }
}

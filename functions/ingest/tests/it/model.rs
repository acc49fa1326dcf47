//! The handbook, cut with the shipped model's own tokenizer.

use std::path::Path;

use ingest::chunk::{Settings, cut};
use ingest::passage::Passage;
use ingest::text::{Source, extract};
use vouch_shared::embedder::LocalModel;
use vouch_shared::tuning::Tuning;

#[test]
fn no_passage_of_the_handbook_loses_its_end_to_the_models_limit() {
    let dir =
        std::env::var("VOUCH_MODEL_DIR").expect("VOUCH_MODEL_DIR is not set: run by `vouch local test`");
    let model = LocalModel::load(Path::new(&dir)).expect("model");
    let settings = Settings::for_model(Tuning::shipped(), model.max_passage_tokens());
    let count = |text: &str| model.count_tokens(text);
    let mut lengths = Vec::new();
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs")).expect("docs") {
        let path = entry.expect("entry").path();
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default().to_owned();
        if !name.ends_with(".md") {
            continue;
        }
        let page = std::fs::read(&path).expect("page");
        let extracted = extract(Source { bytes: &page, name: &name, content_type: "" }).expect("text");
        let title = extracted.title.clone().unwrap_or(name);
        for chunk in cut(&extracted, &title, &settings, &count) {
            let passage = Passage::of(&chunk, &extracted.text, model.max_passage_tokens(), &count);
            assert!(passage.input.ends_with(&extracted.text[chunk.range.clone()]), "cut: {}", passage.input);
            lengths.push(count(&passage.input));
        }
    }
    lengths.sort_unstable();
    assert!(lengths.len() > 50, "the handbook is more than {} chunks", lengths.len());
    assert!(lengths.last().is_some_and(|longest| *longest <= settings.target_tokens), "{lengths:?}");
}

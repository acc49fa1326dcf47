use std::time::Instant;

use proptest::prelude::*;

use super::*;
use crate::text::{Source, extract};

const SMALL: Settings = Settings { target_tokens: 60, overlap_percent: 10, max_heading_tokens: 12 };

/// A word is a token, and so are each 4 bytes of a longer one, as a tokenizer of subwords would have it.
fn count(text: &str) -> usize {
    text.split_whitespace().map(|word| word.len().div_ceil(4)).sum()
}

fn markdown(text: &str) -> Extracted {
    extract(Source { bytes: text.as_bytes(), name: "a.md", content_type: "" }).unwrap()
}

fn paths(extracted: &Extracted) -> Vec<(String, String)> {
    let chunks = cut(extracted, "Doc", &SMALL, &count);
    chunks.iter().map(|c| (c.heading_path.join("/"), extracted.text[c.range.clone()].to_owned())).collect()
}

fn words(n: usize) -> String {
    (0..n).map(|i| format!("w{i:02} ")).collect::<String>().trim_end().to_owned() + "."
}

#[test]
fn a_chunk_does_not_reach_across_topics() {
    let text = markdown(&format!("# A\n\n{}\n\n# B\n\n{}", words(20), words(20)));
    let found = paths(&text);
    assert_eq!(found.iter().map(|(p, _)| p.as_str()).collect::<Vec<_>>(), ["A", "B"]);
    assert!(found[1].1.starts_with("B\n\nw00"));
}

#[test]
fn a_small_section_joins_its_neighbour_under_the_same_heading() {
    let found = paths(&markdown(&format!("# A\n\n## B\n\nshort\n\n## C\n\n{}", words(20))));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, "A");
    let found = paths(&markdown(&format!("# B\n\nshort\n\n# C\n\n{}", words(20))));
    assert_eq!(found.len(), 2, "two topics are not mixed");
}

#[test]
fn a_heading_without_text_leads_its_first_subsection() {
    let found = paths(&markdown(&format!("# A\n\n## B\n\n{}\n\n## C\n\n{}", words(25), words(25))));
    assert_eq!(found.iter().map(|(p, _)| p.as_str()).collect::<Vec<_>>(), ["A/B", "A/C"]);
    assert!(found[0].1.starts_with("A\n\nB\n\nw00"));
}

#[test]
fn a_long_paragraph_is_cut_between_sentences_and_overlaps() {
    let sentences: Vec<_> = (0..60).map(|i| format!("Sentence number {i} is here.")).collect();
    let found = paths(&markdown(&sentences.join(" ")));
    assert!(found.len() > 3);
    for pair in found.windows(2) {
        assert!(pair[0].1.ends_with("here."), "{pair:?}");
        assert!(pair[1].1.starts_with("Sentence"), "{pair:?}");
        let last = pair[0].1.rfind("Sentence").map(|at| &pair[0].1[at..]).unwrap();
        assert!(SMALL.overlap() < count(last) || pair[1].1.starts_with(last));
    }
}

#[test]
fn the_heading_is_not_said_twice_in_front_of_a_chunk_that_begins_with_it() {
    let text = markdown(&format!("# Alpha\n\n{} {}", words(40), words(40)));
    let chunks = cut(&text, "Doc", &SMALL, &count);
    assert_eq!(chunks[0].context, "Doc");
    assert_eq!(chunks[1].context, "Doc > Alpha");
}

#[test]
fn a_whitespace_only_stretch_is_no_chunk() {
    let blanks = Extracted { text: " \n\t\u{200b}\n ".into(), ..Extracted::default() };
    assert_eq!(cut(&blanks, "", &SMALL, &count), []);
    let gulf = Extracted { text: format!("a{}b", " ".repeat(100_000)), ..Extracted::default() };
    let found = cut(&gulf, "", &SMALL, &count);
    assert_eq!(found.iter().map(|c| gulf.text[c.range.clone()].to_owned()).collect::<Vec<_>>(), ["a", "b"]);
}

#[test]
fn cuts_fall_on_character_boundaries_and_graphemes_stay_whole() {
    let family = "👨‍👩‍👧‍👦";
    let text = Extracted { text: family.repeat(200), ..Extracted::default() };
    for chunk in cut(&text, "", &SMALL, &count) {
        let content = &text.text[chunk.range];
        assert_eq!(content.replace(family, ""), "");
    }
    let text = Extracted { text: "ẞ日本語".repeat(500), ..Extracted::default() };
    assert!(cut(&text, "", &SMALL, &count).len() > 10);
}

#[test]
fn an_enormous_word_is_cut_in_linear_time() {
    // An unknown word of any length is one token to WordPiece.
    let one = |text: &str| text.split_whitespace().count();
    for (text, what) in [
        ("x".repeat(4_000_000), "word"),
        ("e\u{301}\u{302}".repeat(500_000), "accents"),
        (format!("a{}", "\u{301}".repeat(500_000)), "one grapheme"),
        ("a. ".repeat(1_000_000), "sentences"),
        ("1.".repeat(1_000_000), "numbers"),
        ("\n".repeat(2_000_000), "lines"),
        ("(".repeat(2_000_000), "brackets"),
    ] {
        let extracted = Extracted { text, ..Extracted::default() };
        let started = Instant::now();
        let chunks = cut(&extracted, "", &SMALL, &one);
        assert!(started.elapsed().as_secs() < 20, "{what}: {:?}", started.elapsed());
        let longest = chunks.iter().map(|c| c.range.len()).max().unwrap_or(0);
        assert!(longest <= 2 * SMALL.target_tokens * pieces::MAX_BYTES_PER_TOKEN, "{what}: {longest} bytes");
    }
}

#[test]
fn the_version_follows_rules_and_settings() {
    let tuning = Tuning::shipped();
    let one = Settings::for_model(tuning, 256);
    assert_eq!(one.version(tuning), Settings::for_model(tuning, 256).version(tuning));
    assert_ne!(one.version(tuning), Settings::for_model(tuning, 128).version(tuning));
    assert!(i32::try_from(one.version(tuning)).is_ok());
}

fn check_sound(extracted: &Extracted, settings: &Settings) -> Result<(), TestCaseError> {
    let text = &extracted.text;
    let chunks = cut(extracted, "Title", settings, &count);
    let mut covered = 0;
    for (index, chunk) in chunks.iter().enumerate() {
        let range = chunk.range.clone();
        prop_assert!(text.is_char_boundary(range.start) && text.is_char_boundary(range.end));
        let content = &text[range.clone()];
        prop_assert!(!content.trim().is_empty());
        if range.start > covered {
            prop_assert!(text[covered..range.start].chars().all(is_blank), "lost text");
        } else if index > 0 {
            let before = &chunks[index - 1].range;
            prop_assert!(range.start > before.start && range.end > before.end, "no progress");
            prop_assert!(count(&text[range.start..covered]) <= settings.overlap(), "overlap too long");
        }
        covered = range.end;
        prop_assert!(count(content) <= settings.budget(0), "{} tokens", count(content));
        let passage = SPECIAL_TOKENS + count(&chunk.context) + count(content);
        prop_assert!(
            passage
                <= settings.target_tokens.max(LEAST_BUDGET + settings.max_heading_tokens + SPECIAL_TOKENS)
        );
    }
    prop_assert!(text[covered..].chars().all(is_blank), "lost the end");
    Ok(())
}

proptest! {
    #[test]
    fn spans_tile_any_text(text in "(\\PC|[ \\n.]|[a-z]{1,9} ){0,400}", target in 40usize..200, overlap in 0usize..30) {
        let settings = Settings { target_tokens: target, overlap_percent: overlap, max_heading_tokens: target / 4 };
        let extracted = Extracted { text, ..Extracted::default() };
        check_sound(&extracted, &settings)?;
    }

    #[test]
    fn spans_tile_any_markdown(parts in prop::collection::vec(prop_oneof![
        "#{1,4} [a-z]{1,8}\n\n", "- [a-z ]{1,60}\n", "[A-Za-z .\n]{1,200}\n\n", "\\|a\\|b\\|\n\\|-\\|-\\|\n\\|[a-z]{1,9}\\|[a-z]{1,9}\\|\n\n",
        "```\n[a-z \n]{1,80}\n```\n", "\\PC{1,300}\n\n",
    ], 0..30)) {
        if let Ok(extracted) = extract(Source { bytes: parts.concat().as_bytes(), name: "a.md", content_type: "" }) {
            check_sound(&extracted, &SMALL)?;
        }
    }

    #[test]
    fn no_counter_makes_it_panic(text in ".{0,300}", per_char in 0usize..100) {
        let extracted = Extracted { text, ..Extracted::default() };
        let _ = cut(&extracted, "t", &SMALL, &|t| t.chars().count() * per_char);
    }
}

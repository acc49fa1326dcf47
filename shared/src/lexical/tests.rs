use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

fn texts(question: &str) -> BTreeSet<String> {
    query_terms(question).into_iter().map(|term| term.text).collect()
}

fn content(text: &str) -> Vec<String> {
    content_terms(text).into_iter().map(|term| term.text).collect()
}

fn vector(text: &str) -> LexicalVector {
    chunk_vector(&[(text, 1.0)])
}

/// The sum over shared lexemes of query weight times chunk weight: BM25 with every inverse document frequency 1.
fn score(question: &str, document: &str) -> f32 {
    let document = vector(document);
    let weight_of =
        |lexeme| document.elements().iter().find(|(id, _)| *id == lexeme).map_or(0.0, |(_, weight)| *weight);
    query_terms(question).iter().map(|term| term.weight * weight_of(term.lexeme)).sum()
}

#[track_caller]
fn check_found(document: &str, questions: &[&str]) {
    for question in questions {
        assert!(
            score(question, document) > 0.0,
            "{question:?} does not find {document:?}: {:?} and {:?}",
            texts(question),
            texts(document)
        );
    }
}

#[test]
fn inflected_words_meet_in_their_stem() {
    check_found("The retries are configured", &["retry", "RETRYING", "configure"]);
}

#[test]
fn a_ticket_number_is_found_however_it_is_written() {
    for document in ["see TKT-00042 now", "see TKT00042 now", "see tkt 00042 now", "see tkt_00042 now"] {
        check_found(document, &["TKT-00042", "TKT00042", "tkt 00042", "tkt-00042"]);
    }
}

#[test]
fn part_numbers_and_versions_are_found_whole() {
    check_found("cut SA1000 from the 74AHC1G00 gate", &["SA1000", "sa-1000", "74ahc1g00"]);
    check_found("since v1.2.3.", &["v1.2.3", "1.2.3", "V1.2.3?"]);
    assert_eq!(content("1.2.3"), ["1.2.3"]);
    assert_eq!(score("1.2.4", "since v1.2.3"), 0.0);
}

#[test]
fn the_names_of_languages_keep_their_signs() {
    check_found("written in C++ and C#, not Notepad++", &["c++", "C#?", "(C++)", "notepad++"]);
    assert_eq!(content("C++17"), content("c++17"));
    assert_eq!(score("C++", "vitamin C"), 0.0);
    assert_eq!(score("C#", "C++"), 0.0);
}

#[test]
fn both_sides_of_a_slash_and_the_whole_are_found() {
    check_found("thyroid/metabolic disease", &["thyroid", "metabolic", "thyroid/metabolic"]);
    check_found("a read-only replica", &["readonly", "read only", "reading"]);
}

#[test]
fn identifiers_are_found_by_their_whole_and_by_their_words() {
    check_found(
        "set VOUCH_DATABASE_SECRET to its ARN",
        &["vouch_database_secret", "VOUCH_DATABASE_SECRET", "database secret"],
    );
    check_found(
        "call getUserName or snake_case_names",
        &["getusername", "user name", "snake case", "snake_case_names"],
    );
    check_found("pass --dry-run", &["dry-run", "--dry-run", "dryrun", "dry run"]);
    check_found("see /docs/settings.md", &["settings.md", "docs/settings.md", "settings"]);
    check_found(
        "the HTTPServer and PostgreSQL and WebHooks",
        &["httpserver", "server", "postgresql", "webhook"],
    );
    check_found("IPv6, OAuth2, iPhone, EC2", &["ipv6", "oauth2", "oauth 2", "iphone", "ec2"]);
}

#[test]
fn a_leading_hyphen_asks_for_the_word_and_excludes_nothing() {
    assert_eq!(texts("-force"), texts("force"));
}

#[test]
fn abbreviations_add_nothing() {
    assert!(texts("e.g. i.e. etc.").is_empty());
    assert_eq!(content("for example, e.g. a bucket"), ["exampl", "bucket"]);
}

#[test]
fn a_question_of_stop_words_alone_has_no_terms() {
    for question in ["", "  ", "what is the", "Who are you?", "and/or", "--", "?!", "don't", "\u{0}"] {
        assert!(query_terms(question).is_empty(), "{question:?}: {:?}", texts(question));
    }
    assert!(vector("of the").is_empty());
}

#[test]
fn numbers_keep_their_value() {
    assert_eq!(content("12,500 of 3.5 or 1,2,3 at 10.0.0.1"), ["12500", "3.5", "1", "2", "3", "10.0.0.1"]);
    assert!(content_terms("12,500 rows")[0].exact && !content_terms("12,500 rows")[1].exact);
}

#[test]
fn a_unit_glued_to_its_number_is_found_apart_too() {
    check_found("at most 512MB", &["512 MB", "512mb"]);
}

#[test]
fn unspaced_scripts_are_found_by_pairs() {
    check_found("東京都に住んでいます", &["東京", "京都に"]);
    check_found("ฉันรักภาษาไทย", &["ภาษา"]);
    check_found("데이터베이스를", &["데이터베이스"]);
    assert_eq!(texts("東京都"), BTreeSet::from(["東京".to_owned(), "京都".to_owned()]));
    assert_eq!(texts("水"), BTreeSet::from(["水".to_owned()]));
    assert_eq!(content("S3バケット")[0], "s3");
}

#[test]
fn width_accents_and_case_do_not_matter() {
    assert_eq!(content("ＡＢＣ１２"), content("abc12"));
    assert_eq!(content("Café"), content("cafe\u{301}"));
    assert_eq!(content("Café"), content("cafe"));
    assert_eq!(content("STRAẞE straße"), ["strass", "strass"]);
    assert_eq!(content("ﾊﾞｹｯﾄ"), content("バケット"));
    assert_ne!(content("が"), content("か"));
    assert_eq!(content("ΣΊΣΥΦΟΣ"), content("σίσυφος"));
    assert_eq!(content("İstanbul"), content("istanbul"));
    assert_eq!(content("exam\u{ad}ple"), content("example"));
    assert_eq!(content("Vouch™"), content("Vouch"));
    assert_eq!(content("read\u{2011}only"), content("read-only"));
}

#[test]
fn apostrophes_neither_split_nor_hide_a_word() {
    assert_eq!(content("the customer’s"), ["custom"]);
    assert_eq!(content("O'Brien"), content("obrien"));
}

#[test]
fn terms_say_where_they_stand_in_the_source() {
    let source = "Die ＭＡＸ Größe, TKT-00042: read-only.";
    let spans: Vec<&str> = content_terms(source).into_iter().map(|term| &source[term.range]).collect();
    assert_eq!(spans, ["Die", "ＭＡＸ", "Größe", "TKT-00042", "read", "only"]);
}

#[test]
fn an_identifier_weighs_at_most_two_words() {
    for identifier in [
        "TKT-00042",
        "VOUCH_DATABASE_SECRET",
        "https://a.example/b/c-d/e_f.md",
        "v1.2.3",
        "getUserName",
        "C++",
    ] {
        let weight: f32 = query_terms(identifier).iter().map(|term| term.weight).sum();
        assert!(weight <= 2.001, "{identifier} weighs {weight}");
    }
}

#[test]
fn a_word_said_twice_is_asked_for_once() {
    assert_eq!(query_terms("backup backup backups"), query_terms("backup"));
}

#[test]
fn term_frequency_saturates_and_length_lowers_it() {
    let once = score("backup", "backup");
    let often = score("backup", &"backup ".repeat(50));
    assert!(once < often * 3.0 && often < 2.2, "{once} {often}");
    let diluted = format!("backup {}", "other words here ".repeat(80));
    assert!(score("backup", &diluted) < once);
}

#[test]
fn the_title_counts_more_than_the_text() {
    let weight = |fields: &[(&str, f32)]| chunk_vector(fields).elements()[0].1;
    assert!(weight(&chunk_fields("backup", "", "")) > weight(&chunk_fields("", "backup", "")));
    assert!(weight(&chunk_fields("", "backup", "")) > weight(&chunk_fields("", "", "backup")));
}

#[test]
fn a_vector_never_exceeds_what_a_sparsevec_holds() {
    let text: String = (0..MAX_ELEMENTS + 500).map(|n| format!("w{n}x{n}y ")).collect();
    assert_eq!(vector(&text).elements().len(), MAX_ELEMENTS);
}

#[test]
fn the_text_form_is_pgvectors() {
    assert_eq!(LexicalVector::new([(7, 0.5), (3, 1.25)]).to_sql(), "{3:1.25,7:0.5}/1000000000");
    assert_eq!(LexicalVector::default().to_sql(), "{}/1000000000");
}

/// Stored vectors hold these numbers. If this test fails, every stored chunk must be analysed again: raise the chunker's version.
#[test]
fn the_analysis_is_the_one_that_stored_vectors_were_made_with() {
    let ids: Vec<(u32, String)> = query_terms("Backups of TKT-00042, 東京 and C++")
        .into_iter()
        .map(|term| (term.lexeme, term.text))
        .collect();
    let golden = [
        (10_963_520, "tkt00042"),
        (211_780_050, "00042"),
        (297_150_726, "c++"),
        (353_133_553, "東京"),
        (625_283_126, "tkt"),
        (632_250_252, "backup"),
    ];
    assert_eq!(ids, golden.map(|(id, text)| (id, text.to_owned())));
}

proptest! {
    #[test]
    fn any_text_is_analysed_the_same_way_twice_into_ids_in_range(text in "\\PC{0,200}") {
        let terms = query_terms(&text);
        prop_assert_eq!(&terms, &query_terms(&text));
        for term in &terms {
            prop_assert!((1..DIMENSIONS).contains(&term.lexeme));
            prop_assert!(term.weight > 0.0 && term.weight <= 1.0);
            prop_assert!(!term.text.is_empty());
        }
        prop_assert!(terms.is_sorted_by(|a, b| a.lexeme < b.lexeme));
    }

    #[test]
    fn what_a_text_asks_for_is_what_it_holds(text in any::<String>()) {
        let asked: Vec<u32> = query_terms(&text).into_iter().map(|term| term.lexeme).collect();
        prop_assert_eq!(asked, vector(&text).lexemes().collect::<Vec<_>>());
    }

    #[test]
    fn ranges_are_in_order_and_on_character_borders(text in any::<String>()) {
        let mut end = 0;
        for term in content_terms(&text) {
            prop_assert!(text.get(term.range.clone()).is_some());
            prop_assert!(term.range.start < term.range.end);
            prop_assert!(term.range.end >= end);
            end = term.range.end;
        }
    }

    #[test]
    fn punctuation_around_and_case_do_not_change_an_identifier(id in "[A-Z]{2,4}-[0-9]{1,6}") {
        let wrapped = format!("(\"{}\"),", id.to_lowercase());
        prop_assert_eq!(content(&id), content(&wrapped));
    }

    #[test]
    fn every_value_is_positive_and_below_the_saturation(words in proptest::collection::vec("[a-z0-9_./-]{1,12}", 0..200)) {
        let limit = Tuning::shipped().lexical.k1 + 1.0;
        for (_, value) in vector(&words.join(" ")).elements() {
            prop_assert!(*value > 0.0 && *value < limit);
        }
    }
}

//! Decides whether a query uses search syntax on purpose: "quoted phrases", -excluded words, a OR b.
//! Those become filters that every hit must pass, written in `websearch_to_tsquery`'s syntax; all other
//! words only rank. Pure.
//!
//! A sentence is not syntax. A dash, an apostrophe or the word "or" in a question must never switch a
//! filter on, because a filter that nobody asked for turns a good answer into none.

/// A query taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeywordFilter {
    /// Each is a websearch expression, and a hit must match them all. Empty: no syntax was used.
    pub clauses: Vec<String>,
    /// The words that rank: the query without operators and without what it excludes.
    pub text: String,
}

/// Words that open a question; a query that starts with one is a sentence.
const QUESTION_WORDS: [&str; 27] = [
    "am", "are", "can", "could", "did", "do", "does", "had", "has", "have", "how", "is", "may", "must",
    "should", "was", "were", "what", "when", "where", "which", "who", "whom", "whose", "why", "will",
    "would",
];

/// Takes a query apart.
#[must_use]
pub fn parse(query: &str) -> KeywordFilter {
    let tokens = tokens(query);
    let sentence = is_sentence(query, &tokens);
    let operator_or = !sentence && query.chars().any(char::is_lowercase);

    let mut parsed = KeywordFilter::default();
    let mut text: Vec<&str> = Vec::new();
    let mut index = 0;
    while index < tokens.len() {
        let end = if operator_or { end_of_alternatives(&tokens, index) } else { index + 1 };
        if end > index + 1 {
            let alternatives: Vec<String> =
                tokens[index..end].iter().map(|token| token.expression()).collect();
            parsed.clauses.push(alternatives.join(" "));
            text.extend(tokens[index..end].iter().filter(|t| t.ranks() && t.text != "OR").map(|t| t.text));
            index = end;
            continue;
        }
        let token = &tokens[index];
        index = end;
        match token.kind {
            // A phrase is quoted on purpose in a sentence, too.
            Kind::Phrase => parsed.clauses.push(token.expression()),
            Kind::Excluded if !sentence && !text.is_empty() => {
                parsed.clauses.push(token.expression());
                continue;
            }
            Kind::ExcludedPhrase if !sentence && !text.is_empty() => {
                parsed.clauses.push(token.expression());
                continue;
            }
            _ => {}
        }
        text.push(token.text);
    }
    parsed.text = if parsed.clauses.is_empty() { query.trim().to_owned() } else { text.join(" ") };
    if parsed.text.is_empty() {
        // Nothing but exclusions: there is nothing to rank by, so they are words after all.
        return KeywordFilter { clauses: Vec::new(), text: query.trim().to_owned() };
    }
    parsed
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Word,
    Phrase,
    Excluded,
    ExcludedPhrase,
}

#[derive(Clone, Copy, Debug)]
struct Token<'a> {
    kind: Kind,
    /// Without quotes and minus sign.
    text: &'a str,
}

impl Token<'_> {
    fn expression(&self) -> String {
        match self.kind {
            Kind::Word => self.text.to_owned(),
            Kind::Phrase => format!("\"{}\"", self.text),
            Kind::Excluded => format!("-{}", self.text),
            Kind::ExcludedPhrase => format!("-\"{}\"", self.text),
        }
    }

    fn ranks(&self) -> bool {
        matches!(self.kind, Kind::Word | Kind::Phrase)
    }
}

/// Words and phrases. A quote opens a phrase only at the start of a word, and only if it is closed.
fn tokens(query: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = query.trim_start();
    while !rest.is_empty() {
        let (minus, body) = match rest.strip_prefix('-') {
            Some(body) if body.starts_with(|c: char| c.is_alphabetic() || c == '"') => (true, body),
            _ => (false, rest),
        };
        if let Some((phrase, after)) = quoted(body) {
            let kind = if minus { Kind::ExcludedPhrase } else { Kind::Phrase };
            tokens.push(Token { kind, text: phrase });
            rest = after.trim_start();
            continue;
        }
        let end = body.find(char::is_whitespace).unwrap_or(body.len());
        let word = &body[..end];
        // `-Xmx512m` and `-force` look alike; whether it excludes is decided by the whole query.
        let kind = if minus { Kind::Excluded } else { Kind::Word };
        tokens.push(Token { kind, text: word });
        rest = body[end..].trim_start();
    }
    tokens
}

/// A closed, non-blank quotation at the start, and what follows it.
fn quoted(body: &str) -> Option<(&str, &str)> {
    let inner = body.strip_prefix('"')?;
    let close = inner.find('"')?;
    let phrase = inner[..close].trim();
    (phrase.chars().any(char::is_alphanumeric)).then_some((phrase, &inner[close + 1..]))
}

/// Where a run `a OR b OR c` that starts at `start` ends; `start + 1` when there is none.
fn end_of_alternatives(tokens: &[Token<'_>], start: usize) -> usize {
    let is_or =
        |index: usize| tokens.get(index).is_some_and(|t: &Token<'_>| t.kind == Kind::Word && t.text == "OR");
    let mut end = start + 1;
    while !is_or(start) && is_or(end) && end + 1 < tokens.len() && !is_or(end + 1) {
        end += 2;
    }
    end
}

fn is_sentence(query: &str, tokens: &[Token<'_>]) -> bool {
    let first = tokens.first().map(|token| token.text.to_lowercase()).unwrap_or_default();
    // "what's" and "where's" open questions, too.
    let first = first.split(['\'', '\u{2019}']).next().unwrap_or_default();
    query.contains('?') || QUESTION_WORDS.contains(&first)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(query: &str, clauses: &[&str], text: &str) {
        let parsed = parse(query);
        assert_eq!(parsed.clauses, clauses, "clauses of {query:?}");
        assert_eq!(parsed.text, text, "ranking text of {query:?}");
    }

    #[test]
    fn a_sentence_is_never_syntax() {
        for question in [
            "What's the employee's leave entitlement?",
            "Which is better - cash or shares?",
            "What does git push -force do",
            "is it 5 -10 days",
            "Can I pay by card OR by cash?",
            "the well-known state-of-the-art tool",
            "it was cold, -40 degrees",
            "pages 3 - 5",
            "cats or dogs",
            "SHALL I STAY OR GO",
            "a 5\" pipe",
            "rock 'n' roll",
            "--force flag",
        ] {
            check(question, &[], question);
        }
    }

    #[test]
    fn a_quoted_phrase_filters_and_ranks_and_its_neighbours_only_rank() {
        check("\"net 30\" payment terms", &["\"net 30\""], "net 30 payment terms");
        check("what does \"net 30\" mean?", &["\"net 30\""], "what does net 30 mean?");
    }

    #[test]
    fn an_excluded_word_filters_and_does_not_rank() {
        check("holiday policy -contractor", &["-contractor"], "holiday policy");
        check("holiday policy -\"fixed term\"", &["-\"fixed term\""], "holiday policy");
    }

    #[test]
    fn alternatives_stay_together() {
        check("cpu OR gpu pricing", &["cpu OR gpu"], "cpu gpu pricing");
        check("cpu OR -x", &["cpu OR -x"], "cpu");
        check(
            "\"net 30\" invoice OR receipt -draft",
            &["\"net 30\"", "invoice OR receipt", "-draft"],
            "net 30 invoice receipt",
        );
    }

    #[test]
    fn a_dangling_operator_is_a_word() {
        check("OR gates", &[], "OR gates");
        check("gates OR", &[], "gates OR");
        check("-draft", &[], "-draft");
        check("\"\" empty", &[], "\"\" empty");
        check("\"unclosed phrase", &[], "\"unclosed phrase");
    }

    proptest! {
        #[test]
        fn any_text_keeps_something_to_rank_by(query in "\\PC{1,60}") {
            let parsed = parse(&query);
            prop_assert_eq!(parsed.text.trim().is_empty(), query.trim().is_empty());
        }

        #[test]
        fn lower_case_words_with_dashes_and_apostrophes_are_no_filter(query in "[a-z]{1,8}(( |-| - |'|, )[a-z]{1,8}){0,8}") {
            prop_assert_eq!(parse(&query).clauses, Vec::<String>::new());
        }
    }
}

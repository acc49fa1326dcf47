//! Identifiers and proper names: the words of a text that stand for one thing only.

/// Words that must be found in the evidence as they are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Names {
    /// Part numbers, settings, paths, versions, codes, acronyms.
    pub(crate) identifiers: Vec<String>,
    /// Words with a capital that does not come from opening a sentence.
    pub(crate) proper: Vec<String>,
}

impl Names {
    /// Reads a folded text (hyphens kept).
    pub(crate) fn read(text: &str) -> Self {
        let mut names = Self::default();
        let mut opens_sentence = true;
        for raw in text.split_whitespace() {
            let token = bare(raw);
            if is_identifier(token) {
                names.identifiers.push(token.to_owned());
            } else if !opens_sentence && is_proper(token) {
                names.proper.push(token.to_owned());
            }
            opens_sentence =
                raw == "-" || raw.ends_with(['.', '!', '?', ':', '|', '"']) || raw.starts_with(['"', '(']);
        }
        names
    }
}

/// Whether `evidence` has `name` as a whole word, whatever the case. Of a compound (`a/b`, `k=v`) each part will do.
pub(crate) fn holds_name(evidence: &str, name: &str) -> bool {
    let evidence = evidence.to_lowercase();
    let name = name.to_lowercase();
    let is_compound = |c: char| matches!(c, '/' | ',' | '=' | '|' | ':' | '(' | ')');
    let singular = name.strip_suffix('s').unwrap_or(&name);
    holds_word(&evidence, &name)
        || holds_word(&evidence, singular)
        || (name.contains(is_compound)
            && name
                .split(is_compound)
                .filter(|part| !part.is_empty())
                .all(|part| holds_word(&evidence, part)))
}

/// `word` in `text`, not as part of a longer word; a plural is the same word.
fn holds_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let rest = &text[at + word.len()..];
        let rest = rest
            .strip_prefix("es")
            .or_else(|| rest.strip_prefix('s'))
            .filter(|r| !r.starts_with(is_part))
            .unwrap_or(rest);
        !text[..at].ends_with(is_part) && !rest.starts_with(is_part)
    })
}

/// The token without the punctuation around it and without a possessive.
fn bare(token: &str) -> &str {
    let is_edge = |c: char| c.is_ascii_punctuation() && !matches!(c, '_' | '/' | '$' | '-' | '+' | '#' | '%');
    let token = token.trim_matches(is_edge).trim_end_matches(['-', '/']);
    token.strip_suffix("'s").unwrap_or(token)
}

/// Whether a token stands for one thing exactly: letters mixed with digits, inner capitals, all capitals, inner signs.
pub(crate) fn is_identifier(token: &str) -> bool {
    let letters = token.chars().filter(|c| c.is_alphabetic()).count();
    if letters == 0 || is_abbreviation(token) {
        return false;
    }
    has_digit_and_letter(token)
        || token.contains(['_', '@', '\\'])
        || token.starts_with("--")
        || is_signed(token)
        || has_odd_capitals(token)
}

/// `M3`, `TKT-00042`, `v1.2`; but neither `30s` nor `3rd`, which are quantities.
fn has_digit_and_letter(token: &str) -> bool {
    let opens_with_digit = token.starts_with(|c: char| c.is_ascii_digit());
    let after_digits = token.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == ',');
    let is_quantity = opens_with_digit
        && (super::words::unit(after_digits.trim_start_matches('-')).is_some()
            || ["st", "nd", "rd", "th", "x"].contains(&after_digits)
            || after_digits.starts_with('-'));
    token.chars().any(|c| c.is_ascii_digit()) && token.chars().any(char::is_alphabetic) && !is_quantity
}

/// `s3:TestEvent`, `config.rs`, `/v1/ask`; but not `and/or`.
fn is_signed(token: &str) -> bool {
    let inner = token.trim_start_matches('/');
    let has_sign =
        inner.contains("::") || ['.', ':'].iter().any(|sign| inner.trim_matches(*sign).contains(*sign));
    has_sign || token.starts_with('/') || inner.matches('/').count() > 1
}

/// `VPC`, `HealthCheck`, `codePipeline`; but not `Cloud` and not `I`.
fn has_odd_capitals(token: &str) -> bool {
    token.split(['-', '/']).any(|part| {
        let part = part.strip_suffix('s').unwrap_or(part);
        let capitals = part.chars().filter(|c| c.is_uppercase()).count();
        let inner = part.chars().skip(1).filter(|c| c.is_uppercase()).count();
        capitals > 0 && inner > 0 && part.chars().count() > 1
    })
}

fn is_abbreviation(token: &str) -> bool {
    matches!(
        token.to_lowercase().trim_end_matches('.'),
        "e.g" | "i.e" | "a.m" | "p.m" | "etc" | "vs" | "ok" | "u.s"
    )
}

fn is_proper(token: &str) -> bool {
    let mut chars = token.chars();
    chars.next().is_some_and(char::is_uppercase)
        && token.chars().count() >= 3
        && !matches!(token, "The" | "And" | "For" | "You" | "Yes" | "I'm" | "I'll" | "I've")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_and_names_are_told_from_plain_words() {
        let names = Names::read(
            "Set VOUCH_TOP_K and HealthCheckTimeoutSeconds, or TKT-00042 (see config.rs) with --force on M3; \
             and/or the Oracle driver, e.g. well-known ones within 30s on the 3rd. Then retry a 30-day APIs call.",
        );
        let expected =
            ["VOUCH_TOP_K", "HealthCheckTimeoutSeconds", "TKT-00042", "config.rs", "--force", "M3", "APIs"];
        assert_eq!(names.identifiers, expected);
        assert_eq!(names.proper, ["Oracle"]);
    }

    #[test]
    fn a_name_is_held_as_a_whole_word_in_any_case() {
        let cases = [
            ("the API answers", "APIs", true),
            ("the APIs answer", "API", true),
            ("vouch_top_k is ten", "VOUCH_TOP_K", true),
            ("VOUCH_TOP_K_MAX is ten", "VOUCH_TOP_K", false),
            ("TKT-000421 is open", "TKT-00042", false),
            ("TKT-00042, open", "TKT-00042", true),
            ("set A_B to C_D", "A_B=C_D", true),
            ("set A_B only", "A_B=C_D", false),
        ];
        for (evidence, name, expected) in cases {
            assert_eq!(holds_name(evidence, name), expected, "{name} in {evidence}");
        }
    }
}

//! How much text goes into one request to an API whose tokenizer we do not have.

use std::ops::Range;

/// Longest input that embedding APIs of OpenAI's shape take, in tokens.
pub(super) const MAX_INPUT_TOKENS: usize = 8_191;

/// Inputs in one request. OpenAI takes 2,048; self-hosted servers often 32 to 128 less politely.
const MAX_BATCH_INPUTS: usize = 96;

/// Tokens in one request: a third of OpenAI's 300,000, since this is an estimate.
const MAX_BATCH_TOKENS: usize = 100_000;

/// Errs on the long side: an English token has about four letters, but a digit, a sign or a character outside
/// ASCII may be a token, an emoji several.
pub(super) fn estimated_tokens(text: &str) -> usize {
    let thirds: usize = text
        .chars()
        .map(|c| match c {
            'a'..='z' | 'A'..='Z' | ' ' | '\n' => 1,
            c if c.is_ascii() => 2,
            c if c.len_utf8() < 4 => 4,
            _ => 9,
        })
        .sum();
    thirds.div_ceil(3)
}

/// Consecutive inputs whose number and estimated tokens stay within a request's limits. An input that is too long
/// for any has one to itself.
pub(super) fn batches(texts: &[String]) -> Vec<Range<usize>> {
    let mut batches: Vec<Range<usize>> = Vec::new();
    let mut tokens = 0;
    for (at, text) in texts.iter().enumerate() {
        let more = estimated_tokens(text);
        match batches.last_mut() {
            Some(batch) if batch.len() < MAX_BATCH_INPUTS && tokens + more <= MAX_BATCH_TOKENS => {
                batch.end = at + 1;
                tokens += more;
            }
            _ => {
                batches.push(at..at + 1);
                tokens = more;
            }
        }
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_hold_all_inputs_once_and_stay_within_their_limits() {
        let texts: Vec<String> = (0..500).map(|n| "word ".repeat(n * 7 % 3000 + 1)).collect();
        let batches = batches(&texts);
        assert_eq!(batches.iter().map(Range::len).sum::<usize>(), texts.len());
        assert!(batches.windows(2).all(|pair| pair[0].end == pair[1].start));
        for batch in batches {
            let tokens: usize = texts[batch.clone()].iter().map(|text| estimated_tokens(text)).sum();
            assert!(batch.len() <= MAX_BATCH_INPUTS && tokens <= MAX_BATCH_TOKENS);
        }
    }

    #[test]
    fn unspaced_scripts_and_emoji_are_not_taken_for_short() {
        assert!(estimated_tokens("東京都") >= 3);
        assert!(estimated_tokens("🙂") >= 3);
        assert!(estimated_tokens("0123456789") >= 6);
        assert_eq!(estimated_tokens(""), 0);
    }
}

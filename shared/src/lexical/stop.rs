//! English words that say nothing about what a text is about. Left out of chunks and questions alike.

/// Sorted, lower case, without apostrophes. Words that are also names of things (`us`, `will`) are not among them.
const STOP_WORDS: &[&str] = &[
    "a", "about", "above", "after", "again", "all", "also", "am", "an", "and", "any", "are", "arent", "as",
    "at", "be", "because", "been", "before", "being", "below", "between", "both", "but", "by", "can",
    "cannot", "cant", "could", "couldnt", "did", "didnt", "do", "does", "doesnt", "doing", "dont", "during",
    "each", "eg", "etc", "for", "from", "had", "has", "hasnt", "have", "having", "he", "her", "here", "hers",
    "him", "his", "how", "i", "ie", "if", "im", "in", "into", "is", "isnt", "it", "its", "ive", "just", "me",
    "more", "most", "my", "no", "nor", "not", "of", "on", "or", "our", "ours", "over", "own", "per",
    "please", "she", "should", "shouldnt", "so", "some", "such", "than", "that", "thats", "the", "their",
    "them", "then", "there", "these", "they", "this", "those", "through", "to", "too", "under", "until",
    "very", "was", "wasnt", "we", "were", "what", "whats", "when", "where", "which", "while", "who", "whom",
    "why", "with", "would", "you", "your", "yours",
];

/// Whether a lower-case word is one of them.
pub(super) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_as_the_search_in_it_needs() {
        assert!(STOP_WORDS.is_sorted());
    }
}

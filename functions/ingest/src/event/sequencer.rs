//! The order of the events of one object.

/// S3's sequencer, made comparable: upper-case hexadecimal, left-padded with zeros to [`Sequencer::DIGITS`].
///
/// S3 writes hexadecimal numbers of unequal length, whose order as text is not their order as numbers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sequencer(String);

impl Sequencer {
    /// Digits after padding. S3 sends 16 to 18; the ledger's column comment names this number.
    pub const DIGITS: usize = 64;

    /// Reads a sequencer; `None` when it is no hexadecimal number of at most [`Self::DIGITS`] digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let sound =
            !text.is_empty() && text.len() <= Self::DIGITS && text.bytes().all(|b| b.is_ascii_hexdigit());
        sound.then(|| Self(format!("{:0>64}", text.to_ascii_uppercase())))
    }

    /// The padded digits, as the ledger holds them.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequencers_of_unequal_length_compare_as_numbers() {
        let s = |t| Sequencer::parse(t).unwrap();
        assert!(s("FF") < s("100"));
        assert!(s("0055AED6DCD90281E5") < s("55aed6dcd90281e6"));
        assert_eq!(s("0a"), s("A"));
        assert_eq!(s("a").as_str().len(), Sequencer::DIGITS);
    }

    #[test]
    fn what_is_no_hexadecimal_number_is_no_sequencer() {
        for bad in ["", " ", "xyz", "-1", &"A".repeat(65)] {
            assert_eq!(Sequencer::parse(bad), None, "{bad}");
        }
    }
}

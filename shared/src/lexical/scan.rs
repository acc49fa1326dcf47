//! Cuts folded text into compounds and pairs of unspaced script.

use std::ops::Range;

use super::fold::{Class, Folded, Glyph};

/// What stands between two breaks.
#[derive(Debug)]
pub(super) enum Token {
    /// Two neighbouring characters of an unspaced script, or one that stands alone.
    Pair { text: String, range: Range<usize> },
    /// A word, or several that punctuation holds together.
    Compound(Compound),
}

/// `docs/settings.md`: two segments, of one piece and of two.
#[derive(Debug)]
pub(super) struct Compound {
    /// Parts between slashes, each made of the pieces between other joiners.
    pub segments: Vec<Vec<Piece>>,
    /// Bytes in the source.
    pub range: Range<usize>,
    /// Whether a joiner occurs that prose does not use inside words (`_`, `.`, `::`, `@`).
    pub technical: bool,
}

/// A run of letters and digits, case kept; decimal points, apostrophes and the signs of `C++` and `C#` belong to it.
#[derive(Debug)]
pub(super) struct Piece {
    pub text: String,
    pub range: Range<usize>,
}

pub(super) fn scan(folded: &Folded) -> Vec<Token> {
    let mut scanner = Scanner { folded, at: 0 };
    let mut tokens = Vec::new();
    while let Some(glyph) = scanner.peek(0) {
        match glyph.class {
            Class::Word => tokens.push(Token::Compound(scanner.compound())),
            Class::Unspaced => scanner.pairs(&mut tokens),
            Class::Joiner | Class::Apostrophe | Class::Break => scanner.at += 1,
        }
    }
    tokens
}

struct Scanner<'a> {
    folded: &'a Folded,
    at: usize,
}

impl<'a> Scanner<'a> {
    fn peek(&self, ahead: usize) -> Option<&'a Glyph> {
        self.folded.glyphs.get(self.at + ahead)
    }

    fn first(&self, ahead: usize) -> char {
        self.peek(ahead).map_or(' ', |glyph| glyph.first)
    }

    fn is(&self, ahead: usize, class: Class) -> bool {
        self.peek(ahead).is_some_and(|glyph| glyph.class == class)
    }

    fn text_of(&self, glyph: &Glyph) -> &'a str {
        &self.folded.text[glyph.text.clone()]
    }

    fn pairs(&mut self, tokens: &mut Vec<Token>) {
        let run = &self.folded.glyphs[self.at..];
        let length = run.iter().take_while(|glyph| glyph.class == Class::Unspaced).count();
        let run = &run[..length];
        self.at += length;
        // A window as long as the run, so that one character alone is found too.
        for window in run.windows(length.min(2)) {
            let text = window.iter().map(|glyph| self.text_of(glyph)).collect();
            let range = window[0].source.start..window[window.len() - 1].source.end;
            tokens.push(Token::Pair { text, range });
        }
    }

    fn compound(&mut self) -> Compound {
        let first = self.piece();
        let mut compound =
            Compound { range: first.range.clone(), segments: vec![vec![first]], technical: false };
        while let Some(joint) = self.joint() {
            self.at += joint.length;
            let piece = self.piece();
            compound.range.end = piece.range.end;
            compound.technical |= joint.technical;
            match compound.segments.last_mut() {
                Some(segment) if !joint.slash => segment.push(piece),
                _ => compound.segments.push(vec![piece]),
            }
        }
        compound
    }

    /// The joiners ahead, if a word follows them. `--` and `..` are punctuation between words, not inside one.
    fn joint(&self) -> Option<Joint> {
        let mut joint = Joint { length: 0, slash: false, technical: false };
        while self.is(joint.length, Class::Joiner) {
            let c = self.first(joint.length);
            if matches!(c, '-' | '.') && self.first(joint.length + 1) == c {
                return None;
            }
            joint.slash |= matches!(c, '/' | '\\');
            joint.technical |= !matches!(c, '-' | '/' | '&');
            joint.length += 1;
        }
        (joint.length > 0 && self.is(joint.length, Class::Word)).then_some(joint)
    }

    fn piece(&mut self) -> Piece {
        let mut piece = Piece { text: String::new(), range: 0..0 };
        let start = self.at;
        while let Some(glyph) = self.peek(0) {
            match glyph.class {
                Class::Word => piece.text.push_str(self.text_of(glyph)),
                Class::Apostrophe if self.at > start && self.is(1, Class::Word) => piece.text.push('\''),
                _ if self.at > start && self.is_decimal_point() => piece.text.push('.'),
                _ if self.at > start && self.is_thousands_comma() => {}
                _ => break,
            }
            self.at += 1;
        }
        let signs = self.signs(&piece.text);
        for _ in 0..signs {
            piece.text.push(self.first(0));
            self.at += 1;
        }
        piece.range = self.folded.glyphs[start].source.start..self.folded.glyphs[self.at - 1].source.end;
        piece
    }

    fn digit_before(&self) -> bool {
        self.at > 0 && self.folded.glyphs[self.at - 1].first.is_ascii_digit()
    }

    fn is_decimal_point(&self) -> bool {
        self.first(0) == '.' && self.digit_before() && self.first(1).is_ascii_digit()
    }

    /// A comma before exactly three digits: 12,500 is 12500, but 1,2,3 is a list.
    fn is_thousands_comma(&self) -> bool {
        self.first(0) == ','
            && self.digit_before()
            && (1..=3).all(|ahead| self.first(ahead).is_ascii_digit())
            && !self.first(4).is_ascii_digit()
    }

    /// How many of the signs ahead belong to a name such as `C++`, `C#`, `Notepad++` or `C++17`.
    fn signs(&self, piece: &str) -> usize {
        if !piece.ends_with(|c: char| c.is_ascii_alphabetic()) {
            return 0;
        }
        let ends = |ahead| !self.is(ahead, Class::Word);
        match (self.first(0), self.first(1)) {
            ('+', '+') if self.first(2) != '+' => 2,
            ('#', next) if next != '#' && ends(1) => 1,
            _ => 0,
        }
    }
}

struct Joint {
    length: usize,
    slash: bool,
    technical: bool,
}

//! Word lists of the checks: units, number words, months, negations. English, like the stemmer.

/// Canonical name of a unit, from any way of writing it (lower case).
pub(crate) fn unit(word: &str) -> Option<&'static str> {
    Some(match word.to_lowercase().as_str() {
        "ns" | "nanosecond" | "nanoseconds" => "nanosecond",
        "us" | "\u{3bc}s" | "microsecond" | "microseconds" => "microsecond",
        "ms" | "msec" | "millisecond" | "milliseconds" => "millisecond",
        "s" | "sec" | "secs" | "second" | "seconds" => "second",
        "min" | "mins" | "minute" | "minutes" => "minute",
        "h" | "hr" | "hrs" | "hour" | "hours" => "hour",
        "day" | "days" | "d" => "day",
        "week" | "weeks" => "week",
        "month" | "months" => "month",
        "year" | "years" => "year",
        "bit" | "bits" => "bit",
        "byte" | "bytes" => "byte",
        "kb" | "kilobyte" | "kilobytes" => "kilobyte",
        "mb" | "megabyte" | "megabytes" => "megabyte",
        "gb" | "gigabyte" | "gigabytes" => "gigabyte",
        "tb" | "terabyte" | "terabytes" => "terabyte",
        "kib" | "kibibyte" | "kibibytes" => "kibibyte",
        "mib" | "mebibyte" | "mebibytes" => "mebibyte",
        "gib" | "gibibyte" | "gibibytes" => "gibibyte",
        "tib" | "tebibyte" | "tebibytes" => "tebibyte",
        "mbps" => "megabit per second",
        "gbps" => "gigabit per second",
        "hz" | "hertz" => "hertz",
        "khz" => "kilohertz",
        "mhz" => "megahertz",
        "ghz" => "gigahertz",
        "v" | "volt" | "volts" => "volt",
        "mv" => "millivolt",
        "a" | "amp" | "amps" | "ampere" | "amperes" => return ampere(word),
        "ma" => "milliampere",
        "w" | "watt" | "watts" => "watt",
        "kw" => "kilowatt",
        "mm" | "millimetre" | "millimetres" | "millimeter" | "millimeters" => "millimetre",
        "cm" | "centimetre" | "centimetres" | "centimeter" | "centimeters" => "centimetre",
        "m" | "metre" | "metres" | "meter" | "meters" => "metre",
        "km" | "kilometre" | "kilometres" | "kilometer" | "kilometers" => "kilometre",
        "mile" | "miles" => "mile",
        "inch" | "inches" => "inch",
        "foot" | "feet" | "ft" => "foot",
        "mg" => "milligram",
        "g" | "gram" | "grams" => "gram",
        "kg" | "kilogram" | "kilograms" => "kilogram",
        "ml" => "millilitre",
        "l" | "litre" | "litres" | "liter" | "liters" => "litre",
        "percent" | "%" => "percent",
        "celsius" => "celsius",
        "fahrenheit" => "fahrenheit",
        "dollar" | "dollars" | "usd" => "dollar",
        "cent" | "cents" => "cent",
        "euro" | "euros" | "eur" => "euro",
        "pound" | "pounds" => "pound",
        "token" | "tokens" => "token",
        "character" | "characters" | "chars" => "character",
        "word" | "words" => "word",
        "dozen" => "dozen",
        "hundred" => "hundred",
        "thousand" => "thousand",
        "million" | "millions" => "million",
        "billion" | "billions" => "billion",
        "trillion" => "trillion",
        _ => return None,
    })
}

/// "a" after a number is an article ("in 3 a request fails") far more often than an ampere.
fn ampere(word: &str) -> Option<&'static str> {
    (word.len() > 1).then_some("ampere")
}

/// The value of a number word (lower case). "a" and "an" count as one, which matters before a unit.
pub(crate) fn number_word(word: &str) -> Option<u32> {
    Some(match word {
        "zero" => 0,
        "a" | "an" | "one" => 1,
        "two" | "twice" => 2,
        "three" => 3,
        "four" => 4,
        "five" => 5,
        "six" => 6,
        "seven" => 7,
        "eight" => 8,
        "nine" => 9,
        "ten" => 10,
        "eleven" => 11,
        "twelve" => 12,
        "thirteen" => 13,
        "fourteen" => 14,
        "fifteen" => 15,
        "sixteen" => 16,
        "seventeen" => 17,
        "eighteen" => 18,
        "nineteen" => 19,
        "twenty" => 20,
        "thirty" => 30,
        "forty" => 40,
        "fifty" => 50,
        "sixty" => 60,
        "seventy" => 70,
        "eighty" => 80,
        "ninety" => 90,
        _ => return None,
    })
}

/// The number of a month, from its name or abbreviation (lower case).
pub(crate) fn month(word: &str) -> Option<u32> {
    const MONTHS: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let is_short = word.len() == 3 || word == "sept";
    MONTHS
        .iter()
        .position(|name| *name == word || (is_short && name.starts_with(word)))
        .map(|index| index as u32 + 1)
}

/// Whether a word (lower case) turns a clause around.
pub(crate) fn is_negation(word: &str) -> bool {
    matches!(
        word,
        "not"
            | "no"
            | "never"
            | "none"
            | "nobody"
            | "nothing"
            | "nowhere"
            | "neither"
            | "nor"
            | "cannot"
            | "without"
            | "unable"
    ) || word.ends_with("n't")
}

/// Phrases (lower case) with a negation in them that do not turn their clause around.
pub(crate) const HARMLESS_NEGATIONS: [&str; 8] = [
    "not only",
    "no more than",
    "no less than",
    "no later than",
    "no longer than",
    "no fewer than",
    "whether or not",
    "not limited to",
];

/// How a statement begins that is a refusal (lower case, straight apostrophes).
pub(crate) const REFUSAL_OPENINGS: [&str; 12] = [
    "i don't know",
    "i do not know",
    "i dont know",
    "i'm not sure",
    "i am not sure",
    "i cannot answer",
    "i can't answer",
    "i'm unable to",
    "i am unable to",
    "i'm sorry",
    "i am sorry",
    "sorry, ",
];

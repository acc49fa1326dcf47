//! What people see: steps with their duration, progress, colour where the terminal wants it.
//!
//! Steps and progress go to stderr, results to stdout, so that a result can be piped.

use std::fmt::Display;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How often a spinner moves.
const TICK: Duration = Duration::from_millis(100);

/// Whether stdout and stderr take colour: a terminal, and no `NO_COLOR` (<https://no-color.org>).
fn colourful(stream_is_terminal: bool) -> bool {
    stream_is_terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

fn paint(text: impl Display, code: &str, colour: bool) -> String {
    if colour { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_string() }
}

/// Text for stdout, in bold.
pub fn bold(text: impl Display) -> String {
    paint(text, "1", colourful(std::io::stdout().is_terminal()))
}

/// Text for stdout, dimmed.
pub fn dim(text: impl Display) -> String {
    paint(text, "2", colourful(std::io::stdout().is_terminal()))
}

/// Text for stdout that says all is well.
pub fn good(text: impl Display) -> String {
    paint(text, "32", colourful(std::io::stdout().is_terminal()))
}

/// Text for stdout that says something is not well.
pub fn bad(text: impl Display) -> String {
    paint(text, "31", colourful(std::io::stdout().is_terminal()))
}

/// A duration as people say it.
#[must_use]
pub fn human_duration(duration: Duration) -> String {
    match duration.as_secs() {
        0 => format!("{} ms", duration.as_millis()),
        seconds @ 1..60 => format!("{seconds}.{} s", duration.subsec_millis() / 100),
        seconds => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}

/// Bytes as people say them, in powers of ten as disks and downloads are counted.
#[must_use]
pub fn human_bytes(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}

/// One step of a longer command. It shows itself while it runs and leaves one line when it ends.
#[derive(Debug)]
pub struct Step {
    name: String,
    bar: ProgressBar,
    began: Instant,
    colour: bool,
}

impl Step {
    /// Begins a step.
    pub fn begin(name: impl Into<String>) -> Self {
        let name = name.into();
        let terminal = std::io::stderr().is_terminal();
        let bar = if terminal { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        bar.set_style(template("  {spinner} {prefix} {msg}"));
        bar.set_prefix(name.clone());
        bar.enable_steady_tick(TICK);
        Self { name, bar, began: Instant::now(), colour: colourful(terminal) }
    }

    /// Says what the step is at, on a terminal only.
    pub fn at(&self, what: impl Into<String>) {
        self.bar.set_message(what.into());
    }

    /// Says something that stays on the screen.
    pub fn note(&self, text: impl Display) {
        self.bar.suspend(|| eprintln!("    {text}"));
    }

    /// Shows a bar from 0 to `total` from now on.
    pub fn count_to(&self, total: u64) {
        self.bar.set_style(template("  {spinner} {prefix} {bar:24} {pos}/{len} {msg}"));
        self.bar.set_length(total);
    }

    /// Moves the bar.
    pub fn counted(&self, position: u64) {
        self.bar.set_position(position);
    }

    /// Ends the step well, with what came of it.
    pub fn done(self, result: impl Display) {
        self.bar.finish_and_clear();
        let took = paint(human_duration(self.began.elapsed()), "2", self.colour);
        eprintln!("  {} {} — {result}  {took}", paint("✓", "32", self.colour), self.name);
    }

    /// Ends the step badly; the error itself is told by the caller.
    pub fn failed(self) {
        self.bar.finish_and_clear();
        let took = paint(human_duration(self.began.elapsed()), "2", self.colour);
        eprintln!("  {} {}  {took}", paint("✗", "31", self.colour), self.name);
    }

    /// Ends the step by a result: `describe` says what came of a good one.
    ///
    /// # Errors
    /// The error of `result`, unchanged.
    pub fn end<T>(self, result: anyhow::Result<T>, describe: impl FnOnce(&T) -> String) -> anyhow::Result<T> {
        match &result {
            Ok(value) => self.done(describe(value)),
            Err(_) => self.failed(),
        }
        result
    }
}

fn template(text: &str) -> ProgressStyle {
    ProgressStyle::with_template(text)
        .unwrap_or_else(|_| ProgressStyle::default_spinner())
        .progress_chars("━╸ ")
}

/// A bar on stderr for commands that handle many things.
#[must_use]
pub fn bar(total: u64) -> ProgressBar {
    let target = if std::io::stderr().is_terminal() {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    };
    ProgressBar::with_draw_target(Some(total), target).with_style(template("  {bar:24} {pos}/{len} {msg}"))
}

/// Wraps text to the width of a page, each line after `indent`.
#[must_use]
pub fn wrap(text: &str, indent: &str, width: usize) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        if let Some(line) = lines.last_mut() {
            if line.is_empty() {
                line.push_str(word);
            } else if line.chars().count() + 1 + word.chars().count() <= width {
                line.push(' ');
                line.push_str(word);
            } else {
                lines.push(word.to_owned());
            }
        }
    }
    lines.iter().map(|line| format!("{indent}{line}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_and_sizes_read_as_people_say_them() {
        assert_eq!(human_duration(Duration::from_millis(12)), "12 ms");
        assert_eq!(human_duration(Duration::from_millis(1_950)), "1.9 s");
        assert_eq!(human_duration(Duration::from_secs(125)), "2 min 5 s");
        assert_eq!(human_bytes(83_506_285), "83.5 MB");
    }

    #[test]
    fn wrapped_lines_keep_every_word_and_no_line_is_too_long() {
        let wrapped = wrap("one two three four", "  ", 9);
        assert_eq!(wrapped, "  one two\n  three\n  four");
    }
}

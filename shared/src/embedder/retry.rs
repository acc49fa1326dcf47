//! When to ask a busy server again.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

const FIRST_WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: Duration = Duration::from_secs(8);

/// The wait before attempt `attempt` + 1, counted from 0: what the server asked for, or twice as long each time; plus up
/// to half of it at random, so that functions that were refused together do not come back together.
pub(super) fn wait(attempt: u32, retry_after: Option<Duration>, random: f64) -> Duration {
    let doubled = FIRST_WAIT.saturating_mul(2_u32.saturating_pow(attempt)).min(LONGEST_WAIT);
    let base = retry_after.unwrap_or(doubled);
    base + base.min(LONGEST_WAIT).mul_f64(random.clamp(0.0, 1.0) / 2.0)
}

/// `Retry-After` in its form of seconds. The form of a date is rare among APIs, and needs a clock that agrees with the server's.
pub(super) fn retry_after(header: Option<&str>) -> Option<Duration> {
    let seconds: f64 = header?.trim().parse().ok()?;
    (0.0..=86_400.0).contains(&seconds).then(|| Duration::from_secs_f64(seconds))
}

/// From 0 to 1, by the seed that the standard library's maps take from the system.
pub(super) fn random() -> f64 {
    let number = RandomState::new().hash_one(0_u8);
    number as f64 / u64::MAX as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_limit_and_are_never_shorter_than_asked() {
        assert_eq!(wait(0, None, 0.0), FIRST_WAIT);
        assert_eq!(wait(1, None, 0.0), FIRST_WAIT * 2);
        assert_eq!(wait(60, None, 0.0), LONGEST_WAIT);
        assert_eq!(wait(0, None, 1.0), FIRST_WAIT * 3 / 2);
        let asked = Duration::from_secs(20);
        assert!(wait(0, Some(asked), 0.0) >= asked);
        assert!(wait(0, Some(asked), 1.0) <= asked + LONGEST_WAIT);
    }

    #[test]
    fn a_retry_after_that_is_no_number_of_seconds_is_none() {
        assert_eq!(retry_after(Some("3")), Some(Duration::from_secs(3)));
        assert_eq!(retry_after(Some("0.5")), Some(Duration::from_millis(500)));
        for other in
            [None, Some(""), Some("-1"), Some("NaN"), Some("1e99"), Some("Wed, 21 Oct 2026 07:28:00 GMT")]
        {
            assert_eq!(retry_after(other), None, "{other:?}");
        }
    }
}

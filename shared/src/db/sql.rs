//! Statements: text that was compiled in, never text that was put together.

use std::borrow::Cow;

use crate::ids::SpaceId;

/// The word that stands for a space's table in a statement that is written once for all spaces.
const TABLE_OF_SPACE: &str = "vouch.embeddings_of_space";

/// A statement to run.
#[derive(Debug, Clone)]
pub struct Sql(Cow<'static, str>);

impl Sql {
    /// A statement that names its tables itself; `include_str!` of a file beside the module that runs it.
    #[must_use]
    pub const fn fixed(text: &'static str) -> Self {
        Self(Cow::Borrowed(text))
    }

    /// A statement on the vectors of one space: `vouch.embeddings_of_space` in it becomes the space's table,
    /// whose name [`SpaceId`] keeps free of anything but letters, digits and underscores.
    #[must_use]
    pub fn in_space(text: &'static str, space: &SpaceId) -> Self {
        debug_assert!(text.contains(TABLE_OF_SPACE), "the statement names no table of a space");
        Self(Cow::Owned(text.replace(TABLE_OF_SPACE, &space.table())))
    }

    /// The statement's text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

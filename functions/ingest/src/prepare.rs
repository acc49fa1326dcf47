//! Bytes to chunks, on a thread of its own: extraction and tokenising take processor time, and a parser that panics
//! over a damaged file must take nothing else with it.

use vouch_shared::embedder::Embedder;

use crate::chunk::{self, Chunk, Settings};
use crate::text::{self, Extracted, Rejected, Source};

/// A text, cut.
#[derive(Debug)]
pub struct Prepared {
    /// The document's title, else its file's name.
    pub title: String,
    /// The text.
    pub extracted: Extracted,
    /// Its chunks, at least one.
    pub chunks: Vec<Chunk>,
}

/// Extracts and cuts.
///
/// # Errors
/// [`Rejected`] when the document cannot be read; a panic is such a rejection too.
pub async fn prepare(
    bytes: Vec<u8>,
    file_name: String,
    content_type: String,
    embedder: Embedder,
    settings: Settings,
) -> Result<Prepared, Rejected> {
    caught(move || {
        let source = Source { bytes: &bytes, name: &file_name, content_type: &content_type };
        let mut extracted = text::extract(source)?;
        let title = extracted.title.take().unwrap_or(file_name);
        let chunks = chunk::cut(&extracted, &title, &settings, &|text| embedder.count_tokens(text));
        if chunks.is_empty() {
            return Err(Rejected::new("empty", "there is no text in the document"));
        }
        Ok(Prepared { title, extracted, chunks })
    })
    .await
}

async fn caught<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Rejected> + Send + 'static,
) -> Result<T, Rejected> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| {
        let reason = "the text of the document could not be extracted: the file may be damaged";
        Err(Rejected::new("unreadable", reason))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_parser_that_panics_fails_its_document_only() {
        let result: Result<(), _> = caught(|| panic!("over a damaged file")).await;
        assert_eq!(result.unwrap_err().code, "unreadable");
        assert!(caught(|| Ok(())).await.is_ok());
    }
}

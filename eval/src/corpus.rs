//! Documents to search, by their path.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail};

/// Documents by path, with `/` between its parts.
#[derive(Debug, Clone, Default)]
pub struct Corpus {
    documents: BTreeMap<String, Vec<u8>>,
}

impl Corpus {
    /// Documents given as path and text.
    pub fn of<P: Into<String>, T: Into<Vec<u8>>>(documents: impl IntoIterator<Item = (P, T)>) -> Self {
        Self { documents: documents.into_iter().map(|(path, text)| (path.into(), text.into())).collect() }
    }

    /// Every file below a directory, but hidden ones and those that the ingest has no reader for (`.json` among them).
    ///
    /// # Errors
    /// When the directory cannot be read or holds no document.
    pub fn of_directory(directory: &Path) -> Result<Self> {
        let mut corpus = Self::default();
        corpus.add(directory, "")?;
        if corpus.documents.is_empty() {
            bail!("{} holds no documents", directory.display());
        }
        Ok(corpus)
    }

    fn add(&mut self, directory: &Path, prefix: &str) -> Result<()> {
        let reading = || format!("reading {}", directory.display());
        for entry in std::fs::read_dir(directory).with_context(reading)? {
            let entry = entry.with_context(reading)?;
            let name = entry.file_name();
            let Some(name) = name.to_str().filter(|name| !name.starts_with('.')) else { continue };
            let path = format!("{prefix}{name}");
            if entry.file_type().with_context(reading)?.is_dir() {
                self.add(&entry.path(), &format!("{path}/"))?;
            } else if is_document(name) {
                let bytes = std::fs::read(entry.path()).with_context(|| format!("reading {path}"))?;
                self.documents.insert(path, bytes);
            }
        }
        Ok(())
    }

    /// Whether there is a document of this path.
    #[must_use]
    pub fn contains(&self, path: &str) -> bool {
        self.documents.contains_key(path)
    }

    /// The documents in the order of their paths.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.documents.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()))
    }

    /// Number of documents.
    #[must_use]
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }
}

fn is_document(name: &str) -> bool {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase();
    matches!(extension.as_str(), "md" | "txt" | "html" | "htm" | "pdf" | "docx")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directorys_documents_have_paths_with_slashes_and_others_are_left_out() {
        let directory = std::env::temp_dir().join(format!("vouch-eval-{}", uuid::Uuid::new_v4()));
        std::fs::create_dir_all(directory.join("sub/.hidden")).unwrap();
        for file in ["a.md", "sub/b.html", "sub/.hidden/c.md", "questions.json"] {
            std::fs::write(directory.join(file), "text").unwrap();
        }
        let corpus = Corpus::of_directory(&directory).unwrap();
        std::fs::remove_dir_all(&directory).unwrap();
        assert_eq!(corpus.iter().map(|(path, _)| path).collect::<Vec<_>>(), ["a.md", "sub/b.html"]);
    }

    #[test]
    fn a_directory_without_documents_is_an_error_and_not_an_empty_measurement() {
        assert!(Corpus::of_directory(Path::new("/nowhere")).is_err());
    }
}

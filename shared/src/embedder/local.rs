//! A BERT-type ONNX model in this process, pure Rust.
//!
//! Texts run one at a time, each on one thread: padding a batch to its longest text costs more than batching saves,
//! and gigabytes where lengths differ much. Passages of a batch share the processor's cores.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rten::{Dimension, Model, NodeId, RunOptions, ThreadPool, ValueOrView};
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, Tensor};
use tokenizers::{PostProcessor, Tokenizer, TruncationDirection};

use super::EmbedError;
use super::model_settings::{ModelSettings, Pooling};
use crate::embedding::{ElementType, Embedding, Space};

/// Threads at most: a function has six virtual processors at most.
const MAX_THREADS: usize = 6;

/// A loaded model with its tokenizer.
pub struct LocalModel {
    model: Model,
    tokenizer: Tokenizer,
    settings: ModelSettings,
    space: Space,
    inputs: Inputs,
    output: NodeId,
    /// Marks that the tokenizer puts around a text.
    marks: usize,
    query_prefix_tokens: usize,
    passage_prefix_tokens: usize,
    /// One pool of one thread for each text that is computed at the same time.
    pools: Vec<Arc<ThreadPool>>,
}

struct Inputs {
    ids: NodeId,
    mask: NodeId,
    types: Option<NodeId>,
}

impl LocalModel {
    /// Loads `model.onnx`, `tokenizer.json` and, if it is there, `vouch-model.json`; uses every core.
    ///
    /// # Errors
    /// [`EmbedError::Misconfigured`] when a file is missing or the model is not one that turns token ids into vectors.
    pub fn load(dir: &Path) -> Result<Self, EmbedError> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self::load_with_threads(dir, cores.min(MAX_THREADS))
    }

    /// As [`LocalModel::load`], for at most so many texts at a time.
    ///
    /// # Errors
    /// As [`LocalModel::load`].
    pub fn load_with_threads(dir: &Path, threads: usize) -> Result<Self, EmbedError> {
        let settings = ModelSettings::read(dir)?;
        let tokenizer = read_tokenizer(&dir.join("tokenizer.json"))?;
        let weights = read(&dir.join("model.onnx"))?;
        let name = settings.name_of(&weights);
        let model = Model::load(weights)
            .map_err(|error| EmbedError::misconfigured(format!("model.onnx cannot be loaded: {error}")))?;
        let inputs = Inputs::of(&model)?;
        let (output, dimension) = output_of(&model)?;
        let space = Space {
            id: super::space_id(&name, dimension)?,
            model: name,
            dimension,
            element_type: ElementType::for_dimension(dimension),
        };
        let marks = tokenizer.get_post_processor().map_or(0, |processor| processor.added_tokens(false));
        let mut loaded = Self {
            model,
            tokenizer,
            settings,
            space,
            inputs,
            output,
            marks,
            query_prefix_tokens: 0,
            passage_prefix_tokens: 0,
            pools: (0..threads.max(1)).map(|_| Arc::new(ThreadPool::with_num_threads(1))).collect(),
        };
        loaded.query_prefix_tokens = loaded.count_tokens(&loaded.settings.query_prefix);
        loaded.passage_prefix_tokens = loaded.count_tokens(&loaded.settings.passage_prefix);
        if loaded.marks + loaded.query_prefix_tokens.max(loaded.passage_prefix_tokens)
            >= loaded.settings.max_tokens
        {
            return Err(EmbedError::misconfigured("vouch-model.json: max_tokens leaves no room for a text"));
        }
        Ok(loaded)
    }

    /// The space of its vectors.
    #[must_use]
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Length of a text in tokens, without marks and prefix.
    #[must_use]
    pub fn count_tokens(&self, text: &str) -> usize {
        // A tokenizer fails on input that its vocabulary has no mark for; such a text is as long as its characters.
        self.tokenizer
            .encode_fast(text, false)
            .map_or_else(|_| text.chars().count(), |encoding| encoding.len())
    }

    /// Tokens of a passage that the model reads.
    #[must_use]
    pub fn max_passage_tokens(&self) -> usize {
        self.settings.max_tokens - self.marks - self.passage_prefix_tokens
    }

    /// The vector of a question, on the calling thread's time.
    ///
    /// # Errors
    /// [`EmbedError::Rejected`] when the text has no tokens or the model fails on it.
    pub fn embed_query(&self, text: &str) -> Result<Embedding, EmbedError> {
        let (embedding, cut) = self.embed(&self.settings.query_prefix, text, &self.pools[0])?;
        if cut > 0 {
            tracing::warn!(tokens_cut = cut, "question longer than the embedding model reads");
        }
        Ok(embedding)
    }

    /// The vectors of passages, in their order; several at a time.
    ///
    /// # Errors
    /// As [`LocalModel::embed_query`]; the first failure by position.
    pub fn embed_passages(&self, texts: &[String]) -> Result<Vec<Embedding>, EmbedError> {
        let next = AtomicUsize::new(0);
        let work = |pool: &Arc<ThreadPool>| {
            let mut done = Vec::new();
            while let Some((at, text)) = {
                let at = next.fetch_add(1, Ordering::Relaxed);
                texts.get(at).map(|text| (at, text))
            } {
                done.push((at, self.embed(&self.settings.passage_prefix, text, pool)));
            }
            done
        };
        let workers = self.pools.len().min(texts.len());
        let mut results: Vec<(usize, Result<_, EmbedError>)> = std::thread::scope(|scope| {
            let running: Vec<_> =
                self.pools[..workers].iter().map(|pool| scope.spawn(move || work(pool))).collect();
            running
                .into_iter()
                .map(|thread| {
                    thread.join().map_err(|_| EmbedError::unavailable("an inference thread panicked"))
                })
                .collect::<Result<Vec<_>, _>>()
        })?
        .into_iter()
        .flatten()
        .collect();
        results.sort_by_key(|(at, _)| *at);
        let embedded: Vec<(Embedding, usize)> =
            results.into_iter().map(|(_, result)| result).collect::<Result<_, _>>()?;
        let passages_cut = embedded.iter().filter(|(_, cut)| *cut > 0).count();
        if passages_cut > 0 {
            tracing::warn!(passages_cut, "passages longer than the embedding model reads");
        }
        Ok(embedded.into_iter().map(|(embedding, _)| embedding).collect())
    }

    /// The vector, and how many tokens did not fit.
    fn embed(
        &self,
        prefix: &str,
        text: &str,
        pool: &Arc<ThreadPool>,
    ) -> Result<(Embedding, usize), EmbedError> {
        let (ids, cut) = self.tokens(&format!("{prefix}{text}"))?;
        let elements = self.run(&ids, pool)?;
        Ok((Embedding::new(elements, &self.space)?, cut))
    }

    fn tokens(&self, text: &str) -> Result<(Vec<i32>, usize), EmbedError> {
        let failed =
            |error: tokenizers::Error| EmbedError::rejected(format!("the tokenizer failed: {error}"));
        let mut encoding = self.tokenizer.encode_fast(text, false).map_err(failed)?;
        let room = self.settings.max_tokens - self.marks;
        let cut = encoding.len().saturating_sub(room);
        encoding.truncate(room, 0, TruncationDirection::Right);
        let encoding = self.tokenizer.post_process(encoding, None, true).map_err(failed)?;
        let ids: Result<Vec<i32>, _> = encoding.get_ids().iter().map(|&id| i32::try_from(id)).collect();
        match ids {
            Ok(ids) if !ids.is_empty() => Ok((ids, cut)),
            _ => Err(EmbedError::rejected("it has no tokens")),
        }
    }

    fn run(&self, ids: &[i32], pool: &Arc<ThreadPool>) -> Result<Vec<f32>, EmbedError> {
        let length = ids.len();
        let failed = |reason: String| EmbedError::rejected(format!("the model failed: {reason}"));
        let mut inputs: Vec<(NodeId, ValueOrView)> = vec![
            (self.inputs.ids, NdTensor::from_data([1, length], ids.to_vec()).into()),
            (self.inputs.mask, NdTensor::from_data([1, length], vec![1_i32; length]).into()),
        ];
        if let Some(types) = self.inputs.types {
            inputs.push((types, NdTensor::from_data([1, length], vec![0_i32; length]).into()));
        }
        let options = RunOptions::default().with_thread_pool(Some(Arc::clone(pool)));
        let [output] = self
            .model
            .run_n(inputs, [self.output], Some(options))
            .map_err(|error| failed(error.to_string()))?;
        let output: Tensor<f32> =
            output.try_into().map_err(|_| failed("its output is not of 32-bit floats".into()))?;
        pool_tokens(&output.to_vec(), output.shape(), self.settings.pooling)
            .ok_or_else(|| failed(format!("its output has shape {:?}", output.shape())))
    }
}

impl Inputs {
    fn of(model: &Model) -> Result<Self, EmbedError> {
        let find = |name: &str| {
            model
                .input_ids()
                .iter()
                .copied()
                .find(|&id| model.node_info(id).and_then(|node| node.name()) == Some(name))
        };
        let required = |name: &str| {
            find(name).ok_or_else(|| EmbedError::misconfigured(format!("model.onnx has no input {name}")))
        };
        Ok(Self {
            ids: required("input_ids")?,
            mask: required("attention_mask")?,
            types: find("token_type_ids"),
        })
    }
}

/// The output with a vector per token, or else the one with a vector per text; and the vectors' dimension.
fn output_of(model: &Model) -> Result<(NodeId, usize), EmbedError> {
    const PREFERRED: [&str; 3] = ["last_hidden_state", "token_embeddings", "sentence_embedding"];
    let name_of = |id: NodeId| model.node_info(id).and_then(|node| node.name());
    let outputs = model.output_ids();
    let preferred =
        PREFERRED.iter().find_map(|name| outputs.iter().copied().find(|&id| name_of(id) == Some(*name)));
    let output = preferred
        .or_else(|| outputs.first().copied())
        .ok_or_else(|| EmbedError::misconfigured("model.onnx has no output"))?;
    let shape = model.node_info(output).and_then(|node| node.shape());
    match shape.as_deref().and_then(<[Dimension]>::last) {
        Some(Dimension::Fixed(dimension)) => Ok((output, *dimension)),
        _ => Err(EmbedError::misconfigured("model.onnx does not say the dimension of its output")),
    }
}

/// The text's vector from an output of shape [1, tokens, dimension] or, already pooled, [1, dimension].
/// No token is padding, so every one counts.
fn pool_tokens(output: &[f32], shape: &[usize], pooling: Pooling) -> Option<Vec<f32>> {
    match (shape, pooling) {
        ([1, _], _) => Some(output.to_vec()),
        ([1, tokens, dimension], Pooling::Cls) if *tokens > 0 => {
            output.get(..*dimension).map(<[f32]>::to_vec)
        }
        ([1, tokens, dimension], Pooling::Mean) if *tokens > 0 && *dimension > 0 => {
            let mut mean = vec![0.0_f32; *dimension];
            for token in output.chunks_exact(*dimension) {
                for (sum, element) in mean.iter_mut().zip(token) {
                    *sum += element / *tokens as f32;
                }
            }
            Some(mean)
        }
        _ => None,
    }
}

fn read_tokenizer(path: &Path) -> Result<Tokenizer, EmbedError> {
    let mut tokenizer = Tokenizer::from_bytes(read(path)?).map_err(|error| {
        EmbedError::misconfigured(format!("{} cannot be loaded: {error}", path.display()))
    })?;
    // Files often carry limits of their training; the limit here is the model's, and one text needs no padding.
    tokenizer.with_padding(None);
    tokenizer
        .with_truncation(None)
        .map_err(|error| EmbedError::misconfigured(format!("{}: {error}", path.display())))?;
    Ok(tokenizer)
}

fn read(path: &Path) -> Result<Vec<u8>, EmbedError> {
    std::fs::read(path)
        .map_err(|error| EmbedError::misconfigured(format!("{} cannot be read: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_of_the_tokens_or_the_first_of_them_is_the_texts_vector() {
        let output = [1.0, 2.0, 3.0, 6.0];
        assert_eq!(pool_tokens(&output, &[1, 2, 2], Pooling::Mean), Some(vec![2.0, 4.0]));
        assert_eq!(pool_tokens(&output, &[1, 2, 2], Pooling::Cls), Some(vec![1.0, 2.0]));
        assert_eq!(pool_tokens(&output, &[1, 4], Pooling::Cls), Some(output.to_vec()));
        assert_eq!(pool_tokens(&output, &[4], Pooling::Mean), None);
    }

    #[test]
    fn a_directory_without_a_model_is_a_misconfiguration_that_names_the_file() {
        let error = LocalModel::load(Path::new("/nowhere")).err().unwrap();
        assert!(
            matches!(&error, EmbedError::Misconfigured { reason } if reason.contains("/nowhere/tokenizer.json")),
            "{error}"
        );
    }
}

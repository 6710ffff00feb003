//! One collection on GitHub where state can stand, and how completely it was read.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A collection: read to its end, broken off, or not asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "status", rename_all = "kebab-case", try_from = "WireSurface<T>")]
#[serde(bound(deserialize = "T: Deserialize<'de>"))]
pub enum Surface<T> {
    /// Every page was read and the counts agree.
    Complete {
        /// Number of pages read.
        pages: u32,
        /// Every item of the collection.
        items: Vec<T>,
    },
    /// Something was missing; what was read is kept, and proves only what stands in it.
    Incomplete {
        /// Number of pages read.
        pages: u32,
        /// The items that were read.
        items: Vec<T>,
        /// Why it is incomplete.
        error: SurfaceError,
    },
    /// The command's decision does not read this surface.
    #[default]
    NotCollected,
}

/// Why a surface is incomplete.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SurfaceError {
    /// The kind of failure.
    pub kind: SurfaceErrorKind,
    /// One sentence.
    pub message: String,
}

/// Kinds of failure of one surface, spelled as the error documents spell them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SurfaceErrorKind {
    /// GitHub refused the credentials.
    Auth,
    /// GitHub does not know the resource.
    NotFound,
    /// GitHub limits the rate.
    RateLimited,
    /// The network failed.
    Network,
    /// A call took longer than allowed.
    Timeout,
    /// gh failed in another way.
    GhFailed,
    /// The answer was short, broken, or disagreed with GitHub's own counters.
    Incomplete,
}

impl<T> Surface<T> {
    /// What was read, complete or not.
    pub fn items(&self) -> &[T] {
        match self {
            Self::Complete { items, .. } | Self::Incomplete { items, .. } => items,
            Self::NotCollected => &[],
        }
    }

    /// What was read, for changing it in place (redaction, tests).
    pub fn items_mut(&mut self) -> &mut [T] {
        match self {
            Self::Complete { items, .. } | Self::Incomplete { items, .. } => items,
            Self::NotCollected => &mut [],
        }
    }

    /// Whether the collection was read to its end.
    pub fn is_complete(&self) -> bool {
        matches!(self, Self::Complete { .. })
    }

    /// A complete surface of one page.
    pub fn complete(items: Vec<T>) -> Self {
        Self::Complete { pages: 1, items }
    }

    /// What is said of a collection that disagrees with the pull request's own counter.
    pub fn disagreement(&self, counter: u64) -> String {
        let read = self.items().len();
        format!("the pull request counts {counter} items and the list holds {read}")
    }

    /// The same surface, known to be incomplete.
    pub fn into_incomplete(self, error: SurfaceError) -> Self {
        match self {
            Self::Complete { pages, items } | Self::Incomplete { pages, items, .. } => {
                Self::Incomplete { pages, items, error }
            }
            Self::NotCollected => Self::Incomplete {
                pages: 0,
                items: Vec::new(),
                error,
            },
        }
    }

    /// Status word, number of items and pages, as documents show them.
    pub fn summary(&self) -> SurfaceSummary {
        match self {
            Self::Complete { pages, items } => SurfaceSummary {
                status: "complete".into(),
                items: items.len(),
                pages: *pages,
                error: None,
            },
            Self::Incomplete { pages, items, error } => SurfaceSummary {
                status: "incomplete".into(),
                items: items.len(),
                pages: *pages,
                error: Some(error.message.clone()),
            },
            Self::NotCollected => SurfaceSummary {
                status: "not-collected".into(),
                items: 0,
                pages: 0,
                error: None,
            },
        }
    }
}

/// How completely a surface was read, for documents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SurfaceSummary {
    /// `complete`, `incomplete` or `not-collected`.
    pub status: String,
    /// Number of items read.
    pub items: usize,
    /// Number of pages read.
    pub pages: u32,
    /// Why it is incomplete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A surface as JSON has it; read through this, so that items are not buffered before the status is known.
#[derive(Deserialize, JsonSchema)]
#[serde(bound(deserialize = "T: Deserialize<'de>"))]
struct WireSurface<T> {
    status: Status,
    #[serde(default)]
    pages: u32,
    items: Option<Vec<T>>,
    error: Option<SurfaceError>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Status {
    Complete,
    Incomplete,
    NotCollected,
}

impl<T> TryFrom<WireSurface<T>> for Surface<T> {
    type Error = &'static str;
    fn try_from(wire: WireSurface<T>) -> Result<Self, &'static str> {
        let WireSurface {
            status,
            pages,
            items,
            error,
        } = wire;
        match (status, items, error) {
            (Status::Complete, Some(items), None) => Ok(Self::Complete { pages, items }),
            (Status::Complete, _, Some(_)) => Err("a complete surface carries no error"),
            (Status::Incomplete, Some(items), Some(error)) => Ok(Self::Incomplete { pages, items, error }),
            (Status::Incomplete, _, None) => Err("an incomplete surface says why"),
            (Status::Complete | Status::Incomplete, None, _) => Err("a surface that was read has items"),
            (Status::NotCollected, items, _) if items.as_ref().is_none_or(Vec::is_empty) => {
                Ok(Self::NotCollected)
            }
            (Status::NotCollected, _, _) => Err("a surface that was not collected has no items"),
        }
    }
}

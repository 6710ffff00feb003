//! What was asked, for counting and for assertions.

use super::fault::Match;
use super::http::Request;

/// A copy of everything asked so far.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// In the order of arrival.
    pub requests: Vec<Request>,
    /// Unknown routes, invalid GraphQL and unknown fields.
    pub problems: Vec<String>,
}

impl Log {
    /// Requests that fit.
    pub fn matching(&self, when: &Match) -> Vec<&Request> {
        self.requests
            .iter()
            .filter(|request| when.accepts(request))
            .collect()
    }

    /// How many requests fit.
    pub fn count(&self, when: &Match) -> usize {
        self.matching(when).len()
    }

    /// Number of gh processes behind the requests: one paged walk is one, so only first pages count.
    pub fn gh_calls(&self) -> usize {
        self.requests.iter().filter(|request| request.page() == 1).count()
    }

    /// Every request that could have changed something.
    pub fn writes(&self) -> Vec<&Request> {
        self.requests
            .iter()
            .filter(|request| request.is_write())
            .collect()
    }

    /// One line per request, for messages of assertions.
    pub fn lines(&self) -> String {
        let line = |request: &Request| match request.operation() {
            Some(operation) => format!(
                "{} {} {operation} page {}\n",
                request.method,
                request.path,
                request.page()
            ),
            None => {
                let query: Vec<String> = request
                    .query
                    .iter()
                    .map(|(name, value)| format!("{name}={value}"))
                    .collect();
                format!("{} {}?{}\n", request.method, request.path, query.join("&"))
            }
        };
        self.requests.iter().map(line).collect()
    }
}

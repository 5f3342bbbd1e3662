//! What our captures say of themselves in the comment on the whole file, so that an analysis knows names and the judging window.

use crate::frame::Mac;
use serde::{Deserialize, Serialize};

/// Where a capture is from.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Origin {
    /// Our version.
    pub wavetank: String,
    /// The scenario's name.
    pub scenario: String,
    /// The run's seed.
    pub seed: u64,
    /// "monitor", or the node whose view it is.
    pub view: String,
    /// The judging window, s.
    pub window_s: (f64, f64),
    /// The nodes' names, in the order of their addresses.
    pub nodes: Vec<String>,
    /// Their IPv4 addresses, in the same order, where those are not the model's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub addresses: Vec<String>,
}

impl Origin {
    /// From a comment, if it is one of ours.
    pub fn parse(comment: &str) -> Option<Origin> {
        serde_json::from_str(comment).ok()
    }
    /// As a comment.
    pub fn comment(&self) -> String {
        serde_json::to_string(self).expect("plain data")
    }
    /// Whose MAC address this is.
    pub fn name(&self, mac: Mac) -> Option<String> {
        let [0x02, 0x77, 0x74, 0, a, b] = mac.0 else { return None };
        self.nodes.get(usize::from(u16::from_be_bytes([a, b]))).cloned()
    }
}

// SPDX-License-Identifier: GPL-2.0
//! The case to run: `key value` a line, written by the host's side, which has already checked it.

use std::collections::BTreeMap;
use std::str::FromStr;

pub struct Case(BTreeMap<String, String>);

impl Case {
    pub fn read(path: &str) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))?;
        let pairs = text.lines().filter_map(|l| l.split_once(' '));
        Ok(Case(pairs.map(|(k, v)| (k.into(), v.trim().into())).collect()))
    }

    pub fn text(&self, key: &str, default: &str) -> String {
        self.0.get(key).map_or_else(|| default.into(), Clone::clone)
    }

    pub fn get<T: FromStr>(&self, key: &str, default: T) -> Result<T, String> {
        match self.0.get(key) {
            None => Ok(default),
            Some(v) => v.parse().map_err(|_| format!("{key}: cannot read {v}")),
        }
    }

    /// The words of `name.0`, `name.1`, ... in that order.
    pub fn lines<'a>(&'a self, name: &'a str) -> impl Iterator<Item = Vec<&'a str>> + 'a {
        (0..).map_while(move |i| self.0.get(&format!("{name}.{i}"))).map(|v| v.split_whitespace().collect())
    }
}

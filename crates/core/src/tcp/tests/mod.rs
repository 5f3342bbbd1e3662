//! Tests of whole connections: [`pair`] joins two sockets, [`refpath`] is the reference's path in small.

mod e2e;
pub mod pair;
mod properties;
mod refpath;

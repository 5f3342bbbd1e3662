//! Tests of whole connections: [`pair`] joins two sockets, [`fast`] two that open fast, [`refpath`] is the reference's path in small.

mod e2e;
mod fast;
pub mod pair;
mod properties;
mod refpath;

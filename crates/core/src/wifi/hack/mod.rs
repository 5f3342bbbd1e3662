//! TCP/HACK: a station's TCP ACKs ride on its link-layer responses.
//!
//! The machines and their rules are `crates/hack`, which the virtual radio's kernel module runs, too; here they meet the model's packets,
//! times and parameters.

mod access;
mod client;
mod fields;
#[cfg(test)]
mod pair;
mod params;

pub use access::Access;
pub use client::{Client, Mark, Seen, Sent};
pub use fields::{Flow, Flows};
pub use params::{Params, Policy};

//! Nodes, links, topologies: the only place where stages meet.
pub mod bss;

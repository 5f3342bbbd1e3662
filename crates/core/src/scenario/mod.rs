//! What a run is asked to be: the TOML schema, its validation, and the errors that people get.
//!
//! A scenario is a few keys of its own and one section a concern. Every section is a struct of parameters that lives with
//! the algorithm it belongs to; this module only collects them ([`sections`]), reads files ([`read`]), and refuses
//! combinations that cannot be ([`check`]).

mod assign;
mod at;
mod check;
pub mod each;
pub mod edca;
mod error;
pub mod linux;
mod name;
mod overrides;
mod places;
mod read;
mod required;
mod sections;
mod stations;
mod syntax;
#[cfg(test)]
mod testing;
mod unknown;
mod written;

pub use error::ScenarioError;
pub use overrides::value;
pub use read::read;
pub use sections::{Scenario, Section, schema};
pub use syntax::{Source, given};

pub mod keys;

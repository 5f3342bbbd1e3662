//! What a run is asked to be: the TOML schema, its validation, and the errors that people get.
//!
//! A scenario is a few keys of its own and one section a concern. Every section is a struct of parameters that lives with
//! the algorithm it belongs to; this module only collects them ([`sections`]), reads files ([`read`]), and refuses
//! combinations that cannot be ([`check`]).

mod check;
pub mod each;
pub mod edca;
mod error;
mod name;
mod places;
mod read;
mod required;
mod sections;
mod stations;

pub use error::ScenarioError;
pub use read::{Source, given, read, value};
pub use sections::{Scenario, Section, schema};

pub mod keys;

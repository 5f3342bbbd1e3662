//! The TOML schema, validation, and what a run is asked to be.

//! Bulk TCP, UDP floods, echoes: the shapes of Flent's tests.

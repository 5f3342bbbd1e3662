//! The papers' closed forms, and Bianchi's.

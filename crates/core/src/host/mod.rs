//! What a host's CPU does to a received packet, and how long it takes.

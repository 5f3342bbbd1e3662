//! TCP Fast Open (RFC 7413): what both ends of a connection, the client's host and the server's listener remember so that data may go with a
//! SYN. Machines that know nothing of the socket; `input/fast_client.rs` and `input/fast_child.rs` say what a socket does with them.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_fastopen.c, the part of net/ipv4/tcp_metrics.c that keeps cookies, and what `struct tcp_sock`
//! remembers of it. `cookie` is the option, `cache` what the client's host knows of a server, `blackhole` when that host gives it up for a while,
//! `queue` how many connections a listener lets begin so, `state` what one socket remembers. Nothing of it is there in a simulation:
//! a socket has a pointer to its [`state::Fast`], which only a program that asks for Fast Open makes.
//!
//! Differs: D1 the cookie's cipher is the caller's (`packetdrill` has Linux's); D2 a host knows one peer.

pub mod blackhole;
pub mod cache;
pub mod cookie;
pub mod queue;
pub mod state;

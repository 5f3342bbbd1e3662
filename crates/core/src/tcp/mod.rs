//! The Linux TCP sender and receiver, sans IO: `net/ipv4/tcp*.c`.

//! What a program does with a connection: it writes ([`write`]), calls what else a program may call ([`calls`]), is told of its sends ([`notices`]), and looks ([`info`],
//! [`tcp_info`]).

mod calls;
mod info;
mod notices;
mod tcp_info;
mod write;

pub use info::Info;
pub use tcp_info::FIELDS;
pub use write::{Until, WriteFlags};

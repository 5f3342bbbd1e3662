//! What a receiver remembers: its memory and the window that it offers (`window`), what came early (`ofo`), and what acknowledgements are due
//! (`delack`, `stretch`). Nothing here knows the socket.

pub mod delack;
pub mod ofo;
pub mod stretch;
pub mod window;

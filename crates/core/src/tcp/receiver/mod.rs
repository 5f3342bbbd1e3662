//! What a receiver remembers: its memory and how far the window may open (`window`), which window is offered (`offer`), what came early
//! (`ofo`), and what acknowledgements are due (`delack`, `stretch`). Nothing here knows the socket.

pub mod delack;
mod offer;
pub mod ofo;
pub mod stretch;
pub mod window;

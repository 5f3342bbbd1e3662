//! What a receiver remembers: its memory and how far the window may open (`window`), what is made of memory that holds little (`packing`, `collapse`), skb by skb (`line`),
//! which window is offered (`offer`), what came early (`ofo`), and what acknowledgements are due (`delack`, `stretch`). Nothing here knows the socket.

mod collapse;
pub mod delack;
mod line;
mod offer;
pub mod ofo;
mod packing;
pub mod stretch;
pub mod window;

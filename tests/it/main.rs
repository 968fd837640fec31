//! farlead as others see it: the binary as a user runs it, the library by its public face.

mod adbd;
mod apk;
mod apps;
mod check;
mod cli;
mod clients;
mod docs;
mod export;
mod kept;
mod labels;
mod learned;
mod made_up;
mod minimise;
mod model;
mod models;
mod phone;
mod planner;
mod pointwise;
mod progression;
mod replay;
mod report;
mod shared;
mod store;
mod table3;
mod tidy;
mod vectors;

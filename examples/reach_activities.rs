//! Reaches every activity of an app in one run: an objective without a formula.
//!
//! `cargo run --example reach_activities`

use std::error::Error;
use std::sync::Arc;

use farlead::agent::PLANNER;
use farlead::device::sim::{Sim, read};
use farlead::gui::Repertoire;
use farlead::objective::Activities;
use farlead::search::{Plan, pursue};
use farlead::spec::Source;

const APP: &str = r#"app org.shop "Shop" 1
launch Main
activity Main .Main {
    Button "Basket" -> open Basket
    Button "Help" -> open Help
}
activity Basket .Basket {
    Button "Pay" -> open Pay
}
activity Pay .Pay { TextView "Thank you" }
activity Help .Help { TextView "Help yourself" }
"#;

/// Runs the example.
pub fn main() -> Result<(), Box<dyn Error>> {
    let model = read(&Source::new("shop.app", APP)).model.ok_or("the model has mistakes")?;
    let activities = ["Main", "Basket", "Pay", "Help"].map(|name| format!("org.shop.{name}").into());
    let mut objective = Activities::new(activities);
    let plan = Plan { steps_max: 9, ..Plan::new(&PLANNER) };
    let mut device = Sim::new(Arc::new(model), plan.seed);
    let finding = pursue(&mut device, &mut objective, Repertoire::default(), &plan, &mut |_| true)?;
    for (number, step) in finding.run.ok_or("no run was found")?.steps.iter().enumerate() {
        println!("{number}. {}, left: {}", step.action, step.remaining);
    }
    println!("found in {} episodes, {} steps", finding.episodes, finding.steps);
    Ok(())
}

//! The examples of the library, run as they stand.

#[path = "../../examples/own_agent.rs"]
mod own_agent;
#[path = "../../examples/reach_activities.rs"]
mod reach_activities;

#[test]
fn an_agent_of_ones_own_searches_like_any_other() {
    own_agent::main().expect("it opens the lock");
}

#[test]
fn an_objective_without_a_formula_is_reached() {
    reach_activities::main().expect("it reaches every activity");
}

//! Tests of the agent.

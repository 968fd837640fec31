use super::*;
use crate::spec::Style;

/// The mistakes of a model as people read them.
fn mistakes(text: &str) -> String {
    let source = Source::new("a.app", text);
    read(&source).diagnostics.render(&source, Style::Plain)
}

/// The blocks of code in the documentation that are whole models.
fn documented() -> Vec<&'static str> {
    let blocks = include_str!("../../../../docs/models.md").split("```text\n").skip(1);
    let blocks = blocks.map(|block| block.split("```").next().expect("there is one before"));
    blocks.filter(|block| block.starts_with("app ")).collect()
}

#[test]
fn the_models_of_the_documentation_are_read_without_mistakes() {
    assert!(!documented().is_empty());
    for text in documented() {
        assert_eq!(mistakes(text), "");
    }
}

#[test]
fn every_construct_of_the_language_is_read() {
    assert_eq!(mistakes(include_str!("all.app")), "");
}

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

#[test]
fn a_when_that_begins_a_line_is_no_attribute_of_the_widget_before() {
    for widget in
        ["CheckBox -> a = !a", "CheckBox clickable", "ListView scrolls", "EditText edits a", "Button \"a\""]
    {
        let text = format!(
            "app a.b \"A\" 1\nlaunch Main\nactivity Main .Main {{\n own a = false\n {widget}\n when a {{ TextView }}\n}}"
        );
        let model = read(&Source::new("a.app", text)).model.expect(widget);
        assert!(
            matches!(model.windows[0].nodes[..], [_, super::super::model::Node::When { .. }]),
            "{widget}"
        );
    }
}

//! Page sources of other tools: the screens of dumps in the forms of Appium and Maestro, written here and read by farlead.

use std::fs;
use std::path::PathBuf;

use farlead::gui::{DumpError, Flags, Hierarchy};
use serde_json::{Value, json};

use crate::cli::farlead;
use crate::look::{dumps, name, recordings, xml};

/// Attributes that Maestro's driver takes over from a dump.
const OF_MAESTRO: [&str; 10] = [
    "text",
    "resource-id",
    "clickable",
    "bounds",
    "enabled",
    "focused",
    "checked",
    "scrollable",
    "selected",
    "class",
];

fn escaped(text: &str) -> String {
    let escape = |char: char| match char {
        '<' | '&' | '"' | '\n' | '\t' | '\r' => format!("&#{};", u32::from(char)),
        char => char.to_string(),
    };
    text.chars().map(escape).collect()
}

/// Writes an element as Appium's UiAutomator2 server does: the class is the tag, with a dot for each other sign.
fn write_appium(element: roxmltree::Node<'_, '_>, into: &mut String) {
    let class = element.attribute("class").unwrap_or_default().replace(['$', '@', '#', '&'], ".");
    let is_root = element.has_tag_name("hierarchy");
    let tag = match &*class {
        _ if is_root => "hierarchy",
        "" => "android.view.View",
        class => class,
    };
    let root = if is_root { " index=\"0\" class=\"hierarchy\" width=\"1080\" height=\"2400\"" } else { "" };
    into.push_str(&format!("<{tag}{root}"));
    for attribute in element.attributes() {
        into.push_str(&format!(" {}=\"{}\"", attribute.name(), escaped(attribute.value())));
    }
    // The server names a class even where the node has none.
    if !is_root && element.attribute("class").is_none() {
        into.push_str(" class=\"\"");
    }
    into.push_str(if is_root { ">\n" } else { " displayed=\"true\">\n" });
    for child in element.children().filter(roxmltree::Node::is_element) {
        write_appium(child, into);
    }
    into.push_str(&format!("</{tag}>\n"));
}

/// Returns a node as Maestro prints it, with a node for each text between two tags.
fn maestro(node: roxmltree::Node<'_, '_>) -> Value {
    let mut attributes = serde_json::Map::new();
    if node.is_element() {
        attributes.insert("ignoreBoundsFiltering".into(), "false".into());
        let taken = OF_MAESTRO.iter().filter_map(|name| Some((*name, node.attribute(*name)?)));
        attributes.extend(taken.map(|(name, value)| (name.to_string(), value.into())));
        if let Some(desc) = node.attribute("content-desc") {
            attributes.insert("accessibilityText".into(), desc.into());
        }
    }
    let children: Vec<Value> = node.children().map(maestro).collect();
    json!({ "attributes": attributes, "children": children, "clickable": node.attribute("clickable") == Some("true") })
}

/// Returns the number of screens that read the same in all forms.
fn check_forms(files: &[PathBuf]) -> usize {
    let mut read = 0;
    for path in files {
        let bytes = fs::read(path).expect("a readable file");
        let Ok(expected) = Hierarchy::read_saved(&bytes) else { continue };
        let text = xml(&bytes).expect("XML");
        let options = roxmltree::ParsingOptions { nodes_limit: 1_000_000, ..Default::default() };
        let document = roxmltree::Document::parse_with_options(&text, options).expect("XML");
        let mut appium = String::from("<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>\n");
        write_appium(document.root_element(), &mut appium);
        assert_eq!(Hierarchy::read_saved(appium.as_bytes()).as_ref(), Ok(&expected), "{}", name(path));
        let tree = serde_json::to_string_pretty(&maestro(document.root())).expect("JSON");
        let found = Hierarchy::read_saved(format!("Running on emulator-5554\n{tree}\n").as_bytes());
        let found = found.unwrap_or_else(|error| panic!("{}: {error}", name(path)));
        assert_eq!(found.widgets.len(), expected.widgets.len(), "{}", name(path));
        for (found, mut expected) in found.widgets.into_iter().zip(expected.widgets) {
            // Maestro leaves these out, and what can be checked is read from the class.
            for flag in [Flags::LONG_CLICKABLE, Flags::PASSWORD, Flags::CHECKABLE, Flags::EDITABLE] {
                expected.flags = expected.flags.set(flag, found.flags.has(flag));
            }
            assert_eq!(found, expected, "{}", name(path));
        }
        read += 1;
    }
    eprintln!("{read} hierarchies read in three forms from {} files", files.len());
    read
}

#[test]
fn a_screen_of_our_own_is_the_same_from_appium_and_maestro() {
    assert_eq!(check_forms(&dumps()), 9);
}

#[test]
fn a_recorded_screen_is_the_same_from_appium_and_maestro() {
    let read = check_forms(&[recordings("ui"), recordings("ui_derived")].concat());
    assert!(read == 0 || read > 25, "{read} recordings");
}

const APPIUM: &str = r#"<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>
<hierarchy index="0" class="hierarchy" rotation="0" width="90" height="160">
  <android.widget.FrameLayout index="0" package="org.notes" class="android.widget.FrameLayout" text="" enabled="true"
   bounds="[0,0][90,160]" displayed="true">
    <android.widget.Button index="0" package="org.notes" class="android.widget.Button" text="Save" clickable="true"
     resource-id="org.notes:id/save" enabled="true" bounds="[1,2][30,40]" displayed="true" />
  </android.widget.FrameLayout>
</hierarchy>"#;

const MAESTRO: &str = r#"Running on emulator-5554
{
  "attributes" : { },
  "children" : [ {
    "attributes" : { "ignoreBoundsFiltering" : "false" },
    "children" : [ {
      "attributes" : { "class" : "android.widget.FrameLayout", "bounds" : "[0,0][90,160]", "enabled" : "true" },
      "children" : [ {
        "attributes" : { "text" : "Save", "accessibilityText" : "", "resource-id" : "org.notes:id/save",
          "clickable" : "true", "bounds" : "[1,2][30,40]", "enabled" : "true", "class" : "android.widget.Button" },
        "children" : [ ], "clickable" : true, "enabled" : true
      } ], "clickable" : false, "enabled" : true
    } ], "clickable" : false, "enabled" : false
  } ]
}
"#;

#[test]
fn page_sources_are_looked_at_as_dumps_are() {
    for (source, package) in [(APPIUM, "org.notes"), (MAESTRO, "a screen of no package")] {
        let ended = farlead(&["look", "--dump", "-"], source);
        assert_eq!((ended.code, &*ended.stderr), (0, ""));
        assert!(
            ended.stdout.starts_with(&format!("{package}: 2 widgets, 2 of them visible\n")),
            "{}",
            ended.stdout
        );
        for line in
            ["  [id = save]  # \"Save\"\n", "  [actionType = click, actionDetail = Save]  # on \"Save\","]
        {
            assert!(ended.stdout.contains(line), "{}", ended.stdout);
        }
    }
}

#[test]
fn a_file_without_a_node_is_a_mistake() {
    for dump in [
        r#"<hierarchy rotation="0"/>"#,
        r#"<hierarchy rotation="0"></hierarchy>"#,
        "<hierarchy><group><p text='a'/></group></hierarchy>",
        r#"{"attributes":{},"children":[]}"#,
    ] {
        let ended = farlead(&["look", "--dump", "-"], dump);
        let expected = format!("farlead: standard input: {}\n", DumpError::NoNodes);
        assert_eq!((ended.code, &*ended.stdout, ended.stderr), (3, "", expected), "{dump}");
    }
}

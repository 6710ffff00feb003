//! The evaluator against the text it implements.
use super::*;

#[test]
fn every_example_is_valid() {
    for (name, _) in EXAMPLES {
        let json = example(name).unwrap_or_else(|| panic!("{name} cannot be built"));
        let bytes = json.canonical();
        let outcome = match *name {
            "policy" => accept_policy(bytes.as_bytes()).map(|()| String::new()),
            "checkpoint" => read_checkpoint(bytes.as_bytes()).map(|_| String::new()),
            "prompt" => evaluate_prompt(bytes.as_bytes()).map(|d| d.to_json().canonical()),
            name if name.starts_with("initial") => {
                evaluate_initial(bytes.as_bytes()).map(|d| d.to_json().canonical())
            }
            _ => evaluate_recurring(bytes.as_bytes())
                .map(|d| d.action.as_str().to_owned() + " " + d.automation_action.as_str()),
        };
        println!("{name}: {outcome:?}");
        assert!(outcome.is_ok(), "{name}: {outcome:?}");
    }
}

//! `vouch admin`: the operator's function, through the local invocation endpoint.

use anyhow::Result;
use serde_json::{Value, json};

use crate::api_client::Invoker;
use crate::args::AdminCommand;
use crate::service::Service;

pub(super) async fn run(command: AdminCommand, json: bool) -> Result<()> {
    let service = Service::locate()?;
    let invoker = Invoker::new(service.require("VOUCH_ADMIN_URL")?)?;
    let answer = invoker.invoke(&event(&command)).await?;
    if json {
        super::print_json(&answer);
    } else {
        print_readably(&answer, "");
    }
    Ok(())
}

fn event(command: &AdminCommand) -> Value {
    match command {
        AdminCommand::Migrate => json!({"op": "migrate"}),
        AdminCommand::TenantCreate { tenant, default_scope: None } => {
            json!({"op": "tenant_create", "tenant": tenant})
        }
        AdminCommand::TenantCreate { tenant, default_scope: Some(scope) } => {
            json!({"op": "tenant_create", "tenant": tenant, "default_scope": scope})
        }
        AdminCommand::Tenants => json!({"op": "tenants"}),
        AdminCommand::Stats { tenant } => json!({"op": "stats", "tenant": tenant}),
        AdminCommand::Health => json!({"op": "health"}),
    }
}

/// One line a value; what is inside something else is indented.
fn print_readably(value: &Value, indent: &str) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::Object(_) => {
                        println!("{indent}{name}:");
                        print_readably(value, &format!("{indent}  "));
                    }
                    Value::Array(items) if items.iter().any(Value::is_object) => {
                        println!("{indent}{name}:");
                        items.iter().for_each(|item| println!("{indent}  {}", one_line(item)));
                    }
                    _ => println!("{indent}{name}: {}", one_line(value)),
                }
            }
        }
        _ => println!("{indent}{}", one_line(value)),
    }
}

fn one_line(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "none".to_owned(),
        Value::Array(items) => items.iter().map(one_line).collect::<Vec<_>>().join(", "),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| format!("{name} {}", one_line(value)))
            .collect::<Vec<_>>()
            .join(", "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absent_default_scope_is_left_to_the_function() {
        let command = AdminCommand::TenantCreate { tenant: "acme".into(), default_scope: None };
        assert_eq!(event(&command), json!({"op": "tenant_create", "tenant": "acme"}));
    }
}

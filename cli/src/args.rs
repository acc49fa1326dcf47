//! The command line as people type it.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

/// Answers questions from an organisation's own documents, each with checked citations.
#[derive(Debug, Parser)]
#[command(
    name = "vouch",
    version,
    after_help = "Without VOUCH_URL in the environment, commands talk to this checkout's local stack.\n\nExamples:\n  vouch local up\n  vouch upload --tenant acme handbook/\n  vouch ask --tenant acme \"Who approves a purchase above 5,000?\""
)]
pub struct Args {
    /// Prints JSON for programs in place of text for people
    #[arg(long, global = true)]
    pub json: bool,
    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Runs the whole service on this machine
    #[command(subcommand)]
    Local(LocalCommand),
    /// Uploads files or directories to the bucket; its events start the ingestion
    #[command(
        after_help = "A directory keeps its own name: `vouch upload --tenant acme notes/` makes keys acme/notes/….\n\nExamples:\n  vouch upload --tenant acme handbook/ leave.md\n  vouch upload --tenant acme --scope hr,managers salaries.md"
    )]
    Upload(UploadArgs),
    /// Asks a question and prints the answer with its citations
    #[command(
        after_help = "Examples:\n  vouch ask --tenant acme \"How many days of leave are there?\"\n  VOUCH_TOKEN=... vouch ask --json \"How many days of leave are there?\""
    )]
    Ask(AskArgs),
    /// Prints the passages that match a query
    #[command(after_help = "Example:\n  vouch search --tenant acme --mode lexical \"days of leave\"")]
    Search(SearchArgs),
    /// Prints a token for the local stack, and nothing else
    #[command(
        after_help = "Example:\n  curl -H \"authorization: Bearer $(vouch token --tenant acme --scopes everyone)\" ..."
    )]
    Token(TokenArgs),
    /// Calls the operator's function
    #[command(
        subcommand,
        after_help = "Examples:\n  vouch admin migrate\n  vouch admin tenant-create acme\n  vouch admin stats acme"
    )]
    Admin(AdminCommand),
}

/// The local stack.
#[derive(Debug, Subcommand)]
pub enum LocalCommand {
    /// Starts the stack in the background and writes .local/stack.env
    Up,
    /// Stops what `up` or `dev` started, and nothing else
    Down,
    /// Starts the stack, uploads the handbook and asks four questions
    Demo,
    /// Keeps the stack in the foreground, with reload, until Ctrl-C
    Dev,
    /// Runs a command with a Postgres server and an AWS emulator for tests
    #[command(after_help = "Example:\n  vouch local test -- cargo test --workspace")]
    Test {
        /// The command and its arguments
        #[arg(last = true, required = true)]
        command: Vec<String>,
    },
    /// Says which parts run
    Status,
    /// Runs the functions by hand with `cargo lambda watch`, beside the stack, until Ctrl-C
    #[command(
        after_help = "It starts the stack if it does not run. Options after `--` are for `cargo lambda watch`.\n\nExample:\n  vouch local watch -- --ignore-changes --verbose"
    )]
    Watch {
        /// Where it listens; another port is taken if this one is in use
        #[arg(long, default_value_t = 9000)]
        port: u16,
        /// Options of `cargo lambda watch`
        #[arg(last = true)]
        options: Vec<String>,
    },
    /// Runs the functions as Lambda would; started by `up`
    #[command(hide = true)]
    Functions {
        /// File that says which
        #[arg(long)]
        config: PathBuf,
    },
    /// Delivers messages of the queue to the ingest function; started by `up`
    #[command(hide = true)]
    Bridge {
        /// Address of the emulator
        #[arg(long)]
        endpoint: String,
        /// Address of the queue
        #[arg(long)]
        queue_url: String,
        /// Address that invokes the function
        #[arg(long)]
        function_url: String,
    },
}

/// Arguments of `upload`.
#[derive(Debug, clap::Args)]
pub struct UploadArgs {
    /// Files and directories
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// The tenant that the documents belong to
    #[arg(long)]
    pub tenant: String,
    /// Scopes of which a reader must hold one, separated by commas [default: the tenant's default]
    #[arg(long)]
    pub scope: Option<String>,
}

/// On whose behalf a question is asked.
#[derive(Debug, clap::Args)]
pub struct CallerArgs {
    /// Asks as a member of this tenant, with a token made for the local stack
    #[arg(long, default_value = "demo")]
    pub tenant: String,
    /// Scopes of that token, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "everyone")]
    pub scopes: Vec<String>,
    /// A token from elsewhere, in place of --tenant and --scopes
    #[arg(long, env = "VOUCH_TOKEN", hide_env_values = true)]
    pub token: Option<String>,
}

/// Arguments of `ask`.
#[derive(Debug, clap::Args)]
pub struct AskArgs {
    /// The question
    pub question: String,
    /// On whose behalf
    #[command(flatten)]
    pub caller: CallerArgs,
    /// How many passages the answer may draw on
    #[arg(long)]
    pub top_k: Option<u32>,
    /// Only documents whose source begins with this
    #[arg(long)]
    pub source_prefix: Option<String>,
}

/// Arguments of `search`.
#[derive(Debug, clap::Args)]
pub struct SearchArgs {
    /// The query
    pub query: String,
    /// On whose behalf
    #[command(flatten)]
    pub caller: CallerArgs,
    /// How many passages
    #[arg(long)]
    pub top_k: Option<u32>,
    /// Only documents whose source begins with this
    #[arg(long)]
    pub source_prefix: Option<String>,
    /// How to search
    #[arg(long, value_parser = ["hybrid", "dense", "lexical"])]
    pub mode: Option<String>,
}

/// Arguments of `token`.
#[derive(Debug, clap::Args)]
pub struct TokenArgs {
    /// The tenant
    #[arg(long)]
    pub tenant: String,
    /// Scopes, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "everyone")]
    pub scopes: Vec<String>,
    /// The user's name
    #[arg(long, default_value = "local-user")]
    pub subject: String,
    /// How long it is valid
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u16).range(1..=8760))]
    pub hours: u16,
}

/// The operator's calls.
#[derive(Debug, Subcommand)]
pub enum AdminCommand {
    /// Applies migrations and sets the roles' passwords
    Migrate,
    /// Adds a tenant
    TenantCreate {
        /// Its slug: the first segment of its object keys
        tenant: String,
        /// Scopes of documents that name none, separated by commas
        #[arg(long, value_delimiter = ',')]
        default_scope: Option<Vec<String>>,
    },
    /// Lists tenants
    Tenants,
    /// Counts a tenant's documents by state
    Stats {
        /// Its slug
        tenant: String,
    },
    /// Shows the versions of Postgres, pgvector and schema
    Health,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_of_the_command_line_is_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn a_test_command_keeps_its_own_options() {
        let args =
            Args::try_parse_from(["vouch", "local", "test", "--", "cargo", "test", "--workspace"]).unwrap();
        let Command::Local(LocalCommand::Test { command }) = args.command else { panic!("not a test") };
        assert_eq!(command, ["cargo", "test", "--workspace"]);
    }
}

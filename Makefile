# Each target is one line that calls vouch or cargo; `vouch help` and cli/ have the rest.
#
# `--bin`, not `--package`: cargo then resolves features for the whole workspace, and the functions, which
# `vouch local up` builds the same way, find every dependency compiled.

SHELL := bash
VOUCH := cargo run --quiet --bin vouch --
SLUG ?=
TENANT ?= demo
SCOPES ?= everyone

.DEFAULT_GOAL := help
.PHONY: help build demo test dev up down status tenant token eval lint

help: ## Lists the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## Compiles the vouch command
	@cargo build --bin vouch

demo: build ## Fresh clone to cited answers: starts the stack, uploads the handbook, asks four questions
	@$(VOUCH) local demo

test: ## Every test, with a Postgres server and an AWS emulator for the run
	@$(VOUCH) local test -- cargo test --workspace

dev: build ## The local stack in the foreground, with reload; prints URLs and a token
	@$(VOUCH) local dev

up: build ## The local stack in the background; writes .local/stack.env
	@$(VOUCH) local up

down: ## Stops what up, dev or demo started, and nothing else
	@$(VOUCH) local down

status: ## Says which parts of the local stack run
	@$(VOUCH) local status

tenant: ## Creates a tenant in the local stack: make tenant SLUG=acme
	@test -n "$(SLUG)" || { echo 'give the slug: make tenant SLUG=acme' >&2; exit 2; }
	@$(VOUCH) admin tenant-create "$(SLUG)"

token: ## Prints a token for the local stack: make token TENANT=acme SCOPES=everyone
	@$(VOUCH) token --tenant "$(TENANT)" --scopes "$(SCOPES)"

eval: ## Recall and refusals on the project's questions, against eval/baseline.json
	@$(VOUCH) local test -- cargo run --quiet --bin vouch-eval

lint: ## Formatting and clippy, as strict as it goes
	@cargo fmt --all --check
	@cargo clippy --workspace --all-targets -- --deny warnings

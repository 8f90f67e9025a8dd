# The two commands of the README are `go run ./cmd/server` and `make test`.
GO ?= go
TOOLS := $(CURDIR)/.tools
GOLANGCI_VERSION := v2.15.0
export CGO_ENABLED ?= 0

.PHONY: run build test test-unit test-setup test-llm models models-stop lint generate assets bench clean

run: ## start the service
	$(GO) run ./cmd/server

build: ## one static binary in bin/
	$(GO) build -trimpath -o bin/progrouter ./cmd/server

test: test-setup ## everything: race detector, browser, both databases, kill tests
	./scripts/test.sh

test-unit: ## what needs nothing but Go
	$(GO) test ./...

test-setup: ## install what the tests need (Chromium, PostgreSQL, Python, a C compiler for the race detector)
	./scripts/test-setup.sh

models: ## real small language models: fetch them into data/models and serve them (ONLY=small,medium)
	./scripts/models.sh fetch $(ONLY)
	./scripts/models.sh serve $(ONLY)

models-stop: ## end the servers that `make models` started
	./scripts/models.sh stop

test-llm: ## the five roles on the models that `make models` serves
	$(GO) test -tags llm -count=1 -timeout 60m -v -p 1 -run '^TestRealModels' ./llm/agents ./cmd/server

lint: $(TOOLS)/golangci-lint ## vet, static checks and the import rules
	$(TOOLS)/golangci-lint run ./...

$(TOOLS)/golangci-lint:
	GOBIN=$(TOOLS) $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)

generate: ## regenerate templates
	$(GO) tool templ generate ./web/...

assets: ## fetch the pinned browser assets again
	./scripts/assets.sh

bench: ## speed figures of docs/benchmarks.md
	$(GO) test -run '^$$' -bench . -benchmem ./...

clean:
	rm -rf bin .tools artifacts

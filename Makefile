# Each target's help is the text after its ##.
.DEFAULT_GOAL := help
SHELL := /bin/bash
export CGO_ENABLED ?= 0

GO       ?= go
# One set of flags for all builds, so that the product and the asset pipeline
# share what is compiled.
export GOFLAGS := $(GOFLAGS) -trimpath

BIN      := bin/vestibule
LDFLAGS  := -s -w
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.6.1
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.1.4
POSTGRES := $(GO) run ./internal/testutil/storetest/withpostgres
# Tests wait for disks, databases and browsers: more run at once than there are processors.
PARALLEL := -parallel $$((3 * $$(nproc)))

.PHONY: soak scale outdated help run build assets generate test test-full test-fast test-race test-faults test-properties test-crash test-upgrade lint bench demo gallery screens lighthouse vuln clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: build ## build everything and start portal and provider on an embedded database
	@VESTIBULE_SANDBOX_CONTROL_ADDR=$${VESTIBULE_SANDBOX_CONTROL_ADDR-127.0.0.1:8082} \
		VESTIBULE_SANDBOX_BANK_ADDR=$${VESTIBULE_SANDBOX_BANK_ADDR-127.0.0.1:8083} exec $(BIN) serve

build: assets ## bin/vestibule, one static binary with all assets inside
	@$(GO) build -ldflags '$(LDFLAGS)' -o $(BIN) ./cmd/server

assets: ## web/dist: what a browser loads
	@$(GO) run ./web/build

generate: ## what is generated and committed: templ's Go code, declarations, tables (.gitattributes)
	@$(GO) tool templ generate -log-level error
	@$(GO) generate -skip '$(SKIP)' ./...

# Programs that live for seconds collect garbage less often. Test programs are linked without
# debugging data, in two thirds of the time, and check has run go vet.
test test-full test-fast check: export GOGC := 400
# Inlining templ's functions takes three quarters of the time of compiling pages.
test test-full test-fast check: export GOFLAGS += -gcflags=vestibule/templates/...=-l
GOTEST := $(GO) test -vet=off -ldflags=-w
TEST := VESTIBULE_TEST_COMPLETE=1 $(POSTGRES) $(GOTEST) $(PARALLEL)

# Those that take longest, or wait most, first, and a package more at once than there are processors.
FIRST := ./e2e ./internal/testutil/crashtest ./internal/app ./internal/provider ./internal/provider/ocr ./internal/testutil/attacktest
test: tools assets check ## what must pass before a change lands, after installing what the tests need and this machine lacks
	@$(TEST) -p $$(($$(nproc) + 1)) -timeout 20m $(FIRST) ./...

# Tests ask tools.Full for this variable.
test-full: export VESTIBULE_TEST_FULL := 1
test-full: tools assets packages openapi check ## before a release: every language, theme, size and engine, all scans, proxies, races, faults
	@$(TEST) -timeout 60m ./...
	@cd docs/deploy/manifests && $(GO) test ./...
	@$(MAKE) --no-print-directory test-race test-faults outdated

# Tests that run the whole program, or attack it, kill it or put it behind proxies.
WHOLE := /(e2e|cmd/server|docs/deploy|testutil/(attacktest|crashtest))$$
# A package more at once than there are processors, and those that take longest first.
test-fast: assets check ## the short tests: no browser, no PostgreSQL, no whole program, no large corpora
	@VESTIBULE_TEST_POSTGRES=off $(GOTEST) -short $(PARALLEL) -p $$(($$(nproc) + 1)) \
		$$($(GO) list ./internal/provider ./internal/provider/visits ./internal/portal ./internal/portal/review ./... | grep -vE '$(WHOLE)')

test-race: tools assets ## every test but the browser's, under the race detector
	@CGO_ENABLED=1 VESTIBULE_TEST_COMPLETE=1 $(POSTGRES) $(GO) test -race $(PARALLEL) -timeout 30m $$($(GO) list ./... | grep -v /e2e)

# What make openapi reads, and the hashes of it that it writes when all is well.
OPENAPI := docs/openapi.yaml docs/portal-openapi.yaml docs/connector.openapi.yaml \
	$(addprefix docs/openapitest/clients/,check.sh npm.txt clients.go go.mod go.sum lint/redocly.yaml lint/spectral.yaml)
LINTED := docs/openapitest/clients/linted.sum

.PHONY: tools check openapi
openapi: ## lint both OpenAPI documents, and compile clients that are generated from them
	@e2e/setup.sh openapi
	@docs/openapitest/clients/check.sh
	@sha256sum $(OPENAPI) >$(LINTED)

tools:
	@e2e/setup.sh

test-properties: assets ## the property tests with N (3000) new random inputs
	@VESTIBULE_TEST_POSTGRES=off $(GO) test -count=1 $$(git grep -l 'proptest\.Check(' -- '*_test.go' | xargs -n1 dirname | sort -u | sed 's,^,./,') -rapid.seed=0 -rapid.checks=$${N-3000} -rapid.nofailfile

test-faults: tools assets ## the browser tests against a provider that injects faults (SEED=7)
	@VESTIBULE_E2E_FAULTS=$${SEED-7} $(POSTGRES) $(GO) test -timeout 30m ./e2e

# Files that .gitattributes marks as generated.
GENERATED := git ls-files ':(attr:linguist-generated)'
# Sources whose lines have 140 columns at most.
SOURCES := git ls-files -- ':(attr:!linguist-generated)*.go' ':(attr:!linguist-generated)*.ts' '*.css' '*.templ' '*.mjs' '*.sql' '*.sh' '*.py' ':!:*/testdata/*'

# Formatting, vet, width, whether the OpenAPI documents are those that make openapi has
# linted, and whether generated files are marked, and fresh. A file that a
# test generates is compared by the same test, in every run of the tests.
check: ## formatting, go vet, the width of lines, and whether generated files are fresh
	@sha256sum $(OPENAPI) | diff -q $(LINTED) - >/dev/null || { echo 'the OpenAPI documents or their linters changed: run make openapi, and commit $(LINTED)'; exit 1; }
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { echo 'gofmt would change:'; gofmt -l $$(git ls-files '*.go'); exit 1; }
	@$(GO) vet ./...
	@GOOS=js GOARCH=wasm $(GO) vet ./wasm
	@diff <($(GENERATED)) <(git grep -lE '^// Code generated .* DO NOT EDIT\.$$' | sort) || { echo 'generated files: .gitattributes marks the left ones, their own header the right ones'; exit 1; }
	@! LC_ALL=C.UTF-8 grep -nE '^.{141,}' $$($(SOURCES)) || { echo 'lines over 140 columns'; exit 1; }
	@awk 'FNR == 1 { code = 0 } /^ *```/ { code = !code } length > 140 && !code && !/^ *[|<#]/ { print FILENAME ":" FNR; long = 1 } END { exit long }' \
		$$(git ls-files '*.md' ':!:CHANGELOG.md') || { echo 'lines over 140 columns, outside of tables and listings'; exit 1; }
	@before=$$(sha256sum $$($(GENERATED)) $$(git ls-files docs/\*.md) NOTICE); $(MAKE) --no-print-directory generate SKIP='go test' >/dev/null && \
		diff <(echo "$$before") <(sha256sum $$($(GENERATED)) $$(git ls-files docs/\*.md) NOTICE) || { echo 'generated files were stale; make generate has written them anew'; exit 1; }

test-crash: assets ## kill the program N times (200) under load on each database engine, and report what was lost or doubled
	@set -o pipefail; $(GO) test ./internal/testutil/crashtest -count=1 -v -timeout 60m -kills $${N-200} -seed $${SEED-1} | grep -v '^ *time='

# The older version builds its own web/dist.
test-upgrade: assets ## replicas of an older version (FROM=a commit) serve while replicas of this one migrate and replace them
	@rm -rf .cache/upgrade && mkdir -p .cache/upgrade && git archive $(FROM) | tar -x -C .cache/upgrade
	@cd .cache/upgrade && $(GO) run ./web/build && $(GO) build -o older ./cmd/server
	@set -o pipefail; $(POSTGRES) $(GO) test ./internal/testutil/crashtest -run '^TestReplicasServeDuringMigration$$' -count=1 -v -older $(CURDIR)/.cache/upgrade/older | grep -v '^ *time='

lint: ## staticcheck
	@$(GO) run $(STATICCHECK) ./...

vuln: ## known vulnerabilities in dependencies (asks the Go vulnerability database)
	@$(GO) run $(GOVULNCHECK) ./...

outdated: ## direct modules, and npm and Debian packages of the tests, with a newer version (asks the module proxy and the npm registry)
	@$(GO) list -m -u -f '{{if and .Update (not .Indirect)}}{{.Path}} {{.Version}}: {{.Update.Version}}{{end}}' all
	@e2e/setup.sh outdated

bench: tools assets ## figures beside peers and limits, a line each; ONLY=wasm|memory|redirect|engine|api|journey|scale runs one group, or one of the parts that bench/main.go names
	@cd bench && $(GO) run . -only '$(ONLY)'

lighthouse: assets ## Lighthouse on pages of both parties: fails below 100 but for performance, which this machine's load moves
	@e2e/setup.sh lighthouse
	@set -o pipefail; $(GO) test ./e2e -run '^TestLighthouse$$' -count=1 -v -timeout 60m -lighthouse | grep --line-buffered -v '^ *time=\|^=== '

# The soak starts the program that was built, with its flags.
soak: build ## live through a day of use in D (10m) on SQLite, or on R replicas with PostgreSQL, at most RATE journeys/s
	@cd bench && $(GO) run ./soak -d $${D-10m} -replicas $${R-0} -rate $${RATE-0}

scale: build ## start R (3) replicas, a balancer and a PostgreSQL on this machine, until interrupted
	@cd bench && $(GO) run ./soak -hold -replicas $${R-3}

gallery: assets ## every component and page of the applicant's in every state, to look at on this machine; VISITS=1: the service's steps
	$(GO) run ./e2e/gallery/serve $(if $(VISITS),-visits)

screens: tools assets ## pictures of every page of both parties in .cache/screens: both languages and themes, three widths
	@rm -rf .cache/screens
	@$(GO) test ./e2e -run '^TestReviewPagesAreAccessible$$' -count=1 -timeout 60m -screens $(CURDIR)/.cache/screens && echo .cache/screens/index.html

demo: tools build ## drive a whole application through a headless browser and leave screenshots in docs/images
	@$(GO) test ./e2e -run '^TestDemo$$' -count=1 -demo

.PHONY: release
release: assets ## dist: archives for Linux, macOS and Windows, images, SBOM, notes and checksums; the same from the same commit
	@docs/deploy/release.sh

.PHONY: packages example-plain example-react example-vue
packages: ## bin/vestibule-js-….tgz, the npm package for your pages (packages/js)
	@$(GO) run ./packages
	@mkdir -p .cache/npm/@vestibule/js && tar xzf bin/vestibule-js-*.tgz -C .cache/npm/@vestibule/js

example-plain: packages ## an onboarding app in plain HTML and Go, beside make run
	@$(GO) run ./docs/examples/plain

example-react: packages ## the same in React
	@e2e/setup.sh examples
	@$(GO) run ./docs/examples/react

example-vue: packages ## the same in Vue
	@e2e/setup.sh examples
	@$(GO) run ./docs/examples/vue

clean: ## remove what was built
	@rm -rf bin web/dist/* .cache

package docs_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"vestibule/docs/openapitest"
	"vestibule/internal/testutil"
	"vestibule/internal/testutil/tools"
	"vestibule/internal/webhook"
)

// The pages of the two parties' webhooks.
const (
	portalEvents     = "how-to/webhooks.md"
	providerWebhooks = "reference/provider-webhooks.md"
)

// signed is an event as the page's code gets it, and whether it is genuine.
type signed struct {
	name    string
	good    bool
	Secret  string
	Headers map[string]string
	Body    string
}

// events are genuine ones and others, by the portal's own signing.
func events(t *testing.T) []signed {
	t.Helper()
	mine, next := webhook.NewSecret(), webhook.NewSecret()
	sign := func(name string, good bool, at time.Time, by ...string) signed {
		s := signed{name: name, good: good, Secret: mine, Headers: map[string]string{},
			Body: `{"eventId":"evt_1","type":"application.ready","userArgs":"é ☂"}`}
		var secrets []webhook.Secret
		for _, text := range by {
			secret, err := webhook.ParseSecret(text)
			testutil.Must(t, err)
			secrets = append(secrets, secret)
		}
		h := http.Header{}
		testutil.Must(t, webhook.Sign(h, secrets, "evt_1", at, []byte(s.Body)))
		for key := range h {
			s.Headers[strings.ToLower(key)] = h.Get(key)
		}
		return s
	}
	now := time.Now()
	out := []signed{
		sign("signed now", true, now, mine),
		sign("signed with the next secret and this one", true, now, next, mine),
		sign("signed four minutes ago", true, now.Add(-4*time.Minute), mine),
		sign("signed with another secret", false, now, next),
		sign("signed an hour ago", false, now.Add(-time.Hour), mine),
		sign("signed in an hour", false, now.Add(time.Hour), mine),
	}
	altered := sign("altered", false, now, mine)
	altered.Body = strings.Replace(altered.Body, "ready", "exited", 1)
	out = append(out, altered)
	for _, header := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
		s := sign("without "+header, false, now, mine)
		delete(s.Headers, header)
		out = append(out, s)
	}
	return out
}

// block returns the first code block of a page in a language.
func block(t *testing.T, file, language string) string {
	t.Helper()
	page := testutil.ReadFile(t, file)
	_, rest, ok := strings.Cut(string(page), "```"+language+"\n")
	code, _, closed := strings.Cut(rest, "\n```")
	if !ok || !closed {
		t.Fatalf("%s has no code in %s", file, language)
	}
	return code
}

// TestTheProvidersEventIsAsDocumented parses the event of the reference page and compares
// its table of members with the event.
func TestTheProvidersEventIsAsDocumented(t *testing.T) {
	head, body, _ := strings.Cut(block(t, providerWebhooks, "http"), "\n\n")
	e, err := webhook.Parse([]byte(body))
	if err != nil || e.EventID == "" || !strings.Contains(head, "Webhook-Id: "+e.EventID+"\n") {
		t.Errorf("event %+v, %v, under the headers %s", e, err, head)
	}
	var members map[string]any
	testutil.Must(t, json.Unmarshal([]byte(body), &members))
	page := testutil.ReadFile(t, providerWebhooks)
	_, table, _ := strings.Cut(string(page), "| member |")
	table, _, _ = strings.Cut(table, "\n\n")
	for name := range members {
		if !strings.Contains(table, "`"+name+"`") {
			t.Errorf("%s does not explain %s", providerWebhooks, name)
		}
	}
}

// TestEventMatchesItsDocumentation compares the page's event and its table of types with the
// portal's document.
func TestEventMatchesItsDocumentation(t *testing.T) {
	_, body, _ := strings.Cut(block(t, portalEvents, "http"), "\n\n")
	if err := openapitest.Valid(t, openapitest.OfThePortal, "/components/schemas/ApplicationEvent", []byte(body)); err != nil {
		t.Error(err)
	}
	page := testutil.ReadFile(t, portalEvents)
	var types []string
	for _, row := range regexp.MustCompile("(?m)^\\| `(application\\.[a-z_]+)` \\|").FindAllSubmatch(page, -1) {
		types = append(types, string(row[1]))
	}
	slices.Sort(types)
	if want := strs(openapitest.Portal(
		t).Components.Schemas["ApplicationEvent"].Value.Properties["type"].Value.Enum); !slices.Equal(types, want) {
		t.Errorf("webhooks.md explains %q, want %q", types, want)
	}
}

// Programs that verify the events on standard input with a page's code, and print a line for each.
const (
	verifyInGo = `package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"app/webhook"
)

func main() {
	var all []struct {
		Secret, Body string
		Headers      map[string]string
	}
	if err := json.NewDecoder(os.Stdin).Decode(&all); err != nil {
		panic(err)
	}
	for _, e := range all {
		h := http.Header{}
		for name, v := range e.Headers {
			h.Set(name, v)
		}
		id, err := webhook.Verify(e.Secret, h, []byte(e.Body))
		fmt.Println(id, err == nil)
	}
}
`
	verifyInJS = `import { readFileSync } from 'node:fs';
import { verify } from './verify.mjs';
for (const { Secret, Headers, Body } of JSON.parse(readFileSync(0))) {
  try { console.log(verify(Secret, Headers, Buffer.from(Body)), true); } catch { console.log('', false); }
}
`
	verifyInPython = `import json, sys
from verify import verify
for e in json.load(sys.stdin):
    try:
        print(verify(e["Secret"], e["Headers"], e["Body"].encode()), "true")
    except (KeyError, ValueError):
        print(" false")
`
)

// TestEventVerification runs the page's code on genuine events and others.
func TestEventVerification(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	for language, c := range map[string]struct {
		program []string // its name, and arguments
		files   map[string]string
	}{
		"go": {[]string{"go", "run", "."}, map[string]string{"go.mod": "module app\n\ngo 1.24\n",
			"webhook/webhook.go": block(t, portalEvents, "go"), "main.go": verifyInGo}},
		"js": {[]string{"node", "main.mjs"}, map[string]string{"verify.mjs": block(t, portalEvents, "js"), "main.mjs": verifyInJS}},
		"python": {[]string{"python3", "-B", "main.py"},
			map[string]string{"verify.py": block(t, portalEvents, "python"), "main.py": verifyInPython}},
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			if language != "go" {
				c.program[0] = tools.Program(t, c.program[0])
			}
			dir := t.TempDir()
			for name, text := range c.files {
				file := filepath.Join(dir, name)
				testutil.Must(t, errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)))
			}
			all := events(t)
			input := testutil.JSON(t, all)
			run := exec.Command(c.program[0], c.program[1:]...)
			run.Dir, run.Stdin = dir, bytes.NewReader(input)
			said, err := run.Output()
			if err != nil {
				var exit *exec.ExitError
				if errors.As(err, &exit) {
					t.Fatalf("%v\n%s", err, exit.Stderr)
				}
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimRight(string(said), "\n"), "\n")
			if len(lines) != len(all) {
				t.Fatalf("%d answers to %d events:\n%s", len(lines), len(all), said)
			}
			for i, e := range all {
				want := " false"
				if e.good {
					want = "evt_1 true"
				}
				if lines[i] != want {
					t.Errorf("%s: %q, want %q", e.name, lines[i], want)
				}
			}
		})
	}
}

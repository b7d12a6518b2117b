package openapitest

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"sync"
	"testing"

	"vestibule/docs"
	"vestibule/internal/apidocs"
)

// Document names a document.
type Document int

const (
	OfTheService Document = iota
	OfThePortal
	OfConnectors // has no coverage: its error codes are not those of the API
)

// reached holds the answers that passed Check in this process.
var reached = struct {
	sync.Mutex
	answers map[string]bool
}{answers: map[string]bool{}}

func reach(answer string) {
	reached.Lock()
	defer reached.Unlock()
	reached.answers[answer] = true
}

// answerOf returns the name of an answer: operation, status and, for an error, its
// code.
func answerOf(method, path string, status int, code string) string {
	a := method + " " + path + " " + strconv.Itoa(status)
	if code != "" {
		a += " " + code
	}
	return a
}

// answers returns every documented answer: each listed status, for an error with each
// of its codes.
func answers(d Document) ([]string, error) {
	m, err := documents[d]()
	if err != nil {
		return nil, err
	}
	var out []string
	for _, s := range m.Sections {
		for _, op := range s.Operations {
			if len(op.Samples) == 0 { // a webhook
				continue
			}
			for _, a := range op.Answers {
				status, err := strconv.Atoi(a.Status)
				if err != nil { // the default
					continue
				}
				for _, c := range a.Codes {
					out = append(out, answerOf(op.Method, op.Path, status, string(c)))
				}
				if len(a.Codes) == 0 {
					out = append(out, answerOf(op.Method, op.Path, status, ""))
				}
			}
		}
	}
	return out, nil
}

// documented returns the answers of a document as a set.
func documented(t testing.TB, d Document) map[string]bool {
	t.Helper()
	set, err := sets[d]()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

var sets = [2]func() (map[string]bool, error){
	sync.OnceValues(func() (map[string]bool, error) { return setOf(OfTheService) }),
	sync.OnceValues(func() (map[string]bool, error) { return setOf(OfThePortal) }),
}

func setOf(d Document) (map[string]bool, error) {
	list, err := answers(d)
	out := make(map[string]bool, len(list))
	for _, a := range list {
		out[a] = true
	}
	return out, err
}

var documents = [2]func() (apidocs.Document, error){
	sync.OnceValues(func() (apidocs.Document, error) { return manualOf(docs.OpenAPI) }),
	sync.OnceValues(func() (apidocs.Document, error) { return manualOf(docs.PortalOpenAPI) }),
}

func manualOf(source func() ([]byte, error)) (apidocs.Document, error) {
	raw, err := source()
	if err != nil {
		return apidocs.Document{}, err
	}
	return apidocs.Read(raw)
}

// Main runs a package's tests and then requires Check to have seen every documented
// answer, such as "GET /x 404 NOT_FOUND". elsewhere reports whether another package's
// tests see an answer; nil for none. Main skips this when only some tests run. Call it
// from TestMain and exit with its result.
func Main(m *testing.M, d Document, elsewhere func(answer string) bool) int {
	code := m.Run()
	if code != 0 || partial() {
		return code
	}
	wanted, err := answers(d)
	if err != nil {
		fmt.Fprintln(os.Stderr, "openapitest:", err)
		return 1
	}
	for _, line := range lacking(wanted, reached.answers, elsewhere) {
		fmt.Fprintln(os.Stderr, "openapitest:", line)
		code = 1
	}
	return code
}

// lacking returns the missing answers and the wrong exceptions.
func lacking(wanted []string, reached map[string]bool, elsewhere func(string) bool) []string {
	var out []string
	for _, a := range wanted {
		excused := elsewhere != nil && elsewhere(a)
		if !reached[a] && !excused {
			out = append(out, "no test reaches "+a+", which is documented")
		} else if reached[a] && excused {
			out = append(out, a+" is reached, and excused as another package's")
		}
	}
	return out
}

// partial reports whether this run leaves tests out.
func partial() bool {
	for _, name := range []string{"test.run", "test.skip", "test.list", "test.fuzz", "test.bench"} {
		if f := flag.Lookup(name); f != nil && f.Value.String() != "" {
			return true
		}
	}
	return testing.Short()
}

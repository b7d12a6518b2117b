// Package openapitest checks the answers of the API tests against the OpenAPI
// documents: status, headers, body and error code of every answer must be documented
// for that path and method, and every accepted request must be valid. Main requires
// every documented answer to be reached. A test passes its client's transport to Wrap.
package openapitest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"

	"vestibule/docs"
	"vestibule/internal/contract"
)

var specs = [3]func() (*spec, error){
	sync.OnceValues(func() (*spec, error) { return load(docs.OpenAPI) }),
	sync.OnceValues(func() (*spec, error) { return load(docs.PortalOpenAPI) }),
	sync.OnceValues(func() (*spec, error) { return load(docs.ConnectorOpenAPI) }),
}

func specOf(t testing.TB, d Document) *spec {
	t.Helper()
	s, err := specs[d]()
	if err != nil {
		t.Fatalf("OpenAPI document: %v", err)
	}
	return s
}

// Provider returns the service's document, parsed and validated.
func Provider(t testing.TB) *openapi3.T { return specOf(t, OfTheService).doc }

// Portal returns the document of the portal's API, parsed and validated.
func Portal(t testing.TB) *openapi3.T { return specOf(t, OfThePortal).doc }

// Valid validates a JSON value by the schema at a JSON pointer of a document, such as
// "/components/schemas/Error".
func Valid(t testing.TB, d Document, pointer string, value []byte) error {
	t.Helper()
	return specOf(t, d).valid(pointer, value)
}

// always holds the codes that any path may answer, as the documents' default answer
// says.
var always = []contract.Code{contract.CodeInternal, contract.CodeUnavailable}

// nowhere holds the codes for undocumented paths and methods.
var nowhere = append([]contract.Code{contract.CodeNotFound, contract.CodeMethodNotAllowed}, always...)

// Check fails t if resp is not a documented answer of its request (status, headers,
// body and error code), or if an invalid request was accepted. A connector is at
// /connector. Check ignores paths outside the documents, except those below /connect,
// /accounts, /config, /credentials, /secure-redirect and /api, which may answer only that
// they do not exist. The body can still be read afterward.
func Check(t testing.TB, resp *http.Response) {
	t.Helper()
	req := resp.Request
	if req.Method == http.MethodHead { // GET without the body
		return
	}
	if resp.StatusCode == http.StatusRequestHeaderFieldsTooLarge { // of net/http, before any handler
		return
	}
	of, address := OfTheService, req.URL.EscapedPath()
	if strings.HasPrefix(address, "/api/") {
		of = OfThePortal
	} else if rest, ok := strings.CutPrefix(address, "/connector/"); ok {
		of, address = OfConnectors, "/"+rest
	}
	s := specOf(t, of)
	route, item, params := match(s.doc, address)
	known := item != nil && item.GetOperation(req.Method) != nil
	if !known && !described(req.URL.Path) {
		return
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil { // cut off, which is for the test to judge
		resp.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), iotest.ErrReader(err)))
		return
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	code := codeOf(resp.StatusCode, body)
	if resp.StatusCode == http.StatusTemporaryRedirect && resp.Header.Get("Location") == cleanPath(req.URL) { // of net/http's mux
		return
	}
	if !known {
		if !slices.Contains(nowhere, code) || code.Info().Status != resp.StatusCode {
			t.Errorf("%s %s answered %d %s and is not in the OpenAPI document", req.Method, req.URL.Path, resp.StatusCode, code)
		}
		return
	}
	op := item.GetOperation(req.Method)
	// openapi3filter compiles a body's schema for each body; this package does it once.
	input := &openapi3filter.RequestValidationInput{Request: req, PathParams: params,
		Route: &routers.Route{Spec: s.doc, Path: route, PathItem: item, Method: req.Method, Operation: op},
		Options: &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true, AuthenticationFunc: openapi3filter.NoopAuthenticationFunc,
			ExcludeRequestBody: true, ExcludeResponseBody: true}}
	err = openapi3filter.ValidateResponse(req.Context(), &openapi3filter.ResponseValidationInput{RequestValidationInput: input,
		Status: resp.StatusCode, Header: resp.Header, Options: input.Options})
	if err == nil {
		err = s.response(route, op, resp, body)
	}
	if err != nil {
		t.Errorf("%s %s answered %d, which is not as documented: %v\n%.2000s", req.Method, route, resp.StatusCode, err, body)
		return
	}
	if code != "" && of != OfConnectors && !slices.Contains(always, code) &&
		!documented(t, of)[answerOf(req.Method, route, resp.StatusCode, string(code))] {
		t.Errorf("%s %s answered %d %s, which is not among its codes", req.Method, route, resp.StatusCode, code)
		return
	}
	if resp.StatusCode < 300 && req.Context().Value(looseKey{}) == nil {
		checkRequest(t, s, input)
	}
	reach(answerOf(req.Method, route, resp.StatusCode, string(code)))
}

// cleanPath returns where the mux of net/http leads a path with empty or dot segments.
func cleanPath(u *url.URL) string {
	clean := path.Clean(u.Path)
	if strings.HasSuffix(u.Path, "/") && clean != "/" {
		clean += "/"
	}
	return (&url.URL{Path: clean, RawQuery: u.RawQuery}).String()
}

type looseKey struct{}

// Loose marks a request with a deliberate deviation that the service accepts. Check
// does not validate it.
func Loose(r *http.Request) { *r = *r.WithContext(context.WithValue(r.Context(), looseKey{}, true)) }

// checkRequest validates an accepted request. It skips a streamed body, which is gone.
func checkRequest(t testing.TB, s *spec, input *openapi3filter.RequestValidationInput) {
	t.Helper()
	sent := input.Request
	var body []byte
	streamed := sent.GetBody == nil && sent.Body != nil && sent.Body != http.NoBody
	if sent.GetBody != nil {
		again, err := sent.GetBody()
		if err != nil {
			t.Error(err)
			return
		}
		body, _ = io.ReadAll(again) // from memory
	}
	input.Request = sent.Clone(sent.Context())
	err := openapi3filter.ValidateRequest(sent.Context(), input)
	if err == nil && !streamed {
		err = s.request(input.Route, sent.Header, body)
	}
	if err != nil {
		t.Errorf("%s %s took a request that is not as documented: %v", sent.Method, input.Route.Path, err)
	}
}

// codeOf returns the error code of an answer, or "".
func codeOf(status int, body []byte) contract.Code {
	if status < 400 {
		return ""
	}
	var e struct {
		Error contract.Code `json:"error"`
	}
	_ = json.Unmarshal(body, &e) // other errors have no code
	return e.Error
}

func described(path string) bool {
	const reference = "/api/v1/docs" // pages for people
	if path == reference || strings.HasPrefix(path, reference+"/") {
		return false
	}
	return strings.HasPrefix(path, "/connect/") || strings.HasPrefix(path, "/api/") || path == "/secure-redirect" ||
		path == "/accounts" || strings.HasPrefix(path, "/accounts/") || strings.HasPrefix(path, "/config/") ||
		strings.HasPrefix(path, "/credentials/")
}

// match returns the documented path of a URL path.
func match(doc *openapi3.T, path string) (string, *openapi3.PathItem, map[string]string) {
	if item := doc.Paths.Value(path); item != nil {
		return path, item, nil
	}
	got := strings.Split(path, "/")
candidates:
	for template, item := range doc.Paths.Map() {
		want := strings.Split(template, "/")
		if len(want) != len(got) {
			continue
		}
		params := map[string]string{}
		for i := range want {
			if name, ok := strings.CutPrefix(want[i], "{"); ok {
				params[strings.TrimSuffix(name, "}")] = got[i]
			} else if want[i] != got[i] {
				continue candidates
			}
		}
		return template, item, params
	}
	return "", nil, nil
}

// Wrap returns a transport that checks every answer that passes through it. A
// nil next is http.DefaultTransport.
func Wrap(t testing.TB, next http.RoundTripper) http.RoundTripper {
	if next == nil {
		next = http.DefaultTransport
	}
	return &checker{t, next}
}

type checker struct {
	t    testing.TB
	next http.RoundTripper
}

func (c *checker) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := c.next.RoundTrip(r)
	if err == nil {
		resp.Request = r
		Check(c.t, resp)
	}
	return resp, err
}

// Serve calls h with r without a network, and checks the answer.
func Serve(t testing.TB, h http.Handler, r *http.Request) *http.Response {
	t.Helper()
	if r.Body != nil && r.Body != http.NoBody {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(raw)), nil }
		r.Body, _ = r.GetBody()
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	resp := w.Result()
	resp.Request = r
	Check(t, resp)
	return resp
}

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

var (
	provider = sync.OnceValues(func() (*openapi3.T, error) { return load(docs.OpenAPI) })
	portal   = sync.OnceValues(func() (*openapi3.T, error) { return load(docs.PortalOpenAPI) })
)

func load(source func() ([]byte, error)) (*openapi3.T, error) {
	raw, err := source()
	if err != nil {
		return nil, err
	}
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(raw)
	if err != nil {
		return nil, err
	}
	return doc, doc.Validate(loader.Context, openapi3.IsOpenAPI31OrLater())
}

// Provider returns the service's document, parsed and validated.
func Provider(t testing.TB) *openapi3.T { return document(t, provider) }

// Portal returns the document of the portal's API, parsed and validated.
func Portal(t testing.TB) *openapi3.T { return document(t, portal) }

func document(t testing.TB, get func() (*openapi3.T, error)) *openapi3.T {
	t.Helper()
	doc, err := get()
	if err != nil {
		t.Fatalf("OpenAPI document: %v", err)
	}
	return doc
}

// always holds the codes that any path may answer, as the documents' default answer
// says.
var always = []contract.Code{contract.CodeInternal, contract.CodeUnavailable}

// nowhere holds the codes for undocumented paths and methods.
var nowhere = append([]contract.Code{contract.CodeNotFound, contract.CodeMethodNotAllowed}, always...)

// Check fails t if resp is not a documented answer of its request (status, headers,
// body and error code), or if an invalid request was accepted. It ignores paths outside
// both documents, except those below /connect, /accounts, /config, /credentials,
// /secure-redirect and /api, which may answer only that they do not exist. The body can
// still be read afterward.
func Check(t testing.TB, resp *http.Response) {
	t.Helper()
	req := resp.Request
	if req.Method == http.MethodHead { // GET without the body
		return
	}
	if resp.StatusCode == http.StatusRequestHeaderFieldsTooLarge { // of net/http, before any handler
		return
	}
	doc, of := Provider(t), OfTheService
	if strings.HasPrefix(req.URL.Path, "/api/") {
		doc, of = Portal(t), OfThePortal
	}
	path, item, params := match(doc, req.URL.EscapedPath())
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
	if !known {
		if resp.StatusCode >= 300 && resp.StatusCode < 400 && len(body) < 100 { // the mux's own, to the clean path
			return
		}
		if !slices.Contains(nowhere, code) || code.Info().Status != resp.StatusCode {
			t.Errorf("%s %s answered %d %s and is not in the OpenAPI document", req.Method, req.URL.Path, resp.StatusCode, code)
		}
		return
	}
	op := item.GetOperation(req.Method)
	input := &openapi3filter.RequestValidationInput{Request: req, PathParams: params,
		Route: &routers.Route{Spec: doc, Path: path, PathItem: item, Method: req.Method, Operation: op},
		Options: &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true,
			AuthenticationFunc: openapi3filter.NoopAuthenticationFunc}}
	answered := &openapi3filter.ResponseValidationInput{RequestValidationInput: input,
		Status: resp.StatusCode, Header: resp.Header, Body: io.NopCloser(bytes.NewReader(body)), Options: input.Options}
	if err := openapi3filter.ValidateResponse(req.Context(), answered); err != nil {
		t.Errorf("%s %s answered %d, which is not as documented: %v\n%.2000s", req.Method, path, resp.StatusCode, err, body)
		return
	}
	// The portal refuses requests from other sites and for other hosts on every path.
	away := of == OfThePortal && code == contract.CodeForbidden &&
		(resp.StatusCode == http.StatusForbidden || resp.StatusCode == http.StatusMisdirectedRequest)
	if code != "" && !away && !slices.Contains(always, code) && !documented(t, of)[answerOf(req.Method, path, resp.StatusCode, string(code))] {
		t.Errorf("%s %s answered %d %s, which is not in its x-errors", req.Method, path, resp.StatusCode, code)
		return
	}
	if resp.StatusCode < 300 && req.Context().Value(looseKey{}) == nil {
		checkRequest(t, input, path)
	}
	reach(answerOf(req.Method, path, resp.StatusCode, string(code)))
}

type looseKey struct{}

// Loose marks a request with a deliberate deviation that the service accepts. Check
// does not validate it.
func Loose(r *http.Request) { *r = *r.WithContext(context.WithValue(r.Context(), looseKey{}, true)) }

// checkRequest validates an accepted request. It skips a streamed body, which is gone.
func checkRequest(t testing.TB, input *openapi3filter.RequestValidationInput, path string) {
	t.Helper()
	sent := input.Request.Clone(input.Request.Context())
	if options := *input.Options; sent.GetBody != nil {
		again, err := sent.GetBody()
		if err != nil {
			t.Error(err)
			return
		}
		sent.Body = again
	} else if sent.Body != nil && sent.Body != http.NoBody {
		options.ExcludeRequestBody = true
		input.Options = &options
	}
	if sent.Header.Get("Content-Type") == "" && sent.Header.Get("Authorization") != "" {
		sent.Header.Set("Content-Type", "application/json") // the type that the server assumes
	}
	input.Request = sent
	if err := openapi3filter.ValidateRequest(sent.Context(), input); err != nil {
		t.Errorf("%s %s took a request that is not as documented: %v", sent.Method, path, err)
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
	return strings.HasPrefix(path, "/connect/") || strings.HasPrefix(path, "/api/") && path != "/api/v1/docs" || path == "/secure-redirect" ||
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

// Package openapitest holds answers of the API tests against the OpenAPI
// documents: status, headers and body of every answer must be what the document
// says for that address and method. A test gives its client's transport to Wrap
// and goes on as before.
package openapitest

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"

	"vestibule/docs"
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

// Provider returns the service's document, parsed and found valid.
func Provider(t testing.TB) *openapi3.T { return document(t, provider) }

// Portal returns the document of the portal's API, parsed and found valid.
func Portal(t testing.TB) *openapi3.T { return document(t, portal) }

func document(t testing.TB, get func() (*openapi3.T, error)) *openapi3.T {
	t.Helper()
	doc, err := get()
	if err != nil {
		t.Fatalf("OpenAPI document: %v", err)
	}
	return doc
}

// Check fails t when resp is not what the document says of the request that it
// answers. Addresses that are in neither document are not looked at, but for
// those below /connect, /accounts, /config, /credentials, /secure-redirect and
// /api, which must be. The body can be read afterwards.
func Check(t testing.TB, resp *http.Response) {
	t.Helper()
	req := resp.Request
	doc := Provider(t)
	if strings.HasPrefix(req.URL.Path, "/api/") {
		doc = Portal(t)
	}
	path, item, params := match(doc, req.URL.Path)
	if item == nil || item.GetOperation(req.Method) == nil {
		if described(req.URL.Path) && resp.StatusCode < 400 {
			t.Errorf("%s %s answered %d and is not in the OpenAPI document", req.Method, req.URL.Path, resp.StatusCode)
		}
		return
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil { // cut off, which is for the test to judge
		resp.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), iotest.ErrReader(err)))
		return
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	input := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: req, PathParams: params,
			Route: &routers.Route{Spec: doc, Path: path, PathItem: item, Method: req.Method, Operation: item.GetOperation(req.Method)}},
		Status: resp.StatusCode, Header: resp.Header, Body: io.NopCloser(bytes.NewReader(body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true},
	}
	if err := openapi3filter.ValidateResponse(req.Context(), input); err != nil {
		t.Errorf("%s %s answered %d, which is not as documented: %v\n%.2000s", req.Method, path, resp.StatusCode, err, body)
	}
}

func described(path string) bool {
	return strings.HasPrefix(path, "/connect/") || strings.HasPrefix(path, "/api/") || path == "/secure-redirect" ||
		path == "/accounts" || strings.HasPrefix(path, "/accounts/") || strings.HasPrefix(path, "/config/") || strings.HasPrefix(path, "/credentials/")
}

// match finds the documented path of an address.
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

// Serve answers r by h without a network, and checks the answer.
func Serve(t testing.TB, h http.Handler, r *http.Request) *http.Response {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	resp := w.Result()
	resp.Request = r
	Check(t, resp)
	return resp
}

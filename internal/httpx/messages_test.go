package httpx_test

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"vestibule/internal/httpx"
)

// TestDecodeMessages: an error says where a body is wrong, and what would be right.
func TestDecodeMessages(t *testing.T) {
	for _, c := range []struct{ name, body, field, message string }{
		{"empty", " ", "", "is empty"},
		{"cut off", `{"name": "A`, "name", "ends before the JSON is complete"},
		{"broken", "{\n  \"name\": \"A\",\n  \"count\": 1,\n}", "", "is not valid JSON near line 4, column 1"},
		{"two values", `{"name":"A"} {}`, "", "has something after the JSON value near line 1, column 14"},
		{"mistyped member", `{"nmae":"A"}`, "nmae", `is not a field of this request; did you mean "name"?`},
		{"another spelling", `{"web_site":"A"}`, "web_site", `is not a field of this request; did you mean "webSite"?`},
		{"unknown member", `{"password":"hunter2"}`, "password", "is not a field of this request; known are name, webSite, count, inner"},
		{"unknown member of a member", `{"inner":{"Dept":1}}`, "inner.Dept", `is not a field of this request; did you mean "depth"?`},
		{"member that hides itself", "{\"na\u202eme\":1}", `na\\u202eme`,
			"is not a field of this request; known are name, webSite, count, inner"},
		{"wrong type", `{"count":"7"}`, "count", "must be a whole number"},
		{"fraction", `{"count":7.5}`, "count", "must be a whole number"},
		{"too large", `{"name":"` + strings.Repeat("x", 200) + `"}`, "", "must have at most 200 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(c.body))
			r.Header.Set("Content-Type", "application/json")
			var into struct {
				Name    string `json:"name"`
				WebSite string `json:"webSite"`
				Count   int    `json:"count"`
				Inner   struct {
					Depth int `json:"depth"`
				} `json:"inner"`
			}
			w := httptest.NewRecorder()
			err := httpx.DecodeJSON(w, r, 200, &into)
			var e *httpx.Error
			if !errors.As(err, &e) || len(e.Details) != 1 {
				t.Fatalf("%#v, want one detail", err)
			}
			httpx.WriteError(w, r, slog.New(slog.DiscardHandler), err)
			if c.name == "member that hides itself" {
				if !strings.Contains(w.Body.String(), `"field":"`+c.field+`"`) {
					t.Errorf("%s", w.Body)
				}
				c.field = e.Details[0].Field
			}
			if got := e.Details[0]; got.Field != c.field || got.Message != c.message {
				t.Errorf("%+v, want %q %q", got, c.field, c.message)
			}
			if strings.Contains(w.Body.String(), "hunter2") {
				t.Errorf("the error quotes a value: %s", w.Body)
			}
		})
	}
}

func TestPlaceholder(t *testing.T) {
	for value, named := range map[string]bool{"undefined": true, "null": true, "[object Object]": true, "": false, "abc": false} {
		if got := httpx.Placeholder(value); (got != "") != named {
			t.Errorf("%q: %q", value, got)
		}
	}
}

package redirect

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/jose"
	"vestibule/internal/store"
)

// attack returns from a visit in a way that is refused.
type attack func(w *testServer, v visit) answer

// claims returns with a token whose claims differ.
func claims(change jose.Claims) attack {
	return func(w *testServer, v visit) answer { return w.back(v.browser, w.token(v, change)) }
}

// query returns with a query that f makes of a token.
func query(f func(token string) string) attack {
	return func(w *testServer, v visit) answer { return w.get(v.browser, "/redirect/return"+f(w.token(v, nil))) }
}

// posted posts a body that f makes of a token.
func posted(contentType string, f func(token string) string) attack {
	return func(w *testServer, v visit) answer { return w.post(f(w.token(v, nil)), contentType) }
}

// method sends a request with another method.
func method(m string, header ...string) attack {
	return func(w *testServer, v visit) answer {
		return w.send(v.browser, w.request(m, "/redirect/return?jwt="+w.token(v, nil), nil, header...))
	}
}

var (
	forgedTokens = map[string]attack{
		// Invalid tokens; package jose tests the others.
		"signature altered": func(w *testServer, v visit) answer {
			token := w.token(v, nil)
			return w.back(v.browser, token[:len(token)-8]+"AAAAAAAA")
		},
		"another key": func(w *testServer, v visit) answer {
			key, _ := jose.GenerateKey()
			key.ID = w.signer.Key.ID
			token, _ := jose.Signer{Key: key, Type: "outcome+jwt"}.Sign(w.clock(), w.clock().Add(time.Minute), jose.Claims{"redirectArgs": v.sent})
			return w.back(v.browser, token)
		},
		"access token": func(w *testServer, v visit) answer {
			s := w.signer
			s.Type = "at+jwt"
			token, _ := s.Sign(w.clock(), w.clock().Add(time.Minute), jose.Claims{"sub": "x", "redirectArgs": v.sent,
				"outcome": "SUCCESS", "status": "SUCCESS", "publicToken": uuid.NewString()})
			return w.back(v.browser, token)
		},
		"issued before the attempt": func(w *testServer, v visit) answer {
			return w.back(v.browser, w.tokenAt(v, v.Started.Add(-time.Second), nil))
		},
		"expired": func(w *testServer, v visit) answer {
			token := w.token(v, nil)
			w.advance(5*time.Minute + 31*time.Second)
			return w.back(v.browser, token)
		},
		// Unknown or missing outcomes.
		"outcome unknown":             claims(jose.Claims{"outcome": "MAYBE"}),
		"outcome in lower case":       claims(jose.Claims{"outcome": "success"}),
		"outcome missing":             claims(jose.Claims{"outcome": nil}),
		"outcome a list":              claims(jose.Claims{"outcome": []string{"SUCCESS"}}),
		"SUCCESS without publicToken": claims(jose.Claims{"publicToken": nil}),
		"SUCCESS without status":      claims(jose.Claims{"status": nil}),
	}
	refusedClaims = map[string]attack{
		// Markup and control characters in claims.
		"markup in status":         claims(jose.Claims{"status": "<script>alert(1)</script>"}),
		"right-to-left in status":  claims(jose.Claims{"status": "SUCCESS\u202e"}),
		"markup in error":          claims(jose.Claims{"outcome": "ERROR", "error": "<img src=x>"}),
		"right-to-left in error":   claims(jose.Claims{"outcome": "ERROR", "error": "\u202eERROR"}),
		"markup in unneeded error": claims(jose.Claims{"error": "<b>"}),
		"error a number":           claims(jose.Claims{"outcome": "ERROR", "error": 7}),
		"error very long":          claims(jose.Claims{"outcome": "ERROR", "error": strings.Repeat("A", 65)}),
		// Malformed publicTokens.
		"publicToken a path":           claims(jose.Claims{"publicToken": "../../admin"}),
		"publicToken with a query":     claims(jose.Claims{"publicToken": "4c2b8b1e-6f0e-4c8a-9c6e-0a6f7f1f2f3f?x=1"}),
		"publicToken of encoded dots":  claims(jose.Claims{"publicToken": "%2e%2e%2f%2e%2e%2f%2e%2e%2f%2e%2e%2f"}),
		"publicToken with CRLF":        claims(jose.Claims{"publicToken": "4c2b8b1e-6f0e-4c8a-9c6e-0a6f7f1f2f3f\r\n"}),
		"publicToken a number":         claims(jose.Claims{"publicToken": 1}),
		"publicToken bad beside EXIT":  claims(jose.Claims{"outcome": "EXIT", "publicToken": "x"}),
		"publicToken empty on SUCCESS": claims(jose.Claims{"publicToken": ""}),
	}
	foreignTokens = map[string]attack{
		// Foreign or missing redirectArgs.
		"redirectArgs missing": claims(jose.Claims{"redirectArgs": nil}),
		"redirectArgs empty":   claims(jose.Claims{"redirectArgs": ""}),
		"unknown redirectArgs": func(w *testServer, v visit) answer {
			return w.back(v.browser, w.token(v, jose.Claims{"redirectArgs": store.NewSecret()}))
		},
		"redirectArgs altered": func(w *testServer, v visit) answer {
			return w.back(v.browser, w.token(v, jose.Claims{"redirectArgs": v.sent + "x"}))
		},
		"redirectArgs cut": func(w *testServer, v visit) answer {
			return w.back(v.browser, w.token(v, jose.Claims{"redirectArgs": v.sent[:42]}))
		},
		"redirectArgs huge": func(w *testServer, v visit) answer {
			return w.back(v.browser, w.token(v, jose.Claims{"redirectArgs": v.sent + strings.Repeat("x", 8000)}))
		},
		"redirectArgs an object": claims(jose.Claims{"redirectArgs": map[string]int{"a": 1}}),
		"redirectArgs of another browser's attempt": func(w *testServer, v visit) answer {
			other := w.start(w.newBrowser())
			a := w.back(v.browser, w.token(other, nil))
			w.wantRefused(a, other)
			return a
		},
		// Tokens for another audience or of another issuer.
		"another customer's token":  claims(jose.Claims{"aud": "their-public-id"}),
		"other customers' token":    claims(jose.Claims{"aud": []string{"a", "b"}}),
		"another issuer":            claims(jose.Claims{"iss": "https://provider.example.org"}),
		"an issuer of no name":      claims(jose.Claims{"iss": ""}),
		"issuers in a list":         claims(jose.Claims{"iss": []string{"https://provider.example"}}),
		"issuer of null":            func(w *testServer, v visit) answer { return w.back(v.browser, w.null(v, "iss")) },
		"audience that is no name":  claims(jose.Claims{"aud": 7}),
		"audience of null":          func(w *testServer, v visit) answer { return w.back(v.browser, w.null(v, "aud")) },
		"publicToken used by other": publicTokenTwice,
		// Returns in another browser, or with an outdated cookie.
		"victim's browser": func(w *testServer, v visit) answer { return w.back(w.newBrowser(), w.token(v, nil)) },
		"no cookies":       func(w *testServer, v visit) answer { return w.back(nil, w.token(v, nil)) },
		"old cookie jar": func(w *testServer, v visit) answer {
			old := &browser{jar: v.browser.cookie()}
			first := w.start(v.browser)
			w.wantLanded(w.back(v.browser, w.token(first, nil)), first, "SUCCESS")
			return w.back(old, w.token(v, nil))
		},
	}
	malformedRequests = map[string]attack{
		// Malformed queries and bodies.
		"no query":               query(func(string) string { return "" }),
		"empty jwt":              query(func(string) string { return "?jwt=" }),
		"jwt twice":              query(func(s string) string { return "?jwt=" + s + "&jwt=" + s }),
		"jwt twice, one empty":   query(func(s string) string { return "?jwt=&jwt=" + s }),
		"JWT":                    query(func(s string) string { return "?JWT=" + s }),
		"jwt and JWT":            query(func(s string) string { return "?jwt=" + s + "&JWT=" + s }),
		"jwt[]":                  query(func(s string) string { return "?jwt[]=" + s }),
		"token in the query":     query(func(s string) string { return "?token=" + s }),
		"semicolons":             query(func(s string) string { return "?x=1;jwt=" + s }),
		"bad escape":             query(func(s string) string { return "?jwt=" + s + "%zz" }),
		"encoded line break":     query(func(s string) string { return "?jwt=" + s + "%0a" }),
		"encoded NUL":            query(func(s string) string { return "?jwt=%00" + s }),
		"with a next address":    query(func(s string) string { return "?jwt=" + s + "&next=//evil.example" }),
		"form with two tokens":   posted(formType, func(s string) string { return form(s) + "&" + form(s) }),
		"form with another":      posted(formType, func(s string) string { return form(s) + "&x=1" }),
		"form with jwt":          posted(formType, func(s string) string { return "jwt=" + s }),
		"form with token[]":      posted(formType, func(s string) string { return "token[]=" + s }),
		"form empty":             posted(formType, func(string) string { return "" }),
		"form with a bad escape": posted(formType, func(s string) string { return "token=" + s + "%z" }),
		"form with line break":   posted(formType, func(s string) string { return "token=" + s + "%0d%0a" }),
		"JSON in a form":         posted(formType, func(s string) string { return `{"token":"` + s + `"}` }),
		"form in JSON":           posted("application/json", form),
		"JSON with two tokens":   posted("application/json", func(s string) string { return `{"token":"` + s + `","token":"` + s + `"}` }),
		"JSON with another":      posted("application/json", func(s string) string { return `{"token":"` + s + `","x":1}` }),
		"JSON with more after":   posted("application/json", func(s string) string { return `{"token":"` + s + `"}{}` }),
		"JSON null":              posted("application/json", func(s string) string { return `{"token":null}` }),
		"JSON a list":            posted("application/json", func(s string) string { return `["` + s + `"]` }),
		"JSON a string":          posted("application/json", func(s string) string { return `"` + s + `"` }),
		"JSON deep":              posted("application/json", func(s string) string { return strings.Repeat(`{"token":`, 5000) }),
		"text":                   posted("text/plain", func(s string) string { return s }),
		"no content type":        posted("", form),
		"two content types":      posted(formType+", application/json", form),
		"UTF-16":                 posted(formType+"; charset=utf-16", form),
		"multipart": posted("multipart/form-data; boundary=x", func(s string) string {
			return "--x\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\n" + s + "\r\n--x--\r\n"
		}),
		"10 MiB": posted(formType, func(s string) string { return form(s) + strings.Repeat("A", 10<<20) }),
		"token in query and body": func(w *testServer, v visit) answer {
			token := w.token(v, nil)
			return w.send(nil, w.request("POST", "/redirect/return?jwt="+token, strings.NewReader(form(token)), "Content-Type", formType))
		},
	}
	otherMethods = map[string]attack{
		// Other methods, and prefetches.
		"HEAD":            method("HEAD"),
		"OPTIONS":         method("OPTIONS"),
		"PUT":             method("PUT"),
		"DELETE":          method("DELETE"),
		"PATCH":           method("PATCH"),
		"prefetch":        method("GET", "Sec-Purpose", "prefetch;prerender"),
		"old prefetch":    method("GET", "Purpose", "prefetch"),
		"Mozilla's":       method("GET", "X-Moz", "prefetch"),
		"method override": method("HEAD", "X-HTTP-Method-Override", "GET"),
		"HEAD on a handle": func(w *testServer, v visit) answer {
			return w.send(v.browser, w.request("HEAD", w.post(form(w.token(v, nil)), formType).location, nil))
		},
		"prefetch of a handle": func(w *testServer, v visit) answer {
			return w.send(v.browser, w.request("GET", w.post(form(w.token(v, nil)), formType).location, nil, "Sec-Purpose", "prefetch"))
		},
		"unknown handle":   func(w *testServer, v visit) answer { return w.get(v.browser, finishPath+store.NewSecret()) },
		"handle of markup": func(w *testServer, v visit) answer { return w.get(v.browser, finishPath+"%3Cscript%3E%00") },
	}
)

// TestRefusedReturns sends a valid return before and after each single-request
// attack; v is the attempt that must stay open.
func TestRefusedReturns(t *testing.T) {
	each(t, func(t *testing.T, w *testServer) {
		for _, attacks := range []map[string]attack{forgedTokens, refusedClaims, foreignTokens, malformedRequests, otherMethods} {
			for name, attack := range attacks {
				t.Run(name, func(t *testing.T) {
					w.t = t
					before := w.start(w.newBrowser())
					w.wantLanded(w.back(before.browser, w.token(before, nil)), before, "SUCCESS")
					v := w.start(w.newBrowser())
					w.wantRefused(attack(w, v), v)
					w.wantLanded(w.back(v.browser, w.token(v, nil)), v, "SUCCESS")
				})
			}
		}
		if strings.Contains(w.log.String(), "eyJ") {
			t.Error("the log holds a token")
		}
	})
}

// null returns a token in which a claim is null.
func (w *testServer) null(v visit, name string) string {
	var nothing *string
	return w.token(v, jose.Claims{name: nothing})
}

// publicTokenTwice reuses a consumed publicToken, also in upper case.
func publicTokenTwice(w *testServer, v visit) answer {
	id := uuid.NewString()
	first := w.start(w.newBrowser())
	w.wantLanded(w.back(first.browser, w.token(first, jose.Claims{"publicToken": id})), first, "SUCCESS")
	w.wantRefused(w.back(v.browser, w.token(v, jose.Claims{"publicToken": strings.ToUpper(id)})), v)
	w.wantRefused(w.get(v.browser, w.post(form(w.token(v, jose.Claims{"publicToken": id})), formType).location), v)
	return w.back(v.browser, w.token(v, jose.Claims{"publicToken": id}))
}

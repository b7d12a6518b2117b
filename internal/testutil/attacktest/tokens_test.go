package attacktest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// forges returns the functions that make invalid tokens for an attempt.
func forges(f *fleet) map[string]func(v *task) string {
	s := f.service
	header := func(change object) func(*task) string {
		return func(v *task) string { return sign(s.header(change), s.claims(v, nil), s.key) }
	}
	claims := func(change object) func(*task) string {
		return func(v *task) string { return s.token(v, change) }
	}
	turned := func(turn func(good string) string) func(*task) string {
		return func(v *task) string { return turn(s.token(v, nil)) }
	}
	flip := func(segment int) func(*task) string {
		return turned(func(good string) string {
			parts := strings.Split(good, ".")
			raw, _ := base64.RawURLEncoding.DecodeString(parts[segment])
			raw[len(raw)/2] ^= 1
			parts[segment] = b64(raw)
			return strings.Join(parts, ".")
		})
	}
	mac := func(key []byte) func(*task) string {
		return func(v *task) string { return sign(s.header(object{"alg": "HS256"}), s.claims(v, nil), key) }
	}
	der, _ := x509.MarshalPKIXPublicKey(&s.key.PublicKey)
	jwk, _ := json.Marshal(s.jwk("good", &s.key.PublicKey))
	other, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	// Minutes pass on a busy machine until a token is sent.
	now := func(d time.Duration) int64 { return time.Now().Add(d).Unix() }
	raw := func(text string) json.RawMessage { return json.RawMessage(text) }
	out := map[string]func(v *task) string{
		"a bit of the header": flip(0), "a bit of the claims": flip(1), "a bit of the signature": flip(2),
		"another key":        func(v *task) string { return sign(s.header(nil), s.claims(v, nil), other) },
		"HMAC, PEM":          mac(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})),
		"HMAC, DER":          mac(der),
		"HMAC, JWK":          mac(jwk),
		"HMAC, the point":    mac(append(s.key.X.Bytes(), s.key.Y.Bytes()...)),
		"RS256 by an EC key": header(object{"alg": "RS256"}),
		"ES384 by P-256":     header(object{"alg": "ES384"}),
		"PS256 by PKCS #1": func(v *task) string {
			return sign(s.header(object{"alg": "PS256", "kid": "rsa"}), s.claims(v, nil), s.rsa)
		},
		"a weak key": func(v *task) string {
			return sign(s.header(object{"alg": "RS256", "kid": "weak"}), s.claims(v, nil), s.weak)
		},
		"an exponent of 3": func(v *task) string {
			return sign(s.header(object{"alg": "RS256", "kid": "e3"}), s.claims(v, nil), s.rsa)
		},
		"a shared secret": func(v *task) string {
			return sign(s.header(object{"alg": "HS256", "kid": "oct"}), s.claims(v, nil), []byte(secretKey))
		},
		"for encrypting":    header(object{"kid": "enc"}),
		"for signing only":  header(object{"kid": "ops"}),
		"of another curve":  header(object{"kid": "curve"}),
		"with its private":  header(object{"kid": "private"}),
		"a kid of two keys": header(object{"kid": "twice"}),
		"beyond a hundred":  func(v *task) string { return sign(s.header(object{"kid": "more-999"}), s.claims(v, nil), s.later) },
		"its own key": func(v *task) string {
			return sign(s.header(object{"jwk": s.jwk("good", &other.PublicKey)}), s.claims(v, nil), other)
		},
		"where its key is": func(v *task) string {
			return sign(s.header(object{"jku": s.URL + "/spy", "kid": "spied"}), s.claims(v, nil), s.later)
		},
		"where its chain is": header(object{"x5u": s.URL + "/spy"}),
		"its own chain":      header(object{"x5c": []string{base64.StdEncoding.EncodeToString(der)}}),
		"no kid":             header(object{"kid": nil}),
		"kid a number":       header(object{"kid": 1}),
		"crit":               header(object{"crit": []string{"exp"}}),
		"crit unknown":       header(object{"crit": []string{"more"}, "more": 1}),
		"b64":                header(object{"b64": false, "crit": []string{"b64"}}),
		"JSON, one bad":      turned(func(good string) string { return general(good, true) }),
		"JSON, flattened":    turned(func(good string) string { return general(good, false) }),
		"five segments":      turned(func(good string) string { return good + ".AAAA.AAAA" }),
		"compressed":         header(object{"zip": "DEF"}),
		"a password's count": func(*task) string {
			return b64([]byte(`{"alg":"PBES2-HS512+A256KW","enc":"A256CBC-HS512","p2s":"AAAA","p2c":2147483647}`)) + ".AAAA.AAAA.AAAA.AAAA"
		},
		"a token in a token": func(v *task) string {
			return signText(`{"alg":"ES256","kid":"good","cty":"JWT","typ":"outcome+jwt"}`, s.token(v, nil), s.key)
		},
		"padding": turned(func(good string) string { return good + "==" }),
		"the standard alphabet": turned(func(good string) string {
			return strings.NewReplacer("-", "+", "_", "/").Replace(good[:len(good)-1]) + "+"
		}),
		"a space":               turned(func(good string) string { return good + " " }),
		"line breaks":           turned(func(good string) string { return good[:20] + "\r\n" + good[20:] }),
		"bits that say nothing": turned(trailing),
		"members twice, header": func(v *task) string {
			return s.written(v, `{"alg":"ES256","alg":"ES256","kid":"good","typ":"outcome+jwt"}`, "")
		},
		"members twice, claims":          func(v *task) string { return s.written(v, "", `"outcome":"EXIT",`) },
		"deep":                           claims(object{"deep": raw(strings.Repeat(`[`, 3000) + strings.Repeat(`]`, 3000))}),
		"dots":                           func(*task) string { return strings.Repeat(".", 20_000) },
		"large":                          claims(object{"more": strings.Repeat("x", 30_000)}),
		"a webhook's":                    header(object{"typ": "webhook+jwt"}),
		"an access token":                header(object{"typ": "at+jwt"}),
		"past the skew":                  claims(object{"iat": now(-2 * time.Minute), "exp": now(-40 * time.Second)}),
		"from the future":                claims(object{"iat": now(time.Hour), "exp": now(time.Hour + 5*time.Minute)}),
		"before the attempt":             claims(object{"iat": now(-time.Minute)}),
		"lives too long":                 claims(object{"exp": now(time.Hour)}),
		"ends before it begins":          claims(object{"exp": now(-time.Second)}),
		"without iat":                    claims(object{"iat": nil}),
		"outcome unknown":                claims(object{"outcome": "MAYBE"}),
		"outcome in lower case":          claims(object{"outcome": "success"}),
		"no outcome":                     claims(object{"outcome": nil}),
		"no publicToken":                 claims(object{"publicToken": nil}),
		"markup in the status":           claims(object{"status": "<script>alert(1)</script>"}),
		"markup in the error":            claims(object{"outcome": "ERROR", "error": "<script>alert(1)</script>"}),
		"right to left":                  claims(object{"outcome": "ERROR", "error": "\u202eERROR"}),
		"a path":                         claims(object{"publicToken": "../../review"}),
		"a query":                        claims(object{"publicToken": "4c2b8b1e-6f0e-4c8a-9c6e-0a6f7f1f2f3f?a=b"}),
		"escaped dots":                   claims(object{"publicToken": "%2e%2e%2f%2e%2e"}),
		"line breaks in the publicToken": claims(object{"publicToken": "4c2b8b1e-6f0e-4c8a-9c6e-0a6f7f1f2f3f\r\nSet-Cookie: a=b"}),
		"unknown args":                   claims(object{"redirectArgs": strings.Repeat("A", 43) + "."}),
		"args altered":                   func(v *task) string { return s.token(v, object{"redirectArgs": v.args + "x"}) },
		"args in another case":           func(v *task) string { return s.token(v, object{"redirectArgs": strings.ToLower(v.args)}) },
		"no args":                        claims(object{"redirectArgs": nil}),
		"args huge":                      func(v *task) string { return s.token(v, object{"redirectArgs": v.args + strings.Repeat("é", 4000)}) },
		"for another customer":           claims(object{"aud": "applicant-else"}),
		"for two other":                  claims(object{"aud": []string{"a", "b"}}),
	}
	for _, alg := range []string{"none", "None", "NONE", "nOnE"} {
		out["alg "+alg] = func(v *task) string { return sign(s.header(object{"alg": alg}), s.claims(v, nil), nil) }
	}
	for _, kid := range []string{"", strings.Repeat("k", 10_000), "../../keys/good",
		"good' OR '1'='1", "good\r\nX: y", "good\x00", "GOOD"} {
		out["kid "+kid[:min(12, len(kid))]] = header(object{"kid": kid})
	}
	for name, exp := range map[string]any{"missing": nil, "text": "4102444800",
		"a date": "2100-01-01T00:00:00Z", "in milliseconds": now(time.Minute) * 1000,
		"negative": -1, "1e300": raw("1e300"), "null": raw("null"), "true": true, "a list": []int{1}} {
		out["exp "+name] = claims(object{"exp": exp})
	}
	return out
}

// written returns a token with the header, or the beginning of the claims, given as text.
func (s *service) written(v *task, header, begin string) string {
	if header == "" {
		raw, _ := json.Marshal(s.header(nil))
		header = string(raw)
	}
	claims, _ := json.Marshal(s.claims(v, nil))
	return signText(header, "{"+begin+string(claims[1:]), s.key)
}

// general returns a token in JSON serialization, either flattened or with a second,
// invalid signature.
func general(good string, two bool) string {
	p := strings.Split(good, ".")
	one := object{"protected": p[0], "signature": p[2]}
	all := object{"payload": p[1], "protected": p[0], "signature": p[2]}
	if two {
		all = object{"payload": p[1], "signatures": []object{{"protected": p[0], "signature": b64(make([]byte, 64))}, one}}
	}
	raw, _ := json.Marshal(all)
	return string(raw)
}

// trailing sets an unused bit of the last character.
func trailing(good string) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	last := strings.IndexByte(alphabet, good[len(good)-1])
	return good[:len(good)-1] + string(alphabet[last|1])
}

// TestForgedReturns returns each invalid token in the three ways, and then a valid token
// for the same attempt, which must still be open.
func TestForgedReturns(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	each(t, func(t *testing.T, f *fleet) {
		b := &browser{}
		f.complete(t, "GET", f.start(t, b))
		all := forges(f)
		for i, name := range slices.Sorted(maps.Keys(all)) {
			v := f.start(t, b)
			for _, way := range wayNames {
				token := all[name](v.task)
				got := ways[way](t, f, v.browser, token)
				refused(t, name+" by "+way, got)
			}
			f.checkOpen(t, name, v)
			f.complete(t, wayNames[i%3], v)
		}
		// Unusual tokens that are valid.
		s := f.service
		now := time.Now().Unix()
		for name, forge := range map[string]func(v *task) string{
			"RS256": func(v *task) string {
				return sign(s.header(object{"alg": "RS256", "kid": "rsa"}), s.claims(v, nil), s.rsa)
			},
			"no typ":  func(v *task) string { return sign(s.header(object{"typ": nil}), s.claims(v, nil), s.key) },
			"skew":    func(v *task) string { return s.token(v, object{"iat": now + 15, "exp": now + 200}) },
			"several": func(v *task) string { return s.token(v, object{"aud": []string{"x", publicID}}) },
			"a kid with a slash": func(v *task) string {
				return sign(s.header(object{"kid": "a/b"}), s.claims(v, nil), s.key)
			},
			"times as text and with a fraction": func(v *task) string {
				return s.token(v, object{"iat": json.RawMessage(fmt.Sprintf("%d.25", now+10)), "exp": strconv.FormatInt(now+200, 10)})
			},
			"more claims": func(v *task) string { return s.token(v, object{"nbf": 1, "x": object{"y": []int{1}}}) },
			"another order": func(v *task) string {
				return s.written(v, `{"kid":"good","typ":"outcome+jwt","alg":"ES256"}`, `"a":1,`)
			},
		} {
			v := f.start(t, b)
			f.service.finish(v.task)
			if got := f.do(t, b, "GET", "/redirect/return?jwt="+url.QueryEscape(forge(v.task)), ""); got.status != 303 {
				t.Errorf("%s = %d", name, got.status)
			}
			f.returned = append(f.returned, v)
		}
		f.checkInvariants(t)
	})
}

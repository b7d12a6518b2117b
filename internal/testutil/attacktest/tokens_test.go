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

// forge makes an invalid token for an attempt.
type forge = func(v *task) string

// withHeader returns a token whose header has changes.
func (s *service) withHeader(change object) forge {
	return func(v *task) string { return sign(s.header(change), s.claims(v, nil), s.key) }
}

// withClaims returns a token whose claims have changes.
func (s *service) withClaims(change object) forge {
	return func(v *task) string { return s.token(v, change) }
}

// altered returns a good token in another form.
func (s *service) altered(alter func(good string) string) forge {
	return func(v *task) string { return alter(s.token(v, nil)) }
}

// flipped returns a good token of which one segment has another bit.
func (s *service) flipped(segment int) forge {
	return s.altered(func(good string) string {
		parts := strings.Split(good, ".")
		raw, _ := base64.RawURLEncoding.DecodeString(parts[segment])
		raw[len(raw)/2] ^= 1
		parts[segment] = b64(raw)
		return strings.Join(parts, ".")
	})
}

// byMAC returns a token that is signed with a public key as a shared secret.
func (s *service) byMAC(key []byte) forge {
	return func(v *task) string { return sign(s.header(object{"alg": "HS256"}), s.claims(v, nil), key) }
}

// unixIn returns a time from now. Minutes pass on a busy machine until a token is sent.
func unixIn(d time.Duration) int64 { return time.Now().Add(d).Unix() }

// forges returns the functions that make invalid tokens.
func forges(s *service) map[string]forge {
	all := s.badKeys()
	maps.Copy(all, s.badForms())
	maps.Copy(all, s.badClaims())
	return all
}

// badKeys returns tokens that are not signed, or not by the key that they name.
func (s *service) badKeys() map[string]forge {
	der, _ := x509.MarshalPKIXPublicKey(&s.key.PublicKey)
	jwk, _ := json.Marshal(s.jwk("good", &s.key.PublicKey))
	other, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	out := map[string]forge{
		"a bit of the header": s.flipped(0), "a bit of the claims": s.flipped(1), "a bit of the signature": s.flipped(2),
		"another key":        func(v *task) string { return sign(s.header(nil), s.claims(v, nil), other) },
		"HMAC, PEM":          s.byMAC(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})),
		"HMAC, DER":          s.byMAC(der),
		"HMAC, JWK":          s.byMAC(jwk),
		"HMAC, the point":    s.byMAC(append(s.key.X.Bytes(), s.key.Y.Bytes()...)),
		"RS256 by an EC key": s.withHeader(object{"alg": "RS256"}),
		"ES384 by P-256":     s.withHeader(object{"alg": "ES384"}),
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
		"for encrypting":    s.withHeader(object{"kid": "enc"}),
		"for signing only":  s.withHeader(object{"kid": "ops"}),
		"of another curve":  s.withHeader(object{"kid": "curve"}),
		"with its private":  s.withHeader(object{"kid": "private"}),
		"a kid of two keys": s.withHeader(object{"kid": "twice"}),
		"beyond a hundred":  func(v *task) string { return sign(s.header(object{"kid": "more-999"}), s.claims(v, nil), s.later) },
		"its own key": func(v *task) string {
			return sign(s.header(object{"jwk": s.jwk("good", &other.PublicKey)}), s.claims(v, nil), other)
		},
		"where its key is": func(v *task) string {
			return sign(s.header(object{"jku": s.URL + "/spy", "kid": "spied"}), s.claims(v, nil), s.later)
		},
		"where its chain is": s.withHeader(object{"x5u": s.URL + "/spy"}),
		"its own chain":      s.withHeader(object{"x5c": []string{base64.StdEncoding.EncodeToString(der)}}),
		"no kid":             s.withHeader(object{"kid": nil}),
		"kid a number":       s.withHeader(object{"kid": 1}),
	}
	for _, alg := range []string{"none", "None", "NONE", "nOnE"} {
		out["alg "+alg] = func(v *task) string { return sign(s.header(object{"alg": alg}), s.claims(v, nil), nil) }
	}
	for _, kid := range []string{"", strings.Repeat("k", 10_000), "../../keys/good",
		"good' OR '1'='1", "good\r\nX: y", "good\x00", "GOOD"} {
		out["kid "+kid[:min(12, len(kid))]] = s.withHeader(object{"kid": kid})
	}
	return out
}

// badForms returns tokens of other forms, sizes and types than the contract's.
func (s *service) badForms() map[string]forge {
	return map[string]forge{
		"crit":            s.withHeader(object{"crit": []string{"exp"}}),
		"crit unknown":    s.withHeader(object{"crit": []string{"more"}, "more": 1}),
		"b64":             s.withHeader(object{"b64": false, "crit": []string{"b64"}}),
		"JSON, one bad":   s.altered(func(good string) string { return general(good, true) }),
		"JSON, flattened": s.altered(func(good string) string { return general(good, false) }),
		"five segments":   s.altered(func(good string) string { return good + ".AAAA.AAAA" }),
		"compressed":      s.withHeader(object{"zip": "DEF"}),
		"a password's count": func(*task) string {
			return b64([]byte(`{"alg":"PBES2-HS512+A256KW","enc":"A256CBC-HS512","p2s":"AAAA","p2c":2147483647}`)) + ".AAAA.AAAA.AAAA.AAAA"
		},
		"a token in a token": func(v *task) string {
			return signText(`{"alg":"ES256","kid":"good","cty":"JWT","typ":"outcome+jwt"}`, s.token(v, nil), s.key)
		},
		"padding": s.altered(func(good string) string { return good + "==" }),
		"the standard alphabet": s.altered(func(good string) string {
			return strings.NewReplacer("-", "+", "_", "/").Replace(good[:len(good)-1]) + "+"
		}),
		"a space":               s.altered(func(good string) string { return good + " " }),
		"line breaks":           s.altered(func(good string) string { return good[:20] + "\r\n" + good[20:] }),
		"bits that say nothing": s.altered(trailing),
		"members twice, header": func(v *task) string {
			return s.written(v, `{"alg":"ES256","alg":"ES256","kid":"good","typ":"outcome+jwt"}`, "")
		},
		"members twice, claims": func(v *task) string { return s.written(v, "", `"outcome":"EXIT",`) },
		"deep":                  s.withClaims(object{"deep": json.RawMessage(strings.Repeat(`[`, 3000) + strings.Repeat(`]`, 3000))}),
		"dots":                  func(*task) string { return strings.Repeat(".", 20_000) },
		"large":                 s.withClaims(object{"more": strings.Repeat("x", 30_000)}),
		"a webhook's":           s.withHeader(object{"typ": "webhook+jwt"}),
		"an access token":       s.withHeader(object{"typ": "at+jwt"}),
	}
}

// badClaims returns tokens that are signed well and say what is not so.
func (s *service) badClaims() map[string]forge {
	out := map[string]forge{
		"past the skew":                  s.withClaims(object{"iat": unixIn(-2 * time.Minute), "exp": unixIn(-40 * time.Second)}),
		"from the future":                s.withClaims(object{"iat": unixIn(time.Hour), "exp": unixIn(time.Hour + 5*time.Minute)}),
		"before the attempt":             s.withClaims(object{"iat": unixIn(-time.Minute)}),
		"lives too long":                 s.withClaims(object{"exp": unixIn(time.Hour)}),
		"ends before it begins":          s.withClaims(object{"exp": unixIn(-time.Second)}),
		"without iat":                    s.withClaims(object{"iat": nil}),
		"outcome unknown":                s.withClaims(object{"outcome": "MAYBE"}),
		"outcome in lower case":          s.withClaims(object{"outcome": "success"}),
		"no outcome":                     s.withClaims(object{"outcome": nil}),
		"no publicToken":                 s.withClaims(object{"publicToken": nil}),
		"markup in the status":           s.withClaims(object{"status": "<script>alert(1)</script>"}),
		"markup in the error":            s.withClaims(object{"outcome": "ERROR", "error": "<script>alert(1)</script>"}),
		"right to left":                  s.withClaims(object{"outcome": "ERROR", "error": "\u202eERROR"}),
		"a path":                         s.withClaims(object{"publicToken": "../../review"}),
		"a query":                        s.withClaims(object{"publicToken": "4c2b8b1e-6f0e-4c8a-9c6e-0a6f7f1f2f3f?a=b"}),
		"escaped dots":                   s.withClaims(object{"publicToken": "%2e%2e%2f%2e%2e"}),
		"line breaks in the publicToken": s.withClaims(object{"publicToken": "4c2b8b1e-6f0e-4c8a-9c6e-0a6f7f1f2f3f\r\nSet-Cookie: a=b"}),
		"unknown args":                   s.withClaims(object{"redirectArgs": strings.Repeat("A", 43) + "."}),
		"args altered":                   func(v *task) string { return s.token(v, object{"redirectArgs": v.args + "x"}) },
		"args in another case":           func(v *task) string { return s.token(v, object{"redirectArgs": strings.ToLower(v.args)}) },
		"no args":                        s.withClaims(object{"redirectArgs": nil}),
		"args huge":                      func(v *task) string { return s.token(v, object{"redirectArgs": v.args + strings.Repeat("é", 4000)}) },
		"for another customer":           s.withClaims(object{"aud": "applicant-else"}),
		"for two other":                  s.withClaims(object{"aud": []string{"a", "b"}}),
	}
	for name, exp := range map[string]any{"missing": nil, "text": "4102444800",
		"a date": "2100-01-01T00:00:00Z", "in milliseconds": unixIn(time.Minute) * 1000,
		"negative": -1, "1e300": json.RawMessage("1e300"), "null": json.RawMessage("null"), "true": true, "a list": []int{1}} {
		out["exp "+name] = s.withClaims(object{"exp": exp})
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
		all := forges(f.service)
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

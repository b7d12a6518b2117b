package webhook

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"vestibule/internal/store"
)

// Answer is the part of a receiver's response that is kept with an attempt, for people who
// look for the cause of a failure. It is untrusted text of at most maxBody and maxHeader bytes.
type Answer struct {
	Headers []Header `json:"headers,omitempty"`
	Body    string   `json:"body,omitempty"`
	Cut     bool     `json:"cut,omitempty"`    // the body is longer
	Binary  bool     `json:"binary,omitempty"` // the body is not text, and not kept
}

// Header is a header of a response.
type Header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Limits in bytes of what is kept, and of what is read at all.
const (
	maxBody   = 1 << 10
	maxHeader = 256
	maxRead   = 64 << 10
)

// keptHeaders say what answered, and what it wants. None of them sets or has a credential.
var keptHeaders = []string{"Content-Type", "Location", "Retry-After", "Allow", "Server", "X-Request-Id"}

// readAnswer reads the beginning of a response. It reads somewhat further, so that the
// connection can be used again.
func readAnswer(resp *http.Response) *Answer {
	var a Answer
	for _, name := range keptHeaders {
		if v := resp.Header.Get(name); v != "" {
			text, _ := visible(v[:min(len(v), maxHeader)])
			a.Headers = append(a.Headers, Header{name, text})
		}
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if err == nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxRead))
	}
	if a.Cut = len(raw) > maxBody; a.Cut {
		raw = wholeRunes(raw[:maxBody])
	}
	text, ok := visible(string(raw))
	if a.Binary = !ok; ok {
		a.Body = text
	}
	return &a
}

// wholeRunes removes the beginning of a character from the end of a text.
func wholeRunes(b []byte) []byte {
	for n := 1; n <= min(utf8.UTFMax-1, len(b)); n++ {
		if last := b[len(b)-n:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				return b[:len(b)-n]
			}
			break
		}
	}
	return b
}

// visible replaces the characters that could hide or reorder a text; ok is false if the text
// has bytes that no text has.
func visible(s string) (text string, ok bool) {
	ok = utf8.ValidString(s)
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return r
		case r == '\r':
			return -1
		case r == 0:
			ok = false
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co):
		default:
			return r
		}
		return unicode.ReplacementChar
	}, s), ok
}

// sealAnswer encrypts the answer of an attempt as the event's body is; nil without one, or if
// the subject was deleted.
func (o *Outbox) sealAnswer(ctx context.Context, q store.Queryer, d Delivery, a *Answer) ([]byte, error) {
	if a == nil || len(a.Headers) == 0 && a.Body == "" && !a.Binary {
		return nil, nil
	}
	plain, err := json.Marshal(a)
	if err != nil {
		return nil, err
	}
	plain, err = o.DB.Vault.Seal(ctx, q, d.key, answerCell(d.ID, int64(d.Tries)), plain)
	if isDeleted(err) {
		return nil, nil
	}
	return plain, err
}

// attempts returns the attempts of a delivery, with the answers unless its subject was deleted.
func (o *Outbox) attempts(ctx context.Context, q store.Queryer, d Delivery) (out []Attempt, err error) {
	rows, err := attemptsOf(ctx, q, d.ID)
	if err != nil {
		return nil, err
	}
	key := ""
	for _, row := range rows {
		if row.sealed != nil && key == "" {
			key, err = o.Key(ctx, q, d.Subject)
		}
		var plain []byte
		if err == nil {
			plain, err = o.DB.Vault.Open(ctx, q, key, answerCell(d.ID, row.number), row.sealed)
		}
		if err == nil && plain != nil {
			err = json.Unmarshal(plain, &row.Answer)
		}
		if err != nil && !isDeleted(err) {
			return nil, err
		}
		out = append(out, row.Attempt)
	}
	return out, nil
}

// Package webhook verifies signed events: the portal's events, and the provider's webhooks. Copy this file into your
// program. It needs only the standard library.
package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Verify returns the event's id if body was signed with secret in the last five minutes. body is the raw body of
// the request, before any parsing.
func Verify(secret string, h http.Header, body []byte) (string, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) < 16 {
		return "", errors.New("the secret is not whsec_ and base64")
	}
	id, timestamp := h.Get("Webhook-Id"), h.Get("Webhook-Timestamp")
	sent, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.Unix(sent, 0)).Abs() > 5*time.Minute {
		return "", errors.New("the timestamp is missing or too far from now")
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	// While the secret is rotated there are two signatures, with a space between.
	for _, got := range strings.Fields(h.Get("Webhook-Signature")) {
		if id != "" && hmac.Equal([]byte(got), []byte(want)) {
			return id, nil
		}
	}
	return "", errors.New("no signature fits")
}

// Handler receives events. keep stores an event unless its id is known: INSERT … ON CONFLICT DO NOTHING. Do the
// work from there: the sender waits ten seconds for the answer. After an error of keep, it sends the event again.
func Handler(secret string, keep func(id string, body []byte) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
			http.Error(w, "JSON is needed", http.StatusUnsupportedMediaType)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<10))
		if err != nil {
			http.Error(w, "too large", http.StatusRequestEntityTooLarge)
			return
		}
		id, err := Verify(secret, r.Header, body)
		if err != nil {
			http.Error(w, "unsigned", http.StatusUnauthorized)
			return
		}
		if err := keep(id, body); err != nil {
			http.Error(w, "later", http.StatusServiceUnavailable)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
}

// Package portalapi is a client of the portal's API as an onboarding app would
// write it: the standard library, the documented addresses, and nothing else of
// this program.
package portalapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"
)

// Client asks the portal at URL, with its API key.
type Client struct{ URL, Key string }

// SandboxKey is the key that the portal wrote down when it first started.
func SandboxKey(file string) string {
	raw, err := os.ReadFile(file)
	var in struct{ PortalAPIKey string }
	if err == nil {
		err = json.Unmarshal(raw, &in)
	}
	if err != nil {
		log.Fatal("no API key: start the portal with make run first, or give -key: ", err)
	}
	return in.PortalAPIKey
}

// Refusal is an error of the API.
type Refusal struct {
	Status  int
	Code    string `json:"error"`
	Message string
	Details []struct{ Field, Message string }
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("portal: %d %s: %s", r.Status, r.Code, r.Message)
}

// Call sends in as JSON, if there is any, and reads the answer into out. With an
// idempotency key the same request may be sent again, and makes nothing twice.
func (c Client) Call(ctx context.Context, method, path, idempotencyKey string, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	var body io.Reader
	if in != nil {
		raw, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.URL+"/api/v1"+path, body)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+c.Key)
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if idempotencyKey != "" {
		req.Header.Set("Idempotency-Key", idempotencyKey)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer := io.LimitReader(resp.Body, 1<<20)
	if resp.StatusCode >= 400 {
		refused := &Refusal{Status: resp.StatusCode}
		_ = json.NewDecoder(answer).Decode(refused) // without a body the status says it
		return refused
	}
	return json.NewDecoder(answer).Decode(out)
}

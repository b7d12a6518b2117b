// Package portalapi is a client of the portal's API as an onboarding app would write
// it, with the standard library and the documented API only.
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

// Client calls the portal at URL with its API key.
type Client struct{ URL, Key string }

// SandboxKey returns the API key from the file that the portal wrote at its first
// start.
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

// Refusal is an error response of the API.
type Refusal struct {
	Status  int
	Code    string `json:"error"`
	Message string
	Details []struct{ Field, Message string }
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("portal: %d %s: %s", r.Status, r.Code, r.Message)
}

// Call sends in as JSON, unless it is nil, and decodes the answer into out. A request
// with an idempotency key can be repeated without creating anything twice.
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
		_ = json.NewDecoder(answer).Decode(refused) // without a body, use the status
		return refused
	}
	return json.NewDecoder(answer).Decode(out)
}

// Application is what GET /applications/{id} says of an application.
type Application struct {
	State     string  `json:"state"`
	Status    *string `json:"status"`    // of the report; null before there is one
	Substatus *string `json:"substatus"` // qualifies the status; may be null
}

// Next is what an app does next with an application.
type Next string

const (
	Wait   Next = "wait"   // the applicant or the provider is not done
	Decide Next = "decide" // the report has data: fetch it, and decide by its figures
	Review Next = "review" // the report lacks something: a person looks at it
	Retry  Next = "retry"  // there is no report
)

// Next decides by state, status and substatus. The state ready means only that a report
// exists, not that it confirms anything.
func (a Application) Next() Next {
	switch a.State {
	case "started", "connecting", "returned", "pending":
		return Wait
	case "ready":
		if a.Status != nil && *a.Status == "SUCCESS" && a.Substatus == nil {
			return Decide
		}
		return Review
	}
	return Retry // failed, exited, expired
}

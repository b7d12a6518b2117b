// Package portalapi is a client of the portal's API as an onboarding app would write
// it, with the standard library and the documented API only.
package portalapi

import (
	"bytes"
	"cmp"
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

// SandboxURL returns the address of the portal that make run starts with the same variables.
func SandboxURL() string {
	return "http://" + cmp.Or(os.Getenv("VESTIBULE_PORTAL_ADDR"), "localhost:8080")
}

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
	Details []Detail
}

// Detail says what is wrong with a field of the request, such as prefill.dob. Applicant says it to the applicant, if
// the field is theirs.
type Detail struct {
	Field     string `json:"field"`
	Message   string `json:"message"`
	Applicant string `json:"applicant,omitempty"`
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
	answer := io.LimitReader(resp.Body, 8<<20)
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
	Wait    Next = "wait"    // the applicant or the provider is not done
	Approve Next = "approve" // the report has the income that the app asks for
	Review  Next = "review"  // a person looks at the report
	Retry   Next = "retry"   // there is no report

	decide Next = "decide" // the report has data: fetch it, and decide by its figures
)

// leastIncome is the income a month, in dollars, from which this example approves. The rule of a real app is its own.
const leastIncome = 3000

// Next fetches an application and decides what is next, by the figures of its report if that has any.
func (c Client) Next(ctx context.Context, id string) (Next, error) {
	var a Application
	if err := c.Call(ctx, http.MethodGet, "/applications/"+id, "", nil, &a); err != nil {
		return "", err
	}
	next := a.next()
	if next != decide {
		return next, nil
	}
	var r Report
	if err := c.Call(ctx, http.MethodGet, "/applications/"+id+"/report", "", nil, &r); err != nil {
		return "", err
	}
	if income, known := r.Attribute("UA_INFLOW_INCOME_AVG_12R"); known && income >= leastIncome {
		return Approve, nil
	}
	return Review, nil
}

// Report is what this app reads of a cashflow report.
type Report struct {
	Attributes []struct {
		Name  string
		Value *float64
	}
}

// Attribute returns a figure of the report, such as the average monthly income of the last year. Values from
// 9,999,996 say why there is no figure (docs/explanation/analytics.md).
func (r Report) Attribute(name string) (value float64, known bool) {
	for _, a := range r.Attributes {
		if a.Name == name && a.Value != nil {
			return *a.Value, *a.Value < 9_999_996
		}
	}
	return 0, false
}

// next decides by state, status and substatus. The state ready means only that a report
// exists, not that it confirms anything.
func (a Application) next() Next {
	switch a.State {
	case "started", "connecting", "returned", "pending":
		return Wait
	case "ready":
		if a.Status != nil && *a.Status == "SUCCESS" && a.Substatus == nil {
			return decide
		}
		return Review
	}
	return Retry // failed, exited, expired
}

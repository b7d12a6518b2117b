package app

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"time"

	"vestibule/internal/contract"
)

// completed is the end of a visit that the controls walked.
type completed struct {
	PublicToken string
	Status      contract.Status
	CompleteURL string
}

// complete walks the visit of a token by the sandbox's controls.
func (in *invocation) complete(ctx context.Context, token string, how any) (done completed, err error) {
	control := cmp.Or(in.config.Simulation.ControlAddr, defaultControl)
	err = postJSON(ctx, "http://"+control+"/visits/"+token+"/complete", "", how, &done)
	if err != nil {
		err = fmt.Errorf("the sandbox's controls (--sandbox-control-addr): %w", err)
	}
	return done, err
}

// postJSON posts JSON and reads the answer, JSON of at most 1 MiB.
func postJSON(ctx context.Context, url, key string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err == nil && resp.StatusCode/100 != 2 {
		err = fmt.Errorf("%s: %s", r.URL.Path, resp.Status)
	}
	if err == nil {
		err = json.Unmarshal(raw, out)
	}
	return err
}

type seedCommand struct {
	Count int `env:"-" default:"40" help:"How many applications, 1 to 1000."`
}

func (seedCommand) uses() string {
	return sandboxUses + " portal-addr portal-url portal-api-key sandbox-control-addr"
}

// seedFile has names of invented applicants, and kinds of applications that are made in turn.
//
//go:embed seed.json
var seedFile []byte

type seeds struct {
	First, Last  []string
	Applications []struct {
		Product contract.Product
		Walk    json.RawMessage // how the controls walk the visit; none: they do not
		Until   string          // "started", "connecting", "away": how far the applicant comes; "": back to the portal
		Dispute map[string]any  // the applicant's, as the controls open it; with correct: true, staff find them right
	}
	disputes []map[string]any
}

// Run makes applications at the portal as an onboarding app does, and walks each as its applicant
// would: by the applicant's links, and by the sandbox's controls in place of the provider's pages.
func (c seedCommand) Run(ctx context.Context, in *invocation) error {
	if c.Count < 1 || c.Count > 1000 {
		return refusal{errors.New("--count: must be from 1 to 1000")}
	}
	if _, _, err := in.sandboxCustomer(); err != nil {
		return err
	}
	key := in.config.API.Key
	if made, err := readCredentials(in.config.Store.Dir); key == "" {
		if err != nil || made.PortalAPIKey == "" {
			return refusal{errors.New("give --portal-api-key, or the --data-dir of the running program")}
		}
		key = made.PortalAPIKey
	}
	portal := in.config.addressOf(in.config.Listen.PortalURL, in.config.Listen.PortalAddr)
	var all seeds
	if err := json.Unmarshal(seedFile, &all); err != nil {
		return err
	}
	for i := range c.Count {
		if err := all.make(ctx, in, portal, key, i); err != nil {
			return fmt.Errorf("application %d: %w", i+1, err)
		}
	}
	for _, d := range all.disputes {
		if err := in.dispute(ctx, d); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(in.stdout, "%d applications: %s/review\n", c.Count, portal)
	return err
}

// make makes the application of a number.
func (s *seeds) make(ctx context.Context, in *invocation, portal, key string, i int) error {
	of, first, last := s.Applications[i%len(s.Applications)], s.First[i%len(s.First)], s.Last[i*7%len(s.Last)]
	var made struct{ ID, ConnectURL string }
	err := postJSON(ctx, portal+"/api/v1/applications", key, map[string]any{
		"product": of.Product, "mode": "redirect", "prefill": map[string]string{"firstName": first, "lastName": last,
			"email": strings.ToLower(first+"."+last) + "@example.org", "dob": fmt.Sprintf("19%02d-%02d-%02d", 60+i%40, 1+i%12, 1+i%28)}}, &made)
	if err != nil || of.Until == "started" {
		return err
	}
	jar, _ := cookiejar.New(nil) // never fails
	browser := &http.Client{Jar: jar, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if strings.Contains(r.URL.Path, "/visit/") { // the controls walk it
			return http.ErrUseLastResponse
		}
		return nil
	}}
	open := func(at string) (next string, err error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
		if err != nil {
			return "", err
		}
		resp, err := browser.Do(r)
		if err != nil {
			return "", err
		}
		resp.Body.Close()
		if resp.StatusCode >= 400 {
			err = fmt.Errorf("%s: %s", resp.Request.URL.Path, resp.Status)
		}
		return resp.Header.Get("Location"), err
	}
	visit, err := open(made.ConnectURL)
	if err != nil || of.Walk == nil {
		return err
	}
	_, handle, _ := strings.Cut(visit, "/visit/")
	handle, _, _ = strings.Cut(handle, "?")
	done, err := in.complete(ctx, handle, of.Walk)
	if err != nil || of.Until != "" || done.CompleteURL == "" {
		return err
	}
	if of.Dispute != nil {
		d := maps.Clone(of.Dispute)
		d["publicToken"] = done.PublicToken
		s.disputes = append(s.disputes, d)
	}
	_, err = open(done.CompleteURL)
	return err
}

// dispute opens a dispute by the sandbox's controls, once its report is made.
func (in *invocation) dispute(ctx context.Context, d map[string]any) (err error) {
	control := cmp.Or(in.config.Simulation.ControlAddr, defaultControl)
	for range 100 {
		if err = postJSON(ctx, "http://"+control+"/disputes", "", d, &struct{}{}); err == nil || ctx.Err() != nil {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	return err
}

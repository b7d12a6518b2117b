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
	"vestibule/internal/svcapi"
)

// completed is the end of a visit that the controls walked.
type completed struct {
	PublicToken string
	Status      contract.Status
	CompleteURL string
}

// complete walks the visit of a token by the sandbox's controls.
func (in *invocation) complete(ctx context.Context, token string, how any) (done completed, err error) {
	return done, in.control(ctx, "/visits/"+token+"/complete", how, &done)
}

// control posts to the sandbox's controls.
func (in *invocation) control(ctx context.Context, path string, body, out any) error {
	err := callJSON(ctx, http.MethodPost, "http://"+cmp.Or(in.config.Simulation.ControlAddr, defaultControl)+path, "", body, out)
	if err != nil {
		err = fmt.Errorf("the sandbox's controls (--sandbox-control-addr): %w", err)
	}
	return err
}

// callJSON sends JSON, unless in is nil, and reads the answer, JSON of at most 1 MiB. Errors are of type *svcapi.Error.
func callJSON(ctx context.Context, method, url, auth string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	if auth != "" {
		r.Header.Set("Authorization", auth)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return &svcapi.Error{Op: r.URL.Path, Code: contract.CodeUpstream, Err: errors.Unwrap(err)} // without the address
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err == nil && resp.StatusCode/100 == 2 {
		return json.Unmarshal(raw, out)
	}
	var said struct {
		Error, Message string
		Details        []svcapi.Detail
	}
	_ = json.Unmarshal(raw, &said) // without a body, the status is all
	why := cmp.Or(said.Message, resp.Status)
	for _, d := range said.Details {
		why += "\n" + d.Field + ": " + d.Message
	}
	return &svcapi.Error{Op: r.URL.Path, HTTP: resp.StatusCode, Code: contract.Code(said.Error), Err: errors.New(why)}
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
	Applications []seed
}

type seed struct {
	Product contract.Product
	Name    string          // as the walk's source has it; "": an invented one, which the source contradicts
	Walk    json.RawMessage // how the controls walk the visit; none: they do not
	Until   string          // "started", "connecting", "away": how far the applicant comes; "": back to the portal
	Dispute map[string]any  // the applicant's, as the controls open it; with correct: true, staff find them right
}

// portalAPI returns the address of the portal, its API key, and the secrets that sign its events; "" and none if they are unknown.
func (in *invocation) portalAPI() (url, key string, secrets []string) {
	url = in.config.addressOf(in.config.Listen.PortalURL, in.config.Listen.PortalAddr)
	key, secrets = in.config.API.Key, in.config.Events.Secrets
	// The portal of a data folder is of the generated account.
	if made, err := readCredentials(in.config.Store.Dir); err == nil && in.config.Account.ClientID == "" {
		key = cmp.Or(key, made.PortalAPIKey)
		if len(secrets) == 0 && made.EventsSecret != "" {
			secrets = []string{made.EventsSecret}
		}
	}
	return url, key, secrets
}

// Run makes applications at the portal as an onboarding app does, and walks each as its applicant
// would: by the applicant's links, and by the sandbox's controls in place of the provider's pages.
func (c seedCommand) Run(ctx context.Context, in *invocation) error {
	if c.Count < 1 || c.Count > 1000 {
		return refusal{errors.New("--count: must be from 1 to 1000")}
	}
	_, client, err := in.sandboxCustomer()
	if err != nil {
		return err
	}
	var all seeds
	if err := json.Unmarshal(seedFile, &all); err != nil {
		return err
	}
	for i := range c.Count {
		of := all.Applications[i%len(all.Applications)]
		first, last, known := strings.Cut(of.Name, " ")
		if !known {
			first, last = all.First[i%len(all.First)], all.Last[i*7%len(all.Last)]
		}
		who := &svcapi.Prefill{FirstName: first, LastName: last, Email: strings.ToLower(first+"."+last) + "@example.org",
			DOB: fmt.Sprintf("19%02d-%02d-%02d", 60+i%40, 1+i%12, 1+i%28)}
		if _, err := in.apply(ctx, of, who, "", ""); err != nil {
			return fmt.Errorf("application %d: %w", i+1, err)
		}
	}
	portal, _, _ := in.portalAPI()
	if _, err := fmt.Fprintf(in.stdout, "%d applications: %s/review\n", c.Count, portal); err != nil {
		return err
	}
	return in.seedChild(ctx, client, all.Applications[0])
}

// seedChild makes a report of the generated child account, by its own credentials, with a dispute.
func (in *invocation) seedChild(ctx context.Context, client *svcapi.Client, of seed) error {
	made, err := readCredentials(in.config.Store.Dir)
	if err != nil || made.Child == nil {
		return nil // the running program has another account, or is older
	}
	client.ClientID, client.SecretKey = made.Child.ClientID, made.Child.SecretKey
	begun, err := client.Initialize(ctx, svcapi.InitRequest{ProductID: made.Child.Products[of.Product],
		Prefill: &svcapi.Prefill{FirstName: "Nora", LastName: "Branch", Email: "nora.branch@example.org", DOB: "1988-02-29"}})
	if err != nil {
		return fmt.Errorf("the child account: %w", err)
	}
	done, err := in.complete(ctx, begun.Token, of.Walk)
	if err == nil {
		err = in.dispute(ctx, done.PublicToken, of.Dispute)
	}
	if err == nil {
		_, err = fmt.Fprintf(in.stdout, "1 report of the child account %s, with a dispute: %s/dashboard/reports\n",
			made.Child.PublicID, client.BaseURL)
	}
	return err
}

// apply makes an application at the portal as an onboarding app does, and walks it as far as a seed says.
func (in *invocation) apply(ctx context.Context, of seed, who *svcapi.Prefill, externalID, userArgs string) (id string, err error) {
	portal, key, _ := in.portalAPI()
	if key == "" {
		return "", refusal{errors.New("give --portal-api-key, or the --data-dir of the running program")}
	}
	var made struct{ ID, ConnectURL string }
	err = callJSON(ctx, http.MethodPost, portal+"/api/v1/applications", "Bearer "+key, map[string]any{
		"product": of.Product, "mode": "redirect", "externalId": contract.Null(externalID), "userArgs": contract.Null(userArgs),
		"prefill": map[string]string{"firstName": who.FirstName, "lastName": who.LastName, "email": who.Email, "dob": who.DOB}}, &made)
	if err != nil {
		return "", fmt.Errorf("the portal (--portal-url): %w", err)
	}
	if of.Until == "started" {
		return made.ID, nil
	}
	done, err := in.walk(ctx, of, made.ConnectURL)
	if err != nil || of.Dispute == nil {
		return made.ID, err
	}
	err = soon(ctx, func(ctx context.Context) error { // before the report is corrected, so that the portal has both revisions
		var a struct{ Report json.RawMessage }
		err := callJSON(ctx, http.MethodGet, portal+"/api/v1/applications/"+made.ID, "Bearer "+key, nil, &a)
		if err == nil && string(a.Report) == "null" {
			err = errors.New("the portal has not fetched the report yet")
		}
		return err
	})
	if err != nil {
		return made.ID, err
	}
	return made.ID, in.dispute(ctx, done.PublicToken, of.Dispute)
}

// walk follows an application's link as its applicant would, with the sandbox's controls in place of the provider's pages.
func (in *invocation) walk(ctx context.Context, of seed, connectURL string) (done completed, err error) {
	jar, _ := cookiejar.New(nil) // never fails
	browser := &http.Client{Jar: jar, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if strings.Contains(r.URL.Path, "/visit/") { // the controls walk it
			return http.ErrUseLastResponse
		}
		return nil
	}}
	open := func(method, at, form string) (next string, err error) {
		r, err := http.NewRequestWithContext(ctx, method, at, strings.NewReader(form))
		if err != nil {
			return "", err
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
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
	if _, err := open(http.MethodGet, connectURL, ""); err != nil { // sets a cookie; the page posts the token
		return done, err
	}
	link, token, _ := strings.Cut(connectURL, "?")
	visit, err := open(http.MethodPost, link, token)
	if err != nil || of.Walk == nil {
		return done, err
	}
	_, handle, _ := strings.Cut(visit, "/visit/")
	handle, _, _ = strings.Cut(handle, "?")
	done, err = in.complete(ctx, handle, of.Walk)
	if err == nil && of.Until == "" && done.CompleteURL != "" {
		_, err = open(http.MethodGet, done.CompleteURL, "")
	}
	return done, err
}

// dispute opens a dispute by the sandbox's controls, once its report is made.
func (in *invocation) dispute(ctx context.Context, publicToken string, of map[string]any) error {
	body := maps.Clone(of)
	body["publicToken"] = publicToken
	return soon(ctx, func(ctx context.Context) error { return in.control(ctx, "/disputes", body, &struct{}{}) })
}

// soon calls do until it succeeds, for up to ten seconds. It returns do's last error.
func soon(ctx context.Context, do func(context.Context) error) (err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		if err = do(ctx); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-tick.C:
		}
	}
}

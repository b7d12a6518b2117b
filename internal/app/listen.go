package app

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/portal/doctor"
	"vestibule/internal/suggest"
	"vestibule/internal/svcapi"
	"vestibule/internal/webhook"
)

// sandboxUses are what commands use that act as a customer of a sandbox.
const sandboxUses = "environment provider-addr provider-url data-dir public-id client-id secret-key products provider-profile " +
	"webhook-secret ca-file"

// defaultControl is the sandbox's control listener under `make run`.
const defaultControl = "127.0.0.1:8082"

// sandboxCustomer returns the account of the commands that need a sandbox, and a client of its provider.
func (in *invocation) sandboxCustomer() (doctor.Config, *svcapi.Client, error) {
	if in.config.Process.Environment != contract.Sandbox {
		return doctor.Config{}, nil, refusal{errors.New("--environment production: this command works only in a sandbox")}
	}
	in.config.dropGeneratedAccount()
	account, err := in.config.accountToUse()
	if err == nil && account.ProviderURL == "" {
		err = refusal{errors.New("--client-id needs --provider-url, the provider of this account")}
	}
	return account, &svcapi.Client{BaseURL: account.ProviderURL, ClientID: account.ClientID, SecretKey: account.SecretKey,
		Environment: account.Environment, Profile: account.Profile}, err
}

type listenCommand struct {
	ForwardTo       string `env:"-" placeholder:"URL" help:"Post the provider's events to this address, signed. Default: print only."`
	ForwardEventsTo string `env:"-" placeholder:"URL" help:"Post the portal's events to this address, signed. Default: print only."`
}

func (listenCommand) uses() string {
	return sandboxUses + " portal-addr portal-url portal-api-key events-secret webhook-networks"
}

// overlap is how long after an event an earlier one can become visible: transactions do not commit
// in the order of their ids.
const overlap = 3 * time.Second

// stream is the events of a party that a command listens to.
type stream struct {
	of, url, auth   string // whose events, their address, and the header Authorization
	flag, forwardTo string // the flag of an address, and the address; empty: events are printed only
	secretFlag      string
	secrets         []string // sign what is forwarded
	signers         []webhook.Secret
	from            string // id of the event after which the next answer begins
}

// ask returns events, and the id of the last one.
func (s *stream) ask(ctx context.Context, query string) (events []json.RawMessage, last string, err error) {
	var out struct {
		Events []json.RawMessage
		Last   string
	}
	err = callJSON(ctx, http.MethodGet, s.url+query, s.auth, nil, &out)
	if refused := (*svcapi.Error)(nil); errors.As(err, &refused) && refused.HTTP == http.StatusNotFound {
		err = errors.New("it has no sandbox events: it serves production, or is of an older version")
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", s.of, err)
	}
	return out.Events, out.Last, err
}

// Run prints the events of a sandbox's customer and of its portal, and forwards them, until ctx ends. One of the two
// suffices.
func (c listenCommand) Run(ctx context.Context, in *invocation) error {
	account, client, err := in.sandboxCustomer()
	if err != nil {
		return err
	}
	all := []*stream{{of: account.PublicID + " at " + account.ProviderURL, url: account.ProviderURL + "/connect/sandbox/events",
		auth: "Basic " + base64.StdEncoding.EncodeToString([]byte(client.ClientID+":"+client.SecretKey)),
		flag: "--forward-to", forwardTo: c.ForwardTo, secretFlag: "--webhook-secret", secrets: account.WebhookSecrets}}
	if portal, key, secrets := in.portalAPI(); key != "" {
		all = append(all, &stream{of: "the portal at " + portal, url: portal + "/api/v1/sandbox/events", auth: "Bearer " + key,
			flag: "--forward-events-to", forwardTo: c.ForwardEventsTo, secretFlag: "--events-secret", secrets: secrets})
	} else if c.ForwardEventsTo != "" {
		return refusal{errors.New("--forward-events-to needs --portal-api-key, or the --data-dir of the running program")}
	}
	sender := webhook.NewSender(true, nil, in.config.Process.WebhookNetworks...)
	for _, s := range all {
		if s.forwardTo == "" {
			continue
		}
		if err := sender.CheckURL(s.forwardTo); err != nil {
			return refusal{fmt.Errorf("%s: %w", s.flag, err)}
		}
		if s.signers, err = webhook.ParseSecrets(s.secrets); err != nil {
			return refusal{fmt.Errorf("%s: %w", s.secretFlag, err)}
		}
		if len(s.signers) == 0 {
			return refusal{fmt.Errorf("%s needs %s, which signs what is forwarded", s.flag, s.secretFlag)}
		}
	}
	var running sync.WaitGroup
	var failed error
	listening, lines := 0, &sync.Mutex{}
	for _, s := range all {
		if _, s.from, err = s.ask(ctx, ""); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		listening++
		fmt.Fprintf(in.stdout, "Listening to the events of %s.\n", s.of)
		running.Go(func() {
			if err := s.follow(ctx, in, sender, lines); err != nil {
				fmt.Fprintf(in.stderr, "vestibule: %v\n", err)
			}
		})
	}
	if listening == 0 {
		return failed
	}
	if failed != nil {
		fmt.Fprintf(in.stderr, "vestibule: %v\n", failed)
	}
	running.Wait()
	return nil
}

// follow prints and forwards each event once, until ctx ends or the party refuses.
func (s *stream) follow(ctx context.Context, in *invocation, sender *webhook.Sender, lines *sync.Mutex) error {
	seen := map[string]time.Time{}
	for ctx.Err() == nil {
		events, last, err := s.ask(ctx, "?after="+url.QueryEscape(s.from))
		var refused *svcapi.Error
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.As(err, &refused) && (refused.HTTP == 0 || refused.HTTP >= 500):
			fmt.Fprintf(in.stderr, "vestibule: %v; asking again\n", err)
		case err != nil:
			return err
		}
		fresh := false
		for _, body := range events {
			var e listened
			if err := json.Unmarshal(body, &e); err != nil {
				return err
			}
			if _, known := seen[e.EventID]; !known {
				seen[e.EventID], fresh = time.Now(), true
				line := s.forward(ctx, sender, e, body)
				lines.Lock()
				fmt.Fprintln(in.stdout, line)
				lines.Unlock()
			}
		}
		// An event moves the beginning of the next answer only when no earlier one can follow it.
		settled := last != "" && last != s.from
		for _, at := range seen {
			settled = settled && time.Since(at) > overlap
		}
		if settled {
			s.from = last
			clear(seen)
		}
		if !fresh && (err != nil || len(events) > 0) {
			select {
			case <-ctx.Done():
			case <-time.After(500 * time.Millisecond):
			}
		}
	}
	return nil
}

// listened is what is printed of an event: of a report, or of an application.
type listened struct {
	EventID, Type, PublicID, Status, Substatus string
	CreatedAt                                  time.Time
	Application                                struct{ ID string }
}

// forward forwards an event, and returns what to print of it and of the answer.
func (s *stream) forward(ctx context.Context, sender *webhook.Sender, e listened, body []byte) string {
	line := e.CreatedAt.Local().Format(time.TimeOnly) + "  " + strings.Join(strings.Fields(
		e.EventID+" "+e.Type+" "+e.Status+" "+e.Substatus+" "+e.Application.ID), " ")
	if s.forwardTo == "" {
		var indented bytes.Buffer
		_ = json.Indent(&indented, body, "  ", "  ") // parsed before
		return line + "\n  " + indented.String()
	}
	r := sender.Deliver(ctx, webhook.Target{URL: s.forwardTo, Secrets: s.signers, Account: e.PublicID}, e.EventID, body)
	if r.Err != nil {
		return fmt.Sprintf("%s → no answer: %v", line, r.Err)
	}
	return fmt.Sprintf("%s → %d in %d ms", line, r.HTTP, r.Took.Milliseconds())
}

// triggers maps each event of a report to how a visit is walked that ends with it.
var triggers = map[string]map[string]any{
	string(contract.StatusSuccess):              {},
	string(contract.StatusError):                {"username": "error"},
	string(contract.StatusNotAuthenticated):     {"username": "mfa"},
	string(contract.StatusSupplierUnresponsive): {"username": "supplier_unresponsive"},
	string(contract.StatusBureauUnresponsive):   {"payStubs": []map[string]string{{"fileName": "down.pdf", "contentBase64": "JVBERi0xLjQK"}}},
	string(contract.StatusExpired):              {"end": "exit"}, // and consent is withdrawn
}

// applicationTriggers maps each event of an application to one that ends with it.
var applicationTriggers = map[string]seed{
	"application.started":    {Until: "started"},
	"application.connecting": {Until: "connecting"},
	"application.ready":      {Walk: json.RawMessage(`{}`)},
	"application.failed":     {Walk: json.RawMessage(`{"username":"mfa"}`)},
	"application.exited":     {Walk: json.RawMessage(`{"end":"exit"}`)},
}

type triggerCommand struct {
	Event   string           `arg:"" help:"A status of a report, TEST, or the type of an event of the portal: ${events}."`
	Product contract.Product `env:"-" default:"cashflow" enum:"cashflow,income" help:"Product of the report: cashflow or income."`

	ExternalID string `name:"external-id" env:"-" placeholder:"ID" help:"Your id of the report or application, which the event has."`
	UserArgs   string `env:"-" placeholder:"TEXT" help:"Your text, which the event has."`
}

func (triggerCommand) uses() string {
	return sandboxUses + " portal-addr portal-url portal-api-key sandbox-control-addr"
}

// candidates returns the events, for help and completion.
func (triggerCommand) candidates() []string {
	return slices.Concat(slices.Sorted(maps.Keys(triggers)), []string{webhook.TypeTest}, slices.Sorted(maps.Keys(applicationTriggers)))
}

// Run makes the event as people would: it begins a visit as the customer does, or an application as an onboarding app
// does, and walks it by the sandbox's controls to the end that makes the event. It prints the publicToken of the report
// or the id of the application.
func (c triggerCommand) Run(ctx context.Context, in *invocation) error {
	walk, ofReport := triggers[c.Event]
	app, ofApplication := applicationTriggers[c.Event]
	if !ofReport && !ofApplication && c.Event != webhook.TypeTest {
		return refusal{errors.New("trigger does not make this event" + suggest.Hint(c.Event, c.candidates()))}
	}
	account, client, err := in.sandboxCustomer()
	if err != nil {
		return err
	}
	who := &svcapi.Prefill{FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.org", DOB: "1990-12-10", State: "TX"}
	switch {
	case c.Event == webhook.TypeTest:
		return in.control(ctx, "/webhooks/fire", map[string]string{"publicId": account.PublicID}, &struct{}{})
	case ofApplication:
		app.Product = c.Product
		id, err := in.apply(ctx, app, who, c.ExternalID, c.UserArgs)
		if err == nil {
			_, err = fmt.Fprintln(in.stdout, id)
		}
		return err
	}
	if c.Event == string(contract.StatusBureauUnresponsive) {
		c.Product = contract.Income // whose pay stubs can be uploaded
	}
	consumer, err := client.CreateConsumer(ctx, svcapi.ConsumerRequest{Prefill: who})
	if err != nil {
		return err
	}
	begun, err := client.Initialize(ctx, svcapi.InitRequest{ProductID: account.Products[c.Product], ConsumerID: consumer,
		ExternalID: c.ExternalID, UserArgs: c.UserArgs})
	if err != nil {
		return refusedSubmission(account.ProviderURL, err)
	}
	done, err := in.complete(ctx, begun.Token, walk)
	if err == nil && c.Event == string(contract.StatusExpired) {
		err = client.WithdrawConsent(ctx, consumer)
		done.Status = contract.StatusExpired
	}
	if err == nil && string(done.Status) != c.Event {
		err = fmt.Errorf("the report %s ended with %s", done.PublicToken, done.Status)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(in.stdout, done.PublicToken)
	return err
}

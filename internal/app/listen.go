package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/portal/doctor"
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
	ForwardTo string `env:"-" placeholder:"URL" help:"Post each event to this address, signed as webhooks are. Default: print only."`
}

func (listenCommand) uses() string { return sandboxUses + " webhook-networks" }

// overlap is how long after an event an earlier one can become visible: transactions do not commit
// in the order of their ids.
const overlap = 3 * time.Second

// Run prints the events of a sandbox's customer and forwards them, until ctx ends.
func (c listenCommand) Run(ctx context.Context, in *invocation) error {
	account, client, err := in.sandboxCustomer()
	if err != nil {
		return err
	}
	sender, secrets := webhook.NewSender(true, nil, in.config.Process.WebhookNetworks...), []webhook.Secret{}
	if c.ForwardTo != "" {
		if err := sender.CheckURL(c.ForwardTo); err != nil {
			return refusal{fmt.Errorf("--forward-to: %w", err)}
		}
		for _, text := range account.WebhookSecrets {
			secret, err := webhook.ParseSecret(text)
			if err != nil {
				return refusal{fmt.Errorf("--webhook-secret: %w", err)}
			}
			secrets = append(secrets, secret)
		}
		if len(secrets) == 0 {
			return refusal{errors.New("--forward-to needs --webhook-secret, which signs what is forwarded")}
		}
	}
	type answer struct {
		Events []json.RawMessage `json:"events"`
		Last   string            `json:"last"`
	}
	ask := func(query string) (a answer, err error) {
		_, err = client.Call(ctx, "events", http.MethodGet, account.ProviderURL+"/connect/sandbox/events"+query, "", nil, &a)
		var refused *svcapi.Error
		if errors.As(err, &refused) && refused.HTTP == http.StatusNotFound {
			err = fmt.Errorf("the provider at %s has no sandbox events: it serves production, or is of an older version", account.ProviderURL)
		}
		return a, err
	}
	first, err := ask("")
	if err != nil {
		return err
	}
	fmt.Fprintf(in.stdout, "Listening to the events of %s at %s.\n", account.PublicID, account.ProviderURL)
	seen, from := map[string]time.Time{}, first.Last
	for ctx.Err() == nil {
		a, err := ask("?after=" + url.QueryEscape(from))
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
		for _, body := range a.Events {
			var e webhook.Event
			if err := json.Unmarshal(body, &e); err != nil {
				return err
			}
			if _, known := seen[e.EventID]; !known {
				seen[e.EventID], fresh = time.Now(), true
				c.forward(ctx, in, sender, secrets, e, body)
			}
		}
		// An event moves the beginning of the next answer only when no earlier one can follow it.
		settled := a.Last != "" && a.Last != from
		for _, at := range seen {
			settled = settled && time.Since(at) > overlap
		}
		if settled {
			from = a.Last
			clear(seen)
		}
		if !fresh && (err != nil || len(a.Events) > 0) {
			select {
			case <-ctx.Done():
			case <-time.After(500 * time.Millisecond):
			}
		}
	}
	return nil
}

// forward prints an event, forwards it, and prints the answer.
func (c listenCommand) forward(ctx context.Context, in *invocation, sender *webhook.Sender, secrets []webhook.Secret, e webhook.Event,
	body []byte) {
	line := fmt.Sprintf("%s  %s %s %s", e.CreatedAt.Local().Format(time.TimeOnly), e.EventID, e.Type, e.Status)
	if e.Substatus != "" {
		line += " " + string(e.Substatus)
	}
	if c.ForwardTo == "" {
		var indented bytes.Buffer
		_ = json.Indent(&indented, body, "  ", "  ") // parsed before
		fmt.Fprintf(in.stdout, "%s\n  %s\n", line, &indented)
		return
	}
	r := sender.Deliver(ctx, webhook.Target{URL: c.ForwardTo, Secrets: secrets, Account: e.PublicID}, e.EventID, body)
	if r.Err != nil {
		fmt.Fprintf(in.stdout, "%s → no answer: %v\n", line, r.Err)
		return
	}
	fmt.Fprintf(in.stdout, "%s → %d in %d ms\n", line, r.HTTP, r.Took.Milliseconds())
}

// triggers maps each event of `vestibule trigger` to how a visit is walked that ends with it.
var triggers = map[contract.Status]any{
	contract.StatusSuccess:              map[string]string{},
	contract.StatusError:                map[string]string{"username": "error"},
	contract.StatusNotAuthenticated:     map[string]string{"username": "mfa"},
	contract.StatusSupplierUnresponsive: map[string]string{"username": "supplier_unresponsive"},
	contract.StatusExpired:              map[string]string{"end": "exit"}, // and consent is withdrawn
}

type triggerCommand struct {
	Event   contract.Status  `arg:"" enum:"SUCCESS,ERROR,NOT_AUTHENTICATED,SUPPLIER_UNRESPONSIVE,EXPIRED" help:"Status of the event: ${enum}."`
	Product contract.Product `env:"-" default:"cashflow" enum:"cashflow,income" help:"Product of the report: cashflow or income."`

	ExternalID string `name:"external-id" env:"-" placeholder:"ID" help:"Your id of the report, which the event has."`
	UserArgs   string `env:"-" placeholder:"TEXT" help:"Your text, which the event has."`
}

func (triggerCommand) uses() string { return sandboxUses + " sandbox-control-addr" }

// Run begins a visit as the customer does, walks it by the sandbox's controls to the end that makes
// the event, and prints the report's publicToken.
func (c triggerCommand) Run(ctx context.Context, in *invocation) error {
	account, client, err := in.sandboxCustomer()
	if err != nil {
		return err
	}
	who := &svcapi.Prefill{FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.org", DOB: "1990-12-10", State: "TX"}
	consumer, err := client.CreateConsumer(ctx, svcapi.ConsumerRequest{Prefill: who})
	if err != nil {
		return err
	}
	begun, err := client.Initialize(ctx, svcapi.InitRequest{ProductID: account.Products[c.Product], ConsumerID: consumer,
		ExternalID: c.ExternalID, UserArgs: c.UserArgs})
	if err != nil {
		return refusedSubmission(account.ProviderURL, err)
	}
	done, err := in.complete(ctx, begun.Token, triggers[c.Event])
	if err == nil && c.Event == contract.StatusExpired {
		err = client.WithdrawConsent(ctx, consumer)
		done.Status = c.Event
	}
	if err == nil && done.Status != c.Event {
		err = fmt.Errorf("the report %s ended with %s", done.PublicToken, done.Status)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(in.stdout, done.PublicToken)
	return err
}

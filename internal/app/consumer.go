package app

import (
	"context"
	"errors"

	"vestibule/internal/prefill"
	"vestibule/internal/provider"
)

// consumerCommands help consumers of a provider.
type consumerCommands struct {
	JSON bool         `name:"json" env:"-" help:"Print JSON, as these commands always do."`
	Link linkConsumer `cmd:"" help:"Print a link to a person's file, once. Verify the person first."`
}

func (consumerCommands) uses() string { return databaseUses + " provider-addr provider-url" }

type linkConsumer struct {
	Email string `arg:"" help:"Email address in the person's details."`
}

// Run prints a link that works once, within 24 hours, and opens the file of an email address: only its hash is
// stored. The provider may be running.
func (n linkConsumer) Run(ctx context.Context, in *invocation) error {
	if !prefill.IsEmail(n.Email) {
		return refusal{errors.New("EMAIL: must be an email address")}
	}
	return in.withProvider(ctx, func(p *provider.Provider) error {
		link, err := p.ConsumerLink(ctx, n.Email)
		return printJSON(in.stdout, struct {
			Link string `json:"link"`
		}{link}, err)
	})
}

package portal

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/jose"
	"vestibule/internal/journey"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/developers"
	"vestibule/internal/portal/embedkit"
	"vestibule/internal/portal/notify"
	"vestibule/internal/redirect"
	"vestibule/internal/store"
)

// develop makes the room for developers, after all others.
func (p *Portal) develop(c Config, looks looks) *developers.Desk {
	site := p.rooms.applications
	d := &developers.Desk{DB: c.DB, Applications: forDevelopers{site.Service, p.rooms.kit, p.rooms.notify}, Sessions: p.rooms.sessions, Limit: site.Limit, Now: c.Now, Log: c.Log,
		ProductIDs: c.Products, AssetsOnly: c.AssetsOnly, PublicID: c.PublicID, URL: c.URL, ProviderURL: c.ProviderURL,
		ScriptURL: c.WidgetScriptURL, Global: c.WidgetGlobal, Base: looks.base, Adapt: looks.adapt,
		StatusURL: applications.StatusURL, ConnectURL: applications.ConnectURL, StreamURL: applications.StreamURL}
	for _, product := range contract.Products() {
		if site.Service.Offers(product) {
			d.Products = append(d.Products, product)
		}
	}
	p.rooms.companion.Verified = func(ctx context.Context, a redirect.Attempt, t *jose.Token) error {
		return d.Verified(ctx, a.Application, a.Number, developers.Signed{KeyID: t.KeyID, Issued: t.Issued, Expires: t.Expires})
	}
	return d
}

// forDevelopers shows the applications to the playground.
type forDevelopers struct {
	s      *applications.Service
	kit    *embedkit.Kit
	events *notify.Service
}

func (n forDevelopers) Make(ctx context.Context, tx *sql.Tx, in developers.New) (id, token string, err error) {
	a, problems, err := n.s.Create(ctx, tx, applications.New{Product: in.Product, Mode: applications.Mode(in.Mode), Variant: applications.Variant(in.Variant),
		Origin: applications.FromAPI, Prefill: in.Prefill, ReturnURL: in.ReturnURL, AllowedOrigin: in.Origin, Lang: contract.English, SessionID: in.SessionID})
	switch {
	case len(problems) > 0, errors.Is(err, applications.ErrUnknownProduct), errors.Is(err, applications.ErrBadMode), errors.Is(err, applications.ErrBadURL):
		return "", "", errors.Join(developers.ErrRefused, err)
	case err != nil:
		return "", "", err
	}
	token, err = n.kit.Token(ctx, tx, a.ID, in.Origin)
	return a.ID, token, err
}

func (n forDevelopers) Get(ctx context.Context, id string) (developers.Application, error) {
	a, err := n.s.Get(ctx, id)
	return developers.Application{ID: a.ID, Product: a.Product, Mode: string(a.Mode), ExternalID: a.ExternalID, Origin: a.AllowedOrigin, ReturnURL: a.ReturnURL,
		HasApplicant: a.HasApplicant, State: string(a.Journey.State), Version: a.Version, PublicToken: a.Journey.PublicToken, CreatedAt: a.CreatedAt,
		Final: slices.Contains([]journey.State{journey.Ready, journey.Failed, journey.Expired}, a.Journey.State)}, err
}

func (n forDevelopers) Bound(ctx context.Context, id, sessionID string) (bool, error) {
	return n.s.Bound(ctx, id, sessionID)
}

func (n forDevelopers) Key(ctx context.Context, q store.Queryer, id string) (string, error) {
	return n.s.Key(ctx, q, id)
}

func (n forDevelopers) Timeline(ctx context.Context, id string, limit int) ([]developers.Line, error) {
	lines, err := n.s.Timeline(ctx, id, 0, limit)
	out := make([]developers.Line, len(lines))
	for i, l := range lines {
		out[i] = developers.Line{Seq: l.Seq, At: l.At, Kind: l.Kind, Attempt: l.Attempt, Status: l.Status, Substatus: l.Substatus, Error: l.Error, From: l.From, To: l.To}
	}
	return out, err
}

func (n forDevelopers) Attempts(ctx context.Context, id string) ([]developers.Attempt, error) {
	all, err := n.s.Attempts(ctx, id)
	out := make([]developers.Attempt, len(all))
	for i, t := range all {
		out[i] = developers.Attempt{Number: t.Number, Mode: string(t.Mode), ExternalID: t.ExternalID}
		if t.TokenUntil.After(time.Unix(0, 0)) {
			out[i].TokenUntil = t.TokenUntil
		}
	}
	return out, err
}

func (n forDevelopers) Told(ctx context.Context, id string) ([]developers.Told, error) {
	found, _, err := n.events.List(ctx, notify.Filter{ApplicationID: id, Limit: 100})
	out := make([]developers.Told, len(found))
	for i, e := range found {
		out[i] = developers.Told{ID: e.ID, EventID: e.EventID, Type: e.Type, At: e.Created, State: string(e.State), Tries: e.Tries, HTTP: e.HTTP}
	}
	return out, err
}

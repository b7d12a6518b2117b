package developers

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/journey"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/applications/applicant"
	"vestibule/internal/svcapi"
	"vestibule/internal/webhook"
	portalui "vestibule/templates/portal"
)

// maxLines and maxEvents bound what a page shows of an application.
const (
	maxLines  = 200
	maxEvents = 100
)

// masked returns the first characters of a secret.
func masked(secret string) string {
	if len(secret) < 12 {
		return "…"
	}
	return secret[:6] + "…"
}

// member is a member of a JSON object with a fixed order.
type member struct {
	name  string
	value any
}

// object formats members as JSON and omits empty ones.
func object(members ...member) string {
	var b strings.Builder
	for _, m := range members {
		if m.value == "" || m.value == 0 || m.value == nil {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(",\n")
		}
		b.WriteString("  " + strconv.Quote(m.name) + ": " + pretty(m.value, "  "))
	}
	return "{\n" + b.String() + "\n}"
}

func instant(t time.Time) string {
	if t.Unix() <= 0 { // no token was stored
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

// trace returns what has happened to an application on all sides, oldest first.
func (h *Handler) trace(ctx context.Context, a applications.Application, k view) ([]portalui.TraceLine, error) {
	lines, err := h.Applicants.Service.Timeline(ctx, a.ID, 0, maxLines)
	if err != nil {
		return nil, err
	}
	attempts, err := h.Applicants.Service.Attempts(ctx, a.ID)
	if err != nil {
		return nil, err
	}
	returns, err := h.verified(ctx, a.ID)
	if err != nil {
		return nil, err
	}
	sent, _, err := h.Events.List(ctx, webhook.Filter{Subject: a.ID, Limit: maxEvents}, "")
	if err != nil {
		return nil, err
	}
	var out []portalui.TraceLine
	for _, l := range lines {
		t := applications.Attempt{Number: l.Attempt}
		if l.Kind == string(journey.Connect) || l.Kind == string(journey.Restart) {
			t.Number = openedAttempt(l)
		}
		if i := slices.IndexFunc(attempts, func(x applications.Attempt) bool { return x.Number == t.Number }); i >= 0 {
			t = attempts[i]
		}
		out = append(out, h.line(a, k, l, t, returns[l.Attempt]))
	}
	for _, e := range sent {
		out = append(out, portalui.TraceLine{Key: "event-" + e.ID, At: e.Created, From: portalui.PartyPortal,
			To: portalui.PartyApp, What: "POST " + e.Type, Kind: portalui.TraceNotified,
			Body: object(member{"eventId", e.EventID}, member{"type", e.Type}, member{"delivery", string(e.State)},
				member{"tries", e.Tries}, member{"answer", e.HTTP})})
	}
	slices.SortStableFunc(out, func(x, y portalui.TraceLine) int { return x.At.Compare(y.At) })
	return out, nil
}

// openedAttempt returns the number of the attempt that an entry opened. A restart names
// the previous one.
func openedAttempt(l applications.TimelineEntry) int {
	if l.Kind == string(journey.Restart) {
		return l.Attempt + 1
	}
	return max(l.Attempt, 1)
}

func (h *Handler) line(a applications.Application, k view, l applications.TimelineEntry, t applications.Attempt,
	s signed) portalui.TraceLine {
	out := portalui.TraceLine{Key: strconv.FormatInt(l.Seq, 10), At: l.At, From: portalui.PartyPortal,
		To: portalui.PartyProvider, What: l.Kind, Kind: portalui.TraceKind(l.Kind)}
	if l.From != l.To {
		out.Was, out.State = l.From, l.To
	}
	proof := []member{{"status", string(l.Status)}, {"substatus", string(l.Substatus)}, {"error", string(l.Error)}}
	switch kind := journey.Kind(l.Kind); kind {
	case "created":
		out.From, out.To = portalui.PartyApp, portalui.PartyPortal
		h.created(&out, a, k)
	case journey.Connect, journey.Restart:
		h.begun(&out, a, k, t)
	case journey.CallbackSuccess, journey.CallbackExit, journey.CallbackError:
		out.From, out.To = portalui.PartyBrowser, portalui.PartyPortal
		out.What = map[journey.Kind]string{journey.CallbackSuccess: "onSuccess",
			journey.CallbackExit: "onExit", journey.CallbackError: "onError"}[kind]
		out.Body = object(append([]member{{"type", out.What}, {"attempt", l.Attempt}}, proof...)...)
	case journey.ReturnSuccess, journey.ReturnExit, journey.ReturnError:
		out.From, out.To, out.What = portalui.PartyBrowser, portalui.PartyPortal, "/redirect/return"
		out.Body = h.returned(a, l, s)
	case journey.Webhook:
		out.From, out.To, out.What = portalui.PartyProvider, portalui.PartyPortal, "POST /webhooks/visit"
		out.Body = h.Profile.WebhookHeaders.Signature + ": v1,… (verified)\n\n" +
			object(append([]member{{"type", "VISIT"}, {"publicId", h.Applicants.PublicID}, {"externalId", t.ExternalID}}, proof...)...)
	case journey.Poll:
		out.What = "GET " + h.Profile.Addresses[svcapi.AddressStatus]
		out.Body, out.Status, out.Response = h.Profile.Headers[svcapi.HeaderExternalID]+": "+t.ExternalID, http.StatusOK, object(proof...)
	case journey.Fetched:
		out.What, out.URL = "GET "+h.Profile.Addresses[svcapi.Address(a.Product)]+"/json", "/review/applications/"+a.ID
		out.Body, out.Status = h.Profile.Headers[svcapi.HeaderExternalID]+": "+t.ExternalID, http.StatusOK
		out.Response = object(member{"publicToken", masked(a.Journey.PublicToken)},
			member{"status", string(l.Status)}, member{"substatus", string(l.Substatus)}, member{"report", "…"})
	default:
		out.From, out.To = portalui.PartyPortal, portalui.PartyPortal
		out.Body = object(member{"attempt", l.Attempt})
	}
	return out
}

// created describes the request that created the application.
func (h *Handler) created(out *portalui.TraceLine, a applications.Application, k view) {
	data := any(nil)
	if a.HasApplicant {
		data = "…"
	}
	if integrationOf(k.integration).variant != "" {
		out.To, out.What = portalui.PartyApp, "application"
		out.Body = object(member{"product", string(a.Product)}, member{"id", a.ID})
		return
	}
	out.What = "POST /api/v1/applications"
	out.Body = "Authorization: Bearer …\n" + object(member{"product", string(a.Product)},
		member{"mode", string(a.Mode)}, member{"allowedOrigin", a.AllowedOrigin},
		member{"returnUrl", a.ReturnURL}, member{"prefill", data})
	out.Status = http.StatusCreated
	out.Response = createdBody(a.ID, masked(k.token), h.URL+applicant.ConnectURL(a.ID)+"?grant="+masked(k.token))
}

// begun describes how an attempt at the provider was opened.
func (h *Handler) begun(out *portalui.TraceLine, a applications.Application, k view, t applications.Attempt) {
	request := object(member{"productId", h.Applicants.Service.Products[a.Product]},
		member{"externalId", t.ExternalID}, member{"prefill", "…"})
	switch {
	case t.Mode != applications.Embedded && t.Mode != "":
		out.Kind, out.What = portalui.TraceLeave, "POST "+h.Profile.Addresses[svcapi.AddressSecureRedirect]
		out.Body = "Authorization: Basic …\n" + object(member{"productId", h.Applicants.Service.Products[a.Product]},
			member{"externalId", t.ExternalID},
			member{"redirectArgs", "…"}, member{"completeUrl", h.URL + "/redirect/return"}, member{"prefill", "…"})
		out.Status = http.StatusOK
		out.Response = object(member{"redirectUrl", h.Profile.PageOrigins(h.ProviderURL)[0] + "/redirect/…"}, member{"redirectToken", "…"})
	case integrationOf(k.integration).variant == applications.ByPrefill:
		out.From, out.Kind, out.What = portalui.PartyBrowser, portalui.TraceRegister, h.Profile.WidgetGlobal+".register"
		out.Body = object(member{"productId", h.Applicants.Service.Products[a.Product]}, member{"publicId", h.Applicants.PublicID},
			member{"externalId", t.ExternalID}, member{"prefill", "…"})
	default:
		out.What = "POST " + h.Profile.Addresses[svcapi.AddressInitialization]
		out.Body = "Authorization: Basic …\n" + request
		out.Status, out.Response = http.StatusOK, object(member{"token", "…"}, member{"exp", instant(t.TokenUntil)})
	}
}

// returned describes the outcome token of a return. The timeline has it only if its
// signature, times and browser were valid.
func (h *Handler) returned(a applications.Application, l applications.TimelineEntry, s signed) string {
	outcome := map[journey.Kind]contract.Outcome{journey.ReturnSuccess: contract.OutcomeSuccess,
		journey.ReturnExit: contract.OutcomeExit, journey.ReturnError: contract.OutcomeError}[journey.Kind(l.Kind)]
	claims := []member{{"outcome", string(outcome)}, {"status", string(l.Status)}, {"error", string(l.Error)},
		{"publicToken", masked(a.Journey.PublicToken)}, {"redirectArgs", "…"}}
	head := ""
	if s.keyID != "" || !s.issued.IsZero() {
		head = object(member{"typ", "outcome+jwt"}, member{"kid", s.keyID}) + "\n"
		claims = append(claims, member{"iat", s.issued.Unix()}, member{"exp", s.expires.Unix()})
	}
	return fmt.Sprintf("jwt=… (signature verified)\n\n%s%s", head, object(claims...))
}

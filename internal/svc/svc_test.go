package svc_test

import (
	"strings"
	"testing"

	"vestibule/internal/svc"
)

func TestEveryCodeHasOneRowWithStatusAndWords(t *testing.T) {
	seen := map[svc.Code]bool{}
	for _, c := range svc.Codes() {
		if seen[c.Code] {
			t.Errorf("%s stands twice", c.Code)
		}
		seen[c.Code] = true
		if c.Status < 400 || c.Status > 599 || c.Words == "" {
			t.Errorf("%s: status %d, words %q", c.Code, c.Status, c.Words)
		}
		if got := c.Code.Info(); got != c {
			t.Errorf("%s.Info() = %+v, want its row", c.Code, got)
		}
	}
	if got := svc.Code("NO_SUCH_CODE").Info(); got.Status != 500 {
		t.Errorf("an unknown code has status %d, want 500", got.Status)
	}
	if got := svc.Code(svc.WidgetPrefillZIP).Info(); got.Status != 400 || got.Words == "" {
		t.Errorf("a widget error as a code = %+v, want 400 with words", got)
	}
}

func TestEveryWidgetErrorHasWordsInBothLanguages(t *testing.T) {
	for _, e := range svc.WidgetErrors() {
		if e.Engineer == "" || e.Applicant.EN == "" || e.Applicant.ES == "" || e.Applicant.EN == e.Applicant.ES {
			t.Errorf("%s lacks words: %+v", e.Type, e)
		}
		if got := e.Type.Info(); got != e {
			t.Errorf("%s.Info() is another row", e.Type)
		}
	}
	for _, unknown := range []svc.WidgetError{"", "SOMETHING_NEW"} {
		if got := unknown.Info().Type; got != svc.WidgetInternalError {
			t.Errorf("%q.Info() = %s, want INTERNAL_ERROR", unknown, got)
		}
	}
}

func TestRegistrationHoldsTheExclusions(t *testing.T) {
	const id = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff"
	good := svc.Registration{Env: "sandbox", ProductID: id, PublicID: "svc-x", Token: "t"}
	for name, c := range map[string]struct {
		change func(*svc.Registration)
		want   svc.WidgetError
	}{
		"a token alone":               {func(*svc.Registration) {}, ""},
		"prefill alone":               {func(r *svc.Registration) { r.Token, r.HasPrefill = "", true }, ""},
		"a consumer alone":            {func(r *svc.Registration) { r.Token, r.ConsumerID = "", id }, ""},
		"a token with a consumer":     {func(r *svc.Registration) { r.ConsumerID = id }, ""},
		"none of the three":           {func(r *svc.Registration) { r.Token = "" }, svc.WidgetInvalidToken},
		"a token with prefill":        {func(r *svc.Registration) { r.HasPrefill = true }, svc.WidgetInvalidToken},
		"a consumer with prefill":     {func(r *svc.Registration) { r.Token, r.ConsumerID, r.HasPrefill = "", id, true }, svc.WidgetInvalidConsumerID},
		"all three":                   {func(r *svc.Registration) { r.ConsumerID, r.HasPrefill = id, true }, svc.WidgetInvalidConsumerID},
		"a consumer that is no UUID":  {func(r *svc.Registration) { r.Token, r.ConsumerID = "", "someone" }, svc.WidgetInvalidConsumerID},
		"no environment":              {func(r *svc.Registration) { r.Env = "" }, svc.WidgetUnknownCustomer},
		"another environment":         {func(r *svc.Registration) { r.Env = "staging" }, svc.WidgetUnknownCustomer},
		"no publicId":                 {func(r *svc.Registration) { r.PublicID = "" }, svc.WidgetUnknownCustomer},
		"a product that is no UUID":   {func(r *svc.Registration) { r.ProductID = "cashflow" }, svc.WidgetInvalidProduct},
		"externalId at its bound":     {func(r *svc.Registration) { r.ExternalID = strings.Repeat("é", 64) }, ""},
		"externalId beyond its bound": {func(r *svc.Registration) { r.ExternalID = strings.Repeat("é", 65) }, svc.WidgetInternalError},
		"userArgs at its bound":       {func(r *svc.Registration) { r.UserArgs = strings.Repeat("x", 255) }, ""},
		"userArgs beyond its bound":   {func(r *svc.Registration) { r.UserArgs = strings.Repeat("x", 256) }, svc.WidgetInternalError},
		"a sandbox report":            {func(r *svc.Registration) { r.SandboxReportID = id }, ""},
		"a sandbox report by name":    {func(r *svc.Registration) { r.SandboxReportID = "mine" }, svc.WidgetInternalError},
	} {
		r := good
		c.change(&r)
		if got := r.Check(); got != c.want {
			t.Errorf("%s: Check = %q, want %q", name, got, c.want)
		}
	}
}

func TestStatusesAreFinalOrPending(t *testing.T) {
	for _, s := range svc.Statuses() {
		if s.Final() == (s == svc.StatusPending) {
			t.Errorf("%s.Final() = %v", s, s.Final())
		}
		if s.Failed() && !s.Final() {
			t.Errorf("%s has failed but is not final", s)
		}
	}
	if svc.Status("success").Valid() || svc.Outcome("success").Valid() {
		t.Error("lower case is accepted")
	}
}

func TestIsUUID(t *testing.T) {
	for s, want := range map[string]bool{
		"6f9619ff-8b86-4d01-b42d-00cf4fc964ff":  true,
		"6F9619FF-8B86-4D01-B42D-00CF4FC964FF":  true,
		"6f9619ff8b864d01b42d00cf4fc964ff":      false,
		"6f9619ff-8b86-4d01-b42d-00cf4fc964f":   false,
		"6f9619ff-8b86-4d01-b42d-00cf4fc964fg":  false,
		"6f9619ff-8b86-4d01-b42d-00cf4fc964ff ": false,
		"":                                      false,
	} {
		if got := svc.IsUUID(s); got != want {
			t.Errorf("IsUUID(%q) = %v", s, got)
		}
	}
}

package contract_test

import (
	"strings"
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
)

func TestCodesAreComplete(t *testing.T) {
	seen := map[contract.Code]bool{}
	for _, c := range contract.Codes() {
		if seen[c.Code] {
			t.Errorf("%s is listed twice", c.Code)
		}
		seen[c.Code] = true
		if c.Status < 400 || c.Status > 599 || c.Message == "" {
			t.Errorf("%s: status %d, message %q", c.Code, c.Status, c.Message)
		}
		if got := c.Code.Info(); got != c {
			t.Errorf("%s.Info() = %+v, want its row", c.Code, got)
		}
	}
	if got := contract.Code("NO_SUCH_CODE").Info(); got.Status != 500 {
		t.Errorf("an unknown code has status %d, want 500", got.Status)
	}
	if got := contract.Code(contract.WidgetPrefillZIP).Info(); got.Status != 400 || got.Message == "" {
		t.Errorf("a widget error as a code = %+v, want 400 with a message", got)
	}
}

func TestEveryWidgetErrorHasTexts(t *testing.T) {
	for _, e := range contract.WidgetErrors() {
		if e.Engineer == "" || i18n.T(i18n.English, e.Applicant) == i18n.T(i18n.Spanish, e.Applicant) {
			t.Errorf("%s lacks texts: %+v", e.Type, e)
		}
		if got := e.Type.Info(); got != e {
			t.Errorf("%s.Info() is another row", e.Type)
		}
	}
	for _, unknown := range []contract.WidgetError{"", "SOMETHING_NEW"} {
		if got := unknown.Info().Type; got != contract.WidgetInternalError {
			t.Errorf("%q.Info() = %s, want INTERNAL_ERROR", unknown, got)
		}
	}
}

func TestRegistrationCheck(t *testing.T) {
	const id = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff"
	good := contract.Registration{Env: "sandbox", ProductID: id, PublicID: "svc-x", Token: "t"}
	for name, c := range map[string]struct {
		change func(*contract.Registration)
		want   contract.WidgetError
	}{
		"a token alone":           {func(*contract.Registration) {}, ""},
		"prefill alone":           {func(r *contract.Registration) { r.Token, r.HasPrefill = "", true }, ""},
		"a consumer alone":        {func(r *contract.Registration) { r.Token, r.ConsumerID = "", id }, ""},
		"a token with a consumer": {func(r *contract.Registration) { r.ConsumerID = id }, ""},
		"none of the three":       {func(r *contract.Registration) { r.Token = "" }, contract.WidgetInvalidToken},
		"a token with prefill":    {func(r *contract.Registration) { r.HasPrefill = true }, contract.WidgetInvalidToken},
		"a consumer with prefill": {func(r *contract.Registration) { r.Token, r.ConsumerID, r.HasPrefill = "", id, true },
			contract.WidgetInvalidConsumerID},
		"all three": {func(r *contract.Registration) { r.ConsumerID, r.HasPrefill = id, true },
			contract.WidgetInvalidConsumerID},
		"a consumer that is no UUID": {func(r *contract.Registration) { r.Token, r.ConsumerID = "", "someone" },
			contract.WidgetInvalidConsumerID},
		"no environment":              {func(r *contract.Registration) { r.Env = "" }, contract.WidgetUnknownCustomer},
		"another environment":         {func(r *contract.Registration) { r.Env = "staging" }, contract.WidgetUnknownCustomer},
		"no publicId":                 {func(r *contract.Registration) { r.PublicID = "" }, contract.WidgetUnknownCustomer},
		"a product that is no UUID":   {func(r *contract.Registration) { r.ProductID = "cashflow" }, contract.WidgetInvalidProduct},
		"externalId at its bound":     {func(r *contract.Registration) { r.ExternalID = strings.Repeat("é", 64) }, ""},
		"externalId beyond its bound": {func(r *contract.Registration) { r.ExternalID = strings.Repeat("é", 65) }, contract.WidgetInternalError},
		"userArgs at its bound":       {func(r *contract.Registration) { r.UserArgs = strings.Repeat("x", 255) }, ""},
		"userArgs beyond its bound":   {func(r *contract.Registration) { r.UserArgs = strings.Repeat("x", 256) }, contract.WidgetInternalError},
		"a sandbox report":            {func(r *contract.Registration) { r.SandboxReportID = id }, ""},
		"a sandbox report by name":    {func(r *contract.Registration) { r.SandboxReportID = "mine" }, contract.WidgetInternalError},
	} {
		r := good
		c.change(&r)
		if got := r.Check(); got != c.want {
			t.Errorf("%s: Check = %q, want %q", name, got, c.want)
		}
	}
}

func TestStatusesAreFinalOrPending(t *testing.T) {
	for _, s := range contract.Statuses() {
		if s.Final() == (s == contract.StatusPending) {
			t.Errorf("%s.Final() = %v", s, s.Final())
		}
		if s.Failed() && !s.Final() {
			t.Errorf("%s has failed but is not final", s)
		}
	}
	if contract.Status("success").Valid() || contract.Outcome("success").Valid() {
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
		if got := contract.IsUUID(s); got != want {
			t.Errorf("IsUUID(%q) = %v", s, got)
		}
	}
}

package applications

import (
	"cmp"
	"context"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/journey"
	"vestibule/internal/prefill"
	"vestibule/internal/store"
)

// created is the first entry of a timeline.
const created = "created"

// New holds the arguments of Create.
type New struct {
	Product         contract.Product
	Mode            Mode           // default Embedded
	Variant         Variant        // default ByToken
	Manual          bool           // with Embedded, in the sandbox only
	SandboxReportID string         // with BySandboxReport
	Origin          string         // FromWeb or FromAPI
	Prefill         prefill.Object // unchecked; nil, allowed from the API only: the applicant is asked
	ExternalID      string         // at most 64 characters; default: the application's ID
	UserArgs        string         // at most 255 characters
	ReturnURL       string
	AllowedOrigin   string
	Lang            i18n.Lang
	SessionID       string // session that may see the application; may be ""
}

// Create validates and stores an application. If the applicant's data has problems,
// it returns them with a nil error and stores nothing.
func (s *Service) Create(ctx context.Context, tx *store.Tx, n New) (Application, []prefill.Problem, error) {
	a, err := s.draft(n, tx.Now)
	if err != nil {
		return Application{}, nil, err
	}
	var fields prefill.Fields
	if n.Prefill != nil {
		var problems []prefill.Problem
		if fields, problems = s.rules(n.Product, tx.Now).Check(n.Prefill); len(problems) > 0 {
			return Application{}, problems, nil
		}
	}
	if a.dataKey, err = s.DB.Vault.NewKey(ctx, tx); err != nil {
		return Application{}, nil, err
	}
	var sealed []byte
	if n.Prefill != nil {
		if sealed, err = seal(ctx, s.DB.Vault, tx, a.dataKey, a.ID, fields); err != nil {
			return Application{}, nil, err
		}
	}
	ok, err := insert(ctx, tx, a, sealed)
	if err != nil {
		return Application{}, nil, err
	}
	if !ok {
		return Application{}, nil, ErrDuplicateExternalID
	}
	if n.SessionID != "" {
		if err := s.GrantAccess(ctx, tx, a.ID, n.SessionID); err != nil {
			return Application{}, nil, err
		}
	}
	a, err = s.record(ctx, tx, a, created, TimelineEntry{Kind: created, To: string(a.Journey.State)}, a.Journey, true)
	if err == nil && n.Prefill != nil {
		err = s.notifyApplicantStored(ctx, tx, a, fields)
	}
	return a, nil, err
}

// CheckPrefill returns the problems that Create would find in an applicant's data.
func (s *Service) CheckPrefill(p contract.Product, o prefill.Object) []prefill.Problem {
	_, problems := s.rules(p, s.now()).Check(o)
	return problems
}

func (s *Service) notifyApplicantStored(ctx context.Context, tx *store.Tx, a Application, fields prefill.Fields) error {
	for _, f := range s.OnApplicant {
		if err := f(ctx, tx, a, fields); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) draft(n New, now time.Time) (Application, error) {
	a := Application{ID: uuid.NewString(), Product: n.Product, Mode: n.Mode, Variant: n.Variant, Manual: n.Manual,
		SandboxReportID: n.SandboxReportID, Origin: n.Origin, ExternalID: n.ExternalID, UserArgs: n.UserArgs,
		ReturnURL: n.ReturnURL, AllowedOrigin: n.AllowedOrigin, Lang: n.Lang, HasApplicant: n.Prefill != nil,
		Journey: journey.New(now.Unix()), CreatedAt: now, UpdatedAt: now}
	a.Mode = cmp.Or(a.Mode, Embedded)
	a.Variant = cmp.Or(a.Variant, ByToken)
	a.ExternalID = cmp.Or(a.ExternalID, a.ID)
	special := a.Variant != ByToken || a.Manual || a.SandboxReportID != ""
	switch {
	case !s.Offers(n.Product):
		return a, ErrUnknownProduct
	case !a.Mode.Valid() || !a.Variant.Valid() || special && (s.Environment != contract.Sandbox || a.Mode != Embedded):
		return a, ErrBadMode
	case (a.Variant == BySandboxReport) != contract.IsUUID(a.SandboxReportID):
		return a, ErrBadMode
	case n.Prefill == nil && n.Origin != FromAPI:
		return a, ErrBadMode
	case utf8.RuneCountInString(a.ExternalID) > contract.MaxExternalID || !headerSafe(a.ExternalID):
		return a, ErrBadExternalID
	case utf8.RuneCountInString(a.UserArgs) > contract.MaxUserArgs || !utf8.ValidString(a.UserArgs):
		return a, ErrBadUserArgs
	case !Browsable(a.ReturnURL) || !FrameOrigin(a.AllowedOrigin):
		return a, ErrBadURL
	}
	return a, nil
}

func headerSafe(s string) bool {
	for _, c := range s {
		if c == utf8.RuneError || unicode.IsControl(c) {
			return false
		}
	}
	return strings.TrimSpace(s) == s
}

// Browsable reports whether raw is empty or an absolute https URL, or an http URL on
// this machine, of printable ASCII without user or fragment.
func Browsable(raw string) bool {
	if raw == "" {
		return true
	}
	u, ok := httpx.ParseURL(raw)
	return ok && httpx.IsSecure(u) && httpx.IsVisible(raw) && !strings.ContainsAny(raw, "\\#") && len(raw) <= 2048
}

// FrameOrigin reports whether raw is Browsable and has nothing after the host, as
// required of an origin that may frame pages.
func FrameOrigin(raw string) bool {
	u, err := url.Parse(raw)
	return err == nil && Browsable(raw) && u.Path == "" && u.RawQuery == "" && !u.ForceQuery && !strings.ContainsAny(u.Host, ";,'\"*")
}

func (s *Service) rules(p contract.Product, now time.Time) prefill.Rules {
	return prefill.Rules{Product: p, Environment: s.Environment, Today: prefill.DateOf(now.Date()), AssetsOnly: s.AssetsOnly}
}

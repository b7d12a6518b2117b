// Package signin has what the sign-ins at the sandbox's institutions share: which answers
// are right, the steps of the sign-in pages from the sign-in to the consent, the cookie that
// binds an authorization to a browser, and the pages of errors. The sandbox serves these
// pages at one origin.
package signin

import (
	"encoding/base64"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/visits/flow"
	"vestibule/internal/store"
	"vestibule/templates/provider/bank"
	"vestibule/templates/ui"
	"vestibule/web"
)

// Login is the result of a username.
type Login struct {
	Known   bool
	Profile string         // test profile; empty: no access
	Reason  sources.Reason // without a Profile: why
}

// Code is the right one-time code.
const Code = "123456"

// Right reports whether an answer is right: every password but one, and Code.
func Right(q sources.Question, answer string) bool {
	if q == sources.Code {
		return answer == Code
	}
	return answer != "wrong"
}

// Slug converts the name of an institution to its id: lowercase letters, digits, and single
// hyphens.
func Slug(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}), "-")
}

// Step is a step of an authorization. Institutions may have further ones.
type Step string

// Steps.
const (
	StepSignIn  Step = "sign-in"
	StepCode    Step = "code"
	StepConsent Step = "consent"
	StepRefused Step = "refused" // the institution refused
	StepDone    Step = "done"    // the browser left the pages
)

// State is the progress of an authorization.
type State struct {
	Step     Step
	Username string
	Tries    int // wrong passwords or codes at this step
}

// SignIn returns the state after the form of StepSignIn, or the problems of its fields.
func (s State) SignIn(form url.Values, known func(username string) bool) (State, sources.Problems) {
	username, password, problems := sources.ReadSignIn(form)
	if len(problems) > 0 {
		return s, problems
	}
	if !known(username) || !Right(sources.Password, password) {
		return s.fail(), nil
	}
	return State{Step: StepCode, Username: username}, nil
}

// EnterCode returns the state after the form of StepCode, or the problem of its field. The
// right code leads to next. No code is right for the user mfa.
func (s State) EnterCode(form url.Values, next Step) (State, sources.Problems) {
	code, problems := sources.ReadCode(form)
	if len(problems) > 0 {
		return s, problems
	}
	if !Right(sources.Code, code) || s.Username == "mfa" {
		return s.fail(), nil
	}
	return State{Step: next, Username: s.Username}, nil
}

// fail counts a wrong password or code. After MaxTries the institution refuses.
func (s State) fail() State {
	if s.Tries++; s.Tries >= flow.MaxTries {
		s.Step = StepRefused
	}
	return s
}

// TriesLeft returns how many tries are left after a wrong one, and 0 before.
func (s State) TriesLeft() int {
	if s.Tries == 0 {
		return 0
	}
	return flow.MaxTries - s.Tries
}

// Errors of pages that tell the user what to do. store.ErrNotFound is another one: the
// authorization has ended.
var (
	ErrForged   = errors.New("signin: the form is of another site")
	ErrRequest  = errors.New("signin: the client or its redirect URI is not registered, or the request_uri has expired")
	ErrNoCookie = errors.New("signin: the browser keeps no cookie")
)

// MaxForm is the maximum size of a form in bytes.
const MaxForm = 32 << 10

// Pages writes pages. All fields must be set.
type Pages struct {
	Log    *slog.Logger
	Secure bool // the origin has https
	Assets *web.Assets
	Name   func(*http.Request) string // of the institution that a request is for; empty if unknown
}

func (p Pages) cookie() string { return httpx.HostCookie("fdx-bank", p.Secure) }

// BrowserOf returns the hash of the browser's secret, or nil.
func (p Pages) BrowserOf(r *http.Request) []byte {
	all := r.CookiesNamed(p.cookie())
	if len(all) != 1 {
		return nil
	}
	if raw, err := base64.RawURLEncoding.Strict().DecodeString(all[0].Value); err != nil || len(raw) != 32 {
		return nil
	}
	return store.Hash(all[0].Value)
}

// Browser is BrowserOf for the first page, which gives the browser a secret.
func (p Pages) Browser(w http.ResponseWriter, r *http.Request) []byte {
	if known := p.BrowserOf(r); known != nil {
		return known
	}
	secret := store.NewSecret()
	// Lax, not Strict: the client's site leads the browser here.
	http.SetCookie(w, &http.Cookie{Name: p.cookie(), Value: secret, Path: "/", HttpOnly: true, Secure: p.Secure,
		SameSite: http.SameSiteLaxMode})
	return store.Hash(secret)
}

// Handler adapts a handler whose errors are shown as pages.
func (p Pages) Handler(h httpx.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := h(w, r)
		if err == nil {
			return
		}
		m := bank.Message{Title: "bank.failed.title", Text: "bank.failed.text"}
		switch {
		case errors.Is(err, ErrForged):
			err = httpx.NewError(contract.CodeForbidden, err)
		case errors.Is(err, ErrRequest):
			m.Title, m.Text = "bank.request.title", "bank.request.text"
			err = httpx.NewError(contract.CodeInvalidParameters, err)
		case errors.Is(err, ErrNoCookie):
			m.Title, m.Text = "bank.ended.title", "bank.ended.cookie"
			err = httpx.NewError(contract.CodeForbidden, err)
		case errors.Is(err, store.ErrNotFound):
			m.Title, m.Text = "bank.ended.title", "bank.ended.text"
			err = httpx.NewError(contract.CodeNotFound, err)
		}
		e := httpx.AsError(err)
		httpx.LogError(r, p.Log, e)
		p.message(w, r, e.HTTPStatus(), m)
	})
}

// Form adapts a handler of forms: it refuses those of other sites.
func (p Pages) Form(h httpx.HandlerFunc) http.Handler {
	sameOrigin := http.NewCrossOriginProtection()
	sameOrigin.SetDenyHandler(p.Handler(func(http.ResponseWriter, *http.Request) error { return ErrForged }))
	return sameOrigin.Handler(p.Handler(h))
}

// Missing answers an unknown address or an unsupported method on a page.
func (p Pages) Missing(w http.ResponseWriter, r *http.Request, status int) {
	p.message(w, r, status, bank.Message{Title: "bank.failed.title", Text: "bank.failed.text"})
}

func (p Pages) message(w http.ResponseWriter, r *http.Request, status int, m bank.Message) {
	m.Lang, m.Bank, m.Style, m.Icon = language(r, nil), p.Name(r), p.Assets.URL("provider.css"), p.Assets.URL("icon.svg")
	m.Languages = ui.Languages(m.Lang, &url.URL{Path: r.URL.Path})
	httpx.SetSecurityHeaders(w, httpx.CSP{Static: true})
	if err := httpx.HTML(w, r, status, bank.MessagePage(m)); err != nil {
		httpx.WriteError(w, r, p.Log, err)
	}
}

// Write writes the page of a step, whose forms may lead back to redirectURI. asked are the
// client's preferred languages. It completes v.
func (p Pages) Write(w http.ResponseWriter, r *http.Request, status int, v bank.Page, s State, asked []string, redirectURI string) error {
	u, err := url.Parse(redirectURI)
	if err != nil {
		return err
	}
	v.Lang, v.Step, v.TriesLeft = language(r, asked), string(s.Step), s.TriesLeft()
	v.Style, v.Icon, v.Action = p.Assets.URL("provider.css"), p.Assets.URL("icon.svg"), Address(r)
	v.Languages = ui.Languages(v.Lang, &url.URL{Path: r.URL.Path})
	// A page's policy covers where its forms are redirected to.
	httpx.SetSecurityHeaders(w, httpx.CSP{Static: true, FormAction: []string{httpx.Origin(u)}})
	return httpx.HTML(w, r, status, bank.BankPage(v))
}

// Address returns the address of a page with its chosen language.
func Address(r *http.Request) string {
	if l := i18n.Lang(r.URL.Query().Get("lang")); l.Spoken() {
		return r.URL.EscapedPath() + "?lang=" + string(l)
	}
	return r.URL.EscapedPath()
}

// language returns the page's language: the one chosen there, else the first that the
// client asks for and the page has, else the browser's.
func language(r *http.Request, asked []string) i18n.Lang {
	var remembered string
	for _, tag := range asked {
		primary, _, _ := strings.Cut(strings.ToLower(tag), "-")
		if i18n.Lang(primary).Spoken() {
			remembered = primary
			break
		}
	}
	return ui.PickLanguage(r.URL.Query().Get("lang"), remembered, r.Header.Get("Accept-Language"))
}

// Redirect sends the browser back to the client with parameters.
func Redirect(w http.ResponseWriter, redirectURI string, answer url.Values) error {
	separator := "?"
	if strings.Contains(redirectURI, "?") {
		separator = "&"
	}
	w.Header().Set("Referrer-Policy", "no-referrer")
	return httpx.SeeOther(w, redirectURI+separator+answer.Encode())
}

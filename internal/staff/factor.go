package staff

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"strings"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/store"
)

// CodePage is the content of the page that asks for a code of the second factor.
type CodePage struct{ Problem Problem }

// NewFactorPage is the content of the page on which a user adds a second factor.
type NewFactorPage struct {
	Secret, URI string // for an authenticator app
	Problem     Problem
}

// RecoveryPage is the content of the page that shows recovery codes, once.
type RecoveryPage struct {
	Codes []string
	Next  string
}

// FactorPage is the content of a user's own page about the second factor.
type FactorPage struct {
	Local   bool // the user has a password; others have the second factor of the issuer
	On      bool
	Codes   int // unused recovery codes
	Problem Problem
}

// stepLife is the maximum time from the password to the code.
const stepLife = 10 * time.Minute

// secondStep is a sign-in with the right password that waits for a code. The browser keeps it in an
// encrypted cookie.
type secondStep struct {
	User     string `json:"u"`
	Password []byte `json:"w"`           // hash of the password's hash: a new password ends the step
	Secret   []byte `json:"s,omitempty"` // of a factor that the user is adding
	Next     string `json:"p,omitempty"`
	Until    int64  `json:"e"` // Unix time in microseconds
}

func (s *Service) stepCookie() sealedCookie {
	return sealedCookie{name: httpx.HostCookie(strings.TrimPrefix(s.Home, "/")+"-second-step", s.secure()), row: "second step",
		life: stepLife, sameSite: http.SameSiteStrictMode}
}

// step returns the sign-in that waits for a code in this browser, and its user. It returns
// store.ErrNotFound if there is none.
func (s *Service) step(r *http.Request) (p secondStep, u User, err error) {
	if !s.openCookie(r, s.stepCookie(), &p) || p.Until <= store.Micros(s.Clock()) {
		return p, u, store.ErrNotFound
	}
	u, err = s.User(r.Context(), s.DB.SQL, p.User)
	if err == nil && (!u.Disabled.IsZero() || !bytes.Equal(p.Password, store.Hash(u.passwordHash)) || u.HasFactor != (p.Secret == nil)) {
		err = store.ErrNotFound
	}
	return p, u, err
}

// withStep calls show with the sign-in that waits for a code, or redirects to the sign-in page.
func (s *Service) withStep(w http.ResponseWriter, r *http.Request, adding bool, show func(secondStep, User) error) error {
	p, u, err := s.step(r)
	if errors.Is(err, store.ErrNotFound) || err == nil && adding != (p.Secret != nil) {
		return s.ToSignIn(w, "", false)
	}
	if err != nil {
		return err
	}
	return show(p, u)
}

// toSecondFactor redirects a user who gave the right password to the page that asks for a code, or
// adds a factor if one is required. It reports false for a user who needs no code.
func (s *Service) toSecondFactor(w http.ResponseWriter, r *http.Request, u User, next string) (bool, error) {
	switch {
	case u.HasFactor:
		return true, s.beginStep(w, r, u, "/sign-in/code", next, nil)
	case s.NeedFactor:
		return true, s.beginStep(w, r, u, "/sign-in/factor", next, newTOTPSecret())
	}
	return false, nil
}

func (s *Service) beginStep(w http.ResponseWriter, r *http.Request, u User, page, next string, secret []byte) error {
	err := s.setCookie(w, r, s.stepCookie(), secondStep{User: u.ID, Password: store.Hash(u.passwordHash), Secret: secret, Next: next,
		Until: store.Micros(s.Clock().Add(stepLife))})
	if err != nil {
		return err
	}
	return httpx.SeeOther(w, s.Home+page)
}

// CodePage shows the page that asks for a code.
func (s *Service) CodePage(w http.ResponseWriter, r *http.Request) error {
	return s.withStep(w, r, false, func(secondStep, User) error { return s.Show(w, r, http.StatusOK, CodePage{}) })
}

// SignInByCode handles the form of that page.
func (s *Service) SignInByCode(w http.ResponseWriter, r *http.Request) error {
	return s.withStep(w, r, false, func(p secondStep, u User) error {
		form, err := httpx.DecodeForm(w, r, maxForm)
		if err != nil {
			return err
		}
		t := s.tries.try(r, u.Email, "")
		problem, err := s.tryCode(r.Context(), t, u, func() error {
			return s.startSession(w, r, byCode, "", func(ctx context.Context, tx *store.Tx) (User, error) {
				return u, errors.Join(s.useCode(ctx, tx, u, form.Get("code")), s.tries.succeeded(ctx, tx, t.withCode()))
			})
		})
		if err != nil || problem != NoProblem {
			return s.showProblem(w, r, err, problem, CodePage{problem})
		}
		s.deleteCookie(w, s.stepCookie())
		return httpx.SeeOther(w, cmp.Or(p.Next, s.Home))
	})
}

// NewFactorPage shows the page on which a user adds a second factor.
func (s *Service) NewFactorPage(w http.ResponseWriter, r *http.Request) error {
	return s.withStep(w, r, true, func(p secondStep, u User) error { return s.Show(w, r, http.StatusOK, s.newFactor(p, u, NoProblem)) })
}

func (s *Service) newFactor(p secondStep, u User, problem Problem) NewFactorPage {
	return NewFactorPage{Secret: totpText(p.Secret), URI: totpURI(s.Site, u.Email, p.Secret), Problem: problem}
}

// AddFactor handles the form of that page: with a first code, it stores the factor, ends the user's
// other sessions, signs the user in, and shows recovery codes.
func (s *Service) AddFactor(w http.ResponseWriter, r *http.Request) error {
	return s.withStep(w, r, true, func(p secondStep, u User) error {
		form, err := httpx.DecodeForm(w, r, maxForm)
		if err != nil {
			return err
		}
		t, codes := s.tries.try(r, u.Email, ""), newRecoveryCodes()
		problem, err := s.tryCode(r.Context(), t, u, func() error {
			period, ok := periodOf(p.Secret, digits(form.Get("code")), s.Clock())
			if !ok {
				return errWrongCode
			}
			return s.startSession(w, r, byCode, "", func(ctx context.Context, tx *store.Tx) (User, error) {
				if ok, err := s.insertFactor(ctx, tx, u.ID, p.Secret, period); err != nil || !ok {
					return u, cmp.Or(err, errWrongCode) // another browser has added one
				}
				return u, errors.Join(s.replaceRecovery(ctx, tx, u.ID, codes), s.Sessions.EndAll(ctx, tx, u.ID),
					s.tries.succeeded(ctx, tx, t.withCode()), s.recordFactor(ctx, tx, u, FactorAdded))
			})
		})
		if err != nil || problem != NoProblem {
			return s.showProblem(w, r, err, problem, s.newFactor(p, u, problem))
		}
		s.deleteCookie(w, s.stepCookie())
		return s.Show(w, r, http.StatusOK, RecoveryPage{Codes: codes, Next: cmp.Or(p.Next, s.Home)})
	})
}

// FactorPage shows a user's own page about the second factor.
func (s *Service) FactorPage(w http.ResponseWriter, r *http.Request) error {
	u, _, err := s.Current(r.Context(), s.DB.SQL, r)
	if err != nil {
		return err
	}
	return s.showFactor(w, r, u, http.StatusOK, NoProblem)
}

func (s *Service) showFactor(w http.ResponseWriter, r *http.Request, u User, status int, problem Problem) error {
	if u.ID == "" {
		return s.ToSignIn(w, s.Home+"/second-factor", r.Method == http.MethodPost)
	}
	n, err := s.countRecovery(r.Context(), s.DB.SQL, u.ID)
	if err != nil {
		return err
	}
	return s.Show(w, r, status, FactorPage{Local: u.HasPassword, On: u.HasFactor, Codes: n, Problem: problem})
}

// ChangeFactor handles the forms of that page: with the password it begins to add a factor, and with
// a code it removes the factor or makes new recovery codes.
func (s *Service) ChangeFactor(w http.ResponseWriter, r *http.Request) error {
	u, current, err := s.Current(r.Context(), s.DB.SQL, r)
	if err != nil {
		return err
	}
	if u.ID == "" {
		return s.showFactor(w, r, u, http.StatusOK, NoProblem)
	}
	form, err := httpx.DecodeForm(w, r, maxForm)
	if err != nil {
		return err
	}
	do := form.Get("do")
	if do == "add" && !u.HasFactor && u.HasPassword {
		right, _, err := s.CheckOwnPassword(r.Context(), u, current, form.Get("password"))
		switch {
		case err != nil:
			return err
		case !right:
			return s.showFactor(w, r, u, http.StatusUnprocessableEntity, WrongPassword)
		}
		return s.beginStep(w, r, u, "/sign-in/factor", s.Home+"/second-factor", newTOTPSecret())
	}
	if do != "remove" && do != "codes" || !u.HasFactor {
		return httpx.NewError(contract.CodeMalformedBody, errors.New("no such change of a second factor"))
	}
	t, codes := try{email: u.Email, browser: "session " + current.ID}, newRecoveryCodes()
	problem, err := s.tryCode(r.Context(), t, u, func() error {
		return s.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
			if err := s.useCode(ctx, tx, u, form.Get("code")); err != nil {
				return err
			}
			var changed error
			action := FactorRemoved
			if do == "codes" {
				changed, action = s.replaceRecovery(ctx, tx, u.ID, codes), RecoveryReplaced
			} else {
				changed = s.deleteFactor(ctx, tx, u.ID)
			}
			return errors.Join(changed, s.tries.succeeded(ctx, tx, t.withCode()), s.recordFactor(ctx, tx, u, action))
		})
	})
	switch {
	case err != nil:
		return err
	case problem != NoProblem:
		return s.showFactor(w, r, u, problemStatus(w, problem), problem)
	case do == "codes":
		return s.Show(w, r, http.StatusOK, RecoveryPage{Codes: codes, Next: s.Home + "/second-factor"})
	}
	return httpx.SeeOther(w, s.Home+"/second-factor")
}

// RemoveFactor removes a user's second factor on behalf of another, and ends the user's sessions.
func (s *Service) RemoveFactor(ctx context.Context, tx *store.Tx, id string) error {
	return errors.Join(s.deleteFactor(ctx, tx, id), s.Sessions.EndAll(ctx, tx, id))
}

func (s *Service) recordFactor(ctx context.Context, tx *store.Tx, u User, action string) error {
	return s.Record(ctx, tx, Entry{Actor: u.ID, Action: action, Subject: u.Account, Object: u.ID})
}

var errWrongCode = errors.New("staff: a wrong or used code")

// tryCode counts a try of a code together with those of passwords, and lets use check the code. A
// user has MaxTries of them within TriesWindow, wherever they come from.
func (s *Service) tryCode(ctx context.Context, t try, u User, use func() error) (Problem, error) {
	if allowed, err := s.tries.count(ctx, t.withCode()); err != nil || !allowed {
		return TooManyTries, err
	}
	err := use()
	if errors.Is(err, errWrongCode) {
		return WrongCode, s.recordFailure(ctx, u, byCode)
	}
	return NoProblem, err
}

// useCode uses up a code of an authenticator app or a recovery code, or returns errWrongCode.
func (s *Service) useCode(ctx context.Context, tx *store.Tx, u User, typed string) error {
	ok := false
	if code := digits(typed); len(code) == 6 {
		secret, err := s.factorSecret(ctx, tx, u.ID)
		if err != nil {
			return err
		}
		if period, found := periodOf(secret, code, s.Clock()); found {
			if ok, err = s.usePeriod(ctx, tx, u.ID, period); err != nil {
				return err
			}
		}
	} else {
		var err error
		if ok, err = s.useRecovery(ctx, tx, u.ID, strings.ToUpper(code)); err != nil {
			return err
		}
		if ok {
			return s.recordFactor(ctx, tx, u, RecoveryUsed)
		}
	}
	if !ok {
		return errWrongCode
	}
	return nil
}

// digits returns a code without the spaces and hyphens that people type.
func digits(code string) string {
	return strings.NewReplacer(" ", "", "-", "").Replace(strings.TrimSpace(code))
}

// newRecoveryCodes returns ten codes of 80 bits.
func newRecoveryCodes() (codes []string) {
	for range 10 {
		codes = append(codes, rand.Text()[:16])
	}
	return codes
}

func problemStatus(w http.ResponseWriter, problem Problem) int {
	if problem != TooManyTries {
		return http.StatusUnprocessableEntity
	}
	httpx.RetryAfter(w, TriesWindow)
	return http.StatusTooManyRequests
}

func (s *Service) showProblem(w http.ResponseWriter, r *http.Request, err error, problem Problem, page any) error {
	if err != nil {
		return err
	}
	return s.Show(w, r, problemStatus(w, problem), page)
}

package staff

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/httpx"
	"vestibule/internal/store"
)

// Entry is one entry of the audit log. It holds IDs and the dashboard's own words, no
// personal data and no secrets.
type Entry struct {
	ID        string // default: a new one
	Actor     string // ID of the user who acted; "" if unknown
	Action    string
	Subject   string // review dashboard: the application, or ""; provider's dashboard: the account
	Object    string // what else was acted on, such as a user; "" for nothing
	Detail    string
	Values    []Value // that the action changed
	RequestID string
	At        time.Time
}

// Actions that this package records.
const (
	SignedIn     = "signedIn"
	SignInFailed = "signInFailed"
	SignedOut    = "signedOut"
	UserAdded    = "personAdded"
	UserChanged  = "personChanged"
	LinkIssued   = "personLinked"
	ResetSent    = "resetSent"
	PasswordSet  = "passwordSet"

	InvitationWithdrawn = "invitationWithdrawn"
	FactorAdded         = "factorAdded"
	FactorRemoved       = "factorRemoved" // by the user
	FactorReset         = "factorReset"   // by an administrator
	RecoveryUsed        = "recoveryUsed"  // a recovery code
	RecoveryReplaced    = "recoveryReplaced"
)

// Methods of signing in, as the audit log names them.
const (
	byPassword = "password"
	byOIDC     = "elsewhere"
	byLink     = "link"
	byCode     = "code" // password and second factor
)

// Value is a setting before and after a change, in codes. It is neither personal nor secret.
type Value struct {
	Setting       Setting
	Before, After string
}

// Setting is the code of a setting in the values of the audit log.
type Setting string

// Settings of users, of accounts and products, of webhooks and redirects, and of themes.
const (
	SettingRole          Setting = "role"
	SettingName          Setting = "name"
	SettingDisplayName   Setting = "displayName"
	SettingConfiguration Setting = "configuration"
	SettingCallbackURL   Setting = "callbackURL"
	SettingStatuses      Setting = "statuses"
	SettingDefaultURL    Setting = "defaultURL"
	SettingReturnMode    Setting = "returnMode"
	SettingRequireForm   Setting = "requireForm"
	SettingLight         Setting = "light"
	SettingDark          Setting = "dark"
	SettingCorners       Setting = "corners"
	SettingFont          Setting = "font"
	SettingScheme        Setting = "scheme"
	SettingWordmark      Setting = "wordmark"
	SettingSubmissions   Setting = "submissions" // within a minute
)

// maxValue is the length in bytes to which the audit log cuts a value.
const maxValue = 300

// Changed returns the values that differ.
func Changed(all ...Value) []Value {
	return slices.DeleteFunc(all, func(v Value) bool { return v.Before == v.After })
}

// YesNo is the code of a setting that is on or off.
func YesNo(on bool) string {
	if on {
		return "yes"
	}
	return "no"
}

// Record adds an entry to the audit log in the transaction of the audited action. It
// sets the time and the request ID, and keeps an existing entry with the same ID.
func (s *Service) Record(ctx context.Context, tx *store.Tx, e Entry) error {
	if e.Action == "" {
		return errors.New("staff: an audit entry without an action")
	}
	e.At, e.RequestID = tx.Now, httpx.RequestID(ctx)
	if e.ID == "" {
		e.ID = store.NewID()
	}
	return s.insertEntry(ctx, tx, e)
}

// Lines makes a line of each run of consecutive entries, newest first, with the same user, action
// and details within an hour. line gets the newest entry, with lines of the older ones.
func Lines[L any](all []Entry, line func(newest Entry, older []L) L) (out []L) {
	for _, run := range runs(all) {
		var older []L
		for _, e := range run[1:] {
			older = append(older, line(e, nil))
		}
		out = append(out, line(run[0], older))
	}
	return out
}

func runs(all []Entry) (runs [][]Entry) {
	for _, e := range all {
		if n := len(runs) - 1; n >= 0 {
			newest := runs[n][0]
			if newest.Actor == e.Actor && newest.Action == e.Action && newest.Detail == e.Detail && slices.Equal(newest.Values, e.Values) &&
				newest.At.Sub(e.At) <= time.Hour {
				runs[n] = append(runs[n], e)
				continue
			}
		}
		runs = append(runs, []Entry{e})
	}
	return runs
}

// EntryFilter selects entries of the audit log. The zero value selects all.
type EntryFilter struct {
	Actor, Action, Subject string
	From, To               time.Time    // days, both inclusive; zero is unbounded
	After                  store.Cursor // the page follows this entry

	words []entryWord
}

// entryWord selects entries by a word of a search.
type entryWord struct {
	text           string   // in the object, the details, the values or the subject
	users, actions []string // or one of these
}

// maxWords is the number of words of a search that count.
const maxWords = 10

// Search makes the filter select the entries that have every word of a text in the user, the
// action, the object, the details or the values. users has email addresses by ID, actions has words by
// code.
func (f *EntryFilter) Search(text string, users, actions map[string]string) {
	having := func(all map[string]string, word string) (out []string) {
		for id, name := range all {
			if strings.Contains(strings.ToLower(name), word) {
				out = append(out, id)
			}
		}
		slices.Sort(out)
		return out
	}
	f.words = nil
	for _, word := range strings.Fields(strings.ToLower(text)) {
		if len(f.words) < maxWords {
			f.words = append(f.words, entryWord{word, having(users, word), having(actions, word)})
		}
	}
}

// recordSignIn records a sign-in by a method, in the transaction of the sign-in.
func (s *Service) recordSignIn(ctx context.Context, tx *store.Tx, u User, method string) error {
	e := Entry{Actor: u.ID, Action: SignedIn, Subject: u.Account}
	if s.AuditSignIns {
		e.Detail = method
	}
	return s.Record(ctx, tx, e)
}

// recordFailure records a failed sign-in, if the dashboard records them. Failures for
// unknown addresses share one entry per minute, so that they cannot flood the log.
func (s *Service) recordFailure(ctx context.Context, u User, method string) error {
	if !s.AuditSignIns {
		return nil
	}
	e := Entry{Actor: u.ID, Action: SignInFailed, Subject: u.Account, Detail: method}
	if s.Operators {
		e.Subject = OperatorAccount
	}
	if u.ID == "" {
		minute := s.Now().UTC().Format("2006-01-02T15:04")
		e.ID = uuid.NewSHA1(uuid.NameSpaceURL, []byte("sign-in-failed:"+method+minute)).String()
	}
	return s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error { return s.Record(ctx, tx, e) })
}

// Package operator does what the provider's operator does, by its pages and by the command line:
// it adds, renames, suspends and resumes customers, sets their features and limits, helps users who
// cannot sign in, and shows the state of the service.
//
// Operators are users of a kind of their own: their sessions and addresses are apart from those of
// customers' users. Each change is recorded in the operators' audit trail with its author, and in
// that of the account as the operator's.
package operator

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/jobs"
	"vestibule/internal/mail"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/dashboard"
	"vestibule/internal/provider/outbox"
	"vestibule/internal/staff"
	"vestibule/internal/store"
)

// Home is the path of the first page.
const Home = "/operator"

// Service serves the operator's pages and commands. All fields except Sources must be set; call
// Open before the first request.
type Service struct {
	dashboard.Pages

	Environment contract.Environment
	Customers   *customers.Service
	Dashboard   *dashboard.Service // of customers' users
	Queue       *jobs.Queue
	Outbox      *outbox.Service

	// Sources examines the institutions and connectors by requests to them; nil: there are none.
	Sources func(ctx context.Context) ([]SourceCheck, error)

	examined struct { // by Sources, so that a reload of the page does not send requests to every bank
		sync.Mutex
		at     time.Time
		checks []SourceCheck
	}
}

// Open prepares the sessions of operators. Links for them are never emailed: another operator or the
// command line shows them.
func (s *Service) Open(ctx context.Context) error {
	s.Home, s.Operators, s.NeedFactor = Home, true, true
	err := s.Pages.Open(ctx, nil)
	s.Dashboard.OperatorUsers = s.Staff
	return err
}

// NewCustomer is a customer to add. The caller generates the secrets and gives them to the customer.
type NewCustomer struct {
	Name      string
	PublicID  string
	ClientID  string
	SecretKey string
	Products  map[contract.Product]string // kind to productId
	Staff     string                      // email address of the first user

	Portal        string // public base URL of the customer's portal; empty: the customer registers its own addresses
	WebhookSecret string // signs webhooks to Portal
}

// Errors of changes. Their texts are for the command line.
var (
	ErrEmail     = errors.New("an email address is needed")
	ErrKnown     = errors.New("another user has this email address")
	ErrUnchanged = errors.New("nothing was changed: this was so already")
)

// NameError is the error of an invalid name.
type NameError struct{ Field, Problem string }

func (e NameError) Error() string { return "the " + e.Field + " " + e.Problem }

// CheckNames returns a NameError for a name that an account or a product cannot have.
func CheckNames(n customers.Names) error {
	if problem := customers.NameProblem(n.Name); problem != "" {
		return NameError{"name", problem}
	}
	if problem := customers.NameProblem(n.DisplayName); n.DisplayName != "" && problem != "" {
		return NameError{"displayName", problem}
	}
	return nil
}

// AsCommand makes a change for the command line, and records it. Every operator begins with it, so
// that the account of operators exists.
func (s *Service) AsCommand(ctx context.Context, do func(ctx context.Context, tx *store.Tx) (staff.Entry, error)) error {
	return s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if err := s.Customers.AddOperatorAccount(ctx, tx); err != nil {
			return err
		}
		e, err := do(ctx, tx)
		if err != nil || e.Action == "" {
			return err
		}
		e.Actor, e.Subject = dashboard.Command, staff.OperatorAccount
		return s.Staff.Record(ctx, tx, e)
	})
}

// Record records a change in the audit trails of an account and of its parent, and returns the entry
// of the operators' trail.
func (s *Service) Record(ctx context.Context, tx *store.Tx, a customers.Account, e staff.Entry) (staff.Entry, error) {
	own := e
	own.Subject = a.ID
	err := s.Dashboard.RecordOperator(ctx, tx, own)
	if a.ParentID != "" {
		own.Subject, own.Detail = a.ParentID, a.PublicID
		err = errors.Join(err, s.Dashboard.RecordOperator(ctx, tx, own))
	}
	if e.Object != a.PublicID {
		e.Object, e.Detail = a.PublicID, e.Object
	}
	return e, err
}

// Account returns the account with a publicId, or store.ErrNotFound.
func (s *Service) Account(ctx context.Context, q store.Queryer, publicID string) (customers.Account, error) {
	if !customers.IsPublicID(publicID) {
		return customers.Account{}, store.ErrNotFound
	}
	return s.Customers.ByPublicID(ctx, q, publicID)
}

// AddCustomer adds a parent account of the provider's environment with its first user. It returns
// the link by which the user chooses a password; "" if it was emailed. It returns an error for an
// invalid name, ErrEmail, and ErrKnown.
func (s *Service) AddCustomer(ctx context.Context, tx *store.Tx, n NewCustomer, lang i18n.Lang) (link string, _ staff.Entry, err error) {
	if err := CheckNames(customers.Names{Name: n.Name}); err != nil {
		return "", staff.Entry{}, err
	}
	id, err := s.Customers.EnsureParent(ctx, tx, customers.ParentAccount{Role: "added " + n.PublicID, Name: n.Name,
		Environment: s.Environment, PublicID: n.PublicID, ClientID: n.ClientID, SecretKey: n.SecretKey, Products: n.Products,
		ReturnMode: "get", Entitled: []customers.Entitlement{customers.SecureRedirect}})
	if err != nil {
		return "", staff.Entry{}, err
	}
	if _, link, err = s.invite(ctx, tx, id, n.Staff, lang); err != nil {
		return "", staff.Entry{}, err
	}
	e, err := s.Record(ctx, tx, customers.Account{ID: id, PublicID: n.PublicID}, staff.Entry{Action: "customer added", Object: n.PublicID,
		Detail: n.Portal})
	return link, e, err
}

func (s *Service) invite(ctx context.Context, tx *store.Tx, account, address string, lang i18n.Lang) (id, link string, err error) {
	address = mail.NormalizeAddress(address)
	if !mail.IsAddress(address) {
		return "", "", ErrEmail
	}
	id, token, err := s.Dashboard.Staff.Invite(ctx, tx, staff.User{}, staff.User{Account: account, Email: address}, lang)
	if errors.Is(err, staff.ErrKnown) {
		err = ErrKnown
	}
	return id, s.Dashboard.Staff.LinkURL(token), err
}

// Rename changes the names of an account. It returns customers.ErrDuplicateName if another child of
// the parent has the name; tx may then be unusable.
func (s *Service) Rename(ctx context.Context, tx *store.Tx, a customers.Account, n customers.Names) (e staff.Entry, err error) {
	if err := CheckNames(n); err != nil {
		return e, err
	}
	if err := s.Customers.Rename(ctx, tx, a.ID, n); err != nil {
		return e, err
	}
	return s.Record(ctx, tx, a, staff.Entry{Action: "account renamed", Object: a.PublicID, Values: staff.Changed(
		staff.Value{Setting: staff.SettingName, Before: a.Name, After: n.Name},
		staff.Value{Setting: staff.SettingDisplayName, Before: a.DisplayName, After: n.DisplayName})})
}

// Suspend suspends an account with its children, or resumes it.
func (s *Service) Suspend(ctx context.Context, tx *store.Tx, a customers.Account, suspend bool) (e staff.Entry, err error) {
	changed, err := s.Customers.Suspend(ctx, tx, a.ID, suspend)
	if err == nil && !changed {
		err = ErrUnchanged
	}
	if err != nil {
		return e, err
	}
	action := "account resumed"
	if suspend {
		action = "account suspended"
	}
	return s.Record(ctx, tx, a, staff.Entry{Action: action, Object: a.PublicID})
}

// SetLimit sets how many submissions an account can make within a minute.
func (s *Service) SetLimit(ctx context.Context, tx *store.Tx, a customers.Account, perMinute int) (e staff.Entry, err error) {
	if perMinute == a.SubmissionLimit {
		return e, ErrUnchanged
	}
	if err := s.Customers.SetSubmissionLimit(ctx, tx, a.ID, perMinute); err != nil {
		return e, err
	}
	return s.Record(ctx, tx, a, staff.Entry{Action: "limit changed", Object: a.PublicID, Values: staff.Changed(staff.Value{
		Setting: staff.SettingSubmissions, Before: fmt.Sprint(a.SubmissionLimit), After: fmt.Sprint(perMinute)})})
}

// Setting is what a feature is set to. A child account without a setting follows its parent.
type Setting string

// Settings of a feature.
const (
	On      Setting = "on"
	Off     Setting = "off"
	Inherit Setting = "inherit"
)

// SetFeatures sets features of an account. With an error, the caller undoes tx. The entry has no
// action if nothing changed.
func (s *Service) SetFeatures(ctx context.Context, tx *store.Tx, a customers.Account,
	to map[customers.Entitlement]Setting) (staff.Entry, error) {
	out := staff.Entry{Object: a.PublicID}
	before, err := s.settings(ctx, tx, a)
	if err != nil {
		return out, err
	}
	for e := range to {
		if !slices.Contains(customers.Entitlements(), e) {
			return out, fmt.Errorf("%w %q", customers.ErrEntitlement, e)
		}
	}
	for _, e := range customers.Entitlements() {
		if to[e] == "" || to[e] == before[e] {
			continue
		}
		action := "entitlement inherited"
		switch to[e] {
		case Inherit:
			_, err = s.Customers.Inherit(ctx, tx, a.ID, e)
		case On:
			action = "entitlement enabled"
			_, err = s.Customers.Enable(ctx, tx, a.ID, e, true)
		default:
			action = "entitlement disabled"
			_, err = s.Customers.Enable(ctx, tx, a.ID, e, false)
		}
		if err == nil {
			_, err = s.Record(ctx, tx, a, staff.Entry{Action: action, Object: string(e)})
		}
		if err != nil {
			return out, err
		}
		out.Action = "features changed"
		out.Values = append(out.Values, staff.Value{Setting: staff.Setting(e), Before: string(before[e]), After: string(to[e])})
	}
	return out, nil
}

// settings returns what the features of an account are set to.
func (s *Service) settings(ctx context.Context, q store.Queryer, a customers.Account) (map[customers.Entitlement]Setting, error) {
	out := map[customers.Entitlement]Setting{}
	granted, err := s.Customers.Granted(ctx, q, a.ID)
	for _, g := range granted {
		switch out[g.Entitlement] = Off; {
		case g.Inherited:
			out[g.Entitlement] = Inherit
		case g.Enabled:
			out[g.Entitlement] = On
		}
	}
	return out, err
}

// ResetPassword makes a user's password invalid, ends the user's sessions, and returns a link to
// choose another; "" if it was emailed.
func (s *Service) ResetPassword(ctx context.Context, tx *store.Tx, a customers.Account, user string,
	lang i18n.Lang) (link string, e staff.Entry, err error) {
	u, err := s.user(ctx, tx, a, user)
	if err != nil {
		return "", e, err
	}
	token, err := s.Dashboard.Staff.ResetPassword(ctx, tx, u, lang)
	if err != nil {
		return "", e, err
	}
	e, err = s.Record(ctx, tx, a, staff.Entry{Action: "password reset", Object: u.ID})
	return s.Dashboard.Staff.LinkURL(token), e, err
}

// ResetFactor removes a user's second factor and ends the user's sessions.
func (s *Service) ResetFactor(ctx context.Context, tx *store.Tx, a customers.Account, user string) (e staff.Entry, err error) {
	u, err := s.user(ctx, tx, a, user)
	if err != nil {
		return e, err
	}
	if !u.HasFactor {
		return e, ErrUnchanged
	}
	if err := s.Dashboard.Staff.RemoveFactor(ctx, tx, u.ID); err != nil {
		return e, err
	}
	return s.Record(ctx, tx, a, staff.Entry{Action: staff.FactorReset, Object: u.ID})
}

// Transfer makes one user the only owner of an account, for an owner who left: a known user of the
// account, or a new one who is invited. All others stay as members. It returns the link of the
// invitation; "" if it was emailed, or none was needed.
func (s *Service) Transfer(ctx context.Context, tx *store.Tx, a customers.Account, address string,
	lang i18n.Lang) (link string, e staff.Entry, err error) {
	all, err := s.Dashboard.Staff.Users(ctx, tx, a.ID)
	if err != nil {
		return "", e, err
	}
	address = mail.NormalizeAddress(address)
	owner := ""
	for _, u := range all {
		if u.Email == address && u.Disabled.IsZero() {
			owner = u.ID
		}
	}
	if owner == "" {
		if owner, link, err = s.invite(ctx, tx, a.ID, address, lang); err != nil {
			return "", e, err
		}
	}
	for _, u := range all {
		role := dashboard.Member
		if u.ID == owner {
			role = dashboard.Owner
		}
		if _, err := s.Dashboard.Staff.SetRole(ctx, tx, staff.User{}, a.ID, u.ID, role); err != nil {
			return "", e, err
		}
	}
	e, err = s.Record(ctx, tx, a, staff.Entry{Action: "account transferred", Object: owner})
	return link, e, err
}

// user returns a user of an account by the ID or by the address, or store.ErrNotFound.
func (s *Service) user(ctx context.Context, q store.Queryer, a customers.Account, idOrAddress string) (staff.User, error) {
	all, err := s.Dashboard.Staff.Users(ctx, q, a.ID)
	i := slices.IndexFunc(all, func(u staff.User) bool { return u.ID == idOrAddress || u.Email == mail.NormalizeAddress(idOrAddress) })
	if err == nil && i < 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return staff.User{}, err
	}
	return all[i], nil
}

// AddOperator adds an operator, or lets a known one choose another password and second factor, and
// returns the link for it, which works once.
func (s *Service) AddOperator(ctx context.Context, tx *store.Tx, address string) (link string, e staff.Entry, err error) {
	address = mail.NormalizeAddress(address)
	if !mail.IsAddress(address) {
		return "", e, ErrEmail
	}
	all, err := s.Staff.Users(ctx, tx, staff.OperatorAccount)
	if err != nil {
		return "", e, err
	}
	var token string
	if i := slices.IndexFunc(all, func(u staff.User) bool { return u.Email == address }); i >= 0 {
		e = staff.Entry{Action: "password reset", Object: all[i].ID}
		if err = s.Staff.RemoveFactor(ctx, tx, all[i].ID); err == nil {
			token, err = s.Staff.ResetPassword(ctx, tx, all[i], i18n.English)
		}
	} else {
		e.Action = "person added"
		e.Object, token, err = s.Staff.Invite(ctx, tx, staff.User{}, staff.User{Account: staff.OperatorAccount, Email: address}, i18n.English)
	}
	return s.Staff.LinkURL(token), e, err
}

// RemoveOperator removes an operator and ends the operator's sessions. It returns store.ErrNotFound
// if no operator has the address.
func (s *Service) RemoveOperator(ctx context.Context, tx *store.Tx, address string) (e staff.Entry, err error) {
	all, err := s.Staff.Users(ctx, tx, staff.OperatorAccount)
	i := slices.IndexFunc(all, func(u staff.User) bool { return u.Email == mail.NormalizeAddress(address) })
	if err == nil && i < 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return e, err
	}
	return staff.Entry{Action: "person removed", Object: all[i].ID}, s.Staff.Remove(ctx, tx, staff.OperatorAccount, all[i].ID)
}

// Account is an account as the operator's commands print it.
type Account struct {
	PublicID        string                  `json:"publicId"`
	Name            string                  `json:"name"`
	DisplayName     string                  `json:"displayName,omitempty"`
	Environment     contract.Environment    `json:"environment"`
	Parent          string                  `json:"parent,omitempty"` // publicId of the parent account
	Created         time.Time               `json:"created"`
	Suspended       bool                    `json:"suspended"` // itself or by its parent
	SubmissionLimit int                     `json:"submissionsPerMinute"`
	Entitlements    map[string]FeatureState `json:"entitlements"`
}

// FeatureState is the setting of a feature.
type FeatureState struct {
	Enabled   bool `json:"enabled"`
	Inherited bool `json:"inherited,omitempty"` // from the parent account
}

// Accounts lists the account with a publicId and its children. With an empty publicID it
// lists all accounts, each parent before its children.
func (s *Service) Accounts(ctx context.Context, publicID string) ([]Account, error) {
	all, err := s.Customers.All(ctx, s.DB.SQL)
	if err != nil {
		return nil, err
	}
	out, children := []Account{}, map[string][]customers.Account{}
	for _, a := range all {
		children[a.ParentID] = append(children[a.ParentID], a)
	}
	add := func(a, parent customers.Account) error {
		granted, err := s.Customers.Granted(ctx, s.DB.SQL, a.ID)
		features := map[string]FeatureState{}
		for _, g := range granted {
			features[string(g.Entitlement)] = FeatureState{g.Enabled, g.Inherited}
		}
		out = append(out, Account{PublicID: a.PublicID, Name: a.Name, DisplayName: a.DisplayName, Environment: a.Environment,
			Parent: parent.PublicID, Created: a.Created, Suspended: !a.Suspended.IsZero() || !parent.Suspended.IsZero(),
			SubmissionLimit: a.SubmissionLimit, Entitlements: features})
		return err
	}
	for _, parent := range children[""] {
		if publicID == "" || parent.PublicID == publicID {
			err = errors.Join(err, add(parent, customers.Account{}))
		}
		for _, a := range children[parent.ID] {
			if publicID == "" || publicID == parent.PublicID || publicID == a.PublicID {
				err = errors.Join(err, add(a, parent))
			}
		}
	}
	if err == nil && publicID != "" && len(out) == 0 {
		err = store.ErrNotFound
	}
	return out, err
}

// hidden answers as for an unknown address until an operator exists.
func (s *Service) hidden(unknown, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		exist, err := s.Staff.Exist(r.Context())
		switch {
		case err != nil:
			httpx.WriteError(w, r, s.Log, err)
		case exist:
			next.ServeHTTP(w, r)
		default:
			unknown.ServeHTTP(w, r)
		}
	})
}

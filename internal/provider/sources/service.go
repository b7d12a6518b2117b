package sources

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/analysis/passport"
	"vestibule/internal/contract"
	"vestibule/internal/jobs"
	"vestibule/internal/provider/customers"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

const (
	AuthorizationLifetime = 15 * time.Minute    // how long an authorization can be completed
	Lifetime              = 14 * 24 * time.Hour // maximum time that access is kept
	TokenLifetime         = 90 * 24 * time.Hour // the same for institutions that tokenize account numbers
	FetchTimeout          = 5 * time.Minute     // maximum duration of one fetch

	exchangeTime = 2 * time.Minute     // how long a callback may be exchanged for access
	eventAge     = 90 * 24 * time.Hour // how long the audit trail of an ended connection is kept
)

// ErrBusy is returned while another fetch uses the access of a connection.
var ErrBusy = errors.New("sources: another fetch is running")

// errNotConfigured is the cause of failures at institutions that no connector has.
var errNotConfigured = errors.New("the institution is not configured, or was removed from the configuration")

// Service stores authorizations and connections, and fetches data. All fields
// must be set.
type Service struct {
	DB          *store.DB
	Queue       jobs.Enqueuer
	Log         *slog.Logger
	Now         func() time.Time // the provider's clock
	RedirectURI string           // of the callback, shared by institutions without their own

	// Catalogue returns the catalogue of an environment.
	Catalogue func(contract.Environment) Catalogue

	// Customers knows whose connections stay open after the successful report that they were
	// made for: customers who may refresh reports.
	Customers *customers.Service
}

// File retrieves the file of a supplier on a person, and the rate of its currency.
func (s *Service) File(ctx context.Context, env contract.Environment, supplier string,
	r FileRequest) (passport.File, *passport.Quote, error) {
	ctx, cancel := context.WithTimeout(ctx, FetchTimeout)
	defer cancel()
	_, bureau, ok := find[Bureau](s.Catalogue(env), supplier)
	if !ok {
		return passport.File{}, nil, Fail(Unsupported, errNotConfigured)
	}
	return bureau.File(ctx, supplier, r)
}

// Dispute passes a dispute to a supplier. The failure for one that takes none has the reason Unsupported.
func (s *Service) Dispute(ctx context.Context, env contract.Environment, supplier string, r DisputeRequest) (DisputeReceipt, error) {
	ctx, cancel := context.WithTimeout(ctx, FetchTimeout)
	defer cancel()
	_, bureau, ok := find[DisputeTaker](s.Catalogue(env), supplier)
	if !ok {
		return DisputeReceipt{}, Fail(Unsupported, errNotConfigured)
	}
	return bureau.Dispute(ctx, supplier, r)
}

// BeginRequest has the parameters of Begin.
type BeginRequest struct {
	VisitID     string
	KeyID       string // the consumer's data key
	Environment contract.Environment
	Institution string
	Language    string
	Context     []byte // returned by Callback; at most 4 KiB
}

// Begun is a begun authorization.
type Begun struct {
	URL     string // page of the institution
	State   string // of the authorization; names its cookie
	Browser string // secret for the cookie of the browser that may complete it
}

// pending is the plain text of source_authorizations.pending.
type pending struct {
	Connector []byte `json:"connector"`
	Context   []byte `json:"context"`
}

// Begin begins an authorization. It may send requests to the institution, so call it
// outside of transactions.
func (s *Service) Begin(ctx context.Context, b BeginRequest) (Begun, error) {
	institution, connector, ok := s.Find(b.Environment, b.Institution)
	if !ok {
		return Begun{}, Fail(Unsupported, errNotConfigured)
	}
	out := Begun{State: store.NewSecret(), Browser: store.NewSecret()}
	begun, err := connector.Authorize(ctx, b.Institution,
		AuthorizeRequest{RedirectURI: institution.RedirectURI(s.RedirectURI), State: out.State, Language: b.Language})
	if err != nil {
		return Begun{}, err
	}
	out.URL = begun.URL
	plain, err := json.Marshal(pending{begun.Pending, b.Context})
	if err != nil {
		return Begun{}, err
	}
	state := store.Hash(out.State)
	err = s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		sealed, err := s.DB.Vault.Seal(ctx, tx, b.KeyID, authorizationCell(state), plain)
		if err != nil {
			return err
		}
		return insertAuthorization(ctx, tx, authorization{b.VisitID, b.Environment, b.Institution, b.KeyID, sealed},
			state, store.Hash(out.Browser), tx.Now.Add(AuthorizationLifetime))
	})
	return out, err
}

// Callback is the outcome of an authorization whose callback arrived.
type Callback struct {
	VisitID     string
	Environment contract.Environment
	Institution Institution
	KeyID       string
	Context     []byte // of BeginRequest
	Grant       Grant  // zero with Err
	Err         error  // why there is no access: a *Failure, or a fault of this program
}

// Complete marks the authorization of a callback as used, and completes it at the
// institution. It returns store.ErrNotFound if the state is unknown, used, expired, or
// of another browser. at is the institution at whose redirect URI the callback arrived, ""
// for the shared one: a code that arrives at another institution's is not used.
func (s *Service) Complete(ctx context.Context, browser, at string, query url.Values) (Callback, error) {
	state := store.Hash(query.Get("state"))
	a, err := store.Value(ctx, s.DB.Tx, func(ctx context.Context, tx *store.Tx) (authorization, error) {
		return useAuthorization(ctx, tx, state, store.Hash(browser))
	})
	if err != nil {
		return Callback{}, err
	}
	plain, err := s.DB.Vault.Open(ctx, s.DB.SQL, a.keyID, authorizationCell(state), a.pending)
	if err != nil {
		return Callback{}, err
	}
	var p pending
	if err := json.Unmarshal(plain, &p); err != nil {
		return Callback{}, errors.New("sources: a stored authorization cannot be decoded")
	}
	out := Callback{VisitID: a.visitID, Environment: a.environment, KeyID: a.keyID, Context: p.Context}
	institution, connector, ok := s.Find(a.environment, a.institution)
	if !ok {
		out.Institution.ID, out.Err = a.institution, Fail(Unsupported, errNotConfigured)
		return out, nil
	}
	out.Institution = institution
	if own := institution.OwnCallback; own && at != institution.ID || !own && at != "" {
		out.Err = Fail(Rejected, errors.New("the callback arrived at the redirect URI of another institution"))
		return out, nil
	}
	out.Grant, out.Err = connector.Complete(ctx, a.institution, p.Connector, query)
	return out, nil
}

// NewConnection describes a connection to store.
type NewConnection struct {
	PublicToken string
	CustomerID  string
	ConsumerID  string
	Callback
}

// Connect stores the access of a completed authorization. The connection expires after
// the institution's Lifetime, or earlier with the consent.
func (s *Service) Connect(ctx context.Context, tx *store.Tx, n NewConnection) (Connection, error) {
	c := Connection{ID: uuid.NewString(), PublicToken: n.PublicToken, CustomerID: n.CustomerID, ConsumerID: n.ConsumerID,
		Environment: n.Environment, Institution: n.Institution.ID, KeyID: n.KeyID, Created: tx.Now, Expires: tx.Now.Add(n.Institution.Lifetime())}
	if until := n.Grant.Until; !until.IsZero() && until.Before(c.Expires) {
		c.Expires = until
	}
	sealed, err := s.seal(ctx, tx, c, n.Grant)
	if err != nil {
		return c, err
	}
	if err := insertConnection(ctx, tx, c, sealed); err != nil {
		return c, err
	}
	return c, addEvent(ctx, tx, c.ID, "authorized", "")
}

// Fetch retrieves the data of a connection from one day to another, both included. It
// renews the access if needed, and stores the renewed access before it uses it. One
// fetch of a connection runs at a time: a second returns ErrBusy. Fetch ends the
// connection if the institution no longer accepts the access.
func (s *Service) Fetch(ctx context.Context, id string, from, to report.Date) (Fetched, error) {
	ctx, cancel := context.WithTimeout(ctx, FetchTimeout)
	defer cancel()
	c, err := s.Get(ctx, s.DB.SQL, id)
	if errors.Is(err, store.ErrNotFound) {
		return Fetched{}, Fail(Ended, errors.New("the connection was deleted"))
	}
	if err != nil {
		return Fetched{}, err
	}
	_, connector, ok := s.Find(c.Environment, c.Institution)
	if !ok {
		return Fetched{}, Fail(Unsupported, errNotConfigured)
	}
	grant, err := s.lease(ctx, c)
	if err != nil {
		return Fetched{}, err
	}
	data, err := s.fetch(ctx, c, connector, grant, from, to)
	kind, reason := "fetched", data.Incomplete()
	switch {
	case err != nil:
		kind, reason = "failed", ReasonOf(err)
	case reason != "":
		kind = "partial"
	}
	own, cancelOwn := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancelOwn()
	stored := s.DB.Tx(own, func(ctx context.Context, tx *store.Tx) error {
		if err := release(ctx, tx, c.ID); err != nil {
			return err
		}
		if err := addEvent(ctx, tx, c.ID, kind, reason); err != nil {
			return err
		}
		if kind == "failed" && (reason == Ended || reason == Unauthorized || reason == Challenged) {
			return s.End(ctx, tx, c.ID)
		}
		return nil
	})
	if err == nil {
		err = stored
	}
	return data, err
}

// lease reserves the access of a connection and decrypts it.
func (s *Service) lease(ctx context.Context, c Connection) (g Grant, err error) {
	var sealed []byte
	err = s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		sealed, err = lease(ctx, tx, c.ID, tx.Now.Add(FetchTimeout+time.Minute))
		if !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if now, err := s.Get(ctx, tx, c.ID); err != nil || now.Open(tx.Now) {
			return cmp.Or(err, ErrBusy)
		}
		return Fail(Ended, errors.New("the connection has ended"))
	})
	if err != nil {
		return g, err
	}
	return s.open(ctx, s.DB.SQL, c, sealed)
}

// renewBefore is how long before its expiry an access token is renewed.
const renewBefore = time.Minute

// fetch retrieves the data and renews the access at most once: before, if it is about
// to expire, or after the institution has rejected it, also for some accounts only.
func (s *Service) fetch(ctx context.Context, c Connection, connector Authorizer, g Grant, from, to report.Date) (Fetched, error) {
	renewed := false
	renew := func() error {
		next, err := connector.Renew(ctx, c.Institution, g)
		if err != nil {
			return err
		}
		g, renewed = next, true
		return s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
			sealed, err := s.seal(ctx, tx, c, g)
			if err == nil {
				err = setAccess(ctx, tx, c.ID, sealed)
			}
			if err == nil {
				err = addEvent(ctx, tx, c.ID, "renewed", "")
			}
			return err
		})
	}
	if g.Refresh != "" && !g.Expires.IsZero() && s.Now().Add(renewBefore).After(g.Expires) {
		if err := renew(); err != nil {
			return Fetched{}, err
		}
	}
	data, err := connector.Fetch(ctx, c.Institution, g, from, to)
	rejected := err != nil && ReasonOf(err) == Unauthorized ||
		slices.ContainsFunc(data.Failed, func(a AccountFailure) bool { return a.Reason == Unauthorized })
	if !rejected || g.Refresh == "" || renewed {
		return data, err
	}
	first, failed := data, err
	if err = renew(); err == nil {
		data, err = connector.Fetch(ctx, c.Institution, g, from, to)
	}
	if err != nil && failed == nil { // the first answer has at least some accounts
		return first, nil
	}
	return data, err
}

// ReportFinished ends the connections of a report. If the report succeeded and its customer
// may refresh it, ReportFinished marks them as kept instead.
func (s *Service) ReportFinished(ctx context.Context, tx *store.Tx, publicToken string, success bool) error {
	ids, err := openOfReport(ctx, tx, publicToken)
	if err != nil || len(ids) == 0 {
		return err
	}
	if success {
		c, err := s.Get(ctx, tx, ids[0])
		if err != nil {
			return err
		}
		keep, err := s.Customers.Entitled(ctx, tx, c.CustomerID, customers.Refresh)
		if err != nil {
			return err
		}
		if keep {
			return keepOfReport(ctx, tx, publicToken)
		}
	}
	return s.End(ctx, tx, ids...)
}

// ConsentWithdrawn ends all connections of a consumer.
func (s *Service) ConsentWithdrawn(ctx context.Context, tx *store.Tx, consumerID string) error {
	ids, err := openOfConsumer(ctx, tx, consumerID)
	if err != nil {
		return err
	}
	return s.End(ctx, tx, ids...)
}

// End ends connections as EndOne does.
func (s *Service) End(ctx context.Context, tx *store.Tx, ids ...string) error {
	for _, id := range ids {
		if _, err := s.EndOne(ctx, tx, id); err != nil {
			return err
		}
	}
	return nil
}

// EndOne marks a connection as ended. A job revokes the access at the institution. EndOne
// returns false if the connection had ended before.
func (s *Service) EndOne(ctx context.Context, tx *store.Tx, id string) (ended bool, err error) {
	if ended, err = end(ctx, tx, id); err != nil || !ended {
		return false, err
	}
	if err := addEvent(ctx, tx, id, "ended", ""); err != nil {
		return false, err
	}
	return true, s.Queue.Enqueue(ctx, tx, Revoke{id}, jobs.UniqueKey(id))
}

// Revoke is the job that revokes the access of an ended connection at its institution,
// and deletes it.
type Revoke struct {
	Connection string `json:"connection"`
}

// Kind names the job.
func (Revoke) Kind() string { return "sources.revoke" }

// Register adds the jobs of the package.
func (s *Service) Register(r *jobs.Registry) {
	jobs.Register(r, func(ctx context.Context, _ jobs.Job, a Revoke) error { return s.revoke(ctx, a.Connection) },
		jobs.MaxAttempts(8), jobs.OnDiscard(func(ctx context.Context, a Revoke) error {
			return s.forget(ctx, a.Connection, "failed", Unresponsive)
		}))
}

// revoke revokes the access of a connection at its institution, and deletes the access.
func (s *Service) revoke(ctx context.Context, id string) error {
	c, err := s.Get(ctx, s.DB.SQL, id)
	if err != nil {
		return store.OrNone(err)
	}
	sealed, err := accessOf(ctx, s.DB.SQL, id)
	if err != nil || sealed == nil {
		return err
	}
	grant, err := s.open(ctx, s.DB.SQL, c, sealed)
	_, connector, ok := s.Find(c.Environment, c.Institution)
	if errors.Is(err, store.ErrShredded) || !ok {
		return s.forget(ctx, id, "failed", Unsupported)
	}
	if err != nil {
		return err
	}
	if err := connector.Revoke(ctx, c.Institution, grant); err != nil {
		return fmt.Errorf("sources: revoke: %w", err)
	}
	return s.forget(ctx, id, "revoked", "")
}

// forget deletes the access of a connection.
func (s *Service) forget(ctx context.Context, id, kind string, reason Reason) error {
	return s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if err := setAccess(ctx, tx, id, nil); err != nil {
			return err
		}
		return addEvent(ctx, tx, id, kind, reason)
	})
}

// sweepBatch is the maximum number of rows that one statement of the sweep changes.
const sweepBatch = 100

// Sweep ends expired connections, and kept ones of customers who may no longer refresh reports. It deletes
// expired authorizations, and connections 90 days after their end.
func (s *Service) Sweep(ctx context.Context) error {
	return s.DB.Sweep(ctx, sweepBatch,
		func(ctx context.Context, tx *store.Tx, limit int) (int64, error) {
			ids, err := openExpired(ctx, tx, limit)
			if err == nil {
				err = s.End(ctx, tx, ids...)
			}
			return int64(len(ids)), err
		},
		s.endUnentitled,
		deleteAuthorizations,
		store.Older(eventAge, deleteEnded))
}

// endUnentitled ends the kept connections of customers who may no longer refresh reports.
func (s *Service) endUnentitled(ctx context.Context, tx *store.Tx, limit int) (int64, error) {
	all, err := customersOfKept(ctx, tx)
	if err != nil {
		return 0, err
	}
	var ids []string
	for _, customerID := range all {
		keep, err := s.Customers.Entitled(ctx, tx, customerID, customers.Refresh)
		if err != nil {
			return 0, err
		}
		if keep || len(ids) == limit {
			continue
		}
		more, err := keptOfCustomer(ctx, tx, customerID, limit-len(ids))
		if err != nil {
			return 0, err
		}
		ids = append(ids, more...)
	}
	return int64(len(ids)), s.End(ctx, tx, ids...)
}

func (s *Service) seal(ctx context.Context, q store.Queryer, c Connection, g Grant) ([]byte, error) {
	plain, err := json.Marshal(g)
	if err != nil {
		return nil, errors.New("sources: the access cannot be encoded")
	}
	return s.DB.Vault.Seal(ctx, q, c.KeyID, connectionCell(c.ID), plain)
}

func (s *Service) open(ctx context.Context, q store.Queryer, c Connection, sealed []byte) (g Grant, err error) {
	plain, err := s.DB.Vault.Open(ctx, q, c.KeyID, connectionCell(c.ID), sealed)
	if err != nil {
		return g, err
	}
	if err := json.Unmarshal(plain, &g); err != nil {
		return g, errors.New("sources: the stored access cannot be decoded")
	}
	return g, nil
}

func authorizationCell(state []byte) store.Cell {
	return store.Cell{Table: "source_authorizations", Column: "pending", Row: fmt.Sprintf("%x", state)}
}

func connectionCell(id string) store.Cell {
	return store.Cell{Table: "source_connections", Column: "access", Row: id}
}

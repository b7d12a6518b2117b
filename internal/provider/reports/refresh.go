package reports

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/jobs"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/sources"
	"vestibule/internal/store"
)

// A refreshed report is made without the consumer, from access to institutions that
// stayed open after an earlier report (API reference: Reports). It has the account's
// latest data, the consumer's data as they were given for the earlier report, and
// nothing of that report's documents or of sources without such access.

// errNoAccess is returned if no access to an institution is open.
var errNoAccess = errors.New("reports: no access to an institution is open")

// basisOf returns what refreshed reports need of the input; ok is false if it names no
// access to an institution.
func basisOf(in Input) (basis Input, ok bool) {
	basis = Input{Consumer: in.Consumer, Source: in.Source, Born: in.Born, Given: in.Given}
	refreshable := func(all []SignIn) []SignIn {
		return slices.DeleteFunc(slices.Clone(all), func(at SignIn) bool { return !at.good() || at.Connection == "" })
	}
	basis.Banks, basis.SignIns = refreshable(in.Banks), refreshable(in.SignIns)
	return basis, len(basis.Banks)+len(basis.SignIns) > 0
}

// keepBasis stores what refreshed reports need, and schedules the first turn. It does
// nothing for reports from which none can be made.
func (s *Service) keepBasis(ctx context.Context, tx *store.Tx, r Report, in Input) error {
	basis, ok := basisOf(in)
	if !ok || r.refreshedFrom != "" {
		return nil
	}
	if ok, err := s.Customers.Entitled(ctx, tx, r.CustomerID, customers.Refresh); err != nil || !ok {
		return err
	}
	raw, err := packInput(basis)
	if err != nil {
		return err
	}
	sealed, err := s.DB.Vault.Seal(ctx, tx, r.KeyID, basisCell(r.PublicToken), raw)
	if err == nil {
		err = insertBasis(ctx, tx, r.PublicToken, sealed)
	}
	if err != nil {
		return err
	}
	product, err := s.Customers.Product(ctx, tx, r.CustomerID, r.ProductID)
	if err != nil {
		return err
	}
	return s.schedule(ctx, tx, RefreshTurn{r.PublicToken, 0}, product.Configuration)
}

func basisCell(publicToken string) store.Cell {
	return store.Cell{Table: "report_refreshes", Column: "input", Row: publicToken}
}

// RefreshTurn is the job that refreshes a report on a schedule.
type RefreshTurn struct {
	PublicToken string `json:"publicToken"` // of the report for which the consumer gave the access
	Turn        int    `json:"turn"`        // from 0
}

// Kind names the job.
func (RefreshTurn) Kind() string { return "reports.refresh" }

// schedule schedules a turn after the configuration's interval. Products with another inquiry
// type than MONITORING have turns, too, because their configuration can change.
func (s *Service) schedule(ctx context.Context, tx *store.Tx, t RefreshTurn, c customers.Configuration) error {
	return s.Queue.Enqueue(ctx, tx, t, jobs.At(tx.Now.Add(c.RefreshInterval())), jobs.LowPriority(),
		jobs.UniqueKey(fmt.Sprintf("%s/%d", t.PublicToken, t.Turn)))
}

// refreshTurn makes a report if the product's inquiry type is MONITORING, and schedules
// the next turn. Without open access of this report, or the customer's entitlement, it
// ends the schedule.
func (s *Service) refreshTurn(ctx context.Context, _ jobs.Job, t RefreshTurn) error {
	err := s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if first, err := takeTurn(ctx, tx, t.PublicToken, t.Turn); err != nil || !first {
			return err
		}
		root, err := s.Get(ctx, tx, t.PublicToken)
		if err != nil {
			return err
		}
		if ok, err := s.Customers.Entitled(ctx, tx, root.CustomerID, customers.Refresh); err != nil || !ok {
			return err
		}
		product, err := s.Customers.Product(ctx, tx, root.CustomerID, root.ProductID)
		if err != nil {
			return err
		}
		open, err := s.openAccess(ctx, tx, root)
		if err != nil || !slices.ContainsFunc(open, func(c sources.Connection) bool { return c.PublicToken == root.PublicToken }) {
			return err // another visit has replaced the access, or none is open
		}
		suspended, err := s.Customers.Suspended(ctx, tx, root.CustomerID)
		if err != nil {
			return err
		}
		if product.InquiryType == contract.InquiryMonitoring && !suspended {
			if _, err := s.refreshFrom(ctx, tx, root); err != nil {
				return err
			}
		}
		return s.schedule(ctx, tx, RefreshTurn{t.PublicToken, t.Turn + 1}, product.Configuration)
	})
	if errors.Is(err, errNoAccess) || errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrShredded) {
		return nil
	}
	return err
}

// refresh begins a report from the open access behind the caller's report, and answers
// with {publicToken, status}.
func (s *Service) refresh(w http.ResponseWriter, r *http.Request) error {
	if err := httpx.RejectContentCoding(w, r); err != nil {
		return err
	}
	rep, err := s.CallersReport(r)
	if err == nil && s.tooOld(rep) {
		err = errTooOld
	}
	if err == nil && rep.Status != contract.StatusSuccess && rep.refreshedFrom == "" {
		err = NotReady(rep)
	}
	if err != nil {
		return err
	}
	var begun Report
	err = s.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		root := rep
		if rep.refreshedFrom != "" {
			if root, err = s.Get(ctx, tx, rep.refreshedFrom); err != nil {
				return err
			}
		}
		begun, err = s.refreshFrom(ctx, tx, root)
		return err
	})
	if errors.Is(err, errNoAccess) || errors.Is(err, store.ErrShredded) || errors.Is(err, store.ErrNotFound) {
		return &httpx.Error{Code: contract.CodeConsentNotProvided, Status: http.StatusConflict, Why: err,
			Message: "No access to the consumer's institutions is open for this report."}
	}
	if err != nil {
		return err
	}
	return httpx.PrivateJSON(w, http.StatusOK, struct {
		PublicToken string          `json:"publicToken"`
		Status      contract.Status `json:"status"`
	}{begun.PublicToken, begun.Status})
}

// refreshFrom begins a report from the open access behind a report. While an earlier one
// is pending, it returns that one. It returns errNoAccess if no access is open.
func (s *Service) refreshFrom(ctx context.Context, tx *store.Tx, root Report) (Report, error) {
	latest, err := lockBasis(ctx, tx, root.PublicToken, s.DB.ForUpdate())
	if errors.Is(err, store.ErrNotFound) {
		return Report{}, errNoAccess
	}
	if err != nil {
		return Report{}, err
	}
	if latest != "" {
		if r, err := s.Get(ctx, tx, latest); err == nil && r.Status == contract.StatusPending {
			return r, nil
		} else if err != nil && !errors.Is(err, store.ErrNotFound) {
			return r, err
		}
	}
	in, err := s.refreshInput(ctx, tx, root)
	if err != nil {
		return Report{}, err
	}
	r, err := s.Create(ctx, tx, New{CustomerID: root.CustomerID, ProductID: root.ProductID, Kind: root.Kind, UserArgs: root.UserArgs,
		ConsumerID: root.ConsumerID, KeyID: root.KeyID, refreshedFrom: root.PublicToken})
	if err == nil {
		err = setLatest(ctx, tx, root.PublicToken, r.PublicToken)
	}
	if err == nil {
		err = s.Attach(ctx, tx, r.PublicToken, in)
	}
	return r, err
}

// refreshInput returns the input of a refreshed report: the data given for root, and the
// open access.
func (s *Service) refreshInput(ctx context.Context, tx *store.Tx, root Report) (Input, error) {
	open, err := s.openAccess(ctx, tx, root)
	if err != nil {
		return Input{}, err
	}
	if len(open) == 0 {
		return Input{}, errNoAccess
	}
	in, err := s.basis(ctx, tx, root)
	if err != nil {
		return Input{}, err
	}
	in.Banks, in.SignIns = nil, nil
	bases := map[string]Input{}
	for _, c := range open {
		basis, read := bases[c.PublicToken]
		if !read {
			if basis, err = s.basis(ctx, tx, Report{PublicToken: c.PublicToken, KeyID: c.KeyID}); err != nil {
				return Input{}, err
			}
			bases[c.PublicToken] = basis
		}
		same := func(at SignIn) bool { return at.Connection == c.ID }
		if i := slices.IndexFunc(basis.Banks, same); i >= 0 {
			in.Banks = append(in.Banks, basis.Banks[i])
		}
		if i := slices.IndexFunc(basis.SignIns, same); i >= 0 {
			in.SignIns = append(in.SignIns, basis.SignIns[i])
		}
	}
	if len(in.Banks)+len(in.SignIns) == 0 {
		return Input{}, errNoAccess
	}
	return in, nil
}

// openAccess returns the open access that the consumer of a report gave for its product.
// Of several visits that connected one institution, only the last one's counts, because
// the accounts may be the same.
func (s *Service) openAccess(ctx context.Context, tx *store.Tx, root Report) (open []sources.Connection, err error) {
	all, err := s.Sources.Kept(ctx, tx, root.CustomerID, root.ConsumerID, root.PublicToken)
	if err != nil {
		return nil, err
	}
	products := map[string]string{root.PublicToken: root.ProductID} // by publicToken
	last := map[string]string{}                                     // publicToken of the last visit by institution
	for _, c := range all {                                         // newest first
		if _, known := products[c.PublicToken]; !known {
			r, err := s.Get(ctx, tx, c.PublicToken)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return nil, err
			}
			products[c.PublicToken] = r.ProductID
		}
		if products[c.PublicToken] != root.ProductID {
			continue
		}
		if _, known := last[c.Institution]; !known {
			last[c.Institution] = c.PublicToken
		}
		if last[c.Institution] == c.PublicToken {
			open = append(open, c)
		}
	}
	slices.Reverse(open)
	return open, nil
}

// basis returns what was stored of a report by keepBasis.
func (s *Service) basis(ctx context.Context, q store.Queryer, r Report) (Input, error) {
	sealed, err := basisOfReport(ctx, q, r.PublicToken)
	if err != nil {
		return Input{}, err
	}
	raw, err := s.DB.Vault.Open(ctx, q, r.KeyID, basisCell(r.PublicToken), sealed)
	if err != nil {
		return Input{}, err
	}
	return unpackInput(raw)
}

// errAccessEnded is returned if access ended while a report was made from it.
var errAccessEnded = errors.New("reports: access ended while the report was made")

// requireAccess returns errAccessEnded if access that a report was made from has ended
// meanwhile. Otherwise it does not end before tx does.
func (s *Service) requireAccess(ctx context.Context, tx *store.Tx, in Input, fetched map[string]fetched) error {
	for _, at := range slices.Concat(in.Banks, in.SignIns) {
		if f, ok := fetched[at.Connection]; !ok || f.failed != "" { // failed, or access by a form
			continue
		}
		c, err := s.Sources.Lock(ctx, tx, at.Connection)
		if errors.Is(err, store.ErrNotFound) || err == nil && !c.Ended.IsZero() {
			return errAccessEnded
		}
		if err != nil {
			return err
		}
	}
	return nil
}

package review

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/jobs"
	"vestibule/internal/mail"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/review/search"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
	pages "vestibule/templates/portal/review"
	"vestibule/templates/ui"
)

// Reasons for deleting an application.
const (
	byRequest = "request" // the consumer asked for it
	byMistake = "mistake" // created by mistake
	byTest    = "test"
	byAge     = "age" // the retention period ended
)

// causes lists the reasons that a user can choose.
var causes = [...]string{byRequest, byMistake, byTest}

// tombstone records the deletion of an application.
type tombstone struct {
	applicationID, by, reason string // by is empty for a deletion by retention
	at                        time.Time
}

const (
	maxRelated    = 100 // applications that share a name or an email address
	maxStrangers  = 20  // of those, offered for deletion if only one of the two is known
	deletionsSize = 50
	retainedBatch = 20
	retainEvery   = time.Hour
)

// related returns the applications of the same applicant, by email address or by all
// words of the name; the application itself comes first.
func (d *Handler) related(ctx context.Context, a applications.Application) ([]string, error) {
	people, err := d.Applications.Applicants(ctx, []string{a.ID})
	if err != nil {
		return nil, err
	}
	out := []string{a.ID}
	add := func(f filter) error {
		if f.text == "" {
			return nil
		}
		found, _, err := d.look(ctx, f, maxRelated)
		for _, e := range found {
			if len(out) < maxRelated && !slices.Contains(out, e.ID) {
				out = append(out, e.ID)
			}
		}
		return err
	}
	return out, errors.Join(add(filter{text: mail.NormalizeAddress(people[a.ID].Email)}), add(filter{text: people[a.ID].FullName()}))
}

// ofPerson returns the applications of a's applicant, a first, and whether only one
// of name and email address is known. If both are known, both must match. Otherwise
// the one must match, and the reviewer must decide which of the applications belong
// to the applicant.
func (d *Handler) ofPerson(ctx context.Context, a applications.Application) (ids []string, oneSign bool, err error) {
	people, err := d.Applications.Applicants(ctx, []string{a.ID})
	if err != nil {
		return nil, false, err
	}
	who := people[a.ID]
	email, name := mail.NormalizeAddress(who.Email), search.Words(who.FullName())
	ids, oneSign = []string{a.ID}, email == "" || len(name) == 0
	text, most := email, maxRelated
	if email == "" {
		text = who.FullName()
	}
	if oneSign {
		most = maxStrangers
	}
	if text == "" {
		return ids, oneSign, nil
	}
	found, _, err := d.look(ctx, filter{text: text}, maxRelated)
	if err != nil {
		return nil, false, err
	}
	candidates := make([]string, 0, len(found))
	for _, e := range found {
		if e.ID != a.ID {
			candidates = append(candidates, e.ID)
		}
	}
	if people, err = d.Applications.Applicants(ctx, candidates); err != nil {
		return nil, false, err
	}
	for _, id := range candidates {
		same := oneSign || mail.NormalizeAddress(people[id].Email) == email && slices.Equal(search.Words(people[id].FullName()), name)
		if same && len(ids) < most {
			ids = append(ids, id)
		}
	}
	return ids, oneSign, nil
}

// erasePage lists an applicant's applications for deletion.
func (d *Handler) erasePage(w http.ResponseWriter, r *http.Request, by staff.User) error {
	a, err := d.get(r)
	if err != nil {
		return err
	}
	if err := d.audit(r, staff.Entry{Actor: by.ID, Action: deletionOpened, Subject: a.ID}); err != nil {
		return err
	}
	return d.showErase(w, r, http.StatusOK, by, a, pages.EraseView{})
}

func (d *Handler) showErase(w http.ResponseWriter, r *http.Request, status int, by staff.User,
	a applications.Application, v pages.EraseView) error {
	ids, oneSign, err := d.ofPerson(r.Context(), a)
	if err != nil {
		return err
	}
	v.OneSign = oneSign
	people, err := d.Applications.Applicants(r.Context(), ids)
	if err != nil {
		return err
	}
	v.By, v.ID, v.Causes = by.Email, a.ID, causes[:]
	for _, id := range ids {
		e, err := search.Of(r.Context(), d.DB.SQL, id)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		v.Rows = append(v.Rows, pages.EraseRow{ID: id, ExternalID: e.ExternalID,
			Name: people[id].FullName(), Email: people[id].Email, Product: e.Product,
			State: e.State, CreatedAt: e.CreatedAt, Chosen: id == a.ID})
	}
	return d.show(w, r, status, func(p ui.Page) templ.Component { return pages.Erase(p, v) })
}

// eraseChosen permanently deletes the selected applications.
func (d *Handler) eraseChosen(w http.ResponseWriter, r *http.Request, by staff.User) error {
	a, err := d.get(r)
	if err != nil {
		return err
	}
	form, err := httpx.DecodeForm(w, r, 16<<10)
	if err != nil {
		return err
	}
	offered, _, err := d.ofPerson(r.Context(), a)
	if err != nil {
		return err
	}
	chosen, cause := form["id"], form.Get("cause")
	if !slices.Contains(causes[:], cause) {
		return httpx.NewError(contract.CodeMalformedBody, errors.New("no such cause"))
	}
	for _, id := range chosen {
		if !slices.Contains(offered, id) {
			return httpx.NewError(contract.CodeMalformedBody, errors.New("an application of another applicant"))
		}
	}
	if len(chosen) == 0 || form.Get("sure") != "yes" {
		return d.showErase(w, r, http.StatusUnprocessableEntity, by, a, pages.EraseView{Problem: pages.EraseUnsure, Cause: cause})
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), serviceAnswer)
	defer cancel()
	done := 0
	for _, id := range chosen {
		gone, err := d.remove(ctx, id, by.ID, cause)
		if err != nil {
			if errors.Is(err, errNotWithdrawn) {
				d.Log.WarnContext(ctx, "not deleted, for the service has not withdrawn it", "application", id, "err", err.Error())
				return d.showErase(w, r, http.StatusBadGateway, by, a, pages.EraseView{Problem: pages.EraseShared, Cause: cause})
			}
			return err
		}
		if gone {
			done++
		}
	}
	httpx.SeeOther(w, "/review/deletions?done="+strconv.Itoa(done))
	return nil
}

// errNotWithdrawn means that the service did not confirm a withdrawal.
var errNotWithdrawn = errors.New("review: the service did not withdraw it")

// unwithdrawn returns an error if data to be withdrawn may still exist at the
// service. A permanent refusal means that it no longer exists, unless the service
// refused our credentials.
func unwithdrawn(err error) error {
	var e *svcapi.Error
	if err == nil || errors.As(err, &e) && !e.Temporary() && e.HTTP != http.StatusUnauthorized && e.HTTP != http.StatusForbidden {
		return nil
	}
	return errors.Join(errNotWithdrawn, err)
}

// remove withdraws an application's shares, and the consent if the consumer asked for
// deletion. Then it destroys the data key and deletes the rows in every package,
// leaving a tombstone. False means that the application was already gone.
func (d *Handler) remove(ctx context.Context, id, by, cause string) (bool, error) {
	if cause == byRequest {
		known, err := d.Applications.Consumers(ctx, id)
		if err != nil {
			return false, err
		}
		for _, consumer := range known {
			if err := unwithdrawn(d.Service.WithdrawConsent(ctx, consumer)); err != nil {
				return false, err
			}
		}
	}
	ended := map[string]bool{}
	for {
		shared, err := d.sharesOf(ctx, d.DB.SQL, id)
		if err != nil {
			return false, err
		}
		for _, s := range shared {
			if s.Withdrawn.IsZero() && !ended[s.RelayToken] {
				if err := unwithdrawn(d.Service.RevokeRelayToken(ctx, s.RelayToken)); err != nil {
					return false, err
				}
				ended[s.RelayToken] = true
			}
		}
		mine, err := d.eraseAll(ctx, tombstone{id, by, cause, d.Now()}, ended)
		if !errors.Is(err, errShared) {
			return mine, err
		}
	}
}

// errShared means that the application was shared again concurrently.
var errShared = errors.New("review: the application was shared again concurrently")

// eraseAll replaces an application with a tombstone, if it exists and has no shares
// other than those ended.
func (d *Handler) eraseAll(ctx context.Context, left tombstone, ended map[string]bool) (mine bool, err error) {
	id := left.applicationID
	err = d.DB.Erase(ctx, func(ctx context.Context, tx *store.Tx) error {
		mine = false
		if err := d.Applications.Lock(ctx, tx, id); errors.Is(err, store.ErrNotFound) {
			return nil
		} else if err != nil {
			return err
		}
		e, err := search.Of(ctx, tx, id)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		shared, err := d.sharesOf(ctx, tx, id)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(shared, func(s share) bool { return s.Withdrawn.IsZero() && !ended[s.RelayToken] }) {
			return errShared
		}
		for _, erase := range d.Erase {
			if err := erase(ctx, tx, id); err != nil {
				return err
			}
		}
		if err := eraseRows(ctx, tx, id); err != nil {
			return err
		}
		if err := d.DB.Vault.Shred(ctx, tx, e.DataKey); err != nil {
			return err
		}
		if mine, err = bury(ctx, tx, left); err != nil || !mine {
			return err
		}
		action := deleted
		if left.reason == byAge {
			action = retentionDeleted
		}
		return d.Staff.Record(ctx, tx, staff.Entry{Actor: left.by, Action: action, Subject: id, Detail: left.reason})
	})
	return mine, err
}

// deletions lists deleted applications, newest first, and the retention period.
func (d *Handler) deletions(w http.ResponseWriter, r *http.Request, by staff.User) error {
	cursor := r.URL.Query().Get("after")
	if len(cursor) > 100 {
		return httpx.NewError(contract.CodeNotFound, errors.New("no such page"))
	}
	v := pages.DeletionsView{By: by.Email, Days: d.RetentionDays}
	v.Done, _ = strconv.Atoi(r.URL.Query().Get("done"))
	err := d.DB.Read(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		people, err := d.Staff.Users(ctx, tx, "")
		if err != nil {
			return err
		}
		all, next, err := buried(ctx, tx, cursor)
		if err != nil {
			return err
		}
		for _, t := range all {
			out := pages.Deletion{ApplicationID: t.applicationID, Cause: t.reason, At: t.at}
			if i := slices.IndexFunc(people, func(u staff.User) bool { return u.ID == t.by }); i >= 0 {
				out.By = people[i].Email
			}
			v.Rows = append(v.Rows, out)
		}
		if next != "" {
			v.Older = "/review/deletions?after=" + next
		}
		if cursor != "" {
			v.Newest = "/review/deletions"
		}
		return nil
	})
	if err != nil {
		return err
	}
	return d.show(w, r, http.StatusOK, func(p ui.Page) templ.Component { return pages.Deletions(p, v) })
}

// showGone shows that an application was deleted, if it was.
func (d *Handler) showGone(w http.ResponseWriter, r *http.Request, by staff.User, why error) error {
	t, err := grave(r.Context(), d.DB.SQL, r.PathValue("id"))
	if err != nil {
		return why
	}
	var deleter staff.User
	if t.by != "" {
		if deleter, err = d.Staff.User(r.Context(), d.DB.SQL, t.by); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	v := pages.Deletion{ApplicationID: t.applicationID, Cause: t.reason, At: t.at, By: deleter.Email}
	return d.show(w, r, http.StatusGone, func(p ui.Page) templ.Component { return pages.Gone(p, by.Email, v) })
}

// Retain is the job that deletes applications after the retention period.
type Retain struct{}

// Kind returns the job's name.
func (Retain) Kind() string { return "review.retain" }

// Refill is the job that indexes applications older than the index.
type Refill struct{}

// Kind returns the job's name.
func (Refill) Kind() string { return "review.refill" }

// Register registers the package's jobs.
func (d *Handler) Register(r *jobs.Registry) {
	jobs.Register(r, func(ctx context.Context, _ jobs.Job, _ Retain) error { return d.retain(ctx) }, jobs.NoAttemptLimit())
	jobs.Register(r, func(ctx context.Context, _ jobs.Job, _ Refill) error { return d.refill(ctx) })
}

// Resume enqueues the package's jobs when the process starts.
func (d *Handler) Resume(ctx context.Context) error {
	return d.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if d.RetentionDays > 0 {
			if err := d.Queue.Enqueue(ctx, tx, Retain{}, jobs.UniqueKey("retain")); err != nil {
				return err
			}
		}
		return d.Queue.Enqueue(ctx, tx, Refill{}, jobs.UniqueKey("refill"))
	})
}

// retain deletes a batch of applications without activity for longer than the
// configured days, and reschedules itself: soon for the next batch; later for a new
// pass, which retries those that failed.
func (d *Handler) retain(ctx context.Context) error {
	if d.RetentionDays <= 0 {
		return nil
	}
	behind, _ := d.retained.Load().(search.Place)
	old, err := search.Untouched(ctx, d.DB.SQL, d.Now().AddDate(0, 0, -d.RetentionDays), behind, retainedBatch)
	if err != nil {
		return err
	}
	for _, p := range old { // one that fails does not hold up the others
		_, err := d.remove(ctx, p.Application, "", byAge)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			d.Log.WarnContext(ctx, "not deleted by age", "application", p.Application, "err", err.Error())
		}
	}
	if len(old) == retainedBatch {
		d.retained.Store(old[len(old)-1])
		return jobs.Snooze(time.Second)
	}
	d.retained.Store(search.Place{})
	return jobs.Snooze(retainEvery)
}

// refill indexes a batch of applications that are older than the index.
func (d *Handler) refill(ctx context.Context) error {
	ids, err := search.Unnamed(ctx, d.DB.SQL, retainedBatch)
	if err != nil || len(ids) == 0 {
		return err
	}
	people, err := d.Applications.Applicants(ctx, ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		err := d.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
			if err := d.Applications.Lock(ctx, tx, id); err != nil {
				return err
			}
			a, err := d.Applications.GetIn(ctx, tx, id)
			if err != nil {
				return err
			}
			if err := errors.Join(d.index.Put(ctx, tx, a), d.index.Name(ctx, tx, id, a.CreatedAt, people[id])); err != nil {
				return err
			}
			return search.SetNamed(ctx, tx, id)
		})
		if err != nil {
			return err
		}
	}
	return jobs.Snooze(10 * time.Millisecond)
}

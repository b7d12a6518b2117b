package webhooks

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/provider/reports"
	"vestibule/internal/store"
	"vestibule/internal/webhook"
)

// add adds an endpoint and returns it with its secret.
func (r *testServer) add(customer, url string) (c webhook.Callback, secret string) {
	r.t.Helper()
	r.tx(func(ctx context.Context, tx *store.Tx) error {
		id, made, err := r.Add(ctx, tx, customer, url)
		if err != nil {
			return err
		}
		secret = made
		c, err = r.Callback(ctx, tx, customer, id)
		return err
	})
	return c, secret
}

// record records an event about an account and returns the URLs that it is sent to, in order.
func (r *testServer) record(customer string, status contract.Status) (urls []string) {
	r.t.Helper()
	r.queue = nil
	r.tx(func(ctx context.Context, tx *store.Tx) error {
		r.queue = nil
		return r.Record(ctx, tx, reports.StatusChange{CustomerID: customer, PublicToken: report, Status: status})
	})
	for _, j := range r.queue {
		d, err := r.Outbox.List(r.t.Context(), r.DB.SQL, webhook.Filter{Endpoint: r.endpoint(j.DeliveryID), Limit: 100})
		if err != nil {
			r.t.Fatal(err)
		}
		i := slices.IndexFunc(d, func(d webhook.Delivery) bool { return d.ID == j.DeliveryID })
		to, err := r.target(r.t.Context(), r.DB.SQL, d[i])
		if err != nil {
			r.t.Fatal(err)
		}
		urls = append(urls, to.URL)
	}
	slices.Sort(urls)
	return urls
}

// endpoint returns the endpoint of a delivery.
func (r *testServer) endpoint(deliveryID string) (e webhook.Endpoint) {
	r.t.Helper()
	if err := r.DB.SQL.QueryRow(`SELECT callback_id, further_id FROM deliveries WHERE id = $1`, deliveryID).
		Scan(&e.CallbackID, &e.FurtherID); err != nil {
		r.t.Fatal(err)
	}
	return e
}

// pair adds two endpoints of one customer.
func (r *testServer) pair() (first, second webhook.Callback) {
	first, _ = r.add(mine, "https://a.example/webhook")
	second, _ = r.add(mine, "https://b.example/webhook")
	return first, second
}

func TestEachEndpointHasItsEventsAndSecret(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		first, firstSecret := r.add(mine, "https://a.example/webhook")
		second, secondSecret := r.add(mine, "https://b.example/webhook")
		r.tx(func(ctx context.Context, tx *store.Tx) error {
			return r.Subscribe(ctx, tx, second, []contract.Status{contract.StatusError})
		})
		if got := r.record(mine, contract.StatusSuccess); !slices.Equal(got, []string{first.URL}) {
			t.Errorf("a status of one subscription goes to %v", got)
		}
		if got := r.record(mine, contract.StatusError); !slices.Equal(got, []string{first.URL, second.URL}) {
			t.Errorf("a status of both goes to %v", got)
		}
		for c, want := range map[*webhook.Callback]string{&first: firstSecret, &second: secondSecret} {
			if got, err := r.plain(t.Context(), r.DB.SQL, c.Endpoint); err != nil || !slices.Equal(got, []string{want}) {
				t.Errorf("%s is signed by %d secrets (%v), want its own", c.URL, len(got), err)
			}
		}
		before := r.callback(mine).Signers
		r.tx(func(ctx context.Context, tx *store.Tx) error {
			c, err := r.Callback(ctx, tx, mine, second.ID)
			if err != nil {
				return err
			}
			if _, ok, err := r.Rotate(ctx, tx, first, c.Signers[0].ID); ok || err != nil {
				t.Errorf("the other endpoint's secret is rotated: %v, %v", ok, err)
			}
			_, ok, err := r.Rotate(ctx, tx, second, c.Signers[0].ID)
			if !ok {
				t.Error("its own is not")
			}
			return err
		})
		if c, err := r.Callback(t.Context(), r.DB.SQL, mine, second.ID); err != nil || len(c.Signers) != 2 ||
			!slices.Equal(r.callback(mine).Signers, before) {
			t.Errorf("%d secrets after a rotation (%v); the first's: %v", len(c.Signers), err, r.callback(mine).Signers)
		}
		r.now = r.now.Add(Rotation)
		if err := r.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got, err := r.plain(t.Context(), r.DB.SQL, second.Endpoint); err != nil || len(got) != 1 || got[0] == secondSecret {
			t.Errorf("a day later %d secrets sign (%v)", len(got), err)
		}
	})
}

func TestEachEndpointHasItsDeliveries(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		first, second := r.pair()
		r.record(mine, contract.StatusSuccess)
		var toFirst, toSecond string
		for _, j := range r.queue {
			if r.endpoint(j.DeliveryID) == first.Endpoint {
				toFirst = j.DeliveryID
			} else {
				toSecond = j.DeliveryID
			}
		}
		r.work(toFirst)
		r.answers = []webhook.Result{{Outcome: webhook.Disabled, HTTP: 410}}
		r.work(toSecond)
		all, err := r.Callbacks(t.Context(), r.DB.SQL, mine)
		if err != nil || len(all) != 2 || !all[0].Disabled.IsZero() || all[1].Disabled.IsZero() {
			t.Fatalf("after the second's 410: %+v, %v", all, err)
		}
		for id, want := range map[string]bool{first.ID: false, second.ID: true} {
			list, err := r.Deliveries(t.Context(), r.DB.SQL, mine, id, webhook.Filter{Limit: 9})
			failed, err2 := r.HasFailed(t.Context(), r.DB.SQL, mine, id, time.Time{})
			counts, err3 := r.Counts(t.Context(), r.DB.SQL, mine, id, webhook.Window{Since: r.now.Add(-time.Hour), Hourly: true})
			if err := errors.Join(err, err2, err3); err != nil || len(list) != 1 || failed != want || len(counts) != 1 {
				t.Errorf("an endpoint has %d deliveries, failed %v, counts %v, %v", len(list), failed, counts, err)
			}
		}
		if list, err := r.Deliveries(t.Context(), r.DB.SQL, mine, "", webhook.Filter{Limit: 9}); err != nil || len(list) != 2 {
			t.Errorf("%d deliveries to both, %v", len(list), err)
		}
		if _, err := r.redeliver(mine, toSecond); !errors.Is(err, webhook.ErrStopped) {
			t.Errorf("an event to the endpoint that is off: %v", err)
		}
		r.tx(func(ctx context.Context, tx *store.Tx) error {
			return r.SetURL(ctx, tx, second, "https://c.example/webhook")
		})
		again, err := r.redeliver(mine, toSecond)
		if err != nil || r.endpoint(again) != second.Endpoint {
			t.Errorf("it is sent again to %+v, %v", r.endpoint(again), err)
		}
		// The first's delivery is not held up by the second's.
		err = r.DB.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			_, err := r.Redeliver(ctx, tx, mine, toFirst, 1)
			return err
		})
		if err != nil {
			t.Errorf("while the other endpoint's is pending: %v", err)
		}
	})
}

func TestRemovedEndpointKeepsItsLog(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		first, second := r.pair()
		r.record(mine, contract.StatusSuccess)
		var ok [3]bool
		r.tx(func(ctx context.Context, tx *store.Tx) (err error) {
			for i, c := range []webhook.Callback{first, second, second} {
				if ok[i], err = r.Remove(ctx, tx, c); err != nil {
					return err
				}
			}
			return nil
		})
		if ok != [3]bool{false, true, false} {
			t.Errorf("removed %v; want the second, once", ok)
		}
		for _, j := range r.queue {
			r.work(j.DeliveryID)
			want := webhook.StateDelivered
			if r.endpoint(j.DeliveryID) == second.Endpoint {
				want = webhook.StateDisabled
			}
			if d := r.delivery(j.DeliveryID); d.State != want {
				t.Errorf("to %+v: %s, want %s", d.Endpoint, d.State, want)
			}
		}
		if len(r.bodies) != 1 {
			t.Errorf("%d requests were sent", len(r.bodies))
		}
		var secrets int
		if err := r.DB.SQL.QueryRow(`SELECT count(*) FROM further_callback_secrets`).Scan(&secrets); err != nil || secrets != 0 {
			t.Errorf("%d secrets stay, %v", secrets, err)
		}
		if got := r.record(mine, contract.StatusSuccess); !slices.Equal(got, []string{first.URL}) {
			t.Errorf("later events go to %v", got)
		}
	})
}

func TestEndpointsAreLimitedAndTheirOwners(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		var wait sync.WaitGroup
		for range MaxCallbacks + 4 {
			wait.Go(func() {
				err := r.DB.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
					_, _, err := r.Add(ctx, tx, mine, "https://a.example/webhook")
					return err
				})
				if err != nil && !errors.Is(err, ErrTooManyCallbacks) {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		all, err := r.Callbacks(t.Context(), r.DB.SQL, mine)
		if err != nil || len(all) != MaxCallbacks {
			t.Fatalf("%d endpoints, %v", len(all), err)
		}
		r.setURL(theirs, "https://b.example/webhook")
		for _, c := range all {
			if _, err := r.Callback(t.Context(), r.DB.SQL, theirs, c.ID); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("another customer finds an endpoint: %v", err)
			}
			if list, err := r.Deliveries(t.Context(), r.DB.SQL, theirs, c.ID, webhook.Filter{Limit: 9}); err != nil || len(list) > 0 {
				t.Errorf("another customer reads %d deliveries, %v", len(list), err)
			}
		}
	})
}

func TestChildReportsToItsOwnEndpointsOrItsParents(t *testing.T) {
	each(t, func(t *testing.T, r *testServer) {
		first, second := r.pair()
		r.tx(func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.ExecContext(ctx, `UPDATE customers SET parent_id = $1 WHERE id = $2`, mine, theirs)
			return err
		})
		if got := r.record(theirs, contract.StatusSuccess); !slices.Equal(got, []string{first.URL, second.URL}) {
			t.Errorf("without endpoints: %v", got)
		}
		own, _ := r.add(theirs, "https://c.example/webhook")
		if got := r.record(theirs, contract.StatusSuccess); !slices.Equal(got, []string{own.URL}) {
			t.Errorf("with its own: %v", got)
		}
		r.tx(func(ctx context.Context, tx *store.Tx) error {
			_, err := r.SetEnabled(ctx, tx, own, false)
			return err
		})
		if got := r.record(theirs, contract.StatusSuccess); len(got) > 0 {
			t.Errorf("with its own turned off: %v", got)
		}
	})
}

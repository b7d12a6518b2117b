//go:build linux

package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"time"

	"vestibule/bench/fleet"
	"vestibule/internal/contract"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/review/search"
	"vestibule/internal/prefill"
	"vestibule/internal/provider/customers"
	"vestibule/internal/store"
)

var manyApplications = flag.Int("applications", 100_000, "how many applications the portal has, of the figures of applications")

// fewApplications is how many applications the portal has that is measured beside the one with many,
// whose provider has manyCustomers more customers.
const fewApplications, manyCustomers = 1_000, 100

// applicationFigures measures lists, searches and journeys at a portal with many applications and a
// provider with many customers, beside a portal and a provider with few.
func applicationFigures(ctx context.Context, dir string) []figure {
	bin := buildProgram(ctx, dir)
	out := applicationsOn(ctx, "SQLite", fleet.Options{Bin: bin})
	return append(out, applicationsOn(ctx, "PostgreSQL", fleet.Options{Bin: bin, Replicas: 1})...)
}

func applicationsOn(ctx context.Context, name string, o fleet.Options) []figure {
	few, fewLoad, _ := portalWith(ctx, o, fewApplications, 0)
	defer few.Stop()
	many, manyLoad, size := portalWith(ctx, o, *manyApplications, manyCustomers)
	defer many.Stop()
	of := fmt.Sprintf(", %d applications / %d, %s", *manyApplications, fewApplications, name)
	out := []figure{compare("database of an application without a visit, "+name, "≤ 60 KB", kilobytes, series{size}, series{60e3})}
	who := nameOf(17)
	for _, question := range []struct{ name, list, text string }{
		{"the list", "queue=all", ""},
		{"a queue", "queue=waiting", ""},
		{"search by the beginning of a name", "", who.first[:4]},
		{"search by a name", "", who.first + " " + who.last},
		{"search by email", "", who.email},
	} {
		ask := func(l *fleet.Load) float64 {
			began := elapsed()
			check(l.Find(ctx, question.list, question.text))
			return elapsed() - began
		}
		var here, there series
		for range 200 {
			here, there = append(here, ask(manyLoad)), append(there, ask(fewLoad))
		}
		out = append(out, compare(question.name+of, "≤ 1.30", millis, here, there),
			compare(question.name+", p99"+of, "≤ 10 ms", millis, series{here.quantile(0.99)}, series{there.quantile(0.99)}))
	}
	var here, there series
	for round := range 6 {
		for _, p := range []struct {
			f    *fleet.Fleet
			l    *fleet.Load
			cost *series
		}{{many, manyLoad, &here}, {few, fewLoad, &there}} {
			before := must(p.f.Cost())
			parallel(journeysAtOnce, journeysEach/2, func(int) { check(p.l.Whole(ctx)) })
			if round > 0 { // the first warms up
				*p.cost = append(*p.cost, float64(must(p.f.Cost()).Less(before).Own())/(journeysEach/2))
			}
		}
	}
	return append(out, compare("processor time of a journey"+of, "≤ 1.30", millis, here, there))
}

// portalWith starts a program whose portal has n applications and whose provider has more customers,
// and returns the bytes of database of each application.
func portalWith(ctx context.Context, o fleet.Options, n, more int) (f *fleet.Fleet, l *fleet.Load, size float64) {
	f = must(fleet.Launch(ctx, o))
	err := catch(func() {
		before := must(f.Stored())
		fill(ctx, must(f.Open(ctx, store.Portal)), n)
		size = float64(must(f.Stored())-before) / float64(n)
		addCustomers(ctx, must(f.Open(ctx, store.Provider)), more)
		l = must(fleet.NewLoad(f))
	})
	if err != nil {
		f.Stop()
		check(err)
	}
	return f, l, size
}

// fill adds applications as onboarding apps create them: an hour's in each transaction, of four at once.
func fill(ctx context.Context, db *store.DB, n int) {
	defer db.Close()
	began := time.Now().AddDate(0, 0, -20)
	s := &applications.Service{DB: db, Products: map[contract.Product]string{contract.Cashflow: "bench"}, Environment: contract.Sandbox,
		Now: time.Now, Log: slog.New(slog.DiscardHandler)}
	index := &search.Index{DB: db, Applications: s, Now: time.Now}
	check(index.Prepare(ctx))
	s.OnChange, s.OnApplicant = append(s.OnChange, index.OnChange), append(s.OnApplicant, index.OnApplicant)
	each := max(1, n/480) // an hour's
	parallel(4, (n+each-1)/each, func(hour int) {
		check(db.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
			tx.Now = began.Add(time.Duration(hour) * time.Hour)
			for i := hour * each; i < min((hour+1)*each, n); i++ {
				_, problems, err := s.Create(ctx, tx, applications.New{Product: contract.Cashflow, Origin: applications.FromAPI,
					Prefill: nameOf(i).prefill()})
				if err != nil || len(problems) > 0 {
					return fmt.Errorf("application %d: %v %v", i, problems, err)
				}
			}
			return nil
		}))
	})
}

// addCustomers adds n customers with a product each.
func addCustomers(ctx context.Context, db *store.DB, n int) {
	defer db.Close()
	s := &customers.Service{DB: db}
	check(db.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		for i := range n {
			id := fmt.Sprintf("bench-%d", i)
			if _, err := s.EnsureParent(ctx, tx, customers.ParentAccount{Role: "added " + id, Name: id, Environment: contract.Sandbox,
				PublicID: id, ClientID: id, SecretKey: id, Products: map[contract.Product]string{contract.Cashflow: id},
				ReturnMode: "get"}); err != nil {
				return err
			}
		}
		return nil
	}))
}

type applicantName struct{ first, last, email string }

// nameOf returns the name of an applicant: one of 400 first and one of 8,000 last names.
func nameOf(i int) applicantName {
	name := func(n, syllables int) (out string) {
		for range syllables {
			out += string("bcdfghjklmnprstvwxyz"[n%20]) + string("aeiou"[n%5])
			n /= 20
		}
		return out + "n"
	}
	// Multipliers without common factors mix the names.
	who := applicantName{first: name(i*7%400, 2), last: name(i*13%8_000, 3)}
	who.email = fmt.Sprintf("%s.%s.%d@example.org", who.first, who.last, i)
	return who
}

func (a applicantName) prefill() prefill.Object {
	return prefill.Object{{Key: "firstName", Value: prefill.String(a.first)}, {Key: "lastName", Value: prefill.String(a.last)},
		{Key: "email", Value: prefill.String(a.email)}, {Key: "dob", Value: prefill.String("1990-12-10")}}
}

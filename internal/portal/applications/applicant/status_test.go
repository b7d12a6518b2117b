package applicant

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/journey"
	"vestibule/internal/portal/applications"
	portalui "vestibule/templates/portal"
)

var update = flag.Bool("update", false, "write what is expected anew")

// TestOutcomesHaveTextAndNextStep checks the status page's text and next steps, in
// every language, for each state, status, substatus and error.
func TestOutcomesHaveTextAndNextStep(t *testing.T) {
	now := time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)
	site := &Handler{Service: &applications.Service{Now: func() time.Time { return now }}, ResumeByEmail: true}
	var all []journey.Application
	for _, s := range journey.States() {
		if s != journey.Failed {
			all = append(all, journey.Application{State: s, Attempt: 1, Since: now.Unix()})
		}
	}
	all = append(all,
		journey.Application{State: journey.Pending, Attempt: 1, Since: now.Add(-time.Hour).Unix()},
		journey.Application{State: journey.Connecting, Attempt: 1, Since: now.Unix(), Error: contract.WidgetRequestTimeout},
		journey.Application{State: journey.Ready, Attempt: 1, Since: now.Unix(),
			Status: contract.StatusSuccess, Substatus: contract.SubNoRecentInformation})
	failed := func(status contract.Status, sub contract.Substatus, e contract.WidgetError) {
		all = append(all, journey.Application{State: journey.Failed, Attempt: 1, Since: now.Unix(), Status: status, Substatus: sub, Error: e})
	}
	for _, status := range contract.Statuses() {
		if status.Failed() {
			failed(status, "", "")
		}
	}
	for _, sub := range contract.Substatuses() {
		if sub != contract.SubNoRecentInformation {
			failed(contract.StatusError, sub, "")
		}
	}
	failed(contract.StatusNotAuthenticated, contract.SubMFARequired, "")
	failed(contract.StatusError, "SOMETHING_NEW", "")
	failed(contract.StatusError, contract.Substatus(contract.WidgetPrefillZIP), "")
	for _, e := range contract.WidgetErrors() {
		failed("", "", e.Type)
	}

	var out strings.Builder
	for _, j := range all {
		fmt.Fprintln(&out, strings.TrimSpace(fmt.Sprintf("%s %s %s %s", j.State, j.Status, j.Substatus, j.Error)))
		for _, l := range i18n.Languages() {
			a := applications.Application{ID: "5f1c7f0e-0b0a-4a57-9a5e-3d6f0c1f9a01", Product: contract.Cashflow,
				Mode: applications.Embedded, Origin: applications.FromWeb, HasApplicant: true,
				ReturnURL: "https://shop.example/", Journey: j}
			brand := portalui.Brand{Support: portalui.Support{Email: "help@shop.example"}}
			m := site.StatusView(portalui.Base{Lang: l, Brand: brand}, a, Visitor{}, nil)
			parts := []string{i18n.T(l, m.Title), m.Say(m.Text)}
			if m.Detail != "" {
				parts = append(parts, m.Say(m.Detail))
			}
			fmt.Fprintf(&out, "  %s  %s\n", l, strings.Join(parts, " | "))
			if l != i18n.English {
				continue
			}
			if on := ways(m); len(on) == 0 {
				t.Errorf("%+v leads nowhere", j)
			} else {
				fmt.Fprintf(&out, "  on  %s\n", strings.Join(on, ", "))
			}
		}
	}
	const file = "testdata/outcomes.txt"
	if *update {
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("%s (go test -update writes it anew): -want +got\n%s", file, diff)
	}
}

// ways lists the next steps that the page offers.
func ways(m portalui.Status) []string {
	var out []string
	for _, w := range []struct {
		name  string
		there bool
	}{
		{"go on", m.Connect != ""}, {"the service's own page", m.Other || m.Retry}, {"try again", m.Retry}, {"correct the form", m.Correct != ""},
		{"wait", m.Moving}, {"it takes long", m.Slow}, {"another browser", m.Resume != (portalui.ResumeOptions{})},
		{"ask for help", m.Support != (portalui.Support{})}, {"back to the company", m.ReturnURL != ""},
	} {
		if w.there {
			out = append(out, w.name)
		}
	}
	return out
}

// TestUnreadFilesAreNamed checks that a report that failed for its files or a sign-in does not
// blame the sign-in alone where the product takes files.
func TestUnreadFilesAreNamed(t *testing.T) {
	site := &Handler{Service: &applications.Service{Now: time.Now}}
	j := journey.Application{State: journey.Failed, Attempt: 1, Status: contract.StatusNotAuthenticated}
	for product, want := range map[contract.Product][2]i18n.Key{
		contract.Cashflow:    {"status.failed.sign_in.title", "journey.report.not_authenticated"},
		contract.Income:      {"status.failed.supplier.title", "status.failed.unread.text"},
		contract.Eligibility: {"status.failed.supplier.title", "status.failed.unread.text"},
	} {
		m := site.StatusView(portalui.Base{Lang: i18n.English}, applications.Application{ID: "1", Product: product, Journey: j}, Visitor{}, nil)
		if got := [2]i18n.Key{m.Title, m.Text}; got != want || !m.Retry {
			t.Errorf("%s: %q, offers to try again: %v, want %q and the offer", product, got, m.Retry, want)
		}
	}
}

// TestFramesAndAppsOfferNoCorrection checks that frames and apps offer no correction
// form, because the app corrects its applicant's data.
func TestFramesAndAppsOfferNoCorrection(t *testing.T) {
	site := &Handler{Service: &applications.Service{Now: time.Now}, ResumeByEmail: true}
	j := journey.Application{State: journey.Failed, Attempt: 1, Error: contract.WidgetPrefillZIP}
	for name, c := range map[string]struct {
		origin string
		v      Visitor
		want   bool
	}{
		"portal form": {applications.FromWeb, Visitor{}, true},
		"an app":      {applications.FromAPI, Visitor{}, false},
		"a frame":     {applications.FromWeb, Visitor{Framed: true, Origin: "https://shop.example"}, false},
	} {
		m := site.StatusView(portalui.Base{Lang: i18n.English}, applications.Application{ID: "1",
			Product: contract.Income, Origin: c.origin, Journey: j}, c.v, nil)
		if got := m.Correct == "/apply/income"; got != c.want || m.Retry {
			t.Errorf("%s: offers to correct the form at %q, to try again %v", name, m.Correct, m.Retry)
		}
		open := site.StatusView(portalui.Base{Lang: i18n.English}, applications.Application{ID: "1", Product: contract.Income,
			Origin: c.origin, Journey: journey.Application{State: journey.Exited, Attempt: 1}}, c.v, nil)
		if got := open.Resume != (portalui.ResumeOptions{}); got == c.v.Framed {
			t.Errorf("%s: offers another browser: %v", name, got)
		}
	}
}

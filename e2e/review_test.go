package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"vestibule/internal/i18n"
	"vestibule/internal/testutil"
	"vestibule/internal/testutil/tools"
)

// signInToReview signs the first start's reviewer in from where v is sent to.
func (s *site) signInToReview(t *testing.T, v *visitor, password string) {
	t.Helper()
	fill(t, v.page("[name=email]"), s.Credentials.Reviewer.Email)
	fill(t, v.page("[name=password]"), password)
	click(t, v.page("form[action='/review/sign-in'] button"))
}

// signIn signs the first start's reviewer in without a page.
func (s *site) signIn(t *testing.T, v *visitor) {
	t.Helper()
	v.send(t, s.Portal+"/review/sign-in", "email", s.Credentials.Reviewer.Email, "password", s.Credentials.Reviewer.Password)
}

// submit creates an application with the given data, walks its visit and returns, all
// without a page; missing data is person's.
func (s *site) submit(t *testing.T, v *visitor, username, end string, more map[string]any) reached {
	t.Helper()
	in := map[string]any{"product": "cashflow", "mode": "redirect-form", "prefill": person}
	for name, value := range more {
		in[name] = value
	}
	out := s.api(t, "POST", "/applications", in)
	a := opened{out["id"].(string), out["connectUrl"].(string)}
	r := s.complete(t, leave(t, v, a.ConnectURL), username, end)
	r.opened = a
	page(t, v, r.back)
	return r
}

// raw is the report as the provider serves it.
func (s *site) raw(t *testing.T, publicToken string) []byte {
	t.Helper()
	access := call(t, "GET", s.Provider+"/connect/accesstoken", s.basic(), nil, 2)["accessToken"].(string)
	req, err := http.NewRequestWithContext(t.Context(), "GET", s.Provider+"/connect/cashflow/v2/json", nil)
	must(t, err)
	req.Header.Set("Authorization", "Bearer "+base64.StdEncoding.EncodeToString([]byte(access)))
	req.Header.Set("X-PUBLIC-TOKEN", publicToken)
	resp := send(t, req)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	must(t, err)
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("the provider's report is %d %s", resp.StatusCode, body)
	}
	return body
}

// listed waits until the list has a number of applications.
func listed(t *testing.T, v *visitor, want int) {
	t.Helper()
	until(t, fmt.Sprintf("%d applications are listed", want), func() bool {
		n, err := v.page("table tbody tr").Count()
		return err == nil && n == want
	})
}

// TestReview walks a reviewer from signing in to the JSON of a report.
func TestReview(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := alone(t)
	applicant := visit(t, noScript)
	stranger := s.submit(t, applicant, "default", "", map[string]any{"externalId": "loan-1001", "userArgs": "branch 7"})
	owner := s.submit(t, applicant, "multi", "", map[string]any{"externalId": "loan-1002",
		"prefill": map[string]any{"firstName": "Multi", "lastName": "Chen", "email": "multi@example.org", "dob": "1980-01-01"}})
	left := s.submit(t, applicant, "", "exit", map[string]any{"externalId": "lease-7"})
	s.begin(t, "embedded")
	s.await(t, stranger.ID, "ready")
	s.await(t, owner.ID, "ready")
	s.await(t, left.ID, "exited")
	review, v := s.Portal+"/review", visit(t)
	reportURL := review + "/applications/" + stranger.ID + "/report"

	t.Run("closed to others", func(t *testing.T) { reviewIsClosed(t, s, v, applicant, stranger) })
	t.Run("the report of a person who is not the owner", func(t *testing.T) { readUnmatchedReport(t, v, stranger) })
	t.Run("files of the report", func(t *testing.T) { downloadReport(t, s, v, applicant, stranger) })
	t.Run("the owner's report", func(t *testing.T) { readMatchedReport(t, s, v, owner) })
	t.Run("the list, by state", func(t *testing.T) { listByState(t, s, v) })
	t.Run("the list, by keys", func(t *testing.T) { useListByKeys(t, s, v) })
	t.Run("the list, by search", func(t *testing.T) { searchList(t, s, v, stranger, owner, left) })
	t.Run("signed out", func(t *testing.T) {
		v.open(t, reportURL)
		click(t, v.page(button(en("ui.sign_out"))))
		title(t, v, en("review.sign_in.title"))
		_, err := v.GoBack()
		must(t, err)
		title(t, v, en("review.sign_in.title"))
		v.open(t, reportURL+".json")
		title(t, v, en("review.sign_in.title"))
	})
}

func reviewIsClosed(t *testing.T, s *site, v *visitor, applicant *visitor, stranger reached) {
	reportURL := s.Portal + "/review/applications/" + stranger.ID + "/report"
	review := s.Portal + "/review"
	for _, path := range []string{review, reportURL, reportURL + ".json", review + "/applications/" + stranger.ID} {
		applicant.open(t, path)
		title(t, applicant, en("review.sign_in.title"))
	}
	v.open(t, reportURL)
	title(t, v, en("review.sign_in.title"))
	v.expect("422")
	s.signInToReview(t, v, "not the password")
	see(t, v.page("#sign-in-problem"))
	v.axe(t)
	if kept, err := v.page("[name=email]").InputValue(); err != nil || kept != s.Credentials.Reviewer.Email {
		t.Errorf("the e-mail was not kept: %q", kept)
	}
	before := s.cookie(t, v)
	s.signInToReview(t, v, s.Credentials.Reviewer.Password)
	at(t, v, reportURL) // the requested page
	if after := s.cookie(t, v); after == "" || after == before {
		t.Error("signing in did not change the session's id")
	}
}

func readUnmatchedReport(t *testing.T, v *visitor, stranger reached) {
	title(t, v, en("review.report.cashflow"))
	see(t, v.page(text(en("review.person_real.unknown"))))
	see(t, v.page("role=cell >> text="+en("review.report.unmatched")))
	see(t, v.page("role=cell >> text=Zoë O’Hara-Núñez"))
	for _, part := range []string{"Identity", "Accounts", "Sources", en("review.report.about")} {
		see(t, v.page("role=heading[level=2][name="+strconv.Quote(part)+"]"))
	}
	see(t, v.page("text=loan-1001"))
	see(t, v.page("text=branch 7"))
	see(t, v.page("text="+stranger.publicToken))
	shown := read(t, v.page("article.report"))
	ids := regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`) // some have long runs of digits
	if found := regexp.MustCompile(`\d{9,}`).FindString(ids.ReplaceAllString(shown, "")); found != "" {
		t.Errorf("the page shows a whole number: %s", found)
	}
}

func downloadReport(t *testing.T, s *site, v *visitor, applicant *visitor, stranger reached) {
	reportURL := s.Portal + "/review/applications/" + stranger.ID + "/report"
	// Its JSON is the provider's, byte for byte.
	file, err := v.ExpectDownload(func() error { return v.page(link(en("review.application.download"))).Click() })
	must(t, err)
	path, err := file.Path()
	must(t, err)
	got := testutil.ReadFile(t, path)
	if want := s.raw(t, stranger.publicToken); !bytes.HasPrefix(got, []byte(`{"stated":{"firstName":`)) || !bytes.HasSuffix(got, want[1:]) {
		t.Errorf("the download has %d bytes, the provider's report %d", len(got), len(want))
	}
	if name := file.SuggestedFilename(); name != "cashflow-"+stranger.ID+".json" {
		t.Errorf("the download is called %q", name)
	}
	s.holds(t, v, got)
	plain := applicant
	plain.open(t, reportURL)
	s.signInToReview(t, plain, s.Credentials.Reviewer.Password)
	s.readReport(t, v, plain, stranger.ID, got)
}

func readMatchedReport(t *testing.T, s *site, v *visitor, owner reached) {
	review := s.Portal + "/review"
	v.open(t, review+"/applications/"+owner.ID)
	name, body := kept(t, v, link(en("review.pdf.download")))
	if name != "cashflow-"+owner.ID+".pdf" || !bytes.HasPrefix(body, []byte("%PDF-")) {
		t.Errorf("%s: %.80q", name, body)
	}
	click(t, v.page(link(en("review.application.print"))))
	see(t, v.page(text(en("review.report.all_match"))))
	if n, err := v.page("role=cell >> text=" + en("review.report.unmatched")).Count(); err != nil || n != 0 {
		t.Errorf("%d names do not match", n)
	}
}

func listByState(t *testing.T, s *site, v *visitor) {
	review := s.Portal + "/review"
	v.open(t, review+"?queue=all")
	listed(t, v, 4)
	click(t, v.page(".queues a >> text="+en("review.queues.decide")))
	listed(t, v, 2)
	see(t, v.page(".queues a[aria-current=page] >> text="+en("review.queues.decide")))
	click(t, v.page("tbody .list-check").First())
	click(t, v.page(button(en("review.list.take"))))
	see(t, v.page("tbody >> text="+en("review.list.you")))
	click(t, v.page(".queues a >> text="+en("review.queues.mine")))
	listed(t, v, 1)
}

func useListByKeys(t *testing.T, s *site, v *visitor) {
	review := s.Portal + "/review"
	keysWork(t, v)
	must(t, v.Keyboard().Press("?"))
	must(t, v.Keyboard().Press("Enter")) // turns the keys off, and again on
	must(t, v.Keyboard().Press("j"))
	see(t, v.page("[data-keys-toggle]:focus"))
	must(t, v.Keyboard().Press("Control+k"))
	if n, err := v.page("dialog").Count(); err != nil || n != 0 {
		t.Error("a key that is turned off opens the menu of commands")
	}
	must(t, v.Keyboard().Press("Enter"))
	must(t, v.Keyboard().Press("Control+k"))
	must(t, v.Keyboard().Type(en("review.overview.title")))
	must(t, v.Keyboard().Press("Enter"))
	title(t, v, en("review.overview.title"))
	see(t, v.page("[data-commands-open]"))
	must(t, v.Keyboard().Press("Control+k"))
	must(t, v.Keyboard().Type(en("review.queues.mine")))
	must(t, v.Keyboard().Press("Enter"))
	listed(t, v, 1)
	keysWork(t, v)
	must(t, v.Keyboard().Press("j"))
	must(t, v.Keyboard().Press("Enter"))
	click(t, v.page(button(en("review.list.release"))))
	see(t, v.page(button(en("review.list.take"))))
	v.open(t, review+"?queue=mine")
	see(t, v.page(text(en("review.list.queue_empty"))))
}

func searchList(t *testing.T, s *site, v *visitor, stranger reached, owner reached, left reached) {
	review := s.Portal + "/review"
	v.open(t, review+"?state=exited")
	listed(t, v, 1)
	v.open(t, review+"?state=failed")
	title(t, v, "Applications")
	see(t, v.page(text(en("review.list.not_found"))))
	v.open(t, review)
	for what, url := range map[string]string{"lease": "/applications/" + left.ID, owner.publicToken: "/applications/" +
		owner.ID, stranger.ID: "/applications/" + stranger.ID} {
		fill(t, v.page("[name=query]"), what)
		click(t, v.page(button(en("review.find"))))
		at(t, v, review+url)
		v.open(t, review)
	}
	v.open(t, review+"?queue=all")
	fill(t, v.page("[name=query]"), "loan-")
	click(t, v.page(button(en("review.find"))))
	see(t, v.page("table"))
	listed(t, v, 2)
	fill(t, v.page("[name=query]"), "unknown")
	click(t, v.page(button(en("review.find"))))
	see(t, v.page(text(en("review.list.not_found"))))
	v.expect("404")
	if status := v.answer(t, review+"/applications/00000000-0000-4000-8000-000000000000"); status != 404 {
		t.Errorf("an unknown application is answered %d", status)
	}
	if status := v.answer(t, review+"/applications/"+left.ID+"/report"); status != 404 {
		t.Errorf("a report that is not there is answered %d", status)
	}
}

// TestListIsAPlaceToWork sorts the list, searches while typing, saves a filter, chooses
// dense rows, and keeps the list open while others work.
// keysWork waits until the page listens to its keys: a click that opens a page does not wait
// for the page's script.
func keysWork(t *testing.T, v *visitor) {
	t.Helper()
	must(t, v.Locator("[data-keys]:not([hidden])").WaitFor(playwright.LocatorWaitForOptions{
		State: playwright.WaitForSelectorStateAttached})) // hidden by styles where there is no mouse
}

func TestListIsAPlaceToWork(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := alone(t)
	first := s.begin(t, "embedded")
	multi := map[string]any{"firstName": "Multi", "lastName": "Chen", "email": "multi@example.org", "dob": "1980-01-01"}
	s.api(t, "POST", "/applications", map[string]any{"product": "income", "mode": "embedded", "prefill": multi})
	review := s.Portal + "/review"
	v := visit(t)
	s.signIn(t, v)
	v.open(t, review+"?queue=all")
	rows := v.page("table tbody tr")
	listed(t, v, 2)
	see(t, rows.First().Locator("text=Multi Chen"))
	began := v.page("th:has(> .list-sort)").Last()
	if sorted, err := began.GetAttribute("aria-sort"); err != nil || sorted != "descending" {
		t.Errorf("the list is sorted %q", sorted)
	}
	click(t, began.Locator("a"))
	see(t, v.page("th[aria-sort=ascending]"))
	see(t, rows.Last().Locator("text=Multi Chen"))

	t.Run("the menu of commands", func(t *testing.T) {
		// The menu of commands finds an applicant, and closes.
		click(t, v.page("[data-commands-open]"))
		must(t, v.Keyboard().Type("cHe"))
		see(t, v.page("role=option >> text=Multi Chen"))
		v.axe(t)
		must(t, v.Keyboard().Press("Escape"))
		see(t, v.page("[data-commands-open]:focus"))
	})
	t.Run("search and saved filter", func(t *testing.T) { saveFilter(t, s, v) })
	t.Run("others work", func(t *testing.T) { watchOthersWork(t, s, v, first) })
	t.Run("columns", func(t *testing.T) { chooseColumns(t, s, v) })
	t.Run("keys", func(t *testing.T) { walkListByKeys(t, v) })
}

func saveFilter(t *testing.T, s *site, v *visitor) {
	review := s.Portal + "/review"
	rows := v.page("table tbody tr")
	must(t, v.page("#filter-query").PressSequentially("cHe"))
	listed(t, v, 1)
	see(t, rows.Locator("text=Multi Chen"))
	if address := v.URL(); !strings.Contains(address, "find=") || !strings.Contains(address, "sort=started") {
		t.Errorf("the search's address is %q", address)
	}
	click(t, v.page(".list-saved summary"))
	fill(t, v.page("#filter-name"), "oldest first")
	v.axe(t)
	click(t, v.page(button(en("review.list.saved.save"))))
	listed(t, v, 1)
	keysWork(t, v)
	fill(t, v.page("[name=query]"), "")
	listed(t, v, 2)
	click(t, v.page(button(en("ui.dense"))))
	see(t, v.page(".list-part.dense"))
	see(t, v.page("[aria-pressed=true]"))
	v.open(t, review+"?queue=all")
	click(t, v.page(".queue-saved a >> text=oldest first"))
	see(t, v.page("th[aria-sort=ascending]"))
	see(t, v.page(".queue-saved [aria-current] .queue-count"))
	click(t, v.page(".list-saved summary"))
	fill(t, v.page("#filter-name"), "the oldest")
	click(t, v.page(button(en("review.list.saved.rename"))))
	see(t, v.page(".queue-saved [aria-current] >> text=the oldest"))
}

func watchOthersWork(t *testing.T, s *site, v *visitor, first opened) {
	review := s.Portal + "/review"
	// Others work: the row changes where it is and stays selected, and a new application
	// waits for the user.
	row := v.page(fmt.Sprintf("tr[data-id=%q]", first.ID))
	click(t, row.Locator(".list-check"))
	other := visit(t, noScript)
	s.signIn(t, other)
	other.open(t, review+"/applications/"+first.ID)
	click(t, other.page(button(en("review.list.take"))))
	see(t, row.Locator("text="+en("review.list.you")))
	trail := visit(t)
	s.signIn(t, trail)
	trail.open(t, review+"/audit?action=assigned")
	said := func(key i18n.Key) string { // the words between who and the application
		words := strings.Split(en(key, "who", "|", "application", "|"), "|")[1]
		return ".sentence:has-text('" + strings.TrimSpace(words) + "')"
	}
	see(t, trail.page(said("review.audit.said.assigned")).First())
	click(t, other.page(button(en("review.list.release"))))
	see(t, trail.page(said("review.audit.said.assigned_released")).First()) // without a reload
	click(t, other.page(button(en("review.list.take"))))
	see(t, row.Locator("input:checked"))
	s.begin(t, "embedded")
	see(t, v.page(text(en("review.list.new.show", "n", "1"))))
	listed(t, v, 2)
	v.axe(t)
	file, err := v.ExpectDownload(func() error { return v.page(button(en("review.list.export"))).Click() })
	must(t, err)
	if name := file.SuggestedFilename(); name != "applications.csv" {
		t.Errorf("the export is called %q", name)
	}
	click(t, v.page(text(en("review.list.new.show", "n", "1"))))
	listed(t, v, 3)
}

func chooseColumns(t *testing.T, s *site, v *visitor) {
	review := s.Portal + "/review"
	rows := v.page("table tbody tr")
	// The columns are the user's. A row is assigned where it is.
	v.open(t, review+"?queue=all")
	click(t, v.page(".list-columns summary"))
	click(t, v.page(".list-column >> text="+en("review.application.moved")))
	v.axe(t)
	click(t, v.page(button(en("review.list.columns.submit"))))
	see(t, v.page("th >> text="+en("review.application.moved")))
	click(t, rows.First().Locator(".assign-open"))
	see(t, rows.First().Locator(".assign-menu"))
	v.axe(t)
	click(t, rows.First().Locator(".assign-menu button").First())
	see(t, rows.First().Locator(".assign-open:has-text('"+en("review.list.you")+"')"))
}

func walkListByKeys(t *testing.T, v *visitor) {
	rows := v.page("table tbody tr")
	// Keys lead from one application of the list to the next, and a link back to its row.
	click(t, rows.First().Locator(".list-link"))
	place := func(n string) {
		t.Helper()
		see(t, v.page(".case-place >> text="+en("review.place.number", "n", n, "of", "3")))
		see(t, v.page("[data-keys]")) // the script has started
	}
	place("1")
	for _, step := range [][2]string{{"j", "2"}, {"j", "3"}, {"k", "2"}} {
		must(t, v.Keyboard().Press(step[0]))
		place(step[1])
	}
	click(t, v.page(".case-place a").First())
	see(t, v.page("tr:nth-child(2) .list-link:focus"))
}

// TestDecisionsAndDeletion declines an applicant for the report's reasons, reads the
// decision letter, and deletes the applicant's data.
func TestDecisionsAndDeletion(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := alone(t)
	a := s.submit(t, pageless(t), "default", "", map[string]any{"externalId": "loan-2001"})
	s.await(t, a.ID, "ready")
	v := visit(t)
	own := s.Portal + "/review/applications/" + a.ID
	s.signIn(t, v)
	v.open(t, own)
	reason := v.page("label.choice:has([name=reason]) .choice-label").First()
	words := read(t, reason)
	click(t, v.page("label.choice:has([value=declined])"))
	click(t, reason)
	fill(t, v.page("#text"), "You may apply again in six months.")
	click(t, v.page(button(en("review.decide.submit"))))
	see(t, v.page(text(en("review.decide.done"))))
	see(t, v.page(".taken-reasons >> text="+words))
	click(t, v.page(`.side-sections a[href="#history"]`))
	see(t, v.page(text(en("review.timeline.declined"))))
	v.axe(t)
	click(t, v.page(link(en("review.decide.letter"))))
	title(t, v, en("review.letter.declined"))
	letter := read(t, v.page("article.answer-letter"))
	for _, want := range []string{en("review.letter.why"), "You may apply again in six months.",
		"Equal Credit Opportunity Act", en("review.letter.rights"), "loan-2001"} {
		if !strings.Contains(letter, want) {
			t.Errorf("the letter lacks %q:\n%s", want, letter)
		}
	}
	v.open(t, own+"/delete")
	click(t, v.page("label.choice:has([name=sure])"))
	click(t, v.page(button(en("review.delete.submit"))))
	title(t, v, en("review.menu.deletions"))
	see(t, v.page(text(en("review.deletion.done.one"))))
	see(t, v.page("role=cell >> text="+a.ID))
	v.axe(t)
	v.expect("410")
	if status := v.answer(t, own); status != 410 {
		t.Errorf("the page of the deleted application is answered %d", status)
	}
	v.open(t, s.Portal+"/review")
	see(t, v.page(text(en("review.list.none"))))
}

// holds compares what the page of a report shows with the report.
func (s *site) holds(t *testing.T, v *visitor, raw []byte) {
	t.Helper()
	var report struct {
		Identities []struct {
			FullName string `json:"full_name"`
		}
		Accounts []struct {
			Institution string  `json:"institution_name"`
			Name        string  `json:"account_name"`
			Balance     float64 `json:"current_balance"`
			Addresses   []struct {
				City string
			}
		} `json:"account_details"`
	}
	must(t, json.Unmarshal(raw, &report))
	if len(report.Identities) < 2 || len(report.Accounts) == 0 {
		t.Fatalf("the report has %d identities and %d accounts", len(report.Identities), len(report.Accounts))
	}
	text := read(t, v.page("article.report"))
	for _, i := range report.Identities {
		if !strings.Contains(text, i.FullName) {
			t.Errorf("the page does not show %q", i.FullName)
		}
	}
	for _, a := range report.Accounts {
		for _, want := range []string{a.Institution, a.Name} {
			if want == "" || !strings.Contains(text, want) {
				t.Errorf("the page does not show %q", want)
			}
		}
		for _, x := range a.Addresses {
			if !strings.Contains(text, x.City) {
				t.Errorf("the page does not show %q", x.City)
			}
		}
	}
}

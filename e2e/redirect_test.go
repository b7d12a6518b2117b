package e2e

import (
	"strings"
	"testing"

	"vestibule/internal/testutil/tools"
)

// TestRedirect walks secure redirects whose outcome is returned by GET.
func TestRedirect(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, mode := range map[string]string{"same tab": "redirect", "by form": "redirect-form"} {
		t.Run(name, func(t *testing.T) { redirectBy(t, s, mode) })
	}
	t.Run("the applicant leaves", func(t *testing.T) { leaveRedirect(t, s) })
	t.Run("the bank does not answer", func(t *testing.T) { bankDoesNotAnswer(t, s) })
	t.Run("tabs finished in reverse order", func(t *testing.T) { finishTabsInReverse(t, s) })
	t.Run("many starts left alone", func(t *testing.T) { leaveManyStarts(t, s) })
	t.Run("a program opens the link first", func(t *testing.T) { openLinkByProgram(t, s) })
}

// openLinkByProgram: a program that looks at links in emails runs scripts. The link then works for
// its person, who presses the button, and in no other browser.
func openLinkByProgram(t *testing.T, s *site) {
	t.Parallel()
	program, v := visit(t), visit(t)
	a := s.begin(t, "redirect")
	program.open(t, a.ConnectURL)
	see(t, program.page(button(en("resume.arrive.continue"))))
	v.open(t, a.ConnectURL)
	click(t, v.page(button(en("resume.arrive.continue"))))
	step(t, v.page, "consent")
	program.expect("Failed to load resource")
	click(t, program.page(button(en("resume.arrive.continue"))))
	title(t, program, en("notice.not_found.title"))
}

func redirectBy(t *testing.T, s *site, mode string) {
	if mode == "redirect-form" { // TestRedirectByPost begins so
		tools.FullOnly(t)
	}
	t.Parallel()
	v := visit(t)
	back := v.sent("/redirect/return")
	a := s.begin(t, mode)
	v.follow(t, a.ConnectURL)
	if !strings.HasPrefix(v.URL(), s.Provider+"/visit/") && mode == "redirect" {
		t.Fatalf("the browser is at %s and not at the provider", v.URL())
	}
	before := s.cookie(t, v)
	walkAndReturn(t, v, "default")
	at(t, v, s.statusURL(a))
	state(t, v, "ready")
	if after := s.cookie(t, v); before == "" || after == before {
		t.Error("the session's id is the same after the return")
	}
	sent := back()
	if len(sent) != 1 {
		t.Fatalf("%d returns", len(sent))
	}
	h := heads(t, sent[0])
	if h["sec-fetch-site"] != "cross-site" || h["referer"] != "" {
		t.Errorf("the return was sent with Sec-Fetch-Site %q and Referer %q", h["sec-fetch-site"], h["referer"])
	}
	s.stays(t, v, a, sent[0].URL())
}

func leaveRedirect(t *testing.T, s *site) {
	t.Parallel()
	v := visit(t)
	a := s.begin(t, "redirect")
	v.follow(t, a.ConnectURL)
	step(t, v.page, "consent")
	click(t, v.page(link(en("visit.close"))))
	step(t, v.page, "leave")
	click(t, v.page(button(en("visit.leave.confirm"))))
	at(t, v, s.statusURL(a))
	state(t, v, "exited")
	s.again(t, v, a)
}

func bankDoesNotAnswer(t *testing.T, s *site) {
	tools.FullOnly(t)
	t.Parallel()
	v := visit(t)
	a := s.begin(t, "redirect")
	v.follow(t, a.ConnectURL)
	signIn(t, v.page, "supplier_unresponsive")
	giveUp(t, v.page)
	step(t, v.page, "end")
	click(t, v.page("a[data-return]"))
	at(t, v, s.statusURL(a))
	state(t, v, "failed")
	until(t, "the webhook has reported the status", func() bool {
		got := s.api(t, "GET", "/applications/"+a.ID, nil)
		return got["outcome"] == "ERROR" && got["status"] == "SUPPLIER_UNRESPONSIVE"
	})
	s.again(t, v, a)
}

func finishTabsInReverse(t *testing.T, s *site) {
	t.Parallel()
	first := visit(t, noScript)
	tabs := []*visitor{first, first.tab(t), first.tab(t)}
	var all []opened
	var tokens []string
	for _, v := range tabs {
		a := s.begin(t, "redirect-form")
		all, tokens = append(all, a), append(tokens, leave(t, v, a.ConnectURL))
	}
	for i := len(tabs) - 1; i >= 0; i-- {
		tabs[i].open(t, s.complete(t, tokens[i], "default", "").back)
		at(t, tabs[i], s.statusURL(all[i]))
		state(t, tabs[i], "ready")
	}
}

func leaveManyStarts(t *testing.T, s *site) {
	t.Parallel()
	v := visit(t, noScript)
	a := s.begin(t, "redirect-form")
	for range 10 {
		leave(t, v, a.ConnectURL)
		a.ConnectURL = s.statusURL(a) + "/connect"
	}
	all, err := v.Context.Cookies(s.Portal)
	must(t, err)
	size := 0
	for _, c := range all {
		size += len(c.Name) + len(c.Value) + 3
	}
	if size > 1024 {
		t.Errorf("%d bytes of cookies after ten starts", size)
	}
	v.open(t, s.complete(t, leave(t, v, a.ConnectURL), "default", "").back)
	state(t, v, "ready")
}

// stays checks that an application with an outcome stays as it is: after a reload, Back, and
// the return's address again.
func (s *site) stays(t *testing.T, v *visitor, a opened, back string) {
	t.Helper()
	_, err := v.Reload()
	must(t, err)
	state(t, v, "ready")
	_, err = v.GoBack()
	must(t, err)
	if strings.HasPrefix(v.URL(), s.Provider) { // the visit is over
		leaveReceipt(t, v)
		at(t, v, s.statusURL(a))
	}
	for _, url := range []string{back, back, s.statusURL(a) + "/connect"} {
		v.open(t, url)
		at(t, v, s.statusURL(a))
		state(t, v, "ready")
	}
	if all := s.events(t, a.ID); count(all, "returnSuccess") != 1 || count(all, "fetched") != 1 {
		t.Errorf("the timeline is %q", all)
	}
}

// again continues after a failed attempt, to a report.
func (s *site) again(t *testing.T, v *visitor, a opened) {
	t.Helper()
	click(t, v.page(button(en("connect.secure_page"))))
	walkAndReturn(t, v, "default")
	at(t, v, s.statusURL(a))
	state(t, v, "ready")
}

// TestRedirectBelongsToItsBrowser returns outcomes in other browsers than the one that
// began: none of them gets access, and the first one still does.
func TestRedirectBelongsToItsBrowser(t *testing.T) {
	t.Parallel()
	s := start(t)
	mine := visit(t, noScript)
	r := s.reach(t, mine, "default", "")

	// A browser that was never here.
	stranger := visit(t)
	if status := stranger.answer(t, r.back); status != 403 {
		t.Errorf("another browser's return is answered %d", status)
	}
	title(t, stranger, en("return.other_window.title"))
	stranger.axe(t)
	if c := s.cookie(t, stranger); c != "" {
		t.Error("a refused return has set a session")
	}
	if status := stranger.answer(t, s.statusURL(r.opened)); status != 404 {
		t.Errorf("the application is %d to another browser", status)
	}

	// Another applicant with a separate application, which does not change.
	victim := visit(t, noScript)
	theirs := s.reach(t, victim, "default", "")
	before := s.cookie(t, victim)
	if status := victim.answer(t, r.back); status != 403 {
		t.Errorf("another applicant's return is answered %d", status)
	}
	if s.cookie(t, victim) != before {
		t.Error("a refused return has changed a session")
	}

	for _, x := range []struct {
		v *visitor
		r reached
	}{{mine, r}, {victim, theirs}} {
		x.v.open(t, x.r.back)
		at(t, x.v, s.statusURL(x.r.opened))
		state(t, x.v, "ready")
	}

	// After its use, the address works in no other browser either.
	if status := stranger.answer(t, r.back); status != 403 {
		t.Errorf("a used return is answered %d elsewhere", status)
	}
	for _, id := range []string{r.ID, theirs.ID} {
		if n := count(s.events(t, id), "fetched"); n != 1 {
			t.Errorf("a report was fetched %d times", n)
		}
	}
}

// TestRedirectByPost walks redirects of an account whose outcome is returned by a form
// that another site posts. The session's cookie is Lax, so that request lacks it,
// whatever its age: the outcome waits under a handle until the browser returns with its
// cookie.
func TestRedirectByPost(t *testing.T) {
	t.Parallel()
	s := start(t, "--return-mode=post")
	for name, mode := range map[string]string{"same tab": "redirect", "by form": "redirect-form"} {
		t.Run(name, func(t *testing.T) { redirectByPost(t, s, mode) })
	}
	t.Run("without script", func(t *testing.T) { postWithoutScript(t, s) })
	t.Run("the applicant leaves", func(t *testing.T) { leaveRedirectByPost(t, s) })
	t.Run("another browser", func(t *testing.T) { postFromOtherBrowser(t, s) })
	t.Run("a handle that was never given", func(t *testing.T) {
		t.Parallel()
		v := visit(t)
		if status := v.answer(t, s.Portal+"/redirect/finish/"+strings.Repeat("A", 43)); status != 400 {
			t.Errorf("an unknown handle is answered %d", status)
		}
		title(t, v, en("return.refused.title"))
	})
}

func redirectByPost(t *testing.T, s *site, mode string) {
	if mode == "redirect" { // TestRedirect begins so
		tools.FullOnly(t)
	}
	t.Parallel()
	v := visit(t)
	posts, finishes := v.sent("/redirect/return"), v.sent("/redirect/finish/")
	a := s.begin(t, mode)
	v.follow(t, a.ConnectURL)
	before := s.cookie(t, v)
	walkAndReturn(t, v, "default")
	at(t, v, s.statusURL(a))
	state(t, v, "ready")
	if before == "" || s.cookie(t, v) == before {
		t.Error("the session's id is the same after the return")
	}
	sent, finished := posts(), finishes()
	if len(sent) != 1 || len(finished) != 1 {
		t.Fatalf("%d returns and %d finishes", len(sent), len(finished))
	}
	h := heads(t, sent[0])
	if sent[0].Method() != "POST" || h["sec-fetch-site"] != "cross-site" || h["origin"] != "null" || h["cookie"] != "" {
		t.Errorf("the return was a %s from %q, a %s request, and had cookies: %t", sent[0].Method(),
			h["origin"], h["sec-fetch-site"], h["cookie"] != "")
	}
	s.stays(t, v, a, finished[0].URL())
}

func postWithoutScript(t *testing.T, s *site) {
	tools.FullOnly(t)
	t.Parallel()
	v := visit(t, noScript)
	a := s.begin(t, "redirect-form")
	v.follow(t, a.ConnectURL)
	click(t, v.page(button(en("resume.arrive.continue"))))
	click(t, v.page(button(en("connect.secure_page"))))
	walkAndReturn(t, v, "default")
	title(t, v, en("visit.back.title"))
	click(t, v.page("form#return button"))
	at(t, v, s.statusURL(a))
	state(t, v, "ready")
}

func leaveRedirectByPost(t *testing.T, s *site) {
	tools.FullOnly(t)
	t.Parallel()
	v := visit(t)
	a := s.begin(t, "redirect")
	v.follow(t, a.ConnectURL)
	click(t, v.page(link(en("visit.close"))))
	click(t, v.page(button(en("visit.leave.confirm"))))
	at(t, v, s.statusURL(a))
	state(t, v, "exited")
	s.again(t, v, a)
}

func postFromOtherBrowser(t *testing.T, s *site) {
	tools.FullOnly(t) // attacktest.TestReturnIsBoundAndSingleUse sends the same requests
	t.Parallel()
	mine, other := visit(t, noScript), visit(t, noScript)
	a := s.begin(t, "redirect-form")
	mine.follow(t, a.ConnectURL)
	click(t, mine.page(button(en("resume.arrive.continue"))))
	click(t, mine.page(button(en("connect.secure_page"))))
	walkAndReturn(t, mine, "default")
	title(t, mine, en("visit.back.title"))
	token, err := mine.page("form#return input[name=token]").InputValue()
	must(t, err)

	// The other browser posts the same form, from nowhere.
	other.expect("Failed to load resource")
	must(t, other.SetContent(`<form method="post" action="`+s.Portal+
		`/redirect/return"><input name="token" value="`+token+`"><button>go</button></form>`))
	resp, err := other.ExpectResponse("**/redirect/finish/*", func() error { return other.page("button").Click() })
	must(t, err)
	if resp.Status() != 403 {
		t.Errorf("another browser's finish is answered %d", resp.Status())
	}
	title(t, other, en("return.other_window.title"))
	finish := resp.URL()

	click(t, mine.page("form#return button"))
	at(t, mine, s.statusURL(a))
	state(t, mine, "ready")
	mine.open(t, finish) // the outcome that the other browser stored belongs to it as well
	at(t, mine, s.statusURL(a))
}

package e2e

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"vestibule/internal/testutil"
	"vestibule/internal/testutil/tools"
)

// olderBrowser is a browser that lacks what newer ones have.
type olderBrowser struct {
	name string
	oldest
}

func (b olderBrowser) open(t *testing.T, options ...option) *visitor {
	t.Helper()
	v := visit(t, options...)
	b.takeFrom(t, v)
	return v
}

// looks checks a page, and takes its picture.
func (b olderBrowser) looks(t *testing.T, v *visitor, what string) {
	t.Helper()
	v.axe(t)
	v.fits(t)
	shot(t, v, strings.NewReplacer(" ", "-", "/", "-").Replace(strings.ToLower(b.name+" "+what)))
}

// TestOlderBrowsers walks the main journeys in browsers that lack what Firefox 115 or Safari 16.4
// lacks: web/build/testdata/newer.txt lists it, and docs/reference/browsers.md says what pages do
// without it. With VESTIBULE_E2E_CHROMIUM it walks them in that browser, for example in Chromium 109:
//
//	e2e/setup.sh oldest
//	VESTIBULE_E2E_CHROMIUM=$PWD/.cache/npm/chromium-109/chromium go test ./e2e -run TestOlderBrowsers
func TestOlderBrowsers(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	browsers := map[string]oldest{"Firefox 115": {1, 115}, "Safari 16.4": {2, 16.4}}
	if os.Getenv("VESTIBULE_E2E_CHROMIUM") != "" {
		browsers = map[string]oldest{"Chromium": {}}
	}
	for name, browser := range browsers {
		b := olderBrowser{name, browser}
		t.Run(name+" applicant", func(t *testing.T) { olderApplicant(t, b, s) })
		t.Run(name+" reviewer", func(t *testing.T) { olderReviewer(t, b, s) })
		t.Run(name+" customer", func(t *testing.T) { olderCustomer(t, b, s) })
	}
}

func olderApplicant(t *testing.T, b olderBrowser, s *site) {
	t.Parallel()
	v := b.open(t, window(390, 844))
	s.form(t, v)
	fill(t, v.page("#email"), "zoe@")
	must(t, v.page("#email").Blur())
	see(t, v.page("#email-error:not(:empty)"))
	b.looks(t, v, "form")
	fillForm(t, v, applicant)
	click(t, v.page(button(en("apply.continue"))))
	step(t, v.widget, "consent")
	unseen(t, v, ".steps")
	b.looks(t, v, "widget")
	walk(t, v.widget, "default")
	state(t, v, "ready")
	b.looks(t, v, "status")

	v.follow(t, s.begin(t, "redirect").ConnectURL)
	step(t, v.page, "consent")
	b.looks(t, v, "hosted")
	walkAndReturn(t, v, "default")
	state(t, v, "ready")
}

func olderReviewer(t *testing.T, b olderBrowser, s *site) {
	t.Parallel()
	a := s.submit(t, pageless(t), "default", "", nil)
	s.await(t, a.ID, "ready")
	v := b.open(t, window(1280, 800))
	s.signIn(t, v)
	v.open(t, s.Portal+"/review")
	keysWork(t, v)
	row := fmt.Sprintf("tr[data-id=%q] ", a.ID)
	click(t, v.page(row+".assign-open"))
	see(t, v.page(".assign-menu:visible"))
	b.looks(t, v, "menu")
	must(t, v.Keyboard().Press("Escape"))
	unseen(t, v, ".assign-menu >> nth=0")
	click(t, v.page(row+".assign-open"))
	click(t, v.page(".assign-menu:visible button").First())
	see(t, v.page(row+".assign-open:has-text('"+en("review.list.you")+"')"))
	keysWork(t, v)
	must(t, v.page(row+"[name=id]").Check())
	see(t, v.page(".list-do [name=do]"))
	must(t, v.page(row+".list-link").Focus())
	must(t, v.Keyboard().Press("d"))
	see(t, v.page("[data-peek] [name=decision]:focus"))
	list, err := v.page(".list-box").BoundingBox()
	must(t, err)
	side, err := v.page("[data-peek]").BoundingBox()
	must(t, err)
	if side.X < list.X+list.Width {
		t.Errorf("the application begins at %v, the list beside it ends at %v", side.X, list.X+list.Width)
	}
	must(t, v.page("[data-peek] [name=decision][value=approved]").Check())
	must(t, v.Keyboard().Press("Control+Enter"))
	see(t, v.page("[data-peek] >> "+text(en("review.decide.again")))) // the flash message ends with the next live change
	b.looks(t, v, "list")                                             // last, because a picture of the whole page may close the panel
	v.open(t, s.Portal+"/review/applications/"+a.ID)
	b.looks(t, v, "application")
	for _, path := range []string{"/review/overview", "/review/people"} {
		v.open(t, s.Portal+path)
		b.looks(t, v, path[len("/review/"):])
	}

	must(t, v.SetViewportSize(390, 844))
	for _, path := range []string{"/review", "/review/overview"} {
		v.open(t, s.Portal+path)
		keysWork(t, v)
		const menu = "#side-menu .side-user"
		unseen(t, v, menu)
		click(t, v.page(".side-open"))
		see(t, v.page(menu))
		b.looks(t, v, "phone "+path[1:])
		must(t, v.Keyboard().Press("Escape"))
		unseen(t, v, menu)
	}
}

func olderCustomer(t *testing.T, b olderBrowser, s *site) {
	t.Parallel()
	v := b.open(t, window(1280, 800))
	s.signInStaff(t, v)
	for _, path := range []string{"/dashboard", "/dashboard/reports", "/dashboard/webhooks", "/dashboard/people", "/dashboard/theme"} {
		v.open(t, s.Provider+path)
		b.looks(t, v, path[1:])
	}
	v.open(t, s.Provider+"/dashboard/reports")
	click(t, v.page(".dashboard-narrow > summary"))
	see(t, v.page(".dashboard-filter select"))
	v.open(t, s.Portal+"/developers")
	must(t, v.page("[name=integration][value=register-token]").Check())
	see(t, v.page("#code-js:has-text('.register('), #code-html"))
	b.looks(t, v, "playground")
	v.open(t, s.Provider+"/docs/reports")
	fill(t, v.page(".apidocs-contents input[type=search]"), "report")
	abridge(t, v)
	b.looks(t, v, "reference")
}

// oldest is a browser: the place of its versions in newer.txt, and its own.
type oldest struct {
	at      int
	version float64
}

// newerFeatures are the features that some of the oldest supported browsers lack.
var newerFeatures = func() string {
	raw, err := os.ReadFile("../web/build/testdata/newer.txt")
	if err != nil {
		return ""
	}
	return string(raw)
}()

// lacks returns the names of a kind of features that the browser lacks.
func (o oldest) lacks(kind string) (names []string) {
	for line := range strings.Lines(newerFeatures) {
		w := strings.Fields(line)
		if w[0] != kind || o.version == 0 {
			continue
		}
		if v, err := strconv.ParseFloat(w[2+o.at], 64); err != nil || v > o.version {
			names = append(names, regexp.QuoteMeta(strings.TrimPrefix(w[1], "@")))
		}
	}
	return names
}

// takeFrom makes the browser that visits pages lack what an oldest one lacks.
func (o oldest) takeFrom(t *testing.T, v *visitor) {
	t.Helper()
	if o.version == 0 {
		return
	}
	selectors := testutil.JSON(t, strings.Join(o.lacks("selector"), "|"))
	scripts := testutil.JSON(t, o.lacks("script"))
	must(t, v.Context.AddInitScript(playwright.Script{Content: playwright.String(fmt.Sprintf(olderScript, selectors, scripts))}))
	must(t, v.Context.Route("**/*.css*", func(r playwright.Route) {
		go func() {
			answer, err := r.Fetch()
			if err != nil {
				return // the page is gone
			}
			css, err := answer.Text()
			if err != nil {
				return
			}
			_ = r.Fulfill(playwright.RouteFulfillOptions{ContentType: playwright.String("text/css"), Body: noPopovers + o.style(css)})
		}()
	}))
}

// noPopovers is a style that makes popovers elements like others.
const noPopovers = `:where([popover]){display:block;position:static;inset:auto;width:auto;height:auto;margin:0;padding:0;border:0;` +
	`overflow:visible;background:none;color:inherit}`

// olderScript takes the newer features of scripts from a page.
const olderScript = `(() => {
	const unknown = new RegExp(":(" + %s + ")(?![\\w-])");
	for (const of of [Element, Document, DocumentFragment]) {
		for (const name of ["querySelector", "querySelectorAll", "matches", "closest"]) {
			const own = of.prototype[name];
			if (own) of.prototype[name] = function (selector) {
				if (unknown.test(selector)) throw new SyntaxError(selector);
				return own.call(this, selector);
			};
		}
	}
	const supports = CSS.supports;
	CSS.supports = (...words) => !unknown.test(words[0]) && supports.apply(CSS, words);
	for (const name of ["popover", "showPopover", "hidePopover", "togglePopover"]) delete HTMLElement.prototype[name];
	addEventListener("click", (e) => e.target.closest("[popovertarget]") && e.preventDefault(), true);
	for (const name of %s) {
		const [of, member] = name.split("\\.");
		if (member) delete globalThis[of]?.[member];
		else delete globalThis[of];
	}
	delete URLSearchParams.prototype.size;
})()`

// style leaves out what the browser does not know.
func (o oldest) style(css string) string {
	selector := regexp.MustCompile(`::?(?:` + strings.Join(o.lacks("selector"), "|") + `)(?:\(|[^\w-]|$)`)
	condition := regexp.MustCompile(`\((?:` + strings.Join(slices.Concat(o.lacks("property"), o.lacks("media")), "|") + `)\b`)
	declaration := regexp.MustCompile(`^\s*(?:` + strings.Join(o.lacks("property"), "|") + `):|[^\w-](?:` +
		strings.Join(o.lacks("function"), "|") + `)\(|content:.*/ *"`)
	forgiven := regexp.MustCompile(`:is\(:popover-open,`) // unknown selectors in :is count for nothing
	var out strings.Builder
	for css != "" {
		open := strings.IndexAny(css, "{;")
		if open < 0 || css[open] == ';' && !strings.HasPrefix(css, "@") {
			open = strings.IndexByte(css, '{')
		}
		if open < 0 {
			break
		}
		head := css[:open]
		if css[open] == ';' {
			out.WriteString(css[:open+1])
			css = css[open+1:]
			continue
		}
		body, rest := block(css[open+1:])
		css = rest
		head = forgiven.ReplaceAllString(head, ":is(")
		switch not := strings.HasPrefix(head, "@supports not"); {
		case strings.HasPrefix(head, "@supports") && (selector.MatchString(head) || condition.MatchString(head)):
			if not {
				out.WriteString(o.style(body))
			}
		case strings.HasPrefix(head, "@media") && condition.MatchString(head):
		case strings.HasPrefix(head, "@media"), strings.HasPrefix(head, "@supports"), strings.HasPrefix(head, "@container"):
			out.WriteString(head + "{" + o.style(body) + "}")
		case strings.HasPrefix(head, "@"):
			out.WriteString(head + "{" + body + "}")
		case selector.MatchString(head):
		default:
			kept := slices.DeleteFunc(strings.Split(body, ";"), declaration.MatchString)
			out.WriteString(head + "{" + strings.Join(kept, ";") + "}")
		}
	}
	return out.String()
}

// block splits a style sheet at the brace that ends a block.
func block(css string) (body, rest string) {
	depth := 0
	for i, c := range css {
		switch c {
		case '{':
			depth++
		case '}':
			if depth == 0 {
				return css[:i], css[i+1:]
			}
			depth--
		}
	}
	return css, ""
}

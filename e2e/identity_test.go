package e2e

import (
	"testing"

	"github.com/playwright-community/playwright-go"

	"vestibule/internal/testutil/tools"
)

// photoFile is a file that begins as a JPEG image.
func photoFile(name string) playwright.InputFile {
	return playwright.InputFile{Name: name, MimeType: "image/jpeg", Buffer: []byte("\xff\xd8\xff\xe0 photo")}
}

// TestIdentityDocument adds an identity document for a bureau that reads them: by mouse
// and by a form without script, in both languages.
func TestIdentityDocument(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	eachLanguage(t, func(t *testing.T, lang string, language option) {
		for name, more := range map[string]option{"mouse": language, "no script on a phone": noScript} {
			t.Run(name, func(t *testing.T) {
				v := visit(t, language, more, phone)
				accessible := func(what string) {
					if name == "mouse" { // axe is a script
						checkAccessibility(t, v, what)
					}
				}
				v.open(t, s.hosted(t, "passport", lang, nil))
				step(t, v.page, "consent")
				onward(t, v.page, "consent")
				fill(t, v.page("#q"), "CRIF Philippines")
				must(t, v.page("#q").Press("Enter"))
				click(t, v.page("button[value=PHL_CRIF]"))
				step(t, v.page, "confirm")
				accessible("confirm")
				checkLanguage(t, v, lang)
				shot(t, v, "identity-"+lang)
				must(t, v.page("#file").SetInputFiles([]playwright.InputFile{photoFile("passport.jpg")}))
				if name != "mouse" {
					click(t, v.page("[data-upload-button] button"))
				}
				see(t, v.page("[data-testid=files] >> text=passport.jpg"))
				accessible("document added")
				shot(t, v, "identity-added-"+lang)
				click(t, v.page("button[value=confirm], form:has(input[value=confirm]) button"))
				see(t, v.page("[data-end=success]"))
			})
		}
	})
}

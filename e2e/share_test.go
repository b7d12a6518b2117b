package e2e

import (
	"strings"
	"testing"

	"vestibule/internal/testutil/tools"
)

// TestSharing has a reviewer share a report with the sandbox's third party, give
// it more time and withdraw it; in English and in Spanish.
func TestSharing(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	done := s.submit(t, pageless(t), "default", "", nil)
	s.await(t, done.ID, "ready")
	at := s.Portal + "/review/applications/" + done.ID
	v := visit(t)
	s.signIn(t, v)
	v.open(t, at)
	card := v.page("#sharing-part")
	click(t, v.page(`.side-sections a[href="#sharing"]`))
	see(t, card.Locator(text(en("review.share.none"))))

	// No third party has that name; the input is kept.
	v.expect("422")
	fill(t, v.page("#publicId"), "svc-unknown")
	fill(t, v.page("[name=label]"), "Harbor Bank")
	click(t, v.page(button(en("review.share.submit"))))
	see(t, v.page("#publicId-error >> text="+en("review.share.unknown_party")))
	if kept, err := v.page("[name=label]").InputValue(); err != nil || kept != "Harbor Bank" {
		t.Errorf("the name was not kept: %q", kept)
	}
	v.axe(t)

	fill(t, v.page("#publicId"), s.Credentials.ThirdParty.PublicID)
	click(t, v.page(button(en("review.share.submit"))))
	see(t, card.Locator(`role=status >> text="`+en("review.share.done.shared")+`"`))
	see(t, card.Locator("role=listitem >> text=Harbor Bank"))
	see(t, card.Locator("role=listitem >> text="+en("review.active")))
	v.axe(t)
	click(t, card.Locator("role=button[name=/"+en("review.share.more")+" for Harbor Bank/]"))
	see(t, card.Locator(`role=status >> text="`+en("review.share.done.renewed")+`"`))

	// In Spanish to the end.
	v.open(t, at+"?lang=es")
	click(t, v.page(`.side-sections a[href="#sharing"]`))
	click(t, card.Locator("role=link[name=/^Retirar a Harbor Bank/]"))
	title(t, v, es("review.share.withdraw_title"))
	click(t, v.page(button(es("review.share.withdraw_submit"))))
	see(t, card.Locator(`role=status >> text="`+es("review.share.done.withdrawn")+`"`))
	see(t, card.Locator(".share-head >> text="+es("review.share.ended")))
	v.axe(t)
	if text := read(t, card); strings.Contains(text, es("review.share.more")) {
		t.Errorf("a withdrawn share can be extended:\n%s", text)
	}
	v.expect("409")
	fill(t, v.page("#publicId"), s.Credentials.ThirdParty.PublicID)
	click(t, v.page(button(es("review.share.submit"))))
	see(t, v.page("#sharing-problem >> text=no puede volver a compartirse"))
	click(t, card.Locator(".share-history summary"))
	see(t, card.Locator("role=cell >> text="+es("review.share.actions.renewed")))
}

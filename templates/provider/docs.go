package provider

import (
	"github.com/a-h/templ"

	"vestibule/internal/manual"
	"vestibule/internal/svc"
	"vestibule/templates/ui"
)

// DocsPage is the reference of the service's API. styles are the party's sheet
// and that of the manual; document is where the OpenAPI document itself is.
func DocsPage(m manual.Manual, styles []string, icon, document string) templ.Component {
	return ui.Manual(ui.Page{
		Lang: svc.English, Title: m.Title, Description: "Every address, field and error code of the " + m.Title + ".",
		Styles: styles, Icon: icon, Wide: true, Attrs: templ.Attributes{"data-page": "manual"},
		Links: []ui.Link{{Text: "OpenAPI document", URL: document}},
	}, m)
}

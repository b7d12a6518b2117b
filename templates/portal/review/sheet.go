package review

import (
	"strings"
	"time"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

// sheet is what the pages of all kinds of report have in common. A part that is
// empty is not on the page.
type sheet struct {
	title         contract.Words
	by            string // email of the signed-in user
	applicationID string
	identities    []report.Identity // of any kind of report, as the page compares them
	product       *report.Product
	retrieved     time.Time
	downloads     []download
	newest        bool // the service may have a newer one, to be looked at
	kept          bool // the service's copy; a link leads to the stored one
	notices       []notice
	keys          templ.Component // the row of numbers at the head
	findings      []finding
	stated        templ.Component // the applicant's statements beside the findings; nil for none
	sections      []section
}

// download is a file of the report itself, by its address below the application.
type download struct {
	path  string
	words contract.Words
}

type notice struct {
	tone  ui.Tone
	words contract.Words
}

// finding is the answer to one of the reviewer's questions.
type finding struct {
	question contract.Words
	tone     ui.Tone // Success: borne out; Warning: look closer; Danger: speaks against it; Neutral: nothing to go by
	answer   contract.Words
	part     string // the section with details; "" for none
}

var (
	reportFindings  = contract.Words{EN: "Is it real?", ES: "¿Es real?"}
	findingsAre     = contract.Words{EN: "What the sources say. The decision is yours.", ES: "Lo que dicen las fuentes. La decisión es suya."}
	findingBorne    = contract.Words{EN: "borne out", ES: "confirmado"}
	findingClose    = contract.Words{EN: "look closer", ES: "revisar"}
	findingAgainst  = contract.Words{EN: "speaks against it", ES: "en contra"}
	findingNothing  = contract.Words{EN: "nothing to go by", ES: "sin datos"}
	findingSee      = contract.Words{EN: "See", ES: "Ver"}
	askPerson       = contract.Words{EN: "The person", ES: "La persona"}
	askEmployer     = contract.Words{EN: "The employer", ES: "El empleador"}
	askIncome       = contract.Words{EN: "The income", ES: "Los ingresos"}
	askDocuments    = contract.Words{EN: "The documents", ES: "Los documentos"}
	reportNewest    = contract.Words{EN: "As the service has it now", ES: "Como lo tiene ahora el servicio"}
	reportKept      = contract.Words{EN: "The report that was fetched", ES: "El informe que se obtuvo"}
	reportAllFiles  = contract.Words{EN: "Files of the report", ES: "Archivos del informe"}
	reportRows      = contract.Words{EN: "Pay statements as CSV", ES: "Recibos de nómina en CSV"}
	reportNotices   = contract.Words{EN: "Notices to the consumer", ES: "Avisos al consumidor"}
	reportAboutWhat = contract.Words{EN: "About", ES: "Sobre"}
	reportNotice    = contract.Words{EN: "Notice", ES: "Aviso"}
	reportWhole     = contract.Words{EN: "the whole report", ES: "todo el informe"}
	wordsYes        = contract.Words{EN: "Yes", ES: "Sí"}
	wordsNo         = contract.Words{EN: "No", ES: "No"}
)

func (f finding) badge(l contract.Lang) templ.Component {
	words := map[ui.Tone]contract.Words{ui.Success: findingBorne, ui.Warning: findingClose, ui.Danger: findingAgainst}
	w, ok := words[f.tone]
	if !ok {
		w = findingNothing
	}
	return ui.Badge(f.tone, w.In(l))
}

// titleOf is the heading of the section that a finding leads to.
func (s sheet) titleOf(part string) string {
	for _, x := range s.sections {
		if x.id == part {
			return x.title
		}
	}
	return ""
}

// reportURL is an address below an application's own page.
func reportURL(applicationID, path string) string {
	return "/review/applications/" + applicationID + path
}

// typedName is the name that the applicant gave.
func typedName(all []report.Identity) string {
	for _, i := range all {
		if compare(all, i) == typed {
			return report.Text(i.FullName)
		}
	}
	return ""
}

// identityGrid shows the applicant's identity by each source.
func identityGrid(l contract.Lang, all []report.Identity) ui.Grid {
	g := ui.Grid{Caption: reportIdentityIs.In(l), Columns: []ui.Column{
		{Label: reportSource.In(l)}, {Label: reportFullName.In(l)}, {Label: reportFirstName.In(l)}, {Label: reportLastName.In(l)},
		{Label: reportEmails.In(l)}, {Label: reportAgreement.In(l)},
	}}
	for _, i := range all {
		g.Rows = append(g.Rows, []ui.Cell{{Body: source(i.SourceID)}, {Body: given(l, report.Text(i.FullName))},
			{Body: given(l, report.Text(i.FirstName))}, {Body: given(l, report.Text(i.LastName))},
			{Body: list(l, i.Emails)}, {Body: compared(l, compare(all, i))}})
	}
	return g
}

// identityPart is the section of the identities.
func identityPart(l contract.Lang, all []report.Identity) templ.Component {
	compared, agrees := agreement(all)
	return whoIs(l, identityGrid(l, all), compared, agrees)
}

// person reports whether the name that the applicant gave is known to the sources.
func person(all []report.Identity) finding {
	f := finding{question: askPerson, part: "identity"}
	var yes, no []string
	for _, i := range all {
		switch compare(all, i) {
		case matched:
			yes = append(yes, i.SourceID)
		case unmatched:
			no = append(no, i.SourceID)
		}
	}
	switch {
	case len(no) > 0 && len(yes) == 0:
		f.tone, f.answer = ui.Danger, contract.Words{EN: "No source knows the name that the applicant gave.", ES: "Ninguna fuente conoce el nombre indicado por el solicitante."}
	case len(no) > 0:
		f.tone, f.answer = ui.Warning, reportSomeDiffer
	case len(yes) > 0:
		f.tone, f.answer = ui.Success, reportAllMatch
	default:
		f.answer = contract.Words{EN: "There is no second name to compare with.", ES: "No hay otro nombre con el que comparar."}
	}
	return f
}

func sourceGrid(l contract.Lang, all []report.Source) ui.Grid {
	g := ui.Grid{Caption: reportSourcesOf.In(l), Columns: []ui.Column{{Label: reportSource.In(l)}, {Label: reportSubtype.In(l)}, {Label: reviewState.In(l)}}}
	for _, s := range all {
		g.Rows = append(g.Rows, []ui.Cell{{Body: source(s.SourceID)}, {Text: code(l, s.SourceType)}, {Body: statusBadge(s.Status)}})
	}
	return g
}

// aboutFacts is what a report says of itself.
func aboutFacts(l contract.Lang, p *report.Product, m *report.Meta) []ui.Fact {
	var facts []ui.Fact
	if p != nil {
		facts = append(facts, ui.Fact{Term: reviewProduct.In(l), Text: p.Name}, ui.Fact{Term: reportProductID.In(l), Body: mono(p.ProductID)},
			ui.Fact{Term: reportInquiry.In(l), Text: p.InquiryType})
	}
	facts = append(facts,
		ui.Fact{Term: reportVersion.In(l), Text: m.APIVersion},
		ui.Fact{Term: reviewToken.In(l), Body: mono(m.PublicToken)},
		ui.Fact{Term: reportRetrieved.In(l), Body: when(l, m.CreatedAt.Time)},
		ui.Fact{Term: reviewStatus.In(l), Body: statusBadge(m.Status)},
		ui.Fact{Term: reportSubstatus.In(l), Body: given(l, string(report.Text(m.Substatus)))},
		ui.Fact{Term: reviewExternalID.In(l), Body: given(l, report.Text(m.ExternalID))},
		ui.Fact{Term: reviewUserArgs.In(l), Body: given(l, report.Text(m.UserArgs))},
		ui.Fact{Term: reportConsumer.In(l), Body: given(l, report.Text(m.ConsumerID))},
		ui.Fact{Term: reportConsumerExt.In(l), Body: given(l, report.Text(m.ConsumerExternalID))},
		ui.Fact{Term: reportRevision.In(l), Text: orNever(l, report.Text(m.Revision))})
	if m.RevisionCreatedAt != nil {
		facts = append(facts, ui.Fact{Term: reportRevisedAt.In(l), Body: when(l, m.RevisionCreatedAt.Time)})
	}
	return facts
}

// noData is the notice of a report whose bank had nothing to say.
func noData(m *report.Meta) []notice {
	if report.Text(m.Substatus) == string(contract.SubNoRecentInformation) {
		return []notice{{ui.Warning, reportNoData}}
	}
	return nil
}

// otherShape is the notice of a report with parts that the page cannot show.
func otherShape(parts []string) []notice {
	if len(parts) == 0 {
		return nil
	}
	names := strings.Join(parts, ", ")
	return []notice{{ui.Warning, contract.Words{
		EN: "This page cannot show these parts of the report, or not as a whole: " + names + ". Nothing below counts what is missing; download the report as JSON to read it.",
		ES: "Esta página no puede mostrar estas partes del informe, o no del todo: " + names + ". Nada de lo siguiente cuenta lo que falta; descargue el informe en JSON para leerlo."}}}
}

func noticeGrid(l contract.Lang, all []report.ConsumerNotice) ui.Grid {
	g := ui.Grid{Caption: reportNotices.In(l), HideCaption: true, Columns: []ui.Column{{Label: reportNotice.In(l)}, {Label: reportAboutWhat.In(l)}}}
	for _, n := range all {
		about := ui.Cell{Text: reportWhole.In(l)}
		if s := report.Text(n.SourceReference); s != "" {
			about = ui.Cell{Body: source(s)}
		}
		g.Rows = append(g.Rows, []ui.Cell{{Text: n.Description}, about})
	}
	return g
}

// key is a labeled number, or word, at the top of a page.
type key struct {
	label, value, is string
	none             bool // there is no value; value holds the wording for that
}

func keyRow(all []key) templ.Component {
	if len(all) == 0 {
		return nil
	}
	return keyList(all)
}

func yesNo(l contract.Lang, yes bool) string {
	if yes {
		return wordsYes.In(l)
	}
	return wordsNo.In(l)
}

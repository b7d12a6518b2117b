package review

import (
	"strconv"
	"time"

	"vestibule/internal/contract"
	"vestibule/templates/ui"
)

// Words of deleting.
var (
	deleteOpen    = contract.Words{EN: "Delete what is known of this person", ES: "Eliminar lo que se sabe de esta persona"}
	deleteTitle   = contract.Words{EN: "Delete for good", ES: "Eliminar de forma definitiva"}
	deleteIntro   = contract.Words{EN: "These applications have the same name and the same e-mail address. Choose those of the person who asked. One under another name or address is deleted from its own page.", ES: "Estas solicitudes tienen el mismo nombre y el mismo correo. Elija las de la persona que lo pidió. Una con otro nombre o correo se elimina desde su propia página."}
	deleteOneSign = contract.Words{EN: "This application has a name or an e-mail address, not both. The others below share it and may belong to other people: look at each one, and choose it only if it is this person's.", ES: "Esta solicitud tiene un nombre o un correo, no ambos. Las demás lo comparten y pueden ser de otras personas: mire cada una y elíjala solo si es de esta persona."}
	deleteWhich   = contract.Words{EN: "What is deleted", ES: "Qué se elimina"}
	deleteWhat    = contract.Words{EN: "Data, reports, files, notes and decisions are destroyed, what is shared is withdrawn, and nobody can bring it back. Left are the application's id, when it was deleted, by whom and why, and the audit trail, which names nobody. What the report's maker and third parties keep follows their own rules.", ES: "Se destruyen datos, informes, archivos, notas y decisiones, se retira lo compartido, y nadie puede recuperarlo. Quedan el identificador de la solicitud, cuándo, quién y por qué se eliminó, y el registro de auditoría, que no nombra a nadie. Lo que guarden quien elabora el informe y los terceros sigue sus propias reglas."}
	deleteWhy     = contract.Words{EN: "Why", ES: "Por qué"}
	deleteSure    = contract.Words{EN: "Yes, this is meant, and it is for good", ES: "Sí, es lo que se quiere, y es definitivo"}
	deleteDo      = contract.Words{EN: "Delete", ES: "Eliminar"}
	deleteKeep    = contract.Words{EN: "Keep everything", ES: "Conservarlo todo"}
	deleteUnsure  = contract.Words{EN: "Nothing was deleted: choose at least one application, and say that it is meant.", ES: "No se eliminó nada: elija al menos una solicitud y confirme que es lo que se quiere."}
	deleteShared  = contract.Words{EN: "A report is shared, and the service that must withdraw it does not answer. What could be deleted is; try again for the rest.", ES: "Hay un informe compartido y el servicio que debe retirarlo no responde. Lo que se podía eliminar está eliminado; inténtelo de nuevo para el resto."}
	deletedTitle  = contract.Words{EN: "This application was deleted", ES: "Esta solicitud fue eliminada"}
	deletionIntro = contract.Words{EN: "What was deleted here, newest first. Nothing more is known of it.", ES: "Lo eliminado aquí, lo más reciente primero. No se sabe nada más de ello."}
	deletionBy    = contract.Words{EN: "By", ES: "Por"}
	deletionAged  = contract.Words{EN: "by its age", ES: "por su antigüedad"}
	deletionNone  = contract.Words{EN: "Nothing was deleted yet", ES: "Aún no se eliminó nada"}
	deletionHow   = contract.Words{EN: "An administrator deletes from an application's page.", ES: "Una persona administradora elimina desde la página de una solicitud."}
	retentionNone = contract.Words{EN: "Applications are kept until somebody deletes them. The operator can set after how many days they go.", ES: "Las solicitudes se conservan hasta que alguien las elimina. Quien opera el sistema puede fijar a los cuántos días se eliminan."}
	retentionIs   = contract.Words{EN: "An application to which nothing has happened for this many days is deleted by itself:", ES: "Una solicitud a la que no le ocurre nada durante estos días se elimina sola:"}
	retention     = contract.Words{EN: "Retention", ES: "Conservación"}
)

// deletionWords are why an application was deleted.
var deletionWords = map[string]contract.Words{
	"request": {EN: "The person asked for it", ES: "La persona lo pidió"},
	"mistake": {EN: "It should not have been made", ES: "No debió crearse"},
	"test":    {EN: "It was a test", ES: "Era una prueba"},
	"age":     {EN: "It was as old as any may get", ES: "Alcanzó la antigüedad máxima"},
}

// EraseView is what of a person is here, to be deleted.
type EraseView struct {
	By, ID  string
	OneSign bool // the rows share a name or an e-mail address, not both
	Rows    []EraseRow
	Causes  []string
	Cause   string // as chosen
	Problem EraseProblem
}

// EraseRow is one application of it.
type EraseRow struct {
	ID, ExternalID, Name, Email string
	Product                     contract.Product
	State                       string
	CreatedAt                   time.Time
	Chosen                      bool
}

// EraseProblem is why not everything was deleted.
type EraseProblem int

const (
	EraseFine EraseProblem = iota
	EraseUnsure
	EraseShared
)

func (p EraseProblem) words(l contract.Lang) string {
	return [...]contract.Words{{}, deleteUnsure, deleteShared}[p].In(l)
}

func (v EraseView) intro(l contract.Lang) string {
	if v.OneSign {
		return deleteOneSign.In(l)
	}
	return deleteIntro.In(l)
}

func (v EraseView) which(l contract.Lang) ui.Question {
	q := ui.Question{Name: "id", Label: deleteWhich.In(l), Lang: l}
	for _, r := range v.Rows {
		label := r.Name
		if label == "" {
			label = r.ExternalID
		}
		q.Options = append(q.Options, ui.Option{Value: r.ID, Label: label, Chosen: r.Chosen,
			Detail: joined(" · ", r.Email, shorten(Row{ID: r.ID, ExternalID: r.ExternalID}), known(l, productWords, r.Product), stateName(l, r.State), ui.DayWords(l, r.CreatedAt.UTC()))})
	}
	return q
}

func (v EraseView) why(l contract.Lang) ui.Question {
	q := ui.Question{Name: "cause", Label: deleteWhy.In(l), Lang: l}
	for _, c := range v.Causes {
		q.Options = append(q.Options, ui.Option{Value: c, Label: known(l, deletionWords, c), Chosen: c == v.Cause || v.Cause == "" && c == "request"})
	}
	return q
}

// DeletionsView lists deletions and the retention period.
type DeletionsView struct {
	By            string
	Days          int // 0 for ever
	Done          int // how many were deleted just now
	Rows          []Deletion
	Older, Newest string
}

// Deletion is the record that a deleted application leaves. By is an email address,
// or empty.
type Deletion struct {
	ApplicationID, Cause, By string
	At                       time.Time
}

func (d Deletion) who(l contract.Lang) string {
	switch {
	case d.Cause == "age":
		return deletionAged.In(l)
	case d.By == "":
		return dashboardRemovedUser.In(l)
	}
	return d.By
}

func (v DeletionsView) grid(l contract.Lang) ui.Grid {
	g := ui.Grid{Caption: dashboardDeletions.In(l), HideCaption: true, Columns: []ui.Column{{Label: reviewWhen.In(l)}, {Label: reviewOpen.In(l)}, {Label: deleteWhy.In(l)}, {Label: deletionBy.In(l)}}}
	for _, r := range v.Rows {
		g.Rows = append(g.Rows, []ui.Cell{{Body: when(l, r.At)}, {Body: mono(r.ApplicationID)}, {Text: known(l, deletionWords, r.Cause)}, {Text: r.who(l)}})
	}
	return g
}

func (v DeletionsView) doneWords(l contract.Lang) string {
	if v.Done == 1 {
		return contract.Words{EN: "One application was deleted.", ES: "Se eliminó una solicitud."}.In(l)
	}
	return contract.Words{EN: strconv.Itoa(v.Done) + " applications were deleted.", ES: "Se eliminaron " + strconv.Itoa(v.Done) + " solicitudes."}.In(l)
}

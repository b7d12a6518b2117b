package review

import (
	"vestibule/internal/contract"
	"vestibule/templates/ui"
)

// FilesProblem is why files, or one of them, cannot be had.
type FilesProblem int

const (
	FilesFine   FilesProblem = iota
	FileGone                 // its retention is over
	FileUnknown              // the service has it not, or the report is too old
	FilesAway                // the service does not answer
)

// File is a file of a report.
type File struct{ Kind, SourceID, Path string }

// FilesView is the files of a report, as the service lists them now.
type FilesView struct {
	By            string
	ApplicationID string
	HasPage       bool // the report has a page to go back to
	Files         []File
	Problem       FilesProblem
	Retry         string // the address to try again; "" for none
}

var (
	filesAre     = contract.Words{EN: "What the report was made from, as the service keeps it now. Nothing of it is kept here. Each download is written down.", ES: "Con qué se hizo el informe, tal como el servicio lo guarda ahora. Aquí no se guarda nada. Cada descarga queda registrada."}
	filesNone    = contract.Words{EN: "The service has no files of this report", ES: "El servicio no tiene archivos de este informe"}
	filesNoneWhy = contract.Words{EN: "It keeps them for a limited time.", ES: "Los guarda por un tiempo limitado."}
	filesCare    = contract.Words{EN: "A file comes from the applicant or a bank. Open it with care.", ES: "Un archivo proviene del solicitante o de un banco. Ábralo con cuidado."}
	filesToPage  = contract.Words{EN: "Back to the report", ES: "Volver al informe"}
	filesRetry   = contract.Words{EN: "Try again", ES: "Intentar de nuevo"}
)

func (p FilesProblem) words() (title, text contract.Words) {
	switch p {
	case FileGone:
		return contract.Words{EN: "This file is no longer kept", ES: "Este archivo ya no se guarda"},
			contract.Words{EN: "The service keeps files for a limited time, and that of this one is over. The figures that were read from it stay in the report.", ES: "El servicio guarda los archivos por un tiempo limitado, y el de este ha terminado. Las cifras leídas de él siguen en el informe."}
	case FileUnknown:
		return contract.Words{EN: "The service does not have this", ES: "El servicio no tiene esto"},
			contract.Words{EN: "It has no such file, or the report is older than 90 days and it no longer answers for it.", ES: "No tiene tal archivo, o el informe tiene más de 90 días y ya no responde por él."}
	}
	return contract.Words{EN: "The service does not answer", ES: "El servicio no responde"},
		contract.Words{EN: "What it has cannot be fetched now. Wait a moment and try again.", ES: "Lo que tiene no se puede obtener ahora. Espere un momento e inténtelo de nuevo."}
}

func (v FilesView) grid(l contract.Lang) ui.Grid {
	g := ui.Grid{Caption: reportAllFiles.In(l), HideCaption: true, Columns: []ui.Column{{Label: reportSubtype.In(l)}, {Label: reportSource.In(l)}, {Label: stubKindOfFile.In(l)}}}
	for _, f := range v.Files {
		g.Rows = append(g.Rows, []ui.Cell{{Text: code(l, f.Kind)}, {Body: source(f.SourceID)}, {Body: fileLink(l, v.ApplicationID, f.Path, code(l, f.Kind))}})
	}
	return g
}

package review

import (
	"vestibule/internal/i18n"
	"vestibule/templates/ui"
)

// FilesProblem is the reason why files are unavailable.
type FilesProblem int

const (
	FilesFine   FilesProblem = iota
	FileGone                 // its retention period has ended
	FileUnknown              // the service does not have it, or the report is too old
	FilesAway                // the service does not answer
)

// File is a file of a report.
type File struct {
	Kind, SourceID, Path string
	Shown                bool // as images
}

// FilesView is the page with a report's files, as the service lists them now.
type FilesView struct {
	ApplicationID string
	Place         *Place // in the list from which the application was opened; nil for none
	HasPage       bool   // the report has a page to go back to
	Files         []File
	Problem       FilesProblem
	Retry         string // the address to try again; "" for none
}

func (p FilesProblem) words() (title, text i18n.Key) {
	switch p {
	case FileGone:
		return "review.files.gone.title",
			"review.files.gone.text"
	case FileUnknown:
		return "review.files.unknown.title",
			"review.files.unknown.text"
	}
	return "review.files.no_answer.title",
		"review.files.no_answer.text"
}

func (v FilesView) grid(l i18n.Lang) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, "review.report.all_files"), HideCaption: true,
		Columns: columns(l, 0, "review.report.subtype", "review.report.source", "review.stub.kind_of_file")}
	for _, f := range v.Files {
		g.Rows = append(g.Rows, []ui.Cell{{Text: code(l, f.Kind)}, {Body: source(l, f.SourceID)},
			{Body: fileLinks(l, v.ApplicationID, f)}})
	}
	return g
}

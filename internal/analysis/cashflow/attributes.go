package cashflow

import (
	"encoding/json"

	"vestibule/internal/report"
)

// value computes the attribute's value.
func (d *Definition) value(f *facts) value {
	atFetch := d.Window == Current && (d.Node == NodeAsset || d.Node == NodeAssets)
	if !f.records() && (!atFetch || len(f.ledger.Accounts) == 0) {
		return d.Type.value(missing(noRecords))
	}
	return d.Type.value(d.measure(f, d.Window))
}

// values holds the values of the universal attributes, in their order.
type values [len(universal)]value

func newValues(f *facts) *values {
	var v values
	for i := range universal {
		v[i] = universal[i].value(f)
	}
	return &v
}

// attributes appends attributes with their values. They share the list of sources and one
// string of digits.
func attributes(out []report.Attribute, definitions []Definition, values []value, sources []string) []report.Attribute {
	digits := make([]byte, 0, 16*len(values))
	ends := make([]int, len(values))
	for i, v := range values {
		digits = definitions[i].Type.append(digits, v)
		ends[i] = len(digits)
	}
	all, start := string(digits), 0
	for i := range definitions {
		d := &definitions[i]
		out = append(out, report.Attribute{
			Name:              d.Name,
			Description:       d.Description(),
			Node:              string(d.Node),
			SourceIDs:         sources,
			Value:             json.Number(all[start:ends[i]]),
			AdverseActionCode: d.Code,
		})
		start = ends[i]
	}
	return out
}

// oldValues returns the values of the deprecated attributes, in their order.
func oldValues(f *facts) []value {
	out := make([]value, len(deprecated))
	for i := range deprecated {
		out[i] = deprecated[i].value(f)
	}
	return out
}

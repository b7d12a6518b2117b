package manifests

import (
	"os"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// TestDashboard decodes the dashboard strictly by Grafana's own types, with those of each panel and query: an unknown
// field, a value of another type, and one that Grafana's schema does not allow fail.
func TestDashboard(t *testing.T) {
	plugins.RegisterDefaultPlugins()
	raw, err := os.ReadFile("../grafana-dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var d dashboard.Dashboard
	if err := d.UnmarshalJSONStrict(raw); err != nil && err.Error() != "" { // is an empty list of errors otherwise
		t.Error(err)
	}
	if err := d.Validate(); err != nil {
		t.Error(err)
	}
	if len(d.Panels) < 15 {
		t.Errorf("%d panels", len(d.Panels))
	}
}

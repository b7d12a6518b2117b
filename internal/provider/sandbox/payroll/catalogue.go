package payroll

import (
	"strings"

	"vestibule/internal/analysis/income"
	"vestibule/internal/provider/sandbox/signin"
	"vestibule/internal/provider/sources"
)

// All is the catalogue in alphabetical order.
func All() []sources.Institution {
	var out []sources.Institution
	for line := range strings.Lines(catalogue) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), "|")
		kind, rest, _ := strings.Cut(rest, "|")
		place, spanish, _ := strings.Cut(rest, "|")
		out = append(out, sources.Institution{ID: signin.Slug(name), Kind: sources.Payroll, Name: name, Place: place, PlaceES: spanish,
			Employer: types[kind], Large: kind != "e"}) // a payroll company or platform serves many employers
	}
	return out
}

var types = map[string]string{"e": income.ProviderEmployer, "p": income.ProviderPayroll, "g": income.ProviderGig}

// catalogue has a provider on each line: name; employer, payroll company, or gig
// platform; and its place or description, also in Spanish.
const catalogue = `Abacus Lane Payroll|p|Payroll company|Proveedor de nómina
Alder Design Studio|e|Portland, OR
Amberline Airports|e|Denver, CO
Basket & Bramble Grocers|e|Des Moines, IA
Beacon Hill Robotics|e|Boston, MA
Bluewater Unified Schools|e|San Diego, CA
Brass Lantern Hotels|e|New Orleans, LA
Briarpatch Home Care|e|Louisville, KY
Carrywell Couriers|g|Gig platform: parcels|Plataforma: paquetes
Cedarline Timber|e|Eugene, OR
Chartwise Payroll|p|Payroll company|Proveedor de nómina
Cloverfield County|e|Public service|Servicio público
Copper Kettle Kitchens|e|Phoenix, AZ
Dashwood Deliveries|g|Gig platform: meals|Plataforma: comidas
Eastmoor Insurance|e|Philadelphia, PA
Elmstead University|e|Madison, WI
Foxglove Fulfilment|e|Reno, NV
Gablestone Builders|e|Tulsa, OK
Granite State Transit|e|Concord, NH
Great Lakes Medical|e|Chicago, IL
Handily Home Tasks|g|Gig platform: odd jobs|Plataforma: tareas del hogar
Harbor Light Payroll|p|Payroll company|Proveedor de nómina
Highmarsh Shipyards|e|Charleston, SC
Ironvale Motors|e|Detroit, MI
Juniper Ridge Clinic|e|Worcester, MA
Kestrel Aerospace|e|Salt Lake City, UT
Lakelight Media|e|Milwaukee, WI
Lantern Street Learning|e|Chicago, IL
Larkfield Staffing|e|Kansas City, MO
Ledgerwell Payroll|p|Payroll company|Proveedor de nómina
Maplethorpe Dairy|e|Burlington, VT
Meadow View Senior Living|e|Topeka, KS
Mosswood Software|e|Olympia, WA
Northwind Logistics|e|Austin, TX
Orchard & Vine Wines|e|Fresno, CA
Pacific Print Co|e|Portland, OR
Paywright|p|Payroll company|Proveedor de nómina
Pelican Point Hospital|e|Mobile, AL
Quarry Hill Stores|e|Concord, NH
Redtail Energy|e|Oklahoma City, OK
Saguaro Solar|e|Tucson, AZ
Sunflower Foods Inc|e|Topeka, KS
Tallgrass Telecom|e|Wichita, KS
Tidewell Fisheries|e|Norfolk, VA
Uplift Pets|g|Gig platform: dog walking|Plataforma: paseo de perros
Westering Films|e|Los Angeles, CA
Willow & Wharf Books|e|Portland, ME
Yarrow Valley Health|e|Spokane, WA
Zipporah Rides|g|Gig platform: rides|Plataforma: viajes`

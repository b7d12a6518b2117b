package visits

import "strings"

// Bank is one of the mock banks. The names are invented; all of them take the
// same user names.
type Bank struct {
	ID    string // as in a form's value
	Name  string // institution_name of the report
	Place string // to tell banks apart: city and state, or Online
}

// Banks is the catalogue in alphabetical order.
func Banks() []Bank {
	return []Bank{
		{"alderbrook-savings", "Alderbrook Savings", "Portland, OR"},
		{"amber-coast-bank", "Amber Coast Bank", "San Diego, CA"},
		{"anvil-oak-trust", "Anvil & Oak Trust", "Pittsburgh, PA"},
		{"aspen-hollow-bank", "Aspen Hollow Bank", "Denver, CO"},
		{"bayberry-community-bank", "Bayberry Community Bank", "Mobile, AL"},
		{"beacon-ferry-bank", "Beacon Ferry Bank", "Seattle, WA"},
		{"birchwater-credit-union", "Birchwater Credit Union", "Duluth, MN"},
		{"blue-mesa-national", "Blue Mesa National", "Albuquerque, NM"},
		{"bramblegate-bank", "Bramblegate Bank", "Columbus, OH"},
		{"bright-harbor-credit-union", "Bright Harbor Credit Union", "Boston, MA"},
		{"canyon-lark-bank", "Canyon Lark Bank", "Phoenix, AZ"},
		{"cedar-stone-bank", "Cedar & Stone Bank", "Asheville, NC"},
		{"cinder-peak-credit-union", "Cinder Peak Credit Union", "Bend, OR"},
		{"clearbrook-federal-savings", "Clearbrook Federal Savings", "Madison, WI"},
		{"cobalt-street-bank", "Cobalt Street Bank", "New York, NY"},
		{"copperfield-prairie-bank", "Copperfield Prairie Bank", "Omaha, NE"},
		{"cottonwood-bend-bank", "Cottonwood Bend Bank", "Austin, TX"},
		{"delta-heron-bank", "Delta Heron Bank", "New Orleans, LA"},
		{"driftwood-mutual", "Driftwood Mutual", "Savannah, GA"},
		{"eastmoor-bank", "Eastmoor Bank", "Philadelphia, PA"},
		{"elk-crossing-credit-union", "Elk Crossing Credit Union", "Boise, ID"},
		{"ember-lane-bank", "Ember Lane Bank", "Nashville, TN"},
		{"fairwind-teachers-credit-union", "Fairwind Teachers Credit Union", "Tampa, FL"},
		{"fernhill-bank", "Fernhill Bank", "Eugene, OR"},
		{"first-lantern-bank", "First Lantern Bank", "Chicago, IL"},
		{"foxglove-savings", "Foxglove Savings", "Richmond, VA"},
		{"garnet-hills-bank", "Garnet Hills Bank", "Rapid City, SD"},
		{"gildenmoor-trust", "Gildenmoor Trust", "Hartford, CT"},
		{"granite-loop-credit-union", "Granite Loop Credit Union", "Concord, NH"},
		{"graywhistle-bank", "Graywhistle Bank", "Cleveland, OH"},
		{"harvest-row-bank", "Harvest Row Bank", "Des Moines, IA"},
		{"hazelport-bank", "Hazelport Bank", "Baltimore, MD"},
		{"highmarsh-credit-union", "Highmarsh Credit Union", "Charleston, SC"},
		{"honeylocust-bank", "Honeylocust Bank", "Kansas City, MO"},
		{"ironvale-workers-credit-union", "Ironvale Workers Credit Union", "Detroit, MI"},
		{"juniper-flats-bank", "Juniper Flats Bank", "Santa Fe, NM"},
		{"kestrel-bank", "Kestrel Bank", "Salt Lake City, UT"},
		{"kingfisher-savings", "Kingfisher Savings", "Tulsa, OK"},
		{"lakelight-bank", "Lakelight Bank", "Milwaukee, WI"},
		{"laurel-gap-bank", "Laurel Gap Bank", "Knoxville, TN"},
		{"linden-square-bank", "Linden Square Bank", "Indianapolis, IN"},
		{"longshadow-ranchers-bank", "Longshadow Ranchers Bank", "Amarillo, TX"},
		{"magnolia-pier-bank", "Magnolia Pier Bank", "Jackson, MS"},
		{"maplethorpe-bank", "Maplethorpe Bank", "Burlington, VT"},
		{"meridian-quay-bank", "Meridian Quay Bank", "San Francisco, CA"},
		{"mosswood-credit-union", "Mosswood Credit Union", "Olympia, WA"},
		{"nightjar-digital-bank", "Nightjar Digital Bank", "Online"},
		{"north-tern-bank", "North Tern Bank", "Anchorage, AK"},
		{"oakmantle-bank", "Oakmantle Bank", "Louisville, KY"},
		{"old-quarry-savings", "Old Quarry Savings", "Worcester, MA"},
		{"orchard-vine-bank", "Orchard & Vine Bank", "Fresno, CA"},
		{"osprey-sound-credit-union", "Osprey Sound Credit Union", "Providence, RI"},
		{"palmetto-tide-bank", "Palmetto Tide Bank", "Myrtle Beach, SC"},
		{"paper-lantern-bank", "Paper Lantern Bank", "Online"},
		{"pinecrest-pioneer-bank", "Pinecrest Pioneer Bank", "Flagstaff, AZ"},
		{"quillwater-bank", "Quillwater Bank", "St. Louis, MO"},
		{"ravenhook-trust", "Ravenhook Trust", "Albany, NY"},
		{"redtail-credit-union", "Redtail Credit Union", "Oklahoma City, OK"},
		{"riverstile-bank", "Riverstile Bank", "Memphis, TN"},
		{"saddleback-mutual", "Saddleback Mutual", "Cheyenne, WY"},
		{"saguaro-bank", "Saguaro Bank", "Tucson, AZ"},
		{"silverthread-bank", "Silverthread Bank", "Reno, NV"},
		{"snowberry-savings", "Snowberry Savings", "Fargo, ND"},
		{"summit-sage-bank", "Summit & Sage Bank", "Missoula, MT"},
		{"sundial-credit-union", "Sundial Credit Union", "Las Vegas, NV"},
		{"tallgrass-bank", "Tallgrass Bank", "Wichita, KS"},
		{"thistledown-bank", "Thistledown Bank", "Buffalo, NY"},
		{"tidewell-navy-credit-union", "Tidewell Navy Credit Union", "Norfolk, VA"},
		{"trellis-bank", "Trellis Bank", "Online"},
		{"upland-wren-bank", "Upland Wren Bank", "Little Rock, AR"},
		{"valle-claro-bank", "Valle Claro Bank", "El Paso, TX"},
		{"wavecrest-islanders-bank", "Wavecrest Islanders Bank", "Honolulu, HI"},
		{"westering-bank", "Westering Bank", "Los Angeles, CA"},
		{"wickford-bank", "Wickford Bank", "Newark, NJ"},
		{"willow-wharf-bank", "Willow & Wharf Bank", "Portland, ME"},
		{"windrose-bank", "Windrose Bank", "Miami, FL"},
		{"yarrow-valley-bank", "Yarrow Valley Bank", "Spokane, WA"},
		{"zephyr-hills-credit-union", "Zephyr Hills Credit Union", "Orlando, FL"},
	}
}

// BankByID returns the bank of that id.
func BankByID(id string) (Bank, bool) {
	for _, b := range Banks() {
		if b.ID == id {
			return b, true
		}
	}
	return Bank{}, false
}

// maxFound is how many banks a page of the search shows.
const maxFound = 12

// FindBanks returns the banks that every word of the query begins a word of, in
// name or place: names that begin with the query first, then the others, each in
// alphabetical order. more says how many were left out. An empty query finds
// them all.
func FindBanks(query string) (found []Bank, more int) {
	wanted := strings.Fields(strings.ToLower(query))
	var first, rest []Bank
	for _, b := range Banks() {
		switch {
		case !hasWords(strings.ToLower(b.Name+" "+b.Place), wanted):
		case strings.HasPrefix(strings.ToLower(b.Name), strings.Join(wanted, " ")):
			first = append(first, b)
		default:
			rest = append(rest, b)
		}
	}
	all := append(first, rest...)
	if len(all) > maxFound {
		return all[:maxFound], len(all) - maxFound
	}
	return all, 0
}

func hasWords(text string, wanted []string) bool {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,.&-", r) })
next:
	for _, w := range wanted {
		if w == "&" {
			continue
		}
		for _, have := range words {
			if strings.HasPrefix(have, w) {
				continue next
			}
		}
		return false
	}
	return true
}

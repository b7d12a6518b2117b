// Package banks is the catalogue of mock banks for the sandbox's widget and the list
// of banks (API reference: Reports). All names are invented, and all domains are under
// the top-level domain reserved for examples. Every bank accepts the same user names;
// online-only banks issue tokenized account numbers.
package banks

import "strings"

// Bank is one mock bank.
type Bank struct {
	ID       string   // as in a form's value
	Name     string   // institution_name of the report
	Place    string   // to tell banks apart: city and state, or Online
	OAuth    []string // domains that a sign-in by OAuth may lead to
	Homepage []string
	Tokens   bool // account numbers are given as TANs
}

// All is the catalogue in alphabetical order.
func All() []Bank {
	var out []Bank
	for line := range strings.Lines(catalogue) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), "|")
		place, domains, _ := strings.Cut(rest, "|")
		b := Bank{ID: slug(name), Name: name, Place: place, OAuth: []string{}, Homepage: []string{}, Tokens: place == "Online"}
		host := strings.ReplaceAll(b.ID, "-", "") + ".example"
		if domains == "" {
			b.OAuth = []string{"login." + host}
		}
		if domains != "none" {
			b.Homepage = []string{"www." + host}
		}
		out = append(out, b)
	}
	return out
}

// slug converts a name to lowercase letters, digits, and single hyphens.
func slug(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}), "-")
}

// catalogue has a bank on each line: name, place and, unless both kinds of domain are
// known, which are: homepage or none. It includes the test consumers' banks, which
// receive the payroll providers' direct deposits.
const catalogue = `Acorn Bay Teachers Credit Union|Providence, RI
Acorn Brook Federal Credit Union|Shreveport, LA
Acorn Cove Savings Bank|Philadelphia, PA
Acorn Trail Bank|Online
Alder Park Bank|Green Bay, WI|homepage
Alder Vale Community Bank|Pierre, SD
Alderbrook Savings|Portland, OR
Amber Coast Bank|San Diego, CA
Amber Glen Bank|Online
Amber Heights Community Bank|Buffalo, NY
Amber Narrows Bank|Provo, UT|homepage
Anvil & Oak Trust|Pittsburgh, PA|none
Apricot Brook Bank|Des Moines, IA
Apricot View Bank|Billings, MT
Arrow Orchard Bank|Bend, OR
Arrow Park Teachers Credit Union|Detroit, MI
Ash Bay Bank|Asheville, NC|homepage
Ash Glen Credit Union|Memphis, TN
Ash Wharf Bank|Tucson, AZ
Aspen Hollow Bank|Denver, CO
Aster Dale Bank|Minot, ND
Basalt Field Federal Credit Union|Lubbock, TX
Basalt Shoals Bank|Spokane, WA|homepage
Basalt Trail Community Bank|Huntsville, AL
Basalt Vale Credit Union|Fort Collins, CO
Bayberry Community Bank|Mobile, AL
Beacon Ferry Bank|Seattle, WA
Beech Forge National Bank|Miami, FL
Beech Glen Bank|Myrtle Beach, SC|homepage
Bellflower Park Community Bank|Billings, MT
Birchwater Credit Union|Duluth, MN
Blackthorn Bridge National Bank|St. Louis, MO
Blackthorn Glen Bank|Honolulu, HI
Blackthorn Grove Bank|Eugene, OR
Blackthorn Hill Bank|Sacramento, CA|none
Blue Mesa National|Albuquerque, NM
Bluebell Brook Community Bank|Worcester, MA
Bluebell Summit Bank|Madison, WI
Boulder Quay Bank|Los Angeles, CA
Boulder Trail Trust|Provo, UT
Bracken Gap Bank|Little Rock, AR|homepage
Bramble Crossing National Bank|Rapid City, SD
Bramble Pier Mutual|Myrtle Beach, SC
Bramble Ridge Community Bank|Huntsville, AL
Bramblegate Bank|Columbus, OH
Briar Shore Credit Union|Norfolk, VA
Bright Harbor Credit Union|Boston, MA|homepage
Bronze Bluff State Bank|Mesa, AZ
Bronze Landing Farmers Bank|Online
Bronze Ledge Teachers Credit Union|Tulsa, OK
Brook Gap Bank|Online
Brook Pass Mutual|Online
Brook Pond Bank|Billings, MT|homepage
Brook Quay Teachers Credit Union|Albuquerque, NM
Brook River Trust|Denver, CO
Brook Row Bank|Milwaukee, WI
Buckeye Point Bank|Seattle, WA
Buckeye Square Bank|Pittsburgh, PA|none
Cairn Park Mutual|Memphis, TN|homepage
Cairn Shoals Bank|Hartford, CT
Cairn Spring Bank|San Francisco, CA
Canary Creek Farmers Bank|Fargo, ND
Canary Ferry Savings Bank|Las Vegas, NV
Canyon Lark Bank|Phoenix, AZ
Cardinal Brook Bank|Chicago, IL|homepage
Cardinal Gate Bank|Tucson, AZ
Cardinal Lake Savings Bank|Bangor, ME
Cascade Community Bank|Portland, OR
Catalpa Bay Community Bank|San Francisco, CA
Cattail Creek Mutual|Lincoln, NE
Cattail Forge Bank|Denver, CO
Cattail Gap Trust|Norfolk, VA|homepage
Cedar & Stone Bank|Asheville, NC
Chestnut Bend Bank|Lincoln, NE
Chestnut Harbor State Bank|Akron, OH
Cinder Peak Credit Union|Bend, OR
Cinnabar Falls Bank|Huntsville, AL
Clearbrook Federal Savings|Madison, WI|homepage
Clover Creek National Bank|Rapid City, SD
Cobalt Street Bank|New York, NY
Copperfield Prairie Bank|Omaha, NE
Coral Grove Mutual|Fargo, ND|none
Cornflower Brook Savings Bank|Paducah, KY
Cornflower Ford Bank|Myrtle Beach, SC|homepage
Cornflower Point Mutual|Chicago, IL
Cornflower Vale Savings Bank|Jackson, MS
Cottonwood Bend Bank|Austin, TX
Cricket Bridge Bank|Miami, FL
Crocus View Bank|Syracuse, NY
Cypress Hill Bank|Jackson, MS|homepage
Cypress Park Savings Bank|Baton Rouge, LA
Delta Heron Bank|New Orleans, LA
Dragonfly Crossing Bank|Durham, NC
Dragonfly Park Teachers Credit Union|Cleveland, OH
Driftwood Mutual|Savannah, GA
Eastmoor Bank|Philadelphia, PA|homepage
Elderberry Cove Credit Union|Online
Elderberry Dale State Bank|Erie, PA
Elk Crossing Credit Union|Boise, ID
Elm Falls Federal Credit Union|Boston, MA
Elm Glen Teachers Credit Union|Columbus, OH
Ember Lane Bank|Nashville, TN|homepage
Fairwind Teachers Credit Union|Tampa, FL
Falcon Bay Credit Union|Stockton, CA
Falcon Ford Bank|Seattle, WA|none
Falcon Glen Community Bank|Concord, NH
Falcon Lake Bank|San Francisco, CA
Falcon Point Community Bank|Boise, ID|homepage
Falcon View Trust|Tampa, FL
Feather Ford Bank|Nashville, TN
Feather Row Bank|Tulsa, OK
Feather View Bank|Wichita, KS
Fernhill Bank|Eugene, OR
Finch Junction Bank|Indianapolis, IN|homepage
Finch Spring Bank|Cleveland, OH
First Lantern Bank|Chicago, IL
Flint Trail Bank|Roanoke, VA
Foxglove Savings|Richmond, VA
Foxtail Dale State Bank|Roanoke, VA
Foxtail Falls Teachers Credit Union|Peoria, IL|homepage
Foxtail Grove Credit Union|Billings, MT
Foxtail Heights Bank|Lansing, MI
Foxtail Hollow Teachers Credit Union|Asheville, NC
Gable Creek Teachers Credit Union|Tulsa, OK
Garnet Hills Bank|Rapid City, SD
Gentian Isle Community Bank|Pittsburgh, PA|homepage
Gentian Junction Credit Union|Cheyenne, WY
Gildenmoor Trust|Hartford, CT|none
Ginger Landing Trust|Miami, FL
Ginger Ledge State Bank|Little Rock, AR
Ginger River Bank|Phoenix, AZ
Glacier Creek National Bank|Bend, OR|homepage
Glacier Crossing Bank|Wheeling, WV
Glacier Orchard Federal Credit Union|Buffalo, NY
Glacier Pass Bank|Omaha, NE
Glacier Pier Community Bank|Indianapolis, IN
Goldenrod Vale Bank|San Diego, CA
Granite Loop Credit Union|Concord, NH|homepage
Granite State Bank|Concord, NH
Graywhistle Bank|Cleveland, OH
Harbor National Bank|Austin, TX
Harvest Row Bank|Des Moines, IA
Hawthorn Crossing Federal Credit Union|Boston, MA
Hawthorn Isle Federal Credit Union|Stockton, CA
Hazelport Bank|Baltimore, MD
Hearth Bridge Farmers Bank|Honolulu, HI|homepage
Hearth Brook Savings Bank|Dover, DE
Hearth Creek Bank|Buffalo, NY
Hearth Wharf Credit Union|Providence, RI
Heather Ford Bank|Online
Heather Ledge Bank|Tampa, FL
Heather Pass Bank|Eugene, OR|homepage
Heather Shore Credit Union|Macon, GA|none
Hickory Field Bank|Providence, RI
Hickory Pier Bank|Rochester, MN
Hickory Pier Teachers Credit Union|San Francisco, CA
Highmarsh Credit Union|Charleston, SC
Holly Brook State Bank|Burlington, VT|homepage
Holly Junction Bank|Olympia, WA
Honeylocust Bank|Kansas City, MO
Hyacinth Gap Bank|Salt Lake City, UT
Indigo Ford Credit Union|Boulder, CO
Indigo Gate Trust|Salem, OR
Iris Park Community Bank|Cheyenne, WY|homepage
Ironvale Workers Credit Union|Detroit, MI
Ivory Landing Bank|Salt Lake City, UT
Jasmine Falls Community Bank|Durham, NC
Jasmine Hollow Trust|Boston, MA
Jasmine River Trust|Burlington, VT
Jasmine Station Mutual|Indianapolis, IN|homepage
Juniper Dale Teachers Credit Union|Santa Fe, NM
Juniper Flats Bank|Santa Fe, NM
Juniper Ridge Bank|Worcester, MA
Juniper Row State Bank|Los Angeles, CA
Kelp Landing Credit Union|New Orleans, LA
Kestrel Bank|Salt Lake City, UT|none
Kingfisher Savings|Tulsa, OK
Lakelight Bank|Milwaukee, WI
Lakeshore Bank and Trust|Chicago, IL
Larkspur Junction Bank|Honolulu, HI
Larkspur Point Teachers Credit Union|Provo, UT
Laurel Gap Bank|Knoxville, TN
Lavender Heights Bank|Las Vegas, NV|homepage
Lavender Orchard Trust|Cheyenne, WY
Lavender Terrace Bank|Detroit, MI
Lichen Pond State Bank|Honolulu, HI
Linden Square Bank|Indianapolis, IN
Longshadow Ranchers Bank|Amarillo, TX
Lupine Forge Bank|Online|homepage
Lupine Gate Bank|Lincoln, NE
Lupine Grove Bank|Toledo, OH
Lupine Grove Mutual|Huntsville, AL
Lupine Ledge Savings Bank|Austin, TX
Lupine Orchard Trust|Oklahoma City, OK
Magnolia Pier Bank|Jackson, MS|homepage
Maplethorpe Bank|Burlington, VT
Marigold Dale Community Bank|St. Louis, MO
Marlin Ford Bank|Orlando, FL
Meridian Quay Bank|San Francisco, CA
Mica Landing Bank|Austin, TX|none
Mica Point Bank|Lubbock, TX|homepage
Mica Point Mutual|Trenton, NJ
Moonstone Gate Community Bank|Online
Mosswood Credit Union|Olympia, WA
Mulberry Shore State Bank|Chicago, IL
Myrtle Field Bank|Yuma, AZ
Myrtle Row National Bank|Nashville, TN|homepage
Myrtle View Bank|Salem, OR
Nightjar Digital Bank|Online
North Tern Bank|Anchorage, AK
Oakmantle Bank|Louisville, KY
Old Quarry Savings|Worcester, MA
Orchard & Vine Bank|Fresno, CA|homepage
Oriole Heights State Bank|Madison, WI
Oriole Pond Bank|Albany, NY
Oriole Shore Farmers Bank|Wichita, KS
Oriole Spring Bank|Denver, CO
Osprey Sound Credit Union|Providence, RI
Otter Glen Credit Union|Reno, NV|homepage
Palmetto Tide Bank|Myrtle Beach, SC
Paper Lantern Bank|Online
Pebble Harbor National Bank|Online
Pebble Terrace Community Bank|Chattanooga, TN|none
Pelican Ford Bank|Albany, NY
Pelican Heights Bank|Online|homepage
Pelican Mill National Bank|Utica, NY
Peony Junction Bank|Concord, NH
Peony Point Bank|Reno, NV
Periwinkle Bridge Bank|Baltimore, MD
Periwinkle Brook Teachers Credit Union|Trenton, NJ
Periwinkle Gate Mutual|Gary, IN|homepage
Periwinkle Isle Bank|New Orleans, LA
Periwinkle Lake State Bank|Louisville, KY
Periwinkle Mill Credit Union|Asheville, NC
Pewter Vale Bank|Topeka, KS
Pinecrest Pioneer Bank|Flagstaff, AZ
Plover Narrows Federal Credit Union|Denver, CO|homepage
Prairie Federal Bank|Topeka, KS
Prairie Hollow Mutual|Olympia, WA
Prairie Pier Bank|Paducah, KY
Primrose Junction Bank|Trenton, NJ
Primrose Point Community Bank|Rapid City, SD
Primrose View National Bank|Salt Lake City, UT
Quillwater Bank|St. Louis, MO|homepage
Quince Crossing Teachers Credit Union|Huntsville, AL
Quince Ferry Bank|Anchorage, AK
Raven Ledge Trust|Concord, NH|none
Raven Pier Teachers Credit Union|Santa Fe, NM
Ravenhook Trust|Albany, NY
Redtail Credit Union|Oklahoma City, OK|homepage
Reed Harbor Savings Bank|Olympia, WA
Riverstile Bank|Memphis, TN
Robin Hollow Savings Bank|Joplin, MO
Robin Orchard Bank|Macon, GA
Robin Point Savings Bank|Columbus, OH
Rowan Ferry Bank|Erie, PA|homepage
Rowan Grove Bank|Baltimore, MD
Rush Harbor Bank|San Diego, CA
Rush Shore Federal Credit Union|Tampa, FL
Saddleback Mutual|Cheyenne, WY
Saffron Crossing Teachers Credit Union|Buffalo, NY
Saffron Ford Bank|Las Vegas, NV|homepage
Saffron Harbor Bank|Olympia, WA
Saffron Junction Mutual|Sacramento, CA
Saguaro Bank|Tucson, AZ
Sandpiper Gate Bank|Seattle, WA
Sandpiper Station Teachers Credit Union|Omaha, NE
Sequoia Row Federal Credit Union|Macon, GA|homepage
Silverthread Bank|Reno, NV
Slate Falls Bank|Boulder, CO|none
Slate Terrace Bank|Austin, TX
Slate Trail Bank|Concord, NH
Snowberry Savings|Fargo, ND
Sparrow Shore Federal Credit Union|Online|homepage
Spruce Hill Credit Union|Bangor, ME
Spruce Pier Trust|Oklahoma City, OK
Starling Narrows Community Bank|Utica, NY
Starling Pond Bank|Bend, OR
Sumac Narrows Teachers Credit Union|Amarillo, TX
Sumac River Bank|Albany, NY|homepage
Sumac Square Community Bank|Des Moines, IA
Summit & Sage Bank|Missoula, MT
Sundial Credit Union|Las Vegas, NV
Sycamore Bend Bank|Online
Tallgrass Bank|Wichita, KS
Tern Forge Bank|Kansas City, MO|homepage
Thistledown Bank|Buffalo, NY
Tidewell Navy Credit Union|Norfolk, VA
Topaz Glen Mutual|Buffalo, NY
Topaz Heights Bank|Albany, NY
Trellis Bank|Online
Trillium Hill Bank|Duluth, MN|homepage
Trillium Lake Bank|El Paso, TX|none
Tulip Park Bank|Kansas City, MO
Umber Pass Teachers Credit Union|Yuma, AZ
Umber Shoals Bank|Erie, PA
Upland Wren Bank|Little Rock, AR
Valle Claro Bank|El Paso, TX|homepage
Verbena Lake Bank|El Paso, TX
Verbena Pier Bank|Online
Verbena Station Savings Bank|Spokane, WA
Vesper Narrows Bank|Minot, ND
Vesper Pier Farmers Bank|Missoula, MT
Violet Quay Bank|Concord, NH|homepage
Walnut Park Bank|Boston, MA
Warbler Gate State Bank|Las Vegas, NV
Warbler Grove National Bank|Boise, ID
Wavecrest Islanders Bank|Honolulu, HI
Westering Bank|Los Angeles, CA
Wickford Bank|Newark, NJ|homepage
Willow & Wharf Bank|Portland, ME
Windrose Bank|Miami, FL
Yarrow Valley Bank|Spokane, WA
Yew Crossing Teachers Credit Union|Fresno, CA
Yew Isle Trust|Macon, GA
Yew Wharf Federal Credit Union|Yuma, AZ|none
Zephyr Hills Credit Union|Orlando, FL`

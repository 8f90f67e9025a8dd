package energy

import (
	"math"
	"strconv"
	"strings"
)

// Carbon intensity of electricity, kg CO2e per kWh, as EcoLogits lists it
// (electricity mixes per country and for the world).
var regions = map[string]float64{
	"world": 0.473,
	"us":    0.384,
	"de":    0.344,
	"fr":    0.044,
	"se":    0.036,
	"in":    0.708,
}

// Other spellings of the regions above.
var regionNames = map[string]string{
	"wor": "world", "global": "world",
	"usa": "us", "united states": "us",
	"deu": "de", "germany": "de",
	"fra": "fr", "france": "fr",
	"swe": "se", "sweden": "se",
	"ind": "in", "india": "in",
}

// Regions lists the regions that Carbon knows by its short names.
func Regions() []string { return []string{"world", "us", "de", "fr", "se", "in"} }

// Carbon is the carbon intensity of a region's electricity in kg CO2e per kWh.
// The region may be a name or code of the table, or a number, which is taken as
// the intensity itself. An empty region is the world's mean; an unknown one is
// not known, never 0.
func Carbon(region string) (kgPerKWh float64, ok bool) {
	r := strings.ToLower(strings.TrimSpace(region))
	if r == "" {
		r = "world"
	}
	if name, ok := regionNames[r]; ok {
		r = name
	}
	if v, ok := regions[r]; ok {
		return v, true
	}
	v, err := strconv.ParseFloat(r, 64)
	if err != nil || math.IsNaN(v) || v < 0 || v > 5 { // coal alone is about 1
		return 0, false
	}
	return v, true
}

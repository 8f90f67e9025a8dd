package research

// joulesPerKWh converts.
const joulesPerKWh = 3.6e6

// CarbonGrams is the mass of CO2e, in grams, that the known joules of the
// finished steps stand for: calls of servers whose region is known by the carbon
// intensity there, everything else by the intensity given, both in kg per kWh.
func (l *Ledger) CarbonGrams(kgPerKWh float64) float64 {
	grams := 0.0
	for _, s := range l.Steps {
		if s.Outcome == InFlight || s.Energy.Joules == nil {
			continue
		}
		here := s.Energy.Joules.Units()
		for _, a := range s.Actions {
			if a.Call == nil || a.Call.Energy.Joules == nil || a.Call.KgPerKWh <= 0 {
				continue
			}
			there := a.Call.Energy.Joules.Units()
			here -= there
			grams += there * a.Call.KgPerKWh
		}
		grams += max(0, here) * kgPerKWh
	}
	return grams / joulesPerKWh * 1000
}

package embedded

import "testing"

func TestPointsBack(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		"The lighthouse was built in 1872.":                      false,
		"It stands on a reef north of the harbour.":              true,
		"It is possible to climb the tower in summer.":           false,
		"It's usually wise to light the lamp early.":             false,
		"It takes an hour to climb the tower.":                   false,
		"There are five keepers in all.":                         false,
		"There he lived for years.":                              true,
		"This chapter tells how lamps are lit.":                  false,
		"In this section lamps are lit.":                         false,
		"This lamp burned oil.":                                  true,
		"In this case, the lamp must be lit.":                    true,
		"An example of the latter was the Alba lamp.":            true,
		"Stop the other one, or light both lamps.":               true,
		"Use that version, or restore a backup.":                 true,
		"Do not do this if the lamp is lit.":                     true,
		"As you see, lamps are always lit.":                      true,
		"The lamp is lit as described above.":                    true,
		"If they are lit, the lamps burn oil.":                   true,
		"If this option is given, the lamp burns oil.":           true,
		"Note that the lamp burns oil.":                          false,
		"이는 등대의 불빛이다.":                                           true,
		"등대는 1872년에 지어졌다.":                                       false,
		"それは1872年に建てられた。":                                        true,
		"灯塔建于1872年。":                                             false,
		"":                                                       false,
		"Keepers changed every four weeks, and they were tired.": false,
	} {
		if got := pointsBack(s); got != want {
			t.Errorf("%q: %v", s, got)
		}
	}
}

func TestStandsFirst(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		"The lamp burned whale oil until 1890.": true,
		"The sums are therefore exact.":         false,
		"The other lamps burned oil.":           false,
		"They burned oil.":                      false,
		"등대는 이 파일에 불빛을 기록한다.":                   false,
		"등대는 1872년에 지어졌다.":                      true,
		"The lamp of the Alba lighthouse, which was lit every evening by the keeper, was therefore never dark.": true,
	} {
		if got := standsFirst(s); got != want {
			t.Errorf("%q: %v", s, got)
		}
	}
}

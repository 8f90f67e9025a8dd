package research

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

func TestGuessLanguageOfScripts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"How does PostgreSQL recover?":        "en",
		"PostgreSQL의 WAL 아카이빙은 어떻게 동작합니까?":    "ko",
		"データベースの復旧方法は?":                       "ja",
		"如何备份数据库?":                            "zh",
		"Как работает журнал?":                "ru",
		"":                                    "en",
		"1234 ???":                            "en",
		"What does the word 한 mean in Korean": "en",
	} {
		if got := GuessLanguage(text); got != want {
			t.Errorf("GuessLanguage(%q) = %s, want %s", text, got, want)
		}
	}
}

// English questions stay English, however short, and whatever foreign names,
// titles, phrases and abbreviations stand in them.
func TestGuessLanguageKeepsEnglish(t *testing.T) {
	t.Parallel()
	for _, q := range []string{
		"why?", "What is entropy?", "Entropy", "WAL archiving", "Define osmosis", "Is water wet?", "Name three rivers", "heat pump efficiency",
		"Who wrote Les Misérables and Notre-Dame de Paris?", "What does c'est la vie mean?", "Who was Leonardo da Vinci?",
		"Leonardo da Vinci la Gioconda painting date", "Vincent van Gogh and Paul Gauguin in Arles", "Mies van der Rohe Barcelona Pavilion",
		"Charles de Gaulle biography", "Rio de Janeiro population", "Los Angeles to Las Vegas distance", "El Niño Los Angeles rainfall",
		"Che Guevara death", "Michelle Wie golf career", "São Paulo: a history", "São Paulo population", "Lech Wałęsa biography",
		"Como lake depth", "Dove soap ingredients", "Hoe types", "Come as you are lyrics", "Comment sections on news sites",
		"Qui tam lawsuits", "Quid pro quo meaning", "Per se meaning", "Pas de deux", "Die casting process", "War in the Pacific",
		"MIT admission rate", "IM protocols and privacy", "EST to PST", "DOS and Windows", "OS for a Raspberry Pi", "pros and con artists",
		"Is la dolce vita an idiom?", "Is Das Kapital still read?", "Can el Niño cause drought?", "Will the ECB raise rates?",
		"Do cats purr in pain?", "Was Napoleon short?", "Has the Sagrada Família been finished?", "In der Spiegel, who is the editor?",
		"Compare La Niña and El Niño", "List the films of Luis Buñuel", "Summarise Cien años de soledad for me", "Big Sur hiking",
		"Jak and Daxter sales", "Ile de France chicken recipe", "Perche region horses", "cos and sin of an angle", "Uber und Lyft",
		"Is een a Dutch word?", "Translate wie geht es dir to English", "Papua New Guinea in numbers", "PostgreSQL vs. MySQL",
		"En route to Mars: how long?", "Mar del Plata beaches", "Port-au-Prince earthquake 2010", "Coup d'état in Chile", "The Los Alamos laboratory",
		"example.com DNS records", "para athletes at the games", "Elle magazine founder", "A la carte", "Para rubber trade",
	} {
		if got := GuessLanguage(q); got != "en" {
			t.Errorf("GuessLanguage(%q) = %s, want en", q, got)
		}
	}
}

func TestGuessLanguageOfLatinQuestions(t *testing.T) {
	t.Parallel()
	for want, questions := range map[string][]string{
		"de": {
			"Was ist Entropie?", "Wie funktioniert ein Kernreaktor?", "Wie funktioniert WAL?", "Warum ist der Himmel blau?", "Welche Vorteile hat PostgreSQL gegenüber MySQL?",
			"Wann wurde die Berliner Mauer gebaut?", "Vergleiche Wärmepumpen und Gasheizungen", "Gibt es Leben auf dem Mars?", "Was sind die Ursachen des Ersten Weltkriegs?",
		},
		"fr": {
			"Qu'est-ce que l'entropie ?", "Pourquoi le ciel est-il bleu ?", "Comment fonctionne une pompe à chaleur ?", "Quelles sont les causes de la Première Guerre mondiale ?",
			"Quand la tour Eiffel a-t-elle été construite ?", "Qui a écrit Les Misérables ?", "Où se trouve le Mont Blanc ?", "Explique la photosynthèse avec des mots simples et une image",
		},
		"es": {
			"¿Qué es la entropía?", "que es la entropia y como se mide", "¿Cómo funciona una bomba de calor?", "¿Por qué el cielo es azul?", "Cuáles son las causas de la Primera Guerra Mundial",
			"¿Cuándo se construyó la Sagrada Familia?", "Explica la fotosíntesis para un niño",
		},
		"it": {
			"Che cos'è l'entropia?", "Perché il cielo è blu?", "Come funziona una pompa di calore?", "Quali sono le cause della Prima guerra mondiale?", "Quando è stato costruito il Colosseo?",
		},
		"nl": {
			"Wat is het verschil tussen een virus en een bacterie?", "Waarom is de lucht blauw?", "Hoe werkt een warmtepomp?", "Wanneer werd de Deltawerken gebouwd en door wie?",
			"Welke landen zijn lid van de Benelux?",
		},
		"pl": {
			"Czym jest entropia?", "Dlaczego niebo jest niebieskie?", "Jak działa pompa ciepła?", "Kiedy zbudowano Zamek Królewski w Warszawie?", "Jakie są przyczyny pierwszej wojny światowej?",
		},
		"pt": {
			"O que é a entropia?", "Por que o céu é azul?", "Como funciona uma bomba de calor?", "Quais são as causas da Primeira Guerra Mundial?", "Quando foi construída a Torre de Belém?",
		},
	} {
		for _, q := range questions {
			if got := GuessLanguage(q); got != want {
				t.Errorf("GuessLanguage(%q) = %s, want %s", q, got, want)
			}
		}
	}
}

// Every question of the evaluation suites is English.
func TestGuessLanguageKeepsSuitesEnglish(t *testing.T) {
	t.Parallel()
	root := os.Getenv("PROGROUTER_EVAL_DATA")
	if root == "" {
		t.Skip("PROGROUTER_EVAL_DATA is not set")
	}
	n := 0
	for _, pattern := range []string{"*/questions.jsonl", "*/*/questions.jsonl"} {
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			n += keepEnglish(t, path)
		}
	}
	if n == 0 {
		t.Fatalf("no questions below %s", root)
	}
	t.Logf("%d questions", n)
}

func keepEnglish(t *testing.T, path string) (n int) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var q struct{ Question string }
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			t.Fatal(err)
		}
		n++
		if got := GuessLanguage(q.Question); got != "en" {
			t.Errorf("GuessLanguage(%q) = %s", q.Question, got)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return n
}

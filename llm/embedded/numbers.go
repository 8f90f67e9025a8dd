package embedded

import (
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/progrouter/progrouter/retrieval/text"
)

// number is a number of a text: its value in digits, whichever way it was
// written, and where it stands in the text (bytes of its NFKC form).
type number struct {
	value      string
	start, end int
}

// numbersIn returns the values of the numbers of s: digits, thousands
// separators removed, and the number words of English, Korean, Japanese and
// Chinese. Ordinals ("21st", "third") are told from cardinals.
func numbersIn(s string) []string {
	var out []string
	for _, n := range findNumbers(norm.NFKC.String(s)) {
		out = append(out, n.value)
	}
	return out
}

var (
	reWord      = regexp.MustCompile(`\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)*|\p{Latin}+`)
	reKoNative  = regexp.MustCompile(`(?:^|[\s("“,])((?:열|스물|스무|서른|마흔|쉰|예순|일흔|여든|아흔)?(?:하나|한|둘|두|셋|세|넷|네|다섯|여섯|일곱|여덟|아홉)?)\s?(?:명|개|주|번|해|달|시간|시|살|마리|권|대|곳|차례|가지|사람|배|쪽|척|채|그루)`)
	reKoSino    = regexp.MustCompile(`(?:^|[\s("“,])([일이삼사오육칠팔구십백천만억]+)\s?(?:년|월|일|개월|주|명|도|미터|퍼센트|%|세기|층|원|킬로|배|번|인|분|초|톤|그램|세)`)
	reKoScaled  = regexp.MustCompile(`\d+(?:\.\d+)?(?:만|억|천|백)`)
	reHan       = regexp.MustCompile(`\d*(?:\.\d+)?[一二三四五六七八九十百千万萬億亿〇零两兩]+`)
	hanCounters = "个個人年月日次回名件本番度倍家座条條週周分秒时時国國层層岁歳歲只匹台块塊米点點世"
)

var numberWords = map[string]int{
	"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18,
	"nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
	"dozen": 12, "once": 1, "twice": 2, "thrice": 3,
}

var ordinalWords = map[string]int{
	"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
	"eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14, "fifteenth": 15, "sixteenth": 16, "seventeenth": 17,
	"eighteenth": 18, "nineteenth": 19, "twentieth": 20, "thirtieth": 30, "hundredth": 100,
}

var scaleWords = map[string]float64{"hundred": 100, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}

// findNumbers finds the numbers of a text in NFKC form.
func findNumbers(s string) []number {
	out := latinNumbers(s)
	if !strings.ContainsFunc(s, text.IsCJK) {
		return out
	}
	for _, m := range reKoNative.FindAllStringSubmatchIndex(s, -1) {
		if v := koreanNative(s[m[2]:m[3]]); v > 0 {
			out = append(out, number{strconv.Itoa(v), m[2], m[3]})
		}
	}
	for _, m := range reKoSino.FindAllStringSubmatchIndex(s, -1) {
		out = append(out, number{hanValue(s[m[2]:m[3]]), m[2], m[3]})
	}
	for _, re := range []*regexp.Regexp{reKoScaled, reHan} {
		for _, m := range re.FindAllStringIndex(s, -1) {
			if run := s[m[0]:m[1]]; len([]rune(run)) > 1 || counted(s[m[1]:]) {
				out = append(dropInside(out, m[0], m[1]), number{hanValue(run), m[0], m[1]})
			}
		}
	}
	return out
}

// counted says whether a counter follows a single numeral ("三年", but not
// "一般").
func counted(rest string) bool {
	for _, r := range rest {
		return strings.ContainsRune(hanCounters, r)
	}
	return false
}

// dropInside leaves out the numbers that a longer one holds.
func dropInside(in []number, start, end int) []number {
	out := in[:0]
	for _, n := range in {
		if n.start < start || n.end > end {
			out = append(out, n)
		}
	}
	return out
}

// latinNumbers reads digits and English number words, joined as they are
// spoken: "two hundred and five", "twenty-one", "2.5 million".
func latinNumbers(s string) []number {
	var out []number
	var total, part float64
	last, open := number{}, false // open: words so far make a number that may go on
	flush := func() {
		if open {
			last.value = strconv.FormatFloat(total+part, 'f', -1, 64)
			out = append(out, last)
		}
		total, part, open = 0, 0, false
	}
	for _, m := range reWord.FindAllStringIndex(s, -1) {
		w := strings.ToLower(s[m[0]:m[1]])
		apart := open && strings.TrimLeft(s[last.end:m[0]], " -–\u00a0") != ""
		if apart && w != "and" {
			flush()
		}
		if w[0] >= '0' && w[0] <= '9' {
			flush()
			plain := strings.ReplaceAll(w, ",", "")
			v, err := strconv.ParseFloat(plain, 64)
			if err != nil || len(plain) > 15 || plain[0] == '0' && len(plain) > 1 {
				out = append(out, number{plain, m[0], m[1]}) // a version, a serial number
				continue
			}
			part, open, last = v, true, number{"", m[0], m[1]}
			continue
		}
		switch v, isNumber := numberWords[w]; {
		case isNumber && w != "dozen":
			if open && (part == 0 && total > 0 || part >= 100 && int(part)%100 == 0 || part >= 20 && part < 100 && int(part)%10 == 0 && v > 0 && v < 10) {
				part += float64(v)
				last.end = m[1]
				continue
			}
			flush()
			part, open, last = float64(v), true, number{"", m[0], m[1]}
		case open && scaleWords[w] > 0:
			if w == "hundred" {
				part *= 100
			} else {
				total, part = total+part*scaleWords[w], 0
			}
			last.end = m[1]
		case open && (w == "st" || w == "nd" || w == "rd" || w == "th") && last.end == m[0]:
			ordinal(&out, total+part, last.start, m[1])
			total, part, open = 0, 0, false
		case ordinalWords[w] > 0:
			base := 0.0
			start := m[0]
			if open && part >= 20 && int(part)%10 == 0 && ordinalWords[w] < 10 {
				base, start = total+part, last.start
				total, part, open = 0, 0, false
			}
			flush()
			ordinal(&out, base+float64(ordinalWords[w]), start, m[1])
		case open && w == "and" && int(part)%100 == 0 && total+part >= 100 && strings.TrimSpace(s[last.end:m[0]]) == "":
			last.end = m[1]
		default:
			flush()
		}
	}
	flush()
	return out
}

func ordinal(out *[]number, v float64, start, end int) {
	*out = append(*out, number{strconv.FormatFloat(v, 'f', -1, 64) + "th", start, end})
}

func koreanNative(s string) int {
	v := 0
	for _, p := range [...]struct {
		word string
		v    int
	}{
		{"열", 10}, {"스물", 20}, {"스무", 20}, {"서른", 30}, {"마흔", 40}, {"쉰", 50}, {"예순", 60}, {"일흔", 70}, {"여든", 80}, {"아흔", 90},
		{"하나", 1}, {"한", 1}, {"둘", 2}, {"두", 2}, {"셋", 3}, {"세", 3}, {"넷", 4}, {"네", 4}, {"다섯", 5}, {"여섯", 6}, {"일곱", 7}, {"여덟", 8}, {"아홉", 9},
	} {
		if rest, ok := strings.CutPrefix(s, p.word); ok {
			v, s = v+p.v, rest
		}
	}
	return v
}

var hanDigits = map[rune]float64{
	'〇': 0, '零': 0, '一': 1, '二': 2, '两': 2, '兩': 2, '三': 3, '四': 4, '五': 5, '六': 6, '七': 7, '八': 8, '九': 9,
	'일': 1, '이': 2, '삼': 3, '사': 4, '오': 5, '육': 6, '칠': 7, '팔': 8, '구': 9,
}

var hanUnits = map[rune]float64{
	'十': 10, '百': 100, '千': 1e3, '万': 1e4, '萬': 1e4, '億': 1e8, '亿': 1e8, '십': 10, '백': 100, '천': 1e3, '만': 1e4, '억': 1e8,
}

// hanValue reads Chinese numerals, also in Korean reading and behind digits:
// "二十三", "一九一二", "3만".
func hanValue(s string) string {
	digits := strings.TrimRight(s, "一二三四五六七八九十百千万萬億亿〇零两兩일이삼사오육칠팔구십백천만억")
	part, total, sum := 0.0, 0.0, 0.0
	if v, err := strconv.ParseFloat(digits, 64); err == nil {
		part = v
	}
	positional := digits
	for _, r := range s[len(digits):] {
		if d, ok := hanDigits[r]; ok {
			part = d
			positional += strconv.Itoa(int(d))
			continue
		}
		u := hanUnits[r]
		positional = ""
		if u >= 1e4 {
			sum += max(1, total+part) * u
			total, part = 0, 0
			continue
		}
		total += max(1, part) * u
		part = 0
	}
	if positional != "" && len([]rune(s)) == len(positional) {
		return strings.TrimLeft(positional[:len(positional)-1], "0") + positional[len(positional)-1:]
	}
	return strconv.FormatFloat(sum+total+part, 'f', -1, 64)
}

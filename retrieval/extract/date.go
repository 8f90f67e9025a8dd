package extract

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/PuerkitoBio/goquery"
)

// publishedOf finds the day a page says it was published, as an RFC 3339 date.
// It looks where publishers declare it, never in running text or footers.
func publishedOf(doc *goquery.Document, now time.Time) string {
	var found string
	try := func(s string) bool {
		if found == "" {
			found = day(s, now)
		}
		return found != ""
	}
	doc.Find("script[type='application/ld+json']").EachWithBreak(func(_ int, s *goquery.Selection) bool {
		var v any
		if json.Unmarshal([]byte(s.Text()), &v) != nil {
			return true
		}
		return !try(datePublished(v, 0))
	})
	for _, sel := range []string{
		"meta[property='article:published_time']", "meta[itemprop='datePublished']", "meta[name='citation_publication_date']",
		"meta[name='citation_date']", "meta[name='dc.date' i]", "meta[name='dcterms.created' i]", "meta[name='dcterms.issued' i]",
		"meta[name='pubdate' i]", "meta[name='publish-date' i]", "meta[name='date' i]", "meta[property='og:article:published_time']",
	} {
		if try(doc.Find(sel).First().AttrOr("content", "")) {
			return found
		}
	}
	for _, sel := range []string{"time[itemprop='datePublished']", "time[pubdate]", "[itemprop='datePublished']", "time[datetime]", "time"} {
		doc.Find(sel).EachWithBreak(func(_ int, s *goquery.Selection) bool {
			if s.Closest("footer, aside, nav, [class*=comment], [class*=related], [class*=footer], [id*=footer], li").Length() > 0 {
				return true
			}
			return !try(s.AttrOr("datetime", s.AttrOr("content", s.Text())))
		})
	}
	return found
}

// datePublished searches JSON-LD, including @graph, for a datePublished.
func datePublished(v any, depth int) string {
	if depth > 6 {
		return ""
	}
	switch v := v.(type) {
	case map[string]any:
		if s, ok := v["datePublished"].(string); ok {
			return s
		}
		for _, key := range []string{"@graph", "mainEntity", "mainEntityOfPage"} {
			if s := datePublished(v[key], depth+1); s != "" {
				return s
			}
		}
	case []any:
		for _, e := range v {
			if s := datePublished(e, depth+1); s != "" {
				return s
			}
		}
	}
	return ""
}

const monthNames = `jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?`

// The patterns name their parts y, m, d.
var datePatterns = []*regexp.Regexp{
	regexp.MustCompile(`(?P<y>(?:19|20)\d\d)\s*[년年]\s*(?P<m>\d{1,2})\s*[월月]\s*(?P<d>\d{1,2})\s*[일日]`),
	regexp.MustCompile(`\b(?P<y>(?:19|20)\d\d)-(?P<m>\d{1,2})-(?P<d>\d{1,2})(?:\b|T)`),
	regexp.MustCompile(`\b(?P<y>(?:19|20)\d\d)\s?[./]\s?(?P<m>\d{1,2})\s?[./]\s?(?P<d>\d{1,2})\b`),
	regexp.MustCompile(`(?i)\b(?P<m>` + monthNames + `)\.?\s+(?P<d>\d{1,2})(?:st|nd|rd|th)?,?\s+(?P<y>(?:19|20)\d\d)\b`),
	regexp.MustCompile(`(?i)\b(?P<d>\d{1,2})(?:st|nd|rd|th)?\.?\s+(?P<m>` + monthNames + `)\.?,?\s+(?P<y>(?:19|20)\d\d)\b`),
	regexp.MustCompile(`^(?P<y>(?:19|20)\d\d)(?P<m>\d\d)(?P<d>\d\d)$`),
}

// day reads the first date in s; "" when there is none or it is impossible.
func day(s string, now time.Time) string {
	s = strings.TrimSpace(s)
	for _, rx := range datePatterns {
		m := rx.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		y, _ := strconv.Atoi(m[rx.SubexpIndex("y")])
		d, _ := strconv.Atoi(m[rx.SubexpIndex("d")])
		mon := month(m[rx.SubexpIndex("m")])
		t := time.Date(y, time.Month(mon), d, 0, 0, 0, 0, time.UTC)
		if mon < 1 || t.Day() != d || int(t.Month()) != mon || t.After(now.AddDate(0, 0, 2)) {
			continue
		}
		return fmt.Sprintf("%04d-%02d-%02d", y, mon, d)
	}
	return ""
}

func month(s string) int {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	i := strings.Index("janfebmaraprmayjunjulaugsepoctnovdec", strings.ToLower(s)[:3])
	return i/3 + 1
}

var rxDateLabel = regexp.MustCompile(`(?i)^\W{0,4}(?:(?:first )?published|posted|released?|issued|date|written|created|작성일?|등록일?|입력|게시일?|발행일?|公開日?|投稿日?|発行日?|発表|发布|发表|發布|發表|日期)\b?`)

// dateInLines looks for a by-line date in the opening lines of a text: a short
// line that is labelled as a date or, within the first lines named by bare,
// consists of little else. Further down such a line is today's date or the
// date of another story.
func dateInLines(text string, bare int, now time.Time) string {
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if n++; n > 8 {
			return ""
		}
		if runes := len([]rune(line)); runes > 100 {
			continue
		} else if !rxDateLabel.MatchString(line) && (runes > 30 || n > bare) {
			continue
		}
		d := day(line, now)
		if d != "" && len(rxYear.FindAllString(line, 2)) == 1 { // two are a period
			return d
		}
	}
	return ""
}

var rxYear = regexp.MustCompile(`(?:19|20)\d\d`)

// underTitle is how many lines below a title may be a date without a label.
const underTitle = 3

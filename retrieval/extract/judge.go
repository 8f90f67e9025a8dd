package extract

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/PuerkitoBio/goquery"

	"github.com/progrouter/progrouter/research"
)

// facts are what a page's mark-up tells besides its text, read before pruning.
type facts struct {
	password   bool   // a password field
	robotCheck bool   // a challenge of a bot detector
	paid       bool   // declared as not free to read
	body       string // all visible words, lower case, first part only
	scripts    bool   // builds itself with scripts
	head       string // the title element, which error pages fill in more honestly than h1
}

func factsOf(doc *goquery.Document) facts {
	f := facts{
		head:       doc.Find("head title").First().Text(),
		password:   doc.Find("input[type=password]").Length() > 0,
		robotCheck: doc.Find("#challenge-form, #challenge-running, #cf-challenge, .cf-browser-verification, #px-captcha, .g-recaptcha, .h-captcha, [id^=captcha], [class^=captcha], iframe[src*=captcha], script[src*='challenge-platform'], script[src*='captcha-delivery']").Length() > 0,
		scripts:    doc.Find("#root, #app, #__next, #___gatsby, app-root, noscript").Length() > 0 && doc.Find("script").Length() > 0,
	}
	doc.Find("script[type='application/ld+json']").Each(func(_ int, s *goquery.Selection) {
		var v any
		if json.Unmarshal([]byte(s.Text()), &v) == nil && notFree(v, 0) {
			f.paid = true
		}
	})
	clone := doc.Find("body").Clone()
	clone.Find("script, style, template").Remove()
	f.body = strings.ToLower(opening(strings.Join(strings.Fields(clone.Text()), " "), 3000))
	return f
}

func notFree(v any, depth int) bool {
	if depth > 6 {
		return false
	}
	switch v := v.(type) {
	case map[string]any:
		switch free := v["isAccessibleForFree"].(type) {
		case bool:
			return !free
		case string:
			return strings.EqualFold(free, "false")
		}
		return notFree(v["@graph"], depth+1)
	case []any:
		for _, e := range v {
			if notFree(e, depth+1) {
				return true
			}
		}
	}
	return false
}

// Words by which pages that are no content give themselves away, in the
// languages that readers of ours are likely to meet.
var (
	rx404    = regexp.MustCompile(`(?i)^404\b|\b404(?: error|:|[ –-]*not found)|error 404|– 404\b|page (?:was )?(?:not|can(?:'|’|no)t be) found|(?:page|article|document|file|resource)[^.]{0,40}(?:does(?:n't| not|n’t) exist|could(?: not|n't|n’t) be found|no longer (?:exists|available)|has been (?:removed|deleted))|nothing (?:was )?found here|찾을 수 없|존재하지 않는|삭제된 (?:페이지|게시)|見つかりません|存在しません|页面不存在|找不到|頁面不存在|无法找到|seite nicht gefunden|page (?:introuvable|non trouvée)|página no encontrada`)
	rxErr    = regexp.MustCompile(`(?i)\b(?:500|502|503|504)\b.{0,30}(?:error|unavailable|gateway|timeout)|internal server error|bad gateway|gateway time-?out|service (?:is )?(?:temporarily )?unavailable|error establishing a database connection|fatal error: |uncaught exception|application error|something went wrong|under maintenance|서비스 점검|일시적인 오류|メンテナンス中|系统维护`)
	rxBot    = regexp.MustCompile(`(?i)^just a moment|attention required|verify(?:ing)? (?:that )?you are (?:a )?human|are you (?:a )?(?:human|robot)|i'm not a robot|unusual traffic|complete the (?:security check|captcha)|enable javascript and cookies to continue|checking (?:if the site connection is secure|your browser)|pardon our interruption|access (?:to this page )?(?:has been )?denied|자동입력 ?방지|로봇이 아닙니다|ロボットではありません|请完成(?:安全)?验证|人机验证`)
	rxPay    = regexp.MustCompile(`(?i)subscribe (?:now )?to (?:continue|keep|read|unlock)|(?:this )?(?:article|content|story) is (?:for|only available to|exclusive to|reserved for) (?:paid |paying )?(?:subscribers|members)|subscribers? only|to (?:continue|keep) reading[^.]{0,60}(?:subscribe|sign|log|register)|already a subscriber\?|you(?:'|’)ve (?:reached|read) your (?:free )?(?:article )?limit|유료 (?:기사|회원|구독)|구독자 전용|有料会員|会員限定|订阅后(?:继续)?阅读`)
	rxCookie = regexp.MustCompile(`(?i)before you continue to|(?:we|our partners)[^.]{0,60}(?:use|value|store)[^.]{0,60}(?:cookies|privacy|your device)|accept (?:all )?(?:cookies)?|reject all|cookie (?:policy|settings|preferences|consent)|manage (?:my )?(?:cookies|preferences)|쿠키|クッキー|接受(?:所有)?cookie`)
	rxLogin  = regexp.MustCompile(`(?i)\b(?:sign|log) ?-?in\b|please (?:sign|log) in|you (?:must|need to) (?:be logged|log|sign)|forgot(?:ten)? (?:your )?password|로그인|ログイン|サインイン|登录|登入|anmelden|se connecter`)
	rxScript = regexp.MustCompile(`(?i)(?:enable|requires?|turn on|need)[^.]{0,40}javascript|javascript[^.]{0,40}(?:enable|required|disabled|turned off)`)
)

// Pages longer than these (in code points) carry content of their own even
// where such words occur in them.
const (
	shortPage  = 1500
	teaserPage = 3000
	emptyPage  = 60 // letters
)

// judgePage refuses pages that are no evidence.
func judgePage(where string, p page, f facts) *research.Discarded {
	long := utf8.RuneCountInString(p.text)
	title := strings.ToLower(oneLine(p.title + " – " + f.head))
	thin := letters(p.text, 200) < 200
	near := f.body
	if long <= shortPage {
		near = title + " " + strings.ToLower(p.text) + " " + f.body
	}
	switch {
	case long <= teaserPage && f.robotCheck && (thin || rxBot.MatchString(title) || rxBot.MatchString(near)),
		long <= shortPage && (rxBot.MatchString(title) || (thin && rxBot.MatchString(near))):
		return discard(where, CodeCaptcha, "The site asks visitors to prove that they are human. Open it in a browser, save the page and upload it.")
	case f.paid && long <= teaserPage, long <= teaserPage && rxPay.MatchString(p.text):
		return discard(where, CodePaywall, "The page shows only a teaser; the rest is for subscribers. Give another source, or upload a copy that you may use.")
	}
	if no := judgeTitle(where, title, p.text, long); no != nil {
		return no
	}
	if f.password && long <= shortPage && rxLogin.MatchString(near) {
		return discard(where, CodeLogin, "The page asks for a login. Give a public page, or save the page in your browser and upload it.")
	}
	if thin {
		return judgeThin(where, p, near, f)
	}
	return nil
}

// judgeThin names what a page with hardly any text is.
func judgeThin(where string, p page, near string, f facts) *research.Discarded {
	own := strings.ToLower(p.title + " " + p.text)
	if letters(p.text, emptyPage) < emptyPage { // a banner may be all there is
		own = near
	}
	switch {
	case len(rxCookie.FindAllString(own, 3)) >= 2:
		return discard(where, CodeConsent, "The site shows only its cookie consent page. Open it in a browser, save the page and upload it.")
	case rxLogin.MatchString(own) && (f.password || len(rxLogin.FindAllString(own, 3)) >= 2):
		return discard(where, CodeLogin, "The page asks for a login. Give a public page, or save the page in your browser and upload it.")
	case rxScript.MatchString(own) && f.scripts:
		return discard(where, CodeJavaScript, "The page builds its text with JavaScript, which is not run. Save the page in your browser and upload it.")
	}
	return nil
}

// judgeTitle recognises error pages that were sent as success.
func judgeTitle(where, title, text string, long int) *research.Discarded {
	if long > shortPage {
		return nil
	}
	lead := strings.ToLower(opening(text, 200))
	switch {
	case rx404.MatchString(title), long < 500 && rx404.MatchString(lead):
		return discard(where, CodeSoft404, "The server answered with a page that says that nothing is there. Check the address.")
	case rxErr.MatchString(title), long < 500 && rxErr.MatchString(lead):
		return discard(where, CodeErrorPage, "The server answered with an error page instead of content. Try again later.")
	}
	return nil
}

// judgeText applies what can be told from text alone, for Markdown and plain
// text that was scraped from such pages.
func judgeText(where, title, text string) *research.Discarded {
	long := utf8.RuneCountInString(text)
	if long <= shortPage && rxBot.MatchString(strings.ToLower(title)) {
		return discard(where, CodeCaptcha, "The text is a check that visitors are human, not content. Give the page itself.")
	}
	return judgeTitle(where, strings.ToLower(title), text, long)
}

func opening(s string, runes int) string {
	n := 0
	for i := range s {
		if n++; n > runes {
			return s[:i]
		}
	}
	return s
}

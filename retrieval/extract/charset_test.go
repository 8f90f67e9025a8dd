package extract

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
)

const (
	koText = "서버를 설정하려면 먼저 설정 파일을 열고 포트 번호를 바꾼 다음 다시 시작해야 한다."
	jaText = "サーバーを設定するには、まず設定ファイルを開いてポート番号を変更し、再起動する必要がある。"
	zhText = "要设置服务器，首先打开配置文件，更改端口号，然后重新启动服务器程序。"
	twText = "要設定伺服器，首先開啟設定檔，變更連接埠號碼，然後重新啟動伺服器程式。"
	ruText = "Чтобы настроить сервер, сначала откройте файл настроек и измените номер порта."
	frText = "Pour configurer le serveur, ouvrez d'abord le fichier de réglages, changez le numéro du port, puis redémarrez-le."
	elText = "Για να ρυθμίσετε τον διακομιστή, ανοίξτε πρώτα το αρχείο ρυθμίσεων και αλλάξτε τον αριθμό."
)

func encode(t *testing.T, e encoding.Encoding, s string) []byte {
	t.Helper()
	b, err := e.NewEncoder().Bytes([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestDecode(t *testing.T) {
	t.Parallel()
	utf16le := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	utf16be := unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	meta := func(label, s string) string { return `<html><head><meta charset="` + label + `"></head><p>` + s }
	late := func(label, s string) string {
		return "<html><head><script>" + strings.Repeat("var a = 1;", 400) + `</script><meta http-equiv="Content-Type" content="text/html; charset=` + label + `"></head><p>` + s
	}
	tests := []struct {
		name, header string
		enc          encoding.Encoding
		page, want   string
	}{
		{"utf-8", "text/html", encoding.Nop, koText, koText},
		{"utf-8, header says latin-1", "text/html; charset=iso-8859-1", encoding.Nop, jaText, jaText},
		{"header euc-kr", "text/html; charset=EUC-KR", korean.EUCKR, koText, koText},
		{"header cp949", "text/html; charset=cp949", korean.EUCKR, "똠방각하 펲시콜라 " + koText, "똠방각하"},
		{"header ms949", "text/html;charset=ms949", korean.EUCKR, koText, koText},
		{"header x-windows-949", "text/html; charset=x-windows-949", korean.EUCKR, koText, koText},
		{"header shift_jis", `text/html; charset="Shift_JIS"`, japanese.ShiftJIS, jaText, jaText},
		{"header sjis", "text/html; charset=sjis", japanese.ShiftJIS, jaText, jaText},
		{"header gbk", "text/html; charset=gbk", simplifiedchinese.GBK, zhText, zhText},
		{"header gb18030", "text/html; charset=gb18030", simplifiedchinese.GB18030, zhText + "𠀀", "𠀀"},
		{"header big5", "text/html; charset=big5", traditionalchinese.Big5, twText, twText},
		{"header euc-jp", "text/html; charset=euc-jp", japanese.EUCJP, jaText, jaText},
		{"header iso-2022-jp", "text/html; charset=iso-2022-jp", japanese.ISO2022JP, jaText, jaText},
		{"header windows-1251", "text/html; charset=windows-1251", charmap.Windows1251, ruText, ruText},
		{"header windows-1252", "text/html; charset=windows-1252", charmap.Windows1252, frText, frText},
		{"header iso-8859-7", "text/html; charset=iso-8859-7", charmap.ISO8859_7, elText, elText},
		{"meta euc-kr", "text/html", korean.EUCKR, meta("euc-kr", koText), koText},
		{"meta ms949", "", korean.EUCKR, meta("ms949", koText), koText},
		{"meta shift_jis after a long script", "text/html", japanese.ShiftJIS, late("Shift_JIS", jaText), jaText},
		{"meta gb2312", "text/html", simplifiedchinese.GBK, meta("gb2312", zhText), zhText},
		{"xml declaration", "", korean.EUCKR, `<?xml version="1.0" encoding="euc-kr"?><html><p>` + koText, koText},
		{"lying utf-8 header, meta right", "text/html; charset=utf-8", korean.EUCKR, meta("euc-kr", koText), koText},
		{"lying utf-8 header and meta", "text/html; charset=utf-8", korean.EUCKR, meta("utf-8", koText), koText},
		{"careless latin-1 header, meta right", "text/html; charset=iso-8859-1", japanese.ShiftJIS, meta("shift_jis", jaText), jaText},
		{"careless latin-1 header, no meta", "text/html; charset=iso-8859-1", korean.EUCKR, koText + koText, koText},
		{"wrong header", "text/html; charset=shift_jis", korean.EUCKR, meta("euc-kr", koText), koText},
		{"unlabelled euc-kr", "", korean.EUCKR, koText, koText},
		{"unlabelled shift_jis", "", japanese.ShiftJIS, jaText, jaText},
		{"unlabelled euc-jp", "", japanese.EUCJP, jaText, jaText},
		{"unlabelled iso-2022-jp", "", japanese.ISO2022JP, jaText, jaText},
		{"unlabelled gbk", "", simplifiedchinese.GBK, zhText, zhText},
		{"unlabelled big5", "", traditionalchinese.Big5, twText, twText},
		{"unlabelled windows-1251", "", charmap.Windows1251, ruText, ruText},
		{"unlabelled koi8-r", "", charmap.KOI8R, ruText, ruText},
		{"unlabelled windows-1252", "", charmap.Windows1252, frText, frText},
		{"unknown label", "text/html; charset=x-nonsense", korean.EUCKR, koText, koText},
		{"utf-16le with mark", "", unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), koText, koText},
		{"utf-16be with mark", "", unicode.UTF16(unicode.BigEndian, unicode.UseBOM), koText, koText},
		{"utf-16le without", "", utf16le, "<html><p>plain western text in wide characters", "plain western text"},
		{"utf-16be without", "", utf16be, "<html><p>plain western text in wide characters", "plain western text"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := decode(encode(t, tt.enc, tt.page), tt.header)
			if !strings.Contains(got, tt.want) {
				t.Errorf("got %.200q, want %q in it", got, tt.want)
			}
		})
	}
}

func TestDecodeKeepsMostlyUTF8(t *testing.T) {
	t.Parallel()
	cut := []byte(koText + koText)
	cut = append(cut[:len(cut)-2], "\xff and on"...)
	if got := decode(cut, "text/html; charset=utf-8"); !strings.HasPrefix(got, koText) || !strings.HasSuffix(got, " and on") {
		t.Errorf("got %q", got)
	}
}

package pdf

import (
	"bytes"
	"crypto/md5"
	"crypto/rc4"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
)

// Tiny PDF files for tests: enough of the format for PDFium to read them.

// text is a piece of a page.
type text struct {
	x, y, size float64
	s          string
}

type builder struct {
	objects []string // bodies, object n is objects[n-1]
	info    string
	key     []byte // encrypts streams when set
	encrypt string
	id      []byte
}

func (b *builder) add(body string) int {
	b.objects = append(b.objects, body)
	return len(b.objects)
}

func (b *builder) stream(content string) int {
	n := len(b.objects) + 1
	if b.key != nil {
		content = string(b.cipher(n, []byte(content)))
	}
	return b.add(fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content))
}

// cipher is algorithm 1 of the standard for 40-bit RC4 keys.
func (b *builder) cipher(object int, data []byte) []byte {
	k := append(bytes.Clone(b.key), byte(object), byte(object>>8), byte(object>>16), 0, 0)
	sum := md5.Sum(k)
	return rc(sum[:10], data)
}

func rc(key, data []byte) []byte {
	c, err := rc4.NewCipher(key)
	if err != nil {
		panic(err)
	}
	out := make([]byte, len(data))
	c.XORKeyStream(out, data)
	return out
}

func (b *builder) bytes(root int) []byte {
	var out bytes.Buffer
	out.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	offsets := make([]int, len(b.objects))
	for i, body := range b.objects {
		offsets[i] = out.Len()
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, body)
	}
	xref := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(b.objects)+1)
	for _, o := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root %d 0 R %s %s >>\nstartxref\n%d\n%%%%EOF\n", len(b.objects)+1, root, b.info, b.encrypt, xref)
	return out.Bytes()
}

// document makes a file of pages set in Helvetica.
func document(title string, pages ...[]text) []byte {
	b := &builder{}
	if title != "" {
		b.info = fmt.Sprintf("/Info %d 0 R", b.add(fmt.Sprintf("<< /Title (%s) >>", title)))
	}
	return b.build(pages)
}

func (b *builder) build(pages [][]text) []byte {
	font := b.add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	var contents []int
	for _, p := range pages {
		var s strings.Builder
		for _, t := range p {
			escaped := strings.NewReplacer("\\", "\\\\", "(", "\\(", ")", "\\)").Replace(t.s)
			fmt.Fprintf(&s, "BT /F1 %g Tf %g %g Td (%s) Tj ET\n", t.size, t.x, t.y, escaped)
		}
		contents = append(contents, b.stream(s.String()))
	}
	return b.finish(font, contents)
}

func (b *builder) finish(font int, contents []int) []byte {
	tree := len(b.objects) + len(contents) + 1
	kids := ""
	for _, c := range contents {
		n := b.add(fmt.Sprintf("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 %d 0 R >> >> /Contents %d 0 R >>", tree, font, c))
		kids += fmt.Sprintf("%d 0 R ", n)
	}
	b.add(fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", kids, len(contents)))
	return b.bytes(b.add(fmt.Sprintf("<< /Type /Catalog /Pages %d 0 R >>", tree)))
}

// korean makes a page in a composite font without an embedded program whose
// ToUnicode map names the characters.
func korean(lines ...string) []byte {
	b := &builder{}
	var maps strings.Builder
	codes := map[rune]int{}
	var content strings.Builder
	y := 700.0
	for _, l := range lines {
		var h strings.Builder
		for _, r := range l {
			if codes[r] == 0 {
				codes[r] = len(codes) + 1
				fmt.Fprintf(&maps, "<%04x> <%04x>\n", codes[r], r)
			}
			fmt.Fprintf(&h, "%04x", codes[r])
		}
		fmt.Fprintf(&content, "BT /F1 12 Tf 72 %g Td <%s> Tj ET\n", y, h.String())
		y -= 15
	}
	cmap := b.stream(fmt.Sprintf("/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /T def /CMapType 2 def\n1 begincodespacerange <0000> <ffff> endcodespacerange\n%d beginbfchar\n%sendbfchar endcmap end end", len(codes), maps.String()))
	descriptor := b.add("<< /Type /FontDescriptor /FontName /Test /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>")
	descendant := b.add(fmt.Sprintf("<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Test /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW 1000 /FontDescriptor %d 0 R >>", descriptor))
	font := b.add(fmt.Sprintf("<< /Type /Font /Subtype /Type0 /BaseFont /Test /Encoding /Identity-H /DescendantFonts [%d 0 R] /ToUnicode %d 0 R >>", descendant, cmap))
	return b.finish(font, []int{b.stream(content.String())})
}

// padding is the standard's password padding.
var padding, _ = hex.DecodeString("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")

// encrypted makes a file that opens only with a password (40-bit RC4).
func encrypted(password string, pages ...[]text) []byte {
	pad := func(s string) []byte { return append([]byte(s), padding...)[:32] }
	owner := md5.Sum(pad("owner"))
	o := rc(owner[:5], pad(password))
	permissions := int32(-4)
	id := []byte("0123456789abcdef")
	h := md5.New()
	h.Write(pad(password))
	h.Write(o)
	_ = binary.Write(h, binary.LittleEndian, permissions)
	h.Write(id)
	key := h.Sum(nil)[:5]
	b := &builder{key: key, id: id}
	b.encrypt = fmt.Sprintf("/Encrypt << /Filter /Standard /V 1 /R 2 /O <%x> /U <%x> /P %d >> /ID [<%x> <%x>]", o, rc(key, padding), permissions, id, id)
	return b.build(pages)
}

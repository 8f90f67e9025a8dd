// Package extract turns bytes of unknown kind into readable text: HTML,
// Markdown, plain text and PDF become a research.Document, and everything that
// cannot serve as evidence becomes a research.Discarded with a reason.
//
// It owns sniffing, charset decoding, choosing the main part of a page, the
// text format below and the recognition of pages that only look like content
// (soft 404, login, paywall, captcha, consent). It must not know where bytes
// come from, how they are stored or what they are asked for.
//
// The text format: paragraphs separated by a blank line; headings as Markdown
// lines ("# …"); list items as "- …", one per line; tables one row per line
// with " | " between cells; preformatted text as it stands.
package extract

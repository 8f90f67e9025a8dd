package main

import (
	"fmt"
	"path/filepath"

	"github.com/progrouter/progrouter/research"
)

// maxSkipped is how many unused files of a folder are named; the rest is counted.
const maxSkipped = 200

// Why files of a folder are not used, besides what the extractor finds.
const (
	skipUnreadable  = "file_unreadable"
	skipTooBig      = "file_too_big"
	skipUnusable    = "file_unusable"
	skipNoFile      = "file_special"
	skipLinkBroken  = "link_broken"
	skipLinkOutside = "link_outside"
	skipLinkFolder  = "link_folder"
	skipLinkTwice   = "link_twice"
	skipMore        = "files_more"
)

// skipCodes lists them all, for catalogues.
func skipCodes() []string {
	return []string{
		skipUnreadable, skipTooBig, skipUnusable, skipNoFile,
		skipLinkBroken, skipLinkOutside, skipLinkFolder, skipLinkTwice, skipMore,
	}
}

// noteFilesMore is the code of the notice that not every unused file is named.
const noteFilesMore = "files_more"

// skippedFiles names the files of a folder that are not used, up to maxSkipped
// of them, and counts the others.
type skippedFiles struct {
	folder string
	named  []research.Discarded
	more   int
}

func (s *skippedFiles) none() bool { return len(s.named) == 0 }

func (s *skippedFiles) add(url, code, reason string) {
	if len(s.named) == maxSkipped {
		s.more++
		return
	}
	s.named = append(s.named, research.Discarded{URL: url, Code: code, Reason: reason, StepIndex: -1})
}

// list is what the run keeps: the named files and one entry for the others.
func (s *skippedFiles) list() []research.Discarded {
	if s.more == 0 {
		return s.named
	}
	return append(s.named[:len(s.named):len(s.named)], research.Discarded{
		URL: libraryScheme + filepath.ToSlash(s.folder), Code: skipMore, Reason: s.notice().Text, StepIndex: -1,
	})
}

func (s *skippedFiles) notice() research.Note {
	return research.Note{
		Code: noteFilesMore, Args: map[string]any{"Count": s.more, "Named": len(s.named), "Folder": s.folder},
		Text: fmt.Sprintf("%d more files of the folder %s were not used; only the first %d are named.", s.more, s.folder, len(s.named)),
	}
}

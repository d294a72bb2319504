"""The leads of the pages that a reading is about: those that are the tool's to write."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from llmwiki.core.language.figures_and_names import Support
from llmwiki.core.page_and_note_kinds import is_of_subject
from llmwiki.core.text import fold, normalise
from llmwiki.ingest.extraction.schema import Subject
from llmwiki.ingest.filing import SubjectPlacement
from llmwiki.ingest.page_of_subject import owners
from llmwiki.ingest.page_workspace import ClaimLinker, PageWorkspace
from llmwiki.ingest.reading import SourceReading
from llmwiki.ingest.report import RefusedClaim
from llmwiki.pages import write
from llmwiki.pages.linked_text import bare
from llmwiki.pages.page import Page


@dataclass(frozen=True, slots=True)
class LeadWriter:
    """Writes leads of the subjects of one reading."""

    workspace: PageWorkspace
    filed: SubjectPlacement
    linker: ClaimLinker
    reading: SourceReading

    def write(self, grown: Iterable[str]) -> list[str]:
        """Writes the leads, and gives those pages of `grown`, which have new claims, whose lead the
        reader was not shown: it may not fit any more."""
        about: dict[str, Subject] = {}
        renewed: set[str] = set()
        for subject in self.reading.subjects:
            path = self.filed.path(subject.name)
            if subject.same_as == path:
                # Whoever names the page was shown its lead, and may have found it to be enough.
                renewed.add(path or "")
            if path is not None and path in self.workspace.pages:
                about.setdefault(path, subject)
        for path, subject in sorted(about.items()):
            if self._of_subject(path, subject):
                renewed.add(path)
            if self._add(path, subject.add_to_lead or ""):
                renewed.add(path)
        stale = {*grown} - renewed - self.filed.fresh
        to_renew = sorted(path for path in stale if self._is_led_by_tool(path))
        for path in sorted(self.filed.fresh):
            page = self.workspace.page(path)
            if not page.lead:
                self._put(path, page, page.description or _best_claim(page))
        return to_renew

    def _of_subject(self, path: str, subject: Subject) -> bool:
        """Writes the lead of a page, where that is the tool's to do; whether it did."""
        page = self.workspace.page(path)
        # Whoever replaces a lead has been shown it: the page is named as the subject's.
        replaces = bool(subject.lead) and subject.same_as == path and not self.reading.without_model
        if not page.lead_is_tools:
            return False
        if page.lead and path not in self.filed.fresh and not replaces:
            if subject.lead:
                became = f"the lead that stands stays; to replace it, put {path} into same_as"
                if not is_of_subject(path):
                    became = "the page of a document shows the document's summary instead"
                self.workspace.remarked.remark("", f"lead of {subject.name}", became)
            return False
        if replaces and normalise(subject.description):
            page = write.set_description(page, subject.description, self.reading.by)
        self._put(path, page, subject.lead or subject.description or _best_claim(page))
        return True

    def _add(self, path: str, more: str) -> bool:
        """Puts sentences behind the lead of a page, where that is the tool's; whether it did."""
        page = self.workspace.page(path)
        lead = bare(page.lead)
        if not normalise(more) or not page.lead_is_tools or fold(more) in fold(lead):
            return False
        told = f"{page.lead} {write.prose(more, self.linker.lead(path, more))}".strip()
        self.workspace.pages[path] = write.set_lead(page, told, self.reading.by)
        return True

    def _put(self, path: str, page: Page, text: str) -> None:
        lead = write.prose(text, self.linker.lead(path, text))
        self.workspace.pages[path] = write.set_lead(page, lead, self.reading.by)

    def _is_led_by_tool(self, path: str) -> bool:
        page = self.workspace.page(path)
        return page.type != "source" and bool(page.lead) and page.lead_is_tools


def _best_claim(page: Page) -> str:
    standing = [c for c in page.claims if c.successor is None] or list(page.claims)
    if not standing:
        return page.title
    best = max(standing, key=lambda c: (len(c.evidence), -standing.index(c)))
    return best.text


# --- what of a subject may be said ----------------------------------------------------------------

_SAID_OF_SUBJECTS = ("description", "lead", "add_to_lead")


def backed_subjects(reading: SourceReading, workspace: PageWorkspace) -> Iterator[Subject]:
    """The subjects of a reading; those that somebody wrote without a lead or description that says
    a number which no quote and no claim of the reading has, nor a claim of their page. These are
    told."""
    if reading.without_model:
        yield from reading.subjects
        return
    said = [reading.document.path, reading.facts.date or ""]
    for verified in reading.claims:
        said += [verified.text, *(found.quote for found in verified.evidence)]
    support = Support("\n".join(said))
    for subject in reading.subjects:
        texts = {name: getattr(subject, name) or "" for name in _SAID_OF_SUBJECTS}
        if any(map(support.lacking_number, texts.values())):
            own = Support("\n".join((*said, subject.name, *_claimed(subject, workspace))))
            for what, text in texts.items():
                if number := own.lacking_number(text):
                    reason = f"the number {number} stands in no quote and no claim"
                    lost = f"{reason}; the {what} of {subject.name} goes"
                    workspace.told.refused.append(RefusedClaim(text, "", lost))
                    texts[what] = ""
        yield subject.model_copy(update=texts)


def _claimed(subject: Subject, workspace: PageWorkspace) -> Iterator[str]:
    """What the claims and quotes of the pages say that may be the subject's."""
    names = (subject.name, subject.same_as or "")
    owned = (path for name in names for path in owners(name, workspace.state.names))
    paths = sorted({subject.same_as or "", *owned})
    for page in (page for path in paths if (page := workspace.find(path))):
        for claim in page.claims:
            yield from (claim.text, *(piece.quote for piece in claim.evidence))

"""What documents and docstrings name exists."""

from __future__ import annotations

from tests.doc_references import missing_references


def test_every_reference_in_the_documents_leads_somewhere() -> None:
    assert not [str(reference) for reference in missing_references()]

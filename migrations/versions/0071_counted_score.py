"""Which score of a match counts after extra time or penalties, and the parts of results

Tournaments that exist go on counting the score that their provider gives.

Revision ID: 0071
Revises: 0070
Create Date: 2026-11-26 15:00:00.000000

"""

import sqlalchemy as sa
from alembic import op

# revision identifiers, used by Alembic.
revision = "0071"
down_revision = "0070"
branch_labels = None
depends_on = None

COUNTED_SCORES = ("as_given", "overtime", "regulation", "extra_time", "shootout")
PARTS = ("regulation", "extra_time", "shootout")
FINDINGS = ("unknown-status", "left", "doubled", "new-id", "new-teams", "late-guesses", "bad-row")


def upgrade() -> None:
    op.add_column(
        "tournaments",
        sa.Column("counted_score", sa.String(), server_default="as_given", nullable=False),
    )
    op.create_check_constraint("counted_score", "tournaments", f"counted_score in {COUNTED_SCORES}")
    op.execute("""
        UPDATE tournaments SET counted_score = 'overtime'
        WHERE id IN (SELECT tournament_id FROM provider_sources WHERE kind IN ('nflverse-games', 'official-record'))
    """)
    op.add_column("matches", sa.Column("duration", sa.String(), nullable=True))
    op.create_check_constraint("duration", "matches", "duration in ('extra_time', 'shootout')")
    for part in PARTS:
        op.add_column("matches", sa.Column(f"{part}_home", sa.Integer(), nullable=True))
        op.add_column("matches", sa.Column(f"{part}_away", sa.Integer(), nullable=True))
        op.create_check_constraint(
            part, "matches", f"({part}_home IS NULL) = ({part}_away IS NULL)"
        )
    op.execute("""
        CREATE FUNCTION guard_counted_score() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF EXISTS (
            SELECT FROM matches m WHERE m.tournament_id = NEW.id AND (m.status = 'ended' OR m.terms IS NOT NULL)
          ) THEN
            RAISE EXCEPTION USING ERRCODE = 'check_violation', CONSTRAINT = 'counted_score_fixed',
              MESSAGE = 'a match of this tournament has ended: the score that counts stays';
          END IF;
          RETURN NEW;
        END $$
    """)
    op.execute("""
        CREATE TRIGGER counted_score_guard BEFORE UPDATE OF counted_score ON tournaments
        FOR EACH ROW WHEN (NEW.counted_score <> OLD.counted_score) EXECUTE FUNCTION guard_counted_score()
    """)
    op.drop_constraint("kind", "provider_findings", type_="check")
    op.create_check_constraint(
        "kind", "provider_findings", f"kind in {(*FINDINGS, 'unknown-score')}"
    )


def downgrade() -> None:
    op.drop_constraint("kind", "provider_findings", type_="check")
    op.execute("DELETE FROM provider_findings WHERE kind = 'unknown-score'")
    op.create_check_constraint("kind", "provider_findings", f"kind in {FINDINGS}")
    op.execute("DROP TRIGGER counted_score_guard ON tournaments")
    op.execute("DROP FUNCTION guard_counted_score()")
    for part in PARTS:
        op.drop_constraint(part, "matches", type_="check")
        op.drop_column("matches", f"{part}_home")
        op.drop_column("matches", f"{part}_away")
    op.drop_constraint("duration", "matches", type_="check")
    op.drop_column("matches", "duration")
    op.drop_constraint("counted_score", "tournaments", type_="check")
    op.drop_column("tournaments", "counted_score")

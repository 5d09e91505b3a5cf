"""Notices of friendships, and countries that there are

Revision ID: 0065
Revises: 0064
Create Date: 2026-11-26 12:10:00.000000

"""

from alembic import op

# revision identifiers, used by Alembic.
revision = "0065"
down_revision = "0064"
branch_labels = None
depends_on = None

BEFORE = (
    "kind in ('deadline', 'result', 'correction', 'rules', 'adjustment', 'league', 'prediction', 'operations', "
    "'moderation')"
)
AFTER = BEFORE.replace("'moderation')", "'moderation', 'friend')")
# ISO 3166-1 alpha-2, as app/accounts/countries.py had them.
COUNTRIES = (
    "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV "
    "BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES "
    "ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE "
    "IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY "
    "MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU "
    "NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM "
    "SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE "
    "VG VI VN VU WF WS YE YT ZA ZM ZW"
)
IN_COUNTRIES = f"country in {tuple(COUNTRIES.split())}"


def upgrade() -> None:
    op.drop_constraint("kind", "notices", type_="check")
    op.create_check_constraint("kind", "notices", AFTER)
    op.execute(f"UPDATE members SET country = NULL WHERE NOT ({IN_COUNTRIES})")  # noqa: S608 (of the codes above)
    op.drop_constraint("country", "members", type_="check")
    op.create_check_constraint("country", "members", IN_COUNTRIES)


def downgrade() -> None:
    op.drop_constraint("country", "members", type_="check")
    op.create_check_constraint("country", "members", "country ~ '^[A-Z]{2}$'")
    op.drop_constraint("kind", "notices", type_="check")
    op.execute("DELETE FROM notices WHERE kind = 'friend'")
    op.create_check_constraint("kind", "notices", BEFORE)

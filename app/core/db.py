"""The database handle and what every table shares. Tables themselves live in each subject's models.py."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from flask_sqlalchemy import SQLAlchemy
from sqlalchemy import BigInteger, DateTime, Identity, MetaData, func
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, mapped_column, registry

# Every constraint has a name that can be quoted in an error and dropped in a migration.
_metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class Base(DeclarativeBase):
    # Given as a registry: Flask-SQLAlchemy copies the class, and SQLAlchemy 2.1 refuses a copied annotation map.
    registry = registry(
        metadata=_metadata,
        type_annotation_map={datetime: DateTime(timezone=True), dict[str, Any]: JSONB},
    )


db = SQLAlchemy(model_class=Base, session_options={"expire_on_commit": False})

BigId = Annotated[int, mapped_column(BigInteger, Identity(), primary_key=True)]
CreatedAt = Annotated[datetime, mapped_column(server_default=func.now())]

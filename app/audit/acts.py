"""The acts that the audit records, each named after its subject. Pure."""

from __future__ import annotations

from enum import StrEnum


class Act(StrEnum):
    """The acts that the audit records."""

    # Accounts
    SIGNED_IN = "account.signed_in"
    SIGN_IN_FAILED = "account.sign_in_failed"
    SIGNED_OUT = "account.signed_out"
    SESSIONS_ENDED = "account.sessions_ended"
    PASSWORD_CHANGED = "account.password_changed"  # noqa: S105  (an act's name)
    # Operations
    COMMAND = "operations.command"
    DRILL = "operations.drill"
    DEAD_LETTERS_REPLAYED = "operations.dead_letters_replayed"
    DEAD_LETTERS_DROPPED = "operations.dead_letters_dropped"
    BOARD_REBUILT = "operations.board_rebuilt"
    BACKUP_RESTORED = "operations.backup_restored"
    GAME_DECLARED = "operations.game_declared"
    GAME_MOVED = "operations.game_moved"
    GAME_CORRECTED = "operations.game_corrected"
    GAME_DETAILS = "operations.game_details"
    CLUB_REGISTERED = "operations.club_registered"
    MATCH_VOIDED = "operations.match_voided"
    MATCH_COUNTED_AGAIN = "operations.match_counted_again"
    MATCH_REDATED = "operations.match_redated"
    MATCH_RELEASED = "operations.match_released"  # its kickoff follows its provider again
    MATCH_MERGED = "operations.match_merged"
    FEED_CHANGED = "operations.feed_changed"  # added, run, paused, resumed or removed
    LEAGUE_IMPORTED = "operations.league_imported"
    PASSWORD_LINK_MADE = "account.password_link_made"  # noqa: S105
    EMAIL_CHANGED = "account.email_changed"
    ACCOUNT_MADE = "account.made"
    ROLES_CHANGED = "account.roles_changed"
    SECOND_FACTOR_ADDED = "account.second_factor_added"
    SECOND_FACTOR_REMOVED = "account.second_factor_removed"
    KEY_MADE = "key.made"
    KEY_REVOKED = "key.revoked"
    INTEGRATOR_CHANGED = "integrator.changed"  # renamed, or handed over
    INTEGRATOR_DELETED = "integrator.deleted"  # at the request of its owner
    INTEGRATOR_GONE = "integrator.gone"
    # Scores
    SCORE_ACCEPTED = "score.accepted"
    SCORE_REJECTED = "score.rejected"
    SCORE_QUARANTINED = "score.quarantined"
    SCORE_RESTORED = "score.restored"
    SCORES_ROLLED_BACK = "scores.rolled_back"
    ROLLBACK_UNDONE = "scores.rollback_undone"
    # Moderation
    BANNED = "player.banned"
    SUSPENDED = "player.suspended"
    SHADOWED = "player.shadow_banned"
    SANCTION_LIFTED = "player.sanction_lifted"
    NOTE_WRITTEN = "player.note_written"
    PLAYER_RENAMED = "player.renamed"
    NAME_FREED = "player.name_freed"
    PICTURE_REMOVED = "player.picture_removed"
    MARKED_MINOR = "player.marked_minor"
    UNMARKED_MINOR = "player.unmarked_minor"
    POST_REMOVED = "post.removed"
    REPORT_CLOSED = "report.closed"
    APPEAL_DECIDED = "appeal.decided"
    BOARD_FROZEN = "board.frozen"
    BOARD_THAWED = "board.thawed"
    GAME_CHANGED = "game.changed"
    MODE_CHANGED = "mode.changed"
    GAME_DELETED = "game.deleted"  # the deletion was requested
    GAME_GONE = "game.gone"  # the deletion is complete
    MODE_DELETED = "mode.deleted"
    MODE_GONE = "mode.gone"
    LIMITS_SET = "mode.limits_set"
    COMPETITION_CHANGED = "competition.changed"
    AUDIT_EXPORTED = "audit.exported"
    NEWS_WRITTEN = "news.written"  # about a player on the field
    NEWS_ERASED = "news.erased"
    # Privacy
    DATA_EXPORTED = "account.data_exported"
    ERASED = "account.erased"

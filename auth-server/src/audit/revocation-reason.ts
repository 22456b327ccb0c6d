/** Why a grant ended. */
export type RevocationReason =
  | 'account_changed'
  | 'client_changed'
  | 'client_removed'
  | 'code_replayed'
  | 'consent_withdrawn'
  | 'logout'
  | 'more_than_allowed'
  | 'operator'
  | 'refresh_token_reused'
  | 'revoked_by_client'
  | 'session_over';

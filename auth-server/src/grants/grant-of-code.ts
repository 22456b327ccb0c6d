import { grantEnd, type Settings } from '../settings/settings.ts';
import type { CodeContents } from './code-store.ts';
import type { TokenBinding } from '../tokens/token-binding.ts';
import type { Grant } from './grant-record.ts';

/**
 * The grant that a code begins.
 *
 * @param binding of its refresh tokens
 */
export function grantOfCode(contents: CodeContents, binding: TokenBinding, settings: Settings): Grant {
  return {
    clientId: contents.clientId,
    clientIncarnation: contents.clientIncarnation,
    subject: contents.subject,
    scopes: contents.scopes,
    audience: contents.audience,
    authenticatedAt: contents.authenticatedAt,
    sessionId: contents.sessionId,
    ofDevice: false,
    ...binding,
    createdAt: contents.issuedAt,
    expiresAt: grantEnd(contents.issuedAt, settings),
  };
}

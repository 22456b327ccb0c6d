import { grantEnd, type Settings } from '../settings/settings.ts';
import type { CodeContents } from './code-store.ts';
import type { Grant } from './grant-record.ts';

/**
 * The grant that a code begins.
 *
 * @param keyThumbprint of the key that refresh tokens are bound to
 */
export function grantOfCode(
  contents: CodeContents,
  keyThumbprint: string | undefined,
  settings: Settings,
): Grant {
  return {
    clientId: contents.clientId,
    clientIncarnation: contents.clientIncarnation,
    subject: contents.subject,
    scopes: contents.scopes,
    audience: contents.audience,
    authenticatedAt: contents.authenticatedAt,
    sessionId: contents.sessionId,
    ofDevice: false,
    keyThumbprint,
    createdAt: contents.issuedAt,
    expiresAt: grantEnd(contents.issuedAt, settings),
  };
}

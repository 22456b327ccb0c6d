import type { Grant } from '../grants/grant-record.ts';

/** A grant of a user's session, which ends after 1,000 s. @param beganAtS seconds since 1970 */
export function sampleGrant(beganAtS: number): Grant {
  return {
    clientId: 'client',
    clientIncarnation: 'first',
    subject: 'user',
    scopes: ['openid', 'read:data'],
    audience: 'https://api.example',
    authenticatedAt: beganAtS * 1_000,
    sessionId: 'session',
    ofDevice: false,
    createdAt: beganAtS,
    expiresAt: beganAtS + 1_000,
  };
}

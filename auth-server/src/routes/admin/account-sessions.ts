import { z } from 'zod';
import { listGrants } from '../../administration/applications.ts';
import { endSession, endSessionsOf } from '../../administration/end-session.ts';
import { findAccount, type AccountApiFeatures } from './accounts.ts';
import { required } from './admin-context.ts';
import type { AdminOperation } from './admin-operation.ts';

type Operation<Body> = AdminOperation<AccountApiFeatures, Body>;

/** A grant as the API shows it; moments are seconds since 1970. */
export interface GrantJson {
  readonly grant_id: string;
  readonly client_id: string;
  readonly scope: string;
  readonly audience: string;
  readonly created_at: number;
  readonly expires_at: number;
  readonly used_at: number;
}

/** A session as the API shows it; moments are seconds since 1970. */
export interface SessionJson {
  readonly session_id: string;
  readonly browser?: string | undefined;
  readonly authenticated_at: number;
  readonly seen_at?: number | undefined;
  readonly seen_from?: string | undefined;
}

const grantSchema = z.object({
  grant_id: z.string(),
  client_id: z.string(),
  scope: z.string(),
  audience: z.string(),
  created_at: z.number(),
  expires_at: z.number(),
  used_at: z.number(),
});
const sessionSchema = z.object({
  session_id: z.string(),
  browser: z.string().optional(),
  authenticated_at: z.number(),
  seen_at: z.number().optional(),
  seen_from: z.string().optional(),
});

/** Ends all sessions and grants of an account. */
export const signOutAccount: Operation<undefined> = {
  id: 'signOutAccount',
  method: 'POST',
  path: '/accounts/:id/sign-out',
  scope: 'auth:grants:write',
  summary: 'Ends all sessions and grants of an account.',
  statuses: [204],
  run: async (features, call) => {
    const { id } = await findAccount(features, call);
    await features.revoker.revokeOfAccount(id, 'operator');
    await endSessionsOf(id, features);
    return { status: 204, body: undefined };
  },
};

/** Lists the live grants of an account, newest first. */
export const listGrantsOfAccount: Operation<{ grants: readonly GrantJson[] }> = {
  id: 'listGrantsOfAccount',
  method: 'GET',
  path: '/accounts/:id/grants',
  scope: 'auth:grants:read',
  summary: 'Lists the live grants of an account, newest first.',
  output: z.object({ grants: z.array(grantSchema) }),
  statuses: [200],
  run: async (features, call) => {
    const { id } = await findAccount(features, call);
    const grants = (await listGrants(features, id)).map((grant) => ({
      grant_id: grant.grantId,
      client_id: grant.clientId,
      scope: grant.scopes.join(' '),
      audience: grant.audience,
      created_at: grant.createdAt,
      expires_at: grant.expiresAt,
      used_at: grant.usedAt,
    }));
    return { status: 200, body: { grants } };
  },
};

/** Lists where an account is signed in, newest first. */
export const listSessionsOfAccount: Operation<{ sessions: readonly SessionJson[] }> = {
  id: 'listSessionsOfAccount',
  method: 'GET',
  path: '/accounts/:id/sessions',
  scope: 'auth:grants:read',
  summary: 'Lists where an account is signed in, newest first.',
  output: z.object({ sessions: z.array(sessionSchema) }),
  statuses: [200],
  run: async (features, call) => {
    const { id } = await findAccount(features, call);
    const listed = await features.sessions.list(id, features.clock());
    const sessions = listed.map(({ sessionId, browser, authenticatedAt, seen }) => ({
      session_id: sessionId,
      browser,
      authenticated_at: secondsOf(authenticatedAt),
      ...(seen && { seen_at: secondsOf(seen.at), seen_from: seen.address }),
    }));
    return { status: 200, body: { sessions } };
  },
};

/** Ends one session of an account, with the grants that end with it. */
export const endSessionOfAccount: Operation<undefined> = {
  id: 'endSessionOfAccount',
  method: 'DELETE',
  path: '/accounts/:id/sessions/:session',
  scope: 'auth:grants:write',
  summary: 'Ends one session of an account, with the grants that end with it.',
  statuses: [204],
  run: async (features, call) => {
    const { id } = await findAccount(features, call);
    const ids = await features.sessions.listIds(id);
    const sessionId = required(ids.find((one) => one === call.path['session']));
    await endSession({ sessionId, subject: id }, features, 'operator');
    return { status: 204, body: undefined };
  },
};

function secondsOf(moment: number): number {
  return Math.floor(moment / 1000);
}

import type { FastifyReply, FastifyRequest } from 'fastify';
import { honoursSignInAt, type Account } from '../accounts/accounts.ts';
import type { Session } from '../accounts/session-store.ts';
import { paths } from '../paths.ts';
import { redirect } from './send-response.ts';
import { readSession, type ReadSessionFeatures } from './read-session.ts';
import type { HasSettings } from '../settings/settings.ts';
import type { AccountFeatures } from '../accounts/account-features.ts';
import type { HttpFeatures } from '../http/http-features.ts';
import type { AuthorizeFeatures } from '../authorize/authorize-features.ts';

/** What identifies the user who has signed in. */
export type SignedInUserFeatures = HasSettings &
  Pick<AccountFeatures, 'accounts'> &
  Pick<HttpFeatures, 'cookies'> &
  Pick<AuthorizeFeatures, 'transactions'> &
  ReadSessionFeatures;

/** Someone who has signed in with the browser that sends a request. */
export interface SignedInUser {
  readonly session: Session;
  readonly account: Account;
}

/** Who that is, if anybody. */
export async function findUser(
  features: SignedInUserFeatures,
  request: FastifyRequest,
): Promise<SignedInUser | undefined> {
  const session = await readSession(features, request);
  const account = session && (await features.accounts.findById(session.subject));
  if (!session || !account || !honoursSignInAt(account, session.authenticatedAt)) return undefined;
  return { session, account };
}

/** To the sign-in page, and from there to a page of this server. @param path below the issuer, made by this server */
export function askToSignIn(
  features: SignedInUserFeatures,
  path: string,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const browserHash = features.cookies.ensureBrowser(request, reply);
  const sealed = features.transactions.begin({ kind: 'visit', path }, browserHash);
  return redirect(reply, `${features.settings.issuer}${paths.login}?transaction=${sealed}`);
}

import type { FastifyReply, FastifyRequest } from 'fastify';
import { honoursSignInAt, type Account } from '../accounts/accounts.ts';
import type { Session } from '../accounts/session-store.ts';
import { paths } from '../http/paths.ts';
import { redirect } from './proceed.ts';
import { readSession } from './read-session.ts';
import type { RouteContext } from './route-context.ts';

/** Somebody who has signed in with the browser that sends a request. */
export interface SignedInPerson {
  readonly session: Session;
  readonly account: Account;
}

/** Who that is, if anybody. */
export async function findPerson(
  context: RouteContext,
  request: FastifyRequest,
): Promise<SignedInPerson | undefined> {
  const session = await readSession(context, request);
  const account = session && (await context.services.accounts.findById(session.subject));
  if (!session || !account || !honoursSignInAt(account, session.authenticatedAt)) return undefined;
  return { session, account };
}

/** To the sign-in page, and from there to a page of this server. @param path below the issuer, made by this server */
export function askToSignIn(
  { services, cookies }: RouteContext,
  path: string,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const browserHash = cookies.ensureBrowser(request, reply);
  const sealed = services.transactions.begin({ kind: 'visit', path }, browserHash);
  return redirect(reply, `${services.settings.issuer}${paths.login}?transaction=${sealed}`);
}

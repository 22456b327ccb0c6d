import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorResponse, issueCode, type IssueCodeFeatures } from '../authorize/authorization-response.ts';
import type { AuthorizationRequest, RedirectTarget } from '../authorize/authorization-request.ts';
import { wayProblem } from '../authorize/open-request.ts';
import { nextStep, type NextStep } from '../authorize/next-step.ts';
import { OAuthError } from '../errors.ts';
import { allowedScopes, isGivenTo, isPkceExempt, isRegisteredUri } from '../clients/registration-today.ts';
import type { Client } from '../clients/client-store.ts';
import type { Session } from '../accounts/session-store.ts';
import type { BoundTransaction } from './bound-form.ts';
import { pageExpired } from './page-errors.ts';
import { paths } from '../paths.ts';
import { redirect, sendResponse } from './send-response.ts';
import type { HasSettings } from '../settings/settings.ts';
import type { ClientFeatures } from '../clients/client-features.ts';
import type { HasClock } from '../clock.ts';
import type { AuditFeatures } from '../audit/audit-features.ts';
import type { AccountFeatures } from '../accounts/account-features.ts';
import type { HttpFeatures } from '../http/http-features.ts';
import type { AuthorizeFeatures } from '../authorize/authorize-features.ts';

/** What takes an authorization request on. */
export type ProceedFeatures = HasClock &
  HasSettings &
  Pick<AuditFeatures, 'metrics'> &
  Pick<AccountFeatures, 'accounts' | 'consents'> &
  Pick<ClientFeatures, 'clients'> &
  Pick<HttpFeatures, 'cookies'> &
  Pick<AuthorizeFeatures, 'transactions'> &
  IssueCodeFeatures;

/** An authorization request at the moment when its next step is due. */
export interface Progress {
  readonly request: AuthorizationRequest;
  readonly session: Session | undefined;
  /** Once pages were shown. */
  readonly bound: BoundTransaction | undefined;
}

/**
 * Takes an authorization request one step on: to the sign-in page, to the consent page, or back to the client with a code
 * or an error.
 */
export async function proceed(
  features: ProceedFeatures,
  progress: Progress,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  try {
    const step = await chooseStep(features, progress);
    if (step.kind === 'respond') return await response(features, progress, step.session, reply);
    const path = step.kind === 'sign_in' ? paths.login : paths.consent;
    const sealed = progress.bound?.sealed ?? beginTransaction(features, progress.request, request, reply);
    return redirect(reply, `${features.settings.issuer}${path}?transaction=${sealed}`);
  } catch (error) {
    return redirectError(features, progress.request, error, reply, progress.session);
  }
}

/**
 * The client of a request that has waited for pages: its registration may have been removed, replaced or narrowed
 * meanwhile.
 *
 * @throws OAuthError for a page, when the request is not possible any more
 */
export async function findRequestingClient(
  { clients, settings }: HasSettings & Pick<ClientFeatures, 'clients'>,
  request: AuthorizationRequest,
): Promise<Client> {
  const client = await clients.find(request.clientId);
  if (!client || !isGivenTo(client, request)) throw pageExpired('client was removed');
  const isPossible =
    isRegisteredUri(request.redirectUri, client) &&
    wayProblem(client, request) === undefined &&
    (request.codeChallenge !== undefined || isPkceExempt(client)) &&
    allowedScopes(request.scopes, client, settings).length === request.scopes.length;
  if (!isPossible) throw pageExpired('client was changed');
  return client;
}

async function chooseStep(features: ProceedFeatures, progress: Progress): Promise<NextStep> {
  const { request, session, bound } = progress;
  const client = await findRequestingClient(features, request);
  return nextStep({
    request,
    client: client.metadata,
    now: features.clock(),
    session,
    account: session && (await features.accounts.findById(session.subject)),
    allowedScopes: session
      ? await features.consents.find(session.subject, client.metadata.client_id, client.incarnation)
      : [],
    waitingSince: bound?.transaction.createdAt,
  });
}

function beginTransaction(
  features: ProceedFeatures,
  authorization: AuthorizationRequest,
  request: FastifyRequest,
  reply: FastifyReply,
): string {
  const browserHash = features.cookies.ensureBrowser(request, reply);
  return features.transactions.begin({ kind: 'authorization', request: authorization }, browserHash);
}

/** A transaction ends with its response: of two forms sent at once, one gets it. */
async function response(
  features: ProceedFeatures,
  { request, bound }: Progress,
  session: Session,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (bound && !(await features.transactions.end(bound.transaction))) throw pageExpired('answered already');
  return sendResponse(request, await issueCode(request, session, features), reply);
}

/**
 * Sends an error to the client, if a response may carry it; an unavailable store is reported to the user, who can
 * try again. So is an error for a client that no one has looked at, while no one has signed in.
 *
 * @param session of the user, if someone is signed in
 * @throws what can't be sent there
 */
export function redirectError(
  features: ProceedFeatures,
  target: RedirectTarget,
  error: unknown,
  reply: FastifyReply,
  session: Session | undefined,
): FastifyReply {
  if (!(error instanceof OAuthError) || !error.redirectable || error.status >= 500) throw error;
  if (!target.vetted && !session) throw error;
  features.metrics.errors.inc({ error: error.code });
  return sendResponse(target, errorResponse(target, error, features.settings.issuer), reply);
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { addEndpoint } from '../http/endpoint.ts';
import { formParameters, queryParameters } from '../http/request-parameters.ts';
import { checkSameOrigin } from '../http/same-origin.ts';
import { sendPage } from '../http/send-page.ts';
import { textsFor } from '../http/texts-for.ts';
import { renderDevice, renderDeviceDone, renderDeviceEntry, type DeviceEntryPage } from '../pages/pages.ts';
import type { Parameters } from '../parameters.ts';
import { listGrant, type ListGrantFeatures } from '../grants/list-grant.ts';
import { isGivenTo } from '../clients/registration-today.ts';
import { randomToken } from '../secrets/secrets.ts';
import type { HasClock } from '../clock.ts';
import { grantEnd, type HasSettings } from '../settings/settings.ts';
import type { PendingDevice } from '../grants/device-store.ts';
import { normalizeUserCode } from '../grants/user-code.ts';
import { formToken, isFormToken, type BoundFormFeatures } from './bound-form.ts';
import { clientOnPage } from './client-on-page.ts';
import { pageExpired } from './page-errors.ts';
import { paths } from '../paths.ts';
import { askToSignIn, findUser, type SignedInUser, type SignedInUserFeatures } from './signed-in-user.ts';
import type { AuditFeatures } from '../audit/audit-features.ts';
import type { SignInFeatures } from '../accounts/sign-in/sign-in-features.ts';
import type { ClientFeatures } from '../clients/client-features.ts';
import type { HttpFeatures } from '../http/http-features.ts';
import type { GrantFeatures } from '../grants/grant-features.ts';

/** What the page for devices works with. */
export type DevicePageFeatures = HasClock &
  HasSettings &
  Pick<AuditFeatures, 'audit'> &
  Pick<SignInFeatures, 'userCodeLimiter'> &
  Pick<ClientFeatures, 'clients'> &
  Pick<HttpFeatures, 'cookies'> &
  Pick<GrantFeatures, 'devices'> &
  ListGrantFeatures &
  BoundFormFeatures &
  SignedInUserFeatures;

type Lookup =
  | { readonly kind: 'found'; readonly userCode: string; readonly device: PendingDevice }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'throttled'; readonly waitS: number };

/** The page where a user enters the code that a device shows, and decides. RFC 8628 §3.3 */
export function addDeviceRoutes(server: FastifyInstance, features: DevicePageFeatures): void {
  addEndpoint(server, paths.device, {
    GET: async (request, reply) => {
      const parameters = queryParameters(request);
      const typed = parameters.get('user_code') ?? '';
      const user = await findUser(features, request);
      if (!user || parameters.get('switch') !== undefined)
        return askToSignIn(features, pathFor(typed), request, reply);
      if (typed === '') return showEntry({ userCode: '' }, request, reply);
      return showDevice(features, typed, user, request, reply);
    },
    POST: async (request, reply) => {
      const parameters = formParameters(request);
      checkSameOrigin(request, features.settings.issuer);
      const user = await findUser(features, request);
      if (!user) throw pageExpired('not signed in');
      return decide(features, parameters, user, request, reply);
    },
  });
}

function pathFor(typed: string): string {
  const userCode = normalizeUserCode(typed);
  return userCode === undefined ? paths.device : `${paths.device}?user_code=${userCode}`;
}

async function showDevice(
  features: DevicePageFeatures,
  typed: string,
  { account }: SignedInUser,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const found = await lookUp(features, typed, account.id);
  if (found.kind !== 'found') return showProblem(found, typed, request, reply);
  const { userCode, device } = found;
  const client = await features.clients.find(device.request.clientId);
  if (!client || !isGivenTo(client, device.request)) throw pageExpired('client was removed');
  const page = {
    userCode,
    csrf: formToken(features, ...deviceForm(features, request, reply, userCode, account.id)),
    client: clientOnPage(client.metadata, undefined),
    email: account.email,
    scopes: device.request.scopes,
  };
  return sendPage(reply, renderDevice(page, textsFor(request)));
}

/** Wrong codes are counted per user, who had to sign in first. RFC 8628 §5.1 */
async function lookUp(features: DevicePageFeatures, typed: string, subject: string): Promise<Lookup> {
  const { userCodeLimiter, devices } = features;
  const waitS = await userCodeLimiter.reserve(subject);
  if (waitS > 0) return { kind: 'throttled', waitS };
  const userCode = normalizeUserCode(typed);
  const device = userCode === undefined ? undefined : await devices.findPending(userCode);
  if (userCode === undefined || !device) return { kind: 'unknown' };
  await userCodeLimiter.refund(subject);
  return { kind: 'found', userCode, device };
}

async function decide(
  features: DevicePageFeatures,
  parameters: Parameters,
  user: SignedInUser,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const typed = parameters.get('user_code') ?? '';
  const decision = parameters.get('decision');
  const form = deviceForm(features, request, reply, normalizeUserCode(typed) ?? '', user.account.id);
  if (!isFormToken(features, parameters.get('csrf'), ...form)) throw pageExpired('wrong form token');
  if (decision !== 'allow' && decision !== 'deny') throw pageExpired('no decision');
  const found = await lookUp(features, typed, user.account.id);
  if (found.kind !== 'found') return showProblem(found, typed, request, reply);
  if (!(await keepDecision(features, decision, found.device, user, request.ip)))
    throw pageExpired('decided already');
  return sendPage(reply, renderDeviceDone(decision, textsFor(request)));
}

async function keepDecision(
  features: DevicePageFeatures,
  decision: 'allow' | 'deny',
  { grantId, request }: PendingDevice,
  { session, account }: SignedInUser,
  address: string,
): Promise<boolean> {
  const { devices, audit, settings } = features;
  const { clientId, clientIncarnation, scopes, audience } = request;
  const event = decision === 'allow' ? 'consent_given' : 'consent_denied';
  audit.record({ event, subject: account.id, clientId, scopes, address });
  if (decision === 'deny') return devices.deny(grantId);
  const createdAtMs = features.clock();
  const createdAt = Math.floor(createdAtMs / 1_000);
  const expiresAt = grantEnd(createdAt, settings);
  const listed = { grantId, clientId, expiresAt: grantEnd(createdAtMs / 1_000, settings) };
  await listGrant(account.id, listed, features);
  return devices.allow(grantId, {
    clientId,
    clientIncarnation,
    subject: account.id,
    scopes,
    audience,
    authenticatedAt: session.authenticatedAt,
    // Of its own: signing out in this browser does not sign the device out.
    sessionId: randomToken(16),
    ofDevice: true,
    createdAt,
    expiresAt,
  });
}

/** What binds the form: the browser, the code and the account. */
function deviceForm(
  features: DevicePageFeatures,
  request: FastifyRequest,
  reply: FastifyReply,
  userCode: string,
  subject: string,
): readonly [browserHash: string, form: string, subject: string] {
  return [features.cookies.ensureBrowser(request, reply), `device ${userCode}`, subject];
}

function showProblem(
  found: Exclude<Lookup, { readonly kind: 'found' }>,
  userCode: string,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (found.kind === 'throttled') reply.header('retry-after', String(found.waitS));
  return showEntry({ userCode, problem: found.kind }, request, reply, found.kind === 'throttled' ? 429 : 404);
}

function showEntry(
  page: DeviceEntryPage,
  request: FastifyRequest,
  reply: FastifyReply,
  status = 200,
): FastifyReply {
  return sendPage(reply, renderDeviceEntry(page, textsFor(request)), { status });
}

import { honoursSignInAt, type AccountToday } from '../accounts/accounts.ts';
import type { AccountFeatures } from '../accounts/account-features.ts';
import type { Client } from '../clients/client-store.ts';
import type { IssuedToken } from '../issuers/verify-issued-token.ts';
import type { TrustedIssuer } from '../issuers/trusted-issuer.ts';
import { namespacedSubject } from '../issuers/namespaced-subject.ts';
import { randomToken } from '../secrets/secrets.ts';
import type { HasSettings } from '../settings/settings.ts';
import { newGrantId } from '../tokens/grant-code.ts';
import type { TokenUser } from '../tokens/token-user.ts';
import type { GrantFeatures } from './grant-features.ts';
import { listGrant, type ListGrantFeatures } from './list-grant.ts';

/** What grants of trusted issuers are made with. */
export type IssuerGrantFeatures = HasSettings &
  Pick<AccountFeatures, 'accounts' | 'identities'> &
  Pick<GrantFeatures, 'replicated'> &
  ListGrantFeatures;

/** What a grant is to allow, and by whose word. */
export interface IssuerGrantRequest {
  readonly issuer: TrustedIssuer;
  readonly token: IssuedToken;
  readonly client: Client;
  readonly scopes: readonly string[];
  readonly audience: string;
  /** When its one access token expires, seconds since 1970. */
  readonly expiresAt: number;
  /** Seconds since 1970. */
  readonly receivedAt: number;
}

/** A grant that has begun, and whose it is. */
export interface IssuerGrant {
  readonly grantId: string;
  readonly user: TokenUser;
}

/**
 * Begins a grant by the word of a trusted issuer, for one access token: it can be revoked as others can, and ends with the account.
 * It is listed before the account is read, so that whatever ends the account's grants ends this one too.
 *
 * @returns undefined where the issuer's user has no account here
 */
export async function beginIssuerGrant(
  request: IssuerGrantRequest,
  features: IssuerGrantFeatures,
): Promise<IssuerGrant | undefined> {
  const { issuer, token, client, expiresAt, receivedAt } = request;
  const isLinked = issuer.subjects === 'linked';
  const id = isLinked
    ? await features.identities.find({ issuer: issuer.issuer, subject: token.subject })
    : namespacedSubject(issuer.issuer, token.subject);
  if (id === undefined) return undefined;
  const grantId = newGrantId();
  const listed = {
    grantId,
    clientId: client.metadata.client_id,
    expiresAt: expiresAt + features.clock() / 1_000 - receivedAt, // from this instant on, as those listed before and after it
  };
  await listGrant(id, listed, features);
  const account = isLinked ? await features.accounts.findToday(id) : undefined;
  if (isLinked && !isUsable(account)) return undefined;
  await saveGrant(grantId, id, request, features);
  const signIn = { authenticatedAt: token.authenticatedAt, acr: undefined };
  return { grantId, user: { id, account, issuer: isLinked ? undefined : issuer.issuer, signIn } };
}

/** The user signs in elsewhere, so a new password here changes nothing: only whether the account may be used. */
function isUsable(account: AccountToday | undefined): boolean {
  return account !== undefined && honoursSignInAt(account, Number.POSITIVE_INFINITY);
}

function saveGrant(
  grantId: string,
  subject: string,
  { client, scopes, audience, expiresAt, receivedAt }: IssuerGrantRequest,
  { grants, replicated }: IssuerGrantFeatures,
): Promise<void> {
  const grant = {
    clientId: client.metadata.client_id,
    clientIncarnation: client.incarnation,
    subject,
    scopes,
    audience,
    authenticatedAt: receivedAt * 1000,
    sessionId: randomToken(16), // of its own: there is no session here that it could end with
    ofDevice: true,
    createdAt: receivedAt,
    expiresAt,
  };
  return replicated(() => grants.save(grantId, grant, Math.max(1, expiresAt - receivedAt)));
}

import { honoursSignInAt } from '../accounts/accounts.ts';
import type { AccountFeatures } from '../accounts/account-features.ts';
import type { Client } from '../clients/client-store.ts';
import type { HasClock } from '../clock.ts';
import { OAuthError } from '../errors.ts';
import type { IssuerFeatures, KnownIssuer } from '../issuers/issuer-registry.ts';
import type { IssuedToken } from '../issuers/verify-issued-token.ts';
import { claimedIssuer } from '../issuers/verify-issued-token.ts';
import type { KeyFeatures } from '../keys/key-features.ts';
import { paths } from '../paths.ts';
import type { HasSettings } from '../settings/settings.ts';
import type { TokenUser } from '../tokens/token-user.ts';
import { verifyAccessToken, type VerifiedAccessToken } from '../tokens/verify-own-token.ts';
import { isRevokedToken, type RevokedTokenFeatures } from './revoked-token.ts';
import { verifyOfIssuer } from './verify-of-issuer.ts';
import { isPresented, type TokenBinding } from '../tokens/token-binding.ts';

/** What subject tokens are verified with. */
export type ExchangeSubjectFeatures = HasClock &
  HasSettings &
  Pick<KeyFeatures, 'keyring'> &
  Pick<AccountFeatures, 'accounts'> &
  IssuerFeatures &
  RevokedTokenFeatures;

/** Whom an exchanged token will be about: by a token of this server, or by one of a trusted issuer. */
export type ExchangeSubject = OwnSubject | IssuedSubject;

/** By an access token of this server. */
export interface OwnSubject {
  readonly kind: 'own';
  readonly token: VerifiedAccessToken;
  /** Undefined for a client that acts for itself. */
  readonly user: TokenUser | undefined;
}

/** By a token of a trusted issuer. */
export interface IssuedSubject {
  readonly kind: 'issued';
  readonly known: KnownIssuer;
  readonly token: IssuedToken;
}

/** Types of tokens of other issuers, in the header. */
const SUBJECT_TYPES = ['jwt', 'at+jwt'];

/** A token that is not valid, or not for this client to exchange: outside these are one response. RFC 8693 §2.2.2 */
export function unacceptable(name: 'subject_token' | 'actor_token', detail: string): OAuthError {
  const description = `The ${name} is expired, revoked or not acceptable from this client.`;
  return new OAuthError('invalid_request', description, { detail: `${name}: ${detail}` });
}

/** What came to be exchanged, and who has sent it. */
export interface SubjectRequest {
  readonly text: string;
  readonly client: Client;
  /** The key, and the certificate, that the client has proven to hold. */
  readonly presented: TokenBinding;
}

/**
 * Verifies what is to be exchanged: an access token of this server that the client was given itself, or that was sent to it as the
 * resource server of its audience; or a token of an issuer that is trusted for this client.
 *
 * @throws OAuthError invalid_request, temporarily_unavailable
 */
export function verifySubject(
  request: SubjectRequest,
  features: ExchangeSubjectFeatures,
): Promise<ExchangeSubject> {
  const issuer = claimedIssuer(request.text);
  return issuer === features.settings.issuer
    ? verifyOwn(request, features)
    : verifyIssued(issuer ?? '', request, features);
}

async function verifyOwn(
  { text, client, presented }: SubjectRequest,
  features: ExchangeSubjectFeatures,
): Promise<OwnSubject> {
  const { settings, keyring, clock } = features;
  const token = await verifyAccessToken(text, { ...settings, keyring, clock });
  if (!token || (await isRevokedToken(token, features)))
    throw unacceptable('subject_token', 'expired or revoked');
  const problem = problemOf(token, client, presented, settings.adminAudience);
  if (problem !== undefined) throw unacceptable('subject_token', problem);
  return { kind: 'own', token, user: await findUser(token, features) };
}

function problemOf(
  token: VerifiedAccessToken,
  { metadata }: Client,
  presented: TokenBinding,
  adminAudience: string | undefined,
): string | undefined {
  const isOwn = token.clientId === metadata.client_id;
  const problems: readonly (readonly [boolean, string])[] = [
    [token.audience === adminAudience, 'of the admin API'],
    [!isOwn && !metadata.resource_audiences?.includes(token.audience), 'of another client, for another API'],
    // One that was stolen from the client is of no use to those who do not have its key, here neither.
    [isOwn && !isPresented(token, presented), 'of another key'],
    // As its subject, a client would be taken for a user.
    [!isOwn && token.subject === token.clientId, 'of another client that acts for itself'],
  ];
  return problems.find(([holds]) => holds)?.[1];
}

async function findUser(
  token: VerifiedAccessToken,
  { accounts, issuers }: ExchangeSubjectFeatures,
): Promise<TokenUser | undefined> {
  const { subject: id, clientId, subjectIssuer: issuer, authenticatedAt, acr } = token;
  if (id === clientId) return undefined;
  const signIn = { authenticatedAt, acr };
  if (issuer !== undefined) {
    if (issuers.hasNamespace(issuer)) return { id, account: undefined, issuer, signIn };
    throw unacceptable('subject_token', 'its issuer is not trusted any more');
  }
  const account = await accounts.findToday(id);
  if (account && honoursSignInAt(account, Number.POSITIVE_INFINITY)) {
    return { id, account, issuer: undefined, signIn };
  }
  throw unacceptable('subject_token', 'account is gone');
}

async function verifyIssued(
  issuer: string,
  { text, client }: SubjectRequest,
  { issuers, settings, clock }: ExchangeSubjectFeatures,
): Promise<IssuedSubject> {
  const known = issuers.find(issuer, 'subject_token', client.metadata.client_id);
  if (!known) throw unacceptable('subject_token', 'the issuer is not trusted for this client');
  const audiences = [settings.issuer, `${settings.issuer}${paths.token}`, ...known.issuer.audiences];
  const outcome = await verifyOfIssuer(text, { ...known, audiences, types: SUBJECT_TYPES, clock });
  if (outcome.kind === 'problem') throw unacceptable('subject_token', outcome.problem);
  return { kind: 'issued', known, token: outcome.token };
}

import type { Client } from '../clients/client-store.ts';
import { countActors, MAX_ACTORS, mayAct, type ActorClaim } from '../tokens/actor-claim.ts';
import { verifyAccessToken } from '../tokens/verify-own-token.ts';
import { unacceptable, type ExchangeSubject, type ExchangeSubjectFeatures } from './exchange-subject.ts';
import { isRevokedToken } from './revoked-token.ts';
import { isPresented, type TokenBinding } from '../tokens/token-binding.ts';

type Actor = Pick<ActorClaim, 'sub' | 'client_id'>;

/** Who is to act for whom. */
export interface ActorRequest {
  /** The `actor_token`; undefined where none was sent. */
  readonly text: string | undefined;
  readonly subject: ExchangeSubject;
  readonly client: Client;
  /** The key, and the certificate, that the client has proven to hold. */
  readonly presented: TokenBinding;
}

/**
 * Chooses who the new token says acts: the subject of the actor token, else the client itself, before those whom the subject token
 * names. Undefined where no one else than the subject seems to act: for a client that narrows a token of its own, and for one that may
 * impersonate.
 *
 * @throws OAuthError invalid_request
 * @see RFC 8693 §1.1, §4.1, §4.4
 */
export async function chooseActor(
  request: ActorRequest,
  features: ExchangeSubjectFeatures,
): Promise<ActorClaim | undefined> {
  const { subject, client } = request;
  const clientId = client.metadata.client_id;
  const presented = await verifyActor(request, features);
  const actor = presented ?? { sub: clientId, client_id: clientId };
  if (!mayAct(subject.token.mayAct, actor, features.settings.issuer))
    throw unacceptable('subject_token', 'may_act names another actor');
  const act = subject.kind === 'own' ? subject.token.act : undefined;
  if (!presented && isOwn(subject, clientId)) return act;
  // What was delegated stays so: impersonation would hide who acts.
  if (!presented && client.metadata.token_exchange_impersonation && act === undefined) return undefined;
  if (countActors(act) >= MAX_ACTORS) throw unacceptable('subject_token', 'names too many actors');
  return { ...actor, act };
}

function isOwn(subject: ExchangeSubject, clientId: string): boolean {
  return subject.kind === 'own' && subject.token.clientId === clientId;
}

/** Only what the client was given itself says who it acts as. */
async function verifyActor(
  { text, client, presented }: ActorRequest,
  features: ExchangeSubjectFeatures,
): Promise<Actor | undefined> {
  if (text === undefined) return undefined;
  const { settings, keyring, clock, accounts } = features;
  const token = await verifyAccessToken(text, { ...settings, keyring, clock });
  if (!token || (await isRevokedToken(token, features)))
    throw unacceptable('actor_token', 'expired or revoked');
  if (token.clientId !== client.metadata.client_id) throw unacceptable('actor_token', 'of another client');
  if (!isPresented(token, presented)) throw unacceptable('actor_token', 'of another key');
  if (token.act !== undefined) throw unacceptable('actor_token', 'is delegated itself');
  if (token.subject !== token.clientId && token.subjectIssuer === undefined) {
    const account = await accounts.findToday(token.subject);
    if (!account || account.disabled) throw unacceptable('actor_token', 'account is gone');
  }
  return { sub: token.subject, client_id: token.clientId };
}

import type { Actor } from '../audit/audit.ts';
import { usesSecret, type ClientMetadata } from '../clients/client-metadata.ts';
import { parseClient, type ParsedClient } from '../clients/parse-client.ts';
import { isNarrower } from '../clients/registration-today.ts';
import { randomToken } from '../secrets/secrets.ts';
import type { Client, ClientSource } from '../clients/client-store.ts';
import { endClient, type EndClientFeatures } from './end-client.ts';
import type { HasClock } from '../clock.ts';
import type { ClientRules, HasSettings } from '../settings/settings.ts';
import type { AuditFeatures } from '../audit/audit-features.ts';
import type { ClientFeatures } from '../clients/client-features.ts';
import type { GrantFeatures } from '../grants/grant-features.ts';

/** What registers and changes clients. */
export type ClientAdministrationFeatures = HasClock &
  HasSettings &
  Pick<AuditFeatures, 'audit'> &
  ClientFeatures &
  Pick<GrantFeatures, 'revoker'> &
  EndClientFeatures;

/** A client that was registered, with its secret, which is never shown again. */
export interface RegisteredClient {
  readonly client: Client;
  readonly secret: string | undefined;
}

/** What became of metadata. */
export type RegistrationOutcome =
  | ({ readonly kind: 'registered' } & RegisteredClient)
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

/** Nothing was changed: someone else has changed the registration since it was read, or removed it. */
export interface NothingChanged {
  readonly kind: 'changed' | 'gone';
}

/** What became of metadata for a client that was known. */
export type ReplacementOutcome = RegistrationOutcome | NothingChanged;

/** What became of a secret. */
export type RotationOutcome = { readonly kind: 'rotated'; readonly secret: string } | NothingChanged;

/** Who registers a client, and as whose. */
export interface Registrant {
  readonly source: ClientSource;
  readonly by: Actor;
  /** Hash of the token by which the client manages its registration, where it does so itself. RFC 7592 */
  readonly registrationTokenHash?: string;
}

/**
 * Registers a client from RFC 7591 metadata. This server chooses the secret, where the method of authentication has one,
 * and the id where none is asked for.
 *
 * @param value metadata; without `token_endpoint_auth_method` it is client_secret_basic (RFC 7591 §2)
 */
export async function registerClient(
  features: ClientAdministrationFeatures,
  value: unknown,
  { source, by, registrationTokenHash: hash }: Registrant,
): Promise<RegistrationOutcome> {
  const { parsed, secret } = parseWithSecret(value, features.settings, randomToken());
  if (parsed.kind === 'problems') return parsed;
  const registrationToken = hash === undefined ? undefined : { hash };
  const client = { ...features.clients.toClient(parsed.client, source), registrationToken };
  await saveClient(features, client, by);
  return { kind: 'registered', client, secret };
}

/**
 * Replaces a client's metadata. A secret that it has goes on working; one that it needs now is made. Its registration token is
 * the one that `known` says.
 *
 * @param known the registration as the caller has seen it; where it was changed or removed since then, nothing is done
 */
export async function replaceClient(
  features: ClientAdministrationFeatures,
  known: Client,
  value: unknown,
  by: Actor,
): Promise<ReplacementOutcome> {
  const clientId = known.metadata.client_id;
  const withId = { ...toRecord(value), client_id: clientId };
  const { parsed, secret } = parseWithSecret(withId, features.settings, randomToken());
  if (parsed.kind === 'problems') return parsed;
  const fresh = features.clients.toClient(parsed.client, known.source);
  const keepsSecret = fresh.secretHash !== undefined && known.secretHash !== undefined;
  const { incarnation, version, secretHash, secretKeyId, previousSecret, registrationToken } = known;
  const client = {
    ...fresh,
    incarnation,
    version,
    registrationToken,
    ...(keepsSecret && { secretHash, secretKeyId, previousSecret }),
  };
  const before = await features.clientStore.replace(client);
  if (!before) return whyNothingChanged(features, known);
  await afterSaving(features, client, before);
  features.audit.record({ event: 'client_changed', clientId, by });
  return { kind: 'registered', client, secret: keepsSecret ? undefined : secret };
}

/** Seconds for which an old secret may work at most after it was replaced. */
export const MAX_GRACE_S: number = 30 * 86_400;

/**
 * Gives a client another secret.
 *
 * @param graceS seconds for which the old one still works
 * @param client as it was read: where it was changed or removed since then, nothing is done
 */
export async function rotateSecret(
  features: ClientAdministrationFeatures,
  client: Client,
  graceS: number,
  by: Actor,
): Promise<RotationOutcome> {
  const clientId = client.metadata.client_id;
  const { secretHash } = client;
  const secret = randomToken();
  const previousSecret =
    secretHash === undefined || graceS === 0
      ? undefined
      : { hash: secretHash, expiresAt: features.clock() + graceS * 1000 };
  const { hash, keyId } = features.clients.hashSecret(clientId, secret);
  const fresh = { ...client, secretHash: hash, secretKeyId: keyId, previousSecret };
  if (!(await features.clientStore.replaceSecret(fresh))) return whyNothingChanged(features, client);
  features.clients.forget(clientId);
  features.audit.record({ event: 'client_secret_rotated', clientId, by });
  return { kind: 'rotated', secret };
}

async function whyNothingChanged(
  { clientStore }: ClientAdministrationFeatures,
  known: Client,
): Promise<NothingChanged> {
  const now = await clientStore.find(known.metadata.client_id);
  return { kind: now?.incarnation === known.incarnation ? 'changed' : 'gone' };
}

/** Times that a change is tried again when someone else changes the client at the same time. */
const ATTEMPTS = 5;

/**
 * Tries a change until no one else has changed the client between its reading and its writing.
 *
 * @param attempt reads the client and changes it
 * @returns `changed` where others were quicker each time
 */
export async function untilUndisturbed<Outcome extends { readonly kind: string }>(
  attempt: () => Promise<Outcome>,
): Promise<Outcome> {
  for (let left = ATTEMPTS; ; left -= 1) {
    const outcome = await attempt();
    if (outcome.kind !== 'changed' || left === 1) return outcome;
  }
}

/** Removes a client and all that it was given. @returns whether there was one */
export async function removeClient(
  features: ClientAdministrationFeatures,
  clientId: string,
  by: Actor,
): Promise<boolean> {
  if (!(await endClient(features, clientId))) return false;
  features.audit.record({ event: 'client_removed', clientId, by });
  return true;
}

/** Registers a client under its id, or replaces what is registered there. */
export async function saveClient(
  features: ClientAdministrationFeatures,
  client: Client,
  by: Actor,
): Promise<void> {
  const { clientId } = await keepClient(features, client);
  features.audit.record({ event: 'client_changed', clientId, by });
}

/** Stores a client under its id, whatever is registered there. */
export async function keepClient(
  features: ClientAdministrationFeatures,
  client: Client,
): Promise<{ readonly clientId: string }> {
  await afterSaving(features, client, await features.clientStore.save(client));
  return { clientId: client.metadata.client_id };
}

/** Where a client may do less than before, the access tokens that it has say too much, and end. */
async function afterSaving(
  features: ClientAdministrationFeatures,
  { metadata }: Client,
  before: ClientMetadata | undefined,
): Promise<void> {
  const clientId = metadata.client_id;
  features.clients.forget(clientId);
  if (before && isNarrower(before, metadata)) {
    await features.revoker.revokeTokens({ kind: 'client', clientId }, 'client_changed');
  }
}

function parseWithSecret(
  value: unknown,
  rules: ClientRules,
  fresh: string,
): { readonly parsed: ParsedClient; readonly secret: string | undefined } {
  const given = toRecord(value);
  const method = given['token_endpoint_auth_method'] ?? 'client_secret_basic';
  const secret = usesSecret(method) ? fresh : undefined;
  const complete = {
    ...given,
    client_id: given['client_id'] ?? randomToken(12),
    token_endpoint_auth_method: method,
    client_secret: secret,
  };
  return { parsed: parseClient(complete, rules), secret };
}

function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

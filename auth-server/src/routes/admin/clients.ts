import { z } from 'zod';
import {
  MAX_GRACE_S,
  registerClient,
  removeClient,
  replaceClient,
  rotateSecret,
  untilUndisturbed,
  type ClientAdministrationFeatures,
  type NothingChanged,
  type ReplacementOutcome,
} from '../../administration/clients.ts';
import type { ClientFeatures } from '../../clients/client-features.ts';
import type { Client } from '../../clients/client-store.ts';
import { OAuthError } from '../../errors.ts';
import { registrationError } from '../registration-error.ts';
import { invalid, required, requireScopesOf, type Administrator } from './admin-context.ts';
import {
  parse,
  type AdminCall,
  type AdminOperation,
  type AdminResult,
  type PerformFeatures,
} from './admin-operation.ts';

/** What the administration of clients works with. */
export type ClientApiFeatures = Pick<ClientFeatures, 'clientStore'> &
  ClientAdministrationFeatures &
  PerformFeatures;

type Operation<Body> = AdminOperation<ClientApiFeatures, Body>;

const rotation = z.strictObject({ grace_seconds: z.int().min(0).max(MAX_GRACE_S).default(0) });
const secretSchema = z.object({ client_secret: z.string(), client_secret_expires_at: z.literal(0) });
/** RFC 7591 metadata, and where the registration comes from. */
const clientSchema = z.looseObject({
  client_id: z.string(),
  client_name: z.string(),
  redirect_uris: z.array(z.string()),
  grant_types: z.array(z.string()),
  token_endpoint_auth_method: z.string(),
  scope: z.string(),
  source: z.string(),
  client_secret: z.string().optional(),
});
const metadataSchema = z.looseObject({
  client_id: z.string().optional(),
  client_name: z.string().optional(),
  redirect_uris: z.array(z.string()).optional(),
  grant_types: z.array(z.string()).optional(),
  token_endpoint_auth_method: z.string().optional(),
  scope: z.string().optional(),
});

/** A client as the API shows it. */
export interface ClientJson {
  readonly client_id: string;
  readonly client_name: string;
  readonly redirect_uris: readonly string[];
  readonly grant_types: readonly string[];
  readonly token_endpoint_auth_method: string;
  readonly scope: string;
  readonly source: string;
  /** Where it was made just now. */
  readonly client_secret?: string | undefined;
  readonly [member: string]: unknown;
}

/** A secret as the API shows it, this once. */
export interface SecretJson {
  readonly client_secret: string;
  readonly client_secret_expires_at: 0;
}

/** Lists all clients. */
export const listClients: Operation<{ clients: readonly ClientJson[] }> = {
  id: 'listClients',
  method: 'GET',
  path: '/clients',
  scope: 'auth:clients:read',
  summary: 'Lists all clients.',
  output: z.object({ clients: z.array(clientSchema) }),
  statuses: [200],
  run: async ({ clientStore }) => ({
    status: 200,
    body: { clients: (await clientStore.list()).map(describeClient) },
  }),
};

/** Registers a client by RFC 7591 metadata. A secret is shown this once. */
export const registerClientOperation: Operation<ClientJson> = {
  id: 'registerClient',
  method: 'POST',
  path: '/clients',
  scope: 'auth:clients:write',
  summary: 'Registers a client by RFC 7591 metadata. A secret is shown this once.',
  input: metadataSchema,
  output: clientSchema,
  statuses: [201],
  run: async (features, { body, administrator }) => {
    requireScopesOf(administrator, scopesIn(body));
    await rejectTaken(features, body);
    const registrant = { source: 'administration', by: administrator.actor } as const;
    return resultOf(await registerClient(features, body, registrant), 201);
  },
};

/** Reads a client, with the tag of its version. */
export const readClient: Operation<ClientJson> = {
  id: 'readClient',
  method: 'GET',
  path: '/clients/:id',
  scope: 'auth:clients:read',
  summary: 'Reads a client, with the tag of its version.',
  output: clientSchema,
  statuses: [200],
  run: async (features, call) => {
    const client = await find(features, call);
    return { status: 200, body: describeClient(client), headers: { etag: tagOf(client) } };
  },
};

/** Replaces the metadata of a client; with If-Match only the version that was read. */
export const replaceClientOperation: Operation<ClientJson> = {
  id: 'replaceClient',
  method: 'PUT',
  path: '/clients/:id',
  scope: 'auth:clients:write',
  summary: 'Replaces the metadata of a client; with If-Match only the version that was read.',
  input: metadataSchema,
  output: clientSchema,
  statuses: [200],
  run: async (features, call) => {
    const { administrator, body } = call;
    requireScopesOf(administrator, scopesIn(body));
    const outcome = await untilUndisturbed(async () =>
      replaceClient(features, await findChangeable(features, call), body, administrator.actor),
    );
    return resultOf(outcome, 200);
  },
};

/** Removes a client with all that it was given. */
export const removeClientOperation: Operation<undefined> = {
  id: 'removeClient',
  method: 'DELETE',
  path: '/clients/:id',
  scope: 'auth:clients:write',
  summary: 'Removes a client with all that it was given.',
  statuses: [204],
  run: async (features, call) => {
    const { metadata } = await findChangeable(features, call);
    await removeClient(features, metadata.client_id, call.administrator.actor);
    return { status: 204, body: undefined };
  },
};

/** Gives a client another secret, which is shown this once. The one before works for grace_seconds. */
export const rotateClientSecret: Operation<SecretJson> = {
  id: 'rotateClientSecret',
  method: 'POST',
  path: '/clients/:id/secret',
  scope: 'auth:clients:write',
  summary: 'Gives a client another secret, which is shown this once. The one before works for grace_seconds.',
  input: rotation,
  output: secretSchema,
  statuses: [200],
  run: async (features, call) => {
    const { grace_seconds: graceS } = parse(rotation, call.body ?? {});
    const outcome = await untilUndisturbed(async () => {
      const known = await findChangeable(features, call);
      if (known.secretHash === undefined) throw invalid(['The client has no secret.']);
      return rotateSecret(features, known, graceS, call.administrator.actor);
    });
    const { secret } = requireChange(outcome);
    return { status: 200, body: { client_secret: secret, client_secret_expires_at: 0 } };
  },
};

async function find({ clientStore }: ClientApiFeatures, { path }: AdminCall): Promise<Client> {
  return required(await clientStore.find(path['id'] ?? ''));
}

async function findChangeable(features: ClientApiFeatures, call: AdminCall): Promise<Client> {
  return asRead(call.ifMatch, changeable(await find(features, call), call.administrator));
}

/** Registering must not replace. */
async function rejectTaken({ clientStore }: ClientApiFeatures, body: unknown): Promise<void> {
  const clientId = z.object({ client_id: z.string() }).safeParse(body).data?.client_id;
  if (clientId === undefined || !(await clientStore.find(clientId))) return;
  throw new OAuthError('invalid_request', 'There is a client with this client_id.', { status: 409 });
}

/** What a file declares is changed there, or the next start would undo it. */
function changeable(client: Client, administrator: Administrator): Client {
  requireScopesOf(administrator, client.metadata.scope.split(' '));
  if (client.source !== 'file') return client;
  const description = 'The client is declared in the clients file; change it there.';
  throw new OAuthError('invalid_request', description, { status: 409 });
}

/** The scopes that metadata asks for; without any a client gets none of the admin API. */
function scopesIn(body: unknown): readonly string[] {
  return z.object({ scope: z.string() }).safeParse(body).data?.scope.split(' ') ?? [];
}

function resultOf(outcome: ReplacementOutcome, status: 200 | 201): AdminResult<ClientJson> {
  if (outcome.kind === 'problems') throw registrationError(outcome.problems);
  const { client, secret } = requireChange(outcome);
  const shown = secret === undefined ? {} : { client_secret: secret, client_secret_expires_at: 0 };
  return { status, body: { ...describeClient(client), ...shown } };
}

function requireChange<Outcome extends { readonly kind: string }>(
  outcome: Outcome | NothingChanged,
): Exclude<Outcome, NothingChanged> {
  if (outcome.kind === 'changed') throw changedMeanwhile(409);
  return required(outcome.kind === 'gone' ? undefined : (outcome as Exclude<Outcome, NothingChanged>));
}

/** Where the caller says which version of the client it has seen, it changes that one alone. RFC 9110 §13.1.1 */
function asRead(expected: string | undefined, client: Client): Client {
  if (expected === undefined || expected === '*' || expected === tagOf(client)) return client;
  throw changedMeanwhile(412);
}

function changedMeanwhile(status: 409 | 412): OAuthError {
  return new OAuthError('invalid_request', 'The client was changed since it was read.', { status });
}

function tagOf({ incarnation, version }: Client): string {
  return `"${incarnation}.${version ?? ''}"`;
}

function describeClient({ metadata, source }: Client): ClientJson {
  const { redirect_uris: uris, grant_types: types, ...rest } = metadata;
  return { ...rest, redirect_uris: [...uris], grant_types: [...types], source };
}

import { isFieldValue } from '@trellis/http1';
import { ownOf } from '@trellis/runtime/own-property';
import { softwareNamedIn, type ClientSoftware } from '../../identity/caller.ts';
import type { ClientHeaders } from '../../request/context.ts';
import type { MessagePayload } from './client-message.ts';

/**
 * What the payload of `connection_init` may say in the place of headers, as browsers can set none for a WebSocket. Names are read in any
 * case; what came with the upgrade request always wins, as a proxy may have set it.
 *
 * | Members                                                  | Say                                              |
 * | -------------------------------------------------------- | ------------------------------------------------ |
 * | `authorization`, `dpop`                                  | as whom operations run; in `ping` as well        |
 * | headers of `clientHeaders`; `client: { name, version }`  | which program it is; subgraphs don't get it      |
 * | names in `headers.fromPayload`                           | headers that go on where `headers.forward` says  |
 */
export interface PayloadMembers {
  readonly authorization: string | undefined;
  readonly dpop: string | undefined;
  readonly software: ClientSoftware | undefined;
}

const MAX_MEMBERS = 32;
const MAX_CHARACTERS = 8_192;

/** Reads those that are the same whatever the operator has configured. */
export function readPayload(payload: MessagePayload): PayloadMembers {
  const strings = stringsOf(payload);
  return {
    authorization: strings.get('authorization'),
    dpop: strings.get('dpop'),
    software: softwareNamedIn((name) => strings.get(name)) ?? softwareInMember(payload),
  };
}

/** The member `client`, as GraphQL Hive reads it. */
function softwareInMember(payload: MessagePayload): ClientSoftware | undefined {
  const client = ownOf(payload, 'client');
  const members: ReadonlyMap<string, unknown> = new Map([
    ['graphql-client-name', ownOf(client, 'name')],
    ['graphql-client-version', ownOf(client, 'version')],
  ]);
  return softwareNamedIn((name) => members.get(name));
}

/**
 * The headers of the upgrade request, and what the payload adds to them.
 *
 * @param allowed names of headers that may come from the payload, in lower case
 */
export function headersOf(
  upgrade: ClientHeaders,
  payload: MessagePayload,
  allowed: readonly string[],
): ClientHeaders {
  if (allowed.length === 0) return upgrade;
  const strings = stringsOf(payload);
  const added = allowed.filter((name) => strings.has(name) && upgrade[name] === undefined);
  return { ...upgrade, ...Object.fromEntries(added.map((name) => [name, strings.get(name)])) };
}

/** By their names in lower case; those that no header could hold are left out. */
function stringsOf(payload: MessagePayload): ReadonlyMap<string, string> {
  const strings = new Map<string, string>();
  for (const [name, value] of Object.entries(payload).slice(0, MAX_MEMBERS)) {
    if (name === '__proto__' || typeof value !== 'string' || value.length > MAX_CHARACTERS) continue;
    if (isFieldValue(value)) strings.set(name.toLowerCase(), value);
  }
  return strings;
}

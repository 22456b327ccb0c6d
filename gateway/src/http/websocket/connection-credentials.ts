import type { ClientHeaders } from '../../request/context.ts';
import type { MessagePayload } from './client-message.ts';

const MAX_MEMBERS = 32;
const MAX_CHARACTERS = 8_192;
/** What the value of a header may hold. Anything else could not come over HTTP, and can't be sent on. RFC 9110 §5.5. */
const IN_A_HEADER = /^[\t\x20-\x7e\x80-\xff]*$/;

/** The `Authorization` of a payload, in whatever case the client writes it; undefined where it has none. */
export function authorizationOf(payload: MessagePayload): string | undefined {
  return stringsOf(payload).get('authorization');
}

/** The DPoP proof beside it. */
export function proofOf(payload: MessagePayload): string | undefined {
  return stringsOf(payload).get('dpop');
}

/**
 * What stands for a request's headers on a connection: those of the upgrade request, and as browsers can't set any there, strings
 * in the payload of `connection_init`. What came with the upgrade stays as it is: a proxy may have set it, and a client must not
 * speak for the proxy.
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

function stringsOf(payload: MessagePayload): ReadonlyMap<string, string> {
  const strings = new Map<string, string>();
  for (const [name, value] of Object.entries(payload).slice(0, MAX_MEMBERS)) {
    if (name === '__proto__' || typeof value !== 'string' || value.length > MAX_CHARACTERS) continue;
    if (IN_A_HEADER.test(value)) strings.set(name.toLowerCase(), value);
  }
  return strings;
}

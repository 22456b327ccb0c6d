/** What the one element of a header says of the client's certificate. */
export interface EnvoyElement {
  /** SHA-256 of its DER, as `x5t#S256` has it. */
  readonly hash: string | undefined;
  /** URL-encoded PEM, where the proxy is set to send it. */
  readonly cert: string | undefined;
}

const PAIR = /(?:^|;)([A-Za-z]+)=("(?:[^"\\]|\\.)*"|[^;,"=]*)(?=;|$)/y;

/**
 * Reads the header of a proxy that sets it (`SANITIZE_SET`). With several elements, which proxy has said what is unknown.
 *
 * @returns undefined for what does not have the form, says a thing twice, or has a hash that is none
 * @see Envoy, "x-forwarded-client-cert"
 */
export function readEnvoyHeader(value: string): EnvoyElement | undefined {
  const said = new Map<string, string>();
  for (PAIR.lastIndex = 0; PAIR.lastIndex < value.length;) {
    const [, name = '', given = ''] = PAIR.exec(value) ?? [];
    const key = name.toLowerCase();
    if (key === '' || (said.has(key) && SAID_ONCE.has(key))) return undefined;
    said.set(key, given.replaceAll('"', ''));
  }
  const hex = said.get('hash');
  if (hex !== undefined && !/^[0-9a-f]{64}$/i.test(hex)) return undefined;
  const hash = hex === undefined ? undefined : Buffer.from(hex, 'hex').toString('base64url');
  return { hash, cert: said.get('cert') };
}

/** A certificate has several names, and each is said. */
const SAID_ONCE: ReadonlySet<string> = new Set(['hash', 'cert']);

/** A private key of the curve P-256 as a JSON Web Key. RFC 7518 §6.2.2 */
export interface PrivateJsonWebKey {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly kid: string;
  readonly x: string;
  readonly y: string;
  readonly d: string;
}

/** Public keys. RFC 7517 §5 */
export interface JsonWebKeySet {
  readonly keys: { readonly kty: string; readonly kid?: string }[];
}

const PRIVATE_MEMBERS = ['kid', 'x', 'y', 'd'] as const;

/** Reads a private key; undefined when the text is none. */
export function parsePrivateKey(text: string): PrivateJsonWebKey | undefined {
  const key = parseObject(text);
  const isComplete = PRIVATE_MEMBERS.every((name) => typeof key?.[name] === 'string');
  const isOfCurve = key?.['kty'] === 'EC' && key['crv'] === 'P-256';
  return isComplete && isOfCurve ? (key as unknown as PrivateJsonWebKey) : undefined; // each member was looked at
}

/** Reads a key set; undefined when the text is none. */
export function parseKeySet(text: string): JsonWebKeySet | undefined {
  const set = parseObject(text);
  const keys: unknown = set?.['keys'];
  const isSet = Array.isArray(keys) && keys.every((key) => typeof (key as JsonWebKeySet | null) === 'object');
  return isSet ? (set as unknown as JsonWebKeySet) : undefined; // an object with a list of objects
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : undefined;
  } catch {
    return undefined; // not JSON: the caller says what was expected
  }
}

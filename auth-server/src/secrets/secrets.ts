import { createHmac, hash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

/** What a derived key is for; keys of different purposes have nothing to do with each other. */
export type KeyPurpose =
  | 'signing-keys'
  | 'refresh-tokens'
  | 'client-secrets'
  | 'csrf'
  | 'records'
  | 'authorization-requests'
  | 'account-names'
  | 'mail';

/** A key of 32 bytes for one purpose, derived from a configured secret. RFC 5869 */
function deriveKey(secret: string, purpose: KeyPurpose): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `trellis auth-server ${purpose}`, 32));
}

/** Keys of one purpose, one for each configured secret: the first signs and encrypts, all of them verify and decrypt. */
export type Keys = readonly [Buffer, ...Buffer[]];

/** Derives the keys of one purpose. @param secrets the newest first @throws TypeError when there is none */
export function deriveKeys(secrets: readonly string[], purpose: KeyPurpose): Keys {
  const [first, ...older] = secrets.map((secret) => deriveKey(secret, purpose));
  if (first === undefined) throw new TypeError('At least one secret is needed.');
  return [first, ...older];
}

/** An unguessable text: base64url of as many random bytes. @param bytes default 32, that is 256 bits */
export function randomToken(bytes = 32): string {
  return randomBytes(bytes).toString('base64url');
}

/** base64url SHA-256, for storing what must not be readable in a store. */
export function sha256(text: string): string {
  return hash('sha256', text, 'base64url');
}

/** base64url HMAC-SHA-256 of the parts, which can't run into one another. */
export function macOf(key: Buffer, ...parts: readonly string[]): string {
  const mac = createHmac('sha256', key);
  for (const part of parts) mac.update(`${Buffer.byteLength(part)}:`).update(part);
  return mac.digest('base64url');
}

/** Whether a MAC is one of these parts under any of the keys. Compares in constant time. */
export function isMacOf(keys: Keys, mac: string, ...parts: readonly string[]): boolean {
  return keys.some((key) => equalsConstantTime(mac, macOf(key, ...parts)));
}

/** Compares in a time that depends on the lengths alone. */
export function equalsConstantTime(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

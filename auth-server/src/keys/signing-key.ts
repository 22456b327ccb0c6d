import { createSign, type KeyObject } from 'node:crypto';
import type { SigningAlgorithm } from './signing-key-store.ts';

/** A private key that signs tokens. */
export class SigningKey {
  readonly kid: string;
  readonly algorithm: SigningAlgorithm;
  readonly #privateKey: KeyObject;
  /** Encoded, by the type of token: nothing else in them differs. */
  readonly #headers = new Map<string, string>();

  constructor(kid: string, algorithm: SigningAlgorithm, privateKey: KeyObject) {
    this.kid = kid;
    this.algorithm = algorithm;
    this.#privateKey = privateKey;
  }

  /**
   * Signs claims as a compact JWT.
   *
   * Synchronous on purpose: an ES256 signature takes tens of microseconds, less than the way to a worker thread and back.
   *
   * @param typ media type in the header: `at+jwt`, `JWT`, `logout+jwt`
   */
  sign(claims: Readonly<Record<string, unknown>>, typ: string): string {
    const input = `${this.#header(typ)}.${encode(claims)}`;
    const signer = createSign('sha256').update(input, 'latin1'); // a seventh cheaper than the one-shot `sign`
    return `${input}.${signer.sign({ key: this.#privateKey, dsaEncoding: 'ieee-p1363' }, 'base64url')}`;
  }

  #header(typ: string): string {
    const known = this.#headers.get(typ);
    if (known !== undefined) return known;
    const header = encode({ alg: this.algorithm, typ, kid: this.kid });
    this.#headers.set(typ, header);
    return header;
  }
}

/** Members that are undefined are left out. */
function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

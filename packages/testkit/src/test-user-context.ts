import { createUserContextSigner, type UserContext } from '@trellis/subgraph-protocol';
import { exportJWK, generateKeyPair, type JWK } from 'jose';

/** A key pair that plays the gateway's part towards subgraphs. */
export interface TestUserContext {
  /** Public keys, as in USER_CONTEXT_JWKS. */
  readonly jwks: { readonly keys: readonly JWK[] };
  readonly privateKey: JWK;
  /** @returns the value of the header `trellis-user-context` for one subgraph */
  sign(subgraph: string, context: UserContext): Promise<string>;
}

/** Makes a fresh key pair and a signer over it, with the same code that the gateway signs with. */
export async function createTestUserContext(): Promise<TestUserContext> {
  const pair = await generateKeyPair('ES256', { extractable: true });
  const names = { kid: 'test', alg: 'ES256', use: 'sig' };
  const privateKey = { ...(await exportJWK(pair.privateKey)), ...names };
  const publicKey = { ...(await exportJWK(pair.publicKey)), ...names };
  const signer = await createUserContextSigner({ privateKey });
  return {
    jwks: { keys: [publicKey] },
    privateKey,
    sign: (subgraph, context) => signer.sign(context, subgraph),
  };
}

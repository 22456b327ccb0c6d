import { importJWK, SignJWT, type CryptoKey, type JWK } from 'jose';
import { USER_CONTEXT_ALGORITHM, USER_CONTEXT_TYPE, type UserContext } from './user-context.ts';

/** Signs contexts for subgraphs. */
export interface UserContextSigner {
  /**
   * @param subgraph the name of the one subgraph that may accept it (`aud`)
   * @returns a compact JWS
   */
  sign(context: UserContext, subgraph: string): Promise<string>;
}

/** Settings of {@link createUserContextSigner}. */
export interface SignerOptions {
  /** An EC P-256 private key with `kid`. */
  readonly privateKey: JWK;
  /** Seconds until a signed context expires. @default 60 */
  readonly lifetimeS?: number;
}

/** Prepares the key once; signing afterwards does no look-ups. */
export async function createUserContextSigner(options: SignerOptions): Promise<UserContextSigner> {
  const key = (await importJWK(options.privateKey, USER_CONTEXT_ALGORITHM)) as CryptoKey; // an EC key is never a byte string
  const header = {
    alg: USER_CONTEXT_ALGORITHM,
    typ: USER_CONTEXT_TYPE,
    kid: options.privateKey.kid ?? 'context',
  };
  const lifetimeS = options.lifetimeS ?? 60;
  return {
    sign: (context, subgraph) =>
      new SignJWT(claimsOf(context))
        .setProtectedHeader(header)
        .setAudience(subgraph)
        .setIssuedAt()
        .setExpirationTime(`${lifetimeS}s`)
        .sign(key),
  };
}

function claimsOf(context: UserContext): Record<string, unknown> {
  const { user, groupRoles } = context;
  return {
    ...(groupRoles && { roles: groupRoles }),
    ...(user && {
      sub: user.id,
      roles: user.roles,
      name: user.name,
      email: user.email,
      token_iat: user.tokenIssuedAt,
    }),
    token_iss: context.issuer,
    client_id: context.clientId,
    scope: context.scopes.join(' '),
    policies: context.policies,
    gid: context.grantId,
  };
}

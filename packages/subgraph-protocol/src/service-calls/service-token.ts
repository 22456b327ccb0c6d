import {
  createLocalJWKSet,
  decodeProtectedHeader,
  importJWK,
  jwtVerify,
  SignJWT,
  type CryptoKey,
  type JSONWebKeySet,
  type JWK,
} from 'jose';
import { SERVICE_TOKEN_ALGORITHM } from './service-key.ts';

/** The `typ` of a service token, so that no other JWT of the platform passes for one (RFC 8725 §3.11). */
const SERVICE_TOKEN_TYPE = 'trellis-service+jwt';

const LIFETIME_S = 60;
/** Milliseconds for which a token is used: well within its life, also where clocks differ. */
const FRESH_MS = 20_000;
const LEEWAY_S = 5;

/** Makes tokens by which a service names itself. */
export interface ServiceTokenSigner {
  /** @param audience the one service that may accept it */
  sign(audience: string): Promise<string>;
}

/** Reads tokens of other services. */
export interface ServiceTokenVerifier {
  /**
   * @returns the name of the calling service
   * @throws Error when the token is missing, forged, expired, or meant for another service
   */
  verify(token: string | undefined): Promise<string>;
}

/**
 * Signs with a service's own key.
 *
 * @param privateKey an EC P-256 key whose `kid` is the service's name
 */
export async function createServiceTokenSigner(privateKey: JWK): Promise<ServiceTokenSigner> {
  const key = (await importJWK(privateKey, SERVICE_TOKEN_ALGORITHM)) as CryptoKey; // an EC key is never a byte string
  const service = privateKey.kid;
  if (service === undefined) throw new TypeError('A service key needs the name of its service as "kid".');
  const header = { alg: SERVICE_TOKEN_ALGORITHM, typ: SERVICE_TOKEN_TYPE, kid: service };
  const signNow = (audience: string): Promise<string> =>
    new SignJWT()
      .setProtectedHeader(header)
      .setIssuer(service)
      .setAudience(audience)
      .setIssuedAt()
      .setExpirationTime(`${LIFETIME_S}s`)
      .sign(key);
  const signed = new Map<string, SignedToken>(); // one for each service that is called
  return {
    sign: async (audience) => {
      const last = signed.get(audience);
      if (last && Date.now() < last.freshUntilMs) return last.token;
      const token = await signNow(audience);
      signed.set(audience, { token, freshUntilMs: Date.now() + FRESH_MS });
      return token;
    },
  };
}

/** A token that is used again for a while: to sign each call would cost more than the call. */
interface SignedToken {
  readonly token: string;
  readonly freshUntilMs: number;
}

/**
 * Verifies tokens meant for `service`. A key speaks for the service it is named after, and for no other.
 *
 * @param keys public keys of the services that may call
 */
export function createServiceTokenVerifier(service: string, keys: JSONWebKeySet): ServiceTokenVerifier {
  const find = createLocalJWKSet(keys);
  return {
    verify: async (token) => {
      if (token === undefined) throw new Error('The call carries no service token.');
      const caller = decodeProtectedHeader(token).kid;
      if (caller === undefined) throw new Error('The service token does not name its key.');
      await jwtVerify(token, find, {
        algorithms: [SERVICE_TOKEN_ALGORITHM],
        typ: SERVICE_TOKEN_TYPE,
        issuer: caller,
        audience: service,
        requiredClaims: ['exp', 'iat'],
        clockTolerance: LEEWAY_S,
      });
      return caller;
    },
  };
}

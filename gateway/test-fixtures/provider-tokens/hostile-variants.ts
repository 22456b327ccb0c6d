import type { Claims, TokenShape } from './shapes.ts';
import type { TokenForge } from './token-forge.ts';

/** A good token of a shape, and what it takes to make it bad. */
export interface GoodToken {
  readonly shape: TokenShape;
  readonly forge: TokenForge;
  readonly issuer: string;
  readonly audience: string;
  readonly nowS: number;
  readonly header: Claims;
  readonly claims: Claims;
}

/** A token that has to be rejected. */
export interface HostileVariant {
  readonly what: string;
  readonly make: (good: GoodToken) => string;
  /** What the reason in the log has to name. */
  readonly names?: string;
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const good = ({ forge, header, claims }: GoodToken): string => forge.forge(header, claims);

/** With other claims; those that are undefined are left out. */
function claiming(what: string, changes: (token: GoodToken) => Claims, names?: string): HostileVariant {
  const make = (token: GoodToken): string =>
    token.forge.forge(token.header, { ...token.claims, ...changes(token) });
  return { what, make, ...(names !== undefined && { names }) };
}

/** Under another header, with a good signature. */
function headed(what: string, changes: (token: GoodToken) => Claims, names?: string): HostileVariant {
  const make = (token: GoodToken): string =>
    token.forge.forge({ ...token.header, ...changes(token) }, token.claims);
  return { what, make, ...(names !== undefined && { names }) };
}

/** Signed by someone else, under a header that is to make the key trusted. */
function selfSigned(what: string, header: (token: GoodToken) => Claims): HostileVariant {
  return {
    what,
    make: (token) => {
      const { forge } = token;
      return forge.forge({ ...token.header, ...header(token) }, token.claims, 'RS256', forge.untrusted.key);
    },
  };
}

function withSecret(what: string, secret: (forge: TokenForge) => string, kid = 'rsa'): HostileVariant {
  return {
    what,
    make: ({ forge, header, claims }) =>
      forge.forge({ ...header, alg: 'HS256', kid }, claims, 'HS256', Buffer.from(secret(forge))),
  };
}

function unsigned(what: string, alg: string): HostileVariant {
  return { what, make: ({ header, claims }) => `${encode({ ...header, alg })}.${encode(claims)}.` };
}

const audience =
  (value: (token: GoodToken) => unknown) =>
  (token: GoodToken): Claims => ({
    [token.shape.audienceClaim]: value(token),
  });

const audiences = [
  claiming(
    'for another audience',
    audience(() => 'https://elsewhere.example'),
    'expected is',
  ),
  claiming(
    'for an audience that begins like ours',
    audience((token) => `${token.audience}/x`),
  ),
  claiming(
    'for an audience that ours begins like',
    audience((token) => token.audience.slice(0, -1)),
  ),
  claiming(
    'for our audience in capitals',
    audience((token) => `${token.audience.toUpperCase()}X`),
  ),
  claiming(
    'for a list of others',
    audience(() => ['https://elsewhere.example', 'account']),
  ),
  claiming(
    'for a list with more than texts',
    audience((token) => [token.audience, 7]),
  ),
  claiming(
    'for a list in a list',
    audience((token) => [[token.audience]]),
  ),
  claiming(
    'for an object that has our audience',
    audience((token) => ({ 0: token.audience, length: 1 })),
  ),
  claiming(
    'for no audience',
    audience(() => undefined),
    'absent',
  ),
  claiming(
    'for an empty audience',
    audience(() => ''),
  ),
  claiming(
    'for the audience null',
    audience(() => null),
  ),
  claiming(
    'for the audiences ours and another, in one text',
    audience((token) => `${token.audience} account`),
  ),
  claiming('with client and audience swapped', ({ shape, audience: ours, claims }) => ({
    [shape.audienceClaim]:
      shape.audienceClaim === shape.clientClaim ? claims['sub'] : claims[shape.clientClaim],
    [shape.clientClaim === shape.audienceClaim ? 'sub' : shape.clientClaim]: ours,
  })),
];

const issuers = [
  claiming('of another issuer', () => ({ iss: 'https://evil.example' }), 'evil.example'),
  claiming('of our issuer with a slash more or less', ({ issuer }) => ({
    iss: issuer.endsWith('/') ? issuer.slice(0, -1) : `${issuer}/`,
  })),
  claiming('of our issuer in capitals', ({ issuer }) => ({ iss: issuer.toUpperCase() })),
  claiming('of our issuer with a user in front', ({ issuer }) => ({
    iss: issuer.replace('https://', 'https://evil@'),
  })),
  claiming('of a list of issuers', ({ issuer }) => ({ iss: [issuer] })),
  claiming('of no issuer', () => ({ iss: undefined })),
];

const algorithms = [
  unsigned('with alg none', 'none'),
  unsigned('with alg None', 'None'),
  unsigned('with an empty alg', ''),
  headed('with alg none over a good signature', () => ({ alg: 'none' })),
  withSecret('with HS256 keyed by the public key as PEM', ({ publicPem }) => publicPem),
  withSecret('with HS256 keyed by the public key as JWK', ({ publicJwk }) => JSON.stringify(publicJwk)),
  withSecret('with HS256 keyed by the modulus', ({ publicJwk }) => String(publicJwk.n)),
  withSecret('with HS256 keyed by nothing, and a kid that is a path', () => '', '../../../../dev/null'),
  headed('with ES256 over an RSA signature', () => ({ alg: 'ES256' })),
  headed('with RS512 over a signature of RS256', () => ({ alg: 'RS512' })),
  {
    what: 'with RS384, which no profile has',
    make: ({ forge, header, claims }) => forge.forge({ ...header, alg: 'RS384' }, claims, 'RS384'),
  },
  {
    what: 'with PS512, which no profile has',
    make: ({ forge, header, claims }) => forge.forge({ ...header, alg: 'PS512' }, claims, 'PS512'),
  },
] satisfies HostileVariant[];

const keys = [
  selfSigned('by another key under the name of ours', () => ({})),
  selfSigned('by another key that it brings along', ({ forge }) => ({
    jwk: forge.untrusted.jwk,
    kid: undefined,
  })),
  selfSigned('by another key at an address', () => ({ jku: 'https://evil.example/jwks', kid: 'evil' })),
  selfSigned('by another key in a certificate at an address', () => ({
    x5u: 'https://evil.example/pem',
    kid: 'evil',
  })),
  selfSigned('by another key in a certificate', () => ({ x5c: ['MIIB'], kid: 'evil' })),
  headed('of an unknown key', () => ({ kid: 'unknown' })),
  headed('of a key that is named like a member of objects', () => ({ kid: '__proto__' })),
  headed('of a list of keys', () => ({ kid: ['rsa'] })),
  headed('of a key that is an SQL text', () => ({ kid: "' OR 1=1 --" })),
  headed('with an unknown critical header', () => ({ crit: ['x-unknown'], 'x-unknown': 1 })),
  headed('with an empty list of critical headers', () => ({ crit: [] })),
  headed('with a payload that is not encoded', () => ({ crit: ['b64'], b64: false })),
] satisfies HostileVariant[];

const times = [
  claiming('that has expired', ({ nowS }) => ({ exp: nowS - 60 }), 'exp'),
  claiming('that never expires', () => ({ exp: undefined }), 'exp'),
  claiming('that expires at a text', ({ nowS }) => ({ exp: String(nowS + 600) }), 'exp'),
  claiming('that is not valid yet', ({ nowS }) => ({ nbf: nowS + 120 }), 'nbf'),
  claiming('that is valid from a list', ({ nowS }) => ({ nbf: [nowS] }), 'nbf'),
  claiming('that is issued in the future', ({ nowS }) => ({ iat: nowS + 120 }), 'iat'),
  claiming('that is never issued', () => ({ iat: undefined }), 'iat'),
  claiming('that is issued at a text', () => ({ iat: 'yesterday' }), 'iat'),
];

const subjects = [
  claiming('without a subject', () => ({ sub: undefined }), 'sub'),
  claiming('with an empty subject', () => ({ sub: '' }), 'sub'),
  claiming('with a list of subjects', ({ claims }) => ({ sub: [claims['sub']] }), 'sub'),
  claiming('with a number for a subject', () => ({ sub: 7 }), 'sub'),
  claiming(
    'with a list of clients',
    ({ shape, claims }) => ({ [shape.clientClaim]: [claims[shape.clientClaim]] }),
    'client',
  ),
  claiming('with an object for a client', ({ shape }) => ({ [shape.clientClaim]: { toString: 'web' } })),
  claiming('with a number for scopes or client', ({ shape }) => ({
    [shape.scopeClaim ?? shape.clientClaim]: 7,
  })),
  claiming('with an object for scopes or client', ({ shape }) => ({
    [shape.scopeClaim ?? shape.clientClaim]: { 0: 'admin' },
  })),
  {
    what: 'with all claims in its prototype',
    make: ({ forge, header, claims }) => forge.forge(header, `{"__proto__":${JSON.stringify(claims)}}`),
  },
  {
    what: 'with its audience in its prototype',
    make: ({ forge, header, claims, shape }) => {
      const { [shape.audienceClaim]: value, ...rest } = claims;
      const inherited = JSON.stringify({ [shape.audienceClaim]: value });
      return forge.forge(header, `{"__proto__":${inherited},${JSON.stringify(rest).slice(1)}`);
    },
  },
  claiming('bound in a way that is not known', () => ({ cnf: { kid: 'key' } }), 'cnf'),
  claiming('bound by a text', () => ({ cnf: 'jkt' }), 'cnf'),
] satisfies HostileVariant[];

const forms = [
  headed('of the type of logout tokens', () => ({ typ: 'logout+jwt' }), 'typ'),
  headed('of the type of DPoP proofs', () => ({ typ: 'dpop+jwt' }), 'typ'),
  headed('of a list of types', () => ({ typ: ['JWT'] }), 'typ'),
  { what: 'with a signature that is cut', make: (token) => good(token).slice(0, -4) },
  { what: 'without a signature', make: (token) => good(token).replace(/[^.]+$/, '') },
  {
    what: 'with claims that were changed',
    make: (token) =>
      good(token)
        .split('.')
        .with(1, encode({ ...token.claims, roles: ['ADMIN'] }))
        .join('.'),
  },
  { what: 'of five parts', make: (token) => `${good(token)}.e30.e30` },
  { what: 'of two parts', make: (token) => good(token).split('.').slice(0, 2).join('.') },
  { what: 'that is longer than any', make: (token) => `${good(token)}${'A'.repeat(9_000)}` },
  {
    what: 'whose claims are a list',
    make: ({ forge, header, claims }) => forge.forge(header, JSON.stringify([claims])),
  },
  { what: 'whose claims are no JSON', make: ({ forge, header }) => forge.forge(header, '{"iss":') },
] satisfies HostileVariant[];

/** All that have to be rejected, of whatever shape. */
export const hostileVariants: readonly HostileVariant[] = [
  ...audiences,
  ...issuers,
  ...algorithms,
  ...keys,
  ...times,
  ...subjects,
  ...forms,
];

import type { Project } from './project.ts';

/** The auth-server. */
export const authServerRooms: Project = {
  folder: 'auth-server',
  sources: 'src',
  introduction:
    'The OAuth 2.0 and OpenID Connect server, by feature. Each folder holds its SQL, its records in Redis and its Lua scripts. ' +
    'A folder offers its features as an interface (`AccountFeatures`, `GrantFeatures` …). `app/` puts these together, and each ' +
    'endpoint declares those that it takes.',
  rooms: {
    'main.ts': { floor: 9, purpose: 'the program' },
    'index.ts': { floor: 9, purpose: 'what the package exports' },
    commands: { floor: 8, purpose: 'the command line: accounts, clients, grants, keys, audit' },
    app: { floor: 7, purpose: 'configuration, features put together, server, start' },
    routes: {
      floor: 6,
      purpose: 'one file per endpoint and page',
      parts: { admin: 'operations of administration, and their API', console: 'the console for operators' },
    },
    authorize: {
      floor: 5,
      purpose: 'authorization requests: checks, pushed requests, next step, transactions',
    },
    administration: {
      floor: 5,
      purpose:
        'what is done to accounts, applications, clients and sessions, what that ends, and who is notified',
    },
    grants: { floor: 4, purpose: 'one file per grant type; codes, devices, grants and their revocation' },
    tokens: { floor: 3, purpose: 'access tokens, id_tokens, refresh tokens; the feed of revocations' },
    dpop: { floor: 3, purpose: 'proofs of possession and their nonces' },
    issuers: { floor: 3, purpose: 'trusted issuers: their declarations, keys and tokens' },
    logout: { floor: 3, purpose: 'back-channel logout' },
    mail: { floor: 3, purpose: 'messages: queue, transports, limits' },
    accounts: {
      floor: 2,
      purpose: 'accounts, sessions, consents, one-time links',
      parts: { 'sign-in': 'passwords, throttles, attempt limiters' },
    },
    clients: {
      floor: 2,
      purpose: 'metadata, scopes, redirect URIs, registry',
      parts: { authentication: 'clients prove who they are' },
    },
    http: { floor: 2, purpose: 'endpoints, parameters, cookies, errors and limits of requests' },
    attempts: {
      floor: 1,
      purpose: 'counts attempts, and the room that anonymous callers can fill; what may happen once',
    },
    audit: { floor: 1, purpose: 'security events and metrics' },
    keys: { floor: 1, purpose: 'signing keys, their rotation, signatures' },
    outbound: {
      floor: 1,
      purpose: 'requests to addresses that others name, and the keys that are published there',
    },
    gateways: { floor: 2, purpose: 'what gateways say of the graph that they serve' },
    pages: {
      floor: 1,
      purpose: 'pages that users see',
      parts: {
        templates: 'their HTML',
        texts: 'their words in each language',
        theme: 'name, logo, colours and links of an operator',
      },
    },
    images: { floor: 0, purpose: 'what the bytes of a picture say' },
    'parameters.ts': { floor: 1, purpose: 'parameters of a request, each once' },
    generated: { floor: 0, purpose: 'types of SQL rows and parameters' },
    'batch-by-id.ts': { floor: 0, purpose: 'many lookups by id in one statement' },
    'paths.ts': { floor: 0, purpose: 'the paths of the endpoints' },
    'clock.ts': { floor: 0, purpose: 'the time' },
    'errors.ts': { floor: 0, purpose: 'the catalogue of OAuth errors' },
    passwords: {
      floor: 0,
      purpose: 'which passwords are rejected',
      parts: { generated: 'the filter of common passwords' },
    },
    'row-version.ts': { floor: 0, purpose: 'what changes whenever a row does' },
    secrets: { floor: 0, purpose: 'keys derived from secrets, comparison, sealed records' },
    settings: { floor: 0, purpose: 'settings that the endpoints know' },
  },
};

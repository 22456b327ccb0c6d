import { lifetimes } from './lifetimes.ts';
import { limits } from './limits.ts';

/** Addresses, stores, secrets, files, and what is served. */
const general = {
  PORT: { type: 'port', default: 4001, doc: 'Port to listen on. 0 takes any free port.' },
  HOST: { type: 'text', default: '127.0.0.1', doc: 'Address to listen on.' },
  ISSUER: {
    type: 'url',
    schemes: ['http', 'https'],
    optional: true,
    doc: 'The issuer identifier: the public base URL, without a trailing slash. https, unless the host is a loopback address. Default: http://localhost and the port, where HOST is a loopback address and NODE_ENV is not production.',
  },
  AUDIENCES: {
    type: 'list',
    default: ['http://localhost:4000/graphql'],
    doc: 'Resource identifiers that tokens may be asked for, separated by spaces. The first is the default.',
  },
  API_SCOPES: {
    type: 'list',
    default: ['read:data', 'read:profile', 'write:data'],
    doc: 'Scopes of the protected APIs, separated by spaces, beside those of OpenID Connect. `graph:publish:*` stands for every scope that begins so and ends with a name of letters, digits, _ and -.',
  },
  CLIENTS_FILE: {
    type: 'text',
    optional: true,
    doc: 'JSON array of RFC 7591 client metadata, registered at start.',
  },
  TRUSTED_ISSUERS_FILE: {
    type: 'text',
    optional: true,
    doc: 'JSON array of issuers whose tokens clients may bring for tokens of this server. A change of the file is reloaded without a restart. Default: none.',
  },
  DATABASE_URL: {
    type: 'url',
    schemes: ['postgres', 'postgresql'],
    sensitive: true,
    doc: 'PostgreSQL, where accounts, clients, consents and signing keys are stored (schema auth).',
  },
  REDIS_URL: {
    type: 'text',
    form: 'redisUrl',
    sensitive: true,
    doc: 'Redis, where sessions, codes and grants are stored: redis://…, redis+sentinel://… or redis+cluster://….',
  },
  REDIS_REPLICAS: {
    type: 'int',
    min: 0,
    max: 10,
    default: 0,
    unit: 'replicas',
    doc: 'Replicas of Redis that must have a consumed code or rotated refresh token before tokens are handed out; else the response is 503. Not for a cluster.',
  },
  KEY_ENCRYPTION_SECRET: {
    type: 'secrets',
    doc: 'Random, 128 bits or more; or several of these, separated by spaces, the newest first. Encrypts the signing keys at rest, seals what is stored in Redis, hashes client secrets and authenticates refresh tokens.',
  },
  COOKIE_SECRET: {
    type: 'secrets',
    doc: 'Random, 128 bits or more; or several of these, separated by spaces, the newest first. Binds forms to browsers.',
  },
  DEMO_DATA: {
    type: 'flag',
    default: false,
    doc: 'Demo accounts and demo clients. Only where issuer and HOST are loopback addresses and NODE_ENV is not production.',
  },
  DEMO_WEB_ORIGIN: {
    type: 'text',
    default: 'http://localhost:4020',
    doc: 'Where the sample application is served, for the redirect URIs of the demo client trellis-web.',
  },
  DEMO_EXPLORER_ORIGIN: {
    type: 'text',
    default: 'http://localhost:4000',
    doc: 'Where the gateway serves its explorer, for the redirect URIs of the demo client trellis-explorer.',
  },
  NODE_ENV: {
    type: 'choice',
    choices: ['development', 'test', 'production'],
    optional: true,
    doc: 'development, test or production. production rejects conveniences of development on loopback addresses, too; elsewhere they are always rejected.',
  },
  TRUSTED_PROXIES: {
    type: 'list',
    default: [],
    doc: 'Addresses or CIDR ranges of proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted, separated by spaces.',
  },
  CLIENT_CERTIFICATE_HEADER: {
    type: 'text',
    optional: true,
    doc: 'Name of the header in which TRUSTED_PROXIES send the certificate that a client has shown, such as Client-Cert. They have to remove or overwrite what clients send in it. Without it clients can not use certificates (RFC 8705).',
  },
  CLIENT_CERTIFICATE_FORMAT: {
    type: 'choice',
    choices: ['rfc9440', 'pem', 'base64', 'xfcc'],
    default: 'rfc9440',
    doc: 'rfc9440: base64 of the certificate between colons (RFC 9440). pem: the certificate as URL-encoded PEM ($ssl_client_escaped_cert of nginx). base64: its DER (HAProxy, Traefik). xfcc: Cert in x-forwarded-client-cert of Envoy with one element.',
  },
  CLIENT_CERTIFICATE_CA_FILE: {
    type: 'text',
    optional: true,
    doc: 'PEM certificates of the authorities that issue certificates of clients, those next to the clients, read at start. Without it clients authenticate by certificates that they have registered, and not by tls_client_auth.',
  },
  MTLS_URL: {
    type: 'url',
    schemes: ['http', 'https'],
    optional: true,
    doc: 'Public base URL at which clients are asked for certificates, without a trailing slash, for mtls_endpoint_aliases in discovery. Default: the issuer, without aliases.',
  },
  TLS_CERT_FILE: {
    type: 'text',
    optional: true,
    doc: 'PEM certificate chain, for https without a proxy. A new one in the file is reloaded without a restart.',
  },
  TLS_KEY_FILE: { type: 'text', optional: true, doc: 'PEM private key of the certificate.' },
  DPOP_NONCE_REQUIRED: {
    type: 'flag',
    default: false,
    doc: 'Whether DPoP proofs need a nonce of this server.',
  },
  SIGN_UP: {
    type: 'flag',
    default: false,
    doc: 'Whether users may make accounts by themselves. Needs MAIL_URL.',
  },
  MAIL_URL: {
    type: 'text',
    form: 'mailUrl',
    optional: true,
    sensitive: true,
    doc: 'How mail is sent: smtp://user:password@host:587 (STARTTLS is required, but on this machine), smtps://…, or the https URL of a webhook that sends it. log: writes it into the log, which is allowed where DEMO_DATA is. Without it there is no mail.',
  },
  MAIL_FROM: {
    type: 'text',
    form: 'mailAddress',
    optional: true,
    doc: 'The sender of mail: Example <no-reply@example.com>. Needed with every MAIL_URL but log:.',
  },
  MAIL_WEBHOOK_SECRET: {
    type: 'secret',
    optional: true,
    doc: 'Key of the signatures with which the webhook knows this server (Standard Webhooks, HMAC-SHA256).',
  },
  ADMIN_API: {
    type: 'flag',
    default: false,
    doc: 'Whether the admin API is served at /admin below the issuer, for tokens with that audience and a scope of it: auth:admin for everything, or auth:accounts:read and the like.',
  },
  GATEWAY_OPERATIONS_URLS: {
    type: 'urls-by-name',
    doc: 'Operations ports of gateways, for the console: eu=http://10.0.0.5:9464 us=https://… At most 20. http leads to loopback addresses and private networks alone.',
  },
  GATEWAY_OPERATIONS_SECRET: {
    type: 'secrets',
    optional: true,
    doc: 'OPERATIONS_SECRET of these gateways, which asking who uses a field needs; of several the first is sent. Absent: it is asked without, which gateways allow on loopback addresses.',
  },
  GRAPH_HISTORY_URL: {
    type: 'url',
    schemes: ['http', 'https'],
    optional: true,
    doc: 'Page that trellis history --format html has written. The console leads from each record of the registry to what it changed, and in which order it is deployed.',
  },
  THEME_FOLDER: {
    type: 'text',
    optional: true,
    doc: 'Folder with theme.json and the pictures that it names: name, logo, colours, texts and links of the pages, read at start. Default: the pages of Trellis.',
  },
  ERROR_REFERENCE: {
    type: 'url',
    schemes: ['http', 'https'],
    optional: true,
    doc: 'Page that describes codes of errors, such as errors.html of the documentation site. The error page leads to it, with # and the code.',
  },
  REGISTRATION_TOKEN: {
    type: 'secret',
    form: 'bearerToken',
    optional: true,
    doc: 'The initial access token with which clients may register themselves. Without it none can.',
  },
  BACKCHANNEL_NETWORKS: {
    type: 'list',
    default: [],
    doc: 'Private networks in CIDR notation to which logout notifications may be sent, and from which key sets of clients (jwks_uri) may be fetched, separated by spaces. Loopback addresses may where DEMO_DATA is allowed.',
  },
} as const;

/** The auth-server's environment, beside what every process has: one line of facts for each variable. */
export const variables: typeof general & typeof lifetimes & typeof limits = {
  ...general,
  ...lifetimes,
  ...limits,
};

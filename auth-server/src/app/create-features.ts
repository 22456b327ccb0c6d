import { allowsConveniences, type Logger } from '@trellis/runtime';
import type { Pool } from '@trellis/postgres';
import { createAudit } from '../audit/audit.ts';
import { createAuditWriter, type AuditWriter } from '../audit/audit-writer.ts';
import { createAddressGuard, PRIVATE_NETWORKS, type AddressGuard } from '../outbound/address-guard.ts';
import { createBackChannelLogout } from '../logout/back-channel-logout.ts';
import { createTransactions } from '../authorize/transactions.ts';
import { createAuthServerMetrics } from '../audit/auth-server-metrics.ts';
import { createClientKeys } from '../clients/client-keys.ts';
import { createClientLogos } from '../clients/client-logos.ts';
import { createTextChooser, type PageFeatures } from '../pages/language.ts';
import { readBuiltInTheme, readTheme } from '../pages/theme/read-theme.ts';
import { createClientRegistry } from '../clients/client-registry.ts';
import type { AuthServerConfig } from './auth-server-config.ts';
import { createDpopNonces } from '../dpop/nonces.ts';
import { createGateways } from '../gateways/gateways.ts';
import { createGrantRevoker } from '../grants/grant-revoker.ts';
import {
  readCertificateAuthorities,
  type CertificateAuthorities,
} from '../clients/authentication/certificate-authorities.ts';
import { createClientCertificates, type ForwardedCertificates } from '../http/client-certificates.ts';
import { createCookies } from '../http/cookies.ts';
import { createSealer } from '../secrets/sealing.ts';
import { deriveKeys } from '../secrets/secrets.ts';
import type { FeatureResources, Features } from './features.ts';
import { createPasswordHasher } from '../accounts/sign-in/password-hasher.ts';
import { createAccountName } from '../accounts/sign-in/account-name.ts';
import { createSignIn } from '../accounts/sign-in/sign-in.ts';
import { createThrottle } from '../accounts/sign-in/throttle.ts';
import { createAccountMail } from '../administration/create-account-mail.ts';
import { createLogMail } from '../mail/log-mail.ts';
import type { Mail } from '../mail/mail.ts';
import { createConfiguredMailQueue } from './create-mail-queue.ts';
import type { MailQueue } from '../mail/mail-queue.ts';
import { createMailStore } from '../mail/mail-store.ts';
import { createAuditStore } from '../audit/audit-store.ts';
import { createAttemptStore } from '../attempts/attempt-store.ts';
import { createClientStore } from '../clients/client-store.ts';
import { createReaderOfToday } from '../accounts/reader-of-today.ts';
import { createRevocationFeed } from '../tokens/revocation-feed.ts';
import { createSigningKeyStore } from '../keys/signing-key-store.ts';
import { createKeyEncryption } from '../keys/key-encryption.ts';
import { createIssuerRegistry, type IssuerRegistry } from '../issuers/issuer-registry.ts';
import { readTrustedIssuersFile } from '../issuers/trusted-issuers-file.ts';
import { createKeyring } from '../keys/keyring.ts';
import { createRefreshTokens } from '../tokens/refresh-token.ts';
import { ensureSigningKeys, type SigningKeyDependencies } from '../keys/signing-keys.ts';
import { CLOCK_SKEW_S, issuerRulesOf, revocationTtlOf, settingsOf } from './settings-of.ts';
import { createLimits, throttleLimits, type AnonymousAttempts } from './create-limits.ts';
import { createStores } from './create-stores.ts';

/** The features, and what only the start and the command line need beside them. */
export interface CreatedFeatures {
  readonly features: Features;
  readonly auditWriter: AuditWriter;
  /** Absent where no mail leaves this process. */
  readonly mailQueue: MailQueue | undefined;
}

/** Makes everything that the endpoints work with. The database must have been migrated. */
export async function createFeatures(
  config: AuthServerConfig,
  resources: FeatureResources,
): Promise<CreatedFeatures> {
  const { pool, logger, clock } = resources;
  const signingKeys = signingKeyDependencies(config, pool, clock);
  await ensureSigningKeys(signingKeys);
  const hasher = await createPasswordHasher(config.PASSWORD_HASH_CONCURRENCY);
  const keyring = await createKeyring(signingKeys.store, signingKeys.encryption);
  const metrics = createAuthServerMetrics(resources.metrics);
  const auditStore = createAuditStore(pool);
  const onDropped = (count: number): void => metrics.auditEventsDropped.inc(count);
  const auditWriter = createAuditWriter({ store: auditStore, logger, onDropped });
  const today = createReaderOfToday(pool);
  const clientStore = createClientStore(pool, today);
  const secretKeys = deriveKeys(config.KEY_ENCRYPTION_SECRET, 'client-secrets');
  const keyed = createKeyedFeatures(config, resources);
  const guard = createAddressGuard({
    loopback: allowsConveniences(config),
    networks: config.BACKCHANNEL_NETWORKS,
  });
  const base = {
    settings: settingsOf(config, resources.issuer),
    clock,
    metrics,
    hasher,
    keyring,
    signingKeys,
    auditStore,
    clientStore,
    cookies: createCookies(resources.issuer.startsWith('https:')),
    audit: createAudit({ logger, writer: auditWriter, metrics, clock }),
    clients: createClientRegistry({ store: clientStore, secretKeys, clock }),
    clientKeys: createClientKeys({ guard, clock, onFetched: onKeySetFetched(metrics, logger) }),
    clientLogos: createClientLogos({
      guard,
      clock,
      onFailed: (uri, reason) => logger.warn({ uri, reason }, 'fetching the logo of a client failed'),
    }),
    mailStore: createMailStore(pool, createSealer(deriveKeys(config.KEY_ENCRYPTION_SECRET, 'mail'))),
    ...createPages(config, resources.issuer),
    gateways: createGateways({
      addresses: config.GATEWAY_OPERATIONS_URLS,
      secret: config.GATEWAY_OPERATIONS_SECRET?.[0],
      onProblem: (asked, failure) => logger.warn({ ...asked, ...failure }, 'gateway unavailable'),
      onRecovered: (asked) => logger.info(asked, 'gateway available'),
    }),
    historyPage: config.GRAPH_HISTORY_URL,
    issuers: createIssuers(config, resources),
    clientCertificates: createClientCertificates(forwardedCertificatesOf(config)),
    certificateAuthorities: certificateAuthoritiesOf(config),
    ...keyed,
    ...createLimits(config, keyed.accountName, resources),
    ...createStores(config, resources, today),
  };
  const mailQueue = createConfiguredMailQueue(config, {
    ...resources,
    metrics,
    store: base.mailStore,
  });
  const mail = mailQueue ?? (config.MAIL_URL === undefined ? undefined : createLogMail(logger));
  const features: Features = { ...base, ...createActions(config, { ...base, guard }, mail, resources) };
  return { features, auditWriter, mailQueue };
}

/** What works with keys that are derived from configured secrets. */
function createKeyedFeatures(
  { COOKIE_SECRET, KEY_ENCRYPTION_SECRET, DPOP_NONCE_REQUIRED, TRANSACTION_TTL_S: ttlS }: AuthServerConfig,
  { redis, clock }: FeatureResources,
): Pick<Features, 'accountName' | 'csrfKeys' | 'dpopNonces' | 'refreshTokens' | 'transactions'> {
  const csrfKeys = deriveKeys(COOKIE_SECRET, 'csrf');
  const sealer = createSealer(deriveKeys(COOKIE_SECRET, 'authorization-requests'));
  return {
    accountName: createAccountName(deriveKeys(KEY_ENCRYPTION_SECRET, 'account-names')[0]),
    csrfKeys,
    dpopNonces: createDpopNonces(csrfKeys, DPOP_NONCE_REQUIRED, clock),
    refreshTokens: createRefreshTokens(deriveKeys(KEY_ENCRYPTION_SECRET, 'refresh-tokens')),
    transactions: createTransactions({ sealer, redis, clock, ttlS }),
  };
}

/** Those of the file as it is now. @throws Error for a file that has changed since the configuration was checked, and is wrong */
function createIssuers(
  config: AuthServerConfig,
  { clock, issuer, logger }: FeatureResources,
): IssuerRegistry {
  const { TRUSTED_ISSUERS_FILE: path } = config;
  const rules = issuerRulesOf(config, issuer);
  const { issuers, problems } =
    path === undefined ? { issuers: [], problems: [] } : readTrustedIssuersFile(path, rules);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const { loopback } = rules;
  return createIssuerRegistry(issuers, {
    guard: createAddressGuard({ loopback, networks: PRIVATE_NETWORKS }),
    loopback,
    clock,
    onFetched: (name, reason) => {
      if (reason !== undefined)
        logger.warn({ issuer: name, reason }, 'fetching the keys of a trusted issuer failed');
    },
  });
}

/** The theme as it is now. @throws Error for one that has changed since the configuration was checked, and is wrong */
function createPages(
  { THEME_FOLDER: folder, ERROR_REFERENCE: errorReference }: AuthServerConfig,
  issuer: string,
): PageFeatures {
  const read = folder === undefined ? undefined : readTheme(folder);
  if (read?.kind === 'problems') throw new Error(read.problems.join('\n'));
  const theme = read?.theme ?? readBuiltInTheme();
  return { theme, chooseTexts: createTextChooser(theme, issuer, errorReference) };
}

function certificateAuthoritiesOf({
  CLIENT_CERTIFICATE_CA_FILE: path,
}: AuthServerConfig): CertificateAuthorities | undefined {
  return path === undefined ? undefined : readCertificateAuthorities(path);
}

function forwardedCertificatesOf(config: AuthServerConfig): ForwardedCertificates | undefined {
  const { CLIENT_CERTIFICATE_HEADER: header, CLIENT_CERTIFICATE_FORMAT: format } = config;
  return header === undefined ? undefined : { header, format, trustedProxies: config.TRUSTED_PROXIES };
}

type Actions = Pick<Features, 'accountMail' | 'backChannelLogout' | 'revoker' | 'signIn'>;

/** What is done with the stores and the rest. */
function createActions(
  config: AuthServerConfig,
  base: Omit<Features, keyof Actions> & AnonymousAttempts & { readonly guard: AddressGuard },
  mail: Mail | undefined,
  { redis, logger }: FeatureResources,
): Actions {
  const throttle = createThrottle(createAttemptStore(redis), throttleLimits(config), base.anonymousAttempts);
  const feed = createRevocationFeed(redis, revocationTtlOf(config));
  return {
    accountMail: mail && createAccountMail(mail, base, logger),
    backChannelLogout: createBackChannelLogout({ ...base, logger }),
    revoker: createGrantRevoker({ ...base, feed, logger }),
    signIn: createSignIn({ ...base, throttle }),
  };
}

/** Counts fetches of clients' key sets, and logs those that fail. */
function onKeySetFetched(
  { clientKeySets }: Features['metrics'],
  logger: Logger,
): (uri: string, problem: string | undefined) => void {
  return (uri, problem) => {
    clientKeySets.inc({ outcome: problem === undefined ? 'fetched' : 'failed' });
    if (problem !== undefined)
      logger.warn({ uri, reason: problem }, 'fetching the key set of a client failed');
  };
}

function signingKeyDependencies(
  config: AuthServerConfig,
  pool: Pool,
  clock: () => number,
): SigningKeyDependencies {
  const longestTokenS = Math.max(config.ACCESS_TOKEN_TTL_S, config.ID_TOKEN_TTL_S);
  return {
    store: createSigningKeyStore(pool),
    encryption: createKeyEncryption(deriveKeys(config.KEY_ENCRYPTION_SECRET, 'signing-keys')),
    schedule: {
      rotationIntervalS: config.KEY_ROTATION_INTERVAL_S,
      publicationLeadS: config.KEY_PUBLICATION_LEAD_S,
      retentionS: longestTokenS + 2 * config.KEY_RELOAD_INTERVAL_S + CLOCK_SKEW_S,
    },
    clock,
  };
}

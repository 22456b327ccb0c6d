import type { Server as HttpsServer } from 'node:https';
import { freePort } from '@trellis/runtime/free-port';
import { stampFile } from '@trellis/runtime/watch-file';
import { type Deployable, type Logger, type Resources } from '@trellis/runtime';
import { createPool, migrate, warnOfLostConnections, type Pool } from '@trellis/postgres';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import { synchronizeClients } from '../administration/synchronize-clients.ts';
import { readClientsFile } from '../clients/clients-file.ts';
import type { AuthServerConfig } from './auth-server-config.ts';
import { followIssuers } from './follow-issuers.ts';
import { clientRulesOf, issuerRulesOf } from './settings-of.ts';
import { createFeatures, type CreatedFeatures } from './create-features.ts';
import { fillDemoData } from './fill-demo-data.ts';
import { buildServer } from './server.ts';
import { startKeyMaintenance } from './key-maintenance.ts';
import { fillCanonicalEmails } from '../accounts/fill-canonical-emails.ts';
import { followCertificate, readStampedCertificate, type CertificateFiles } from './tls-certificate.ts';

/** The schema that the auth-server owns. */
export const SCHEMA = 'auth';

const MIGRATIONS = new URL('../../migrations/', import.meta.url);

/** Brings the auth-server's schema up to date. */
export async function migrateAuthServer(connectionString: string): Promise<void> {
  await migrate({ connectionString, schema: SCHEMA, directory: MIGRATIONS });
}

/** Migrates, synchronizes clients, makes keys where there are none, listens. */
export async function startAuthServer(config: AuthServerConfig, resources: Resources): Promise<Deployable> {
  const { logger } = resources;
  await migrateAuthServer(config.DATABASE_URL);
  const connections = openConnections(config, logger);
  // the issuer is part of what is built, so the port must be known before the server listens
  const port = config.PORT === 0 && config.ISSUER === undefined ? await freePort(config.HOST) : config.PORT;
  const issuer = config.ISSUER ?? `http://localhost:${port}`;
  const issuersFile = config.TRUSTED_ISSUERS_FILE && stampFile(config.TRUSTED_ISSUERS_FILE); // it is read below
  const created = await createFeatures(config, { ...resources, ...connections, issuer, clock: Date.now });
  await fillCanonicalEmails(connections.pool);
  if (config.DEMO_DATA) await fillDemoData(config, created.features);
  await synchronizeDeclared(config, created);
  const maintenance = startKeyMaintenance({
    ...created.features.signingKeys,
    keyring: created.features.keyring,
    audit: created.features.audit,
    logger,
    intervalS: config.KEY_RELOAD_INTERVAL_S,
  });
  created.mailQueue?.start();
  const stopFollowing = issuersFile
    ? followIssuers(issuersFile, issuerRulesOf(config, issuer), created.features.issuers, logger)
    : undefined;
  const purging = purgeOldEvents(config.AUDIT_RETENTION_S, created, logger);
  const { url, close: stopServing } = await serve(config, port, created, connections, logger);
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await stopServing();
    await maintenance.stop();
    clearInterval(purging);
    stopFollowing?.();
    await settle(created);
    await connections.pool.end();
    connections.redis.disconnect();
  };
  return { url, close: () => (closing ??= close()) };
}

interface Connections {
  readonly pool: Pool;
  readonly redis: RedisConnection;
}

function openConnections(config: AuthServerConfig, logger: Logger): Connections {
  return {
    pool: createPool({
      connectionString: config.DATABASE_URL,
      schema: SCHEMA,
      onIdleError: warnOfLostConnections(logger),
    }),
    redis: connectRedis({
      url: config.REDIS_URL,
      name: 'trellis-auth',
      gatherWrites: true,
      resend: false,
      onError: (error) => logger.warn({ reason: error.message }, 'Redis is unavailable'),
    }),
  };
}

/** Listens, with the certificate as it is at each moment. */
async function serve(
  config: AuthServerConfig,
  port: number,
  created: CreatedFeatures,
  { pool, redis }: Connections,
  logger: Logger,
): Promise<Deployable> {
  const certificateFiles = certificateFilesOf(config);
  const read = certificateFiles && readStampedCertificate(certificateFiles);
  const server = await buildServer({
    features: created.features,
    logger,
    readiness: {
      postgres: async () => void (await pool.query('SELECT 1')),
      redis: async () => void (await redis.ping()),
    },
    trustedProxies: config.TRUSTED_PROXIES,
    maxConnections: config.MAX_CONNECTIONS,
    ...(read && { https: read.certificate }),
  });
  const url = await server.listen({ port, host: config.HOST });
  const stopFollowing =
    certificateFiles && read
      ? followCertificate(server.server as HttpsServer, certificateFiles, read.files, logger) // built with https above
      : undefined;
  const close = async (): Promise<void> => {
    stopFollowing?.();
    await server.close();
  };
  return { url, close };
}

/** Waits for what requests have left to be done. */
async function settle({ features, auditWriter, mailQueue }: CreatedFeatures): Promise<void> {
  features.clientKeys.close();
  features.issuers.close();
  features.clientLogos.close();
  await features.backChannelLogout.close();
  await features.accountMail?.settle();
  await mailQueue?.stop();
  features.audit.flush();
  await auditWriter.close();
}

const HOUR_MS = 3_600_000;

/** Removes audit events that have been stored long enough, now and every hour. */
function purgeOldEvents(retentionS: number, { features }: CreatedFeatures, logger: Logger): NodeJS.Timeout {
  const forget = async (): Promise<void> => {
    try {
      await features.auditStore.removeBefore(features.clock() - retentionS * 1000);
    } catch (error) {
      logger.warn({ err: error }, 'purging audit events failed');
    }
  };
  void forget();
  return setInterval(() => void forget(), HOUR_MS).unref();
}

async function synchronizeDeclared(config: AuthServerConfig, { features }: CreatedFeatures): Promise<void> {
  if (config.CLIENTS_FILE === undefined) return;
  const { clients } = readClientsFile(config.CLIENTS_FILE, clientRulesOf(config));
  await synchronizeClients(
    features,
    'file',
    clients.map((client) => features.clients.toClient(client, 'file')),
  );
}

function certificateFilesOf(config: AuthServerConfig): CertificateFiles | undefined {
  const { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile } = config;
  return certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile };
}

import { COMMAND_CALLER } from '../accounts/sign-in/hash-callers.ts';
import { synchronizeClients } from '../administration/synchronize-clients.ts';
import type { AuthServerConfig } from './auth-server-config.ts';
import type { Features } from './features.ts';

/**
 * Brings the clients of a development installation, and its accounts where there is none. Their package is no part of what is installed
 * for production.
 */
export async function fillDemoData(config: AuthServerConfig, features: Features): Promise<void> {
  const { demoAccounts, demoClients, demoPassword } = await import('@trellis/demo-data');
  const { accounts, clients, hasher } = features;
  const declared = demoClients(config).map((metadata) => ({ metadata, secret: undefined }));
  await synchronizeClients(
    features,
    'demo',
    declared.map((client) => clients.toClient(client, 'demo')),
  );
  const hashed = demoAccounts.map(async ({ id, email, name, role }) => ({
    id,
    email,
    name,
    role,
    emailVerified: true,
    passwordHash: await hasher.hash(demoPassword, COMMAND_CALLER),
  }));
  await accounts.seed(await Promise.all(hashed));
}

import { HttpStore, RegistryError, verifyLog, type LogName, type RegistryStore } from '@trellis/registry';
import { openForReading, type Environment, type RegistryOptions } from '../registry/registry-access.ts';

/** Options that the server of a registry decides by itself, and how. */
const decidedByServer = {
  operations: 'its server goes by the operations that "registry serve --operations" names',
  limits: 'its server goes by the gateway.yaml that "registry serve --limits" names',
  key: 'its server signs, with its own key',
  actor: 'its server records the client of the access token',
} as const;

/**
 * Rejects options that a registry over HTTP can't honour: who asks for a guard gets it, or learns that it can not be had.
 *
 * @throws RegistryError INVALID_NAME
 */
export function assertHonoured(store: RegistryStore, options: object): void {
  if (!(store instanceof HttpStore)) return;
  for (const [name, reason] of Object.entries(decidedByServer))
    if (Object.hasOwn(options, name))
      throw new RegistryError('INVALID_NAME', `Leave --${name} out at ${store.description}: ${reason}.`);
}

/**
 * Where `--trust` names keys, verifies what stands in logs that a server will change: it judges by its own trust, not by this one.
 *
 * @throws RegistryError
 */
export async function verifyByOwnTrust(
  options: RegistryOptions,
  env: Environment,
  logs: readonly LogName[] | 'all',
  signal: AbortSignal,
): Promise<void> {
  if (options.trust === undefined) return;
  const { store, trust } = await openForReading(options, env);
  for (const log of logs === 'all' ? await store.listLogs(signal) : logs)
    await verifyLog(store, log, trust, { signal });
}

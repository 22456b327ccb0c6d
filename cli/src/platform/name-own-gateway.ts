import type { Environment } from '@trellis/runtime';
import { programs, type Prefix } from '../programs.ts';
import type { PlatformConfig } from './environment-table.ts';

type Environments = Readonly<Record<Prefix, Environment>>;

/** Lets the auth-server's console show the platform's own gateway, unless its environment names others. */
export function nameOwnGateway(
  environments: Environments,
  { OPERATIONS_PORT: first }: Pick<PlatformConfig, 'OPERATIONS_PORT'>,
  split: boolean,
): Environments {
  if (first === 0) return environments; // any free one, which is not known yet
  const port = split ? first + programs.findIndex(({ prefix }) => prefix === 'GATEWAY') : first;
  const derived = { GATEWAY_OPERATIONS_URLS: `gateway=http://127.0.0.1:${port}` };
  return { ...environments, AUTH: { ...derived, ...environments.AUTH } };
}

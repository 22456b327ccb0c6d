import { demoAccounts, demoPassword } from '@trellis/demo-data';
import type { PlatformConfig } from './platform-config.ts';
import { addressOf, type Ports } from './service-environments.ts';

/** What the banner tells beside the addresses. */
export interface BannerOptions {
  readonly config: PlatformConfig;
  readonly ports: Ports;
  readonly operationsUrl: string;
  /** Which PostgreSQL and Redis are in use, a line each. */
  readonly stores: readonly string[];
}

/** What is running where, for a person. */
export function formatBanner({ config, ports, operationsUrl, stores }: BannerOptions): string {
  const lines = [
    '',
    `  Gateway     ${addressOf('GATEWAY', ports)}/graphql`,
    `  Auth-server ${addressOf('AUTH', ports)}`,
    `  Subgraphs   users ${addressOf('USERS', ports)}/graphql`,
    `              posts ${addressOf('POSTS', ports)}/graphql`,
    `              comments ${addressOf('COMMENTS', ports)}/graphql`,
    `  Metrics     ${operationsUrl}`,
    ...stores.map((store) => `  ${store}`),
    ...(config.NODE_ENV === 'production' ? [] : demoLines()),
    '',
  ];
  return lines.join('\n');
}

function demoLines(): string[] {
  return [
    '',
    `  Demo accounts, password "${demoPassword}":`,
    ...demoAccounts.map(({ email, role }) => `    ${email.padEnd(20)}${role}`),
    '  An access token for one of them: npm run -s token',
  ];
}

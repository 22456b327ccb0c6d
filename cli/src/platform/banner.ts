import { demoAccounts, demoPassword } from '@trellis/demo-data';
import { addressOf } from './addresses.ts';
import type { Ports } from './ports.ts';

/** What the banner says beside the addresses. */
export interface BannerOptions {
  /** Whether there are demo accounts. */
  readonly hasDemoData: boolean;
  /** Whether the sample application is served. */
  readonly hasWebApplication: boolean;
  /** Whether the documentation site is served. */
  readonly hasDocumentation: boolean;
  readonly ports: Ports;
  /** Where metrics are served. */
  readonly operations: string;
  /** Which PostgreSQL and Redis are in use, a line each. */
  readonly stores: readonly string[];
  /** Where the registry is, and how it is read; nothing where it is off. */
  readonly registry: readonly string[];
}

/** What is running where, for a user. */
export function formatBanner(options: BannerOptions): string {
  const { hasDemoData, hasWebApplication, hasDocumentation, ports, operations, stores, registry } = options;
  const lines = [
    '',
    `  Start here  ${addressOf('GATEWAY', ports)}`,
    '',
    `  Gateway     ${addressOf('GATEWAY', ports)}/graphql`,
    `  Auth-server ${addressOf('AUTH', ports)}`,
    ...(hasDemoData ? [`  Console     ${addressOf('AUTH', ports)}/console`] : []),
    ...(hasWebApplication ? [`  Sample app  ${addressOf('WEB', ports)}`] : []),
    ...(hasDocumentation ? [`  Docs        ${addressOf('DOCS', ports)}`] : []),
    `  Subgraphs   users ${addressOf('USERS', ports)}/graphql`,
    `              posts ${addressOf('POSTS', ports)}/graphql`,
    `              comments ${addressOf('COMMENTS', ports)}/graphql`,
    `              search ${addressOf('SEARCH', ports)}/graphql`,
    `  Metrics     ${operations}`,
    ...stores.map((store) => `  ${store}`),
    ...registry.map((line) => `  ${line}`),
    ...(hasDemoData ? demoLines() : []),
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

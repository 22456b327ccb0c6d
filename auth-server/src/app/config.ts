import { problemOfRedisUrl } from '@trellis/redis';
import { isLoopbackHost, processVariables, readConfig, type Environment, type Forms } from '@trellis/runtime';
import { variables } from '../settings/variables.ts';
import type { AuthServerConfig } from './auth-server-config.ts';
import { brokenRules } from './config-rules.ts';

/** What is asked of texts that are more than texts. */
const forms: Forms = {
  bearerToken: (text) =>
    /^[A-Za-z0-9\-._~+/]+=*$/.test(text) ? undefined : 'must be a bearer token (RFC 6750)',
  mailAddress: (text) =>
    /^[^\p{Cc}]*[^\s@]+@[^\s@]+$/u.test(text)
      ? undefined
      : 'must be an address, or a name with an address in <>',
  mailUrl: (text) =>
    text === 'log:' || isMailUrl(text)
      ? undefined
      : 'must be log:, or an absolute URL with the scheme smtp, smtps or https',
  redisUrl: problemOfRedisUrl,
};

/** A webhook on this machine may do without TLS. */
function isMailUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  if (hostname === '') return false;
  return (
    ['smtp:', 'smtps:', 'https:'].includes(protocol) || (protocol === 'http:' && isLoopbackHost(hostname))
  );
}

/** The auth-server's environment. */
export const environmentTable: typeof processVariables & typeof variables = {
  ...processVariables,
  ...variables,
};

/**
 * Reads the auth-server's environment; `AUTH_PORT` wins over `PORT`.
 *
 * @throws ConfigError with all that is wrong, broken config rules and the clients file included
 */
export function readAuthServerConfig(environment: Environment): AuthServerConfig {
  return readConfig(environmentTable, environment, {
    subject: 'the auth-server',
    prefix: 'AUTH',
    forms,
    brokenRules,
  });
}

import { ASCII_VALUE, isFieldName } from '@trellis/http1/fields';
import { RegistryError } from '@trellis/registry';
import { isLoopbackHost } from '@trellis/runtime';
import { INTROSPECTION_SECRET_HEADER } from '@trellis/subgraph-protocol';
import type { Environment } from '../registry/registry-access.ts';

/** What opens the schemas of subgraphs, and where it may be sent. */
export interface SchemaCredentials {
  readonly headers: Readonly<Record<string, string>>;
  /** The addresses of subgraphs are chosen by their publishers: nothing is sent to other origins than these. */
  readonly origins: ReadonlySet<string>;
}

/** The options of a command line that say so. */
export interface CredentialOptions {
  /** `NAME=VALUE`, each. */
  readonly header?: readonly string[];
  /** Separated by commas. @default those of `TRELLIS_INTROSPECT_ORIGINS`; none */
  readonly introspectOrigins?: string;
}

/**
 * The headers of the command line and the secret of `TRELLIS_SCHEMA_SECRET`, for the origins that are named.
 *
 * @throws RegistryError INVALID_NAME; it does not name the value of a header
 */
export function schemaCredentials(
  { header = [], introspectOrigins }: CredentialOptions,
  env: Environment,
): SchemaCredentials {
  const headers = headersOf(header, env);
  const origins = originsOf(introspectOrigins ?? env['TRELLIS_INTROSPECT_ORIGINS'] ?? '');
  if (header.length > 0 && origins.size === 0)
    throw new RegistryError(
      'INVALID_NAME',
      '--header goes with --introspect-origins: it is sent to these, and to no other address.',
    );
  return { headers, origins };
}

/** What is sent to an address. */
export function headersFor(
  { headers, origins }: SchemaCredentials,
  url: string,
): SchemaCredentials['headers'] {
  return isNamed(origins, url) ? headers : {};
}

/** Why a subgraph was asked without what may open its schema. Undefined: it was sent all there is. */
export function whatWasNotSent({ headers, origins }: SchemaCredentials, url: string): string | undefined {
  if (Object.keys(headers).length === 0 || isNamed(origins, url) || !URL.canParse(url)) return undefined;
  return `It was sent no secret and no header: --introspect-origins does not name ${new URL(url).origin}.`;
}

function isNamed(origins: SchemaCredentials['origins'], url: string): boolean {
  return URL.canParse(url) && origins.has(new URL(url).origin);
}

function headersOf(given: readonly string[], env: Environment): SchemaCredentials['headers'] {
  const secret = env['TRELLIS_SCHEMA_SECRET'];
  const own = secret ? [[INTROSPECTION_SECRET_HEADER, secret] as const] : [];
  const named = given.map((text) => {
    const [, name = '', value = ''] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
    return [name.toLowerCase(), value] as const;
  });
  const all = [...own, ...named];
  // The error of fetch would show the value.
  if (!all.every(([name, value]) => isHeader(name, value)))
    throw new RegistryError(
      'INVALID_NAME',
      '--header takes NAME=VALUE, and TRELLIS_SCHEMA_SECRET a value, as HTTP has headers.',
    );
  return Object.fromEntries(all);
}

function isHeader(name: string, value: string): boolean {
  return isFieldName(name) && value !== '' && ASCII_VALUE.test(value);
}

function originsOf(list: string): ReadonlySet<string> {
  const texts = list
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '');
  return new Set(texts.map(originOf));
}

/** @throws RegistryError INVALID_NAME for more than an origin, and where a secret would be sent in the clear */
function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isProtected =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname));
  if (url && isProtected && url.href === `${url.origin}/`) return url.origin;
  throw new RegistryError(
    'INVALID_NAME',
    `--introspect-origins takes origins, separated by commas: https://posts.example, or http:// of this host alone; not ${JSON.stringify(text)}.`,
  );
}

import type { ClientHeaders } from './context.ts';
import { own } from '../own-property.ts';

/** What a client says of its program. Nothing of it is proved. */
export interface ClientSoftware {
  readonly name: string;
  /** Empty where it says none. */
  readonly version: string;
}

/** Printable, and short enough for logs and labels. */
const PLAIN = /^[\x20-\x7e]{1,100}$/;

/**
 * Reads the headers by which clients name themselves: those of Apollo's clients, and those of others.
 *
 * @returns nothing where there is no name, or one that is no short text
 */
export function clientSoftwareOf(headers: ClientHeaders): ClientSoftware | undefined {
  const name = plain(headers, 'apollographql-client-name') ?? plain(headers, 'graphql-client-name');
  if (name === undefined) return undefined;
  const version = plain(headers, 'apollographql-client-version') ?? plain(headers, 'graphql-client-version');
  return { name, version: version ?? '' };
}

function plain(headers: ClientHeaders, name: string): string | undefined {
  const value = own(headers, name);
  return typeof value === 'string' && PLAIN.test(value) ? value : undefined;
}

import { own } from '../own-property.ts';

/** What a client says of its program. Nothing of it is proved. */
export interface ClientSoftware {
  readonly name: string;
  /** Empty where it says none. */
  readonly version: string;
}

/** A request, as far as its client names itself in it. */
export interface NamesItself {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** What it says where its headers say nothing. */
  readonly software?: ClientSoftware | undefined;
}

/** Headers by which clients name themselves: those of Apollo's clients, and those of others. The first that says it counts. */
const clientHeaders = {
  name: ['apollographql-client-name', 'graphql-client-name', 'x-graphql-client-name'],
  version: ['apollographql-client-version', 'graphql-client-version', 'x-graphql-client-version'],
} as const;

/** Printable, and short enough for logs and labels. */
const PLAIN = /^[\x20-\x7e]{1,100}$/;

/**
 * Which program has sent a request.
 *
 * @returns nothing where there is no name, or one that is no short text
 */
export function clientSoftwareOf({ headers, software }: NamesItself): ClientSoftware | undefined {
  return softwareNamedIn((name) => own(headers, name)) ?? software;
}

/** @param valueOf a header, or what stands for it; its name is in lower case */
export function softwareNamedIn(valueOf: (name: string) => unknown): ClientSoftware | undefined {
  const name = firstPlain(clientHeaders.name, valueOf);
  return name === undefined ? undefined : { name, version: firstPlain(clientHeaders.version, valueOf) ?? '' };
}

function firstPlain(names: readonly string[], valueOf: (name: string) => unknown): string | undefined {
  for (const name of names) {
    const value = valueOf(name);
    if (typeof value === 'string' && PLAIN.test(value)) return value;
  }
  return undefined;
}

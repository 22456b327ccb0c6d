import { createIssuerKeys, type FindIssuerKey, type IssuerKeysOptions } from './issuer-keys.ts';
import type { IssuerUse, TrustedIssuer } from './trusted-issuer.ts';

/** A trusted issuer and its keys. */
export interface KnownIssuer {
  readonly issuer: TrustedIssuer;
  readonly findKey: FindIssuerKey;
}

/** The issuers whose word about users is taken. */
export interface IssuerRegistry {
  /** The issuer of that name, where this client may use its tokens so. */
  find(name: string, use: IssuerUse, clientId: string): KnownIssuer | undefined;
  /** Whether there is a declaration of the issuer. */
  isKnown(name: string): boolean;
  /** Whether users without an account can be the issuer's. */
  hasNamespace(name: string): boolean;
  /** Takes other declarations over. Those that are as before keep their keys. */
  replace(declared: readonly TrustedIssuer[]): void;
  /** Aborts what is being fetched. */
  close(): void;
}

/** Whose word is taken. */
export interface IssuerFeatures {
  readonly issuers: IssuerRegistry;
}

/** A registry of declared issuers; nothing is fetched before it is needed. */
export function createIssuerRegistry(
  declared: readonly TrustedIssuer[],
  options: Omit<IssuerKeysOptions, 'signal'>,
): IssuerRegistry {
  const closing = new AbortController();
  const keysOptions = { ...options, signal: closing.signal };
  let known: ReadonlyMap<string, KnownIssuer> = new Map();
  const know = (issuer: TrustedIssuer): KnownIssuer => {
    const before = known.get(issuer.issuer);
    if (JSON.stringify(before?.issuer) === JSON.stringify(issuer) && before) return before;
    return { issuer, findKey: createIssuerKeys(issuer, keysOptions) };
  };
  const replace: IssuerRegistry['replace'] = (issuers) => {
    known = new Map(issuers.map((issuer) => [issuer.issuer, know(issuer)]));
  };
  replace(declared);
  return {
    replace,
    find: (name, use, clientId) => {
      const found = known.get(name);
      const { uses = [], clients = [] } = found?.issuer ?? {};
      return uses.includes(use) && clients.includes(clientId) ? found : undefined;
    },
    isKnown: (name) => known.has(name),
    hasNamespace: (name) => known.get(name)?.issuer.subjects === 'namespaced',
    close: () => closing.abort(),
  };
}

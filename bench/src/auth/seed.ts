/** What a token endpoint is given in exchange for tokens. */
export type SeedKind = 'code' | 'refresh';

/** How id_tokens are signed; it is also the name of the client that has them so. */
export type Algorithm = 'ES256' | 'RS256';

/** A request for tokens that is measured. */
export interface TokenScenario {
  readonly name: string;
  readonly kind: SeedKind;
  readonly algorithm: Algorithm;
}

/** All of {@link Algorithm}. */
export const ALGORITHMS: readonly Algorithm[] = ['ES256', 'RS256'];

/** Requests of one round. Codes are used once, and each of three users may have 200 grants of a client. */
export const REQUESTS: Readonly<Record<SeedKind, number>> = { refresh: 2_000, code: 600 };

/** Refresh tokens that take turns in a round. */
const LIVE_GRANTS = 64;

/** Seeds for one round: a code for each request, or the grants that are refreshed. */
export const SEEDS: Readonly<Record<SeedKind, number>> = { refresh: LIVE_GRANTS, code: REQUESTS.code };

const NAMES: Readonly<Record<SeedKind, string>> = { refresh: 'refresh', code: 'exchange of a code' };

/** What is measured of an authorization server. */
export const tokenScenarios: readonly TokenScenario[] = (['refresh', 'code'] as const).flatMap((kind) =>
  ALGORITHMS.map((algorithm) => ({ name: `${NAMES[kind]}, ${algorithm}`, kind, algorithm })),
);

import { InvalidSupergraph } from './build-supergraph.ts';
import type { SubgraphEndpoint } from './supergraph.ts';
import type { SupergraphSource } from './supergraph-source.ts';

/** Subgraphs that were all started by one command are ready within this. */
const PATIENCE_MS = 30_000;
const POLL_MS = 2_000;
const TIMEOUT_MS = 10_000;

/** The version that the tests run with. */
const COMPOSER = '@apollo/gateway@2.14.4';

/** What is used of `@apollo/gateway`. */
type ComposerModule = Pick<
  typeof import('@apollo/gateway'),
  'IntrospectAndCompose' | 'RemoteGraphQLDataSource'
>;
type Composer = InstanceType<ComposerModule['IntrospectAndCompose']>;

/**
 * A supergraph composed from what running subgraphs say of themselves. For development: in production a supergraph is
 * composed before it is deployed, and a subgraph that is down keeps no gateway from starting.
 *
 * @param load brings `@apollo/gateway`, which is installed for development only
 */
export function createSubgraphsSource(
  subgraphs: readonly SubgraphEndpoint[],
  load: () => Promise<ComposerModule> = loadComposer,
): SupergraphSource {
  let composer: Composer | undefined;
  return {
    description: `the running subgraphs ${subgraphs.map(({ name }) => name).join(', ')}`,
    patienceMs: PATIENCE_MS,
    pollMs: POLL_MS,
    async read(signal) {
      const loaded = await load().catch(rejectWithout);
      const asked = composer ?? new loaded.IntrospectAndCompose({ subgraphs: [...subgraphs] });
      composer = undefined; // after a failure it would take what it has seen of a schema for composed
      const text = await compose(asked, loaded, AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]));
      composer = asked;
      return text;
    },
  };
}

/** @returns nothing where no schema has changed since the composer composed last */
async function compose(
  composer: Composer,
  { RemoteGraphQLDataSource }: ComposerModule,
  signal: AbortSignal,
): Promise<string | undefined> {
  const response: { readonly supergraphSdl: string | null } = await composer
    .initialize({
      update: () => {},
      healthCheck: () => Promise.resolve(),
      getDataSource: ({ url = '' }) =>
        new RemoteGraphQLDataSource({
          url,
          fetcher: (target, init) => fetch(target, { ...init, body: init?.body?.toString() ?? null, signal }),
        }),
    })
    .catch(rejectComposition);
  return response.supergraphSdl ?? undefined;
}

/** What does not compose is not worth waiting for; a subgraph that does not answer is. */
function rejectComposition(error: unknown): never {
  if (error instanceof Error && error.message.startsWith("A valid schema couldn't be composed"))
    throw new InvalidSupergraph(error.message, { cause: error });
  throw error;
}

function rejectWithout(cause: unknown): never {
  throw new InvalidSupergraph(
    `Composing running subgraphs takes a package that is for development only: npm install ${COMPOSER}`,
    { cause },
  );
}

/** Loaded only where it is used: it is large, and it reports home unless disabled before it is loaded. */
async function loadComposer(): Promise<ComposerModule> {
  // oxlint-disable-next-line node/no-process-env -- a library reads it; it has no other switch
  process.env['APOLLO_TELEMETRY_DISABLED'] = 'true';
  return import('@apollo/gateway');
}

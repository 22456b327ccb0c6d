import { setTimeout as delay } from 'node:timers/promises';
import { USER_CONTEXT_HEADER } from '@trellis/subgraph-protocol';
import { v7 } from 'uuid';
import {
  contentServices,
  type ContentService,
  type ContentServices,
} from '../../harness/content-services.ts';

/** What readers got while something was broken. */
export interface ReaderTally {
  reads: number;
  /** Responses that say with a path and a code which field failed, of a service whose database was unavailable. */
  fieldErrors: number;
  /** Responses that were anything else than data and errors in the shape of the graph, or did not come. */
  misshapenResponses: number;
  /** Errors of services whose own database was there. */
  failuresElsewhere: number;
}

/** Reads from all services. */
export interface Reader {
  readonly tally: ReaderTally;
  /** Reads while the work goes on; the databases of `victims` may fail. */
  readDuring<Result>(victims: readonly ContentService[], work: () => Promise<Result>): Promise<Result>;
}

interface GraphResponse {
  readonly data?: unknown;
  readonly errors?: readonly { readonly path?: unknown; readonly extensions?: { readonly code?: unknown } }[];
}

/** Each is answered from the service's own database alone. */
const QUERIES = {
  users: '{ users(limit: 1) { id } }',
  posts: '{ posts(first: 1) { id } }',
  comments: `{ _entities(representations: [{ __typename: "TextComment", id: "${v7()}" }]) { __typename } }`,
  search: '{ search(query: "nobodywrotethis") { __typename } }',
} as const;
const RESPONSE_MS = 20_000;
const PAUSE_MS = 50;

/** Makes a reader, who has read nothing yet. */
export function createReader(services: ContentServices): Reader {
  const tally: ReaderTally = { reads: 0, fieldErrors: 0, misshapenResponses: 0, failuresElsewhere: 0 };

  async function read(service: ContentService, mayFail: boolean): Promise<void> {
    const result = await ask(services, service).catch(() => undefined);
    tally.reads += 1;
    if (!result || !isWellShaped(result)) tally.misshapenResponses += 1;
    else if (result.errors && mayFail) tally.fieldErrors += 1;
    else if (result.errors) tally.failuresElsewhere += 1;
  }

  return {
    tally,
    readDuring: async (victims, work) => {
      const over = new AbortController();
      const reading = contentServices.map(async (service) => {
        while (!over.signal.aborted) {
          await read(service, victims.includes(service));
          await delay(PAUSE_MS);
        }
      });
      try {
        return await work();
      } finally {
        over.abort();
        await Promise.all(reading);
      }
    },
  };
}

async function ask({ instances, keys }: ContentServices, service: ContentService): Promise<GraphResponse> {
  const response = await fetch(`${instances[service][0]?.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      [USER_CONTEXT_HEADER]: await keys.sign(service, { scopes: ['read:data'] }),
    },
    body: JSON.stringify({ query: QUERIES[service] }),
    signal: AbortSignal.timeout(RESPONSE_MS),
  });
  return (await response.json()) as GraphResponse;
}

function isWellShaped({ data, errors = [] }: GraphResponse): boolean {
  const isFieldError = ({ path, extensions }: NonNullable<GraphResponse['errors']>[number]): boolean =>
    Array.isArray(path) && extensions?.code === 'INTERNAL_SERVER_ERROR';
  return data !== undefined && errors.every(isFieldError);
}

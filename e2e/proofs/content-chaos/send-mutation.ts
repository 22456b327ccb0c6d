import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '@trellis/demo-data';
import { USER_CONTEXT_HEADER, type UserContext } from '@trellis/subgraph-protocol';
import { v7 } from 'uuid';
import type { ContentService, ContentServices } from '../../harness/content-services.ts';

/** A mutation for one service. */
export interface Mutation {
  readonly service: ContentService;
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** What came of a mutation that was answered. */
export interface MutationOutcome {
  /** Null when it was rejected. */
  readonly data: Readonly<Record<string, unknown>> | null;
  /** Codes of the errors, none of which is INTERNAL_SERVER_ERROR. */
  readonly codes: readonly string[];
}

/** Sends mutations as one user, each until it is answered. */
export interface Sender {
  send(mutation: Mutation): Promise<MutationOutcome>;
  /** How often something had to be sent again. */
  readonly retries: number;
}

interface GraphResponse {
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly { readonly extensions: { readonly code: string } }[];
}

const GIVE_UP_MS = 120_000;
const ATTEMPT_MS = 8_000;
const PAUSE_MS = 50;

/**
 * Makes a sender that behaves as a careful client does: the same idempotency key with every attempt, at whichever process
 * of the service, until someone says what came of it.
 */
export function createSender(services: ContentServices, userId: string, random: Random): Sender {
  const user = { id: userId, roles: ['ADMIN'], tokenIssuedAt: 0 };
  const context: UserContext = { user, scopes: ['read:data', 'write:data'] };
  let retries = 0;

  async function attempt({ service, query, variables }: Mutation, key: string): Promise<GraphResponse> {
    const { url } = random.pick(services.instances[service]);
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': key,
        [USER_CONTEXT_HEADER]: await services.keys.sign(service, context),
      },
      body: JSON.stringify({ query, variables }),
      signal: AbortSignal.timeout(ATTEMPT_MS),
    });
    return (await response.json()) as GraphResponse;
  }

  return {
    get retries() {
      return retries;
    },
    send: async (mutation) => {
      const key = v7();
      const end = Date.now() + GIVE_UP_MS;
      for (;;) {
        const result = await attempt(mutation, key).catch((error: unknown) => String(error));
        const codes = typeof result === 'string' ? [result] : codesOf(result);
        if (typeof result !== 'string' && !codes.includes('INTERNAL_SERVER_ERROR'))
          return { data: result.data, codes };
        if (Date.now() > end) throw new Error(`No response to ${mutation.query}: ${codes.join(', ')}`);
        retries += 1;
        await delay(PAUSE_MS);
      }
    },
  };
}

function codesOf({ errors = [] }: GraphResponse): readonly string[] {
  return errors.map(({ extensions }) => extensions.code);
}

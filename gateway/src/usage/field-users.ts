import { Kind, type DocumentNode, type GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import { clientSoftwareOf } from '../identity/caller.ts';
import type { Operation } from '../operation/operation.ts';
import type { PipelineResult } from '../pipeline/operation-result.ts';
import type { FieldUser } from '../pipeline/services.ts';
import type { RequestContext } from '../request/context.ts';
import { documentFields } from './document-fields.ts';
import type { UsageRecorder } from './usage-recorder.ts';

/** Operations that are remembered: those that were sent last. */
const MAX_OPERATIONS = 1_000;
/** Clients of an operation; further ones are not listed. */
const MAX_CLIENTS = 50;

interface SentOperation {
  /** `User.name`. */
  readonly fields: ReadonlySet<string>;
  readonly clients: Map<string, { name: string; version: string; requests: number; lastMs: number }>;
}

/** Records usage, and knows who has used a field since the start of the process. For a developer's gateway: it visits each document. */
export class FieldUsers implements UsageRecorder {
  readonly #recorder: UsageRecorder;
  readonly #operations = new LRUCache<string, SentOperation>({ max: MAX_OPERATIONS });

  constructor(recorder: UsageRecorder) {
    this.#recorder = recorder;
  }

  record(context: RequestContext, result: PipelineResult, sinceMs: number): void {
    this.#recorder.record(context, result, sinceMs);
    const { admitted } = result.kind === 'parts' ? result.initial : result;
    if (!admitted) return;
    const { operation, supergraph, caller } = admitted;
    const { clients } = this.#sent(operation, supergraph.schema);
    const client = clientSoftwareOf(context);
    const name = client?.name ?? caller.context.clientId ?? 'unknown';
    const version = client?.version ?? '';
    const key = JSON.stringify([name, version]);
    const known = clients.get(key);
    if (!known && clients.size >= MAX_CLIENTS) return;
    clients.set(key, { name, version, requests: (known?.requests ?? 0) + 1, lastMs: Date.now() });
  }

  usersOf(field: string): readonly FieldUser[] {
    const users = new Map<string, { name: string; version: string; requests: number; lastMs: number }>();
    for (const { fields, clients } of this.#operations.values()) {
      if (!fields.has(field)) continue;
      for (const [key, { name, version, requests, lastMs }] of clients) {
        const before = users.get(key) ?? { requests: 0, lastMs: 0 };
        const latestMs = Math.max(before.lastMs, lastMs);
        users.set(key, { name, version, requests: before.requests + requests, lastMs: latestMs });
      }
    }
    return [...users.values()]
      .toSorted((left, right) => right.requests - left.requests)
      .map(({ name, version, requests, lastMs }) => ({
        name,
        version,
        requests,
        lastUsed: new Date(lastMs).toISOString(),
      }));
  }

  close(): Promise<void> {
    return this.#recorder.close();
  }

  #sent(operation: Operation, schema: GraphQLSchema): SentOperation {
    const known = this.#operations.get(operation.key);
    if (known) return known;
    const sent: SentOperation = { fields: fieldsOf(operation, schema), clients: new Map() };
    this.#operations.set(operation.key, sent);
    return sent;
  }
}

function fieldsOf({ definition, fragments }: Operation, schema: GraphQLSchema): ReadonlySet<string> {
  const document: DocumentNode = { kind: Kind.DOCUMENT, definitions: [definition, ...fragments.values()] };
  return documentFields(document, schema);
}

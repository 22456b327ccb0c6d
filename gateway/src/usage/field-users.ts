import { Kind, type DocumentNode, type GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import { clientSoftwareOf } from '../identity/caller.ts';
import type { Operation } from '../operation/operation.ts';
import type { PipelineResult } from '../pipeline/operation-result.ts';
import type { FieldUse, UsageRecording } from '../pipeline/services.ts';
import type { RequestContext } from '../request/context.ts';
import { documentFields } from './document-fields.ts';
import { listUsers, toFieldUser, type CountedClient, type ListedUsers } from './listed-users.ts';
import type { UsersExchange } from './users-exchange.ts';

/** Operations that are remembered: those that were sent last. */
const MAX_OPERATIONS = 1_000;
/** Clients of an operation; further ones are not listed. */
const MAX_CLIENTS = 50;

/** Of a client's name; headers that name one have no more. */
const MAX_CHARACTERS = 100;

interface SentOperation {
  /** `User.name`. */
  readonly fields: ReadonlySet<string>;
  readonly clients: Map<string, CountedClient>;
}

/** Records usage, and knows who has used a field since the start of the process, and of the other workers. For a developer's gateway: it visits each document. */
export class FieldUsers implements UsageRecording {
  readonly #recorder: UsageRecording;
  readonly #exchange: UsersExchange | undefined;
  readonly #operations = new LRUCache<string, SentOperation>({ max: MAX_OPERATIONS });

  /** @param openExchange with the other workers; undefined where there are none */
  constructor(
    recorder: UsageRecording,
    openExchange: (own: (field: string) => ListedUsers) => UsersExchange | undefined,
  ) {
    this.#recorder = recorder;
    this.#exchange = openExchange((field) => this.#ownUsersOf(field));
  }

  record(context: RequestContext, result: PipelineResult, sinceMs: number): void {
    this.#recorder.record(context, result, sinceMs);
    const { admitted } = result.kind === 'parts' ? result.initial : result;
    if (!admitted) return;
    const { operation, supergraph, caller } = admitted;
    const { clients } = this.#sent(operation, supergraph.schema);
    const client = clientSoftwareOf(context);
    const name = client?.name ?? caller.context.clientId?.slice(0, MAX_CHARACTERS) ?? 'unknown';
    const version = client?.version ?? '';
    const key = JSON.stringify([name, version]);
    const known = clients.get(key);
    if (!known && clients.size >= MAX_CLIENTS) return;
    clients.set(key, { name, version, requests: (known?.requests ?? 0) + 1, lastMs: Date.now() });
  }

  async usersOf(field: string): Promise<FieldUse> {
    const others = await this.#exchange?.usersOf(field);
    const listed = listUsers([this.#ownUsersOf(field), ...(others?.listed ?? [])]);
    return { ...listed, missingWorkers: others?.missing ?? 0 };
  }

  /** Those who have sent it to this process. */
  #ownUsersOf(field: string): ListedUsers {
    const sent = [...this.#operations.values()].filter(({ fields }) => fields.has(field));
    const users = sent.flatMap(({ clients }) => [...clients.values()].map(toFieldUser));
    return listUsers([{ users, further: 0 }]);
  }

  /** Is no longer asked by other workers. */
  close(): void {
    this.#exchange?.close();
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

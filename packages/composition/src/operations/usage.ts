import { parse, validate, type DocumentNode, type GraphQLSchema } from 'graphql';
import { ownCodes, type Diagnostic } from '../diagnostic.ts';
import { InputIndex, operationUses, type OperationUses } from './operation-uses.ts';
import type { OperationClient, RecordedOperation, RecordedOperations } from './recorded-operation.ts';

/** Whose operations count. */
export interface UsageRules {
  /** Names of clients that do not. @default none */
  readonly excludedClients?: readonly string[] | undefined;
  /** Operations that no client has sent since do not count. @default all count */
  readonly since?: Date | undefined;
}

/** An operation in use. */
export interface UsedOperation {
  readonly recorded: RecordedOperation;
  readonly document: DocumentNode;
  readonly uses: OperationUses;
  /** Of the clients that count. */
  readonly clients: readonly OperationClient[];
}

/** The operations in use of a graph, by what they use. */
export class Usage {
  readonly operations: readonly UsedOperation[];
  /** Operations whose text is none. */
  readonly unreadable: readonly RecordedOperation[];
  readonly isComplete: boolean;
  /** Files that are damaged, and operations whose text is none. */
  readonly problems: readonly Diagnostic[];
  readonly requests: number;
  readonly #before: GraphQLSchema;
  readonly #after: GraphQLSchema;
  readonly #byCoordinate = new Map<string, UsedOperation[]>();
  readonly #invalid = new Map<UsedOperation, boolean>();

  constructor(
    recorded: RecordedOperations,
    before: GraphQLSchema,
    after: GraphQLSchema,
    rules: UsageRules = {},
  ) {
    const inputs = new InputIndex();
    const unreadable: RecordedOperation[] = [];
    const operations: UsedOperation[] = [];
    for (const operation of recorded.operations) {
      const clients = countingClients(operation, rules);
      if (clients.length === 0 && operation.clients.length > 0) continue;
      const document = tryParse(operation.document);
      if (document)
        operations.push({
          recorded: operation,
          document,
          clients,
          uses: operationUses(document, before, inputs),
        });
      else unreadable.push(operation);
    }
    this.operations = operations;
    this.unreadable = unreadable;
    this.isComplete = recorded.isComplete && unreadable.length === 0;
    this.problems = [...(recorded.problems ?? []), ...unreadable.map(problemOf)];
    this.requests = operations.reduce((sum, operation) => sum + requestsOf(operation), 0);
    this.#before = before;
    this.#after = after;
    for (const operation of operations) this.#index(operation);
  }

  /** The operations that use any of these. */
  using(coordinates: readonly string[]): readonly UsedOperation[] {
    return [...new Set(coordinates.flatMap((coordinate) => this.#byCoordinate.get(coordinate) ?? []))];
  }

  /** Whether an operation that was valid is not any more. */
  becomesInvalid(operation: UsedOperation): boolean {
    const known = this.#invalid.get(operation);
    if (known !== undefined) return known;
    const { document } = operation;
    const becomes = !isValid(document, this.#after) && isValid(document, this.#before);
    this.#invalid.set(operation, becomes);
    return becomes;
  }

  #index(operation: UsedOperation): void {
    const { coordinates, sent } = operation.uses;
    for (const coordinate of new Set([...coordinates, ...sent, ...(operation.recorded.inputs ?? [])])) {
      const known = this.#byCoordinate.get(coordinate);
      if (known) known.push(operation);
      else this.#byCoordinate.set(coordinate, [operation]);
    }
  }
}

/** How often the clients that count have sent an operation. */
export function requestsOf({ clients }: Pick<UsedOperation, 'clients'>): number {
  return clients.reduce((sum, { requests }) => sum + requests, 0);
}

function countingClients(
  { clients }: RecordedOperation,
  { excludedClients = [], since }: UsageRules,
): readonly OperationClient[] {
  return clients.filter(
    ({ name, lastUsed }) =>
      !excludedClients.includes(name) && !(since && lastUsed !== undefined && new Date(lastUsed) < since),
  );
}

function problemOf({ id }: RecordedOperation): Diagnostic {
  const message = `The text of the operation ${id} is no GraphQL: what it uses is not known.`;
  return { code: ownCodes.INVALID_OPERATIONS, message, locations: [] };
}

function tryParse(text: string): DocumentNode | undefined {
  try {
    return parse(text, { noLocation: true, maxTokens: 100_000 });
  } catch {
    return undefined;
  }
}

function isValid(document: DocumentNode, schema: GraphQLSchema): boolean {
  return validate(schema, document, undefined, { maxErrors: 1 }).length === 0;
}

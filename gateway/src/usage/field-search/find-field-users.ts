import {
  buildSchema,
  isInterfaceType,
  isObjectType,
  Kind,
  parse,
  type DocumentNode,
  type GraphQLSchema,
} from 'graphql';
import { selectsField, type WantedField } from '../document-fields.ts';
import type { ReadInterval, ReadUsage, RecordedOperation } from './recorded-interval.ts';
import type { FieldSearch, RecordedUse, SearchOutcome, UsingClient, UsingOperation } from './recorded-use.ts';
import { readUsageFolder } from './read-usage-folder.ts';
import { readUsageTables } from './read-usage-tables.ts';

/** Operations, and clients of each, that a search names. */
const [MAX_OPERATIONS, MAX_CLIENTS] = [100, 50];
/** Documents that a search reads: with more, something is missing. */
const MAX_DOCUMENTS = 50_000;
const MAX_TOKENS = 20_000;
/** Operations whose texts are fetched at once. */
const BATCH = 100;

/** Looks through recorded usage for operations that use a field, the newest interval first, for as long as it may. */
export async function findFieldUsers(search: FieldSearch): Promise<SearchOutcome> {
  const { type: typeName, field, sdl, budgetMs } = search;
  const endsMs = performance.now() + budgetMs;
  const schema = buildSchema(sdl, { assumeValid: true, assumeValidSDL: true, noLocation: true });
  const type = schema.getType(typeName);
  const isComposite = isObjectType(type) || isInterfaceType(type);
  if (!isComposite || !Object.hasOwn(type.getFields(), field)) return { kind: 'unknown field' };
  const found = new FoundUse(schema, { type, field }, endsMs);
  try {
    for await (const read of usageOf(search, endsMs)) if (!(await found.add(read))) break;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (!found.hasRead) return { kind: 'unreadable', message };
    found.miss();
    return { kind: 'found', use: found.result, interruption: message };
  }
  return { kind: 'found', use: found.result };
}

function usageOf({ database, directory, sinceMs }: FieldSearch, endsMs: number): AsyncGenerator<ReadUsage> {
  return database === undefined
    ? readUsageFolder(directory ?? '', sinceMs)
    : readUsageTables(database, sinceMs, endsMs);
}

const NO_TEXTS: ReadonlyMap<string, string> = new Map();

interface FoundOperation {
  readonly name: string;
  readonly clients: Map<string, UsingClient>;
}

/** Adds up what is read. */
class FoundUse {
  readonly #schema: GraphQLSchema;
  readonly #wanted: WantedField;
  readonly #endsMs: number;
  /** By id; undefined for one that does not use the field. */
  readonly #operations = new Map<string, FoundOperation | undefined>();
  #isComplete = true;
  #requests = 0;
  #from: Date | undefined;
  #to: Date | undefined;

  constructor(schema: GraphQLSchema, wanted: WantedField, endsMs: number) {
    this.#schema = schema;
    this.#wanted = wanted;
    this.#endsMs = endsMs;
  }

  /** @returns false when its deadline has passed: then the rest is missing */
  async add(read: ReadUsage): Promise<boolean> {
    if (read === 'missing' || !read.isComplete) this.miss();
    if (read !== 'missing') await this.#addInterval(read);
    if (this.#isOver) this.miss();
    return !this.#isOver;
  }

  get hasRead(): boolean {
    return this.#from !== undefined;
  }

  /** Something is missing. */
  miss(): void {
    this.#isComplete = false;
  }

  get result(): RecordedUse {
    const operations = [...this.#operations]
      .flatMap(([id, found]) => (found ? [usingOperation(id, found)] : []))
      .toSorted((left, right) => right.requests - left.requests);
    return {
      field: `${this.#wanted.type.name}.${this.#wanted.field}`,
      from: this.#from?.toISOString(),
      to: this.#to?.toISOString(),
      complete: this.#isComplete && this.#from !== undefined,
      requests: this.#requests,
      requestsWithField: sumOf(operations),
      operations: operations.slice(0, MAX_OPERATIONS),
      further: Math.max(0, operations.length - MAX_OPERATIONS),
    };
  }

  get #isOver(): boolean {
    return performance.now() >= this.#endsMs;
  }

  /** The end is looked at after each operation: one can have thousands of fields. */
  async #addInterval(interval: ReadInterval): Promise<void> {
    const { operations } = interval;
    for (let index = 0; index < operations.length; index += BATCH) {
      const batch = operations.slice(index, index + BATCH);
      const ids = batch.map(({ id }) => id).filter((id) => !this.#operations.has(id));
      const texts = ids.length > 0 ? await interval.documents(ids) : NO_TEXTS;
      this.#widen(interval);
      for (const operation of batch) {
        this.#count(operation, texts);
        if (this.#isOver) return this.miss();
      }
    }
    this.#widen(interval);
  }

  #widen({ from, to }: ReadInterval): void {
    if (this.#from === undefined || from < this.#from) this.#from = from;
    if (this.#to === undefined || to > this.#to) this.#to = to;
  }

  #count(operation: RecordedOperation, texts: ReadonlyMap<string, string>): void {
    const requests = sumOf(operation.clients);
    this.#requests += requests;
    const found = this.#look(operation, texts);
    if (!found) return;
    for (const client of operation.clients) addClient(found.clients, client);
  }

  /** Each document is read once. */
  #look({ id }: RecordedOperation, texts: ReadonlyMap<string, string>): FoundOperation | undefined {
    if (this.#operations.has(id)) return this.#operations.get(id);
    if (this.#operations.size >= MAX_DOCUMENTS) {
      this.miss();
      return undefined;
    }
    const document = tryParse(texts.get(id));
    if (!document) this.miss();
    const uses = document && selectsField(document, this.#schema, this.#wanted);
    const found = uses ? { name: nameOf(document), clients: new Map<string, UsingClient>() } : undefined;
    this.#operations.set(id, found);
    return found;
  }
}

function addClient(
  clients: Map<string, UsingClient>,
  { name, version = '', requests, lastUsed }: RecordedOperation['clients'][number],
): void {
  const key = JSON.stringify([name, version]);
  const known = clients.get(key);
  clients.set(key, {
    name,
    version,
    requests: requests + (known?.requests ?? 0),
    lastUsed: later(known?.lastUsed, lastUsed),
  });
}

function later(left: string | undefined, right: string | undefined): string | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return Date.parse(left) > Date.parse(right) ? left : right;
}

function usingOperation(id: string, { name, clients }: FoundOperation): UsingOperation {
  const all = [...clients.values()].toSorted((left, right) => right.requests - left.requests);
  return { id, name, requests: sumOf(all), clients: all.slice(0, MAX_CLIENTS) };
}

function sumOf(counts: readonly { readonly requests: number }[]): number {
  return counts.reduce((sum, { requests }) => sum + requests, 0);
}

function tryParse(text: string | undefined): DocumentNode | undefined {
  try {
    return text === undefined ? undefined : parse(text, { noLocation: true, maxTokens: MAX_TOKENS });
  } catch {
    return undefined;
  }
}

function nameOf({ definitions }: DocumentNode): string {
  const operation = definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  return operation?.name?.value ?? '';
}

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { buildSubgraphSchema } from '@apollo/subgraph';
import {
  getNamedType,
  getOperationAST,
  graphql,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredInputField,
  isUnionType,
  OperationTypeNode,
  parse,
  subscribe,
  typeFromAST,
  validate,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type TypeNode,
} from 'graphql';

/** Whether fields that may be null are. */
export type Nulls = 'null' | 'value';

/** A subgraph of which one version is running at a time, or none. */
export interface VersionServer {
  readonly url: string;
  run(version: 'before' | 'after', nulls: Nulls): void;
  /** How many operations have come. */
  requests(): number;
  /** How many subscriptions it is sending events to. */
  streams(): number;
  close(): Promise<void>;
}

type Value = Readonly<Record<string, unknown>>;

/** Starts a subgraph; a version without a schema does not respond. */
export async function startVersions(
  before: string | undefined,
  after: string | undefined,
): Promise<VersionServer> {
  let nulls: Nulls = 'value';
  const versions = {
    before: before === undefined ? undefined : versionOf(before, () => nulls),
    after: after === undefined ? undefined : versionOf(after, () => nulls),
  };
  let running = versions.before;
  const asked = { requests: 0, streams: 0 };
  const server = createServer((request, response) => {
    respond(request, response, running, asked).catch(() => response.destroy()); // the caller has left
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    url: `http://127.0.0.1:${port}/graphql`,
    requests: () => asked.requests,
    streams: () => asked.streams,
    run(version, chosen) {
      running = versions[version];
      nulls = chosen;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Asked {
  requests: number;
  streams: number;
}

interface Body {
  readonly query: string;
  readonly variables?: Record<string, unknown>;
}

/** A request to upgrade is responded to like any other: subscriptions come by POST. */
async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  schema: GraphQLSchema | undefined,
  asked: Asked,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer); // without an encoding
  if (request.method !== 'POST' || !schema) {
    response.writeHead(request.method === 'POST' ? 404 : 405).end();
    return;
  }
  asked.requests += 1;
  const { query, variables } = JSON.parse(Buffer.concat(chunks).toString()) as Body; // what the gateway sends
  const isSubscription = getOperationAST(parse(query))?.operation === OperationTypeNode.SUBSCRIPTION;
  if (isSubscription) return sendEvents(response, schema, { query, ...(variables && { variables }) }, asked);
  const result = await graphql({ schema, source: query, variableValues: variables });
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(result));
}

/** Server-sent events, until the caller leaves. */
async function sendEvents(
  response: ServerResponse,
  schema: GraphQLSchema,
  { query, variables }: Body,
  asked: Asked,
): Promise<void> {
  const document = parse(query);
  const problems = validate(schema, document);
  const events =
    problems.length > 0
      ? { errors: problems }
      : await subscribe({ schema, document, ...(variables && { variableValues: variables }) });
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (result: object): void =>
    void response.write(`event: next\ndata: ${JSON.stringify(result)}\n\n`);
  asked.streams += 1;
  if (!(Symbol.asyncIterator in events)) send(events);
  else
    for await (const result of events) {
      if (response.destroyed) break;
      send(result);
    }
  asked.streams -= 1;
  response.end('event: complete\ndata:\n\n');
}

/** For those who come later. */
async function* regularEvents(): AsyncGenerator<Value> {
  for (;;) {
    yield {};
    await wait(EVENT_INTERVAL_MS);
  }
}

const EVENT_INTERVAL_MS = 20;

/** Responds with the last of what a type allows, and holds callers to keys and requirements. */
function versionOf(sdl: string, nulls: () => Nulls): GraphQLSchema {
  // buildSubgraphSchema knows the directive only where a schema defines it.
  const document = parse(sdl.includes('@oneOf') ? `${sdl}\ndirective @oneOf on INPUT_OBJECT` : sdl);
  const schema = buildSubgraphSchema({ typeDefs: document });
  const keys = fieldSets(sdl, /(?:type|interface) (\w+)[^{]*?((?:@key\([^)]*\)\s*)+)/g);
  const requires = new Map(
    [...sdl.matchAll(/(\w+)(?:\([^)]*\))?: \S+ @requires\(fields: "([^"]*)"\)/g)].map(
      ([, field = '', set = '']) => [field, set.split(' ')],
    ),
  );
  for (const type of Object.values(schema.getTypeMap())) {
    if (isInterfaceType(type) && keys.has(type.name)) {
      const __typename = schema.getPossibleTypes(type).at(-1)?.name;
      const resolve = (reference: Value): Value => ({
        ...resolveReference(reference, keys.get(type.name)),
        __typename,
      });
      type.extensions = { ...type.extensions, apollo: { subgraph: { resolveReference: resolve } } };
    }
    if (!isObjectType(type) || type.name.startsWith('_')) continue;
    for (const field of Object.values(type.getFields())) {
      if (field.name.startsWith('_')) continue;
      if (type === schema.getSubscriptionType()) field.subscribe = regularEvents;
      field.resolve = (parent: Value | undefined) => {
        const missing = requires.get(field.name)?.find((name) => !Object.hasOwn(parent ?? {}, name));
        if (missing !== undefined) throw new Error(`${field.name} requires ${missing}.`);
        return parent && Object.hasOwn(parent, field.name)
          ? parent[field.name]
          : valueOf(field.type, schema, nulls());
      };
    }
    type.extensions = {
      ...type.extensions,
      apollo: {
        subgraph: {
          resolveReference: (reference: Value) => resolveReference(reference, keys.get(type.name)),
        },
      },
    };
  }
  return schema;
}

function fieldSets(sdl: string, pattern: RegExp): ReadonlyMap<string, readonly (readonly string[])[]> {
  return new Map(
    [...sdl.matchAll(pattern)].map(([, type = '', directives = '']) => [
      type,
      [...directives.matchAll(/@key\(fields: "([^"]*)"\)/g)].map(([, set = '']) => set.split(' ')),
    ]),
  );
}

function resolveReference(reference: Value, keys: readonly (readonly string[])[] | undefined): Value {
  const isFound = keys?.some((names) => names.every((name) => Object.hasOwn(reference, name)));
  if (!isFound) throw new Error('There is no such key.');
  return { ...reference };
}

function valueOf(type: GraphQLOutputType, schema: GraphQLSchema, nulls: Nulls): unknown {
  if (isNonNullType(type)) return valueOf(type.ofType, schema, 'value');
  if (isListType(type)) return [valueOf(type.ofType, schema, nulls)];
  const named = getNamedType(type);
  if (isEnumType(named)) return named.getValues().at(-1)?.value as unknown;
  if (isLeafType(named)) return nulls === 'null' ? null : leafOf(named.name);
  if (isUnionType(named) || isInterfaceType(named))
    return { __typename: schema.getPossibleTypes(named).at(-1)?.name };
  return { __typename: named.name };
}

function leafOf(name: string): unknown {
  return name === 'String' || name === 'ID' ? 'text' : 1;
}

/**
 * What a client may send: the last value of enums, and fields of inputs.
 *
 * @param isSparse whether only fields that are required are sent. @default false: every field
 */
export function exampleVariables(
  document: string,
  schema: GraphQLSchema,
  isSparse = false,
): Readonly<Record<string, unknown>> {
  const [operation] = parse(document).definitions;
  const definitions =
    operation && 'variableDefinitions' in operation ? (operation.variableDefinitions ?? []) : [];
  return Object.fromEntries(
    definitions.flatMap((definition) => {
      if (!('variable' in definition)) return [];
      const type = typeFromAST(schema, definition.type as TypeNode & { readonly kind: 'NamedType' }); // of any kind
      return type
        ? [[definition.variable.name.value, inputOf(type as unknown as GraphQLInputType, isSparse)]]
        : [];
    }),
  );
}

function inputOf(type: GraphQLInputType, isSparse: boolean): unknown {
  if (isListType(getNullableType(type))) return [];
  const named = getNamedType(type);
  if (isEnumType(named)) return named.getValues().at(-1)?.name;
  if (!isInputObjectType(named)) return named.name === 'String' || named.name === 'ID' ? 'text' : 1;
  const fields = Object.values(named.getFields());
  const chosen = isSparse ? fields.filter((field) => isRequiredInputField(field)) : fields;
  const sent = named.isOneOf ? fields.slice(0, 1) : chosen;
  return Object.fromEntries(sent.map((field) => [field.name, inputOf(field.type, isSparse)]));
}

import type { ServerResponse } from 'node:http';
import type { ReceivedRequest } from '../subgraph-server.ts';
import type { Random } from '@trellis/testkit/random';
import type { RunningGraph } from '../synthetic/start-graph.ts';

/** What a subgraph can do wrong with a request. */
export const faultKinds = [
  'errors without data',
  'no body',
  'status 500',
  'status 500 with errors',
  'invalid JSON',
  'dropped connection',
  'dropped after it was executed',
  'null entities',
  'an entity too few',
  'an entity too many',
] as const;

/**
 * What a subgraph does wrong for the whole of an operation and for both gateways. It follows from the request alone, and not from
 * how many there were: gateways need not ask in the same way.
 */
export interface RequestFault {
  readonly subgraph: string;
  readonly kind: (typeof faultKinds)[number];
  /** Whether requests for entities alone are concerned. */
  readonly ofEntities: boolean;
}

/** One fault, or two of different subgraphs. */
export function randomFaults({ servers }: RunningGraph, random: Random): readonly RequestFault[] {
  const first = random.pick([...servers.keys()]);
  const others = [...servers.keys()].filter((name) => name !== first);
  const subgraphs = random.chance(25) && others.length > 0 ? [first, random.pick(others)] : [first];
  return subgraphs.map((subgraph) => ({
    subgraph,
    kind: random.pick(faultKinds),
    ofEntities: random.chance(50),
  }));
}

/** Makes subgraphs behave so from now on; no faults, and they behave well. */
export function setRequestFaults({ servers, world }: RunningGraph, faults: readonly RequestFault[]): void {
  for (const [name, server] of servers) {
    const fault = faults.find(({ subgraph }) => subgraph === name);
    server.intercept(
      fault &&
        (async (request, response, execute) => {
          if (fault.ofEntities && !isForEntities(request)) return false;
          return misbehave(fault.kind, request, response, execute, (representation) =>
            isLost(world.instanceOf(representation).number),
          );
        }),
    );
  }
}

type Representation = Readonly<Record<string, unknown>>;

/** Every third instance is one that no subgraph with this fault knows. */
function isLost(number: number): boolean {
  return number % 3 === 0;
}

function isForEntities({ variables }: ReceivedRequest): boolean {
  return Array.isArray(variables['representations']);
}

async function misbehave(
  kind: RequestFault['kind'],
  request: ReceivedRequest,
  response: ServerResponse,
  execute: () => Promise<unknown>,
  isUnknown: (representation: Representation) => boolean,
): Promise<boolean> {
  switch (kind) {
    case 'errors without data':
      return send(response, 200, { data: null, errors: [{ message: 'Nothing works.' }] });
    case 'no body':
      return sendText(response, 200, '');
    case 'status 500':
      return sendText(response, 500, 'Internal Server Error', 'text/plain');
    case 'status 500 with errors':
      return send(response, 500, { errors: [{ message: 'Nothing works.' }] });
    case 'invalid JSON':
      return sendText(response, 200, '{"data": {');
    case 'dropped after it was executed':
      await execute();
      response.destroy();
      return true;
    case 'dropped connection':
      response.destroy();
      return true;
    case 'null entities':
      return isForEntities(request) && send(response, 200, withoutSome(request, await execute(), isUnknown));
    case 'an entity too few':
    case 'an entity too many':
      return isForEntities(request) && send(response, 200, resized(kind, await execute()));
    default:
      return kind satisfies never;
  }
}

function send(response: ServerResponse, status: number, body: unknown): true {
  return sendText(response, status, JSON.stringify(body));
}

function sendText(response: ServerResponse, status: number, text: string, type = 'application/json'): true {
  response.writeHead(status, { 'content-type': type }).end(text);
  return true;
}

interface EntitiesResult {
  readonly data?: { readonly _entities?: readonly unknown[] } | null;
}

function withoutSome(
  { variables }: ReceivedRequest,
  result: unknown,
  isUnknown: (representation: Representation) => boolean,
): unknown {
  const representations = variables['representations'] as readonly Representation[]; // the caller has looked
  const { data } = result as EntitiesResult; // what graphql-js made
  const entities = data?._entities?.map((entity, index) =>
    isUnknown(representations[index] ?? {}) ? null : entity,
  );
  return entities ? { ...(result as EntitiesResult), data: { ...data, _entities: entities } } : result;
}

function resized(kind: 'an entity too few' | 'an entity too many', result: unknown): unknown {
  const { data } = result as EntitiesResult; // what graphql-js made
  const entities = data?._entities;
  if (!entities) return result;
  const changed =
    kind === 'an entity too few' ? entities.slice(0, -1) : [...entities, ...entities.slice(0, 1)];
  return { ...(result as EntitiesResult), data: { ...data, _entities: changed } };
}

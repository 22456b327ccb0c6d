import { rejected } from '../../errors.ts';
import type { GraphRequest } from '../../request/context.ts';
import { FilePlaceholder } from '../../request/uploads.ts';
import { parseJsonText, readBody, type RequestBounds } from '../message/read-request.ts';

/** An operation whose variables have files, and the names of their parts. */
export interface UploadRequest {
  readonly request: GraphRequest;
  /** In the order of the map. */
  readonly keys: readonly string[];
}

/**
 * Reads the parts `operations` and `map`, and puts placeholders where files belong.
 *
 * @throws RequestError BAD_REQUEST, UPLOAD_NOT_FORWARDABLE for a batch, PAYLOAD_TOO_LARGE
 * @see https://github.com/jaydenseric/graphql-multipart-request-spec
 */
export function readUploadRequest(
  operations: string,
  map: string,
  bounds: RequestBounds,
  maxFiles: number,
): UploadRequest {
  const body = readBody(Buffer.from(operations), bounds);
  if (body.kind === 'batch')
    throw rejected('UPLOAD_NOT_FORWARDABLE', 'A batch has no files. Send the operation alone.');
  const { request } = body;
  const places = readMap(parseJsonText(map, 'map'));
  if (places.size > maxFiles)
    throw rejected('PAYLOAD_TOO_LARGE', `The map has ${places.size} files. The maximum is ${maxFiles}.`);
  for (const [key, paths] of places) {
    const file = new FilePlaceholder(key);
    for (const path of paths) placeFile(request.variables, path, file);
  }
  return { request, keys: [...places.keys()] };
}

/** Names of parts come back in errors. */
const MAX_KEY_CHARACTERS = 100;

function readMap(value: unknown): ReadonlyMap<string, readonly string[]> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidMap();
  const entries = Object.entries(value).map(([key, paths]) => {
    if (key.length > MAX_KEY_CHARACTERS) throw invalidMap();
    return [key, readPaths(paths)] as const;
  });
  return new Map(entries);
}

function readPaths(paths: unknown): readonly string[] {
  if (!Array.isArray(paths) || paths.length === 0) throw invalidMap();
  return paths.map((path: unknown) => {
    if (typeof path === 'string') return path;
    throw invalidMap();
  });
}

function invalidMap(): Error {
  return rejected(
    'BAD_REQUEST',
    'The part "map" is a JSON object of lists: the name of each file (at most 100 characters) with its places, such as ["variables.file"].',
  );
}

/** Only what the client has sent itself, as null, becomes a file. */
function placeFile(variables: GraphRequest['variables'], path: string, file: FilePlaceholder): void {
  const [root, ...names] = path.split('.');
  const last = names.pop();
  let holder: unknown = root === 'variables' ? variables : undefined;
  for (const name of names) holder = memberOf(holder, name);
  if (last === undefined || memberOf(holder, last) !== null)
    throw rejected('BAD_REQUEST', 'A place in the part "map" is not null in the part "operations".');
  (holder as Record<string, unknown>)[last] = file; // it has that member of its own
}

function memberOf(holder: unknown, name: string): unknown {
  return typeof holder === 'object' && holder !== null && Object.hasOwn(holder, name)
    ? (holder as Readonly<Record<string, unknown>>)[name] // its own, looked up above
    : undefined;
}

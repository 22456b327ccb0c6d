import { ownOf } from '@trellis/runtime/own-property';
import type { UploadErrorFactory } from './arriving-files.ts';

/** What {@link placeFiles} puts where. */
export interface UploadMapRules {
  readonly maxFiles: number;
  /** Stands for a file in the variables. */
  readonly fileOf: (key: string) => unknown;
  readonly errorOf: UploadErrorFactory;
}

/**
 * Reads the part `map` of a multipart request, and puts what stands for the files where they belong.
 *
 * @param variables of the request; changed in place
 * @returns the names of the files' parts, in the order of the map
 * @throws Error by the rules, BAD_REQUEST or PAYLOAD_TOO_LARGE
 * @see https://github.com/jaydenseric/graphql-multipart-request-spec
 */
export function placeFiles(variables: object, map: string, rules: UploadMapRules): readonly string[] {
  const { maxFiles, fileOf, errorOf } = rules;
  const places = readMap(map, errorOf);
  if (places.length > maxFiles)
    throw errorOf('PAYLOAD_TOO_LARGE', `The map has ${places.length} files. The maximum is ${maxFiles}.`);
  for (const [key, paths] of places) {
    const file = fileOf(key);
    for (const path of paths) placeFile(variables, path, file, errorOf);
  }
  return places.map(([key]) => key);
}

/** Names of parts come back in errors. */
const MAX_KEY_CHARACTERS = 100;

type Places = readonly (readonly [key: string, paths: readonly string[]])[];

function readMap(map: string, errorOf: UploadErrorFactory): Places {
  const value = parseMap(map, errorOf);
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
  const places = isMap ? Object.entries(value) : [];
  if (!isMap || !places.every(isPlace))
    throw errorOf(
      'BAD_REQUEST',
      'The part "map" is a JSON object of lists: the name of each file (at most 100 characters) with its places, such as ["variables.file"].',
    );
  return places; // as `isPlace` says of each
}

function parseMap(map: string, errorOf: UploadErrorFactory): unknown {
  try {
    return JSON.parse(map) as unknown;
  } catch {
    throw errorOf('BAD_REQUEST', 'The map is not valid JSON.');
  }
}

function isPlace([key, paths]: readonly [string, unknown]): boolean {
  const areTexts = Array.isArray(paths) && paths.every((path: unknown) => typeof path === 'string');
  return key.length <= MAX_KEY_CHARACTERS && areTexts && paths.length > 0;
}

/** Only what the client has sent itself, as null, becomes a file. */
function placeFile(variables: object, path: string, file: unknown, errorOf: UploadErrorFactory): void {
  const [root, ...names] = path.split('.');
  const last = names.pop();
  let holder: unknown = root === 'variables' ? variables : undefined;
  for (const name of names) holder = ownOf(holder, name);
  if (last === undefined || ownOf(holder, last) !== null)
    throw errorOf('BAD_REQUEST', 'A place in the part "map" is not null in the part "operations".');
  (holder as Record<string, unknown>)[last] = file; // it has that member of its own
}

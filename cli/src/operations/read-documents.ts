import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import {
  GraphQLError,
  Kind,
  parse,
  print,
  Source,
  visit,
  type DefinitionNode,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
} from 'graphql';
import { z } from 'zod';
import { OperationsProblem } from '../recorded/operations-problem.ts';

/** An operation that a client was built with. */
export interface ListedDocument {
  /** What the client sends in the place of the text. */
  readonly id: string;
  readonly name: string | undefined;
  readonly body: string;
  /** Where it stands: `src/Profile.graphql`, or the manifest; and the line, from 1. */
  readonly source: string;
  readonly line: number;
}

const [MAX_BYTES, MAX_OPERATIONS] = [32 * 1024 * 1024, 10_000];

const apolloManifest = z.object({
  format: z.literal('apollo-persisted-query-manifest'),
  version: z.literal(1),
  operations: z.array(z.object({ id: z.string().min(1).max(256), body: z.string().min(1) })),
});

/** Of Relay's compiler, and of graphql-codegen's persisted documents: texts by ids. */
const textsById = z.record(z.string().min(1).max(256), z.string().min(1));

/**
 * Reads the operations of a client: Apollo's persisted-query manifest, Relay's persisted queries, graphql-codegen's persisted documents,
 * or a folder of `.graphql` and `.gql` files, whose operations get the SHA-256 of their text as id.
 *
 * @throws OperationsProblem INVALID_LIST, DUPLICATE_ID with file and line; Error of node:fs
 */
export async function readDocuments(path: string): Promise<readonly ListedDocument[]> {
  const found = (await stat(path)).isDirectory() ? await readFolder(path) : await readManifest(path);
  if (found.length === 0) throw new OperationsProblem('INVALID_LIST', `${path} holds no operation.`);
  checkCount(path, found.length);
  return eachOnce(found);
}

function checkCount(path: string, count: number): void {
  if (count > MAX_OPERATIONS)
    throw new OperationsProblem('INVALID_LIST', `${path} holds more than ${MAX_OPERATIONS} operations.`);
}

async function readManifest(file: string): Promise<readonly ListedDocument[]> {
  const text = await readText(file);
  const entries = entriesOf(parseJson(file, text));
  if (!entries)
    throw new OperationsProblem(
      'INVALID_LIST',
      `${file} is neither a manifest of Apollo nor a map of ids to texts, as Relay and graphql-codegen write it.`,
    );
  checkCount(file, entries.length);
  const lines = linesOf(
    text,
    entries.map(({ id }) => id),
  );
  return entries.map(({ id, body }) => {
    const line = lines.get(id) ?? 1;
    const operation = definitionsOf(body, file, line).find((one) => one.kind === Kind.OPERATION_DEFINITION);
    if (!operation)
      throw new OperationsProblem('INVALID_LIST', `${file}:${line}: The text of ${id} has no operation.`);
    return { id, name: operation.name?.value, body, source: file, line };
  });
}

function entriesOf(value: unknown): readonly { readonly id: string; readonly body: string }[] | undefined {
  const apollo = apolloManifest.safeParse(value);
  if (apollo.success) return apollo.data.operations;
  const texts = textsById.safeParse(value);
  return texts.success ? Object.entries(texts.data).map(([id, body]) => ({ id, body })) : undefined;
}

/** Fragments may stand in any file: an operation takes those that it uses. */
async function readFolder(folder: string): Promise<readonly ListedDocument[]> {
  const names = (await readdir(folder, { recursive: true })).filter((name) =>
    /\.(?:graphql|gql)$/.test(name),
  );
  const files = names.toSorted().map((name) => join(folder, name));
  const fragments = new Map<string, FragmentDefinitionNode>();
  const operations: { readonly operation: OperationDefinitionNode; readonly file: string }[] = [];
  for (const file of files)
    for (const definition of definitionsOf(await readText(file), file, 1)) {
      if (definition.kind === Kind.OPERATION_DEFINITION) operations.push({ operation: definition, file });
      else if (definition.kind === Kind.FRAGMENT_DEFINITION) addFragment(fragments, definition, file);
      else
        throw new OperationsProblem(
          'INVALID_LIST',
          `${file}:${definition.loc?.startToken.line ?? 1}: This is neither an operation nor a fragment.`,
        );
    }
  return operations.map(({ operation, file }) => {
    const body = [operation, ...usedFragments(operation, fragments)].map(print).join('\n\n');
    return {
      id: createHash('sha256').update(body).digest('hex'),
      name: operation.name?.value,
      body,
      source: relative('.', file),
      line: operation.loc?.startToken.line ?? 1,
    };
  });
}

function addFragment(
  fragments: Map<string, FragmentDefinitionNode>,
  fragment: FragmentDefinitionNode,
  file: string,
): void {
  const { value } = fragment.name;
  const known = fragments.get(value);
  if (known && print(known) !== print(fragment))
    throw new OperationsProblem(
      'DUPLICATE_ID',
      `${file}:${fragment.loc?.startToken.line ?? 1}: There are two different fragments called ${value}.`,
    );
  fragments.set(value, fragment);
}

function usedFragments(
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): readonly FragmentDefinitionNode[] {
  const used = new Set<FragmentDefinitionNode>();
  const collect = (node: DefinitionNode): void => {
    visit(node, {
      FragmentSpread: ({ name }) => {
        const fragment = fragments.get(name.value);
        if (!fragment || used.has(fragment)) return;
        used.add(fragment);
        collect(fragment);
      },
    });
  };
  collect(operation);
  return [...used];
}

function definitionsOf(text: string, file: string, line: number): readonly DefinitionNode[] {
  try {
    return parse(new Source(text, file), { maxTokens: 100_000 }).definitions;
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    const within = line === 1 ? (error.locations?.[0]?.line ?? 1) : line;
    throw new OperationsProblem('INVALID_LIST', `${file}:${within}: ${error.message}`);
  }
}

function eachOnce(documents: readonly ListedDocument[]): readonly ListedDocument[] {
  const byId = new Map<string, ListedDocument>();
  for (const document of documents) {
    const { id, body, source, line } = document;
    const known = byId.get(id);
    if (known && known.body !== body)
      throw new OperationsProblem(
        'DUPLICATE_ID',
        `${source}:${line}: Two different texts have the id ${id}.`,
      );
    byId.set(id, known ?? document);
  }
  return [...byId.values()];
}

async function readText(file: string): Promise<string> {
  const { size } = await stat(file);
  if (size > MAX_BYTES) throw new OperationsProblem('INVALID_LIST', `${file} is larger than 32 MB.`);
  return readFile(file, 'utf8');
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new OperationsProblem('INVALID_LIST', `${file} is no JSON: ${(error as Error).message}`);
  }
}

/** Longer strings than an id in JSON are texts. */
const MAX_LITERAL = 2_000;
const [NEWLINE, QUOTE, BACKSLASH] = [10, 34, 92];

/** In which line of JSON each id first stands: in one pass, as a manifest is large. Absent: it is written otherwise. */
function linesOf(json: string, ids: readonly string[]): ReadonlyMap<string, number> {
  const wanted = new Map(ids.map((id) => [JSON.stringify(id), id]));
  const lines = new Map<string, number>();
  let [line, begin] = [1, -1];
  for (let index = 0; index < json.length; index += 1) {
    const character = json.charCodeAt(index);
    if (character === NEWLINE) line += 1;
    else if (character === BACKSLASH) index += 1;
    else if (character === QUOTE && begin < 0) begin = index;
    else if (character === QUOTE) {
      const id = index - begin < MAX_LITERAL ? wanted.get(json.slice(begin, index + 1)) : undefined;
      if (id !== undefined && !lines.has(id)) lines.set(id, line);
      begin = -1;
    }
  }
  return lines;
}

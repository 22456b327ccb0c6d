import { readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { z } from 'zod';
import { ownCodes, type Diagnostic } from '../diagnostic.ts';
import { FileProblems } from '../file-problems.ts';
import {
  apolloManifestSchema,
  headerSchema,
  operationSchema,
  relayManifestSchema,
  type OperationLine,
} from './operations-schema.ts';
import { mergeClients } from './merge-clients.ts';
import { listUsageFiles, type UsageFiles } from './usage-files.ts';
import type { RecordedOperation, RecordedOperations } from './recorded-operation.ts';

const MAX_BYTES = 256 * 1024 * 1024;
const inflate = promisify(gunzip);

/**
 * Reads files of recorded operations, each with or without gzip: JSON lines under a header
 * `{"format":"trellis-operations/1"}`, Apollo's persisted-query manifest, or Relay's map of ids to texts. Operations of
 * manifests have no clients: they are live. A folder stands for the files that gateways have written there.
 *
 * @throws FileProblems with every line that is none
 */
export async function readOperations(files: readonly string[]): Promise<RecordedOperations> {
  const found = await Promise.all(files.map(filesOf));
  const read = await Promise.all(found.flatMap((one) => one.files).map(readOne));
  return {
    operations: mergeEqual(read.flatMap(({ operations }) => operations)),
    isComplete: read.every(({ isComplete }) => isComplete) && found.every(({ killed }) => killed === 0),
  };
}

async function filesOf(path: string): Promise<UsageFiles> {
  const isFolder = (await stat(path)).isDirectory();
  return isFolder ? listUsageFiles(path) : { files: [path], killed: 0 };
}

async function readOne(file: string): Promise<RecordedOperations> {
  const bytes = await readFile(file);
  const text = await textOf(bytes).catch((error: Error) => {
    throw new FileProblems([problem(file, 1, `could not be unpacked (${error.message})`)]);
  });
  return /^\s*\{\s*"format"\s*:\s*"trellis-operations/.test(text)
    ? readLines(file, text)
    : readManifest(file, text);
}

async function textOf(bytes: Buffer): Promise<string> {
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return (isPacked ? await inflate(bytes, { maxOutputLength: MAX_BYTES }) : bytes).toString('utf8');
}

function readLines(file: string, text: string): RecordedOperations {
  const [first = '', ...rest] = text.split('\n');
  const header = parseLine(headerSchema, file, 1, first);
  const lines = rest
    .map((line, index) => ({ line, number: index + 2 }))
    .filter(({ line }) => line.trim() !== '');
  const parsed = lines.map(({ line, number }) => parseLine(operationSchema, file, number, line));
  const problems = [header, ...parsed].flatMap((one) => (one.kind === 'invalid' ? [one.problem] : []));
  if (problems.length > 0) throw new FileProblems(problems);
  return {
    operations: parsed.flatMap((one) => (one.kind === 'valid' ? [operationOf(one.value)] : [])),
    isComplete: header.kind === 'valid' && header.value.complete !== false,
  };
}

type Line<Value> =
  | { readonly kind: 'valid'; readonly value: Value }
  | { readonly kind: 'invalid'; readonly problem: Diagnostic };

function parseLine<Value>(schema: z.ZodType<Value>, file: string, line: number, text: string): Line<Value> {
  const value = parseJson(text);
  if (value === undefined)
    return { kind: 'invalid', problem: problem(file, line, 'is no JSON: the file may be cut off') };
  const parsed = schema.safeParse(value);
  if (parsed.success) return { kind: 'valid', value: parsed.data };
  const [issue] = parsed.error.issues;
  const where = issue && issue.path.length > 0 ? `${issue.path.join('.')}: ` : '';
  return { kind: 'invalid', problem: problem(file, line, `${where}${issue?.message ?? 'is no operation'}`) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function problem(source: string, line: number, message: string): Diagnostic {
  return { code: ownCodes.INVALID_OPERATIONS, message, locations: [{ source, line, column: 1 }] };
}

function operationOf({ inputs, clients = [], ...rest }: OperationLine): RecordedOperation {
  return { ...rest, clients, ...(inputs && { inputs: new Set(inputs) }) };
}

function readManifest(file: string, text: string): RecordedOperations {
  const value = parseJson(text);
  const apollo = apolloManifestSchema.safeParse(value);
  if (apollo.success) {
    const operations = apollo.data.operations.map(({ id, body, name }) => live(id, body, name));
    return { operations, isComplete: true };
  }
  const relay = relayManifestSchema.safeParse(value);
  if (relay.success)
    return { operations: Object.entries(relay.data).map(([id, body]) => live(id, body)), isComplete: true };
  throw new FileProblems([
    problem(
      file,
      1,
      'holds neither recorded operations (trellis-operations/1) nor a manifest of Apollo or Relay',
    ),
  ]);
}

function live(id: string, document: string, operationName?: string): RecordedOperation {
  return { id, document, clients: [], ...(operationName !== undefined && { operationName }) };
}

/** What several files say of one operation is one. */
function mergeEqual(operations: readonly RecordedOperation[]): readonly RecordedOperation[] {
  const byId = new Map<string, RecordedOperation>();
  for (const operation of operations) {
    const known = byId.get(operation.id);
    byId.set(operation.id, known ? merge(known, operation) : operation);
  }
  return [...byId.values()];
}

/** What one of them has not recorded is not known of both. */
function merge(left: RecordedOperation, right: RecordedOperation): RecordedOperation {
  const { inputs, slices, conditions, scopes } = left;
  return {
    ...left,
    clients: mergeClients([...left.clients, ...right.clients]),
    inputs: inputs && right.inputs && new Set([...inputs, ...right.inputs]),
    slices: slices && right.slices && distinct([...slices, ...right.slices]),
    conditions: conditions && right.conditions && distinct([...conditions, ...right.conditions]),
    scopes: scopes && right.scopes && distinct([...scopes, ...right.scopes]),
  };
}

function distinct<Value>(values: readonly Value[]): readonly Value[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

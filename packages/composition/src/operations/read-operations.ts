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
  type OperationsHeader,
} from './operations-schema.ts';
import { readCollectedUsage } from './collected-usage.ts';
import { OperationsMerge } from './operations-merge.ts';
import { isWithin, type UsageWindow } from './usage-window.ts';
import { listUsageFiles, type UsageFiles } from './usage-files.ts';
import type { RecordedOperation, RecordedOperations } from './recorded-operation.ts';

const MAX_BYTES = 256 * 1024 * 1024;
const inflate = promisify(gunzip);

/**
 * Reads files of recorded operations, each with or without gzip: JSON lines under a header
 * `{"format":"trellis-operations/1"}`, requests of OTLP as a collector's file exporter writes them, Apollo's persisted-query manifest, or
 * Relay's map of ids to texts. Operations of manifests have no clients: they are live. A folder stands for the files that gateways have
 * written there.
 *
 * @param window intervals outside of it are passed over. @default all
 * @throws FileProblems with every line that is none
 */
export async function readOperations(
  files: readonly string[],
  window: UsageWindow = {},
): Promise<RecordedOperations> {
  const merge = new OperationsMerge();
  for (const path of files) {
    const { files: found, killed } = await filesOf(path);
    merge.add({ operations: [], isComplete: killed === 0 });
    for (const file of found) merge.add(await readOne(file, window)); // one by one: a month has thousands
  }
  return merge.result;
}

/** One line of a file of recorded operations. @throws SyntaxError, or z.ZodError, where it is none */
export function operationOfLine(line: unknown): RecordedOperation {
  return operationOf(operationSchema.parse(line));
}

async function filesOf(path: string): Promise<UsageFiles> {
  const isFolder = (await stat(path)).isDirectory();
  return isFolder ? listUsageFiles(path) : { files: [path], killed: 0 };
}

const NOTHING: RecordedOperations = { operations: [], isComplete: true };

async function readOne(file: string, window: UsageWindow): Promise<RecordedOperations> {
  const bytes = await readFile(file);
  const text = await textOf(bytes).catch((error: Error) => {
    throw new FileProblems([problem(file, 1, `could not be unpacked (${error.message})`)]);
  });
  if (/^\s*\{\s*"format"\s*:\s*"trellis-operations/.test(text)) return readLines(file, text, window);
  return /^\s*\{\s*"resourceLogs"/.test(text) ? readCollected(file, text, window) : readManifest(file, text);
}

async function textOf(bytes: Buffer): Promise<string> {
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return (isPacked ? await inflate(bytes, { maxOutputLength: MAX_BYTES }) : bytes).toString('utf8');
}

function readLines(file: string, text: string, window: UsageWindow): RecordedOperations {
  const [first = '', ...rest] = text.split('\n');
  const header = parseLine(headerSchema, file, 1, first);
  if (header.kind === 'valid' && !isWithin(windowOf(header.value), window)) return NOTHING;
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

function windowOf({ from, to }: OperationsHeader): UsageWindow {
  return { from: from === undefined ? from : new Date(from), to: to === undefined ? to : new Date(to) };
}

function readCollected(file: string, text: string, window: UsageWindow): RecordedOperations {
  const collected = readCollectedUsage(text.split('\n'));
  if (typeof collected === 'number')
    throw new FileProblems([problem(file, collected, 'is no request of OTLP: the file may be cut off')]);
  const merge = new OperationsMerge();
  merge.add({ operations: [], isComplete: collected.isWhole });
  for (const { lines, isComplete, ...interval } of collected.intervals) {
    if (!isWithin(interval, window)) continue;
    const parsed = lines.map((line) => parseLine(operationSchema, file, 1, line));
    const problems = parsed.flatMap((one) => (one.kind === 'invalid' ? [one.problem] : []));
    if (problems.length > 0) throw new FileProblems(problems);
    const operations = parsed.flatMap((one) => (one.kind === 'valid' ? [operationOf(one.value)] : []));
    merge.add({ operations, isComplete });
  }
  return merge.result;
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
    const { retires } = apollo.data.trellis ?? {};
    if (retires !== undefined && new Date(retires) <= new Date()) return NOTHING;
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
      'holds neither recorded operations (trellis-operations/1, OTLP) nor a manifest of Apollo or Relay',
    ),
  ]);
}

function live(id: string, document: string, operationName?: string): RecordedOperation {
  return { id, document, clients: [], ...(operationName !== undefined && { operationName }) };
}

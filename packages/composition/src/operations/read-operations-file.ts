import { readFile } from 'node:fs/promises';
import { constants, gunzip } from 'node:zlib';
import { promisify } from 'node:util';
import type { z } from 'zod';
import { ownCodes, type Diagnostic } from '../diagnostic.ts';
import { readCollectedUsage } from './collected-usage.ts';
import { OperationsMerge } from './operations-merge.ts';
import {
  apolloManifestSchema,
  headerSchema,
  operationSchema,
  relayManifestSchema,
  type OperationLine,
  type OperationsHeader,
} from './operations-schema.ts';
import type { RecordedOperation, RecordedOperations } from './recorded-operation.ts';
import { isWithin, type UsageWindow } from './usage-window.ts';

const MAX_BYTES = 256 * 1024 * 1024;
const inflate = promisify(gunzip);

/** What a file holds, as far as it can be read. */
export interface ReadFile extends RecordedOperations {
  /** Of what can't be read. */
  readonly problems: readonly Diagnostic[];
}

/** What is wrong at a line, from 1. */
type ProblemAt = (line: number, message: string) => Diagnostic;

const NOTHING: ReadFile = { operations: [], isComplete: true, problems: [] };

/**
 * Reads one file, in any of the forms.
 *
 * @param name what problems call it
 * @param window a file of an interval outside of it has nothing, be it damaged or not
 */
export async function readOperationsFile(path: string, name: string, window: UsageWindow): Promise<ReadFile> {
  const problemAt: ProblemAt = (line, message) => ({
    code: ownCodes.INVALID_OPERATIONS,
    message,
    locations: [{ source: name, line, column: 1 }],
  });
  const unpacked = await unpack(await readFile(path));
  if (unpacked.kind === 'damaged')
    return { ...NOTHING, problems: [problemAt(1, `could not be unpacked (${unpacked.message})`)] };
  const read = readText(unpacked.text, window, problemAt);
  if (unpacked.kind === 'whole' || read === NOTHING) return read;
  const line = unpacked.text.split('\n').length;
  return {
    ...read,
    problems: [problemAt(line, 'could not be unpacked: the file is cut off'), ...read.problems],
  };
}

type Unpacked =
  | { readonly kind: 'whole'; readonly text: string }
  /** Whole lines. */
  | { readonly kind: 'cut-off'; readonly text: string }
  | { readonly kind: 'damaged'; readonly message: string };

async function unpack(bytes: Buffer): Promise<Unpacked> {
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  if (!isPacked) return { kind: 'whole', text: bytes.toString('utf8') };
  try {
    return { kind: 'whole', text: (await inflate(bytes, { maxOutputLength: MAX_BYTES })).toString('utf8') };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException; // zlib throws Errors
    return code === 'Z_BUF_ERROR' ? unpackBeginning(bytes) : { kind: 'damaged', message };
  }
}

/** Of a file that ends too early, whose checksum is missing. */
async function unpackBeginning(bytes: Buffer): Promise<Unpacked> {
  const options = { maxOutputLength: MAX_BYTES, finishFlush: constants.Z_SYNC_FLUSH };
  const text = (await inflate(bytes, options)).toString('utf8');
  return { kind: 'cut-off', text: text.slice(0, text.lastIndexOf('\n') + 1) };
}

function readText(text: string, window: UsageWindow, problemAt: ProblemAt): ReadFile {
  if (/^\s*\{\s*"format"\s*:\s*"trellis-operations/.test(text)) return readLines(text, window, problemAt);
  return /^\s*\{\s*"resourceLogs"/.test(text)
    ? readCollected(text, window, problemAt)
    : readManifest(text, problemAt);
}

function readLines(text: string, window: UsageWindow, problemAt: ProblemAt): ReadFile {
  const [first = '', ...rest] = text.split('\n');
  const header = parseLine(headerSchema, first, (message) => problemAt(1, message));
  if (header.kind === 'valid' && !isWithin(windowOf(header.value), window)) return NOTHING;
  const parsed = rest.flatMap((line, index) =>
    line.trim() === '' ? [] : [parseLine(operationSchema, line, (message) => problemAt(index + 2, message))],
  );
  return {
    operations: validOf(parsed).map(operationOf),
    isComplete: header.kind === 'valid' && header.value.complete !== false,
    problems: problemsOf([header, ...parsed]),
  };
}

function windowOf({ from, to }: OperationsHeader): UsageWindow {
  return { from: from === undefined ? from : new Date(from), to: to === undefined ? to : new Date(to) };
}

function readCollected(text: string, window: UsageWindow, problemAt: ProblemAt): ReadFile {
  const collected = readCollectedUsage(text.split('\n'));
  if (typeof collected === 'number')
    return {
      ...NOTHING,
      problems: [problemAt(collected, 'is no request of OTLP: the file may be cut off')],
    };
  const merge = new OperationsMerge();
  const problems: Diagnostic[] = [];
  merge.add({ operations: [], isComplete: collected.isWhole });
  for (const { lines, isComplete, ...interval } of collected.intervals) {
    if (!isWithin(interval, window)) continue;
    const parsed = lines.map((line) => parseLine(operationSchema, line, (message) => problemAt(1, message)));
    problems.push(...problemsOf(parsed));
    merge.add({ operations: validOf(parsed).map(operationOf), isComplete });
  }
  return { ...merge.result, problems };
}

type Line<Value> =
  | { readonly kind: 'valid'; readonly value: Value }
  | { readonly kind: 'invalid'; readonly problem: Diagnostic };

function parseLine<Value>(
  schema: z.ZodType<Value>,
  text: string,
  problemOf: (message: string) => Diagnostic,
): Line<Value> {
  const value = parseJson(text);
  if (value === undefined)
    return { kind: 'invalid', problem: problemOf('is no JSON: the file may be cut off') };
  const parsed = schema.safeParse(value);
  if (parsed.success) return { kind: 'valid', value: parsed.data };
  const [issue] = parsed.error.issues;
  const where = issue && issue.path.length > 0 ? `${issue.path.join('.')}: ` : '';
  return { kind: 'invalid', problem: problemOf(`${where}${issue?.message ?? 'is no operation'}`) };
}

function validOf<Value>(lines: readonly Line<Value>[]): readonly Value[] {
  return lines.flatMap((line) => (line.kind === 'valid' ? [line.value] : []));
}

function problemsOf(lines: readonly Line<unknown>[]): readonly Diagnostic[] {
  return lines.flatMap((line) => (line.kind === 'invalid' ? [line.problem] : []));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** An operation as a line has it. */
export function operationOf({ inputs, clients = [], ...rest }: OperationLine): RecordedOperation {
  return { ...rest, clients, ...(inputs && { inputs: new Set(inputs) }) };
}

function readManifest(text: string, problemAt: ProblemAt): ReadFile {
  const value = parseJson(text);
  const apollo = apolloManifestSchema.safeParse(value);
  if (apollo.success) {
    const { retires } = apollo.data.trellis ?? {};
    if (retires !== undefined && new Date(retires) <= new Date()) return NOTHING;
    return {
      ...NOTHING,
      operations: apollo.data.operations.map(({ id, body, name }) => live(id, body, name)),
    };
  }
  const relay = relayManifestSchema.safeParse(value);
  if (relay.success)
    return { ...NOTHING, operations: Object.entries(relay.data).map(([id, body]) => live(id, body)) };
  const message =
    'holds neither recorded operations (trellis-operations/1, OTLP) nor a manifest of Apollo or Relay';
  return { ...NOTHING, problems: [problemAt(1, message)] };
}

function live(id: string, document: string, operationName?: string): RecordedOperation {
  return { id, document, clients: [], ...(operationName !== undefined && { operationName }) };
}

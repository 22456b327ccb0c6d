import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { readSecretFile, type Environment } from '@trellis/runtime/secret-files';
import { isMap, isScalar, isSeq, LineCounter, parseDocument, visit, type Document } from 'yaml';
import { takeYamlValue } from './yaml-value.ts';

/** A YAML file whose values may name environment variables and other files. */
export interface YamlSource {
  /** Its content, with what the values name in their places; undefined where there are problems. */
  readonly value: unknown;
  /** Sentences, each with its place in the file. */
  readonly problems: readonly string[];
  /** The place of a value, as in `gateway.yaml:3`; the nearest one around it where there is no such value. */
  placeOf(path: readonly PropertyKey[]): string;
}

/** `${env.NAME}` and `${NAME}`, `${file.PATH}`; each with `:-text` for what is absent. */
const REFERENCE = /\$\{(?:(env|file)\.([^}]*?)|([A-Za-z_][A-Za-z0-9_]*))(?::-([^}]*))?\}/g;

/** The files that values of a YAML text name. @param file path of the text's own file */
export function filesNamedIn(text: string, file: string): readonly string[] {
  const named = [...text.matchAll(REFERENCE)].filter(([, kind]) => kind === 'file');
  return named.map(([, , path = '']) => resolve(dirname(file), path));
}

/**
 * Parses a YAML text. What values name is put into the parsed values, so that it can't change the structure of the file.
 *
 * @param file path of the text's file; relative paths in `${file.PATH}` start at its folder
 */
export function parseYamlSource(text: string, file: string, environment: Environment): YamlSource {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const absent: string[] = [];
  const placeAt = (offset: number): string => `${basename(file)}:${lines.linePos(offset).line}`;
  visit(document, {
    Scalar: (key, node) => {
      if (key === 'key' || typeof node.value !== 'string') return;
      const { value, missing } = substitute(node.value, file, environment);
      node.value = value;
      for (const problem of missing) absent.push(`${problem} (${placeAt(node.range?.[0] ?? 0)}).`);
    },
  });
  const { value, problems } = takeYamlValue(document, placeAt);
  return {
    problems: [...problems, ...absent],
    value: absent.length > 0 ? undefined : value,
    placeOf: (path) => placeAt(offsetOf(document, path)),
  };
}

interface Substituted {
  readonly value: unknown;
  readonly missing: readonly string[];
}

/** A value that is nothing but variables may become a number or a boolean; the content of a file stays a text. */
function substitute(text: string, file: string, environment: Environment): Substituted {
  const missing: string[] = [];
  const kinds = new Set<string>();
  const result = text.replaceAll(
    REFERENCE,
    (_whole, kind: string | undefined, named: string | undefined, bare: string, fallback?: string) => {
      kinds.add(kind ?? 'env');
      if (kind === 'file') return contentOf(resolve(dirname(file), named ?? ''), fallback, missing);
      const name = named ?? bare;
      const value = environment[name] || fallback;
      if (value === undefined) missing.push(`The environment variable ${name} is not set`);
      return value ?? '';
    },
  );
  return { value: kinds.has('env') && !kinds.has('file') ? plainValue(result) : result, missing };
}

function contentOf(path: string, fallback: string | undefined, missing: string[]): string {
  if (fallback !== undefined && !existsSync(path)) return fallback;
  const file = readSecretFile(path);
  if ('text' in file) return file.text;
  missing.push(`The file ${path} ${file.problem}`);
  return '';
}

function plainValue(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

/** Where the key of a value, or an element of a list, begins. */
function offsetOf({ contents }: Document, path: readonly PropertyKey[]): number {
  let node: unknown = contents;
  let offset = 0;
  for (const name of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && key.value === name);
      if (isScalar(pair?.key)) offset = pair.key.range?.[0] ?? offset;
      node = pair?.value;
    } else if (isSeq(node)) {
      node = node.items[Number(name)];
      if (isScalar(node) || isMap(node)) offset = node.range?.[0] ?? offset;
    } else return offset;
  }
  return offset;
}

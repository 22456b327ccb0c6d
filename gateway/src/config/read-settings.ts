import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Environment } from '@trellis/runtime';
import { ConfigError } from '@trellis/runtime/config-error';
import { fileFailure } from '@trellis/runtime/file-failure';
import { stampFile, type StampedFile } from '@trellis/runtime/watch-file';
import type { z } from 'zod';
import { callbackProblems, connectionProblems } from './connection-problems.ts';
import {
  InvalidManifest,
  listFiles,
  readListedOperations,
  type ListedOperations,
  type SafelistFiles,
} from '../caching/safelist.ts';
import { settingsSchema, type GatewaySettings } from '../settings/settings.ts';
import { filesNamedIn, parseYamlSource, type YamlSource } from './yaml-source.ts';

/** What `gateway.yaml` says, and the files that it names, as they were read at one time: what comes into force is what was found to be valid. */
export interface ReadSettings {
  readonly settings: GatewaySettings;
  readonly listed: ListedOperations;
  /** Every file that they were read from, as it was before. Folders are among them, for new files. */
  readonly files: readonly StampedFile[];
}

/**
 * Reads `gateway.yaml`. `${env.NAME}` in a value, or `${NAME}`, is the environment variable of that name, `${file.PATH}` the
 * content of a file; `${env.NAME:-text}` has a default.
 *
 * @param file path of the file
 * @param files gets each file before it is read, also where what is read turns out to be invalid
 * @throws ConfigError naming every problem at once, each with the place in the file
 */
export function readSettings(
  file: string,
  environment: Environment,
  files: StampedFile[] = [],
): ReadSettings {
  files.push(stampFile(file));
  const text = readText(file);
  files.push(...filesNamedIn(text, file).map(stampFile));
  const source = parseYamlSource(text, file, environment);
  if (source.problems.length > 0) throw new ConfigError(file, source.problems);
  const parsed = settingsSchema.safeParse(source.value ?? {});
  if (!parsed.success) throw new ConfigError(file, settingProblems(parsed.error, source));
  assertConnections(parsed.data, file, source);
  files.push(...registryFiles(parsed.data, file).map(stampFile)); // those are read where the registry is opened
  return { settings: parsed.data, listed: readValidLists(parsed.data, file, files), files };
}

/** The paths of the safelists' manifests, which are given relative to the configuration's. */
export function manifestFiles({ persistedQueries = {} }: GatewaySettings, file: string): SafelistFiles {
  const pathsOf = (manifests: readonly string[]): readonly string[] =>
    manifests.map((manifest) => resolve(dirname(file), manifest));
  const { manifests = [], clients = {}, lists } = persistedQueries;
  return {
    others: pathsOf(manifests),
    lists: lists === undefined ? undefined : resolve(dirname(file), lists),
    clients: new Map(Object.entries(clients).map(([name, own]) => [name, pathsOf(own.manifests)])),
  };
}

/** The keys that the registry's records and preview tokens are verified by. */
function registryFiles({ registry = {} }: GatewaySettings, file: string): readonly string[] {
  const named = [registry.trust, registry.previewKeys].filter((path) => path !== undefined);
  return named.map((path) => resolve(dirname(file), path));
}

/** What is wrong with settings, each by its key, and its place in the source that they were read from. */
export function settingProblems({ issues }: z.ZodError, source?: YamlSource): readonly string[] {
  return issues.flatMap(innermost).map((issue) => describeIssue(issue, source));
}

/** Of a group that may also be `false`: what is wrong within it; of a key: what is wrong with it. */
function innermost(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  const inner = issue.code === 'invalid_key' ? issue.issues : withinUnion(issue);
  return inner.length === 0 ? [issue] : inner.map((one) => ({ ...one, path: [...issue.path, ...one.path] }));
}

function withinUnion(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  return issue.code === 'invalid_union' ? issue.errors.flat().filter(({ path }) => path.length > 0) : [];
}

function describeIssue(issue: z.core.$ZodIssue, source: YamlSource | undefined): string {
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const place = source ? ` (${source.placeOf([...issue.path, ...unknown])})` : '';
  return `${issue.path.join('.') || 'The file'}: ${issue.message}${place}.`;
}

function assertConnections(settings: GatewaySettings, file: string, source: YamlSource): void {
  const problems = [...connectionProblems(settings), ...callbackProblems(settings)].map(
    ({ path, message }) => `${path.join('.')}: ${message} (${source.placeOf(path)}).`,
  );
  if (problems.length > 0) throw new ConfigError(file, problems);
}

function readValidLists(settings: GatewaySettings, file: string, files: StampedFile[]): ListedOperations {
  const manifests = manifestFiles(settings, file);
  const { others, clients, lists } = manifests;
  try {
    files.push(...[...others, ...[...clients.values()].flat()].map(stampFile));
    if (lists !== undefined) files.push(stampFile(lists), ...listFiles(lists).map(stampFile));
    return readListedOperations(manifests);
  } catch (error) {
    if (error instanceof InvalidManifest) throw new ConfigError(file, [error.message]);
    throw error;
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(file, [fileFailure(error as Error, file)]); // node:fs throws Errors
  }
}

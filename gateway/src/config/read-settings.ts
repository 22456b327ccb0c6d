import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ConfigError, type Environment } from '@trellis/runtime';
import { parseDocument, visit } from 'yaml';
import type { z } from 'zod';
import { InvalidManifest, readSafelist } from '../caching/safelist.ts';
import { settingsSchema, type GatewaySettings } from '../settings/settings.ts';

/**
 * Reads `gateway.yaml`. `${NAME}` in a value is the environment variable of that name, `${NAME:-text}` with a default.
 *
 * @param file path of the file
 * @throws ConfigError naming every problem at once, each with the place in the file
 */
export function readSettings(file: string, environment: Environment): GatewaySettings {
  const problems: string[] = [];
  const value = parseYaml(readText(file), environment, problems);
  if (problems.length > 0) throw new ConfigError(file, problems);
  const parsed = settingsSchema.safeParse(value ?? {});
  if (!parsed.success) throw new ConfigError(file, settingProblems(parsed.error));
  assertManifests(parsed.data, file);
  return parsed.data;
}

/** The paths of the safelist's manifests, which are given relative to the configuration's. */
export function manifestFiles(settings: GatewaySettings, file: string): readonly string[] {
  return (settings.persistedQueries?.manifests ?? []).map((manifest) => resolve(dirname(file), manifest));
}

/** What is wrong with settings, each by its key. */
export function settingProblems({ issues }: z.ZodError): readonly string[] {
  return issues.flatMap(innermost).map(describeIssue);
}

/** Of a group that may also be `false`: what is wrong within it. */
function innermost(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  const inner =
    issue.code === 'invalid_union' ? issue.errors.flat().filter(({ path }) => path.length > 0) : [];
  return inner.length === 0 ? [issue] : inner.map((one) => ({ ...one, path: [...issue.path, ...one.path] }));
}

function describeIssue({ path, message }: z.core.$ZodIssue): string {
  return `${path.join('.') || 'The file'}: ${message}.`;
}

function assertManifests(settings: GatewaySettings, file: string): void {
  try {
    readSafelist(manifestFiles(settings, file));
  } catch (error) {
    if (error instanceof InvalidManifest) throw new ConfigError(file, [error.message]);
    throw error;
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(file, [`It can't be read: ${(error as Error).message}.`]); // node:fs throws Errors
  }
}

/** Variables are put into the parsed values, so that what they hold can't change the structure of the file. */
function parseYaml(text: string, environment: Environment, problems: string[]): unknown {
  const document = parseDocument(text);
  for (const error of document.errors) problems.push(withoutExcerpt(error.message));
  visit(document, {
    Scalar: (key, node) => {
      if (key !== 'key' && typeof node.value === 'string')
        node.value = substitute(node.value, environment, problems);
    },
  });
  return problems.length > 0 ? undefined : document.toJS();
}

/** On one line the excerpt, whose place is marked on a second one, would only confuse. */
function withoutExcerpt(message: string): string {
  const [sentence = ''] = message.split(':\n', 1);
  return `${sentence}.`;
}

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/** A value that is nothing but one variable may become a number or a boolean. */
function substitute(text: string, environment: Environment, problems: string[]): unknown {
  let replaced = false;
  const result = text.replaceAll(VARIABLE, (_whole, name: string, fallback: string | undefined) => {
    replaced = true;
    const value = environment[name] || fallback;
    if (value === undefined) problems.push(`The environment variable ${name} is not set.`);
    return value ?? '';
  });
  return replaced ? plainValue(result) : text;
}

function plainValue(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

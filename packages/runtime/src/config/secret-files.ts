import { readFileSync, statSync } from 'node:fs';

/** Environment variables, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

const SUFFIX = '_FILE';
/** Most that a file with a secret may hold: far more than any key. */
const MAX_BYTES = 65_536;

/** An environment in which files have been read. */
export interface ResolvedEnvironment {
  readonly environment: Environment;
  /** What is wrong with the file of a variable, by its name: a sentence that names it first. */
  readonly problems: ReadonlyMap<string, string>;
}

/**
 * Reads the files that hold secrets, as container platforms mount them: `NAME_FILE=/run/secrets/name` is `NAME` with the content
 * of that file, without white space around it.
 *
 * @param names of the variables that hold secrets
 * @returns the environment with `NAME` in the place of each `NAME_FILE`
 */
export function readSecretFiles(environment: Environment, names: readonly string[]): ResolvedEnvironment {
  const resolved: Record<string, string | undefined> = { ...environment };
  const problems = new Map<string, string>();
  for (const name of names) {
    const variable = name + SUFFIX;
    const path = environment[variable];
    if (!path) continue;
    resolved[variable] = undefined;
    if (environment[name]) {
      problems.set(name, `${name} and ${variable} are both set; give one of them.`);
      continue;
    }
    const file = readSecretFile(path);
    if ('problem' in file) problems.set(name, `${variable}: ${path} ${file.problem}.`);
    else resolved[name] = file.text;
  }
  return { environment: resolved, problems };
}

/** The content of a file without white space around it, or the end of a sentence about it. */
export function readSecretFile(path: string): { readonly text: string } | { readonly problem: string } {
  try {
    // not `statSync(path)`: where that has looked at a pipe, Node follows no links to the modules that it loads next
    if (statSync(path, { bigint: true }).size > MAX_BYTES)
      return { problem: `holds more than ${MAX_BYTES} bytes` };
    const text = readFileSync(path, 'utf8').trim();
    return text === '' ? { problem: 'is empty' } : { text };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException; // node:fs throws nothing else
    return { problem: REASONS[code ?? ''] ?? `can't be read: ${message}` };
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EISDIR: 'is a directory',
  EACCES: 'must be readable by this process',
};

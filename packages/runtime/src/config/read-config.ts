import { ConfigError } from './config-error.ts';
import { defaultOf, isRequired, parseVariable } from './parse-variable.ts';
import { readSecretFiles, type Environment, type ResolvedEnvironment } from './secret-files.ts';
import {
  isSensitive,
  type ConfigOf,
  type Forms,
  type Variable,
  type VariableTable,
} from './variable-table.ts';

/** How {@link readConfig} looks variables up and judges them. */
export interface ReadConfigOptions<Config> {
  /** What is configured; heads the error text. */
  readonly subject: string;
  /** `POSTS` makes `POSTS_PORT` win over `PORT`. Without it only the plain names are read. */
  readonly prefix?: string;
  /** Those that the table names. */
  readonly forms?: Forms;
  /** Problems that lie between variables, each a sentence; never asked about a variable that is malformed by itself. */
  readonly brokenRules?: (config: Config) => readonly string[];
}

/**
 * Reads a deployable's environment into a frozen object typed by its table. A variable set to the empty string counts as
 * absent. A variable that holds a secret may stand in a file instead, which `NAME_FILE` names.
 *
 * @throws ConfigError naming every problem at once
 */
export function readConfig<const Table extends VariableTable>(
  table: Table,
  environment: Environment,
  { subject, prefix, forms = {}, brokenRules = () => [] }: ReadConfigOptions<ConfigOf<Table>>,
): ConfigOf<Table> {
  const files = readSecretFiles(environment, sensitiveNames(table, prefix));
  const read = Object.entries(table).map(([name, variable]) =>
    readVariable(variable, { name, names: namesOf(name, prefix), forms, ...files }),
  );
  const values = read.map(({ name, value }) => [name, value] as const);
  const config = Object.freeze(Object.fromEntries(values.filter(([, value]) => value !== undefined)));
  const typed = config as ConfigOf<Table>; // a value for each name, of its type
  const malformed = read.filter(({ problems }) => problems.length > 0).map(({ name }) => name);
  const problems = [
    ...read.flatMap((one) => one.problems),
    // Looked for past malformed variables, too: a user wants to correct all at once.
    ...brokenRules(typed).filter((problem) => !malformed.some((name) => problem.includes(name))),
  ];
  if (problems.length > 0) throw new ConfigError(subject, problems);
  return typed;
}

/** The names that the secrets of a table may have. @param prefix as for {@link readConfig} */
export function sensitiveNames(table: VariableTable, prefix?: string): readonly string[] {
  return Object.entries(table)
    .filter(([, variable]) => isSensitive(variable))
    .flatMap(([name]) => namesOf(name, prefix));
}

/** The names that a variable may have, the one that wins first. */
function namesOf(name: string, prefix: string | undefined): readonly string[] {
  return prefix === undefined ? [name] : [`${prefix}_${name}`, name];
}

/** What a variable is read from. */
interface Sources extends ResolvedEnvironment {
  readonly name: string;
  /** The names that it may have, the one that wins first. */
  readonly names: readonly string[];
  readonly forms: Forms;
}

interface ReadVariable {
  readonly name: string;
  readonly value: unknown;
  readonly problems: readonly string[];
}

function readVariable(variable: Variable, { name, names, forms, ...files }: Sources): ReadVariable {
  const { environment, problems } = files;
  const setAs = names.find((candidate) => environment[candidate] || problems.has(candidate));
  if (setAs === undefined && !isRequired(variable)) return { name, value: defaultOf(variable), problems: [] };
  if (setAs === undefined) return malformed(name, variable, [`${name} is required.`]);
  const unread = problems.get(setAs);
  if (unread !== undefined) return malformed(name, variable, [unread]);
  const parsed = parseVariable(variable, environment[setAs] ?? '', forms);
  return parsed.problems === undefined
    ? { name, value: parsed.value, problems: [] }
    : malformed(
        name,
        variable,
        parsed.problems.map((problem) => `${setAs}: ${problem}.`),
      );
}

/** Contradictions are looked for with a stand-in: all that is required is text. */
function malformed(name: string, variable: Variable, problems: readonly string[]): ReadVariable {
  return { name, value: isRequired(variable) ? '' : defaultOf(variable), problems };
}

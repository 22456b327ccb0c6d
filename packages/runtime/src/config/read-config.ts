import { safeParse, type z } from 'zod';
import { ConfigError } from './config-error.ts';

/** Environment variables, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** How {@link readConfig} looks variables up and judges them. */
export interface ReadConfigOptions<Config> {
  /** What is configured; heads the error text. */
  readonly subject: string;
  /** `POSTS` makes `POSTS_PORT` win over `PORT`. Without it only the plain names are read. */
  readonly prefix?: string;
  /** Problems that lie between variables, each a sentence; never asked about a variable that is malformed by itself. */
  readonly contradictions?: (config: Config) => readonly string[];
}

/**
 * Reads a deployable's environment into a frozen object typed by its schema. A variable set to the empty string
 * counts as absent.
 *
 * @throws ConfigError naming every problem at once
 */
export function readConfig<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  environment: Environment,
  options: ReadConfigOptions<z.output<z.ZodObject<Shape>>>,
): Readonly<z.output<z.ZodObject<Shape>>> {
  const picked = pickVariables(Object.keys(schema.shape), environment, options.prefix);
  const parsed = schema.safeParse(valuesOf(picked));
  const problems = parsed.success
    ? (options.contradictions?.(parsed.data) ?? [])
    : [
        ...parsed.error.issues.map((issue) => describeIssue(issue, picked)),
        ...furtherProblems(schema, picked, parsed.error, options),
      ];
  if (!parsed.success || problems.length > 0) throw new ConfigError(options.subject, problems);
  return Object.freeze(parsed.data);
}

/** The variables that are set, by their plain names, each with the name it was set under. */
type Picked = ReadonlyMap<string, { readonly setAs: string; readonly value: string }>;

function pickVariables(
  names: readonly string[],
  environment: Environment,
  prefix: string | undefined,
): Picked {
  const picked = new Map<string, { setAs: string; value: string }>();
  for (const name of names) {
    const candidates = prefix === undefined ? [name] : [`${prefix}_${name}`, name];
    const setAs = candidates.find((candidate) => environment[candidate]);
    if (setAs !== undefined) picked.set(name, { setAs, value: environment[setAs] ?? '' });
  }
  return picked;
}

function valuesOf(picked: Picked): Record<string, string> {
  return Object.fromEntries([...picked].map(([name, { value }]) => [name, value]));
}

/** Looks past malformed variables for contradictions among the others: a person wants to mend all at once. */
function furtherProblems<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  picked: Picked,
  error: z.ZodError,
  { contradictions }: ReadConfigOptions<z.output<z.ZodObject<Shape>>>,
): readonly string[] {
  const malformed = error.issues.map(({ path }) => String(path[0]));
  const others = valuesOf(new Map([...picked].filter(([name]) => !malformed.includes(name))));
  const entries = Object.entries<z.core.$ZodType>(schema.shape).map(([name, type]) => {
    const parsed = safeParse(type, others[name]);
    return [name, parsed.success ? parsed.data : '']; // all that is required is text
  });
  const problems = contradictions?.(Object.fromEntries(entries) as z.output<z.ZodObject<Shape>>) ?? [];
  return problems.filter((problem) => !malformed.some((name) => problem.includes(name)));
}

function describeIssue(issue: z.core.$ZodIssue, picked: Picked): string {
  const [first = '', ...rest] = issue.path.map(String);
  const name = [picked.get(first)?.setAs ?? first, ...rest].join('.');
  const missing =
    issue.code === 'invalid_type' &&
    issue.input === undefined &&
    issue.message.includes('received undefined');
  return missing ? `${name} is required.` : `${name}: ${messageOf(issue)}.`;
}

/** Says it as the other messages do, where the schema has no words of its own. */
function messageOf(issue: z.core.$ZodIssue): string {
  const isWordless = issue.code === 'invalid_value' && issue.message.startsWith('Invalid option');
  return isWordless ? `must be one of ${issue.values.map(String).join(', ')}` : issue.message;
}

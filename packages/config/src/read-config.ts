import type { z } from 'zod';
import { ConfigError } from './config-error.ts';

/** Environment variables, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** How {@link readConfig} looks variables up and judges them. */
export interface ReadConfigOptions<Config> {
  /** What is configured; heads the error text. */
  readonly subject: string;
  /** `POSTS` makes `POSTS_PORT` win over `PORT`. Without it only the plain names are read. */
  readonly prefix?: string;
  /** Problems that lie between variables, each a sentence; called only when every variable is good by itself. */
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
  const names = Object.keys(schema.shape);
  const parsed = schema.safeParse(pickVariables(names, environment, options.prefix));
  if (!parsed.success) throw new ConfigError(options.subject, parsed.error.issues.map(describeIssue));
  const contradictions = options.contradictions?.(parsed.data) ?? [];
  if (contradictions.length > 0) throw new ConfigError(options.subject, contradictions);
  return Object.freeze(parsed.data);
}

function pickVariables(
  names: readonly string[],
  environment: Environment,
  prefix: string | undefined,
): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of names) {
    const value = (prefix === undefined ? undefined : environment[`${prefix}_${name}`]) || environment[name];
    if (value) picked[name] = value;
  }
  return picked;
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const name = issue.path.map(String).join('.');
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

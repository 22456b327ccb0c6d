import { defaultOf, isRequired, MAX_PORT } from './parse-variable.ts';
import { isSensitive, type Variable, type VariableTable } from './variable-table.ts';

/** One environment variable, as documented. */
export interface ConfigVariable {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  /** The default in text form; absent when there is none. */
  readonly defaultText?: string;
  /** What a number counts, and from where to where; absent for all else. */
  readonly rangeText?: string;
  /** Whether a file may hold it, named by `NAME_FILE`. */
  readonly mayBeInFile: boolean;
}

/** Lists the variables of a table in its order. */
export function describeConfig(table: VariableTable): readonly ConfigVariable[] {
  return Object.entries(table).map(([name, variable]) => {
    const rangeText = rangeOf(variable);
    const value = defaultOf(variable);
    return {
      name,
      description: variable.doc,
      required: isRequired(variable),
      mayBeInFile: isSensitive(variable),
      ...(value !== undefined && { defaultText: textOf(value) }),
      ...(rangeText !== undefined && { rangeText }),
    };
  });
}

function rangeOf(variable: Variable): string | undefined {
  if (variable.type === 'port') return `0 to ${MAX_PORT}`;
  if (variable.type !== 'int') return undefined;
  const range = `${variable.min} to ${variable.max}`;
  return variable.unit === undefined ? range : `${variable.unit}, ${range}`;
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(' ');
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';
}

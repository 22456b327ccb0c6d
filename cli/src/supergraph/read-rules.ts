import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DEFAULT_CHECK_RULES, readCheckRules, type CheckRules } from '@trellis/composition';

/** How a command line says which rules changes are judged by. */
export interface RulesOptions {
  /** @default `checks.yaml` beside the configuration, where there is one */
  readonly approvals?: string | undefined;
  /** @default in the folder where the command runs */
  readonly config?: string | undefined;
}

/** The `checks.yaml` of a command; without one, the rules that hold without a file. @throws FileProblems; Error of node:fs */
export async function readRules({ approvals, config = '.' }: RulesOptions): Promise<CheckRules> {
  const usual = join(dirname(config), 'checks.yaml');
  const file = approvals ?? (existsSync(usual) ? usual : undefined);
  return file === undefined ? DEFAULT_CHECK_RULES : readCheckRules(file);
}

import { changeKinds, checks, lintRules, ownProblems, type Report } from '@trellis/composition';
import { registryErrors } from '@trellis/registry/registry-error';
import { pageLink, type PageReference } from '../terminal/index.ts';

/** An error of the command line, as its page has it. */
export interface CommandLineError {
  readonly code: string;
  /** The exit status where it has one of its own. */
  readonly exit?: number;
  readonly when: string;
  readonly action: string;
}

/** Errors of composition and of files that commands read, and those of registries. docs/command-line-errors.md is made of them. */
export const commandLineErrors: Readonly<Record<'files' | 'registries', readonly CommandLineError[]>> = {
  files: Object.entries(ownProblems).map(([code, problem]) => ({ code, ...problem })),
  registries: Object.entries(registryErrors).map(([code, { exit, summary, action }]) => ({
    code,
    exit,
    when: summary,
    action,
  })),
};

/** By code; a row of the page is its anchor. */
const pages: ReadonlyMap<string, string> = new Map([
  ...checks.map(({ code }) => [code, 'composition.md'] as const),
  ...lintRules.map(({ code }) => [code, 'changes.md'] as const),
  ...Object.keys(changeKinds).map((code) => [code, 'changes.md'] as const),
  ...Object.values(commandLineErrors)
    .flat()
    .map(({ code }) => [code, 'command-line-errors.md'] as const), // last: checks give codes of these, too
]);

/** Every code that the command line gives by itself. Codes of Apollo's composer are its own. */
export const documentedCodes: readonly string[] = [...pages.keys()];

/** Where a code is explained; undefined where it is none of ours. */
export function pageOfCode(code: string): PageReference | undefined {
  const page = pages.get(code);
  return page === undefined ? undefined : { page, anchor: code };
}

/** Codes of what made a command fail, or warned: errors alone, as changes are not shown beside them; else breaking changes and warnings. */
export function codesToExplain({ diagnostics, changes }: Report): readonly string[] {
  const codesOf = (wanted: string): readonly string[] =>
    diagnostics.filter(({ severity }) => severity === wanted).map(({ code }) => code);
  const breaking = changes.filter(({ verdict, approval }) => verdict === 'breaking' && !approval);
  const errors = codesOf('error');
  return errors.length > 0 ? errors : [...breaking.map(({ code }) => code), ...codesOf('warning')];
}

/** More are not read. */
const MAX_LINKS = 3;

/** Lines with the pages of errors, for a terminal or a log; empty where none is ours. */
export function documentationOf(codes: readonly string[]): string {
  const references = [...new Set(codes)].flatMap((code) => pageOfCode(code) ?? []);
  return references
    .slice(0, MAX_LINKS)
    .map((reference) => `Documentation: ${pageLink(reference)}\n`)
    .join('');
}

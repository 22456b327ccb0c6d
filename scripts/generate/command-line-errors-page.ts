import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { commandLineErrors } from 'trellis/describe-commands';
import { repository } from '../programs/run-program.ts';
import type { GeneratedFile } from './generated-file.ts';

const path = 'docs/command-line-errors.md';

/** docs/command-line-errors.md: every error of the command line that is neither a change nor a finding of lint. */
export async function generateCommandLineErrorsPage(): Promise<GeneratedFile> {
  const options = (await resolveConfig(join(repository, path))) ?? {};
  return { path, content: await format(lines().join('\n'), { ...options, parser: 'markdown' }) };
}

function lines(): readonly string[] {
  const { files, registries } = commandLineErrors;
  return [
    '<!-- Generated from packages/composition/src/diagnostic.ts and packages/registry/src/registry-error.ts by "npm run generate". -->',
    '',
    '# Errors of the command line',
    '',
    'Each has a code: in front of the message, in the document of `--json`, and as the rule of SARIF. The last lines of an error name its row here.',
    'Changes that a check rejects are in [Kinds of changes](changes.md), what composition looks for beside',
    "Apollo's rules in [Composition](composition.md), errors of the graph and of sign-in in [Errors](errors.md).",
    '',
    '## Schemas and files',
    '',
    'Of `compose`, `check`, `lint`, `contract`, `publish` and `dev`. The exit status is 1 where nothing else is said.',
    '',
    '| Code | When | Action |',
    '| --- | --- | --- |',
    ...files.map(({ code, when, action }) => `| \`${code}\` | ${when} | ${action} |`),
    '',
    '## Registries',
    '',
    'Of all commands that read or write a registry. Nothing was changed.',
    '',
    '| Code | Exit status | When | Action |',
    '| --- | --- | --- | --- |',
    ...registries.map(
      ({ code, exit, when, action }) => `| \`${code}\` | ${exit ?? 1} | ${when} | ${action} |`,
    ),
    '',
  ];
}

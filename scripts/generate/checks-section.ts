import { checks } from '@trellis/composition';
import type { GeneratedFile } from './generated-file.ts';
import { withGeneratedSection } from './generated-section.ts';

/** docs/composition.md with the table of the checks beside those of Apollo Federation. */
export function generateChecksSection(): Promise<GeneratedFile> {
  const rows = checks.map(
    ({ code, severity, finds, action }) => `| \`${code}\` | ${severity} | ${finds} | ${action} |`,
  );
  const table = ['| Code | Severity | Finds | Action |', '| --- | --- | --- | --- |', ...rows].join('\n');
  return withGeneratedSection('docs/composition.md', 'packages/composition/src/checks/index.ts', table);
}

import { stages } from 'trellis/programs';
import type { GeneratedFile } from './generated-file.ts';
import { withGeneratedSection } from './generated-section.ts';

/** docs/lifecycle.md with the table of the gateway's stages. */
export function generateStagesSection(): Promise<GeneratedFile> {
  const rows = stages.map(({ name, at, does, errors }) => {
    const codes = errors.map((code) => `\`${code}\``).join(' ');
    return `| ${name} | ${at} | ${does} | ${codes} |`;
  });
  const table = ['| Stage | Of | Does | Rejects with |', '| --- | --- | --- | --- |', ...rows].join('\n');
  return withGeneratedSection('docs/lifecycle.md', 'gateway/src/pipeline/stages.ts', table);
}

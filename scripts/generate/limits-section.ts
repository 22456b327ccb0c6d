import { limitCatalogue, type CataloguedLimit } from 'trellis/programs';
import { withGeneratedSection } from './generated-section.ts';
import type { GeneratedFile } from './generated-file.ts';

/** The limits in docs/errors.md. */
export async function generateLimitsSection(): Promise<GeneratedFile> {
  const columns = ['Setting', '`limit.name`', 'Code', 'Default', 'What is counted'];
  const rows = [columns, columns.map(() => '---'), ...limitCatalogue().map(cellsOf)];
  const section = ['<!-- prettier-ignore -->', ...rows.map((cells) => `| ${cells.join(' | ')} |`)].join('\n');
  return withGeneratedSection('docs/errors.md', 'gateway/src/settings/', section);
}

function cellsOf({ key, name, exceeded, setting }: CataloguedLimit): readonly string[] {
  const hasName = exceeded === 'QUERY_TOO_COMPLEX'; // other codes say it all
  const setIn = setting.type === 'fixed' ? 'fixed' : `\`${key}\``;
  const value = setting.type === 'fixed' ? setting.value : 'default' in setting ? setting.default : undefined;
  const unit = 'unit' in setting ? setting.unit : undefined;
  return [
    setIn,
    hasName ? `\`${name}\`` : '',
    `\`${exceeded}\``,
    `${Number(value).toLocaleString('en-US')} ${unit ?? ''}`.trim(),
    setting.doc,
  ];
}

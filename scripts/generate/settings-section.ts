import { documentedSettings, settingTable, type DocumentedSetting } from 'trellis/programs';

/** Keys of gateway.yaml in Markdown: a section with a table for each at the top, nested ones with dots. */
export function settingsSections(names: readonly string[]): string {
  const all = documentedSettings(settingTable);
  return names
    .map((name) =>
      sectionOf(
        name,
        all.filter(({ key }) => key === name || key.startsWith(`${name}.`)),
      ),
    )
    .join('\n');
}

const COLUMNS = ['Key', 'Default', 'Range', 'Changes', 'Meaning'];
const CHANGES = {
  live: 'at once',
  'new-connections': 'for new connections',
  restart: 'after a restart',
  '': '',
};

function sectionOf(name: string, settings: readonly DocumentedSetting[]): string {
  const [first] = settings;
  const isGroup = first !== undefined && 'members' in first.setting;
  const rows = (isGroup ? settings.slice(1) : settings).filter((one) => !repeats(one, settings));
  return [
    `## ${name}\n`,
    ...(isGroup ? [`${first.setting.doc}\n`] : []),
    '<!-- prettier-ignore -->', // padded to equal widths, the page would be three times as long
    rowOf(COLUMNS),
    rowOf(COLUMNS.map(() => '---')),
    ...rows.map((one) => rowOf(cellsOf(one))),
    '',
  ].join('\n');
}

/** Rules of one subgraph that are those of all are not listed again. */
function repeats({ key, setting }: DocumentedSetting, all: readonly DocumentedSetting[]): boolean {
  const sameAs = key.replace('.subgraphs.<name>', '');
  return sameAs !== key && all.some((other) => other.key === sameAs && other.setting === setting);
}

function cellsOf({
  key,
  defaultText,
  rangeText,
  reload,
  needsRestart,
  setting,
}: DocumentedSetting): readonly string[] {
  const changes = needsRestart === '' ? CHANGES[reload] : `${CHANGES[reload]}: ${needsRestart}`;
  return [`\`${key}\``, defaultText, rangeText, changes, setting.doc].map(escape);
}

function rowOf(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** A vertical bar would end the cell, and what looks like a tag would be one. */
function escape(text: string): string {
  const isCode = text.startsWith('`');
  return (isCode ? text : text.replaceAll('<', '&lt;')).replaceAll('|', String.raw`\|`);
}

import { own } from '@trellis/runtime/own-property';
import { changeKinds } from '../changes/change-kinds.ts';
import type { Diagnostic, SourceLocation } from '../diagnostic.ts';
import type { Report, ReportedChange } from './report.ts';

/**
 * SARIF 2.1.0, which code scanning reads.
 *
 * @see https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
 */
export function writeSarif({ diagnostics, changes }: Report): string {
  const results = [
    ...diagnostics.map((diagnostic) => resultOf(levels[diagnostic.severity], diagnostic)),
    ...changes
      .filter(({ verdict }) => verdict !== 'safe')
      .map((change) => ({
        ...resultOf(levelOf(change), change),
        ...(change.approval && {
          suppressions: [{ kind: 'external', justification: change.approval.reason }],
        }),
      })),
  ];
  const rules = [...new Set(results.map(({ ruleId }) => ruleId))].toSorted().map(ruleOf);
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver: { name: 'trellis', rules } }, results }],
  };
  return `${JSON.stringify(log, undefined, 2)}\n`;
}

type Level = 'error' | 'warning' | 'note';

const levels: Readonly<Record<'error' | 'warning' | 'hint', Level>> = {
  error: 'error',
  warning: 'warning',
  hint: 'note',
};

function levelOf({ verdict }: ReportedChange): Level {
  return verdict === 'breaking' ? 'error' : 'warning';
}

function ruleOf(id: string): object {
  const kind = own(changeKinds, id);
  return kind ? { id, shortDescription: { text: kind.meaning }, help: { text: kind.action } } : { id };
}

function resultOf(level: Level, { code, message, locations }: Diagnostic): { readonly ruleId: string } {
  const result = { ruleId: code, level, message: { text: message }, locations: locations.map(locationOf) };
  return result;
}

function locationOf({ source, line, column }: SourceLocation): object {
  return {
    physicalLocation: {
      artifactLocation: { uri: encodeURI(source.replaceAll('\\', '/')) },
      ...(line !== undefined && {
        region: { startLine: line, ...(column !== undefined && { startColumn: column }) },
      }),
    },
  };
}

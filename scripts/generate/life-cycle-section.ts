import { lifeCycle } from 'trellis/programs';
import type { GeneratedFile } from './generated-file.ts';
import { withGeneratedSection } from './generated-section.ts';

/** How the page says an effect. */
const EFFECTS = { ends: '**ends**', stays: 'stays', narrows: 'gives less', sent: 'sent', none: 'none' };

/**
 * docs/what-ends-what.md with the table of what ends what between its two marks.
 *
 * @throws Error when the page lacks a mark
 */
export function generateLifeCycleSection(): Promise<GeneratedFile> {
  return withGeneratedSection(
    'docs/what-ends-what.md',
    'auth-server/src/administration/what-ends-what.ts',
    formatTables(),
  );
}

/** One table an event would be long, one for all too wide: things are rows, and events the columns of several tables. */
function formatTables(): string {
  const { events, things, whatEndsWhat } = lifeCycle;
  const names = Object.keys(events) as (keyof typeof events)[]; // its own keys, a frozen literal
  const columns = Object.keys(things) as (keyof typeof things)[]; // the same
  const half = Math.ceil(columns.length / 2);
  return [columns.slice(0, half), columns.slice(half)]
    .map((shown) => {
      const head = `| Event | ${shown.map((thing) => things[thing]).join(' | ')} |`;
      const line = `| --- | ${shown.map(() => '---').join(' | ')} |`;
      const rows = names.map((event) => {
        const cells = shown.map((thing) => formatCell(whatEndsWhat[event][thing]));
        return `| ${events[event]} | ${cells.join(' | ')} |`;
      });
      return [head, line, ...rows, ''].join('\n');
    })
    .join('\n');
}

function formatCell({ effect, note }: (typeof lifeCycle.whatEndsWhat)['signed_out']['session']): string {
  return note === undefined ? EFFECTS[effect] : `${EFFECTS[effect]}, ${note}`;
}

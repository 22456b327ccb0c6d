import { printableLine } from '@trellis/composition';

/** Rows of cells as text, each column as wide as its widest cell. Names from outside move no cursor, and begin no line. */
export function tableText(cells: readonly (readonly string[])[]): string {
  const rows = cells.map((row) => row.map(printableLine));
  const [head = []] = rows;
  const widths = head.map((_name, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}

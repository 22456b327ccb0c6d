/** Comments, texts in single and dollar quotes, and quoted names: none of them is a keyword. */
const NO_KEYWORDS = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$/g;

const OUTER_JOIN = /\b(?:left|right|full)\s+(?:outer\s+)?join\b|\b(?:grouping\s+sets|rollup|cube)\b/i;

/**
 * Whether a statement may return null for a column that its table declares NOT NULL. PostgreSQL names the table of a column
 * whichever side of a join it is on; grouping sets leave out columns as well.
 */
export function hasOuterJoin(text: string): boolean {
  return OUTER_JOIN.test(text.replaceAll(NO_KEYWORDS, ' '));
}

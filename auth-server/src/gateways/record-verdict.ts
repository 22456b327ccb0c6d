import { parseVerdict, type ReleaseVerdict } from '@trellis/release-verdict';

const FORMAT = 'trellis-gateway-record/1';

/** Reads what a gateway says of a record. @returns null for a record without a verdict @throws SyntaxError, TypeError, z.ZodError */
export function parseRecordVerdict(body: string): ReleaseVerdict | null {
  const said = JSON.parse(body) as { readonly format?: unknown; readonly verdict?: unknown } | null; // judged here
  if (said?.format !== FORMAT) throw new TypeError(`It is no ${FORMAT}.`);
  return said.verdict === null ? null : parseVerdict(said.verdict);
}

const POSITION = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/i;

/**
 * A position in PostgreSQL's log of writes as a number: a later one is greater.
 *
 * @param text as `pg_lsn` is written: `16/B374D848`
 * @throws TypeError for any other text
 */
export function parseWalPosition(text: string): bigint {
  const [, high, low] = POSITION.exec(text) ?? [];
  if (high === undefined || low === undefined) throw new TypeError('This is no position in a log of writes.');
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}

import type { Writable } from 'node:stream';

/** Larger answers are written piece by piece, so that it is seen how fast their client reads. */
export const PIECE_BYTES = 131_072;

/**
 * Writes bytes a piece at a time, each when the one before has been taken.
 *
 * @param bytes at least one
 * @param onWritten called when all have been taken, never at once; not at all where the connection ends first
 */
export function writeInPieces(target: Writable, bytes: Buffer, onWritten: () => void): void {
  let written = 0;
  let waiting = 0;
  const onTaken = (error?: Error | null): void => {
    waiting -= 1;
    if (waiting > 0 || error || target.destroyed) return;
    if (written === bytes.length) onWritten();
    else goOn();
  };
  /** What the system takes at once needs no turn of the event loop before the next. */
  const goOn = (): void => {
    do {
      const piece = bytes.subarray(written, written + PIECE_BYTES);
      written += piece.length;
      waiting += 1;
      target.write(piece, onTaken);
    } while (written < bytes.length && target.writableLength === 0);
  };
  goOn();
}

import type { Writable } from 'node:stream';

/** Larger answers are written piece by piece, so that it is seen how fast their client reads. */
export const PIECE_BYTES = 131_072;

/**
 * Writes bytes a piece at a time, each when the one before has been taken.
 *
 * @param bytes at least one
 * @param onWritten called when all have been taken; never where the connection ends first
 */
export function writeInPieces(target: Writable, bytes: Buffer, onWritten: () => void): void {
  let written = 0;
  const next = (error?: Error | null): void => {
    if (error || target.destroyed) return;
    if (written === bytes.length) return onWritten();
    const piece = bytes.subarray(written, written + PIECE_BYTES);
    written += piece.length;
    target.write(piece, next);
  };
  next();
}

/** A picture of an animation, and for how long it is shown. */
export interface Frame {
  /** A WebP file of one picture. */
  readonly file: Buffer;
  readonly durationMs: number;
}

const PICTURE_CHUNKS = new Set(['VP8 ', 'VP8L', 'ALPH']);
const IS_ANIMATED = 0x02;
const REPLACES = 0x02;
const HEADER_BYTES = 12;

/**
 * Joins pictures of the same size to an animated WebP that begins again for ever.
 *
 * @see RFC 9649 §2.7
 */
export function animateWebp(frames: readonly Frame[], width: number, height: number): Buffer {
  const header = Buffer.concat([Buffer.from([IS_ANIMATED, 0, 0, 0]), uint24(width - 1), uint24(height - 1)]);
  const control = Buffer.from([255, 255, 255, 255, 0, 0]); // white behind, no end
  const chunks = [chunk('VP8X', header), chunk('ANIM', control)];
  for (const { file, durationMs } of frames) {
    const place = [0, 0, width - 1, height - 1, durationMs].map(uint24);
    const body = Buffer.concat([...place, Buffer.from([REPLACES]), ...pictureChunks(file)]);
    chunks.push(chunk('ANMF', body));
  }
  const content = Buffer.concat([Buffer.from('WEBP'), ...chunks]);
  return Buffer.concat([Buffer.from('RIFF'), uint32(content.length), content]);
}

/** The chunks of a file that hold its picture. */
function pictureChunks(file: Buffer): readonly Buffer[] {
  const found: Buffer[] = [];
  for (let at = HEADER_BYTES; at + 8 <= file.length;) {
    const length = file.readUInt32LE(at + 4);
    const end = at + 8 + length + (length % 2);
    if (PICTURE_CHUNKS.has(file.toString('latin1', at, at + 4))) found.push(file.subarray(at, end));
    at = end;
  }
  return found;
}

function chunk(name: string, body: Buffer): Buffer {
  const padding = Buffer.alloc(body.length % 2);
  return Buffer.concat([Buffer.from(name), uint32(body.length), body, padding]);
}

function uint24(value: number): Buffer {
  return uint32(value).subarray(0, 3);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

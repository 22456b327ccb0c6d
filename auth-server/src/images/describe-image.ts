/** What the first bytes of a picture say. */
export interface ImageDescription {
  readonly type: 'image/png' | 'image/jpeg' | 'image/webp';
  /** Pixels. */
  readonly width: number;
  /** Pixels. */
  readonly height: number;
}

/**
 * Reads type and size of a picture from its bytes, whatever it was called by the one who sent it. It knows PNG, JPEG and WebP;
 * SVG is not among them, because it is a document that may hold scripts and addresses.
 *
 * @returns undefined for all other bytes
 * @see https://mimesniff.spec.whatwg.org/#matching-an-image-type-pattern
 */
export function describeImage(bytes: Buffer): ImageDescription | undefined {
  return describePng(bytes) ?? describeWebp(bytes) ?? describeJpeg(bytes);
}

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const PNG_HEAD_BYTES = 24;

/** Signature, then IHDR: width and height. PNG (Third Edition) §5.2, §11.2.1 */
function describePng(bytes: Buffer): ImageDescription | undefined {
  if (bytes.length < PNG_HEAD_BYTES || !bytes.subarray(0, PNG.length).equals(PNG)) return undefined;
  return { type: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

const WEBP_HEAD_BYTES = 30;

/** RFC 9649 §2.4 to §2.7 */
function describeWebp(bytes: Buffer): ImageDescription | undefined {
  if (bytes.length < WEBP_HEAD_BYTES) return undefined;
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WEBP')
    return undefined;
  const size = webpSize(bytes);
  return size && { type: 'image/webp', ...size };
}

function webpSize(bytes: Buffer): Pick<ImageDescription, 'width' | 'height'> | undefined {
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}

/** Frame headers: SOF0 to SOF15 but DHT, JPG and DAC. ITU-T T.81 table B.1 */
const NO_FRAMES: ReadonlySet<number> = new Set([0xc4, 0xc8, 0xcc]);

/** Walks from marker to marker to the frame header. */
function describeJpeg(bytes: Buffer): ImageDescription | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return undefined;
  for (let at = 2; at + 9 <= bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes.readUInt16BE(at) - 0xff00;
    if (marker < 0xc0 || marker === 0xda) return undefined;
    if (marker <= 0xcf && !NO_FRAMES.has(marker)) {
      return { type: 'image/jpeg', height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    }
  }
  return undefined;
}

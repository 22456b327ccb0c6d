/** What was built, beside the files. */
export interface Manifest {
  /** Of what it was built from. */
  readonly digest: string;
  /** File names. */
  readonly script: string;
  readonly style: string;
  readonly files: readonly string[];
}

/** File name of the manifest. */
export const MANIFEST = 'manifest.json';

/** Ways in which a file is compressed in advance, by the ending of its name. RFC 9110 §8.4.1 */
export const CODINGS = { br: '.br', gzip: '.gz' } as const;

/** How a file may be compressed. */
export type Coding = keyof typeof CODINGS;

import { RegistryError } from './registry-error.ts';

/**
 * Checks the format that a document says it has: `trellis-registry-record/1`. Members that may be ignored are added without
 * another number.
 *
 * @param name without its number
 * @throws RegistryError NEWER_FORMAT with the version needed, INVALID_RECORD
 */
export function checkFormat(document: unknown, name: string, known: number): void {
  const { format, needs } = isObject(document) ? document : {};
  const [, number] =
    typeof format === 'string' ? (/^([a-z-]+)\/(\d{1,6})$/.exec(format)?.slice(1) ?? []) : [];
  if (number === undefined || format !== `${name}/${number}`)
    throw new RegistryError('INVALID_RECORD', `The document is no ${name}.`);
  if (Number(number) <= known) return;
  const version = typeof needs === 'string' && /^\d[\w.+-]{0,31}$/.test(needs) ? ` ${needs}` : '';
  throw new RegistryError(
    'NEWER_FORMAT',
    `Written in the format ${format}, this version reads ${name}/${known}: needs Trellis${version || ' in a newer version'}.`,
  );
}

function isObject(value: unknown): value is { readonly format?: unknown; readonly needs?: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses JSON. @throws RegistryError INVALID_RECORD */
export function parseDocument(text: string, name: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new RegistryError('INVALID_RECORD', `The document is no ${name}: it is not JSON.`, {
      cause: error,
    });
  }
}

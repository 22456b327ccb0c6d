import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { characterProblem } from '@trellis/runtime/admission';
import { z } from 'zod';
import { describeImage } from '../../images/describe-image.ts';
import { textProblems } from '../texts/replace-texts.ts';
import { contrastProblems, defaultPalettes, type Palette } from './palette.ts';
import type { Theme, ThemeImage } from './theme.ts';

/** What {@link readTheme} found: a theme, or all that is wrong with it, a sentence each. */
export type ReadTheme =
  | { readonly kind: 'theme'; readonly theme: Theme }
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

/** The folder of the theme for those who have none of their own. */
const builtIn = fileURLToPath(new URL('../../../theme/', import.meta.url));

const MAX_LOGO_BYTES = 262_144;
const MAX_LOGO_PIXELS = 2_048;

const line = (most: number): z.ZodType<string> =>
  z
    .string()
    .min(1)
    .max(most)
    .superRefine((text, context) => {
      const problem = characterProblem(text, 'line');
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
    });
const colour = z
  .string()
  .regex(/^#[0-9a-f]{6}$/i, { error: 'must be a colour like #0b57d0' })
  .optional();
const colours = z
  .strictObject({
    text: colour,
    page: colour,
    card: colour,
    line: colour,
    accent: colour,
    onAccent: colour,
    problem: colour,
  })
  .optional();
/** http is for operators who try a theme on their machine; a page of https warns of it by itself. */
const address = z
  .url({ protocol: /^https?$/, error: 'must be an https address' })
  .max(2_000)
  .optional();
/** A name and no path: nothing outside the folder is served. */
const fileName = z
  .string()
  .regex(/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$/, { error: 'must be the name of a file in the folder' })
  .optional();
const declared = z.strictObject({
  $schema: z.string().optional(),
  name: line(80).optional(),
  logo: fileName,
  darkLogo: fileName,
  colours: z.strictObject({ light: colours, dark: colours }).optional(),
  texts: z.record(z.string(), z.record(z.string(), line(1_000))).optional(),
  links: z.strictObject({ home: address, privacy: address, terms: address, help: address }).optional(),
});

/** The theme of those who have none of their own. */
export function readBuiltInTheme(): Theme {
  const read = readTheme(builtIn);
  if (read.kind === 'problems') throw new Error(read.problems.join(' '));
  return read.theme;
}

/**
 * Reads the theme in a folder: `theme.json`, and the pictures that it names. Everything is checked here, so that no page can
 * be broken by a theme: colours are colours that can be read on one another, texts are texts, pictures are pictures.
 */
export function readTheme(folder: string): ReadTheme {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(join(folder, 'theme.json'), 'utf8'));
  } catch (error) {
    return { kind: 'problems', problems: [`theme.json can not be read: ${messageOf(error)}`] };
  }
  const parsed = declared.safeParse(value);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(
      ({ path, message }) => `${path.join('.') || 'theme'}: ${message}`,
    );
    return { kind: 'problems', problems };
  }
  return complete(parsed.data, folder);
}

function complete(given: z.output<typeof declared>, folder: string): ReadTheme {
  const problems: string[] = [];
  const light = paletteOf(defaultPalettes.light, given.colours?.light);
  const dark = paletteOf(defaultPalettes.dark, given.colours?.dark);
  problems.push(...contrastProblems('light', light), ...contrastProblems('dark', dark));
  const texts = given.texts ?? {};
  problems.push(...textProblems(texts));
  const read = (member: 'logo' | 'darkLogo'): ThemeImage | undefined => {
    const name = given[member];
    if (name === undefined) return undefined;
    const image = readImage(join(folder, name));
    if (typeof image !== 'string') return image;
    problems.push(`${member}: ${image}`);
    return undefined;
  };
  const theme = {
    name: given.name ?? 'Trellis',
    logo: read('logo'),
    darkLogo: read('darkLogo'),
    palettes: { light, dark },
    texts,
    links: given.links ?? {},
  };
  return problems.length > 0 ? { kind: 'problems', problems } : { kind: 'theme', theme };
}

type GivenPalette = Partial<Readonly<Record<keyof Palette, string | undefined>>>;

function paletteOf(defaults: Palette, given: GivenPalette = {}): Palette {
  const colourOf = (name: keyof Palette): string => (given[name] ?? defaults[name]).toLowerCase();
  return {
    text: colourOf('text'),
    page: colourOf('page'),
    card: colourOf('card'),
    line: colourOf('line'),
    accent: colourOf('accent'),
    onAccent: colourOf('onAccent'),
    problem: colourOf('problem'),
  };
}

/** @returns what is wrong with it, where something is */
function readImage(path: string): ThemeImage | string {
  try {
    const bytes = readFileSync(path);
    if (bytes.length > MAX_LOGO_BYTES) return `has more than ${MAX_LOGO_BYTES} bytes.`;
    const known = describeImage(bytes);
    if (known && Math.max(known.width, known.height) > MAX_LOGO_PIXELS)
      return `is larger than ${MAX_LOGO_PIXELS} pixels.`;
    const type = known?.type ?? (isSvg(bytes) ? 'image/svg+xml' : undefined);
    if (type === undefined) return 'is no PNG, JPEG, WebP or SVG.';
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
    return { bytes, type, name: `${hash}.${type.slice('image/'.length).replace('+xml', '')}` };
  } catch (error) {
    return messageOf(error);
  }
}

/** The operator's own; it is served so that nothing in it is run or fetched. */
function isSvg(bytes: Buffer): boolean {
  return /^(?:\uFEFF|\s|<\?xml[^>]*\?>|<!--[\s\S]*?-->|<!DOCTYPE svg[^>[]*>)*<svg[\s>]/.test(
    bytes.toString('utf8', 0, 4_096),
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

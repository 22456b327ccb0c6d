/** The colours of pages, by what they are for. */
export interface Palette {
  readonly text: string;
  readonly page: string;
  readonly card: string;
  /** Lines and small print. */
  readonly line: string;
  /** Buttons and links. */
  readonly accent: string;
  readonly onAccent: string;
  readonly problem: string;
}

/** Of light and of dark pages. */
export interface Palettes {
  readonly light: Palette;
  readonly dark: Palette;
}

/** The colours of a theme that has none of its own. */
export const defaultPalettes: Palettes = Object.freeze({
  light: {
    text: '#1b1f24',
    page: '#f5f6f8',
    card: '#ffffff',
    line: '#5f6773',
    accent: '#0b57d0',
    onAccent: '#ffffff',
    problem: '#b3261e',
  },
  dark: {
    text: '#e6e9ee',
    page: '#14171b',
    card: '#1f2329',
    line: '#8b95a3',
    accent: '#a8c7fa',
    onAccent: '#062e6f',
    problem: '#f2b8b5',
  },
});

/** Which colours meet as text and background. */
const meetings: readonly (readonly [front: keyof Palette, back: keyof Palette])[] = [
  ['text', 'page'],
  ['text', 'card'],
  ['line', 'page'],
  ['line', 'card'],
  ['accent', 'page'],
  ['accent', 'card'],
  ['onAccent', 'accent'],
  ['problem', 'card'],
];

/** WCAG 2.2 §1.4.3 */
const LEAST_CONTRAST = 4.5;

/** What can't be read in a palette, a sentence each. */
export function contrastProblems(scheme: keyof Palettes, palette: Palette): readonly string[] {
  return meetings.flatMap(([front, back]) => {
    const contrast = contrastOf(palette[front], palette[back]);
    if (contrast >= LEAST_CONTRAST) return [];
    const found = `${contrast.toFixed(1)} : 1`;
    return [
      `colours.${scheme}: ${front} on ${back} has a contrast of ${found}; it must be ${LEAST_CONTRAST} : 1.`,
    ];
  });
}

/** The style sheet's variables for both schemes. @param palettes whose colours are checked: `#rrggbb` */
export function styleOf({ light, dark }: Palettes): string {
  return `:root{${variablesOf(light)}}@media (prefers-color-scheme:dark){:root{${variablesOf(dark)}}}`;
}

function variablesOf(palette: Palette): string {
  return Object.entries(palette)
    .map(([name, colour]) => `--${name.replace('onAccent', 'on-accent')}:${colour as string}`)
    .join(';');
}

/** @see https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
function contrastOf(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

/** @see https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

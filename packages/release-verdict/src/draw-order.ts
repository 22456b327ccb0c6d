const MARGIN = 16;
const PADDING = 12;
const LINE = 20;
const GAP = 12;
/** An arrow from stage to stage. */
const ARROW = 30;
/** Of a letter at 14 px, about; ideographs have two. */
const LETTER = 7.9;
/** Reasons in a step may be long: the rest stands beside the picture. */
const MAX_LINES = 4;
/** Steps that are drawn: more are no picture. */
const MAX_STEPS = 40;

/** A step as a box. */
export interface PicturedStep {
  /** `any`: at any time. */
  readonly kind: 'deploy' | 'publish' | 'any';
  readonly text: string;
}

/** What is drawn. */
export interface OrderPicture {
  readonly title: string;
  /** Below the title, in a row: how many changes there are of a verdict. */
  readonly counts?: readonly {
    readonly verdict: 'breaking' | 'dangerous' | 'unknown' | 'safe' | 'approved';
    readonly text: string;
  }[];
  /** What stands before `publish` comes first; steps beside each other depend on none of each other. */
  readonly steps: readonly PicturedStep[];
  /** What is said of steps that are not drawn. */
  readonly more: (steps: number) => string;
}

/** How it is drawn. */
export interface DrawOptions {
  /** Pixels. */
  readonly width: number;
  /** @default left to right */
  readonly direction?: 'ltr' | 'rtl';
  /**
   * A style sheet inside the picture. @default none: the page has one, for `.order` with `.paper`, `.text`, `.line`, and the kinds of
   * steps and verdicts
   */
  readonly style?: string;
}

/**
 * The order of deployment of a change as SVG: what is deployed before publishing, publishing, what is deployed after it. Its name, for
 * those who don't see it, has all of it in words.
 */
export function drawOrder(picture: OrderPicture, options: DrawOptions): string {
  const { title, steps, counts = [] } = picture;
  const canvas = new Canvas(options);
  canvas.title(title);
  canvas.chips(counts);
  for (const [index, step] of drawnSteps(picture).entries())
    canvas.step(step, index > 0 && isNewStage(steps[index - 1], step));
  return canvas.svg([title, ...counts.map(({ text }) => text), ...steps.map(({ text }) => text)].join('; '));
}

function drawnSteps({ steps, more }: OrderPicture): readonly PicturedStep[] {
  if (steps.length <= MAX_STEPS) return steps;
  const rest = steps.length - MAX_STEPS;
  return [...steps.slice(0, MAX_STEPS), { kind: steps[MAX_STEPS]?.kind ?? 'any', text: more(rest) }];
}

function isNewStage(before: PicturedStep | undefined, { kind }: PicturedStep): boolean {
  return kind === 'publish' || before?.kind === 'publish';
}

/** What was drawn, from above. */
class Canvas {
  readonly #options: DrawOptions;
  readonly #parts: string[] = [];
  #top = MARGIN;

  constructor(options: DrawOptions) {
    this.#options = options;
  }

  title(text: string): void {
    for (const line of wrap(text, this.#letters(MARGIN))) {
      this.#text(line, MARGIN, this.#top + 14, ' font-weight="600"');
      this.#top += LINE;
    }
    this.#top += GAP;
  }

  chips(counts: NonNullable<OrderPicture['counts']>): void {
    let left = MARGIN;
    for (const { verdict, text } of counts) {
      const width = Math.ceil(lettersOf(text) * LETTER) + 2 * PADDING;
      if (left > MARGIN && left + width > this.#options.width - MARGIN) {
        left = MARGIN;
        this.#top += LINE + GAP + 4;
      }
      this.#box(verdict, left, this.#top, width, LINE + 4);
      this.#text(text, left + PADDING, this.#top + 17);
      left += width + 8;
    }
    if (counts.length > 0) this.#top += LINE + GAP + 8;
  }

  step({ kind, text }: PicturedStep, isNewStage: boolean): void {
    const { width } = this.#options;
    if (isNewStage) this.#arrow();
    const lines = shorten(wrap(text, this.#letters(MARGIN + PADDING)));
    const height = lines.length * LINE + 2 * PADDING - 4;
    this.#box(kind, MARGIN, this.#top, width - 2 * MARGIN, height);
    for (const [index, line] of lines.entries())
      this.#text(line, MARGIN + PADDING, this.#top + PADDING + 12 + index * LINE);
    this.#top += height + GAP;
  }

  svg(name: string): string {
    const { width, direction = 'ltr', style } = this.#options;
    const height = this.#top - GAP + MARGIN;
    return [
      `<svg xmlns="http://www.w3.org/2000/svg" class="order" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" direction="${direction}" role="img">`,
      `<title>${escapeText(name)}</title>`,
      ...(style === undefined ? [] : [`<style>${style}</style>`]),
      `<rect class="paper" width="100%" height="100%"/>`,
      ...this.#parts,
      '</svg>',
      '',
    ].join('\n');
  }

  #arrow(): void {
    const middle = this.#options.width / 2;
    const start = this.#top - GAP;
    this.#top += ARROW - GAP;
    this.#parts.push(`<path class="line" d="M${middle} ${start} V${this.#top - 2} m-5 -6 l5 6 l5 -6"/>`);
  }

  #box(kind: string, left: number, top: number, width: number, height: number): void {
    const x = this.#isMirrored ? this.#options.width - left - width : left;
    this.#parts.push(
      `<rect class="${kind}" x="${x}" y="${top}" width="${width}" height="${height}" rx="6"/>`,
    );
  }

  #text(text: string, left: number, bottom: number, weight = ''): void {
    const x = this.#isMirrored ? this.#options.width - left : left;
    this.#parts.push(`<text class="text" x="${x}" y="${bottom}"${weight}>${escapeText(text)}</text>`);
  }

  get #isMirrored(): boolean {
    return this.#options.direction === 'rtl';
  }

  /** Letters of a line with as much space at each side. */
  #letters(space: number): number {
    return Math.floor((this.#options.width - 2 * space) / LETTER);
  }
}

/** Words in lines; a word that is longer than a line goes on in the next. */
function wrap(text: string, letters: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((one) => piecesOf(one, letters))) {
    if (line !== '' && lettersOf(line) + 1 + lettersOf(word) > letters) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

function piecesOf(word: string, letters: number): readonly string[] {
  const pieces: string[] = [];
  let piece = '';
  for (const character of word) {
    if (lettersOf(piece) + lettersOf(character) > letters) {
      pieces.push(piece);
      piece = '';
    }
    piece += character;
  }
  return [...pieces, piece];
}

/** The last line says with … that there is more. */
function shorten(lines: readonly string[]): readonly string[] {
  if (lines.length <= MAX_LINES) return lines;
  return [...lines.slice(0, MAX_LINES - 1), `${lines[MAX_LINES - 1] ?? ''} …`];
}

/** From here on letters are as wide as two: Hangul, kana, ideographs, and signs of their scripts. */
const FIRST_WIDE = 0x11_00;

function lettersOf(text: string): number {
  let letters = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    letters += code >= FIRST_WIDE && !(code >= 0x20_00 && code < 0x2e_80) ? 2 : 1;
  }
  return letters;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Control characters are in no XML, and signs of direction would turn what is beside them: they become spaces. */
function escapeText(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, ' ')
    .replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}

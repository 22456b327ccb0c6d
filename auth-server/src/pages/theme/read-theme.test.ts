import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory } from '@trellis/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { pngOf } from '../../testing/png.ts';
import { createTextChooser } from '../language.ts';
import { renderNotice } from '../account-page.ts';
import { readTheme, type ReadTheme } from './read-theme.ts';

const folder = createTemporaryDirectory();
afterAll(() => folder.remove());

function write(name: string, content: string | Buffer): void {
  writeFileSync(join(folder.path, name), content);
}

function read(theme: unknown): ReadTheme {
  write('theme.json', JSON.stringify(theme));
  return readTheme(folder.path);
}

function problemsOf(theme: unknown): readonly string[] {
  const found = read(theme);
  return found.kind === 'problems' ? found.problems : [];
}

write('logo.png', pngOf(64, 32));
write('logo.svg', '<?xml version="1.0"?>\n<!-- ours --><svg xmlns="http://www.w3.org/2000/svg"/>');
write('huge.png', pngOf(3_000, 1));
write('page.png', '<!doctype html><script>alert(1)</script>');
write('heavy.svg', `<svg>${' '.repeat(300_000)}</svg>`);

const ISSUER = 'https://id.example';

/** A page as a theme has it. */
function pageOf(theme: unknown, language = 'en'): string {
  const found = read(theme);
  if (found.kind === 'problems') throw new Error(found.problems.join(' '));
  const texts = createTextChooser(found.theme, ISSUER)(language);
  return renderNotice({ title: texts.signIn.title, text: texts.signIn.password }, texts).html;
}

describe('A-250: a theme', () => {
  it('gives pages a name, a logo for light and dark, colours, texts and links', () => {
    const theme = {
      name: 'Example & Söhne',
      logo: 'logo.png',
      darkLogo: 'logo.svg',
      colours: { light: { accent: '#7A1FA2' } },
      texts: { de: { 'signIn.title': 'Willkommen', 'consent.scopes.read:orders': 'Bestellungen lesen' } },
      links: { home: 'https://example.com/', privacy: 'https://example.com/privacy' },
    };
    const page = pageOf(theme, 'de');
    expect(page).toContain('<title>Willkommen · Example &amp; Söhne</title>');
    expect(page).toMatch(/<img src="https:\/\/id\.example\/assets\?name=[0-9a-f]{16}\.png" alt=""/);
    expect(page).toMatch(/dark\)" srcset="https:\/\/id\.example\/assets\?name=[0-9a-f]{16}\.svg"/);
    expect(page).toContain('--accent:#7a1fa2;');
    expect(page).toContain('<a href="https://example.com/privacy">Datenschutz</a>');
    expect(pageOf(theme, 'en')).toContain('<title>Sign in ·');
  });

  it('shows scopes of the operator in words', () => {
    const found = read({ texts: { en: { 'consent.scopes.read:orders': 'read your orders' } } });
    if (found.kind === 'problems') throw new Error('no theme');
    const { consent } = createTextChooser(found.theme, ISSUER)();
    expect(consent.scopes['read:orders']).toBe('read your orders');
    expect(consent.scopes['openid']).toBe('know who you are');
  });

  it.each([
    ['a member that means nothing', { colour: '#000000' }, 'colour'],
    ['a colour in words', { colours: { light: { accent: 'red' } } }, 'colours.light.accent'],
    ['a name of several lines', { name: 'a\nb' }, 'name'],
    ['an empty name', { name: '' }, 'name'],
    ['a text that no page has', { texts: { en: { 'signIn.nonsense': 'x' } } }, 'signIn.nonsense'],
    ['a text that is made of what a page shows', { texts: { en: { 'signIn.intro': 'x' } } }, 'signIn.intro'],
    ['a language that pages are not in', { texts: { fr: {} } }, 'texts.fr'],
    ['the name of a language', { texts: { en: { language: 'xx' } } }, 'language'],
    ['a link that is a script', { links: { help: 'javascript:alert(1)' } }, 'links.help'],
    ['a link that is data', { links: { home: 'data:text/html,x' } }, 'links.home'],
    ['a file elsewhere', { logo: '../logo.png' }, 'logo'],
    ['a file that is hidden', { logo: '.logo' }, 'logo'],
    ['a file that does not exist', { logo: 'none.png' }, 'logo'],
    ['a page that is called a picture', { logo: 'page.png' }, 'logo: is no PNG'],
    ['a picture of too many pixels', { logo: 'huge.png' }, 'logo: is larger'],
    ['a picture of too many bytes', { darkLogo: 'heavy.svg' }, 'darkLogo: has more'],
    [
      'words on a button that can not be read',
      { colours: { light: { accent: '#ffee00' } } },
      'onAccent on accent',
    ],
    ['dark text on a dark page', { colours: { dark: { text: '#222222' } } }, 'text on page'],
    ['no object', [], 'theme'],
  ])('A-251: with %s is rejected', (_what, theme, problem) => {
    expect(problemsOf(theme).join('\n')).toContain(problem);
  });

  it('A-251: that is no JSON, or does not exist, is rejected', () => {
    write('theme.json', '{');
    expect(readTheme(folder.path)).toMatchObject({ kind: 'problems' });
    expect(readTheme(join(folder.path, 'none'))).toMatchObject({ kind: 'problems' });
  });
});

/** What breaks out of a style sheet, an attribute, an element or an address, where it is not escaped. */
const HOSTILE = [
  '</style><script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '#000;background:url(https://evil.example)',
  '#000}body{display:none',
  "'; @import 'https://evil.example",
  'https://example.com/"onmouseover="alert(1)',
  'javascript:alert(1)',
  '<%= 1 %>',
];

/** Every member of a theme that is a text. */
const MEMBERS: readonly ((text: string) => unknown)[] = [
  (name) => ({ name }),
  (logo) => ({ logo }),
  ...['text', 'page', 'card', 'line', 'accent', 'onAccent', 'problem'].map((name) => (colour: string) => ({
    colours: { light: { [name]: colour } },
  })),
  (text) => ({ texts: { en: { 'signIn.password': text } } }),
  (text) => ({ texts: { en: { 'signIn.title': text } } }),
  ...['home', 'privacy', 'terms', 'help'].map((name) => (link: string) => ({ links: { [name]: link } })),
];

describe('A-251: no member of a theme', () => {
  it('breaks out of its place in a page', () => {
    const plain = pageOf({});
    const shapeOf = (html: string): readonly string[] =>
      [...html.matchAll(/<[a-z]+|\son\w+=/g)].map(([match]) => match);
    const withLinks = shapeOf(pageOf({ links: { privacy: 'https://example.com/' } })).length;
    for (const hostile of HOSTILE) {
      for (const themeOf of MEMBERS) {
        const theme = themeOf(hostile);
        if (read(theme).kind === 'problems') continue;
        const page = pageOf(theme);
        expect(page).not.toContain('<script');
        if (/[<>"]/.test(hostile)) expect(page).not.toContain(hostile);
        expect(shapeOf(page).length).toBeLessThanOrEqual(Math.max(withLinks, shapeOf(plain).length + 1));
        expect(/<style>([\s\S]*?)<\/style>/.exec(page)?.[1]).toBe(
          /<style>([\s\S]*?)<\/style>/.exec(plain)?.[1],
        );
      }
    }
  });
});

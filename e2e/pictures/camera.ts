import type { Page } from 'playwright-core';
import { schemes, type Scheme } from './picture-list.ts';

/** A picture in both looks. */
export type Shots = Readonly<Record<Scheme, Buffer>>;

export const WIDTH = 1280;
export const HEIGHT = 800;
const QUALITY = 72;

/**
 * Takes a picture of what the page shows, in both looks. What differs from run to run is replaced for that moment: times, durations,
 * addresses, ids. Editors write their own text back: an id in a response stays.
 *
 * @param scale below 1, more of the page is shown, and smaller
 */
export async function takePicture(page: Page, scale = 1): Promise<Shots> {
  await page.setViewportSize({ width: WIDTH / scale, height: HEIGHT / scale });
  const session = await page.context().newCDPSession(page);
  const shots: Partial<Record<Scheme, Buffer>> = {};
  for (const scheme of schemes) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    await page.evaluate(maskPage);
    const { data } = await session.send('Page.captureScreenshot', {
      format: 'webp',
      quality: QUALITY,
      clip: { x: 0, y: 0, width: WIDTH / scale, height: HEIGHT / scale, scale },
    });
    await page.evaluate('globalThis.unmaskPage()');
    shots[scheme] = Buffer.from(data, 'base64');
  }
  await session.detach();
  return shots as Shots; // each scheme has one
}

/** In the page. */
function maskPage(): Promise<void> {
  const masks: readonly (readonly [RegExp, string])[] = [
    [/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/g, '0198c0de-0000-7000-8000-000000000000'],
    [/\blocalhost:\d{4,5}\b/g, 'localhost:4000'],
    [/\b127\.0\.0\.1:\d{4,5}\b/g, '127.0.0.1:9464'],
    [/\b20\d\d-\d\d-\d\dT[\d:.]+Z?\b/g, '2026-11-02T09:30:00Z'],
    [/\b20\d\d-\d\d-\d\d\b/g, '2026-11-02'],
    [/\b\d{1,2} (?:[A-Z][a-z]{2,8}) 20\d\d\b/g, '2 Nov 2026'],
    [/\b\d{1,2}:\d\d(?::\d\d)?(?: [ap]m)?\b/gi, '09:30'],
    [/\b[\d.,]+ (m?s|kB|KB|MB|B|bytes)\b/g, '12 $1'],
    [/\b(?:\d+|an?|one) (second|minute|hour|day|week|month|year)s? ago\b/gi, '2 $1s ago'],
    [/^(?:now|just now)$/gi, 'now'],
    [/\b[A-Z][a-z]{2} \d{1,2}, 20\d\d\b/g, 'Nov 2, 2026'],
    [/(?<![-\w])[\da-f]{12}\b/g, '0a1b2c3d4e5f'],
  ];
  const replaced: (readonly [Text, string])[] = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = node as Text; // of SHOW_TEXT
    let masked = text.data;
    for (const [pattern, by] of masks) masked = masked.replace(pattern, by);
    if (masked === text.data) continue;
    replaced.push([text, text.data]);
    text.data = masked;
  }
  const style = document.createElement('style');
  style.textContent =
    '*{caret-color:transparent!important;transition:none!important;animation:none!important}.cm-cursor{display:none!important}';
  document.head.append(style);
  Object.assign(globalThis, {
    unmaskPage: () => {
      for (const [text, data] of replaced) text.data = data;
      style.remove();
    },
  });
  return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())));
}

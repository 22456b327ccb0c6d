import type { ExplorerSettings } from '../src/explorer-settings.ts';

/** What the server has written into the page. */
export interface PageSettings extends ExplorerSettings {
  /** Lets styles that a script makes into the page. */
  readonly styleNonce: string;
}

/** Reads the page's settings from the element that it is drawn into. */
export function readSettings(element: HTMLElement): PageSettings {
  const given = JSON.parse(element.dataset['settings'] ?? '{}') as ExplorerSettings; // the server wrote it
  return { ...given, styleNonce: element.dataset['nonce'] ?? '' };
}

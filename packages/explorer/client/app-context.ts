import { createContext, type Context } from 'preact';
import { useContext } from 'preact/hooks';
import type { PageSettings } from './page-settings.ts';
import type { ExplorerTexts } from './texts/explorer-texts.ts';

/** What every part of the page knows. */
export interface AppEnvironment {
  readonly settings: PageSettings;
  readonly texts: ExplorerTexts;
}

/** Set once, around all. */
export const AppContext: Context<AppEnvironment | undefined> = createContext<AppEnvironment | undefined>(
  undefined,
);

/** What every part of the page knows. @throws Error outside of the page */
export function useApp(): AppEnvironment {
  const environment = useContext(AppContext);
  if (!environment) throw new Error('There is no page around this part.');
  return environment;
}

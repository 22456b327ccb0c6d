import { render } from 'preact';
import { readSettings } from './page-settings.ts';
import { openSession } from './session/session.ts';
import { chooseTexts } from './texts/choose-texts.ts';
import { App } from './view/app.tsx';
import { AppContext } from './app-context.ts';

const element = document.getElementById('explorer');
if (element) {
  const settings = readSettings(element);
  const texts = chooseTexts(document.documentElement.lang);
  render(
    <AppContext.Provider value={{ settings, texts }}>
      <App session={openSession(settings)} />
    </AppContext.Provider>,
    element,
  );
}

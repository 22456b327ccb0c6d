import { ApolloProvider } from '@apollo/client/react';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { loadConfig } from './config.ts';
import { createGraphClient } from './graph/create-graph-client.ts';
import { SessionProvider } from './session/session-context.tsx';
import { Session } from './session/session.ts';
import { preferredLanguage } from './texts/languages.ts';
import { loadTexts, TextsProvider } from './texts/texts-context.tsx';

const [config, texts] = await Promise.all([loadConfig(), loadTexts(preferredLanguage())]);
const session = new Session(config);
await session.restore();
const client = createGraphClient(config, session);

createRoot(document.querySelector('#root') as Element).render(
  <StrictMode>
    <TextsProvider initial={texts}>
      <SessionProvider value={session}>
        <ApolloProvider client={client}>
          <App />
        </ApolloProvider>
      </SessionProvider>
    </TextsProvider>
  </StrictMode>,
);

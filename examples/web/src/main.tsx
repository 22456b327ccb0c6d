import { ApolloProvider } from '@apollo/client/react';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { loadConfig } from './config.ts';
import { createGraphClient } from './graph/create-graph-client.ts';
import { Network } from './network/network.ts';
import { NetworkProvider } from './network/network-context.tsx';
import { NoticesProvider } from './notices/notices.tsx';
import { SessionProvider } from './session/session-context.tsx';
import { Session } from './session/session.ts';
import { preferredLanguage } from './texts/languages.ts';
import { loadTexts, TextsProvider } from './texts/texts-context.tsx';

const [config, texts] = await Promise.all([loadConfig(), loadTexts(preferredLanguage())]);
const network = new Network();
const session = new Session(config);
await session.restore();
const client = createGraphClient(config, session, network);

createRoot(document.querySelector('#root') as Element).render(
  <StrictMode>
    <TextsProvider initial={texts}>
      <NetworkProvider value={network}>
        <SessionProvider value={session}>
          <ApolloProvider client={client}>
            <NoticesProvider>
              <App />
            </NoticesProvider>
          </ApolloProvider>
        </SessionProvider>
      </NetworkProvider>
    </TextsProvider>
  </StrictMode>,
);

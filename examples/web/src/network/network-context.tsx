import { createContext, use, useSyncExternalStore } from 'react';
import type { Network, NetworkState } from './network.ts';

const NetworkContext = createContext<Network | undefined>(undefined);

export const NetworkProvider = NetworkContext.Provider;

/** What the network is now; the component renders again when it changes. */
export function useNetworkState(): NetworkState {
  const network = use(NetworkContext);
  if (!network) throw new Error('There is no NetworkProvider.');
  return useSyncExternalStore(network.subscribe, () => network.state);
}

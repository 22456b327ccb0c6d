import { useNetworkState } from './network-context.tsx';
import { useTexts } from '../texts/texts-context.tsx';

/** Says that the network is lost, and that it is back; silent otherwise. */
export function NetworkBanner() {
  const state = useNetworkState();
  const { texts } = useTexts();
  return (
    <div role="status" className="network" data-state={state}>
      {state === 'offline' && <p>{texts.offline}</p>}
      {state === 'reconnecting' && <p>{texts.reconnecting}</p>}
    </div>
  );
}

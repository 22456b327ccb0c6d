import { useState } from 'react';
import { useTexts } from '../texts/texts-context.tsx';

interface ConfirmedButtonProps {
  readonly label: string;
  readonly children: string;
  readonly onConfirm: () => void;
}

/** A button for what can't be undone: it asks once more, in its own place. */
export function ConfirmedButton({ label, children, onConfirm }: ConfirmedButtonProps) {
  const { texts } = useTexts();
  const [mode, setMode] = useState<'idle' | 'asking' | 'cancelled'>('idle');
  if (mode !== 'asking')
    return (
      <button
        type="button"
        className="button button-quiet"
        aria-label={label}
        autoFocus={mode === 'cancelled'} // the focus comes back to where it was
        onClick={() => setMode('asking')}
      >
        {children}
      </button>
    );
  return (
    <>
      <button type="button" className="button button-danger" autoFocus onClick={onConfirm}>
        {texts.reallyDelete}
      </button>
      <button type="button" className="button button-quiet" onClick={() => setMode('cancelled')}>
        {texts.cancel}
      </button>
    </>
  );
}
